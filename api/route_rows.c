/* The endpoints. Order is the enum's; every row has an example, which a test executes. */
#include "api/routes.h"

#define JSON_BODY  MEDIA_BIT(MEDIA_JSON)
#define PATCH_BODY (MEDIA_BIT(MEDIA_MERGE_PATCH) | MEDIA_BIT(MEDIA_JSON))
#define AS_JSON    MEDIA_BIT(MEDIA_JSON)
#define AS_LIST    (MEDIA_BIT(MEDIA_JSON) | MEDIA_BIT(MEDIA_CSV))
#define AS_PLAN    (MEDIA_BIT(MEDIA_JSON) | MEDIA_BIT(MEDIA_CSV) | MEDIA_BIT(MEDIA_MARKDOWN))

/* The two plans that scripts/quickstart.sh prints. */
#define EXAMPLE_TRAINING                                                                                               \
	"{\"model\":\"llama-3.1-8b\",\"tokens\":\"15T\",\"accelerator\":\"h100\",\"deadline_hours\":\"30d\"}"
#define EXAMPLE_INFERENCE                                                                                              \
	"{\"model\":\"llama-3.1-70b\",\"precision\":\"fp8\",\"engine\":\"vllm\",\"accelerator\":\"h100\",\"queries_per_"   \
	"minute\":600,"                                                                                                    \
	"\"prompt_tokens\":1000,\"output_tokens\":300,\"slo\":{\"ttft_ms\":2000,\"tpot_ms\":60}}"
#define EXAMPLE_PERFORMANCE                                                                                            \
	"{\"model\":\"llama-3.1-8b\",\"accelerator\":\"h100\",\"gpu_count\":1,\"prompt_tokens\":1000,\"output_tokens\":"   \
	"300,\"concurrency\":\"max\"}"

/* POST computes a body; GET takes its top-level scalars as query parameters. Neither keeps anything. */
#define ESTIMATE(NAME, name, title, limit, media, body, query_)                                                        \
	[ROUTE_##NAME##_ESTIMATE] = {.id = ROUTE_##NAME##_ESTIMATE,                                                        \
		.method = "POST",                                                                                              \
		.path = PATH_##NAME,                                                                                           \
		.operation = "estimate_" #name,                                                                                \
		.tag = "Estimates",                                                                                            \
		.summary = "Estimate " title,                                                                                  \
		.doc = "Computes and keeps nothing.",                                                                          \
		.role = ROLE_VIEWER,                                                                                           \
		.streamed = (limit) == ROUTE_BODY_TRACE_BYTES,                                                                 \
		.body_maximum_bytes = (limit),                                                                                 \
		.body_media = JSON_BODY,                                                                                       \
		.answer_media = (media),                                                                                       \
		.request = &table_##name##_request,                                                                            \
		.response = &table_##name##_estimate,                                                                          \
		.success = 200,                                                                                                \
		.failures = FAILS_INVALID | FAILS_BODY,                                                                        \
		.example_body = (body)},                                                                                       \
	[ROUTE_##NAME##_ESTIMATE_GET] = {.id = ROUTE_##NAME##_ESTIMATE_GET,                                                \
		.method = "GET",                                                                                               \
		.path = PATH_##NAME,                                                                                           \
		.operation = "estimate_" #name "_by_query",                                                                    \
		.tag = "Estimates",                                                                                            \
		.summary = "Estimate " title " from query parameters",                                                         \
		.doc = "The request's top-level scalar fields as query parameters, so that a person can type it.",             \
		.role = ROLE_VIEWER,                                                                                           \
		.answer_media = (media),                                                                                       \
		.query = &table_##name##_request,                                                                              \
		.response = &table_##name##_estimate,                                                                          \
		.success = 200,                                                                                                \
		.failures = FAILS_INVALID,                                                                                     \
		.example_query = (query_)}

#define PATH_TRAINING    "/v1/estimates/training"
#define PATH_INFERENCE   "/v1/estimates/inference"
#define PATH_PERFORMANCE "/v1/estimates/inference/performance"
#define PATH_MEMORY      "/v1/estimates/memory"
#define PATH_SCALING     "/v1/estimates/scaling"
#define PATH_CARBON      "/v1/estimates/carbon"

#define PLAN_CREATE(NAME, name, title, limit, body)                                                                    \
	[ROUTE_##NAME##_PLAN_CREATE] = {.id = ROUTE_##NAME##_PLAN_CREATE,                                                  \
		.method = "POST",                                                                                              \
		.path = "/v1/plans/" #name,                                                                                    \
		.operation = "create_" #name "_plan",                                                                          \
		.tag = "Plans",                                                                                                \
		.summary = "Plan " title " and keep it",                                                                       \
		.doc = "The same body as the estimate's; the plan is on disk before it is answered.",                          \
		.role = ROLE_PLANNER,                                                                                          \
		.creates = true,                                                                                               \
		.tagged = true,                                                                                                \
		.streamed = (limit) == ROUTE_BODY_TRACE_BYTES,                                                                 \
		.body_maximum_bytes = (limit),                                                                                 \
		.body_media = JSON_BODY,                                                                                       \
		.answer_media = AS_PLAN,                                                                                       \
		.request = &table_##name##_request,                                                                            \
		.response = &table_##name##_plan,                                                                              \
		.success = 201,                                                                                                \
		.failures = FAILS_INVALID | FAILS_BODY | FAILS_CONFLICT | FAILS_FULL,                                          \
		.example_body = (body)}

/* A kind of catalogue row: six endpoints. */
#define CATALOGUE_ROWS(NAME, name, names, a_row, body, patch, id_)                                                     \
	[ROUTE_##NAME##_LIST] = {.id = ROUTE_##NAME##_LIST,                                                                \
		.method = "GET",                                                                                               \
		.path = "/v1/" names,                                                                                          \
		.operation = "list_" #name "s",                                                                                \
		.tag = "Catalogue",                                                                                            \
		.summary = "List " names,                                                                                      \
		.doc = "Ordered by id.",                                                                                       \
		.role = ROLE_VIEWER,                                                                                           \
		.inline_ = true,                                                                                               \
		.tagged = true,                                                                                                \
		.answer_media = AS_LIST,                                                                                       \
		.query = &table_##name##_query,                                                                                \
		.response = &table_##name,                                                                                     \
		.list = true,                                                                                                  \
		.success = 200,                                                                                                \
		.failures = FAILS_INVALID,                                                                                     \
		.example_query = "limit=2"},                                                                                   \
	[ROUTE_##NAME##_CREATE] = {.id = ROUTE_##NAME##_CREATE,                                                            \
		.method = "POST",                                                                                              \
		.path = "/v1/" names,                                                                                          \
		.operation = "create_" #name,                                                                                  \
		.tag = "Catalogue",                                                                                            \
		.summary = "Add " a_row,                                                                                       \
		.doc = "The row's origin is `user`.",                                                                          \
		.role = ROLE_ADMIN,                                                                                            \
		.creates = true,                                                                                               \
		.tagged = true,                                                                                                \
		.body_maximum_bytes = ROUTE_BODY_BYTES,                                                                        \
		.body_media = JSON_BODY,                                                                                       \
		.answer_media = AS_JSON,                                                                                       \
		.request = &table_##name,                                                                                      \
		.response = &table_##name,                                                                                     \
		.success = 201,                                                                                                \
		.failures = FAILS_INVALID | FAILS_BODY | FAILS_CONFLICT | FAILS_FULL,                                          \
		.example_body = (body)},                                                                                       \
	[ROUTE_##NAME##_GET] = {.id = ROUTE_##NAME##_GET,                                                                  \
		.method = "GET",                                                                                               \
		.path = "/v1/" names "/{id}",                                                                                  \
		.operation = "get_" #name,                                                                                     \
		.tag = "Catalogue",                                                                                            \
		.summary = "Get " a_row,                                                                                       \
		.doc = "By id or alias.",                                                                                      \
		.role = ROLE_VIEWER,                                                                                           \
		.inline_ = true,                                                                                               \
		.tagged = true,                                                                                                \
		.answer_media = AS_JSON,                                                                                       \
		.query = &table_catalogue_row_query,                                                                           \
		.response = &table_##name,                                                                                     \
		.success = 200,                                                                                                \
		.failures = FAILS_NOT_FOUND | FAILS_INVALID,                                                                   \
		.example_parameter = (id_)},                                                                                   \
	[ROUTE_##NAME##_PUT] = {.id = ROUTE_##NAME##_PUT,                                                                  \
		.method = "PUT",                                                                                               \
		.path = "/v1/" names "/{id}",                                                                                  \
		.operation = "put_" #name,                                                                                     \
		.tag = "Catalogue",                                                                                            \
		.summary = "Replace " a_row,                                                                                   \
		.doc = "Made when there is none of this id. The row before is kept for `as_of`.",                              \
		.role = ROLE_ADMIN,                                                                                            \
		.conditional = true,                                                                                           \
		.tagged = true,                                                                                                \
		.body_maximum_bytes = ROUTE_BODY_BYTES,                                                                        \
		.body_media = JSON_BODY,                                                                                       \
		.answer_media = AS_JSON,                                                                                       \
		.request = &table_##name,                                                                                      \
		.response = &table_##name,                                                                                     \
		.success = 200,                                                                                                \
		.failures = FAILS_INVALID | FAILS_BODY | FAILS_CONFLICT | FAILS_PRECONDITION | FAILS_FULL,                     \
		.example_body = (body),                                                                                        \
		.example_parameter = (id_)},                                                                                   \
	[ROUTE_##NAME##_PATCH] = {.id = ROUTE_##NAME##_PATCH,                                                              \
		.method = "PATCH",                                                                                             \
		.path = "/v1/" names "/{id}",                                                                                  \
		.operation = "patch_" #name,                                                                                   \
		.tag = "Catalogue",                                                                                            \
		.summary = "Change " a_row,                                                                                    \
		.doc = "RFC 7396: null removes a field. The row before is kept for `as_of`.",                                  \
		.role = ROLE_ADMIN,                                                                                            \
		.conditional = true,                                                                                           \
		.tagged = true,                                                                                                \
		.body_maximum_bytes = ROUTE_BODY_BYTES,                                                                        \
		.body_media = PATCH_BODY,                                                                                      \
		.answer_media = AS_JSON,                                                                                       \
		.request = &table_##name,                                                                                      \
		.response = &table_##name,                                                                                     \
		.success = 200,                                                                                                \
		.failures = FAILS_NOT_FOUND | FAILS_INVALID | FAILS_BODY | FAILS_CONFLICT | FAILS_PRECONDITION | FAILS_FULL,   \
		.example_body = (patch),                                                                                       \
		.example_parameter = (id_)},                                                                                   \
	[ROUTE_##NAME##_DELETE] = {.id = ROUTE_##NAME##_DELETE,                                                            \
		.method = "DELETE",                                                                                            \
		.path = "/v1/" names "/{id}",                                                                                  \
		.operation = "delete_" #name,                                                                                  \
		.tag = "Catalogue",                                                                                            \
		.summary = "Remove " a_row,                                                                                    \
		.doc = "It ends now; `as_of` still finds it.",                                                                 \
		.role = ROLE_ADMIN,                                                                                            \
		.conditional = true,                                                                                           \
		.answer_media = AS_JSON,                                                                                       \
		.success = 204,                                                                                                \
		.failures = FAILS_NOT_FOUND | FAILS_PRECONDITION | FAILS_CONFLICT | FAILS_FULL,                                \
		.example_parameter = (id_)}

#define EXAMPLE_ACCELERATOR                                                                                            \
	"{\"id\":\"example-accelerator\",\"vendor\":\"example\",\"name\":\"Example "                                       \
	"96GB\",\"memory_gb\":96,\"memory_bandwidth_gbs\":4000,"                                                           \
	"\"tflops_bf16\":800,\"tdp_w\":600,\"source\":\"an example\"}"
#define EXAMPLE_MODEL "{\"id\":\"example-model\",\"params_total\":\"7B\",\"source\":\"an example\"}"
#define EXAMPLE_PRICE                                                                                                  \
	"{\"id\":\"example.price\",\"provider\":\"example\",\"instance_type\":\"x8\",\"region\":\"nowhere-1\","            \
	"\"accelerator_id\":\"h100-sxm5-80gb\",\"gpus\":8,"                                                                \
	"\"price_usd_per_hour\":20,\"pricing_model\":\"on_demand\",\"as_of\":\"2026-11-01\",\"source\":\"an example\"}"
#define EXAMPLE_REGION                                                                                                 \
	"{\"id\":\"example.nowhere-1\",\"provider\":\"example\",\"region_id\":\"nowhere-1\",\"grid_gco2e_per_kwh\":100,"   \
	"\"pue\":1.2,\"source\":\"an example\"}"
#define EXAMPLE_UUID       "01939e5c-7d00-7000-8000-000000000000"
#define EXAMPLE_OTHER_UUID "01939e5c-7d00-7000-8000-000000000001"

#define EXAMPLE_TIMINGS                                                                                                \
	"{\"timings\":{\"step_time_ms\":1000,\"compute_ms\":560,\"optimizer_ms\":40,\"communication_ms\":220,"               \
	"\"exposed_communication_ms\":160,\"data_wait_ms\":120,\"launch_gap_ms\":60},\"steps_remaining\":100000}"
#define TRACE_SCHEMA                                                                                                   \
	"{\"description\":\"A trace as torch.profiler's export_chrome_trace writes it: an object with traceEvents, or the "    \
	"bare list.\",\"anyOf\":[{\"type\":\"object\",\"required\":[\"traceEvents\"],\"properties\":{\"traceEvents\":"        \
	"{\"type\":\"array\",\"items\":{\"type\":\"object\"}}}},{\"type\":\"array\",\"items\":{\"type\":\"object\"}}]}"

static const struct route_example diagnosis_examples[] = {
	{"training_log",
		"{\"training_log\":{\"step\":[100,200,300,400,500,600,700,800,900,1000],"
		"\"loss\":[5.0,4.1,3.72,3.5,3.34,3.22,3.13,3.06,3.0,2.95],\"validation_step\":[250,500,750,1000],"
		"\"validation_loss\":[3.9,3.5,3.3,3.15]},\"steps_planned\":5000,\"usd_per_step\":0.5,\"usd_per_percent_max\":100}"},
	{"trace",
		"{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#10\",\"ts\":1000,\"dur\":1000},"
		"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"ts\":1010,\"dur\":90},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"sm90_xmma_gemm_bf16\",\"ts\":1100,\"dur\":600,\"args\":{\"device\":0,\"stream\":7}},"
		"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_bf16_RING_LL\",\"ts\":1500,\"dur\":400,"
		"\"args\":{\"device\":0,\"stream\":20}}]}"},
	{NULL, NULL},
};

const struct route routes[ROUTE_COUNT] = {
	ESTIMATE(TRAINING, training, "a training", ROUTE_BODY_BYTES, AS_PLAN, EXAMPLE_TRAINING,
		"model=llama-3.1-8b&tokens=15T&accelerator=h100&deadline_hours=30d"),
	ESTIMATE(INFERENCE, inference, "a service", ROUTE_BODY_TRACE_BYTES, AS_PLAN, EXAMPLE_INFERENCE,
		"model=llama-3.1-70b&precision=fp8&accelerator=h100&queries_per_minute=600&prompt_tokens=1000&output_tokens="
		"300"),
	ESTIMATE(PERFORMANCE, performance, "one replica's performance", ROUTE_BODY_BYTES, AS_JSON, EXAMPLE_PERFORMANCE,
		"model=llama-3.1-8b&accelerator=h100&prompt_tokens=1000&output_tokens=300&concurrency=64"),
	ESTIMATE(MEMORY, memory, "a model's memory", ROUTE_BODY_BYTES, AS_JSON,
		"{\"model\":\"llama-3.1-8b\",\"purpose\":\"training\",\"accelerator\":\"h100\",\"gpu_count\":8}",
		"model=llama-3.1-8b&purpose=inference&accelerator=h100"),
	ESTIMATE(SCALING, scaling, "what scaling laws say", ROUTE_BODY_BYTES, AS_JSON, "{\"params\":\"70B\",\"tokens\":\"1.4T\"}",
		"compute_flops=1e24"),
	ESTIMATE(CARBON, carbon, "energy, carbon and water", ROUTE_BODY_BYTES, AS_JSON,
		"{\"accelerator\":\"v100\",\"gpu_count\":10000,\"hours\":355,\"site\":{\"grid_gco2e_per_kwh\":429,\"pue\":1.1},"
		"\"published\":{\"energy_mwh\":1287}}",
		"accelerator=a100&gpu_count=384&hours=118d"),

	[ROUTE_DIAGNOSIS] = {.id = ROUTE_DIAGNOSIS,
		.method = "POST",
		.path = "/v1/diagnoses",
		.operation = "diagnose",
		.tag = "Estimates",
		.summary = "Diagnose a running training",
		.doc = "Measured timings of a step, a training log, or a profiler's trace as it is (up to 256 MiB after decompression, read "
			   "as a stream): `curl --data-binary @trace.json.gz -H 'Content-Type: application/json' -H 'Content-Encoding: gzip'`.",
		.role = ROLE_VIEWER,
		.streamed = true,
		.body_maximum_bytes = ROUTE_BODY_STREAM_BYTES,
		.body_media = JSON_BODY,
		.answer_media = AS_JSON,
		.query = &table_diagnosis_query,
		.request = &table_diagnosis_request,
		.response = &table_diagnosis,
		.success = 200,
		.failures = FAILS_INVALID | FAILS_BODY,
		.example_body = EXAMPLE_TIMINGS,
		.example_query = "gpu_count=8&usd_per_gpu_hour=2.5",
		.also = TRACE_SCHEMA,
		.more_examples = diagnosis_examples},

	PLAN_CREATE(TRAINING, training, "a training", ROUTE_BODY_BYTES, EXAMPLE_TRAINING),
	PLAN_CREATE(INFERENCE, inference, "a service", ROUTE_BODY_TRACE_BYTES, EXAMPLE_INFERENCE),
	[ROUTE_PLAN_LIST] = {.id = ROUTE_PLAN_LIST,
		.method = "GET",
		.path = "/v1/plans",
		.operation = "list_plans",
		.tag = "Plans",
		.summary = "List plans",
		.doc = "Newest first.",
		.role = ROLE_VIEWER,
		.answer_media = AS_LIST,
		.query = &table_plan_query,
		.response = &table_plan_summary,
		.list = true,
		.success = 200,
		.failures = FAILS_INVALID,
		.example_query = "limit=2&kind=training"},
	[ROUTE_PLAN_COMPARE] = {.id = ROUTE_PLAN_COMPARE,
		.method = "GET",
		.path = "/v1/plans/compare",
		.operation = "compare_plans",
		.tag = "Plans",
		.summary = "Compare plans",
		.doc = "The plans side by side, in the order asked for.",
		.role = ROLE_VIEWER,
		.answer_media = AS_LIST,
		.query = &table_compare_query,
		.response = &table_plan_comparison,
		.success = 200,
		.failures = FAILS_NOT_FOUND | FAILS_INVALID,
		.example_query = "ids=" EXAMPLE_UUID "," EXAMPLE_OTHER_UUID},
	[ROUTE_PLAN_GET] = {.id = ROUTE_PLAN_GET,
		.method = "GET",
		.path = "/v1/plans/{id}",
		.operation = "get_plan",
		.tag = "Plans",
		.summary = "Get a plan",
		.doc = "As JSON, its options as CSV, or a report as Markdown.",
		.role = ROLE_VIEWER,
		.inline_ = true,
		.tagged = true,
		.answer_media = AS_PLAN,
		.query = &table_plan_id_query,
		.response = &table_plan,
		.success = 200,
		.failures = FAILS_NOT_FOUND | FAILS_INVALID,
		.example_parameter = EXAMPLE_UUID},
	[ROUTE_PLAN_PATCH] = {.id = ROUTE_PLAN_PATCH,
		.method = "PATCH",
		.path = "/v1/plans/{id}",
		.operation = "patch_plan",
		.tag = "Plans",
		.summary = "Change a plan's name, labels or notes",
		.doc = "RFC 7396: null removes a field.",
		.role = ROLE_PLANNER,
		.conditional = true,
		.tagged = true,
		.body_maximum_bytes = ROUTE_BODY_SMALL_BYTES,
		.body_media = PATCH_BODY,
		.answer_media = AS_JSON,
		.request = &table_plan_patch,
		.response = &table_plan,
		.success = 200,
		.failures = FAILS_NOT_FOUND | FAILS_INVALID | FAILS_BODY | FAILS_PRECONDITION | FAILS_CONFLICT | FAILS_FULL,
		.example_body = "{\"name\":\"night run\",\"labels\":{\"team\":\"search\"}}",
		.example_parameter = EXAMPLE_UUID},
	[ROUTE_PLAN_DELETE] = {.id = ROUTE_PLAN_DELETE,
		.method = "DELETE",
		.path = "/v1/plans/{id}",
		.operation = "delete_plan",
		.tag = "Plans",
		.summary = "Delete a plan",
		.doc = "With every revision.",
		.role = ROLE_PLANNER,
		.conditional = true,
		.answer_media = AS_JSON,
		.success = 204,
		.failures = FAILS_NOT_FOUND | FAILS_PRECONDITION | FAILS_CONFLICT | FAILS_FULL,
		.example_parameter = EXAMPLE_UUID},
	[ROUTE_PLAN_REFRESH] = {.id = ROUTE_PLAN_REFRESH,
		.method = "POST",
		.path = "/v1/plans/{id}/refresh",
		.operation = "refresh_plan",
		.tag = "Plans",
		.summary = "Compute a plan anew",
		.doc = "With the present catalogue and calibrations; what was computed before is kept as a revision.",
		.role = ROLE_PLANNER,
		.conditional = true,
		.tagged = true,
		.answer_media = AS_JSON,
		.response = &table_plan,
		.success = 200,
		.failures = FAILS_NOT_FOUND | FAILS_INVALID | FAILS_PRECONDITION | FAILS_CONFLICT | FAILS_FULL,
		.example_parameter = EXAMPLE_UUID},
	[ROUTE_PLAN_REVISIONS] = {.id = ROUTE_PLAN_REVISIONS,
		.method = "GET",
		.path = "/v1/plans/{id}/revisions",
		.operation = "list_plan_revisions",
		.tag = "Plans",
		.summary = "List a plan's computed revisions",
		.doc = "Newest first.",
		.role = ROLE_VIEWER,
		.answer_media = AS_LIST,
		.response = &table_plan_summary,
		.list = true,
		.success = 200,
		.failures = FAILS_NOT_FOUND,
		.example_parameter = EXAMPLE_UUID},

	CATALOGUE_ROWS(ACCELERATOR, accelerator, "accelerators", "an accelerator", EXAMPLE_ACCELERATOR,
		"{\"tdp_w\":550,\"notes\":null}", "example-accelerator"),
	CATALOGUE_ROWS(MODEL, model, "models", "a model", EXAMPLE_MODEL, "{\"params_total\":6.9e9,\"params_active\":6.9e9}", "example-model"),
	[ROUTE_MODEL_IMPORT] = {.id = ROUTE_MODEL_IMPORT,
		.method = "POST",
		.path = "/v1/models/import",
		.operation = "import_model",
		.tag = "Catalogue",
		.summary = "Import a model",
		.doc = "From a Hugging Face config.json, pasted or (where outgoing requests are configured) fetched.",
		.role = ROLE_ADMIN,
		.creates = true,
		.tagged = true,
		.body_maximum_bytes = ROUTE_BODY_BYTES,
		.body_media = JSON_BODY,
		.answer_media = AS_JSON,
		.request = &table_model_import,
		.response = &table_model,
		.success = 201,
		.failures = FAILS_INVALID | FAILS_BODY | FAILS_CONFLICT | FAILS_FULL,
		.example_body =
			"{\"id\":\"example-import\",\"source\":\"an "
			"example\",\"config\":{\"model_type\":\"llama\",\"hidden_size\":2048,\"intermediate_size\":5632,"
			"\"num_hidden_layers\":22,\"num_attention_heads\":32,\"num_key_value_heads\":4,\"vocab_size\":32000,\"max_"
			"position_embeddings\":2048}}"},
	CATALOGUE_ROWS(PRICE, price, "prices", "a price", EXAMPLE_PRICE, "{\"price_usd_per_hour\":22}", "example.price"),
	CATALOGUE_ROWS(REGION, region, "regions", "a region", EXAMPLE_REGION, "{\"pue\":1.15}", "example.nowhere-1"),
	[ROUTE_CATALOGUE] = {.id = ROUTE_CATALOGUE,
		.method = "GET",
		.path = "/v1/catalogue",
		.operation = "get_catalogue",
		.tag = "Catalogue",
		.summary = "Get the catalogue's revision",
		.doc = "Every plan records it.",
		.role = ROLE_VIEWER,
		.inline_ = true,
		.tagged = true,
		.answer_media = AS_JSON,
		.response = &table_catalogue_state,
		.success = 200},
	[ROUTE_OFFERS] = {.id = ROUTE_OFFERS,
		.method = "GET",
		.path = "/v1/offers",
		.operation = "list_offers",
		.tag = "Catalogue",
		.summary = "List the cheapest offers",
		.doc = "For an accelerator and a count, normalised to one accelerator and hour, cheapest first.",
		.role = ROLE_VIEWER,
		.inline_ = true,
		.answer_media = AS_LIST,
		.query = &table_offer_query,
		.response = &table_offer_quote,
		.list = true,
		.success = 200,
		.failures = FAILS_NOT_FOUND | FAILS_INVALID,
		.example_query = "accelerator=h100&gpu_count=8&limit=3"},

	[ROUTE_DEVICE_LIST] = {.id = ROUTE_DEVICE_LIST,
		.method = "GET",
		.path = "/v1/devices",
		.operation = "list_devices",
		.tag = "Benchmarks",
		.summary = "List attached accelerators",
		.doc = "On every node.",
		.role = ROLE_VIEWER,
		.answer_media = AS_LIST,
		.query = &table_page_query,
		.response = &table_device,
		.list = true,
		.success = 200,
		.failures = FAILS_INVALID},
	[ROUTE_BENCHMARK_LIST] = {.id = ROUTE_BENCHMARK_LIST,
		.method = "GET",
		.path = "/v1/benchmarks",
		.operation = "list_benchmarks",
		.tag = "Benchmarks",
		.summary = "List benchmarks",
		.doc = "Newest first.",
		.role = ROLE_VIEWER,
		.answer_media = AS_LIST,
		.query = &table_benchmark_query,
		.response = &table_benchmark,
		.list = true,
		.success = 200,
		.failures = FAILS_INVALID,
		.example_query = "state=succeeded"},
	[ROUTE_BENCHMARK_CREATE] = {.id = ROUTE_BENCHMARK_CREATE,
		.method = "POST",
		.path = "/v1/benchmarks",
		.operation = "create_benchmark",
		.tag = "Benchmarks",
		.summary = "Queue a benchmark",
		.doc = "Durably; a worker process runs it.",
		.role = ROLE_PLANNER,
		.creates = true,
		.tagged = true,
		.body_maximum_bytes = ROUTE_BODY_SMALL_BYTES,
		.body_media = JSON_BODY,
		.answer_media = AS_JSON,
		.request = &table_benchmark_request,
		.response = &table_benchmark,
		.success = 202,
		.failures = FAILS_INVALID | FAILS_BODY | FAILS_CONFLICT | FAILS_FULL,
		.example_body = "{\"suite\":\"quick\",\"timeout_s\":120}"},
	[ROUTE_BENCHMARK_GET] = {.id = ROUTE_BENCHMARK_GET,
		.method = "GET",
		.path = "/v1/benchmarks/{id}",
		.operation = "get_benchmark",
		.tag = "Benchmarks",
		.summary = "Get a benchmark",
		.doc = "With its result when it has one.",
		.role = ROLE_VIEWER,
		.tagged = true,
		.answer_media = AS_JSON,
		.response = &table_benchmark,
		.success = 200,
		.failures = FAILS_NOT_FOUND,
		.example_parameter = EXAMPLE_UUID},
	[ROUTE_BENCHMARK_CANCEL] = {.id = ROUTE_BENCHMARK_CANCEL,
		.method = "DELETE",
		.path = "/v1/benchmarks/{id}",
		.operation = "cancel_benchmark",
		.tag = "Benchmarks",
		.summary = "Cancel a benchmark",
		.doc = "One that runs is stopped within seconds.",
		.role = ROLE_PLANNER,
		.answer_media = AS_JSON,
		.response = &table_benchmark,
		.success = 202,
		.failures = FAILS_NOT_FOUND | FAILS_CONFLICT | FAILS_FULL,
		.example_parameter = EXAMPLE_UUID},
	[ROUTE_CALIBRATION_LIST] = {.id = ROUTE_CALIBRATION_LIST,
		.method = "GET",
		.path = "/v1/calibrations",
		.operation = "list_calibrations",
		.tag = "Benchmarks",
		.summary = "List calibrations",
		.doc = "Measured figures that correct plans.",
		.role = ROLE_VIEWER,
		.answer_media = AS_LIST,
		.query = &table_calibration_query,
		.response = &table_calibration,
		.list = true,
		.success = 200,
		.failures = FAILS_INVALID},
	[ROUTE_CALIBRATION_DELETE] = {.id = ROUTE_CALIBRATION_DELETE,
		.method = "DELETE",
		.path = "/v1/calibrations/{id}",
		.operation = "delete_calibration",
		.tag = "Benchmarks",
		.summary = "Remove a calibration",
		.doc = "Plans go by the datasheet again.",
		.role = ROLE_ADMIN,
		.answer_media = AS_JSON,
		.success = 204,
		.failures = FAILS_NOT_FOUND | FAILS_FULL,
		.example_parameter = "example-calibration"},

	[ROUTE_BACKUP_CREATE] = {.id = ROUTE_BACKUP_CREATE,
		.method = "POST",
		.path = "/v1/backups",
		.operation = "create_backup",
		.tag = "Service",
		.summary = "Make a backup",
		.doc = "Of the running database, into the configured folder.",
		.role = ROLE_ADMIN,
		.answer_media = AS_JSON,
		.response = &table_backup,
		.success = 201,
		.failures = FAILS_FULL | FAILS_CONFLICT},
	[ROUTE_LIVEZ] = {.id = ROUTE_LIVEZ,
		.method = "GET",
		.path = "/livez",
		.operation = "live",
		.tag = "Service",
		.summary = "Whether the process answers",
		.doc = "Does no I/O.",
		.role = ROLE_OPEN,
		.inline_ = true,
		.answer_media = AS_JSON,
		.response = &table_health,
		.success = 200},
	[ROUTE_READYZ] = {.id = ROUTE_READYZ,
		.method = "GET",
		.path = "/readyz",
		.operation = "ready",
		.tag = "Service",
		.summary = "Whether the service can do its work",
		.doc = "The database is writable and the daemon is not shutting down; else 503.",
		.role = ROLE_OPEN,
		.inline_ = true,
		.answer_media = AS_JSON,
		.response = &table_health,
		.success = 200},
	[ROUTE_METRICS] = {.id = ROUTE_METRICS,
		.method = "GET",
		.path = "/metrics",
		.operation = "metrics",
		.tag = "Service",
		.summary = "Metrics",
		.doc = "Prometheus text format.",
		.role = ROLE_VIEWER,
		.answer_media = MEDIA_BIT(MEDIA_METRICS),
		.success = 200},
	[ROUTE_VERSION] = {.id = ROUTE_VERSION,
		.method = "GET",
		.path = "/version",
		.operation = "version",
		.tag = "Service",
		.summary = "What is running",
		.doc = "Program, API and libraries.",
		.role = ROLE_OPEN,
		.inline_ = true,
		.answer_media = AS_JSON,
		.response = &table_version,
		.success = 200},
	[ROUTE_OPENAPI] = {.id = ROUTE_OPENAPI,
		.method = "GET",
		.path = "/openapi.json",
		.operation = "openapi",
		.tag = "Service",
		.summary = "This description",
		.doc = "OpenAPI 3.1.",
		.role = ROLE_OPEN,
		.inline_ = true,
		.tagged = true,
		.answer_media = AS_JSON,
		.success = 200},
	[ROUTE_DOCS] = {.id = ROUTE_DOCS,
		.method = "GET",
		.path = "/docs",
		.operation = "docs",
		.tag = "Service",
		.summary = "This description, for reading",
		.doc = "A page of our own; nothing is loaded from elsewhere.",
		.role = ROLE_OPEN,
		.inline_ = true,
		.answer_media = MEDIA_BIT(MEDIA_HTML),
		.success = 200},
	[ROUTE_DOCS_FILE] = {.id = ROUTE_DOCS_FILE,
		.method = "GET",
		.path = "/docs/{file}",
		.operation = "docs_file",
		.tag = "Service",
		.summary = "What that page is made of",
		.doc = "Style and script.",
		.role = ROLE_OPEN,
		.inline_ = true,
		.answer_media = MEDIA_BIT(MEDIA_CSS) | MEDIA_BIT(MEDIA_JAVASCRIPT),
		.success = 200,
		.failures = FAILS_NOT_FOUND,
		.example_parameter = "docs.css"},
};
