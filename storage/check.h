/* Whether everything that is stored is whole, and what to do when it is not. */
#ifndef FLEETPLAN_STORAGE_CHECK_H
#define FLEETPLAN_STORAGE_CHECK_H

#include "storage/storage.h"

/* One fault as it is found, in words: "page 7 ...", "plan 0193... was changed on the disk ...". Called on the checking thread. */
typedef void check_note(void *context, const char *fault);

struct check_result {
	int64_t plans, revisions, rows; /* that were read, and are whole */
	int64_t faults;
	int64_t lost_commits;           /* acknowledged and not there, by the mark beside the file */
};

/* Reads everything: the pages' structure, each plan and each row that has a checksum. A log beside the file is left as it is. Works
 * also while a daemon works on the file. STATUS_OK with result->faults 0: whole. Otherwise the status is why it could not begin. */
FALLIBLE enum status storage_check(const char *path, check_note *note, void *context, struct check_result *result, struct failure *failure);

struct recover_result {
	int64_t rows;   /* that are in the new file */
	int64_t faults; /* stretches that could not be read, and rows whose checksum differs: they are not */
};

/* Copies what can be read and is whole into a new file (STATUS_CONFLICT when it exists), a table after the other. The old one is only read. */
FALLIBLE enum status storage_recover(const char *path, const char *to, check_note *note, void *context, struct recover_result *result,
	struct failure *failure);

/* A thread that checks as storage_check does, now and then once a day, at its leisure; what it finds is logged and in the state. */
FALLIBLE enum status storage_scrub_start(struct storage *storage, struct failure *failure);

#endif
