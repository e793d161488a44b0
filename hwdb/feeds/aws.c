/* AWS bulk price list: index.json -> region_index.json -> one CSV of gigabytes for each region, read as it arrives and
 * never held.
 * https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-the-aws-price-list-bulk-api-fetching-price-list-files.html
 * Prices are text. The adapter takes on-demand and reserved prices (standard, no upfront payment) of shared Linux
 * machines; the list has no spot prices. */
#include <stdlib.h>
#include <string.h>

#include "hwdb/feeds/adapters.h"
#include "hwdb/feeds/csv_stream.h"
#include "hwdb/feeds/feed_json.h"
#include "hwdb/feeds/instances.h"
#include "hwdb/rows/rows_text.h"

enum aws_column {
	TERM_TYPE,
	UNIT,
	PRICE,
	CURRENCY,
	LENGTH,
	PURCHASE,
	CLASS,
	INSTANCE,
	VCPU,
	MEMORY,
	TENANCY,
	SYSTEM,
	GPUS,
	CAPACITY,
	SOFTWARE,
	REGION,
	AWS_COLUMN_COUNT
};

static const char *const columns[AWS_COLUMN_COUNT] = {[TERM_TYPE] = "TermType",
	[UNIT] = "Unit",
	[PRICE] = "PricePerUnit",
	[CURRENCY] = "Currency",
	[LENGTH] = "LeaseContractLength",
	[PURCHASE] = "PurchaseOption",
	[CLASS] = "OfferingClass",
	[INSTANCE] = "Instance Type",
	[VCPU] = "vCPU",
	[MEMORY] = "Memory",
	[TENANCY] = "Tenancy",
	[SYSTEM] = "Operating System",
	[GPUS] = "GPU",
	[CAPACITY] = "CapacityStatus",
	[SOFTWARE] = "Pre Installed S/W",
	[REGION] = "Region Code"};

enum aws_step { STEP_INDEX, STEP_REGIONS, STEP_PRICES };

struct aws_state {
	enum aws_step step;
	const char *regions_url;
	const char **urls; /* one for each item of the scope; NULL: not published */
	const struct instances *instances;
	struct csv_stream csv;
	bool reading;
};

static struct aws_state *state_of(struct feed_walk *walk)
{
	struct aws_state *state = walk->state;

	if (state)
		return state;
	state = walk->state = ARENA_NEW(walk->arena, struct aws_state);
	if (state) {
		state->urls = ARENA_ARRAY(walk->arena, const char *, walk->scope.count + 1);
		state->instances = instances_of(walk->catalogue, "aws", walk->arena);
	}
	return state && state->urls && state->instances ? state : NULL;
}

/* Builds a URL from a path relative to the host. */
static const char *url_of(const struct feed_walk *walk, const char *path)
{
	return path && path[0] == '/' ? arena_printf(walk->arena, "%s%s", walk->base_url, path) : arena_strdup(walk->arena, path);
}

enum status aws_request(struct feed_walk *walk, struct feed_request *request, struct failure *failure)
{
	struct aws_state *state = state_of(walk);

	if (!state)
		return feed_have(walk, NULL, failure);
	if (state->step == STEP_INDEX)
		request->url = url_of(walk, "/offers/v1.0/aws/index.json");
	else if (state->step == STEP_REGIONS)
		request->url = state->regions_url;
	else
		request->url = state->urls[walk->scope_at];
	if (state->step == STEP_PRICES) {
		request->streamed = request->conditional = true;
		request->accept = "text/csv";
		state->reading = false;
	}
	return feed_have(walk, request->url, failure);
}

/* The CSV of a region has the path of its ".../index.json", with another ending. */
static const char *csv_url(const struct feed_walk *walk, const char *path)
{
	size_t length = strlen(path);

	if (length < 5 || strcmp(path + length - 5, ".json") != 0)
		return NULL;
	path = arena_printf(walk->arena, "%.*s.csv", (int)(length - 5), path);
	return path ? url_of(walk, path) : NULL;
}

static enum status read_regions(struct feed_walk *walk, struct aws_state *state, const json_t *tree, struct failure *failure)
{
	const json_t *regions = feed_json_object(tree, "regions");

	for (size_t i = 0; i < walk->scope.count; i++) {
		const char *path = feed_json_text(json_object_get(regions, walk->scope.items[i]), "currentVersionUrl");

		if (!path)
			return feed_unreadable(walk, failure, "the list of regions has no %s", walk->scope.items[i]);
		state->urls[i] = csv_url(walk, path);
		if (!state->urls[i])
			return feed_unreadable(walk, failure, "the file of %s is not index.json", walk->scope.items[i]);
	}
	state->step = STEP_PRICES;
	return STATUS_OK;
}

enum status aws_read(struct feed_walk *walk, const char *text, size_t length, struct failure *failure)
{
	struct aws_state *state = walk->state;
	json_t *tree;
	enum status status = feed_json_read(walk, text, length, &tree, failure);

	if (status != STATUS_OK)
		return status;
	if (state->step == STEP_INDEX) {
		state->regions_url = url_of(
			walk, feed_json_text(feed_json_object(feed_json_object(tree, "offers"), "AmazonEC2"), "currentRegionIndexUrl"));
		state->step = STEP_REGIONS;
		status = state->regions_url ? STATUS_OK : feed_unreadable(walk, failure, "the index has no offers.AmazonEC2.currentRegionIndexUrl");
	} else {
		status = read_regions(walk, state, tree, failure);
	}
	json_decref(tree);
	return status;
}

static bool is(const struct csv_stream *csv, enum aws_column column, const char *text)
{
	return strcmp(csv->fields[column], text) == 0;
}

static const char *term_of(const struct csv_stream *csv)
{
	if (is(csv, TERM_TYPE, "OnDemand"))
		return "on_demand";
	if (!is(csv, TERM_TYPE, "Reserved") || !is(csv, PURCHASE, "No Upfront") || !is(csv, CLASS, "standard"))
		return NULL;
	return is(csv, LENGTH, "1yr") ? "reserved_1y" : is(csv, LENGTH, "3yr") ? "reserved_3y" : NULL;
}

/* "2,048 GiB" */
static double memory_gb(const char *text)
{
	double value = 0;

	for (; *text && *text != ' '; text++) {
		if (*text >= '0' && *text <= '9')
			value = 10 * value + (*text - '0');
		else if (*text != ',')
			return ABSENT_NUMBER;
	}
	return value > 0 ? value : ABSENT_NUMBER;
}

/* Finds the machine's accelerators: in the catalogue, or from its family and the file's own count. */
static bool machine_of(const struct aws_state *state, const struct csv_stream *csv, struct instance *instance)
{
	double gpus, vcpus;

	if (instances_find(state->instances, csv->fields[INSTANCE], instance))
		return true;
	*instance = (struct instance){.accelerator_id = instance_aws_accelerator(csv->fields[INSTANCE])};
	if (!instance->accelerator_id || !feed_number_read(csv->fields[GPUS], &gpus) || !(gpus >= 1 && gpus <= 128) || gpus - floor(gpus) > 0)
		return false;
	instance->gpus = (int64_t)gpus;
	instance->vcpus = feed_number_read(csv->fields[VCPU], &vcpus) ? vcpus : ABSENT_NUMBER;
	instance->ram_gb = memory_gb(csv->fields[MEMORY]);
	return true;
}

static enum status take_record(void *context, const struct csv_stream *csv, struct failure *failure)
{
	struct feed_walk *walk = context;
	const char *term = term_of(csv), *why = NULL;
	struct instance instance;
	struct price_row *row;
	double price = ABSENT_NUMBER;

	walk->rows.seen++;
	if (!term || !is(csv, TENANCY, "Shared") || !is(csv, SYSTEM, "Linux") || !is(csv, SOFTWARE, "NA") ||
		(!is(csv, CAPACITY, "Used") && !is(csv, TERM_TYPE, "Reserved")) || !machine_of(walk->state, csv, &instance))
		return STATUS_OK; /* millions of rows of other machines: not counted */
	if (!is(csv, UNIT, "Hrs"))
		why = "a unit other than Hrs";
	else if (!is(csv, CURRENCY, "USD"))
		why = "a currency other than USD";
	else if (!is(csv, REGION, walk->scope.items[walk->scope_at]))
		why = "a region other than the file's";
	else if (!feed_number_read(csv->fields[PRICE], &price))
		why = "a price that is not a number";
	if (why) {
		feed_rows_skip(&walk->rows, walk->arena, why, csv->fields[INSTANCE]);
		return STATUS_OK;
	}
	row = feed_rows_price(&walk->rows, walk->arena);
	if (!row)
		return feed_have(walk, NULL, failure);
	row->provider = "aws";
	row->instance_type = arena_strdup(walk->arena, csv->fields[INSTANCE]);
	row->region = walk->scope.items[walk->scope_at];
	row->accelerator_id = instance.accelerator_id;
	row->gpus = instance.gpus;
	row->vcpus = instance.vcpus;
	row->ram_gb = instance.ram_gb;
	row->pricing_model = term;
	row->price_usd_per_hour = price;
	return feed_have(walk, row->instance_type, failure);
}

enum status aws_take(struct feed_walk *walk, const char *piece, size_t length, struct failure *failure)
{
	struct aws_state *state = walk->state;
	enum status status;

	if (!state->reading)
		csv_stream_init(&state->csv, columns, AWS_COLUMN_COUNT, take_record, walk);
	state->reading = true;
	status = csv_stream_feed(&state->csv, piece, length, failure);
	if (status == STATUS_OK && length == 0)
		feed_walk_next_item(walk);
	return status == STATUS_MALFORMED ? feed_unreadable(walk, failure, "the file of %s: %.200s", walk->scope.items[walk->scope_at],
											arena_strdup(walk->arena, failure->detail))
									  : status;
}
