/* Field tables: one row a member, from which decode, encode, error text, JSON Schema, CSV and docs/fields.md come.
 *
 * A table lives in api/tables/<noun>.c and is declared in api/tables.h:
 *
 *     #define OF struct site_request
 *     static const struct field site_rows[] = {
 *         TEXT(region, 64, "Region of the provider", .example = "us-east-1"),
 *         NUMBER(pue, 1, 3, "Power usage effectiveness of the building"),
 *     };
 *     TABLE(site_request, site_rows, "Where the accelerators stand.");
 *     #undef OF
 *
 * To add a field: add the member to the struct, add its row; the compiler refuses a row whose member has another type.
 * The key is the member's name, and its last word the unit; an _AS row gives the key itself. After the doc, any
 * further member of struct field may follow (.fallback, .flags, .example, ...). Absent members: planner/given.h. */
#ifndef FLEETPLAN_API_FIELD_H
#define FLEETPLAN_API_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "api/api.h"

/*               member's type, and what it is in JSON */
enum field_kind {
	FIELD_NUMBER,  /* double */
	FIELD_COUNT,   /* double; also text as people write it, "15.6T" */
	FIELD_HOURS,   /* double; also "18h", "30d" */
	FIELD_INTEGER, /* int64_t */
	FIELD_SIZE,    /* size_t, written only */
	FIELD_TRUTH,   /* enum truth */
	FIELD_BOOL,    /* bool, never absent */
	FIELD_TEXT,    /* const char * */
	FIELD_CHARS,   /* char[], written only; "" is absent */
	FIELD_TIME,    /* int64_t microseconds; RFC 3339 text; 0 or less is absent */
	FIELD_CHOICE,  /* an enum; words[value] */
	FIELD_VALUE,   /* a double, or where that is absent a text; written only */
	FIELD_TEXTS,   /* struct text_list */
	FIELD_NUMBERS, /* struct number_list */
	FIELD_SHARES,  /* double[] indexed by an enum, written only: {words[i]: number}, zeros left out */
	FIELD_TUPLES,  /* T *items, an array of `width` numbers each; read only */
	FIELD_LABELS,  /* struct json_text: a map of text to text */
	FIELD_WORDS,   /* struct json_text: one word or a list of words */
	FIELD_JSON,    /* struct json_text: any object; as `table` has written it, where there is one */
	FIELD_OBJECT,  /* a struct, described by `table` */
	FIELD_MERGE,   /* a struct whose members are the parent's own */
	FIELD_LIST,    /* struct {T *items; size_t count;} */
	FIELD_ARRAY,   /* T[] and a size_t count elsewhere, written only */
	FIELD_MAP,     /* the same as an object; T's first member is the key, a const char * */
	FIELD_KIND_COUNT
};

enum field_flag {
	REQUIRED = 1,
	READ_ONLY = 2,  /* answered, refused in requests */
	WRITE_ONLY = 4, /* taken, never answered */
	MULTILINE = 8,  /* text with line breaks and tabs */
};

enum text_form { FORM_FREE, FORM_SLUG, FORM_UUID, FORM_DATE, FORM_MONTH, FORM_MOMENT, FORM_COUNT };

/* A word that stands for a number: `"concurrency": "max"`. */
struct number_word {
	const char *word;
	double number;
};

struct field {
	const char *key;
	enum field_kind kind;
	unsigned flags;
	size_t offset, count_offset; /* count_offset: of ARRAY's and MAP's count, OBJECT's bool that says whether it is there */
	bool conditional;            /* OBJECT: count_offset counts */
	double minimum, maximum;     /* of numbers; of a text's length in bytes; of a list's length */
	bool open_minimum;           /* the minimum itself is refused */
	double item_minimum, item_maximum; /* of the numbers in a list */
	size_t lengths[2];           /* a list has one of these lengths; 0: any */
	size_t width;                /* numbers of a TUPLES row */
	enum text_form form;
	const char *const *words;    /* CHOICE, SHARES: indexed by the enum's value; texts: what is allowed. NULL entries are not */
	size_t word_count;
	struct number_word number_word; /* {NULL}: none */
	const struct field_table *table;
	const char *fallback; /* the default, as documentation */
	const char *example;  /* as JSON */
	const char *doc;      /* a sentence without full stop */
};

struct decoder;
struct path;

struct field_table {
	const char *name; /* snake_case; the schema's name is its PascalCase */
	const char *doc;
	const struct field *rows;
	size_t row_count, size;
	const struct field *shorthand;   /* a bare scalar stands for the object with this row; NULL: none */
	const char *const *needs;        /* keys that a body must have, beside the rows that are REQUIRED; for merged tables */
	size_t need_count;
	void (*check)(struct decoder *decoder, const struct path *path, const void *object); /* of members together; see api/decode.h */
	const struct field_table *whole; /* also names the struct's members that have no row here, so that they become absent */
};

/* Every member absent. */
void field_table_clear(const struct field_table *table, void *object);

/* The row of a key, merged tables included; *object moves to the struct that the row's offset counts from (it may be NULL). */
const struct field *field_find(const struct field_table *table, const char *key, void **object);

/* Whether a table is nothing but its shorthand: written and described as that bare value. */
bool field_table_is_bare(const struct field_table *table);

/* What a key's last words mean, "10^9 bytes per second" for memory_bandwidth_gbs; NULL when it is a count or a ratio. */
const char *field_unit(const char *key);

/* --- rows ------------------------------------------------------------------------------------------------------ */
#define FIELD_AT(member, ...) (offsetof(OF, member) + 0 * sizeof(char[_Generic(((OF *)0)->member, __VA_ARGS__)]))
/* The declaration of a table holds its struct's type in `table_x_type`, which no object file ever contains. */
#define FIELD_AT_TABLE(member, nested_) FIELD_AT(member, __typeof__(table_##nested_##_type): 1)
#define FIELD_AT_ITEM(member, nested_) (offsetof(OF, member) + 0 * sizeof(char[_Generic(&((OF *)0)->member[0], __typeof__(table_##nested_##_type) *: 1)]))

#define NUMBER(member, low, high, ...) {.key = #member, .kind = FIELD_NUMBER, .offset = FIELD_AT(member, double: 1), .minimum = (low), .maximum = (high), .doc = __VA_ARGS__}
#define POSITIVE(member, high, ...) {.key = #member, .kind = FIELD_NUMBER, .offset = FIELD_AT(member, double: 1), .minimum = 0, .open_minimum = true, .maximum = (high), .doc = __VA_ARGS__}
#define FIGURE(member, ...) {.key = #member, .kind = FIELD_NUMBER, .offset = FIELD_AT(member, double: 1), .minimum = -INFINITY, .maximum = INFINITY, .doc = __VA_ARGS__}
#define COUNT(member, low, high, ...) {.key = #member, .kind = FIELD_COUNT, .offset = FIELD_AT(member, double: 1), .minimum = (low), .maximum = (high), .doc = __VA_ARGS__}
#define HOURS(member, high, ...) {.key = #member, .kind = FIELD_HOURS, .offset = FIELD_AT(member, double: 1), .minimum = 0, .open_minimum = true, .maximum = (high), .doc = __VA_ARGS__}
#define INTEGER(member, low, high, ...) {.key = #member, .kind = FIELD_INTEGER, .offset = FIELD_AT(member, int64_t: 1), .minimum = (low), .maximum = (high), .doc = __VA_ARGS__}
#define SIZE_AS(key_, member, ...) {.key = #key_, .kind = FIELD_SIZE, .offset = FIELD_AT(member, size_t: 1), .flags = READ_ONLY, .doc = __VA_ARGS__}
#define TRUTH(member, ...) {.key = #member, .kind = FIELD_TRUTH, .offset = FIELD_AT(member, unsigned: 1), .doc = __VA_ARGS__}
#define BOOL(member, ...) {.key = #member, .kind = FIELD_BOOL, .offset = FIELD_AT(member, bool: 1), .doc = __VA_ARGS__}
#define TEXT(member, length, ...) {.key = #member, .kind = FIELD_TEXT, .offset = FIELD_AT(member, const char *: 1), .minimum = 1, .maximum = (length), .doc = __VA_ARGS__}
#define WORD(member, words_, ...) {.key = #member, .kind = FIELD_TEXT, .offset = FIELD_AT(member, const char *: 1), .minimum = 1, .maximum = 64, .words = (words_), .word_count = COUNT_OF(words_), .doc = __VA_ARGS__}
#define CHARS(member, ...) {.key = #member, .kind = FIELD_CHARS, .offset = FIELD_AT(member, char *: 1), .flags = READ_ONLY, .doc = __VA_ARGS__}
#define TIME_AS(key_, member, ...) {.key = #key_, .kind = FIELD_TIME, .offset = FIELD_AT(member, int64_t: 1), .doc = __VA_ARGS__}
#define CHOICE(member, words_, ...) {.key = #member, .kind = FIELD_CHOICE, .offset = FIELD_AT(member, unsigned: 1), .words = (words_), .word_count = COUNT_OF(words_), .doc = __VA_ARGS__}
#define VALUE_AS(key_, number, text, ...) {.key = #key_, .kind = FIELD_VALUE, .offset = FIELD_AT(number, double: 1), .count_offset = FIELD_AT(text, const char *: 1), .flags = READ_ONLY, .doc = __VA_ARGS__}
#define TEXTS(member, most, ...) {.key = #member, .kind = FIELD_TEXTS, .offset = FIELD_AT(member, struct text_list: 1), .maximum = (most), .item_maximum = 128, .doc = __VA_ARGS__}
#define NUMBERS(member, most, low, high, ...) {.key = #member, .kind = FIELD_NUMBERS, .offset = FIELD_AT(member, struct number_list: 1), .maximum = (most), .item_minimum = (low), .item_maximum = (high), .doc = __VA_ARGS__}
#define SHARES(member, words_, ...) {.key = #member, .kind = FIELD_SHARES, .offset = FIELD_AT(member, double *: 1), .flags = READ_ONLY, .words = (words_), .word_count = COUNT_OF(words_) + 0 * sizeof(char[COUNT_OF(words_) == COUNT_OF(((OF *)0)->member) ? 1 : -1]), .doc = __VA_ARGS__}
#define TUPLES(member, count, most, ...) {.key = #member, .kind = FIELD_TUPLES, .offset = offsetof(OF, member), .count_offset = FIELD_AT(count, size_t: 1), .width = sizeof(*((OF *)0)->member) / sizeof(double), .maximum = (most), .flags = WRITE_ONLY, .doc = __VA_ARGS__}
#define LABELS(member, ...) {.key = #member, .kind = FIELD_LABELS, .offset = FIELD_AT(member, struct json_text: 1), .maximum = 64, .doc = __VA_ARGS__}
#define WORDS(member, ...) {.key = #member, .kind = FIELD_WORDS, .offset = FIELD_AT(member, struct json_text: 1), .maximum = 32, .doc = __VA_ARGS__}
#define JSON(member, ...) {.key = #member, .kind = FIELD_JSON, .offset = FIELD_AT(member, struct json_text: 1), .doc = __VA_ARGS__}
#define JSON_OF(member, nested_, ...) {.key = #member, .kind = FIELD_JSON, .offset = FIELD_AT(member, struct json_text: 1), .flags = READ_ONLY, .table = &table_##nested_, .doc = __VA_ARGS__}
#define OBJECT(member, nested_, ...) {.key = #member, .kind = FIELD_OBJECT, .offset = FIELD_AT_TABLE(member, nested_), .table = &table_##nested_, .doc = __VA_ARGS__}
#define OBJECT_IF(member, flag, nested_, ...) {.key = #member, .kind = FIELD_OBJECT, .offset = FIELD_AT_TABLE(member, nested_), .count_offset = FIELD_AT(flag, bool: 1), .conditional = true, .table = &table_##nested_, .doc = __VA_ARGS__}
#define MERGE(member, nested_) {.key = "", .kind = FIELD_MERGE, .offset = FIELD_AT_TABLE(member, nested_), .table = &table_##nested_}
#define LIST(member, most, nested_, ...) {.key = #member, .kind = FIELD_LIST, .offset = offsetof(OF, member) + 0 * FIELD_AT_ITEM(member.items, nested_), .maximum = (most), .table = &table_##nested_, .doc = __VA_ARGS__}
#define ARRAY_AS(key_, member, count, nested_, ...) {.key = #key_, .kind = FIELD_ARRAY, .offset = FIELD_AT_ITEM(member, nested_), .count_offset = FIELD_AT(count, size_t: 1), .flags = READ_ONLY, .table = &table_##nested_, .doc = __VA_ARGS__}
#define MAP(member, count, nested_, ...) {.key = #member, .kind = FIELD_MAP, .offset = FIELD_AT_ITEM(member, nested_), .count_offset = FIELD_AT(count, size_t: 1), .flags = READ_ONLY, .table = &table_##nested_, .doc = __VA_ARGS__}

/* --- tables ---------------------------------------------------------------------------------------------------- */
#define DECLARE_TABLE(name_, type) \
	extern const struct field_table table_##name_; \
	extern type table_##name_##_type /* never defined: carries the type for the rows' checks */
#define MEMBER_TYPE(type, member) __typeof__(((type *)0)->member)

/* TABLE(name, rows, doc): after the rows, while OF is still the struct. Further members may follow the doc. */
#define TABLE(name_, rows_, ...) \
	_Static_assert(_Generic((OF *)0, __typeof__(table_##name_##_type) *: 1), "rows of another struct"); \
	const struct field_table table_##name_ = {.name = #name_, .rows = (rows_), .row_count = COUNT_OF(rows_), .size = sizeof(OF), .doc = __VA_ARGS__}

#endif
