#include "planner/queueing/replicas.h"

/* A request goes to the engine that caches its prefix, unless that engine has both this many requests more and this
 * many times the requests of the idlest engine (SGLang's router: --balance-abs-threshold 64, --balance-rel-threshold
 * 1.5). */
static const double imbalance_requests = 64, imbalance_factor = 1.5;

static bool is_ready(const struct engine_state *engine, double now_s)
{
	return engine->ready_s <= now_s;
}

/* Returns the next engine in turn that is ready. If none is ready, the first in turn gets the request and keeps it
 * waiting. */
static int64_t next_in_turn(struct replicas *replicas, double now_s)
{
	int64_t first = replicas->turn++ % replicas->count, at = first;

	for (int64_t i = 0; i < replicas->count && !is_ready(&replicas->engines[at], now_s); i++)
		at = (at + 1) % replicas->count;
	return at;
}

static int64_t idlest(struct replicas *replicas, double now_s)
{
	int64_t best = next_in_turn(replicas, now_s);

	for (int64_t i = 0; i < replicas->count; i++) {
		engine_advance(&replicas->engines[i], now_s);
		if (is_ready(&replicas->engines[i], now_s) && engine_load(&replicas->engines[i]) < engine_load(&replicas->engines[best]))
			best = i;
	}
	return best;
}

static int64_t home_or_idlest(struct replicas *replicas, int32_t prefix, double now_s)
{
	int64_t best = idlest(replicas, now_s), home;
	double load, least = engine_load(&replicas->engines[best]);

	if (prefix < 0 || !replicas->homes)
		return best;
	home = replicas->homes[prefix];
	load = home >= 0 && home < replicas->count ? engine_load(&replicas->engines[home]) : HUGE_VAL;
	if (load <= least + imbalance_requests || load <= least * imbalance_factor)
		return home;
	replicas->homes[prefix] = (int32_t)best;
	return best;
}

struct engine_state *replicas_choose(struct replicas *replicas, int32_t prefix, double now_s)
{
	int64_t chosen = 0;

	switch (replicas->routing) {
	case ROUTING_UNSET:
	case ROUTING_ROUND_ROBIN:
		chosen = next_in_turn(replicas, now_s);
		break;
	case ROUTING_LEAST_OUTSTANDING:
		chosen = idlest(replicas, now_s);
		break;
	case ROUTING_PREFIX_AWARE:
		chosen = home_or_idlest(replicas, prefix, now_s);
		break;
	}
	engine_advance(&replicas->engines[chosen], now_s);
	return &replicas->engines[chosen];
}

int64_t replicas_warm(struct replicas *replicas)
{
	int32_t prefixes = replicas->homes ? replicas->engines[0].setting->prefix_count : 0;
	int64_t most = replicas->homes ? engine_prefixes_max(replicas->engines[0].setting) : 0, touched = 0;
	bool homes = replicas->routing == ROUTING_PREFIX_AWARE;

	for (int64_t i = 0; i < replicas->count; i++) {
		int64_t own = homes ? (prefixes - i + replicas->count - 1) / replicas->count : prefixes;

		for (int64_t k = own > most ? own - most : 0; k < own; k++, touched++)
			engine_warm(&replicas->engines[i], (int32_t)(homes ? i + k * replicas->count : (k + i * prefixes / replicas->count) % prefixes));
	}
	for (int32_t prefix = 0; prefix < prefixes && homes; prefix++)
		replicas->homes[prefix] = (int32_t)(prefix % replicas->count);
	return touched;
}

void replicas_resize(struct replicas *replicas, int64_t count, double now_s, double startup_s)
{
	CHECK(count >= 1 && count <= replicas->most);
	for (int64_t i = replicas->count; i < count; i++) {
		replicas->engines[i].ready_s = now_s + startup_s;
		replicas->engines[i].clock_s = fmax(replicas->engines[i].clock_s, now_s + startup_s);
	}
	for (int64_t i = count; i < replicas->count; i++)
		engine_advance(&replicas->engines[i], HUGE_VAL); /* no request arrives any more, so it can run ahead of time */
	replicas->count = count;
}
