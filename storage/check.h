/* Checks all stored data, and recovers what is readable from a damaged file. */
#ifndef FLEETPLAN_STORAGE_CHECK_H
#define FLEETPLAN_STORAGE_CHECK_H

#include "storage/storage.h"

/* Receives one fault, in words: "page 7 ...", "plan 0193... was changed on the disk ...". Called on the checking
 * thread. */
typedef void check_note(void *context, const char *fault);

struct check_result {
	int64_t plans, revisions, rows; /* read and undamaged */
	int64_t faults;
	int64_t lost_commits; /* acknowledged commits that are missing, by the mark beside the file */
};

/* Reads everything: the structure of the pages, each plan, and each row with a checksum. Leaves a log beside the file
 * as it is. Also works while a daemon uses the file. STATUS_OK with result->faults 0: no damage. Other statuses: the
 * check could not begin, or (STATUS_NO_MEMORY) it left something out. */
FALLIBLE enum status storage_check(const char *path, check_note *note, void *context, struct check_result *result, struct failure *failure);

struct recover_result {
	int64_t rows;   /* rows in the new file */
	int64_t faults; /* unreadable parts, and rows whose checksum differs; not in the new file */
};

/* Copies the readable and undamaged rows into a new file, table by table (STATUS_CONFLICT if it exists). Only reads the
 * old file. */
FALLIBLE enum status storage_recover(
	const char *path, const char *to, check_note *note, void *context, struct recover_result *result, struct failure *failure);

/* Starts a thread that checks like storage_check, at low load, about once a day. It logs its findings and stores them
 * in the state. */
FALLIBLE enum status storage_scrub_start(struct storage *storage, struct failure *failure);

#endif
