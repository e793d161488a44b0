#include "storage/sqlite/conflict_column.h"

#include <stdlib.h>
#include <string.h>

enum { MEMBERS = 5 };

static const char *or_nothing(const char *text)
{
	return text ? text : "";
}

const char *conflicts_join(const struct conflict_list *list, struct arena *arena)
{
	const char *text = "";

	for (size_t i = 0; text && i < list->count; i++) {
		const struct conflict *conflict = &list->items[i];

		text = arena_printf(arena, "%s%s%s\t%.17g\t%s\t%s\t%s", text, i ? "\n" : "", or_nothing(conflict->field), conflict->value,
			or_nothing(conflict->source), or_nothing(conflict->source_date), or_nothing(conflict->note));
	}
	return text;
}

/* Splits a line into its members, in place; false if their number is wrong. */
static bool line_cut(char *line, const char *members[MEMBERS])
{
	for (int i = 0; i < MEMBERS; i++) {
		char *end = line + strcspn(line, "\t");

		if ((*end == '\0') != (i == MEMBERS - 1))
			return false;
		*end = '\0';
		members[i] = *line ? line : NULL;
		line = end + 1;
	}
	return members[0] && members[1];
}

bool conflicts_split(const char *text, struct conflict_list *list, struct arena *arena)
{
	char *copy = arena_strdup(arena, text), *next;
	const char *members[MEMBERS];
	size_t count = 1;

	for (const char *c = text; *c; c++)
		count += *c == '\n';
	*list = (struct conflict_list){ARENA_ARRAY(arena, struct conflict, count), 0};
	if (!copy || !list->items)
		return false;
	for (; copy; copy = next) {
		next = strchr(copy, '\n');
		if (next)
			*next++ = '\0';
		if (line_cut(copy, members))
			list->items[list->count++] = (struct conflict){members[0], strtod(members[1], NULL), members[2], members[3], members[4]};
	}
	return true;
}

static bool texts_equal(const char *a, const char *b)
{
	return strcmp(or_nothing(a), or_nothing(b)) == 0;
}

bool conflicts_equal(const struct conflict_list *a, const struct conflict_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct conflict *x = &a->items[i], *y = &b->items[i];

		if (!texts_equal(x->field, y->field) || !(x->value >= y->value && x->value <= y->value) || !texts_equal(x->source, y->source) ||
			!texts_equal(x->source_date, y->source_date) || !texts_equal(x->note, y->note))
			return false;
	}
	return true;
}
