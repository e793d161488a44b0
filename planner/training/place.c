#include "planner/training/place.h"

#include "planner/footprint/supply.h"
#include "planner/training/range.h"

size_t place_count(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan)
{
	const struct candidate *candidate = &schedule->input->candidates[candidate_plan->candidate];

	return candidate->has_offer && candidate->supply_count > 0 ? candidate->supply_count : 1;
}

bool place_take(const struct stage_schedule *schedule, size_t index, struct candidate_plan *candidate_plan)
{
	const struct candidate *candidate = &schedule->input->candidates[candidate_plan->candidate];
	const struct supply *supply = candidate->has_offer && candidate->supply_count > 0 ? &candidate->supplies[index] : NULL;

	if (supply && !supply_suits(candidate, candidate_plan->gpu_count, &supply->offer))
		return false;
	candidate_plan_settle(schedule, supply, candidate_plan);
	return true;
}

bool place_is_acceptable(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan)
{
	const struct training_request *request = &schedule->input->request;

	return candidate_plan->any && (candidate_plan->fits || request->common.enforce_memory == TRUTH_FALSE) &&
		range_keeps_promises(schedule, candidate_plan);
}

static bool is_better(const struct stage_schedule *schedule, const struct candidate_plan *a, const struct candidate_plan *b)
{
	enum objective objective = schedule->input->request.common.objective;
	bool a_fits = place_is_acceptable(schedule, a), b_fits = place_is_acceptable(schedule, b);
	double a_rank = fleet_objective(a, objective), b_rank = fleet_objective(b, objective);

	if (a_fits != b_fits)
		return a_fits;
	if (a_rank < b_rank || a_rank > b_rank)
		return a_rank < b_rank;
	a_rank = fleet_objective(a, OBJECTIVE_COST);
	b_rank = fleet_objective(b, OBJECTIVE_COST);
	if (a_rank < b_rank || a_rank > b_rank)
		return a_rank < b_rank;
	return a->footprint.carbon.total_kgco2e < b->footprint.carbon.total_kgco2e;
}

void place_best(const struct stage_schedule *schedule, struct candidate_plan *candidate_plan)
{
	size_t count = place_count(schedule, candidate_plan), best = count;
	UNCLEARED struct candidate_plan kept;

	for (size_t i = 0; i < count; i++) {
		if (!place_take(schedule, i, candidate_plan))
			continue;
		if (best < count && !is_better(schedule, candidate_plan, &kept))
			continue;
		kept = *candidate_plan;
		best = i;
	}
	CHECK(best < count); /* the largest instances suit every number */
	*candidate_plan = kept;
}
