/* One serving engine, step by step: waiting prompts, chunks, decoding sequences, paged cache, eviction (E91, E95).
 *
 * A request is submitted at its time and finished through a function of the caller's. Between two calls the engine stands
 * at the start of a step. Steps in which nobody comes, goes or is evicted are taken together. Memory is the caller's. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_ENGINE_H
#define FLEETPLAN_PLANNER_QUEUEING_ENGINE_H

#include "planner/queueing/acceptance.h"
#include "planner/queueing/prefixes.h"
#include "planner/replica/operating.h"

/* Who goes first where requests wait; what runs is let run. */
enum request_class { CLASS_FIRST, CLASS_REST, CLASS_COUNT };

/* A request inside. Lives in a pool that engines of a fleet share. */
struct engine_request {
	double arrived_s, first_token_s, finish_at; /* finish_at: the engine's progress at the last token */
	double prompt_tokens, output_tokens;
	double context_tokens; /* in the cache: what decoding attends to */
	double pending_tokens; /* to be taken in before the next token comes out */
	double produced_tokens;
	double held_bytes; /* of the cache, at admission */
	double answer_tokens; /* the submitter's: output_tokens is what this engine is to produce of it */
	double steps, pace_tokens; /* of the engine, until it is done; tokens that it gets in each */
	int32_t number, next, place; /* in order of arrival; in its queue; in the heap */
	int32_t prefix; /* that its prompt begins with; PREFIX_NONE */
	enum request_class class;
	bool came_cold; /* while a replica was starting */
};

/* What an engine does and may; fixed while it runs. */
struct engine_setting {
	void (*step_time)(const void *costs, const struct batch *batch, struct step *step);
	const void *costs;
	double chunk_tokens, block_tokens; /* tokens of a step; the least that prompts get of it */
	double sequences_maximum;
	double cache_bytes, token_bytes; /* all of it; of one token of one sequence, kinds without a window */
	double window_tokens, window_token_bytes, state_bytes; /* kinds with a window keep so many tokens; per sequence */
	bool reserves_whole_output;
	double progress_tokens, drafted_tokens; /* of a sequence in a step: 1 and 0 without speculation */
	struct acceptance acceptance; /* probability 0: every step yields progress_tokens */
	double cached_share; /* of every prompt, found in the prefix cache */
	double prefix_tokens; /* at the start of prompts, shared by those of one prefix; 0: what is cached is cached_share */
	int32_t prefix_count; /* different ones; 0: none */
};

/* The setting of a replica under a shape of requests (prefix cache, speculation); borrows the replica. */
void engine_setting_of(
	struct engine_setting *setting, const struct replica *replica, const struct request_shape *shape);

typedef void engine_finished(void *context, const struct engine_request *request, double now_s);

struct engine_queue {
	int32_t first, last, count;
};

struct engine_state {
	const struct engine_setting *setting;
	struct engine_request *pool;
	int32_t *heap; /* decoding, by finish_at; sequences_maximum places */
	int32_t decoding;
	struct engine_queue waiting[CLASS_COUNT], taking_in;
	struct prefixes prefixes;
	uint64_t seed; /* of what is drawn for a request, by its number */
	double ready_s; /* takes no request before */
	double clock_s, progress; /* progress: steps since the start */
	double context_tokens, decoding_prompt_tokens, pace_tokens; /* summed over the decoding */
	double used_bytes;                                 /* of all admitted */
	double prompt_tokens, cached_tokens; /* of all prompts that entered; found in the cache */
	engine_finished *finished;
	void *context;
	double busy_s, flops, bytes, decoded_sequence_s; /* sums over steps: for power, and the mean batch */
	int64_t steps, evictions;
	int64_t *work_left; /* counted down by one for all steps that are taken together; at 0 the engine stands still */
};

/* Memory of an engine besides the pool: places in its heap, and the links of its prefixes (NULL without any). */
struct engine_memory {
	int32_t *heap;
	struct prefix_link *links;
};

void engine_start(struct engine_state *engine, const struct engine_setting *setting, struct engine_request *pool,
	const struct engine_memory *memory, int64_t *work_left, engine_finished *finished, void *context);

/* Whether the cache could ever hold it. */
bool engine_can_hold(const struct engine_setting *setting, double prompt_tokens, double output_tokens);

/* Prefixes that an empty cache holds. */
int32_t engine_prefixes_max(const struct engine_setting *setting);

/* Its cache holds a prefix before anybody has come. */
void engine_warm(struct engine_state *engine, int32_t prefix);

/* Puts a request of the pool into the queue. Time never falls; the engine has been advanced to it. */
void engine_submit(struct engine_state *engine, int32_t request, double now_s);

/* Takes all steps that begin before `until_s`. A finished function may submit. */
void engine_advance(struct engine_state *engine, double until_s);

/* Requests inside, waiting ones included; those that wait. */
int32_t engine_load(const struct engine_state *engine);
int32_t engine_waiting(const struct engine_state *engine);

#endif
