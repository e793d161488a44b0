#include "planner/training/fleet.h"

#include "base/units.h"
#include "planner/footprint/supply.h"
#include "planner/measurement/observation.h"
#include "planner/training/layer_time.h"
#include "planner/training/place.h"
#include "planner/training/range.h"

int64_t fleet_nodes(const struct candidate *candidate, int64_t gpu_count)
{
	int64_t node = candidate->gpus_per_node >= 1 ? candidate->gpus_per_node : 1;

	return (gpu_count + node - 1) / node;
}

struct candidate outline_candidate(const struct programme *programme, const struct outline *outline)
{
	struct candidate chosen = programme->input->candidates[outline->candidate];

	if (outline->supply) {
		chosen.offer = outline->supply->offer;
		chosen.site = outline->supply->site;
	}
	return chosen;
}

static bool stage_setting(const struct programme *programme, size_t stage, const struct candidate *candidate, struct setting *setting)
{
	if (!setting_of_candidate(programme->input, candidate, programme->physics, programme->teacher, programme->stages[stage].sequence, setting))
		return false;
	setting->batch = programme->stages[stage].batch;
	if (programme->gradient_bytes > 0)
		setting->software.gradient_bytes = programme->gradient_bytes;
	setting->batch_free = programme->stages[stage].batch_source != NULL;
	least_token_times(setting);
	return true;
}

/* The layout of one stage; when nothing fits and memory is waived, the one that needs least is timed. */
static bool fleet_stage(const struct programme *programme, size_t stage, const struct outline *outline, const struct parallelism *pins,
	struct found *found, struct setting *setting, struct search_counts *counts)
{
	struct layout_search search = {.setting = setting, .gpu_count = outline->gpu_count, .pins = *pins, .begin = counts->last};
	const struct training_input *input = programme->input;
	struct stages stages;

	if (!stage_setting(programme, stage, &input->candidates[outline->candidate], setting))
		return false;
	layout_search(&search);
	counts->evaluated += search.evaluated;
	counts->feasible += search.feasible;
	if (search.best.any)
		counts->last = search.best.layout;
	if (!search.best.any && !search.least.any)
		return false;
	*found = search.best.any ? search.best : search.least;
	if (search.best.any || input->request.common.enforce_memory != TRUTH_FALSE)
		return true;
	stages_split(setting->model, (int)found->layout.pipeline, (int)found->layout.interleave, setting->software.balances_ends, &stages);
	step_of_layout(setting, &found->layout, &stages, &found->step);
	return true;
}

/* Used, spare, and what whole instances hold beyond them. */
static double powered_count(const struct programme *programme, const struct candidate *candidate, const struct outline *outline)
{
	bool by_offer = cost_is_by_offer(&programme->input->request.common.pricing, candidate);
	double paid = by_offer ? (double)supply_paid_count(candidate, outline->gpu_count) : (double)outline->gpu_count;
	int64_t node = candidate->gpus_per_node >= 1 ? candidate->gpus_per_node : 1;

	return paid + (outline->reliability.spares_given ? (double)(outline->reliability.spare_nodes * node) : 0);
}

struct usage outline_usage(const struct programme *programme, const struct candidate *candidate, const struct outline *outline)
{
	const struct step_result *step = &outline->found.step;
	enum precision precision = programme->input->request.common.precision;
	double peak = accelerator_peak_flops_per_s(&candidate->accelerator,
		precision == PRECISION_UNSET ? accelerator_training_precision(&candidate->accelerator) : precision, NULL);
	double powered = powered_count(programme, candidate, outline), used = (double)outline->gpu_count;
	double spare_nodes = outline->reliability.spares_given ? (double)outline->reliability.spare_nodes : 0;

	return (struct usage){.accelerator = &candidate->accelerator, .gpu_count = powered,
		.calibration = candidate->calibration.id ? &candidate->calibration : NULL,
		.node_count = (double)outline->node_count + spare_nodes, .hours = outline->wall_clock_hours,
		.busy_fraction = outline->reliability.fraction * used / powered,
		.compute_utilization = fmin(1, step->hardware_flops / (step->time.time_s * outline->practice.step_factor * used * peak)),
		.memory_utilization = fmin(1, step->traffic_s / (step->time.time_s * outline->practice.step_factor)), .host_power_fraction = ABSENT_NUMBER,
		.hardware = &programme->input->request.common.hardware};
}

/* E110. The hours of a commitment that nobody uses are paid with those that are. */
static void pay_commitment(const struct programme *programme, const struct candidate *candidate, struct outline *outline)
{
	const struct training_request *request = &programme->input->request;
	double factor;

	outline->paid_hours = outline->wall_clock_hours;
	if (!outline->price.has_offer)
		return;
	outline->paid_hours = cost_paid_hours(candidate->offer.term, outline->wall_clock_hours, request->cadence_hours, cost_is_committed(&request->common.pricing));
	factor = outline->paid_hours / fmax(1e-12, outline->wall_clock_hours);
	outline->price.usd_per_gpu_hour *= factor;
	outline->price.low_usd_per_gpu_hour *= factor;
	outline->price.high_usd_per_gpu_hour *= factor;
}

void fleet_footprint(const struct programme *programme, struct outline *outline, struct findings *findings)
{
	const struct candidate had = outline_candidate(programme, outline), *candidate = &had;
	const struct pricing *pricing = &programme->input->request.common.pricing;
	struct usage usage = outline_usage(programme, candidate, outline);
	double facility_w;

	outline->powered_gpu_count = usage.gpu_count;
	footprint_of_usage(&usage, &candidate->site, &outline->footprint, findings);
	facility_w = outline->footprint.energy.total_kwh * WATTS_PER_KW / fmax(1e-12, outline->gpu_hours);
	outline->priced = cost_gpu_price(pricing, candidate, outline->gpu_count, facility_w, &outline->price, findings);
	pay_commitment(programme, candidate, outline);
	outline->data_cost = cost_of_data(pricing, programme->input->model.params_total, outline->wall_clock_hours, findings);
	outline->total_usd = outline->price.usd_per_gpu_hour * outline->gpu_hours + outline->data_cost.storage_usd + outline->data_cost.egress_usd;
}

void outline_settle(const struct programme *programme, const struct supply *supply, struct outline *outline)
{
	const struct candidate *chosen = &programme->input->candidates[outline->candidate];
	const struct offer *offer = supply ? &supply->offer : &chosen->offer;
	bool spot = chosen->has_offer ? offer->term == TERM_SPOT : true; /* a price without an offer is what the caller says it is */

	outline->supply = supply;
	outline->reliability = reliability_of_job(programme->input, (double)outline->gpu_count, outline->trained_params, spot);
	outline->practice = practice_of_run(programme->input, chosen, (double)outline->gpu_count, (double)outline->node_count, programme->practice);
	outline->wall_clock_hours = outline->useful_hours * outline->practice.value / outline->reliability.fraction;
	outline->gpu_hours = outline->wall_clock_hours * (double)outline->gpu_count;
	if (outline->reliability.spares_given) /* they are paid for too */
		outline->gpu_hours += outline->wall_clock_hours * (double)(outline->reliability.spare_nodes * (chosen->gpus_per_node >= 1 ? chosen->gpus_per_node : 1));
	fleet_footprint(programme, outline, NULL);
	range_fill(programme, outline);
}

void fleet_outline(const struct programme *programme, size_t candidate, int64_t gpu_count, const struct parallelism *pins,
	struct outline *outline, struct search_counts *counts)
{
	const struct training_input *input = programme->input;
	const struct candidate *chosen = &input->candidates[candidate];
	double longest_hours = -1;
	struct setting setting = {.trained_params = input->model.params_total};

	*outline = (struct outline){.fits = true, .candidate = candidate, .gpu_count = gpu_count, .node_count = fleet_nodes(chosen, gpu_count)};
	for (size_t i = 0; i < programme->stage_count; i++) {
		struct found found;
		double steps, hours, least_step_s;

		if (!fleet_stage(programme, i, outline, pins, &found, &setting, counts))
			return;
		outline->fits &= found.fits;
		if (!found.fits && input->request.common.enforce_memory != TRUTH_FALSE) {
			outline->any = true;
			outline->found = found;
			return;
		}
		steps = fmax(1, ceil(programme->stages[i].tokens / (found.step.samples * programme->stages[i].sequence) - 1e-9));
		least_step_s = found.step.hardware_flops / ((double)gpu_count * fmax(setting.device.linear_most_flops_per_s, setting.device.wide_most_flops_per_s));
		if (is_given(input->request.mfu)) /* else E125: what observed steps of this software say */
			step_pin_mfu(&setting, (double)gpu_count, input->request.mfu, &found.step);
		else
			step_scale(1 / observation_stack_at(&chosen->calibration, (double)gpu_count).speed, &found.step);
		hours = steps * found.step.time.time_s / SECONDS_PER_HOUR;
		outline->useful_hours += hours;
		if (hours <= longest_hours)
			continue;
		longest_hours = hours;
		outline->found = found;
		outline->main_stage = i;
		outline->least_step_s = fmin(least_step_s, found.step.time.time_s);
		outline->main_steps = steps;
	}
	outline->any = true;
	outline->trained_params = setting.trained_params;
	outline->step_log_sigma = range_step_log_sigma(programme, chosen, outline);
	place_best(programme, outline);
}

bool fleet_least(const struct programme *programme, size_t candidate, int64_t gpu_count, double factor, struct outline *outline)
{
	const struct training_input *input = programme->input;
	const struct candidate *chosen = &input->candidates[candidate];
	double tokens = programme->stages[0].tokens;
	struct setting setting;

	*outline = (struct outline){.any = true, .fits = true, .candidate = candidate, .gpu_count = gpu_count, .node_count = fleet_nodes(chosen, gpu_count)};
	if (programme->stage_count != 1 || is_given(input->request.mfu) || input->measured || input->request.common.enforce_memory == TRUTH_FALSE ||
		!stage_setting(programme, 0, chosen, &setting))
		return false;
	outline->found.step = (struct step_result){.samples = tokens / setting.sequence, .model_flops = tokens * setting.flops_per_token,
		.hardware_flops = tokens * setting.flops_per_token, .time.time_s = factor * tokens * setting.least_token_s / (double)gpu_count}; /* all in one step */
	outline->useful_hours = outline->found.step.time.time_s / SECONDS_PER_HOUR;
	outline->trained_params = setting.trained_params;
	return true;
}

bool fleet_is_slower(const struct programme *programme, size_t candidate, int64_t gpu_count, double factor, const struct parallelism *pins, struct search_counts *counts)
{
	struct setting setting;
	struct layout_search leanest = {.setting = &setting, .gpu_count = gpu_count, .pins = *pins, .leanest = true, .fed = true};
	struct layout_search faster = {.setting = &setting, .gpu_count = gpu_count, .pins = *pins};

	if (!stage_setting(programme, 0, &programme->input->candidates[candidate], &setting))
		return false;
	layout_search(&leanest);
	counts->evaluated += leanest.evaluated;
	if (!leanest.least.any || leanest.least.memory.total_bytes > LAYOUT_COMFORTABLE_FILL * leanest.least.memory.capacity_bytes)
		return false;
	if (factor <= 1)
		return true;
	faster.most_sample_s = factor * setting.least_token_s * setting.sequence / (double)gpu_count;
	layout_search(&faster);
	counts->evaluated += faster.evaluated;
	return !faster.best.any;
}

double fleet_objective(const struct outline *outline, enum objective objective)
{
	switch (objective) {
	case OBJECTIVE_TIME:
		return outline->wall_clock_hours;
	case OBJECTIVE_ENERGY:
		return outline->footprint.energy.total_kwh;
	case OBJECTIVE_CARBON:
		return outline->footprint.carbon.total_kgco2e;
	case OBJECTIVE_GPUS:
		return (double)outline->gpu_count;
	case OBJECTIVE_UNSET:
	case OBJECTIVE_COST:
		break;
	}
	return outline->priced ? outline->total_usd : outline->gpu_hours * 1e6; /* unpriced hardware after everything priced */
}
