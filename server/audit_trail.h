/* What the audit log is told of a request (storage/audit.h): each write by a key, and each write that was refused to one.
 *
 * The entry of a write goes with the storage job that makes it true, in the same commit. A write outside of the database (a backup, a refresh of a
 * feed) and a refusal get an entry of their own, when their answer is known; of refusals AUDIT_REFUSALS_A_MINUTE, so that nobody fills the disk with
 * them. Thread-safe. */
#ifndef FLEETPLAN_SERVER_AUDIT_TRAIL_H
#define FLEETPLAN_SERVER_AUDIT_TRAIL_H

#include "server/handler.h"

struct exchange;
struct storage_job;

enum { AUDIT_REFUSALS_A_MINUTE = 600, AUDIT_WAITING_MAX = 1024 };

/* Lets the job carry the entry of this call, where its route is one that writes. STATUS_NO_MEMORY. */
FALLIBLE enum status audit_attach(struct call *call, struct storage_job *job);

/* That entry for a job that is made elsewhere; NULL in *entry where the route does not write. */
FALLIBLE enum status audit_entry_of(struct call *call, const struct audit_record **entry);

/* This call writes nothing whatever it is answered: a repeated key, a question, nothing to lease. */
void audit_none(struct call *call);

/* When the answer is known, before it is written. */
void audit_finish(struct exchange *exchange, enum status status);

/* Entries that found no room, or could not be written, since the start. */
uint64_t audit_dropped(void);

#endif
