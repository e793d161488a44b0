/* Any bytes as the body of any request: a status always, faults with what is refused, and finite figures in what is taken. */
#include "api/tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct field_table *const tables[] = {&table_training_request, &table_inference_request,
	&table_performance_request, &table_memory_request, &table_scaling_request, &table_carbon_request, &table_plan_patch,
	&table_accelerator, &table_model, &table_price, &table_region, &table_model_import, &table_benchmark_request, &table_diagnosis_request};

/* The first byte chooses the table. What is taken is written, patched with itself and written again. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct failure failure;
	static struct arena arena = {.maximum_bytes = 16 * 1024 * 1024};
	static _Alignas(16) char object[16 * 1024];
	const struct field_table *table = tables[size ? data[0] % COUNT_OF(tables) : 0];
	const char *json = size ? (const char *)data + 1 : "";
	struct json_writer writer;
	struct buffer text;
	enum status status;

	CHECK(table->size <= sizeof object);
	arena_reset(&arena);
	status = api_decode(table, json, size ? size - 1 : 0, &arena, object, &failure);
	CHECK(status == STATUS_OK || status == STATUS_MALFORMED || status == STATUS_INVALID || status == STATUS_NO_MEMORY);
	CHECK(status != STATUS_INVALID || failure.fault_count > 0);
	buffer_init(&text, 4 * 1024 * 1024);
	json_writer_init(&writer, &text);
	if (status == STATUS_OK)
		api_encode(table, object, &writer);
	else
		api_problem(&failure, "/", NULL, &writer);
	buffer_release(&text);
	if (status == STATUS_OK)
		(void)!api_merge_patch(table, json, size - 1, &arena, object, &failure);
	return 0;
}
