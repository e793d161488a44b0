#include "validation/serving_cases.h"

#include <jansson.h>
#include <math.h>

static struct serving_case items[SERVING_CASES_MAX];

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
		product_stop("a case has no", key);
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
		product_stop("a case expects an unknown figure", key);
	return QUANTITY_THROUGHPUT;
}

struct serving_case *serving_case_add(struct serving_cases *cases, const char *id, const char *suite, const char *request)
{
	struct serving_case *item = &items[cases->count];
	static struct failure failure;

	if (cases->count++ >= SERVING_CASES_MAX)
		product_stop("too many cases", "SERVING_CASES_MAX");
	*item = (struct serving_case){.role = suite_role_of(suite)};
	failure_clear(&failure);
	if (product_performance(request, &item->input, &failure) != STATUS_OK)
		product_stop(product_failure(&failure), id);
	snprintf(item->id, sizeof item->id, "%s", id);
	snprintf(item->suite, sizeof item->suite, "%s", suite);
	snprintf(item->model, sizeof item->model, "%s", item->input.request.common.model.id);
	snprintf(item->accelerator, sizeof item->accelerator, "%s", item->input.candidate->accelerator.id);
	item->run = run_of(&item->input.request);
	return item;
}

/* Exits on a member that a row may not have. This program does not read all members: some describe the sources of the
 * figures. */
static void check_members(json_t *row)
{
	static const char *const members[] = {
		"id", "suite", "trust", "request", "expect", "accelerator", "source", "notes", "engine_version", "split"};
	const char *key;
	json_t *value;

	json_object_foreach (row, key, value) {
		bool known = false;

		for (size_t i = 0; i < COUNT_OF(members); i++)
			known |= strcmp(members[i], key) == 0;
		if (!known)
			product_stop("a case has an unknown member", key);
	}
}

/* Adds one case for each observed figure of the row. */
static void read_row(const char *line, void *context)
{
	struct serving_cases *cases = context;
	json_t *row = json_loads(line, JSON_REJECT_DUPLICATES, NULL), *value;
	char *request = json_dumps(json_object_get(row, "request"), JSON_COMPACT);
	const char *key;

	if (!request)
		product_stop("a case is not JSON or has no request", line);
	check_members(row);
	json_object_foreach (json_object_get(row, "expect"), key, value) {
		struct serving_case *item;

		if (strcmp(text_of(row, "trust"), "C") == 0)
			break;
		item = serving_case_add(cases, text_of(row, "id"), text_of(row, "suite"), request);
		item->quantity = quantity_of(key, &item->per_gpu);
		item->away = json_object_get(row, "split") != NULL;
		item->observed = json_number_value(value);
	}
	free(request);
	json_decref(row);
}

void serving_cases_load(const char *folder, struct serving_cases *cases)
{
	*cases = (struct serving_cases){.items = items};
	suites_load(folder);
	suites_read_lines(folder, "inference*.jsonl", read_row, cases);
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

void serving_predict(
	struct serving_case *item, const struct serving_constants *constants, bool enforce_memory, struct serving_prediction *prediction)
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
