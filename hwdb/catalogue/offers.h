/* Prices of renting an accelerator: the catalogue's prices as offers, and the offers that a plan may use.
 *
 * An offer is one accelerator for one hour, including its share of the machine. Where a provider lists the machine and
 * its accelerators separately, their prices are summed; while one half is missing there is no offer. A plan uses offers
 * of the wanted terms (default: on demand) and of the named providers and regions that no newer row of the same
 * instance replaces. Unless the request names a provider or region, it leaves out offers that are older than
 * max_age_days (400), below a third of the median of their accelerator and term, or marked as low confidence in their
 * notes: such prices are usually outdated or wrong. Reserved offers (one or three years) are used up to an age of three
 * years, the longest commitment: few providers publish such prices, and they change seldom. The answer states the
 * offer's age. An age limit in the request always applies. */
#ifndef FLEETPLAN_HWDB_CATALOGUE_OFFERS_H
#define FLEETPLAN_HWDB_CATALOGUE_OFFERS_H

#include "hwdb/catalogue/catalogue.h"

#define OFFER_MAX_AGE_DAYS       400.0
#define OFFER_COMMITTED_AGE_DAYS 1100.0

/* Selects the offers that may be used. Text lists as in a request's `pricing`. */
struct offer_filter {
	const struct pricing *pricing;
	const char *provider, *region;    /* an additional restriction (the request's site); NULL: none */
	const struct region_row *country; /* an additional restriction to offers in this country; NULL: none */
	int64_t now_us;
};

/* Numbers of offers left out, by reason. */
struct offer_rejects {
	size_t offers; /* all offers of the accelerator, of all terms */
	size_t other_term, not_named, replaced, too_old, suspicious;
};

/* Finds the cheapest usable offer for an accelerator of the catalogue. Its high price is that within which a quarter of
 * the usable offers lie. *region is the offer's region, NULL when unknown. False: no usable offer; *rejects (may be
 * NULL) has the reasons. */
bool offers_cheapest(const struct catalogue *catalogue, const struct accelerator_row *accelerator, const struct offer_filter *filter,
	struct offer *offer, const struct region_row **region, struct offer_rejects *rejects);

/* An offer and its region row (NULL: unknown). */
struct offer_place {
	struct offer offer;
	const struct region_row *region;
};

/* Lists the cheapest usable offer of each size of instance, cheapest first. Returns their number, at most `maximum`. */
size_t offers_of_sizes(const struct catalogue *catalogue, const struct accelerator_row *accelerator, const struct offer_filter *filter,
	struct offer_place *places, size_t maximum);

/* Lists the cheapest usable offer of each size of instance, term and place, cheapest first. Returns their number, at
 * most `maximum`. */
size_t offers_of_places(const struct catalogue *catalogue, const struct accelerator_row *accelerator, const struct offer_filter *filter,
	struct offer_place *places, size_t maximum);

/* Writes why no offer is usable: "of 34 offers 14 are of another term, 20 are too old (max_age_days 400)". */
void offers_explain(const struct offer_rejects *rejects, const struct offer_filter *filter, char *out, size_t size);

/* Renting `gpu_count` accelerators as whole instances. */
struct offer_quote {
	struct offer offer;
	const struct price_row *price;
	const struct region_row *region; /* NULL: unknown */
	int64_t instances, gpus_paid;    /* gpus_paid >= gpu_count, because instances are rented whole */
	double usd_per_hour;             /* of all instances */
	double usd_per_needed_gpu_hour;  /* usd_per_hour over gpu_count */
};

struct offer_quote_list {
	struct offer_quote *items; /* least cost for the count first */
	size_t count;
};

/* Lists all usable offers for a count (1 or more). STATUS_NO_MEMORY, else STATUS_OK, also with an empty list. */
FALLIBLE enum status offers_quote(const struct catalogue *catalogue, const struct accelerator_row *accelerator,
	const struct offer_filter *filter, int64_t gpu_count, struct arena *arena, struct offer_quote_list *quotes, struct failure *failure);

/* The words of terms: "on_demand" and others; TERM_UNSET for any other word. */
const char *term_text(enum term term);
enum term term_of_text(const char *text);

#endif
