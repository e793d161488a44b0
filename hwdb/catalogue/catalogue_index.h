/* How a snapshot is found: names hashed, offers normalised and sorted, regions with their country. Private to hwdb/. */
#ifndef FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_INDEX_H
#define FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_INDEX_H

#include "hwdb/catalogue/catalogue.h"

/* A name (id or alias, letter case ignored) to the position of its row. Open addressing, at most half full. */
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
/* False when the name stands in the table already, for another row: an alias never hides anything. */
bool name_table_add(struct name_table *table, const char *name, size_t row, bool alias);
const struct name_slot *name_table_find(const struct name_table *table, const char *name);

/* One price row as an offer. Rows that are only a part (a host without its GPU) have `part`, the other half. */
struct indexed_offer {
	const struct price_row *row, *part;
	const char *provider;            /* its one name */
	const struct region_row *region; /* where its provider's region stands; NULL: not known */
	enum term term;
	double usd_per_gpu_hour;
	int64_t as_of_us;
	bool suspicious; /* below a third of the median of its accelerator and term, or its own notes doubt it */
	double spot_usd_per_gpu_hour; /* of an on-demand offer: the cheapest spot offer of its provider in its region, where it is below even that; else 0 */
	bool current; /* no row of the same provider's same instance, region and term is newer */
	uint32_t place; /* hash of provider, region, term and size of the instance: equal for offers of one place */
};

/* Offers of one accelerator, cheapest first. */
struct offer_span {
	struct indexed_offer *items;
	size_t count;
	int64_t gpus_per_instance_max;
};

/* An offer below this share of the median of its accelerator and term is suspicious: such prices are usually gone or wrong. */
#define OFFER_BELIEVED_SHARE (1.0 / 3)

/* hwdb/catalogue/catalogue_change.c: of a snapshot that shares with another. False: the id is none that was changed; *row NULL: removed. */
struct catalogue_delta;
void catalogue_change_release(struct catalogue_delta *change);
bool catalogue_change_price(const struct catalogue_delta *change, const char *id, const struct price_row **row);

/* hwdb/catalogue/offer_index.c: *span becomes the offers without that of `gone` and with that of `added`, in `items`, which has room for one more. */
bool offers_change(const struct catalogue *catalogue, struct offer_span *span, const struct price_row *gone, const struct price_row *added,
	struct indexed_offer *items);
bool price_row_is_part(const struct price_row *row);    /* half of an offer */
bool price_row_is_part_of(const struct price_row *row); /* the same of a row as it was stored, whose keys may be absent */
void price_row_fill_keys(struct price_row *row);

/* Median price of one term; 0 without offers. */
double offer_median_usd_per_gpu_hour(const struct offer_span *span, enum term term);

/* What a provider's regions say of its buildings, for those that say nothing. */
struct provider_average {
	const char *provider;
	size_t pue_count, wue_count;
	double pue, pue_low, pue_high, wue_l_per_kwh, wue_low_l_per_kwh, wue_high_l_per_kwh; /* medians and range over the provider's regions */
};

struct catalogue_index {
	struct name_table accelerators, models, prices, regions;
	struct offer_span *offers; /* by position of the accelerator's row */
	const struct region_row **countries; /* by position of the region's row: its country's row, or NULL */
	const char **region_citations; /* "catalogue aws.us-east-1 (2024): source", by position */
	const char **accelerator_citations;
	const struct region_row *world; /* NULL: the catalogue lacks it */
	double country_grid_low_gco2e_per_kwh, country_grid_high_gco2e_per_kwh; /* p10, p90 of the country rows */
	double country_ewif_low_l_per_kwh, country_ewif_high_l_per_kwh; /* likewise */
	double wue_low_l_per_kwh, wue_high_l_per_kwh; /* p10, p90 of the providers' regions */
	struct provider_average *averages;
	size_t average_count;
};

bool index_offers(struct catalogue *catalogue); /* hwdb/catalogue/offer_index.c */
bool index_regions(struct catalogue *catalogue); /* hwdb/catalogue/region_index.c */

/* Region row of a provider's region as either of them spells it; a country by its code or name. NULL: none. */
const struct region_row *region_of_provider(
	const struct catalogue *catalogue, const char *provider, const char *region);
const struct region_row *region_of_country(const struct catalogue *catalogue, const char *country);

/* The country row in which a region row stands (of a country: itself). NULL: not known. */
const struct region_row *region_country(const struct catalogue *catalogue, const struct region_row *region);

/* The provider's one name: "datacrunch" and "verda" are one. */
const char *provider_name(const char *provider);

#endif
