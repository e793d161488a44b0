#include "planner/serving/serving_practice.h"

#include <string.h>

/* First runs count as typical runs at their p80, as for trainings (E131). */
static const double first_run_probability = 0.8;

#define PRACTICE_PART(member_, value_, low_, high_, meaning_, source_, measured_on_) \
	static const struct practice_part part_of_##member_ = {#member_, value_, low_, high_, "E136: " meaning_ "; " source_};
SERVING_PRACTICE_CONSTANTS(PRACTICE_PART)
#undef PRACTICE_PART

/* No published trace has the announced load beside it. */
static const struct practice_part part_of_load = {"load", 1, 1, 1,
	"E136: actual load over announced load; no published pair of the two was found, so the load is taken as announced. headroom is the reserve for more load; "
	"burstiness_cv, rate_profile or trace describe bursts within it"};

static void part_add(struct practice *practice, const struct practice_part *part)
{
	CHECK(practice->part_count < PRACTICE_PARTS_MAX);
	practice->parts[practice->part_count++] = *part;
	practice->value *= part->factor;
}

struct spread practice_spread_of(const struct practice *practice)
{
	struct spread spread = {0, 0};

	for (size_t i = 0; i < practice->part_count; i++)
		spread = spread_joint(spread, spread_of_range(practice->parts[i].low, practice->parts[i].factor, practice->parts[i].high));
	return spread;
}

static bool is_practised(enum practice_kind kind)
{
	return kind == PRACTICE_TYPICAL || kind == PRACTICE_FIRST_RUN;
}

static void engine_parts(const char *release, struct practice *practice)
{
	if (!release)
		part_add(practice, &part_of_release);
	part_add(practice, &part_of_flags);
	part_add(practice, &part_of_tuning);
}

static void practice_close(enum practice_kind kind, struct practice *practice)
{
	struct interval range = interval_of_spread(practice->value, practice_spread_of(practice));

	if (kind == PRACTICE_FIRST_RUN) {
		double factor = interval_quantile(&range, first_run_probability) / practice->value;

		part_add(practice,
			&(struct practice_part){"new_hardware", factor, factor, factor,
				"E136: no first service on new hardware was published with its recipe; like first trainings, it counts as a typical one at its p80"});
		range = interval_of_spread(practice->value, practice_spread_of(practice));
	}
	practice->low = range.p10;
	practice->high = range.p90;
	practice->step_factor = practice->value;
}

struct practice practice_of_service(const struct inference_request *request)
{
	enum practice_kind kind = request->common.practice;
	struct practice practice = {.value = 1, .step_factor = 1, .own_runs = ABSENT_NUMBER, .own_weight = ABSENT_NUMBER};

	if (is_practised(kind) && !is_given(request->throughput_tokens_per_s_per_gpu))
		engine_parts(request->engine_release, &practice);
	if (is_practised(kind) && request->trace.count == 0 && request->rate_profile.count == 0)
		part_add(&practice, &part_of_load);
	practice_close(kind, &practice);
	return practice;
}

struct practice practice_of_replica(const struct performance_request *request)
{
	struct practice practice = {.value = 1, .step_factor = 1, .own_runs = ABSENT_NUMBER, .own_weight = ABSENT_NUMBER};

	if (is_practised(request->common.practice))
		engine_parts(request->engine_release, &practice);
	practice_close(request->common.practice, &practice);
	return practice;
}

static double widened(double sigma, double unlike, double factor)
{
	return factor * sqrt(sigma * sigma + unlike * unlike);
}

struct residuals residuals_of(const struct ground *ground, const struct calibration *calibration)
{
	struct residuals residuals = distance_residuals(ground);
	bool calibrated = CALIBRATED(calibration, gemm_efficiency, 0) > 0 && CALIBRATED(calibration, memory_efficiency, 0) > 0;
	double factor = calibrated ? 0.8 : 1;

	residuals.throughput *= factor;
	residuals.tpot *= factor;
	residuals.ttft *= factor;
	if (calibration && calibration->id) { /* E151: prompts depend on products, tokens on memory */
		double products = calibration_log_sigma(calibration->gemm_low, calibration->gemm_high);
		double memory = calibration_log_sigma(calibration->memory_low, calibration->memory_high);

		residuals.throughput = interval_joint_sigma(residuals.throughput, fmax(products, memory));
		residuals.tpot = interval_joint_sigma(residuals.tpot, memory);
		residuals.ttft = interval_joint_sigma(residuals.ttft, products);
	}
	return residuals;
}

/* Spread for MIG slices, of which no published measurement of serving is among the cases: half of that of other makers'
 * boards, because the chips are the same. */
static const double unmeasured_slice = 0.15;

struct residuals residuals_of_candidate(
	const struct model *model, const struct candidate *candidate, const struct replica_layout *layout, bool throughput_is_given)
{
	struct ground ground = {
		.model = model, .accelerator = &candidate->accelerator, .engine = layout->engine, .release_years = layout->release_years};
	struct residuals residuals = residuals_of(&ground, &candidate->calibration);

	if (candidate->slice) {
		residuals.throughput = widened(residuals.throughput, unmeasured_slice, 1);
		residuals.tpot = widened(residuals.tpot, unmeasured_slice, 1);
		residuals.ttft = widened(residuals.ttft, unmeasured_slice, 1);
	}
	if (throughput_is_given)
		residuals.throughput = 0;
	return residuals;
}

struct assurance assurance_of(double confidence, const struct practice *practice)
{
	double given = confidence > 0 ? confidence : 0.5;

	return (struct assurance){
		.confidence = given, .z = normal_quantile(given), .log_slow = log(practice->value), .practice = practice_spread_of(practice)};
}

struct allowance allowance_of(const struct assurance *assurance, const struct residuals *residuals)
{
	double z = assurance->z, practice = z < 0 ? assurance->practice.low : assurance->practice.high;
	double sigma = interval_joint_sigma(residuals->throughput, practice);

	return (struct allowance){.slow = exp(assurance->log_slow + z * sigma),
		.log_ttft = z * (interval_joint_sigma(residuals->ttft, practice) - sigma),
		.log_tpot = z * (interval_joint_sigma(residuals->tpot, practice) - sigma)};
}

void replica_slow(struct replica *replica, double slow)
{
	replica->software_factor *= slow;
	replica->front_end_factor *= slow;
}
