/* Tests the stream reader of rows: pieces of any size, awkward files, faults with their places. */
#include <stdlib.h>
#include <string.h>

#include "api/tables/tables.h"
#include "schema/row_reader.h"
#include "support/assert.h"

static const char header[] = "id,provider,instance_type,region,accelerator_id,gpus,price_usd_per_hour,pricing_model,as_of,source\n";

static enum status read_in_pieces(struct row_reader *reader, const char *text, size_t length, size_t piece, struct failure *failure)
{
	enum status status = STATUS_OK;

	failure_clear(failure);
	for (size_t at = 0; at < length && status == STATUS_OK; at += piece)
		status = row_reader_feed(reader, text + at, length - at < piece ? length - at : piece, failure);
	return status == STATUS_OK ? row_reader_end(reader, failure) : status;
}

/* Reads the header and `rows` at once. The caller frees the reader. */
static struct row_reader *read_prices(const char *rows, enum status expected, struct failure *failure)
{
	struct row_reader *reader = row_reader_new(&table_price, ROW_FORM_CSV);
	char *text = malloc(sizeof header + strlen(rows));

	assert_non_null(reader);
	assert_non_null(text);
	memcpy(text, header, sizeof header - 1);
	memcpy(text + sizeof header - 1, rows, strlen(rows) + 1);
	assert_int_equal(read_in_pieces(reader, text, strlen(text), strlen(text), failure), expected);
	free(text);
	return reader;
}

static void pieces_of_any_size_are_the_same_rows(void **state)
{
	static const char csv[] = "\xef\xbb\xbfid,provider,instance_type,region,accelerator_id,gpus,price_usd_per_hour,pricing_model,as_of,source,notes\r\n"
							  "p.1,aws,\"x,8\",r1,h100,8,55.04,on_demand,2026-11-01,s,\"a \"\"b\"\"\"\r\n\r\n"
							  "p.2,aws,x8,,h100,8,1e1,spot,2026-11-01,s,'=1\r\np.3,aws,x8,,h100,8,5,spot,2026-11-01,s,";
	static const char json[] =
		" [ {\"id\":\"p.1\",\"provider\":\"aws\",\"instance_type\":\"x,8\",\"region\":\"r1\",\"accelerator_id\":\"h100\",\"gpus\":8,"
		"\"price_usd_per_hour\":55.04,\"pricing_model\":\"on_demand\",\"as_of\":\"2026-11-01\",\"source\":\"s\",\"notes\":\"a \\\"b\\\"\",\"origin\":\"user\"},\n"
		"{\"id\":\"p.2\",\"provider\":\"aws\",\"instance_type\":\"x8\",\"accelerator_id\":\"h100\",\"gpus\":8,\"price_usd_per_hour\":10,"
		"\"pricing_model\":\"spot\",\"as_of\":\"2026-11-01\",\"source\":\"s\",\"notes\":\"=1\",\"revision\":7},\n"
		"{\"id\":\"p.3\",\"provider\":\"aws\",\"instance_type\":\"x8\",\"accelerator_id\":\"h100\",\"gpus\":8,\"price_usd_per_hour\":5,"
		"\"pricing_model\":\"spot\",\"as_of\":\"2026-11-01\",\"source\":\"s\"}]\n";
	struct failure failure;

	(void)state;
	for (size_t piece = 1; piece < sizeof json; piece = piece < 40 ? piece + 1 : piece * 2) {
		for (int form = ROW_FORM_CSV; form <= ROW_FORM_JSON; form++) {
			const char *text = form == ROW_FORM_CSV ? csv : json;
			struct row_reader *reader = row_reader_new(&table_price, (enum row_form)form);
			struct row_set set;
			const struct price_row *rows;

			assert_int_equal(read_in_pieces(reader, text, strlen(text), piece, &failure), STATUS_OK);
			set = row_reader_rows(reader);
			rows = set.rows;
			assert_int_equal(set.count, 3);
			assert_string_equal(rows[0].instance_type, "x,8");
			assert_string_equal(rows[0].notes, "a \"b\"");
			assert_close(rows[0].price_usd_per_hour, 55.04, 0);
			assert_string_equal(rows[1].notes, "=1");
			assert_null(rows[1].region);
			assert_null(rows[1].meta.origin);
			assert_null(rows[2].notes);
			assert_ptr_equal(rows[1].provider, rows[2].provider); /* equal texts are stored once */
			assert_int_equal(set.places[1].row, form == ROW_FORM_CSV ? 3 : 1);
			row_reader_free(reader);
		}
	}
}

static void places_count_as_a_spreadsheet_does(void **state)
{
	struct failure failure;
	struct row_reader *reader = read_prices(
		"p.1,aws,\"x\n\n8\",,h100,8,5,spot,2026-11-01,s\np.2,aws,x8,,h100,8,-5,spot,2026-11-01,s\n", STATUS_OK, &failure);
	size_t count, total;
	const struct row_fault *faults = row_reader_faults(reader, &count, &total);

	(void)state;
	assert_int_equal(total, 2); /* a name cannot contain a line end */
	assert_int_equal(faults[0].place.row, 2);
	assert_string_equal(faults[0].code, "control_character");
	assert_int_equal(faults[1].place.row, 3);
	assert_int_equal(faults[1].place.line, 5);
	assert_string_equal(faults[1].column, "price_usd_per_hour");
	assert_int_equal(row_reader_failure(reader, &failure), STATUS_INVALID);
	assert_string_equal(failure.faults[1].pointer, "/3/price_usd_per_hour");
	assert_contains(failure.faults[1].detail, "row 3, line 5: should be more than 0");
	row_reader_free(reader);
}

static void files_that_are_none_are_refused(void **state)
{
	static const struct {
		const char *rows;
		enum status status;
		const char *words;
	} cases[] = {{"\"open", STATUS_MALFORMED, "does not end"}, {"\"a\"b", STATUS_MALFORMED, "closing quote"},
		{"a\"b", STATUS_MALFORMED, "quote is inside"}, {"a\rb", STATUS_MALFORMED, "carriage return"},
		{"a\r", STATUS_MALFORMED, "carriage return"}, {"\xff", STATUS_MALFORMED, "UTF-8"}};
	struct failure failure;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct row_reader *reader = read_prices(cases[i].rows, cases[i].status, &failure);

		assert_contains(failure.detail, cases[i].words);
		row_reader_free(reader);
	}
}

static void formulas_are_guarded_both_ways(void **state)
{
	static const char *const texts[] = {"=1", "'=1", "''@x", "+", "-a", "plain", "'plain", "a=b", "'", "it's", "\"=\""};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		struct failure failure;
		struct row_reader *reader;
		struct buffer text;

		buffer_init(&text, 10000);
		buffer_append_text(&text, "p.1,aws,x8,,h100,8,5,spot,2026-11-01,");
		csv_text(texts[i], &text);
		assert_null(memchr("=+-@", text.bytes[strlen("p.1,aws,x8,,h100,8,5,spot,2026-11-01,")], 4));
		reader = read_prices(text.bytes, STATUS_OK, &failure);
		assert_int_equal(row_reader_rows(reader).count, 1);
		assert_string_equal(((const struct price_row *)row_reader_rows(reader).rows)->meta.source, texts[i]);
		row_reader_free(reader);
		buffer_release(&text);
	}
}

struct told {
	size_t count;
	char keys[200], before[200], after[200];
};

static void note_difference(void *context, const char *key, const char *before, const char *after)
{
	struct told *told = context;

	told->count++;
	snprintf(told->keys + strlen(told->keys), sizeof told->keys - strlen(told->keys), "%s ", key);
	snprintf(told->before, sizeof told->before, "%s", before ? before : "(absent)");
	snprintf(told->after, sizeof told->after, "%s", after ? after : "(absent)");
}

static void differences_are_told_by_column(void **state)
{
	struct price_row a, b;
	struct told told = {0};

	(void)state;
	field_table_clear(&table_price, &a);
	a.price_usd_per_hour = 1.0 / 3;
	a.notes = "one, two";
	b = a;
	b.meta.revision = 9; /* only answers have this member */
	record_differences(&table_price, &a, &b, note_difference, &told);
	assert_int_equal(told.count, 0);
	b.price_usd_per_hour = nextafter(1.0 / 3, 1);
	record_differences(&table_price, &a, &b, note_difference, &told);
	assert_int_equal(told.count, 1);
	b.notes = NULL;
	told = (struct told){0};
	record_differences(&table_price, &a, &b, note_difference, &told);
	assert_string_equal(told.keys, "price_usd_per_hour notes ");
	assert_string_equal(told.before, "one, two");
	assert_string_equal(told.after, "(absent)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_of_any_size_are_the_same_rows),
		cmocka_unit_test(places_count_as_a_spreadsheet_does),
		cmocka_unit_test(files_that_are_none_are_refused),
		cmocka_unit_test(formulas_are_guarded_both_ways),
		cmocka_unit_test(differences_are_told_by_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
