/* Purchase prices of accelerators: vendors' list prices; where a vendor publishes none, prices from market surveys.
 * Private to hwdb/. */
#ifndef FLEETPLAN_HWDB_RESOLVE_LIST_PRICES_H
#define FLEETPLAN_HWDB_RESOLVE_LIST_PRICES_H

struct list_price {
	const char *accelerator;       /* id of its row */
	double usd, low_usd, high_usd; /* of the accelerator without server and network */
	const char *as_of, *source;
};

/* Returns the list price of an accelerator; NULL: none is published. */
const struct list_price *list_price_of(const char *accelerator);

#endif
