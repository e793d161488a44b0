/* Tests the names that users have at hand against the data of the program. */
#include <string.h>
#include <strings.h>

#include "hwdb/catalogue/given_names.h"
#include "hwdb/rows/builtin.h"
#include "support/assert.h"

static struct catalogue *catalogue;

static int setup(void **state)
{
	struct catalogue_rows rows;
	struct failure failure;
	struct arena arena;

	(void)state;
	arena_init(&arena, 64 * 1024 * 1024);
	failure_clear(&failure);
	assert_int_equal(builtin_rows_read(&arena, &rows, &failure), STATUS_OK);
	catalogue = catalogue_new(&arena, &rows, 1, 0, INT64_C(1795219200000000), &failure);
	assert_non_null(catalogue);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	catalogue_release(catalogue);
	return 0;
}

struct named {
	const char *name, *id; /* id NULL: no row has this name */
};

/* The names that NVML reports (nvidia-smi -L): old drivers with "Tesla", new ones with "NVIDIA". */
static void names_of_nvml_are_understood(void **state)
{
	static const struct named cases[] = {{"NVIDIA H100 80GB HBM3", "h100-sxm5-80gb"}, {"NVIDIA H100 PCIe", "h100-pcie-80gb"},
		{"NVIDIA H100 NVL", "h100-nvl"}, {"NVIDIA H200", "h200-sxm5-141gb"}, {"NVIDIA H200 NVL", "h200-nvl"},
		{"NVIDIA H800", "h800-sxm5-80gb"}, {"NVIDIA H20", "h20-sxm5-96gb"}, {"NVIDIA A100-SXM4-40GB", "a100-sxm4-40gb"},
		{"NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"}, {"A100-SXM4-40GB", "a100-sxm4-40gb"}, {"NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"},
		{"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"}, {"NVIDIA A30", "a30"}, {"NVIDIA A40", "a40"}, {"NVIDIA A10", "a10"},
		{"NVIDIA A10G", "a10g"}, {"NVIDIA A16", "a16-die"}, {"NVIDIA L4", "l4"}, {"NVIDIA L40", "l40"}, {"NVIDIA L40S", "l40s"},
		{"NVIDIA B200", "b200-sxm6-180gb"}, {"NVIDIA B300 SXM6 AC", "b300-sxm6-288gb"}, {"NVIDIA GB200", "gb200"},
		{"NVIDIA GB300", "gb300"}, {"NVIDIA GH200 480GB", "gh200-96gb"}, {"NVIDIA GH200 144G HBM3e", "gh200-144gb"},
		{"Tesla V100-SXM2-16GB", "v100-sxm2-16gb"}, {"Tesla V100-SXM2-32GB", "v100-sxm2-32gb"}, {"Tesla V100-PCIE-16GB", "v100-pcie-16gb"},
		{"Tesla V100-PCIE-32GB", "v100-pcie-32gb"}, {"Tesla P100-PCIE-16GB", "p100-pcie-16gb"}, {"Tesla P100-SXM2-16GB", "p100-sxm2-16gb"},
		{"Tesla T4", "t4"}, {"NVIDIA GeForce RTX 3090", "rtx-3090"}, {"NVIDIA GeForce RTX 4090", "rtx-4090"},
		{"NVIDIA GeForce RTX 5090", "rtx-5090"}, {"NVIDIA RTX A6000", "rtx-a6000"}, {"NVIDIA RTX A4000", "rtx-a4000"},
		{"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"}, {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-server"},
		{"AMD Instinct MI300X OAM", "mi300x"}, {"AMD Instinct MI250X", "mi250x"}, {"h100", "h100-sxm5-80gb"}, {"v100", "v100-sxm2-16gb"},
		{"NVIDIA", NULL}, {"NVIDIA H101", NULL}, {"NVIDIA H100 40GB HBM3", NULL}, {"", NULL}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *alias;
		const struct accelerator_row *row = given_accelerator(catalogue, cases[i].name, &alias);

		if (!row != !cases[i].id || (row && strcmp(row->accelerator.id, cases[i].id) != 0))
			fail_msg("%s is %s and not %s", cases[i].name, row ? row->accelerator.id : "nothing", cases[i].id ? cases[i].id : "nothing");
		assert_true(!row || alias || strcasecmp(row->accelerator.id, cases[i].name) == 0);
	}
}

static void repositories_are_understood(void **state)
{
	static const struct named cases[] = {{"meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"},
		{"meta-llama/Meta-Llama-3.1-8B", "llama-3.1-8b"}, {"meta-llama/Llama-3.1-405B-Instruct", "llama-3.1-405b"},
		{"meta-llama/Llama-2-70b-chat-hf", "llama-2-70b"}, {"meta-llama/Meta-Llama-3-8B-Instruct", "llama-3-8b"},
		{"deepseek-ai/DeepSeek-V3-0324", "deepseek-v3"}, {"deepseek-ai/DeepSeek-R1-0528", "deepseek-r1"},
		{"Qwen/Qwen2.5-72B-Instruct", "qwen2.5-72b"}, {"Qwen/Qwen3-235B-A22B-Instruct-2507", "qwen3-235b-a22b"},
		{"openai/gpt-oss-120b", "gpt-oss-120b"}, {"mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"},
		{"mistralai/Mistral-7B-Instruct-v0.3", "mistral-7b"}, {"moonshotai/Kimi-K2-Instruct", "kimi-k2"},
		{"google/gemma-4-26b-a4b-it", "gemma-4-26b-a4b"}, {"meta-llama/Llama-3.1-9B", NULL}, {"meta-llama/Llama-3.1-8B-Instruct-FP8", NULL},
		{"meta-llama/", NULL}, {"Instruct", NULL}};
	const char *alias;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct model_row *row = given_model(catalogue, cases[i].name, &alias);

		if (!row != !cases[i].id || (row && strcmp(row->id, cases[i].id) != 0))
			fail_msg("%s is %s and not %s", cases[i].name, row ? row->id : "nothing", cases[i].id ? cases[i].id : "nothing");
	}
	for (size_t i = 0; i < catalogue->rows.model_count; i++) { /* each by its own repository, and by the repository with the usual ending */
		const struct model_row *row = &catalogue->rows.models[i];
		char tuned[256];

		if (!row->repo)
			continue;
		assert_ptr_equal(given_model(catalogue, row->repo, &alias), row);
		snprintf(tuned, sizeof tuned, "%s-Instruct", row->repo);
		assert_ptr_equal(given_model(catalogue, tuned, &alias), row);
	}
}

/* An instance type that is offered with one accelerator gives that accelerator. An instance type with several lists
 * them. */
static void instances_are_understood(void **state)
{
	struct given_instance p5 = given_instance(catalogue, "P5.48xlarge"), a3 = given_instance(catalogue, "a3-highgpu-8g"),
						  n1 = given_instance(catalogue, "n1-highmem-16");
	size_t known = 0;

	(void)state;
	assert_string_equal(p5.row->accelerator.id, "h100-sxm5-80gb");
	assert_int_equal(p5.gpus, 8);
	assert_string_equal(a3.row->accelerator.id, "h100-sxm5-80gb");
	assert_string_equal(a3.price->provider, "gcp");
	assert_non_null(n1.price);
	assert_null(n1.row);
	assert_contains(n1.among, "t4");
	assert_null(given_instance(catalogue, "p5.47xlarge").price);
	for (size_t i = 0; i < catalogue->rows.price_count; i++)
		known += given_instance(catalogue, catalogue->rows.prices[i].instance_type).row != NULL;
	assert_true(known > catalogue->rows.price_count * 9 / 10);
}

static void a_short_name_has_others(void **state)
{
	char others[160];

	(void)state;
	given_accelerator_others(catalogue, "v100", "v100-sxm2-16gb", others, sizeof others);
	assert_string_equal(others, "v100-pcie-16gb, v100-pcie-32gb, v100-sxm2-32gb");
	given_accelerator_others(catalogue, "l4", "l4", others, sizeof others);
	assert_string_equal(others, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_nvml_are_understood),
		cmocka_unit_test(repositories_are_understood),
		cmocka_unit_test(instances_are_understood),
		cmocka_unit_test(a_short_name_has_others),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
