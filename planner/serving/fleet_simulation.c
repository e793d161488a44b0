#include "planner/serving/fleet_simulation.h"

#include "planner/serving/disaggregated.h"
#include "planner/serving/fleet_cost.h"

/* Work of a plan: about half a second of one core; twice that with shared prefixes, where formulas are least accurate.
 * The work for a trace grows with its length, so that it can be replayed some times. */
static const double work_of_a_plan = 3e6, work_with_prefixes = 6e6, work_of_a_row = 50;

/* Not all of many equal replicas are simulated: at most this number, with their share of the load. */
static const double replicas_simulated_max = 16, in_flight_wanted = 1500, trace_replicas_max = 64;
static const double requests_least = 2000, requests_most = 20000, warmup_least = 200, requests_of_a_day_max = 350000;
static const double requests_beyond = 20; /* requests of a run beyond the promised percentile; fewer do not give a percentile */
#define SIZING_SHARE 0.05                 /* part of the progress for sizing by formulas; the rest is for simulation */
/* Few repetitions make wide intervals. The load that they find is lower by at most this factor. */
static const double rate_closeness = 1.08;

enum { REPLICAS_TRIED_FACTOR = 8, RATE_ROUNDS = 12, RATE_REPLICATIONS = 4, DAY_REPLICATIONS = 2, SEED = 1, WORKSPACE_SEQUENCES = 4096 };

/* One fleet that is simulated. */
struct subject {
	struct replica replica;       /* with the fleet's allowance */
	struct promise promise;       /* with the allowance of latencies */
	struct engine_setting engine; /* borrows the replica */
	double response_s;            /* approximate time of a request; it decides the length of a run */
	double handoff_token_s;       /* with separate replicas for prompts */
	double usable_requests_per_s; /* of a replica: saturation less headroom */
	int64_t replications_max;     /* of a trial */
	bool ends;                    /* E203: the run ends with the trace, and all waiting requests are served */
};

size_t simulator_workspace_bytes(void)
{
	struct engine_setting engine = {.sequences_maximum = WORKSPACE_SEQUENCES, .prefix_count = SHARED_PREFIXES_MAX};
	struct simulation_setting setting = {
		.engine = &engine, .replicas = (int64_t)trace_replicas_max, .prefill = &engine, .prefill_replicas = 1};

	return simulation_workspace_bytes(&setting);
}

void simulator_start(
	struct simulator *simulator, const struct inference_input *input, const struct demand *demand, const struct fleet_limits *limits)
{
	double rows = (double)input->request.trace.count, least = demand->prefix_count > 0 ? work_with_prefixes : work_of_a_plan;
	int64_t work = (int64_t)fmax(least, work_of_a_row * rows);
	int64_t later = SIMULATOR_FRONT_WORK +
		(limits->assurance.z > 0 || limits->assurance.log_slow > 0 ? SIMULATOR_OBSERVED_MOST * SIMULATOR_OBSERVED_WORK : 0) +
		(input->request.daily_profile.count > 0 ? SIMULATOR_SCHEDULE_WORK + SIMULATOR_DAY_WORK : 0) +
		(input->request.common.alternatives != 0 ? SIMULATOR_ADVICE_WORK : 0);

	*simulator = (struct simulator){.input = input,
		.demand = demand,
		.limits = limits,
		.workspace = input->workspace,
		.workspace_bytes = input->workspace_bytes,
		.work = work + later,
		.work_later = later,
		.work_left = work};
}

bool simulator_can(const struct simulator *simulator)
{
	return simulator->workspace && simulator->count < FLEET_SIMULATIONS_MAX && simulator->work_left > 0;
}

static struct token_source token_source(const struct token_distribution *distribution, double mean, double cv)
{
	return (struct token_source){.samples = distribution->samples.items, .sample_count = distribution->samples.count, .mean = mean, .cv = cv};
}

/* Returns the demand's traffic at a rate. */
static struct traffic_plan traffic_at(const struct simulator *simulator, double requests_per_s)
{
	const struct inference_request *request = &simulator->input->request;
	const struct demand *demand = simulator->demand;
	const struct request_shape *shape = &demand->shape;

	return (struct traffic_plan){.trace = request->trace.arrivals,
		.trace_count = request->trace.count,
		.trace_pace = request->trace.count > 0 && is_given(demand->requests_per_s) ? requests_per_s / demand->requests_per_s : 1,
		.requests_per_s = requests_per_s,
		.gap_cv = demand->arrival_cv,
		.pieces = demand->pieces,
		.piece_count = demand->piece_count,
		.first_piece = demand->busiest_piece, /* the warm-up is in it; a long one is the only piece in the counted requests */
		.piece_peak = demand->piece_count > 0 ? demand->pieces[demand->busiest_piece].requests_per_s : 1,
		.first_share = demand->first_share,
		.prefix_count = demand->prefix_count,
		.prompt = token_source(&request->prompt_tokens, shape->prompt_tokens, shape->prompt_cv),
		.output = token_source(&request->output_tokens, shape->output_tokens, shape->output_cv)};
}

/* Numbers of replicas: those that decode, and those for prompts only (0: every replica does both). */
struct pools {
	double decode, prefill;
};

/* Returns the part of the replicas that is simulated. It fits into the workspace. */
static struct pools pools_simulated(
	const struct simulator *simulator, const struct subject *subject, const struct pools *pools, double in_flight)
{
	double active = pools->decode + pools->prefill;
	double most = simulator->input->request.trace.count > 0
		? trace_replicas_max
		: fmin(fmax(ceil(in_flight_wanted * active / fmax(in_flight, 1)), 2), replicas_simulated_max);
	double part = fmin(most / active, 1);

	for (;; part /= 2) {
		struct pools some = {fmax(rint(pools->decode * part), 1), pools->prefill > 0 ? fmax(rint(pools->prefill * part), 1) : 0};
		struct simulation_setting setting = {.engine = &subject->engine,
			.replicas = (int64_t)some.decode,
			.prefill = some.prefill > 0 ? &subject->engine : NULL,
			.prefill_replicas = (int64_t)some.prefill,
			.requests = (int64_t)simulator->input->request.trace.count,
			.ends = subject->ends};

		if (simulation_workspace_bytes(&setting) <= simulator->workspace_bytes)
			return some;
		CHECK(some.decode > 1 || some.prefill > 1);
	}
}

/* Returns the number of requests of one round of the pieces. */
static double round_requests(const struct demand *demand)
{
	double requests = 0;

	for (size_t i = 0; i < demand->piece_count; i++)
		requests += demand->pieces[i].duration_s * demand->pieces[i].requests_per_s;
	return requests;
}

/* Runs one trial of a number of replicas. requests_per_s: of all of them together. True if the promise is kept. */
static bool kept_in_trial(
	struct simulator *simulator, const struct subject *subject, struct pools pools, double requests_per_s, struct trial *trial)
{
	double in_flight = requests_per_s * subject->response_s;
	struct pools simulated = pools_simulated(simulator, subject, &pools, in_flight);
	double share = pools.prefill > 0 ? fmin(simulated.decode / pools.decode, simulated.prefill / pools.prefill)
									 : simulated.decode / pools.decode,
		   inside = in_flight * share;
	struct traffic_plan traffic = traffic_at(simulator, requests_per_s * share);
	double tail = requests_beyond / (1 - subject->promise.percentile);
	double counted = fmax(fmax(requests_least, tail), fmax(2 * inside, round_requests(simulator->demand) * share));
	struct engine_setting engine = subject->engine;
	bool replay = traffic.trace_count > 0;
	struct trial_setting setting = {.promise = subject->promise,
		.work = simulator->work_left,
		.replications_max = replay ? 1 : subject->replications_max,
		.run = {.engine = &engine,
			.replicas = (int64_t)simulated.decode,
			.prefill = pools.prefill > 0 ? &engine : NULL,
			.prefill_replicas = (int64_t)simulated.prefill,
			.handoff_s = handoff_s,
			.handoff_token_s = subject->handoff_token_s,
			.routing = simulator->demand->routing,
			.front_end_s = subject->replica.front_end_factor * subject->replica.host.first_token_s,
			.traffic = &traffic,
			.ends = subject->ends && replay,
			.warmup_requests = replay ? 0 : (int64_t)fmin(warmup_least + 2 * inside, requests_most),
			.requests = replay ? (int64_t)traffic.trace_count : (int64_t)fmin(counted, requests_most),
			.seed = SEED,
			.progress = simulator->input->progress}};

	/* With prefix-aware routing a part of the replicas has its part of the prefixes. */
	if (simulator->demand->routing == ROUTING_PREFIX_AWARE && traffic.prefix_count > 0)
		engine.prefix_count = traffic.prefix_count = (int32_t)fmax(rint(traffic.prefix_count * share), 1);
	trial_run(&setting, simulator->workspace, trial);
	trial->seed = SEED;
	trial->warmup_requests = setting.run.warmup_requests;
	simulator->work_left -= trial->work;
	if (!simulator->again)
		progress_note(simulator->input->progress,
			SIZING_SHARE + (1 - SIZING_SHARE) * (1 - (double)(simulator->work_left + simulator->work_later) / (double)simulator->work),
			"simulating fleets");
	return trial->kept && !trial->saturated && !trial->exhausted;
}

/* Returns the fewest replicas (>= `least`) that keep the promise. The search begins at `first`. ABSENT_NUMBER: no
 * number keeps it. */
static double fewest_replicas(struct simulator *simulator, const struct subject *subject, double least, double first, struct trial *kept)
{
	double rate = simulator->demand->requests_per_s, low, high = first, most = first * REPLICAS_TRIED_FACTOR + 8;
	struct trial tried;

	if (kept_in_trial(simulator, subject, (struct pools){first, 0}, rate, kept)) {
		low = least - 1;
	} else {
		do {
			low = high;
			high = ceil(high * 1.25);
			if (low >= most || simulator->work_left <= 0)
				return ABSENT_NUMBER;
		} while (!kept_in_trial(simulator, subject, (struct pools){high, 0}, rate, kept));
	}
	while (high - low > 1 && simulator->work_left > 0) {
		double middle = floor((low + high) / 2);

		if (kept_in_trial(simulator, subject, (struct pools){middle, 0}, rate, &tried)) {
			high = middle;
			*kept = tried;
		} else {
			low = middle;
		}
	}
	return high;
}

static bool is_over(const struct trial_estimate *estimate, double limit_s, double log_factor)
{
	return (estimate->mean_s + estimate->half_width_s) * exp(log_factor) > limit_s;
}

/* Adds replicas of the kind that is late, from the fewest that carry the load, until the promise is kept. */
static bool enough_apart(struct simulator *simulator, const struct subject *subject, struct pools *pools, struct trial *kept)
{
	const struct promise *promise = &subject->promise;
	double most = (pools->decode + pools->prefill) * REPLICAS_TRIED_FACTOR + 8;

	while (!kept_in_trial(simulator, subject, *pools, simulator->demand->requests_per_s, kept)) {
		bool late_start = kept->saturated || is_over(&kept->ttft.promised, promise->ttft_s, promise->log_ttft);
		bool late_tokens = kept->saturated || is_over(&kept->tpot.promised, promise->tpot_s, promise->log_tpot) || !late_start;

		if (pools->decode + pools->prefill >= most || simulator->work_left <= 0)
			return false;
		pools->prefill = late_start ? floor(pools->prefill * 1.1) + 1 : pools->prefill;
		pools->decode = late_tokens ? floor(pools->decode * 1.1) + 1 : pools->decode;
	}
	return true;
}

/* Returns the largest load above `held` and up to `most` that a number of replicas carries, else `held`. The search
 * begins at `first`. Loads are tried in steps of the third digit of `most`: a simulation hardly distinguishes finer
 * ones, and a request with a round load gets that load back. */
static double largest_rate(struct simulator *simulator, const struct subject *subject, struct pools pools, double held, double first,
	double most, struct trial *kept)
{
	double scale = pow(10, 2 - floor(log10(most))), highest = floor(most * scale * (1 + 1e-12));
	double low = floor(held * scale), high = highest + 1, tried = fmin(fmax(floor(first * scale), low + 1), highest);
	struct trial trial;
	bool any = false;

	for (int round = 0; round < RATE_ROUNDS && high - low > 1 && simulator->work_left > 0; round++) {
		if (kept_in_trial(simulator, subject, pools, tried / scale, &trial)) {
			low = tried;
			*kept = trial;
			any = true;
			tried = round == 0 ? highest : floor((low + high) / 2);
		} else {
			high = tried;
			tried = floor((low + high) / 2);
			if (!any)
				*kept = trial; /* the latencies of the failed load */
		}
	}
	return fmax(low / scale, held);
}

static void latencies_take_over(struct fleet *fleet, const struct subject *subject, const struct trial *trial)
{
	fleet->trial = trial;
	fleet->planned = NULL;
	fleet->ttft_s = trial->ttft.promised.mean_s * exp(subject->promise.log_ttft);
	fleet->tpot_s = trial->tpot.promised.mean_s * exp(subject->promise.log_tpot);
	fleet->e2e_s = promise_e2e_s(&subject->promise, trial->ttft.promised.mean_s, trial->e2e.promised.mean_s);
	fleet->promise_kept = trial->kept;
}

static void subject_prepare(const struct simulator *simulator, const struct fleet *fleet, enum replica_speed speed, struct subject *subject)
{
	bool possible = fleet_replica(
		&simulator->input->model, fleet->candidate, &fleet->layout, simulator->demand, simulator->limits, speed, &subject->replica);

	CHECK(possible && fleet->verdict == FLEET_OK);
	subject->promise = speed == REPLICA_SURE ? fleet_sure_demand(simulator->demand, &fleet->allowance).promise : simulator->demand->promise;
	engine_setting_of(&subject->engine, &subject->replica, &simulator->demand->shape);
	subject->engine.prefix_count = simulator->demand->prefix_count;
	subject->engine.prefix_tokens = simulator->demand->prefix_tokens;
	subject->handoff_token_s = handoff_token_s(&subject->replica, fleet->candidate);
	subject->response_s = fleet->e2e_s;
	subject->ends = false;
	subject->replications_max = TRIAL_REPLICATIONS_MAX;
	subject->usable_requests_per_s = fleet->replica_requests_per_s / fleet->allowance.slow * (1 - simulator->demand->headroom);
}

static struct pools pools_of(const struct simulator *simulator, const struct fleet *fleet)
{
	double active = fleet_active_replicas(fleet, simulator->demand), prefill = (double)fleet->prefill_replicas;

	return (struct pools){active - prefill, prefill};
}

void simulator_more(struct simulator *simulator, int64_t work)
{
	if (progress_stopped(simulator->input->progress))
		return;
	work = work < simulator->work_later ? work : simulator->work_later;
	simulator->work_later -= work;
	simulator->work_left += work;
}

bool simulator_keeps(struct simulator *simulator, const struct fleet *fleet, double decode, double prefill, double requests_per_s)
{
	struct subject subject;
	struct trial ignored;

	if (simulator->work_left <= 0)
		return false;
	subject_prepare(simulator, fleet, REPLICA_SURE, &subject);
	return kept_in_trial(simulator, &subject, (struct pools){decode, prefill}, requests_per_s, &ignored);
}

static bool is_kept(double latency_s, double limit_s)
{
	return !(latency_s > limit_s);
}

void simulator_observe(struct simulator *simulator, struct fleet *fleet)
{
	struct subject subject;
	struct trial *trial;

	if (!fleet->trial || !(fleet->allowance.slow > 1) || simulator->count >= FLEET_SIMULATIONS_MAX)
		return;
	simulator_more(simulator, SIMULATOR_OBSERVED_WORK);
	if (simulator->work_left <= 0)
		return;
	subject_prepare(simulator, fleet, REPLICA_PLANNED, &subject);
	subject.replications_max = RATE_REPLICATIONS;
	subject.ends = fleet->overloaded;
	trial = &simulator->trials[simulator->count++];
	kept_in_trial(simulator, &subject, pools_of(simulator, fleet),
		fleet->overloaded ? simulator->demand->requests_per_s : fleet->requests_per_s, trial);
	if (!trial->saturated && !trial->exhausted)
		fleet->planned = trial;
}

bool simulator_day(struct simulator *simulator, const struct fleet *fleet, const struct day *day, struct trial *trial)
{
	struct traffic_plan traffic = traffic_at(simulator, 1);
	struct trial_setting setting = {.work = simulator->work_left, .replications_max = DAY_REPLICATIONS};
	const struct promise *promise = &setting.promise;
	double requests = 0;
	struct subject subject;

	subject_prepare(simulator, fleet, REPLICA_SURE, &subject);
	setting.promise = subject.promise;
	traffic.trace_count = 0; /* only lengths and gaps of the trace count; its hours belong to another day */
	traffic.pieces = day->pieces;
	traffic.piece_count = day->piece_count;
	traffic.piece_peak = 1;
	traffic.first_piece = 0;
	for (size_t i = 0; i < day->piece_count; i++)
		requests += day->pieces[i].duration_s * day->pieces[i].requests_per_s;
	setting.run = (struct simulation_setting){.engine = &subject.engine,
		.replicas = (int64_t)day->most_replicas,
		.routing = simulator->demand->routing,
		.changes = day->changes,
		.change_count = day->change_count,
		.startup_s = day->startup_s,
		.cold_only = day->cold_only,
		.front_end_s = subject.replica.front_end_factor * subject.replica.host.first_token_s,
		.traffic = &traffic,
		.requests = (int64_t)requests,
		.seed = SEED,
		.progress = simulator->input->progress};
	if (!(requests >= 1 && requests <= requests_of_a_day_max) || simulator->work_left <= 0 || day->most_replicas > trace_replicas_max ||
		simulation_workspace_bytes(&setting.run) > simulator->workspace_bytes)
		return false;
	trial_run(&setting, simulator->workspace, trial);
	simulator->work_left -= trial->work;
	trial->kept = !trial->saturated && is_kept(trial->ttft.promised.mean_s * exp(promise->log_ttft), promise->ttft_s) &&
		is_kept(trial->tpot.promised.mean_s * exp(promise->log_tpot), promise->tpot_s) &&
		is_kept(promise_e2e_s(promise, trial->ttft.promised.mean_s, trial->e2e.promised.mean_s), promise->e2e_s);
	return !trial->exhausted;
}

/* The result does not depend on the given load, so that it is a property of the fleet. */
double simulator_most_requests_per_s(struct simulator *simulator, const struct fleet *fleet, bool careful)
{
	struct pools pools = pools_of(simulator, fleet);
	struct demand sure = fleet_sure_demand(simulator->demand, &fleet->allowance);
	double active = pools.decode + pools.prefill, most, first, held;
	struct subject subject;
	struct trial ignored;

	subject_prepare(simulator, fleet, REPLICA_SURE, &subject);
	most = subject.usable_requests_per_s * active;
	first = fmin(most, fleet_requests_per_s_max(&subject.replica, &sure, active));
	subject.response_s = fleet_response_s(&subject.replica, &sure, active, first);
	subject.replications_max = RATE_REPLICATIONS; /* the search is accurate to a few per cent, so few repetitions are enough */
	held = largest_rate(simulator, &subject, pools, 0, first, most, &ignored);
	if (held > 0 && careful) { /* with as many repetitions as for a given load */
		subject.replications_max = TRIAL_REPLICATIONS_MAX;
		held = largest_rate(
			simulator, &subject, pools, held, held * rate_closeness, fmin(most, held * rate_closeness * rate_closeness), &ignored);
	}
	return simulator->work_left > 0 ? held : ABSENT_NUMBER;
}

void simulator_find_most(struct simulator *simulator, struct fleet *fleet, bool careful)
{
	if (fleet->trial && !is_given(fleet->requests_per_s_max) && simulator->work_left > 0)
		fleet->requests_per_s_max = simulator_most_requests_per_s(simulator, fleet, careful);
}

void simulator_prove_beyond(struct simulator *simulator, struct fleet *fleet, double requests_per_s)
{
	const struct demand *demand = simulator->demand;
	const struct fleet_limits *limits = simulator->limits;
	struct trial *trial = &simulator->trials[simulator->count++];
	struct pools pools = pools_of(simulator, fleet);
	double active = pools.decode + pools.prefill, usable;
	struct fleet by_formulas = *fleet;
	struct subject subject;

	subject_prepare(simulator, fleet, REPLICA_SURE, &subject);
	subject.ends = fleet->overloaded;
	usable = subject.usable_requests_per_s;
	if (limits->gpu_count > 0 && is_given(demand->requests_per_s)) {
		struct demand sure = fleet_sure_demand(demand, &fleet->allowance);

		if (fleet->capacity_requests_per_s > 0) /* the same length of run as for the largest load */
			subject.response_s = fleet_response_s(&subject.replica, &sure, active, fleet->capacity_requests_per_s);
		if (!kept_in_trial(simulator, &subject, pools, demand->requests_per_s, trial))
			fleet->verdict = fleet->capacity_requests_per_s > 0 ? FLEET_COUNT : FLEET_LATENCY; /* COUNT: the fleet carries a smaller load */
	} else if (limits->gpu_count > 0) {
		fleet->requests_per_s = largest_rate(simulator, &subject, pools, requests_per_s,
			requests_per_s > 0 ? requests_per_s : fleet->requests_per_s, usable * active, trial);
		fleet->requests_per_s_max = fleet->requests_per_s;
		if (!(fleet->requests_per_s > requests_per_s))
			fleet->verdict = FLEET_LATENCY;
	} else if (pools.prefill > 0) {
		if (enough_apart(simulator, &subject, &pools, trial)) {
			fleet->prefill_replicas = (int64_t)pools.prefill;
			fleet_settle(fleet, demand, pools.prefill + pools.decode);
		} else {
			fleet->verdict = FLEET_LATENCY;
		}
	} else {
		double least = fmax(1, ceil(demand->requests_per_s / usable * (1 - 1e-9)));

		active = fewest_replicas(simulator, &subject, least, active, trial);
		if (is_given(active)) {
			fleet_settle(fleet, demand, active);
		} else {
			fleet->verdict = FLEET_LATENCY;
		}
	}
	if (fleet->verdict != FLEET_OK && simulator->work_left <= 0) {
		*fleet = by_formulas; /* the work was used up; the fleet has not failed */
		return;
	}
	latencies_take_over(fleet, &subject, trial);
	if (fleet->verdict != FLEET_OK)
		return;
	replica_slow(&subject.replica, exp(limits->assurance.log_slow) / fleet->allowance.slow);
	fleet_value(fleet, &subject.replica, demand, limits);
}

void simulator_run(struct simulator *simulator, struct fleet *fleet)
{
	simulator_prove_beyond(simulator, fleet, 0);
}
