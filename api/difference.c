#include "api/difference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_number.h"
#include "schema/decode.h"
#include "schema/node.h"

/* NOLINTBEGIN(misc-no-recursion): recursion is as deep as the JSON reader allows. */

enum { POINTER_MAX = 400, SHOWN_MAX = 160 };

struct walk {
	struct arena *arena;
	struct json_difference *differences;
	size_t most, count;
	bool no_memory;
	char pointer[POINTER_MAX];
	size_t length;
};

/* Returns an object or a list as JSON; if that is long, only the number of members. NULL without memory. */
static const char *nested_text(struct walk *walk, const struct node *node)
{
	bool object = node->kind == NODE_OBJECT;
	struct json_writer writer;
	struct buffer out;
	const char *text;

	buffer_init(&out, SHOWN_MAX);
	json_writer_init(&writer, &out);
	decode_write(node, &writer);
	text = out.failed ? arena_printf(walk->arena, object ? "an object of %u members" : "a list of %u", node->length)
					  : arena_strndup(walk->arena, out.bytes, out.length);
	buffer_release(&out);
	return text;
}

/* Returns a short text of a value, as JSON. NULL if the value is absent. */
static const char *value_text(struct walk *walk, const struct node *node)
{
	char digits[JSON_NUMBER_SIZE];
	const char *text = NULL;

	if (!node)
		return NULL;
	switch (node->kind) {
	case NODE_OBJECT:
	case NODE_LIST:
		text = nested_text(walk, node);
		break;
	case NODE_TEXT:
		text = arena_printf(walk->arena, "\"%.*s%s\"", SHOWN_MAX, node->text, node->length > SHOWN_MAX ? "..." : "");
		break;
	case NODE_INTEGER:
		text = arena_printf(walk->arena, "%lld", (long long)node->integer);
		break;
	case NODE_REAL: /* as written, unless that does not show the difference */
		(void)json_format_double(digits, node->real);
		text = strtod(digits, NULL) == node->real ? arena_strdup(walk->arena, digits) : arena_printf(walk->arena, "%.17g", node->real);
		break;
	case NODE_TRUE:
	case NODE_FALSE:
	case NODE_NULL:
		text = node->kind == NODE_NULL ? "null" : node->kind == NODE_TRUE ? "true" : "false";
		break;
	case NODE_KIND_COUNT:
		break;
	}
	walk->no_memory |= !text;
	return text;
}

static void add_difference(struct walk *walk, const struct node *before, const struct node *after)
{
	struct json_difference *difference = &walk->differences[walk->count];

	if (walk->count++ >= walk->most)
		return;
	*difference = (struct json_difference){.pointer = arena_strndup(walk->arena, walk->pointer, walk->length),
		.before = value_text(walk, before),
		.after = value_text(walk, after)};
	walk->no_memory |= !difference->pointer;
}

/* Appends one step to the pointer and cuts what does not fit. Returns the pointer's previous length. */
static size_t enter_member(struct walk *walk, const char *key, size_t index)
{
	size_t from = walk->length;
	int wrote = key ? snprintf(walk->pointer + from, POINTER_MAX - from, "/%s", key)
					: snprintf(walk->pointer + from, POINTER_MAX - from, "/%zu", index);

	walk->length = wrote > 0 && from + (size_t)wrote < POINTER_MAX ? from + (size_t)wrote : from;
	return from;
}

static bool scalars_equal(const struct node *a, const struct node *b)
{
	if (a->kind == NODE_TEXT)
		return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
	if (node_is_number(a)) {
		double left = node_number(a), right = node_number(b);

		return left >= right && left <= right;
	}
	return true;
}

static void compare_nodes(struct walk *walk, const struct node *a, const struct node *b);

static void compare_members(struct walk *walk, const struct node *a, const struct node *b)
{
	for (const struct node *member = a->first; member; member = member->next) {
		size_t from = enter_member(walk, member->key, 0);

		if (strcmp(member->key, "elapsed_ms") != 0)
			compare_nodes(walk, member, node_named(b->first, member->key));
		walk->length = from;
	}
	for (const struct node *member = b->first; member; member = member->next) {
		size_t from = enter_member(walk, member->key, 0);

		if (!node_named(a->first, member->key))
			add_difference(walk, NULL, member);
		walk->length = from;
	}
}

static void compare_elements(struct walk *walk, const struct node *a, const struct node *b)
{
	const struct node *left = a->first, *right = b->first;

	for (size_t i = 0; left || right; i++) {
		size_t from = enter_member(walk, NULL, i);

		if (left)
			compare_nodes(walk, left, right);
		else
			add_difference(walk, NULL, right);
		walk->length = from;
		left = left ? left->next : NULL;
		right = right ? right->next : NULL;
	}
}

static void compare_nodes(struct walk *walk, const struct node *a, const struct node *b)
{
	bool numbers = b && node_is_number(a) && node_is_number(b);

	if (!b || (a->kind != b->kind && !numbers))
		add_difference(walk, a, b);
	else if (a->kind == NODE_OBJECT)
		compare_members(walk, a, b);
	else if (a->kind == NODE_LIST)
		compare_elements(walk, a, b);
	else if (!scalars_equal(a, b))
		add_difference(walk, a, b);
}

enum status api_json_differences(const struct json_text *before, const struct json_text *after, struct arena *arena,
	struct json_difference *differences, size_t most, size_t *count, struct failure *failure)
{
	struct walk walk = {.arena = arena, .differences = differences, .most = most};
	struct node *a = NULL, *b = NULL;
	enum status status = decode_parse(before->text, before->length, arena, &a, failure);

	*count = 0;
	if (status == STATUS_OK)
		status = decode_parse(after->text, after->length, arena, &b, failure);
	if (status != STATUS_OK)
		return status == STATUS_NO_MEMORY ? status : failure_set(failure, STATUS_INTERNAL, "the stored content of a plan is not JSON");
	compare_nodes(&walk, a, b);
	*count = walk.count;
	return walk.no_memory ? failure_set(failure, STATUS_NO_MEMORY, "no memory to compare two answers") : STATUS_OK;
}

/* NOLINTEND(misc-no-recursion) */
