/* The API's field tables, and the struct that each describes. Defined in api/tables/, those of catalogue rows in
 * hwdb/catalogue/; schema/field.h explains the rows. */
#ifndef FLEETPLAN_API_TABLES_TABLES_H
#define FLEETPLAN_API_TABLES_TABLES_H

#include "api/tables/gate.h"
#include "api/tables/leases.h"
#include "api/tables/pages.h"
#include "hwdb/catalogue/catalogue_tables.h"
#include "hwdb/catalogue/offers.h"
#include "hwdb/catalogue/records.h"
#include "planner/diagnosis/diagnosis.h"
#include "planner/footprint/schedule.h"
#include "planner/measurement/bench_tables.h"
#include "planner/measurement/verification.h"
#include "planner/plan/estimates.h"
#include "schema/field.h"

/* Requests of the calculators. */
DECLARE_TABLE(training_request, struct training_request);
DECLARE_TABLE(inference_request, struct inference_request);
DECLARE_TABLE(performance_request, struct performance_request);
DECLARE_TABLE(memory_request, struct memory_request);
DECLARE_TABLE(scaling_request, struct scaling_request);
DECLARE_TABLE(carbon_request, struct carbon_request);
DECLARE_TABLE(schedule_request, struct schedule_request);
DECLARE_TABLE(diagnosis_request, struct diagnosis_request);

/* Their results. */
DECLARE_TABLE(training_result, struct training_plan);
DECLARE_TABLE(training_option, struct training_option);
DECLARE_TABLE(inference_result, struct inference_plan);
DECLARE_TABLE(inference_option, struct inference_option);
DECLARE_TABLE(performance_result, struct performance);
DECLARE_TABLE(memory_result, struct memory_estimate);
DECLARE_TABLE(scaling_result, struct scaling_estimate);
DECLARE_TABLE(carbon_result, struct carbon_estimate);
DECLARE_TABLE(schedule_result, struct schedule);
DECLARE_TABLE(diagnosis_result, struct diagnosis);

/* Envelopes: `request` and `result` are JSON written by the tables above. */
DECLARE_TABLE(training_estimate, struct plan_record);
DECLARE_TABLE(inference_estimate, struct plan_record);
DECLARE_TABLE(performance_estimate, struct plan_record);
DECLARE_TABLE(memory_estimate, struct plan_record);
DECLARE_TABLE(scaling_estimate, struct plan_record);
DECLARE_TABLE(carbon_estimate, struct plan_record);
DECLARE_TABLE(schedule_estimate, struct plan_record);
DECLARE_TABLE(diagnosis, struct plan_record);
DECLARE_TABLE(training_plan, struct plan_record);
DECLARE_TABLE(inference_plan, struct plan_record);
DECLARE_TABLE(plan, struct plan_record);         /* of either kind: record_encode writes every plan with this table */
DECLARE_TABLE(plan_summary, struct plan_record); /* items of a list: no request, no result */
DECLARE_TABLE(plan_changes, struct plan_changes);
DECLARE_TABLE(plan_replay, struct plan_replay);
DECLARE_TABLE(plan_patch, struct plan_record); /* name, labels, notes */
DECLARE_TABLE(plan_comparison, struct plan_comparison);
DECLARE_TABLE(plan_gate, struct plan_gate); /* no route: fleetplan diff */

/* Catalogue rows: in requests, in answers and in CSV. */
DECLARE_TABLE(calibration, struct calibration_row);
DECLARE_TABLE(calibration_decision, struct calibration_verdict);
DECLARE_TABLE(offer, struct offer);
DECLARE_TABLE(offer_quote, struct offer_quote);
DECLARE_TABLE(model_import, struct model_import);
DECLARE_TABLE(catalogue_state, struct catalogue_state);

/* Benchmarks, keys and the service itself. */
DECLARE_TABLE(benchmark_request, struct benchmark_record);
DECLARE_TABLE(benchmark, struct benchmark_record);
DECLARE_TABLE(device, struct device_record);
DECLARE_TABLE(agent, struct agent_record);
DECLARE_TABLE(agent_registration, struct agent_registration);
DECLARE_TABLE(agent_device, struct device_record);
DECLARE_TABLE(lease_request, struct lease_request);
DECLARE_TABLE(lease, struct lease);
DECLARE_TABLE(lease_spec, struct lease_spec);
DECLARE_TABLE(lease_heartbeat, struct lease_heartbeat);
DECLARE_TABLE(lease_renewal, struct lease_renewal);
DECLARE_TABLE(lease_result, struct lease_result);
DECLARE_TABLE(lease_release, struct lease_release);
DECLARE_TABLE(lease_outcome, struct lease_outcome);
DECLARE_TABLE(feed, struct feed_view);
DECLARE_TABLE(feed_detail, struct feed_detail);
DECLARE_TABLE(feed_detail_query, struct feed_detail_query);
DECLARE_TABLE(feed_refresh, struct feed_refresh_record);
DECLARE_TABLE(feed_change, struct feed_change);
DECLARE_TABLE(import, struct import_record);
DECLARE_TABLE(import_view, struct import_view);
DECLARE_TABLE(problem_view, struct problem_view);
DECLARE_TABLE(import_query, struct import_query);
DECLARE_TABLE(import_list_query, struct import_list_query);
DECLARE_TABLE(verification, struct verification);
DECLARE_TABLE(observation_request, struct observation_record);
DECLARE_TABLE(observation, struct observation_record);
DECLARE_TABLE(key, struct key_record);
DECLARE_TABLE(audit_entry, struct audit_record);
DECLARE_TABLE(audit_list_query, struct audit_list_query); /* of the list endpoint */
DECLARE_TABLE(audit_export_query, struct audit_list_query);
DECLARE_TABLE(backup, struct backup);
DECLARE_TABLE(job, struct job_record);
DECLARE_TABLE(version, struct version);
DECLARE_TABLE(health, struct health);

/* Query parameters of lists. */
DECLARE_TABLE(page_query, struct page_query);
DECLARE_TABLE(plan_query, struct plan_query);
DECLARE_TABLE(training_summary, struct summary);
DECLARE_TABLE(inference_summary, struct summary);
DECLARE_TABLE(plan_id_query, struct plan_id_query);
DECLARE_TABLE(expand_query, struct expand_query);
DECLARE_TABLE(compare_query, struct compare_query);
DECLARE_TABLE(accelerator_query, struct catalogue_query);
DECLARE_TABLE(model_query, struct catalogue_query);
DECLARE_TABLE(price_query, struct catalogue_query);
DECLARE_TABLE(region_query, struct catalogue_query);
DECLARE_TABLE(catalogue_row_query, struct catalogue_query); /* as_of alone */
DECLARE_TABLE(offer_query, struct offer_query);
DECLARE_TABLE(benchmark_query, struct benchmark_query);
DECLARE_TABLE(calibration_query, struct benchmark_query);
DECLARE_TABLE(observation_query, struct observation_query);
DECLARE_TABLE(diagnosis_query, struct diagnosis_context);

#endif
