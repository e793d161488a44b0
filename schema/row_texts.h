/* Row texts: stores equal texts of many rows once, as most cells repeat a cell of an earlier row. For schema/ only. */
#ifndef FLEETPLAN_SCHEMA_ROW_TEXTS_H
#define FLEETPLAN_SCHEMA_ROW_TEXTS_H

#include "schema/node.h"

enum { ROW_TEXTS_SLOTS = 4096, ROW_TEXTS_LENGTH_MAX = 200 };

struct row_texts {
	const char *slots[ROW_TEXTS_SLOTS]; /* the last stored text of each hash */
};

/* Returns a copy in the arena `kept`, which may be shared. NULL when the arena is exhausted. */
const char *row_texts_keep(struct row_texts *texts, struct arena *kept, const char *text, size_t length);

/* Returns a node in `scratch` with such a text. NULL without memory. */
struct node *row_texts_node(struct row_texts *texts, struct arena *kept, struct arena *scratch, const char *text, size_t length);

/* Returns the items of a cell, separated by spaces, as a list with nodes in `scratch`. NULL without memory. */
struct node *row_texts_list(struct row_texts *texts, struct arena *kept, struct arena *scratch, const char *cell);

/* The cell without the apostrophe that csv_text() puts before a formula. */
const char *row_texts_unguarded(const char *cell);

#endif
