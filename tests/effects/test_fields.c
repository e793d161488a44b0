/* Fields that once had no effect, each with the request that showed the fault. Also tests that the sweep visits such a
 * field. */
#include <math.h>
#include <string.h>

#include "effects/answer.h"
#include "effects/change.h"

#include "api/tables/tables.h"
#include "support/assert.h"

static const struct answer *ask(const char *kind, const char *request)
{
	json_error_t error;
	json_t *body = json_loads(request, 0, &error);
	const struct answer *answer;

	if (!body)
		print_error("%s\n", error.text);
	assert_non_null(body);
	answer = answer_to(kind_find(kind), body);
	json_decref(body);
	return answer;
}

static double figure(const struct answer *answer, const char *path)
{
	if (!answer->ok)
		print_error("%s\n", answer->refusal);
	assert_true(answer->ok);
	assert_true(json_is_number(json_object_get(answer->figures, path)));
	return json_number_value(json_object_get(answer->figures, path));
}

static void assert_said(const struct answer *answer, const char *part)
{
	json_t *text;
	size_t index;

	assert_true(answer->ok);
	json_array_foreach (answer->texts, index, text) {
		if (strstr(json_string_value(json_array_get(text, 1)), part))
			return;
	}
	print_error("no text of the answer contains \"%s\"\n", part);
	fail();
}

#define GENERIC(sample, pipeline) \
	"{\"model\":{\"kind\":\"generic\",\"params\":25e6,\"flops_per_sample\":4e9" sample \
	"},\"tokens\":\"100M\",\"accelerator\":\"a100\",\"gpu_count\":8," \
	"\"input_pipeline\":{\"storage_gbs\":0.5" pipeline "}}"

static void a_generic_models_sample_is_read(void **state)
{
	const struct answer *model = ask("training", GENERIC(",\"sample_bytes\":110e6", "")),
						*pipeline = ask("training", GENERIC("", ",\"sample_bytes\":110e6")),
						*both = ask("training", GENERIC(",\"sample_bytes\":1e3", ",\"sample_bytes\":110e6")),
						*small = ask("training", GENERIC(",\"sample_bytes\":1e3", ""));
	static const char hours[] = "recommended.wall_clock_hours";

	(void)state;
	assert_close(figure(model, hours), figure(pipeline, hours), 1e-12);
	/* Reading 1e8 samples of 110 MB at 0.5 GB/s takes 6,111 hours. */
	assert_true(figure(model, hours) > 6111 && figure(small, hours) < 10);
	assert_string_equal(json_string_value(json_object_get(model->figures, "recommended.bottleneck.kind")), "input");
	assert_close(figure(both, hours), figure(pipeline, hours), 1e-12);
	assert_said(
		ask("training",
			"{\"model\":{\"kind\":\"generic\",\"params\":25e6,\"flops_per_sample\":4e9,\"sample_bytes\":110e6},\"tokens\":\"100M\",\"accelerator\":\"a100\","
			"\"gpu_count\":8}"),
		"the storage rate is unknown: give input_pipeline.storage_gbs to check");
	assert_said(both, "model.sample_bytes is not used: input_pipeline.sample_bytes is given");
}

#define OWN(own, site) \
	"{\"model\":\"llama-3.1-8b\",\"tokens\":\"1T\",\"accelerator\":\"h100\",\"gpu_count\":64,\"pricing\":{\"on_premises\":{\"capex_usd_per_gpu\":40000" own \
	"}}," \
	"\"site\":{\"country\":\"FRA\"" site "}}"

static void ones_own_hardware_pays_the_sites_tariff(void **state)
{
	const struct answer *cheap = ask("training", OWN("", ",\"electricity_usd_per_kwh\":0.05")),
						*dear = ask("training", OWN("", ",\"electricity_usd_per_kwh\":0.25")),
						*own = ask("training", OWN(",\"electricity_usd_per_kwh\":0.05", ",\"electricity_usd_per_kwh\":0.25"));
	static const char usd[] = "recommended.cost.total_usd";

	(void)state;
	assert_close(figure(dear, usd) - figure(cheap, usd), 0.2 * figure(dear, "recommended.energy.total_kwh"), 1e-3);
	assert_close(figure(own, usd), figure(cheap, usd), 1e-12);
	assert_said(own, "site.electricity_usd_per_kwh is not used: pricing.on_premises.electricity_usd_per_kwh is given");
	assert_said(
		ask("training",
			"{\"model\":\"llama-3.1-8b\",\"tokens\":\"1T\",\"accelerator\":\"h100\",\"gpu_count\":64,\"site\":{\"electricity_usd_per_kwh\":0.1}}"),
		"site.electricity_usd_per_kwh is not used: rental prices include electricity");
}

#define REPLICA(prompt) \
	"{\"model\":\"llama-3.1-8b\",\"accelerator\":\"h100\",\"prompt_tokens\":" prompt ",\"output_tokens\":300,\"concurrency\":32}"

static void a_replica_says_that_it_goes_by_the_mean_prompt(void **state)
{
	const struct answer *plain = ask("performance", REPLICA("1000")), *spread = ask("performance", REPLICA("{\"mean\":1000,\"cv\":2}"));

	(void)state;
	assert_close(figure(plain, "ttft_ms"), figure(spread, "ttft_ms"), 1e-12);
	assert_said(spread, "prompt_tokens.cv is not used: one replica's means use the mean prompt");
}

#define SERVED(more) "{\"model\":\"llama-3.1-8b\",\"purpose\":\"inference\"" more "}"

static void memory_to_serve_counts_without_an_accelerator(void **state)
{
	static const char cache[] = "inference.kv_cache_bytes", weights[] = "inference.weights_bytes";
	const struct answer *one = ask("memory", SERVED(",\"context_tokens\":8192,\"concurrency\":16")),
						*longer = ask("memory", SERVED(",\"context_tokens\":16384,\"concurrency\":16")),
						*two = ask("memory", SERVED(",\"context_tokens\":8192,\"concurrency\":16,\"gpu_count\":2")),
						*on = ask("memory", SERVED(",\"context_tokens\":8192,\"concurrency\":16,\"accelerator\":\"h100\""));

	(void)state;
	/* A token takes 32 layers x 2 x 8 heads x 128 x 2 bytes = 131,072 bytes. */
	assert_close(figure(one, cache), 131072.0 * 8192 * 16, 1e-9);
	assert_close(figure(longer, cache), 2 * figure(one, cache), 1e-9);
	assert_close(figure(two, weights), figure(one, weights) / 2, 0.01);
	assert_close(figure(on, "inference.total_bytes"), figure(one, "inference.total_bytes"), 1e-12);
	assert_null(json_object_get(one->figures, "inference.capacity_bytes"));
	assert_null(json_object_get(one->figures, "fits"));
	assert_said(ask("memory", SERVED(",\"engine\":\"vllm\"")), "engine is not used");
}

#define HELD(changes) "{\"accelerator\":{\"like\":\"tpu-v3\"" changes "},\"hours\":100,\"utilization\":0.5}"

static void power_at_full_load_follows_the_limit(void **state)
{
	const struct answer *base = ask("carbon", HELD("")), *less = ask("carbon", HELD(",\"tdp_w\":245"));

	(void)state;
	/* At a limit of 245 W instead of 450 W, 262 W under load becomes 142.6 W, and 123 W idle becomes 67 W. */
	assert_close(figure(less, "energy.mean_gpu_w"), figure(base, "energy.mean_gpu_w") * 245 / 450, 1e-9);
	assert_true(figure(less, "energy.mean_gpu_w") < 245);
	assert_true(figure(ask("carbon", HELD(",\"tdp_w\":245,\"load_w\":240")), "energy.mean_gpu_w") > figure(less, "energy.mean_gpu_w"));
}

#define FASTER(changes, precision) \
	"{\"model\":\"llama-3.1-8b\",\"tokens\":\"1T\",\"accelerator\":{\"like\":\"h100\"" changes \
	"},\"gpu_count\":64,\"precision\":\"" precision "\"}"

static void rates_follow_the_one_in_16_bits(void **state)
{
	static const char hours[] = "recommended.wall_clock_hours";
	double before = figure(ask("training", FASTER("", "fp8")), hours);

	(void)state;
	assert_true(figure(ask("training", FASTER(",\"tflops_bf16\":2000", "fp8")), hours) < before);
	assert_true(figure(ask("training", FASTER(",\"tflops_bf16\":2000,\"tflops_fp8\":2000", "fp8")), hours) >
		figure(ask("training", FASTER(",\"tflops_bf16\":2000", "fp8")), hours));
	assert_said(ask("training", FASTER(",\"tflops_fp8\":3000", "bf16")), "accelerator.tflops_fp8 is not used: matrix products run in bf16");
}

static void figures_of_no_accelerator_are_refused(void **state)
{
	static const char *const requests[] = {"{\"model\":\"llama-3.1-8b\",\"tokens\":\"1T\",\"accelerator\":{\"tdp_w\":300},\"gpu_count\":64}",
		"{\"model\":\"llama-3.1-8b\",\"tokens\":\"1T\",\"accelerator\":{\"tdp_w\":300},\"accelerators\":[\"h100\"]}"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(requests); i++)
		assert_false(ask("training", requests[i])->ok);
	assert_contains(
		ask("training", requests[0])->refusal, "/accelerator: changes tdp_w of an accelerator that is not named: name it in `like`");
	assert_false(ask("memory", "{\"model\":\"llama-3.1-8b\",\"accelerator\":{\"memory_gb\":48}}")->ok);
}

#define LENGTHS(prompt) \
	"{\"model\":\"llama-3.2-1b\",\"accelerator\":\"h100\",\"gpu_count\":1,\"alternatives\":0,\"requests_per_s\":2,\"output_tokens\":20,\"prompt_tokens\":" prompt \
	"}"

static void the_median_beside_the_mean_tells_the_spread(void **state)
{
	static const char ttft[] = "recommended.latency.ttft_ms.p99";

	(void)state;
	/* Log-normal: cv = sqrt((mean / median)^2 - 1) (E138). */
	assert_close(figure(ask("inference", LENGTHS("{\"mean\":1000,\"p50\":500}")), ttft),
		figure(ask("inference", LENGTHS("{\"mean\":1000,\"cv\":1.7320508075688772}")), ttft), 1e-6);
	assert_contains(ask("inference", LENGTHS("{\"mean\":1000,\"p50\":1200}"))->refusal,
		"/prompt_tokens: the median (p50) of a log-normal is at most its mean");
	assert_said(ask("inference", LENGTHS("{\"mean\":1000,\"p50\":500,\"cv\":1}")), "prompt_tokens.p50 is not used: cv determines");
}

/* Published figures: dstack 2024-11, vLLM v0.6 on eight H100, Llama 3.1 405B in FP8, 2,048 output tokens, offline; in
 * output tokens/s. */
static const struct {
	int prompt, concurrency;
	double measured;
} dstack[] = {{128, 4, 114.9368}, {128, 8, 218.2904}, {128, 16, 432.1555}, {2048, 4, 112.1996}, {2048, 8, 208.0402}, {2048, 16, 390.7541}};

static double tokens_per_s(const char *model, const char *precision, int gpus, int prompt, int output, int concurrency, const char *release)
{
	char request[512];

	snprintf(request, sizeof request,
		"{\"model\":\"%s\",\"precision\":\"%s\",\"accelerator\":\"h100\",\"gpu_count\":%d,\"engine\":\"vllm\",\"engine_release\":\"%s\",\"prompt_tokens\":%d,"
		"\"output_tokens\":%d,\"concurrency\":%d}",
		model, precision, gpus, release, prompt, output, concurrency);
	return figure(ask("performance", request), "output_tokens_per_s");
}

static void older_engines_are_as_slow_as_they_were_measured(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(dstack); i++) {
		double then = tokens_per_s("llama-3.1-405b", "fp8", 8, dstack[i].prompt, 2048, dstack[i].concurrency, "2024-11");

		assert_close(then, dstack[i].measured, 0.08);
		assert_true(
			tokens_per_s("llama-3.1-405b", "fp8", 8, dstack[i].prompt, 2048, dstack[i].concurrency, "2025-12") > 1.1 * dstack[i].measured);
	}
	assert_true(
		tokens_per_s("llama-3.1-8b", "bf16", 1, 215, 122, 64, "2024-07") < tokens_per_s("llama-3.1-8b", "bf16", 1, 215, 122, 64, "2024-11"));
	assert_said(
		ask("performance",
			"{\"model\":\"llama-3.1-8b\",\"accelerator\":\"h100\",\"engine\":\"vllm\",\"engine_release\":\"2025-06\",\"prompt_tokens\":1000,"
			"\"output_tokens\":300,\"concurrency\":32}"),
		"dense models are as fast as on the newest");
	assert_said(
		ask("performance",
			"{\"model\":\"llama-3.1-8b\",\"accelerator\":\"h100\",\"engine\":\"sglang\",\"engine_release\":\"2025-06\",\"prompt_tokens\":1000,"
			"\"output_tokens\":300,\"concurrency\":32}"),
		"no other pair of releases of this engine is published");
}

#define ASKED(more) "{\"model\":\"llama-3.1-8b\",\"tokens\":\"1T\",\"accelerator\":\"h100\",\"gpu_count\":8," more "}"
#define LOADED(more) \
	"{\"model\":\"llama-3.2-1b\",\"requests_per_s\":2,\"prompt_tokens\":500,\"output_tokens\":20,\"accelerator\":\"h100\",\"gpu_count\":1,\"alternatives\":0," more \
	"}"

/* Other fields that the sweep found without effect. The answer now has a text for each. */
static void what_does_nothing_is_said(void **state)
{
	static const struct {
		const char *kind, *request, *said;
	} rows[] = {
		{"training", ASKED("\"stack\":\"hai_llm\""), "generic has the same: the name is not used"},
		{"training", ASKED("\"calibration\":\"datasheet\""), "calibration is not used: no measurement is on record"},
		{"training", ASKED("\"enforce_memory\":false"), "enforce_memory is not used: the recommended plan fits"},
		{"training", ASKED("\"internode_gbs\":50"), "internode_gbs is not used: the training stays inside one node"},
		{"training", ASKED("\"alternatives\":3,\"parallelism\":{\"tensor\":8,\"pipeline\":1},\"pricing\":{\"usd_per_gpu_hour\":2}"),
			"alternatives is not used: there is no other option"},
		{"training", ASKED("\"site\":{\"start\":\"2026-12-01T00:00:00Z\"}"), "site.start is not used: no hours of this site's grid"},
		{"training", "{\"model\":{\"id\":\"llama-3.1-8b\",\"sample_bytes\":1000},\"tokens\":\"1T\",\"accelerator\":\"h100\",\"gpu_count\":8}",
			"model.sample_bytes is not used: it belongs to a generic model"},
		{"training",
			"{\"model\":\"llama-3.1-8b\",\"accelerator\":\"h100\",\"gpu_count\":64,\"sequence_length\":4096,\"stages\":[{\"tokens\":\"1T\",\"sequence_length\":8192}]}",
			"sequence_length is not used: every stage has its own"},
		{"training", FASTER(",\"transistor_nm\":3,\"release_year\":2027", "bf16"),
			"accelerator.release_year is not used: the software's maturity"},
		{"inference", LOADED("\"startup_s\":30"), "startup_s is not used: replicas are not scaled"},
		{"inference", LOADED("\"routing\":\"round_robin\""), "routing is not used: there is one replica"},
		{"inference", LOADED("\"shared_prefix\":{\"prefixes\":5,\"tokens\":100}"), "so that their number is not used"},
		{"performance",
			"{\"model\":\"llama-3.1-8b\",\"accelerator\":\"h100\",\"prompt_tokens\":1000,\"output_tokens\":300,\"parallelism\":{\"disaggregated\":true}}",
			"parallelism.disaggregated is not used: one replica"},
		{"memory", "{\"model\":\"llama-3.1-8b\",\"purpose\":\"inference\",\"optimizer\":\"sgd\"}",
			"optimizer is not used: it belongs to training"},
		{"carbon", "{\"accelerator\":\"h100\",\"hours\":10,\"site\":{\"electricity_usd_per_kwh\":0.1}}",
			"site.electricity_usd_per_kwh is not used: this answer has energy"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_said(ask(rows[i].kind, rows[i].request), rows[i].said);
	assert_false(ask("inference",
		"{\"model\":\"llama-3.2-1b\",\"accelerator\":\"h100\",\"prompt_tokens\":{\"cv\":2},"
		"\"trace\":{\"arrivals\":[[0,500,10],[1,600,8]]}}")
					 ->ok);
}

static bool says(const struct answer *answer, const char *part)
{
	json_t *text;
	size_t index;

	json_array_foreach (answer->texts, index, text) {
		const char *said = json_string_value(json_array_get(text, 1));

		if (said && strstr(said, part))
			return true;
	}
	return false;
}

/* With an open accelerator, no named accelerator is both cheaper and faster. The search once dropped the H100, because
 * H100s rented one by one in machines of eight cost eight times as much. 768 TPUs then took 1,042 hours and 2.16
 * million USD; 768 H100s take 894 hours and 2.02 million USD. */
static void an_open_accelerator_is_no_worse_than_a_named_one(void **state)
{
	static const char *const names[] = {"h100", "h200", "b200", "tpu-v6e"};
	const struct answer *open = ask("training", "{\"model\":\"llama-3.1-8b\",\"tokens\":\"15T\"}");
	double hours = figure(open, "recommended.wall_clock_hours"), usd = figure(open, "recommended.cost.total_usd"), fastest = hours,
		   dearest = 0;
	char path[64];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char request[160];
		const struct answer *named;

		snprintf(request, sizeof request, "{\"model\":\"llama-3.1-8b\",\"tokens\":\"15T\",\"accelerator\":\"%s\"}", names[i]);
		named = ask("training", request);
		assert_false(
			figure(named, "recommended.wall_clock_hours") < hours * 0.999 && figure(named, "recommended.cost.total_usd") < usd * 0.999);
	}
	/* The alternatives include an option that is faster and costs more than twice as much. */
	for (int i = 0;; i++) {
		snprintf(path, sizeof path, "alternatives.%d.wall_clock_hours", i);
		if (!json_object_get(open->figures, path))
			break;
		fastest = fmin(fastest, figure(open, path));
		snprintf(path, sizeof path, "alternatives.%d.total_usd", i);
		dearest = fmax(dearest, figure(open, path));
	}
	assert_true(fastest < 0.8 * hours && dearest > 2 * usd);
}

/* Faults that a review found. A model described by its samples is generic even without its kind. gpu_count has an
 * effect on memory. The answer states the cost of the whole commitment. Slices of every TPU have sizes. */
static void what_a_reviewer_found(void **state)
{
	const struct answer *
		small = ask("training",
		   "{\"model\":{\"params\":25e6,\"flops_per_sample\":4e9,\"sample_bytes\":1000},\"tokens\":1e9,\"accelerator\":\"h100\",\"gpu_count\":8,\"input_pipeline\":{\"storage_gbs\":0.5}}"),
	   *large = ask("training",
		   "{\"model\":{\"params\":25e6,\"flops_per_sample\":4e9,\"sample_bytes\":110e6},\"tokens\":1e9,\"accelerator\":\"h100\",\"gpu_count\":8,\"input_pipeline\":{\"storage_gbs\":0.5}}");

	(void)state;
	assert_true(figure(large, "recommended.wall_clock_hours") > 1000 * figure(small, "recommended.wall_clock_hours"));
	assert_false(says(ask("memory", "{\"model\":\"llama-3.1-8b\",\"purpose\":\"training\",\"accelerator\":\"h100\",\"gpu_count\":64}"),
		"gpu_count is not used"));
	assert_true(says(
		ask("training",
			"{\"model\":\"llama-3.2-1b\",\"tokens\":1e10,\"accelerator\":\"h100\",\"gpu_count\":64,\"pricing\":{\"terms\":[\"reserved_3y\"]}}"),
		"the whole commitment costs"));
	assert_true(says(ask("training", "{\"model\":\"llama-3.1-8b\",\"tokens\":1e12,\"accelerator\":\"tpu-v4\",\"gpu_count\":100}"),
		"the next larger slice has 128"));
	assert_true(says(ask("training", "{\"model\":\"llama-3.1-8b\",\"tokens\":1e12,\"accelerator\":\"tpu-v7\",\"gpu_count\":100}"),
		"the next larger slice has 128"));
	assert_false(says(ask("training", "{\"model\":\"llama-3.1-8b\",\"tokens\":1e12,\"accelerator\":\"tpu-v5p\",\"gpu_count\":192}"),
		"not the size of a rented slice"));
}

struct visited {
	json_t *fields;
	size_t changes;
};

static void note(const struct change *change, void *context)
{
	struct visited *visited = context;

	json_object_set_new(visited->fields, change->field, json_integer((json_int_t)change->count));
	visited->changes += change->count;
}

static bool accept(const json_t *request, void *context)
{
	(void)request;
	(void)context;
	return true;
}

static void every_field_of_a_table_is_changed(void **state)
{
	json_t *request = json_pack("{s:s, s:f, s:{s:f}}", "model", "llama-3.1-8b", "tokens", 1e12, "pricing", "max_age_days", 100.0),
		   *values = json_load_file("tests/effects/values.json", 0, NULL);
	struct visited visited = {.fields = json_object()};

	(void)state;
	assert_non_null(values);
	assert_int_equal(changes_of(&table_training_request, request, values, accept, note, &visited), 0);
	for (size_t i = 0; i < table_training_request.row_count; i++) {
		const struct field *row = &table_training_request.rows[i];

		if (row->kind != FIELD_MERGE && row->kind != FIELD_OBJECT && row->kind != FIELD_LIST)
			assert_non_null(json_object_get(visited.fields, row->key));
	}
	assert_non_null(json_object_get(visited.fields, "reliability.repair_hours"));
	assert_non_null(json_object_get(visited.fields, "accelerator.tdp_w"));
	assert_non_null(json_object_get(visited.fields, "site.series.gco2e_per_kwh"));
	assert_non_null(json_object_get(visited.fields, "stages.sequence_length"));
	/* A number is changed both ways, a choice to each of its other words. */
	assert_int_equal(json_integer_value(json_object_get(visited.fields, "tokens")), 2);
	assert_int_equal(json_integer_value(json_object_get(visited.fields, "optimizer")), OPTIMIZER_COUNT - 1);
	/* A field without values is counted. */
	json_object_del(values, "repair_hours");
	assert_int_equal(changes_of(&table_training_request, request, values, accept, note, &visited), 1);
	json_decref(request);
	json_decref(values);
	json_decref(visited.fields);
}

static int release(void **state)
{
	(void)state;
	answers_release();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_generic_models_sample_is_read),
		cmocka_unit_test(ones_own_hardware_pays_the_sites_tariff),
		cmocka_unit_test(a_replica_says_that_it_goes_by_the_mean_prompt),
		cmocka_unit_test(memory_to_serve_counts_without_an_accelerator),
		cmocka_unit_test(power_at_full_load_follows_the_limit),
		cmocka_unit_test(rates_follow_the_one_in_16_bits),
		cmocka_unit_test(figures_of_no_accelerator_are_refused),
		cmocka_unit_test(the_median_beside_the_mean_tells_the_spread),
		cmocka_unit_test(older_engines_are_as_slow_as_they_were_measured),
		cmocka_unit_test(what_does_nothing_is_said),
		cmocka_unit_test(every_field_of_a_table_is_changed),
		cmocka_unit_test(an_open_accelerator_is_no_worse_than_a_named_one),
		cmocka_unit_test(what_a_reviewer_found),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
