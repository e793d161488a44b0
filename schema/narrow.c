/* Leaves parts out of JSON text that record_encode() wrote. */
#include <string.h>

#include "schema/decode.h"

/* NOLINTBEGIN(misc-no-recursion): as deep as tables nest, which a test bounds. */

static void narrow_object(const struct field_table *table, unsigned omitted, struct node *object);

/* Narrows the nested records of a value: an object, or the items of a list. */
static void narrow_value(const struct field *row, unsigned omitted, struct node *value)
{
	if (row->kind == FIELD_OBJECT && value->kind == NODE_OBJECT)
		narrow_object(row->table, omitted, value);
	for (struct node *item = row->kind == FIELD_ARRAY && value->kind == NODE_LIST ? value->first : NULL; item; item = item->next)
		if (item->kind == NODE_OBJECT)
			narrow_object(row->table, omitted, item);
}

/* True if the list of a short answer ends before this item. */
static bool narrow_ends(const struct field *row, const struct node *item)
{
	const struct node *member = row->lean_key && item->kind == NODE_OBJECT ? node_named(item->first, row->lean_key) : NULL;
	const char *text = member ? node_text(member) : NULL;

	for (const char *const *end = text ? row->lean_ends : NULL; end && *end; end++)
		if (strncmp(text, *end, strlen(*end)) == 0)
			return true;
	return false;
}

static void narrow_list(const struct field *row, struct node *list)
{
	struct node **link = &list->first;

	for (size_t i = 0; i < row->lean_items && *link && !narrow_ends(row, *link); i++)
		link = &(*link)->next;
	*link = NULL;
}

/* Returns the row of a key. Sets *left_out if the row, or a merged table that contains it, has only omitted parts. */
static const struct field *narrow_row(const struct field_table *table, const char *key, unsigned omitted, bool *left_out)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i], *found = row;

		if (row->kind == FIELD_MERGE)
			found = narrow_row(row->table, key, omitted, left_out);
		else if (strcmp(row->key, key) != 0)
			found = NULL;
		if (found) {
			*left_out |= row->parts && (row->parts & ~omitted) == 0;
			return found;
		}
	}
	return NULL;
}

static void narrow_object(const struct field_table *table, unsigned omitted, struct node *object)
{
	for (struct node **link = &object->first; *link;) {
		struct node *member = *link;
		bool left_out = false;
		const struct field *row = narrow_row(table, member->key, omitted, &left_out);

		if (left_out && row->lean_items == 0) {
			*link = member->next;
			continue;
		}
		if (left_out && member->kind == NODE_LIST)
			narrow_list(row, member);
		if (row)
			narrow_value(row, omitted, member);
		link = &member->next;
	}
}

/* NOLINTEND(misc-no-recursion) */

enum status record_narrow(
	const struct field_table *table, unsigned omitted, struct arena *arena, struct json_text *text, struct failure *failure)
{
	struct decoder decoder = {.arena = arena, .failure = failure};
	struct node *tree = NULL;
	enum status status = decode_parse(text->text, text->length, arena, &tree, failure);

	if (status == STATUS_NO_MEMORY)
		return status;
	if (status != STATUS_OK || tree->kind != NODE_OBJECT)
		return failure_set(failure, STATUS_INTERNAL, "the stored text is not a JSON object");
	narrow_object(table, omitted, tree);
	decode_json(&decoder, NULL, tree, text);
	return decoder.no_memory ? STATUS_NO_MEMORY : STATUS_OK;
}
