#include "planner/training/place.h"

#include "planner/footprint/supply.h"
#include "planner/training/range.h"

size_t place_count(const struct programme *programme, const struct outline *outline)
{
	const struct candidate *candidate = &programme->input->candidates[outline->candidate];

	return candidate->has_offer && candidate->supply_count > 0 ? candidate->supply_count : 1;
}

bool place_take(const struct programme *programme, size_t index, struct outline *outline)
{
	const struct candidate *candidate = &programme->input->candidates[outline->candidate];
	const struct supply *supply = candidate->has_offer && candidate->supply_count > 0 ? &candidate->supplies[index] : NULL;

	if (supply && !supply_suits(candidate, outline->gpu_count, &supply->offer))
		return false;
	outline_settle(programme, supply, outline);
	return true;
}

bool place_is_acceptable(const struct programme *programme, const struct outline *outline)
{
	const struct training_request *request = &programme->input->request;

	return outline->any && (outline->fits || request->common.enforce_memory == TRUTH_FALSE) && range_keeps_promises(programme, outline);
}

static bool is_better(const struct programme *programme, const struct outline *a, const struct outline *b)
{
	enum objective objective = programme->input->request.common.objective;
	bool a_fits = place_is_acceptable(programme, a), b_fits = place_is_acceptable(programme, b);
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

void place_best(const struct programme *programme, struct outline *outline)
{
	size_t count = place_count(programme, outline), best = count;
	UNCLEARED struct outline kept;

	for (size_t i = 0; i < count; i++) {
		if (!place_take(programme, i, outline))
			continue;
		if (best < count && !is_better(programme, outline, &kept))
			continue;
		kept = *outline;
		best = i;
	}
	CHECK(best < count); /* the largest instances always do */
	*outline = kept;
}
