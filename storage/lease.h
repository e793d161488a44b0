/* The life of a benchmark as one table: states, events, and what follows. Pure: the store reads a record, asks here what
 * an event does to it, and writes it back in the same transaction; no statement of SQL changes a state by itself.
 * docs/leases.md is written from the table; tests/storage/test_lease.c walks every order of events of two agents, two
 * benchmarks and two devices.
 *
 * What holds by it: a token is given once, and each lease has a higher one than those before; only the last token is
 * heard; a benchmark is started at most LEASE_ATTEMPTS_MAX times, those not counted that were given back; one result
 * is taken, and none after another lease was given; what has succeeded, failed or was cancelled stays so. */
#ifndef FLEETPLAN_STORAGE_LEASE_H
#define FLEETPLAN_STORAGE_LEASE_H

#include "base/failure.h"
#include "hwdb/catalogue/records.h"

enum lease_state {
	LEASE_QUEUED, LEASE_RUNNING, LEASE_SUCCEEDED, LEASE_FAILED, LEASE_CANCELLED, LEASE_EXPIRED, LEASE_STATE_COUNT
};

enum lease_event {
	LEASE_CLAIM,     /* a worker takes it */
	LEASE_HEARTBEAT, /* the worker lives */
	LEASE_SUCCEED,   /* a result */
	LEASE_FAIL,      /* a result that is a failure: trying again would lead to the same */
	LEASE_BREAK,     /* the worker broke: it may be tried again */
	LEASE_RELEASE,   /* given back without penalty */
	LEASE_CANCEL,    /* somebody does not want it any more */
	LEASE_OVER,      /* the lease ended without a word */
	LEASE_TOO_LATE,  /* nobody started it in time */
	LEASE_EVENT_COUNT
};

enum { LEASE_ATTEMPTS_MAX = 3 };

/* What an event does in a state beside leading to another. */
enum lease_effect {
	LEASE_EFFECT_TAKE = 1,  /* the next token, one more attempt, a new lease; an earlier attempt's result is forgotten */
	LEASE_EFFECT_RENEW = 2, /* the lease's end moves */
	LEASE_EFFECT_KEEP = 4,  /* the result is kept */
	LEASE_EFFECT_LATE = 8,  /* and marked late */
	LEASE_EFFECT_UNDO = 16, /* the attempt is not counted, and its token is void */
	LEASE_EFFECT_ASK = 32,  /* the cancellation is written down; a worker hears of it by its next heartbeat */
};

/* A cell of the table. LEASE_QUEUED in the last two: as `to`. */
struct lease_move {
	bool allowed;
	enum lease_state to;
	unsigned effects;             /* set of lease_effect */
	enum lease_state if_unwanted; /* where it leads instead when a cancellation was asked for, */
	enum lease_state if_used_up;  /* and when all attempts are used */
};

const struct lease_move *lease_move_of(enum lease_state state, enum lease_event event);

const char *lease_state_name(enum lease_state state);
enum lease_state lease_state_of(const char *name); /* LEASE_STATE_COUNT for an unknown one */
bool lease_state_is_end(enum lease_state state); /* not queued, not running */
const char *lease_event_name(enum lease_event event);
bool lease_event_shows_token(enum lease_event event);

struct lease_step {
	enum lease_event event;
	int64_t token;                  /* that the worker shows */
	int64_t now_us, lease_until_us; /* the latter: claim, heartbeat */
	const char *device, *agent;     /* claim; agent NULL: the daemon's own worker */
	const char *reason;             /* for a person; NULL: the table's own, or none */
	const unsigned char *sha256;    /* of the result as delivered: succeed, fail, break */
	bool repeated;                  /* output: this very result had been taken before, and nothing is changed */
};

/* Applies a step to the record. STATUS_STALE_LEASE for a token that is not the last one, STATUS_CONFLICT for what the state
 * does not allow and for another result than the one taken; the record is then as it was. */
FALLIBLE enum status lease_apply(struct benchmark_record *benchmark, struct lease_step *step, struct failure *failure);

#endif
