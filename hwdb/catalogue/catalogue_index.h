/* Indexes of a snapshot: names in hash tables, offers normalised and sorted, regions with their country. Private to
 * hwdb/. */
#ifndef FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_INDEX_H
#define FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_INDEX_H

#include "hwdb/catalogue/catalogue.h"

/* Maps a name (id or alias, ignoring letter case) to the position of its row. Open addressing, at most half full. */
struct name_slot {
	const char *name; /* NULL: free */
	uint32_t hash, row;
	bool alias;
};

struct name_table {
	struct name_slot *slots;
	size_t mask; /* slots - 1; slots are a power of two */
};

bool name_table_init(struct name_table *table, struct arena *arena, size_t names);
/* False when the table already holds the name for another row: an alias never hides another name. */
bool name_table_add(struct name_table *table, const char *name, size_t row, bool alias);
const struct name_slot *name_table_find(const struct name_table *table, const char *name);

/* A price row as an offer. `part` is the other half of a row that is only a part (a host without its GPU). */
struct indexed_offer {
	const struct price_row *row, *part;
	const char *provider;            /* the provider's one name, provider_name() */
	const struct region_row *region; /* of the provider's region; NULL: unknown */
	enum term term;
	double usd_per_gpu_hour;
	int64_t as_of_us;
	bool suspicious;              /* below a third of the median of its accelerator and term, or doubted by its own notes */
	double spot_usd_per_gpu_hour; /* on-demand offers: the provider's cheapest spot offer in the region if this offer costs less than that; else 0 */
	bool current;                 /* the provider has no newer row of the same instance, region and term */
	uint32_t place;               /* hash of provider, region, term and size of the instance; equal for offers of one place */
};

/* Offers of one accelerator, cheapest first. */
struct offer_span {
	struct indexed_offer *items;
	size_t count;
	int64_t gpus_per_instance_max;
};

/* Share of the median of its accelerator and term below which an offer is suspicious. Such prices are usually outdated
 * or wrong. */
#define OFFER_BELIEVED_SHARE (1.0 / 3)

/* hwdb/catalogue/catalogue_change.c, for a snapshot that shares rows with another. catalogue_change_price() is false
 * when the price of the id was not changed; *row is NULL when it was removed. */
struct catalogue_delta;
void catalogue_change_release(struct catalogue_delta *change);
bool catalogue_change_price(const struct catalogue_delta *change, const char *id, const struct price_row **row);

/* hwdb/catalogue/offer_index.c: rewrites *span into `items` without the offer of `gone` and with the offer of `added`.
 * `items` has room for one more offer. */
bool offers_change(const struct catalogue *catalogue, struct offer_span *span, const struct price_row *gone, const struct price_row *added,
	struct indexed_offer *items);
bool price_row_is_part(const struct price_row *row);    /* half of an offer */
bool price_row_is_part_of(const struct price_row *row); /* the same for a row as stored, whose keys may be absent */
void price_row_fill_keys(struct price_row *row);

/* Returns the median price of one term; 0 without offers. */
double offer_median_usd_per_gpu_hour(const struct offer_span *span, enum term term);

/* Averages over a provider's regions, for its regions without own figures of the building. */
struct provider_average {
	const char *provider;
	size_t pue_count, wue_count;
	double pue, pue_low, pue_high, wue_l_per_kwh, wue_low_l_per_kwh, wue_high_l_per_kwh; /* median and range */
};

struct catalogue_index {
	struct name_table accelerators, models, prices, regions;
	struct offer_span *offers;           /* by position of the accelerator's row */
	const struct region_row **countries; /* by position of the region's row: its country's row, or NULL */
	const char **region_citations;       /* by position: "catalogue aws.us-east-1 (2024): source" */
	const char **accelerator_citations;
	const struct region_row *world;                                         /* NULL: not in the catalogue */
	double country_grid_low_gco2e_per_kwh, country_grid_high_gco2e_per_kwh; /* p10, p90 of the country rows */
	double country_ewif_low_l_per_kwh, country_ewif_high_l_per_kwh;         /* p10, p90 of the country rows */
	double wue_low_l_per_kwh, wue_high_l_per_kwh;                           /* p10, p90 of the providers' regions */
	struct provider_average *averages;
	size_t average_count;
};

bool index_offers(struct catalogue *catalogue);  /* hwdb/catalogue/offer_index.c */
bool index_regions(struct catalogue *catalogue); /* hwdb/catalogue/region_index.c */

/* Find a region row: of a provider's region under any spelling of either name; of a country by its code or name. NULL:
 * none. */
const struct region_row *region_of_provider(const struct catalogue *catalogue, const char *provider, const char *region);
const struct region_row *region_of_country(const struct catalogue *catalogue, const char *country);

/* Returns the row of the country that contains a region (for a country: the row itself). NULL: unknown. */
const struct region_row *region_country(const struct catalogue *catalogue, const struct region_row *region);

/* Returns the one name of a provider: "datacrunch" and "verda" are the same provider. */
const char *provider_name(const char *provider);

#endif
