/* JSON text into a jansson tree. jansson's own parser fetches a character by a callback, some 130 instructions a byte, and
 * tells one duplicate by line and column; this one reads runs, counts levels, and names every duplicate by its pointer. */
#include <math.h>

#include "api/decode.h"
#include "base/json_text.h"
#include "base/utf8.h"

/* NOLINTBEGIN(misc-no-recursion): no deeper than API_JSON_DEPTH_MAX. */

struct parser {
	const char *text, *at, *end;
	struct arena *arena;
	struct failure *failure;
	const char *problem; /* what is not JSON at `at`, or NULL */
	bool no_memory;
	size_t depth;
	struct level {
		const char *key; /* NULL: an array */
		size_t key_length, index;
	} levels[API_JSON_DEPTH_MAX];
};

static json_t *parse_value(struct parser *parser);

static bool parser_stop(struct parser *parser, const char *problem)
{
	if (!parser->problem)
		parser->problem = problem;
	return false;
}

static bool parser_no_memory(struct parser *parser)
{
	parser->no_memory = true;
	return parser_stop(parser, "no memory");
}

/* The next byte that is not white space, not taken; '\0' at the end. */
static char parser_peek(struct parser *parser)
{
	while (parser->at < parser->end && (*parser->at == ' ' || *parser->at == '\n' || *parser->at == '\r' || *parser->at == '\t'))
		parser->at++;
	return (char)(parser->at < parser->end ? *parser->at : '\0');
}

/* --- strings ------------------------------------------------------------------------------------------------- */

static bool parse_hex(struct parser *parser, uint32_t *unit)
{
	*unit = 0;
	for (int i = 0; i < 4; i++) {
		char c = (char)(parser->at < parser->end ? *parser->at : '\0'), lower = (char)(c | 0x20);

		if (c >= '0' && c <= '9')
			*unit = *unit << 4 | (uint32_t)(c - '0');
		else if (lower >= 'a' && lower <= 'f')
			*unit = *unit << 4 | (uint32_t)(lower - 'a' + 10);
		else
			return parser_stop(parser, "four hexadecimal digits follow \\u");
		parser->at++;
	}
	return true;
}

/* What follows "\u": a character, or the first half of one whose other half follows. */
static bool parse_unicode(struct parser *parser, char **out)
{
	uint32_t unit, low = 0;

	if (!parse_hex(parser, &unit))
		return false;
	if (unit == 0)
		return parser_stop(parser, "\\u0000 stands for no character that is taken here");
	if (unit >= 0xd800 && unit <= 0xdbff) {
		if (parser->end - parser->at < 2 || parser->at[0] != '\\' || parser->at[1] != 'u')
			return parser_stop(parser, "half a surrogate pair");
		parser->at += 2;
		if (!parse_hex(parser, &low))
			return false;
		if (low < 0xdc00 || low > 0xdfff)
			return parser_stop(parser, "half a surrogate pair");
		unit = 0x10000 + ((unit - 0xd800) << 10 | (low - 0xdc00));
	} else if (unit >= 0xdc00 && unit <= 0xdfff) {
		return parser_stop(parser, "half a surrogate pair");
	}
	*out += utf8_encode(*out, unit);
	return true;
}

/* A backslash is the next byte. */
static bool parse_escape(struct parser *parser, char **out)
{
	static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	char c = (char)(parser->end - parser->at > 1 ? parser->at[1] : '\0');
	const char *found = c ? strchr(escapes, c) : NULL;

	if (!found && c != 'u')
		return parser_stop(parser, "an escape that JSON does not know");
	parser->at += 2;
	if (!found)
		return parse_unicode(parser, out);
	*(*out)++ = meanings[found - escapes];
	return true;
}

/* From the first byte that is not plain; `out` has room for as much as is left, which escapes only shorten. */
static bool parse_text_rest(struct parser *parser, char *out, size_t *length)
{
	const char *begin = out;

	while (parser->at < parser->end && *parser->at != '"') {
		size_t plain = json_plain_length(parser->at, (size_t)(parser->end - parser->at), false);

		if (plain == 0 && *parser->at == '\\') {
			if (!parse_escape(parser, &out))
				return false;
			continue;
		}
		if (plain == 0 && *parser->at != 0x7f)
			return parser_stop(parser, "a control byte in a string");
		plain += plain == 0;
		memcpy(out, parser->at, plain);
		out += plain;
		parser->at += plain;
	}
	*length = (size_t)(out - begin);
	return true;
}

/* Where a string's closing quote stands, or the end of the text. */
static const char *parse_text_end(const struct parser *parser)
{
	const char *at = parser->at;

	while (at < parser->end && *at != '"')
		at += *at == '\\' && parser->end - at > 1 ? 2 : 1;
	return at;
}

/* A string whose opening quote is the next byte: a piece of the source where nothing is escaped, else of the arena. */
static bool parse_text(struct parser *parser, const char **text, size_t *length)
{
	size_t plain;
	char *copy;

	*text = ++parser->at;
	plain = json_plain_length(parser->at, (size_t)(parser->end - parser->at), true);
	*length = plain;
	if (parser->at + plain < parser->end && parser->at[plain] != '"') {
		copy = arena_alloc(parser->arena, (size_t)(parse_text_end(parser) - parser->at) + 1, 1);
		if (!copy)
			return parser_no_memory(parser);
		*text = copy;
		if (!parse_text_rest(parser, copy, length))
			return false;
		if (!utf8_valid(copy, *length))
			return parser_stop(parser, "a string that is not UTF-8");
		plain = 0;
	}
	parser->at += plain;
	if (parser->at >= parser->end)
		return parser_stop(parser, "a string without its closing quote");
	parser->at++;
	return true;
}

/* --- numbers and words ---------------------------------------------------------------------------------------- */

static size_t parse_digits(struct parser *parser)
{
	const char *begin = parser->at;

	while (parser->at < parser->end && *parser->at >= '0' && *parser->at <= '9')
		parser->at++;
	return (size_t)(parser->at - begin);
}

static bool parse_optional(struct parser *parser, const char *choices)
{
	if (parser->at >= parser->end || !*parser->at || !strchr(choices, *parser->at))
		return false;
	parser->at++;
	return true;
}

/* Takes a number by the grammar; *whole tells whether it has neither fraction nor exponent. */
static bool parse_number_text(struct parser *parser, bool *whole)
{
	const char *first;
	size_t digits;

	(void)parse_optional(parser, "-");
	first = parser->at;
	digits = parse_digits(parser);
	if (digits == 0 || (digits > 1 && *first == '0'))
		return parser_stop(parser, digits ? "a number does not begin with 0" : "a value is missing, or one that JSON does not know");
	*whole = true;
	if (parse_optional(parser, ".")) {
		*whole = false;
		if (parse_digits(parser) == 0)
			return parser_stop(parser, "digits follow the point of a number");
	}
	if (parse_optional(parser, "eE")) {
		*whole = false;
		(void)parse_optional(parser, "+-");
		if (parse_digits(parser) == 0)
			return parser_stop(parser, "digits follow the e of a number");
	}
	return true;
}

/* An integer where it is one of 64 bits, else a real: 3 followed by 25 zeros is a number too. */
static json_t *parse_number(struct parser *parser)
{
	enum { WHOLE_DIGITS_MAX = 18 };
	const char *begin = parser->at;
	size_t length;
	bool whole = false;
	char *copy;
	double real;

	if (!parse_number_text(parser, &whole))
		return NULL;
	length = (size_t)(parser->at - begin);
	copy = arena_strndup(parser->arena, begin, length);
	if (!copy) {
		(void)parser_no_memory(parser);
		return NULL;
	}
	if (whole && length <= WHOLE_DIGITS_MAX)
		return json_integer(strtoll(copy, NULL, 10));
	real = strtod(copy, NULL);
	if (isfinite(real))
		return json_real(real);
	(void)parser_stop(parser, "a number above 1.8e308");
	return NULL;
}

static json_t *parse_word(struct parser *parser)
{
	size_t left = (size_t)(parser->end - parser->at);

	if (left >= 4 && memcmp(parser->at, "true", 4) == 0) {
		parser->at += 4;
		return json_true();
	}
	if (left >= 5 && memcmp(parser->at, "false", 5) == 0) {
		parser->at += 5;
		return json_false();
	}
	if (left >= 4 && memcmp(parser->at, "null", 4) == 0) {
		parser->at += 4;
		return json_null();
	}
	return parse_number(parser);
}

static json_t *parse_string(struct parser *parser)
{
	const char *text;
	size_t length;

	return parse_text(parser, &text, &length) ? json_stringn_nocheck(text, length) : NULL;
}

/* --- objects and arrays --------------------------------------------------------------------------------------- */

static void parse_duplicate(struct parser *parser)
{
	struct path paths[API_JSON_DEPTH_MAX];
	char pointer[FAULT_POINTER_MAX];

	for (size_t i = 0; i < parser->depth; i++) {
		const struct level *level = &parser->levels[i];

		paths[i] = (struct path){.up = i ? &paths[i - 1] : NULL, .index = level->index};
		if (level->key && !(paths[i].key = arena_strndup(parser->arena, level->key, level->key_length))) {
			(void)parser_no_memory(parser);
			return;
		}
	}
	path_pointer(&paths[parser->depth - 1], pointer, sizeof pointer);
	failure_add(parser->failure, pointer, "duplicate_key", "this key stands twice in its object; leave one");
}

static bool parse_member(struct parser *parser, struct level *level, json_t *object)
{
	json_t *value;

	if (parser_peek(parser) != '"')
		return parser_stop(parser, "a member begins with its key in quotes");
	if (!parse_text(parser, &level->key, &level->key_length))
		return false;
	if (parser_peek(parser) != ':')
		return parser_stop(parser, "a colon follows a key");
	parser->at++;
	value = parse_value(parser);
	if (!value)
		return false;
	if (json_object_getn(object, level->key, level->key_length))
		parse_duplicate(parser);
	return json_object_setn_new_nocheck(object, level->key, level->key_length, value) == 0 || parser_no_memory(parser);
}

static bool parse_element(struct parser *parser, struct level *level, json_t *array)
{
	json_t *value = parse_value(parser);

	level->index++;
	return value && (json_array_append_new(array, value) == 0 || parser_no_memory(parser));
}

/* What stands between an opening bracket, which is the next byte, and `close`. */
static bool parse_members(struct parser *parser, char close, json_t *tree)
{
	struct level *level = &parser->levels[parser->depth - 1];

	parser->at++;
	if (parser_peek(parser) == close) {
		parser->at++;
		return true;
	}
	for (;;) {
		char next;

		if (!(close == '}' ? parse_member(parser, level, tree) : parse_element(parser, level, tree)))
			return false;
		next = parser_peek(parser);
		if (next != ',' && next != close)
			return parser_stop(parser, close == '}' ? "a comma or } follows a member" : "a comma or ] follows an element");
		parser->at++;
		if (next == close)
			return true;
	}
}

static json_t *parse_nested(struct parser *parser, json_t *tree, char close)
{
	if (!tree) {
		(void)parser_no_memory(parser);
		return NULL;
	}
	if (parser->depth == API_JSON_DEPTH_MAX) {
		json_decref(tree);
		parser->depth++;
		(void)parser_stop(parser, "nested too deep");
		return NULL;
	}
	parser->levels[parser->depth++] = (struct level){.key = NULL};
	if (!parse_members(parser, close, tree)) {
		json_decref(tree);
		return NULL;
	}
	parser->depth--;
	return tree;
}

static json_t *parse_value(struct parser *parser)
{
	switch (parser_peek(parser)) {
	case '{':
		return parse_nested(parser, json_object(), '}');
	case '[':
		return parse_nested(parser, json_array(), ']');
	case '"':
		return parse_string(parser);
	default:
		return parse_word(parser);
	}
}

/* --- the whole text ------------------------------------------------------------------------------------------- */

static enum status parse_refuse(const struct parser *parser, struct failure *failure)
{
	size_t line = 1, column = 1;

	failure_clear(failure); /* of duplicates found on the way */
	if (parser->no_memory || !parser->problem)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to read the body");
	if (parser->depth > API_JSON_DEPTH_MAX)
		return failure_set(failure, STATUS_MALFORMED, "nested deeper than %d levels", API_JSON_DEPTH_MAX);
	for (const char *c = parser->text; c < parser->at; c++) {
		column = *c == '\n' ? 1 : column + 1;
		line += *c == '\n';
	}
	return failure_set(failure, STATUS_MALFORMED, "not JSON: line %zu, column %zu: %s", line, column, parser->problem);
}

enum status decode_parse(const char *json, size_t length, struct arena *arena, json_t **tree, struct failure *failure)
{
	struct parser parser = {.text = json, .at = json, .end = json + length, .arena = arena, .failure = failure};
	char first = parser_peek(&parser);

	*tree = NULL;
	if (first == '{' || first == '[')
		*tree = parse_value(&parser);
	else
		(void)parser_stop(&parser, "an object begins with {");
	if (*tree && (parser_peek(&parser) || parser.at < parser.end))
		(void)parser_stop(&parser, "the object has ended, and more follows");
	if (*tree && !parser.problem)
		return STATUS_OK;
	json_decref(*tree);
	*tree = NULL;
	return parse_refuse(&parser, failure);
}

/* NOLINTEND(misc-no-recursion) */
