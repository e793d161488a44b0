/* Google Cloud Billing Catalog: https://cloud.google.com/billing/v1/how-tos/catalog-api. The accelerators, cores and
 * memory of a machine have separate prices, for each region and usage. An offer is their sum; while one of them is
 * missing there is no offer. A4 is listed in slices only: an accelerator with its part of the machine.
 *
 * The key is sent in a header. In the URL, as in Google's examples, it would appear in every log on the way. */
#include <stdlib.h>
#include <string.h>

#include "hwdb/feeds/adapters.h"
#include "hwdb/feeds/feed_json.h"
#include "hwdb/rows/rows_text.h"

/* The summed parts. Names as in the descriptions of SKUs, "A2 Instance Core running in Americas". */
enum part { CORE, MEMORY, ACCELERATOR, PART_COUNT };
enum usage { ON_DEMAND, PREEMPTIBLE, USAGE_COUNT };

static const struct family {
	const char *names[PART_COUNT], *accelerator; /* a part without a name is included in the accelerator's price */
	const char *also;                            /* another name in the accelerator's SKUs */
} families[] = {
	{{"A2 Instance Core", "A2 Instance Ram", "Nvidia Tesla A100 GPU"}, "a100-sxm4-40gb", NULL},
	{{"A2 Instance Core", "A2 Instance Ram", "Nvidia Tesla A100 80GB GPU"}, "a100-sxm4-80gb", NULL},
	{{"A3 Instance Core", "A3 Instance Ram", "Nvidia H100 80GB GPU"}, "h100-sxm5-80gb", NULL},
	{{"A3Plus Instance Core", "A3Plus Instance Ram", "Nvidia H100 80GB Mega GPU"}, "h100-sxm5-80gb", "Nvidia H100 80GB Plus GPU"},
	{{"A3Ultra Instance Core", "A3Ultra Instance Ram", "H200 141GB GPU"}, "h200-sxm5-141gb", "Nvidia H200 141GB GPU"},
	{{NULL, NULL, "A4 Nvidia B200 (1 gpu slice)"}, "b200-sxm6-180gb", NULL},
	{{"G2 Instance Core", "G2 Instance Ram", "Nvidia L4 GPU"}, "l4", NULL},
};
enum { A2, A2_ULTRA, A3, A3_MEGA, A3_ULTRA, A4, G2, FAMILY_COUNT };

/* https://cloud.google.com/compute/docs/accelerator-optimized-machines: vCPUs and GiB of each machine. */
static const struct machine {
	const char *name;
	int family, gpus, vcpus, ram_gib;
} machines[] = {
	{"a2-highgpu-1g", A2, 1, 12, 85},
	{"a2-highgpu-2g", A2, 2, 24, 170},
	{"a2-highgpu-4g", A2, 4, 48, 340},
	{"a2-highgpu-8g", A2, 8, 96, 680},
	{"a2-megagpu-16g", A2, 16, 96, 1360},
	{"a2-ultragpu-1g", A2_ULTRA, 1, 12, 170},
	{"a2-ultragpu-2g", A2_ULTRA, 2, 24, 340},
	{"a2-ultragpu-4g", A2_ULTRA, 4, 48, 680},
	{"a2-ultragpu-8g", A2_ULTRA, 8, 96, 1360},
	{"a3-highgpu-1g", A3, 1, 26, 234},
	{"a3-highgpu-2g", A3, 2, 52, 468},
	{"a3-highgpu-4g", A3, 4, 104, 936},
	{"a3-highgpu-8g", A3, 8, 208, 1872},
	{"a3-megagpu-8g", A3_MEGA, 8, 208, 1872},
	{"a3-ultragpu-8g", A3_ULTRA, 8, 224, 2952},
	{"a4-highgpu-8g", A4, 8, 224, 3968},
	{"g2-standard-4", G2, 1, 4, 16},
	{"g2-standard-8", G2, 1, 8, 32},
	{"g2-standard-12", G2, 1, 12, 48},
	{"g2-standard-16", G2, 1, 16, 64},
	{"g2-standard-24", G2, 2, 24, 96},
	{"g2-standard-32", G2, 1, 32, 128},
	{"g2-standard-48", G2, 4, 48, 192},
	{"g2-standard-96", G2, 8, 96, 384},
};

/* USD per hour of one unit of each part; zero: not seen. `twice`: several SKUs for one part and region, which the
 * adapter cannot tell apart. */
struct part_price {
	double usd;
	bool twice;
};

struct gcp_state {
	struct part_price (*prices)[USAGE_COUNT][FAMILY_COUNT][PART_COUNT]; /* one for each item of the scope */
};

enum status gcp_request(struct feed_walk *walk, struct feed_request *request, struct failure *failure)
{
	const char *header = arena_printf(walk->arena, "X-Goog-Api-Key: %s", walk->key);

	request->headers[0] = header;
	request->url = walk->next
		? arena_printf(walk->arena, "%s/v1/services/6F81-5844-456A/skus?pageSize=5000&pageToken=%s", walk->base_url, walk->next)
		: arena_printf(walk->arena, "%s/v1/services/6F81-5844-456A/skus?pageSize=5000", walk->base_url);
	return feed_have(walk, header ? request->url : NULL, failure);
}

/* Reads the description before " running in ", without the words for the usage. False for a description that is not a
 * plain price of a region. */
static bool name_of(const char *description, enum usage usage, char *name, size_t size)
{
	static const char spot[] = "Spot Preemptible ", attached[] = " attached to Spot Preemptible VMs";
	const char *end = strstr(description, " running in ");
	size_t length;
	char *tail;

	if (!end)
		return false;
	if (usage == PREEMPTIBLE && strncmp(description, spot, sizeof spot - 1) == 0)
		description += sizeof spot - 1;
	length = (size_t)(end - description);
	if (length >= size)
		return false;
	memcpy(name, description, length);
	name[length] = '\0';
	if (usage == PREEMPTIBLE && (tail = strstr(name, attached)))
		*tail = '\0';
	return true;
}

/* Returns units + nanos of the only tier, in USD per the part's expected unit; absent with a reason otherwise. */
static double price_of(const json_t *sku, enum part part, const char **why)
{
	const json_t *info = json_array_get(feed_json_list(sku, "pricingInfo"), 0), *expression = feed_json_object(info, "pricingExpression"),
				 *rates = feed_json_list(expression, "tieredRates"), *price = feed_json_object(json_array_get(rates, 0), "unitPrice");
	const char *unit = feed_json_text(expression, "usageUnit"), *currency = feed_json_text(price, "currencyCode");
	double units = feed_json_figure(price, "units"), nanos = feed_json_number(price, "nanos");

	*why = NULL;
	if (!unit || strcmp(unit, part == MEMORY ? "GiBy.h" : "h") != 0)
		*why = "a unit other than hours (GiB hours for memory)";
	else if (!currency || strcmp(currency, "USD") != 0)
		*why = "a currency other than USD";
	else if (json_array_size(rates) != 1 || feed_json_number(json_array_get(rates, 0), "startUsageAmount") > 0)
		*why = "prices by quantity";
	else if (!is_given(nanos) || !is_given(given_or(units, 0)) || (json_object_get(price, "units") && !is_given(units)))
		*why = "a price that is not a number";
	return *why ? ABSENT_NUMBER : given_or(units, 0) + nanos / 1e9;
}

static void keep_price(struct feed_walk *walk, const json_t *sku, enum usage usage, int family, enum part part, double usd)
{
	struct gcp_state *state = walk->state;
	const json_t *regions = feed_json_list(sku, "serviceRegions"), *region;
	size_t i;

	CHECK(state && state->prices);
	json_array_foreach ((json_t *)(uintptr_t)regions, i, region) {
		for (size_t k = 0; k < walk->scope.count; k++) {
			struct part_price *kept = &state->prices[k][usage][family][part];

			if (!json_is_string(region) || strcmp(json_string_value(region), walk->scope.items[k]) != 0)
				continue;
			kept->twice |= kept->usd > 0 && fabs(kept->usd - usd) > 1e-12;
			kept->usd = usd;
		}
	}
}

/* True if a SKU of that name is the price of this part of the family. */
static bool is_part(const struct family *family, int part, const char *name)
{
	if (family->names[part] && strcmp(name, family->names[part]) == 0)
		return true;
	return part == ACCELERATOR && family->also && strcmp(name, family->also) == 0;
}

/* Google lists some SKUs of spot machines as on demand: the description decides. */
static enum usage usage_of(const char *type, const char *description)
{
	return strcmp(type, "Preemptible") == 0 || (strcmp(type, "OnDemand") == 0 && strncmp(description, "Spot ", 5) == 0) ? PREEMPTIBLE
																														: ON_DEMAND;
}

static void take_sku(struct feed_walk *walk, const json_t *sku)
{
	const char *description = feed_json_text(sku, "description"), *type = feed_json_text(feed_json_object(sku, "category"), "usageType"),
			   *why;
	enum usage usage = type && description ? usage_of(type, description) : ON_DEMAND;
	char name[128];

	walk->rows.seen++;
	if (!description || !type || (usage == ON_DEMAND && strcmp(type, "OnDemand") != 0) || !name_of(description, usage, name, sizeof name))
		return;
	for (int family = 0; family < FAMILY_COUNT; family++) {
		for (int part = 0; part < PART_COUNT; part++) {
			double usd;

			if (!is_part(&families[family], part, name))
				continue;
			usd = price_of(sku, (enum part)part, &why);
			if (why)
				feed_rows_skip(&walk->rows, walk->arena, why, description);
			else
				keep_price(walk, sku, usage, family, (enum part)part, usd);
		}
	}
}

enum status gcp_read(struct feed_walk *walk, const char *text, size_t length, struct failure *failure)
{
	struct gcp_state *state = walk->state ? walk->state : ARENA_NEW(walk->arena, struct gcp_state);
	const json_t *skus, *sku;
	const char *next;
	json_t *tree;
	size_t i;
	enum status status;

	if (state && !state->prices)
		state->prices = arena_alloc(walk->arena, walk->scope.count, sizeof *state->prices);
	walk->state = state;
	status = feed_have(walk, state ? state->prices : NULL, failure);
	if (status == STATUS_OK)
		status = feed_json_read(walk, text, length, &tree, failure);
	if (status != STATUS_OK)
		return status;
	skus = feed_json_list(tree, "skus");
	json_array_foreach ((json_t *)(uintptr_t)skus, i, sku) {
		take_sku(walk, sku);
	}
	next = feed_json_text(tree, "nextPageToken");
	walk->done = !next || !*next;
	if (!skus)
		status = feed_unreadable(walk, failure, "the answer has no skus");
	else if (!walk->done && strspn(next, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.~") != strlen(next))
		status = feed_unreadable(walk, failure, "nextPageToken is not valid");
	else if (!walk->done)
		status = feed_have(walk, walk->next = arena_strdup(walk->arena, next), failure);
	json_decref(tree);
	return status;
}

static enum status add_machine(struct feed_walk *walk, const struct machine *machine, size_t region, enum usage usage, struct failure *failure)
{
	const struct part_price *parts = ((struct gcp_state *)walk->state)->prices[region][usage][machine->family];
	const struct family *family = &families[machine->family];
	struct price_row *row;

	for (int part = 0; part < PART_COUNT; part++)
		if (family->names[part] && (!(parts[part].usd > 0) || parts[part].twice)) {
			if (parts[ACCELERATOR].usd > 0)
				feed_rows_skip(&walk->rows, walk->arena, "a machine with a part that has no price or two prices", machine->name);
			return STATUS_OK;
		}
	row = feed_rows_price(&walk->rows, walk->arena);
	if (!row)
		return feed_have(walk, NULL, failure);
	row->provider = "gcp";
	row->instance_type = machine->name;
	row->region = walk->scope.items[region];
	row->accelerator_id = family->accelerator;
	row->gpus = machine->gpus;
	row->vcpus = machine->vcpus;
	row->ram_gb = machine->ram_gib;
	row->pricing_model = usage == PREEMPTIBLE ? "spot" : "on_demand";
	row->price_usd_per_hour = machine->gpus * parts[ACCELERATOR].usd + machine->vcpus * parts[CORE].usd +
		machine->ram_gib * parts[MEMORY].usd;
	row->notes = !family->names[CORE] ? arena_printf(walk->arena, "%d x %.6g slice", machine->gpus, parts[ACCELERATOR].usd)
									  : arena_printf(walk->arena, "%d x %.6g accelerator + %d x %.6g vCPU + %d x %.6g GiB", machine->gpus,
											parts[ACCELERATOR].usd, machine->vcpus, parts[CORE].usd, machine->ram_gib, parts[MEMORY].usd);
	return feed_have(walk, row->notes, failure);
}

enum status gcp_finish(struct feed_walk *walk, struct failure *failure)
{
	enum status status = STATUS_OK;

	for (size_t region = 0; region < walk->scope.count && walk->state; region++)
		for (size_t i = 0; i < COUNT_OF(machines) && status == STATUS_OK; i++)
			for (int usage = 0; usage < USAGE_COUNT && status == STATUS_OK; usage++)
				status = add_machine(walk, &machines[i], region, (enum usage)usage, failure);
	return status;
}
