/* Tests parts of boards: their published figures, how they add up to boards, and when they serve better than whole
 * boards. */
#include "hwdb/resolve/mig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/serving/fleet_cost.h"
#include "planner/serving/fleet_simulation.h"
#include "support/assert.h"
#include "support/catalogue.h"
#include "support/golden.h"
#include "support/serving_fixture.h"

static struct inference_plan plan;
static struct failure failure;
static const struct inference_option *const best = &plan.recommended;
static void *workspace;

static double golden_slice(const struct golden_case *golden, const char *expected)
{
	struct candidate whole = {.accelerator = {.id = golden_word(golden, "board"),
								  .memory_usable_bytes = golden_number(golden, "usable"),
								  .memory_bandwidth_gbs = golden_number(golden, "bandwidth"),
								  .tflops_bf16 = golden_number(golden, "bf16")}};
	struct mig_slice slices[MIG_SLICES_MAX];
	size_t count = mig_slices_of(&whole.accelerator, slices), at = 0;
	struct candidate part;

	while (at < count && strcmp(slices[at].profile, golden_word(golden, "profile")) != 0)
		at++;
	assert_true(at < count);
	part = candidate_slice(&whole, &slices[at]);
	if (strcmp(expected, "memory_gib") == 0)
		return accelerator_capacity_bytes(&part.accelerator) / (1 << 30);
	if (strcmp(expected, "bandwidth_gbs") == 0)
		return part.accelerator.memory_bandwidth_gbs;
	if (strcmp(expected, "tflops_bf16") == 0)
		return part.accelerator.tflops_bf16;
	return strcmp(expected, "per_board") == 0 ? (double)part.slice->per_board : ABSENT_NUMBER;
}

static double golden_boards(const struct golden_case *golden, const char *expected)
{
	struct mig_slice slice = {.per_board = (int64_t)golden_number(golden, "per_board")};
	struct candidate part = {.slice = &slice};
	struct fleet fleet = {.candidate = &part, .gpus_per_replica = 1};
	struct demand demand = {.spare_replicas = (int64_t)golden_number(golden, "spare")};

	fleet_settle(&fleet, &demand, golden_number(golden, "active"));
	if (strcmp(expected, "gpu_count") == 0)
		return (double)fleet.gpu_count;
	if (strcmp(expected, "replicas") == 0)
		return (double)fleet.replicas;
	return strcmp(expected, "active") == 0 ? fleet_active_replicas(&fleet, &demand) : ABSENT_NUMBER;
}

static void golden_cases(void **state)
{
	static const struct golden_row rows[] = {{"E111", golden_slice}, {"E111 boards", golden_boards}};

	(void)state;
	golden_run("tests/hwdb/golden/mig.txt", rows, COUNT_OF(rows), 7);
}

/* No part exceeds its board, and all parts together need no more than the board has. */
static void parts_do_not_exceed_their_board(void **state)
{
	size_t boards = 0;

	(void)state;
	for (size_t i = 0; i < builtin_catalogue->rows.accelerator_count; i++) {
		const struct accelerator *board = &builtin_catalogue->rows.accelerators[i].accelerator;
		struct mig_slice slices[MIG_SLICES_MAX];
		size_t count = mig_slices_of(board, slices);

		boards += count > 0;
		for (size_t k = 0; k < count; k++) {
			double parts = (double)slices[k].per_board;

			assert_true(slices[k].per_board >= 2 && strlen(slices[k].source) > 8);
			assert_true(parts * slices[k].memory_bytes <= accelerator_capacity_bytes(board));
			assert_true(parts * slices[k].bandwidth_share <= 1 && parts * slices[k].compute_share <= 1);
			assert_true(slices[k].memory_bytes > 0.88 * slices[k].bandwidth_share * accelerator_capacity_bytes(board));
		}
	}
	assert_true(boards >= 11);
	assert_int_equal(mig_slices_of(&(struct accelerator){.id = "mi300x"}, (struct mig_slice[MIG_SLICES_MAX]){{0}}), 0);
}

/* Meta 2024, config.json of Llama 3.2 1B. */
static void small_model(struct model *model)
{
	*model = (struct model){.id = "llama-3.2-1b",
		.hidden = 2048,
		.vocabulary = 128256,
		.max_positions = 131072,
		.layer_count = 16,
		.kind_count = 1,
		.tied_embeddings = true};
	model->kinds[0] = (struct layer_kind){.mixer = MIXER_ATTENTION,
		.heads = 32,
		.kv_heads = 8,
		.head_dim = 64,
		.value_head_dim = 64,
		.feed_forward = FEED_FORWARD_DENSE,
		.width = 8192,
		.gated = true,
		.norms = 2};
	model->norms = 1;
	model_finish(model);
}

struct sliced {
	struct serving_fixture fixture;
	struct mig_slice slices[MIG_SLICES_MAX];
	struct candidate parts[MIG_SLICES_MAX];
};

static void fill(struct sliced *sliced, double requests_per_s)
{
	struct inference_input *input = &sliced->fixture.inference;
	size_t count;

	serving_fixture_fill(&sliced->fixture);
	small_model(&input->model);
	count = mig_slices_of(&sliced->fixture.candidate.accelerator, sliced->slices);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < count; i++)
		sliced->parts[i] = candidate_slice(&sliced->fixture.candidate, &sliced->slices[i]);
	input->slices = sliced->parts;
	input->slice_count = count;
	input->workspace = workspace;
	input->workspace_bytes = simulator_workspace_bytes();
	input->request.queries_per_minute = ABSENT_NUMBER;
	input->request.requests_per_s = requests_per_s;
	input->request.slo.ttft_ms = 1000;
	input->request.slo.tpot_ms = 50;
	input->request.mig = TRUTH_TRUE;
}

static enum status run(const struct inference_input *input)
{
	memset(&plan, 0, sizeof plan);
	failure_clear(&failure);
	return planner_inference(input, &plan, &failure);
}

/* Small steps wait for the host, not for the board. The parts of one board can wait at the same time. */
static void slices_of_busy_boards_save_boards(void **state)
{
	struct sliced sliced;
	int64_t whole;

	(void)state;
	fill(&sliced, 1000);
	assert_int_equal(run(&sliced.fixture.inference), STATUS_OK);
	assert_non_null(best->mig_profile);
	assert_string_equal(best->accelerator.id, "h100-sxm5-80gb");
	assert_close(best->accelerator.memory_bandwidth_gbs, 3350, 1e-12); /* the option describes the board */
	assert_int_equal(best->replicas, best->gpu_count);
	assert_true(best->slices_per_gpu >= 2);
	assert_int_equal(best->gpus_per_replica, 1);
	assert_int_equal(best->parallelism.tensor, 1);
	assert_close(best->cost.usd_per_hour, 3.0 * 8 * ceil((double)best->gpu_count / 8), 1e-12); /* instances of 8 */
	assert_true(best->memory.capacity_bytes < 43e9);
	assert_true(best->energy.mean_gpu_w < 700);
	assert_true(best->energy.mean_gpu_w > 0.118 * 700);
	assert_true(plan.rule_of_thumb.gpu_count_exact < (double)best->gpu_count); /* boards, as in the plan */
	assert_true(plan.rule_of_thumb.gpu_count_exact > 0.5 * (double)best->gpu_count);
	whole = best->gpu_count;
	sliced.fixture.inference.slice_count = 0;
	assert_int_equal(run(&sliced.fixture.inference), STATUS_OK);
	assert_null(best->mig_profile);
	assert_true(best->gpu_count > whole);
}

/* A board is idle only while all of its slices are. With n slices, each busy for the fraction b, it is busy 1 - (1 -
 * b)^n of the time. The work of all slices is done in that time. */
static void a_board_rests_when_all_of_its_slices_do(void **state)
{
	struct sliced sliced;
	const struct candidate *part = &sliced.parts[2];
	struct demand demand = {.shape = {.prompt_tokens = 200, .output_tokens = 50, .run_requests = ABSENT_NUMBER}, .mean_load = 1};
	struct fleet_limits limits = {.gpu_count = ABSENT_COUNT,
		.throughput_tokens_per_s_per_gpu = ABSENT_NUMBER,
		.usd_cap_per_month = ABSENT_NUMBER,
		.kgco2e_cap_per_month = ABSENT_NUMBER,
		.kwh_cap_per_month = ABSENT_NUMBER};
	struct operating_point point;
	struct fleet_cost costs;
	struct replica replica;
	struct fleet fleet;
	double slices, idle;

	(void)state;
	fill(&sliced, 1);
	limits.pricing = &sliced.fixture.inference.request.common.pricing;
	slices = (double)part->slice->per_board;
	fleet = (struct fleet){.candidate = part,
		.layout = {1, 1, 1, 1, PRECISION_BF16, PRECISION_BF16, ENGINE_VLLM, engine_newest_release_years(), ABSENT_NUMBER, ABSENT_NUMBER},
		.replicas = part->slice->per_board,
		.gpus_per_replica = 1,
		.gpu_count = 1,
		.requests_per_s = 2};
	assert_true(fleet_replica(&sliced.fixture.inference.model, part, &fleet.layout, &demand, &limits, REPLICA_PLANNED, &replica));
	operating_open(&replica, &demand.shape, 2 / slices, &point);
	assert_true(point.busy_fraction > 0.01 && point.busy_fraction < 0.5);
	fleet_cost(&fleet, &replica, &demand, &limits, &costs, NULL);
	idle = pow(1 - point.busy_fraction, slices);
	assert_int_equal(costs.gpus_paid, 8); /* seven of them idle */
	costs.usage.busy_fraction *= 8;
	assert_close(costs.usage.busy_fraction, 1 - idle, 1e-9);
	assert_close(costs.usage.busy_fraction * costs.usage.memory_utilization,
		slices * point.busy_fraction * point.memory_utilization * part->slice->bandwidth_share, 1e-9);
	assert_close(costs.usage.busy_fraction * costs.usage.compute_utilization,
		slices * point.busy_fraction * point.compute_utilization * part->slice->compute_share, 1e-9);
}

/* A board that fails takes all of its slices with it, so a spare is a whole board. */
static void a_spare_is_a_board(void **state)
{
	struct sliced sliced;
	int64_t boards;

	(void)state;
	fill(&sliced, 1000);
	assert_int_equal(run(&sliced.fixture.inference), STATUS_OK);
	boards = best->gpu_count;
	sliced.fixture.inference.request.redundancy = REDUNDANCY_N_PLUS_1;
	sliced.fixture.inference.slices = &sliced.parts[3];
	sliced.fixture.inference.slice_count = 1;
	sliced.fixture.inference.candidate_count = 0;
	assert_int_equal(run(&sliced.fixture.inference), STATUS_OK);
	assert_true(best->gpu_count > boards);
	assert_int_equal(best->slices_per_gpu, 2);
}

static void a_fixed_number_is_of_boards(void **state)
{
	struct sliced sliced;

	(void)state;
	fill(&sliced, ABSENT_NUMBER);
	sliced.fixture.inference.slices = &sliced.parts[0];
	sliced.fixture.inference.slice_count = 1;
	sliced.fixture.inference.candidate_count = 0;
	sliced.fixture.inference.request.common.gpu_count = 3;
	assert_int_equal(run(&sliced.fixture.inference), STATUS_OK);
	assert_int_equal(best->gpu_count, 3);
	assert_int_equal(best->replicas, 3);
	assert_int_equal(best->slices_per_gpu, 7);
}

/* A layout that needs several accelerators does not use slices. */
static void a_pinned_width_leaves_slices_out(void **state)
{
	struct sliced sliced;

	(void)state;
	fill(&sliced, 1000);
	sliced.fixture.inference.request.parallelism.tensor = 2;
	assert_int_equal(run(&sliced.fixture.inference), STATUS_OK);
	assert_null(best->mig_profile);
	for (size_t i = 0; i < plan.alternative_count; i++)
		assert_null(plan.alternatives[i].mig_profile);
}

/* A slice has no link that could send a prompt's cache. */
static void prompts_apart_leave_slices_out(void **state)
{
	struct sliced sliced;

	(void)state;
	fill(&sliced, 1000);
	sliced.fixture.inference.request.parallelism.disaggregated = TRUTH_TRUE;
	assert_int_equal(run(&sliced.fixture.inference), STATUS_OK);
	assert_null(best->mig_profile);
	assert_true(best->prefill_replicas > 0);
	for (size_t i = 0; i < plan.alternative_count; i++)
		assert_null(plan.alternatives[i].mig_profile);
}

static int set_up(void **state)
{
	workspace = malloc(simulator_workspace_bytes());
	return workspace ? builtin_catalogue_setup(state) : -1;
}

static int tear_down(void **state)
{
	free(workspace);
	return builtin_catalogue_teardown(state);
}

static void slices_have_names(void **state)
{
	static const struct {
		const char *name;
		size_t length; /* of the board's name; 0: the name is not a slice */
		const char *profile;
	} names[] = {{"h100-1g.10gb", 4, "1g.10gb"}, {"H100 MIG 1g.10gb", 4, "1g.10gb"}, {"a100-40gb:3g.20GB", 9, "3g.20gb"},
		{"h200/mig-1g.18gb", 4, "1g.18gb"}, {"NVIDIA H100 80GB HBM3 MIG 2g.20gb", 21, "2g.20gb"}, {"h100", 0, ""}, {"1g.10gb", 0, ""},
		{"h100-80gb", 0, ""}, {"h100-1g.10", 0, ""}, {"h100-g.10gb", 0, ""}, {"h100-1g.10gbs", 0, ""}, {"", 0, ""}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		char profile[MIG_PROFILE_MAX] = "";

		assert_int_equal(mig_name_parse(names[i].name, profile), names[i].length);
		assert_string_equal(profile, names[i].profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_cases),
		cmocka_unit_test(slices_have_names),
		cmocka_unit_test(parts_do_not_exceed_their_board),
		cmocka_unit_test(slices_of_busy_boards_save_boards),
		cmocka_unit_test(a_board_rests_when_all_of_its_slices_do),
		cmocka_unit_test(a_spare_is_a_board),
		cmocka_unit_test(a_fixed_number_is_of_boards),
		cmocka_unit_test(a_pinned_width_leaves_slices_out),
		cmocka_unit_test(prompts_apart_leave_slices_out),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
