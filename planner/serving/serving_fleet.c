#include "planner/serving/serving_fleet.h"

#include "planner/serving/disaggregated.h"
#include "planner/serving/fleet_cost.h"
#include "planner/serving/serving_scope.h"

enum { SCALING_ROUNDS = 3, RATE_ROUNDS = 20 };
static const double replicas_max = 1e6;
static const double nearly_idle = 1e-6; /* of one replica's saturation */

static double saturation_requests_per_s(const struct replica *replica, const struct demand *demand)
{
	struct operating_point point;

	operating_closed(replica, &demand->shape, CONCURRENCY_MAX, &point);
	return point.requests_per_s;
}

bool fleet_replica(const struct model *model, const struct candidate *candidate, const struct replica_layout *layout,
	const struct demand *demand, const struct fleet_limits *limits, enum replica_speed speed, struct replica *replica)
{
	double wanted_requests_per_s;

	if (!replica_prepare(replica, model, &candidate->accelerator, &candidate->calibration, layout, &serving_constants))
		return false;
	wanted_requests_per_s = limits->throughput_tokens_per_s_per_gpu * replica->gpus / demand->shape.output_tokens;
	for (int round = 0; round < SCALING_ROUNDS && is_given(wanted_requests_per_s); round++)
		replica_slow(replica, saturation_requests_per_s(replica, demand) / wanted_requests_per_s);
	if (speed == REPLICA_PRACTISED)
		replica_slow(replica, exp(limits->assurance.log_slow));
	if (speed == REPLICA_SURE)
		replica_slow(replica, fleet_allowance(model, candidate, layout, limits).slow);
	return true;
}

double fleet_throughput_most(const struct replica *replica, const struct accelerator *accelerator, const struct model *model,
	double prompt_tokens, double output_tokens)
{
	double sequence_bytes = replica_sequence_bytes(replica, prompt_tokens + output_tokens / 2),
		   capacity_bytes = replica->memory.capacity_bytes;
	double held = fmax(1, (capacity_bytes - replica->memory.weights_bytes) / sequence_bytes);
	double read_bytes = replica->memory.weights_bytes * fmin(1, model->params_active / model->params_total) + held * sequence_bytes;
	double by_memory = held * replica->attention_data * accelerator_bandwidth_bytes_per_s(accelerator) / read_bytes / replica->gpus;

	return fmin(by_memory, replica->peak_flops_per_s / (2 * model->params_active));
}

struct residuals fleet_residuals(
	const struct model *model, const struct candidate *candidate, const struct replica_layout *layout, const struct fleet_limits *limits)
{
	struct serving_scope scope = serving_scope_of(model, layout, limits->prompt_tokens, limits->output_tokens);

	return serving_scope_widen(
		residuals_of_candidate(model, candidate, layout, limits->request && is_given(limits->request->throughput_tokens_per_s_per_gpu)),
		&scope);
}

struct allowance fleet_allowance(
	const struct model *model, const struct candidate *candidate, const struct replica_layout *layout, const struct fleet_limits *limits)
{
	struct residuals residuals = fleet_residuals(model, candidate, layout, limits);

	return allowance_of(&limits->assurance, &residuals);
}

struct demand fleet_sure_demand(const struct demand *demand, const struct allowance *allowance)
{
	struct demand sure = *demand;

	sure.promise.log_ttft = allowance->log_ttft;
	sure.promise.log_tpot = allowance->log_tpot;
	return sure;
}

static int64_t slices_of(const struct fleet *fleet)
{
	return fleet->candidate->slice ? fleet->candidate->slice->per_board : 1;
}

double fleet_active_replicas(const struct fleet *fleet, const struct demand *demand)
{
	return (double)(fleet->replicas - demand->spare_replicas * slices_of(fleet));
}

void fleet_settle(struct fleet *fleet, const struct demand *demand, double active)
{
	int64_t slices = slices_of(fleet), groups = (int64_t)ceil(active / (double)slices) + demand->spare_replicas;

	fleet->active_needed = active;
	fleet->replicas = groups * slices;
	fleet->gpu_count = groups * fleet->gpus_per_replica;
}

/* True if every given limit is kept at the promise's percentile. Fills the fleet's latencies. */
static bool promise_kept(const struct demand *demand, const struct latency_model *model, struct fleet *fleet)
{
	const struct promise *promise = &demand->promise;

	double ttft_s = latency_quantile_s(model, LATENCY_TTFT, promise->percentile);

	fleet->ttft_s = ttft_s * exp(promise->log_ttft);
	fleet->tpot_s = latency_quantile_s(model, LATENCY_TPOT, promise->percentile) * exp(promise->log_tpot);
	fleet->e2e_s = promise_e2e_s(promise, ttft_s, latency_quantile_s(model, LATENCY_E2E, promise->percentile));
	return !(fleet->ttft_s > promise->ttft_s) && !(fleet->tpot_s > promise->tpot_s) && !(fleet->e2e_s > promise->e2e_s);
}

static bool kept_at(const struct replica *replica, const struct demand *demand, double replicas, double requests_per_s, struct fleet *fleet)
{
	struct latency_model model;

	return latency_prepare(replica, demand, replicas, requests_per_s, &model) && promise_kept(demand, &model, fleet);
}

bool fleet_holds(const struct replica *replica, const struct demand *demand, double replicas, double requests_per_s)
{
	double most = saturation_requests_per_s(replica, demand) * replicas * (1 - demand->headroom);
	struct fleet ignored;

	return requests_per_s <= most * (1 + 1e-9) && kept_at(replica, demand, replicas, requests_per_s, &ignored);
}

double fleet_response_s(const struct replica *replica, const struct demand *demand, double replicas, double requests_per_s)
{
	struct fleet fleet = {.e2e_s = 0};

	(void)kept_at(replica, demand, replicas, requests_per_s, &fleet);
	return fleet.e2e_s;
}

double fleet_requests_per_s_max(const struct replica *replica, const struct demand *demand, double replicas)
{
	double high = saturation_requests_per_s(replica, demand) * replicas * (1 - demand->headroom), low = 0;
	struct fleet ignored;

	if (kept_at(replica, demand, replicas, high, &ignored))
		return high;
	for (int round = 0; round < RATE_ROUNDS; round++) {
		double middle = (low + high) / 2;

		if (kept_at(replica, demand, replicas, middle, &ignored))
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Returns the fewest replicas whose shares of the load keep the promise. Each further replica makes all shares
 * smaller. */
static double replicas_for_promise(const struct replica *replica, const struct demand *demand, double least, struct fleet *fleet)
{
	double low = least, high = least;

	if (kept_at(replica, demand, least, demand->requests_per_s, fleet))
		return least;
	while (!kept_at(replica, demand, high, demand->requests_per_s, fleet)) {
		low = high;
		high *= 2;
		/* A request that is nearly alone on its replica has its best latency. A limit below it can never be kept. */
		if (high > replicas_max || demand->requests_per_s / high * (fleet->e2e_s + 1e-3) < 1e-3) {
			fleet->promise_kept = false;
			return ABSENT_NUMBER;
		}
	}
	while (high - low > 1) {
		double middle = floor((low + high) / 2);

		if (kept_at(replica, demand, middle, demand->requests_per_s, fleet))
			high = middle;
		else
			low = middle;
	}
	fleet->promise_kept = kept_at(replica, demand, high, demand->requests_per_s, fleet);
	return high;
}

/* Part of saturation at which formulas still have latencies. */
static const double nearly_full = 0.99;

/* E203. Sets the load that overloaded accelerators serve of a trace. The run ends when the trace is answered. The queue
 * that builds up is part of the run, and the replay gives its latencies. False if limits are not even kept without the
 * queue. */
static bool serves_overload(const struct replica *replica, const struct demand *demand, double active, struct fleet *fleet)
{
	double served = fmin(nearly_full * fleet->replica_requests_per_s * active, demand->requests_per_s);

	if (!demand->has_end || demand->disaggregated || !kept_at(replica, demand, active, served, fleet))
		return false;
	fleet->requests_per_s = served;
	return true;
}

/* Sizes a fleet of a fixed number of accelerators: whole replicas, and the load that they carry. */
static void size_fixed(const struct replica *replica, const struct demand *demand, int64_t gpu_count, struct fleet *fleet)
{
	double active;

	fleet->replicas = gpu_count / fleet->gpus_per_replica * slices_of(fleet);
	active = fleet_active_replicas(fleet, demand);
	if (active < 1) {
		fleet->verdict = FLEET_COUNT;
		return;
	}
	fleet->requests_per_s = fleet->capacity_requests_per_s = fleet_requests_per_s_max(replica, demand, active);
	if (!(fleet->requests_per_s > 0)) {
		fleet->promise_kept = kept_at(replica, demand, active, nearly_idle * fleet->replica_requests_per_s, fleet);
		fleet->verdict = FLEET_LATENCY;
		return;
	}
	if (is_given(demand->requests_per_s)) {
		if (fleet->requests_per_s >= demand->requests_per_s)
			fleet->requests_per_s = demand->requests_per_s;
		else if (serves_overload(replica, demand, active, fleet))
			fleet->overloaded = true;
		else
			fleet->verdict = FLEET_COUNT;
	}
	fleet->promise_kept = kept_at(replica, demand, active, fleet->requests_per_s, fleet);
	if (fleet->verdict == FLEET_OK && !fleet->promise_kept)
		fleet->verdict = FLEET_LATENCY;
	fleet->gpu_count = gpu_count;
}

static void size_free(const struct replica *replica, const struct demand *demand, struct fleet *fleet)
{
	double usable = fleet->replica_requests_per_s * (1 - demand->headroom);
	double active = fmax(1, ceil(demand->requests_per_s / usable * (1 - 1e-9)));

	fleet->requests_per_s = demand->requests_per_s;
	fleet->promise_kept = true;
	if (active > replicas_max) {
		fleet->verdict = FLEET_COUNT;
		return;
	}
	active = replicas_for_promise(replica, demand, active, fleet);
	if (!is_given(active)) {
		fleet->verdict = FLEET_LATENCY;
		return;
	}
	fleet_settle(fleet, demand, active);
}

void fleet_size(const struct model *model, const struct candidate *candidate, const struct replica_layout *layout,
	const struct demand *demand, const struct fleet_limits *limits, struct fleet *fleet)
{
	struct replica replica;
	struct demand sure;

	*fleet = (struct fleet){.candidate = candidate,
		.layout = *layout,
		.verdict = FLEET_LAYOUT,
		.usd_per_hour = ABSENT_NUMBER,
		.requests_per_s_max = ABSENT_NUMBER,
		.capacity_requests_per_s = ABSENT_NUMBER};
	if (!fleet_replica(model, candidate, layout, demand, limits, REPLICA_SURE, &replica))
		return;
	fleet->allowance = fleet_allowance(model, candidate, layout, limits);
	sure = fleet_sure_demand(demand, &fleet->allowance);
	fleet->verdict = FLEET_MEMORY;
	fleet->gpus_per_replica = replica.gpus;
	if (limits->enforce_memory && !replica_fits(&replica, demand->shape.prompt_tokens + demand->shape.output_tokens))
		return;
	fleet->verdict = FLEET_OK;
	fleet->replica_requests_per_s = saturation_requests_per_s(&replica, demand);
	if (demand->disaggregated)
		disaggregated_size(&replica, &sure, limits, fleet);
	else if (limits->gpu_count > 0)
		size_fixed(&replica, &sure, limits->gpu_count, fleet);
	else
		size_free(&replica, &sure, fleet);
	fleet->replica_requests_per_s *= fleet->allowance.slow;
	if (fleet->verdict != FLEET_OK)
		return;
	replica_slow(&replica, exp(limits->assurance.log_slow) / fleet->allowance.slow);
	fleet_value(fleet, &replica, demand, limits);
}
