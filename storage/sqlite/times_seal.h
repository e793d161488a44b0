/* When a row of the catalogue holds, and who made it so: changed in place by statements, and so sealed by them, with two functions of SQL.
 *
 *   times_seal(id, valid_from_us, valid_to_us, revision, opened_by, closed_by)   their checksum
 *   times_change(checksum, the six, and the five behind the id as they become)   the new one; of a row whose times were changed on the disk the old
 *                                                                                one, so that the change does not pass for ours
 */
#ifndef FLEETPLAN_STORAGE_SQLITE_TIMES_SEAL_H
#define FLEETPLAN_STORAGE_SQLITE_TIMES_SEAL_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/failure.h"

enum { TIMES_COUNT = 5 };

struct row_times {
	const char *id;
	int64_t values[TIMES_COUNT]; /* in that order */
	bool there[TIMES_COUNT];     /* false: NULL, or a table without the column */
};

int64_t times_checksum(const struct row_times *times);

/* Makes the functions known to a connection. */
FALLIBLE enum status times_seal_register(sqlite3 *db, struct failure *failure);

#endif
