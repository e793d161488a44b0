/* JSON tree: nodes in the request's arena. The arena frees them. For schema/ and api/ only.
 *
 * A node has 32 bytes, two fit in a cache line. A tree allocates only nodes and texts: jansson's tree of one body costs
 * a hundred calls of malloc and of free. Members and elements are linked in the order of the text. */
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
		const char *text;   /* NODE_TEXT: `length` bytes of UTF-8 without NUL, and a NUL */
		int64_t integer;
		double real;
	};
	uint32_t length; /* number of bytes, members or elements */
	enum node_kind kind;
};

/* Creates a node without content. NULL when the arena is exhausted. */
struct node *node_new(struct arena *arena, enum node_kind kind);
struct node *node_new_text(struct arena *arena, const char *text);

/* Appends `child`. `last` is the parent's last child so far; NULL: the parent has none. */
void node_append(struct node *parent, struct node *last, struct node *child);

/* Finds the first node with this key, from `first` (which may be NULL) on. NULL: none. */
const struct node *node_named(const struct node *first, const char *key);

/* The text of a NODE_TEXT; NULL for other kinds and for NULL. */
const char *node_text(const struct node *node);

bool node_is_number(const struct node *node);
double node_number(const struct node *node); /* 0 for other kinds */

#endif
