#include "storage/lease.h"

#include <string.h>

static const char *const state_names[LEASE_STATE_COUNT] = {
	[LEASE_QUEUED] = "queued",
	[LEASE_RUNNING] = "running",
	[LEASE_SUCCEEDED] = "succeeded",
	[LEASE_FAILED] = "failed",
	[LEASE_CANCELLED] = "cancelled",
	[LEASE_EXPIRED] = "expired",
};

static const struct lease_event_row {
	const char *name; /* used in "benchmark b is queued and cannot be ..." */
	bool shows_token;
} events[LEASE_EVENT_COUNT] = {
	[LEASE_CLAIM] = {"claimed", false},
	[LEASE_HEARTBEAT] = {"kept alive", true},
	[LEASE_SUCCEED] = {"finished", true},
	[LEASE_FAIL] = {"finished as a failure", true},
	[LEASE_BREAK] = {"broken off", true},
	[LEASE_RELEASE] = {"given back", true},
	[LEASE_CANCEL] = {"cancelled", false},
	[LEASE_OVER] = {"ended by its lease", false},
	[LEASE_TOO_LATE] = {"ended by its time in the queue", false},
};

#define TO(state, ...) \
	{ \
		.allowed = true, .to = LEASE_##state, __VA_ARGS__ \
	}

static const struct lease_move moves[LEASE_STATE_COUNT][LEASE_EVENT_COUNT] =
	{
		[LEASE_QUEUED] =
			{
				[LEASE_CLAIM] = TO(RUNNING, .effects = LEASE_EFFECT_TAKE | LEASE_EFFECT_RENEW),
				[LEASE_SUCCEED] = TO(SUCCEEDED, .effects = LEASE_EFFECT_KEEP | LEASE_EFFECT_LATE),
				[LEASE_FAIL] = TO(FAILED, .effects = LEASE_EFFECT_KEEP | LEASE_EFFECT_LATE),
				[LEASE_CANCEL] = TO(CANCELLED, .effects = LEASE_EFFECT_ASK),
				[LEASE_TOO_LATE] = TO(EXPIRED, .effects = 0),
			},
		[LEASE_RUNNING] =
			{
				[LEASE_HEARTBEAT] = TO(RUNNING, .effects = LEASE_EFFECT_RENEW),
				[LEASE_SUCCEED] = TO(SUCCEEDED, .effects = LEASE_EFFECT_KEEP),
				[LEASE_FAIL] = TO(FAILED, .effects = LEASE_EFFECT_KEEP, .if_unwanted = LEASE_CANCELLED),
				[LEASE_BREAK] = TO(QUEUED, .effects = LEASE_EFFECT_KEEP, .if_unwanted = LEASE_CANCELLED, .if_used_up = LEASE_FAILED),
				[LEASE_RELEASE] = TO(QUEUED, .effects = LEASE_EFFECT_UNDO, .if_unwanted = LEASE_CANCELLED),
				[LEASE_CANCEL] = TO(RUNNING, .effects = LEASE_EFFECT_ASK),
				[LEASE_OVER] = TO(QUEUED, .effects = 0, .if_unwanted = LEASE_CANCELLED, .if_used_up = LEASE_EXPIRED),
			},
		/* A worker that the daemon considered lost may still deliver: its work is not thrown away. */
		[LEASE_EXPIRED] =
			{
				[LEASE_SUCCEED] = TO(SUCCEEDED, .effects = LEASE_EFFECT_KEEP | LEASE_EFFECT_LATE),
				[LEASE_FAIL] = TO(FAILED, .effects = LEASE_EFFECT_KEEP | LEASE_EFFECT_LATE),
			},
		/* succeeded, failed and cancelled are final: no event is allowed */
};

const struct lease_move *lease_move_of(enum lease_state state, enum lease_event event)
{
	CHECK(state < LEASE_STATE_COUNT && event < LEASE_EVENT_COUNT);
	return &moves[state][event];
}

const char *lease_state_name(enum lease_state state)
{
	return state_names[state];
}

enum lease_state lease_state_of(const char *name)
{
	for (int i = 0; i < LEASE_STATE_COUNT; i++) {
		if (strcmp(state_names[i], name) == 0)
			return (enum lease_state)i;
	}
	return LEASE_STATE_COUNT;
}

bool lease_state_is_end(enum lease_state state)
{
	return state != LEASE_QUEUED && state != LEASE_RUNNING;
}

const char *lease_event_name(enum lease_event event)
{
	return events[event].name;
}

bool lease_event_shows_token(enum lease_event event)
{
	return events[event].shows_token;
}

static enum lease_state lease_target(const struct benchmark_record *benchmark, const struct lease_move *move)
{
	if (move->if_unwanted && benchmark->cancel_requested)
		return move->if_unwanted;
	if (move->if_used_up && benchmark->attempt >= LEASE_ATTEMPTS_MAX)
		return move->if_used_up;
	return move->to;
}

static const char *lease_reason(const struct benchmark_record *benchmark, const struct lease_step *step, enum lease_state to)
{
	if (step->reason)
		return step->reason;
	if (step->event == LEASE_OVER)
		return to == LEASE_QUEUED ? "its worker was lost; it waits for another attempt"
			: to == LEASE_EXPIRED ? "its worker was lost, and no attempt is left"
								  : "cancelled; its worker stopped reporting";
	if (step->event == LEASE_TOO_LATE)
		return "no device was free for it in time";
	return step->event == LEASE_HEARTBEAT || step->event == LEASE_CANCEL ? benchmark->state_reason : NULL;
}

static void lease_take(struct benchmark_record *benchmark, const struct lease_step *step)
{
	benchmark->token++;
	benchmark->attempt++;
	benchmark->running_device = step->device;
	benchmark->agent_id = step->agent;
	benchmark->started_at_us = step->now_us;
	benchmark->progress = benchmark->result = (struct json_text){NULL, 0};
	memset(benchmark->result_sha256, 0, sizeof benchmark->result_sha256);
}

static void lease_move_to(struct benchmark_record *benchmark, const struct lease_step *step, unsigned effects, enum lease_state to)
{
	benchmark->state_reason = lease_reason(benchmark, step, to);
	benchmark->state = state_names[to];
	if (effects & LEASE_EFFECT_TAKE)
		lease_take(benchmark, step);
	if (effects & LEASE_EFFECT_UNDO) {
		benchmark->attempt--;
		benchmark->token++; /* the agent that released it cannot deliver any more */
	}
	if (effects & LEASE_EFFECT_RENEW)
		benchmark->lease_until_us = step->lease_until_us;
	if (effects & LEASE_EFFECT_KEEP && step->sha256)
		memcpy(benchmark->result_sha256, step->sha256, sizeof benchmark->result_sha256);
	benchmark->late = benchmark->late || (effects & LEASE_EFFECT_LATE);
	benchmark->cancel_requested = benchmark->cancel_requested || (effects & LEASE_EFFECT_ASK);
	if (to != LEASE_RUNNING)
		benchmark->lease_until_us = ABSENT_COUNT;
	if (lease_state_is_end(to))
		benchmark->finished_at_us = step->now_us;
}

/* True if the last lease has delivered already; sets `repeated` if the step delivers the same result again. */
static bool lease_delivered(const struct benchmark_record *benchmark, struct lease_step *step)
{
	static const unsigned char none[sizeof benchmark->result_sha256];
	bool delivers = step->event == LEASE_SUCCEED || step->event == LEASE_FAIL || step->event == LEASE_BREAK;

	if (!delivers || step->token != benchmark->token || !memcmp(benchmark->result_sha256, none, sizeof none))
		return false;
	step->repeated = step->sha256 && !memcmp(benchmark->result_sha256, step->sha256, sizeof none);
	return true;
}

enum status lease_apply(struct benchmark_record *benchmark, struct lease_step *step, struct failure *failure)
{
	enum lease_state state = lease_state_of(benchmark->state);
	const struct lease_move *move = lease_move_of(state, step->event);

	step->repeated = false;
	if (lease_delivered(benchmark, step))
		return step->repeated ? STATUS_OK
							  : failure_set(failure, STATUS_CONFLICT, "benchmark %s already has a different result", benchmark->id);
	/* Token 0 is not a lease: the benchmark was never claimed. */
	if (events[step->event].shows_token && (step->token != benchmark->token || step->token < 1 || !move->allowed))
		return failure_set(failure, STATUS_STALE_LEASE,
			"benchmark %s is %s and not leased to you (your token is %lld, the last is %lld); stop the worker", benchmark->id,
			benchmark->state, (long long)step->token, (long long)benchmark->token);
	if (!move->allowed)
		return failure_set(
			failure, STATUS_CONFLICT, "benchmark %s is %s and cannot be %s", benchmark->id, benchmark->state, events[step->event].name);
	lease_move_to(benchmark, step, move->effects, lease_target(benchmark, move));
	return STATUS_OK;
}
