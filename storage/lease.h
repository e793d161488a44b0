/* The life of a benchmark as one table: states, events, and what follows. Pure: the store reads a record, asks here what
 * an event does to it, and writes it back in the same transaction. Claiming is an event too, but is done by one SQL
 * statement, because it chooses among many; the tests hold that statement against this table. */
#ifndef FLEETPLAN_STORAGE_LEASE_H
#define FLEETPLAN_STORAGE_LEASE_H

#include "base/failure.h"
#include "hwdb/records.h"

enum lease_state {
	LEASE_QUEUED, LEASE_RUNNING, LEASE_SUCCEEDED, LEASE_FAILED, LEASE_CANCELLED, LEASE_EXPIRED, LEASE_STATE_COUNT
};

enum lease_event {
	LEASE_CLAIM,     /* a worker takes it */
	LEASE_HEARTBEAT, /* the worker lives */
	LEASE_SUCCEED,   /* a result */
	LEASE_FAIL,      /* a result that is a failure */
	LEASE_RELEASE,   /* given back without penalty */
	LEASE_CANCEL,    /* somebody does not want it any more */
	LEASE_OVER,      /* the lease ended without a word */
	LEASE_TOO_LATE,  /* nobody started it in time */
	LEASE_EVENT_COUNT
};

enum { LEASE_ATTEMPTS_MAX = 3 };

const char *lease_state_name(enum lease_state state);
enum lease_state lease_state_of(const char *name); /* LEASE_STATE_COUNT for an unknown one */
const char *lease_event_name(enum lease_event event);

/* Applies an event to the record: state, attempt, token, lease_until, finished_at, late, cancel_requested. `token` is the
 * one that the worker shows (heartbeat, succeed, fail, release); `lease_until_us` the new end (claim, heartbeat).
 * STATUS_STALE_LEASE for a token that is not the last one, STATUS_CONFLICT for what the state does not allow; the
 * record is then as it was. */
FALLIBLE enum status lease_apply(struct benchmark_record *benchmark, enum lease_event event, int64_t token, int64_t now_us,
	int64_t lease_until_us, struct failure *failure);

#endif
