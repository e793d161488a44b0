/* Checksums of plans (XXH64): docs/decisions/0062. */
#ifndef FLEETPLAN_STORAGE_SQLITE_CHECKSUM_H
#define FLEETPLAN_STORAGE_SQLITE_CHECKSUM_H

#include "base/failure.h"
#include "storage/sqlite/maps.h"

/* Of the computed content (and the id it belongs to); of name, notes, labels and revision. */
int64_t plan_checksum(const struct plan_record *plan, int64_t content_revision);
int64_t plan_head_checksum(const struct plan_record *plan);

/* STATUS_UNAVAILABLE, naming the plan, when what was read is not what was stored. */
FALLIBLE enum status plan_verify(const struct plan_stored *plan, bool with_content, struct failure *failure);

#endif
