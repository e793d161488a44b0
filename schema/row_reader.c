#include "schema/row_reader.h"

#include <stdlib.h>

#include "base/spelling.h"
#include "schema/csv_reader.h"
#include "schema/decode.h"
#include "schema/row_splitter.h"
#include "schema/row_texts.h"

enum { ROWS_FIRST = 256, SCRATCH_MAX_BYTES = 16 * 1024 * 1024 };

struct row_reader {
	const struct field_table *table;
	enum row_form form;
	struct csv_reader csv;
	struct row_splitter splitter;
	bool has_header;
	size_t columns;
	const char *names[CSV_READER_COLUMNS_MAX];          /* of the header */
	const struct field *fields[CSV_READER_COLUMNS_MAX]; /* NULL: the column is ignored */

	struct arena kept, scratch; /* kept: texts of all rows; scratch: the current row */
	struct row_texts texts;
	char *rows;
	struct row_place *places;
	size_t count, capacity, seen;
	struct row_fault *faults;
	size_t fault_count, fault_total;
	struct failure failure; /* of the current row */
};

/* --- faults -------------------------------------------------------------------------------------------------------- */

void row_reader_fault(struct row_reader *reader, struct row_place place, const char *column, const char *code, const char *detail)
{
	struct row_fault fault = {.place = place};

	if (reader->fault_total++ >= ROW_FAULTS_MAX)
		return;
	fault.column = arena_strdup(&reader->kept, column);
	fault.code = arena_strdup(&reader->kept, code);
	fault.detail = arena_strdup(&reader->kept, detail);
	if (!reader->faults)
		reader->faults = calloc(ROW_FAULTS_MAX, sizeof *reader->faults);
	if (reader->faults && fault.column && fault.code && fault.detail)
		reader->faults[reader->fault_count++] = fault;
}

const struct row_fault *row_reader_faults(const struct row_reader *reader, size_t *count, size_t *total)
{
	*count = reader->fault_count;
	*total = reader->fault_total;
	return reader->faults;
}

enum status row_reader_failure(const struct row_reader *reader, struct failure *failure)
{
	char pointer[FAULT_POINTER_MAX];

	for (size_t i = 0; i < reader->fault_count; i++) {
		const struct row_fault *fault = &reader->faults[i];
		const char *slash = fault->column[0] ? "/" : "";

		snprintf(pointer, sizeof pointer, "/%u%s%s", fault->place.row, slash, fault->column);
		if (reader->form == ROW_FORM_CSV)
			failure_add(failure, pointer, fault->code, "row %u, line %u: %s", fault->place.row, fault->place.line, fault->detail);
		else
			failure_add(failure, pointer, fault->code, "%s", fault->detail);
	}
	failure->fault_total += reader->fault_total - reader->fault_count;
	failure_summarize(failure);
	return failure->status;
}

void row_reader_faults_of(struct row_reader *reader, struct row_place place, const struct failure *failure)
{
	for (size_t i = 0; i < failure->fault_count; i++)
		row_reader_fault(reader, place, failure->faults[i].pointer[0] ? failure->faults[i].pointer + 1 : "", failure->faults[i].code,
			failure->faults[i].detail);
	reader->fault_total += failure->fault_total - failure->fault_count;
	if (failure->fault_total == 0)
		row_reader_fault(reader, place, "", "malformed", failure->detail);
}

void row_reader_keep(struct row_reader *reader, const bool *good)
{
	size_t size = reader->table->size, kept = 0;

	for (size_t i = 0; i < reader->count; i++) {
		if (!good[i])
			continue;
		if (kept < i)
			memcpy(reader->rows + kept * size, reader->rows + i * size, size);
		reader->places[kept++] = reader->places[i];
	}
	reader->count = kept;
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

static bool make_room(struct row_reader *reader)
{
	size_t capacity = reader->capacity ? reader->capacity * 2 : ROWS_FIRST;
	struct row_place *places;
	char *rows;

	if (reader->count < reader->capacity)
		return true;
	capacity = capacity < ROWS_MAX ? capacity : ROWS_MAX;
	rows = realloc(reader->rows, capacity * reader->table->size);
	if (!rows)
		return false;
	reader->rows = rows;
	places = realloc(reader->places, capacity * sizeof *places);
	if (!places)
		return false;
	reader->places = places;
	reader->capacity = capacity;
	return true;
}

static enum status too_large(struct failure *failure)
{
	return failure_set(failure, STATUS_TOO_LARGE, "the rows need more memory than one import may use; send them in parts");
}

/* A row did not fit: beyond the maximum of an import, or without memory. */
static enum status no_room(const struct row_reader *reader, struct failure *failure)
{
	if (reader->kept.full || reader->scratch.full || row_reader_memory_bytes(reader) > ROWS_MEMORY_MAX_BYTES)
		return too_large(failure);
	return failure_set(failure, STATUS_NO_MEMORY, "no memory for the rows");
}

static enum status take_row(struct row_reader *reader, const struct node *object, struct row_place place, struct failure *failure)
{
	struct decoder decoder = {.arena = &reader->kept, .failure = &reader->failure, .echo = true};
	void *row;

	if (reader->seen++ == ROWS_MAX)
		return failure_set(failure, STATUS_TOO_LARGE, "more than %d rows; send them in parts", ROWS_MAX);
	if (!make_room(reader))
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the rows");
	row = reader->rows + reader->count * reader->table->size;
	field_table_clear(reader->table, row);
	decode_object(&decoder, reader->table, NULL, object, row);
	if (decoder.no_memory || row_reader_memory_bytes(reader) > ROWS_MEMORY_MAX_BYTES)
		return no_room(reader, failure);
	if (reader->failure.fault_total > 0)
		row_reader_faults_of(reader, place, &reader->failure);
	else
		reader->places[reader->count++] = place;
	return STATUS_OK;
}

/* --- JSON ---------------------------------------------------------------------------------------------------------- */

/* Copies the texts of a tree into `kept`. The nodes are freed after the row. */
static bool keep_texts(struct row_reader *reader, struct node *node) /* NOLINT(misc-no-recursion): as deep as JSON may be */
{
	if (node->kind == NODE_TEXT)
		node->text = row_texts_keep(&reader->texts, &reader->kept, node->text, node->length);
	if (node->kind == NODE_TEXT)
		return node->text != NULL;
	if (node->kind == NODE_OBJECT || node->kind == NODE_LIST)
		for (struct node *child = node->first; child; child = child->next)
			if (!keep_texts(reader, child))
				return false;
	return true;
}

static enum status take_element(void *context, const char *text, size_t length, size_t place, size_t line, struct failure *failure)
{
	struct row_reader *reader = context;
	const struct row_place at = {.row = (uint32_t)place, .line = (uint32_t)line};
	struct node *tree = NULL;
	enum status status;

	arena_reset(&reader->scratch);
	failure_clear(&reader->failure);
	if (text[strspn(text, " \t\r\n")] != '{') {
		failure_add(&reader->failure, "", "wrong_type", "should be an object");
		row_reader_faults_of(reader, at, &reader->failure);
		return reader->seen++ < ROWS_MAX ? STATUS_OK : too_large(failure);
	}
	status = decode_parse(text, length, &reader->scratch, &tree, &reader->failure);
	if (status == STATUS_NO_MEMORY)
		return no_room(reader, failure);
	if (status != STATUS_OK || !tree)
		return failure_set(failure, STATUS_MALFORMED, "element %zu, at line %zu: %s", place, line, reader->failure.detail);
	return keep_texts(reader, tree) ? take_row(reader, tree, at, failure) : no_room(reader, failure);
}

/* --- CSV ----------------------------------------------------------------------------------------------------------- */

static void offer_columns(const struct field_table *table, struct spelling *spelling) /* NOLINT(misc-no-recursion): tables nest twice */
{
	for (size_t i = 0; i < table->row_count; i++) {
		if (table->rows[i].kind == FIELD_MERGE)
			offer_columns(table->rows[i].table, spelling);
		else if (!(table->rows[i].flags & READ_ONLY))
			spelling_offer(spelling, table->rows[i].key);
	}
}

static void refuse_column(const struct row_reader *reader, const char *name, struct failure *failure)
{
	struct spelling spelling;
	char nearest[256], pointer[FAULT_POINTER_MAX];

	spelling_init(&spelling, name);
	offer_columns(reader->table, &spelling);
	spelling_list(&spelling, nearest, sizeof nearest);
	snprintf(pointer, sizeof pointer, "/1/%.*s", (int)decode_whole_characters(name, strlen(name) < 60 ? strlen(name) : 60), name);
	failure_add(failure, pointer, "unknown_column", "is not a known column; %s%s", nearest[0] ? "did you mean " : "/docs lists the columns",
		nearest);
}

static bool has_column(const struct row_reader *reader, const char *name)
{
	for (size_t i = 0; i < reader->columns; i++)
		if (strcmp(reader->names[i], name) == 0)
			return true;
	return false;
}

/* NOLINTNEXTLINE(misc-no-recursion): tables nest twice */
static void need_columns(const struct row_reader *reader, const struct field_table *table, struct failure *failure)
{
	char pointer[FAULT_POINTER_MAX];

	for (size_t i = 0; i < table->need_count; i++) {
		snprintf(pointer, sizeof pointer, "/1/%s", table->needs[i]);
		if (!has_column(reader, table->needs[i]))
			failure_add(failure, pointer, "required", "this column is required; add it");
	}
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];

		snprintf(pointer, sizeof pointer, "/1/%s", row->key);
		if (row->kind == FIELD_MERGE)
			need_columns(reader, row->table, failure);
		else if ((row->flags & (REQUIRED | READ_ONLY)) == REQUIRED && !has_column(reader, row->key))
			failure_add(failure, pointer, "required", "this column is required; add it (%s)", row->doc);
	}
}

static enum status take_header(struct row_reader *reader, const struct csv_reader *csv, struct failure *failure)
{
	char pointer[FAULT_POINTER_MAX];

	for (size_t i = 0; i < csv->count; i++) {
		const char *name = arena_strdup(&reader->kept, csv_reader_cell(csv, i));
		void *nowhere = NULL;
		const struct field *field = name ? field_find(reader->table, name, &nowhere) : NULL;

		if (!name)
			return failure_set(failure, STATUS_NO_MEMORY, "no memory for the header");
		snprintf(pointer, sizeof pointer, "/1/%.60s", name);
		if (!field)
			refuse_column(reader, name, failure);
		else if (has_column(reader, name))
			failure_add(failure, pointer, "duplicate_key", "two columns have this name; rename or remove one");
		reader->names[i] = name;
		reader->fields[i] = field && !(field->flags & READ_ONLY) ? field : NULL;
		reader->columns = i + 1;
	}
	need_columns(reader, reader->table, failure);
	reader->has_header = true;
	failure_summarize(failure);
	return failure->status;
}

/* Converts a cell to a JSON value: number, boolean, list or object; else its text, which the decoder accepts or rejects. */
static struct node *cell_value(struct row_reader *reader, const struct field *field, const char *text)
{
	struct node *value = NULL;
	struct failure unread;

	switch (field->kind) {
	case FIELD_NUMBER:
	case FIELD_COUNT:
	case FIELD_HOURS:
	case FIELD_INTEGER:
		value = decode_parse_number(text, &reader->scratch);
		break;
	case FIELD_TRUTH:
	case FIELD_BOOL:
		if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
			value = node_new(&reader->scratch, text[0] == 't' ? NODE_TRUE : NODE_FALSE);
		break;
	case FIELD_TEXTS:
		return row_texts_list(&reader->texts, &reader->kept, &reader->scratch, text);
	case FIELD_JSON:
	case FIELD_LIST:
		failure_clear(&unread);
		if (decode_parse(text, strlen(text), &reader->scratch, &value, &unread) != STATUS_OK || (value && !keep_texts(reader, value)))
			value = NULL;
		break;
	case FIELD_TEXT:
	case FIELD_TIME:
	case FIELD_CHOICE:
		text = row_texts_unguarded(text);
		break;
	case FIELD_SIZE:
	case FIELD_CHARS:
	case FIELD_VALUE:
	case FIELD_NUMBERS:
	case FIELD_SHARES:
	case FIELD_TUPLES:
	case FIELD_LABELS:
	case FIELD_WORDS:
	case FIELD_OBJECT:
	case FIELD_MERGE:
	case FIELD_ARRAY:
	case FIELD_MAP:
	case FIELD_KIND_COUNT:
		CHECK(false); /* no table of rows has a writable member of this kind */
	}
	return value ? value : row_texts_node(&reader->texts, &reader->kept, &reader->scratch, text, strlen(text));
}

static enum status take_record(void *context, const struct csv_reader *csv, struct failure *failure)
{
	struct row_reader *reader = context;
	const struct row_place place = {.row = (uint32_t)csv->record, .line = (uint32_t)csv->line};
	struct node *object, *last = NULL;

	if (!reader->has_header)
		return take_header(reader, csv, failure);
	arena_reset(&reader->scratch);
	failure_clear(&reader->failure);
	object = node_new(&reader->scratch, NODE_OBJECT);
	if (csv->count != reader->columns) {
		failure_add(&reader->failure, "", "fields", "has %zu fields, the header has %zu", csv->count, reader->columns);
		row_reader_faults_of(reader, place, &reader->failure);
		return reader->seen++ < ROWS_MAX ? STATUS_OK : too_large(failure);
	}
	for (size_t i = 0; i < csv->count && object; i++) {
		const char *cell = csv_reader_cell(csv, i);
		struct node *value;

		if (!reader->fields[i] || !*cell)
			continue;
		value = cell_value(reader, reader->fields[i], cell);
		if (!value)
			return no_room(reader, failure);
		value->key = reader->names[i];
		node_append(object, last, value);
		last = value;
	}
	return object ? take_row(reader, object, place, failure) : no_room(reader, failure);
}

/* --- the whole ----------------------------------------------------------------------------------------------------- */

struct row_reader *row_reader_new(const struct field_table *table, enum row_form form)
{
	struct row_reader *reader = calloc(1, sizeof *reader);

	if (!reader)
		return NULL;
	reader->table = table;
	reader->form = form;
	arena_init(&reader->kept, ROWS_MEMORY_MAX_BYTES);
	arena_init(&reader->scratch, SCRATCH_MAX_BYTES);
	csv_reader_init(&reader->csv, take_record, reader);
	row_splitter_init(&reader->splitter, take_element, reader);
	return reader;
}

void row_reader_free(struct row_reader *reader)
{
	if (!reader)
		return;
	csv_reader_release(&reader->csv);
	row_splitter_release(&reader->splitter);
	arena_release(&reader->kept);
	arena_release(&reader->scratch);
	free(reader->rows);
	free(reader->places);
	free(reader->faults);
	free(reader);
}

enum status row_reader_feed(struct row_reader *reader, const char *piece, size_t length, struct failure *failure)
{
	if (reader->form == ROW_FORM_CSV)
		return csv_reader_feed(&reader->csv, piece, length, failure);
	return row_splitter_feed(&reader->splitter, piece, length, failure);
}

enum status row_reader_end(struct row_reader *reader, struct failure *failure)
{
	enum status status;

	if (reader->form == ROW_FORM_JSON)
		return row_splitter_end(&reader->splitter, failure);
	status = csv_reader_end(&reader->csv, failure);
	if (status == STATUS_OK && !reader->has_header)
		status = failure_set(failure, STATUS_MALFORMED, "not CSV: the text is empty; the first line must name the columns");
	return status;
}

size_t row_reader_memory_bytes(const struct row_reader *reader)
{
	return sizeof *reader + reader->kept.total_bytes + reader->scratch.total_bytes + reader->csv.bytes.capacity +
		reader->splitter.element.capacity + reader->capacity * (reader->table->size + sizeof *reader->places);
}

struct row_set row_reader_rows(struct row_reader *reader)
{
	return (struct row_set){
		.rows = reader->rows, .places = reader->places, .count = reader->count, .seen = reader->seen, .arena = &reader->kept};
}
