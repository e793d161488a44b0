/* Sensitivity: the inputs that change a service's figures, and by how much. */
#include <string.h>

#include "base/units.h"
#include "planner/serving/fleet_cost.h"
#include "planner/serving/serving_option.h"

/* Smaller effects are left out, because a person would not notice them. */
static const double least_effect = 0.0005;
static const double seconds_per_minute = 60, given_step = 0.1; /* given inputs, and those without a range, change by 10 % down and up */

/* Copies of everything that a changed input can affect. */
struct trial_world {
	struct inference_request request;
	struct candidate candidate;
	struct accelerator board;
	struct fleet_limits limits;
	struct demand demand;
	struct fleet fleet;
	double usd_factor, power_factor; /* of the accelerators' price; of the modelled power */
	const struct model *model;
};

enum outcome { OUTCOME_USD, OUTCOME_CARBON, OUTCOME_ENERGY, OUTCOME_WATER, OUTCOME_TOKENS, OUTCOME_UTILIZATION, OUTCOME_COUNT };

static const char *const outcome_names[OUTCOME_COUNT] = {[OUTCOME_USD] = "cost.usd_per_month",
	[OUTCOME_CARBON] = "carbon.kgco2e_per_month",
	[OUTCOME_ENERGY] = "energy.kwh_per_month",
	[OUTCOME_WATER] = "water_l_per_month",
	[OUTCOME_TOKENS] = "throughput.output_tokens_per_s",
	[OUTCOME_UTILIZATION] = "utilization"};

struct outcomes {
	double values[OUTCOME_COUNT];
};

/* Fills the world. The fleet stays at its offer. `world` points into itself. */
static void world_fill(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct trial_world *world)
{
	*world = (struct trial_world){.request = input->request,
		.candidate = fleet_candidate(fleet),
		.board = *fleet_board(fleet),
		.limits = *limits,
		.demand = *demand,
		.fleet = *fleet,
		.usd_factor = 1,
		.power_factor = 1,
		.model = &input->model};
	world->candidate.supply_count = 0;
	if (world->candidate.slice)
		world->candidate.board = &world->board;
	world->fleet.candidate = &world->candidate;
	world->fleet.supply = NULL;
	world->limits.request = &world->request;
	world->limits.pricing = &world->request.common.pricing;
}

static bool outcomes_of(struct trial_world *world, struct outcomes *outcomes)
{
	const struct fleet *fleet = &world->fleet;
	double tokens = fleet->requests_per_s * world->demand.shape.output_tokens;
	struct fleet_cost costs;
	struct replica replica;

	if (!fleet_replica(world->model, &world->candidate, &fleet->layout, &world->demand, &world->limits, REPLICA_PRACTISED, &replica))
		return false;
	fleet_cost(fleet, &replica, &world->demand, &world->limits, &costs, NULL);
	outcomes->values[OUTCOME_USD] = costs.usd_per_hour * HOURS_PER_MONTH + (world->usd_factor - 1) * costs.accelerators_usd_per_month;
	outcomes->values[OUTCOME_CARBON] = costs.footprint.carbon.operational_kgco2e * world->power_factor +
		costs.footprint.carbon.embodied_kgco2e;
	outcomes->values[OUTCOME_ENERGY] = costs.footprint.energy.total_kwh * world->power_factor;
	outcomes->values[OUTCOME_WATER] = costs.footprint.water_l * world->power_factor;
	outcomes->values[OUTCOME_TOKENS] = tokens;
	outcomes->values[OUTCOME_UTILIZATION] = fleet->requests_per_s / (fleet->replica_requests_per_s * (double)fleet->replicas);
	return true;
}

/* Sizes the fleet again by formulas, with the same layout. */
static bool size_again(struct trial_world *world)
{
	struct fleet sized;

	fleet_size(world->model, &world->candidate, &world->fleet.layout, &world->demand, &world->limits, &sized);
	if (sized.verdict == FLEET_OK)
		world->fleet = sized;
	return sized.verdict == FLEET_OK;
}

typedef void change_function(struct trial_world *world, double value);

static void change_requests(struct trial_world *world, double value)
{
	world->demand.requests_per_s = value;
}

static void change_queries(struct trial_world *world, double value)
{
	world->demand.requests_per_s = value / seconds_per_minute;
}

static void change_prompt(struct trial_world *world, double value)
{
	world->demand.shape.prompt_tokens = value;
}

static void change_output(struct trial_world *world, double value)
{
	world->demand.shape.output_tokens = value;
}

static void change_headroom(struct trial_world *world, double value)
{
	world->demand.headroom = value;
}

static void change_throughput(struct trial_world *world, double value)
{
	double slices = world->candidate.slice ? (double)world->candidate.slice->per_board : 1;

	world->limits.throughput_tokens_per_s_per_gpu = value / slices;
}

static void change_power(struct trial_world *world, double value)
{
	world->power_factor = value;
}

static void change_price(struct trial_world *world, double value)
{
	world->usd_factor = value;
}

static struct site *site_of(struct trial_world *world)
{
	return &world->candidate.site;
}

static void change_grid(struct trial_world *world, double value)
{
	site_of(world)->grid_gco2e_per_kwh = value;
}

static void change_pue(struct trial_world *world, double value)
{
	site_of(world)->pue = value;
}

static void change_wue(struct trial_world *world, double value)
{
	site_of(world)->wue_l_per_kwh = value;
}

static void change_ewif(struct trial_world *world, double value)
{
	site_of(world)->ewif_l_per_kwh = value;
}

static struct accelerator *board_of(struct trial_world *world)
{
	return world->candidate.slice ? &world->board : &world->candidate.accelerator;
}

static void change_idle(struct trial_world *world, double value)
{
	world->candidate.calibration.idle_w = 0;
	board_of(world)->idle_w = value;
}

static void change_load(struct trial_world *world, double value)
{
	world->candidate.calibration.load_w = 0;
	board_of(world)->tdp_w = board_of(world)->load_w = value;
}

static void change_host(struct trial_world *world, double value)
{
	world->request.common.hardware.host_power_fraction = value;
}

static void change_device(struct trial_world *world, double value)
{
	world->request.common.hardware.embodied_kgco2e_per_gpu = value;
}

static void change_node(struct trial_world *world, double value)
{
	world->request.common.hardware.embodied_kgco2e_per_node = value;
}

static void change_life(struct trial_world *world, double value)
{
	world->request.common.hardware.life_years = value;
}

static void change_use(struct trial_world *world, double value)
{
	world->request.common.hardware.used_fraction = value;
}

static const struct lever {
	const char *field;
	change_function *change;
	bool sized; /* the fleet is sized again */
} levers[] = {
	{"requests_per_s", change_requests, true},
	{"queries_per_minute", change_queries, true},
	{"prompt_tokens", change_prompt, true},
	{"output_tokens", change_output, true},
	{"headroom", change_headroom, true},
	{"throughput_tokens_per_s_per_gpu", change_throughput, true},
	{"pricing.usd_per_gpu_hour", change_price, false},
	{"site.grid_gco2e_per_kwh", change_grid, false},
	{"site.pue", change_pue, false},
	{"site.wue_l_per_kwh", change_wue, false},
	{"site.ewif_l_per_kwh", change_ewif, false},
	{"power_model", change_power, false},
	{"accelerator.idle_w", change_idle, false},
	{"accelerator.tdp_w", change_load, false},
	{"hardware.host_power_fraction", change_host, false},
	{"hardware.embodied_kgco2e_per_gpu", change_device, false},
	{"hardware.embodied_kgco2e_per_node", change_node, false},
	{"hardware.life_years", change_life, false},
	{"hardware.used_fraction", change_use, false},
};

/* Returns the known figure that changes most; `first` if none changes. */
static enum outcome most_moved(
	const struct outcomes *base, const struct outcomes *low, const struct outcomes *high, enum outcome first, enum outcome last)
{
	enum outcome most = first;
	double moved = 0;

	for (int i = (int)first; i <= (int)last; i++) {
		double own = fmax(fabs(low->values[i] / base->values[i] - 1), fabs(high->values[i] / base->values[i] - 1));

		if (is_given(own) && own > moved * (1 + 1e-6)) {
			moved = own;
			most = (enum outcome)i;
		}
	}
	return most;
}

static void lever_note(
	const struct trial_world *as_is, const struct lever *lever, const struct figure *input, bool fixed, struct findings *findings)
{
	double ends[2] = {input->low, input->high}, scale = lever->change == change_price ? 1 / input->value : 1, change_low, change_high;
	struct outcomes outcomes[3];
	enum outcome moved;

	for (int i = 0; i < 3; i++) {
		struct trial_world world;

		world = *as_is;
		world.fleet.candidate = &world.candidate;
		world.candidate.board = world.candidate.slice ? &world.board : NULL;
		world.limits.request = &world.request;
		world.limits.pricing = &world.request.common.pricing;
		if (i > 0)
			lever->change(&world, ends[i - 1] * scale);
		if ((lever->sized && !size_again(&world)) || !outcomes_of(&world, &outcomes[i]))
			return;
	}
	moved = most_moved(&outcomes[0], &outcomes[1], &outcomes[2], OUTCOME_USD, OUTCOME_WATER);
	if (fixed && lever->sized) /* the cost of a fixed number is constant; the load that it carries changes */
		moved = most_moved(&outcomes[0], &outcomes[1], &outcomes[2], OUTCOME_TOKENS, OUTCOME_UTILIZATION);
	change_low = outcomes[1].values[moved] / outcomes[0].values[moved] - 1;
	change_high = outcomes[2].values[moved] / outcomes[0].values[moved] - 1;
	if (lever->sized && fmax(fabs(change_low), fabs(change_high)) < 0.02) {
		moved = OUTCOME_UTILIZATION;
		change_low = outcomes[1].values[moved] / outcomes[0].values[moved] - 1;
		change_high = outcomes[2].values[moved] / outcomes[0].values[moved] - 1;
	}
	if (fmax(fabs(change_low), fabs(change_high)) >= least_effect)
		findings_sensitivity(
			findings, input, outcome_names[moved], change_low, change_high, lever->sized ? SENSITIVITY_WHOLE : SENSITIVITY_EXACT);
}

static struct figure moved_by_a_tenth(const char *field, double value, enum provenance_status status)
{
	return (struct figure){field, value, value * (1 - given_step), value * (1 + given_step), "request", status};
}

/* Fills the inputs of the demand, which an option does not list. */
static void demand_inputs(
	const struct inference_request *request, const struct fleet *fleet, const struct demand *demand, struct figures *inputs)
{
	static const double headroom_low = 0.05, headroom_high = 0.2; /* half and twice the default (E59) */

	bool by_minute = is_given(request->queries_per_minute) && !is_given(request->requests_per_s) &&
		request->trace.count + request->rate_profile.count == 0;

	if (is_given(demand->requests_per_s) && by_minute)
		figures_add(inputs, moved_by_a_tenth("queries_per_minute", fleet->requests_per_s * seconds_per_minute, PROVENANCE_GIVEN));
	else if (is_given(demand->requests_per_s))
		figures_add(inputs, moved_by_a_tenth("requests_per_s", fleet->requests_per_s, PROVENANCE_GIVEN));
	figures_add(inputs, moved_by_a_tenth("prompt_tokens", demand->shape.prompt_tokens, PROVENANCE_GIVEN));
	figures_add(inputs, moved_by_a_tenth("output_tokens", demand->shape.output_tokens, PROVENANCE_GIVEN));
	if (is_given(request->headroom))
		figures_add(inputs, moved_by_a_tenth("headroom", demand->headroom, PROVENANCE_GIVEN));
	else
		figures_add(inputs, (struct figure){"headroom", demand->headroom, headroom_low, headroom_high, "E59", PROVENANCE_DEFAULT});
}

void sensitivity_report(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct inference_plan *plan)
{
	struct figures asked = {0};
	struct trial_world world;

	world_fill(input, fleet, demand, limits, &world);
	world.limits.usd_cap_per_month = world.limits.kgco2e_cap_per_month = world.limits.kwh_cap_per_month = ABSENT_NUMBER;
	if (is_given(demand->requests_per_s))
		world.demand.requests_per_s = fleet->requests_per_s;
	demand_inputs(&input->request, fleet, demand, &asked);
	for (size_t i = 0; i < COUNT_OF(levers); i++) {
		const struct figure *known = figures_find(&asked, levers[i].field);
		struct figure item;

		known = known ? known : figures_find(&plan->recommended.inputs, levers[i].field);
		if (!known)
			continue;
		item = *known;
		if (!(item.high > item.low))
			item = moved_by_a_tenth(item.field, item.value, item.status);
		if (item.high > item.low)
			lever_note(&world, &levers[i], &item, limits->gpu_count > 0 && !is_given(demand->requests_per_s), &plan->findings);
	}
}
