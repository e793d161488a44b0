#include "planner/training/inputs.h"

#include <string.h>

#include "planner/interval.h"

/* Llama 3's 90 % effective time with 3.09 hours between interruptions leaves at most this time for a restart (arXiv
 * 2407.21783). */
static const double restart_high_minutes = 18.5;

static struct figure given_or_default(const char *field, double given, double otherwise, double low, double high, const char *source)
{
	if (is_given(given))
		return (struct figure){field, given, given, given, "request", PROVENANCE_GIVEN};
	return (struct figure){field, otherwise, low, high, source, PROVENANCE_DEFAULT};
}

/* Returns Daly's interval for another time between failures of one accelerator. */
static double interval_minutes(const struct candidate_plan *candidate_plan, double mtbf_gpu_hours)
{
	const struct reliability *job = &candidate_plan->reliability;

	return 60 *
		fmax(reliability_daly_interval(job->checkpoint_hours, mtbf_gpu_hours / (double)candidate_plan->gpu_count),
			job->write_hours > job->checkpoint_hours ? job->write_hours : 0);
}

static void reliability_inputs(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct figures *inputs)
{
	const struct training_request *request = &schedule->input->request;
	double checkpoint_gbs = CHECKPOINT_BYTES_PER_PARAM * candidate_plan->trained_params / 1e9 /
		(candidate_plan->reliability.write_hours * 3600);
	double interval = candidate_plan->reliability.interval_hours * 60;

	figures_add(inputs,
		given_or_default("reliability.mtbf_gpu_hours", request->reliability.mtbf_gpu_hours, RELIABILITY_MTBF_GPU_HOURS,
			RELIABILITY_MTBF_LOW_GPU_HOURS, RELIABILITY_MTBF_HIGH_GPU_HOURS,
			"E46: 419 unexpected interruptions in 54 days on 16,384 H100, Grattafiori et al. 2024, arXiv 2407.21783; published range 12.3 to 60 thousand"));
	figures_add(inputs,
		given_or_default("reliability.restart_minutes", request->reliability.restart_minutes, RELIABILITY_RESTART_MINUTES,
			RELIABILITY_RESTART_MINUTES, restart_high_minutes,
			"E46: at most 18.5 minutes by Llama 3's 90 % effective time and 3.09 hours between interruptions, arXiv 2407.21783"));
	figures_add(inputs,
		given_or_default("reliability.checkpoint_gbs", request->reliability.checkpoint_gbs, checkpoint_gbs, checkpoint_gbs, checkpoint_gbs,
			"E46: BLOOM wrote 2.3 TB in 40 s from 384 accelerators, Scao et al. 2022"));
	figures_add(inputs,
		is_given(request->reliability.checkpoint_interval_minutes)
			? given_or_default("reliability.checkpoint_interval_minutes", interval, interval, interval, interval, "request")
			: (struct figure){"reliability.checkpoint_interval_minutes", interval,
				  interval_minutes(candidate_plan, RELIABILITY_MTBF_LOW_GPU_HOURS),
				  interval_minutes(candidate_plan, RELIABILITY_MTBF_HIGH_GPU_HOURS),
				  "E47: Daly 2006, eq. 37; range: for the published range of failures", PROVENANCE_DERIVED});
	if (candidate_plan->reliability.spot)
		figures_add(inputs,
			(struct figure){"pricing.spot_interruptions_per_gpu_hour", request->common.pricing.spot_interruptions_per_gpu_hour,
				request->common.pricing.spot_interruptions_per_gpu_hour, request->common.pricing.spot_interruptions_per_gpu_hour, "request",
				PROVENANCE_GIVEN});
}

static void own_inputs(const struct on_premises *own, const struct own_price *capex, struct figures *inputs)
{
	figures_add(inputs,
		given_or_default("pricing.on_premises.capex_usd_per_gpu", own->list_prices == TRUTH_TRUE ? own->capex_usd_per_gpu : capex->usd_per_gpu,
			capex->usd_per_gpu, capex->low_usd_per_gpu, capex->high_usd_per_gpu, capex->source));
	figures_add(inputs,
		given_or_default("pricing.on_premises.life_years", own->life_years, COST_LIFE_YEARS, COST_LIFE_LOW_YEARS, COST_LIFE_HIGH_YEARS,
			"E65: 4 years, 3 to 6"));
	figures_add(inputs,
		given_or_default("pricing.on_premises.electricity_usd_per_kwh", own->electricity_usd_per_kwh, COST_ELECTRICITY_USD_PER_KWH,
			COST_ELECTRICITY_USD_PER_KWH, COST_ELECTRICITY_USD_PER_KWH, "E67: United States industrial average of 2024, EIA 2025"));
	figures_add(inputs,
		given_or_default("pricing.on_premises.staff_usd_per_gpu_month", own->staff_usd_per_gpu_month, ABSENT_NUMBER, 0, 0, "request"));
	figures_add(inputs,
		given_or_default("pricing.on_premises.space_usd_per_kw_month", own->space_usd_per_kw_month, ABSENT_NUMBER, 0, 0, "request"));
}

static void price_inputs(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct figures *inputs)
{
	const struct pricing *pricing = &schedule->input->request.common.pricing;
	const struct gpu_price *price = &candidate_plan->price;

	if (!candidate_plan->priced)
		return;
	if (!price->has_offer && !is_given(pricing->usd_per_gpu_hour)) {
		const struct candidate had = candidate_plan_as_priced(schedule, candidate_plan);
		struct own_price capex = cost_own_price(pricing, &had, candidate_plan->gpu_count);

		own_inputs(&pricing->on_premises, &capex, inputs);
	} else {
		figures_add(inputs,
			(struct figure){"pricing.usd_per_gpu_hour", price->usd_per_gpu_hour, price->low_usd_per_gpu_hour, price->high_usd_per_gpu_hour,
				price->source, price->status});
	}
	figures_add(
		inputs, given_or_default("pricing.storage_usd_per_gb_month", pricing->storage_usd_per_gb_month, ABSENT_NUMBER, 0, 0, "request"));
	figures_add(inputs, given_or_default("pricing.egress_usd_per_gb", pricing->egress_usd_per_gb, ABSENT_NUMBER, 0, 0, "request"));
}

void inputs_of_candidate_plan(
	const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, const struct figure *mfu, struct figures *inputs)
{
	const struct candidate had = candidate_plan_as_priced(schedule, candidate_plan);
	struct usage usage = candidate_plan_usage(schedule, &had, candidate_plan);

	inputs->count = 0;
	figures_add(inputs,
		(struct figure){"tokens", schedule->tokens_total, schedule->tokens_total, schedule->tokens_total, "request", PROVENANCE_GIVEN});
	figures_add(inputs, *mfu);
	if (candidate_plan->practice.part_count > 0)
		figures_add(inputs,
			(struct figure){INPUT_PRACTICE, candidate_plan->practice.value, candidate_plan->practice.low, candidate_plan->practice.high,
				"E131: hours of published runs over the hours of their steps; practice.parts of the option has each part's source",
				PROVENANCE_DERIVED});
	reliability_inputs(schedule, candidate_plan, inputs);
	price_inputs(schedule, candidate_plan, inputs);
	footprint_inputs(&usage, &had.site, inputs);
}

struct moved moved_of_candidate_plan(const struct candidate_plan *candidate_plan)
{
	return (struct moved){.usd = candidate_plan->priced ? candidate_plan->total_usd : ABSENT_NUMBER,
		.hours = candidate_plan->wall_clock_hours,
		.kwh = candidate_plan->footprint.energy.total_kwh,
		.kgco2e = candidate_plan->footprint.carbon.total_kgco2e,
		.water_l = candidate_plan->footprint.water_l};
}

/* A copy of the caller's schedule in which one input is changed. */
struct world {
	struct training_input input;
	struct stage_schedule schedule;
	struct candidate candidate;
	struct supply supply;
	struct candidate_plan candidate_plan;
};

static void world_fill(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct world *world)
{
	world->input = *schedule->input;
	world->schedule = *schedule;
	world->candidate = schedule->input->candidates[candidate_plan->candidate];
	world->candidate_plan = *candidate_plan;
	if (candidate_plan->supply)
		world->supply = *candidate_plan->supply;
	world->input.candidates = &world->candidate;
	world->input.candidate_count = 1;
	world->schedule.input = &world->input;
	world->candidate_plan.candidate = 0;
}

struct setter {
	const char *field;
	enum { IN_REQUEST, IN_SITE, IN_ACCELERATOR } where;
	size_t offset;
};

#define REQUEST(member) IN_REQUEST, offsetof(struct training_request, member)

static const struct setter setters[] = {
	{"site.grid_gco2e_per_kwh", IN_SITE, offsetof(struct site, grid_gco2e_per_kwh)},
	{"site.pue", IN_SITE, offsetof(struct site, pue)},
	{"site.wue_l_per_kwh", IN_SITE, offsetof(struct site, wue_l_per_kwh)},
	{"site.ewif_l_per_kwh", IN_SITE, offsetof(struct site, ewif_l_per_kwh)},
	{"accelerator.idle_w", IN_ACCELERATOR, offsetof(struct accelerator, idle_w)},
	{"accelerator.load_w", IN_ACCELERATOR, offsetof(struct accelerator, load_w)},
	{"hardware.host_power_fraction", REQUEST(common.hardware.host_power_fraction)},
	{"hardware.embodied_kgco2e_per_gpu", REQUEST(common.hardware.embodied_kgco2e_per_gpu)},
	{"hardware.embodied_kgco2e_per_node", REQUEST(common.hardware.embodied_kgco2e_per_node)},
	{"hardware.life_years", REQUEST(common.hardware.life_years)},
	{"hardware.used_fraction", REQUEST(common.hardware.used_fraction)},
	{"reliability.mtbf_gpu_hours", REQUEST(reliability.mtbf_gpu_hours)},
	{"reliability.restart_minutes", REQUEST(reliability.restart_minutes)},
	{"reliability.checkpoint_gbs", REQUEST(reliability.checkpoint_gbs)},
	{"reliability.checkpoint_interval_minutes", REQUEST(reliability.checkpoint_interval_minutes)},
	{"pricing.spot_interruptions_per_gpu_hour", REQUEST(common.pricing.spot_interruptions_per_gpu_hour)},
	{"pricing.on_premises.capex_usd_per_gpu", REQUEST(common.pricing.on_premises.capex_usd_per_gpu)},
	{"pricing.on_premises.life_years", REQUEST(common.pricing.on_premises.life_years)},
	{"pricing.on_premises.electricity_usd_per_kwh", REQUEST(common.pricing.on_premises.electricity_usd_per_kwh)},
	{"pricing.on_premises.staff_usd_per_gpu_month", REQUEST(common.pricing.on_premises.staff_usd_per_gpu_month)},
	{"pricing.on_premises.space_usd_per_kw_month", REQUEST(common.pricing.on_premises.space_usd_per_kw_month)},
	{"pricing.storage_usd_per_gb_month", REQUEST(common.pricing.storage_usd_per_gb_month)},
	{"pricing.egress_usd_per_gb", REQUEST(common.pricing.egress_usd_per_gb)},
};

static void set_number(void *object, size_t offset, double value)
{
	memcpy((char *)object + offset, &value, sizeof value);
}

static bool world_set(struct world *world, const char *field, double value)
{
	const struct setter *setter = NULL;

	for (size_t i = 0; i < COUNT_OF(setters); i++)
		if (strcmp(setters[i].field, field) == 0)
			setter = &setters[i];
	if (!setter)
		return false;
	if (setter->where == IN_REQUEST)
		set_number(&world->input.request, setter->offset, value);
	if (setter->where == IN_SITE) {
		set_number(&world->candidate.site, setter->offset, value);
		set_number(&world->supply.site, setter->offset, value);
	}
	if (setter->where == IN_ACCELERATOR) { /* also set in the calibration, which would override it */
		bool idle = setter->offset == offsetof(struct accelerator, idle_w);

		set_number(&world->candidate.accelerator, setter->offset, value);
		set_number(&world->candidate.calibration, idle ? offsetof(struct calibration, idle_w) : offsetof(struct calibration, load_w), value);
	}
	return true;
}

/* Multiplies the power model by a factor: both its idle and its load power. */
static void scale_power(struct world *world, double factor)
{
	const struct candidate *candidate = &world->candidate;
	double idle_w = CALIBRATED(&candidate->calibration, idle_w, accelerator_idle_w(&candidate->accelerator, NULL, NULL, NULL));
	double load_w = CALIBRATED(&candidate->calibration, load_w, accelerator_load_w(&candidate->accelerator, NULL, NULL, NULL));

	world_set(world, "accelerator.idle_w", idle_w * factor);
	world_set(world, "accelerator.load_w", load_w * factor);
}

/* Multiplies the hours of steps, from which all other hours follow. */
static void scale_hours(struct world *world, double factor)
{
	world->candidate_plan.useful_hours *= factor;
}

/* Changes the time of the same work: the hours, and the utilisation in them, from which power follows. */
static void slow_steps(struct world *world, double factor)
{
	scale_hours(world, factor);
	world->candidate_plan.found.step.time.time_s *= factor;
	world->candidate_plan.found.step.traffic_s *= factor;
}

bool inputs_move(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, const struct figure *input,
	double value, struct moved *moved)
{
	UNCLEARED struct world world;

	if (strcmp(input->field, "pricing.usd_per_gpu_hour") == 0) {
		*moved = moved_of_candidate_plan(candidate_plan);
		moved->usd += (value - candidate_plan->price.usd_per_gpu_hour) * candidate_plan->gpu_hours;
		return true;
	}
	world_fill(schedule, candidate_plan, &world);
	if (strcmp(input->field, "tokens") == 0 || strcmp(input->field, INPUT_PRACTICE) == 0)
		scale_hours(&world, value / input->value);
	else if (strcmp(input->field, "mfu") == 0)
		slow_steps(&world, input->value / value);
	else if (strcmp(input->field, INPUT_POWER_MODEL) == 0)
		scale_power(&world, value);
	else if (!world_set(&world, input->field, value))
		return false;
	candidate_plan_settle(&world.schedule, candidate_plan->supply ? &world.supply : NULL, &world.candidate_plan);
	*moved = moved_of_candidate_plan(&world.candidate_plan);
	return true;
}
