#include "planner/serving/promises.h"

#include <string.h>

#include "base/units.h"
#include "planner/footprint/cost.h"
#include "planner/queueing/trial.h"
#include "planner/serving/fleet_cost.h"

static const double milliseconds_per_second = 1000, z_most = 3.5;
enum { PROMISE_ROUNDS = 14, CONFIDENCE_ROUNDS = 8 };

static double probability_of(double z)
{
	return 0.5 * erfc(-z * sqrt(0.5));
}

/* A fleet whose replicas are as slow as at some quantile of their speed. */
struct prospect {
	const struct fleet *fleet;
	const struct demand *demand;
	struct assurance assurance;
	struct residuals residuals;
	struct replica planned;
	double active;
	double ttft, tpot, e2e; /* simulated latencies over those by formulas */
};

/* Computes the latencies at the slo's percentile that are not exceeded with the probability of z. False: the load then
 * exceeds the capacity of the replicas. */
static bool latencies_at(const struct prospect *prospect, double z, double *ttft_s, double *tpot_s, double *e2e_s)
{
	struct assurance assurance = prospect->assurance;
	struct replica replica = prospect->planned;
	struct allowance allowance;
	struct latency_model model;
	struct promise promise;
	double share = prospect->demand->promise.percentile, first_s;

	assurance.z = z;
	allowance = allowance_of(&assurance, &prospect->residuals);
	promise = fleet_sure_demand(prospect->demand, &allowance).promise;
	replica_slow(&replica, allowance.slow);
	if (!latency_prepare(&replica, prospect->demand, prospect->active, prospect->fleet->requests_per_s, &model))
		return false;
	first_s = latency_quantile_s(&model, LATENCY_TTFT, share);
	*ttft_s = prospect->ttft * first_s * exp(promise.log_ttft);
	*tpot_s = prospect->tpot * latency_quantile_s(&model, LATENCY_TPOT, share) * exp(promise.log_tpot);
	*e2e_s = prospect->e2e * promise_e2e_s(&promise, first_s, latency_quantile_s(&model, LATENCY_E2E, share));
	return true;
}

static double upper_s(double judged_s, const struct trial_estimate *estimate)
{
	return estimate->mean_s > 0 ? judged_s * (1 + estimate->half_width_s / estimate->mean_s) : judged_s;
}

/* Prepares the prospect. False where formulas have no latencies: with separate replicas for prompts, or if the load
 * exceeds the capacity by formulas. */
static bool prospect_prepare(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct prospect *prospect)
{
	double ttft_s, tpot_s, e2e_s;
	bool possible;

	*prospect = (struct prospect){.fleet = fleet,
		.demand = demand,
		.assurance = limits->assurance,
		.residuals = fleet_residuals(&input->model, fleet->candidate, &fleet->layout, limits),
		.active = fleet_active_replicas(fleet, demand),
		.ttft = 1,
		.tpot = 1,
		.e2e = 1};
	possible = fleet_replica(&input->model, fleet->candidate, &fleet->layout, demand, limits, REPLICA_PLANNED, &prospect->planned);
	CHECK(possible);
	if (fleet->prefill_replicas > 0 || !latencies_at(prospect, limits->assurance.z, &ttft_s, &tpot_s, &e2e_s))
		return false;
	if (fleet->trial) {
		prospect->ttft = upper_s(fleet->ttft_s, &fleet->trial->ttft.promised) / ttft_s;
		prospect->tpot = upper_s(fleet->tpot_s, &fleet->trial->tpot.promised) / tpot_s;
		prospect->e2e = upper_s(fleet->e2e_s, &fleet->trial->e2e.promised) / e2e_s;
	}
	return true;
}

enum member { MEMBER_TTFT, MEMBER_TPOT, MEMBER_E2E, MEMBER_COUNT };

static bool member_kept(const struct prospect *prospect, double z, enum member member, double limit_s)
{
	double latencies_s[MEMBER_COUNT];

	return latencies_at(prospect, z, &latencies_s[MEMBER_TTFT], &latencies_s[MEMBER_TPOT], &latencies_s[MEMBER_E2E]) &&
		latencies_s[member] <= limit_s;
}

/* Returns the probability of a limit: that of the quantile up to which it is kept, because slower replicas have longer
 * latencies. The result of the simulation decides over formulas: a kept promise has at least the request's
 * confidence. */
static double member_probability(const struct prospect *prospect, enum member member, double limit_s)
{
	double z = prospect->assurance.z, low = prospect->fleet->promise_kept ? z : -z_most,
		   high = prospect->fleet->promise_kept ? fmax(z_most, z) : z;

	for (int round = 0; round < PROMISE_ROUNDS; round++) {
		double middle = (low + high) / 2;

		if (member_kept(prospect, middle, member, limit_s))
			low = middle;
		else
			high = middle;
	}
	return low > z ? probability_of(low) : prospect->fleet->promise_kept ? prospect->assurance.confidence : probability_of(low);
}

/* Returns the probability that the fleet carries the load. Its capacity is in proportion to the inverse of the step
 * time. */
static double load_probability(const struct prospect *prospect, double headroom)
{
	const struct assurance *assurance = &prospect->assurance;
	double wanted = prospect->fleet->overloaded ? prospect->demand->requests_per_s : prospect->fleet->requests_per_s;
	double spare = log(prospect->fleet->replica_requests_per_s * prospect->active * (1 - headroom) / wanted) - assurance->log_slow;
	double sigma = interval_joint_sigma(prospect->residuals.throughput, spare < 0 ? assurance->practice.low : assurance->practice.high);

	if (sigma <= 0)
		return spare >= -1e-9 ? 1 : 0;
	return fmax(probability_of(spare / sigma), prospect->fleet->promise_kept && !prospect->fleet->overloaded ? assurance->confidence : 0);
}

/* Returns the probability that a figure is within its cap. Both are positive. */
static double cap_probability(const struct assurance *assurance, double figure, double log_sigma, double cap)
{
	if (!is_given(figure))
		return 0;
	if (log_sigma <= 0)
		return figure <= cap ? 1 : 0;
	return fmax(probability_of(log(cap / figure) / log_sigma), figure * exp(assurance->z * log_sigma) <= cap ? assurance->confidence : 0);
}

size_t service_promises(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct service_promise *promises)
{
	static const char *const members[MEMBER_COUNT] = {"ttft_ms", "tpot_ms", "e2e_ms"};
	const double limits_s[MEMBER_COUNT] = {demand->promise.ttft_s, demand->promise.tpot_s, demand->promise.e2e_s};
	const struct {
		const char *what;
		double figure, log_sigma, cap;
	} caps[] = {
		{"budget", fleet->usd_per_hour * HOURS_PER_MONTH, fleet->usd_log_sigma, limits->usd_cap_per_month},
		{"energy_cap", fleet->kwh_per_month, fleet->kwh_log_sigma, limits->kwh_cap_per_month},
		{"carbon_cap", fleet->kgco2e_per_month, fleet->kgco2e_log_sigma, limits->kgco2e_cap_per_month},
	};
	struct prospect prospect;
	bool known = prospect_prepare(input, fleet, demand, limits, &prospect);
	double own = fleet->promise_kept ? limits->assurance.confidence : 0;
	size_t count = 0;

	promises[count++] = (struct service_promise){
		"load", NULL, fleet->overloaded ? demand->requests_per_s : fleet->requests_per_s, load_probability(&prospect, demand->headroom)};
	for (int member = 0; member < MEMBER_COUNT; member++)
		if (is_given(limits_s[member]))
			promises[count++] = (struct service_promise){"slo", members[member], limits_s[member] * milliseconds_per_second,
				known ? member_probability(&prospect, (enum member)member, limits_s[member]) : own};
	for (size_t i = 0; i < COUNT_OF(caps); i++)
		if (is_given(caps[i].cap))
			promises[count++] = (struct service_promise){
				caps[i].what, NULL, caps[i].cap, cap_probability(&limits->assurance, caps[i].figure, caps[i].log_sigma, caps[i].cap)};
	return count;
}

/* Sizes the fleet's layout by formulas at a quantile, without caps. */
static bool sized_at(const struct model *model, const struct fleet *fleet, const struct demand *demand, const struct fleet_limits *limits,
	double z, struct fleet *sized)
{
	struct fleet_limits other = *limits;

	other.assurance.z = z;
	other.usd_cap_per_month = other.kgco2e_cap_per_month = other.kwh_cap_per_month = ABSENT_NUMBER;
	fleet_size(model, fleet->candidate, &fleet->layout, demand, &other, sized);
	return sized->verdict == FLEET_OK;
}

/* Returns the spread of the cost from the price of the accelerators. Their number is decided. */
static double price_log_sigma(
	const struct inference_input *input, const struct fleet *fleet, const struct demand *demand, const struct fleet_limits *limits)
{
	struct fleet_cost costs;
	struct replica replica;

	if (!is_given(fleet->usd_per_hour) ||
		!fleet_replica(&input->model, fleet->candidate, &fleet->layout, demand, limits, REPLICA_PRACTISED, &replica))
		return 0;
	fleet_cost(fleet, &replica, demand, limits, &costs, NULL);
	return costs.price_known && costs.usd_per_hour > 0 ? costs.accelerators_usd_per_month / (costs.usd_per_hour * HOURS_PER_MONTH) *
			interval_log_sigma(costs.price.low_usd_per_gpu_hour, costs.price.high_usd_per_gpu_hour)
													   : 0;
}

/* Finds the best fleet at another confidence: it searches and simulates as for the request's own, without caps. */
static bool best_at(
	struct search *search, struct simulator *simulator, const struct fleet_limits *limits, double confidence, struct fleet *found)
{
	const struct inference_input *input = search->input;
	struct practice practice = practice_of_service(&input->request);
	struct fleet_limits there = *limits;
	const struct fleet *best;

	there.assurance = assurance_of(confidence, &practice);
	there.usd_cap_per_month = there.kgco2e_cap_per_month = there.kwh_cap_per_month = ABSENT_NUMBER;
	search_start(search, input, search->demand, &there);
	search_all(search);
	simulator_start(simulator, input, search->demand, &there);
	simulator->again = true;
	best = search_best(search, simulator);
	if (best)
		*found = *best;
	search->limits = simulator->limits = limits;
	return best != NULL;
}

static struct service_confidence point_of(const struct fleet *fleet, double confidence, double price_factor)
{
	return (struct service_confidence){
		confidence, fleet->gpu_count, fleet->requests_per_s, fleet->usd_per_hour * HOURS_PER_MONTH * price_factor};
}

/* Fills 50, 80, 95 % and the request's own confidence in ascending order. Returns their number. */
static size_t confidences_of(double own, double confidences[CONFIDENCES_MAX])
{
	static const double usual[] = {0.5, 0.8, 0.95};
	size_t count = 0;
	bool is_in = false;

	for (size_t i = 0; i < COUNT_OF(usual); i++) {
		if (!is_in && own < usual[i])
			confidences[count++] = own;
		is_in |= own <= usual[i];
		confidences[count++] = usual[i];
	}
	if (!is_in)
		confidences[count++] = own;
	return count;
}

size_t service_confidences(struct search *search, struct simulator *simulator, const struct fleet *best, struct service_confidence *points)
{
	const struct fleet_limits *limits = search->limits;
	double own = limits->assurance.confidence, confidences[CONFIDENCES_MAX];
	size_t count = confidences_of(own, confidences), kept = 0;
	const struct fleet recommended = *best; /* best lies in the search, which is searched again */

	for (size_t i = 0; i < count; i++) {
		double by = confidences[i] - own;
		struct fleet there = recommended;

		if ((by < 0 || by > 0) && !best_at(search, simulator, limits, confidences[i], &there))
			continue;
		/* Random differences of simulations are excluded: more confidence is never cheaper, and less is never dearer. */
		if ((by > 0 && search_is_better(search, &there, &recommended)) || (by < 0 && search_is_better(search, &recommended, &there)))
			there = recommended;
		points[kept++] = point_of(
			&there, confidences[i], exp(normal_quantile(confidences[i]) * price_log_sigma(search->input, &there, search->demand, limits)));
	}
	return kept;
}

static void uncertainty_add(struct service_uncertainty *list, size_t *count, struct service_uncertainty entry)
{
	size_t at = *count;

	for (; at > 0 &&
		 (is_given(entry.usd_per_month) ? list[at - 1].usd_per_month < entry.usd_per_month : list[at - 1].gpu_count < entry.gpu_count);
		 at--)
		list[at] = list[at - 1];
	list[at] = entry;
	(*count)++;
}

static const char *cure_of(const char *part)
{
	if (strcmp(part, "release") == 0)
		return "give the release that will run (engine_release)";
	if (strcmp(part, "flags") == 0 || strcmp(part, "tuning") == 0)
		return "measure the engine with the flags that will run, and give throughput_tokens_per_s_per_gpu";
	return "report measurements of your own services (POST /v1/observations)";
}

size_t service_uncertainties(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct service_uncertainty *uncertainties)
{
	struct residuals residuals = fleet_residuals(&input->model, fleet->candidate, &fleet->layout, limits);
	struct practice practice = practice_of_service(&input->request);
	double z = limits->assurance.z, price = price_log_sigma(input, fleet, demand, limits), usd = fleet->usd_per_hour * HOURS_PER_MONTH;
	double all = interval_joint_sigma(residuals.throughput, limits->assurance.practice.high), priced = usd * exp(z * price);
	size_t count = 0;

	if (residuals.throughput > 0) {
		double share = 1 - exp(z * (limits->assurance.practice.high - all));

		uncertainty_add(uncertainties, &count,
			(struct service_uncertainty){"throughput",
				"run a benchmark of the plan on this accelerator (POST /v1/benchmarks with plan_id), or measure throughput_tokens_per_s_per_gpu",
				share * (double)fleet->gpu_count, share * priced});
	}
	for (size_t i = 0; i < practice.part_count; i++) {
		const struct practice_part *part = &practice.parts[i];
		double sigma = spread_of_range(part->low, part->factor, part->high).high,
			   share = 1 - exp(z * (sqrt(fmax(0, all * all - sigma * sigma)) - all));

		if (sigma > 0)
			uncertainty_add(uncertainties, &count,
				(struct service_uncertainty){part->name, cure_of(part->name), share * (double)fleet->gpu_count, share * priced});
	}
	if (price > 0)
		uncertainty_add(uncertainties, &count,
			(struct service_uncertainty){"price", "get a quote and give it as pricing.usd_per_gpu_hour", 0, priced - usd});
	return count;
}

bool service_highest_confidence(const struct model *model, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct service_confidence *highest)
{
	double low = 0, high = limits->assurance.z;
	struct fleet sized, kept;

	if (!(high > 0) || !sized_at(model, fleet, demand, limits, 0, &kept))
		return false;
	for (int round = 0; round < CONFIDENCE_ROUNDS; round++) {
		double middle = (low + high) / 2;

		if (sized_at(model, fleet, demand, limits, middle, &sized)) {
			low = middle;
			kept = sized;
		} else {
			high = middle;
		}
	}
	*highest = (struct service_confidence){probability_of(low), kept.gpu_count, kept.requests_per_s, kept.usd_per_hour * HOURS_PER_MONTH};
	return true;
}
