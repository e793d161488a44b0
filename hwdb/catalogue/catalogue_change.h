/* A snapshot that differs from another in a few prices. It shares all other rows and indexes with a snapshot that was
 * built whole, so its cost is that of the changed rows. A catalogue holds hundreds of thousands of prices, and users
 * change them one at a time.
 *
 * In such a snapshot `rows.prices` are those of the snapshot built whole. Use catalogue_rows_of() to walk all prices,
 * catalogue_price_count() for their number, and the functions of catalogue.h and offers.h as usual. */
#ifndef FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_CHANGE_H
#define FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_CHANGE_H

#include "hwdb/catalogue/catalogue.h"

/* Returns a snapshot in which `row` replaces the price of its id, or is added; with `removed` the price row->id is
 * removed. The row is copied. NULL with a failure whose status is STATUS_OK: this change needs a whole snapshot (the
 * row is half of an offer, or there are too many changes). */
struct catalogue *catalogue_with_price(
	struct catalogue *before, const struct price_row *row, bool removed, int64_t revision, struct failure *failure);

/* Returns the same rows with another moment (catalogue.as_of_us). NULL when memory is short. */
struct catalogue *catalogue_at(struct catalogue *before, int64_t as_of_us);

/* Returns all rows, including prices. They are built at the first call and kept as long as the snapshot. NULL when
 * memory is short. Thread-safe. */
const struct catalogue_rows *catalogue_rows_of(const struct catalogue *catalogue);

size_t catalogue_price_count(const struct catalogue *catalogue);

#endif
