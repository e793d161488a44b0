#include "planner/replica/operating.h"

#include "planner/interval.h"
#include "planner/replica/latency.h"

enum { FIXED_POINT_ROUNDS = 12, BISECTION_ROUNDS = 40, DRAIN_STEPS = 16 };

static double decoded_tokens(const struct request_shape *shape)
{
	return fmax(shape->output_tokens - 1, 0); /* the prefill produces the first one */
}

static double new_prompt_tokens(const struct request_shape *shape)
{
	return fmax(shape->prompt_tokens * (1 - shape->cached_share), 1);
}

/* Returns the mean context of a running sequence. Longer answers run longer, so they weigh more. */
static double mean_context_tokens(const struct request_shape *shape)
{
	return shape->prompt_tokens + shape->output_tokens * (1 + shape->output_cv * shape->output_cv) / 2;
}

static struct batch batch_of(const struct replica *replica, const struct request_shape *shape, double sequences, double prefill_tokens)
{
	double prompt = new_prompt_tokens(shape), chunk = fmin(prompt, replica->rules.chunk_tokens);

	return (struct batch){.decode_sequences = sequences * (1 + shape->draft_tokens),
		.decode_context_tokens = mean_context_tokens(shape),
		.decode_spread_tokens = mean_context_tokens(shape) - shape->prompt_tokens,
		.prefill_tokens = prefill_tokens,
		.prefill_sequences = prefill_tokens / chunk,
		.prefill_context_tokens = shape->prompt_tokens - prompt + (prompt - chunk) / 2};
}

/* Steps at a number of running sequences: bare ones, and steps with as many prompts as replace the finished
 * requests. */
struct mixture {
	struct step bare, mixed;
	double mixed_share, mixed_tokens, step_s;
	double prompt_load; /* prompt tokens to compute over the tokens that steps have room for */
	double requests_per_step;
	double prompt_s; /* time of a mixed step for its prompts; their kernels are launched after their arrival */
	bool apart;      /* steps with prompts do not decode */
};

/* The host works one step ahead: during a bare step it launches the kernels of the mixed step that follows. */
static void launch_ahead(struct mixture *mixture)
{
	double hidden_s = fmin(mixture->mixed.launch_s, (1 - mixture->mixed_share) * mixture->bare.time_s);

	mixture->mixed.time_s -= hidden_s;
	mixture->mixed.overhead_s -= hidden_s;
	mixture->mixed.launch_s -= hidden_s;
}

static void mixture_at(
	const struct replica *replica, const struct request_shape *shape, double sequences, double seen, struct mixture *mixture)
{
	double prompt = new_prompt_tokens(shape), progress = 1 + shape->accepted_tokens;
	double budget = fmax(replica->rules.chunk_tokens * replica->attention_data * replica->pipeline - sequences, replica->rules.block_tokens);
	double wanted, together = 1;
	struct batch bare = batch_of(replica, shape, seen, 0), mixed;

	mixture->apart = false;
	mixture->requests_per_step = sequences * progress / fmax(decoded_tokens(shape), progress);
	wanted = mixture->requests_per_step * prompt;
	mixture->prompt_load = wanted / budget;
	if (replica->rules.balances_ranks)
		together = fmin(replica->attention_data, fmax(1, sequences / replica->attention_data / 4));
	mixture->mixed_tokens = fmin(budget, fmax(prompt * together, wanted));
	mixture->mixed_share = fmin(wanted / mixture->mixed_tokens, 1);
	mixed = batch_of(replica, shape, seen, mixture->mixed_tokens);
	step_time(replica, &bare, &mixture->bare);
	step_time(replica, &mixed, &mixture->mixed);
	mixture->prompt_s = mixture->mixed.time_s;
	launch_ahead(mixture);
	mixture->step_s = (1 - mixture->mixed_share) * mixture->bare.time_s + mixture->mixed_share * mixture->mixed.time_s;
}

double operating_sequences_max(const struct replica *replica, const struct request_shape *shape)
{
	double held = replica_sequences_max(replica, shape->prompt_tokens, shape->output_tokens);
	double tokens_per_step = replica->rules.chunk_tokens * replica->attention_data * replica->pipeline;
	double per_sequence = 1 + shape->draft_tokens +
		(1 + shape->accepted_tokens) * new_prompt_tokens(shape) / fmax(decoded_tokens(shape), 1 + shape->accepted_tokens);

	return fmin(held, tokens_per_step / per_sequence);
}

/* Returns the time of a prompt's chunks. Each chunk shares its step with tokens of other requests. */
static double prefill_time_s(const struct request_shape *shape, const struct mixture *mixture)
{
	return fmax(1, new_prompt_tokens(shape) / fmax(mixture->mixed_tokens, 1)) * mixture->prompt_s;
}

static struct phase_use phase_of(const struct replica *replica, double time_s, double flops, double bytes, double step_s)
{
	if (time_s <= 0)
		return (struct phase_use){.share = 0};
	return (struct phase_use){.share = time_s / step_s,
		.compute_utilization = flops / time_s / replica->peak_flops_per_s,
		.memory_utilization = bytes / time_s / replica->bandwidth_bytes_per_s};
}

/* Fills the phases. Prefill is the time of mixed steps beyond that of bare ones; where mixed steps do not decode, their
 * whole time. */
static void phases_fill(const struct replica *replica, const struct mixture *mixture, struct operating_point *point)
{
	const struct step *bare = &mixture->bare, *mixed = &mixture->mixed;
	double share = mixture->mixed_share, decoding = mixture->apart ? 1 - share : 1, beside = mixture->apart ? 0 : 1;

	point->phases[PHASE_DECODE] = phase_of(replica, decoding * bare->time_s, decoding * bare->flops, decoding * bare->bytes, mixture->step_s);
	point->phases[PHASE_PREFILL] = phase_of(replica, share * (mixed->time_s - beside * bare->time_s),
		share * (mixed->flops - beside * bare->flops), share * fmax(mixed->bytes - beside * bare->bytes, 0), mixture->step_s);
}

static void point_fill(const struct replica *replica, const struct request_shape *shape, const struct mixture *mixture, double sequences,
	struct operating_point *point)
{
	double bare = (1 - mixture->mixed_share) / mixture->step_s, mixed = mixture->mixed_share / mixture->step_s;
	const struct step *a = &mixture->bare, *b = &mixture->mixed;

	*point = (struct operating_point){
		.decode_sequences = sequences, .step_s = mixture->step_s, .prefill_share = mixture->mixed_share, .busy_fraction = 1};
	point->requests_per_s = mixture->requests_per_step / mixture->step_s;
	point->output_tokens_per_s = point->requests_per_s * shape->output_tokens;
	point->tpot_s = mixture->step_s / (1 + shape->accepted_tokens);
	point->prefill_s = prefill_time_s(shape, mixture);
	point->compute_utilization = (bare * a->flops + mixed * b->flops) / replica->peak_flops_per_s;
	point->memory_utilization = (bare * a->bytes + mixed * b->bytes) / replica->bandwidth_bytes_per_s;
	phases_fill(replica, mixture, point);
	point->shares[BOTTLENECK_COMPUTE] = bare * a->compute_s + mixed * b->compute_s;
	point->shares[BOTTLENECK_MEMORY_BANDWIDTH] = bare * a->memory_s + mixed * b->memory_s;
	point->shares[BOTTLENECK_INTERCONNECT] = bare * a->network_s + mixed * b->network_s;
	point->shares[BOTTLENECK_LAUNCH_OVERHEAD] = bare * a->overhead_s + mixed * b->overhead_s;
}

/* Returns the TTFT in steady state: the front end, the rest of the running step, the prompts ahead, the own prompt.
 * Prompts that arrive during one step share the next one, so a queue builds up only beyond a step's room for tokens. */
static double first_token_s(const struct replica *replica, const struct mixture *mixture, double prefill_s, double in_flight)
{
	double load = fmin(mixture->prompt_load, 1), wait_s = mixture->mixed.time_s * load / (2 * fmax(1 - load, 1 / (in_flight + 1)));

	return replica->front_end_factor * replica->host.first_token_s + mixture->step_s / 2 + wait_s + prefill_s;
}

/* Returns the mean TTFT of requests that start together. They share one wave of prompts; on average each waits for half
 * of it. */
static double burst_first_token_s(const struct replica *replica, const struct request_shape *shape, double sequences)
{
	double prompt = new_prompt_tokens(shape), tokens = prompt * sequences;
	double chunk = fmin(tokens, replica->rules.chunk_tokens * replica->attention_data * replica->pipeline);
	struct batch batch = batch_of(replica, shape, sequences / 2 * (1 - chunk / tokens), chunk);
	double serial_s = replica->front_end_factor * replica->host.request_s * sequences / 2;
	struct step step;

	step_time(replica, &batch, &step);
	return replica->front_end_factor * replica->host.first_token_s + serial_s + step.time_s * (tokens / chunk + 1) / 2;
}

/* E200. Returns the time until the longest of the answers that start together ends. The batch shrinks as shorter
 * answers end. The time is a sum over the lengths of a log-normal distribution: all run until 5 % have ended; then the
 * number left falls by equal factors to half of one. */
static double drain_s(const struct replica *replica, const struct request_shape *shape, double sequences)
{
	static const double first_left = 0.95;
	double sigma = sqrt(log1p(shape->output_cv * shape->output_cv)), before = 0, total_s = 0, left = 1;
	double fall = pow(0.5 / fmax(sequences, 1) / first_left, 1.0 / (DRAIN_STEPS - 1));

	for (int i = 0; i < DRAIN_STEPS; i++) {
		double after = i == 0 ? first_left : left * fall, running = i == 0 ? sequences : sequences * (left + after) / 2;
		double length = decoded_tokens(shape) * exp(sigma * normal_quantile(1 - after) - sigma * sigma / 2);
		struct batch batch = batch_of(replica, shape, fmax(running, 1), 0);
		struct step step;

		batch.decode_context_tokens = shape->prompt_tokens + (before + length) / 2;
		batch.decode_spread_tokens = (length - before) / 2;
		step_time(replica, &batch, &step);
		total_s += (length - before) / (1 + shape->accepted_tokens) * step.time_s;
		before = length;
		left = after;
	}
	return total_s;
}

/* E191. Returns the number of sequences that fit when they start together. Equal answers all reach their full length at
 * once; of unequal ones the cache holds half of their length on average. An engine that admits more evicts some and
 * computes them again.
 * Given: output_cv >= 0. */
static double burst_sequences_max(const struct replica *replica, const struct request_shape *shape)
{
	static const double apart_cv = 0.3;
	double spread = shape->output_cv / apart_cv, longest = 2 / (1 + spread * spread / (1 + spread * spread));

	return replica_sequences_max(replica, shape->prompt_tokens, shape->output_tokens * (replica->rules.reserves_whole_output ? 1 : longest));
}

/* Computes a run with no more requests than its concurrency: all start together, none follows, and the batch drains
 * from its shortest answer to its longest. */
static void operating_burst(
	const struct replica *replica, const struct request_shape *shape, double concurrency, struct operating_point *point)
{
	double held = burst_sequences_max(replica, shape), inside = fmin(concurrency, held);
	double waves = concurrency / inside, prefill_s, decode_s, drained_s = drain_s(replica, shape, inside);
	double front_end_s = replica->front_end_factor * replica->host.first_token_s;

	operating_static(replica, shape, inside, point);
	prefill_s = point->ttft_s;
	decode_s = fmin(decoded_tokens(shape) * point->tpot_s, drained_s);
	point->ttft_s = front_end_s + replica->front_end_factor * replica->host.request_s * concurrency / 2 + prefill_s / 2 +
		(waves - 1) / 2 * (prefill_s + decode_s);
	/* The first requests wait for the prompts of the others between their own tokens. */
	if (decoded_tokens(shape) > 0)
		point->tpot_s += prefill_s / 2 / decoded_tokens(shape);
	point->in_flight = concurrency;
	point->requests_per_s = concurrency / (waves * prefill_s + (waves - 1) * decode_s + drained_s);
	point->output_tokens_per_s = point->requests_per_s * shape->output_tokens;
}

void operating_closed(const struct replica *replica, const struct request_shape *shape, double concurrency, struct operating_point *point)
{
	double held = replica_sequences_max(replica, shape->prompt_tokens, shape->output_tokens);
	double most = operating_sequences_max(replica, shape), inside = concurrency < 0 ? held : fmin(concurrency, held);
	double sequences = fmin(inside, most), waiting = concurrency < 0 ? 0 : concurrency - inside, ttft_s = 0;
	struct mixture mixture;

	if (concurrency > 0 && shape->run_requests <= concurrency) {
		operating_burst(replica, shape, shape->run_requests, point);
		return;
	}
	for (int round = 0; round < FIXED_POINT_ROUNDS; round++) {
		double decode_s, next;

		mixture_at(replica, shape, sequences, sequences, &mixture);
		ttft_s = first_token_s(replica, &mixture, prefill_time_s(shape, &mixture), inside);
		decode_s = decoded_tokens(shape) / (1 + shape->accepted_tokens) * mixture.step_s;
		next = fmin(inside * decode_s / (decode_s + ttft_s), most);
		if (fabs(next - sequences) < 1e-3 * sequences)
			break;
		sequences = fmax((sequences + next) / 2, 1e-3);
	}
	point_fill(replica, shape, &mixture, sequences, point);
	if (decoded_tokens(shape) <= 0)
		point->requests_per_s = inside / ttft_s;
	point->output_tokens_per_s = point->requests_per_s * shape->output_tokens;
	point->in_flight = concurrency < 0 ? inside : concurrency;
	point->ttft_s = ttft_s + waiting / point->requests_per_s;
	if (is_given(shape->run_requests) && concurrency > 0) {
		double burst = fmin(concurrency / fmax(shape->run_requests, concurrency), 1);
		double burst_s = burst_first_token_s(replica, shape, inside) + waiting / point->requests_per_s / 2;

		point->ttft_s = burst * burst_s + (1 - burst) * point->ttft_s;
	}
}

/* Computes the point above the capacity. The batch grows until the replica is full; only then do requests wait. */
static void operating_overload(
	const struct replica *replica, const struct request_shape *shape, double requests_per_s, struct operating_point *point)
{
	struct request_shape steady = *shape;
	double run = shape->run_requests, behind, waiting;

	steady.run_requests = ABSENT_NUMBER;
	operating_closed(replica, &steady, CONCURRENCY_MAX, point);
	point->saturated = true;
	if (!is_given(run)) {
		point->ttft_s = ABSENT_NUMBER;
		return;
	}
	behind = run * fmax(1 - point->requests_per_s / requests_per_s, 0);
	waiting = fmax(behind - point->decode_sequences, 0);
	if (behind > 0)
		point->ttft_s += waiting / behind * waiting / point->requests_per_s / 2;
}

/* Returns the mean time for a request of a run to enter. Requests pass the front end and their prompts one after the
 * other. Where they arrive faster than they enter, each waits on average half of the difference between entering and
 * arriving of all. */
static double entering_s(const struct replica *replica, const struct request_shape *shape, double requests_per_s)
{
	double run = shape->run_requests, held = replica_sequences_max(replica, shape->prompt_tokens, shape->output_tokens);
	struct operating_point together;

	operating_static(replica, shape, fmin(run, held), &together);
	return replica->front_end_factor * replica->host.first_token_s +
		run / 2 * fmax(replica->front_end_factor * replica->host.request_s + together.ttft_s / fmin(run, held) - 1 / requests_per_s, 0);
}

/* E192. Limits the point to a run of run_requests requests. The run is never worse than all of its requests at once,
 * and ends with its last answer. Requests in the replica at the last arrival drain from a shrinking batch. They are at
 * most as many as arrive while one request is answered alone, because a run ends before its batch reaches the steady
 * state. Arrivals above the capacity only lengthen the queue, so that throughput rises with the rate to that of all
 * requests at once, and stays there. */
static void finish_run(const struct replica *replica, const struct request_shape *shape, double requests_per_s, struct operating_point *point)
{
	double run = shape->run_requests, inside, left_s;
	struct operating_point burst, alone;

	operating_burst(replica, shape, run, &burst);
	operating_static(replica, shape, 1, &alone);
	inside = fmin(fmin(point->decode_sequences, requests_per_s / alone.requests_per_s), run);
	left_s = point->prefill_s + drain_s(replica, shape, fmax(inside, 1));
	point->tpot_s = fmin(point->tpot_s, burst.tpot_s);
	point->ttft_s = fmin(fmax(point->ttft_s, entering_s(replica, shape, requests_per_s)), burst.ttft_s);
	point->output_tokens_per_s = run * shape->output_tokens / fmax(run / requests_per_s + left_s, run / burst.requests_per_s);
}

/* Returns the number of running sequences at which requests end at the arrival rate. Fills the mixture at that
 * number. */
static double sequences_at_rate(
	const struct replica *replica, const struct request_shape *shape, double requests_per_s, double most, struct mixture *mixture)
{
	double low = 0, high = most;

	for (int round = 0; round < BISECTION_ROUNDS && high - low > 1e-4 * high; round++) {
		double middle = (low + high) / 2;

		/* An arriving request finds the mean number running, and is one more. */
		mixture_at(replica, shape, middle, fmin(middle + 1, most), mixture);
		if (mixture->requests_per_step / mixture->step_s < requests_per_s)
			low = middle;
		else
			high = middle;
	}
	return high;
}

void operating_open(const struct replica *replica, const struct request_shape *shape, double requests_per_s, struct operating_point *point)
{
	double most = operating_sequences_max(replica, shape);
	struct mixture mixture;

	mixture_at(replica, shape, most, most, &mixture);
	if (mixture.requests_per_step / mixture.step_s <= requests_per_s) {
		operating_overload(replica, shape, requests_per_s, point);
	} else {
		double sequences = sequences_at_rate(replica, shape, requests_per_s, most, &mixture);
		point_fill(replica, shape, &mixture, sequences, point);
		point->busy_fraction = -expm1(-fmax(sequences, 1e-9)); /* an empty replica runs no step */
		point->ttft_s = first_token_s(replica, &mixture, point->prefill_s, sequences) - mixture.step_s / 2 * (1 - point->busy_fraction);
		point->requests_per_s = requests_per_s;
		point->in_flight = sequences + requests_per_s * point->ttft_s;
		point->output_tokens_per_s = requests_per_s * shape->output_tokens;
	}
	if (is_given(shape->run_requests) && shape->run_requests > 0)
		finish_run(replica, shape, requests_per_s, point);
}

void operating_static(const struct replica *replica, const struct request_shape *shape, double concurrency, struct operating_point *point)
{
	double tokens = new_prompt_tokens(shape) * concurrency, chunk = fmin(tokens, replica->rules.chunk_tokens * replica->attention_data);
	double steps = decoded_tokens(shape) / (1 + shape->accepted_tokens), total_s;
	struct mixture mixture = {.requests_per_step = concurrency / (steps + tokens / chunk), .apart = true};
	struct batch prefill = batch_of(replica, shape, 0, chunk), decode = batch_of(replica, shape, concurrency, 0);

	step_time(replica, &prefill, &mixture.mixed);
	step_time(replica, &decode, &mixture.bare);
	mixture.mixed_tokens = chunk;
	mixture.prompt_s = mixture.mixed.time_s;
	mixture.mixed_share = tokens / chunk / (steps + tokens / chunk);
	total_s = mixture.mixed.time_s * tokens / chunk + steps * mixture.bare.time_s;
	mixture.step_s = total_s / (steps + tokens / chunk);
	point_fill(replica, shape, &mixture, concurrency, point);
	point->in_flight = concurrency;
	point->requests_per_s = concurrency / total_s;
	point->output_tokens_per_s = point->requests_per_s * shape->output_tokens;
	point->ttft_s = mixture.mixed.time_s * tokens / chunk + replica->constants->kernel_s;
	point->tpot_s = mixture.bare.time_s / (1 + shape->accepted_tokens);
}
