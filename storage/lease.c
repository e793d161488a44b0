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

static const char *const event_names[LEASE_EVENT_COUNT] = {
	[LEASE_CLAIM] = "claimed",
	[LEASE_HEARTBEAT] = "kept alive",
	[LEASE_SUCCEED] = "finished",
	[LEASE_FAIL] = "finished",
	[LEASE_RELEASE] = "given back",
	[LEASE_CANCEL] = "cancelled",
	[LEASE_OVER] = "ended by its lease",
	[LEASE_TOO_LATE] = "ended by its time in the queue",
};

/* What an event does in a state. */
enum move {
	MOVE_NONE,
	MOVE_RUN,       /* to running, with the next token and attempt */
	MOVE_STAY,      /* only the lease's end moves */
	MOVE_SUCCEED,   /* to succeeded */
	MOVE_FAIL,      /* to failed; to cancelled when that was asked for */
	MOVE_LATE,      /* the same from a state that the sweep has put it in: the last worker delivers after all */
	MOVE_LATE_FAIL,
	MOVE_GIVE_BACK, /* to queued, the attempt not counted; to cancelled when that was asked for */
	MOVE_CANCEL,    /* to cancelled */
	MOVE_ASK,       /* stays running; the worker hears of it by its next heartbeat */
	MOVE_RETRY,     /* to queued while attempts are left, else to expired; to cancelled when that was asked for */
	MOVE_EXPIRE,    /* to expired */
};

static const enum move moves[LEASE_STATE_COUNT][LEASE_EVENT_COUNT] = {
	[LEASE_QUEUED] = {
		[LEASE_CLAIM] = MOVE_RUN,
		[LEASE_SUCCEED] = MOVE_LATE,
		[LEASE_FAIL] = MOVE_LATE_FAIL,
		[LEASE_CANCEL] = MOVE_CANCEL,
		[LEASE_TOO_LATE] = MOVE_EXPIRE,
	},
	[LEASE_RUNNING] = {
		[LEASE_HEARTBEAT] = MOVE_STAY,
		[LEASE_SUCCEED] = MOVE_SUCCEED,
		[LEASE_FAIL] = MOVE_FAIL,
		[LEASE_RELEASE] = MOVE_GIVE_BACK,
		[LEASE_CANCEL] = MOVE_ASK,
		[LEASE_OVER] = MOVE_RETRY,
	},
	[LEASE_EXPIRED] = {
		[LEASE_SUCCEED] = MOVE_LATE,
		[LEASE_FAIL] = MOVE_LATE_FAIL,
	},
	/* succeeded, failed and cancelled are the end. */
};

static bool shows_token(enum lease_event event)
{
	return event == LEASE_HEARTBEAT || event == LEASE_SUCCEED || event == LEASE_FAIL || event == LEASE_RELEASE;
}

const char *lease_state_name(enum lease_state state)
{
	return state_names[state];
}

const char *lease_event_name(enum lease_event event)
{
	return event_names[event];
}

enum lease_state lease_state_of(const char *name)
{
	for (int i = 0; i < LEASE_STATE_COUNT; i++) {
		if (strcmp(state_names[i], name) == 0)
			return (enum lease_state)i;
	}
	return LEASE_STATE_COUNT;
}

static void lease_end(struct benchmark_record *benchmark, enum lease_state state, int64_t now_us)
{
	benchmark->state = state_names[state];
	benchmark->lease_until_us = ABSENT_COUNT;
	benchmark->finished_at_us = now_us;
}

static void lease_requeue(struct benchmark_record *benchmark)
{
	benchmark->state = state_names[LEASE_QUEUED];
	benchmark->lease_until_us = ABSENT_COUNT;
}

static void lease_retry(struct benchmark_record *benchmark, int64_t now_us)
{
	if (benchmark->cancel_requested) {
		lease_end(benchmark, LEASE_CANCELLED, now_us);
		benchmark->state_reason = "cancelled; its worker did not answer any more";
	} else if (benchmark->attempt >= LEASE_ATTEMPTS_MAX) {
		lease_end(benchmark, LEASE_EXPIRED, now_us);
		benchmark->state_reason = "its worker was lost, and so were those of the attempts before";
	} else {
		lease_requeue(benchmark);
		benchmark->state_reason = "its worker was lost: waiting for another attempt";
	}
}

static void lease_give_back(struct benchmark_record *benchmark, int64_t now_us)
{
	benchmark->attempt--;
	benchmark->token++; /* whoever gave it back cannot deliver any more */
	if (benchmark->cancel_requested)
		lease_end(benchmark, LEASE_CANCELLED, now_us);
	else
		lease_requeue(benchmark);
}

static void lease_move(struct benchmark_record *benchmark, enum move move, int64_t now_us, int64_t lease_until_us)
{
	switch (move) {
	case MOVE_RUN:
		benchmark->state = state_names[LEASE_RUNNING];
		benchmark->token++;
		benchmark->attempt++;
		benchmark->lease_until_us = lease_until_us;
		break;
	case MOVE_STAY:
		benchmark->lease_until_us = lease_until_us;
		break;
	case MOVE_LATE:
	case MOVE_LATE_FAIL:
		benchmark->late = true;
		lease_end(benchmark, move == MOVE_LATE ? LEASE_SUCCEEDED : LEASE_FAILED, now_us);
		break;
	case MOVE_SUCCEED:
		lease_end(benchmark, LEASE_SUCCEEDED, now_us);
		break;
	case MOVE_FAIL:
		lease_end(benchmark, benchmark->cancel_requested ? LEASE_CANCELLED : LEASE_FAILED, now_us);
		break;
	case MOVE_GIVE_BACK:
		lease_give_back(benchmark, now_us);
		break;
	case MOVE_CANCEL:
		benchmark->cancel_requested = true;
		lease_end(benchmark, LEASE_CANCELLED, now_us);
		break;
	case MOVE_ASK:
		benchmark->cancel_requested = true;
		break;
	case MOVE_RETRY:
		lease_retry(benchmark, now_us);
		break;
	case MOVE_EXPIRE:
		lease_end(benchmark, LEASE_EXPIRED, now_us);
		benchmark->state_reason = "no device was free for it in time";
		break;
	case MOVE_NONE:
		break;
	}
}

enum status lease_apply(struct benchmark_record *benchmark, enum lease_event event, int64_t token, int64_t now_us,
	int64_t lease_until_us, struct failure *failure)
{
	enum lease_state state = lease_state_of(benchmark->state);
	enum move move;

	CHECK(state < LEASE_STATE_COUNT && event < LEASE_EVENT_COUNT);
	move = moves[state][event];
	/* Token 0 is no lease: it was never claimed. */
	if (shows_token(event) && (token != benchmark->token || token < 1 || move == MOVE_NONE))
		return failure_set(failure, STATUS_STALE_LEASE, "benchmark %s is %s and not leased to you (token %lld, now %lld): stop working on it",
			benchmark->id, benchmark->state, (long long)token, (long long)benchmark->token);
	if (move == MOVE_NONE)
		return failure_set(failure, STATUS_CONFLICT, "benchmark %s is %s and cannot be %s", benchmark->id, benchmark->state,
			event_names[event]);
	lease_move(benchmark, move, now_us, lease_until_us);
	return STATUS_OK;
}
