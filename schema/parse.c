/* Parses JSON text into a tree of nodes. jansson's parser needs some 130 instructions a byte (a callback for each
 * character) and reports one duplicate key by line and column. This parser reads runs of bytes, limits the nesting,
 * and reports every duplicate key by its JSON pointer. */
#include <math.h>

#include "base/json_text.h"
#include "base/utf8.h"
#include "schema/decode.h"

/* NOLINTBEGIN(misc-no-recursion): no deeper than JSON_DEPTH_MAX. */

struct parser {
	const char *text, *at, *end;
	struct arena *arena;
	struct failure *failure;
	const char *problem; /* why the text at `at` is not JSON; NULL: none */
	bool no_memory;
	size_t depth;
	struct level {
		const char *key; /* NULL: a list */
		size_t index;
	} levels[JSON_DEPTH_MAX];
};

static struct node *parse_value(struct parser *parser);

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

static struct node *parser_node(struct parser *parser, enum node_kind kind)
{
	struct node *node = node_new(parser->arena, kind);

	if (!node)
		(void)parser_no_memory(parser);
	return node;
}

/* Returns the next byte that is not white space, without consuming it; '\0' at the end. */
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
			return parser_stop(parser, "four hexadecimal digits must follow \\u");
		parser->at++;
	}
	return true;
}

/* Reads the digits after "\u", and the second half of a surrogate pair if they are the first half. */
static bool parse_unicode(struct parser *parser, char **out)
{
	uint32_t unit, low = 0;

	if (!parse_hex(parser, &unit))
		return false;
	if (unit == 0)
		return parser_stop(parser, "\\u0000 is not allowed in a string");
	if (unit >= 0xd800 && unit <= 0xdbff) {
		if (parser->end - parser->at < 2 || parser->at[0] != '\\' || parser->at[1] != 'u')
			return parser_stop(parser, "one half of a surrogate pair without the other");
		parser->at += 2;
		if (!parse_hex(parser, &low))
			return false;
		if (low < 0xdc00 || low > 0xdfff)
			return parser_stop(parser, "one half of a surrogate pair without the other");
		unit = 0x10000 + ((unit - 0xd800) << 10 | (low - 0xdc00));
	} else if (unit >= 0xdc00 && unit <= 0xdfff) {
		return parser_stop(parser, "one half of a surrogate pair without the other");
	}
	*out += utf8_encode(*out, unit);
	return true;
}

/* Reads an escape; its backslash is the next byte. */
static bool parse_escape(struct parser *parser, char **out)
{
	static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	char c = (char)(parser->end - parser->at > 1 ? parser->at[1] : '\0');
	const char *found = c ? strchr(escapes, c) : NULL;

	if (!found && c != 'u')
		return parser_stop(parser, "JSON does not have this escape");
	parser->at += 2;
	if (!found)
		return parse_unicode(parser, out);
	*(*out)++ = meanings[found - escapes];
	return true;
}

/* Copies the rest of a string up to its quote. `out` has room for all its bytes; escapes only shorten it. */
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

/* Finds a string's closing quote, or the end of the text. */
static const char *parse_text_end(const struct parser *parser)
{
	const char *at = parser->at;

	while (at < parser->end && *at != '"')
		at += *at == '\\' && parser->end - at > 1 ? 2 : 1;
	return at;
}

/* Copies a string with escapes or bytes that are not ASCII into the arena, and checks that it is UTF-8. */
static bool parse_text_copy(struct parser *parser, const char **text, size_t *length)
{
	char *copy = arena_alloc(parser->arena, (size_t)(parse_text_end(parser) - parser->at) + 1, 1);

	*text = copy;
	if (!copy)
		return parser_no_memory(parser);
	if (!parse_text_rest(parser, copy, length))
		return false;
	return utf8_valid(copy, *length) || parser_stop(parser, "a string that is not UTF-8");
}

/* Reads a string, whose opening quote is the next byte, into the arena. Most are ASCII without escapes. */
static bool parse_text(struct parser *parser, const char **text, size_t *length)
{
	size_t plain;

	parser->at++;
	plain = json_plain_length(parser->at, (size_t)(parser->end - parser->at), true);
	if (parser->at + plain < parser->end && parser->at[plain] == '"') {
		*length = plain;
		*text = arena_strndup(parser->arena, parser->at, plain);
		parser->at += plain;
		if (!*text)
			return parser_no_memory(parser);
	} else if (!parse_text_copy(parser, text, length)) {
		return false;
	}
	if (parser->at >= parser->end)
		return parser_stop(parser, "a string has no closing quote");
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

/* Moves past a number of the JSON grammar. *whole: it has neither fraction nor exponent. */
static bool parse_number_text(struct parser *parser, bool *whole)
{
	const char *first;
	size_t digits;

	(void)parse_optional(parser, "-");
	first = parser->at;
	digits = parse_digits(parser);
	if (digits == 0 || (digits > 1 && *first == '0'))
		return parser_stop(
			parser, digits ? "a number must not have leading zeros" : "a JSON value is expected; NaN and Infinity are not JSON");
	*whole = true;
	if (parse_optional(parser, ".")) {
		*whole = false;
		if (parse_digits(parser) == 0)
			return parser_stop(parser, "digits must follow the point of a number");
	}
	if (parse_optional(parser, "eE")) {
		*whole = false;
		(void)parse_optional(parser, "+-");
		if (parse_digits(parser) == 0)
			return parser_stop(parser, "digits must follow the e of a number");
	}
	return true;
}

static int64_t parse_integer(const char *digits, const char *end)
{
	bool negative = *digits == '-';
	int64_t integer = 0;

	for (digits += negative; digits < end; digits++)
		integer = integer * 10 + (*digits - '0');
	return negative ? -integer : integer;
}

/* Copies the number first: strtod() needs a byte behind it that is not part of it, and a body may end with it. */
static bool parse_real(struct parser *parser, const char *begin, double *real)
{
	const char *copy = arena_strndup(parser->arena, begin, (size_t)(parser->at - begin));

	if (!copy)
		return parser_no_memory(parser);
	*real = strtod(copy, NULL);
	return isfinite(*real) || parser_stop(parser, "a number above 1.8e308");
}

/* Reads a number: an integer if it has at most 18 characters and neither fraction nor exponent, else a real. */
static struct node *parse_number(struct parser *parser)
{
	enum { WHOLE_DIGITS_MAX = 18 };
	const char *begin = parser->at;
	struct node *node;
	bool whole = false;

	if (!parse_number_text(parser, &whole))
		return NULL;
	whole = whole && parser->at - begin <= WHOLE_DIGITS_MAX;
	node = parser_node(parser, whole ? NODE_INTEGER : NODE_REAL);
	if (!node)
		return NULL;
	if (whole)
		node->integer = parse_integer(begin, parser->at);
	else if (!parse_real(parser, begin, &node->real))
		return NULL;
	return node;
}

/* Reads "true", "false" or "null". For another text parse_number() reports the problem. */
static struct node *parse_word(struct parser *parser, const char *word, enum node_kind kind)
{
	size_t length = strlen(word);

	if ((size_t)(parser->end - parser->at) < length || memcmp(parser->at, word, length) != 0)
		return parse_number(parser);
	parser->at += length;
	return parser_node(parser, kind);
}

static struct node *parse_string(struct parser *parser)
{
	struct node *node = parser_node(parser, NODE_TEXT);
	size_t length = 0;

	if (!node || !parse_text(parser, &node->text, &length))
		return NULL;
	node->length = (uint32_t)length;
	return node;
}

/* --- objects and lists ---------------------------------------------------------------------------------------- */

/* Reports that a key of the innermost object occurs again later. Marks this member, which is dropped: the last one counts. */
static void parse_supersede(struct parser *parser, struct node *member)
{
	struct path paths[JSON_DEPTH_MAX];
	char pointer[FAULT_POINTER_MAX];

	parser->levels[parser->depth - 1].key = member->key;
	for (size_t i = 0; i < parser->depth; i++) {
		const struct level *level = &parser->levels[i];

		paths[i] = (struct path){.up = i ? &paths[i - 1] : NULL, .key = level->key, .index = level->index};
	}
	path_pointer(&paths[parser->depth - 1], pointer, sizeof pointer);
	failure_add(parser->failure, pointer, "duplicate_key", "this key occurs twice in its object; remove one");
	member->key = NULL;
}

/* Compares keys; equal keys keep the order of the text, which is the order of the pointers. */
static int compare_members(const void *a, const void *b)
{
	struct node *const *const *first = a, *const *const *second = b;
	int order = strcmp((**first)->key, (**second)->key);

	return order ? order : (*first > *second) - (*first < *second);
}

/* Finds duplicate keys of an object with many members. Comparing all pairs would take a minute for a body of 1 MB. */
static bool parse_supersede_sorted(struct parser *parser, const struct node *object)
{
	struct node **members = ARENA_ARRAY(parser->arena, struct node *, object->length);
	struct node ***sorted = ARENA_ARRAY(parser->arena, struct node **, object->length);
	size_t count = 0;

	if (!members || !sorted)
		return parser_no_memory(parser);
	for (struct node *member = object->first; member; member = member->next) {
		members[count] = member;
		sorted[count] = &members[count];
		count++;
	}
	qsort(sorted, count, sizeof *sorted, compare_members);
	for (size_t i = 1; i < count; i++) {
		if (strcmp((*sorted[i - 1])->key, (*sorted[i])->key) == 0)
			parse_supersede(parser, *sorted[i - 1]);
	}
	return true;
}

static void parse_supersede_pairs(struct parser *parser, const struct node *object)
{
	for (struct node *member = object->first; member; member = member->next) {
		if (node_named(member->next, member->key))
			parse_supersede(parser, member);
	}
}

static void parse_drop_superseded(struct node *object)
{
	for (struct node **at = &object->first; *at;) {
		if ((*at)->key) {
			at = &(*at)->next;
			continue;
		}
		*at = (*at)->next;
		object->length--;
	}
}

/* Reports duplicate keys and removes all but the last member of each. */
static bool parse_duplicates(struct parser *parser, struct node *object)
{
	enum { FEW = 40 };
	size_t faults = parser->failure->fault_total;

	if (object->length <= FEW)
		parse_supersede_pairs(parser, object);
	else if (!parse_supersede_sorted(parser, object))
		return false;
	if (parser->failure->fault_total > faults)
		parse_drop_superseded(object);
	return true;
}

static struct node *parse_member(struct parser *parser, struct level *level)
{
	struct node *value;
	const char *key;
	size_t length;

	if (parser_peek(parser) != '"') {
		(void)parser_stop(parser, "a member must begin with its key in quotes");
		return NULL;
	}
	if (!parse_text(parser, &key, &length))
		return NULL;
	if (parser_peek(parser) != ':') {
		(void)parser_stop(parser, "a colon must follow a key");
		return NULL;
	}
	parser->at++;
	level->key = key;
	value = parse_value(parser);
	if (value)
		value->key = key;
	return value;
}

static struct node *parse_element(struct parser *parser, struct level *level)
{
	struct node *value = parse_value(parser);

	level->index++;
	return value;
}

/* Reads the members or elements from an opening bracket, which is the next byte, to `close`. */
static bool parse_members(struct parser *parser, char close, struct node *parent)
{
	struct level *level = &parser->levels[parser->depth - 1];
	struct node *last = NULL, *child;

	parser->at++;
	if (parser_peek(parser) == close) {
		parser->at++;
		return true;
	}
	for (;;) {
		char next;

		child = close == '}' ? parse_member(parser, level) : parse_element(parser, level);
		if (!child)
			return false;
		node_append(parent, last, child);
		last = child;
		next = parser_peek(parser);
		if (next != ',' && next != close)
			return parser_stop(parser, close == '}' ? "a comma or } must follow a member" : "a comma or ] must follow an element");
		parser->at++;
		if (next == close)
			return close == ']' || parse_duplicates(parser, parent);
	}
}

static struct node *parse_nested(struct parser *parser, enum node_kind kind, char close)
{
	struct node *node = parser_node(parser, kind);

	if (!node)
		return NULL;
	if (parser->depth == JSON_DEPTH_MAX) {
		parser->depth++;
		(void)parser_stop(parser, "the nesting is too deep");
		return NULL;
	}
	parser->levels[parser->depth++] = (struct level){.key = NULL};
	if (!parse_members(parser, close, node))
		return NULL;
	parser->depth--;
	return node;
}

static struct node *parse_value(struct parser *parser)
{
	switch (parser_peek(parser)) {
	case '{':
		return parse_nested(parser, NODE_OBJECT, '}');
	case '[':
		return parse_nested(parser, NODE_LIST, ']');
	case '"':
		return parse_string(parser);
	case 't':
		return parse_word(parser, "true", NODE_TRUE);
	case 'f':
		return parse_word(parser, "false", NODE_FALSE);
	case 'n':
		return parse_word(parser, "null", NODE_NULL);
	default:
		return parse_number(parser);
	}
}

/* --- the whole text ------------------------------------------------------------------------------------------- */

static enum status parse_refuse(const struct parser *parser, struct failure *failure)
{
	size_t line = 1, column = 1;

	failure_clear(failure); /* removes the faults of duplicate keys */
	if (parser->no_memory || !parser->problem)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to read the body");
	if (parser->depth > JSON_DEPTH_MAX)
		return failure_set(failure, STATUS_MALFORMED, "nested deeper than %d levels", JSON_DEPTH_MAX);
	for (const char *c = parser->text; c < parser->at; c++) {
		column = *c == '\n' ? 1 : column + 1;
		line += *c == '\n';
	}
	return failure_set(failure, STATUS_MALFORMED, "not JSON: line %zu, column %zu: %s", line, column, parser->problem);
}

enum status decode_parse(const char *json, size_t length, struct arena *arena, struct node **tree, struct failure *failure)
{
	struct parser parser = {.text = json, .at = json, .end = json + length, .arena = arena, .failure = failure};
	char first = parser_peek(&parser);

	CHECK(length <= UINT32_MAX); /* the largest count of a node; bodies are far smaller */
	*tree = NULL;
	if (first == '{' || first == '[')
		*tree = parse_value(&parser);
	else
		(void)parser_stop(&parser, "an object must begin with {");
	if (*tree && (parser_peek(&parser) || parser.at < parser.end))
		(void)parser_stop(&parser, "text follows the end of the object");
	if (*tree && !parser.problem)
		return STATUS_OK;
	*tree = NULL;
	return parse_refuse(&parser, failure);
}

struct node *decode_parse_number(const char *text, struct arena *arena)
{
	struct parser parser = {.text = text, .at = text, .end = text + strlen(text), .arena = arena};
	struct node *number = parse_number(&parser);

	return number && parser_peek(&parser) == '\0' && !parser.problem ? number : NULL;
}

/* NOLINTEND(misc-no-recursion) */
