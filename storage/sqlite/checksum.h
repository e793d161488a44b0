/* Checksums of plans and rows (XXH64): docs/decisions/0062 and 0245. */
#ifndef FLEETPLAN_STORAGE_SQLITE_CHECKSUM_H
#define FLEETPLAN_STORAGE_SQLITE_CHECKSUM_H

#include "base/failure.h"
#include "storage/sqlite/maps.h"

/* Adds a part: the hash of each part is the seed of the next. */
uint64_t checksum_add_text(uint64_t hash, const char *text, size_t length);
uint64_t checksum_add_string(uint64_t hash, const char *text);
uint64_t checksum_add_integer(uint64_t hash, int64_t value);
int64_t checksum_of(uint64_t hash); /* 63 bits, because SQL integers are signed */

/* Returns the checksum of a plan's content (with its id); of the fields that a list shows. */
int64_t plan_checksum(const struct plan_record *plan, int64_t content_revision);
int64_t plan_head_checksum(const struct plan_record *plan);

/* Returns STATUS_UNAVAILABLE with the plan's id if the plan differs from its checksum. The head may be of an older
 * version, which needs `asked` for the check; plan_head_is_whole does not know that version. */
bool plan_head_is_whole(const struct plan_stored *plan);
FALLIBLE enum status plan_verify_head(const struct plan_stored *plan, struct failure *failure);
FALLIBLE enum status plan_verify_content(const struct plan_stored *plan, struct failure *failure);

#endif
