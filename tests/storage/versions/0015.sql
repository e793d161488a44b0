-- A file that version 15 of the schema left: migrated by 0001 to 0015, then filled by the program of that time.
PRAGMA application_id = 1179407440;
PRAGMA user_version = 15;
PRAGMA journal_mode = WAL;
INSERT INTO "plan" VALUES(1,'01900000-0000-7000-8000-000000000001','training',1000000,1000000,1,'Plan 1','notes of 1','{"team":"red","number":"1"}',685297569859697402,1,'model-1','accelerator-1',7,3,'1.2.3',1000000,2738468702250567994,NULL,'{"model":"llama-1","tokens":15000000000000}','{"gpu_count":1,"note":"café"}',NULL);
INSERT INTO "plan_label" VALUES('number','1',1000000,'01900000-0000-7000-8000-000000000001');
INSERT INTO "plan_label" VALUES('team','red',1000000,'01900000-0000-7000-8000-000000000001');
INSERT INTO "change" VALUES('catalogue',1,1795229630600837);
INSERT INTO "import" VALUES(1,'01950000-0000-7000-8000-000000000001','accelerator','succeeded',NULL,'request','k1','ops','text/csv',300,'abababababababababababababababababababababababababababababababab',0,0,1000000,2000000,1,0,1,0,0,0,1795229630600837,1,0,8939728652534746363);
INSERT INTO "accelerator" VALUES(1,'a1','nvidia','Name, with a comma','sxm','HBM3','nvlink4',2022,10.5,11.5,'driver',12.5,13.5,14.5,15.5,16.5,17.5,18.5,19.5,20.5,700.0,21.5,22.5,5,8,NULL,23.5,24.5,NULL,NULL,'','a1-alias
a1-other','data sheet','2026-07-20','user',0,NULL,0,650.0,1,NULL,'tdp_w	650	press	2026-01-01	a note',6053909934230776016,7232320882642406064);
INSERT INTO "accelerator" VALUES(2,'a1','nvidia','Name, with a comma','sxm','HBM3','nvlink4',2022,10.5,11.5,'driver',12.5,13.5,14.5,15.5,16.5,17.5,18.5,19.5,20.5,600.0,21.5,22.5,5,8,NULL,23.5,24.5,NULL,NULL,'','a1-alias
a1-other','data sheet','2026-07-20','user',1795229630600000,NULL,1,650.0,NULL,1,NULL,7110565742926815662,8047151575228609849);
INSERT INTO "agent" VALUES('a1','host','1.2.3','{"rack":"b4"}','k1',1000000,1000000,4556290519879874547);
INSERT INTO audit (at_us, key_id, key_name, role, address, request_id, method, path, entity, revision, outcome, http_status, row_checksum) VALUES (1000000, 'k1', 'ops', 'planner', '127.0.0.1', 'r1', 'POST', '/v1/plans/training', '01900000-0000-7000-8000-000000000001', 1, 'done', 201, 3966857155749413218);
INSERT INTO "benchmark" VALUES(1,'01910000-0000-7000-8000-000000000001',NULL,NULL,'"quick"',NULL,60.0,0,1000000,NULL,'queued',NULL,NULL,NULL,0,0,NULL,NULL,NULL,0,0,NULL,NULL,NULL,NULL,NULL,1076336883741839173,NULL);
INSERT INTO "benchmark" VALUES(2,'01910000-0000-7000-8000-000000000002','gpu-1',NULL,'"full"',NULL,600.0,5,1000000,NULL,'running',NULL,'gpu-1','a1',1,1,2000000,1000000,NULL,0,0,NULL,NULL,NULL,'{"team":"red"}',NULL,5313870254614459152,NULL);
INSERT INTO "calibration" VALUES(1,'gemm_efficiency.bf16.large.gpu-1','a1','gpu-1',NULL,NULL,'gemm_efficiency','library_gemm',0.7,0.69,0.71,NULL,NULL,'measured',1000000,NULL,1,'large',NULL,'550.1',100,0.01,0.002,NULL,NULL,NULL,NULL,NULL,NULL,2714287784954926911,NULL,NULL,6921062278785222503);
INSERT INTO "calibration" VALUES(2,'run_practice.01920000-0000-7000-8000-000000000001','a1',NULL,NULL,NULL,'run_practice','observation',1.5,NULL,NULL,NULL,NULL,'measured',1000000,NULL,1,'megatron_core','01900000-0000-7000-8000-000000000001',NULL,1,NULL,NULL,NULL,1.67,0.36,1.25,8,8000000000.0,1331033651436463884,NULL,NULL,6429206951124394003);
INSERT INTO "calibration" VALUES(3,'gemm_efficiency.bf16.large.gpu-1.held','a1','gpu-1',NULL,NULL,'gemm_efficiency','library_gemm',0.07,0.069,0.071,NULL,NULL,'measured',1000000,NULL,1,'large',NULL,NULL,100,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,1227777148799533363,'out of range','k1',2584860977457408432);
INSERT INTO "device" VALUES('gpu-1','a1','host','cuda','A GPU','h100','550.1',85899345920.0,'idle',NULL,'{"pci_id":"10de:2330"}',1000000,4183859347818674422);
INSERT INTO "feed_change" VALUES(1,'01930000-0000-7000-8000-000000000001','uk-carbon',0,2000000,'quarantined','p1','price_usd_per_hour',8.0,0.08,1.6,40.0,'why',6212042584263674363);
INSERT INTO "feed_refresh" VALUES(1,'01930000-0000-7000-8000-000000000001','uk-carbon','succeeded',NULL,'schedule',1000000,2000000,'s','CC BY 4.0','https://feed.example',2,300,7,1,0,0,0,1,0,0,1,3839318725423356103);
INSERT INTO "feed_validator" VALUES('uk-carbon','https://feed.example/x','"t1"',NULL,2000000,1050637749544552628);
INSERT INTO "grid_hour" VALUES('GB','average','uk-carbon',3600000000,100.0,1,2000000,7788046848931113799);
INSERT INTO "grid_zone" VALUES('GB','average','uk-carbon',3600000000,3600000000,2000000,860910886714291884);
INSERT INTO "observation" VALUES(1,'01920000-0000-7000-8000-000000000001','01900000-0000-7000-8000-000000000001',1000000,'a1','megatron_core',NULL,8,2.5,NULL,NULL,150.0,NULL,NULL,NULL,NULL,2.25,NULL,NULL,167.0,NULL,NULL,0.9,NULL,1.5,1.67,NULL,8000000000.0,8,'bf16',6866259665836277680);
