/* Tests a worker's spec as JSON: the reader reads what the writer wrote, and rejects what a worker cannot measure, with
 * its pointer. */
#include "api/tables/tables.h"
#include "support/assert.h"

struct reading {
	struct arena arena;
	struct failure failure;
	struct bench_spec spec;
};

static int setup(void **state)
{
	struct reading *reading = calloc(1, sizeof(*reading));

	arena_init(&reading->arena, 1 << 20);
	*state = reading;
	return 0;
}

static int teardown(void **state)
{
	arena_release(&((struct reading *)*state)->arena);
	free(*state);
	return 0;
}

static enum status decode(struct reading *reading, const char *text)
{
	failure_clear(&reading->failure);
	return record_decode(&table_bench_spec, text, strlen(text), &reading->arena, &reading->spec, &reading->failure);
}

static const char whole[] =
	"{\"products\":[{\"role\":\"qkv\",\"m\":512,\"n\":768,\"k\":256,\"precision\":\"bf16\",\"count\":4},"
	"{\"m\":8,\"n\":4096,\"k\":4096,\"product\":\"weight_gradient\"}],"
	"\"attention\":[{\"batch\":1,\"heads\":8,\"kv_heads\":2,\"queries\":128,\"keys\":128,\"head_dimension\":64,\"causal\":true,\"backward\":true}],"
	"\"kv_read\":[{\"batch\":4,\"heads\":8,\"kv_heads\":2,\"queries\":1,\"keys\":1024,\"head_dimension\":64,\"precision\":\"fp16\"}],"
	"\"transfer_bytes\":[1048576],\"collective_bytes\":[65536,1000000],\"sample_bytes\":131072,"
	"\"block\":{\"layers\":2,\"hidden\":256,\"heads\":8,\"kv_heads\":2,\"head_dimension\":32,\"ffn\":512,\"sequence\":128,\"micro_batch\":1,"
	"\"gated\":true,\"precision\":\"bf16\",\"predicted_s\":0.25}}";

static void check_whole(const struct bench_spec *spec)
{
	assert_int_equal(spec->products.count, 2);
	assert_string_equal(spec->products.items[0].role, "qkv");
	assert_int_equal(spec->products.items[0].n, 768);
	assert_int_equal(spec->products.items[0].precision, PRECISION_BF16);
	assert_int_equal(spec->products.items[0].product, PRODUCT_FORWARD);
	assert_close(spec->products.items[0].count, 4, 0);
	assert_null(spec->products.items[1].role);
	assert_int_equal(spec->products.items[1].product, PRODUCT_WEIGHT_GRADIENT);
	assert_false(is_given(spec->products.items[1].count));
	assert_int_equal(spec->attention.count, 1);
	assert_true(spec->attention.items[0].shape.causal && spec->attention.items[0].shape.backward);
	assert_int_equal(spec->kv_read.items[0].shape.keys, 1024);
	assert_int_equal(spec->kv_read.items[0].precision, PRECISION_FP16);
	assert_false(spec->kv_read.items[0].shape.causal);
	assert_close(spec->transfer_bytes.items[0], 1048576, 0);
	assert_int_equal(spec->collective_bytes.count, 2);
	assert_close(spec->sample_bytes, 131072, 0);
	assert_int_equal(spec->block.layers, 2);
	assert_int_equal(spec->block.gated, TRUTH_TRUE);
	assert_true(spec->block.vocabulary <= 0);
	assert_false(is_given(spec->block.optimizer_bytes_per_parameter));
	assert_close(spec->block.predicted_s, 0.25, 0);
}

static void what_is_written_is_read_again(void **state)
{
	struct reading *reading = *state;
	struct json_writer writer;
	struct buffer text;

	assert_int_equal(decode(reading, whole), STATUS_OK);
	check_whole(&reading->spec);
	buffer_init(&text, 64 * 1024);
	json_writer_init(&writer, &text);
	record_encode(&table_bench_spec, &reading->spec, &writer);
	assert_false(text.failed);
	assert_int_equal(decode(reading, text.bytes), STATUS_OK);
	check_whole(&reading->spec);
	buffer_release(&text);
}

static void nothing_is_a_spec_too(void **state)
{
	struct reading *reading = *state;

	assert_int_equal(decode(reading, "{}"), STATUS_OK);
	assert_int_equal(reading->spec.products.count, 0);
	assert_true(reading->spec.block.layers <= 0);
	assert_false(is_given(reading->spec.sample_bytes));
}

static void what_cannot_be_measured_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text, *pointer;
	} bad[] = {{"{\"products\":[{\"m\":0,\"n\":8,\"k\":8}]}", "/products/0/m"}, {"{\"products\":[{\"m\":8,\"n\":8}]}", "/products/0/k"},
		{"{\"products\":[{\"m\":8,\"n\":8,\"k\":8,\"product\":\"sideways\"}]}", "/products/0/product"},
		{"{\"block\":{\"layers\":2}}", "/block/hidden"}, {"{\"shapes\":[]}", "/shapes"}, {"{\"transfer_bytes\":[-1]}", "/transfer_bytes/0"}};
	struct reading *reading = *state;

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_int_equal(decode(reading, bad[i].text), STATUS_INVALID);
		assert_string_equal(reading->failure.faults[0].pointer, bad[i].pointer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_written_is_read_again, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_a_spec_too, setup, teardown),
		cmocka_unit_test_setup_teardown(what_cannot_be_measured_is_refused_with_its_place, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
