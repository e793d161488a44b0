-- A file that version 12 of the schema left: migrated by 0001 to 0012, then filled by the program of that time.
PRAGMA application_id = 1179407440;
PRAGMA user_version = 12;
PRAGMA journal_mode = WAL;
INSERT INTO "plan" VALUES(1,'01900000-0000-7000-8000-000000000001','training',1000000,1000000,1,'Plan 1','notes of 1','{"team":"red","number":"1"}',685297569859697402,1,'model-1','accelerator-1',7,3,'1.2.3',1000000,2738468702250567994,NULL,'{"model":"llama-1","tokens":15000000000000}','{"gpu_count":1,"note":"café"}');
INSERT INTO plan_label VALUES('number','1',1000000,'01900000-0000-7000-8000-000000000001');
INSERT INTO plan_label VALUES('team','red',1000000,'01900000-0000-7000-8000-000000000001');
INSERT INTO change VALUES('catalogue',1,1795229630600837);
INSERT INTO import VALUES(1,'01950000-0000-7000-8000-000000000001','accelerator','succeeded',NULL,'request','k1','ops','text/csv',300,'abababababababababababababababababababababababababababababababab',0,0,1000000,2000000,1,0,1,0,0,0,1795229630600837,1,0);
INSERT INTO accelerator VALUES(2,'a1','nvidia','Name, with a comma','sxm','HBM3','nvlink4',2022,10.499999999999999999,11.499999999999999999,'driver',12.5,13.5,14.5,15.499999999999999999,16.5,17.5,18.5,19.5,20.499999999999999999,600.0,21.5,22.5,5,8,NULL,23.499999999999999999,24.5,NULL,NULL,'',replace('a1-alias\na1-other','\n',char(10)),'data sheet','2026-07-20','user',1795229630600000,NULL,1,650.0,NULL,1,NULL,NULL);
INSERT INTO accelerator VALUES(1,'a1','nvidia','Name, with a comma','sxm','HBM3','nvlink4',2022,10.499999999999999999,11.499999999999999999,'driver',12.5,13.5,14.5,15.499999999999999999,16.5,17.5,18.5,19.5,20.499999999999999999,700.0,21.5,22.5,5,8,NULL,23.499999999999999999,24.5,NULL,NULL,'',replace('a1-alias\na1-other','\n',char(10)),'data sheet','2026-07-20','user',0,NULL,0,650.0,1,NULL,replace('tdp_w|650|press|2026-01-01|a note','|',char(9)),NULL);
INSERT INTO device VALUES('gpu-1',NULL,'host','cuda','A GPU','h100','550.1',85899345920.0,'idle',NULL,'{"pci_id":"10de:2330"}',1000000);
INSERT INTO benchmark (number, id, suite, timeout_s, priority, created_at_us, state, attempt, token, cancel_requested, late)
VALUES (1,'01910000-0000-7000-8000-000000000001','"quick"',60.0,0,1000000,'queued',0,0,0,0);
INSERT INTO benchmark (number, id, device, suite, timeout_s, priority, created_at_us, state, running_device, attempt, token, lease_until_us, started_at_us, cancel_requested, late)
VALUES (2,'01910000-0000-7000-8000-000000000002','gpu-1','"full"',600.0,5,1000000,'running','gpu-1',1,1,2000000,1000000,0,0);
UPDATE benchmark SET labels = '{"team":"red"}', agent_id = 'a1' WHERE number = 2;
INSERT INTO agent VALUES('a1','host','1.2.3','{"rack":"b4"}','k1',1000000,1000000);
UPDATE device SET agent_id = 'a1' WHERE id = 'gpu-1';
INSERT INTO feed_refresh VALUES(1,'01930000-0000-7000-8000-000000000001','uk-carbon','succeeded',NULL,'schedule',1000000,2000000,'s','CC BY 4.0','https://feed.example',2,300,7,1,0,0,0,1,0,0,1);
INSERT INTO feed_change VALUES(1,'01930000-0000-7000-8000-000000000001','uk-carbon',0,2000000,'quarantined','p1','price_usd_per_hour',8.0,0.08,1.6,40.0,'why');
INSERT INTO feed_validator VALUES('uk-carbon','https://feed.example/x','"t1"',NULL,2000000);
INSERT INTO grid_hour VALUES('GB','average','uk-carbon',3600000000,100.0,1,2000000);
INSERT INTO grid_zone VALUES('GB','average','uk-carbon',3600000000,3600000000,2000000);
INSERT INTO calibration (id, accelerator_id, device_id, quantity, method, value, low, high, origin, valid_from_us, revision, class, plan_id, driver, n, spread, disagreement)
VALUES ('gemm_efficiency.bf16.large.gpu-1', 'a1', 'gpu-1', 'gemm_efficiency', 'library_gemm', 0.7, 0.69, 0.71, 'measured', 1000000, 1, 'large', NULL, '550.1', 100, 0.01, 0.002);
INSERT INTO calibration (id, accelerator_id, quantity, method, value, origin, valid_from_us, revision, class, n, expected, expected_sigma, step_ratio, gpu_count, params, plan_id)
VALUES ('run_practice.01920000-0000-7000-8000-000000000001', 'a1', 'run_practice', 'observation', 1.5, 'measured', 1000000, 1, 'megatron_core', 1, 1.67, 0.36, 1.25, 8, 8e9, '01900000-0000-7000-8000-000000000001');
INSERT INTO observation (id, plan_id, created_at_us, accelerator, stack, gpu_count, step_time_s, hours, predicted_step_time_s, predicted_hours, stack_speed, practice, practice_expected, params, planned_gpu_count, precision)
VALUES ('01920000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000001', 1000000, 'a1', 'megatron_core', 8, 2.5, 150, 2.25, 167, 0.9, 1.5, 1.67, 8e9, 8, 'bf16');
INSERT INTO calibration (id, accelerator_id, device_id, quantity, method, value, low, high, origin, valid_from_us, revision, class, n, held_because, delivered_by)
VALUES ('gemm_efficiency.bf16.large.gpu-1.held', 'a1', 'gpu-1', 'gemm_efficiency', 'library_gemm', 0.07, 0.069, 0.071, 'measured', 1000000, 1, 'large', 100, 'out of range', 'k1');
INSERT INTO audit (at_us, key_id, key_name, role, address, request_id, method, path, entity, revision, outcome, http_status)
VALUES (1000000, 'k1', 'ops', 'planner', '127.0.0.1', 'r1', 'POST', '/v1/plans/training', '01900000-0000-7000-8000-000000000001', 1, 'done', 201);
