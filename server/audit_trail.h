/* Writes the audit log (storage/audit.h): an entry for each write by a key, and for each refused write.
 *
 * The entry of a write is committed together with the storage job of that write. A write outside of the database (a
 * backup, a refresh of a feed) and a refusal get an entry of their own when their answer is known. At most
 * AUDIT_REFUSALS_A_MINUTE refusals are recorded, so that a client cannot fill the disk with them. Thread-safe. */
#ifndef FLEETPLAN_SERVER_AUDIT_TRAIL_H
#define FLEETPLAN_SERVER_AUDIT_TRAIL_H

#include "server/handler.h"

struct exchange;
struct storage_job;

enum { AUDIT_REFUSALS_A_MINUTE = 600, AUDIT_WAITING_MAX = 1024 };

/* Attaches the audit entry of this call to the job, if the call's route writes. STATUS_NO_MEMORY. */
FALLIBLE enum status audit_attach(struct call *call, struct storage_job *job);

/* Makes the same entry for a job that the caller builds elsewhere; NULL in *entry if the route does not write. */
FALLIBLE enum status audit_entry_of(struct call *call, const struct audit_record **entry);

/* Says that this call writes nothing, whatever its answer: a replayed key, a dry run, no benchmark to lease. */
void audit_none(struct call *call);

/* Writes the call's own entry, if it needs one. Call it when the answer is known, before it is sent. */
void audit_finish(struct exchange *exchange, enum status status);

/* Number of entries that were not stored since the start: too many waited, or the write failed. */
uint64_t audit_dropped(void);

#endif
