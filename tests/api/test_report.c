/* Tests the reports of stored plans. */
#include "api/report.h"
#include "support/assert.h"

static const char training_result[] =
	"{\"recommended\":{\"accelerator\":\"h100-sxm5-80gb\",\"gpu_count\":512,\"wall_clock_hours\":701.25,\"cost\":{"
	"\"total_usd\":1234567.8,"
	"\"offer\":{\"provider\":\"aws\",\"region\":\"us|east\"}},\"mfu\":0.412,\"run_mfu\":0.25,\"practice\":{\"value\":1.6,\"low\":1.1,\"high\":2.4},"
	"\"promises\":[{\"what\":\"deadline\",\"limit\":720,\"probability\":0.81},{\"what\":\"budget\",\"limit\":2000000,\"probability\":0.9}],\"parallelism\":{\"tensor\":8,\"offload\":"
	"false},"
	"\"interval\":{\"total_usd\":{\"p10\":1000000,\"p50\":1234567.8,\"p90\":1500000}},\"bottleneck\":{\"kind\":"
	"\"compute\"}},"
	"\"confidence_curve\":[{\"confidence\":0.5,\"gpu_count\":400,\"wall_clock_hours\":719,\"total_usd\":900000}],"
	"\"uncertainties\":[{\"field\":\"layout\",\"wall_clock_hours\":49.9,\"total_usd\":160039,\"cure\":\"pin a|b\"},{\"field\":\"price\",\"wall_clock_hours\":0,\"total_usd\":5,"
	"\"cure\":\"get a quote\"}],"
	"\"alternatives\":[{\"accelerator\":\"=a100\",\"gpu_count\":1024,\"cost\":{\"total_usd\":5}}],"
	"\"rule_of_thumb\":{\"gpu_hours\":359040},\"warnings\":[\"mind <b>\"],\"advice\":[{\"code\":\"c\",\"detail\":\"do "
	"this\",\"effect\":\"gain\"}],"
	"\"assumptions\":[{\"field\":\"epochs\",\"value\":1,\"source\":\"E7\"}],\"sensitivity\":[{\"field\":\"price\","
	"\"effect\":\"+10 %\"}]}";
static const char inference_result[] = "{\"recommended\":{\"accelerator\":\"h100-sxm5-80gb\",\"gpu_count\":8,"
									   "\"replicas\":4,\"slo_met\":true,\"latency\":{\"ttft_ms\":{\"p95\":812.3}}}}";

static struct buffer out;
static struct failure failure;

static struct plan_record plan_of(const char *kind, const char *result)
{
	return (struct plan_record){.id = "01939e5c-7d00-7000-8000-000000000000",
		.kind = kind,
		.name = "Night *run*",
		.notes = "two\nlines",
		.revision = 3,
		.request = {.text = "{\"model\":\"llama-3.1-8b\"}", .length = 24},
		.result = {.text = result, .length = strlen(result)},
		.catalogue_revision = 7,
		.planner_version = "0.1",
		.computed_at_us = 1795231261123000};
}

static void a_training_plan_reads_as_a_report(void **state)
{
	struct plan_record plan = plan_of("training", training_result);

	(void)state;
	buffer_clear(&out);
	assert_int_equal(report_plan_markdown(&plan, &out, &failure), STATUS_OK);
	assert_contains(out.bytes, "# Night \\*run\\*\n\nModel: llama-3.1-8b. Plan 01939e5c");
	assert_contains(out.bytes, "revision 3. Computed 2026-11-21T03:21:01.123000Z with planner 0.1, catalogue revision 7.");
	assert_contains(out.bytes, "\ntwo lines\n");
	assert_contains(out.bytes, "| Accelerators | 512 x h100-sxm5-80gb | |\n| Time | 29.2 days |  |\n| Cost | 1.23 M USD | 1 to 1.5 M |\n");
	assert_contains(out.bytes, "| MFU of the whole run | 25 % |");
	assert_contains(out.bytes, "## Why not another\n\n- 1,024 x =a100, 5 USD\n");
	assert_contains(out.bytes,
		"## What could go wrong\n\n- mind \\<b\\>\n- Uncertainty of layout: adds 2.08 days and 160,000 USD. To reduce it, pin a\\|b.\n");
	assert_null(strstr(out.bytes, "Uncertainty of price")); /* 5 USD of 160,039 */
	assert_contains(out.bytes, "## Assumptions that move it most\n\n- epochs: 1 — E7\n\n---\n\n## Details\n");
	assert_contains(out.bytes, "### Recommended: 512 x h100-sxm5-80gb");
	assert_contains(out.bytes, "| Cost (USD) | 1,234,568 | 1,000,000 – 1,500,000 |");
	assert_contains(out.bytes, "| Time (hours) | 701.2 |");
	assert_contains(out.bytes, "| MFU of the whole run | 0.25 |");
	assert_contains(out.bytes, "| Practice: factor on the hours of steps and failures | 1.6 | 1.1 – 2.4 |");
	assert_contains(out.bytes,
		"\nIt meets the deadline of 720 hours with a probability of 0.81, the budget of 2,000,000 USD with a probability of 0.9.\n");
	assert_contains(out.bytes,
		"## Confidence\n\n| probability | gpu_count | wall_clock_hours | total_usd |\n| --- | ---: | ---: | ---: |\n| 0.5 | 400 | 719 | 900,000 |\n");
	assert_contains(out.bytes,
		"## Uncertainties, and what they add\n\n| uncertainty | wall_clock_hours | total_usd | how to reduce it |\n| --- | ---: | ---: | --- |\n"
		"| layout | 49.9 | 160,039 | pin a\\|b |\n| price | 0 | 5 | get a quote |\n");
	assert_contains(out.bytes, "Layout: tensor 8, offload no");
	assert_contains(out.bytes, "Offer: provider aws, region us\\|east");
	assert_contains(out.bytes, "| =a100 | 1,024 |  | 5 |  |  |");
	assert_contains(out.bytes, "- do this: gain\n");
	assert_contains(out.bytes, "- epochs: 1 — E7\n");
	assert_null(strstr(out.bytes, "Energy"));
}

static void an_inference_plan_reads_as_a_report(void **state)
{
	struct plan_record plan = plan_of("inference", inference_result);

	(void)state;
	plan.name = NULL;
	plan.model = "m";
	plan.notes = NULL;
	buffer_clear(&out);
	assert_int_equal(report_plan_markdown(&plan, &out, &failure), STATUS_OK);
	assert_contains(out.bytes, "# Inference plan\n\nModel: m. ");
	assert_contains(out.bytes, "| Time to first token, p95 (ms) | 812.3 |");
	assert_contains(out.bytes, "| Latency limits met | yes |");
	assert_null(strstr(out.bytes, "Alternatives"));
}

static size_t columns_of(const char *text)
{
	size_t count = 1;

	for (; *text && *text != '\r'; text++)
		count += *text == ',';
	return count;
}

static void options_are_rows(void **state)
{
	struct plan_record plan = plan_of("training", training_result);
	size_t lines = 0;

	(void)state;
	buffer_clear(&out);
	assert_int_equal(report_plan_csv(&plan, false, &out, &failure), STATUS_OK);
	assert_string_equal(out.bytes,
		"option,accelerator,gpu_count,wall_clock_hours,gpu_hours,total_usd,total_kwh,total_kgco2e,run_mfu,provider,region,reason\r\n"
		"recommended,h100-sxm5-80gb,512,701.25,,1234567.8,,,0.25,aws,us|east,\r\n"
		"alternative,\"'=a100\",1024,,,5,,,,aws,us|east,\r\n");
	buffer_clear(&out);
	assert_int_equal(report_plan_csv(&plan, true, &out, &failure), STATUS_OK);
	for (const char *c = out.bytes; *c; c++)
		lines += *c == '\n';
	assert_int_equal(lines, 3);
	assert_contains(out.bytes, "accelerator,gpu_count,wall_clock_hours,gpu_hours,node_count,parallelism.tensor,");
	assert_contains(out.bytes, "\r\nh100-sxm5-80gb,512,701.25,,,8,");
	assert_contains(out.bytes, "\r\n\"'=a100\",1024,");
	assert_contains(out.bytes, ",1234567.8,");
	assert_contains(out.bytes, ",cost.currency.code,cost.currency.per_usd,cost.currency.as_of,cost.currency.total,");
	plan = plan_of("inference", inference_result);
	buffer_clear(&out);
	assert_int_equal(report_plan_csv(&plan, false, &out, &failure), STATUS_OK);
	assert_contains(out.bytes, ",true,");
	assert_int_equal(columns_of(out.bytes), 12);
}

/* Until version 0.2 the daemon stored 9,223,372,036,854,775,808 operations and more as plain digits. */
static void integers_of_more_than_64_bits_are_read(void **state)
{
	struct plan_record plan = plan_of(
		"training", "{\"recommended\":{\"accelerator\":\"a100\",\"gpu_count\":8},\"workload\":{\"flops_total\":33240645632000000000}}");

	(void)state;
	buffer_clear(&out);
	assert_int_equal(report_plan_markdown(&plan, &out, &failure), STATUS_OK);
	assert_contains(out.bytes, "## Recommended: 8 x a100");
	buffer_clear(&out);
	assert_int_equal(report_plan_csv(&plan, true, &out, &failure), STATUS_OK);
	assert_contains(out.bytes, "\r\na100,8,");
}

static void content_that_is_no_plan_is_refused(void **state)
{
	static const char *const bad[] = {"", "[]", "{}", "{\"recommended\":1}", "{\"recommended\":"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct plan_record plan = plan_of("training", bad[i]);

		assert_int_equal(report_plan_markdown(&plan, &out, &failure), STATUS_INTERNAL);
		assert_int_equal(report_plan_csv(&plan, true, &out, &failure), STATUS_INTERNAL);
		assert_contains(failure.detail, "01939e5c");
	}
}

static int start(void **state)
{
	(void)state;
	buffer_init(&out, 1024 * 1024);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	buffer_release(&out);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_training_plan_reads_as_a_report),
		cmocka_unit_test(an_inference_plan_reads_as_a_report),
		cmocka_unit_test(options_are_rows),
		cmocka_unit_test(integers_of_more_than_64_bits_are_read),
		cmocka_unit_test(content_that_is_no_plan_is_refused),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
