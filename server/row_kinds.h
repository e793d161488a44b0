/* The four kinds of catalogue rows as a table: what is different about each, so that one set of handlers serves all. */
#ifndef FLEETPLAN_SERVER_ROW_KINDS_H
#define FLEETPLAN_SERVER_ROW_KINDS_H

#include "api/tables/tables.h"
#include "storage/catalogue_rows.h"

struct row_ops {
	enum row_kind kind;
	const char *noun, *path; /* "accelerator", "/v1/accelerators" */
	const struct field_table *table, *query;
	size_t meta_offset, id_offset;
	/* Makes the id of a row that came without one (prices, regions), NULL: it must be given. */
	const char *(*make_id)(struct arena *arena, const void *row);
	/* Physical bounds across fields, and what looks like a known mistake (a sparse or whole-board rate). */
	enum status (*check)(const struct catalogue *catalogue, struct arena *arena, void *row, struct findings *findings, struct failure *failure);
};

extern const struct row_ops row_ops_table[ROW_KIND_COUNT];

struct row_meta *row_meta_of(const struct row_ops *ops, void *row);
const char *row_ops_id(const struct row_ops *ops, void *row);

/* The id that an id or alias means; the text itself when there is no such row. */
const char *row_id_of_name(const struct row_ops *ops, const struct catalogue *catalogue, const char *name);

/* "no accelerator X; the nearest are ..." */
void row_not_found(const struct row_ops *ops, const struct catalogue *catalogue, const char *name, struct failure *failure);

/* A body's id must be the path's, or left out. */
FALLIBLE enum status row_take_path_id(const struct row_ops *ops, void *row, const char *id, struct failure *failure);

/* Origin, source date and id are filled, bounds are checked, warnings noted. */
FALLIBLE enum status row_prepare(const struct row_ops *ops, const struct catalogue *catalogue, struct arena *arena, void *row,
	const char *origin, struct findings *findings, struct failure *failure);

/* The same of a row from a file: it is `imported`, and what it does not say of its source stays unsaid. */
FALLIBLE enum status row_check_import(const struct row_ops *ops, const struct catalogue *catalogue, struct arena *arena, void *row,
	struct findings *findings, struct failure *failure);

/* All rows of the kind in a snapshot, and the one of exactly this id (NULL: none). */
struct row_span {
	const char *items;
	size_t count;
};
struct row_span row_span_of(const struct row_ops *ops, const struct catalogue *catalogue);
const void *row_of_id(const struct row_ops *ops, const struct catalogue *catalogue, const char *id);

struct row_filter row_filter_of(const struct row_ops *ops, const struct catalogue *catalogue, const struct catalogue_query *query);

#endif
