/* The state machine of a benchmark, as one table: states, events and transitions. Pure: the store reads a record,
 * applies an event with this module, and writes the record back in the same transaction; no SQL statement changes a
 * state by itself. docs/leases.md is generated from the table; tests/storage/test_lease.c runs every order of events of
 * two agents, two benchmarks and two devices.
 *
 * The table guarantees: a token is given once, and each lease has a higher token than those before; only the last token
 * is accepted; a benchmark is started at most LEASE_ATTEMPTS_MAX times, without those given back; one result is
 * accepted, and none after a later lease; succeeded, failed and cancelled are final. */
#ifndef FLEETPLAN_STORAGE_LEASE_H
#define FLEETPLAN_STORAGE_LEASE_H

#include "base/failure.h"
#include "hwdb/catalogue/records.h"

enum lease_state { LEASE_QUEUED, LEASE_RUNNING, LEASE_SUCCEEDED, LEASE_FAILED, LEASE_CANCELLED, LEASE_EXPIRED, LEASE_STATE_COUNT };

enum lease_event {
	LEASE_CLAIM,     /* a worker claims it */
	LEASE_HEARTBEAT, /* the worker reports */
	LEASE_SUCCEED,   /* a result */
	LEASE_FAIL,      /* a result that is a failure; another attempt would fail too */
	LEASE_BREAK,     /* the worker broke; another attempt may succeed */
	LEASE_RELEASE,   /* given back without penalty */
	LEASE_CANCEL,    /* a client cancels it */
	LEASE_OVER,      /* the lease expired without a report */
	LEASE_TOO_LATE,  /* no worker started it in time */
	LEASE_EVENT_COUNT
};

enum { LEASE_ATTEMPTS_MAX = 3 };

/* Effects of an event beside the new state. */
enum lease_effect {
	LEASE_EFFECT_TAKE = 1,  /* next token, one more attempt, new lease; the result of an earlier attempt is cleared */
	LEASE_EFFECT_RENEW = 2, /* the lease is extended */
	LEASE_EFFECT_KEEP = 4,  /* the result is stored */
	LEASE_EFFECT_LATE = 8,  /* the result is marked late */
	LEASE_EFFECT_UNDO = 16, /* the attempt does not count, and its token is void */
	LEASE_EFFECT_ASK = 32,  /* the cancellation is stored; the worker receives it with its next heartbeat */
};

/* A cell of the table. LEASE_QUEUED in the last two members: same as `to`. */
struct lease_move {
	bool allowed;
	enum lease_state to;
	unsigned effects;             /* set of lease_effect */
	enum lease_state if_unwanted; /* next state instead if a cancellation was requested */
	enum lease_state if_used_up;  /* next state instead if all attempts are used */
};

const struct lease_move *lease_move_of(enum lease_state state, enum lease_event event);

const char *lease_state_name(enum lease_state state);
enum lease_state lease_state_of(const char *name); /* LEASE_STATE_COUNT for an unknown one */
bool lease_state_is_end(enum lease_state state);   /* not queued, not running */
const char *lease_event_name(enum lease_event event);
bool lease_event_shows_token(enum lease_event event);

struct lease_step {
	enum lease_event event;
	int64_t token;                  /* token that the worker sends */
	int64_t now_us, lease_until_us; /* lease_until_us: claim, heartbeat */
	const char *device, *agent;     /* claim; agent NULL: the daemon's own worker */
	const char *reason;             /* for people; NULL: the table's own reason, or none */
	const unsigned char *sha256;    /* of the delivered result: succeed, fail, break */
	bool repeated;                  /* output: the same result was accepted before, and nothing changes */
};

/* Applies a step to the record. STATUS_STALE_LEASE if the token is not the last one; STATUS_CONFLICT if the state does
 * not allow the event, or if a different result was accepted. After an error the record is unchanged. */
FALLIBLE enum status lease_apply(struct benchmark_record *benchmark, struct lease_step *step, struct failure *failure);

#endif
