/* A table of the four kinds of catalogue rows, with what is different about each; one set of handlers serves all
 * kinds. */
#ifndef FLEETPLAN_SERVER_ROW_KINDS_H
#define FLEETPLAN_SERVER_ROW_KINDS_H

#include "api/tables/tables.h"
#include "storage/catalogue_rows.h"

struct row_ops {
	enum row_kind kind;
	const char *noun, *path; /* "accelerator", "/v1/accelerators" */
	const struct field_table *table, *query;
	size_t meta_offset, id_offset;
	/* Makes an id for a row without one (prices, regions). NULL: the client must give the id. */
	const char *(*make_id)(struct arena *arena, const void *row);
	/* Checks physical bounds across fields, and warns of values that look like a known mistake (a sparse or whole-board
	 * rate). */
	enum status (*check)(
		const struct catalogue *catalogue, struct arena *arena, void *row, struct findings *findings, struct failure *failure);
};

extern const struct row_ops row_ops_table[ROW_KIND_COUNT];

struct row_meta *row_meta_of(const struct row_ops *ops, void *row);
const char *row_ops_id(const struct row_ops *ops, void *row);

/* Returns the id for an id or alias; returns the text itself if there is no such row. */
const char *row_id_of_name(const struct row_ops *ops, const struct catalogue *catalogue, const char *name);

/* Sets STATUS_NOT_FOUND: "no accelerator X in the catalogue; similar ids: ..." */
void row_not_found(const struct row_ops *ops, const struct catalogue *catalogue, const char *name, struct failure *failure);

/* Sets the row's id to the path's. A fault if the body gives another id. */
FALLIBLE enum status row_take_path_id(const struct row_ops *ops, void *row, const char *id, struct failure *failure);

/* Sets origin, source date and id, checks the bounds and notes the warnings. */
FALLIBLE enum status row_prepare(const struct row_ops *ops, const struct catalogue *catalogue, struct arena *arena, void *row,
	const char *origin, struct findings *findings, struct failure *failure);

/* The same for a row from a file: its origin is `imported`, and source fields that the file leaves out stay empty. */
FALLIBLE enum status row_check_import(const struct row_ops *ops, const struct catalogue *catalogue, struct arena *arena, void *row,
	struct findings *findings, struct failure *failure);

/* The rows of one kind in a snapshot; the row with exactly this id (NULL: none). */
struct row_span {
	const char *items;
	size_t count;
};
struct row_span row_span_of(const struct row_ops *ops, const struct catalogue *catalogue);
const void *row_of_id(const struct row_ops *ops, const struct catalogue *catalogue, const char *id);

struct row_filter row_filter_of(const struct row_ops *ops, const struct catalogue *catalogue, const struct catalogue_query *query);

#endif
