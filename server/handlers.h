/* Maps each route to its handler. */
#ifndef FLEETPLAN_SERVER_HANDLERS_H
#define FLEETPLAN_SERVER_HANDLERS_H

#include "server/handler.h"

/* Returns the handler of a route; NULL for a route without one, which is answered 501. */
handler_function *handler_of(enum route_id route);

/* server/handlers/estimates.c */
handler_function handle_training_estimate, handle_training_estimate_get, handle_inference_estimate, handle_inference_estimate_get,
	handle_performance_estimate, handle_performance_estimate_get, handle_memory_estimate, handle_memory_estimate_get,
	handle_scaling_estimate, handle_scaling_estimate_get, handle_carbon_estimate, handle_carbon_estimate_get;

/* server/handlers/diagnoses.c */
handler_function handle_diagnosis;
handler_function handle_schedule;

/* server/handlers/plans.c, plan_refreshes.c, plan_lists.c */
handler_function handle_training_plan_create, handle_inference_plan_create, handle_plan_get, handle_plan_patch, handle_plan_delete,
	handle_plan_refresh, handle_plan_replay, handle_plan_list, handle_plan_revisions, handle_plan_compare;

/* server/handlers/catalogue_rows.c */
handler_function handle_accelerator_list, handle_accelerator_create, handle_accelerator_get, handle_accelerator_put,
	handle_accelerator_patch, handle_accelerator_delete;
handler_function handle_model_list, handle_model_create, handle_model_get, handle_model_put, handle_model_patch, handle_model_delete;
handler_function handle_price_list, handle_price_create, handle_price_get, handle_price_put, handle_price_patch, handle_price_delete;
handler_function handle_region_list, handle_region_create, handle_region_get, handle_region_put, handle_region_patch, handle_region_delete;

/* server/handlers/catalogue.c, model_import.c */
handler_function handle_catalogue, handle_offers, handle_model_import;

/* server/handlers/benchmarks.c */
handler_function handle_device_list, handle_benchmark_list, handle_benchmark_create, handle_benchmark_get, handle_benchmark_cancel,
	handle_benchmark_events, handle_calibration_list, handle_calibration_decide, handle_calibration_delete, handle_observation_list,
	handle_observation_create, handle_observation_get, handle_observation_delete;

/* server/handlers/agents.c, leases.c */
handler_function handle_agent_list, handle_agent_register, handle_agent_delete, handle_agent_lease, handle_lease_heartbeat,
	handle_lease_result, handle_lease_release;

/* server/handlers/feeds.c */
handler_function handle_feed_list, handle_feed_get, handle_feed_refresh;

/* For routes that are ALWAYS_ASYNC: checks, before the 202, whether the work can begin. STATUS_OK or the refusal. */
handler_function handler_admits;

/* server/handlers/imports.c */
handler_function import_answer; /* runs on the thread of imports, for handle_import */
handler_function handle_import_list, handle_import_get, handle_import, handle_export;

/* server/handlers/jobs.c */
handler_function handle_job_list, handle_job_get, handle_job_cancel, handle_job_result, handle_job_events;

/* server/handlers/audit.c */
handler_function handle_audit_list, handle_audit_export;

/* server/handlers/backups.c */
handler_function handle_backup_create;

/* server/handlers/service.c */
handler_function handle_livez, handle_readyz, handle_metrics, handle_version, handle_openapi, handle_openapi_3_0;

/* server/handlers/docs.c */
handler_function handle_docs, handle_docs_file;

/* server/handlers/page.c */
handler_function handle_page, handle_page_file;

#endif
