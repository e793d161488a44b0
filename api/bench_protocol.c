#include "api/bench_protocol.h"

#include <jansson.h>

#include "base/buffer.h"
#include "hwdb/json_tree.h"

struct line_reader {
	const json_t *object;
	struct arena *arena;
	struct failure *failure;
};

static const char *const kind_names[BENCH_LINE_COUNT] = {
	[BENCH_LINE_HELLO] = "hello",
	[BENCH_LINE_DEVICE] = "device",
	[BENCH_LINE_PROGRESS] = "progress",
	[BENCH_LINE_SAMPLE] = "sample",
	[BENCH_LINE_MEASURE] = "measure",
	[BENCH_LINE_SKIP] = "skip",
	[BENCH_LINE_RESULT] = "result",
};

static void refuse(struct line_reader *reader, const char *key, const char *wanted)
{
	char pointer[FAULT_POINTER_MAX];

	snprintf(pointer, sizeof(pointer), "/%s", key);
	failure_add(reader->failure, pointer, json_object_get(reader->object, key) ? "wrong_type" : "missing", "must be %s",
		wanted);
}

static const char *read_optional_text(struct line_reader *reader, const char *key)
{
	const json_t *value = json_object_get(reader->object, key);
	const char *text = NULL;

	if (!value)
		return NULL;
	if (!json_is_string(value))
		refuse(reader, key, "text");
	else if (!(text = arena_strdup(reader->arena, json_string_value(value))))
		(void)failure_set(reader->failure, STATUS_NO_MEMORY, "no memory for a worker's line");
	return text;
}

static const char *read_text(struct line_reader *reader, const char *key)
{
	const char *text = read_optional_text(reader, key);

	if (text && !*text)
		text = NULL;
	if (!text)
		refuse(reader, key, "text that is not empty");
	return text;
}

static double read_optional_number(struct line_reader *reader, const char *key)
{
	const json_t *value = json_object_get(reader->object, key);

	if (!value)
		return ABSENT_NUMBER;
	if (json_is_number(value) && json_number_value(value) >= 0)
		return json_number_value(value);
	refuse(reader, key, "a number that is not negative");
	return ABSENT_NUMBER;
}

static double read_number(struct line_reader *reader, const char *key)
{
	double number = read_optional_number(reader, key);

	if (!json_object_get(reader->object, key))
		refuse(reader, key, "a number that is not negative");
	return number;
}

static int64_t read_count(struct line_reader *reader, const char *key)
{
	const json_t *value = json_object_get(reader->object, key);

	if (json_is_integer(value) && json_integer_value(value) >= 0)
		return json_integer_value(value);
	refuse(reader, key, "a count");
	return 0;
}

/* A flag that was left out is false. */
static bool read_flag(struct line_reader *reader, const char *key)
{
	const json_t *value = json_object_get(reader->object, key);

	if (value && !json_is_boolean(value))
		refuse(reader, key, "true or false");
	return json_is_true(value);
}

static enum precision read_precision(struct line_reader *reader)
{
	const char *name = read_optional_text(reader, "precision");

	if (!name)
		return PRECISION_UNSET;
	for (int precision = PRECISION_UNSET + 1; precision < PRECISION_COUNT; precision++)
		if (!strcmp(name, precision_name((enum precision)precision)))
			return (enum precision)precision;
	refuse(reader, "precision", "the name of a number format");
	return PRECISION_UNSET;
}

static void read_device(struct line_reader *reader, struct bench_line_device *device)
{
	*device = (struct bench_line_device){
		.id = read_text(reader, "id"),
		.backend = read_text(reader, "backend"),
		.name = read_text(reader, "name"),
		.uuid = read_optional_text(reader, "uuid"),
		.vendor = read_optional_text(reader, "vendor"),
		.accelerator = read_optional_text(reader, "accelerator"),
		.driver = read_optional_text(reader, "driver"),
		.instruction_set = read_optional_text(reader, "instruction_set"),
		.memory_bytes = read_optional_number(reader, "memory_bytes"),
		.threads = read_optional_number(reader, "threads"),
	};
}

static void read_measure(struct line_reader *reader, struct bench_line_measure *measure)
{
	*measure = (struct bench_line_measure){
		.test = read_text(reader, "test"),
		.method = read_text(reader, "method"),
		.unit = read_text(reader, "unit"),
		.precision = read_precision(reader),
		.n = read_count(reader, "n"),
		.median = read_number(reader, "median"),
		.p10 = read_number(reader, "p10"),
		.p90 = read_number(reader, "p90"),
		.min = read_number(reader, "min"),
		.max = read_number(reader, "max"),
		.flops = read_optional_number(reader, "flops"),
		.bytes = read_optional_number(reader, "bytes"),
		.verified = read_flag(reader, "verified"),
		.unstable = read_flag(reader, "unstable"),
		.cache_resident = read_flag(reader, "cache_resident"),
		.throttled = read_flag(reader, "throttled"),
	};
	if (!(measure->min <= measure->p10 && measure->p10 <= measure->median && measure->median <= measure->p90 &&
			measure->p90 <= measure->max && measure->median > 0 && measure->n > 0))
		failure_add(reader->failure, "/median", "out_of_range",
			"min, p10, median, p90 and max must ascend, and n and median be above 0");
}

static void read_result(struct line_reader *reader, struct bench_line *line)
{
	const char *status = read_text(reader, "status");

	line->as.result.status = status;
	line->as.result.reason = read_optional_text(reader, "reason");
	line->as.result.budget_s = read_number(reader, "budget_s");
	line->as.result.elapsed_s = read_number(reader, "elapsed_s");
	if (status && strcmp(status, "ok") != 0 && strcmp(status, "failed") != 0 && strcmp(status, "busy") != 0)
		failure_add(reader->failure, "/status", "unknown_choice", "must be ok, failed or busy");
}

static void read_line(struct line_reader *reader, struct bench_line *line)
{
	switch (line->kind) {
	case BENCH_LINE_HELLO:
		line->as.hello.protocol = read_count(reader, "proto");
		line->as.hello.worker_version = read_text(reader, "worker_version");
		if (line->as.hello.protocol != BENCH_PROTOCOL_VERSION)
			failure_add(reader->failure, "/proto", "out_of_range", "must be %d", BENCH_PROTOCOL_VERSION);
		break;
	case BENCH_LINE_DEVICE:
		read_device(reader, &line->as.device);
		break;
	case BENCH_LINE_PROGRESS:
		line->as.progress.test = read_text(reader, "test");
		line->as.progress.elapsed_ms = read_number(reader, "elapsed_ms");
		break;
	case BENCH_LINE_MEASURE:
		read_measure(reader, &line->as.measure);
		break;
	case BENCH_LINE_SKIP:
		line->as.skip.test = read_text(reader, "test");
		line->as.skip.reason = read_text(reader, "reason");
		break;
	case BENCH_LINE_RESULT:
		read_result(reader, line);
		break;
	case BENCH_LINE_SAMPLE: /* kept as it is; what it holds differs with the backend */
	case BENCH_LINE_COUNT:
		break;
	}
}

static enum bench_line_kind kind_of(const json_t *object)
{
	const char *type = json_string_value(json_object_get(object, "type"));
	int kind = 0;

	while (type && kind < BENCH_LINE_COUNT && strcmp(type, kind_names[kind]) != 0)
		kind++;
	return type ? (enum bench_line_kind)kind : BENCH_LINE_COUNT;
}

enum status bench_line_parse(
	const char *text, size_t length, struct arena *arena, struct bench_line *line, struct failure *failure)
{
	struct line_reader reader = {.arena = arena, .failure = failure};
	json_error_t error;
	bool no_memory;
	json_t *root;

	failure_clear(failure);
	*line = (struct bench_line){.kind = BENCH_LINE_COUNT};
	if (length >= BENCH_PROTOCOL_LINE_MAX)
		return failure_set(
			failure, STATUS_MALFORMED, "a worker's line is longer than %d bytes", BENCH_PROTOCOL_LINE_MAX);
	root = json_tree_read(text, length, JSON_REJECT_DUPLICATES, &error, &no_memory);
	if (no_memory)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to read a worker's line");
	if (!root || !json_is_object(root)) {
		json_decref(root);
		return failure_set(failure, STATUS_MALFORMED, "a worker's line is not a JSON object: %s",
			root ? "something else" : error.text);
	}
	reader.object = root;
	line->kind = kind_of(root);
	if (line->kind == BENCH_LINE_COUNT)
		refuse(&reader, "type", "hello, device, progress, sample, measure, skip or result");
	else
		read_line(&reader, line);
	json_decref(root);
	return failure->status;
}

/* Appends one test's name; false when it is none. */
static bool append_name(struct buffer *out, const char *name)
{
	if (!name || !*name || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
		return false;
	if (out->length)
		buffer_append_char(out, ',');
	buffer_append_text(out, name);
	return true;
}

const char *bench_suite_text(const char *json, size_t length, struct arena *arena)
{
	json_t *root = json_loadb(json, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL), *item;
	const char *text = NULL;
	struct buffer names;
	bool good = false;
	size_t i;

	buffer_init(&names, 4096);
	if (json_is_string(root))
		good = append_name(&names, json_string_value(root));
	else if (json_is_array(root) && json_array_size(root) > 0) {
		good = true;
		json_array_foreach(root, i, item) good = good && append_name(&names, json_string_value(item));
	}
	if (good && !names.failed)
		text = arena_strndup(arena, names.bytes, names.length);
	buffer_release(&names);
	json_decref(root);
	return text;
}
