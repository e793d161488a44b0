/* Lambda Cloud: https://docs.lambda.ai/api/cloud. One answer with every instance type, its price in cents for the whole
 * instance and the regions where it is available now. A type without a region is not an offer. */
#include <stdlib.h>
#include <string.h>

#include "hwdb/feeds/adapters.h"
#include "hwdb/feeds/feed_json.h"
#include "hwdb/feeds/instances.h"
#include "hwdb/rows/rows_text.h"

enum status lambda_request(struct feed_walk *walk, struct feed_request *request, struct failure *failure)
{
	request->url = arena_printf(walk->arena, "%s/api/v1/instance-types", walk->base_url);
	request->bearer = walk->key;
	request->conditional = true;
	return feed_have(walk, request->url, failure);
}

struct lambda_offer {
	const char *type, *accelerator;
	int64_t gpus;
	double cents, vcpus, memory_gib;
};

/* Reads "8x A100 (40 GB SXM4)" as 8 and its accelerator. NULL: success, else the reason. */
static const char *offer_of(const json_t *entry, struct lambda_offer *offer)
{
	const json_t *type = feed_json_object(entry, "instance_type"), *specs = feed_json_object(type, "specs");
	const char *description = feed_json_text(type, "description");
	char *end;

	*offer = (struct lambda_offer){.type = feed_json_text(type, "name"),
		.cents = feed_json_number(type, "price_cents_per_hour"),
		.vcpus = feed_json_number(specs, "vcpus"),
		.memory_gib = feed_json_number(specs, "memory_gib")};
	if (!offer->type || !description)
		return "without a name or description";
	offer->gpus = strtol(description, &end, 10);
	if (end == description || *end != 'x' || offer->gpus < 1 || offer->gpus > 64)
		return "a description that does not begin with a number";
	offer->accelerator = accelerator_of_name(end + 1, ABSENT_NUMBER);
	if (!offer->accelerator)
		return "an accelerator that the catalogue does not know";
	return is_given(offer->cents) ? NULL : "a price that is not a number";
}

static enum status add_row(struct feed_walk *walk, const struct lambda_offer *offer, const char *region, struct failure *failure)
{
	struct price_row *row = feed_rows_price(&walk->rows, walk->arena);

	if (!row)
		return feed_have(walk, NULL, failure);
	row->provider = "lambda";
	row->instance_type = arena_strdup(walk->arena, offer->type);
	row->region = arena_strdup(walk->arena, region);
	row->accelerator_id = offer->accelerator;
	row->gpus = offer->gpus;
	row->vcpus = offer->vcpus;
	row->ram_gb = offer->memory_gib;
	row->pricing_model = "on_demand";
	row->price_usd_per_hour = offer->cents / 100;
	return feed_have(walk, row->instance_type && row->region ? row : NULL, failure);
}

static enum status take_entry(struct feed_walk *walk, const char *name, const json_t *entry, struct failure *failure)
{
	const json_t *regions = feed_json_list(entry, "regions_with_capacity_available"), *region;
	struct lambda_offer offer;
	const char *why = offer_of(entry, &offer);
	enum status status = STATUS_OK;
	size_t i;

	walk->rows.seen++;
	if (!why && json_array_size(regions) == 0)
		why = "not available now";
	if (why)
		feed_rows_skip(&walk->rows, walk->arena, why, name);
	json_array_foreach ((json_t *)(uintptr_t)regions, i, region) {
		if (!why && status == STATUS_OK && feed_json_text(region, "name"))
			status = add_row(walk, &offer, feed_json_text(region, "name"), failure);
	}
	return status;
}

enum status lambda_read(struct feed_walk *walk, const char *text, size_t length, struct failure *failure)
{
	const char *name;
	json_t *tree, *entry;
	enum status status = feed_json_read(walk, text, length, &tree, failure);

	if (status != STATUS_OK)
		return status;
	if (!feed_json_object(tree, "data"))
		status = feed_unreadable(walk, failure, "the answer has no data");
	json_object_foreach (json_object_get(tree, "data"), name, entry) {
		if (status == STATUS_OK)
			status = take_entry(walk, name, entry, failure);
	}
	json_decref(tree);
	walk->done = true;
	return status;
}
