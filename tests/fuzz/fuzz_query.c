/* Any bytes as the query of a request. It is rejected with a parameter's name or accepted whole, and an accepted query
 * is written and reads back as the same. */
#include "api/problem.h"
#include "api/tables/tables.h"
#include "fuzz/input.h"
#include "server/wire/gate.h"

static const struct field_table *const tables[] = {&table_training_request, &table_inference_request, &table_performance_request,
	&table_memory_request, &table_scaling_request, &table_carbon_request, &table_schedule_request, &table_page_query, &table_plan_query,
	&table_plan_id_query, &table_compare_query, &table_accelerator_query, &table_model_query, &table_price_query, &table_region_query,
	&table_catalogue_row_query, &table_offer_query, &table_benchmark_query, &table_calibration_query, &table_observation_query,
	&table_diagnosis_query, &table_import_query, &table_import_list_query, &table_feed_detail_query};

static void write_object(const struct field_table *table, const void *object, struct buffer *text)
{
	struct json_writer writer;

	buffer_init(text, 4 * 1024 * 1024);
	json_writer_init(&writer, text);
	record_encode(table, object, &writer);
	CHECK(text->failed || input_is_json(text->bytes, text->length));
}

/* An accepted query, written as a body, must be accepted, too, and have the same meaning. */
static void check_taken(const struct field_table *table, const void *object, struct arena *arena)
{
	static _Alignas(16) char again[16 * 1024];
	static struct failure failure;
	struct buffer first, second;

	write_object(table, object, &first);
	failure_clear(&failure);
	if (!first.failed && record_decode(table, first.bytes, first.length, arena, again, &failure) == STATUS_OK) {
		write_object(table, again, &second);
		CHECK(first.length == second.length && memcmp(first.bytes, second.bytes, first.length) == 0);
		buffer_release(&second);
	}
	buffer_release(&first);
}

static void check_refused(const struct failure *failure)
{
	struct json_writer writer;
	struct buffer text;

	CHECK(failure->status == STATUS_NO_MEMORY || (failure->status == STATUS_INVALID && failure->fault_total > 0));
	buffer_init(&text, 1024 * 1024);
	json_writer_init(&writer, &text);
	api_problem(failure, "/v1/plans", NULL, &writer);
	CHECK(!text.failed && input_is_json(text.bytes, text.length));
	buffer_release(&text);
}

/* The first byte chooses the arena, the second the table. */
void fuzz_one(struct input *input)
{
	static struct arena arena;
	static struct failure failure;
	static _Alignas(16) char object[16 * 1024];
	const struct field_table *table;
	struct target target;
	char *raw, *text;
	size_t length;

	input_arena(input, &arena, 1 << 20);
	table = tables[input_byte(input) % COUNT_OF(tables)];
	CHECK(table->size <= sizeof object);
	text = input_rest(input, &length);
	raw = malloc(length + 3);
	CHECK(raw);
	snprintf(raw, length + 3, "/?%s", text);
	failure_clear(&failure);
	if (gate_target(raw, &arena, &target, &failure) == STATUS_OK) {
		failure_clear(&failure);
		if (record_decode_query(table, target.query, target.query_count, &arena, object, &failure) == STATUS_OK)
			check_taken(table, object, &arena);
		else
			check_refused(&failure);
		for (size_t i = 0; i < target.query_count; i++)
			CHECK(!field_text_fits(&table_calibration, "id", target.query[i].value) || strlen(target.query[i].value) <= 200);
	}
	free(raw);
}
