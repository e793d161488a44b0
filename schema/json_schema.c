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

void schema_reference(const struct field_table *table, enum schema_use use, struct schema_writer *writer)
{
	char name[64], reference[96];

	schema_name(table, use, name, sizeof name);
	snprintf(reference, sizeof reference, "#/components/schemas/%s", name);
	json_key(writer->json, "$ref");
	json_string(writer->json, reference);
}

static void schema_type(struct schema_writer *writer, const char *type)
{
	json_key(writer->json, "type");
	json_string(writer->json, type);
}

/* Writes the type of a number with its width: without it, generators make 32-bit numbers, and bytes and FLOPs do not fit. */
static void schema_numeric(struct schema_writer *writer, const char *type)
{
	schema_type(writer, type);
	json_key(writer->json, "format");
	json_string(writer->json, strcmp(type, "integer") == 0 ? "int64" : "double");
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

static void schema_description(const struct field *row, struct schema_writer *writer)
{
	struct buffer text;

	buffer_init(&text, 4096);
	schema_describe(row, &text);
	json_key(writer->json, "description");
	json_string_n(writer->json, text.bytes, text.length);
	buffer_release(&text);
}

/* --- values ---------------------------------------------------------------------------------------------------- */
static void schema_range(const struct field *row, struct schema_writer *writer)
{
	if (isfinite(row->minimum)) {
		bool flag = row->open_minimum && writer->dialect == SCHEMA_OPENAPI_3_0;

		json_key(writer->json, row->open_minimum && !flag ? "exclusiveMinimum" : "minimum");
		json_double(writer->json, row->minimum);
		if (flag) {
			json_key(writer->json, "exclusiveMinimum");
			json_bool(writer->json, true);
		}
	}
	if (isfinite(row->maximum)) {
		json_key(writer->json, "maximum");
		json_double(writer->json, row->maximum);
	}
}

static void schema_enum(const char *const *words, size_t count, struct schema_writer *writer)
{
	json_key(writer->json, "enum");
	json_begin_array(writer->json);
	for (size_t i = 0; i < count; i++) {
		if (words[i])
			json_string(writer->json, words[i]);
	}
	json_end_array(writer->json);
}

#define SCHEMA_COUNT "^[0-9]+(\\.[0-9]*)?([eE][+-]?[0-9]+)?[KkMmBbGgTtPpEe]?$"
#define SCHEMA_TIME  "^[0-9]+(\\.[0-9]*)?([eE][+-]?[0-9]+)?([Mm][Ss]|[SsMmHhDdWw])?$"

static const struct {
	const char *name, *type, *pattern, *doc;
} quantities[] = {
	{"Amount", "number", SCHEMA_COUNT, "A number, or text with a suffix: \"15.6T\"."},
	{"Duration", "number", SCHEMA_TIME, "A number in the field's unit, or text with a unit: \"30d\"."},
	{"WholeDuration", "integer", SCHEMA_TIME, "A whole number in the field's unit, or text with a unit: \"30m\"."},
};

void schema_quantities(struct schema_writer *writer)
{
	for (size_t i = 0; i < COUNT_OF(quantities); i++) {
		json_key(writer->json, quantities[i].name);
		json_begin_object(writer->json);
		json_key(writer->json, "description");
		json_string(writer->json, quantities[i].doc);
		json_key(writer->json, "anyOf");
		json_begin_array(writer->json);
		json_begin_object(writer->json);
		schema_numeric(writer, quantities[i].type);
		json_end_object(writer->json);
		json_begin_object(writer->json);
		schema_type(writer, "string");
		json_key(writer->json, "pattern");
		json_string(writer->json, quantities[i].pattern);
		json_end_object(writer->json);
		json_end_array(writer->json);
		json_end_object(writer->json);
	}
}

/* Writes the reference of a member, which has members beside it (a description). OpenAPI 3.0 ignores what is beside a $ref. */
static void schema_member_reference(const char *name, struct schema_writer *writer)
{
	char reference[112];

	snprintf(reference, sizeof reference, "#/components/schemas/%s", name);
	if (writer->dialect == SCHEMA_OPENAPI_3_0) {
		json_key(writer->json, "allOf");
		json_begin_array(writer->json);
		json_begin_object(writer->json);
	}
	json_key(writer->json, "$ref");
	json_string(writer->json, reference);
	if (writer->dialect == SCHEMA_OPENAPI_3_0) {
		json_end_object(writer->json);
		json_end_array(writer->json);
	}
}

/* Returns the name of the union of a number and its text that a request accepts; NULL: it accepts only the number. A named union is one
 * type of a client; generators invent a name for each union in place. */
static const char *schema_quantity(const struct field *row, enum schema_use use)
{
	bool time = row->kind == FIELD_HOURS ||
		((row->kind == FIELD_NUMBER || row->kind == FIELD_INTEGER) && field_time_s(row->key) > 0 && !row->number_word.word);

	if (use == SCHEMA_ANSWER)
		return NULL;
	if (row->kind == FIELD_COUNT)
		return "Amount";
	return time ? row->kind == FIELD_INTEGER ? "WholeDuration" : "Duration" : NULL;
}

/* Writes a number, or a quantity with its range, or {anyOf: [number, word]}. */
static void schema_number(const struct field *row, enum schema_use use, struct schema_writer *writer)
{
	const char *type = row->kind == FIELD_INTEGER ? "integer" : "number";
	const char *quantity = schema_quantity(row, use);

	if (quantity) {
		schema_member_reference(quantity, writer);
		schema_range(row, writer); /* of the number; the pattern is the text's: not zero */
		if (row->minimum > 0 || row->open_minimum) {
			json_key(writer->json, "pattern");
			json_string(writer->json, "^(?=[0.]*[1-9])");
		}
		return;
	}
	if (!row->number_word.word) {
		schema_numeric(writer, type);
		schema_range(row, writer);
		return;
	}
	json_key(writer->json, "anyOf");
	json_begin_array(writer->json);
	json_begin_object(writer->json);
	schema_numeric(writer, type);
	schema_range(row, writer);
	json_end_object(writer->json);
	json_begin_object(writer->json);
	schema_type(writer, "string");
	schema_enum(&row->number_word.word, 1, writer);
	json_end_object(writer->json);
	json_end_array(writer->json);
}

/* Texts have no control bytes. MULTILINE texts may have tabs and line breaks. */
#define PLAIN_TEXT     "^[^\\u0000-\\u001f\\u007f]*$"
#define MULTILINE_TEXT "^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$"
#define SLUG_TEXT      "^[A-Za-z0-9][A-Za-z0-9._:-]*$"
#define YEAR_TEXT      "(19[7-9][0-9]|[2-9][0-9]{3})"
#define DATE_TEXT      YEAR_TEXT "-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
#define TIME_TEXT      "[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"

static void schema_text(const struct field *row, double longest, struct schema_writer *writer)
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
	json_key(writer->json, "minLength");
	json_integer(writer->json, 1);
	json_key(writer->json, "maxLength");
	json_double(writer->json, longest);
	if (formats[row->form]) {
		json_key(writer->json, "format");
		json_string(writer->json, formats[row->form]);
	}
	json_key(writer->json, "pattern");
	json_string(writer->json, row->flags & MULTILINE ? MULTILINE_TEXT : patterns[row->form]);
}

/* Writes {type: array} with its bounds and the key "items", whose value the caller writes. */
static void schema_list(double least, double most, struct schema_writer *writer)
{
	schema_type(writer, "array");
	if (least > 0) {
		json_key(writer->json, "minItems");
		json_double(writer->json, least);
	}
	if (most > 0) {
		json_key(writer->json, "maxItems");
		json_double(writer->json, most);
	}
	json_key(writer->json, "items");
}

static void schema_bounded(const char *type, double low, double high, struct schema_writer *writer)
{
	json_begin_object(writer->json);
	schema_numeric(writer, type);
	json_key(writer->json, "minimum");
	json_double(writer->json, low);
	json_key(writer->json, "maximum");
	json_double(writer->json, high);
	json_end_object(writer->json);
}

static void schema_tuples(const struct field *row, struct schema_writer *writer)
{
	schema_list(1, row->maximum, writer);
	json_begin_object(writer->json);
	schema_list((double)row->width, (double)row->width, writer);
	schema_bounded("number", 0, 1e9, writer);
	json_end_object(writer->json);
}

/* A list with several allowed lengths is described by the shortest and the longest: generators make a union of an anyOf of lengths. */
static void schema_numbers(const struct field *row, struct schema_writer *writer)
{
	schema_list(row->lengths[0] ? (double)row->lengths[0] : 1, row->maximum, writer);
	schema_bounded("number", row->item_minimum, row->item_maximum, writer);
}

/* Writes one word, or a list of words. */
static void schema_words(const struct field *row, struct schema_writer *writer)
{
	const struct field word = {.form = FORM_SLUG, .words = row->words, .word_count = row->word_count};

	json_key(writer->json, "anyOf");
	json_begin_array(writer->json);
	json_begin_object(writer->json);
	schema_text(&word, WORD_LENGTH_MAX, writer);
	json_end_object(writer->json);
	json_begin_object(writer->json);
	schema_list(1, row->maximum, writer);
	json_begin_object(writer->json);
	schema_text(&word, WORD_LENGTH_MAX, writer);
	json_end_object(writer->json);
	json_end_object(writer->json);
	json_end_array(writer->json);
}

static void schema_labels(const struct field *row, struct schema_writer *writer)
{
	const struct field text = {.form = FORM_FREE};

	schema_type(writer, "object");
	json_key(writer->json, "maxProperties");
	json_double(writer->json, row->maximum);
	if (writer->dialect == SCHEMA_OPENAPI_3_1) {
		json_key(writer->json, "propertyNames");
		json_begin_object(writer->json);
		schema_text(&text, LABEL_KEY_MAX, writer);
		json_end_object(writer->json);
	}
	json_key(writer->json, "additionalProperties");
	json_begin_object(writer->json);
	schema_text(&text, LABEL_VALUE_MAX, writer);
	json_end_object(writer->json);
}

static void schema_object_of(const struct field *row, enum schema_use use, struct schema_writer *writer)
{
	schema_type(writer, "object");
	json_key(writer->json, "additionalProperties");
	json_begin_object(writer->json);
	if (row->kind == FIELD_MAP)
		schema_reference(row->table, use, writer);
	else
		schema_numeric(writer, "number");
	json_end_object(writer->json);
}

static void schema_value(const struct field *row, enum schema_use use, struct schema_writer *writer);

static void schema_member_table(const struct field_table *table, enum schema_use use, struct schema_writer *writer)
{
	char name[64];

	schema_name(table, use, name, sizeof name);
	schema_member_reference(name, writer);
}

static void schema_nested(const struct field_table *table, enum schema_use use, struct schema_writer *writer)
{
	if (field_table_is_bare(table))
		schema_value(table->shorthand, use, writer);
	else
		schema_reference(table, use, writer);
}

static void schema_items(const struct field *row, enum schema_use use, struct schema_writer *writer)
{
	schema_list(row->kind == FIELD_LIST && !(row->flags & READ_ONLY) ? 1 : 0, row->maximum, writer);
	json_begin_object(writer->json);
	schema_nested(row->table, use, writer);
	json_end_object(writer->json);
}

static void schema_texts(const struct field *row, struct schema_writer *writer)
{
	schema_list(1, row->maximum, writer);
	json_begin_object(writer->json);
	schema_text(row, row->item_maximum, writer);
	json_end_object(writer->json);
}

static void schema_time(struct schema_writer *writer)
{
	schema_type(writer, "string");
	json_key(writer->json, "format");
	json_string(writer->json, "date-time");
}

/* Writes a number or a text. Not a list of types: generators read anyOf. */
static void schema_either(struct schema_writer *writer)
{
	json_key(writer->json, "anyOf");
	json_begin_array(writer->json);
	json_begin_object(writer->json);
	schema_numeric(writer, "number");
	json_end_object(writer->json);
	json_begin_object(writer->json);
	schema_type(writer, "string");
	json_end_object(writer->json);
	json_end_array(writer->json);
}

/* Writes the schema of a list or a map of scalars. */
static void schema_collection(const struct field *row, struct schema_writer *writer)
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

static void schema_json(const struct field *row, enum schema_use use, struct schema_writer *writer)
{
	if (row->flags & LISTED) {
		schema_list(0, 0, writer);
		json_begin_object(writer->json);
		schema_reference(row->table, use, writer);
		json_end_object(writer->json);
	} else if (row->table) {
		schema_member_table(row->table, use, writer);
	} else {
		schema_type(writer, "object");
	}
}

/* Writes type and bounds, without the description. */
static void schema_value(const struct field *row, enum schema_use use, struct schema_writer *writer)
{
	switch (row->kind) {
	case FIELD_NUMBER:
	case FIELD_COUNT:
	case FIELD_HOURS:
	case FIELD_INTEGER:
		schema_number(row, use, writer);
		break;
	case FIELD_SIZE:
		schema_numeric(writer, "integer");
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
		if (field_table_is_bare(row->table))
			schema_value(row->table->shorthand, use, writer);
		else
			schema_member_table(row->table, use, writer);
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

/* Writes description, direction (readOnly, writeOnly; not in a schema of answers alone) and example. The default is in the description only: generators treat a member
 * with the keyword `default` as required, or send the default of their day. */
static void schema_notes(const struct field *row, enum schema_use use, struct schema_writer *writer)
{
	schema_description(row, writer);
	if (use != SCHEMA_ANSWER && row->flags & (READ_ONLY | WRITE_ONLY)) {
		json_key(writer->json, row->flags & READ_ONLY ? "readOnly" : "writeOnly");
		json_bool(writer->json, true);
	}
	if (row->example && writer->dialect == SCHEMA_OPENAPI_3_0) {
		json_key(writer->json, "example");
		json_raw(writer->json, row->example, strlen(row->example));
	} else if (row->example) {
		json_key(writer->json, "examples");
		json_begin_array(writer->json);
		json_raw(writer->json, row->example, strlen(row->example));
		json_end_array(writer->json);
	}
}

void schema_row(const struct field *row, enum schema_use use, struct schema_writer *writer)
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
static void schema_property(const struct field *row, bool removable, enum schema_use use, struct schema_writer *writer)
{
	json_key(writer->json, row->key);
	json_begin_object(writer->json);
	if (removable && writer->dialect == SCHEMA_OPENAPI_3_0) {
		schema_row(row, use, writer);
		json_key(writer->json, "nullable");
		json_bool(writer->json, true);
	} else if (removable) {
		json_key(writer->json, "anyOf");
		json_begin_array(writer->json);
		json_begin_object(writer->json);
		schema_value(row, SCHEMA_REQUEST, writer);
		json_end_object(writer->json);
		json_begin_object(writer->json);
		schema_type(writer, "null");
		json_end_object(writer->json);
		json_end_array(writer->json);
		schema_notes(row, use, writer);
	} else {
		schema_row(row, use, writer);
	}
	json_end_object(writer->json);
}

/* Writes the properties of a table that is `whole` or merged into it. `whole` lists the required keys (needs). */
static void schema_properties(
	const struct field_table *table, const struct field_table *whole, enum schema_use use, struct schema_writer *writer)
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

/* True if every answer has the member: the client must give it, or the encoder always writes it (encode_is_present), or the row says
 * that it is always present. A member of a part is absent if the client did not ask for the part. */
static bool schema_is_always(const struct field *row)
{
	if (row->flags & WRITE_ONLY)
		return false;
	if (row->kind == FIELD_ARRAY && row->lean_items > 0)
		return true;
	if (row->parts)
		return false;
	return row->always || row->kind == FIELD_ARRAY || row->kind == FIELD_SHARES || (row->kind == FIELD_BOOL && !(row->flags & IF_TRUE));
}

/* Writes each required key; with a NULL writer writes nothing. True if there is a required key. */
static bool schema_required(
	const struct field_table *table, const struct field_table *whole, enum schema_use use, struct schema_writer *writer)
{
	bool any = false;

	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];
		bool required = row->flags & REQUIRED || schema_is_needed(whole, row->key) || (use == SCHEMA_ANSWER && schema_is_always(row));

		if (row->kind == FIELD_MERGE && (row->parts || row->flags & POINTED)) {
			continue;
		} else if (row->kind == FIELD_MERGE) {
			any |= schema_required(row->table, whole, use, writer);
		} else if (required) {
			any = true;
			if (writer)
				json_string(writer->json, row->key);
		}
	}
	return any;
}

static void schema_object(const struct field_table *table, enum schema_use use, struct schema_writer *writer)
{
	schema_type(writer, "object");
	json_key(writer->json, "properties");
	json_begin_object(writer->json);
	schema_properties(table, table, use, writer);
	json_end_object(writer->json);
	if (use != SCHEMA_PATCH && !(use == SCHEMA_ANSWER && table->selected) && schema_required(table, table, use, NULL)) {
		json_key(writer->json, "required");
		json_begin_array(writer->json);
		schema_required(table, table, use, writer);
		json_end_array(writer->json);
	}
	if (use != SCHEMA_ANSWER) {
		json_key(writer->json, "additionalProperties");
		json_bool(writer->json, false);
	}
}

bool schema_has_object(const struct field_table *table)
{
	return table->shorthand && !field_table_is_bare(table);
}

void schema_table(const struct field_table *table, enum schema_use use, struct schema_writer *writer)
{
	char name[64], reference[112];

	json_begin_object(writer->json);
	json_key(writer->json, "description");
	json_string(writer->json, table->doc);
	if (schema_has_object(table)) {
		schema_name(table, use, name, sizeof name);
		snprintf(reference, sizeof reference, "#/components/schemas/%sObject", name);
		json_key(writer->json, "anyOf");
		json_begin_array(writer->json);
		json_begin_object(writer->json);
		schema_row(table->shorthand, use, writer);
		json_end_object(writer->json);
		json_begin_object(writer->json);
		json_key(writer->json, "$ref");
		json_string(writer->json, reference);
		json_end_object(writer->json);
		json_end_array(writer->json);
	} else {
		schema_object(table, use, writer);
	}
	json_end_object(writer->json);
}

void schema_table_object(const struct field_table *table, enum schema_use use, struct schema_writer *writer)
{
	json_begin_object(writer->json);
	json_key(writer->json, "description");
	json_string(writer->json, table->doc);
	schema_object(table, use, writer);
	json_end_object(writer->json);
}

/* NOLINTEND(misc-no-recursion) */
