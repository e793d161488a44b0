#include "validation/serving_cases.h"

#include <jansson.h>
#include <math.h>

#include "planner/serving/engine_rules.h"

enum { LINE_MAX_BYTES = 1 << 16, CATALOGUE_MAX_BYTES = 256 << 20, NODE_GPUS = 8 };

static struct serving_case items[SERVING_CASES_MAX];

void serving_stop(const char *what, const char *which)
{
	fprintf(stderr, "validate_inference: %s: %s\n", what, which);
	exit(2);
}

const char *serving_quantity_name(enum quantity quantity)
{
	static const char *const names[QUANTITY_COUNT] = {"throughput", "TPOT", "TTFT"};

	return names[quantity];
}

const char *run_kind_name(enum run_kind run)
{
	static const char *const names[RUN_KIND_COUNT] = {"saturation", "concurrency", "arrival rate", "static batch"};

	return names[run];
}

static double number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : ABSENT_NUMBER;
}

static int64_t count_of(const json_t *object, const char *key)
{
	double number = number_of(object, key);

	return is_given(number) ? (int64_t)number : ABSENT_COUNT;
}

static enum precision precision_of(const json_t *object, const char *key)
{
	const char *word = json_string_value(json_object_get(object, key));

	for (int i = 1; word && i < PRECISION_COUNT; i++)
		if (strcmp(precision_name((enum precision)i), word) == 0)
			return (enum precision)i;
	if (word)
		serving_stop("unknown precision", word);
	return PRECISION_UNSET;
}

static enum engine engine_of(const json_t *object)
{
	const char *word = json_string_value(json_object_get(object, "engine"));

	for (int i = 1; word && i < ENGINE_COUNT; i++)
		if (strcmp(engine_rules_of((enum engine)i)->name, word) == 0)
			return (enum engine)i;
	if (word)
		serving_stop("unknown engine", word);
	return ENGINE_UNSET;
}

static struct token_distribution tokens_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	struct token_distribution tokens = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, {NULL, 0}};

	if (json_is_number(value)) {
		tokens.mean = json_number_value(value);
	} else {
		tokens.mean = number_of(value, "mean");
		tokens.cv = number_of(value, "cv");
	}
	return tokens;
}

void serving_request_clear(struct performance_request *request)
{
	static const struct token_distribution no_tokens = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, {NULL, 0}};

	memset(request, 0, sizeof *request);
	request->common.gpu_count = ABSENT_COUNT;
	request->parallelism = (struct serving_parallelism){.tensor = ABSENT_COUNT, .pipeline = ABSENT_COUNT, .expert = ABSENT_COUNT,
		.attention_data = ABSENT_COUNT, .max_batch = ABSENT_COUNT, .chunk_tokens = ABSENT_COUNT};
	request->prompt_tokens = request->output_tokens = no_tokens;
	request->concurrency = request->requests_per_s = ABSENT_NUMBER;
	request->requests = ABSENT_COUNT;
}

static void request_read(const json_t *object, struct performance_request *request)
{
	const json_t *layout = json_object_get(object, "parallelism"),
				 *concurrency = json_object_get(object, "concurrency");

	serving_request_clear(request);
	request->common.precision = precision_of(object, "precision");
	request->common.gpu_count = count_of(object, "gpu_count");
	request->kv_precision = precision_of(object, "kv_precision");
	request->engine = engine_of(object);
	request->engine_release = json_string_value(json_object_get(object, "engine_release"));
	request->parallelism.tensor = count_of(layout, "tensor");
	request->parallelism.pipeline = count_of(layout, "pipeline");
	request->parallelism.expert = count_of(layout, "expert");
	request->parallelism.attention_data = count_of(layout, "attention_data");
	request->prompt_tokens = tokens_of(object, "prompt_tokens");
	request->output_tokens = tokens_of(object, "output_tokens");
	request->concurrency = json_is_string(concurrency) ? CONCURRENCY_MAX : number_of(object, "concurrency");
	request->requests_per_s = number_of(object, "requests_per_s");
	request->requests = count_of(object, "requests");
	request->static_batch = json_is_true(json_object_get(object, "static_batch")) ? TRUTH_TRUE : TRUTH_UNSET;
}

static enum run_kind run_of(const struct performance_request *request)
{
	if (request->static_batch == TRUTH_TRUE)
		return RUN_STATIC_BATCH;
	if (is_given(request->requests_per_s))
		return RUN_ARRIVALS;
	return request->concurrency < 0 ? RUN_SATURATION : RUN_CLOSED_LOOP;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (!text)
		serving_stop("a case has no", key);
	return text;
}

static enum quantity quantity_of(const char *key, bool *per_gpu)
{
	*per_gpu = strcmp(key, "output_tokens_per_s_per_gpu") == 0;
	if (strcmp(key, "tpot_ms") == 0)
		return QUANTITY_TPOT;
	if (strcmp(key, "ttft_ms") == 0)
		return QUANTITY_TTFT;
	if (!*per_gpu && strcmp(key, "output_tokens_per_s") != 0)
		serving_stop("unknown expectation", key);
	return QUANTITY_THROUGHPUT;
}

struct catalogue *serving_catalogue(void)
{
	static struct arena arena;
	static struct failure failure;
	struct catalogue_rows builtin;
	struct catalogue *catalogue;

	arena_init(&arena, CATALOGUE_MAX_BYTES);
	failure_clear(&failure);
	if (builtin_rows_read(&arena, &builtin, &failure) != STATUS_OK)
		serving_stop("built-in data", failure.detail);
	catalogue = catalogue_new(&arena, &builtin, 1, 1, 0, &failure);
	if (!catalogue)
		serving_stop("catalogue", failure.detail);
	return catalogue;
}

const struct model *serving_model(const struct catalogue *catalogue, const char *name)
{
	const char *alias;
	const struct model_row *row = catalogue_model(catalogue, name, &alias);

	if (!row)
		serving_stop("not in the catalogue", name);
	return &row->model;
}

void serving_candidate(const struct catalogue *catalogue, const char *accelerator, struct candidate *candidate)
{
	const char *alias;
	const struct accelerator_row *row = catalogue_accelerator(catalogue, accelerator, &alias);

	if (!row)
		serving_stop("not in the catalogue", accelerator);
	*candidate = (struct candidate){.accelerator = row->accelerator, .gpus_per_node = NODE_GPUS,
		.calibration = {.id = NULL}};
}

struct serving_case *serving_case_add(
	struct serving_cases *cases, const struct catalogue *catalogue, const char *model, const char *accelerator)
{
	struct serving_case *item = &items[cases->count];

	if (cases->count++ >= SERVING_CASES_MAX)
		serving_stop("too many cases", "SERVING_CASES_MAX");
	snprintf(item->model, sizeof item->model, "%s", model);
	snprintf(item->accelerator, sizeof item->accelerator, "%s", accelerator);
	serving_candidate(catalogue, accelerator, &item->candidate);
	item->input.model = *serving_model(catalogue, model);
	item->input.candidate = &item->candidate;
	return item;
}

/* One case for each figure that the row observed. */
static void row_add(const json_t *row, const struct catalogue *catalogue, struct serving_cases *cases)
{
	const json_t *object = json_object_get(row, "request");
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(row, "expect"), key, value) {
		struct serving_case *item =
			serving_case_add(cases, catalogue, text_of(object, "model"), text_of(object, "accelerator"));

		snprintf(item->id, sizeof item->id, "%s", text_of(row, "id"));
		snprintf(item->suite, sizeof item->suite, "%s", text_of(row, "suite"));
		item->quantity = quantity_of(key, &item->per_gpu);
		item->observed = json_number_value(value);
		request_read(object, &item->input.request);
		if (item->input.request.engine_release)
			item->input.request.engine_release = strdup(item->input.request.engine_release); /* outlives its row */
		item->run = run_of(&item->input.request);
	}
}

void serving_cases_load(const char *path, const struct catalogue *catalogue, struct serving_cases *cases)
{
	static char line[LINE_MAX_BYTES];
	FILE *file = fopen(path, "r");
	json_error_t error;

	if (!file)
		serving_stop("cannot be read", path);
	*cases = (struct serving_cases){.items = items};
	while (fgets(line, sizeof line, file)) {
		json_t *row = json_loads(line, 0, &error);

		if (!row)
			serving_stop(error.text, path);
		if (strcmp(text_of(row, "trust"), "C") != 0)
			row_add(row, catalogue, cases);
		json_decref(row);
	}
	fclose(file);
}

static double predicted_of(const struct serving_case *item, const struct performance *performance, struct interval *interval)
{
	double scale = item->per_gpu ? performance->output_tokens_per_s_per_gpu / performance->output_tokens_per_s : 1;

	switch (item->quantity) {
	case QUANTITY_TPOT:
		*interval = performance->interval.tpot_ms;
		return performance->tpot_ms;
	case QUANTITY_TTFT:
		*interval = performance->interval.ttft_ms;
		return performance->ttft_ms;
	case QUANTITY_THROUGHPUT:
	case QUANTITY_COUNT:
		break;
	}
	*interval = performance->interval.output_tokens_per_s;
	interval->p10 *= scale;
	interval->p90 *= scale;
	return performance->output_tokens_per_s * scale;
}

void serving_predict(struct serving_case *item, const struct serving_constants *constants, bool enforce_memory,
	struct serving_prediction *prediction)
{
	static struct performance performance;
	static struct failure failure;

	item->input.request.common.enforce_memory = enforce_memory ? TRUTH_UNSET : TRUTH_FALSE;
	failure_clear(&failure);
	findings_clear(&performance.findings);
	*prediction = (struct serving_prediction){.value = ABSENT_NUMBER};
	prediction->refused = performance_estimate(&item->input, constants, &performance, &prediction->point, &failure) != STATUS_OK;
	if (!prediction->refused)
		prediction->value = predicted_of(item, &performance, &prediction->interval);
}
