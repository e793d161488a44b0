/* The checksum of a catalogue row's times: its validity, its revision, and the imports that opened and closed it.
 * Statements change these columns in place, and update the checksum with two SQL functions.
 *
 *   times_seal(id, valid_from_us, valid_to_us, revision, opened_by, closed_by)   returns their checksum
 *   times_change(checksum, the six values, the new values of the last five)      returns the new checksum; returns the old
 *                                                                                one if it does not match the old values,
 *                                                                                so that damage stays visible
 */
#ifndef FLEETPLAN_STORAGE_SQLITE_TIMES_SEAL_H
#define FLEETPLAN_STORAGE_SQLITE_TIMES_SEAL_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/failure.h"

enum { TIMES_COUNT = 5 };

struct row_times {
	const char *id;
	int64_t values[TIMES_COUNT]; /* in the order of times_seal() */
	bool there[TIMES_COUNT];     /* false: NULL, or the table does not have the column */
};

int64_t times_checksum(const struct row_times *times);

/* Registers the functions with a connection. */
FALLIBLE enum status times_seal_register(sqlite3 *db, struct failure *failure);

#endif
