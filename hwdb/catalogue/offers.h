/* What renting an accelerator costs: the catalogue's prices as offers, and which of them a plan may use.
 *
 * An offer is one accelerator for one hour, its share of the machine included. Prices whose machine and accelerators
 * are listed apart are summed, and are no offer while one half is missing. Used are offers of the wanted terms (on
 * demand unless said otherwise), of the named providers and regions, not replaced by a newer row of the same
 * instance. Unless a provider or region is named, those older than max_age_days (400) or below a third of the median
 * of their accelerator and term, or of low confidence by their own notes, are left out: such prices are usually gone
 * or wrong. What is committed for one or three years counts for as long as the longest commitment, three years, since few
 * publish such prices and seldom change them; the answer says how old one is. An age limit that is given always holds. */
#ifndef FLEETPLAN_HWDB_CATALOGUE_OFFERS_H
#define FLEETPLAN_HWDB_CATALOGUE_OFFERS_H

#include "hwdb/catalogue/catalogue.h"

#define OFFER_MAX_AGE_DAYS 400.0
#define OFFER_COMMITTED_AGE_DAYS 1100.0

/* Which offers may be used. Text lists as in a request's `pricing`. */
struct offer_filter {
	const struct pricing *pricing;
	const char *provider, *region; /* a further restriction (the request's site); NULL: none */
	const struct region_row *country; /* likewise: offers that stand in it; NULL: none */
	int64_t now_us;
};

/* Why offers were left out. */
struct offer_rejects {
	size_t offers; /* of the accelerator, all terms */
	size_t other_term, not_named, replaced, too_old, suspicious;
};

/* The cheapest offer for an accelerator of the catalogue, with the spread up to the price at which a quarter of the
 * usable ones can be had. *region is where it stands, NULL when unknown. False: there is none; *rejects (may be
 * NULL) tells why. */
bool offers_cheapest(const struct catalogue *catalogue, const struct accelerator_row *accelerator,
	const struct offer_filter *filter, struct offer *offer, const struct region_row **region,
	struct offer_rejects *rejects);

/* One offer and the region row where it stands (NULL: unknown). */
struct offer_place {
	struct offer offer;
	const struct region_row *region;
};

/* The cheapest usable offer of each size of instance, cheapest first. Returns how many, at most `maximum`. */
size_t offers_of_sizes(const struct catalogue *catalogue, const struct accelerator_row *accelerator,
	const struct offer_filter *filter, struct offer_place *places, size_t maximum);

/* The cheapest usable offer of each size of instance, term and place, cheapest first. Returns how many, at most `maximum`. */
size_t offers_of_places(const struct catalogue *catalogue, const struct accelerator_row *accelerator,
	const struct offer_filter *filter, struct offer_place *places, size_t maximum);

/* A sentence of why there is none: "of 34 offers 20 are older than 400 days and 14 are of another term". */
void offers_explain(const struct offer_rejects *rejects, const struct offer_filter *filter, char *out, size_t size);

/* Renting `gpu_count` accelerators as whole instances. */
struct offer_quote {
	struct offer offer;
	const struct price_row *price;
	const struct region_row *region; /* NULL: unknown */
	int64_t instances, gpus_paid; /* gpus_paid >= gpu_count: an instance is rented whole */
	double usd_per_hour; /* of all instances */
	double usd_per_needed_gpu_hour; /* usd_per_hour over gpu_count */
};

struct offer_quote_list {
	struct offer_quote *items; /* cheapest for the count first */
	size_t count;
};

/* All usable offers for a count (1 or more). STATUS_NO_MEMORY; otherwise STATUS_OK, perhaps with none. */
FALLIBLE enum status offers_quote(const struct catalogue *catalogue, const struct accelerator_row *accelerator,
	const struct offer_filter *filter, int64_t gpu_count, struct arena *arena, struct offer_quote_list *quotes,
	struct failure *failure);

/* "on_demand" and its like; TERM_UNSET for a word that is none. */
const char *term_text(enum term term);
enum term term_of_text(const char *text);

#endif
