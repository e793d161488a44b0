#include "planner/replica/demand.h"

#include "base/units.h"

static const double z_p95 = 1.6448536269514722;
static const double default_headroom = 0.1, default_percentile = 95;
static const double seconds_per_minute = 60, milliseconds_per_second = 1000;

struct moments {
	double count, mean, square;
};

static void moments_add(struct moments *moments, double value)
{
	double difference = value - moments->mean;

	moments->count++;
	moments->mean += difference / moments->count;
	moments->square += difference * (value - moments->mean);
}

static double moments_cv(const struct moments *moments)
{
	return moments->count > 1 && moments->mean > 0 ? sqrt(moments->square / moments->count) / moments->mean : 0;
}

bool demand_tokens(const struct token_distribution *distribution, double *mean, double *cv)
{
	struct moments moments = {0};
	double sigma = 0;

	if (distribution->samples.count > 0) {
		for (size_t i = 0; i < distribution->samples.count; i++)
			moments_add(&moments, distribution->samples.items[i]);
		*mean = fmax(moments.mean, 1);
		*cv = moments_cv(&moments);
		return true;
	}
	if (is_given(distribution->cv))
		sigma = sqrt(log1p(distribution->cv * distribution->cv));
	else if (is_given(distribution->p50) && is_given(distribution->p95) && distribution->p50 > 0)
		sigma = fmax(log(distribution->p95 / distribution->p50), 0) / z_p95;
	else if (is_given(distribution->mean) && is_given(distribution->p95) && distribution->p95 > distribution->mean)
		/* ln(p95/mean) = z s - s^2/2; of two roots the smaller one, which is the narrower distribution */
		sigma = z_p95 - sqrt(fmax(z_p95 * z_p95 - 2 * log(distribution->p95 / distribution->mean), 0));
	else if (is_given(distribution->mean) && is_given(distribution->p50) && distribution->p50 > 0)
		sigma = sqrt(2 * fmax(log(distribution->mean / distribution->p50), 0)); /* E138 */
	*cv = sqrt(expm1(sigma * sigma));
	if (is_given(distribution->mean))
		*mean = distribution->mean;
	else if (is_given(distribution->p50))
		*mean = distribution->p50 * exp(sigma * sigma / 2);
	else if (is_given(distribution->p95))
		*mean = distribution->p95 / exp(z_p95 * sigma - sigma * sigma / 2);
	else
		return false;
	*mean = fmax(*mean, 1);
	return true;
}

/* Reads rate, lengths and the gaps' coefficient of variation from a trace. Its arrivals are sorted. */
static void trace_read(const struct request_trace *trace, struct demand *demand)
{
	struct moments prompt = {0}, output = {0}, gaps = {0};
	double span_s = trace->arrivals[trace->count - 1].t_s - trace->arrivals[0].t_s;

	for (size_t i = 0; i < trace->count; i++) {
		moments_add(&prompt, trace->arrivals[i].prompt_tokens);
		moments_add(&output, trace->arrivals[i].output_tokens);
		if (i > 0)
			moments_add(&gaps, trace->arrivals[i].t_s - trace->arrivals[i - 1].t_s);
	}
	demand->shape.prompt_tokens = fmax(prompt.mean, 1);
	demand->shape.prompt_cv = moments_cv(&prompt);
	demand->shape.output_tokens = fmax(output.mean, 1);
	demand->shape.output_cv = moments_cv(&output);
	demand->requests_per_s = span_s > 0 ? gaps.count / span_s : ABSENT_NUMBER;
	demand->arrival_cv = gaps.count > 1 ? moments_cv(&gaps) : 1;
}

/* Reads the pieces of a rate profile. The busiest piece decides the number of replicas, so its rate is the demand's
 * rate. */
static void pieces_read(const struct rate_profile *profile, struct demand *demand, struct failure *failure)
{
	double seconds = 0, requests = 0, peak;

	demand->pieces = profile->items;
	demand->piece_count = profile->count;
	for (size_t i = 0; i < profile->count; i++) {
		seconds += profile->items[i].duration_s;
		requests += profile->items[i].duration_s * profile->items[i].requests_per_s;
		if (profile->items[i].requests_per_s > profile->items[demand->busiest_piece].requests_per_s)
			demand->busiest_piece = i;
	}
	peak = profile->items[demand->busiest_piece].requests_per_s;
	if (!(peak > 0)) {
		failure_add(
			failure, "/rate_profile", "out_of_range", "every piece has requests_per_s 0. Give at least one piece a requests_per_s above 0");
		return;
	}
	demand->requests_per_s = peak;
	demand->mean_load = requests / seconds / peak;
}

static void lengths_read(const struct inference_request *request, struct demand *demand, struct failure *failure)
{
	struct request_shape *shape = &demand->shape;

	if (!demand_tokens(&request->prompt_tokens, &shape->prompt_tokens, &shape->prompt_cv))
		failure_add(failure, "/prompt_tokens", "required", "give prompt_tokens (a number, {mean, cv} or samples), or a trace");
	if (!demand_tokens(&request->output_tokens, &shape->output_tokens, &shape->output_cv))
		failure_add(failure, "/output_tokens", "required", "give output_tokens (a number, {mean, cv} or samples), or a trace");
	if (request->rate_profile.count > 0)
		pieces_read(&request->rate_profile, demand, failure);
	else if (is_given(request->requests_per_s))
		demand->requests_per_s = request->requests_per_s;
	else if (is_given(request->queries_per_minute))
		demand->requests_per_s = request->queries_per_minute / seconds_per_minute;
	if (!is_given(demand->requests_per_s) && request->common.gpu_count < 1)
		failure_add(failure, "/queries_per_minute", "required", "give queries_per_minute, requests_per_s or a trace, or a fixed gpu_count");
}

double demand_accepted_tokens(double draft, double acceptance)
{
	if (!(draft > 0))
		return 0;
	return acceptance >= 1 ? draft : acceptance * (1 - pow(acceptance, draft)) / (1 - acceptance);
}

static void speculation_read(const struct inference_request *request, struct demand *demand, struct failure *failure)
{
	double draft = request->speculative.draft_tokens, acceptance = request->speculative.acceptance;

	if (!is_given(draft) && !is_given(acceptance))
		return;
	if (!is_given(draft) || !is_given(acceptance)) {
		failure_add(failure, "/speculative", "required", "speculative needs both draft_tokens and acceptance (0..1)");
		return;
	}
	demand->shape.draft_tokens = fmax(draft, 0);
	demand->shape.acceptance = fmin(fmax(acceptance, 0), 1);
	demand->shape.accepted_tokens = demand_accepted_tokens(fmax(draft, 0), fmin(fmax(acceptance, 0), 1));
}

/* Reads priority, routing and shared prefixes. */
static void sharing_read(const struct inference_request *request, struct demand *demand, struct findings *findings)
{
	struct request_shape *shape = &demand->shape;
	double prefixes = given_or(request->shared_prefix.prefixes, 0), tokens = given_or(request->shared_prefix.tokens, 0);

	demand->first_share = fmin(fmax(given_or(request->priority_share, 0), 0), 1);
	demand->routing = request->routing == ROUTING_UNSET ? ROUTING_LEAST_OUTSTANDING : request->routing;
	if (request->routing == ROUTING_UNSET)
		findings_assume_text(findings, "routing", "least_outstanding", "E92: a request goes to the replica with the fewest requests");
	if (!(prefixes >= 1 && tokens >= 1))
		return;
	demand->prefix_count = (int32_t)fmin(rint(prefixes), SHARED_PREFIXES_MAX);
	demand->prefix_tokens = tokens;
	/* Formulas assume that every prefix is cached. The simulation finds only prefixes that the request's replica
	 * caches. */
	shape->cached_share = fmin(tokens, shape->prompt_tokens - 1) / shape->prompt_tokens;
}

static void profile_read(const struct number_list *profile, struct demand *demand)
{
	double sum = 0, peak = 0;

	for (size_t i = 0; i < profile->count; i++) {
		sum += profile->items[i];
		peak = fmax(peak, profile->items[i]);
	}
	if (!(peak > 0))
		return;
	demand->hour_loads = profile->items;
	demand->hour_count = profile->count;
	demand->hour_peak = peak;
	demand->mean_load = sum / (double)profile->count / peak;
}

bool demand_grid(const struct grid_hours *series, size_t count, double utc_offset_hours, struct clock_grid *grid)
{
	static const int64_t hour_us = INT64_C(3600) * 1000000;
	static const double monday_hours = 72;                                                                    /* 1970 began on a Thursday */
	int64_t ahead_us = (int64_t)(utc_offset_hours * (double)hour_us), start_us = series->start_us + ahead_us; /* by the clock */
	int64_t end_us = start_us + (int64_t)series->count * series->step_minutes * (hour_us / 60);
	double sums[COUNT_OF(grid->gco2e_per_kwh)] = {0}, counts[COUNT_OF(grid->gco2e_per_kwh)] = {0}, told = 0;

	*grid = (struct clock_grid){.count = count};
	for (int64_t hour = (start_us + hour_us - 1) / hour_us; (hour + 1) * hour_us <= end_us; hour++) {
		double shown = fmod((double)hour + ((double)count > HOURS_PER_DAY ? monday_hours : 0), (double)count);
		size_t at = (size_t)(shown < 0 ? shown + (double)count : shown);

		sums[at] += grid_hours_mean(series, hour * hour_us - ahead_us, 1, 0).gco2e_per_kwh;
		counts[at]++;
	}
	for (size_t i = 0; i < count; i++) {
		told += counts[i] > 0;
		grid->gco2e_per_kwh[i] = counts[i] > 0 ? sums[i] / counts[i] : ABSENT_NUMBER;
	}
	grid->covered_fraction = told / (double)count;
	return told > 0;
}

double promise_e2e_s(const struct promise *promise, double ttft_s, double e2e_s)
{
	double tpot = exp(promise->log_tpot);

	return e2e_s * tpot + fmin(ttft_s, e2e_s) * (exp(promise->log_ttft) - tpot);
}

static void promise_read(const struct inference_request *request, struct promise *promise)
{
	promise->ttft_s = request->slo.ttft_ms / milliseconds_per_second;
	promise->tpot_s = request->slo.tpot_ms / milliseconds_per_second;
	promise->e2e_s = request->slo.e2e_ms / milliseconds_per_second;
	promise->percentile = fmin(fmax(given_or(request->slo.percentile, default_percentile) / 100, 0.01), 0.9999);
}

enum status demand_read(const struct inference_request *request, struct demand *demand, struct findings *findings, struct failure *failure)
{
	static const int64_t spares[] = {[REDUNDANCY_UNSET] = 0, [REDUNDANCY_NONE] = 0, [REDUNDANCY_N_PLUS_1] = 1, [REDUNDANCY_N_PLUS_2] = 2};
	const struct number_list *profile = &request->daily_profile;

	*demand = (struct demand){.requests_per_s = ABSENT_NUMBER, .arrival_cv = 1, .mean_load = 1};
	profile_read(profile, demand);
	demand->shape.run_requests = ABSENT_NUMBER;
	demand->has_end = request->trace.count > 0;
	if (demand->has_end)
		trace_read(&request->trace, demand);
	else
		lengths_read(request, demand, failure);
	if (profile->count != 0 && profile->count != 24 && profile->count != 168)
		failure_add(failure, "/daily_profile", "wrong_length", "daily_profile has %zu numbers; 24 or 168 are accepted", profile->count);
	speculation_read(request, demand, failure);
	if (failure->fault_total > 0)
		return failure->status;
	demand->shape.cached_share = fmin(fmax(given_or(request->prefix_cache_hit_rate, 0), 0), 1);
	sharing_read(request, demand, findings);
	demand->arrival_cv = given_or(request->burstiness_cv, demand->arrival_cv);
	demand->headroom = fmin(fmax(given_or(request->headroom, default_headroom), 0), 0.95);
	demand->spare_replicas = spares[request->redundancy];
	demand->disaggregated = request->parallelism.disaggregated == TRUTH_TRUE;
	promise_read(request, &demand->promise);

	if (!is_given(request->headroom))
		findings_assume_number(findings, "headroom", default_headroom, "E59: 10 % of the capacity stays free at peak");
	if (request->redundancy == REDUNDANCY_UNSET)
		findings_assume_text(findings, "redundancy", "none", "E59: no spare replica unless the request has redundancy");
	if (!is_given(request->burstiness_cv) && request->trace.count == 0)
		findings_assume_number(findings, "burstiness_cv", 1, "E58: Poisson arrivals; Azure 2023 conversation traffic has 1.09, code 13.2");
	if (!is_given(request->slo.percentile))
		findings_assume_number(findings, "slo.percentile", default_percentile, "E58: 95 of 100 requests keep the limits");
	if (profile->count == 0 && request->rate_profile.count == 0)
		findings_assume_text(findings, "daily_profile", "the peak load all day", "E59: monthly figures count every hour at peak load");
	return STATUS_OK;
}
