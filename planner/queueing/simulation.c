#include "planner/queueing/simulation.h"

enum { ARRIVALS_BETWEEN_LOOKS = 1024 }; /* arrivals between two checks for a request to stop: a few milliseconds */
enum { NO_REQUEST = -1, POOL_MAXIMUM = 32768, WAITING_MAXIMUM = 8192, PREFIXES_OF_WORK = 10 };

/* The transfer of a prompt's cache to its decoding replica. */
struct handoff {
	double ready_s;
	int32_t request;
};

struct run {
	const struct simulation_setting *setting;
	struct simulation_result *result;
	struct traffic traffic;
	struct replicas decoders, prefills; /* prefills: empty where every replica does prompts and decoding */
	struct engine_request *pool;
	struct handoff *handoffs; /* a heap by ready_s */
	int32_t handoff_count, free_first, pool_size;
	int64_t counted, work_left;
	size_t next_change;
	double first_counted_s, changed_s, cold_until_s;
};

/* --- workspace --------------------------------------------------------------------------------------------- */

static size_t heap_places(const struct engine_setting *setting, size_t pool)
{
	return setting->sequences_maximum < (double)pool ? (size_t)setting->sequences_maximum + 1 : pool;
}

static size_t pool_places(const struct simulation_setting *setting)
{
	double inside = setting->engine->sequences_maximum * (double)setting->replicas;

	if (setting->ends)
		return (size_t)fmin((double)(setting->warmup_requests + setting->requests), POOL_MAXIMUM);
	if (setting->prefill)
		inside += setting->prefill->sequences_maximum * (double)setting->prefill_replicas;
	return (size_t)fmin(inside + WAITING_MAXIMUM, POOL_MAXIMUM);
}

/* Rounds up, so that the next array is aligned. */
static size_t aligned(size_t bytes)
{
	return (bytes + 15) / 16 * 16;
}

static size_t links_bytes(const struct engine_setting *setting)
{
	return aligned((size_t)setting->prefix_count * sizeof(struct prefix_link));
}

static size_t homes_bytes(const struct engine_setting *setting)
{
	return aligned((size_t)setting->prefix_count * sizeof(int32_t));
}

static size_t engines_bytes(const struct engine_setting *setting, int64_t count, size_t pool)
{
	return homes_bytes(setting) +
		(size_t)count * (aligned(sizeof(struct engine_state)) + links_bytes(setting) + aligned(heap_places(setting, pool) * sizeof(int32_t)));
}

size_t simulation_workspace_bytes(const struct simulation_setting *setting)
{
	size_t pool = pool_places(setting);
	size_t bytes = aligned(pool * sizeof(struct engine_request)) + engines_bytes(setting->engine, setting->replicas, pool);

	if (setting->prefill)
		bytes += engines_bytes(setting->prefill, setting->prefill_replicas, pool) + aligned(pool * sizeof(struct handoff));
	return bytes;
}

static void *workspace_part(char **workspace, size_t bytes)
{
	void *start = *workspace;

	*workspace += aligned(bytes);
	return start;
}

/* --- requests ---------------------------------------------------------------------------------------------- */

static bool is_counted(const struct run *run, const struct engine_request *request)
{
	int64_t place = request->number - run->setting->warmup_requests;

	return place >= 0 && place < run->setting->requests;
}

static void request_record(struct run *run, const struct engine_request *request, double now_s)
{
	struct simulation_result *result = run->result;
	double tokens = request->answer_tokens, front_end_s = run->setting->front_end_s;
	bool rest = request->class == CLASS_REST && run->setting->traffic->first_share > 0;

	result->finished++;
	result->finished_tokens += request->prompt_tokens + tokens;
	if (!is_counted(run, request))
		return;
	run->counted++;
	result->counted_output_tokens += tokens;
	result->counted_s = fmax(result->counted_s, now_s - run->first_counted_s);
	if (run->setting->cold_only && !request->came_cold)
		return;
	histogram_add(rest ? &result->rest_ttft : &result->ttft, request->first_token_s - request->arrived_s + front_end_s);
	histogram_add(rest ? &result->rest_e2e : &result->e2e, now_s - request->arrived_s + front_end_s);
	if (tokens > 1)
		histogram_add(rest ? &result->rest_tpot : &result->tpot, (now_s - request->first_token_s) / (tokens - 1));
}

static void request_release(struct run *run, int32_t number)
{
	run->pool[number].next = run->free_first;
	run->free_first = number;
}

/* Takes a request from the pool for an arrival. NO_REQUEST if it does not fit into an empty cache, or if the pool is
 * empty. */
static int32_t request_make(struct run *run, const struct arrival *arrival)
{
	const struct simulation_setting *setting = run->setting;
	int64_t number = run->result->arrived++;
	const struct engine_setting *engine = setting->prefill ? setting->prefill : setting->engine;
	double cached = engine->prefix_count > 0 ? 0 : floor(engine->cached_share * arrival->prompt_tokens);
	int32_t place = run->free_first;

	run->result->arrived_tokens += arrival->prompt_tokens + arrival->output_tokens;
	if (number == setting->warmup_requests)
		run->first_counted_s = arrival->t_s;
	if (!engine_can_hold(setting->engine, arrival->prompt_tokens, arrival->output_tokens) ||
		(setting->prefill && !engine_can_hold(setting->prefill, arrival->prompt_tokens, 1))) {
		run->result->refused++;
		run->counted += number >= setting->warmup_requests && number < setting->warmup_requests + setting->requests;
		return NO_REQUEST;
	}
	if (place == NO_REQUEST) {
		run->result->saturated = true;
		return NO_REQUEST;
	}
	run->free_first = run->pool[place].next;
	cached = fmin(cached, arrival->prompt_tokens - 1);
	run->pool[place] = (struct engine_request){.arrived_s = arrival->t_s,
		.prompt_tokens = arrival->prompt_tokens,
		.output_tokens = setting->prefill ? 1 : arrival->output_tokens,
		.answer_tokens = arrival->output_tokens,
		.context_tokens = cached,
		.pending_tokens = arrival->prompt_tokens - cached,
		.number = (int32_t)number,
		.prefix = arrival->prefix,
		.class = arrival->first ? CLASS_FIRST : CLASS_REST,
		.came_cold = arrival->t_s < run->cold_until_s};
	return place;
}

/* --- engines of a fleet ------------------------------------------------------------------------------------ */

static void replica_time_passes(struct run *run, double now_s)
{
	run->result->replica_s += (double)run->decoders.count * fmax(now_s - run->changed_s, 0);
	run->changed_s = fmax(run->changed_s, now_s);
}

/* Applies the changes of the number of replicas up to now_s. */
static void replicas_follow(struct run *run, double now_s)
{
	const struct simulation_setting *setting = run->setting;

	for (; run->next_change < setting->change_count && setting->changes[run->next_change].at_s <= now_s; run->next_change++) {
		const struct replica_change *change = &setting->changes[run->next_change];

		replica_time_passes(run, change->at_s);
		if (change->replicas > run->decoders.count)
			run->cold_until_s = change->at_s + setting->startup_s;
		replicas_resize(&run->decoders, change->replicas, change->at_s, setting->startup_s);
	}
}

static void submit_checked(struct run *run, struct engine_state *engine, int32_t request, double now_s)
{
	engine_submit(engine, request, now_s);
	if (engine_waiting(engine) > WAITING_MAXIMUM && !run->setting->ends)
		run->result->saturated = true;
}

static void answered(void *context, const struct engine_request *request, double now_s)
{
	struct run *run = context;

	request_record(run, request, now_s);
	request_release(run, (int32_t)(request - run->pool));
}

/* In a closed loop a client sends its next request as soon as it has its answer. */
static void answered_in_loop(void *context, const struct engine_request *request, double now_s)
{
	struct run *run = context;
	const struct simulation_setting *setting = run->setting;
	int64_t all = setting->warmup_requests + setting->requests;
	struct arrival arrival = traffic_next(&run->traffic);
	int32_t next;

	answered(context, request, now_s);
	/* With a warm-up, requests continue until all counted ones are done, so that these run at full concurrency to the
	 * end. */
	if (run->result->arrived >= all && (setting->warmup_requests == 0 || run->counted >= setting->requests))
		return;
	arrival.t_s = now_s;
	next = request_make(run, &arrival);
	if (next != NO_REQUEST)
		submit_checked(run, &run->decoders.engines[0], next, now_s);
}

/* --- prompts computed on other replicas -------------------------------------------------------------------- */

static void handoff_push(struct run *run, struct handoff handoff)
{
	int32_t place = run->handoff_count++;

	for (; place > 0 && run->handoffs[(place - 1) / 2].ready_s > handoff.ready_s; place = (place - 1) / 2)
		run->handoffs[place] = run->handoffs[(place - 1) / 2];
	run->handoffs[place] = handoff;
}

static struct handoff handoff_pop(struct run *run)
{
	struct handoff first = run->handoffs[0], last = run->handoffs[--run->handoff_count];
	int32_t place = 0;

	for (;;) {
		int32_t child = 2 * place + 1;

		if (child + 1 < run->handoff_count && run->handoffs[child + 1].ready_s < run->handoffs[child].ready_s)
			child++;
		if (child >= run->handoff_count || run->handoffs[child].ready_s >= last.ready_s)
			break;
		run->handoffs[place] = run->handoffs[child];
		place = child;
	}
	run->handoffs[place] = last;
	return first;
}

static void prompt_computed(void *context, const struct engine_request *request, double now_s)
{
	struct run *run = context;
	const struct simulation_setting *setting = run->setting;

	if (request->answer_tokens <= 1)
		answered(context, request, now_s);
	else
		handoff_push(run,
			(struct handoff){now_s + setting->handoff_s + setting->handoff_token_s * request->prompt_tokens, (int32_t)(request - run->pool)});
}

/* Submits the requests whose caches have arrived by `now_s`, in the order of arrival. */
static void handoffs_deliver(struct run *run, double now_s)
{
	const struct simulation_setting *setting = run->setting;

	for (int64_t i = 0; i < setting->prefill_replicas; i++)
		engine_advance(&run->prefills.engines[i], now_s);
	while (run->handoff_count > 0 && run->handoffs[0].ready_s <= now_s) {
		struct handoff handoff = handoff_pop(run);
		struct engine_state *engine = replicas_choose(&run->decoders, PREFIX_NONE, handoff.ready_s);

		run->pool[handoff.request].output_tokens = run->pool[handoff.request].answer_tokens;
		submit_checked(run, engine, handoff.request, handoff.ready_s);
	}
}

/* --- the run ----------------------------------------------------------------------------------------------- */

static struct replicas replicas_start(
	struct run *run, const struct engine_setting *setting, int64_t count, engine_finished *finished, char **workspace)
{
	size_t places = heap_places(setting, (size_t)run->pool_size);
	struct replicas replicas = {.count = count, .most = count, .routing = run->setting->routing};

	replicas.engines = workspace_part(workspace, (size_t)count * sizeof *replicas.engines);
	replicas.homes = setting->prefix_count > 0 ? workspace_part(workspace, homes_bytes(setting)) : NULL;
	for (int32_t i = 0; i < setting->prefix_count; i++)
		replicas.homes[i] = NO_REQUEST;
	for (int64_t i = 0; i < count; i++) {
		struct engine_memory memory = {.heap = workspace_part(workspace, places * sizeof(int32_t)),
			.links = setting->prefix_count > 0 ? workspace_part(workspace, links_bytes(setting)) : NULL};

		engine_start(&replicas.engines[i], setting, run->pool, &memory, &run->work_left, finished, run);
		replicas.engines[i].seed = run->setting->seed;
	}
	return replicas;
}

static void run_start(struct run *run, const struct simulation_setting *setting, void *memory, struct simulation_result *result)
{
	char *workspace = memory;
	engine_finished *finished = setting->concurrency > 0 ? answered_in_loop : answered;

	*run = (struct run){.setting = setting, .result = result, .pool_size = (int32_t)pool_places(setting)};
	run->pool = workspace_part(&workspace, (size_t)run->pool_size * sizeof *run->pool);
	for (int32_t i = 0; i < run->pool_size; i++)
		run->pool[i].next = i + 1 < run->pool_size ? i + 1 : NO_REQUEST;
	run->decoders = replicas_start(run, setting->engine, setting->replicas, finished, &workspace);
	if (setting->prefill) {
		run->prefills = replicas_start(run, setting->prefill, setting->prefill_replicas, prompt_computed, &workspace);
		run->handoffs = workspace_part(&workspace, (size_t)run->pool_size * sizeof *run->handoffs);
	}
	if (setting->change_count > 0)
		run->decoders.count = setting->changes[0].replicas; /* these are warm from the start */
	run->work_left = setting->work > 0 ? setting->work : INT64_MAX;
	run->work_left -= replicas_warm(setting->prefill ? &run->prefills : &run->decoders) / PREFIXES_OF_WORK;
	traffic_start(&run->traffic, setting->traffic, setting->seed);
}

static void run_arrival(struct run *run)
{
	const struct simulation_setting *setting = run->setting;
	struct arrival arrival = traffic_next(&run->traffic);
	int32_t request;
	struct engine_state *engine;

	replicas_follow(run, arrival.t_s);
	if (setting->prefill)
		handoffs_deliver(run, arrival.t_s);
	request = request_make(run, &arrival);
	if (request == NO_REQUEST)
		return;
	engine = replicas_choose(setting->prefill ? &run->prefills : &run->decoders, arrival.prefix, arrival.t_s);
	submit_checked(run, engine, request, arrival.t_s);
}

static void run_closed_loop(struct run *run)
{
	const struct simulation_setting *setting = run->setting;
	int64_t all = setting->warmup_requests + setting->requests;

	CHECK(setting->replicas == 1 && !setting->prefill);
	for (int64_t i = 0; i < setting->concurrency && i < all && !run->result->saturated; i++) {
		struct arrival arrival = traffic_next(&run->traffic);
		int32_t request;

		arrival.t_s = 0;
		request = request_make(run, &arrival);
		if (request != NO_REQUEST)
			submit_checked(run, &run->decoders.engines[0], request, 0);
	}
	if (!run->result->saturated)
		engine_advance(&run->decoders.engines[0], HUGE_VAL);
}

static void run_open_loop(struct run *run)
{
	const struct simulation_setting *setting = run->setting;
	int64_t all = setting->ends ? setting->warmup_requests + setting->requests : INT64_MAX;

	CHECK(!setting->ends || !setting->prefill);
	for (int64_t arrivals = 1; arrivals <= all && run->counted < setting->requests && !run->result->saturated && run->work_left > 0;
		 arrivals++) {
		run_arrival(run);
		if (arrivals % ARRIVALS_BETWEEN_LOOKS == 0 && progress_stopped(setting->progress))
			run->work_left = 0;
	}
	for (int64_t i = 0; setting->ends && !run->result->saturated && i < run->decoders.most; i++)
		engine_advance(&run->decoders.engines[i], HUGE_VAL);
}

static void result_close(struct run *run)
{
	struct simulation_result *result = run->result;
	const struct replicas *first = run->setting->prefill ? &run->prefills : &run->decoders;
	double span_s = 0, busy_s = 0, sequence_s = 0, flops = 0, bytes = 0, prompts = 0, cached = 0;

	for (int64_t i = 0; i < run->setting->replicas; i++) {
		const struct engine_state *engine = &run->decoders.engines[i];

		span_s += engine->clock_s;
		busy_s += engine->busy_s;
		sequence_s += engine->decoded_sequence_s;
		flops += engine->flops;
		bytes += engine->bytes;
		result->evictions += engine->evictions;
		result->steps += engine->steps;
	}
	for (int64_t i = 0; i < first->most; i++) {
		prompts += first->engines[i].prompt_tokens;
		cached += first->engines[i].cached_tokens;
	}
	result->cached_share = prompts > 0 ? cached / prompts : 0;
	replica_time_passes(run, run->first_counted_s + result->counted_s);
	result->busy_fraction = span_s > 0 ? fmin(busy_s / span_s, 1) : 0;
	result->mean_batch = busy_s > 0 ? sequence_s / busy_s : 0;
	result->flops_per_s = busy_s > 0 ? flops / busy_s : 0;
	result->bytes_per_s = busy_s > 0 ? bytes / busy_s : 0;
}

void simulation_run(const struct simulation_setting *setting, void *workspace, struct simulation_result *result)
{
	struct run run;

	CHECK(setting->replicas > 0 && setting->requests > 0 && (!setting->prefill || setting->prefill_replicas > 0));
	*result = (struct simulation_result){.arrived = 0};
	run_start(&run, setting, workspace, result);
	if (setting->concurrency > 0)
		run_closed_loop(&run);
	else
		run_open_loop(&run);
	result->exhausted = run.work_left <= 0;
	result->work = (setting->work > 0 ? setting->work : INT64_MAX) - run.work_left;
	result_close(&run);
}
