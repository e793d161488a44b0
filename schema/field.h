/* Field tables: one row for each member. Decoding, encoding, error texts, JSON Schema, CSV and docs/fields.md use it.
 *
 * A table lives in api/tables/<noun>.c and is declared in api/tables/tables.h:
 *
 *     #define OF struct site_request
 *     static const struct field site_rows[] = {
 *         TEXT(region, 64, "Region of the provider", .example = "us-east-1"),
 *         NUMBER(pue, 1, 3, "Power usage effectiveness of the building"),
 *     };
 *     TABLE(site_request, site_rows, "The building of the accelerators.");
 *     #undef OF
 *
 * To add a field, add the member to the struct and add its row. A row whose member has another type does not compile.
 * The key is the member's name, and its last word is the unit; an _AS row names the key. After the doc, other members
 * of struct field may follow (.fallback, .flags, .example, ...). base/given.h: the values of absent members. */
#ifndef FLEETPLAN_SCHEMA_FIELD_H
#define FLEETPLAN_SCHEMA_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "schema/record.h"

/*               the member's C type, and its form in JSON */
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
	FIELD_VALUE,   /* a double, or a text if the double is absent; written only */
	FIELD_TEXTS,   /* struct text_list */
	FIELD_NUMBERS, /* struct number_list */
	FIELD_SHARES,  /* double[] indexed by an enum: {words[i]: number} without zeros; written only */
	FIELD_TUPLES,  /* T *items, each a list of `width` numbers; decoded only */
	FIELD_LABELS,  /* struct json_text: a map of text to text */
	FIELD_WORDS,   /* struct json_text: one word or a list of words */
	FIELD_JSON,    /* struct json_text: any object; with `table`: text that this table wrote */
	FIELD_OBJECT,  /* a struct, described by `table` */
	FIELD_MERGE,   /* a struct whose members are the parent's own */
	FIELD_LIST,    /* struct {T *items; size_t count;} */
	FIELD_ARRAY,   /* T[], and a size_t count at `count_offset`; written only */
	FIELD_MAP,     /* as ARRAY, but an object in JSON; T's first member is the key, a const char * */
	FIELD_KIND_COUNT
};

enum field_flag {
	REQUIRED = 1,
	READ_ONLY = 2,  /* in answers only; rejected in requests */
	WRITE_ONLY = 4, /* in requests only */
	MULTILINE = 8,  /* text may have line breaks and tabs */
	CELL = 32,      /* an array that is one CSV cell: its items as JSON */
	POINTED = 64,   /* MERGE: the member is a pointer to the struct; NULL: no members. Written only */
	NOTE = 16,      /* stored and returned; no figure depends on it (make check-effects) */
	VERBATIM = 64,  /* text as a program wrote it: may have control characters, and be empty if it is not REQUIRED */
	IF_TRUE = 128,  /* a BOOL that is written only if it is true */
	LISTED = 256,   /* a JSON row with `table`: text of a list of the table's objects */
};

/* Bytes of a label's key, of its text, and of a word in WORDS. */
enum { LABEL_KEY_MAX = 63, LABEL_VALUE_MAX = 256, WORD_LENGTH_MAX = 64 };

enum text_form { FORM_FREE, FORM_SLUG, FORM_UUID, FORM_DATE, FORM_MONTH, FORM_MOMENT, FORM_COUNT };

/* A word that means a number: `"concurrency": "max"`. */
struct number_word {
	const char *word;
	double number;
};

struct field {
	const char *key;
	size_t key_length;
	enum field_kind kind;
	unsigned flags;
	size_t offset;
	size_t count_offset;               /* ARRAY, MAP, TUPLES: the count; VALUE: the text; conditional OBJECT: its bool */
	bool conditional;                  /* an OBJECT that is present if that bool is true */
	double minimum, maximum;           /* of a number, a text's length in bytes or a list's length */
	bool open_minimum;                 /* the minimum itself is rejected */
	double item_minimum, item_maximum; /* of the numbers in a list */
	size_t lengths[2];                 /* the allowed lengths of a list; 0: any length */
	size_t width;                      /* numbers of a TUPLES row */
	enum text_form form;
	const char *const *words; /* CHOICE, SHARES: by the enum's value; texts: the allowed words. NULL entries are not allowed */
	size_t word_count;
	struct number_word number_word; /* word NULL: none */
	const struct field_table *table;
	const char *fallback; /* the default, as documentation */
	unsigned parts; /* parts of an answer that the member belongs to, as bits; it is left out if the answer has none of them; 0: always present */
	bool always;                  /* every answer that has the object has the member; the schema lists it as required */
	const char *lean_key;         /* ARRAY: a text of the items; a short list ends before the first that begins with one of lean_ends */
	const char *const *lean_ends; /* the last is NULL */
	size_t lean_items;            /* ARRAY: number of items that stay if its parts are left out */
	const char *example;          /* as JSON */
	const char *doc;              /* a sentence without its full stop */
};

struct decoder;
struct path;

struct field_table {
	const char *name; /* snake_case; the JSON schema's name is the same in PascalCase */
	const char *doc;
	const struct field *rows;
	size_t row_count, size;
	const struct field *shorthand; /* a bare value means the object with only this row; NULL: none */
	const char *const *needs;      /* required keys of merged tables, whose rows are not REQUIRED themselves */
	size_t need_count;
	bool selected; /* a client may choose the members of an answer, so that none is required */
	/* Checks members against each other (decoder_fault()). Called if there are no other faults. NULL: none. */
	void (*check)(struct decoder *decoder, const struct path *path, const void *object);
	/* Has rows for the struct's members that have no row here: field_table_clear() clears these too. NULL: none. */
	const struct field_table *whole;
};

/* Makes every member absent. */
void field_table_clear(const struct field_table *table, void *object);

/* Copies the texts and lists of numbers of a decoded object into another arena. For tables with no other members in an arena. False
 * without memory. */
bool field_table_keep(const struct field_table *table, void *object, struct arena *arena);

/* Finds the row of a key, also in merged tables; NULL: none. Sets *object (which may be NULL) to the struct of the row. */
const struct field *field_find(const struct field_table *table, const char *key, void **object);

/* True if the shorthand is the only row: the object is encoded and described as that value. */
bool field_table_is_bare(const struct field_table *table);

/* The unit that a key ends with: "10^9 bytes/s" for memory_bandwidth_gbs. NULL: a count, a ratio or a text. */
const char *field_unit(const char *key);

/* The unit in seconds of a key that is a time: 0.001 for ttft_ms, 3600 for deadline_hours. 0 for other keys, also
 * for rates. */
double field_time_s(const char *key);

/* --- rows ------------------------------------------------------------------------------------------------------ */
/* The offset of a member. Does not compile if the member has another type. */
#define FIELD_AT(member, type)         (offsetof(OF, member) + 0 * sizeof(char[_Generic(((OF *)0)->member, type : 1)]))
/* The same for a struct and for the items of a list: DECLARE_TABLE declares the struct's type. */
#define FIELD_AT_TABLE(member, nested) FIELD_AT(member, __typeof__(table_##nested##_type))
#define FIELD_AT_ITEM(member, nested) \
	(offsetof(OF, member) + 0 * sizeof(char[_Generic(&((OF *)0)->member[0], __typeof__(table_##nested##_type) * : 1)]))

#define FIELD_ROW(key_, kind_, offset_, ...) \
	{ \
		.key = #key_, .key_length = sizeof #key_ - 1, .kind = FIELD_##kind_, .offset = (offset_), .doc = __VA_ARGS__ \
	}
#define FIELD_RANGE(low, high) .minimum = (low), .maximum = (high)
#define FIELD_WORD_LIST(list)  .words = (list), .word_count = COUNT_OF(list)

/* Numbers. POSITIVE: more than 0. FIGURE: in answers only, without a range. */
#define NUMBER_AS(key, member, low, high, ...) FIELD_ROW(key, NUMBER, FIELD_AT(member, double), __VA_ARGS__, FIELD_RANGE(low, high))
#define NUMBER(member, low, high, ...)         NUMBER_AS(member, member, low, high, __VA_ARGS__)
#define POSITIVE(member, high, ...)            NUMBER(member, 0, high, __VA_ARGS__, .open_minimum = true)
#define FIGURE(member, ...)                    NUMBER(member, -INFINITY, INFINITY, __VA_ARGS__)
#define COUNT(member, low, high, ...)          FIELD_ROW(member, COUNT, FIELD_AT(member, double), __VA_ARGS__, FIELD_RANGE(low, high))
#define HOURS(member, high, ...)               FIELD_ROW(member, HOURS, FIELD_AT(member, double), __VA_ARGS__, FIELD_RANGE(0, high), .open_minimum = true)
#define HOURS_OR_NONE(member, high, ...)       FIELD_ROW(member, HOURS, FIELD_AT(member, double), __VA_ARGS__, FIELD_RANGE(0, high))
#define INTEGER(member, low, high, ...)        FIELD_ROW(member, INTEGER, FIELD_AT(member, int64_t), __VA_ARGS__, FIELD_RANGE(low, high))
#define SIZE_AS(key, member, ...)              FIELD_ROW(key, SIZE, FIELD_AT(member, size_t), __VA_ARGS__, .flags = READ_ONLY)
#define TRUTH(member, ...)                     FIELD_ROW(member, TRUTH, FIELD_AT(member, unsigned), __VA_ARGS__)
#define BOOL(member, ...)                      FIELD_ROW(member, BOOL, FIELD_AT(member, bool), __VA_ARGS__)

/* TEXT: at most `length` bytes. WORD: one of a list of words. CHOICE: an enum with its words. */
#define TEXT(member, length, ...) FIELD_ROW(member, TEXT, FIELD_AT(member, const char *), __VA_ARGS__, FIELD_RANGE(1, length))
#define WORD(member, list, ...)   TEXT(member, 64, __VA_ARGS__, FIELD_WORD_LIST(list))
#define CHOICE(member, list, ...) FIELD_ROW(member, CHOICE, FIELD_AT(member, unsigned), __VA_ARGS__, FIELD_WORD_LIST(list))
#define CHARS(member, ...)        FIELD_ROW(member, CHARS, FIELD_AT(member, char *), __VA_ARGS__, .flags = READ_ONLY)
#define TIME_AS(key, member, ...) FIELD_ROW(key, TIME, FIELD_AT(member, int64_t), __VA_ARGS__)
#define VALUE_AS(key, number, text, ...) \
	FIELD_ROW(key, VALUE, FIELD_AT(number, double), __VA_ARGS__, .count_offset = FIELD_AT(text, const char *), .flags = READ_ONLY)

/* Many values. */
#define TEXTS(member, most, ...) \
	FIELD_ROW(member, TEXTS, FIELD_AT(member, struct text_list), __VA_ARGS__, FIELD_RANGE(1, most), .item_maximum = 128)
#define NUMBERS(member, most, low, high, ...) \
	FIELD_ROW(member, NUMBERS, FIELD_AT(member, struct number_list), __VA_ARGS__, FIELD_RANGE(1, most), .item_minimum = (low), \
		.item_maximum = (high))
#define SHARES(member, list, ...) \
	FIELD_ROW(member, SHARES, FIELD_AT(member, double *), __VA_ARGS__, .flags = READ_ONLY, .words = (list), \
		.word_count = COUNT_OF(list) + 0 * sizeof(char[COUNT_OF(list) == COUNT_OF(((OF *)0)->member) ? 1 : -1]))
#define TUPLES(member, count, most, ...) \
	FIELD_ROW(member, TUPLES, offsetof(OF, member), __VA_ARGS__, FIELD_RANGE(1, most), .flags = WRITE_ONLY, \
		.count_offset = FIELD_AT(count, size_t), .width = sizeof(*((OF *)0)->member) / sizeof(double))
#define LABELS(member, ...) FIELD_ROW(member, LABELS, FIELD_AT(member, struct json_text), __VA_ARGS__, FIELD_RANGE(1, 64))
#define WORDS(member, ...)  FIELD_ROW(member, WORDS, FIELD_AT(member, struct json_text), __VA_ARGS__, FIELD_RANGE(1, 32))

/* Objects. JSON_OF: JSON text that a table has written. MERGE: its members are members of the parent in JSON. */
#define JSON(member, ...)                    FIELD_ROW(member, JSON, FIELD_AT(member, struct json_text), __VA_ARGS__)
#define JSON_OF(member, nested, ...)         JSON(member, __VA_ARGS__, .flags = READ_ONLY, .table = &table_##nested)
#define JSON_LIST_OF(member, nested, ...)    JSON(member, __VA_ARGS__, .flags = READ_ONLY | LISTED, .table = &table_##nested)
#define OBJECT(member, nested, ...)          FIELD_ROW(member, OBJECT, FIELD_AT_TABLE(member, nested), __VA_ARGS__, .table = &table_##nested)
#define OBJECT_IF(member, flag, nested, ...) OBJECT(member, nested, __VA_ARGS__, .count_offset = FIELD_AT(flag, bool), .conditional = true)
#define MERGE(member, nested) \
	{ \
		.key = "", .kind = FIELD_MERGE, .offset = FIELD_AT_TABLE(member, nested), .table = &table_##nested \
	}
/* As MERGE; the member is a pointer to a const struct, or NULL. */
#define MERGE_POINTED(member, nested, ...) \
	{ \
		.key = "", .kind = FIELD_MERGE, .flags = POINTED, .table = &table_##nested, \
		.offset = FIELD_AT(member, const __typeof__(table_##nested##_type) *), __VA_ARGS__ \
	}
#define MERGE_SELF(nested) \
	{ \
		.key = "", .kind = FIELD_MERGE, .table = &table_##nested, \
		.offset = 0 * sizeof(char[_Generic((OF *)0, __typeof__(table_##nested##_type) * : 1)]) \
	}
#define LIST(member, most, nested, ...) \
	FIELD_ROW(member, LIST, offsetof(OF, member) + 0 * FIELD_AT_ITEM(member.items, nested), __VA_ARGS__, FIELD_RANGE(1, most), \
		.table = &table_##nested)
#define ARRAY_AS(key, member, count, nested, ...) \
	FIELD_ROW(key, ARRAY, FIELD_AT_ITEM(member, nested), __VA_ARGS__, .count_offset = FIELD_AT(count, size_t), .flags = READ_ONLY, \
		.table = &table_##nested)
#define ARRAY_IN_CELL(key, member, count, nested, ...) \
	FIELD_ROW(key, ARRAY, FIELD_AT_ITEM(member, nested), __VA_ARGS__, .count_offset = FIELD_AT(count, size_t), .flags = READ_ONLY | CELL, \
		.table = &table_##nested)
#define MAP(member, count, nested, ...) MAP_AS(member, member, count, nested, __VA_ARGS__)
#define MAP_AS(key, member, count, nested, ...) \
	FIELD_ROW(key, MAP, FIELD_AT_ITEM(member, nested), __VA_ARGS__, .count_offset = FIELD_AT(count, size_t), .flags = READ_ONLY, \
		.table = &table_##nested)

/* --- tables ---------------------------------------------------------------------------------------------------- */
#define DECLARE_TABLE(name_, type) \
	extern const struct field_table table_##name_; \
	extern type table_##name_##_type /* never defined; gives the rows the type to check */
#define MEMBER_TYPE(type, member) __typeof__(((type *)0)->member)

/* TABLE(name, rows, doc) follows the rows, while OF is defined. Other members of struct field_table may follow the doc. */
#define TABLE(name_, rows_, ...) \
	_Static_assert(_Generic((OF *)0, __typeof__(table_##name_##_type) * : 1), "rows of another struct"); \
	const struct field_table table_##name_ = { \
		.name = #name_, .rows = (rows_), .row_count = COUNT_OF(rows_), .size = sizeof(OF), .doc = __VA_ARGS__}

#endif
