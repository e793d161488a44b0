/* Any bytes as JSON for the parser of trees, the stream and jansson. The others accept every text that the first
 * accepts, the stream gives the same result for every division into pieces, and a written number reads back as the same
 * number. */
#include <jansson.h>
#include <math.h>

#include "base/json_number.h"
#include "base/utf8.h"
#include "fuzz/input.h"
#include "schema/decode.h"
#include "schema/json_stream.h"

static size_t count_nodes(const struct node *node, size_t depth)
{
	size_t count = 1;

	CHECK(depth <= JSON_DEPTH_MAX + 1 && node->kind < NODE_KIND_COUNT);
	if (node->kind == NODE_TEXT)
		CHECK(strlen(node->text) == node->length && utf8_valid(node->text, node->length) && node_text(node) == node->text);
	CHECK(node_is_number(node) == (node->kind == NODE_INTEGER || node->kind == NODE_REAL) && isfinite(node_number(node)));
	if (node->kind == NODE_OBJECT || node->kind == NODE_LIST)
		for (const struct node *child = node->first; child; child = child->next) {
			CHECK((child->key != NULL) == (node->kind == NODE_OBJECT));
			CHECK(!child->key || (node_named(node->first, child->key) && utf8_valid(child->key, strlen(child->key))));
			count += count_nodes(child, depth + 1);
		}
	return count;
}

static size_t count_values(const json_t *value)
{
	size_t count = 1, index;
	const char *key;
	json_t *child;

	json_object_foreach ((json_t *)(uintptr_t)value, key, child)
		count += count_values(child);
	json_array_foreach (value, index, child)
		count += count_values(child);
	return count;
}

/* Tokens that begin a value, and a hash of all. */
struct told {
	size_t values, tokens;
	uint64_t hash;
};

static enum status note_token(void *context, const struct json_stream *stream, enum json_token token, struct failure *failure)
{
	struct told *told = context;

	(void)failure;
	CHECK(token < TOKEN_COUNT && stream->depth <= JSON_DEPTH_MAX);
	told->tokens++;
	told->values += token != TOKEN_KEY && token != TOKEN_END_OBJECT && token != TOKEN_END_ARRAY;
	told->hash = told->hash * 31 + token;
	if (token == TOKEN_KEY || token == TOKEN_TEXT) {
		CHECK(stream->length <= JSON_STREAM_TEXT_MAX && stream->text[stream->length] == '\0');
		for (size_t i = 0; i < stream->length; i++)
			told->hash = told->hash * 31 + (unsigned char)stream->text[i];
	} else if (token == TOKEN_NUMBER) {
		CHECK(isfinite(stream->number));
	}
	return STATUS_OK;
}

static enum status feed_stream(void *stream, const char *piece, size_t length, struct failure *failure)
{
	return json_stream_feed(stream, piece, length, failure);
}

static enum status read_stream(const char *text, size_t length, size_t step, struct told *told)
{
	static struct failure failure;
	static struct json_stream stream;
	enum status status;

	*told = (struct told){0};
	failure_clear(&failure);
	json_stream_init(&stream, note_token, told);
	status = input_feed(feed_stream, &stream, text, length, step, &failure);
	return status == STATUS_OK ? json_stream_end(&stream, &failure) : status;
}

/* The stream accepts numbers up to JSON_STREAM_NUMBER_MAX characters, the tree longer ones, too. */
static bool has_long_number(const char *text, size_t length)
{
	size_t run = 0;

	for (size_t i = 0; i < length && run <= JSON_STREAM_NUMBER_MAX; i++)
		run = text[i] && strchr("0123456789+-.eE", text[i]) ? run + 1 : 0;
	return run > JSON_STREAM_NUMBER_MAX;
}

static void check_number(uint64_t bits)
{
	char text[JSON_NUMBER_SIZE];
	double value;
	size_t length;

	CHECK(json_format_unsigned(text, bits) < sizeof text);
	memcpy(&value, &bits, sizeof value);
	if (!isfinite(value))
		return;
	length = json_format_exact(text, value);
	CHECK(length < sizeof text && strlen(text) == length);
	CHECK(fabs(strtod(text, NULL) - value) <= 0 && input_is_json(text, length));
	length = json_format_double(text, value);
	CHECK(length < sizeof text && strlen(text) == length && input_is_json(text, length));
	CHECK(fabs(strtod(text, NULL) - value) <= fabs(value) * 1e-14 || fabs(value) < 1e-290 || fabs(value) > 1e300);
}

/* The first byte chooses the arena, the second the size of the pieces. If the second is odd, a number's eight bytes
 * follow. */
void fuzz_one(struct input *input)
{
	static struct arena arena;
	static struct failure failure;
	struct told whole, pieces;
	struct node *tree, *number;
	enum status status, streamed;
	unsigned step;
	json_t *value;
	size_t length;
	char *text;

	input_arena(input, &arena, 1 << 20);
	step = input_byte(input);
	if (step & 1)
		check_number(input_bits(input));
	text = input_rest(input, &length);
	failure_clear(&failure);
	status = decode_parse(text, length, &arena, &tree, &failure);
	streamed = read_stream(text, length, length + 1, &whole);
	CHECK(read_stream(text, length, step % 64 + 1, &pieces) == streamed);
	CHECK(whole.hash == pieces.hash && whole.tokens == pieces.tokens);
	value = json_loadb(text, length, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
	if (status == STATUS_OK) {
		size_t nodes = count_nodes(tree, 0);

		CHECK(value && (streamed == STATUS_OK || has_long_number(text, length)));
		CHECK(failure.fault_total > 0 || streamed != STATUS_OK ||
			(whole.values == nodes && count_values(value) == nodes)); /* faults: a duplicate key */
	} else {
		CHECK(status == STATUS_MALFORMED || status == STATUS_NO_MEMORY);
	}
	json_decref(value);
	number = decode_parse_number(text, &arena);
	CHECK(!number || (node_is_number(number) && isfinite(node_number(number))));
}
