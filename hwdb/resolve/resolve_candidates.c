/* The accelerators that a plan may use, with their offers. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "hwdb/resolve/list_prices.h"
#include "hwdb/resolve/resolve_parts.h"
#include "hwdb/resolve/topology.h"
#include "planner/footprint/carbon.h"
#include "planner/footprint/cost.h"
#include "planner/footprint/supply.h"

/* Values that are the same for every candidate of one request. */
struct choosing {
	const struct resolver *resolver;
	const struct request_common *common;
	const struct region_row *asked; /* row of the site; NULL: none */
	bool priced;                    /* the request gives the price: no offer is needed */
	bool restricted;                /* the request's pricing names providers, regions, terms or an age */
	struct candidate *items;
	size_t count, unpriced;
	int64_t joined;         /* accelerators that work together; below 1: unknown before planning */
	bool places, all_terms; /* places: supplies of every place; all_terms: also those that another term beats */
	char missing[240];      /* reason for the last candidate without a price */
};

static bool is_priced(const struct pricing *pricing)
{
	return is_given(pricing->usd_per_gpu_hour) || cost_is_owned(pricing);
}

static void pricing_faults(const struct resolver *resolver, const struct pricing *pricing)
{
	bool chosen = pricing->providers.count > 0 || pricing->regions.count > 0 || pricing->terms.count > 0 || is_given(pricing->max_age_days);
	const struct on_premises *own = &pricing->on_premises;

	if (is_given(pricing->usd_per_gpu_hour) && cost_is_owned(pricing))
		failure_add(resolver->failure, "/pricing/on_premises", "conflict", "give usd_per_gpu_hour or on_premises, not both");
	if (is_priced(pricing) && chosen)
		failure_add(resolver->failure, "/pricing", "conflict",
			"the given price replaces offers: leave out providers, regions, terms and max_age_days");
	if (is_given(own->capex_usd_per_gpu) + (own->capex.count > 0) + (own->list_prices == TRUTH_TRUE) > 1)
		failure_add(resolver->failure, "/pricing/on_premises", "conflict",
			"give one of capex_usd_per_gpu (one price for all), capex (one for each accelerator) and list_prices (the catalogue's)");
	if (!cost_is_owned(pricing) &&
		(is_given(own->life_years) || is_given(own->electricity_usd_per_kwh) || is_given(own->staff_usd_per_gpu_month) ||
			is_given(own->space_usd_per_kw_month)))
		failure_add(resolver->failure, "/pricing/on_premises/capex_usd_per_gpu", "required",
			"on_premises needs the price of an accelerator: give capex_usd_per_gpu, capex, or list_prices true");
	for (size_t i = 0; i < own->capex.count; i++)
		if (!catalogue_accelerator(resolver->catalogue, own->capex.items[i].accelerator, &(const char *){NULL}))
			fault_unknown(resolver, resolver_text(resolver, "/pricing/on_premises/capex/%zu/accelerator", i), "accelerator",
				own->capex.items[i].accelerator);
	for (size_t i = 0; i < pricing->terms.count; i++)
		if (term_of_text(pricing->terms.items[i]) == TERM_UNSET)
			failure_add(resolver->failure, "/pricing/terms", "unknown", "\"%.40s\" must be on_demand, spot, reserved_1y or reserved_3y",
				pricing->terms.items[i]);
}

/* Places of a price for a named site, the nearest first: its region, its provider, its country, anywhere. */
enum nearness { NEAR_REGION, NEAR_PROVIDER, NEAR_COUNTRY, NEAR_ANYWHERE, NEAR_COUNT };

static struct offer_filter filter_near(const struct choosing *choosing, enum nearness near)
{
	const struct site_request *site = &choosing->common->site;
	struct offer_filter filter = {.pricing = &choosing->common->pricing, .now_us = choosing->resolver->now_us};

	if (near == NEAR_REGION || near == NEAR_PROVIDER)
		filter.provider = site->provider;
	if (near == NEAR_REGION)
		filter.region = site->region;
	if (near == NEAR_COUNTRY && choosing->asked)
		filter.country = region_country(choosing->resolver->catalogue, choosing->asked);
	return filter;
}

/* True if a filter is narrower than NEAR_ANYWHERE. */
static bool is_narrow(const struct offer_filter *filter)
{
	return filter->provider || filter->country;
}

/* Finds an offer as near to the named site as there is one. An offer at another place is noted later, when the answer's
 * offer is known. */
static bool find_offer(struct choosing *choosing, const struct accelerator_row *row, struct candidate *candidate,
	const struct region_row **region, struct offer_rejects *rejects, struct offer_filter *used)
{
	for (enum nearness near = NEAR_REGION; near < NEAR_COUNT; near++) {
		*used = filter_near(choosing, near);
		if ((near == NEAR_ANYWHERE || is_narrow(used)) &&
			offers_cheapest(choosing->resolver->catalogue, row, used, &candidate->offer, region, rejects))
			return true;
	}
	return false;
}

static void explain_missing(struct choosing *choosing, const struct candidate *candidate, const struct offer_rejects *rejects)
{
	char why[160];

	offers_explain(rejects, &(struct offer_filter){.pricing = &choosing->common->pricing}, why, sizeof why);
	choosing->resolver->findings->missing_price_told = true;
	findings_warn(choosing->resolver->findings,
		"no current offer of %s: %s; cost is left out: give pricing.usd_per_gpu_hour or name providers", candidate->accelerator.id, why);
	snprintf(choosing->missing, sizeof choosing->missing, "%.60s: %s", candidate->accelerator.id, why);
}

static void note_offer(const struct resolver *resolver, const struct offer *offer)
{
	int64_t as_of_us;

	findings_assume_number(resolver->findings, "pricing.usd_per_gpu_hour", offer->usd_per_gpu_hour,
		resolver_text(resolver, "catalogue offer %s %s%s%s, instances of %lld, %s, as of %s: %s", offer->provider, offer->instance_type,
			offer->region ? " " : "", offer->region ? offer->region : "", (long long)offer->gpus, term_text(offer->term),
			offer->as_of ? offer->as_of : "an unknown date", offer->source ? offer->source : "source not stated"));
	if (offer->as_of && (offer->term == TERM_RESERVED_1Y || offer->term == TERM_RESERVED_3Y) && clock_parse(offer->as_of, &as_of_us) &&
		(double)(resolver->now_us - as_of_us) > OFFER_MAX_AGE_DAYS * 86400e6)
		findings_warn(resolver->findings, "the price of a commitment (%s %s, %s) is of %s: get a quote before you budget with it",
			offer->provider, offer->instance_type, term_text(offer->term), offer->as_of);
}

static bool stands_at(const struct resolver *resolver, const struct site_request *site, const struct region_row *asked,
	const struct offer *offer, const struct region_row *region)
{
	if (site->country)
		return region && region_country(resolver->catalogue, region) == region_country(resolver->catalogue, asked);
	return strcasecmp(provider_name(site->provider), provider_name(offer->provider)) == 0 && offer->region &&
		strcasecmp(site->region, offer->region) == 0;
}

/* Warns first if the price and the site of an answer are of two places. */
static void warn_of_two_places(const struct resolver *resolver, const struct request_common *common, const struct region_row *asked,
	const struct offer *offer, const struct region_row *region)
{
	const struct site_request *site = &common->site;
	bool chosen = common->pricing.providers.count > 0 || common->pricing.regions.count > 0;
	const struct region_row *country = region ? region_country(resolver->catalogue, region) : NULL;
	const char *place, *stands;

	if (!asked || stands_at(resolver, site, asked, offer, region))
		return;
	place = !site->country ? resolver_text(resolver, "%s %s", site->provider, site->region)
		: asked->location  ? asked->location
						   : site->country;
	stands = !offer->region
		? ", which names no region"
		: resolver_text(resolver, " %s%s%s%s", offer->region, country ? " (" : "", country ? country->location : "", country ? ")" : "");
	findings_warn_first(resolver->findings,
		"two places: the price is that of %s%s, grid, PUE and water are those of %s, from site: %s; give "
		"pricing.usd_per_gpu_hour if you know the price there, or leave site out: it then follows the offer",
		offer->provider, stands, place, chosen ? "pricing names other places" : "no current offer of this accelerator and term is there");
}

void resolve_recommended(const struct resolver *resolver, const struct request_common *common, const struct candidate *candidates,
	size_t count, const struct offer *offer)
{
	const struct region_row *asked = NULL, *region = NULL;
	struct site unused;

	if (resolve_site_region(resolver, &common->site, &asked) != STATUS_OK)
		return;
	if (offer->region)
		region = region_of_provider(resolver->catalogue, offer->provider, offer->region);
	warn_of_two_places(resolver, common, asked, offer, region);
	if (count == 1 && candidates[0].supply_count == 0)
		return; /* add_candidate() has noted the rest */
	note_offer(resolver, offer);
	resolve_site_at(resolver, &common->site, asked, region, offer, resolver->findings, &unused);
}

/* Returns the usual number in a machine of the accelerator. */
static int64_t usual_node(const struct choosing *choosing, const struct accelerator_row *row, const struct accelerator *accelerator)
{
	const struct catalogue *catalogue = choosing->resolver->catalogue;

	return topology_of(accelerator, NULL, catalogue->index->offers[row - catalogue->rows.accelerators].gpus_per_instance_max).gpus_per_node;
}

/* Returns the number in a machine, without regard to the offer, which is chosen by it. */
static int64_t gpus_per_node(const struct choosing *choosing, const struct accelerator_row *row, const struct accelerator *accelerator)
{
	return choosing->common->gpus_per_node >= 1 ? choosing->common->gpus_per_node : usual_node(choosing, row, accelerator);
}

/* Limits links within a machine to its accelerators: a smaller machine links fewer. Links of racks and pods cross
 * machines. */
static void end_links(const struct choosing *choosing, const struct accelerator_row *row, struct candidate *candidate)
{
	struct accelerator *accelerator = &candidate->accelerator;
	int64_t usual = usual_node(choosing, row, accelerator);

	if (accelerator->max_nvlink_domain <= candidate->gpus_per_node || accelerator->max_nvlink_domain > usual)
		return;
	accelerator->max_nvlink_domain = candidate->gpus_per_node;
	if (candidate->gpus_per_node > 1)
		findings_assume_number(choosing->resolver->findings, "max_nvlink_domain", (double)candidate->gpus_per_node,
			"E140: the link lies within a machine of gpus_per_node accelerators");
}

static void connect_nodes(const struct choosing *choosing, const struct accelerator_row *row, bool alone, struct candidate *candidate)
{
	const struct catalogue *catalogue = choosing->resolver->catalogue;
	struct topology topology = topology_of(&candidate->accelerator, candidate->has_offer ? &candidate->offer : NULL,
		catalogue->index->offers[row - catalogue->rows.accelerators].gpus_per_instance_max);
	const struct request_common *common = choosing->common;

	candidate->internode_gbs = given_or(common->internode_gbs, topology.internode_gbs);
	candidate->single = candidate->has_offer && topology.rented_singly && !is_given(common->internode_gbs) && !common->accelerator.id &&
		!common->accelerator.like && common->accelerators.count == 0;
	candidate->torus_dimensions = topology.torus_dimensions;
	candidate->slice_sizes = topology.slice_sizes;
	if (!alone)
		return;
	if (common->gpus_per_node < 1)
		findings_assume_number(choosing->resolver->findings, "gpus_per_node", (double)candidate->gpus_per_node, topology.gpus_source);
	if (!is_given(common->internode_gbs))
		findings_assume_number(choosing->resolver->findings, "internode_gbs", candidate->internode_gbs, topology.internode_source);
	if (candidate->accelerator.max_nvlink_domain > 1 && candidate->accelerator.max_nvlink_domain < candidate->gpus_per_node)
		findings_assume_number(choosing->resolver->findings, "max_nvlink_domain", (double)candidate->accelerator.max_nvlink_domain,
			"E140; the link joins this number in a machine, PCIe the rest; for cards without bridges: {\"like\": ..., \"max_nvlink_domain\": 1}");
	if (topology.slice_sizes.count > 0)
		findings_assume_text(choosing->resolver->findings, "slices", "rented in whole slices", topology.slice_sizes.source);
	if (topology.torus_dimensions > 0)
		findings_assume_number(choosing->resolver->findings, "torus_dimensions", (double)topology.torus_dimensions, topology.torus_source);
}

static void fill_calibration(const struct choosing *choosing, bool alone, struct candidate *candidate)
{
	enum precision precision = choosing->common->precision;

	if (precision == PRECISION_UNSET)
		precision = accelerator_training_precision(&candidate->accelerator);
	if (choosing->common->calibration != CALIBRATION_DATASHEET)
		resolve_calibration(choosing->resolver, &candidate->accelerator, precision, alone, &candidate->calibration);
	else
		candidate->calibration = (struct calibration){.gemm_efficiency = ABSENT_NUMBER,
			.memory_efficiency = ABSENT_NUMBER,
			.kernel_launch_s = ABSENT_NUMBER,
			.idle_w = ABSENT_NUMBER,
			.load_w = ABSENT_NUMBER};
	if (choosing->common->calibration != CALIBRATION_DATASHEET && choosing->common->practice != PRACTICE_RECIPE)
		candidate->own_runs = resolve_own_runs(choosing->resolver, &candidate->accelerator, choosing->common->practice == PRACTICE_FIRST_RUN);
	if (candidate->calibration.id)
		findings_assume_text(choosing->resolver->findings, "calibration", "measured", candidate->calibration.source);
}

/* True if a supply is in a better building, on a cleaner grid, or of another kind than all supplies before, which cost
 * less. A spot offer does not replace others: an interrupted replica costs more than its price. */
static bool is_worth_keeping(const struct choosing *choosing, const struct supply *kept, size_t count, const struct supply *supply)
{
	struct site site = supply->site;

	site_complete(&site, NULL);
	for (size_t i = 0; i < count; i++) {
		struct site other = kept[i].site;
		bool same_term = choosing->all_terms ? kept[i].offer.term == supply->offer.term
											 : (kept[i].offer.term == TERM_SPOT) == (supply->offer.term == TERM_SPOT);
		bool alike = same_term && kept[i].offer.gpus == supply->offer.gpus;

		site_complete(&other, NULL);
		if (alike && other.pue <= site.pue && other.pue * other.grid_gco2e_per_kwh <= site.pue * site.grid_gco2e_per_kwh)
			return false;
	}
	return true;
}

/* Fills one supply for each size of instance, or for each place, cheapest first, with their sites. Returns their
 * number. */
static size_t supplies_fill(const struct choosing *choosing, const struct accelerator_row *row, const struct offer_filter *filter,
	const struct candidate *candidate, struct supply *supplies, const struct region_row **regions)
{
	const struct resolver *resolver = choosing->resolver;
	struct offer_place places[SUPPLIES_MOST];
	size_t count = choosing->places ? offers_of_places(resolver->catalogue, row, filter, places, SUPPLIES_MOST)
									: offers_of_sizes(resolver->catalogue, row, filter, places, SUPPLIES_MAX);
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct supply *supply = &supplies[kept];

		supply->offer = places[i].offer;
		supply->offer.high_usd_per_gpu_hour = fmax(candidate->offer.high_usd_per_gpu_hour, places[i].offer.usd_per_gpu_hour);
		if (choosing->joined < 1)
			resolve_site_at(resolver, &choosing->common->site, choosing->asked, places[i].region, &places[i].offer, NULL, &supply->site);
		regions[kept] = places[i].region;
		kept += !choosing->places || is_worth_keeping(choosing, supplies, kept, supply);
	}
	return kept;
}

/* Chooses the offer for the accelerators that work together. If their number is unknown, keeps one supply for each size
 * of instance or place, each with its site, and the planner chooses for the number that it finds. Sets *region to the
 * region of the candidate's offer. */
static void choose_supply(const struct choosing *choosing, const struct accelerator_row *row, const struct offer_filter *filter,
	struct candidate *candidate, const struct region_row **region)
{
	const struct region_row *regions[SUPPLIES_MOST];
	struct supply found[SUPPLIES_MOST], *supplies;
	size_t count = supplies_fill(choosing, row, filter, candidate, found, regions);
	int64_t job = choosing->joined >= 1 ? choosing->joined : candidate->gpus_per_node;
	const struct supply *best;

	supplies = ARENA_ARRAY(choosing->resolver->arena, struct supply, count + 1);
	if (!supplies || count < 2)
		return;
	memcpy(supplies, found, count * sizeof *supplies);
	candidate->supplies = supplies;
	candidate->supply_count = count;
	best = supply_best(candidate, job, job);
	candidate->offer = best->offer;
	*region = regions[best - supplies];
	if (choosing->joined >= 1)
		candidate->supply_count = 0;
}

/* Sets the purchase price, where the request does not give one price for all. */
static void price_own(const struct choosing *choosing, const struct accelerator_row *row, struct candidate *candidate)
{
	const struct on_premises *own = &choosing->common->pricing.on_premises;
	const struct list_price *listed = own->list_prices == TRUTH_TRUE ? list_price_of(candidate->accelerator.id)
																	 : NULL; /* variants have no list price */

	for (size_t i = 0; i < own->capex.count; i++)
		if (catalogue_accelerator(choosing->resolver->catalogue, own->capex.items[i].accelerator, &(const char *){NULL}) == row)
			candidate->own_price = (struct own_price){
				own->capex.items[i].usd_per_gpu, own->capex.items[i].usd_per_gpu, own->capex.items[i].usd_per_gpu, false, "request"};
	if (listed)
		candidate->own_price = (struct own_price){listed->usd, listed->low_usd, listed->high_usd, true,
			resolver_text(choosing->resolver, "E154: list price of %.0f USD (%s): %s; with servers and network", listed->usd, listed->as_of,
				listed->source)};
	if ((own->capex.count > 0 || own->list_prices == TRUTH_TRUE) && !(candidate->own_price.usd_per_gpu > 0)) {
		choosing->resolver->findings->missing_price_told = true;
		findings_warn(choosing->resolver->findings,
			own->list_prices == TRUTH_TRUE ? "%s has no list price, so its cost is left out: give pricing.on_premises.capex"
										   : "pricing.on_premises.capex has no price for %s, so its cost is left out: add one",
			candidate->accelerator.id);
	}
}

/* Fills items[count] from its accelerator. `alone`: it is the only candidate, so its assumptions are those of the
 * answer. */
static void add_candidate(struct choosing *choosing, const struct accelerator_row *row, const struct accelerator *accelerator, bool alone)
{
	struct candidate *candidate = &choosing->items[choosing->count];
	const struct resolver *resolver = choosing->resolver;
	const struct region_row *region = NULL;
	struct offer_rejects rejects;
	struct offer_filter used;
	bool settled;

	*candidate = (struct candidate){.accelerator = *accelerator, .gpus_per_node = gpus_per_node(choosing, row, accelerator)};
	end_links(choosing, row, candidate);
	if (!choosing->priced) {
		candidate->has_offer = find_offer(choosing, row, candidate, &region, &rejects, &used);
		if (!candidate->has_offer && choosing->restricted && !alone) {
			explain_missing(choosing, candidate, &rejects);
			choosing->unpriced++;
			return;
		}
		if (!candidate->has_offer) {
			explain_missing(choosing, candidate, &rejects);
			choosing->unpriced++;
		} else {
			choose_supply(choosing, row, &used, candidate, &region);
		}
	}
	price_own(choosing, row, candidate);
	settled = alone && candidate->supply_count == 0; /* else resolve_recommended() notes the chosen offer */
	if (settled && candidate->has_offer)
		note_offer(resolver, &candidate->offer);
	resolve_site_at(resolver, &choosing->common->site, choosing->asked, region, candidate->has_offer ? &candidate->offer : NULL,
		settled ? resolver->findings : NULL, &candidate->site);
	fill_calibration(choosing, alone, candidate);
	connect_nodes(choosing, row, alone, candidate);
	choosing->count++;
}

static const char restricted_detail[] = "no offer of the requested accelerators passes providers, regions, terms and max_age_days";

static enum status choose_named(struct choosing *choosing, const struct accelerator_reference *references, size_t count, const char *pointer)
{
	const struct resolver *resolver = choosing->resolver;

	for (size_t i = 0; i < count; i++) {
		const struct accelerator_row *row = NULL;
		struct accelerator accelerator;
		bool repeated = false;
		char at[64];

		snprintf(at, sizeof at, count > 1 || strcmp(pointer, "/accelerators") == 0 ? "%s/%zu" : "%s", pointer, i);
		if (resolve_accelerator_row(resolver, &references[i], at, &row, &accelerator) != STATUS_OK || !row)
			continue;
		for (size_t k = 0; k < choosing->count; k++)
			repeated |= strcmp(choosing->items[k].accelerator.id, accelerator.id) == 0;
		if (repeated)
			failure_add(resolver->failure, at, "conflict", "%.60s is in the list twice; give variants an id of their own", accelerator.id);
		else
			add_candidate(choosing, row, &accelerator, count == 1);
	}
	if (resolver_status(resolver) == STATUS_OK && choosing->restricted && choosing->unpriced == count)
		failure_add(
			resolver->failure, "/pricing", "no_offer", "%s%s%s", restricted_detail, choosing->missing[0] ? "; of " : "", choosing->missing);
	return resolver_status(resolver);
}

/* Chooses every accelerator with a given or listed purchase price. */
static void choose_owned(struct choosing *choosing)
{
	const struct catalogue_rows *rows = &choosing->resolver->catalogue->rows;
	const struct on_premises *own = &choosing->common->pricing.on_premises;

	for (size_t i = 0; i < rows->accelerator_count && choosing->count < CANDIDATES_MAX; i++) {
		bool named = own->list_prices == TRUTH_TRUE && list_price_of(rows->accelerators[i].accelerator.id);

		for (size_t k = 0; k < own->capex.count; k++)
			named |= catalogue_accelerator(choosing->resolver->catalogue, own->capex.items[k].accelerator, &(const char *){NULL}) ==
				&rows->accelerators[i];
		if (named)
			add_candidate(choosing, &rows->accelerators[i], &rows->accelerators[i].accelerator, false);
	}
	findings_assume_text(choosing->resolver->findings, "accelerators", resolver_text(choosing->resolver, "%zu accelerators", choosing->count),
		own->list_prices == TRUTH_TRUE ? "catalogue: every accelerator with a list price"
									   : "pricing.on_premises.capex: every named accelerator");
}

/* Chooses every accelerator that can be rented now: in the site's region, else from its provider, else anywhere (also
 * if no site is named). */
static enum status choose_all(struct choosing *choosing)
{
	const struct resolver *resolver = choosing->resolver;
	const struct catalogue_rows *rows = &resolver->catalogue->rows;

	const struct on_premises *own = &choosing->common->pricing.on_premises;

	if (choosing->priced && own->capex.count == 0 && own->list_prices != TRUTH_TRUE) {
		failure_add(resolver->failure, "/accelerator", "required", "one price cannot be that of every accelerator: name the accelerator");
		return resolver_status(resolver);
	}
	if (choosing->priced) {
		choose_owned(choosing);
		return resolver_status(resolver);
	}
	for (enum nearness near = NEAR_REGION; near < NEAR_COUNT && choosing->count == 0; near++) {
		const struct offer_filter filter = filter_near(choosing, near);

		if (near != NEAR_ANYWHERE && !filter.provider)
			continue; /* a country alone may have few offers: find_offer() searches it first for each accelerator */
		for (size_t i = 0; i < rows->accelerator_count && choosing->count < CANDIDATES_MAX; i++) {
			struct offer offer;
			const struct region_row *region;

			if (offers_cheapest(resolver->catalogue, &rows->accelerators[i], &filter, &offer, &region, NULL))
				add_candidate(choosing, &rows->accelerators[i], &rows->accelerators[i].accelerator, false);
		}
	}
	if (choosing->count == 0)
		failure_add(
			resolver->failure, "/pricing", "no_offer", "%s%s%s", restricted_detail, choosing->missing[0] ? "; of " : "", choosing->missing);
	else
		findings_assume_text(resolver->findings, "accelerators", resolver_text(resolver, "%zu accelerators", choosing->count),
			"catalogue: every accelerator with a current price, on demand or of a requested term");
	return resolver_status(resolver);
}

/* Notes once what several candidates share; each has its own figures. */
static void note_shared(const struct choosing *choosing)
{
	struct findings *findings = choosing->resolver->findings;
	const struct request_common *common = choosing->common;

	if (common->calibration != CALIBRATION_DATASHEET) /* an existing note of a measurement stays */
		findings_assume_text(
			findings, "calibration", "datasheet", "no measurement on record: rates of the catalogue, efficiencies of E20 to E29");
	if (choosing->count < 2)
		return;
	if (!choosing->priced)
		findings_assume_text(findings, "pricing",
			choosing->places ? "each accelerator's current offer that fits objective and caps best"
							 : "each accelerator's cheapest current offer",
			"catalogue: each option has the offer, its date and source");
	if (!choosing->asked && !is_given(common->site.grid_gco2e_per_kwh))
		findings_assume_text(findings, "site", "the place of each offer",
			"catalogue: provider and region of each option's offer; the world average where it names none");
	if (common->gpus_per_node < 1 || !is_given(common->internode_gbs))
		findings_assume_text(findings, "gpus_per_node", "as each accelerator is built",
			"published systems: DGX, HGX and OAM baseboards, TPU hosts, the largest instance on offer");
}

static struct choosing choosing_of(const struct resolver *resolver, const struct request_common *common)
{
	const struct pricing *pricing = &common->pricing;

	return (struct choosing){.resolver = resolver,
		.common = common,
		.joined = ABSENT_COUNT,
		.priced = is_priced(pricing),
		.restricted = pricing->providers.count > 0 || pricing->regions.count > 0 || pricing->terms.count > 0 ||
			is_given(pricing->max_age_days)};
}

static enum status choose_candidates(struct choosing choosing, const struct candidate **candidates, size_t *count)
{
	const struct resolver *resolver = choosing.resolver;
	const struct request_common *common = choosing.common;
	const struct pricing *pricing = &common->pricing;
	bool one = resolve_accelerator_given(&common->accelerator);
	size_t wanted = one ? 1 : common->accelerators.count > 0 ? common->accelerators.count : resolver->catalogue->rows.accelerator_count;
	enum status status;

	*candidates = NULL;
	*count = 0;
	pricing_faults(resolver, pricing);
	status = resolve_site_region(resolver, &common->site, &choosing.asked);
	if (one && common->accelerators.count > 0)
		failure_add(resolver->failure, "/accelerators", "conflict", "give accelerator or accelerators, not both");
	if (common->accelerators.count > CANDIDATES_MAX)
		failure_add(resolver->failure, "/accelerators", "too_many", "at most %d accelerators", CANDIDATES_MAX);
	if (status == STATUS_OK)
		status = resolver_status(resolver);
	choosing.items = ARENA_ARRAY(resolver->arena, struct candidate, wanted < CANDIDATES_MAX ? wanted + 1 : CANDIDATES_MAX);
	if (!choosing.items)
		return failure_set(resolver->failure, STATUS_NO_MEMORY, "too many accelerators");
	if (status != STATUS_OK && common->accelerators.count > CANDIDATES_MAX)
		return status;
	if (one || common->accelerators.count > 0)
		status = choose_named(
			&choosing, one ? &common->accelerator : common->accelerators.items, wanted, one ? "/accelerator" : "/accelerators");
	else
		status = choose_all(&choosing);
	note_shared(&choosing);
	*candidates = choosing.items;
	*count = choosing.count;
	return status;
}

enum status resolve_candidates(const struct resolver *resolver, const struct request_common *common, int64_t joined,
	const struct candidate **candidates, size_t *count)
{
	struct choosing choosing = choosing_of(resolver, common);

	choosing.joined = joined;
	return choose_candidates(choosing, candidates, count);
}

enum status resolve_placed_candidates(const struct resolver *resolver, const struct request_common *common, bool all_terms,
	const struct candidate **candidates, size_t *count)
{
	struct choosing choosing = choosing_of(resolver, common);

	choosing.places = true;
	choosing.all_terms = all_terms;
	return choose_candidates(choosing, candidates, count);
}
