/* Shapes that rows of the table of endpoints share: media, recurring rows, bodies of examples. For route_rows.c alone. */
#ifndef FLEETPLAN_API_ROUTE_SHAPES_H
#define FLEETPLAN_API_ROUTE_SHAPES_H

#include "api/routes.h"

#define JSON_BODY  MEDIA_BIT(MEDIA_JSON)
#define PATCH_BODY (MEDIA_BIT(MEDIA_MERGE_PATCH) | MEDIA_BIT(MEDIA_JSON))
#define AS_JSON    MEDIA_BIT(MEDIA_JSON)
#define AS_LIST    (MEDIA_BIT(MEDIA_JSON) | MEDIA_BIT(MEDIA_CSV))
#define AS_PLAN    (MEDIA_BIT(MEDIA_JSON) | MEDIA_BIT(MEDIA_CSV) | MEDIA_BIT(MEDIA_MARKDOWN))

#define AS_EVENTS MEDIA_BIT(MEDIA_EVENTS)

/* The two plans that scripts/quickstart.sh prints. */
#define EXAMPLE_TRAINING "{\"model\":\"llama-3.1-8b\",\"tokens\":\"15T\",\"accelerator\":\"h100\",\"deadline_hours\":\"30d\"}"
#define EXAMPLE_INFERENCE \
	"{\"model\":\"llama-3.1-70b\",\"precision\":\"fp8\",\"engine\":\"vllm\",\"accelerator\":\"h100\",\"queries_per_" \
	"minute\":600," \
	"\"prompt_tokens\":1000,\"output_tokens\":300,\"slo\":{\"ttft_ms\":2000,\"tpot_ms\":60}}"
#define EXAMPLE_PERFORMANCE \
	"{\"model\":\"llama-3.1-8b\",\"accelerator\":\"h100\",\"gpu_count\":1,\"prompt_tokens\":1000,\"output_tokens\":" \
	"300,\"concurrency\":\"max\"}"

/* POST reads the request from its body; GET reads its scalars from query parameters, members of objects by dotted
 * names. Neither stores anything. `parts`: the query parameters of POST; NULL: none. */
#define ESTIMATE(NAME, name, title, is_heavy, limit, media, parts, body, query_) \
	[ROUTE_##NAME##_ESTIMATE] = {.id = ROUTE_##NAME##_ESTIMATE, \
		.method = "POST", \
		.path = PATH_##NAME, \
		.operation = "estimate_" #name, \
		.tag = "Estimates", \
		.summary = "Estimate " title, \
		.doc = "Computes an answer and stores nothing.", \
		.role = ROLE_VIEWER, \
		.heavy = (is_heavy), \
		.prefers = PREFERS_ASYNC | PREFERS_WAIT, \
		.streamed = (limit) == ROUTE_BODY_TRACE_BYTES, \
		.body_maximum_bytes = (limit), \
		.body_media = JSON_BODY, \
		.answer_media = (media), \
		.query = (parts), \
		.request = &table_##name##_request, \
		.response = &table_##name##_estimate, \
		.success = 200, \
		.failures = FAILS_INVALID | FAILS_BODY, \
		.example_body = (body)}, \
	[ROUTE_##NAME##_ESTIMATE_GET] = {.id = ROUTE_##NAME##_ESTIMATE_GET, \
		.method = "GET", \
		.path = PATH_##NAME, \
		.operation = "estimate_" #name "_by_query", \
		.tag = "Estimates", \
		.summary = "Estimate " title " from query parameters", \
		.doc = "The request's scalar fields are query parameters, so that a person can type them; members of objects have dotted names (`slo.ttft_ms=500`).", \
		.role = ROLE_VIEWER, \
		.heavy = (is_heavy), \
		.prefers = PREFERS_ASYNC | PREFERS_WAIT, \
		.answer_media = (media), \
		.query = &table_##name##_request, \
		.response = &table_##name##_estimate, \
		.success = 200, \
		.failures = FAILS_INVALID, \
		.example_query = (query_)}

#define PATH_TRAINING    "/v1/estimates/training"
#define PATH_INFERENCE   "/v1/estimates/inference"
#define PATH_PERFORMANCE "/v1/estimates/inference/performance"
#define PATH_MEMORY      "/v1/estimates/memory"
#define PATH_SCALING     "/v1/estimates/scaling"
#define PATH_CARBON      "/v1/estimates/carbon"

#define PLAN_CREATE(NAME, name, title, limit, body) \
	[ROUTE_##NAME##_PLAN_CREATE] = {.id = ROUTE_##NAME##_PLAN_CREATE, \
		.method = "POST", \
		.path = "/v1/plans/" #name, \
		.operation = "create_" #name "_plan", \
		.tag = "Plans", \
		.summary = "Plan " title " and store it", \
		.doc = "The body is that of the estimate. The plan is on disk before the response.", \
		.role = ROLE_PLANNER, \
		.heavy = true, \
		.creates = true, \
		.tagged = true, \
		.prefers = PREFERS_ASYNC | PREFERS_WAIT, \
		.streamed = (limit) == ROUTE_BODY_TRACE_BYTES, \
		.body_maximum_bytes = (limit), \
		.body_media = JSON_BODY, \
		.answer_media = AS_PLAN, \
		.query = &table_expand_query, \
		.request = &table_##name##_request, \
		.response = &table_##name##_plan, \
		.success = 201, \
		.failures = FAILS_INVALID | FAILS_BODY | FAILS_CONFLICT | FAILS_FULL, \
		.example_body = (body)}

/* A kind of catalogue row: six endpoints. */
#define CATALOGUE_ROWS(NAME, name, names, a_row, body, patch, id_) \
	[ROUTE_##NAME##_LIST] = {.id = ROUTE_##NAME##_LIST, \
		.method = "GET", \
		.path = "/v1/" names, \
		.operation = "list_" #name "s", \
		.tag = "Catalogue", \
		.summary = "List " names, \
		.doc = "Ordered by id.", \
		.role = ROLE_VIEWER, \
		.tagged = true, \
		.answer_media = AS_LIST, \
		.query = &table_##name##_query, \
		.response = &table_##name, \
		.list = true, \
		.success = 200, \
		.failures = FAILS_INVALID, \
		.example_query = "limit=2"}, \
	[ROUTE_##NAME##_CREATE] = {.id = ROUTE_##NAME##_CREATE, \
		.method = "POST", \
		.path = "/v1/" names, \
		.operation = "create_" #name, \
		.tag = "Catalogue", \
		.summary = "Add " a_row, \
		.doc = "The row's origin is `user`.", \
		.role = ROLE_ADMIN, \
		.creates = true, \
		.tagged = true, \
		.body_maximum_bytes = ROUTE_BODY_BYTES, \
		.body_media = JSON_BODY, \
		.answer_media = AS_JSON, \
		.request = &table_##name, \
		.response = &table_##name, \
		.success = 201, \
		.failures = FAILS_INVALID | FAILS_BODY | FAILS_CONFLICT | FAILS_FULL, \
		.example_body = (body)}, \
	[ROUTE_##NAME##_GET] = {.id = ROUTE_##NAME##_GET, \
		.method = "GET", \
		.path = "/v1/" names "/{id}", \
		.operation = "get_" #name, \
		.tag = "Catalogue", \
		.summary = "Get " a_row, \
		.doc = "By id or alias.", \
		.role = ROLE_VIEWER, \
		.inline_ = true, \
		.tagged = true, \
		.answer_media = AS_JSON, \
		.query = &table_catalogue_row_query, \
		.response = &table_##name, \
		.success = 200, \
		.failures = FAILS_NOT_FOUND | FAILS_INVALID, \
		.example_parameter = (id_)}, \
	[ROUTE_##NAME##_PUT] = {.id = ROUTE_##NAME##_PUT, \
		.method = "PUT", \
		.path = "/v1/" names "/{id}", \
		.operation = "put_" #name, \
		.tag = "Catalogue", \
		.summary = "Replace " a_row, \
		.doc = "Creates the row if the id is new. The previous row is kept for `as_of`.", \
		.role = ROLE_ADMIN, \
		.conditional = true, \
		.tagged = true, \
		.body_maximum_bytes = ROUTE_BODY_BYTES, \
		.body_media = JSON_BODY, \
		.answer_media = AS_JSON, \
		.request = &table_##name, \
		.response = &table_##name, \
		.success = 200, \
		.failures = FAILS_INVALID | FAILS_BODY | FAILS_CONFLICT | FAILS_PRECONDITION | FAILS_FULL, \
		.example_body = (body), \
		.example_parameter = (id_)}, \
	[ROUTE_##NAME##_PATCH] = {.id = ROUTE_##NAME##_PATCH, \
		.method = "PATCH", \
		.path = "/v1/" names "/{id}", \
		.operation = "patch_" #name, \
		.tag = "Catalogue", \
		.summary = "Change " a_row, \
		.doc = "RFC 7396: null removes a field. The previous row is kept for `as_of`.", \
		.role = ROLE_ADMIN, \
		.conditional = true, \
		.tagged = true, \
		.body_maximum_bytes = ROUTE_BODY_BYTES, \
		.body_media = PATCH_BODY, \
		.answer_media = AS_JSON, \
		.request = &table_##name, \
		.response = &table_##name, \
		.success = 200, \
		.failures = FAILS_NOT_FOUND | FAILS_INVALID | FAILS_BODY | FAILS_CONFLICT | FAILS_PRECONDITION | FAILS_FULL, \
		.example_body = (patch), \
		.example_parameter = (id_)}, \
	[ROUTE_##NAME##_DELETE] = {.id = ROUTE_##NAME##_DELETE, \
		.method = "DELETE", \
		.path = "/v1/" names "/{id}", \
		.operation = "delete_" #name, \
		.tag = "Catalogue", \
		.summary = "Remove " a_row, \
		.doc = "The row ends now; `as_of` still finds it.", \
		.role = ROLE_ADMIN, \
		.conditional = true, \
		.answer_media = AS_JSON, \
		.success = 204, \
		.failures = FAILS_NOT_FOUND | FAILS_PRECONDITION | FAILS_CONFLICT | FAILS_FULL, \
		.example_parameter = (id_)}

#define EXAMPLE_ACCELERATOR \
	"{\"id\":\"example-accelerator\",\"vendor\":\"example\",\"name\":\"Example " \
	"96GB\",\"memory_gb\":96,\"memory_bandwidth_gbs\":4000," \
	"\"tflops_bf16\":800,\"tdp_w\":600,\"source\":\"an example\"}"
#define EXAMPLE_MODEL "{\"id\":\"example-model\",\"params_total\":\"7B\",\"source\":\"an example\"}"
#define EXAMPLE_PRICE \
	"{\"id\":\"example.price\",\"provider\":\"example\",\"instance_type\":\"x8\",\"region\":\"nowhere-1\"," \
	"\"accelerator_id\":\"h100-sxm5-80gb\",\"gpus\":8," \
	"\"price_usd_per_hour\":20,\"pricing_model\":\"on_demand\",\"as_of\":\"2026-11-01\",\"source\":\"an example\"}"
#define EXAMPLE_REGION \
	"{\"id\":\"example.nowhere-1\",\"provider\":\"example\",\"region_id\":\"nowhere-1\",\"grid_gco2e_per_kwh\":100," \
	"\"pue\":1.2,\"source\":\"an example\"}"
#define EXAMPLE_UUID       "01939e5c-7d00-7000-8000-000000000000"
#define EXAMPLE_OTHER_UUID "01939e5c-7d00-7000-8000-000000000001"

#define EXAMPLE_TIMINGS \
	"{\"timings\":{\"step_time_ms\":1000,\"compute_ms\":560,\"optimizer_ms\":40,\"communication_ms\":220," \
	"\"exposed_communication_ms\":160,\"data_wait_ms\":120,\"launch_gap_ms\":60},\"steps_remaining\":100000}"

#endif
