/* Azure Retail Prices: https://learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices. Pages of
 * 1,000 items, linked by NextPageLink. Some members change what an item offers: a reservation has the price of the
 * whole term; skuName contains Spot and Low Priority, productName contains Windows; only USD is Microsoft's own
 * price. */
#include <string.h>

#include "base/clock.h"
#include "hwdb/feeds/adapters.h"
#include "hwdb/feeds/feed_json.h"
#include "hwdb/feeds/instances.h"
#include "hwdb/rows/rows_text.h"

static const double hours_per_year = 8760;

/* Percent-encodes all characters except RFC 3986's unreserved ones. */
static const char *encode(const struct feed_walk *walk, const char *text)
{
	static const char digits[] = "0123456789ABCDEF";
	char *out = arena_alloc(walk->arena, 3 * strlen(text) + 1, 1), *at = out;

	for (; out && *text; text++) {
		if (strchr("-._~", *text) || (*text >= '0' && *text <= '9') || ((*text | 0x20) >= 'a' && (*text | 0x20) <= 'z')) {
			*at++ = *text;
		} else {
			*at++ = '%';
			*at++ = digits[(unsigned char)*text >> 4];
			*at++ = digits[(unsigned char)*text & 15];
		}
	}
	return out;
}

enum status azure_request(struct feed_walk *walk, struct feed_request *request, struct failure *failure)
{
	const char *filter;

	if (walk->next) {
		request->url = walk->next;
		return STATUS_OK;
	}
	filter = arena_printf(walk->arena, "serviceName eq 'Virtual Machines' and armRegionName eq '%s' and contains(armSkuName, 'Standard_N')",
		walk->scope.items[walk->scope_at]);
	filter = filter ? encode(walk, filter) : NULL;
	if (filter)
		request->url = arena_printf(
			walk->arena, "%s/api/retail/prices?api-version=2023-01-01-preview&meterRegion='primary'&$filter=%s", walk->base_url, filter);
	return feed_have(walk, request->url, failure);
}

/* Returns the item's term, and the hours that its price pays for; NULL with a reason where the feed does not use the
 * item. */
static const char *term_of(const json_t *item, double *hours, const char **why)
{
	const char *type = feed_json_text(item, "type"), *sku = feed_json_text(item, "skuName"), *term;

	*hours = 1;
	*why = "neither a price by the hour nor a reservation";
	if (!type || !sku)
		return NULL;
	if (strcmp(type, "Reservation") == 0) {
		term = feed_json_text(item, "reservationTerm");
		*why = "a reservation for a term other than one or three years";
		if (term && strcmp(term, "1 Year") == 0)
			return *hours = hours_per_year, "reserved_1y";
		if (term && strcmp(term, "3 Years") == 0)
			return *hours = 3 * hours_per_year, "reserved_3y";
		return NULL;
	}
	if (strcmp(type, "Consumption") != 0)
		return NULL;
	*why = "Low Priority, which is being withdrawn";
	if (strstr(sku, "Low Priority"))
		return NULL;
	return strstr(sku, "Spot") ? "spot" : "on_demand";
}

static bool is_in_force(const struct feed_walk *walk, const json_t *item)
{
	const char *start = feed_json_text(item, "effectiveStartDate"), *end = feed_json_text(item, "effectiveEndDate");
	int64_t moment_us;

	if (start && clock_parse(start, &moment_us) && moment_us > walk->now_us)
		return false;
	return !end || !clock_parse(end, &moment_us) || moment_us > walk->now_us;
}

/* Returns why the feed does not use an item, before its price is read; NULL: it may be used. */
static const char *why_not(const struct feed_walk *walk, const json_t *item)
{
	const char *product = feed_json_text(item, "productName"), *currency = feed_json_text(item, "currencyCode"),
			   *unit = feed_json_text(item, "unitOfMeasure");

	if (!product || strstr(product, "Windows"))
		return "Windows, or without a product's name";
	if (json_is_false(json_object_get(item, "isPrimaryMeterRegion")))
		return "another region's meter";
	if (!currency || strcmp(currency, "USD") != 0)
		return "a currency other than USD";
	if (!unit || strcmp(unit, "1 Hour") != 0)
		return "a unit other than 1 Hour";
	if (feed_json_number(item, "tierMinimumUnits") > 0)
		return "the price of a larger quantity";
	return is_in_force(walk, item) ? NULL : "a price not in force today";
}

static enum status take_item(struct feed_walk *walk, const struct instances *instances, const json_t *item, struct failure *failure)
{
	const char *type = feed_json_text(item, "armSkuName"), *region = feed_json_text(item, "armRegionName"), *term, *why;
	double price = feed_json_figure(item, "retailPrice"), hours = 1;
	struct instance instance;
	struct price_row *row;

	walk->rows.seen++;
	why = why_not(walk, item);
	term = why ? NULL : term_of(item, &hours, &why);
	if (term && (!type || !region || strcmp(region, walk->scope.items[walk->scope_at]) != 0))
		term = NULL, why = "no instance type, or a region that was not requested";
	if (term && !instances_find(instances, type, &instance))
		term = NULL, why = "an instance type that the catalogue has no price of";
	if (term && !is_given(price))
		term = NULL, why = "a price that is not a number";
	if (!term) {
		feed_rows_skip(&walk->rows, walk->arena, why, type);
		return STATUS_OK;
	}
	row = feed_rows_price(&walk->rows, walk->arena);
	if (!row)
		return feed_have(walk, NULL, failure);
	row->provider = "azure";
	row->instance_type = arena_strdup(walk->arena, type);
	row->region = arena_strdup(walk->arena, region);
	row->accelerator_id = instance.accelerator_id;
	row->gpus = instance.gpus;
	row->vcpus = instance.vcpus;
	row->ram_gb = instance.ram_gb;
	row->pricing_model = term;
	row->price_usd_per_hour = price / hours;
	if (hours > 1)
		row->notes = arena_printf(walk->arena, "%.2f USD for the whole term, over %.0f hours", price, hours);
	return feed_have(walk, row->instance_type && row->region ? row : NULL, failure);
}

enum status azure_read(struct feed_walk *walk, const char *text, size_t length, struct failure *failure)
{
	const json_t *items, *item;
	const char *next;
	json_t *tree;
	size_t i;
	enum status status;

	if (!walk->state)
		walk->state = (void *)(uintptr_t)instances_of(walk->catalogue, "azure", walk->arena);
	if (!walk->state)
		return feed_have(walk, NULL, failure);
	status = feed_json_read(walk, text, length, &tree, failure);
	if (status != STATUS_OK)
		return status;
	items = feed_json_list(tree, "Items");
	status = items ? STATUS_OK : feed_unreadable(walk, failure, "the answer has no Items");
	json_array_foreach ((json_t *)(uintptr_t)items, i, item) {
		if (status == STATUS_OK)
			status = take_item(walk, walk->state, item, failure);
	}
	next = feed_json_text(tree, "NextPageLink");
	walk->next = next && *next ? arena_strdup(walk->arena, next) : NULL;
	if (status == STATUS_OK && !walk->next)
		feed_walk_next_item(walk);
	json_decref(tree);
	return status;
}
