/* Prices to offers: one accelerator for one hour, the host's part included, cheapest first. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "hwdb/catalogue_index.h"
#include "hwdb/offers.h"

/* What a price row pays for. Some catalogues list a machine and its accelerators apart; neither can be rented alone. */
enum part { PART_WHOLE, PART_HOST, PART_ACCELERATORS };

static enum part part_of(const struct price_row *row)
{
	if (strstr(row->instance_type, "(host part only)") || (row->notes && strstr(row->notes, "HOST COMPONENT ONLY")))
		return PART_HOST;
	if (strstr(row->instance_type, "(GPU part only)") || (row->notes && strstr(row->notes, "GPU COMPONENT ONLY")))
		return PART_ACCELERATORS;
	return PART_WHOLE;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* The accelerators that a host row is to be summed with: same provider, region, term, accelerator and count. */
static const struct price_row *other_part(const struct catalogue_rows *rows, const struct price_row *host)
{
	for (size_t i = 0; i < rows->price_count; i++) {
		const struct price_row *row = &rows->prices[i];

		if (part_of(row) == PART_ACCELERATORS && row->gpus == host->gpus && same_text(row->provider, host->provider) &&
			same_text(row->region, host->region) && same_text(row->pricing_model, host->pricing_model) &&
			same_text(row->accelerator_id, host->accelerator_id))
			return row;
	}
	return NULL;
}

/* False: the row is no offer (half of one, or without the figures that an offer needs). */
static bool make_offer(const struct catalogue *catalogue, const struct price_row *row, struct indexed_offer *offer)
{
	enum part part = part_of(row);

	*offer = (struct indexed_offer){.row = row, .term = term_of_text(row->pricing_model)};
	if (!row->provider[0] || !row->instance_type[0] || offer->term == TERM_UNSET || row->gpus < 1 ||
		!(row->price_usd_per_hour > 0) || part == PART_ACCELERATORS)
		return false;
	if (part == PART_HOST) {
		offer->part = other_part(&catalogue->rows, row);
		if (!offer->part || !(offer->part->price_usd_per_hour > 0))
			return false;
	}
	offer->usd_per_gpu_hour =
		(row->price_usd_per_hour + (offer->part ? offer->part->price_usd_per_hour : 0)) / (double)row->gpus;
	if (!row->as_of || !clock_parse(row->as_of, &offer->as_of_us))
		offer->as_of_us = 0; /* undated: older than any limit */
	if (row->region)
		offer->region = region_of_provider(catalogue, row->provider, row->region);
	return true;
}

static int compare_offers(const void *a, const void *b)
{
	const struct indexed_offer *left = a, *right = b;

	if (left->usd_per_gpu_hour != right->usd_per_gpu_hour)
		return left->usd_per_gpu_hour < right->usd_per_gpu_hour ? -1 : 1;
	if (left->as_of_us != right->as_of_us)
		return left->as_of_us > right->as_of_us ? -1 : 1;
	/* Of equal offers the larger machine: accelerators that work together should stand together. */
	if (left->row->gpus != right->row->gpus)
		return left->row->gpus > right->row->gpus ? -1 : 1;
	return strcmp(left->row->id, right->row->id);
}

/* Median price of one term; 0 without offers. Offers are sorted. */
static double median_usd_per_gpu_hour(const struct offer_span *span, enum term term)
{
	size_t count = 0, at = 0;

	for (size_t i = 0; i < span->count; i++)
		count += span->items[i].term == term;
	for (size_t i = 0; i < span->count; i++)
		if (span->items[i].term == term && at++ == count / 2)
			return span->items[i].usd_per_gpu_hour;
	return 0;
}

static bool superseded(const struct offer_span *span, const struct indexed_offer *offer)
{
	for (size_t i = 0; i < span->count; i++) {
		const struct indexed_offer *other = &span->items[i];

		if (other->as_of_us > offer->as_of_us && other->term == offer->term &&
			same_text(other->row->instance_type, offer->row->instance_type) &&
			strcasecmp(provider_name(other->row->provider), provider_name(offer->row->provider)) == 0 &&
			(!offer->row->region || same_text(other->row->region, offer->row->region)))
			return true;
	}
	return false;
}

static void judge_offers(struct offer_span *span)
{
	double medians[TERM_COUNT] = {0};

	for (enum term term = TERM_ON_DEMAND; term < TERM_COUNT; term++)
		medians[term] = median_usd_per_gpu_hour(span, term);
	for (size_t i = 0; i < span->count; i++) {
		struct indexed_offer *offer = &span->items[i];

		offer->suspicious = offer->usd_per_gpu_hour < medians[offer->term] / 3 ||
							(offer->row->notes && strstr(offer->row->notes, "LOW CONFIDENCE"));
		offer->current = !superseded(span, offer);
		if (offer->row->gpus > span->gpus_per_instance_max)
			span->gpus_per_instance_max = offer->row->gpus;
	}
}

bool index_offers(struct catalogue *catalogue)
{
	struct catalogue_index *index = catalogue->index;
	const struct catalogue_rows *rows = &catalogue->rows;
	size_t *counts = ARENA_ARRAY(&catalogue->arena, size_t, rows->accelerator_count + 1);

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
	for (size_t i = 0; i < rows->price_count; i++) {
		const struct name_slot *slot = name_table_find(&index->accelerators, rows->prices[i].accelerator_id);
		struct offer_span *span = slot ? &index->offers[slot->row] : NULL;

		if (span && make_offer(catalogue, &rows->prices[i], &span->items[span->count]))
			span->count++;
	}
	for (size_t i = 0; i < rows->accelerator_count; i++) {
		if (index->offers[i].count > 1)
			qsort(index->offers[i].items, index->offers[i].count, sizeof *index->offers[i].items, compare_offers);
		judge_offers(&index->offers[i]);
	}
	return true;
}
