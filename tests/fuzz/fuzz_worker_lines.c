/* Any bytes as a line of a benchmark's worker, or as an agent's result. Accepted figures are possible, and each line of
 * a result is, byte for byte, one of its objects. */
#include <jansson.h>
#include <math.h>

#include "api/bench_protocol.h"
#include "api/bench_result.h"
#include "fuzz/input.h"

static void check_energy(const struct bench_line_energy *energy)
{
	CHECK(energy->window_s >= 0 && energy->energy_joules >= 0 && energy->mean_w >= 0);
	CHECK(*energy->source && *energy->by && *energy->scope && *energy->confidence);
}

static void check_measure(const struct bench_line_measure *measure)
{
	CHECK(*measure->test && *measure->method && *measure->unit && measure->n > 0 && measure->median > 0);
	CHECK(measure->min <= measure->p10 && measure->p10 <= measure->median && measure->median <= measure->p90 && measure->p90 <= measure->max);
	CHECK(isfinite(measure->max) && measure->precision < PRECISION_COUNT);
	if (measure->has_shape)
		CHECK(measure->shape.m > 0 && measure->shape.n > 0 && measure->shape.k > 0 && measure->product < PRODUCT_COUNT);
	if (measure->has_transfer)
		CHECK(*measure->transfer.direction && measure->transfer.bytes >= 0);
	if (measure->has_energy)
		check_energy(&measure->energy);
}

static void check_line(const struct bench_line *line)
{
	switch (line->kind) {
	case BENCH_LINE_HELLO:
		CHECK(line->as.hello.protocol == BENCH_PROTOCOL_VERSION);
		break;
	case BENCH_LINE_DEVICE:
		CHECK(*line->as.device.id && *line->as.device.backend && *line->as.device.name && !(line->as.device.memory_bytes < 0));
		break;
	case BENCH_LINE_PROGRESS:
		CHECK(*line->as.progress.test && line->as.progress.elapsed_ms >= 0);
		break;
	case BENCH_LINE_SAMPLE:
		CHECK(line->as.sample.t_s >= 0 && !(line->as.sample.power_w < 0));
		break;
	case BENCH_LINE_MEASURE:
		check_measure(&line->as.measure);
		break;
	case BENCH_LINE_FIT:
		CHECK(*line->as.fit.test && line->as.fit.beta_bytes_per_s > 0 && line->as.fit.alpha_s >= 0);
		break;
	case BENCH_LINE_MEAN:
		CHECK(*line->as.mean.test && line->as.mean.value >= 0 && line->as.mean.products >= 0);
		break;
	case BENCH_LINE_SKIP:
		CHECK(*line->as.skip.test && *line->as.skip.reason);
		break;
	case BENCH_LINE_RESULT:
		CHECK(*line->as.result.status && line->as.result.elapsed_s >= 0);
		break;
	case BENCH_LINE_COUNT:
		CHECK(false);
	}
}

static void check_suite(const char *text, size_t length, struct arena *arena)
{
	const char *suite;
	enum status status = bench_suite_text(text, length, arena, &suite);

	CHECK((status == STATUS_OK) == (suite != NULL));
	CHECK(!suite || (*suite && strspn(suite, "abcdefghijklmnopqrstuvwxyz0123456789_,") == strlen(suite)));
}

/* True if one of the result's objects, or an object of one of its lists, equals `wanted`. */
static bool holds(json_t *root, json_t *wanted)
{
	const char *key;
	json_t *value, *item;
	size_t i;

	json_object_foreach (root, key, value) {
		if (json_equal(value, wanted))
			return true;
		json_array_foreach (value, i, item)
			if (json_equal(item, wanted))
				return true;
	}
	return false;
}

static void check_result(const char *text, size_t length, struct arena *arena)
{
	static struct failure failure;
	static struct bench_line line;
	struct bench_result result;
	json_t *root, *one;

	if (bench_result_read(text, length, arena, &result, &failure) != STATUS_OK) {
		CHECK(failure.status == STATUS_INVALID || failure.status == STATUS_NO_MEMORY);
		return;
	}
	root = json_loadb(text, length, 0, NULL);
	CHECK(root && result.end && result.line_count <= BENCH_RESULT_LINES_MAX && !(result.elapsed_s < 0));
	for (size_t i = 0; i < result.line_count; i++) {
		CHECK(strlen(result.lines[i].text) == result.lines[i].length);
		one = json_loadb(result.lines[i].text, result.lines[i].length, 0, NULL);
		CHECK(one && json_is_string(json_object_get(one, "type")) && holds(root, one));
		json_decref(one);
		(void)!bench_line_parse(result.lines[i].text, result.lines[i].length, arena, &line, &failure);
	}
	json_decref(root);
}

/* If the body is JSON, the text that is found for a member must be that member. */
static void check_span(const char *text, size_t length)
{
	static const char *const keys[] = {"result", "end", "a"};
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL), *one;

	for (size_t i = 0; root && json_is_object(root) && i < COUNT_OF(keys); i++) {
		const char *start = NULL;
		size_t found = 0;
		bool has = bench_result_span(text, keys[i], &start, &found);
		json_t *value = json_object_get(root, keys[i]);

		CHECK(!has || (start >= text && start + found <= text + length));
		one = has ? json_loadb(start, found, JSON_DECODE_ANY, NULL) : NULL;
		CHECK(!has || (one && value && json_equal(one, value)));
		json_decref(one);
	}
	json_decref(root);
}

/* The first byte chooses the arena, the second the kind of the rest. */
void fuzz_one(struct input *input)
{
	static struct arena arena;
	static struct failure failure;
	static struct bench_line line;
	unsigned what;
	size_t length;
	char *text;

	input_arena(input, &arena, 1 << 20);
	what = input_byte(input) % 4;
	text = input_rest(input, &length);
	if (what == 0) {
		check_suite(text, length, &arena);
	} else if (what == 1) {
		check_result(text, length, &arena);
	} else if (what == 2) {
		check_span(text, length);
	} else if (bench_line_parse(text, length, &arena, &line, &failure) == STATUS_OK) {
		check_line(&line);
	} else {
		CHECK(failure.status == STATUS_MALFORMED || failure.status == STATUS_INVALID || failure.status == STATUS_NO_MEMORY);
		CHECK(failure.status != STATUS_INVALID || failure.fault_total > 0);
	}
}
