/* Structs <-> columns by tables, so that no statement has binding code of its own.
 *
 * A map lists a struct's members with the column (or parameter) that holds each; the kind follows from the member's
 * type, and a type that cannot be stored does not compile. A prepared statement knows for each of its parameters and
 * result columns which row of the map it is (statements.h). Absent members (given.h) are NULL. */
#ifndef FLEETPLAN_STORAGE_SQLITE_COLUMNS_H
#define FLEETPLAN_STORAGE_SQLITE_COLUMNS_H

#include <sqlite3.h>

#include "base/arena.h"
#include "base/given.h"
#include "hwdb/catalogue/catalogue.h"
#include "planner/precision.h"

enum column_kind {
	COLUMN_TEXT,
	COLUMN_COUNT,     /* int64_t, absent -1 */
	COLUMN_MOMENT,    /* int64_t, absent 0 */
	COLUMN_NUMBER,    /* double, absent NaN */
	COLUMN_TRUTH,     /* bool */
	COLUMN_JSON,      /* struct json_text */
	COLUMN_LIST,      /* struct text_list, one item a line */
	COLUMN_PRECISION, /* by name */
	COLUMN_CONFLICTS, /* struct conflict_list, a line each, members between tabs */
	COLUMN_DIGEST     /* 32 bytes, absent all zero */
};

enum { DIGEST_BYTES = 32, COLUMNS_MAX = 64 };

struct column {
	const char *name;
	enum column_kind kind;
	size_t offset;
};

struct column_map {
	const struct column *columns;
	size_t count;
	size_t struct_size;
	const char *noun;            /* of a row, where its table has a row_checksum; NULL: it has none */
	const char *const *unsealed; /* columns that are not under it; NULL ends them */
	const char *const *later;    /* columns that later versions brought: under it where they are not absent, so that rows of before keep theirs; may be NULL */
	const char *long_text, *long_checksum; /* a column that lists do not read, and the one that holds its checksum; NULL: none */
};

#define COLUMN_KIND_OF(member) \
	_Generic((member), const char *: COLUMN_TEXT, int64_t: COLUMN_COUNT, double: COLUMN_NUMBER, bool: COLUMN_TRUTH, \
		struct json_text: COLUMN_JSON, struct text_list: COLUMN_LIST, struct conflict_list: COLUMN_CONFLICTS, enum precision: COLUMN_PRECISION, \
		unsigned char *: COLUMN_DIGEST)
#define COLUMN(type, member, name_) {(name_), COLUMN_KIND_OF(((type *)0)->member), offsetof(type, member)}
#define COLUMN_MAP(columns_, type) {(columns_), COUNT_OF(columns_), sizeof(type), NULL, NULL, NULL, NULL, NULL}
#define SEALED_MAP(columns_, type, noun_, unsealed_) {(columns_), COUNT_OF(columns_), sizeof(type), (noun_), (unsealed_), NULL, NULL, NULL}
#define SEALED_MAP_LATER(columns_, type, noun_, unsealed_, later_) {(columns_), COUNT_OF(columns_), sizeof(type), (noun_), (unsealed_), (later_), NULL, NULL}

/* Index of the column of that name, -1 when the map has none. */
int column_find(const struct column_map *map, const char *name);

/* An int of sqlite3. Text is bound as it stands: it must live until the statement is reset. */
int column_bind(sqlite3_stmt *statement, int parameter, const struct column *column, const void *record, struct arena *arena);

/* False when the arena is exhausted. */
bool column_read(sqlite3_stmt *statement, int result, const struct column *column, void *record, struct arena *arena);

/* Of a long text: ABSENT_COUNT of none. */
int64_t long_text_checksum(const struct json_text *text);

/* Whether a column is under the row's checksum. */
bool column_is_sealed(const struct column_map *map, const char *name);

/* Over all members but the unsealed ones, as they are stored: never negative. */
int64_t columns_checksum(const struct column_map *map, const void *record);

/* Makes every member of the map absent. */
void columns_clear(const struct column_map *map, void *record);

/* Whether all members are equal, except those of the `ignored` names (NULL ends the list). */
bool columns_equal(const struct column_map *map, const void *a, const void *b, const char *const *ignored);

#endif
