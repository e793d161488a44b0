#include "schema/node.h"

#include <string.h>

struct node *node_new(struct arena *arena, enum node_kind kind)
{
	struct node *node = ARENA_NEW(arena, struct node);

	if (node)
		node->kind = kind;
	return node;
}

struct node *node_new_text(struct arena *arena, const char *text)
{
	struct node *node = node_new(arena, NODE_TEXT);
	size_t length = strlen(text);

	if (!node)
		return NULL;
	node->text = arena_strndup(arena, text, length);
	node->length = (uint32_t)length;
	return node->text ? node : NULL;
}

void node_append(struct node *parent, struct node *last, struct node *child)
{
	*(last ? &last->next : &parent->first) = child;
	parent->length++;
}

const struct node *node_named(const struct node *first, const char *key)
{
	while (first && (first->key[0] != key[0] || strcmp(first->key, key) != 0))
		first = first->next;
	return first;
}

const char *node_text(const struct node *node)
{
	return node && node->kind == NODE_TEXT ? node->text : NULL;
}

bool node_is_number(const struct node *node)
{
	return node->kind == NODE_INTEGER || node->kind == NODE_REAL;
}

double node_number(const struct node *node)
{
	if (node->kind == NODE_INTEGER)
		return (double)node->integer;
	return node->kind == NODE_REAL ? node->real : 0;
}
