/* The gate: which limits are understood, what each decides, and the sentences and tables that people read. */
#include "service/plan_gate.h"

#include "planner/plan/serving.h"
#include "planner/plan/training.h"
#include "service/gate_text.h"
#include "support/assert.h"

static struct failure failure;
static struct arena arena;

static const double none = NAN;

static void limits_as_people_write_them(void **state)
{
	static const struct {
		const char *text;
		enum gate_figure of;
		enum gate_form form;
		double most;
		const char *unit;
	} cases[] = {
		{"cost>10%", GATE_COST, GATE_PERCENT, 10, "%"},
		{"  cost > 0.5 % ", GATE_COST, GATE_PERCENT, 0.5, "%"},
		{"cost>0%", GATE_COST, GATE_PERCENT, 0, "%"},
		{"cost>1e1%", GATE_COST, GATE_PERCENT, 10, "%"},
		{"cost>500000", GATE_COST, GATE_VALUE, 5e5, "USD"},
		{"cost>500k", GATE_COST, GATE_VALUE, 5e5, "USD"},
		{"cost>2.5M", GATE_COST, GATE_VALUE, 2.5e6, "USD"},
		{"cost>1B", GATE_COST, GATE_VALUE, 1e9, "USD"},
		{"GPUs>64", GATE_GPUS, GATE_VALUE, 64, "accelerators"},
		{"cost>12 usd", GATE_COST, GATE_VALUE, 12, "USD"},
		{"cost>+50k", GATE_COST, GATE_INCREASE, 5e4, "USD"},
		{"energy>10MWh", GATE_ENERGY, GATE_VALUE, 1e4, "kWh"},
		{"energy>1GWh", GATE_ENERGY, GATE_VALUE, 1e6, "kWh"},
		{"energy>7", GATE_ENERGY, GATE_VALUE, 7, "kWh"},
		{"carbon>+2t", GATE_CARBON, GATE_INCREASE, 2e3, "kgCO2e"},
		{"carbon>3kt", GATE_CARBON, GATE_VALUE, 3e6, "kgCO2e"},
		{"carbon>3 kg", GATE_CARBON, GATE_VALUE, 3, "kgCO2e"},
		{"gpus>64", GATE_GPUS, GATE_VALUE, 64, "accelerators"},
		{"gpus>+1k", GATE_GPUS, GATE_INCREASE, 1e3, "accelerators"},
		{"hours>30d", GATE_HOURS, GATE_VALUE, 720, "hours"},
		{"hours>18h", GATE_HOURS, GATE_VALUE, 18, "hours"},
		{"replicas>+0", GATE_REPLICAS, GATE_INCREASE, 0, "replicas"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct gate_limit limit;

		failure_clear(&failure);
		assert_int_equal(gate_limit_parse(cases[i].text, &limit, &failure), STATUS_OK);
		assert_int_equal(limit.of, cases[i].of);
		assert_int_equal(limit.form, cases[i].form);
		assert_close(limit.most, cases[i].most, 1e-12);
		assert_string_equal(limit.unit, cases[i].unit);
		assert_string_equal(limit.limit, cases[i].text);
	}
}

static void other_limits_are_refused_with_what_to_write(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"", "names no figure"},
		{"10%", "names no figure"},
		{">10%", "names no figure"},
		{"cst>10%", "did you mean cost"},
		{"carbonfootprintofthewholerun>10%", "names no figure"},
		{"cost", "needs > after the figure"},
		{"cost<10%", "needs > after the figure"},
		{"cost>=10%", "needs > after the figure"},
		{"cost=10%", "needs > after the figure"},
		{"cost>", "needs a number"},
		{"cost>%", "needs a number"},
		{"cost>-5%", "needs a number"},
		{"cost>+-5", "needs a number"},
		{"cost>nan", "needs a number"},
		{"cost>inf%", "needs a number"},
		{"cost>0x10", "needs a number"},
		{"cost>.5%", "needs a number"},
		{"cost>1e999", "is too large"},
		{"cost>1e999%", "is too large"},
		{"cost>1e308b", "is too large"},
		{"cost>10%%", "ends with \"%%\""},
		{"cost>10% or carbon>5%", "ends with"},
		{"cost>10t", "cost allows % or USD, with K, M or B"}, /* T is 10^12 in a request, and a tonne in a limit of carbon */
		{"carbon>10k", "carbon allows % or kg, t or kt"},
		{"energy>1TWh", "energy allows % or kWh, MWh or GWh"},
		{"hours>3w", "hours allows % or h or d"},
		{"gpus>8h", "gpus allows % or a number, with K"},
		{"cost>1,000", "ends with \",000\""},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct gate_limit limit;

		failure_clear(&failure);
		assert_int_equal(gate_limit_parse(cases[i].text, &limit, &failure), STATUS_INVALID);
		if (!strstr(failure.detail, cases[i].says))
			fail_msg("%s: %s", cases[i].text, failure.detail);
		assert_non_null(strstr(failure.detail, "Write cost>10%, cost>+50k or cost>500k"));
	}
}

/* One side of a training, with a cost; other figures are fixed. */
static struct gate_side side_of(const char *file, enum gate_state planned, double usd)
{
	struct gate_side side = {.file = file, .state = planned, .gpu_count = ABSENT_COUNT};

	if (planned == GATE_INFEASIBLE)
		side.detail = "memory: it needs 172 GB";
	if (planned != GATE_PLANNED)
		return side;
	side.summary = "Rent 8 H100.";
	side.accelerator = "h100-sxm5-80gb";
	side.gpu_count = 8;
	side.figures[GATE_COST] = (struct summary_figure){usd, 0.8 * usd, 1.3 * usd};
	side.figures[GATE_ENERGY] = (struct summary_figure){5e3, 4e3, 6e3};
	side.figures[GATE_CARBON] = (struct summary_figure){2e3, 1e3, 3e3};
	side.figures[GATE_GPUS] = (struct summary_figure){16, none, none};
	side.figures[GATE_HOURS] = (struct summary_figure){48, 48, 48};
	side.figures[GATE_REPLICAS] = (struct summary_figure){none, none, none};
	return side;
}

static struct plan_gate *decided(struct gate_side base, struct gate_side head, const char *const *limits, size_t count)
{
	static struct plan_gate gate;

	gate = (struct plan_gate){.title = "train.json",
		.kind = "training",
		.base = base,
		.head = head,
		.as_of_us = INT64_C(1793491200000000),
		.as_of_from = "option",
		.catalogue = "builtin",
		.planner_version = "1.0.0"};
	for (size_t i = 0; i < count; i++) {
		failure_clear(&failure);
		assert_int_equal(gate_limit_parse(limits[i], &gate.limits[gate.limit_count++], &failure), STATUS_OK);
	}
	assert_int_equal(gate_decide(&gate, &arena), STATUS_OK);
	return &gate;
}

static void each_limit_decides(void **state)
{
	static const struct {
		const char *limit;
		enum gate_state before, after;
		double base, head;
		enum gate_outcome outcome;
		double compared;
		const char *says;
	} cases[] = {
		{"cost>10%", GATE_PLANNED, GATE_PLANNED, 100, 114, GATE_EXCEEDED, 14, "cost rises by 14 %, limit 10 %"},
		{"cost>10%", GATE_PLANNED, GATE_PLANNED, 100, 110, GATE_HELD, 10, "cost rises by 10 %, limit 10 %"},
		{"cost>10%", GATE_PLANNED, GATE_PLANNED, 0.1, 0.11, GATE_HELD, 10, "cost rises by 10 %, limit 10 %"}, /* 10.000000000000009 */
		{"cost>10%", GATE_PLANNED, GATE_PLANNED, 1e6, 1.1004e6, GATE_EXCEEDED, 10.04, "cost rises by 10.04 %, limit 10 %"},
		{"cost>10%", GATE_PLANNED, GATE_PLANNED, 100, 60, GATE_HELD, -40, "cost falls by 40 %, limit 10 %"},
		{"cost>0%", GATE_PLANNED, GATE_PLANNED, 100, 100, GATE_HELD, 0, "cost does not change, limit 0 %"},
		{"cost>0%", GATE_PLANNED, GATE_PLANNED, 1e9, 1e9 + 100, GATE_EXCEEDED, 1e-5, "cost rises by less than 0.001 %, limit 0 %"},
		{"cost>10%", GATE_PLANNED, GATE_PLANNED, 1, 100, GATE_EXCEEDED, 9900, "cost rises by 9,900 %, limit 10 %"},
		{"cost>10%", GATE_PLANNED, GATE_PLANNED, 0, 0, GATE_HELD, 0, "cost does not change, limit 10 %"},
		{"cost>10%", GATE_PLANNED, GATE_PLANNED, 0, 5, GATE_EXCEEDED, none, "cost rises from 0, which is more than any percentage"},
		{"cost>10%", GATE_PLANNED, GATE_PLANNED, 100, none, GATE_EXCEEDED, none, "cost of the request is not known; give pricing"},
		{"cost>10%", GATE_PLANNED, GATE_PLANNED, none, none, GATE_EXCEEDED, none, "cost of the request is not known"},
		{"cost>10%", GATE_PLANNED, GATE_PLANNED, none, 100, GATE_NOT_COMPARED, none, "cost was not known before the change"},
		{"cost>+10", GATE_PLANNED, GATE_PLANNED, none, 100, GATE_NOT_COMPARED, none, "cost was not known before the change"},
		{"cost>99", GATE_PLANNED, GATE_PLANNED, none, 100, GATE_EXCEEDED, 100, "cost is 100 USD, limit 99 USD"},
		{"cost>+10", GATE_PLANNED, GATE_PLANNED, 0, 11, GATE_EXCEEDED, 11, "cost rises by 11 USD, limit +10 USD"},
		{"cost>2.5M", GATE_PLANNED, GATE_PLANNED, 1, 2500400, GATE_EXCEEDED, 2500400, "cost is 2,500,400 USD, limit 2.5 M USD"},
		{"cost>10%", GATE_ABSENT, GATE_PLANNED, none, 100, GATE_NOT_COMPARED, none, "the request is new"},
		{"cost>+50", GATE_ABSENT, GATE_PLANNED, none, 100, GATE_EXCEEDED, 100, "cost rises by 100 USD, limit +50 USD"},
		{"cost>200", GATE_ABSENT, GATE_PLANNED, none, 100, GATE_HELD, 100, "cost is 100 USD, limit 200 USD"},
		{"cost>10%", GATE_INFEASIBLE, GATE_PLANNED, none, 100, GATE_NOT_COMPARED, none, "no plan satisfied the request before the change"},
		{"cost>+1", GATE_INFEASIBLE, GATE_PLANNED, none, 100, GATE_NOT_COMPARED, none, "no plan satisfied the request before the change"},
		{"cost>99", GATE_INFEASIBLE, GATE_PLANNED, none, 100, GATE_EXCEEDED, 100, "cost is 100 USD, limit 99 USD"},
		{"cost>10%", GATE_PLANNED, GATE_INFEASIBLE, 100, none, GATE_EXCEEDED, none, "no plan satisfies the request"},
		{"cost>10%", GATE_PLANNED, GATE_ABSENT, 100, none, GATE_NOT_COMPARED, none, "the request is removed"},
		{"replicas>3", GATE_PLANNED, GATE_PLANNED, 100, 100, GATE_NOT_COMPARED, none, "a training has no replicas"},
		{"hours>1d", GATE_PLANNED, GATE_PLANNED, 100, 100, GATE_EXCEEDED, 48, "time is 2 days, limit 24 hours"},
		{"gpus>15", GATE_PLANNED, GATE_PLANNED, 100, 100, GATE_EXCEEDED, 16, "accelerators are 16, limit 15"},
		{"carbon>2t", GATE_PLANNED, GATE_PLANNED, 100, 100, GATE_HELD, 2000, "carbon is 2 t CO2e, limit 2 t CO2e"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct plan_gate *gate = decided(
			side_of("a", cases[i].before, cases[i].base), side_of("b", cases[i].after, cases[i].head), &cases[i].limit, 1);
		const struct gate_limit *limit = &gate->limits[0];

		if (limit->outcome != cases[i].outcome || !strstr(limit->detail, cases[i].says))
			fail_msg("case %zu, %s: outcome %d, %s", i, cases[i].limit, limit->outcome, limit->detail);
		assert_int_equal(isnan(limit->compared), isnan(cases[i].compared));
		if (!isnan(cases[i].compared))
			assert_close(limit->compared, cases[i].compared, 1e-6);
		assert_int_equal(gate->passed, cases[i].outcome != GATE_EXCEEDED);
	}
}

static void a_service_has_replicas_and_no_hours(void **state)
{
	static struct inference_plan plan;
	static struct training_plan training;
	const struct estimate service = {.kind = &estimate_inference, .result = &plan}, run = {.kind = &estimate_training, .result = &training};
	struct gate_side side = {0};

	(void)state;
	plan.summary = (struct summary){.text = "Rent 5.",
		.accelerator = "b200",
		.gpu_count = 5,
		.gpus_paid = 8,
		.replicas = 5,
		.wall_clock_hours = {none, none, none},
		.total_usd = {none, none, none},
		.usd_per_month = {100, 90, 110},
		.total_kwh = {7, 6, 8},
		.total_kgco2e = {3, 2, 4}};
	gate_side_planned(&side, &service);
	assert_int_equal(side.state, GATE_PLANNED);
	assert_close(side.figures[GATE_COST].value, 100, 0);
	assert_close(side.figures[GATE_GPUS].value, 8, 0);
	assert_close(side.figures[GATE_REPLICAS].value, 5, 0);
	assert_true(isnan(side.figures[GATE_HOURS].value));
	training.summary = plan.summary;
	training.summary.replicas = ABSENT_COUNT;
	training.summary.total_usd.value = 42;
	training.summary.wall_clock_hours.value = 24;
	gate_side_planned(&side, &run);
	assert_close(side.figures[GATE_COST].value, 42, 0);
	assert_close(side.figures[GATE_HOURS].value, 24, 0);
	assert_true(isnan(side.figures[GATE_REPLICAS].value));
}

static void the_outcome_in_sentences(void **state)
{
	static const char *const limits[] = {"cost>10%", "carbon>10%", "energy>+1MWh", "replicas>1"};
	const struct gate_side before = side_of("a", GATE_PLANNED, 2.29e6), after = side_of("b", GATE_PLANNED, 2.6129e6);
	const struct gate_side absent = side_of("a", GATE_ABSENT, none), infeasible = side_of("a", GATE_INFEASIBLE, none);

	(void)state;
	assert_string_equal(
		decided(before, after, limits, 3)->text, "Cost 2.29 M USD -> 2.61 M USD (+14.1 %) exceeds the limit of 10 %. 2 other limits hold.");
	assert_string_equal(decided(before, after, limits + 1, 3)->text,
		"Cost 2.29 M USD -> 2.61 M USD (+14.1 %), energy 5 MWh (no change), carbon 2 t CO2e (no change), time 2 days (no change). 2 limits hold. "
		"replicas>1 is not compared: a training has no replicas; its figures are cost, energy, carbon, gpus and hours.");
	assert_string_equal(decided(before, before, limits, 1)->text,
		"No figure changes: cost 2.29 M USD, energy 5 MWh, carbon 2 t CO2e, time 2 days. The limit holds.");
	assert_string_equal(decided(absent, before, limits, 1)->text,
		"The request is new: cost 2.29 M USD, energy 5 MWh, carbon 2 t CO2e, time 2 days. cost>10% is not compared: the request is new.");
	assert_string_equal(
		decided(before, absent, limits, 0)->text, "The request is removed: cost 2.29 M USD, energy 5 MWh, carbon 2 t CO2e, time 2 days.");
	assert_string_equal(decided(infeasible, before, limits, 0)->text,
		"No plan satisfied the request before the change. Now: cost 2.29 M USD, energy 5 MWh, carbon 2 t CO2e, time 2 days.");
	assert_string_equal(decided(before, infeasible, limits, 1)->text, "No plan satisfies the request: memory: it needs 172 GB.");
	assert_false(decided(before, infeasible, limits, 0)->passed);
	assert_string_equal(decided(before, side_of("b", GATE_PLANNED, none), limits, 1)->text,
		"cost>10% is exceeded: cost of the request is not known; give pricing.usd_per_gpu_hour, or remove this limit.");
	assert_string_equal(decided(before, side_of("b", GATE_PLANNED, none), limits, 0)->text,
		"Cost 2.29 M USD -> not known, energy 5 MWh (no change), carbon 2 t CO2e (no change), time 2 days (no change).");
}

/* A comment for a pull request: what a request contains cannot end a cell or become markup. */
static void a_comment_for_a_pull_request(void **state)
{
	static const char *const limits[] = {"cost>10%"};
	const struct gate_side before = side_of("a", GATE_PLANNED, 2.29e6), after = side_of("b", GATE_PLANNED, 2.6129e6);
	struct plan_gate *gate = decided(before, after, limits, 1);
	struct buffer out;

	(void)state;
	gate->title = "a|b`<i>.json";
	gate->differences[0] = (struct json_difference){"/slo/ttft_ms", NULL, "\"<img> | `x`\""};
	gate->difference_count = 1;
	gate->differing = 31;
	gate->head.summary = "Rent <b>8</b> of *your* [own](x).";
	buffer_init(&out, 64 * 1024);
	gate_text_markdown(gate, &out);
	assert_string_equal(out.bytes,
		"### Fleetplan: `a|b'<i>.json`\n\n"
		"**The gate fails.** Cost 2.29 M USD -> 2.61 M USD (+14.1 %) exceeds the limit of 10 %.\n\n"
		"| | before | after | change |\n| --- | ---: | ---: | ---: |\n"
		"| Cost | 2.29 M USD (1.83 to 2.98 M) | 2.61 M USD (2.09 to 3.4 M) | +14.1 % |\n"
		"| Energy | 5 MWh (4 to 6) | 5 MWh (4 to 6) | no change |\n"
		"| Carbon | 2 t CO2e (1 to 3) | 2 t CO2e (1 to 3) | no change |\n"
		"| Time | 2 days | 2 days | no change |\n"
		"| Accelerators | 16 h100-sxm5-80gb (8 in use) | 16 h100-sxm5-80gb (8 in use) | no change |\n\n"
		"In brackets: the range of 8 outcomes in 10.\n\n"
		"| limit | result | |\n| --- | --- | --- |\n"
		"| `cost>10%` | **exceeded** | cost rises by 14.1 %, limit 10 % |\n\n"
		"| field of the request | before | after |\n| --- | --- | --- |\n"
		"| `slo.ttft_ms` | - | `\"<img> \\| 'x'\"` |\n\n"
		"30 further fields differ.\n\n"
		"Before: Rent 8 H100.\n\nAfter: Rent &lt;b>8&lt;/b> of \\*your\\* \\[own\\](x).\n\n"
		"Both plans use the built-in catalogue of Fleetplan 1.0.0 as of 2026-11-01.\n");
	buffer_clear(&out);
	gate->as_of_us++;
	gate->as_of_from = "now";
	gate->prices_left_out = 3;
	gate_text_plain(gate, &out);
	assert_string_equal(out.bytes,
		"a|b`<i>.json: the gate fails. Cost 2.29 M USD -> 2.61 M USD (+14.1 %) exceeds the limit of 10 %.\n\n"
		"  (8 in 10)       before                        after                         change\n"
		"  Cost            2.29 M USD (1.83 to 2.98 M)   2.61 M USD (2.09 to 3.4 M)    +14.1 %\n"
		"  Energy          5 MWh (4 to 6)                5 MWh (4 to 6)                no change\n"
		"  Carbon          2 t CO2e (1 to 3)             2 t CO2e (1 to 3)             no change\n"
		"  Time            2 days                        2 days                        no change\n"
		"  Accelerators    16 h100-sxm5-80gb (8 in use)  16 h100-sxm5-80gb (8 in use)  no change\n\n"
		"Limits:\n  cost>10%: exceeded: cost rises by 14.1 %, limit 10 %\n\n"
		"Fields that differ:\n  slo.ttft_ms: absent -> \"<img> | `x`\"\n  and 30 more\n\n"
		"Both plans use the built-in catalogue of Fleetplan 1.0.0 as of 2026-11-01T00:00:00Z, the time of this comparison; --as-of fixes the "
		"date; 3 newer prices are left out.\n");
	buffer_release(&out);
}

static enum status kind_of(const char *base, const char *head, const struct estimate_kind **kind)
{
	const struct json_text before = {base, base ? strlen(base) : 0}, after = {head, head ? strlen(head) : 0};

	failure_clear(&failure);
	*kind = NULL;
	return gate_kind(base ? &before : NULL, head ? &after : NULL, kind, &failure);
}

static void the_kind_is_that_of_the_fields(void **state)
{
	static const struct {
		const char *base, *head;
		const struct estimate_kind *kind; /* NULL: refused */
		const char *says;
	} cases[] = {
		{"{\"tokens\":1}", "{\"tokens\":2}", &estimate_training, NULL},
		{NULL, "{\"model\":\"m\",\"deadline_hours\":2}", &estimate_training, NULL},
		{"{\"model\":\"m\"}", "{\"model\":\"m\",\"slo\":{\"tokens\":1}}", &estimate_inference, NULL},
		{"{\"trace\":{}}", NULL, &estimate_inference, NULL},
		{"{\"tokns\":1,\"stages\":[]}", "{}", &estimate_training, NULL},
		{"{\"model\":\"m\"}", "{\"model\":\"n\"}", NULL, "Say --kind training or --kind inference"},
		{"{\"model\":{\"tokens\":1}}", NULL, NULL, "Say --kind"},
		{"[1]", NULL, NULL, "Say --kind"},
		{"{\"tokens\":1}", "{\"slo\":1}", NULL, "BASE is a training (tokens) and HEAD a service (slo)"},
		{"{\"slo\":1}", "{\"tokens\":1}", NULL, "BASE is a service (slo) and HEAD a training (tokens)"},
		{"{}", "{\"tokens\":1,\"prompt_tokens\":1}", NULL, "HEAD has tokens, a field of a training, and prompt_tokens, a field of a service"},
		{"{\"tokens\":", "{}", NULL, "BASE is not JSON: line 1"},
		{"{}", "{\"tokens\":1}}", NULL, "HEAD is not JSON"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct estimate_kind *kind;
		enum status status = kind_of(cases[i].base, cases[i].head, &kind);

		if (cases[i].kind) {
			assert_int_equal(status, STATUS_OK);
			assert_ptr_equal(kind, cases[i].kind);
		} else {
			assert_true(status == STATUS_INVALID || status == STATUS_MALFORMED);
			if (!strstr(failure.detail, cases[i].says))
				fail_msg("case %zu: %s", i, failure.detail);
		}
	}
}

static void names_and_notes_are_no_difference(void **state)
{
	static const char before[] = "{\"name\":\"a\",\"labels\":{\"team\":\"x\"},\"tokens\":1,\"slo\":{\"ttft_ms\":5}}",
					  after[] = "{\"notes\":\"b\",\"labels\":{\"team\":\"y\"},\"tokens\":2,\"slo\":{\"ttft_ms\":5},\"epochs\":3}";
	const struct json_text base = {before, sizeof before - 1}, head = {after, sizeof after - 1};
	static struct plan_gate gate;

	(void)state;
	failure_clear(&failure);
	assert_int_equal(gate_differences(&gate, &base, &head, &arena, &failure), STATUS_OK);
	assert_int_equal(gate.differing, 2);
	assert_int_equal(gate.difference_count, 2);
	assert_string_equal(gate.differences[0].pointer, "/tokens");
	assert_string_equal(gate.differences[0].after, "2");
	assert_string_equal(gate.differences[1].pointer, "/epochs");
	assert_null(gate.differences[1].before);
}

static int set_up(void **state)
{
	(void)state;
	arena_init(&arena, 16 * 1024 * 1024);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_as_people_write_them),
		cmocka_unit_test(other_limits_are_refused_with_what_to_write),
		cmocka_unit_test(each_limit_decides),
		cmocka_unit_test(a_service_has_replicas_and_no_hours),
		cmocka_unit_test(the_outcome_in_sentences),
		cmocka_unit_test(a_comment_for_a_pull_request),
		cmocka_unit_test(the_kind_is_that_of_the_fields),
		cmocka_unit_test(names_and_notes_are_no_difference),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
