#include "schema/row_texts.h"

#include <string.h>

#include "schema/record.h"

/* FNV-1a */
static size_t text_hash(const char *text, size_t length)
{
	uint32_t hash = 0x811c9dc5;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x01000193;
	return (hash ^ hash >> 16) % ROW_TEXTS_SLOTS;
}

const char *row_texts_keep(struct row_texts *texts, struct arena *kept, const char *text, size_t length)
{
	const char **slot;

	if (length > ROW_TEXTS_LENGTH_MAX)
		return arena_strndup(kept, text, length);
	slot = &texts->slots[text_hash(text, length)];
	if (!*slot || strncmp(*slot, text, length) != 0 || (*slot)[length] != '\0')
		*slot = arena_strndup(kept, text, length);
	return *slot;
}

struct node *row_texts_node(struct row_texts *texts, struct arena *kept, struct arena *scratch, const char *text, size_t length)
{
	struct node *node = node_new(scratch, NODE_TEXT);

	if (!node)
		return NULL;
	node->text = row_texts_keep(texts, kept, text, length);
	node->length = (uint32_t)length;
	return node->text ? node : NULL;
}

struct node *row_texts_list(struct row_texts *texts, struct arena *kept, struct arena *scratch, const char *cell)
{
	struct node *list = node_new(scratch, NODE_LIST), *last = NULL;

	cell = row_texts_unguarded(cell);
	while (list && *cell) {
		size_t length = strcspn(cell, " ");
		struct node *item = length > 0 ? row_texts_node(texts, kept, scratch, cell, length) : NULL;

		if (length > 0 && !item)
			return NULL;
		if (item) {
			node_append(list, last, item);
			last = item;
		}
		cell += length + (cell[length] == ' ');
	}
	return list;
}

const char *row_texts_unguarded(const char *cell)
{
	return cell[0] == '\'' && csv_is_formula(cell + 1) ? cell + 1 : cell;
}
