/* Simulates one serving engine step by step: waiting prompts, chunks, decoding sequences, paged cache, eviction (E91,
 * E95).
 *
 * The caller submits a request at its arrival. The engine reports its end through a function of the caller. Between two
 * calls the engine is at the start of a step. Consecutive steps without arrival, completion or eviction are computed
 * together. The caller owns the memory. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_ENGINE_H
#define FLEETPLAN_PLANNER_QUEUEING_ENGINE_H

#include "planner/queueing/acceptance.h"
#include "planner/queueing/prefixes.h"
#include "planner/replica/operating.h"

/* Waiting requests of CLASS_FIRST enter before those of CLASS_REST. Running requests are not interrupted for them. */
enum request_class { CLASS_FIRST, CLASS_REST, CLASS_COUNT };

/* A request in an engine. It lies in a pool that the engines of a fleet share. */
struct engine_request {
	double arrived_s, first_token_s, finish_at; /* finish_at: the engine's progress, in steps, at the last token */
	double prompt_tokens, output_tokens;
	double context_tokens; /* in the cache; decoding attends to them */
	double pending_tokens; /* prompt tokens to compute before the next output token */
	double produced_tokens;
	double held_bytes;           /* of the cache, at admission */
	double answer_tokens;        /* set by the caller; output_tokens is the part that this engine produces */
	double steps, pace_tokens;   /* decoding steps until the request is done; its tokens in each step */
	int32_t number, next, place; /* order of arrival; next one in its queue; place in the heap */
	int32_t prefix;              /* first part of its prompt; PREFIX_NONE: no shared prefix */
	enum request_class class;
	bool came_cold; /* it arrived while a replica was starting */
};

/* Speed and limits of an engine. They are fixed while it runs. */
struct engine_setting {
	void (*step_time)(const void *costs, const struct batch *batch, struct step *step);
	const void *costs;
	double chunk_tokens, block_tokens; /* tokens of a step; tokens of a cache block, which a step with prompts has at least for them */
	double sequences_maximum;
	double cache_bytes, token_bytes;                       /* the whole cache; of one token of one sequence in layers without a window */
	double window_tokens, window_token_bytes, state_bytes; /* layers with a window: tokens kept, bytes of each; state of a sequence */
	bool reserves_whole_output;
	double progress_tokens, drafted_tokens; /* of a sequence in a step: 1 and 0 without speculation */
	struct acceptance acceptance;           /* probability 0: every step yields progress_tokens */
	double cached_share;                    /* part of every prompt that the prefix cache holds, 0..1 */
	double prefix_tokens;                   /* length of the shared start of prompts; 0: cached_share counts instead */
	int32_t prefix_count;                   /* different prefixes; 0: none */
};

/* Fills the setting from a replica and a shape of requests (prefix cache, speculation). It borrows the replica. */
void engine_setting_of(struct engine_setting *setting, const struct replica *replica, const struct request_shape *shape);

typedef void engine_finished(void *context, const struct engine_request *request, double now_s);

struct engine_queue {
	int32_t first, last, count;
};

struct engine_state {
	const struct engine_setting *setting;
	struct engine_request *pool;
	int32_t *heap; /* decoding requests by finish_at; sequences_maximum places */
	int32_t decoding;
	struct engine_queue waiting[CLASS_COUNT], taking_in;
	struct prefixes prefixes;
	uint64_t seed;            /* of the numbers drawn for a request; the request's number selects the stream */
	double ready_s;           /* the engine takes no request before this time */
	double clock_s, progress; /* progress: steps since the start */
	double context_tokens, decoding_prompt_tokens, pace_tokens; /* sums over decoding requests */
	double used_bytes;                                          /* over all admitted requests */
	double prompt_tokens, cached_tokens;                        /* of all prompts that entered; the part found in the cache */
	engine_finished *finished;
	void *context;
	double busy_s, flops, bytes, decoded_sequence_s; /* sums over steps, for power and the mean batch */
	int64_t steps, evictions;
	int64_t *work_left; /* falls by one for each group of steps computed together; at 0 the engine stops */
};

/* Memory of an engine besides the pool: the places of its heap, and the links of its prefixes (NULL without
 * prefixes). */
struct engine_memory {
	int32_t *heap;
	struct prefix_link *links;
};

void engine_start(struct engine_state *engine, const struct engine_setting *setting, struct engine_request *pool,
	const struct engine_memory *memory, int64_t *work_left, engine_finished *finished, void *context);

/* True if the empty cache has room for the whole request. */
bool engine_can_hold(const struct engine_setting *setting, double prompt_tokens, double output_tokens);

/* Returns the number of prefixes that fit into the empty cache. */
int32_t engine_prefixes_max(const struct engine_setting *setting);

/* Puts a prefix into the cache before the first request. */
void engine_warm(struct engine_state *engine, int32_t prefix);

/* Puts a request of the pool into the queue of its class. now_s must not fall; the caller has advanced the engine to
 * it. */
void engine_submit(struct engine_state *engine, int32_t request, double now_s);

/* E91. Simulates all steps that begin before `until_s`. The `finished` function may submit requests.
 * Given:    engine: started; until_s: time of the simulation, s; HUGE_VAL: until no request is left.
 * Returned: *engine at the start of its next step, at or after until_s unless it is empty or the work is used up.
 * Case:     tests/planner/test_simulation.c, jumps_change_nothing; tests/planner/test_simulation_engine.c,
 *           steps_taken_together_take_as_long_as_one_by_one. */
void engine_advance(struct engine_state *engine, double until_s);

/* Return the number of requests in the engine, waiting ones included, and the number of waiting requests. */
int32_t engine_load(const struct engine_state *engine);
int32_t engine_waiting(const struct engine_state *engine);

#endif
