#include "schema/json_schema.h"

/* NOLINTBEGIN(misc-no-recursion): as deep as tables nest, which a test bounds. */

void schema_name(const struct field_table *table, enum schema_use use, char *out, size_t size)
{
	const char *end = use == SCHEMA_PATCH ? "Patch" : "";
	size_t length = 0;
	bool capital = true;

	for (const char *c = table->name; *c && length + 1 < size; c++) {
		if (*c == '_') {
			capital = true;
			continue;
		}
		out[length++] = (char)(capital && *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
		capital = false;
	}
	snprintf(out + length, size - length, "%s", end);
}

void schema_reference(const struct field_table *table, enum schema_use use, struct json_writer *writer)
{
	char name[64], reference[96];

	schema_name(table, use, name, sizeof name);
	snprintf(reference, sizeof reference, "#/components/schemas/%s", name);
	json_key(writer, "$ref");
	json_string(writer, reference);
}

static void schema_type(struct json_writer *writer, const char *type)
{
	json_key(writer, "type");
	json_string(writer, type);
}

/* --- descriptions ---------------------------------------------------------------------------------------------- */
void schema_describe(const struct field *row, struct buffer *out)
{
	const char *unit = field_unit(row->key);

	buffer_append_text(out, row->doc);
	if (unit)
		buffer_printf(out, " (%s)", unit);
	buffer_append_char(out, '.');
	if (row->fallback)
		buffer_printf(out, " Default: %s.", row->fallback);
	if (row->flags & NOTE)
		buffer_append_text(out, " A note: no figure depends on it.");
}

static void schema_description(const struct field *row, struct json_writer *writer)
{
	struct buffer text;

	buffer_init(&text, 4096);
	schema_describe(row, &text);
	json_key(writer, "description");
	json_string_n(writer, text.bytes, text.length);
	buffer_release(&text);
}

/* --- values ---------------------------------------------------------------------------------------------------- */
static void schema_range(const struct field *row, struct json_writer *writer)
{
	if (isfinite(row->minimum)) {
		json_key(writer, row->open_minimum ? "exclusiveMinimum" : "minimum");
		json_double(writer, row->minimum);
	}
	if (isfinite(row->maximum)) {
		json_key(writer, "maximum");
		json_double(writer, row->maximum);
	}
}

static void schema_enum(const char *const *words, size_t count, struct json_writer *writer)
{
	json_key(writer, "enum");
	json_begin_array(writer);
	for (size_t i = 0; i < count; i++) {
		if (words[i])
			json_string(writer, words[i]);
	}
	json_end_array(writer);
}

#define SCHEMA_TIME "[0-9]+(\\.[0-9]*)?([eE][+-]?[0-9]+)?([Mm][Ss]|[SsMmHhDdWw])?$"

/* Writes a number, and the text or the word that may replace it: {anyOf: [number, pattern or const]}. */
static void schema_number(const struct field *row, enum schema_use use, struct json_writer *writer)
{
	static const char *const patterns[FIELD_KIND_COUNT] = {
		[FIELD_COUNT] = "[0-9]+(\\.[0-9]*)?([eE][+-]?[0-9]+)?[KkMmBbGgTtPpEe]?$", [FIELD_HOURS] = SCHEMA_TIME};
	const char *type = row->kind == FIELD_INTEGER ? "integer" : "number";
	const char *time = (row->kind == FIELD_NUMBER || row->kind == FIELD_INTEGER) && field_time_s(row->key) > 0 && !row->number_word.word
		? SCHEMA_TIME
		: NULL;
	const char *pattern = use == SCHEMA_ANSWER ? NULL : time ? time : patterns[row->kind];
	bool zero = row->minimum <= 0 && !row->open_minimum;
	char whole[96];

	if (!pattern && !row->number_word.word) {
		schema_type(writer, type);
		schema_range(row, writer);
		return;
	}
	json_key(writer, "anyOf");
	json_begin_array(writer);
	json_begin_object(writer);
	schema_type(writer, type);
	schema_range(row, writer);
	json_end_object(writer);
	json_begin_object(writer);
	schema_type(writer, "string");
	if (pattern) {
		snprintf(whole, sizeof whole, "^%s%s", zero ? "" : "(?=[0.]*[1-9])", pattern);
		json_key(writer, "pattern");
		json_string(writer, whole);
	} else {
		json_key(writer, "const");
		json_string(writer, row->number_word.word);
	}
	json_end_object(writer);
	json_end_array(writer);
}

/* Texts have no control bytes. MULTILINE texts may have tabs and line breaks. */
#define PLAIN_TEXT     "^[^\\u0000-\\u001f\\u007f]*$"
#define MULTILINE_TEXT "^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$"
#define SLUG_TEXT      "^[A-Za-z0-9][A-Za-z0-9._:-]*$"
#define YEAR_TEXT      "(19[7-9][0-9]|[2-9][0-9]{3})"
#define DATE_TEXT      YEAR_TEXT "-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
#define TIME_TEXT      "[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"

static void schema_text(const struct field *row, double longest, struct json_writer *writer)
{
	static const char *const formats[FORM_COUNT] = {[FORM_UUID] = "uuid"};
	static const char *const patterns[FORM_COUNT] = {[FORM_FREE] = PLAIN_TEXT,
		[FORM_SLUG] = SLUG_TEXT,
		[FORM_UUID] = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
		[FORM_DATE] = "^" DATE_TEXT "$",
		[FORM_MONTH] = "^" YEAR_TEXT "-(0[1-9]|1[0-2])$",
		[FORM_MOMENT] = "^" DATE_TEXT "(" TIME_TEXT ")?$"};

	schema_type(writer, "string");
	if (row->words) {
		schema_enum(row->words, row->word_count, writer);
		return;
	}
	json_key(writer, "minLength");
	json_integer(writer, 1);
	json_key(writer, "maxLength");
	json_double(writer, longest);
	if (formats[row->form]) {
		json_key(writer, "format");
		json_string(writer, formats[row->form]);
	}
	json_key(writer, "pattern");
	json_string(writer, row->flags & MULTILINE ? MULTILINE_TEXT : patterns[row->form]);
}

/* Writes {type: array} with its bounds and the key "items", whose value the caller writes. */
static void schema_list(double least, double most, struct json_writer *writer)
{
	schema_type(writer, "array");
	if (least > 0) {
		json_key(writer, "minItems");
		json_double(writer, least);
	}
	if (most > 0) {
		json_key(writer, "maxItems");
		json_double(writer, most);
	}
	json_key(writer, "items");
}

static void schema_bounded(const char *type, double low, double high, struct json_writer *writer)
{
	json_begin_object(writer);
	schema_type(writer, type);
	json_key(writer, "minimum");
	json_double(writer, low);
	json_key(writer, "maximum");
	json_double(writer, high);
	json_end_object(writer);
}

static void schema_tuples(const struct field *row, struct json_writer *writer)
{
	schema_list(1, row->maximum, writer);
	json_begin_object(writer);
	schema_list((double)row->width, (double)row->width, writer);
	schema_bounded("number", 0, 1e9, writer);
	json_end_object(writer);
}

/* Writes a list of numbers; if the row has lengths, the list has one of these lengths. */
static void schema_numbers(const struct field *row, struct json_writer *writer)
{
	char lengths[160];

	schema_list(row->lengths[0] ? (double)row->lengths[0] : 1, row->maximum, writer);
	schema_bounded("number", row->item_minimum, row->item_maximum, writer);
	if (!row->lengths[1])
		return;
	snprintf(lengths, sizeof lengths, "[{\"maxItems\":%zu},{\"minItems\":%zu}]", row->lengths[0], row->lengths[1]);
	json_key(writer, "anyOf");
	json_raw(writer, lengths, strlen(lengths));
}

/* Writes one word, or a list of words. */
static void schema_words(const struct field *row, struct json_writer *writer)
{
	const struct field word = {.form = FORM_SLUG, .words = row->words, .word_count = row->word_count};

	json_key(writer, "anyOf");
	json_begin_array(writer);
	json_begin_object(writer);
	schema_text(&word, WORD_LENGTH_MAX, writer);
	json_end_object(writer);
	json_begin_object(writer);
	schema_list(1, row->maximum, writer);
	json_begin_object(writer);
	schema_text(&word, WORD_LENGTH_MAX, writer);
	json_end_object(writer);
	json_end_object(writer);
	json_end_array(writer);
}

static void schema_labels(const struct field *row, struct json_writer *writer)
{
	const struct field text = {.form = FORM_FREE};

	schema_type(writer, "object");
	json_key(writer, "maxProperties");
	json_double(writer, row->maximum);
	json_key(writer, "propertyNames");
	json_begin_object(writer);
	schema_text(&text, LABEL_KEY_MAX, writer);
	json_end_object(writer);
	json_key(writer, "additionalProperties");
	json_begin_object(writer);
	schema_text(&text, LABEL_VALUE_MAX, writer);
	json_end_object(writer);
}

static void schema_object_of(const struct field *row, enum schema_use use, struct json_writer *writer)
{
	schema_type(writer, "object");
	json_key(writer, "additionalProperties");
	json_begin_object(writer);
	if (row->kind == FIELD_MAP)
		schema_reference(row->table, use, writer);
	else
		schema_type(writer, "number");
	json_end_object(writer);
}

static void schema_value(const struct field *row, enum schema_use use, struct json_writer *writer);

static void schema_nested(const struct field_table *table, enum schema_use use, struct json_writer *writer)
{
	if (field_table_is_bare(table))
		schema_value(table->shorthand, use, writer);
	else
		schema_reference(table, use, writer);
}

static void schema_items(const struct field *row, enum schema_use use, struct json_writer *writer)
{
	schema_list(row->kind == FIELD_LIST && !(row->flags & READ_ONLY) ? 1 : 0, row->maximum, writer);
	json_begin_object(writer);
	schema_nested(row->table, use, writer);
	json_end_object(writer);
}

static void schema_texts(const struct field *row, struct json_writer *writer)
{
	schema_list(1, row->maximum, writer);
	json_begin_object(writer);
	schema_text(row, row->item_maximum, writer);
	json_end_object(writer);
}

static void schema_time(struct json_writer *writer)
{
	schema_type(writer, "string");
	json_key(writer, "format");
	json_string(writer, "date-time");
}

static void schema_either(struct json_writer *writer)
{
	json_key(writer, "type");
	json_begin_array(writer);
	json_string(writer, "number");
	json_string(writer, "string");
	json_end_array(writer);
}

/* Writes the schema of a list or a map of scalars. */
static void schema_collection(const struct field *row, struct json_writer *writer)
{
	if (row->kind == FIELD_TEXTS)
		schema_texts(row, writer);
	else if (row->kind == FIELD_NUMBERS)
		schema_numbers(row, writer);
	else if (row->kind == FIELD_TUPLES)
		schema_tuples(row, writer);
	else if (row->kind == FIELD_LABELS)
		schema_labels(row, writer);
	else
		schema_words(row, writer);
}

static void schema_json(const struct field *row, enum schema_use use, struct json_writer *writer)
{
	if (row->table)
		schema_reference(row->table, use, writer);
	else
		schema_type(writer, "object");
}

/* Writes type and bounds, without the description. */
static void schema_value(const struct field *row, enum schema_use use, struct json_writer *writer)
{
	switch (row->kind) {
	case FIELD_NUMBER:
	case FIELD_COUNT:
	case FIELD_HOURS:
	case FIELD_INTEGER:
		schema_number(row, use, writer);
		break;
	case FIELD_SIZE:
		schema_type(writer, "integer");
		break;
	case FIELD_TRUTH:
	case FIELD_BOOL:
		schema_type(writer, "boolean");
		break;
	case FIELD_TEXT:
		schema_text(row, row->maximum, writer);
		break;
	case FIELD_CHARS:
		schema_type(writer, "string");
		break;
	case FIELD_TIME:
		schema_time(writer);
		break;
	case FIELD_CHOICE:
		schema_type(writer, "string");
		schema_enum(row->words, row->word_count, writer);
		break;
	case FIELD_VALUE:
		schema_either(writer);
		break;
	case FIELD_TEXTS:
	case FIELD_NUMBERS:
	case FIELD_TUPLES:
	case FIELD_LABELS:
	case FIELD_WORDS:
		schema_collection(row, writer);
		break;
	case FIELD_SHARES:
	case FIELD_MAP:
		schema_object_of(row, use, writer);
		break;
	case FIELD_JSON:
		schema_json(row, use, writer);
		break;
	case FIELD_OBJECT:
		schema_nested(row->table, use, writer);
		break;
	case FIELD_LIST:
	case FIELD_ARRAY:
		schema_items(row, use, writer);
		break;
	case FIELD_MERGE:
	case FIELD_KIND_COUNT:
		break;
	}
}

/* Writes "default". Only for a row whose documented default is a value (schema_has_default). */
static void schema_default(const struct field *row, struct json_writer *writer)
{
	json_key(writer, "default");
	if (row->kind == FIELD_CHOICE || row->kind == FIELD_TEXT || row->kind == FIELD_WORDS)
		json_string(writer, row->fallback);
	else
		json_raw(writer, row->fallback, strlen(row->fallback));
}

static bool schema_has_default(const struct field *row)
{
	char *end;

	if (!row->fallback)
		return false;
	if (row->kind == FIELD_TRUTH || row->kind == FIELD_WORDS)
		return true;
	for (size_t i = 0; i < row->word_count; i++) {
		if (row->kind != FIELD_TEXTS && row->words[i] && strcmp(row->words[i], row->fallback) == 0)
			return true;
	}
	(void)strtod(row->fallback, &end);
	return *end == '\0';
}

/* Writes description, direction (readOnly, writeOnly), default and example. */
static void schema_notes(const struct field *row, enum schema_use use, struct json_writer *writer)
{
	schema_description(row, writer);
	if (row->flags & (READ_ONLY | WRITE_ONLY)) {
		json_key(writer, row->flags & READ_ONLY ? "readOnly" : "writeOnly");
		json_bool(writer, true);
	}
	if (use == SCHEMA_REQUEST && schema_has_default(row))
		schema_default(row, writer);
	if (row->example) {
		json_key(writer, "examples");
		json_begin_array(writer);
		json_raw(writer, row->example, strlen(row->example));
		json_end_array(writer);
	}
}

void schema_row(const struct field *row, enum schema_use use, struct json_writer *writer)
{
	schema_value(row, use == SCHEMA_PATCH ? SCHEMA_REQUEST : use, writer);
	schema_notes(row, use, writer);
}

/* --- tables ---------------------------------------------------------------------------------------------------- */
static bool schema_is_needed(const struct field_table *table, const char *key)
{
	for (size_t i = 0; i < table->need_count; i++) {
		if (strcmp(table->needs[i], key) == 0)
			return true;
	}
	return false;
}

/* Writes a property. `removable`: in a patch, null removes it. */
static void schema_property(const struct field *row, bool removable, enum schema_use use, struct json_writer *writer)
{
	json_key(writer, row->key);
	json_begin_object(writer);
	if (removable) {
		json_key(writer, "anyOf");
		json_begin_array(writer);
		json_begin_object(writer);
		schema_value(row, SCHEMA_REQUEST, writer);
		json_end_object(writer);
		json_begin_object(writer);
		schema_type(writer, "null");
		json_end_object(writer);
		json_end_array(writer);
		schema_notes(row, use, writer);
	} else {
		schema_row(row, use, writer);
	}
	json_end_object(writer);
}

/* Writes the properties of a table that is `whole` or merged into it. `whole` lists the required keys (needs). */
static void schema_properties(
	const struct field_table *table, const struct field_table *whole, enum schema_use use, struct json_writer *writer)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];
		bool kept = row->flags & (REQUIRED | READ_ONLY) || schema_is_needed(whole, row->key);

		if (row->kind == FIELD_MERGE)
			schema_properties(row->table, whole, use, writer);
		else
			schema_property(row, use == SCHEMA_PATCH && !kept, use, writer);
	}
}

/* Writes each required key; with a NULL writer writes nothing. True if there is a required key. */
static bool schema_required(const struct field_table *table, struct json_writer *writer)
{
	bool any = table->need_count > 0;

	for (size_t i = 0; writer && i < table->need_count; i++)
		json_string(writer, table->needs[i]);
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];

		if (row->kind == FIELD_MERGE) {
			any |= schema_required(row->table, writer);
		} else if (row->flags & REQUIRED) {
			any = true;
			if (writer)
				json_string(writer, row->key);
		}
	}
	return any;
}

static void schema_object(const struct field_table *table, enum schema_use use, struct json_writer *writer)
{
	schema_type(writer, "object");
	json_key(writer, "properties");
	json_begin_object(writer);
	schema_properties(table, table, use, writer);
	json_end_object(writer);
	if (use != SCHEMA_PATCH && schema_required(table, NULL)) {
		json_key(writer, "required");
		json_begin_array(writer);
		schema_required(table, writer);
		json_end_array(writer);
	}
	if (use != SCHEMA_ANSWER) {
		json_key(writer, "additionalProperties");
		json_bool(writer, false);
	}
}

void record_schema(const struct field_table *table, enum schema_use use, struct json_writer *writer)
{
	json_begin_object(writer);
	json_key(writer, "description");
	json_string(writer, table->doc);
	if (table->shorthand) {
		json_key(writer, "anyOf");
		json_begin_array(writer);
		json_begin_object(writer);
		schema_row(table->shorthand, use, writer);
		json_end_object(writer);
		json_begin_object(writer);
		schema_object(table, use, writer);
		json_end_object(writer);
		json_end_array(writer);
	} else {
		schema_object(table, use, writer);
	}
	json_end_object(writer);
}

/* NOLINTEND(misc-no-recursion) */
