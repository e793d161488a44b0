/* Prices to offers: one accelerator for one hour, the host's part included, cheapest first. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "hwdb/catalogue/catalogue_index.h"
#include "hwdb/catalogue/offers.h"

/* The part of a machine that a price row pays for. Some providers list a machine and its accelerators separately;
 * neither can be rented alone. */
enum part { PART_WHOLE, PART_HOST, PART_ACCELERATORS };

static enum part part_of(const struct price_row *row)
{
	if (strstr(row->instance_type, "(host part only)") || (row->notes && strstr(row->notes, "HOST COMPONENT ONLY")))
		return PART_HOST;
	if (strstr(row->instance_type, "(GPU part only)") || (row->notes && strstr(row->notes, "GPU COMPONENT ONLY")))
		return PART_ACCELERATORS;
	return PART_WHOLE;
}

bool price_row_is_part(const struct price_row *row)
{
	return part_of(row) != PART_WHOLE;
}

bool price_row_is_part_of(const struct price_row *row)
{
	struct price_row filled = *row;

	price_row_fill_keys(&filled);
	return price_row_is_part(&filled);
}

/* Look-up tables used while the offers are built: rows that list accelerators separately, and regions by the two words
 * that name them (thousands of rows share a region). */
enum { REGION_MEMO_SLOTS = 16384 };
struct making {
	const struct catalogue *catalogue;
	const struct price_row **parts; /* sorted */
	size_t part_count;
	struct {
		const char *provider, *name, *provider_name;
		const struct region_row *region;
	} places[REGION_MEMO_SLOTS];
};

static int compare_texts(const char *a, const char *b)
{
	return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

/* Compares the machines of rows; equal for a host and its accelerators. */
static int compare_machines(const void *a, const void *b)
{
	const struct price_row *left = *(const struct price_row *const *)a, *right = *(const struct price_row *const *)b;
	int order = (left->gpus > right->gpus) - (left->gpus < right->gpus);

	if (order == 0)
		order = compare_texts(left->provider, right->provider);
	if (order == 0)
		order = compare_texts(left->region, right->region);
	if (order == 0)
		order = compare_texts(left->pricing_model, right->pricing_model);
	return order != 0 ? order : compare_texts(left->accelerator_id, right->accelerator_id);
}

static int compare_parts(const void *a, const void *b)
{
	int order = compare_machines(a, b);

	return order != 0 ? order : strcmp((*(const struct price_row *const *)a)->id, (*(const struct price_row *const *)b)->id);
}

static bool making_begin(struct making *making, const struct catalogue *catalogue)
{
	const struct catalogue_rows *rows = &catalogue->rows;

	making->catalogue = catalogue;
	for (size_t i = 0; i < rows->price_count; i++)
		making->part_count += part_of(&rows->prices[i]) == PART_ACCELERATORS;
	making->parts = calloc(making->part_count + 1, sizeof(void *));
	making->part_count = 0;
	for (size_t i = 0; making->parts && i < rows->price_count; i++)
		if (part_of(&rows->prices[i]) == PART_ACCELERATORS)
			making->parts[making->part_count++] = &rows->prices[i];
	if (making->part_count > 1)
		qsort(making->parts, making->part_count, sizeof(void *), compare_parts);
	return making->parts != NULL;
}

/* Returns the accelerators' row to add to a host row: same provider, region, term, accelerator and count. */
static const struct price_row *other_part(const struct making *making, const struct price_row *host)
{
	const struct price_row *const *found = bsearch(&host, making->parts, making->part_count, sizeof(void *), compare_machines);

	while (found && found > (const struct price_row *const *)making->parts && compare_machines(found - 1, &host) == 0)
		found--;
	return found ? *found : NULL;
}

/* Sets the offer's provider, under its one name, and its region. */
static void place_offer(struct making *making, struct indexed_offer *offer)
{
	const char *provider = offer->row->provider, *name = offer->row->region ? offer->row->region : "";
	size_t hash = 5381, slot;

	for (const char *c = provider; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	slot = hash % REGION_MEMO_SLOTS;
	if (!making->places[slot].provider || strcmp(making->places[slot].provider, provider) != 0 ||
		strcmp(making->places[slot].name, name) != 0) {
		making->places[slot].provider = provider;
		making->places[slot].name = name;
		making->places[slot].provider_name = provider_name(provider);
		making->places[slot].region = *name ? region_of_provider(making->catalogue, provider, name) : NULL;
	}
	offer->provider = making->places[slot].provider_name;
	offer->region = making->places[slot].region;
}

static uint32_t hash_text(uint32_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (uint32_t)tolower((unsigned char)*text)) * 0x01000193; /* FNV-1a over small letters */
	return hash;
}

static uint32_t hash_place(const struct indexed_offer *offer)
{
	uint32_t hash = hash_text(hash_text(0x811c9dc5, offer->provider) * 31, offer->row->region ? offer->row->region : "");

	return (hash * 31 + (uint32_t)offer->term) * 31 + (uint32_t)offer->row->gpus;
}

/* Fills an offer from a row. False: the row is not an offer (half of one, or without the necessary figures). */
static bool make_offer(struct making *making, const struct price_row *row, struct indexed_offer *offer)
{
	enum part part = part_of(row);

	*offer = (struct indexed_offer){.row = row, .term = term_of_text(row->pricing_model)};
	if (!row->provider[0] || !row->instance_type[0] || offer->term == TERM_UNSET || row->gpus < 1 || !(row->price_usd_per_hour > 0) ||
		part == PART_ACCELERATORS)
		return false;
	if (part == PART_HOST) {
		offer->part = other_part(making, row);
		if (!offer->part || !(offer->part->price_usd_per_hour > 0))
			return false;
	}
	offer->usd_per_gpu_hour = (row->price_usd_per_hour + (offer->part ? offer->part->price_usd_per_hour : 0)) / (double)row->gpus;
	if (!row->as_of || !clock_parse(row->as_of, &offer->as_of_us))
		offer->as_of_us = 0; /* without a date: older than any limit */
	place_offer(making, offer);
	offer->place = hash_place(offer);
	return true;
}

static int compare_offers(const void *a, const void *b)
{
	const struct indexed_offer *left = a, *right = b;

	if (left->usd_per_gpu_hour != right->usd_per_gpu_hour)
		return left->usd_per_gpu_hour < right->usd_per_gpu_hour ? -1 : 1;
	if (left->as_of_us != right->as_of_us)
		return left->as_of_us > right->as_of_us ? -1 : 1;
	/* Of equal offers the larger machine comes first: accelerators that work together should be in one machine. */
	if (left->row->gpus != right->row->gpus)
		return left->row->gpus > right->row->gpus ? -1 : 1;
	return strcmp(left->row->id, right->row->id);
}

double offer_median_usd_per_gpu_hour(const struct offer_span *span, enum term term)
{
	size_t count = 0, at = 0;

	for (size_t i = 0; i < span->count; i++)
		count += span->items[i].term == term;
	for (size_t i = 0; i < span->count; i++)
		if (span->items[i].term == term && at++ == count / 2)
			return span->items[i].usd_per_gpu_hour;
	return 0;
}

/* Groups offers of one instance and term, by region, the newest first. */
static int compare_instances(const struct indexed_offer *left, const struct indexed_offer *right)
{
	int order = (left->term > right->term) - (left->term < right->term);

	if (order == 0)
		order = strcmp(left->row->instance_type, right->row->instance_type);
	return order != 0 ? order : left->provider == right->provider ? 0 : strcasecmp(left->provider, right->provider);
}

static int compare_ages(const void *a, const void *b)
{
	const struct indexed_offer *left = *(const struct indexed_offer *const *)a, *right = *(const struct indexed_offer *const *)b;
	int order = compare_instances(left, right);

	if (order == 0)
		order = compare_texts(left->row->region, right->row->region);
	return order != 0 ? order : (left->as_of_us < right->as_of_us) - (left->as_of_us > right->as_of_us);
}

/* Sets `current`. An offer is current unless its instance has a newer offer in the same region; an offer without a
 * region, in any region. Offers without a region come first within their instance. */
static void judge_instance(struct indexed_offer *const *offers, size_t count)
{
	int64_t newest_us = INT64_MIN, newest_of_region_us = INT64_MIN;

	for (size_t i = 0; i < count; i++)
		newest_us = offers[i]->as_of_us > newest_us ? offers[i]->as_of_us : newest_us;
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || compare_texts(offers[i]->row->region, offers[i - 1]->row->region) != 0)
			newest_of_region_us = offers[i]->as_of_us;
		offers[i]->current = offers[i]->as_of_us >= (offers[i]->row->region ? newest_of_region_us : newest_us);
	}
}

/* Groups offers of one provider and region. */
static int compare_regions(const void *a, const void *b)
{
	const struct indexed_offer *left = *(const struct indexed_offer *const *)a, *right = *(const struct indexed_offer *const *)b;
	int order = left->provider == right->provider ? 0 : strcasecmp(left->provider, right->provider);

	return order != 0 ? order : compare_texts(left->row->region, right->row->region);
}

/* Sets `spot_usd_per_gpu_hour`. On-demand instances normally cost more than interruptible ones, so an on-demand offer
 * below its provider's cheapest spot price in the region is doubtful. */
static void judge_region(struct indexed_offer *const *offers, size_t count)
{
	double spot = INFINITY;

	for (size_t i = 0; i < count; i++)
		if (offers[i]->term == TERM_SPOT && offers[i]->current)
			spot = fmin(spot, offers[i]->usd_per_gpu_hour);
	for (size_t i = 0; i < count; i++)
		offers[i]->spot_usd_per_gpu_hour = offers[i]->term == TERM_ON_DEMAND && isfinite(spot) && offers[i]->usd_per_gpu_hour < spot ? spot
																																	 : 0;
}

/* Judges region by region. Offers without a region are not compared. */
static void judge_regions(struct indexed_offer **offers, size_t count)
{
	size_t begin = 0;

	if (count > 1)
		qsort(offers, count, sizeof(void *), compare_regions);
	for (size_t i = 1; i <= count; i++) {
		if (i < count && compare_regions(&offers[i], &offers[begin]) == 0)
			continue;
		if (offers[begin]->row->region)
			judge_region(offers + begin, i - begin);
		begin = i;
	}
}

static bool judge_ages(struct offer_span *span)
{
	struct indexed_offer **offers = calloc(span->count + 1, sizeof(void *));
	size_t begin = 0;

	if (!offers)
		return false;
	for (size_t i = 0; i < span->count; i++)
		offers[i] = &span->items[i];
	if (span->count > 1)
		qsort(offers, span->count, sizeof(void *), compare_ages);
	for (size_t i = 1; i <= span->count; i++) {
		if (i < span->count && compare_instances(offers[i], offers[begin]) == 0)
			continue;
		judge_instance(offers + begin, i - begin);
		begin = i;
	}
	judge_regions(offers, span->count);
	free(offers);
	return true;
}

static void judge_prices(struct offer_span *span)
{
	double medians[TERM_COUNT] = {0};

	span->gpus_per_instance_max = 0;
	for (enum term term = TERM_ON_DEMAND; term < TERM_COUNT; term++)
		medians[term] = offer_median_usd_per_gpu_hour(span, term);
	for (size_t i = 0; i < span->count; i++) {
		struct indexed_offer *offer = &span->items[i];

		offer->suspicious = offer->usd_per_gpu_hour < medians[offer->term] * OFFER_BELIEVED_SHARE ||
			(offer->row->notes && strstr(offer->row->notes, "LOW CONFIDENCE"));
		if (offer->row->gpus > span->gpus_per_instance_max)
			span->gpus_per_instance_max = offer->row->gpus;
	}
}

static bool judge_offers(struct offer_span *span)
{
	judge_prices(span);
	return judge_ages(span);
}

/* Judges again the offers of one instance, and those of its provider in its region: a changed price affects no
 * others. */
static bool judge_ages_of(struct offer_span *span, const struct indexed_offer *instance)
{
	struct indexed_offer **offers = calloc(span->count + 1, sizeof(void *));
	size_t count = 0;

	if (!offers)
		return false;
	for (size_t i = 0; i < span->count; i++)
		if (compare_instances(&span->items[i], instance) == 0)
			offers[count++] = &span->items[i];
	if (count > 1)
		qsort(offers, count, sizeof(void *), compare_ages);
	judge_instance(offers, count);
	count = 0;
	for (size_t i = 0; i < span->count; i++) {
		const struct indexed_offer *offer = &span->items[i];

		if (compare_regions(&offer, &instance) == 0)
			offers[count++] = &span->items[i];
	}
	if (count > 0 && instance->row->region)
		judge_region(offers, count);
	free(offers);
	return true;
}

bool offers_change(const struct catalogue *catalogue, struct offer_span *span, const struct price_row *gone, const struct price_row *added,
	struct indexed_offer *items)
{
	struct making *making = calloc(1, sizeof *making);
	struct indexed_offer fresh, old;
	bool is_offer, was_offer = false, done = making != NULL;
	size_t count = 0;

	if (!making)
		return false;
	making->catalogue = catalogue;
	is_offer = added && make_offer(making, added, &fresh);
	for (size_t i = 0; i < span->count; i++) {
		if (gone && span->items[i].row == gone) {
			old = span->items[i];
			was_offer = true;
			continue;
		}
		if (is_offer && compare_offers(&fresh, &span->items[i]) < 0) {
			items[count++] = fresh;
			is_offer = false;
		}
		items[count++] = span->items[i];
	}
	if (is_offer)
		items[count++] = fresh;
	span->items = items;
	span->count = count;
	judge_prices(span);
	if (was_offer)
		done = judge_ages_of(span, &old);
	if (done && added)
		done = judge_ages_of(span,
			&(struct indexed_offer){.row = added, .term = term_of_text(added->pricing_model), .provider = provider_name(added->provider)});
	free(making);
	return done;
}

static bool make_offers(struct making *making, struct catalogue_index *index)
{
	const struct catalogue_rows *rows = &making->catalogue->rows;

	for (size_t i = 0; i < rows->price_count; i++) {
		const struct name_slot *slot = name_table_find(&index->accelerators, rows->prices[i].accelerator_id);
		struct offer_span *span = slot ? &index->offers[slot->row] : NULL;

		if (span && make_offer(making, &rows->prices[i], &span->items[span->count]))
			span->count++;
	}
	for (size_t i = 0; i < rows->accelerator_count; i++) {
		if (index->offers[i].count > 1)
			qsort(index->offers[i].items, index->offers[i].count, sizeof *index->offers[i].items, compare_offers);
		if (!judge_offers(&index->offers[i]))
			return false;
	}
	return true;
}

bool index_offers(struct catalogue *catalogue)
{
	struct catalogue_index *index = catalogue->index;
	const struct catalogue_rows *rows = &catalogue->rows;
	size_t *counts = ARENA_ARRAY(&catalogue->arena, size_t, rows->accelerator_count + 1);
	struct making *making;
	bool made;

	index->offers = ARENA_ARRAY(&catalogue->arena, struct offer_span, rows->accelerator_count + 1);
	if (!counts || !index->offers)
		return false;
	for (size_t i = 0; i < rows->price_count; i++) {
		const struct name_slot *slot = name_table_find(&index->accelerators, rows->prices[i].accelerator_id);

		counts[slot ? slot->row : rows->accelerator_count]++;
	}
	for (size_t i = 0; i < rows->accelerator_count; i++) {
		index->offers[i].items = ARENA_ARRAY(&catalogue->arena, struct indexed_offer, counts[i] + 1);
		if (!index->offers[i].items)
			return false;
	}
	making = calloc(1, sizeof *making);
	made = making && making_begin(making, catalogue) && make_offers(making, index);
	if (making)
		free(making->parts);
	free(making);
	return made;
}
