/* Any bytes as the body of any request: the decoder always returns a status, a rejection has faults, and an accepted
 * body has finite figures. */
#include "api/problem.h"
#include "api/tables/tables.h"
#include "fuzz/input.h"

static const struct field_table *const tables[] = {&table_training_request, &table_inference_request, &table_performance_request,
	&table_memory_request, &table_scaling_request, &table_carbon_request, &table_plan_patch, &table_accelerator, &table_model, &table_price,
	&table_region, &table_model_import, &table_benchmark_request, &table_diagnosis_request, &table_schedule_request,
	&table_observation_request, &table_calibration_decision, &table_key, &table_offer_query};

/* The first byte chooses the arena, the second the table. A body follows, and after a NUL a patch. An accepted body is
 * written, patched and written again. */
void fuzz_one(struct input *input)
{
	static struct failure failure;
	static struct arena arena;
	static _Alignas(16) char object[16 * 1024];
	const struct field_table *table;
	const char *json, *patch;
	struct json_writer writer;
	struct buffer text;
	enum status status;
	size_t length, patch_length = 0;

	input_arena(input, &arena, 16 * 1024 * 1024);
	table = tables[input_byte(input) % COUNT_OF(tables)];
	json = input_until(input, '\0', &length);
	patch = input->left > 0 ? input_rest(input, &patch_length) : json;
	CHECK(table->size <= sizeof object);
	status = record_decode(table, json, length, &arena, object, &failure);
	CHECK(status == STATUS_OK || status == STATUS_MALFORMED || status == STATUS_INVALID || status == STATUS_NO_MEMORY);
	CHECK(status != STATUS_INVALID || failure.fault_count > 0);
	buffer_init(&text, 4 * 1024 * 1024);
	json_writer_init(&writer, &text);
	if (status == STATUS_OK)
		record_encode(table, object, &writer);
	else
		api_problem(&failure, "/", NULL, &writer);
	CHECK(text.failed || input_is_json(text.bytes, text.length));
	buffer_release(&text);
	if (status == STATUS_OK &&
		record_merge_patch(table, patch, patch == json ? length : patch_length, &arena, object, &failure) == STATUS_OK) {
		buffer_init(&text, 4 * 1024 * 1024);
		json_writer_init(&writer, &text);
		record_encode(table, object, &writer);
		CHECK(text.failed || input_is_json(text.bytes, text.length));
		buffer_release(&text);
	}
}
