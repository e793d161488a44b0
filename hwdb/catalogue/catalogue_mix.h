/* Comparison of two snapshots of the catalogue, and a third snapshot made of parts of both. They show which kind of row
 * changed a plan's figures. Two rows are the same when their id and revision are equal. Thread-safe: snapshots do not
 * change. */
#ifndef FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_MIX_H
#define FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_MIX_H

#include "hwdb/catalogue/catalogue.h"

enum catalogue_part {
	CATALOGUE_ACCELERATORS,
	CATALOGUE_MODELS,
	CATALOGUE_REGIONS,
	CATALOGUE_CALIBRATIONS,
	CATALOGUE_PRICES,
	CATALOGUE_PART_COUNT
};
const char *catalogue_part_name(enum catalogue_part part); /* "accelerators", ... */

enum { CATALOGUE_CHANGE_NAMES = 4 };

struct catalogue_change {
	size_t added, changed, removed;
	const char *names[CATALOGUE_CHANGE_NAMES]; /* ids of the first of them; the rest are NULL. Borrowed from the snapshots */
};

void catalogue_compare(
	const struct catalogue *before, const struct catalogue *after, enum catalogue_part part, struct catalogue_change *change);

/* Returns a snapshot with the parts whose bit (1 << part) is set from `after`, the others from `before`. It borrows
 * from both, which must outlive it. NULL and a filled failure when memory is short. */
struct catalogue *catalogue_mix(
	const struct catalogue *before, const struct catalogue *after, unsigned parts_of_after, struct failure *failure);

#endif
