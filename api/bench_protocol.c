#include "api/bench_protocol.h"

#include <jansson.h>

#include "base/buffer.h"
#include "planner/measurement/bench_tables.h"
#include "schema/decode.h"
#include "schema/json_tree.h"

enum { SUITE_MAX_BYTES = 4096 };

static enum bench_line_kind read_kind(struct decoder *decoder, const struct node *line)
{
	const struct field row = {.key = "type", .words = bench_line_words, .word_count = BENCH_LINE_COUNT};
	const struct path path = {.key = row.key};
	const struct node *type = node_named(line->first, row.key);
	unsigned kind = BENCH_LINE_COUNT;

	if (type)
		decode_choice(decoder, &row, &path, type, &kind);
	else
		decoder_fault(decoder, &path, "required", "is required");
	return kind;
}

/* Stores the product's sides and name as numbers. */
static void finish_product(struct bench_line_measure *measure, struct failure *failure)
{
	const double *side = measure->sides.items;

	measure->has_shape = measure->sides.count > 0;
	if (!measure->has_shape)
		return;
	measure->shape = (struct bench_shape){(int64_t)side[0], (int64_t)side[1], (int64_t)side[2]};
	while (measure->product_name && strcmp(bench_product_name(measure->product), measure->product_name) != 0)
		measure->product++;
	for (size_t i = 0; i < measure->sides.count; i++)
		if (!(side[i] >= 1) || floor(side[i]) < side[i]) {
			failure_add(failure, "/shape", "out_of_range", "should be three whole numbers above 0");
			break;
		}
}

static void check_measure(const struct bench_line_measure *measure, struct failure *failure)
{
	if (!(measure->min <= measure->p10 && measure->p10 <= measure->median && measure->median <= measure->p90 && measure->p90 <= measure->max))
		failure_add(failure, "/median", "out_of_range", "min, p10, median, p90 and max should ascend");
	if (is_given(measure->median_p10) != is_given(measure->median_p90) ||
		(is_given(measure->median_p10) &&
			!(measure->median_p10 > 0 && measure->median_p10 <= measure->median && measure->median <= measure->median_p90)))
		failure_add(failure, "/median_p10", "out_of_range",
			"median_p10, median and median_p90 should ascend from above 0, both ends given or none");
}

static void read_line(struct decoder *decoder, const struct node *tree, struct bench_line *line)
{
	struct failure *failure = decoder->failure;
	const struct field_table *table;

	line->kind = read_kind(decoder, tree);
	if (line->kind == BENCH_LINE_COUNT)
		return;
	table = bench_line_tables[line->kind];
	field_table_clear(table, &line->as);
	decode_object(decoder, table, NULL, tree, &line->as);
	if (line->kind == BENCH_LINE_MEASURE && failure->fault_total == 0) {
		finish_product(&line->as.measure, failure);
		check_measure(&line->as.measure, failure);
	}
}

enum status bench_line_parse(const char *text, size_t length, struct arena *arena, struct bench_line *line, struct failure *failure)
{
	struct decoder decoder = {.arena = arena, .failure = failure, .answer = true};
	struct node *tree = NULL;
	enum status status;

	failure_clear(failure);
	*line = (struct bench_line){.kind = BENCH_LINE_COUNT};
	if (length >= BENCH_PROTOCOL_LINE_MAX)
		return failure_set(failure, STATUS_MALFORMED, "a worker's line is longer than %d bytes", BENCH_PROTOCOL_LINE_MAX);
	status = decode_parse(text, length, arena, &tree, failure);
	if (status == STATUS_OK && tree->kind != NODE_OBJECT)
		return failure_set(failure, STATUS_MALFORMED, "a worker's line is not a JSON object");
	if (status == STATUS_OK && failure->fault_total > 0)
		return failure_set(failure, STATUS_MALFORMED, "a worker's line has a member twice: %s", failure->faults[0].pointer);
	if (status == STATUS_OK)
		read_line(&decoder, tree, line);
	if (status == STATUS_NO_MEMORY || decoder.no_memory)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to read a worker's line");
	return status == STATUS_OK ? decoder_finish(&decoder) : status;
}

/* Appends the name of a test; false if it is not a valid name. */
static bool append_name(struct buffer *out, const char *name)
{
	if (!name || !*name || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
		return false;
	if (out->length)
		buffer_append_char(out, ',');
	buffer_append_text(out, name);
	return true;
}

enum status bench_suite_text(const char *json, size_t length, struct arena *arena, const char **text)
{
	bool no_memory, good = false;
	json_t *root = json_tree_read(json, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL, &no_memory), *item;
	struct buffer names;
	size_t i;

	*text = NULL;
	buffer_init(&names, length + 1); /* the names are shorter than the JSON, so that only a lack of memory fails */
	if (json_is_string(root))
		good = append_name(&names, json_string_value(root));
	else if (json_is_array(root) && json_array_size(root) > 0) {
		good = true;
		json_array_foreach (root, i, item)
			good = good && append_name(&names, json_string_value(item));
	}
	good = good && names.length <= SUITE_MAX_BYTES;
	if (good && !names.failed)
		*text = arena_strndup(arena, names.bytes, names.length);
	no_memory = no_memory || (good && !*text);
	buffer_release(&names);
	json_decref(root);
	return no_memory ? STATUS_NO_MEMORY : *text ? STATUS_OK : STATUS_INVALID;
}
