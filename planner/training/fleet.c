#include "planner/training/fleet.h"

#include "base/units.h"
#include "planner/footprint/supply.h"
#include "planner/measurement/observation.h"
#include "planner/step/layer_time.h"
#include "planner/training/place.h"
#include "planner/training/range.h"

int64_t fleet_nodes(const struct candidate *candidate, int64_t gpu_count)
{
	int64_t node = candidate->gpus_per_node >= 1 ? candidate->gpus_per_node : 1;

	return (gpu_count + node - 1) / node;
}

struct candidate candidate_plan_as_priced(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan)
{
	struct candidate chosen = schedule->input->candidates[candidate_plan->candidate];

	if (candidate_plan->supply) {
		chosen.offer = candidate_plan->supply->offer;
		chosen.site = candidate_plan->supply->site;
	}
	return chosen;
}

static bool stage_setting(const struct stage_schedule *schedule, size_t stage, const struct candidate *candidate, struct setting *setting)
{
	if (!setting_of_candidate(schedule->input, candidate, schedule->physics, schedule->teacher, schedule->stages[stage].sequence, setting))
		return false;
	setting->batch = schedule->stages[stage].batch;
	if (schedule->gradient_bytes > 0)
		setting->software.gradient_bytes = schedule->gradient_bytes;
	setting->batch_free = schedule->stages[stage].batch_source != NULL;
	least_token_times(setting);
	return true;
}

/* Finds the layout of one stage. When no layout fits and memory is waived, it times the layout that needs least
 * memory. */
static bool fleet_stage(const struct stage_schedule *schedule, size_t stage, const struct candidate_plan *candidate_plan,
	const struct parallelism *pins, struct found *found, struct setting *setting, struct search_counts *counts)
{
	struct layout_search search = {.setting = setting, .gpu_count = candidate_plan->gpu_count, .pins = *pins, .begin = counts->last};
	const struct training_input *input = schedule->input;
	struct stages stages;

	if (!stage_setting(schedule, stage, &input->candidates[candidate_plan->candidate], setting))
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

/* Returns the accelerators that draw power: used, spare, and the rest of whole instances. */
static double powered_count(
	const struct stage_schedule *schedule, const struct candidate *candidate, const struct candidate_plan *candidate_plan)
{
	bool by_offer = cost_is_by_offer(&schedule->input->request.common.pricing, candidate);
	double paid = by_offer ? (double)supply_paid_count(candidate, candidate_plan->gpu_count) : (double)candidate_plan->gpu_count;
	int64_t node = candidate->gpus_per_node >= 1 ? candidate->gpus_per_node : 1;

	return paid + (candidate_plan->reliability.spares_given ? (double)(candidate_plan->reliability.spare_nodes * node) : 0);
}

struct usage candidate_plan_usage(
	const struct stage_schedule *schedule, const struct candidate *candidate, const struct candidate_plan *candidate_plan)
{
	const struct step_result *step = &candidate_plan->found.step;
	enum precision precision = schedule->input->request.common.precision;
	double peak = accelerator_peak_flops_per_s(
		&candidate->accelerator, precision == PRECISION_UNSET ? accelerator_training_precision(&candidate->accelerator) : precision, NULL);
	double powered = powered_count(schedule, candidate, candidate_plan), used = (double)candidate_plan->gpu_count;
	double spare_nodes = candidate_plan->reliability.spares_given ? (double)candidate_plan->reliability.spare_nodes : 0;

	return (struct usage){.accelerator = &candidate->accelerator,
		.gpu_count = powered,
		.calibration = candidate->calibration.id ? &candidate->calibration : NULL,
		.node_count = (double)candidate_plan->node_count + spare_nodes,
		.hours = candidate_plan->wall_clock_hours,
		.busy_fraction = candidate_plan->reliability.fraction * used / powered,
		.compute_utilization = fmin(1, step->hardware_flops / (step->time.time_s * candidate_plan->practice.step_factor * used * peak)),
		.memory_utilization = fmin(1, step->traffic_s / (step->time.time_s * candidate_plan->practice.step_factor)),
		.host_power_fraction = ABSENT_NUMBER,
		.hardware = &schedule->input->request.common.hardware};
}

/* E110. Raises the price of the used hours by the unused hours of the commitment. */
static void pay_commitment(const struct stage_schedule *schedule, const struct candidate *candidate, struct candidate_plan *candidate_plan)
{
	const struct training_request *request = &schedule->input->request;
	double factor;

	candidate_plan->paid_hours = candidate_plan->wall_clock_hours;
	if (!candidate_plan->price.has_offer)
		return;
	candidate_plan->paid_hours = cost_paid_hours(
		candidate->offer.term, candidate_plan->wall_clock_hours, request->cadence_hours, cost_is_committed(&request->common.pricing));
	factor = candidate_plan->paid_hours / fmax(1e-12, candidate_plan->wall_clock_hours);
	candidate_plan->price.usd_per_gpu_hour *= factor;
	candidate_plan->price.low_usd_per_gpu_hour *= factor;
	candidate_plan->price.high_usd_per_gpu_hour *= factor;
}

void fleet_footprint(const struct stage_schedule *schedule, struct candidate_plan *candidate_plan, struct findings *findings)
{
	const struct candidate had = candidate_plan_as_priced(schedule, candidate_plan), *candidate = &had;
	const struct pricing *pricing = &schedule->input->request.common.pricing;
	struct usage usage = candidate_plan_usage(schedule, candidate, candidate_plan);
	double facility_w;

	candidate_plan->powered_gpu_count = usage.gpu_count;
	footprint_of_usage(&usage, &candidate->site, &candidate_plan->footprint, findings);
	facility_w = candidate_plan->footprint.energy.total_kwh * WATTS_PER_KW / fmax(1e-12, candidate_plan->gpu_hours);
	candidate_plan->priced = cost_gpu_price(pricing, candidate, candidate_plan->gpu_count, facility_w, &candidate_plan->price, findings);
	pay_commitment(schedule, candidate, candidate_plan);
	candidate_plan->data_cost = cost_of_data(pricing, schedule->input->model.params_total, candidate_plan->wall_clock_hours, findings);
	candidate_plan->total_usd = candidate_plan->price.usd_per_gpu_hour * candidate_plan->gpu_hours + candidate_plan->data_cost.storage_usd +
		candidate_plan->data_cost.egress_usd;
}

void candidate_plan_settle(const struct stage_schedule *schedule, const struct supply *supply, struct candidate_plan *candidate_plan)
{
	const struct candidate *chosen = &schedule->input->candidates[candidate_plan->candidate];
	const struct offer *offer = supply ? &supply->offer : &chosen->offer;
	bool spot = chosen->has_offer ? offer->term == TERM_SPOT : true; /* a given price may be of spot instances: given interruptions apply */

	candidate_plan->supply = supply;
	candidate_plan->reliability = reliability_of_job(
		schedule->input, (double)candidate_plan->gpu_count, candidate_plan->trained_params, spot);
	candidate_plan->practice = practice_of_run(
		schedule->input, chosen, (double)candidate_plan->gpu_count, (double)candidate_plan->node_count, schedule->practice);
	candidate_plan->wall_clock_hours = candidate_plan->useful_hours * candidate_plan->practice.value / candidate_plan->reliability.fraction;
	candidate_plan->gpu_hours = candidate_plan->wall_clock_hours * (double)candidate_plan->gpu_count;
	if (candidate_plan->reliability.spares_given) /* spare nodes are paid for too */
		candidate_plan->gpu_hours += candidate_plan->wall_clock_hours *
			(double)(candidate_plan->reliability.spare_nodes * (chosen->gpus_per_node >= 1 ? chosen->gpus_per_node : 1));
	fleet_footprint(schedule, candidate_plan, NULL);
	range_fill(schedule, candidate_plan);
}

void fleet_candidate_plan(const struct stage_schedule *schedule, size_t candidate, int64_t gpu_count, const struct parallelism *pins,
	struct candidate_plan *candidate_plan, struct search_counts *counts)
{
	const struct training_input *input = schedule->input;
	const struct candidate *chosen = &input->candidates[candidate];
	double longest_hours = -1;
	struct setting setting = {.trained_params = input->model.params_total};

	*candidate_plan = (struct candidate_plan){
		.fits = true, .candidate = candidate, .gpu_count = gpu_count, .node_count = fleet_nodes(chosen, gpu_count)};
	for (size_t i = 0; i < schedule->stage_count; i++) {
		struct found found;
		double steps, hours, least_step_s;

		if (!fleet_stage(schedule, i, candidate_plan, pins, &found, &setting, counts))
			return;
		candidate_plan->fits &= found.fits;
		if (!found.fits && input->request.common.enforce_memory != TRUTH_FALSE) {
			candidate_plan->any = true;
			candidate_plan->found = found;
			return;
		}
		steps = fmax(1, ceil(schedule->stages[i].tokens / (found.step.samples * schedule->stages[i].sequence) - 1e-9));
		least_step_s = found.step.hardware_flops /
			((double)gpu_count * fmax(setting.device.linear_most_flops_per_s, setting.device.wide_most_flops_per_s));
		if (is_given(input->request.mfu)) /* else E125: the speed from observed steps of this software */
			step_pin_mfu(&setting, (double)gpu_count, input->request.mfu, &found.step);
		else
			step_scale(1 / observation_stack_at(&chosen->calibration, (double)gpu_count).speed, &found.step);
		hours = steps * found.step.time.time_s / SECONDS_PER_HOUR;
		candidate_plan->useful_hours += hours;
		if (hours <= longest_hours)
			continue;
		longest_hours = hours;
		candidate_plan->found = found;
		candidate_plan->main_stage = i;
		candidate_plan->least_step_s = fmin(least_step_s, found.step.time.time_s);
		candidate_plan->main_steps = steps;
	}
	candidate_plan->any = true;
	candidate_plan->trained_params = setting.trained_params;
	candidate_plan->step_log_sigma = range_step_log_sigma(schedule, chosen, candidate_plan);
	place_best(schedule, candidate_plan);
}

bool fleet_least(
	const struct stage_schedule *schedule, size_t candidate, int64_t gpu_count, double factor, struct candidate_plan *candidate_plan)
{
	const struct training_input *input = schedule->input;
	const struct candidate *chosen = &input->candidates[candidate];
	double tokens = schedule->stages[0].tokens;
	struct setting setting;

	*candidate_plan = (struct candidate_plan){
		.any = true, .fits = true, .candidate = candidate, .gpu_count = gpu_count, .node_count = fleet_nodes(chosen, gpu_count)};
	if (schedule->stage_count != 1 || is_given(input->request.mfu) || input->measured ||
		input->request.common.enforce_memory == TRUTH_FALSE || !stage_setting(schedule, 0, chosen, &setting))
		return false;
	candidate_plan->found.step = (struct step_result){.samples = tokens / setting.sequence,
		.model_flops = tokens * setting.flops_per_token,
		.hardware_flops = tokens * setting.flops_per_token,
		.time.time_s = factor * tokens * setting.least_token_s / (double)gpu_count}; /* all tokens in one step */
	candidate_plan->useful_hours = candidate_plan->found.step.time.time_s / SECONDS_PER_HOUR;
	candidate_plan->trained_params = setting.trained_params;
	return true;
}

bool fleet_is_slower(const struct stage_schedule *schedule, size_t candidate, int64_t gpu_count, double factor,
	const struct parallelism *pins, struct search_counts *counts)
{
	struct setting setting;
	struct layout_search leanest = {.setting = &setting, .gpu_count = gpu_count, .pins = *pins, .leanest = true, .fed = true};
	struct layout_search faster = {.setting = &setting, .gpu_count = gpu_count, .pins = *pins};

	if (!stage_setting(schedule, 0, &schedule->input->candidates[candidate], &setting))
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

double fleet_objective(const struct candidate_plan *candidate_plan, enum objective objective)
{
	switch (objective) {
	case OBJECTIVE_TIME:
		return candidate_plan->wall_clock_hours;
	case OBJECTIVE_ENERGY:
		return candidate_plan->footprint.energy.total_kwh;
	case OBJECTIVE_CARBON:
		return candidate_plan->footprint.carbon.total_kgco2e;
	case OBJECTIVE_GPUS:
		return (double)candidate_plan->gpu_count;
	case OBJECTIVE_UNSET:
	case OBJECTIVE_COST:
		break;
	}
	return candidate_plan->priced ? candidate_plan->total_usd
								  : candidate_plan->gpu_hours * 1e6; /* plans without a price come after all plans with one */
}
