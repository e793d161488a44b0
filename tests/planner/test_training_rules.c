/* Rules of thumb, scaling laws, reliability and batch: published numbers and properties. */
#include "planner/footprint/reliability.h"
#include "planner/step/batch.h"
#include "planner/training/rule_of_thumb.h"
#include "planner/training/scaling.h"
#include "support/assert.h"
#include "support/golden.h"

static double rule(const struct golden_case *golden, const char *expected)
{
	if (strcmp(expected, "implied_mfu") == 0)
		return rule_of_thumb_implied_mfu();
	return rule_of_thumb_gpu_hours(golden_number(golden, "params"), golden_number(golden, "tokens"), golden_number(golden, "peak"));
}

static double optimum(const struct golden_case *golden, const char *expected)
{
	struct scaling_point point = scaling_optimum(scaling_law_named(golden_word(golden, "law")), golden_number(golden, "compute"));

	if (strcmp(expected, "params") == 0)
		return point.params;
	if (strcmp(expected, "tokens") == 0)
		return point.tokens;
	return strcmp(expected, "loss") == 0 ? point.loss : point.tokens / point.params;
}

static double smaller(const struct golden_case *golden, const char *expected)
{
	const struct scaling_law *law = scaling_law_named(golden_word(golden, "law"));
	double compute = golden_number(golden, "compute");

	(void)expected;
	return scaling_compute_factor(law, compute, scaling_optimum(law, compute).params / golden_number(golden, "shrink"));
}

static double repeated(const struct golden_case *golden, const char *expected)
{
	(void)expected;
	return scaling_repeated_worth(golden_number(golden, "epochs"));
}

static double judged(const struct golden_case *golden, const char *expected)
{
	struct scaling_judgement judgement = scaling_judge(
		scaling_law_named(NULL), golden_number(golden, "params"), golden_number(golden, "tokens"), golden_number(golden, "epochs"));

	if (strcmp(expected, "loss") == 0)
		return judgement.loss;
	if (strcmp(expected, "compute") == 0)
		return judgement.compute_flops;
	return strcmp(expected, "total") == 0 ? judgement.tokens_total : judgement.tokens_effective;
}

static double kept(const struct golden_case *golden, const char *expected)
{
	(void)expected;
	return reliability_goodput(golden_number(golden, "checkpoint"), golden_number(golden, "interval"), golden_number(golden, "mtbf"),
		golden_number(golden, "restart"));
}

static double checkpoints(const struct golden_case *golden, const char *expected)
{
	double checkpoint = golden_number(golden, "checkpoint"), mtbf = golden_number(golden, "mtbf");

	return strcmp(expected, "young") == 0 ? reliability_young_interval(checkpoint, mtbf) : reliability_daly_interval(checkpoint, mtbf);
}

static void published_figures_come_out(void **state)
{
	static const struct golden_row rows[] = {
		{"E10", rule}, {"E13", optimum}, {"E17", smaller}, {"E19", repeated}, {"E145", judged}, {"E47", checkpoints}, {"E49", kept}};

	(void)state;
	golden_run("tests/planner/golden/training.txt", rows, COUNT_OF(rows), 18);
}

static void optimum_is_lowest_on_its_compute(void **state)
{
	static const char *const names[] = {"epoch", "hoffmann_3"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const struct scaling_law *law = scaling_law_named(names[i]);
		struct scaling_point best = scaling_optimum(law, 1e23);

		for (double factor = 0.5; factor < 2; factor *= 1.1)
			assert_true(scaling_loss(law, best.params * factor, best.tokens / factor) >= best.loss - 1e-12);
		assert_close(scaling_optimum_of_params(law, best.params).compute_flops, 1e23, 1e-9);
		assert_close(scaling_optimum_of_tokens(law, best.tokens).compute_flops, 1e23, 1e-9);
	}
	assert_close(scaling_optimum_of_tokens(scaling_law_named("20:1"), 632.455532e9).compute_flops, 1.2e23, 1e-8);
	assert_null(scaling_law_named("kaplan"));
}

static void marginal_compute_matches_a_difference(void **state)
{
	const struct scaling_law *law = scaling_law_named(NULL);
	double compute = 1e24, loss = scaling_optimum(law, compute).loss, step = 1e-5;
	double slope = (scaling_optimum(law, compute * (1 + step)).loss - loss) / (compute * step);

	(void)state;
	assert_close(scaling_flops_per_percent_loss(law, compute), -0.01 * loss / slope, 1e-3);
}

static void verdicts_follow_tokens_per_parameter(void **state)
{
	const struct scaling_law *law = scaling_law_named(NULL);
	double ratio;

	(void)state;
	assert_int_equal(scaling_verdict(law, 175e9, 300e9, &ratio), VERDICT_COMPUTE_INEFFICIENT); /* GPT-3 */
	assert_int_equal(scaling_verdict(law, 8e9, 15e12, &ratio), VERDICT_DATA_INEFFICIENT);      /* Llama 3 8B */
	assert_int_equal(scaling_verdict(law, 70e9, 1.4e12, &ratio), VERDICT_NEAR_OPTIMAL);        /* Chinchilla */
	assert_string_equal(verdict_name(VERDICT_NEAR_OPTIMAL), "near_optimal");
}

static void goodput_falls_with_failures(void **state)
{
	double last = 1;

	(void)state;
	for (double mtbf = 1000; mtbf > 0.2; mtbf /= 2) {
		double interval = reliability_daly_interval(0.01, mtbf), goodput = reliability_goodput(0.01, interval, mtbf, 0.1);

		assert_true(goodput < last && goodput > 0);
		assert_true(goodput >= reliability_goodput(0.01, interval * 1.5, mtbf, 0.1) - 1e-3);
		last = goodput;
	}
	/* With rare failures, to first order (Young 1974): a checkpoint per interval,
	 * and half an interval and a restart per failure. */
	for (double mtbf = 1e3; mtbf <= 1e6; mtbf *= 10)
		for (double restart = 0; restart <= 0.5; restart += 0.25)
			assert_close(1 / reliability_goodput(0.001, 0.5, mtbf, restart) - 1, 0.001 / 0.5 + 0.5 / 2 / mtbf + restart / mtbf, 4e-3);
	assert_true(reliability_goodput(1, 1, 1e-3, 1) > 0);
	assert_close(reliability_daly_interval(5, 1), 1, 1e-12);
}

/* 70e9 parameters of 14 bytes on 1,024 accelerators: the training waits for the copy over three quarters of PCIe 4's
 * 31.5 GB/s. A failure also costs the checkpoint that is still being written. */
static void a_checkpoint_beside_the_training_costs_the_copy(void **state)
{
	static struct training_input input;
	const double copy_hours = 70e9 * 14 / 1024 / (0.75 * 31.5e9) / 3600, write_hours = 70e9 * 14 / (2.3e12 / 40 / 384 * 1024) / 3600;
	struct reliability job;

	(void)state;
	input.request.reliability.mtbf_gpu_hours = input.request.reliability.restart_minutes = ABSENT_NUMBER;
	input.request.reliability.checkpoint_gbs = input.request.reliability.checkpoint_interval_minutes = ABSENT_NUMBER;
	input.request.reliability.repair_hours = input.request.common.pricing.spot_interruptions_per_gpu_hour = ABSENT_NUMBER;
	input.request.reliability.spare_nodes = ABSENT_COUNT;
	input.request.reliability.asynchronous = TRUTH_TRUE;
	job = reliability_of_job(&input, 1024, 70e9, false);
	assert_close(job.checkpoint_hours, copy_hours, 1e-9);
	assert_close(job.write_hours, write_hours, 1e-9);
	assert_close(
		job.fraction, reliability_goodput(copy_hours, job.interval_hours, 50700.0 / 1024, 1.0 / 6 + write_hours - copy_hours), 1e-12);
}

static void batch_and_learning_rate(void **state)
{
	(void)state;
	assert_close(batch_critical_tokens(2.0), 2.1e8 / 27.857618, 1e-6);
	assert_close(batch_learning_rate_scale(OPTIMIZER_ADAMW, 400, 100, ABSENT_NUMBER), 2, 1e-12);
	assert_close(batch_learning_rate_scale(OPTIMIZER_SGD, 400, 100, ABSENT_NUMBER), 4, 1e-12);
	assert_close(batch_learning_rate_scale(OPTIMIZER_ADAMW, 400, 100, 225), 1.5, 1e-12);
	assert_close(batch_learning_rate_scale(OPTIMIZER_ADAMW, 1600, 100, 225), 1.5, 1e-12);
	assert_close(batch_learning_rate_scale(OPTIMIZER_ADAMW, 25, 100, 225), 0.5, 1e-12);
	assert_close(batch_learning_rate_scale(OPTIMIZER_ADAMW, 100, 100, 50), 1, 1e-12); /* the chosen batch */
}

/* E44: the largest power of two within the critical batch, 0.25 to 16 Mi tokens, and a hundredth of the run. */
static void a_batch_is_chosen_by_the_work(void **state)
{
	static struct training_input input; /* a transformer, pre-trained */
	const char *source;

	(void)state;
	assert_close(batch_choose_samples(&input, 1e13, 4096, 2.0, &source), 1024, 1e-12); /* 7.538e6 tokens, 1840 sequences */
	assert_contains(source, "eq. 1.4");
	assert_close(batch_choose_samples(&input, 1e13, 8192, 2.0, &source), 512, 1e-12);
	assert_close(batch_choose_samples(&input, 1e13, 4096, 6.0, &source), 32, 1e-12);   /* 0.039e6 tokens, so a quarter million */
	assert_close(batch_choose_samples(&input, 1e13, 4096, 1.0, &source), 4096, 1e-12); /* 210e6 tokens, so 16 Mi */
	assert_close(batch_choose_samples(&input, 1e7, 4096, 2.0, &source), 16, 1e-12);    /* 24.4 sequences make a hundred steps */
	assert_close(batch_choose_samples(&input, 1, 4096, 2.0, &source), 1, 1e-12);
	input.request.fine_tuning.method = FINE_TUNING_LORA;
	assert_close(batch_choose_samples(&input, 1e13, 4096, 2.0, &source), 64, 1e-12);
	input.model.kind = MODEL_GENERIC;
	assert_close(batch_choose_samples(&input, 1e13, 1, 2.0, &source), 8192, 1e-12);
	input.model.params_embedding = 1e9;
	assert_close(batch_choose_samples(&input, 1e13, 1, 2.0, &source), 65536, 1e-12);
	input = (struct training_input){.candidate_count = 0};
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_figures_come_out),
		cmocka_unit_test(optimum_is_lowest_on_its_compute),
		cmocka_unit_test(marginal_compute_matches_a_difference),
		cmocka_unit_test(verdicts_follow_tokens_per_parameter),
		cmocka_unit_test(goodput_falls_with_failures),
		cmocka_unit_test(a_checkpoint_beside_the_training_costs_the_copy),
		cmocka_unit_test(batch_and_learning_rate),
		cmocka_unit_test(a_batch_is_chosen_by_the_work),
	};

	return cmocka_run_group_tests_name("training rules", tests, NULL, NULL);
}
