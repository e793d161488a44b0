/* What accelerators cost to buy: makers' list prices, and where a maker publishes none, what surveys of the market say. Private to hwdb/. */
#ifndef FLEETPLAN_HWDB_RESOLVE_LIST_PRICES_H
#define FLEETPLAN_HWDB_RESOLVE_LIST_PRICES_H

struct list_price {
	const char *accelerator; /* id of its row */
	double usd, low_usd, high_usd; /* of the accelerator alone */
	const char *as_of, *source;
};

/* NULL: none is published. */
const struct list_price *list_price_of(const char *accelerator);

#endif
