#include "server/exchange.h"

#include "hwdb/catalogue/catalogue.h"
#include "server/http_private.h"

enum { EXCHANGE_SPARE_MAX = 64, EXCHANGE_KEEP_BYTES = 256 * 1024 };

void exchange_pool_init(struct exchange_pool *pool)
{
	*pool = (struct exchange_pool){0};
	pthread_mutex_init(&pool->mutex, NULL);
}

static void exchange_free(struct exchange *exchange)
{
	arena_release(&exchange->call.arena);
	buffer_release(&exchange->call.answer);
	buffer_release(&exchange->packed);
	body_release(&exchange->body);
	free(exchange);
}

void exchange_pool_release(struct exchange_pool *pool)
{
	while (pool->spare) {
		struct exchange *next = pool->spare->next;
		exchange_free(pool->spare);
		pool->spare = next;
	}
	pthread_mutex_destroy(&pool->mutex);
}

static struct exchange *exchange_new(void)
{
	struct exchange *exchange = calloc(1, sizeof *exchange);

	if (!exchange)
		return NULL;
	arena_init(&exchange->call.arena, CALL_ARENA_MAX_BYTES);
	buffer_init(&exchange->call.answer, CALL_ANSWER_MAX_BYTES);
	buffer_init(&exchange->packed, CALL_ANSWER_MAX_BYTES);
	return exchange;
}

struct exchange *exchange_take(struct exchange_pool *pool)
{
	struct exchange *exchange;

	pthread_mutex_lock(&pool->mutex);
	exchange = pool->spare;
	if (exchange) {
		pool->spare = exchange->next;
		pool->count--;
	}
	pthread_mutex_unlock(&pool->mutex);
	return exchange ? exchange : exchange_new();
}

static void exchange_keep_small(struct buffer *buffer)
{
	if (buffer->capacity > EXCHANGE_KEEP_BYTES)
		buffer_release(buffer);
	else
		buffer_clear(buffer);
}

/* Empties the exchange but keeps its memory. The failure's 13 kB of faults are not cleared, only their count. */
static void exchange_clear(struct exchange *exchange)
{
	struct call *call = &exchange->call;
	struct arena arena = call->arena;
	struct buffer answer = call->answer, packed = exchange->packed;
	struct body body = exchange->body;

	if (exchange->held_bytes)
		atomic_fetch_sub(&exchange->http->budget.used_bytes, exchange->held_bytes);
	if (exchange->catalogue)
		catalogue_release(exchange->catalogue);
	arena_reset(&arena);
	exchange_keep_small(&answer);
	exchange_keep_small(&packed);
	body_clear(&body);
	memset(call, 0, offsetof(struct call, arena));
	memset(&call->http_status, 0, sizeof *call - offsetof(struct call, http_status));
	memset(&exchange->next, 0, sizeof *exchange - offsetof(struct exchange, next));
	failure_clear(&call->failure);
	call->arena = arena;
	call->arena.maximum_bytes = CALL_ARENA_MAX_BYTES;
	call->answer = answer;
	exchange->packed = packed;
	exchange->body = body;
}

void exchange_give(struct exchange_pool *pool, struct exchange *exchange)
{
	exchange_clear(exchange);
	pthread_mutex_lock(&pool->mutex);
	if (pool->count < EXCHANGE_SPARE_MAX) {
		exchange->next = pool->spare;
		pool->spare = exchange;
		pool->count++;
		exchange = NULL;
	}
	pthread_mutex_unlock(&pool->mutex);
	if (exchange)
		exchange_free(exchange);
}
