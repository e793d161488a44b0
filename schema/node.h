/* JSON as it was read: a tree of nodes in the request's arena, which nobody changes or frees. Only for api/.
 *
 * A node is 32 bytes, two a cache line, and a tree takes no other allocation than its texts: a body's tree in jansson costs
 * a hundred calls of malloc and as many of free. Members and elements are chained in the order of the text. */
#ifndef FLEETPLAN_SCHEMA_NODE_H
#define FLEETPLAN_SCHEMA_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum node_kind { NODE_OBJECT, NODE_LIST, NODE_TEXT, NODE_INTEGER, NODE_REAL, NODE_TRUE, NODE_FALSE, NODE_NULL, NODE_KIND_COUNT };

struct node {
	const char *key;   /* of a member of an object, else NULL */
	struct node *next; /* the member or element after this one */
	union {
		struct node *first; /* NODE_OBJECT, NODE_LIST: NULL when empty */
		const char *text;   /* NODE_TEXT: `length` bytes of UTF-8, none of them NUL, and a NUL */
		int64_t integer;
		double real;
	};
	uint32_t length; /* bytes of text; members; elements */
	enum node_kind kind;
};

/* A node without content; NULL when the arena is exhausted. */
struct node *node_new(struct arena *arena, enum node_kind kind);
struct node *node_new_text(struct arena *arena, const char *text);

/* Puts `child` behind `last`, which is the parent's last child so far or NULL. */
void node_append(struct node *parent, struct node *last, struct node *child);

/* The first of that key among a member and those after it; NULL: none. `first` may be NULL. */
const struct node *node_named(const struct node *first, const char *key);

/* NULL of any other kind, and of no node. */
const char *node_text(const struct node *node);

bool node_is_number(const struct node *node);
double node_number(const struct node *node); /* 0 of any other kind */

#endif
