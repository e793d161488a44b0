#include "planner/serving/infeasible.h"

#include <stdio.h>

#include "base/units.h"
#include "planner/queueing/trial.h"
#include "planner/serving/fleet_cost.h"
#include "planner/serving/promises.h"

static const double milliseconds_per_second = 1000;

/* Latencies that are compared with the limits: those by formulas, or the upper ends of simulated intervals. */
struct reached {
	double ttft_s, tpot_s, e2e_s;
};

static double widened(const struct trial_estimate *estimate)
{
	return estimate->mean_s > 0 ? 1 + estimate->half_width_s / estimate->mean_s : 1;
}

static struct reached reached_of(const struct fleet *fleet)
{
	struct reached reached = {fleet->ttft_s, fleet->tpot_s, fleet->e2e_s};

	if (fleet->trial) {
		reached.ttft_s *= widened(&fleet->trial->ttft.promised);
		reached.tpot_s *= widened(&fleet->trial->tpot.promised);
		reached.e2e_s *= widened(&fleet->trial->e2e.promised);
	}
	return reached;
}

/* Returns the largest ratio of a fleet's latency to its limit. */
static double excess_of(const struct fleet *fleet, const struct promise *promise)
{
	struct reached reached = reached_of(fleet);
	double excess = 0;

	excess = fmax(excess, is_given(promise->ttft_s) ? reached.ttft_s / promise->ttft_s : 0);
	excess = fmax(excess, is_given(promise->tpot_s) ? reached.tpot_s / promise->tpot_s : 0);
	return fmax(excess, is_given(promise->e2e_s) ? reached.e2e_s / promise->e2e_s : 0);
}

static double cap_excess(const struct fleet *fleet, const struct fleet_limits *limits)
{
	struct fleet_place place = fleet_place_of(fleet);

	return fleet_place_excess(limits, &place);
}

static bool is_nearer(const struct fleet *fleet, const struct shortfall *shortfall)
{
	const struct fleet *nearest = &shortfall->nearest;

	if (!shortfall->any || fleet->verdict != shortfall->verdict)
		return !shortfall->any || fleet->verdict < shortfall->verdict;
	switch (fleet->verdict) {
	case FLEET_OK:
		return cap_excess(fleet, shortfall->limits) < cap_excess(nearest, shortfall->limits);
	case FLEET_LATENCY:
		return excess_of(fleet, &shortfall->promise) < excess_of(nearest, &shortfall->promise);
	case FLEET_COUNT:
		return fleet->requests_per_s > nearest->requests_per_s;
	case FLEET_MEMORY:
	case FLEET_LAYOUT:
		break;
	}
	return fleet->gpus_per_replica > nearest->gpus_per_replica;
}

void shortfall_note(struct shortfall *shortfall, const struct fleet *fleet)
{
	if (!is_nearer(fleet, shortfall))
		return;
	shortfall->any = true;
	shortfall->verdict = fleet->verdict;
	shortfall->nearest = *fleet;
}

enum status infeasible_memory(const struct model *model, const struct candidate *candidate, const struct replica_layout *layout,
	double context_tokens, struct failure *failure)
{
	struct replica_layout wider = *layout;
	struct replica replica;
	double needed_bytes = model_weight_bytes(model, layout->precision) +
		model_kv_bytes(model, context_tokens, precision_weight_bytes(layout->kv_precision));
	double capacity_bytes = accelerator_capacity_bytes(&candidate->accelerator);

	for (wider.pipeline = 1; wider.pipeline <= model->layer_count && !candidate->slice;
		 wider.pipeline *= 2) /* a replica is never several slices */
		for (wider.tensor = layout->tensor; wider.tensor <= layout_domain(candidate); wider.tensor *= 2)
			if (replica_prepare(&replica, model, &candidate->accelerator, &candidate->calibration, &wider, &serving_constants) &&
				replica_fits(&replica, context_tokens))
				return failure_set(failure, STATUS_INFEASIBLE,
					"%s weights and one sequence of %.0f tokens need %.1f GB; one %s has %.1f GB. "
					"A replica of %d (tensor %d, pipeline %d) is enough. Take it, narrower weights or enforce_memory: "
					"false",
					precision_name(layout->precision), context_tokens, needed_bytes / BYTES_PER_GB, candidate->accelerator.id,
					capacity_bytes / BYTES_PER_GB, replica.gpus, wider.tensor, wider.pipeline);
	return failure_set(failure, STATUS_INFEASIBLE,
		"%s weights and one sequence of %.0f tokens need %.1f GB; no layout of %s (%.1f GB each) has that memory. "
		"Take an accelerator with more memory, narrower weights or a shorter context",
		precision_name(layout->precision), context_tokens, needed_bytes / BYTES_PER_GB, candidate->accelerator.id,
		capacity_bytes / BYTES_PER_GB);
}

void shortfall_measure(struct shortfall *shortfall, struct simulator *simulator)
{
	struct fleet *nearest = &shortfall->nearest;
	struct fleet held;

	if (!shortfall->any || shortfall->verdict != FLEET_COUNT || !(nearest->capacity_requests_per_s > 0) || !simulator_can(simulator))
		return;
	simulator_more(simulator, SIMULATOR_ADVICE_WORK);
	held = *nearest;
	held.verdict = FLEET_OK;
	nearest->requests_per_s_max = simulator_most_requests_per_s(simulator, &held, true);
}

/* Adds a fault with the least limit that can be kept: the reached latency plus 5 %, because formulas differ a little
 * from the simulation, which decides. */
static void limit_fault(struct failure *failure, const char *name, double limit_s, double reached_s)
{
	static const double margin = 1.05;
	char pointer[32];

	if (!is_given(limit_s) || !(reached_s > limit_s))
		return;
	snprintf(pointer, sizeof pointer, "/slo/%s", name);
	failure_add(failure, pointer, "infeasible", "no configuration found keeps %.4g ms; %.4g ms is the least that one keeps",
		limit_s * milliseconds_per_second, reached_s * margin * milliseconds_per_second);
}

/* A lower confidence at which the nearest fleet is possible, as the end of a sentence; empty if there is none. */
struct lower_confidence {
	char text[160];
};

static struct lower_confidence lower_confidence_of(
	const struct model *model, const struct fleet *nearest, const struct demand *demand, const struct fleet_limits *limits)
{
	struct lower_confidence lower = {""};
	struct service_confidence highest;

	if (!service_highest_confidence(model, nearest, demand, limits, &highest))
		return lower;
	if (is_given(demand->requests_per_s))
		snprintf(lower.text, sizeof lower.text, "; by formulas the highest confidence that it can be kept with is %.2f, with %lld x %s",
			floor(highest.confidence * 100) / 100, (long long)highest.gpu_count, nearest->candidate->accelerator.id);
	else
		snprintf(lower.text, sizeof lower.text, "; by formulas the highest confidence that any load can be kept with is %.2f",
			floor(highest.confidence * 100) / 100);
	return lower;
}

static enum status fail_latency(const struct model *model, const struct fleet *nearest, const struct demand *demand,
	const struct fleet_limits *limits, struct failure *failure)
{
	const struct promise *promise = &demand->promise;
	struct lower_confidence lower = lower_confidence_of(model, nearest, demand, limits);
	struct reached reached = reached_of(nearest);
	const char *how = nearest->trial ? "simulated, upper ends of the 95 % confidence intervals"
		: nearest->gpu_count > 0     ? "of the accelerators given"
									 : "nearly idle";
	enum status status = failure_set(failure, STATUS_INFEASIBLE,
		"no configuration keeps the slo at percentile %g; the nearest is %s x %lld a replica, %s: ttft %.1f "
		"ms%s, tpot %.2f ms%s, e2e %.0f ms%s, with confidence %.2g%s",
		promise->percentile * 100, nearest->candidate->accelerator.id, (long long)nearest->gpus_per_replica, how,
		reached.ttft_s * milliseconds_per_second, reached.ttft_s > promise->ttft_s ? " (over)" : "",
		reached.tpot_s * milliseconds_per_second, reached.tpot_s > promise->tpot_s ? " (over)" : "",
		reached.e2e_s * milliseconds_per_second, reached.e2e_s > promise->e2e_s ? " (over)" : "", limits->assurance.confidence, lower.text);

	limit_fault(failure, "ttft_ms", promise->ttft_s, reached.ttft_s);
	limit_fault(failure, "tpot_ms", promise->tpot_s, reached.tpot_s);
	limit_fault(failure, "e2e_ms", promise->e2e_s, reached.e2e_s);
	return status;
}

/* Fails because there are too few accelerators for one replica and the spare ones, or for the load. */
static enum status fail_count(const struct model *model, const struct fleet *nearest, const struct demand *demand,
	const struct fleet_limits *limits, struct failure *failure)
{
	struct lower_confidence lower;
	double held;
	int64_t each = nearest->gpus_per_replica, spare = demand->spare_replicas, least = (demand->disaggregated ? 2 : 1) + spare;
	int64_t needed = least * each;
	const char *name = nearest->candidate->accelerator.id;

	if (limits->gpu_count < 1)
		return failure_set(failure, STATUS_INFEASIBLE,
			"a million replicas do not carry the load; one of %lld x %s carries %.3g requests/s. Lower the load", (long long)each, name,
			nearest->replica_requests_per_s);
	if (limits->gpu_count < needed) {
		enum status status = failure_set(failure, STATUS_INFEASIBLE,
			"%lld x %s are too few: the plan needs at least %lld replica%s of %lld (%lld spare%s). Set gpu_count to %lld or more",
			(long long)limits->gpu_count, name, (long long)least, least == 1 ? "" : "s", (long long)each, (long long)spare,
			demand->disaggregated ? ", prompts and answers on separate replicas" : "", (long long)needed);

		failure_add(failure, "/gpu_count", "infeasible", "%s", failure->detail);
		return status;
	}
	lower = lower_confidence_of(model, nearest, demand, limits);
	held = given_or(nearest->requests_per_s_max, nearest->requests_per_s);
	if (limits->request && is_given(limits->request->queries_per_minute))
		failure_add(failure, "/queries_per_minute", "infeasible", "%.4g is more than the accelerators carry; %.4g is the most",
			limits->request->queries_per_minute, floor(limits->request->queries_per_minute * held / demand->requests_per_s * 10) / 10);
	else if (limits->request && is_given(limits->request->requests_per_s))
		failure_add(failure, "/requests_per_s", "infeasible", "%.4g is more than the accelerators carry; %.4g is the most",
			demand->requests_per_s, held);
	return failure_set(failure, STATUS_INFEASIBLE,
		"%lld x %s are %lld replica%s of %lld (%lld spare): they carry %.3g requests/s within headroom and slo; the request is for %.3g. "
		"Lower the load or the redundancy, or raise gpu_count%s",
		(long long)limits->gpu_count, name, (long long)nearest->replicas, nearest->replicas == 1 ? "" : "s", (long long)each,
		(long long)spare, held, demand->requests_per_s, lower.text);
}

/* Adds a fault with the least cap that the nearest fleet keeps with the request's confidence. */
static void cap_fault(struct failure *failure, const char *pointer, double cap, double reached, const char *unit)
{
	if (is_given(cap) && !(reached <= cap))
		failure_add(failure, pointer, "infeasible", "no fleet found takes %.6g %s a month or less; %.6g %s is the least", cap, unit,
			ceil(reached), unit);
}

static enum status fail_caps(const struct fleet *nearest, const struct fleet_limits *limits, struct failure *failure)
{
	const struct candidate had = fleet_candidate(nearest);
	double z = limits->assurance.z, usd = nearest->usd_per_hour * HOURS_PER_MONTH * exp(z * nearest->usd_log_sigma);
	double kgco2e = nearest->kgco2e_per_month * exp(z * nearest->kgco2e_log_sigma),
		   kwh = nearest->kwh_per_month * exp(z * nearest->kwh_log_sigma);
	char money[32] = "";
	enum status status;

	if (is_given(limits->usd_cap_per_month) && !is_given(usd)) {
		status = failure_set(failure, STATUS_INFEASIBLE,
			"no price is known for %s, so a budget cannot be checked. Give pricing.usd_per_gpu_hour", nearest->candidate->accelerator.id);
		failure_add(failure, "/budget_usd_per_month", "no_offer", "%s", failure->detail);
		return status;
	}
	if (is_given(usd))
		snprintf(money, sizeof money, "%.0f USD, ", ceil(usd));
	status = failure_set(failure, STATUS_INFEASIBLE,
		"no fleet keeps the caps with a confidence of %.3g; the nearest, %lld x %s%s%s%s%s, needs %s%.0f kgCO2e and %.0f kWh a month. Raise the cap, lower the confidence or the load",
		limits->assurance.confidence, (long long)nearest->gpu_count, nearest->candidate->accelerator.id, had.has_offer ? " of " : "",
		had.has_offer ? had.offer.provider : "", had.has_offer && had.offer.region ? " in " : "",
		had.has_offer && had.offer.region ? had.offer.region : "", money, ceil(kgco2e), ceil(kwh));
	cap_fault(failure, "/budget_usd_per_month", limits->usd_cap_per_month, usd, "USD");
	cap_fault(failure, "/carbon_cap_kgco2e", limits->kgco2e_cap_per_month, kgco2e, "kgCO2e");
	cap_fault(failure, "/energy_cap_kwh", limits->kwh_cap_per_month, kwh, "kWh");
	return status;
}

enum status shortfall_fail(const struct shortfall *shortfall, const struct model *model, const struct demand *demand,
	const struct fleet_limits *limits, struct failure *failure)
{
	const struct fleet *nearest = &shortfall->nearest;
	double context_tokens = demand->shape.prompt_tokens + demand->shape.output_tokens;

	if (!shortfall->any)
		return failure_set(failure, STATUS_INFEASIBLE, "no accelerator was given or found");
	switch (shortfall->verdict) {
	case FLEET_OK:
		return fail_caps(nearest, limits, failure);
	case FLEET_LATENCY:
		return fail_latency(model, nearest, demand, limits, failure);
	case FLEET_COUNT:
		return fail_count(model, nearest, demand, limits, failure);
	case FLEET_MEMORY:
		return infeasible_memory(model, nearest->candidate, &nearest->layout, context_tokens, failure);
	case FLEET_LAYOUT:
		break;
	}
	failure_add(failure, "/parallelism", "impossible_layout",
		"this layout is impossible: tensor may be at most the attention heads, pipeline at most the layers (%d), and expert must "
		"divide tensor x attention_data",
		model->layer_count);
	return failure->status;
}
