#include "planner/training/search.h"

#include "planner/footprint/front.h"
#include "planner/footprint/supply.h"
#include "planner/training/nearest.h"
#include "planner/training/place.h"
#include "planner/training/range.h"

/* Difference of the logarithm of the objective beyond which an accelerator gets no further search. */
static const double within_reach = 0.4;
static const size_t exact_candidates =
	8; /* with more candidates, or for other confidences than the request's, the smallest number is found to within 1/64 */

/* A planned number with its figures at the place of least objective, kept so that another confidence need not plan it
 * again. */
struct trial {
	size_t candidate;
	int64_t gpu_count;
	bool usable; /* a layout exists and fits */
	double objective;
	struct interval wall_clock_hours, total_usd, total_kwh, total_kgco2e;
};

enum { TRIALS_MAX = 256 };

struct searching {
	const struct stage_schedule *schedule;
	const struct training_request *request;
	struct selection *selection;
	int64_t unit;  /* the number is a multiple of this product of the pinned degrees */
	bool open;     /* the request gives neither number nor deadline */
	bool thorough; /* also plans numbers that must miss the deadline: nearest_explain() compares them */
	bool chosen;   /* the recommended plan is chosen: further numbers do not go to the front */
	size_t trial_count;
	struct trial trials[TRIALS_MAX]; /* the first TRIALS_MAX of them */
};

/* True if `a` is at most `b` in time, cost, carbon and what the request minimises (which may be energy or the number of
 * accelerators). */
static bool dominates(const struct candidate_plan *a, const struct candidate_plan *b, enum objective objective)
{
	double cost_a = fleet_objective(a, OBJECTIVE_COST), cost_b = fleet_objective(b, OBJECTIVE_COST);

	return fleet_objective(a, objective) <= fleet_objective(b, objective) && a->wall_clock_hours <= b->wall_clock_hours &&
		cost_a <= cost_b && a->footprint.carbon.total_kgco2e <= b->footprint.carbon.total_kgco2e;
}

/* Adds a plan to the front unless another dominates it, and removes those that it dominates. When the front is full,
 * a plan with a lower objective replaces the worst one. */
static void front_add(struct selection *selection, const struct candidate_plan *candidate_plan, enum objective objective)
{
	size_t kept = 0, worst = 0;

	for (size_t i = 0; i < selection->front_count; i++)
		if (dominates(&selection->front[i], candidate_plan, objective))
			return;
	for (size_t i = 0; i < selection->front_count; i++) {
		if (dominates(candidate_plan, &selection->front[i], objective))
			continue;
		if (kept != i)
			selection->front[kept] = selection->front[i];
		kept++;
	}
	selection->front_count = kept;
	if (kept < FRONT_MAX) {
		selection->front[selection->front_count++] = *candidate_plan;
		return;
	}
	for (size_t i = 1; i < kept; i++)
		if (fleet_objective(&selection->front[i], objective) > fleet_objective(&selection->front[worst], objective))
			worst = i;
	if (fleet_objective(candidate_plan, objective) < fleet_objective(&selection->front[worst], objective))
		selection->front[worst] = *candidate_plan;
}

/* True if `a` is less at the request's confidence. */
static bool is_less(const struct selection *selection, const struct interval *a, const struct interval *b)
{
	return interval_quantile(a, selection->confidence) < interval_quantile(b, selection->confidence);
}

/* True if `a` takes fewer hours at the request's confidence. */
static bool is_faster(const struct selection *selection, const struct candidate_plan *a, const struct candidate_plan *b)
{
	return is_less(selection, &a->range.wall_clock_hours, &b->range.wall_clock_hours);
}

/* True if `a` is more likely to keep the deadline; without a deadline, if it is faster. With a deadline far below all
 * plans the plan of the widest range is the likeliest, not the fastest. */
static bool is_likelier(const struct selection *selection, const struct candidate_plan *a, const struct candidate_plan *b)
{
	double probability_a, probability_b;

	if (!is_given(selection->deadline_hours))
		return is_faster(selection, a, b);
	probability_a = interval_probability(&a->range.wall_clock_hours, selection->deadline_hours);
	probability_b = interval_probability(&b->range.wall_clock_hours, selection->deadline_hours);
	return probability_a > probability_b || (probability_a >= probability_b && is_faster(selection, a, b));
}

static void nearest_keep(struct selection *selection, const struct candidate_plan *candidate_plan)
{
	if (!candidate_plan->fits) {
		if (!selection->smallest.any ||
			candidate_plan->found.memory.total_bytes / candidate_plan->found.memory.capacity_bytes <
				selection->smallest.found.memory.total_bytes / selection->smallest.found.memory.capacity_bytes)
			selection->smallest = *candidate_plan;
		return;
	}
	if (!selection->fastest.any || is_faster(selection, candidate_plan, &selection->fastest))
		selection->fastest = *candidate_plan;
	if (!selection->likeliest.any || is_likelier(selection, candidate_plan, &selection->likeliest))
		selection->likeliest = *candidate_plan;
	if (!selection->cleanest.any || is_less(selection, &candidate_plan->range.total_kgco2e, &selection->cleanest.range.total_kgco2e))
		selection->cleanest = *candidate_plan;
	if (!selection->thriftiest.any || is_less(selection, &candidate_plan->range.total_kwh, &selection->thriftiest.range.total_kwh))
		selection->thriftiest = *candidate_plan;
	if (candidate_plan->priced &&
		(!selection->cheapest.any || is_less(selection, &candidate_plan->range.total_usd, &selection->cheapest.range.total_usd)))
		selection->cheapest = *candidate_plan;
}

static enum objective objective_of(const struct searching *searching)
{
	const struct training_request *request = searching->request;

	return request->common.objective == OBJECTIVE_UNSET ? OBJECTIVE_COST : request->common.objective;
}

static bool is_too_long(const struct searching *searching, const struct candidate_plan *candidate_plan)
{
	return searching->open && candidate_plan->wall_clock_hours > SEARCH_HOURS_MOST;
}

/* E152. True if the front may keep the plan. A run beyond a year is kept only until a shorter one is found. */
static bool front_admits(struct searching *searching, const struct candidate_plan *candidate_plan)
{
	struct selection *selection = searching->selection;
	bool long_ones = selection->front_count > 0 &&
		is_too_long(searching, &selection->front[0]); /* either all plans of the front are too long, or none */

	if (is_too_long(searching, candidate_plan))
		return selection->front_count == 0 || long_ones;
	if (long_ones) {
		selection->front_count = selection->point_count = 0;
		selection->usual.any = false;
	}
	return true;
}

static struct front_point point_of(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan)
{
	const struct candidate had = candidate_plan_as_priced(schedule, candidate_plan);

	return (struct front_point){.accelerator = had.accelerator.id,
		.gpu_count = candidate_plan->gpu_count,
		.has_offer = true,
		.offer = had.offer,
		.grid_gco2e_per_kwh = candidate_plan->footprint.carbon.grid_gco2e_per_kwh,
		.pue = candidate_plan->footprint.energy.total_kwh / candidate_plan->footprint.energy.it_kwh,
		.hours = candidate_plan->wall_clock_hours,
		.usd = candidate_plan->total_usd,
		.kwh = candidate_plan->footprint.energy.total_kwh,
		.kgco2e = candidate_plan->footprint.carbon.total_kgco2e};
}

/* E107. Tries every place that is allowed: acceptable points go to the front; from the others the nearest to each limit
 * are kept. */
static void try_places(struct searching *searching, const struct candidate_plan *candidate_plan)
{
	const struct stage_schedule *schedule = searching->schedule;
	struct candidate_plan there = *candidate_plan;

	for (size_t i = 0; i < place_count(schedule, candidate_plan); i++) {
		if (!place_take(schedule, i, &there))
			continue;
		if (!place_is_acceptable(schedule, &there)) {
			nearest_keep(searching->selection, &there);
			continue;
		}
		if (there.price.has_offer && is_given(there.total_usd)) {
			struct front_point point = point_of(schedule, &there);

			searching->selection->point_count = front_keep(
				searching->selection->points, searching->selection->point_count, FRONT_KEPT_MAX, &point);
		}
	}
}

static void remember_trial(struct searching *searching, const struct candidate_plan *candidate_plan, bool usable)
{
	const struct candidate_plan_range *range = &candidate_plan->range;

	if (searching->trial_count < TRIALS_MAX)
		searching->trials[searching->trial_count++] = (struct trial){.candidate = candidate_plan->candidate,
			.gpu_count = candidate_plan->gpu_count,
			.usable = usable,
			.objective = usable ? fleet_objective(candidate_plan, objective_of(searching)) : INFINITY,
			.wall_clock_hours = range->wall_clock_hours,
			.total_usd = range->total_usd,
			.total_kwh = range->total_kwh,
			.total_kgco2e = range->total_kgco2e};
}

/* Rounds up to a number worth trying: within a machine any; beyond it whole machines, or rented slices (E142), always a
 * multiple of the pinned degrees. */
static int64_t whole_count(const struct searching *searching, const struct candidate *chosen, int64_t count)
{
	enum { SLICES_TRIED = 64 };
	int64_t node = chosen->gpus_per_node >= 1 ? chosen->gpus_per_node : 1, rentable = count;

	if (chosen->slice_sizes.count == 0)
		return searching->unit == 1 && count > node ? (count + node - 1) / node * node : count;
	for (int i = 0; i < SLICES_TRIED; i++) {
		rentable = supply_rentable_count(chosen, rentable);
		if (rentable % searching->unit == 0)
			return rentable;
		rentable++;
	}
	return count; /* no slice is a multiple of the pinned degrees */
}

/* Plans one number of accelerators and keeps it if it is acceptable at some place. True if it is. */
static bool try_count(struct searching *searching, size_t candidate, int64_t gpu_count, struct candidate_plan *candidate_plan)
{
	const struct candidate *chosen = &searching->schedule->input->candidates[candidate];
	bool fits;

	candidate_plan->any = false;
	if (progress_stopped(searching->schedule->input->progress) || (chosen->single && gpu_count > 1) ||
		((searching->open || searching->selection->sizing == SIZING_DEADLINE) && whole_count(searching, chosen, gpu_count) != gpu_count))
		return false;
	fleet_candidate_plan(
		searching->schedule, candidate, gpu_count, &searching->request->parallelism, candidate_plan, &searching->selection->counts);
	fits = candidate_plan->any && (candidate_plan->fits || searching->request->common.enforce_memory == TRUTH_FALSE);
	remember_trial(searching, candidate_plan, fits);
	if (!fits) {
		if (candidate_plan->any)
			nearest_keep(searching->selection, candidate_plan);
		return false;
	}
	if (searching->chosen)
		return place_is_acceptable(searching->schedule, candidate_plan);
	if (place_is_acceptable(searching->schedule, candidate_plan) && !front_admits(searching, candidate_plan))
		return false;
	try_places(searching, candidate_plan);
	if (!place_is_acceptable(searching->schedule, candidate_plan))
		return false;
	front_add(searching->selection, candidate_plan, objective_of(searching));
	return true;
}

static const struct trial *trial_of(const struct searching *searching, size_t candidate, int64_t gpu_count)
{
	for (size_t i = 0; i < searching->trial_count; i++)
		if (searching->trials[i].candidate == candidate && searching->trials[i].gpu_count == gpu_count)
			return &searching->trials[i];
	return NULL;
}

static bool is_within(const struct interval *figure, double limit, double confidence)
{
	return !is_given(limit) || (is_given(figure->p50) && interval_probability(figure, limit) >= confidence);
}

/* A search for a number that keeps the deadline with a confidence. For the schedule's own confidence every number is
 * planned (and goes to the front where it keeps the other limits too). For another confidence a planned number is not
 * planned again. */
struct wanted {
	struct searching *searching;
	size_t candidate;
	double confidence;
	bool again; /* another confidence than the schedule's */
};

/* True if the arithmetic of the run alone takes longer than the deadline, spread over all accelerators at the best
 * measured rate. The median then misses the deadline, and so does every higher confidence. */
static bool misses_deadline(const struct searching *searching, size_t candidate, int64_t gpu_count)
{
	const struct stage_schedule *schedule = searching->schedule;
	UNCLEARED struct candidate_plan least;

	if (searching->thorough || !fleet_least(schedule, candidate, gpu_count, 1, &least))
		return false;
	candidate_plan_settle(schedule, NULL, &least);
	return least.wall_clock_hours > schedule->deadline_hours;
}

static bool meets_deadline(const struct wanted *wanted, int64_t gpu_count)
{
	struct searching *searching = wanted->searching;
	const struct trial *trial = wanted->again ? trial_of(searching, wanted->candidate, gpu_count) : NULL;
	struct candidate_plan candidate_plan;

	if (!trial && misses_deadline(searching, wanted->candidate, gpu_count))
		return false;
	if (!trial) {
		try_count(searching, wanted->candidate, gpu_count, &candidate_plan);
		trial = trial_of(searching, wanted->candidate, gpu_count);
	}
	return trial && trial->usable && is_within(&trial->wall_clock_hours, searching->schedule->deadline_hours, wanted->confidence);
}

/* Returns the planned number of least objective that keeps the deadline, and with `with_caps` budget and caps, with a
 * confidence; NULL: none does. */
static const struct trial *cheapest_within(const struct searching *searching, size_t candidate, double confidence, bool with_caps)
{
	const struct training_request *request = searching->request;
	const struct trial *best = NULL;

	for (size_t i = 0; i < searching->trial_count; i++) {
		const struct trial *trial = &searching->trials[i];

		if (trial->candidate != candidate || !trial->usable ||
			!is_within(&trial->wall_clock_hours, searching->schedule->deadline_hours, confidence))
			continue;
		if (with_caps &&
			!(is_within(&trial->total_usd, request->budget_usd, confidence) &&
				is_within(&trial->total_kwh, request->common.energy_cap_kwh, confidence) &&
				is_within(&trial->total_kgco2e, request->common.carbon_cap_kgco2e, confidence)))
			continue;
		if (!best || trial->objective < best->objective)
			best = trial;
	}
	return best;
}

static bool is_better(const struct candidate_plan *a, const struct candidate_plan *b, enum objective objective)
{
	return fleet_objective(a, objective) < fleet_objective(b, objective);
}

static size_t best_of_front(const struct searching *searching)
{
	const struct selection *selection = searching->selection;
	size_t best = 0;

	for (size_t i = 1; i < selection->front_count; i++)
		if (is_better(&selection->front[i], &selection->front[best], objective_of(searching)))
			best = i;
	return best;
}

static void leave_candidate(struct selection *selection, size_t candidate)
{
	for (size_t i = 0; i < selection->left_count; i++)
		if (selection->left[i] == candidate)
			return;
	selection->left[selection->left_count++] = candidate;
}

/* True where there are many accelerators, and this number of one costs far more than the best of another. A larger
 * number does not cost less. */
static bool is_hopeless(const struct searching *searching, size_t candidate, int64_t count)
{
	const struct trial *trial = trial_of(searching, candidate, count);
	const struct selection *selection = searching->selection;
	const struct candidate *chosen = &searching->schedule->input->candidates[candidate];

	return count >= chosen->gpus_per_node && searching->schedule->input->candidate_count > exact_candidates &&
		objective_of(searching) != OBJECTIVE_TIME && trial && trial->usable && selection->front_count > 0 &&
		trial->objective > SEARCH_HOPELESS * fleet_objective(&selection->front[best_of_front(searching)], objective_of(searching));
}

/* Doubles until the deadline is met, halves the gap, and then steps down while the deadline is still met. Uneven splits
 * make the time jump, so a few smaller numbers may meet it where a larger one does not. Returned: the number, 0 where
 * none meets it. */
static int64_t smallest_number(const struct wanted *wanted)
{
	enum { STEPS_DOWN = 4 };
	const struct searching *searching = wanted->searching;
	const struct candidate *chosen = &searching->schedule->input->candidates[wanted->candidate];
	int64_t node = chosen->gpus_per_node >= 1 ? chosen->gpus_per_node : 1, unit = searching->unit, last = 0, met = 0;
	int64_t whole = unit % node == 0 ? unit : node % unit == 0 ? node : unit * node;
	bool exact = !wanted->again && searching->schedule->input->candidate_count <= exact_candidates;

	if (chosen->slice_sizes.count > 0)
		whole = chosen->slice_sizes.joined / 2; /* so that the largest slice is tried too */
	for (int64_t count = whole_count(searching, chosen, unit); count <= SEARCH_GPUS_MAX && !met;
		 count = whole_count(searching, chosen, 2 * count)) {
		if (meets_deadline(wanted, count))
			met = count;
		else if (is_hopeless(searching, wanted->candidate, count)) {
			leave_candidate(searching->selection, wanted->candidate);
			return 0;
		} else
			last = count;
	}
	while (met > whole && met - last > whole && (exact || met - last > met / 64)) {
		int64_t middle = (last + (met - last) / 2) / whole * whole;

		if (middle <= last)
			break;
		if (meets_deadline(wanted, middle))
			met = middle;
		else
			last = middle;
	}
	for (int64_t count = met - whole, left = exact ? STEPS_DOWN : 0; left > 0 && count >= whole; left--, count -= whole)
		if (meets_deadline(wanted, count)) {
			met = count;
			left = STEPS_DOWN + 1;
		}
	return met;
}

/* Makes room for the numbers of one candidate. Of the others only the best candidate so far keeps its numbers, which
 * its confidences use again. */
static void forget_others(struct searching *searching, size_t candidate)
{
	const struct selection *selection = searching->selection;
	size_t kept = 0, best = selection->front_count > 0 ? selection->front[best_of_front(searching)].candidate : candidate;

	for (size_t i = 0; i < searching->trial_count; i++)
		if (searching->trials[i].candidate == candidate || searching->trials[i].candidate == best)
			searching->trials[kept++] = searching->trials[i];
	searching->trial_count = kept;
}

/* Doubles the largest planned number while that lowers the objective: whole instances may cost less than a part of one,
 * and an even split may take fewer accelerator-hours. Not for the least time: a request with a deadline
 * does not ask for the largest cluster that exists. */
static void try_larger(struct searching *searching, size_t candidate)
{
	const struct candidate *chosen = &searching->schedule->input->candidates[candidate];
	const struct trial *largest = NULL;
	struct candidate_plan candidate_plan;

	for (size_t i = 0; i < searching->trial_count; i++)
		if (searching->trials[i].candidate == candidate && (!largest || searching->trials[i].gpu_count > largest->gpu_count))
			largest = &searching->trials[i];
	while (largest && largest->usable && largest == cheapest_within(searching, candidate, searching->schedule->confidence, false)) {
		int64_t count = whole_count(searching, chosen, 2 * largest->gpu_count);

		if (count > SEARCH_GPUS_MAX)
			return;
		try_count(searching, candidate, count, &candidate_plan);
		largest = trial_of(searching, candidate, count);
	}
}

/* Searches the smallest number, and larger ones that are better. The front receives those that keep the other limits as
 * well. */
static void try_deadline(struct searching *searching, size_t candidate)
{
	forget_others(searching, candidate);
	if (smallest_number(&(struct wanted){searching, candidate, searching->schedule->confidence, false}) > 0 &&
		objective_of(searching) != OBJECTIVE_TIME)
		try_larger(searching, candidate);
}

/* E132. Returns the cost of a size: the logarithm of its objective, plus 0.2 for each squared standard deviation by
 * which its length differs from the usual length of such a run. One machine is usual up to a week. No number beyond the
 * largest of a published run is usual. */
static double unusual_cost(const struct candidate_plan *candidate_plan, enum objective objective)
{
	double usual_hours = practice_usual_hours(candidate_plan->gpu_hours), deviation;

	if (candidate_plan->gpu_count > PRACTICE_GPUS_MOST)
		return INFINITY;
	if (candidate_plan->node_count == 1 && candidate_plan->wall_clock_hours <= PRACTICE_ONE_MACHINE_HOURS)
		usual_hours = fmax(usual_hours, candidate_plan->wall_clock_hours);
	deviation = log(candidate_plan->wall_clock_hours / usual_hours) / PRACTICE_USUAL_LOG_SIGMA;
	return log(fleet_objective(candidate_plan, objective)) + PRACTICE_USUAL_WEIGHT * deviation * deviation;
}

/* E153. Returns the logarithm of hours x cost. A doubling that lowers it saves a larger part of the time than it adds
 * to the cost; its minimum is the knee of cost against time. Hours saved below the shortest published runs of the size,
 * two standard deviations below the usual length, do not count. */
static double knee_cost(const struct candidate_plan *candidate_plan)
{
	double shortest_hours = practice_usual_hours(candidate_plan->gpu_hours) * exp(-2 * PRACTICE_USUAL_LOG_SIGMA);

	return candidate_plan->gpu_count > PRACTICE_GPUS_MOST
		? INFINITY
		: log(fmax(candidate_plan->wall_clock_hours, shortest_hours)) + log(fleet_objective(candidate_plan, OBJECTIVE_COST));
}

static double size_cost(const struct searching *searching, const struct candidate_plan *candidate_plan)
{
	return searching->selection->sizing == SIZING_KNEE ? knee_cost(candidate_plan) : unusual_cost(candidate_plan, objective_of(searching));
}

/* Compares two accelerators in their usual numbers. Runs longer than a year in any number are not compared by the
 * objective alone: their length counts. */
static bool is_better_choice(const struct searching *searching, const struct candidate_plan *a, const struct candidate_plan *b)
{
	if (searching->selection->sizing == SIZING_KNEE || is_too_long(searching, a) || is_too_long(searching, b))
		return size_cost(searching, a) < size_cost(searching, b);
	return is_better(a, b, objective_of(searching));
}

/* Returns the share of the paid accelerators that the plan uses. Instances are rented whole, so a few accelerators cost
 * as much as the whole instance. A larger number wastes less. */
static double share_used(const struct searching *searching, const struct candidate_plan *candidate_plan)
{
	const struct candidate had = candidate_plan_as_priced(searching->schedule, candidate_plan);

	return (double)candidate_plan->gpu_count / (double)supply_paid_count(&had, candidate_plan->gpu_count);
}

/* Plans a number of one candidate, and keeps the better of it and the best size so far. */
static void try_usual(
	struct searching *searching, size_t candidate, int64_t count, struct candidate_plan *candidate_plan, struct candidate_plan *usual)
{
	if (try_count(searching, candidate, count, candidate_plan) &&
		(!usual->any || size_cost(searching, candidate_plan) < size_cost(searching, usual)))
		*usual = *candidate_plan;
}

/* Returns the factor on its arithmetic from which a run's size is excluded; 1 where it is excluded at once. */
static double factor_out_of_question(const struct searching *searching, const struct candidate_plan *least)
{
	const struct candidate_plan *usual = &searching->selection->usual;
	enum objective objective = objective_of(searching);
	double worth = fleet_objective(least, objective);

	return fmax(1,
		1.001 *
			fmax(SEARCH_HOPELESS * fleet_objective(usual, objective) / (share_used(searching, least) * worth),
				exp(size_cost(searching, usual) + within_reach) / worth));
}

/* True if the plan of this bound, or of any higher figures, would be kept at no place: an existing result is at least
 * as good in everything. Returned in `factor`: the factor on the bound from which the size is excluded. */
static bool is_beaten(const struct searching *searching, struct candidate_plan *least, double *factor)
{
	const struct selection *selection = searching->selection;

	*factor = 1;
	for (size_t i = 0; i < place_count(searching->schedule, least); i++) {
		struct front_point point;
		bool beaten = false;

		if (!place_take(searching->schedule, i, least))
			continue;
		*factor = fmax(*factor, factor_out_of_question(searching, least));
		for (size_t k = 0; k < selection->front_count && !beaten; k++)
			beaten = dominates(&selection->front[k], least, objective_of(searching));
		point = point_of(searching->schedule, least);
		if (!beaten ||
			(least->price.has_offer && is_given(least->total_usd) && !front_beats(selection->points, selection->point_count, &point)))
			return false;
	}
	return true;
}

/* With many accelerators: true if one can be left at this number without timing its layouts. It searches the layouts
 * that would be fast enough to count, and finds none. */
static bool leaves_at_once(struct searching *searching, size_t candidate, int64_t count)
{
	static const double factor_most = 3; /* above it a layout that is fast enough probably exists, and the work would be done twice */
	const struct stage_schedule *schedule = searching->schedule;
	UNCLEARED struct candidate_plan least;
	double factor, still;

	if (searching->request->parallelism.micro_batch >= 0 || !fleet_least(schedule, candidate, count, 1, &least) ||
		(!is_beaten(searching, &least, &factor) && factor <= 1) || factor > factor_most)
		return false;
	if (factor > 1 && (!fleet_least(schedule, candidate, count, factor, &least) || !is_beaten(searching, &least, &still) || still > 1))
		return false;
	return fleet_is_slower(schedule, candidate, count, factor, &searching->request->parallelism, &searching->selection->counts);
}

/* Searches with neither number nor deadline. Each accelerator gets the number that such a run usually has, or the knee
 * of a budget: teams neither wait years for one card nor rent all that exist. The numbers are powers of two (of four
 * where there are many accelerators), and three quarters of those near the best. The objective, or the knee, then
 * chooses among accelerators. */
static void try_front(struct searching *searching, size_t candidate)
{
	const struct candidate *chosen = &searching->schedule->input->candidates[candidate];
	int64_t node = chosen->gpus_per_node >= 1 ? chosen->gpus_per_node : 1, between;
	struct candidate_plan candidate_plan, usual = {.any = false};
	struct selection *selection = searching->selection;
	enum objective objective = objective_of(searching);
	bool planned = false, dear = false, many = searching->schedule->input->candidate_count > exact_candidates;
	bool may_leave = many && objective != OBJECTIVE_TIME && selection->sizing != SIZING_KNEE;
	int64_t most = objective == OBJECTIVE_TIME ? SEARCH_GPUS_MAX : many ? PRACTICE_GPUS_MOST : 2 * PRACTICE_GPUS_MOST;

	for (int64_t count = whole_count(searching, chosen, searching->unit); count <= most || (!planned && count <= SEARCH_GPUS_MAX);
		 count = whole_count(searching, chosen, (many && count >= node ? 4 : 2) * count)) {
		if (may_leave && !planned && selection->usual.any && leaves_at_once(searching, candidate, count)) {
			leave_candidate(selection, candidate);
			return;
		}
		try_usual(searching, candidate, count, &candidate_plan, &usual);
		if (planned && !candidate_plan.any)
			break; /* more ranks than samples in a batch: larger numbers fail too */
		planned |= candidate_plan.any && candidate_plan.fits;
		dear = many && objective != OBJECTIVE_TIME && selection->usual.any && candidate_plan.any && candidate_plan.fits &&
			share_used(searching, &candidate_plan) * fleet_objective(&candidate_plan, objective) >
				SEARCH_HOPELESS * fleet_objective(&selection->usual, objective);
		if (dear)
			break; /* a larger number does not cost less */
	}
	if (dear && (!usual.any || fleet_objective(&usual, objective) > SEARCH_HOPELESS * fleet_objective(&selection->usual, objective)))
		leave_candidate(selection, candidate);
	if (!usual.any)
		return;
	between = usual.gpu_count;
	if (between > node && between % (4 * node) == 0 && between % (4 * searching->unit) == 0 &&
		(!selection->usual.any || size_cost(searching, &usual) < size_cost(searching, &selection->usual) + within_reach ||
			(is_too_long(searching, &usual) && is_better(&usual, &selection->usual, objective)))) {
		if (many)
			try_usual(searching, candidate, between / 2, &candidate_plan, &usual);
		if (many)
			try_usual(searching, candidate, between * 2, &candidate_plan, &usual);
		try_usual(searching, candidate, between / 4 * 3, &candidate_plan, &usual);
		try_usual(searching, candidate, between / 2 * 3, &candidate_plan, &usual);
	}
	if (!selection->usual.any || is_better_choice(searching, &usual, &selection->usual))
		selection->usual = usual;
}

static void try_candidate(struct searching *searching, size_t candidate)
{
	struct candidate_plan candidate_plan;

	if (searching->request->common.gpu_count >= 1)
		try_count(searching, candidate, searching->request->common.gpu_count, &candidate_plan);
	else if (layout_pinned_gpu_count(&searching->request->parallelism) >= 1)
		try_count(searching, candidate, layout_pinned_gpu_count(&searching->request->parallelism), &candidate_plan);
	else if (is_given(searching->schedule->deadline_hours))
		try_deadline(searching, candidate);
	else
		try_front(searching, candidate);
}

static void front_sort(struct selection *selection, enum objective objective)
{
	for (size_t i = 1; i < selection->front_count; i++)
		for (size_t j = i; j > 0 && is_better(&selection->front[j], &selection->front[j - 1], objective); j--) {
			struct candidate_plan swapped = selection->front[j];

			selection->front[j] = selection->front[j - 1];
			selection->front[j - 1] = swapped;
		}
}

static bool same_option(const struct candidate_plan *a, const struct candidate_plan *b)
{
	return a->candidate == b->candidate && a->gpu_count == b->gpu_count && a->supply == b->supply;
}

/* E152. Returns the fastest of the plans that nearly share the best objective; where the objective is time, the
 * cheapest. */
static size_t fastest_of_ties(const struct searching *searching)
{
	const struct selection *selection = searching->selection;
	enum objective objective = objective_of(searching), second = objective == OBJECTIVE_TIME ? OBJECTIVE_COST : OBJECTIVE_TIME;
	size_t best = best_of_front(searching), chosen = best;
	double limit = (1 + SEARCH_TIE) * fleet_objective(&selection->front[best], objective);

	for (size_t i = 0; i < selection->front_count; i++)
		if (fleet_objective(&selection->front[i], objective) <= limit && is_better(&selection->front[i], &selection->front[chosen], second))
			chosen = i;
	return chosen;
}

/* Moves the best plan from the front to `recommended`, and sorts the rest by the objective. */
static void selection_recommend(struct searching *searching)
{
	struct selection *selection = searching->selection;
	enum objective objective = objective_of(searching);
	size_t best = selection->sizing == SIZING_OBJECTIVE ? fastest_of_ties(searching) : best_of_front(searching);

	selection->recommended = selection->front[best];
	if ((selection->sizing == SIZING_USUAL || selection->sizing == SIZING_KNEE) && selection->usual.any) {
		selection->recommended = selection->usual;
		for (best = 0; best < selection->front_count && !same_option(&selection->front[best], &selection->usual);)
			best++;
	}
	if (best < selection->front_count)
		selection->front[best] = selection->front[--selection->front_count];
	front_sort(selection, objective);
}

static double peak_of(const struct stage_schedule *schedule, size_t candidate)
{
	const struct accelerator *accelerator = &schedule->input->candidates[candidate].accelerator;

	return accelerator_peak_flops_per_s(accelerator, accelerator_training_precision(accelerator), NULL);
}

/* Plans accelerators that were left early as more expensive but faster: the first with higher peaks than the
 * recommended one's (in order of cost of peak), in the recommended number. */
static void plan_others(struct searching *searching)
{
	const struct stage_schedule *schedule = searching->schedule;
	struct selection *selection = searching->selection;
	const struct candidate_plan *best = &selection->recommended;

	for (size_t i = 0, planned = 0; i < selection->left_count && planned < OTHERS_MAX; i++) {
		struct candidate_plan *candidate_plan = &selection->others[selection->other_count];
		const struct candidate *candidate = &schedule->input->candidates[selection->left[i]];

		if (peak_of(schedule, selection->left[i]) <= peak_of(schedule, best->candidate) || (candidate->single && best->gpu_count > 1))
			continue;
		planned++; /* each takes as long as one number of the search */
		fleet_candidate_plan(schedule, selection->left[i], whole_count(searching, candidate, best->gpu_count),
			&searching->request->parallelism, candidate_plan, &selection->counts);
		if (candidate_plan->any && candidate_plan->fits && place_is_acceptable(schedule, candidate_plan) &&
			candidate_plan->wall_clock_hours < best->wall_clock_hours)
			selection->other_count++;
	}
}

static bool is_shown(const struct candidate_plan *candidate_plan, const struct candidate_plan *best,
	const struct candidate_plan *const chosen[], size_t count)
{
	bool shown = candidate_plan->candidate == best->candidate;

	for (size_t i = 0; i < count; i++)
		shown |= chosen[i]->candidate == candidate_plan->candidate;
	return shown;
}

static bool is_chosen(const struct candidate_plan *candidate_plan, const struct candidate_plan *const chosen[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (chosen[i] == candidate_plan)
			return true;
	return false;
}

/* True if the plan has another accelerator, or else the same one in a really different number. */
static bool differs(const struct candidate_plan *candidate_plan, const struct candidate_plan *best, bool accelerator)
{
	double ratio = (double)candidate_plan->gpu_count / (double)best->gpu_count;

	if (accelerator || candidate_plan->candidate != best->candidate)
		return accelerator && candidate_plan->candidate != best->candidate;
	return ratio >= OTHER_NUMBER || ratio <= 1 / OTHER_NUMBER;
}

size_t search_alternatives(
	const struct stage_schedule *schedule, const struct selection *selection, size_t limit, const struct candidate_plan *chosen[])
{
	bool many = schedule->input->candidate_count > exact_candidates;
	size_t front = many ? limit - limit / 3 : limit, count = 0;
	enum objective objective = schedule->input->request.common.objective == OBJECTIVE_UNSET ? OBJECTIVE_COST
																							: schedule->input->request.common.objective;

	for (int different = 0; different < 2 && count < limit; different++) { /* the best other accelerator, the best other number */
		size_t i = 0;

		while (i < selection->front_count && !differs(&selection->front[i], &selection->recommended, different == 0))
			i++;
		if (i < selection->front_count)
			chosen[count++] = &selection->front[i];
	}
	for (size_t i = 0; i < selection->front_count && count < front; i++)
		if (!is_chosen(&selection->front[i], chosen, count))
			chosen[count++] = &selection->front[i];
	for (size_t i = 0; i < selection->other_count && count < limit; i++)
		if (!is_shown(&selection->others[i], &selection->recommended, chosen, count))
			chosen[count++] = &selection->others[i];
	for (size_t i = front; i < selection->front_count && count < limit; i++)
		if (!is_shown(&selection->front[i], &selection->recommended, chosen, count))
			chosen[count++] = &selection->front[i];
	for (size_t i = front; i < selection->front_count && count < limit; i++)
		if (!is_chosen(&selection->front[i], chosen, count))
			chosen[count++] = &selection->front[i];
	for (size_t i = 1; i < count; i++)
		for (size_t j = i; j > 0 && is_better(chosen[j], chosen[j - 1], objective); j--) {
			const struct candidate_plan *swapped = chosen[j];

			chosen[j] = chosen[j - 1];
			chosen[j - 1] = swapped;
		}
	return count;
}

/* Returns 50, 80, 95 % and the request's own confidence, ascending. */
static size_t confidence_levels(double own, double levels[CONFIDENCES_MAX])
{
	static const double usual[] = {0.5, 0.8, 0.95};
	size_t count = 0;
	bool placed = false;

	for (size_t i = 0; i < COUNT_OF(usual); i++) {
		if (!placed && own < usual[i] - 1e-9)
			levels[count++] = own;
		placed |= own < usual[i] + 1e-9;
		levels[count++] = usual[i];
	}
	if (!placed)
		levels[count++] = own;
	return count;
}

/* Fills the cost of each confidence: with a free number and a deadline, of the best number of the recommended
 * accelerator that keeps all limits with it, or where none does, the deadline alone; else of the recommended number. */
static void fill_curve(struct searching *searching)
{
	struct selection *selection = searching->selection;
	const struct candidate_plan *best = &selection->recommended;
	double levels[CONFIDENCES_MAX];
	size_t count = confidence_levels(searching->schedule->confidence, levels);

	searching->chosen = true;
	forget_others(searching, best->candidate);
	for (size_t i = 0; i < count; i++) {
		struct trial point = {
			.gpu_count = best->gpu_count, .wall_clock_hours = best->range.wall_clock_hours, .total_usd = best->range.total_usd};

		if (searching->selection->sizing == SIZING_DEADLINE && fabs(levels[i] - searching->schedule->confidence) > 1e-9) {
			const struct trial *trial;

			(void)smallest_number(&(struct wanted){searching, best->candidate, levels[i], true});
			trial = cheapest_within(searching, best->candidate, levels[i], true);
			if (!trial)
				trial = cheapest_within(searching, best->candidate, levels[i], false);
			if (!trial)
				continue;
			point = *trial;
		}
		selection->curve[selection->curve_count++] = (struct confidence_point){.confidence = levels[i],
			.gpu_count = point.gpu_count,
			.wall_clock_hours = interval_quantile(&point.wall_clock_hours, levels[i]),
			.total_usd = is_given(point.total_usd.p50) ? interval_quantile(&point.total_usd, levels[i]) : ABSENT_NUMBER};
	}
}

static int64_t pinned_unit(const struct parallelism *pins)
{
	const int64_t degrees[] = {pins->tensor, pins->pipeline, pins->data, pins->context};
	int64_t unit = 1;

	for (size_t i = 0; i < COUNT_OF(degrees); i++)
		unit *= degrees[i] >= 1 ? degrees[i] : 1;
	return unit;
}

static enum sizing sizing_of(const struct training_input *input, bool open)
{
	const struct training_request *request = &input->request;

	if (!open)
		return request->common.gpu_count >= 1 || layout_pinned_gpu_count(&request->parallelism) >= 1 ? SIZING_GIVEN : SIZING_DEADLINE;
	if (request->common.objective != OBJECTIVE_UNSET && !input->objective_is_default)
		return SIZING_OBJECTIVE;
	return is_given(request->budget_usd) ? SIZING_KNEE : SIZING_USUAL;
}

/* Returns the price of an hour of peak rate, a first guess of which accelerators are cheap. INFINITY without a
 * price. */
static double peak_usd_per_flop(const struct candidate *candidate)
{
	double peak_flops_per_s = accelerator_peak_flops_per_s(
		&candidate->accelerator, accelerator_training_precision(&candidate->accelerator), NULL);

	return candidate->has_offer && peak_flops_per_s > 0 ? candidate->offer.usd_per_gpu_hour / peak_flops_per_s : INFINITY;
}

/* Orders candidates by the expected price, so that the expensive ones are left early. */
static void order_candidates(const struct training_input *input, size_t order[CANDIDATES_MAX])
{
	for (size_t i = 0; i < input->candidate_count; i++) {
		double rank = peak_usd_per_flop(&input->candidates[i]);
		size_t place = i;

		for (; place > 0 && peak_usd_per_flop(&input->candidates[order[place - 1]]) > rank; place--)
			order[place] = order[place - 1];
		order[place] = i;
	}
}

static void try_candidates(struct searching *searching, const size_t order[])
{
	const struct training_input *input = searching->schedule->input;

	for (size_t i = 0; i < input->candidate_count; i++) {
		progress_note(input->progress, SEARCH_SHARE * (double)i / (double)input->candidate_count, input->candidates[order[i]].accelerator.id);
		try_candidate(searching, order[i]);
	}
}

enum status search_select(const struct stage_schedule *schedule, struct selection *selection, struct failure *failure)
{
	const struct training_request *request = &schedule->input->request;
	struct searching searching = {
		.schedule = schedule, .request = request, .selection = selection, .unit = pinned_unit(&request->parallelism)};
	size_t order[CANDIDATES_MAX];

	searching.open = request->common.gpu_count < 1 && !is_given(schedule->deadline_hours) &&
		layout_pinned_gpu_count(&request->parallelism) < 1;
	selection->sizing = sizing_of(schedule->input, searching.open);
	selection->deadline_hours = schedule->deadline_hours;
	selection->confidence = schedule->confidence;
	selection->front_count = selection->point_count = selection->left_count = selection->other_count = selection->curve_count = 0;
	selection->counts = (struct search_counts){0};
	selection->usual.any = selection->fastest.any = selection->likeliest.any = selection->cheapest.any = selection->cleanest.any =
		selection->thriftiest.any = selection->smallest.any = false;
	order_candidates(schedule->input, order);
	try_candidates(&searching, order);
	if (selection->front_count == 0 && selection->sizing == SIZING_DEADLINE) {
		searching.thorough = true;
		searching.trial_count = selection->left_count = 0;
		try_candidates(&searching, order);
	}
	if (progress_stopped(schedule->input->progress))
		return failure_set(failure, STATUS_CANCELLED, "cancelled before an answer was found");
	if (selection->front_count == 0)
		return nearest_explain(schedule, selection, failure);
	selection_recommend(&searching);
	plan_others(&searching);
	if (!parts_are_omitted(PART_CONFIDENCE | PART_ADVICE, schedule->input->omitted))
		fill_curve(&searching);
	return STATUS_OK;
}
