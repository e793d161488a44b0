/* RunPod: https://docs.runpod.io/sdks/graphql/manage-pods. One GraphQL query for every GPU type; prices are for one GPU
 * with its share of a machine. A type without stock is not an offer. */
#include <string.h>

#include "hwdb/feeds/adapters.h"
#include "hwdb/feeds/feed_json.h"
#include "hwdb/feeds/instances.h"
#include "hwdb/rows/rows_text.h"

enum status runpod_request(struct feed_walk *walk, struct feed_request *request, struct failure *failure)
{
	request->url = arena_printf(walk->arena, "%s/graphql", walk->base_url);
	request->method = "POST";
	request->body = "{\"query\":\"query { gpuTypes { id displayName memoryInGb securePrice communityPrice lowestPrice(input: {gpuCount: 1}) "
					"{ minimumBidPrice uninterruptablePrice minVcpu minMemory stockStatus } } }\"}";
	request->bearer = walk->key;
	return feed_have(walk, request->url, failure);
}

struct runpod_type {
	const char *name, *accelerator;
	double vcpus, memory_gb;
};

static enum status add_row(
	struct feed_walk *walk, const struct runpod_type *type, const char *kind, const char *term, double price, struct failure *failure)
{
	struct price_row *row;

	if (!is_given(price) || price <= 0) /* null and 0: not rented in this form */
		return STATUS_OK;
	row = feed_rows_price(&walk->rows, walk->arena);
	if (!row)
		return feed_have(walk, NULL, failure);
	row->provider = "runpod";
	row->instance_type = arena_printf(walk->arena, "1x %s %s", type->name, kind);
	row->accelerator_id = type->accelerator;
	row->gpus = 1;
	row->vcpus = type->vcpus;
	row->ram_gb = type->memory_gb;
	row->pricing_model = term;
	row->price_usd_per_hour = price;
	return feed_have(walk, row->instance_type, failure);
}

static enum status take_type(struct feed_walk *walk, const json_t *entry, struct failure *failure)
{
	const json_t *lowest = feed_json_object(entry, "lowestPrice");
	const char *id = feed_json_text(entry, "id"), *why = NULL;
	struct runpod_type type = {.name = feed_json_text(entry, "displayName"),
		.vcpus = feed_json_number(lowest, "minVcpu"),
		.memory_gb = feed_json_number(lowest, "minMemory")};
	enum status status;

	walk->rows.seen++;
	type.accelerator = id ? accelerator_of_name(id, feed_json_number(entry, "memoryInGb")) : NULL;
	if (!type.name || !type.accelerator)
		why = "an accelerator that the catalogue does not know";
	else if (!feed_json_text(lowest, "stockStatus"))
		why = "not available now";
	else if (json_is_string(json_object_get(entry, "securePrice")) || json_is_string(json_object_get(entry, "communityPrice")))
		why = "a price that is not a number";
	if (why) {
		feed_rows_skip(&walk->rows, walk->arena, why, id ? id : type.name);
		return STATUS_OK;
	}
	status = add_row(walk, &type, "secure", "on_demand", feed_json_number(entry, "securePrice"), failure);
	if (status == STATUS_OK)
		status = add_row(walk, &type, "community", "on_demand", feed_json_number(entry, "communityPrice"), failure);
	return status == STATUS_OK ? add_row(walk, &type, "spot", "spot", feed_json_number(lowest, "minimumBidPrice"), failure) : status;
}

enum status runpod_read(struct feed_walk *walk, const char *text, size_t length, struct failure *failure)
{
	const json_t *types, *entry;
	json_t *tree;
	size_t i;
	enum status status = feed_json_read(walk, text, length, &tree, failure);

	if (status != STATUS_OK)
		return status;
	types = feed_json_list(feed_json_object(tree, "data"), "gpuTypes");
	if (!types)
		status = feed_unreadable(walk, failure, "the answer has no data.gpuTypes: %.120s",
			feed_json_text(json_array_get(feed_json_list(tree, "errors"), 0), "message")
				? feed_json_text(json_array_get(feed_json_list(tree, "errors"), 0), "message")
				: "no error message");
	json_array_foreach ((json_t *)(uintptr_t)types, i, entry) {
		if (status == STATUS_OK)
			status = take_type(walk, entry, failure);
	}
	json_decref(tree);
	walk->done = true;
	return status;
}
