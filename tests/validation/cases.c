#include "validation/cases.h"

#include <jansson.h>

#include "validation/product.h"

enum { CASES_MAX = 4096 };

static struct failure failure;

static const char *text_of(const json_t *row, const char *key)
{
	return arena_strdup(product_arena(), json_string_value(json_object_get(row, key)));
}

/* Exits on a member that a row may not have. This program does not read all members: some describe the sources of the
 * figures. */
static void check_members(json_t *row)
{
	static const char *const members[] = {"id", "suite", "family", "request", "expect", "oom", "team", "scored", "informed", "published",
		"trust", "source", "notes", "year", "definition", "kind", "release", "seen"};
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

static void read_expected(const json_t *row, struct validation_case *item)
{
	static const char *const paths[EXPECT_COUNT] = {
		"step.time_s", "gpu_hours", "memory.model_bytes", "memory.layers_bytes", "memory.total_bytes", "tflops_per_gpu"};
	const json_t *expect = json_object_get(row, "expect");
	size_t read = 0;

	for (int i = 0; i < EXPECT_COUNT; i++) {
		const json_t *value = json_object_get(expect, paths[i]);

		item->expected[i] = json_is_number(value) ? json_number_value(value) : ABSENT_NUMBER;
		read += json_is_number(value);
	}
	if ((read == 0 && !item->oom) || read != json_object_size(expect))
		product_stop("expect needs step.time_s, gpu_hours, memory.*_bytes or tflops_per_gpu, and nothing else", item->id);
}

/* Resolves a request as the service does. Alternatives are off by default: they are not judged, and take most of the
 * search time. */
static bool resolve(const json_t *request, const char *id, struct training_input *input)
{
	json_t *asked = json_copy((json_t *)request);
	enum status status;
	bool decoded;
	char *text;

	if (!json_object_get(asked, "alternatives"))
		json_object_set_new(asked, "alternatives", json_integer(0));
	text = json_dumps(asked, JSON_COMPACT);
	CHECK(text);
	failure_clear(&failure);
	status = product_training(text, input, &decoded, &failure);
	free(text);
	json_decref(asked);
	if (!decoded)
		product_stop(product_failure(&failure), id);
	return status == STATUS_OK;
}

static const struct training_input *resolve_with(const json_t *request, const json_t *more, const char *id)
{
	struct training_input *input = ARENA_NEW(product_arena(), struct training_input);
	json_t *asked = json_copy((json_t *)request);

	CHECK(input);
	json_object_update(asked, (json_t *)more);
	if (!resolve(asked, id, input))
		product_stop(product_failure(&failure), id);
	json_decref(asked);
	return input;
}

static void read_run(const json_t *row, const json_t *request, struct validation_case *item)
{
	json_t *informed = json_object_get(row, "informed"), *count = json_object_get(informed, "gpu_count"), *counted = json_object();

	item->scored = json_is_true(json_object_get(row, "scored"));
	if (!count)
		count = json_object_get(json_object_get(row, "published"), "gpus");
	if (count)
		json_object_set(counted, "gpu_count", count);
	item->asked[ASKED_DEFAULT] = &item->input;
	item->asked[ASKED_COUNT] = resolve_with(request, counted, item->id);
	item->asked[ASKED_TOLD] = resolve_with(request, informed ? informed : counted, item->id);
	json_decref(counted);
}

static bool doubted(const json_t *row)
{
	const char *trust = json_string_value(json_object_get(row, "trust"));

	return trust && strcmp(trust, "C") == 0;
}

static void read_case(const char *line, void *context)
{
	struct validation_cases *cases = context;
	struct validation_case *item = &cases->items[cases->count];
	json_t *row = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	const json_t *request = json_object_get(row, "request");

	if (!row || cases->count == CASES_MAX)
		product_stop(row ? "too many cases" : "not JSON", line);
	check_members(row);
	*item = (struct validation_case){
		.id = text_of(row, "id"), .suite = text_of(row, "suite"), .family = text_of(row, "family"), .team = text_of(row, "team")};
	if (!item->id || !item->suite || !item->family)
		product_stop("a case has no id, suite or family", line);
	item->role = suite_role_of(item->suite);
	item->oom = json_is_true(json_object_get(row, "oom"));
	read_expected(row, item);
	if (is_given(item->expected[EXPECT_GPU_HOURS]) != (item->team != NULL))
		product_stop("a case needs both gpu_hours and team (whole run), or neither (pinned step)", item->id);
	if (!item->team && doubted(row)) {
		cases->doubted++;
	} else if (resolve(request, item->id, &item->input)) {
		item->candidate = &item->input.candidates[0];
		if (item->team)
			read_run(row, request, item);
		cases->count++;
	} else if (json_is_false(json_object_get(row, "scored")) && cases->refused_count < REFUSED_CASES_MAX) {
		cases->refused[cases->refused_count++] = (struct refused_case){item->id, arena_strdup(product_arena(), product_failure(&failure))};
	} else {
		product_stop(product_failure(&failure), item->id);
	}
	json_decref(row);
}

void validation_cases_load(const char *folder, struct validation_cases *cases)
{
	*cases = (struct validation_cases){.items = calloc(CASES_MAX, sizeof *cases->items)};
	CHECK(cases->items);
	suites_load(folder);
	suites_read_lines(folder, "training*.jsonl", read_case, cases);
	suites_read_lines(folder, "runs*.jsonl", read_case, cases);
}
