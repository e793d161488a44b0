/* Tests the field tables: each is sound, a decoded body encodes to the same body, and no mutated body causes harm. */
#include "api/generate.h"
#include "api/routes.h"
#include "support/assert.h"

static void check_words(const struct field *row)
{
	size_t known = 0;

	for (size_t i = 0; i < row->word_count; i++)
		known += row->words[i] != NULL;
	assert_true(known > 0);
	if (row->kind == FIELD_CHOICE)
		assert_null(row->words[0]); /* unset */
}

static void check_row(const struct field_table *table, const struct field *row)
{
	void *nowhere = NULL;

	assert_true(row->offset < table->size);
	if (row->table)
		assert_true(
			row->kind == FIELD_JSON || row->kind == FIELD_LIST || row->flags & POINTED || row->offset + row->table->size <= table->size);
	if (row->kind == FIELD_MERGE)
		return;
	assert_ptr_equal(field_find(table, row->key, &nowhere), row); /* no key occurs twice, merged tables included */
	assert_true(strspn(row->key, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(row->key) && row->key[0]);
	assert_true(row->doc && row->doc[0] && row->doc[strlen(row->doc) - 1] != '.');
	assert_true(row->minimum <= row->maximum);
	if (row->words)
		check_words(row);
}

static void check_table(const struct field_table *table, int depth)
{
	assert_true(depth < 12);
	assert_true(table->doc && table->doc[strlen(table->doc) - 1] == '.');
	for (size_t i = 0; i < table->row_count; i++) {
		check_row(table, &table->rows[i]);
		if (table->rows[i].table)
			check_table(table->rows[i].table, depth + 1);
	}
	for (size_t i = 0; i < table->need_count; i++) {
		void *nowhere = NULL;

		assert_non_null(field_find(table, table->needs[i], &nowhere));
	}
}

static void every_table_is_sound(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		if (routes[i].request)
			check_table(routes[i].request, 0);
		if (routes[i].response)
			check_table(routes[i].response, 0);
		if (routes[i].query)
			check_table(routes[i].query, 0);
	}
	check_table(&table_plan_gate, 0);
}

struct bench {
	struct arena arena;
	struct failure failure;
	struct buffer body, again;
	union any_request request;
};

static void bench_open(struct bench *bench)
{
	arena_init(&bench->arena, 32 * 1024 * 1024);
	buffer_init(&bench->body, 4 * 1024 * 1024);
	buffer_init(&bench->again, 4 * 1024 * 1024);
}

static void bench_close(struct bench *bench)
{
	arena_release(&bench->arena);
	buffer_release(&bench->body);
	buffer_release(&bench->again);
}

static void bench_generate(struct bench *bench, const struct field_table *table, uint64_t seed, bool all, bool echo)
{
	struct json_writer writer;
	struct generator generator = {.writer = &writer, .state = seed, .all = all, .echo = echo};

	buffer_clear(&bench->body);
	json_writer_init(&writer, &bench->body);
	generate_table(&generator, table);
}

static enum status bench_decode(struct bench *bench, const struct field_table *table, const struct buffer *body)
{
	arena_reset(&bench->arena);
	return record_decode(table, body->bytes, body->length, &bench->arena, &bench->request, &bench->failure);
}

static void bench_encode(struct bench *bench, const struct field_table *table, struct buffer *out)
{
	struct json_writer writer;

	buffer_clear(out);
	json_writer_init(&writer, out);
	record_encode(table, &bench->request, &writer);
}

/* True if the only fault is a price's check of two fields together. The generator does not know this check. */
static bool bench_is_coupled(const struct bench *bench)
{
	return bench->failure.fault_total == 1 && strcmp(bench->failure.faults[0].pointer, "/price_usd_per_hour") == 0;
}

static void what_is_decoded_is_encoded_again(void **state)
{
	static struct bench bench;

	(void)state;
	bench_open(&bench);
	for (size_t i = 0; i < COUNT_OF(request_tables); i++) {
		for (uint64_t seed = 0; seed < 40; seed++) {
			const struct field_table *table = request_tables[i];
			char *first;

			bench_generate(&bench, table, seed, seed == 0, true);
			if (bench_decode(&bench, table, &bench.body) != STATUS_OK) {
				if (bench_is_coupled(&bench))
					continue;
				print_error("%s: %s\n%s\n", table->name, bench.failure.detail, bench.body.bytes);
				fail();
			}
			bench_encode(&bench, table, &bench.again);
			first = buffer_detach(&bench.again, &(size_t){0});
			buffer_clear(&bench.body);
			buffer_append_text(&bench.body, first);
			if (bench_decode(&bench, table, &bench.body) != STATUS_OK)
				fail_msg("%s: %s\n%s", table->name, bench.failure.detail, bench.body.bytes);
			bench_encode(&bench, table, &bench.again);
			assert_string_equal(bench.again.bytes, first);
			free(first);
		}
	}
	bench_close(&bench);
}

static void an_empty_body_leaves_everything_absent(void **state)
{
	static struct bench bench;

	(void)state;
	bench_open(&bench);
	for (size_t i = 0; i < COUNT_OF(request_tables); i++) {
		field_table_clear(request_tables[i], &bench.request);
		bench_encode(&bench, request_tables[i], &bench.again);
		assert_string_equal(bench.again.bytes, "{}");
	}
	/* Members without a row in this table are absent, too. */
	field_table_clear(&table_performance_request, &bench.request);
	assert_true(isnan(bench.request.performance.common.carbon_cap_kgco2e));
	assert_int_equal(bench.request.performance.common.alternatives, ABSENT_COUNT);
	assert_true(isnan(bench.request.performance.common.site.pue));
	bench_close(&bench);
}

/* Makes one change: replaces, removes or doubles a byte, copies a run of bytes, or replaces a value with a hostile one. */
static void mutate(struct generator *generator, struct buffer *body)
{
	static const char *const wicked[] = {"null", "1e999", "-0", "1e-999", "\"\\u0000\"", "{}", "[]", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
		"\"\\ud800\"", "9223372036854775808", "\"15.6T\"", "\"\"", "true", "1.5", "-1", "NaN", "{\"a\":1,\"a\":2}", "\xff", "\"\x01\""};
	const char *insert = wicked[generate_random(generator) % COUNT_OF(wicked)];
	size_t at = generate_random(generator) % body->length, length = strlen(insert);

	switch (generate_random(generator) % 4) {
	case 0:
		body->bytes[at] = (char)generate_random(generator);
		break;
	case 1:
		memmove(body->bytes + at, body->bytes + at + 1, body->length - at);
		body->length--;
		break;
	case 2: /* the value after the next colon */
		at += strcspn(body->bytes + at, ":");
		if (at + 1 + length < body->length)
			memcpy(body->bytes + at + 1, insert, length);
		break;
	default:
		if (buffer_reserve(body, length)) {
			memmove(body->bytes + at + length, body->bytes + at, body->length - at + 1);
			memcpy(body->bytes + at, insert, length);
			body->length += length;
		}
	}
}

static void no_mutated_body_does_harm(void **state)
{
	static struct bench bench;
	struct generator generator = {.state = 7};
	size_t seen[STATUS_COUNT] = {0};

	(void)state;
	bench_open(&bench);
	for (int i = 0; i < 10000; i++) {
		const struct field_table *table = request_tables[(size_t)i % COUNT_OF(request_tables)];
		enum status status;

		bench_generate(&bench, table, (uint64_t)i, i % 3 == 0, false);
		for (uint64_t changes = generate_random(&generator) % 4 + 1; changes > 0 && bench.body.length > 1; changes--)
			mutate(&generator, &bench.body);
		status = bench_decode(&bench, table, &bench.body);
		assert_true(status == STATUS_OK || status == STATUS_MALFORMED || status == STATUS_INVALID);
		assert_true((status == STATUS_OK) == (bench.failure.detail[0] == '\0'));
		assert_true(status != STATUS_INVALID || bench.failure.fault_count > 0);
		if (status == STATUS_OK)
			bench_encode(&bench, table, &bench.again); /* aborts if a member is not finite */
		seen[status]++;
	}
	assert_true(seen[STATUS_OK] > 50 && seen[STATUS_MALFORMED] > 1000 && seen[STATUS_INVALID] > 500);
	bench_close(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_table_is_sound),
		cmocka_unit_test(what_is_decoded_is_encoded_again),
		cmocka_unit_test(an_empty_body_leaves_everything_absent),
		cmocka_unit_test(no_mutated_body_does_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
