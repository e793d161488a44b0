/* Copies between structs and columns by tables, so that no statement needs its own binding code.
 *
 * A map lists a struct's members with the column (or parameter) of each; the member's type gives the kind, and a type
 * that cannot be stored does not compile. A prepared statement knows the map's row for each of its parameters and
 * result columns (statements.h). Absent members (given.h) are NULL. */
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
	const char *noun;            /* name of a row in messages, if its table has a row_checksum; NULL: no checksum */
	const char *const *unsealed; /* columns outside the checksum; NULL ends them */
	const char *const *later; /* columns of later versions: in the checksum only if not absent, so that older rows keep theirs; may be NULL */
	const char *long_text, *long_checksum; /* a column that lists do not read, and the column of its checksum; NULL: none */
};

#define COLUMN_KIND_OF(member) \
	_Generic((member), const char *: COLUMN_TEXT, int64_t: COLUMN_COUNT, double: COLUMN_NUMBER, bool: COLUMN_TRUTH, \
		struct json_text: COLUMN_JSON, struct text_list: COLUMN_LIST, struct conflict_list: COLUMN_CONFLICTS, enum precision: COLUMN_PRECISION, \
		unsigned char *: COLUMN_DIGEST)
#define COLUMN(type, member, name_) \
	{ \
		(name_), COLUMN_KIND_OF(((type *)0)->member), offsetof(type, member) \
	}
#define COLUMN_MAP(columns_, type) \
	{ \
		(columns_), COUNT_OF(columns_), sizeof(type), NULL, NULL, NULL, NULL, NULL \
	}
#define SEALED_MAP(columns_, type, noun_, unsealed_) \
	{ \
		(columns_), COUNT_OF(columns_), sizeof(type), (noun_), (unsealed_), NULL, NULL, NULL \
	}
#define SEALED_MAP_LATER(columns_, type, noun_, unsealed_, later_) \
	{ \
		(columns_), COUNT_OF(columns_), sizeof(type), (noun_), (unsealed_), (later_), NULL, NULL \
	}

/* Returns the index of a column, -1 if the map does not have it. */
int column_find(const struct column_map *map, const char *name);

/* Binds a column and returns a result code of sqlite3. Text is bound without a copy: it must live until the statement
 * is reset. */
int column_bind(sqlite3_stmt *statement, int parameter, const struct column *column, const void *record, struct arena *arena);

/* Reads a column; false if the arena is exhausted. */
bool column_read(sqlite3_stmt *statement, int result, const struct column *column, void *record, struct arena *arena);

/* Returns the checksum of a long text; ABSENT_COUNT without text. */
int64_t long_text_checksum(const struct json_text *text);

/* True if the row's checksum includes the column. */
bool column_is_sealed(const struct column_map *map, const char *name);

/* Returns the checksum over all members except the unsealed ones, as stored: never negative. */
int64_t columns_checksum(const struct column_map *map, const void *record);

/* Makes every member of the map absent. */
void columns_clear(const struct column_map *map, void *record);

/* True if all members are equal, except the `ignored` ones (NULL ends the list). */
bool columns_equal(const struct column_map *map, const void *a, const void *b, const char *const *ignored);

#endif
