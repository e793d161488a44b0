#include "planner/footprint/cost.h"

#include <string.h>

#include "base/units.h"
#include "planner/footprint/reliability.h"
#include "planner/footprint/supply.h"

/* Range of an offer whose row states none: p10 and p90 of on-demand prices over their median; the median of the
 * seventeen accelerators with eight or more offers in hwdb/data/prices.csv. */
static const double offer_low = 0.52, offer_high = 1.68;

static double or_assumed(double value, double otherwise, const char *field, const char *source, struct findings *findings)
{
	if (is_given(value))
		return value;
	if (findings)
		findings_assume_number(findings, field, otherwise, source);
	return otherwise;
}

double cost_on_premises_usd_per_gpu_hour(const struct on_premises *own, double facility_w, struct findings *findings)
{
	double years = or_assumed(own->life_years, COST_LIFE_YEARS, "pricing.on_premises.life_years", "E65: 4 years, 3 to 6", findings);
	double tariff = or_assumed(own->electricity_usd_per_kwh, COST_ELECTRICITY_USD_PER_KWH, "pricing.on_premises.electricity_usd_per_kwh",
		"E67: United States industrial average of 2024, EIA 2025", findings);
	double staff = or_assumed(own->staff_usd_per_gpu_month, 0, "pricing.on_premises.staff_usd_per_gpu_month",
		"E67: not counted unless the request gives it", findings);
	double space = or_assumed(own->space_usd_per_kw_month, 0, "pricing.on_premises.space_usd_per_kw_month",
		"E67: not counted unless the request gives it", findings);
	double facility_kw = facility_w / WATTS_PER_KW;

	return own->capex_usd_per_gpu / (years * HOURS_PER_YEAR) + facility_kw * tariff + (staff + facility_kw * space) / HOURS_PER_MONTH;
}

bool cost_is_owned(const struct pricing *pricing)
{
	const struct on_premises *own = &pricing->on_premises;

	return is_given(own->capex_usd_per_gpu) || own->capex.count > 0 || own->list_prices == TRUTH_TRUE;
}

bool cost_is_by_offer(const struct pricing *pricing, const struct candidate *candidate)
{
	return candidate->has_offer && !is_given(pricing->usd_per_gpu_hour) && !cost_is_owned(pricing);
}

struct own_price cost_own_price(const struct pricing *pricing, const struct candidate *candidate, int64_t count)
{
	double given = pricing->on_premises.capex_usd_per_gpu, factor = 1 + COST_SERVERS_SHARE;
	struct own_price own = candidate->own_price;

	if (is_given(given))
		return (struct own_price){given, given, given, false, "request"};
	if (!own.alone)
		return own;
	if (count > candidate->gpus_per_node)
		factor += COST_NETWORK_SHARE;
	own.usd_per_gpu *= factor;
	own.low_usd_per_gpu *= factor;
	own.high_usd_per_gpu *= factor;
	return own;
}

/* E67 with the lowest price and the longest life, and with the highest price and the shortest life. A life that the
 * request gives has no range. */
static void own_range(const struct on_premises *own, const struct own_price *capex, double facility_w, struct gpu_price *price)
{
	struct on_premises other = *own;

	other.life_years = given_or(own->life_years, COST_LIFE_HIGH_YEARS);
	other.capex_usd_per_gpu = capex->low_usd_per_gpu;
	price->low_usd_per_gpu_hour = cost_on_premises_usd_per_gpu_hour(&other, facility_w, NULL);
	other.life_years = given_or(own->life_years, COST_LIFE_LOW_YEARS);
	other.capex_usd_per_gpu = capex->high_usd_per_gpu;
	price->high_usd_per_gpu_hour = cost_on_premises_usd_per_gpu_hour(&other, facility_w, NULL);
}

bool cost_gpu_price(const struct pricing *pricing, const struct candidate *candidate, int64_t count, double facility_w,
	struct gpu_price *price, struct findings *findings)
{
	struct own_price capex = cost_own_price(pricing, candidate, count);
	struct on_premises own = pricing->on_premises;

	own.capex_usd_per_gpu = capex.usd_per_gpu;
	*price = (struct gpu_price){.status = PROVENANCE_GIVEN, .source = "request"};
	if (is_given(pricing->usd_per_gpu_hour)) {
		price->usd_per_gpu_hour = pricing->usd_per_gpu_hour;
	} else if (cost_is_owned(pricing)) {
		if (!(capex.usd_per_gpu > 0))
			return false;
		price->usd_per_gpu_hour = cost_on_premises_usd_per_gpu_hour(&own, facility_w, findings);
		price->status = PROVENANCE_DERIVED;
		price->source = "E67: total cost of ownership from pricing.on_premises";
	} else if (candidate->has_offer) {
		const struct offer *offer = &candidate->offer;

		double paid_over_used = (double)supply_paid_count(candidate, count) / (double)count;

		price->usd_per_gpu_hour = paid_over_used * offer->usd_per_gpu_hour;
		price->low_usd_per_gpu_hour = paid_over_used * given_or(offer->low_usd_per_gpu_hour, offer->usd_per_gpu_hour * offer_low);
		price->high_usd_per_gpu_hour = paid_over_used * given_or(offer->high_usd_per_gpu_hour, offer->usd_per_gpu_hour * offer_high);
		price->status = PROVENANCE_DEFAULT;
		price->source = offer->source ? offer->source : "catalogue offer";
		price->has_offer = true;
		return true;
	} else {
		return false;
	}
	price->low_usd_per_gpu_hour = price->high_usd_per_gpu_hour = price->usd_per_gpu_hour;
	if (price->status == PROVENANCE_DERIVED)
		own_range(&own, &capex, facility_w, price);
	return true;
}

double cost_paid_hours(enum term term, double hours, double cadence_hours, bool committed)
{
	double term_hours = 0;

	switch (term) {
	case TERM_RESERVED_1Y:
		term_hours = HOURS_PER_YEAR;
		break;
	case TERM_RESERVED_3Y:
		term_hours = 3 * HOURS_PER_YEAR;
		break;
	case TERM_UNSET:
	case TERM_ON_DEMAND:
	case TERM_SPOT:
	case TERM_COUNT:
		return hours;
	}
	if (is_given(cadence_hours))
		return fmax(hours, cadence_hours);
	return committed ? hours : term_hours * fmax(1, ceil(hours / term_hours));
}

bool cost_is_committed(const struct pricing *pricing)
{
	for (size_t i = 0; i < pricing->terms.count; i++)
		if (strcmp(pricing->terms.items[i], "reserved_1y") != 0 && strcmp(pricing->terms.items[i], "reserved_3y") != 0)
			return false;
	return pricing->terms.count > 0;
}

/* Warns about a given amount of data without a price: it costs nothing in the answer. */
static void warn_unpriced(const struct pricing *pricing, struct findings *findings)
{
	if (findings && is_given(pricing->storage_gb) && !is_given(pricing->storage_usd_per_gb_month))
		findings_warn(findings, "pricing.storage_gb is not used: storage has no price (pricing.storage_usd_per_gb_month)");
	if (findings && is_given(pricing->egress_gb) && !is_given(pricing->egress_usd_per_gb))
		findings_warn(findings, "pricing.egress_gb is not used: egress has no price (pricing.egress_usd_per_gb)");
}

struct data_cost cost_of_data(const struct pricing *pricing, double params, double hours, struct findings *findings)
{
	static const double checkpoints_kept = 2, bytes_per_weight = 2;
	struct data_cost cost = {0, 0};

	warn_unpriced(pricing, findings);
	if (is_given(pricing->storage_usd_per_gb_month))
		cost.storage_usd = pricing->storage_usd_per_gb_month * hours / HOURS_PER_MONTH *
			or_assumed(pricing->storage_gb, checkpoints_kept * CHECKPOINT_BYTES_PER_PARAM * params / BYTES_PER_GB, "pricing.storage_gb",
				"E104: two checkpoints: the last one and the one being written (E46)", findings);
	if (is_given(pricing->egress_usd_per_gb))
		cost.egress_usd = pricing->egress_usd_per_gb *
			or_assumed(pricing->egress_gb, bytes_per_weight * params / BYTES_PER_GB, "pricing.egress_gb",
				"E104: the weights in 16 bits, once", findings);
	return cost;
}

struct data_cost cost_of_serving_data(const struct pricing *pricing, double weights_bytes, double output_tokens, struct findings *findings)
{
	static const double bytes_per_token = 4; /* OpenAI 2023, What are tokens: about four characters of English text */
	static const char storage_price[] = "pricing.storage_usd_per_gb_month", egress_price[] = "pricing.egress_usd_per_gb";
	struct data_cost cost = {ABSENT_NUMBER, ABSENT_NUMBER};

	warn_unpriced(pricing, findings);
	if (is_given(pricing->storage_usd_per_gb_month))
		cost.storage_usd = pricing->storage_usd_per_gb_month *
			or_assumed(pricing->storage_gb, weights_bytes / BYTES_PER_GB, "pricing.storage_gb",
				"E113: one copy of the weights, in the format in which they are served", findings);
	else if (findings)
		findings_assume_text(findings, storage_price, "not counted", "E113: the request gives no price of storage");
	if (is_given(pricing->egress_usd_per_gb))
		cost.egress_usd = pricing->egress_usd_per_gb *
			or_assumed(pricing->egress_gb, output_tokens * bytes_per_token / BYTES_PER_GB, "pricing.egress_gb",
				"E113: the answers of a month as plain text, 4 bytes a token (OpenAI 2023); streaming token by token sends many times more",
				findings);
	else if (findings)
		findings_assume_text(findings, egress_price, "not counted", "E113: the request gives no price of egress");
	return cost;
}
