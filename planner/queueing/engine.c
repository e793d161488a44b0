#include "planner/queueing/engine.h"

enum { NO_REQUEST = -1, JUMP_MAXIMUM = 1024, STEPS_DRAWN_OF_WORK = 16 }; /* 16 drawn steps cost as much as one group of steps */
static const double watermark = 0.01; /* part of the cache that stays free for decoding sequences (vLLM's scheduler) */

/* --- queues and the heap ----------------------------------------------------------------------------------- */

static void queue_append(struct engine_queue *queue, struct engine_request *pool, int32_t request)
{
	pool[request].next = NO_REQUEST;
	*(queue->count > 0 ? &pool[queue->last].next : &queue->first) = request;
	queue->last = request;
	queue->count++;
}

static void queue_prepend(struct engine_queue *queue, struct engine_request *pool, int32_t request)
{
	pool[request].next = queue->count > 0 ? queue->first : NO_REQUEST;
	queue->first = request;
	if (queue->count++ == 0)
		queue->last = request;
}

static int32_t queue_pop(struct engine_queue *queue, const struct engine_request *pool)
{
	int32_t request = queue->first;

	queue->first = pool[request].next;
	queue->count--;
	return request;
}

static void heap_set(struct engine_state *engine, int32_t place, int32_t request)
{
	engine->heap[place] = request;
	engine->pool[request].place = place;
}

/* Moves the request at `place` up or down to its place in the heap. */
static void heap_settle(struct engine_state *engine, int32_t place)
{
	struct engine_request *pool = engine->pool;
	int32_t request = engine->heap[place];
	double finish_at = pool[request].finish_at;

	while (place > 0 && pool[engine->heap[(place - 1) / 2]].finish_at > finish_at) {
		heap_set(engine, place, engine->heap[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	for (;;) {
		int32_t child = 2 * place + 1;

		if (child + 1 < engine->decoding && pool[engine->heap[child + 1]].finish_at < pool[engine->heap[child]].finish_at)
			child++;
		if (child >= engine->decoding || pool[engine->heap[child]].finish_at >= finish_at)
			break;
		heap_set(engine, place, engine->heap[child]);
		place = child;
	}
	heap_set(engine, place, request);
}

static void heap_remove(struct engine_state *engine, int32_t place)
{
	int32_t last = engine->heap[--engine->decoding];

	if (place == engine->decoding)
		return;
	heap_set(engine, place, last);
	heap_settle(engine, place);
}

/* --- the cache --------------------------------------------------------------------------------------------- */

/* Returns the cache of a sequence, bytes. Blocks are whole: half of the last block is empty on average. Windows and
 * states take their full size from the start. */
static double sequence_bytes(const struct engine_setting *setting, double context_tokens, double longest_tokens)
{
	return (context_tokens + (setting->block_tokens - 1) / 2) * setting->token_bytes +
		fmin(longest_tokens, setting->window_tokens) * setting->window_token_bytes + setting->state_bytes;
}

bool engine_can_hold(const struct engine_setting *setting, double prompt_tokens, double output_tokens)
{
	double tokens = prompt_tokens + output_tokens;

	return sequence_bytes(setting, tokens, tokens) <= setting->cache_bytes;
}

static double growth_bytes(const struct engine_state *engine)
{
	const struct engine_setting *setting = engine->setting;

	return setting->reserves_whole_output ? 0 : engine->pace_tokens * setting->token_bytes;
}

static int32_t prefixes_within(const struct engine_setting *setting, double bytes)
{
	return (int32_t)fmin(fmax(bytes / (setting->prefix_tokens * setting->token_bytes), 0), setting->prefix_count);
}

int32_t engine_prefixes_max(const struct engine_setting *setting)
{
	return prefixes_within(setting, setting->cache_bytes);
}

/* Removes prefixes that no longer fit beside the contexts of the sequences. */
static void prefixes_yield(struct engine_state *engine)
{
	if (engine->setting->prefix_count > 0)
		prefixes_trim(&engine->prefixes, prefixes_within(engine->setting, engine->setting->cache_bytes - engine->used_bytes));
}

/* --- admission, completion, eviction ----------------------------------------------------------------------- */

/* Contexts and cache of decoding sequences grow with the engine's progress. This brings those of a leaving sequence up
 * to date. */
static void request_leaves_heap(struct engine_state *engine, int32_t number)
{
	struct engine_request *request = &engine->pool[number];
	double wanted = request->output_tokens - request->produced_tokens;
	double steps = engine->progress - (request->finish_at - request->steps);
	double grown = steps * request->pace_tokens, decoded = fmin(grown, wanted);

	heap_remove(engine, request->place);
	engine->context_tokens -= request->context_tokens + grown;
	engine->decoding_prompt_tokens -= request->prompt_tokens;
	engine->pace_tokens -= request->pace_tokens;
	if (engine->decoding == 0)
		engine->pace_tokens = 0; /* removes the rounding error */
	if (!engine->setting->reserves_whole_output)
		engine->used_bytes -= grown * engine->setting->token_bytes;
	request->context_tokens += decoded;
	request->produced_tokens += decoded;
}

static void request_finishes(struct engine_state *engine, int32_t number)
{
	engine->used_bytes -= engine->pool[number].held_bytes;
	engine->finished(engine->context, &engine->pool[number], engine->clock_s);
}

/* Sets the number of steps of the rest of an answer. It is drawn by the request's number, so that it is the same in
 * every fleet. */
static void request_paces(const struct engine_state *engine, struct engine_request *request)
{
	const struct engine_setting *setting = engine->setting;
	double wanted = request->output_tokens - request->produced_tokens;
	struct random random;

	request->pace_tokens = setting->progress_tokens;
	request->steps = wanted / request->pace_tokens;
	if (!(setting->acceptance.probability > 0))
		return;
	random_seed(&random, engine->seed, (uint64_t)request->number << 32 | (uint64_t)request->produced_tokens);
	request->steps = acceptance_steps(&setting->acceptance, wanted, &random);
	request->pace_tokens = wanted / request->steps;
	*engine->work_left -= (int64_t)(fmin(request->steps, ACCEPTANCE_DRAWN_MAX) / STEPS_DRAWN_OF_WORK);
}

static void request_decodes(struct engine_state *engine, int32_t number)
{
	struct engine_request *request = &engine->pool[number];

	request_paces(engine, request);
	request->finish_at = engine->progress + request->steps;
	engine->context_tokens += request->context_tokens;
	engine->decoding_prompt_tokens += request->prompt_tokens;
	engine->pace_tokens += request->pace_tokens;
	heap_set(engine, engine->decoding++, number);
	heap_settle(engine, request->place);
}

/* The prompt is computed completely: the request gets a token and starts to decode. */
static void request_enters(struct engine_state *engine, int32_t number)
{
	struct engine_request *request = &engine->pool[number];

	if (request->produced_tokens == 0)
		request->first_token_s = engine->clock_s;
	if (request->prefix >= 0 && engine->setting->prefix_count > 0)
		prefixes_touch(&engine->prefixes, request->prefix);
	request->produced_tokens++;
	request->context_tokens++;
	if (request->produced_tokens >= request->output_tokens)
		request_finishes(engine, number);
	else
		request_decodes(engine, number);
}

static double bytes_wanted(const struct engine_state *engine, const struct engine_request *request)
{
	const struct engine_setting *setting = engine->setting;
	double longest = request->prompt_tokens + request->output_tokens;
	double now = setting->reserves_whole_output ? longest : request->context_tokens + request->pending_tokens + 1;

	return sequence_bytes(setting, now, longest);
}

/* Returns the queue whose first request enters next. It may be empty. */
static const struct engine_queue *head_queue(const struct engine_state *engine)
{
	return &engine->waiting[engine->waiting[CLASS_FIRST].count > 0 ? CLASS_FIRST : CLASS_REST];
}

static bool head_can_enter(const struct engine_state *engine)
{
	const struct engine_setting *setting = engine->setting;
	const struct engine_queue *queue = head_queue(engine);
	double inside = engine->decoding + engine->taking_in.count, free_bytes, wanted;

	if (queue->count == 0 || inside >= setting->sequences_maximum)
		return false;
	wanted = bytes_wanted(engine, &engine->pool[queue->first]);
	free_bytes = setting->cache_bytes - engine->used_bytes;
	return inside == 0 ? wanted <= free_bytes * (1 + 1e-9) : wanted <= free_bytes - watermark * setting->cache_bytes;
}

/* Skips the tokens of a cached prefix. The last prompt token is always computed. */
static void skip_cached_prefix(struct engine_state *engine, struct engine_request *request)
{
	double found;

	if (request->prefix < 0 || engine->setting->prefix_count == 0 || !prefixes_hold(&engine->prefixes, request->prefix))
		return;
	found = fmin(engine->setting->prefix_tokens, request->pending_tokens - 1);
	request->context_tokens += found;
	request->pending_tokens -= found;
	prefixes_touch(&engine->prefixes, request->prefix);
}

static void head_enters(struct engine_state *engine)
{
	int32_t number = queue_pop(&engine->waiting[head_queue(engine) - engine->waiting], engine->pool);
	struct engine_request *request = &engine->pool[number];

	if (request->pending_tokens > 0 && request->context_tokens <= 0)
		skip_cached_prefix(engine, request);
	if (request->produced_tokens <= 0) {
		engine->prompt_tokens += request->prompt_tokens;
		engine->cached_tokens += request->context_tokens;
	}
	request->held_bytes = bytes_wanted(engine, request);
	engine->used_bytes += request->held_bytes;
	prefixes_yield(engine);
	if (request->pending_tokens > 0)
		queue_append(&engine->taking_in, engine->pool, number);
	else
		request_decodes(engine, number); /* another engine computed its cache */
}

static bool head_brings_cache(const struct engine_state *engine)
{
	const struct engine_queue *queue = head_queue(engine);

	return queue->count > 0 && engine->pool[queue->first].pending_tokens <= 0;
}

/* Evicts the request that arrived last, because the cache is full. Its context is computed again later. */
static void evict_last(struct engine_state *engine)
{
	int32_t last = engine->heap[0];
	struct engine_request *request;

	for (int32_t i = 1; i < engine->decoding; i++)
		if (engine->pool[engine->heap[i]].number > engine->pool[last].number)
			last = engine->heap[i];
	request = &engine->pool[last];
	request_leaves_heap(engine, last);
	engine->used_bytes -= request->held_bytes;
	request->pending_tokens = request->context_tokens;
	request->context_tokens = 0;
	engine->evictions++;
	queue_prepend(&engine->waiting[request->class], engine->pool, last);
}

/* --- steps ------------------------------------------------------------------------------------------------- */

static struct batch decode_batch(const struct engine_state *engine, double ahead_tokens)
{
	const struct engine_setting *setting = engine->setting;
	double mean_tokens;

	if (engine->decoding == 0)
		return (struct batch){.decode_sequences = 0};
	mean_tokens = engine->context_tokens / engine->decoding + ahead_tokens;
	return (struct batch){.decode_sequences = engine->decoding * (1 + setting->drafted_tokens),
		.decode_context_tokens = mean_tokens,
		.decode_spread_tokens = fmax(mean_tokens - engine->decoding_prompt_tokens / engine->decoding, 0)};
}

static void finish_the_finished(struct engine_state *engine)
{
	while (engine->decoding > 0 && engine->pool[engine->heap[0]].finish_at <= engine->progress + 1e-9) {
		int32_t number = engine->heap[0];

		request_leaves_heap(engine, number);
		request_finishes(engine, number);
	}
}

static void steps_pass(struct engine_state *engine, const struct step *step, double count)
{
	double time_s = step->time_s * count;

	engine->used_bytes += growth_bytes(engine) * count;
	engine->context_tokens += engine->pace_tokens * count;
	engine->progress += count;
	engine->clock_s += time_s;
	engine->busy_s += time_s;
	engine->flops += step->flops * count;
	engine->bytes += step->bytes * count;
	engine->decoded_sequence_s += engine->decoding * time_s;
	engine->steps += (int64_t)count;
	(*engine->work_left)--;
}

/* Returns the number of steps until a request is done or the cache is full. */
static double steps_undisturbed(const struct engine_state *engine)
{
	double growth = growth_bytes(engine), count;

	count = ceil(engine->pool[engine->heap[0]].finish_at - engine->progress - 1e-9);
	if (growth > 0)
		count = fmin(count, floor((engine->setting->cache_bytes - engine->used_bytes) / growth));
	return fmin(fmax(count, 1), JUMP_MAXIMUM);
}

/* Returns how many steps begin within span_s. The first step takes first_s; each further one takes slope_s more. */
static double steps_within(double span_s, double first_s, double slope_s)
{
	double half = slope_s / 2, linear = first_s - half;

	if (slope_s * span_s < 1e-9 * first_s * first_s)
		return ceil(span_s / first_s);
	return ceil((sqrt(linear * linear + 4 * half * span_s) - linear) / (2 * half));
}

/* Computes a group of steps without prompts: until a request is done, the cache is full, or `until_s`. Contexts grow by
 * a token a step, so step times grow linearly: the times of the first and the middle step determine all others. */
static void step_decoding(struct engine_state *engine, double until_s)
{
	const struct engine_setting *setting = engine->setting;
	struct step mean, middle; /* mean step of the group; middle step of the widest possible group */
	struct batch batch = decode_batch(engine, 0);
	double widest, count, share;

	CHECK(engine->decoding > 0);
	widest = steps_undisturbed(engine);
	setting->step_time(setting->costs, &batch, &mean);
	widest = fmin(widest, fmax(ceil((until_s - engine->clock_s) / mean.time_s), 1));
	if (widest > 1) {
		batch = decode_batch(engine, engine->pace_tokens / engine->decoding * (widest - 1) / 2);
		setting->step_time(setting->costs, &batch, &middle);
		count = steps_within(until_s - engine->clock_s, mean.time_s, 2 * (middle.time_s - mean.time_s) / (widest - 1));
		count = fmin(fmax(count, 1), widest);
		share = (count - 1) / (widest - 1);
		mean.time_s += share * (middle.time_s - mean.time_s);
		mean.flops += share * (middle.flops - mean.flops);
		mean.bytes += share * (middle.bytes - mean.bytes);
		widest = count;
	}
	steps_pass(engine, &mean, widest);
	prefixes_yield(engine);
	finish_the_finished(engine);
}

/* Fills the step's room with chunks of prompts in order of arrival. Returns how many prompts end in the step. */
static int32_t prompts_fill(struct engine_state *engine, struct batch *batch)
{
	const struct engine_setting *setting = engine->setting;
	double room = fmax(setting->chunk_tokens - batch->decode_sequences, setting->block_tokens), looked_back = 0;
	int32_t number = engine->taking_in.count > 0 ? engine->taking_in.first : NO_REQUEST, whole = 0;

	while (room > 0) {
		struct engine_request *request;
		double tokens;

		if (number == NO_REQUEST) {
			if (head_brings_cache(engine) || !head_can_enter(engine))
				break;
			head_enters(engine);
			number = engine->taking_in.last;
		}
		request = &engine->pool[number];
		tokens = fmin(request->pending_tokens, room);
		looked_back += tokens * request->context_tokens;
		request->pending_tokens -= tokens;
		request->context_tokens += tokens;
		batch->prefill_tokens += tokens;
		batch->prefill_sequences++;
		room -= tokens;
		whole += request->pending_tokens <= 0;
		number = request->next;
	}
	if (batch->prefill_tokens > 0)
		batch->prefill_context_tokens = looked_back / batch->prefill_tokens;
	return whole;
}

static void step_mixed(struct engine_state *engine)
{
	const struct engine_setting *setting = engine->setting;
	struct batch batch = decode_batch(engine, 0);
	int32_t whole = prompts_fill(engine, &batch);
	struct step step;

	setting->step_time(setting->costs, &batch, &step);
	steps_pass(engine, &step, 1);
	finish_the_finished(engine);
	while (whole-- > 0)
		request_enters(engine, queue_pop(&engine->taking_in, engine->pool));
}

void engine_advance(struct engine_state *engine, double until_s)
{
	while (engine->clock_s < until_s && engine_load(engine) > 0 && *engine->work_left > 0) {
		while (engine->decoding > 1 && engine->used_bytes + growth_bytes(engine) > engine->setting->cache_bytes)
			evict_last(engine);
		while (head_brings_cache(engine) && head_can_enter(engine))
			head_enters(engine);
		if (engine->taking_in.count > 0 || head_can_enter(engine))
			step_mixed(engine);
		else
			step_decoding(engine, until_s);
	}
}

static void replica_step(const void *costs, const struct batch *batch, struct step *step)
{
	step_time(costs, batch, step);
}

void engine_setting_of(struct engine_setting *setting, const struct replica *replica, const struct request_shape *shape)
{
	double ranks = replica->attention_data, windows_bytes = 0;

	*setting = (struct engine_setting){.step_time = replica_step,
		.costs = replica,
		.chunk_tokens = replica->rules.chunk_tokens * ranks * replica->pipeline,
		.block_tokens = replica->rules.block_tokens,
		.sequences_maximum = replica->rules.max_batch * ranks,
		.cache_bytes = replica->kv_budget_bytes * ranks,
		.reserves_whole_output = replica->rules.reserves_whole_output,
		.progress_tokens = 1 + shape->accepted_tokens,
		.drafted_tokens = shape->draft_tokens,
		.cached_share = shape->cached_share};
	if (shape->draft_tokens >= 1 && shape->acceptance > 0 && shape->acceptance < 1)
		acceptance_prepare(&setting->acceptance, shape->draft_tokens, shape->acceptance);
	for (int i = 0; i < replica->kind_count; i++) {
		const struct replica_kind *kind = &replica->kinds[i];
		double layers = kind->layers / replica->pipeline, token_bytes = layers * kind->kv_bytes_per_token;

		setting->state_bytes += layers * kind->state_bytes / 2;
		*(kind->window_tokens > 0 ? &setting->window_token_bytes : &setting->token_bytes) += token_bytes;
		windows_bytes += token_bytes * kind->window_tokens;
	}
	if (setting->window_token_bytes > 0)
		setting->window_tokens = windows_bytes / setting->window_token_bytes;
}

void engine_start(struct engine_state *engine, const struct engine_setting *setting, struct engine_request *pool,
	const struct engine_memory *memory, int64_t *work_left, engine_finished *finished, void *context)
{
	*engine = (struct engine_state){
		.setting = setting, .pool = pool, .heap = memory->heap, .work_left = work_left, .finished = finished, .context = context};
	prefixes_start(&engine->prefixes, memory->links, setting->prefix_count);
}

void engine_warm(struct engine_state *engine, int32_t prefix)
{
	prefixes_touch(&engine->prefixes, prefix);
	prefixes_yield(engine);
}

void engine_submit(struct engine_state *engine, int32_t request, double now_s)
{
	if (engine_load(engine) == 0)
		engine->clock_s = fmax(engine->clock_s, now_s);
	queue_append(&engine->waiting[engine->pool[request].class], engine->pool, request);
}

int32_t engine_waiting(const struct engine_state *engine)
{
	return engine->waiting[CLASS_FIRST].count + engine->waiting[CLASS_REST].count;
}

int32_t engine_load(const struct engine_state *engine)
{
	return engine_waiting(engine) + engine->taking_in.count + engine->decoding;
}
