/* Any bytes as rows of the catalogue, CSV or JSON. The result is the same for every division into pieces. Accepted
 * rows, exported in both forms, are accepted again with the same members. */
#include "api/problem.h"
#include "api/tables/tables.h"
#include "fuzz/input.h"
#include "schema/row_reader.h"

static const struct field_table *const tables[] = {&table_accelerator, &table_model, &table_price, &table_region};

static enum status feed_rows(void *reader, const char *piece, size_t length, struct failure *failure)
{
	return row_reader_feed(reader, piece, length, failure);
}

static enum status read_rows(struct row_reader *reader, const char *text, size_t length, size_t step)
{
	static struct failure failure;
	enum status status;

	failure_clear(&failure);
	status = input_feed(feed_rows, reader, text, length, step, &failure);
	if (status == STATUS_OK)
		status = row_reader_end(reader, &failure);
	CHECK(status == failure.status);
	CHECK(status == STATUS_OK || status == STATUS_MALFORMED || status == STATUS_INVALID || status == STATUS_TOO_LARGE);
	return status;
}

static void write_row(const struct field_table *table, const void *row, struct buffer *out)
{
	struct json_writer writer;

	json_writer_init(&writer, out);
	record_encode(table, row, &writer);
	buffer_append_char(out, '\n');
}

static void write_rows(const struct field_table *table, struct row_set set, enum row_form form, struct buffer *out)
{
	buffer_init(out, 4 * 1024 * 1024);
	if (form == ROW_FORM_CSV)
		csv_header(table, CSV_EXPORT, out);
	for (size_t i = 0; i < set.count; i++) {
		const char *row = (const char *)set.rows + i * table->size;

		if (form == ROW_FORM_CSV)
			csv_row(table, CSV_EXPORT, row, out);
		else
			write_row(table, row, out);
	}
}

static void difference_is_none(void *context, const char *key, const char *before, const char *after)
{
	(void)context;
	fprintf(stderr, "%s: %s became %s\n", key, before ? before : "(none)", after ? after : "(none)");
	CHECK(false);
}

/* Exports the rows, reads them, and compares both. */
static void check_exported(const struct field_table *table, struct row_set set, enum row_form form)
{
	struct row_reader *reader = row_reader_new(table, form);
	struct row_set again;
	struct buffer text;

	CHECK(reader);
	write_rows(table, set, form, &text);
	if (!text.failed) {
		CHECK(read_rows(reader, text.bytes ? text.bytes : "", text.length, 4096) == STATUS_OK);
		again = row_reader_rows(reader);
		CHECK(again.count == set.count);
		for (size_t i = 0; i < set.count; i++)
			record_differences(
				table, (const char *)set.rows + i * table->size, (const char *)again.rows + i * table->size, difference_is_none, NULL);
	}
	buffer_release(&text);
	row_reader_free(reader);
}

static void check_faults(const struct row_reader *reader)
{
	static struct failure failure;
	struct json_writer writer;
	struct buffer text;
	size_t count, total;
	const struct row_fault *faults = row_reader_faults(reader, &count, &total);

	CHECK(count <= total && count <= ROW_FAULTS_MAX && (count == 0 || faults));
	failure_clear(&failure);
	if (row_reader_failure(reader, &failure) == STATUS_OK) {
		CHECK(total == 0);
		return;
	}
	CHECK(failure.fault_total == total);
	buffer_init(&text, 1024 * 1024);
	json_writer_init(&writer, &text);
	api_problem(&failure, "/v1/imports", NULL, &writer);
	CHECK(!text.failed && input_is_json(text.bytes, text.length));
	buffer_release(&text);
}

/* The first byte chooses table and form, the second the size of the pieces. */
void fuzz_one(struct input *input)
{
	unsigned how = input_byte(input), step = input_byte(input) % 64 + 1;
	const struct field_table *table = tables[how % COUNT_OF(tables)];
	enum row_form form = how & 4 ? ROW_FORM_JSON : ROW_FORM_CSV;
	struct row_reader *whole = row_reader_new(table, form), *pieces = row_reader_new(table, form);
	enum status status;
	struct row_set set;
	size_t length;
	char *text = input_rest(input, &length);
	bool good[64];

	CHECK(whole && pieces);
	status = read_rows(whole, text, length, length + 1);
	CHECK(read_rows(pieces, text, length, step) == status);
	CHECK(row_reader_rows(whole).count == row_reader_rows(pieces).count && row_reader_rows(whole).seen == row_reader_rows(pieces).seen);
	CHECK(row_reader_memory_bytes(whole) < 64u << 20);
	check_faults(whole);
	set = row_reader_rows(whole);
	if (status == STATUS_OK && set.count > 0) {
		check_exported(table, set, ROW_FORM_CSV);
		check_exported(table, set, ROW_FORM_JSON);
		if (set.count <= COUNT_OF(good)) {
			for (size_t i = 0; i < set.count; i++)
				good[i] = (how >> 3) % (i + 2) != 0;
			row_reader_keep(whole, good);
			CHECK(row_reader_rows(whole).count <= set.count);
			row_reader_fault(whole, set.places[0], "id", "unknown", "not here");
			check_faults(whole);
		}
	}
	row_reader_free(whole);
	row_reader_free(pieces);
}
