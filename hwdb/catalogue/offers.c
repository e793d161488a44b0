#include "hwdb/catalogue/offers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hwdb/catalogue/catalogue_index.h"

static const int64_t us_per_day = INT64_C(86400) * 1000000;

static const char *const term_names[TERM_COUNT] = {
	[TERM_UNSET] = "", [TERM_ON_DEMAND] = "on_demand", [TERM_SPOT] = "spot", [TERM_RESERVED_1Y] = "reserved_1y", [TERM_RESERVED_3Y] = "reserved_3y"};

const char *term_text(enum term term)
{
	return term > TERM_UNSET && term < TERM_COUNT ? term_names[term] : "";
}

enum term term_of_text(const char *text)
{
	for (enum term term = TERM_ON_DEMAND; text && term < TERM_COUNT; term++)
		if (strcmp(text, term_names[term]) == 0)
			return term;
	return TERM_UNSET;
}

/* A filter with the values that are the same for all offers. */
struct sieve {
	const struct offer_filter *filter;
	const struct catalogue *catalogue;
	unsigned terms; /* bit 1 << term */
	bool named, aged;
	int64_t oldest_us, oldest_committed_us;
};

static int64_t days_before(int64_t now_us, double days)
{
	return days * (double)us_per_day < (double)now_us ? now_us - (int64_t)(days * (double)us_per_day) : 0;
}

static struct sieve sieve_of(const struct catalogue *catalogue, const struct offer_filter *filter)
{
	const struct pricing *pricing = filter->pricing;
	struct sieve sieve = {.filter = filter, .catalogue = catalogue, .named = pricing->providers.count > 0 || pricing->regions.count > 0};
	double max_age_days = given_or(pricing->max_age_days, OFFER_MAX_AGE_DAYS);

	for (size_t i = 0; i < pricing->terms.count; i++)
		sieve.terms |= 1u << term_of_text(pricing->terms.items[i]);
	if (pricing->terms.count == 0)
		sieve.terms = 1u << TERM_ON_DEMAND;
	sieve.aged = !sieve.named || is_given(pricing->max_age_days);
	sieve.oldest_us = days_before(filter->now_us, max_age_days);
	sieve.oldest_committed_us = days_before(filter->now_us, given_or(pricing->max_age_days, OFFER_COMMITTED_AGE_DAYS));
	return sieve;
}

static bool same_provider(const char *a, const char *b)
{
	return strcasecmp(provider_name(a), provider_name(b)) == 0;
}

static bool names_provider(const struct text_list *list, const char *provider)
{
	for (size_t i = 0; i < list->count; i++)
		if (same_provider(list->items[i], provider))
			return true;
	return list->count == 0;
}

static bool names_region(const struct text_list *list, const char *region)
{
	for (size_t i = 0; i < list->count; i++)
		if (region && strcasecmp(list->items[i], region) == 0)
			return true;
	return list->count == 0;
}

static bool is_named(const struct sieve *sieve, const struct indexed_offer *offer)
{
	const struct offer_filter *filter = sieve->filter;
	const struct price_row *row = offer->row;

	if (filter->country && (!offer->region || region_country(sieve->catalogue, offer->region) != filter->country))
		return false;
	if (!names_provider(&filter->pricing->providers, row->provider) || !names_region(&filter->pricing->regions, row->region))
		return false;
	if (filter->provider && !same_provider(filter->provider, row->provider))
		return false;
	return !filter->region || (row->region && strcasecmp(filter->region, row->region) == 0);
}

static bool passes(const struct sieve *sieve, const struct indexed_offer *offer, struct offer_rejects *rejects)
{
	int64_t oldest_us = offer->term == TERM_RESERVED_1Y || offer->term == TERM_RESERVED_3Y ? sieve->oldest_committed_us : sieve->oldest_us;
	size_t *reason = NULL;

	if (!(sieve->terms & 1u << offer->term))
		reason = &rejects->other_term;
	else if (!is_named(sieve, offer))
		reason = &rejects->not_named;
	else if (!offer->current)
		reason = &rejects->replaced;
	else if (sieve->aged && offer->as_of_us < oldest_us)
		reason = &rejects->too_old;
	else if (!sieve->named && offer->suspicious)
		reason = &rejects->suspicious;
	if (reason)
		++*reason;
	return !reason;
}

static struct offer offer_of(const struct indexed_offer *indexed)
{
	const struct price_row *row = indexed->row;

	return (struct offer){.provider = row->provider,
		.instance_type = row->instance_type,
		.region = row->region,
		.as_of = row->as_of,
		.source = row->meta.source,
		.term = indexed->term,
		.gpus = row->gpus,
		.usd_per_gpu_hour = indexed->usd_per_gpu_hour,
		.low_usd_per_gpu_hour = indexed->usd_per_gpu_hour,
		.high_usd_per_gpu_hour = indexed->usd_per_gpu_hour};
}

static const struct offer_span *span_of(const struct catalogue *catalogue, const struct accelerator_row *accelerator)
{
	return &catalogue->index->offers[accelerator - catalogue->rows.accelerators];
}

bool offers_cheapest(const struct catalogue *catalogue, const struct accelerator_row *accelerator, const struct offer_filter *filter,
	struct offer *offer, const struct region_row **region, struct offer_rejects *rejects)
{
	const struct offer_span *span = span_of(catalogue, accelerator);
	struct offer_rejects unused = {0}, *why = rejects ? rejects : &unused;
	const struct indexed_offer *first = NULL;
	struct sieve sieve = sieve_of(catalogue, filter);
	size_t usable = 0;

	*why = (struct offer_rejects){.offers = span->count};
	for (size_t i = 0; i < span->count; i++)
		if (passes(&sieve, &span->items[i], why) && usable++ == 0)
			first = &span->items[i];
	if (!first)
		return false;
	*offer = offer_of(first);
	*region = first->region;
	for (size_t i = 0, at = 0; i < span->count && at <= (usable - 1) / 4; i++)
		if (passes(&sieve, &span->items[i], &unused) && ++at)
			offer->high_usd_per_gpu_hour = span->items[i].usd_per_gpu_hour;
	return true;
}

size_t offers_of_sizes(const struct catalogue *catalogue, const struct accelerator_row *accelerator, const struct offer_filter *filter,
	struct offer_place *places, size_t maximum)
{
	const struct offer_span *span = span_of(catalogue, accelerator);
	struct sieve sieve = sieve_of(catalogue, filter);
	struct offer_rejects unused = {0};
	size_t count = 0;

	for (size_t i = 0; i < span->count && count < maximum; i++) {
		bool known = false;

		for (size_t k = 0; k < count && !known; k++)
			known = places[k].offer.gpus == span->items[i].row->gpus;
		if (!known && passes(&sieve, &span->items[i], &unused))
			places[count++] = (struct offer_place){.offer = offer_of(&span->items[i]), .region = span->items[i].region};
	}
	return count;
}

/* Compares regions by row, and by the provider's own name for regions that the catalogue does not know. */
static bool same_place(const struct indexed_offer *a, const struct indexed_offer *b)
{
	return a->row->gpus == b->row->gpus && a->term == b->term && a->region == b->region &&
		strcasecmp(a->row->region ? a->row->region : "", b->row->region ? b->row->region : "") == 0 &&
		strcasecmp(a->provider, b->provider) == 0;
}

size_t offers_of_places(const struct catalogue *catalogue, const struct accelerator_row *accelerator, const struct offer_filter *filter,
	struct offer_place *places, size_t maximum)
{
	enum { SLOTS = 4 * SUPPLIES_MOST }; /* a power of two; at most a quarter full */
	const struct indexed_offer *seen[SLOTS] = {NULL};
	const struct offer_span *span = span_of(catalogue, accelerator);
	struct sieve sieve = sieve_of(catalogue, filter);
	struct offer_rejects unused = {0};
	size_t count = 0;

	CHECK(maximum <= SUPPLIES_MOST);
	for (size_t i = 0; i < span->count && count < maximum; i++) {
		const struct indexed_offer *offer = &span->items[i];
		size_t slot = offer->place % SLOTS;

		while (seen[slot] && !(seen[slot]->place == offer->place && same_place(seen[slot], offer)))
			slot = (slot + 1) % SLOTS;
		if (seen[slot] || !passes(&sieve, offer, &unused))
			continue;
		seen[slot] = offer;
		places[count++] = (struct offer_place){.offer = offer_of(offer), .region = offer->region};
	}
	return count;
}

void offers_explain(const struct offer_rejects *rejects, const struct offer_filter *filter, char *out, size_t size)
{
	double max_age_days = given_or(filter->pricing->max_age_days, OFFER_MAX_AGE_DAYS);
	const struct {
		size_t count;
		const char *what;
	} reasons[] = {
		{rejects->other_term, "of another term"},
		{rejects->not_named, "of other providers or regions"},
		{rejects->replaced, "replaced by newer ones"},
		{rejects->too_old, "too old"},
		{rejects->suspicious, "of low confidence or below a third of the median"},
	};
	size_t used;

	if (rejects->offers == 0) {
		snprintf(out, size, "the catalogue has no price for it");
		return;
	}
	snprintf(out, size, "of %zu offers", rejects->offers);
	for (size_t i = 0; i < COUNT_OF(reasons); i++)
		if (reasons[i].count > 0 && (used = strlen(out)) < size)
			snprintf(out + used, size - used, " %zu %s %s,", reasons[i].count, reasons[i].count == 1 ? "is" : "are", reasons[i].what);
	used = strlen(out);
	if (rejects->too_old > 0 && used < size)
		snprintf(out + used - 1, size - used + 1, " (max_age_days %.0f)", max_age_days);
	else if (used > 0 && out[used - 1] == ',')
		out[used - 1] = '\0';
}

static int compare_quotes(const void *a, const void *b)
{
	const struct offer_quote *left = a, *right = b;

	if (left->usd_per_hour != right->usd_per_hour)
		return left->usd_per_hour < right->usd_per_hour ? -1 : 1;
	return strcmp(left->price->id, right->price->id);
}

enum status offers_quote(const struct catalogue *catalogue, const struct accelerator_row *accelerator, const struct offer_filter *filter,
	int64_t gpu_count, struct arena *arena, struct offer_quote_list *quotes, struct failure *failure)
{
	const struct offer_span *span = span_of(catalogue, accelerator);
	struct sieve sieve = sieve_of(catalogue, filter);
	struct offer_rejects unused = {0};

	quotes->count = 0;
	quotes->items = ARENA_ARRAY(arena, struct offer_quote, span->count + 1);
	if (!quotes->items)
		return failure_set(failure, STATUS_NO_MEMORY, "too many offers");
	for (size_t i = 0; i < span->count; i++) {
		const struct indexed_offer *indexed = &span->items[i];
		int64_t instances = (gpu_count + indexed->row->gpus - 1) / indexed->row->gpus;

		if (!passes(&sieve, indexed, &unused))
			continue;
		quotes->items[quotes->count++] = (struct offer_quote){.offer = offer_of(indexed),
			.price = indexed->row,
			.region = indexed->region,
			.instances = instances,
			.gpus_paid = instances * indexed->row->gpus,
			.usd_per_hour = (double)(instances * indexed->row->gpus) * indexed->usd_per_gpu_hour,
			.usd_per_needed_gpu_hour = (double)(instances * indexed->row->gpus) * indexed->usd_per_gpu_hour / (double)gpu_count};
	}
	if (quotes->count > 1)
		qsort(quotes->items, quotes->count, sizeof *quotes->items, compare_quotes);
	return STATUS_OK;
}
