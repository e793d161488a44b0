/* Texts of many rows: the same ones are kept once, as most cells of a file say what the row before said. Only for api/. */
#ifndef FLEETPLAN_SCHEMA_ROW_TEXTS_H
#define FLEETPLAN_SCHEMA_ROW_TEXTS_H

#include "schema/node.h"

enum { ROW_TEXTS_SLOTS = 4096, ROW_TEXTS_LENGTH_MAX = 200 };

struct row_texts {
	const char *slots[ROW_TEXTS_SLOTS]; /* what was kept last of each hash */
};

/* A copy that lives in the arena, perhaps shared; NULL when it is exhausted. */
const char *row_texts_keep(struct row_texts *texts, struct arena *kept, const char *text, size_t length);

/* A node in `scratch` of such a text; NULL without memory. */
struct node *row_texts_node(struct row_texts *texts, struct arena *kept, struct arena *scratch, const char *text, size_t length);

/* The items of a cell, parted by spaces, as a list; its nodes in `scratch`. NULL without memory. */
struct node *row_texts_list(struct row_texts *texts, struct arena *kept, struct arena *scratch, const char *cell);

/* Without the apostrophe that csv_text() puts before a formula. */
const char *row_texts_unguarded(const char *cell);

#endif
