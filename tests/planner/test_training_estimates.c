/* The smaller calculators: memory and scaling laws. */
#include "planner/estimates/memory_estimate.h"
#include "planner/estimates/scaling_estimate.h"
#include "planner/training/scaling.h"
#include "support/assert.h"
#include "support/training_fixture.h"

static struct training_fixture fixture;
#define REQUEST (fixture.input.request)
#define BEST    (fixture.plan.recommended)

static void begin(void)
{
	fixture_init(&fixture);
}

static void scaling_answers_the_missing_two(void **state)
{
	struct scaling_request request = {.compute_flops = 5.76e23, .tokens = ABSENT_NUMBER, .params = ABSENT_NUMBER, .epochs = ABSENT_NUMBER};
	static struct scaling_estimate estimate;

	(void)state;
	failure_clear(&fixture.failure);
	assert_int_equal(planner_scaling(&request, &estimate, &fixture.failure), STATUS_OK);
	assert_close(estimate.optimum.params, 72.4e9, 0.004);
	assert_int_equal(estimate.curve_count, SCALING_CURVE_MAX);
	for (size_t i = 0; i < estimate.curve_count; i++) {
		assert_close(estimate.curve[i].compute_flops, 5.76e23, 1e-9);
		assert_true(estimate.curve[i].loss >= estimate.optimum.loss - 1e-12);
	}
	request = (struct scaling_request){.compute_flops = ABSENT_NUMBER, .tokens = 300e9, .params = 175e9, .epochs = 1};
	assert_int_equal(planner_scaling(&request, &estimate, &fixture.failure), STATUS_OK);
	assert_int_equal(estimate.verdict, VERDICT_COMPUTE_INEFFICIENT);
	assert_true(estimate.given.loss > estimate.optimum.loss);
	request.params = ABSENT_NUMBER;
	assert_int_equal(planner_scaling(&request, &estimate, &fixture.failure), STATUS_OK);
	assert_close(estimate.optimum.tokens, 300e9, 1e-9);
	request = (struct scaling_request){.compute_flops = 1, .tokens = 300e9, .params = 175e9, .epochs = ABSENT_NUMBER, .law = "kaplan"};
	assert_int_equal(planner_scaling(&request, &estimate, &fixture.failure), STATUS_INVALID);
	assert_int_equal(fixture.failure.fault_count, 2);
	/* Compute and tokens each determine the optimum, so a request with both is rejected. */
	failure_clear(&fixture.failure);
	request = (struct scaling_request){.compute_flops = 5.76e23, .tokens = 300e9, .params = ABSENT_NUMBER, .epochs = ABSENT_NUMBER};
	assert_int_equal(planner_scaling(&request, &estimate, &fixture.failure), STATUS_INVALID);
	assert_string_equal(fixture.failure.faults[0].pointer, "/compute_flops");
	assert_int_equal(fixture.failure.detail[0], '\0'); /* the faults explain it */
}

/* `tokens` counts one epoch. A plan and the estimate use one function for the same training (E145). */
static void epochs_mean_the_same_in_a_plan_and_in_the_estimate(void **state)
{
	static const double passes[] = {1, 2, 4, 40, 400};
	double before = INFINITY;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(passes); i++) {
		struct scaling_request request = {.compute_flops = ABSENT_NUMBER, .tokens = 1e10, .params = 1e9, .epochs = passes[i]};
		static struct scaling_estimate estimate;

		begin();
		REQUEST.epochs = passes[i];
		REQUEST.tokens = 1e10;
		model_from_size(&fixture.input.model, 1e9, ABSENT_NUMBER);
		fixture.input.model.params_active = 1e9;
		fixture_planned(&fixture);
		failure_clear(&fixture.failure);
		assert_int_equal(planner_scaling(&request, &estimate, &fixture.failure), STATUS_OK);
		assert_close(estimate.given.loss, fixture.plan.compute_optimal.predicted_loss, 1e-12);
		assert_close(estimate.tokens_effective, fixture.plan.compute_optimal.tokens_effective, 1e-12);
		assert_close(estimate.tokens_total, fixture.plan.workload.tokens_total, 1e-12);
		assert_close(estimate.optimum.tokens, fixture.plan.compute_optimal.tokens_optimal, 1e-12);
		assert_int_equal(estimate.verdict, fixture.plan.compute_optimal.verdict);
		assert_true(estimate.given.loss < before); /* repeated tokens teach less, but do not raise the loss */
		before = estimate.given.loss;
		request.compute_flops = 6e19 * passes[i];
		assert_int_equal(planner_scaling(&request, &estimate, &fixture.failure), STATUS_OK);
		assert_close(estimate.given.compute_flops, request.compute_flops, 1e-12);
		request.params = request.compute_flops = ABSENT_NUMBER;
		assert_int_equal(planner_scaling(&request, &estimate, &fixture.failure), STATUS_OK);
		assert_close(estimate.optimum.tokens, 1e10 * scaling_repeated_worth(passes[i]), 1e-12);
	}
}

static void memory_of_a_model_alone_and_on_hardware(void **state)
{
	static struct memory_estimate estimate;
	struct memory_request request = {
		.sequence_length = 4096, .optimizer = OPTIMIZER_ADAMW, .context_tokens = ABSENT_NUMBER, .concurrency = ABSENT_NUMBER};
	struct candidate h100 = fixture_h100();

	(void)state;
	begin();
	failure_clear(&fixture.failure);
	request.parallelism = REQUEST.parallelism;
	request.common.gpu_count = request.common.gpus_per_node = ABSENT_COUNT;
	request.common.internode_gbs = ABSENT_NUMBER;
	request.common.precision = PRECISION_BF16;
	findings_clear(&estimate.findings);
	assert_int_equal(planner_memory(&request, &fixture.input.model, NULL, &estimate, &fixture.failure), STATUS_OK);
	assert_close(estimate.weights_bf16_bytes, 2 * fixture.input.model.params_total, 1e-9);
	assert_close(estimate.training.optimizer_bytes, 12 * fixture.input.model.params_total, 0.001);
	assert_true(estimate.fits == TRUTH_UNSET && isnan(estimate.training.capacity_bytes));
	assert_true(isnan(estimate.inference.weights_bytes) && isnan(estimate.inference.kv_tokens_capacity)); /* not asked: absent, not 0 */
	request.common.gpu_count = 8;
	assert_int_equal(planner_memory(&request, &fixture.input.model, &h100.accelerator, &estimate, &fixture.failure), STATUS_OK);
	assert_int_equal(estimate.fits, TRUTH_TRUE); /* the planner shards the states */
	assert_true(
		estimate.headroom_bytes > 0 && estimate.gpu_count_min > 1 && estimate.gpu_count_min < 8 && estimate.parallelism.zero_stage > 0);
	request.parallelism.zero_stage = 0;
	request.parallelism.tensor = request.parallelism.pipeline = 1;
	assert_int_equal(planner_memory(&request, &fixture.input.model, &h100.accelerator, &estimate, &fixture.failure), STATUS_OK);
	assert_int_equal(estimate.fits, TRUTH_FALSE);
	assert_true(estimate.headroom_bytes < 0 && estimate.gpu_count_min == ABSENT_COUNT); /* no number is enough */
	request.parallelism.tensor = request.parallelism.pipeline = ABSENT_COUNT;
	request.parallelism.zero_stage = 3;
	request.parallelism.recompute = RECOMPUTE_FULL;
	assert_int_equal(planner_memory(&request, &fixture.input.model, &h100.accelerator, &estimate, &fixture.failure), STATUS_OK);
	assert_int_equal(estimate.fits, TRUTH_TRUE);
	request.parallelism.tensor = 3;
	assert_int_equal(planner_memory(&request, &fixture.input.model, &h100.accelerator, &estimate, &fixture.failure), STATUS_INVALID);
	request.parallelism.tensor = ABSENT_COUNT;
	request.purpose = MEMORY_PURPOSE_INFERENCE;
	request.common.gpu_count = 1;
	failure_clear(&fixture.failure);
	assert_int_equal(planner_memory(&request, &fixture.input.model, &h100.accelerator, &estimate, &fixture.failure), STATUS_OK);
	assert_int_equal(estimate.fits, TRUTH_TRUE);
	assert_int_equal(estimate.gpu_count_min, 1);
	assert_close(estimate.kv_bytes_per_token, 2.0 * 32 * 8 * 128 * 2, 1e-9);
	assert_true(isnan(estimate.training.weights_bytes) && isnan(estimate.training.optimizer_bytes));
	request.concurrency = 1e6;
	assert_int_equal(planner_memory(&request, &fixture.input.model, &h100.accelerator, &estimate, &fixture.failure), STATUS_OK);
	assert_int_equal(estimate.fits, TRUTH_FALSE);
}

struct sized {
	int layers, hidden, heads, kv_heads, width;
};
static const struct sized sizes[] = {{24, 2048, 16, 16, 8192}, {32, 4096, 32, 8, 14336}, {60, 6144, 48, 8, 16384}, {80, 8192, 64, 8, 28672}};

static void absent_memory_request(struct memory_request *request, enum memory_purpose purpose)
{
	begin();
	*request = (struct memory_request){.purpose = purpose,
		.sequence_length = 4096,
		.optimizer = OPTIMIZER_ADAMW,
		.context_tokens = ABSENT_NUMBER,
		.concurrency = ABSENT_NUMBER,
		.parallelism = REQUEST.parallelism};
	request->common.gpu_count = request->common.gpus_per_node = ABSENT_COUNT;
	request->common.internode_gbs = ABSENT_NUMBER;
	request->common.precision = PRECISION_BF16;
	failure_clear(&fixture.failure);
}

/* E146: a training fits exactly if the number of accelerators is at least the
 * least one, and a plan finds a layout only then. */
static void training_fits_from_its_least_number_on_as_plans_do(void **state)
{
	static const int64_t counts[] = {1, 2, 3, 4, 5, 7, 8, 11, 16, 24, 31, 32, 64, 100, 128, 1000, 4096};
	static struct memory_estimate estimate;
	struct memory_request request;

	(void)state;
	for (size_t s = 0; s < COUNT_OF(sizes); s++)
		for (int accelerator = 0; accelerator < 2; accelerator++) {
			struct candidate candidate = accelerator ? fixture_a100() : fixture_h100();
			int64_t least = 0;
			bool both[2] = {false, false};

			for (size_t i = 0; i < COUNT_OF(counts); i++) {
				enum status planned;

				absent_memory_request(&request, MEMORY_PURPOSE_TRAINING);
				fixture_model(&fixture.input.model, sizes[s].layers, sizes[s].hidden, sizes[s].heads, sizes[s].kv_heads, sizes[s].width,
					128256, false);
				request.common.gpu_count = counts[i];
				findings_clear(&estimate.findings);
				assert_int_equal(
					planner_memory(&request, &fixture.input.model, &candidate.accelerator, &estimate, &fixture.failure), STATUS_OK);
				assert_int_equal(estimate.fits == TRUTH_TRUE, counts[i] >= estimate.gpu_count_min);
				assert_int_equal(estimate.fits == TRUTH_TRUE, estimate.headroom_bytes >= 0);
				assert_true(least == 0 ||
					estimate.gpu_count_min == least); /* depends on the model and the accelerator, not on the requested number */
				assert_true(estimate.least_bytes <= estimate.training.total_bytes);
				least = estimate.gpu_count_min;
				both[estimate.fits == TRUTH_TRUE] = true;
				fixture.candidates[0] = candidate;
				REQUEST.common.gpu_count = counts[i];
				REQUEST.sequence_length = 4096;
				REQUEST.global_batch_size = 8192;
				planned = fixture_plan(&fixture);
				if (planned == STATUS_OK)
					assert_int_equal(estimate.fits, TRUTH_TRUE);
				else if (estimate.fits == TRUTH_TRUE)
					assert_true(estimate.findings.warning_count > 0); /* on fewer, with a warning */
			}
			assert_true(both[true]);
			assert_true(both[false] || least == 1);
		}
}

/* E147: the same for sequences served at once. By hand: a sequence of 131,072 tokens in 32 layers of 8 x 128 keys and
 * values in two bytes takes 17.18 GB. One replica of one H100 holds 3 beside its 16 GB of weights, so 64 sequences
 * take 22 replicas. A replica of four (4 GB of weights on each) holds 16, so 16 accelerators hold 64. */
static void serving_fits_from_its_least_number_on(void **state)
{
	static const double at_once[] = {ABSENT_NUMBER, 1, 3, 4, 17, 64, 1000};
	static struct memory_estimate estimate;
	struct memory_request request;
	struct candidate h100 = fixture_h100();

	(void)state;
	absent_memory_request(&request, MEMORY_PURPOSE_INFERENCE);
	request.context_tokens = 131072;
	for (size_t i = 0; i < COUNT_OF(at_once); i++) {
		int64_t least = 0;

		for (int64_t count = 1; count <= 400; count = count < 40 ? count + 1 : count * 2) {
			request.concurrency = at_once[i];
			request.common.gpu_count = count;
			assert_int_equal(planner_memory(&request, &fixture.input.model, &h100.accelerator, &estimate, &fixture.failure), STATUS_OK);
			assert_int_equal(estimate.fits == TRUTH_TRUE, count >= estimate.gpu_count_min);
			assert_int_equal(estimate.fits == TRUTH_TRUE, estimate.headroom_bytes >= 0);
			assert_true(least == 0 || estimate.gpu_count_min == least);
			assert_true(estimate.replicas * estimate.replica_layout.tensor * estimate.replica_layout.pipeline <= count);
			least = estimate.gpu_count_min;
		}
		assert_true(!is_given(at_once[i]) ? least == 1 : at_once[i] > 3 ? least > 1 : least == 1);
		if (fabs(at_once[i] - 64) < 0.5)
			assert_int_equal(least, 16);
	}
}

/* The laws are of language models trained from random weights. Other trainings get no figures from them, and no
 * critical batch, which follows from their loss. */
static void scaling_laws_speak_where_they_hold(void **state)
{
	(void)state;
	begin();
	REQUEST.common.gpu_count = 8;
	fixture_planned(&fixture);
	assert_true(fixture.plan.compute_optimal.predicted_loss > 1.8 && fixture.plan.batch.critical_batch_tokens > 0);
	assert_int_not_equal(fixture.plan.compute_optimal.verdict, VERDICT_UNSET);
	REQUEST.fine_tuning.method = FINE_TUNING_LORA;
	REQUEST.tokens = 10e6;
	fixture_planned(&fixture);
	assert_true(isnan(fixture.plan.compute_optimal.predicted_loss) && isnan(fixture.plan.batch.critical_batch_tokens));
	assert_int_equal(fixture.plan.compute_optimal.verdict, VERDICT_UNSET);
	assert_non_null(strstr(fixture.plan.compute_optimal.detail, "fine-tuning"));
	assert_null(strstr(fixture.plan.batch.detail, "the critical one"));
	REQUEST.fine_tuning.method = FINE_TUNING_UNSET;
	fixture.input.model = (struct model){.kind = MODEL_GENERIC,
		.params_total = 25.6e6,
		.params_active = 25.6e6,
		.generic_flops_per_sample = 8.2e9,
		.generic_sample_bytes = 150e3};
	REQUEST.sequence_length = REQUEST.global_batch_size = ABSENT_NUMBER;
	fixture_planned(&fixture);
	assert_true(isnan(fixture.plan.compute_optimal.tokens_optimal) && isnan(fixture.plan.compute_optimal.compute_factor));
	assert_non_null(strstr(fixture.plan.compute_optimal.detail, "not transformers"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scaling_answers_the_missing_two),
		cmocka_unit_test(epochs_mean_the_same_in_a_plan_and_in_the_estimate),
		cmocka_unit_test(memory_of_a_model_alone_and_on_hardware),
		cmocka_unit_test(training_fits_from_its_least_number_on_as_plans_do),
		cmocka_unit_test(serving_fits_from_its_least_number_on),
		cmocka_unit_test(scaling_laws_speak_where_they_hold),
	};

	return cmocka_run_group_tests_name("training estimates", tests, NULL, NULL);
}
