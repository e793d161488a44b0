#include "storage/sqlite/columns.h"

#include <string.h>

#include "storage/sqlite/checksum.h"
#include "storage/sqlite/conflict_column.h"

int column_find(const struct column_map *map, const char *name)
{
	for (size_t i = 0; i < map->count; i++) {
		if (strcmp(map->columns[i].name, name) == 0)
			return (int)i;
	}
	return -1;
}

static bool digest_absent(const unsigned char *digest)
{
	static const unsigned char zero[DIGEST_BYTES];

	return memcmp(digest, zero, DIGEST_BYTES) == 0;
}

/* Joins a list into one text, one item per line. Lists are short (aliases); items have no line breaks. */
static char *list_join(const struct text_list *list, struct arena *arena)
{
	size_t length = 0, at = 0;
	char *text;

	for (size_t i = 0; i < list->count; i++)
		length += strlen(list->items[i]) + 1;
	text = arena_alloc(arena, length + 1, 1);
	for (size_t i = 0; text && i < list->count; i++) {
		size_t item_length = strlen(list->items[i]);

		memcpy(text + at, list->items[i], item_length);
		at += item_length;
		text[at++] = i + 1 < list->count ? '\n' : '\0';
	}
	return text;
}

static bool list_split(const char *text, struct text_list *list, struct arena *arena)
{
	char *copy = arena_strdup(arena, text), *end;
	size_t count = 1;

	for (const char *c = text; *c; c++)
		count += *c == '\n';
	list->items = ARENA_ARRAY(arena, const char *, count);
	if (!copy || !list->items)
		return false;
	for (list->count = 0; list->count < count; copy = end + 1) {
		end = copy + strcspn(copy, "\n");
		*end = '\0';
		list->items[list->count++] = copy;
	}
	return true;
}

static int bind_text(sqlite3_stmt *statement, int parameter, const char *text, size_t length)
{
	return text ? sqlite3_bind_text64(statement, parameter, text, length, SQLITE_STATIC, SQLITE_UTF8)
				: sqlite3_bind_null(statement, parameter);
}

static int bind_list(sqlite3_stmt *statement, int parameter, const struct text_list *list, struct arena *arena)
{
	const char *text;

	if (list->count == 0)
		return sqlite3_bind_null(statement, parameter);
	text = list_join(list, arena);
	return text ? bind_text(statement, parameter, text, strlen(text)) : SQLITE_NOMEM;
}

static int bind_conflicts(sqlite3_stmt *statement, int parameter, const struct conflict_list *list, struct arena *arena)
{
	const char *text;

	if (list->count == 0)
		return sqlite3_bind_null(statement, parameter);
	text = conflicts_join(list, arena);
	return text ? bind_text(statement, parameter, text, strlen(text)) : SQLITE_NOMEM;
}

int column_bind(sqlite3_stmt *statement, int parameter, const struct column *column, const void *record, struct arena *arena)
{
	const void *member = (const char *)record + column->offset;

	switch (column->kind) {
	case COLUMN_TEXT: {
		const char *text = *(const char *const *)member;
		return bind_text(statement, parameter, text, text ? strlen(text) : 0);
	}
	case COLUMN_COUNT:
	case COLUMN_MOMENT: {
		int64_t value = *(const int64_t *)member, absent = column->kind == COLUMN_COUNT ? ABSENT_COUNT : 0;
		return value == absent ? sqlite3_bind_null(statement, parameter) : sqlite3_bind_int64(statement, parameter, value);
	}
	case COLUMN_NUMBER:
		return sqlite3_bind_double(statement, parameter, *(const double *)member); /* NaN becomes NULL */
	case COLUMN_TRUTH:
		return sqlite3_bind_int(statement, parameter, *(const bool *)member);
	case COLUMN_JSON: {
		const struct json_text *json = member;
		return bind_text(statement, parameter, json->text, json->length);
	}
	case COLUMN_LIST:
		return bind_list(statement, parameter, member, arena);
	case COLUMN_CONFLICTS:
		return bind_conflicts(statement, parameter, member, arena);
	case COLUMN_PRECISION: {
		enum precision precision = *(const enum precision *)member;
		const char *name = precision_name(precision);
		return bind_text(statement, parameter, precision == PRECISION_UNSET ? NULL : name, strlen(name));
	}
	case COLUMN_DIGEST:
		return digest_absent(member) ? sqlite3_bind_null(statement, parameter)
									 : sqlite3_bind_blob(statement, parameter, member, DIGEST_BYTES, SQLITE_STATIC);
	}
	return SQLITE_MISUSE;
}

static void column_clear(const struct column *column, void *record)
{
	void *member = (char *)record + column->offset;

	switch (column->kind) {
	case COLUMN_TEXT:
		*(const char **)member = NULL;
		break;
	case COLUMN_COUNT:
		*(int64_t *)member = ABSENT_COUNT;
		break;
	case COLUMN_MOMENT:
		*(int64_t *)member = 0;
		break;
	case COLUMN_NUMBER:
		*(double *)member = ABSENT_NUMBER;
		break;
	case COLUMN_TRUTH:
		*(bool *)member = false;
		break;
	case COLUMN_JSON:
		*(struct json_text *)member = (struct json_text){0};
		break;
	case COLUMN_LIST:
		*(struct text_list *)member = (struct text_list){0};
		break;
	case COLUMN_CONFLICTS:
		*(struct conflict_list *)member = (struct conflict_list){0};
		break;
	case COLUMN_PRECISION:
		*(enum precision *)member = PRECISION_UNSET;
		break;
	case COLUMN_DIGEST:
		memset(member, 0, DIGEST_BYTES);
		break;
	}
}

void columns_clear(const struct column_map *map, void *record)
{
	for (size_t i = 0; i < map->count; i++)
		column_clear(&map->columns[i], record);
}

static enum precision precision_by_name(const char *name)
{
	for (int i = PRECISION_UNSET; i < PRECISION_COUNT; i++) {
		if (strcmp(precision_name((enum precision)i), name) == 0)
			return (enum precision)i;
	}
	return PRECISION_UNSET;
}

bool column_read(sqlite3_stmt *statement, int result, const struct column *column, void *record, struct arena *arena)
{
	void *member = (char *)record + column->offset;
	const char *text = NULL;
	size_t length = 0;

	column_clear(column, record);
	if (sqlite3_column_type(statement, result) == SQLITE_NULL)
		return true;
	if (column->kind == COLUMN_TEXT || column->kind == COLUMN_JSON || column->kind == COLUMN_LIST || column->kind == COLUMN_CONFLICTS ||
		column->kind == COLUMN_PRECISION) {
		text = (const char *)sqlite3_column_text(statement, result);
		length = (size_t)sqlite3_column_bytes(statement, result);
		if (!text)
			return false;
	}
	switch (column->kind) {
	case COLUMN_TEXT:
		return (*(const char **)member = arena_strndup(arena, text, length)) != NULL;
	case COLUMN_COUNT:
	case COLUMN_MOMENT:
		*(int64_t *)member = sqlite3_column_int64(statement, result);
		return true;
	case COLUMN_NUMBER:
		*(double *)member = sqlite3_column_double(statement, result);
		return true;
	case COLUMN_TRUTH:
		*(bool *)member = sqlite3_column_int(statement, result) != 0;
		return true;
	case COLUMN_JSON:
		*(struct json_text *)member = (struct json_text){arena_strndup(arena, text, length), length};
		return ((struct json_text *)member)->text != NULL;
	case COLUMN_LIST:
		return list_split(text, member, arena);
	case COLUMN_CONFLICTS:
		return conflicts_split(text, member, arena);
	case COLUMN_PRECISION:
		*(enum precision *)member = precision_by_name(text);
		return true;
	case COLUMN_DIGEST:
		if (sqlite3_column_bytes(statement, result) == DIGEST_BYTES)
			memcpy(member, sqlite3_column_blob(statement, result), DIGEST_BYTES);
		return true;
	}
	return false;
}

static uint64_t add_number(uint64_t hash, double value)
{
	int64_t bits;

	if (isnan(value))
		return checksum_add_string(hash, NULL);
	value += 0.0; /* SQLite does not store the sign of zero */
	memcpy(&bits, &value, sizeof bits);
	return checksum_add_integer(hash, bits);
}

static uint64_t add_column(uint64_t hash, const struct column *column, const void *record)
{
	const void *member = (const char *)record + column->offset;

	switch (column->kind) {
	case COLUMN_TEXT:
		return checksum_add_string(hash, *(const char *const *)member);
	case COLUMN_COUNT:
	case COLUMN_MOMENT:
		return checksum_add_integer(hash, *(const int64_t *)member);
	case COLUMN_NUMBER:
		return add_number(hash, *(const double *)member);
	case COLUMN_TRUTH:
		return checksum_add_integer(hash, *(const bool *)member);
	case COLUMN_JSON:
		return checksum_add_text(hash, ((const struct json_text *)member)->text, ((const struct json_text *)member)->length);
	case COLUMN_LIST: {
		const struct text_list *list = member;
		for (size_t i = 0; i < list->count; i++)
			hash = checksum_add_string(hash, list->items[i]);
		return checksum_add_integer(hash, (int64_t)list->count);
	}
	case COLUMN_CONFLICTS: {
		const struct conflict_list *list = member;
		for (size_t i = 0; i < list->count; i++) {
			const struct conflict *conflict = &list->items[i];
			const char *const texts[] = {conflict->field, conflict->source, conflict->source_date, conflict->note};
			for (size_t t = 0; t < COUNT_OF(texts); t++) /* an empty text is stored as NULL */
				hash = checksum_add_string(hash, texts[t] && *texts[t] ? texts[t] : NULL);
			hash = add_number(hash, conflict->value);
		}
		return checksum_add_integer(hash, (int64_t)list->count);
	}
	case COLUMN_PRECISION:
		return checksum_add_string(hash, precision_name(*(const enum precision *)member));
	case COLUMN_DIGEST:
		return checksum_add_text(hash, member, DIGEST_BYTES);
	}
	return hash;
}

static bool is_among(const char *const *names, const char *name)
{
	while (names && *names && strcmp(*names, name) != 0)
		names++;
	return names && *names;
}

/* Adds a column with its name, because the column may be absent. */
static uint64_t add_later(uint64_t hash, const struct column *column, const void *record)
{
	const void *member = (const char *)record + column->offset;
	bool there = column->kind == COLUMN_COUNT ? *(const int64_t *)member != ABSENT_COUNT : *(const char *const *)member != NULL;

	CHECK(column->kind == COLUMN_TEXT || column->kind == COLUMN_JSON ||
		column->kind == COLUMN_COUNT); /* these structs begin with the address of the text */
	return there ? add_column(checksum_add_string(hash, column->name), column, record) : hash;
}

int64_t long_text_checksum(const struct json_text *text)
{
	return text->text ? checksum_of(checksum_add_text(0, text->text, text->length)) : ABSENT_COUNT;
}

bool column_is_sealed(const struct column_map *map, const char *name)
{
	return map->noun && column_find(map, name) >= 0 && !is_among(map->unsealed, name);
}

int64_t columns_checksum(const struct column_map *map, const void *record)
{
	uint64_t hash = checksum_add_string(0, map->noun);

	for (size_t i = 0; i < map->count; i++) {
		const struct column *column = &map->columns[i];

		if (is_among(map->later, column->name))
			hash = add_later(hash, column, record);
		else if (!is_among(map->unsealed, column->name))
			hash = add_column(hash, column, record);
	}
	return checksum_of(hash);
}

static bool texts_equal(const char *a, size_t a_length, const char *b, size_t b_length)
{
	if (!a || !b)
		return a == b;
	return a_length == b_length && memcmp(a, b, a_length) == 0;
}

static bool lists_equal(const struct text_list *a, const struct text_list *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	}
	return true;
}

static bool column_equal(const struct column *column, const void *a_record, const void *b_record)
{
	const void *a = (const char *)a_record + column->offset, *b = (const char *)b_record + column->offset;

	switch (column->kind) {
	case COLUMN_TEXT: {
		const char *x = *(const char *const *)a, *y = *(const char *const *)b;
		return texts_equal(x, x ? strlen(x) : 0, y, y ? strlen(y) : 0);
	}
	case COLUMN_COUNT:
	case COLUMN_MOMENT:
		return *(const int64_t *)a == *(const int64_t *)b;
	case COLUMN_NUMBER: {
		double x = *(const double *)a, y = *(const double *)b;
		return isnan(x) ? isnan(y) : x >= y && x <= y;
	}
	case COLUMN_TRUTH:
		return *(const bool *)a == *(const bool *)b;
	case COLUMN_JSON: {
		const struct json_text *x = a, *y = b;
		return texts_equal(x->text, x->length, y->text, y->length);
	}
	case COLUMN_LIST:
		return lists_equal(a, b);
	case COLUMN_CONFLICTS:
		return conflicts_equal(a, b);
	case COLUMN_PRECISION:
		return *(const enum precision *)a == *(const enum precision *)b;
	case COLUMN_DIGEST:
		return memcmp(a, b, DIGEST_BYTES) == 0;
	}
	return false;
}

bool columns_equal(const struct column_map *map, const void *a, const void *b, const char *const *ignored)
{
	for (size_t i = 0; i < map->count; i++) {
		const char *const *name = ignored;

		while (*name && strcmp(*name, map->columns[i].name) != 0)
			name++;
		if (!*name && !column_equal(&map->columns[i], a, b))
			return false;
	}
	return true;
}
