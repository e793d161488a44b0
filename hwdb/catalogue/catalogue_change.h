/* A snapshot that differs from another in a few prices: it shares all other rows and indexes with the one that was built whole, and costs
 * what changed. Catalogues hold hundreds of thousands of prices, and hands change one at a time.
 *
 * Of such a snapshot `rows.prices` are those of the one built whole: use catalogue_rows_of() where all prices are walked,
 * catalogue_price_count() for their number, and the functions of catalogue.h and offers.h as always. */
#ifndef FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_CHANGE_H
#define FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_CHANGE_H

#include "hwdb/catalogue/catalogue.h"

/* The snapshot with this row in place of the one of its id, or in addition; row->id alone with `removed` takes it out. The row is copied. NULL
 * with a failure whose status is STATUS_OK: this change needs a whole snapshot (half of an offer, or too many changes by now). */
struct catalogue *catalogue_with_price(struct catalogue *before, const struct price_row *row, bool removed, int64_t revision,
	struct failure *failure);

/* The same rows as of a moment (catalogue.as_of_us). NULL when memory is short. */
struct catalogue *catalogue_at(struct catalogue *before, int64_t as_of_us);

/* All rows, prices too; made when first asked for, and kept as long as the snapshot. NULL when memory is short. Thread-safe. */
const struct catalogue_rows *catalogue_rows_of(const struct catalogue *catalogue);

size_t catalogue_price_count(const struct catalogue *catalogue);

#endif
