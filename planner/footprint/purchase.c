#include "planner/footprint/purchase.h"

#include "base/units.h"
#include "planner/footprint/cost.h"

bool purchase_of(const struct pricing *pricing, const struct candidate *candidate, int64_t count, double facility_w, double run_hours,
	struct purchase *purchase)
{
	struct own_price capex = cost_own_price(pricing, candidate, count);
	struct on_premises own = pricing->on_premises;
	double n = (double)count, network = count > candidate->gpus_per_node ? COST_NETWORK_SHARE : 0, whole = 1 + COST_SERVERS_SHARE + network;
	double hourly_usd;

	*purchase = (struct purchase){.hours_left = ABSENT_NUMBER};
	if (!cost_is_owned(pricing) || is_given(pricing->usd_per_gpu_hour) || !(capex.usd_per_gpu > 0))
		return false;
	own.capex_usd_per_gpu = capex.usd_per_gpu;
	hourly_usd = cost_on_premises_usd_per_gpu_hour(&own, facility_w, NULL);
	purchase->life_hours = given_or(own.life_years, COST_LIFE_YEARS) * HOURS_PER_YEAR;
	purchase->capital_usd = n * capex.usd_per_gpu;
	purchase->capital_low_usd = n * capex.low_usd_per_gpu;
	purchase->capital_high_usd = n * capex.high_usd_per_gpu;
	purchase->accelerators_usd = purchase->capital_usd / whole;
	purchase->hosts_usd = purchase->accelerators_usd * COST_SERVERS_SHARE;
	purchase->network_usd = purchase->accelerators_usd * network;
	purchase->power_kw = n * facility_w / WATTS_PER_KW;
	purchase->running_usd_per_year = n * HOURS_PER_YEAR * (hourly_usd - capex.usd_per_gpu / purchase->life_hours);
	if (is_given(run_hours))
		purchase->hours_left = fmax(0, purchase->life_hours - run_hours);
	purchase->source = capex.source;
	return true;
}

void purchase_against(const struct purchase *purchase, int64_t count, double usd_per_hour, struct rent *rent)
{
	double saved = usd_per_hour - purchase->running_usd_per_year / HOURS_PER_YEAR;

	rent->known = true;
	rent->usd_per_gpu_hour = usd_per_hour / (double)count;
	rent->break_even_hours = saved > 0 ? purchase->capital_usd / saved : ABSENT_NUMBER;
	rent->break_even_utilization = saved > 0 ? rent->break_even_hours / purchase->life_hours : ABSENT_NUMBER;
}
