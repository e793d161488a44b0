#include "planner/training/search.h"

#include "planner/training/nearest.h"
#include "planner/training/place.h"

/* With neither number nor deadline, options this close to the best by the objective count as equal, and the faster is taken. */
static const double tie = 1.05;
static const size_t exact_candidates = 8; /* with more, the smallest number is found to within 1/64 */

struct searching {
	const struct programme *programme;
	const struct training_request *request;
	struct selection *selection;
	int64_t unit; /* the number must be a multiple of the pinned degrees */
	bool open;    /* neither number nor deadline */
};

/* No worse in time, cost, carbon and what the request minimises, which may be energy or the number of accelerators. */
static bool dominates(const struct outline *a, const struct outline *b, enum objective objective)
{
	double cost_a = fleet_objective(a, OBJECTIVE_COST), cost_b = fleet_objective(b, OBJECTIVE_COST);

	return a->extra <= b->extra && fleet_objective(a, objective) <= fleet_objective(b, objective) && a->wall_clock_hours <= b->wall_clock_hours && cost_a <= cost_b &&
		a->footprint.carbon.total_kgco2e <= b->footprint.carbon.total_kgco2e;
}

/* Keeps the front free of dominated outlines; when it is full, the new one takes the place of the worst by the objective. */
static void front_add(struct selection *selection, const struct outline *outline, enum objective objective)
{
	size_t kept = 0, worst = 0;

	for (size_t i = 0; i < selection->front_count; i++)
		if (dominates(&selection->front[i], outline, objective))
			return;
	for (size_t i = 0; i < selection->front_count; i++) {
		if (dominates(outline, &selection->front[i], objective))
			continue;
		if (kept != i)
			selection->front[kept] = selection->front[i];
		kept++;
	}
	selection->front_count = kept;
	if (kept < FRONT_MAX) {
		selection->front[selection->front_count++] = *outline;
		return;
	}
	for (size_t i = 1; i < kept; i++)
		if (fleet_objective(&selection->front[i], objective) > fleet_objective(&selection->front[worst], objective))
			worst = i;
	if (fleet_objective(outline, objective) < fleet_objective(&selection->front[worst], objective))
		selection->front[worst] = *outline;
}

static void nearest_keep(struct selection *selection, const struct outline *outline)
{
	if (!outline->fits) {
		if (!selection->smallest.any || outline->found.memory.total_bytes / outline->found.memory.capacity_bytes <
				selection->smallest.found.memory.total_bytes / selection->smallest.found.memory.capacity_bytes)
			selection->smallest = *outline;
		return;
	}
	if (!selection->fastest.any || outline->wall_clock_hours < selection->fastest.wall_clock_hours)
		selection->fastest = *outline;
	if (!selection->cleanest.any || outline->footprint.carbon.total_kgco2e < selection->cleanest.footprint.carbon.total_kgco2e)
		selection->cleanest = *outline;
	if (!selection->thriftiest.any || outline->footprint.energy.total_kwh < selection->thriftiest.footprint.energy.total_kwh)
		selection->thriftiest = *outline;
	if (outline->priced && (!selection->cheapest.any || outline->total_usd < selection->cheapest.total_usd))
		selection->cheapest = *outline;
}

static enum objective objective_of(const struct searching *searching)
{
	const struct training_request *request = searching->request;
	enum objective objective = request->common.objective == OBJECTIVE_UNSET ? OBJECTIVE_COST : request->common.objective;

	/* A budget alone says what may be spent, not that less should be: the answer is the fastest within it. */
	return searching->open && is_given(request->budget_usd) && objective == OBJECTIVE_COST ? OBJECTIVE_TIME : objective;
}

static struct front_point point_of(const struct programme *programme, const struct outline *outline)
{
	const struct candidate had = outline_candidate(programme, outline);

	return (struct front_point){.accelerator = had.accelerator.id, .gpu_count = outline->gpu_count, .has_offer = true, .offer = had.offer,
		.grid_gco2e_per_kwh = outline->footprint.carbon.grid_gco2e_per_kwh, .pue = outline->footprint.energy.total_kwh / outline->footprint.energy.it_kwh,
		.hours = outline->wall_clock_hours, .usd = outline->total_usd, .kgco2e = outline->footprint.carbon.total_kgco2e};
}

/* E107. At every place that may be used: what can be had goes to the front, what cannot says how near it is. */
static void try_places(struct searching *searching, const struct outline *outline)
{
	const struct programme *programme = searching->programme;
	struct outline there = *outline;

	for (size_t i = 0; i < place_count(programme, outline); i++) {
		if (!place_take(programme, i, &there))
			continue;
		if (!place_is_acceptable(programme, &there)) {
			nearest_keep(searching->selection, &there);
			continue;
		}
		if (there.price.has_offer && is_given(there.total_usd)) {
			struct front_point point = point_of(programme, &there);

			searching->selection->point_count = front_keep(searching->selection->points, searching->selection->point_count, FRONT_KEPT_MAX, &point);
		}
	}
}

/* Plans one number of accelerators and keeps it if it is acceptable somewhere. True when it is. */
static bool try_count(struct searching *searching, size_t candidate, int64_t gpu_count, bool extra, struct outline *outline)
{
	outline->any = false;
	if (progress_stopped(searching->programme->input->progress))
		return false;
	fleet_outline(searching->programme, candidate, gpu_count, &searching->request->parallelism, outline, &searching->selection->counts);
	outline->extra = extra;
	if (!outline->any)
		return false;
	if (!outline->fits && searching->request->common.enforce_memory != TRUTH_FALSE) {
		nearest_keep(searching->selection, outline);
		return false;
	}
	try_places(searching, outline);
	if (!place_is_acceptable(searching->programme, outline))
		return false;
	front_add(searching->selection, outline, objective_of(searching));
	return true;
}

/* Numbers worth trying: within a machine 1, 2, 4, ...; beyond it whole machines; always a multiple of the pinned degrees. */
static int64_t whole_count(const struct searching *searching, int64_t node, int64_t count)
{
	return searching->unit == 1 && count > node ? (count + node - 1) / node * node : count;
}

/* Doubles until the deadline is met, halves the gap, and then steps down while it is still met: uneven splits make the time
 * jump, so that a few smaller numbers may meet it where a larger one does not. */
static void try_deadline(struct searching *searching, size_t candidate)
{
	enum { STEPS_DOWN = 4 };
	const struct candidate *chosen = &searching->programme->input->candidates[candidate];
	int64_t node = chosen->gpus_per_node >= 1 ? chosen->gpus_per_node : 1, unit = searching->unit, last = 0, met = 0;
	int64_t whole = unit % node == 0 ? unit : node % unit == 0 ? node : unit * node;
	bool exact = searching->programme->input->candidate_count <= exact_candidates;
	struct outline outline, least = {.any = false};

	for (int64_t count = unit; count <= SEARCH_GPUS_MAX && !met; count = whole_count(searching, node, 2 * count)) {
		if (try_count(searching, candidate, count, true, &least))
			met = count;
		else
			last = count;
	}
	if (!met)
		return;
	while (met > whole && met - last > whole && (exact || met - last > met / 64)) {
		int64_t middle = (last + (met - last) / 2) / whole * whole;

		if (middle <= last)
			break;
		if (try_count(searching, candidate, middle, true, &outline)) {
			met = middle;
			least = outline;
		} else {
			last = middle;
		}
	}
	for (int64_t count = met - whole, left = exact ? STEPS_DOWN : 0; left > 0 && count >= whole; left--, count -= whole)
		if (try_count(searching, candidate, count, true, &outline)) {
			least = outline;
			left = STEPS_DOWN + 1;
		}
	least.extra = false;
	front_add(searching->selection, &least, objective_of(searching));
}

static void try_front(struct searching *searching, size_t candidate)
{
	const struct candidate *chosen = &searching->programme->input->candidates[candidate];
	int64_t node = chosen->gpus_per_node >= 1 ? chosen->gpus_per_node : 1;
	struct outline outline;
	bool planned = false;

	for (int64_t count = searching->unit; count <= SEARCH_GPUS_MAX; count = whole_count(searching, node, 2 * count)) {
		try_count(searching, candidate, count, false, &outline);
		if (planned && !outline.any)
			return; /* more ranks than samples in a batch: more of them cannot work either */
		planned |= outline.any && outline.fits;
	}
}

static void try_candidate(struct searching *searching, size_t candidate)
{
	struct outline outline;

	if (searching->request->common.gpu_count >= 1)
		try_count(searching, candidate, searching->request->common.gpu_count, false, &outline);
	else if (layout_pinned_gpu_count(&searching->request->parallelism) >= 1)
		try_count(searching, candidate, layout_pinned_gpu_count(&searching->request->parallelism), false, &outline);
	else if (is_given(searching->programme->deadline_hours))
		try_deadline(searching, candidate);
	else
		try_front(searching, candidate);
}

static bool better(const struct outline *a, const struct outline *b, enum objective objective)
{
	if (a->extra != b->extra && objective != OBJECTIVE_TIME)
		return !a->extra;
	return fleet_objective(a, objective) < fleet_objective(b, objective);
}

static void front_sort(struct selection *selection, enum objective objective)
{
	for (size_t i = 1; i < selection->front_count; i++)
		for (size_t j = i; j > 0 && better(&selection->front[j], &selection->front[j - 1], objective); j--) {
			struct outline swapped = selection->front[j];

			selection->front[j] = selection->front[j - 1];
			selection->front[j - 1] = swapped;
		}
}

/* Moves the best by the objective from the front to `recommended`, and sorts the rest. */
static void selection_recommend(struct searching *searching)
{
	struct selection *selection = searching->selection;
	enum objective objective = objective_of(searching);
	size_t best = 0;
	double least;

	for (size_t i = 1; i < selection->front_count; i++)
		if (better(&selection->front[i], &selection->front[best], objective))
			best = i;
	least = fleet_objective(&selection->front[best], objective);
	for (size_t i = 0; searching->open && i < selection->front_count; i++)
		if (fleet_objective(&selection->front[i], objective) <= tie * least &&
			selection->front[i].wall_clock_hours < selection->front[best].wall_clock_hours)
			best = i;
	selection->recommended = selection->front[best];
	selection->front[best] = selection->front[--selection->front_count];
	front_sort(selection, objective);
}

static int64_t pinned_unit(const struct parallelism *pins)
{
	const int64_t degrees[] = {pins->tensor, pins->pipeline, pins->data, pins->context};
	int64_t unit = 1;

	for (size_t i = 0; i < COUNT_OF(degrees); i++)
		unit *= degrees[i] >= 1 ? degrees[i] : 1;
	return unit;
}

enum status search_select(const struct programme *programme, struct selection *selection, struct failure *failure)
{
	const struct training_request *request = &programme->input->request;
	struct searching searching = {.programme = programme, .request = request, .selection = selection,
		.unit = pinned_unit(&request->parallelism)};

	searching.open = request->common.gpu_count < 1 && !is_given(programme->deadline_hours) &&
		layout_pinned_gpu_count(&request->parallelism) < 1;
	selection->front_count = selection->point_count = 0;
	selection->counts = (struct search_counts){0};
	selection->fastest.any = selection->cheapest.any = selection->cleanest.any = selection->thriftiest.any = selection->smallest.any = false;
	for (size_t i = 0; i < programme->input->candidate_count; i++) {
		progress_note(programme->input->progress, SEARCH_SHARE * (double)i / (double)programme->input->candidate_count,
			programme->input->candidates[i].accelerator.id);
		try_candidate(&searching, i);
	}
	if (progress_stopped(programme->input->progress))
		return failure_set(failure, STATUS_CANCELLED, "cancelled before an answer was found");
	if (selection->front_count == 0)
		return nearest_explain(programme, selection, failure);
	selection_recommend(&searching);
	return STATUS_OK;
}
