/* Tests each feed's adapter on small bodies of the documented shapes: what becomes a row, what is skipped, and what
 * ends the refresh. */
#include "fixture.h"
#include "hwdb/feeds/csv_stream.h"
#include "hwdb/feeds/hugging_face.h"
#include "hwdb/feeds/instances.h"
#include "hwdb/feeds/vet.h"

static struct feed_walk walk;
static struct arena arena;
static struct failure failure;

static void begin(enum feed_id id, const char *scope)
{
	int64_t now_us;

	arena_reset(&arena);
	failure_clear(&failure);
	assert_true(clock_parse("2026-11-21T12:10:00Z", &now_us));
	assert_int_equal(feed_walk_begin(&walk, &feeds[id], "https://feed.example/", scope, now_us, &arena, &failure), STATUS_OK);
	walk.catalogue = fixture.catalogue;
	walk.key = "the-key";
}

/* Returns the walk's next request. Its URL must end with `url`. */
static struct feed_request expect_request(const char *url)
{
	struct feed_request request = {0};

	assert_false(walk.done);
	assert_int_equal(walk.feed->request(&walk, &request, &failure), STATUS_OK);
	assert_string_equal(request.url, url);
	assert_null(strstr(request.url, "the-key")); /* logs contain URLs */
	return request;
}

static enum status read_text(const char *text)
{
	return walk.feed->read(&walk, text, strlen(text), &failure);
}

static int64_t skipped(const char *part)
{
	for (size_t i = 0; i < walk.rows.skip_count; i++)
		if (strstr(walk.rows.skips[i].reason, part))
			return walk.rows.skips[i].count;
	return 0;
}

static const struct price_row *price(const char *instance_type, const char *term)
{
	for (size_t i = 0; i < walk.rows.price_count; i++)
		if (strcmp(walk.rows.prices[i].instance_type, instance_type) == 0 && strcmp(walk.rows.prices[i].pricing_model, term) == 0)
			return &walk.rows.prices[i];
	fail_msg("no price of %s, %s", instance_type, term);
	return NULL;
}

#define AZURE_ITEM(more) \
	"{\"currencyCode\":\"USD\",\"tierMinimumUnits\":0.0,\"unitOfMeasure\":\"1 Hour\",\"armRegionName\":\"eastus\",\"armSkuName\":" \
	"\"Standard_ND96isr_H100_v5\",\"productName\":\"Virtual Machines NDsrH100v5 Series Linux\",\"effectiveStartDate\":\"2024-01-01T00:00:00Z\"," \
	"\"isPrimaryMeterRegion\":true," more "}"
#define AZURE_PRICE(price) "\"retailPrice\":" price ",\"skuName\":\"ND96isrH100v5\",\"type\":\"Consumption\""

static void azure_prices_are_what_they_seem(void **state)
{
	(void)state;
	begin(FEED_AZURE, "eastus");
	expect_request(
		"https://feed.example/api/retail/prices?api-version=2023-01-01-preview&meterRegion='primary'&$filter=serviceName%20eq%20"
		"%27Virtual%20Machines%27%20and%20armRegionName%20eq%20%27eastus%27%20and%20contains%28armSkuName%2C%20%27Standard_N%27%29");
	assert_int_equal(
		read_text(
			"{\"Items\":[" AZURE_ITEM(AZURE_PRICE("98.32")) "," AZURE_ITEM("\"retailPrice\":40.5,\"skuName\":\"ND96isrH100v5 Spot\",\"type\":\"Consumption\"") "," AZURE_ITEM("\"retailPrice\":20.5,\"skuName\":\"ND96isrH100v5 Low Priority\",\"type\":\"Consumption\"") "," AZURE_ITEM("\"retailPrice\":551880.0,\"skuName\":\"ND96isrH100v5\",\"type\":\"Reservation\",\"reservationTerm\":\"1 Year\"") "," AZURE_ITEM(
				"\"retailPrice\":1182600,\"skuName\":\"ND96isrH100v5\",\"type\":\"Reservation\",\"reservationTerm\":\"3 Years\"") "," AZURE_ITEM("\"retailPrice\":1182600,\"skuName\":\"ND96isrH100v5\",\"type\":\"Reservation\",\"reservationTerm\":\"5 Years\"") "," AZURE_ITEM("\"retailPrice\":\"NaN\",\"skuName\":\"ND96isrH100v5\",\"type\":\"Consumption\"") "],\"NextPageLink\":\"https://feed.example/api/retail/prices?$skip=1000\",\"Count\":7}"),
		STATUS_OK);
	assert_int_equal(walk.rows.price_count, 4);
	assert_close(price("Standard_ND96isr_H100_v5", "on_demand")->price_usd_per_hour, 98.32, 1e-12);
	assert_close(price("Standard_ND96isr_H100_v5", "spot")->price_usd_per_hour, 40.5, 1e-12);
	assert_close(price("Standard_ND96isr_H100_v5", "reserved_1y")->price_usd_per_hour, 63, 1e-12);
	assert_close(price("Standard_ND96isr_H100_v5", "reserved_3y")->price_usd_per_hour, 45, 1e-12);
	assert_string_equal(price("Standard_ND96isr_H100_v5", "spot")->accelerator_id, "h100-sxm5-80gb");
	assert_int_equal(price("Standard_ND96isr_H100_v5", "spot")->gpus, 8);
	assert_int_equal(skipped("Low Priority") + skipped("a term other than") + skipped("not a number"), 3);
	expect_request("https://feed.example/api/retail/prices?$skip=1000");
	assert_int_equal(read_text("{\"Items\":[],\"NextPageLink\":null}"), STATUS_OK);
	assert_true(walk.done);
}

static void azure_leaves_out_what_is_another_thing(void **state)
{
	static const struct {
		const char *item, *reason;
	} cases[] = {
		{"{\"currencyCode\":\"EUR\",\"unitOfMeasure\":\"1 Hour\",\"armRegionName\":\"eastus\",\"armSkuName\":\"Standard_ND96isr_H100_v5\","
		 "\"productName\":\"Linux\"," AZURE_PRICE("90") "}",
			"currency"},
		{"{\"currencyCode\":\"USD\",\"unitOfMeasure\":\"100 Hours\",\"armRegionName\":\"eastus\",\"armSkuName\":\"Standard_ND96isr_H100_v5\","
		 "\"productName\":\"Linux\"," AZURE_PRICE("90") "}",
			"unit"},
		{"{\"currencyCode\":\"USD\",\"unitOfMeasure\":\"1 Hour\",\"armRegionName\":\"eastus\",\"armSkuName\":\"Standard_ND96isr_H100_v5\","
		 "\"productName\":\"NDsrH100v5 Series Windows\"," AZURE_PRICE("90") "}",
			"Windows"},
		{"{\"currencyCode\":\"USD\",\"unitOfMeasure\":\"1 Hour\",\"armRegionName\":\"westus\",\"armSkuName\":\"Standard_ND96isr_H100_v5\","
		 "\"productName\":\"Linux\"," AZURE_PRICE("90") "}",
			"not requested"},
		{"{\"currencyCode\":\"USD\",\"unitOfMeasure\":\"1 Hour\",\"armRegionName\":\"eastus\",\"armSkuName\":\"Standard_NP10s\","
		 "\"productName\":\"Linux\"," AZURE_PRICE("90") "}",
			"catalogue has no price"},
		{AZURE_ITEM("\"effectiveEndDate\":\"2025-01-01T00:00:00Z\"," AZURE_PRICE("90")), "not in force today"},
		{AZURE_ITEM("\"retailPrice\":90,\"skuName\":\"x\",\"type\":\"DevTestConsumption\""), "by the hour"},
	};
	char body[2048];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		begin(FEED_AZURE, "eastus");
		snprintf(body, sizeof body, "{\"Items\":[%s],\"NextPageLink\":null}", cases[i].item);
		assert_int_equal(read_text(body), STATUS_OK);
		assert_int_equal(walk.rows.price_count, 0);
		if (skipped(cases[i].reason) != 1)
			fail_msg("%s: %s", cases[i].reason, walk.rows.skip_count ? walk.rows.skips[0].reason : "not skipped");
	}
	begin(FEED_AZURE, "eastus");
	assert_int_equal(read_text("{\"Items\":["), STATUS_MALFORMED); /* truncated */
	begin(FEED_AZURE, "eastus");
	assert_int_equal(read_text("{\"error\":\"no\"}"), STATUS_MALFORMED);
	assert_contains(failure.detail, "azure: ");
}

static const char aws_head[] =
	"\"FormatVersion\",\"v1.0\"\n\"Disclaimer\",\"a, \"\"quoted\"\" line\nof two\"\n\"Publication Date\",\"2026-11-20\"\n"
	"\"Version\",\"2026\"\n\"OfferCode\",\"AmazonEC2\"\n"
	"\"SKU\",\"TermType\",\"Unit\",\"PricePerUnit\",\"Currency\",\"LeaseContractLength\",\"PurchaseOption\",\"OfferingClass\",\"Instance Type\","
	"\"vCPU\",\"Memory\",\"Tenancy\",\"Operating System\",\"GPU\",\"CapacityStatus\",\"Pre Installed S/W\",\"Region Code\"\n";
#define AWS_ROW(term, unit, price, lease, purchase, class, type, tenancy, system, gpu, software) \
	"\"X\",\"" term "\",\"" unit "\",\"" price "\",\"USD\",\"" lease "\",\"" purchase \
	"\",\"" class "\",\"" type "\",\"192\",\"2,048 GiB\",\"" tenancy "\",\"" system "\",\"" gpu "\",\"Used\",\"" software \
				  "\",\"us-east-1\"\n"

/* Reads both indexes, up to the request for the prices. */
static void begin_aws(void)
{
	begin(FEED_AWS, "us-east-1");
	expect_request("https://feed.example/offers/v1.0/aws/index.json");
	assert_int_equal(
		read_text("{\"offers\":{\"AmazonEC2\":{\"currentRegionIndexUrl\":\"/offers/v1.0/aws/AmazonEC2/current/region_index.json\"}}}"),
		STATUS_OK);
	expect_request("https://feed.example/offers/v1.0/aws/AmazonEC2/current/region_index.json");
	assert_int_equal(read_text("{\"regions\":{\"us-east-1\":{\"regionCode\":\"us-east-1\",\"currentVersionUrl\":"
							   "\"/offers/v1.0/aws/AmazonEC2/20261120/us-east-1/index.json\"}}}"),
		STATUS_OK);
	assert_true(expect_request("https://feed.example/offers/v1.0/aws/AmazonEC2/20261120/us-east-1/index.csv").streamed);
}

static enum status take_pieces(const char *text, size_t piece)
{
	enum status status = STATUS_OK;

	for (size_t at = 0, length = strlen(text); at < length && status == STATUS_OK; at += piece)
		status = walk.feed->take(&walk, text + at, at + piece < length ? piece : length - at, &failure);
	return status == STATUS_OK ? walk.feed->take(&walk, "", 0, &failure) : status;
}

static void aws_is_read_in_any_pieces(void **state)
{
	static const char rows[] = AWS_ROW("OnDemand", "Hrs", "55.0400000000", "", "", "", "p5.48xlarge", "Shared", "Linux", "8", "NA")
		AWS_ROW("Reserved", "Hrs", "33.5000000000", "1yr", "No Upfront", "standard", "p5.48xlarge", "Shared", "Linux", "8", "NA")
			AWS_ROW("Reserved", "Quantity", "1000", "1yr", "All Upfront", "standard", "p5.48xlarge", "Shared", "Linux", "8", "NA")
				AWS_ROW("Reserved", "Hrs", "30", "1yr", "No Upfront", "convertible", "p5.48xlarge", "Shared", "Linux", "8", "NA")
					AWS_ROW("OnDemand", "Hrs", "60", "", "", "", "p5.48xlarge", "Dedicated", "Linux", "8", "NA")
						AWS_ROW("OnDemand", "Hrs", "61", "", "", "", "p5.48xlarge", "Shared", "Windows", "8", "NA")
							AWS_ROW("OnDemand", "Hrs", "62", "", "", "", "p5.48xlarge", "Shared", "Linux", "8", "SQL Ent")
								AWS_ROW("OnDemand", "Hrs", "63.3", "", "", "", "p5e.48xlarge", "Shared", "Linux", "8", "NA")
									AWS_ROW("OnDemand", "Hrs", "nan", "", "", "", "p4d.24xlarge", "Shared", "Linux", "8", "NA")
										AWS_ROW("OnDemand", "Mins", "1.2", "", "", "", "p4d.24xlarge", "Shared", "Linux", "8", "NA")
											AWS_ROW("OnDemand", "Hrs", "0.4", "", "", "", "m7i.large", "Shared", "Linux", "", "NA")
												AWS_ROW("OnDemand", "Hrs", "0.2", "", "", "", "g6f.large", "Shared", "Linux", "0.125", "NA");
	char text[8192];

	(void)state;
	snprintf(text, sizeof text, "%s%s", aws_head, rows);
	for (size_t piece = 1; piece < 200; piece += piece < 20 ? 1 : 37) {
		begin_aws();
		assert_int_equal(take_pieces(text, piece), STATUS_OK);
		assert_true(walk.done);
		assert_int_equal(walk.rows.seen, 12);
		assert_int_equal(walk.rows.price_count, 3);
		assert_close(price("p5.48xlarge", "on_demand")->price_usd_per_hour, 55.04, 1e-12);
		assert_close(price("p5.48xlarge", "reserved_1y")->price_usd_per_hour, 33.5, 1e-12);
		assert_string_equal(price("p5e.48xlarge", "on_demand")->accelerator_id, "h200-sxm5-141gb"); /* by its family: the catalogue has no row */
		assert_close(price("p5e.48xlarge", "on_demand")->ram_gb, 2048, 1e-12);
		assert_int_equal(skipped("not a number"), 1);
		assert_int_equal(skipped("a unit other than"), 1);
	}
}

static void aws_must_be_whole(void **state)
{
	char text[8192];

	(void)state;
	begin_aws();
	snprintf(text, sizeof text, "%s\"X\",\"OnDemand\",\"Hr", aws_head);
	assert_int_equal(take_pieces(text, 1000), STATUS_MALFORMED);
	assert_contains(failure.detail, "middle of a record");
	begin_aws();
	snprintf(text, sizeof text, "%s\"X\",\"OnDemand\"\n", aws_head);
	assert_int_equal(take_pieces(text, 1000), STATUS_MALFORMED);
	begin_aws();
	assert_int_equal(take_pieces("<html>\n<body>\n", 1000), STATUS_MALFORMED);
	begin(FEED_AWS, "eu-west-9");
	assert_int_equal(walk.feed->request(&walk, &(struct feed_request){0}, &failure), STATUS_OK);
	assert_int_equal(read_text("{\"offers\":{\"AmazonEC2\":{\"currentRegionIndexUrl\":\"/x\"}}}"), STATUS_OK);
	assert_int_equal(read_text("{\"regions\":{\"us-east-1\":{}}}"), STATUS_MALFORMED);
	assert_contains(failure.detail, "eu-west-9");
}

#define GCP_SKU(description, usage, unit, units, nanos) \
	"{\"description\":\"" description "\",\"category\":{\"usageType\":\"" usage \
	"\"},\"serviceRegions\":[\"us-central1\"],\"pricingInfo\":[{" \
	"\"pricingExpression\":{\"usageUnit\":\"" unit "\",\"tieredRates\":[{\"startUsageAmount\":0,\"unitPrice\":{\"currencyCode\":\"USD\"," \
	"\"units\":\"" units "\",\"nanos\":" nanos "}}]}}]}"

static void gcp_sums_the_parts_of_a_machine(void **state)
{
	struct feed_request request;

	(void)state;
	begin(FEED_GCP, "us-central1");
	request = expect_request("https://feed.example/v1/services/6F81-5844-456A/skus?pageSize=5000");
	assert_string_equal(request.headers[0], "X-Goog-Api-Key: the-key");
	assert_int_equal(read_text("{\"skus\":[" GCP_SKU("A2 Instance Core running in Americas", "OnDemand", "h", "0", "31611000") "," GCP_SKU(
						 "A2 Instance Ram running in Americas", "OnDemand", "GiBy.h", "0",
						 "4237000") "," GCP_SKU("Commitment v1: A2 Cpu in Americas for 1 Year", "Commit1Yr", "h", "0",
						 "1000000") "],\"nextPageToken\":\"AB-_=1\"}"),
		STATUS_OK);
	expect_request("https://feed.example/v1/services/6F81-5844-456A/skus?pageSize=5000&pageToken=AB-_=1");
	assert_int_equal(
		read_text("{\"skus\":[" GCP_SKU("Nvidia Tesla A100 GPU running in Americas", "OnDemand", "h", "2", "933908000") "," GCP_SKU(
			"Nvidia Tesla A100 GPU attached to Spot Preemptible VMs running in Americas", "Preemptible", "h", "0",
			"880170000") "," GCP_SKU("Nvidia H100 80GB GPU running in Americas", "OnDemand", "h", "9",
			"796") "," GCP_SKU("A3 Instance Core running in Americas", "OnDemand", "mo", "0", "1000000") "],\"nextPageToken\":\"\"}"),
		STATUS_OK);
	assert_true(walk.done);
	assert_int_equal(walk.feed->finish(&walk, &failure), STATUS_OK);
	/* 1 x 2.933908 + 12 x 0.031611 + 85 x 0.004237 = 3.673385, Google's own figure for an a2-highgpu-1g in Iowa. */
	assert_close(price("a2-highgpu-1g", "on_demand")->price_usd_per_hour, 3.673385, 1e-9);
	assert_close(price("a2-megagpu-16g", "on_demand")->price_usd_per_hour, 16 * 2.933908 + 96 * 0.031611 + 1360 * 0.004237, 1e-12);
	assert_int_equal(walk.rows.price_count, 5); /* no spot host and no A3 host: no offer of either */
	assert_true(skipped("a unit other than") == 1 && skipped("a part that has no price") > 0);
	begin(FEED_GCP, "us-central1");
	assert_int_equal(read_text("{\"skus\":[],\"nextPageToken\":\"a&key=b\"}"), STATUS_MALFORMED);
}

static void gcp_names_its_newer_machines_otherwise(void **state)
{
	(void)state;
	begin(FEED_GCP, "us-central1");
	assert_int_equal(read_text("{\"skus\":[" GCP_SKU("A4 Nvidia B200 (1 gpu slice) running in Americas", "OnDemand", "h", "16",
						 "110000000") "," GCP_SKU("Spot Preemptible A4 Nvidia B200 (1 gpu slice) running in Americas", "OnDemand", "h", "4",
						 "954200000") "," GCP_SKU("Commitment v1: A4 Nvidia B200 (1 gpu slice) in Americas for 1 Year", "Commit1Yr", "h",
						 "11", "277000000") "," GCP_SKU("H200 141GB GPU running in Americas", "OnDemand", "h", "9",
						 "311740000") "," GCP_SKU("A3Ultra Instance Core running in Americas", "OnDemand", "h", "0",
						 "29000000") "," GCP_SKU("A3Ultra Instance Ram running in Americas", "OnDemand", "GiBy.h", "0",
						 "2000000") "," GCP_SKU("Nvidia H100 80GB Plus GPU running in Americas", "OnDemand", "h", "10",
						 "344275712") "," GCP_SKU("A3Plus Instance Core running in Americas", "OnDemand", "h", "0",
						 "30000000") "," GCP_SKU("A3Plus Instance Ram running in Americas", "OnDemand", "GiBy.h", "0",
						 "2500000") "],\"nextPageToken\":\"\"}"),
		STATUS_OK);
	assert_int_equal(walk.feed->finish(&walk, &failure), STATUS_OK);
	assert_close(price("a4-highgpu-8g", "on_demand")->price_usd_per_hour, 8 * 16.11, 1e-12); /* the slices include the host */
	assert_close(price("a4-highgpu-8g", "spot")->price_usd_per_hour, 8 * 4.9542, 1e-12);     /* the feed lists it under on demand */
	assert_string_equal(price("a4-highgpu-8g", "spot")->accelerator_id, "b200-sxm6-180gb");
	assert_close(price("a3-ultragpu-8g", "on_demand")->price_usd_per_hour, 8 * 9.31174 + 224 * 0.029 + 2952 * 0.002, 1e-12);
	assert_close(price("a3-megagpu-8g", "on_demand")->price_usd_per_hour, 8 * 10.344275712 + 208 * 0.03 + 1872 * 0.0025, 1e-12);
	assert_int_equal(walk.rows.price_count, 4);
}

static void lambda_prices_are_cents_of_an_instance(void **state)
{
	(void)state;
	begin(FEED_LAMBDA, NULL);
	assert_string_equal(expect_request("https://feed.example/api/v1/instance-types").bearer, "the-key");
	assert_int_equal(
		read_text(
			"{\"data\":{"
			"\"gpu_8x_h100_sxm5\":{\"instance_type\":{\"name\":\"gpu_8x_h100_sxm5\",\"description\":\"8x H100 (80 GB SXM5)\",\"price_cents_per_hour\":2392,"
			"\"specs\":{\"vcpus\":208,\"memory_gib\":1800,\"storage_gib\":24780}},\"regions_with_capacity_available\":[{\"name\":\"us-west-1\"},{\"name\":\"us-south-2\"}]},"
			"\"gpu_1x_rtx6000\":{\"instance_type\":{\"name\":\"gpu_1x_rtx6000\",\"description\":\"1x RTX 6000 (24 GB)\",\"price_cents_per_hour\":50},"
			"\"regions_with_capacity_available\":[{\"name\":\"us-west-1\"}]},"
			"\"gpu_1x_a10\":{\"instance_type\":{\"name\":\"gpu_1x_a10\",\"description\":\"1x A10 (24 GB PCIe)\",\"price_cents_per_hour\":75},"
			"\"regions_with_capacity_available\":[]},"
			"\"gpu_1x_a100\":{\"instance_type\":{\"name\":\"gpu_1x_a100\",\"description\":\"1x A100 (40 GB SXM4)\",\"price_cents_per_hour\":\"NaN\"},"
			"\"regions_with_capacity_available\":[{\"name\":\"us-west-1\"}]}}}"),
		STATUS_OK);
	assert_true(walk.done);
	assert_int_equal(walk.rows.price_count, 2);
	assert_close(walk.rows.prices[0].price_usd_per_hour, 23.92, 1e-12);
	assert_int_equal(walk.rows.prices[0].gpus, 8);
	assert_string_equal(walk.rows.prices[0].accelerator_id, "h100-sxm5-80gb");
	assert_string_equal(walk.rows.prices[1].region, "us-south-2");
	assert_int_equal(skipped("does not know"), 1);
	assert_int_equal(skipped("not available now"), 1);
	assert_int_equal(skipped("not a number"), 1);
}

static void runpod_without_stock_is_no_offer(void **state)
{
	(void)state;
	begin(FEED_RUNPOD, NULL);
	assert_string_equal(expect_request("https://feed.example/graphql").method, "POST");
	assert_int_equal(
		read_text(
			"{\"data\":{\"gpuTypes\":["
			"{\"id\":\"NVIDIA H100 80GB HBM3\",\"displayName\":\"H100 SXM\",\"memoryInGb\":80,\"securePrice\":2.69,\"communityPrice\":null,"
			"\"lowestPrice\":{\"minimumBidPrice\":1.5,\"uninterruptablePrice\":2.69,\"minVcpu\":20,\"minMemory\":125,\"stockStatus\":\"Low\"}},"
			"{\"id\":\"NVIDIA B200\",\"displayName\":\"B200\",\"memoryInGb\":180,\"securePrice\":5.98,\"lowestPrice\":{\"stockStatus\":null}},"
			"{\"id\":\"NVIDIA H200\",\"displayName\":\"H200\",\"memoryInGb\":141,\"securePrice\":\"NaN\",\"lowestPrice\":{\"stockStatus\":\"High\"}},"
			"{\"id\":\"NVIDIA Titan Q\",\"displayName\":\"Q\",\"memoryInGb\":8,\"securePrice\":0.1,\"lowestPrice\":{\"stockStatus\":\"High\"}}]}}"),
		STATUS_OK);
	assert_int_equal(walk.rows.price_count, 2);
	assert_close(price("1x H100 SXM secure", "on_demand")->price_usd_per_hour, 2.69, 1e-12);
	assert_close(price("1x H100 SXM spot", "spot")->price_usd_per_hour, 1.5, 1e-12);
	assert_int_equal(skipped("not available now") + skipped("does not know") + skipped("not a number"), 3);
	begin(FEED_RUNPOD, NULL);
	assert_int_equal(read_text("{\"errors\":[{\"message\":\"Unauthorized\"}]}"), STATUS_MALFORMED);
	assert_contains(failure.detail, "Unauthorized");
}

static void electricity_maps_answers_for_the_zone_that_was_asked(void **state)
{
	(void)state;
	begin(FEED_ELECTRICITY_MAPS, "FR");
	assert_string_equal(
		expect_request("https://feed.example/v3/carbon-intensity/history?zone=FR&shouldUseFallbackCallerLookup=false").headers[0],
		"auth-token: the-key");
	assert_int_equal(
		read_text(
			"{\"zone\":\"FR\",\"history\":[{\"zone\":\"FR\",\"carbonIntensity\":31,\"datetime\":\"2026-11-21T10:00:00.000Z\"},"
			"{\"carbonIntensity\":\"NaN\",\"datetime\":\"2026-11-21T11:00:00.000Z\"},{\"carbonIntensity\":29,\"datetime\":\"2026-11-21T12:00:00.000Z\"}]}"),
		STATUS_OK);
	assert_true(expect_request("https://feed.example/v3/carbon-intensity/forecast?zone=FR&shouldUseFallbackCallerLookup=false").optional);
	assert_int_equal(
		read_text("{\"zone\":\"FR\",\"forecast\":[{\"carbonIntensity\":27,\"datetime\":\"2026-11-21T13:00:00.000Z\"}]}"), STATUS_OK);
	assert_true(walk.done);
	assert_int_equal(walk.rows.point_count, 3);
	assert_true(walk.rows.points[2].forecast && !walk.rows.points[1].forecast);
	assert_close(walk.rows.points[0].gco2e_per_kwh, 31, 1e-12);
	begin(FEED_ELECTRICITY_MAPS, "FR"); /* the feed answers with the caller's own zone */
	assert_int_equal(read_text("{\"zone\":\"DE\",\"history\":[]}"), STATUS_MALFORMED);
}

#define WATTTIME_META(units) \
	"\"meta\":{\"region\":\"CAISO_NORTH\",\"signal_type\":\"co2_moer\",\"units\":\"" units "\",\"data_point_period_seconds\":300}"

static void watttime_is_pounds_a_megawatt_hour(void **state)
{
	char body[4096];
	int length;

	(void)state;
	begin(FEED_WATTTIME, "CAISO_NORTH");
	assert_string_equal(expect_request("https://feed.example/login").basic, "the-key");
	assert_int_equal(read_text("{\"token\":\"abc.def\"}"), STATUS_OK);
	assert_string_equal(expect_request("https://feed.example/v3/forecast?region=CAISO_NORTH&signal_type=co2_moer").bearer, "abc.def");
	length = snprintf(body, sizeof body, "{\"data\":[");
	for (int i = 0; i < 12; i++)
		length += snprintf(body + length, sizeof body - (size_t)length, "{\"point_time\":\"2026-11-21T13:%02d:00+00:00\",\"value\":%d},",
			5 * i, 900 + 20 * i);
	/* The hour at 13:00 has all twelve steps. The next hour has only one of twelve, too few for a point. */
	snprintf(body + length, sizeof body - (size_t)length,
		"{\"point_time\":\"2026-11-21T14:00:00+00:00\",\"value\":500}]," WATTTIME_META("lbs_co2_per_mwh") "}");
	assert_int_equal(read_text(body), STATUS_OK);
	assert_true(walk.done);
	assert_int_equal(walk.rows.point_count, 1);
	assert_close(walk.rows.points[0].gco2e_per_kwh, 1010 * 0.45359237, 1e-9);
	assert_string_equal(walk.rows.points[0].signal, "marginal");
	begin(FEED_WATTTIME, "CAISO_NORTH");
	assert_int_equal(read_text("{\"token\":\"abc\"}"), STATUS_OK);
	assert_int_equal(read_text("{\"data\":[]," WATTTIME_META("g_co2_per_kwh") "}"), STATUS_MALFORMED);
	assert_contains(failure.detail, "not lbs_co2_per_mwh");
	begin(FEED_WATTTIME, "CAISO_NORTH");
	assert_int_equal(read_text("{\"token\":\"abc\\r\\nX: y\"}"), STATUS_MALFORMED);
}

static void uk_half_hours_become_hours(void **state)
{
	(void)state;
	begin(FEED_UK_CARBON, NULL);
	expect_request("https://feed.example/intensity/2026-11-21T12:00Z/pt24h");
	assert_int_equal(
		read_text(
			"{\"data\":[{\"from\":\"2026-11-21T10:00Z\",\"to\":\"2026-11-21T10:30Z\",\"intensity\":{\"forecast\":260,\"actual\":200,\"index\":\"moderate\"}},"
			"{\"from\":\"2026-11-21T10:30Z\",\"to\":\"2026-11-21T11:00Z\",\"intensity\":{\"forecast\":260,\"actual\":210,\"index\":\"moderate\"}}]}"),
		STATUS_OK);
	expect_request("https://feed.example/intensity/2026-11-21T12:00Z/fw48h");
	assert_int_equal(
		read_text(
			"{\"data\":[{\"from\":\"2026-11-21T12:00Z\",\"to\":\"2026-11-21T12:30Z\",\"intensity\":{\"forecast\":150,\"actual\":null,\"index\":\"low\"}}]}"),
		STATUS_OK);
	assert_true(walk.done);
	assert_int_equal(walk.rows.point_count, 2);
	assert_close(walk.rows.points[0].gco2e_per_kwh, 205, 1e-12);
	assert_false(walk.rows.points[0].forecast);
	assert_close(walk.rows.points[1].gco2e_per_kwh, 150, 1e-12);
	assert_true(walk.rows.points[1].forecast);
}

static void a_scope_is_words(void **state)
{
	static const char *const bad[] = {"us-east-1/../x", "a b'c", "x?y", "..", "\xc3\xa9", "a&b=c", "a#b"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		arena_reset(&arena);
		failure_clear(&failure);
		assert_int_equal(feed_walk_begin(&walk, &feeds[FEED_AZURE], NULL, bad[i], 1, &arena, &failure), STATUS_INVALID);
	}
	for (size_t i = 0; i < FEED_COUNT; i++) {
		begin((enum feed_id)i, NULL);
		assert_string_equal(walk.today, "2026-11-21");
		assert_ptr_equal(feed_find(feeds[i].name), &feeds[i]);
	}
}

static void names_of_accelerators(void **state)
{
	static const struct {
		const char *name, *id;
	} cases[] = {{"A100 (40 GB SXM4)", "a100-sxm4-40gb"}, {"NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"},
		{"NVIDIA A100 80GB PCIe", "a100-pcie-80gb"}, {"H100 (80 GB PCIe)", "h100-pcie-80gb"}, {"NVIDIA H100 NVL", "h100-nvl"},
		{"NVIDIA L40S", "l40s"}, {"NVIDIA L40", "l40"}, {"NVIDIA L4", "l4"}, {"A10 (24 GB PCIe)", "a10"}, {"NVIDIA A100", NULL},
		{"RTX 6000 (24 GB)", NULL}, {"NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada"}, {"NVIDIA RTX A6000 48GB", "rtx-a6000"},
		{"NVIDIA GeForce RTX 3090 Ti", NULL}, {"GH200 (96 GB)", "gh200-96gb"}, {"B200 (180 GB SXM6)", "b200-sxm6-180gb"}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *id = accelerator_of_name(cases[i].name, ABSENT_NUMBER);

		if (cases[i].id ? !id || strcmp(id, cases[i].id) != 0 : id != NULL)
			fail_msg("%s: %s", cases[i].name, id ? id : "none");
		if (id)
			assert_non_null(catalogue_accelerator(fixture.catalogue, id, &(const char *){NULL}));
	}
}

static void a_hub_model_is_its_commit(void **state)
{
	static const char answer[] =
		"{\"id\":\"org/Model-1\",\"sha\":\"0123456789abcdef0123456789abcdef01234567\",\"safetensors\":{\"parameters\":{\"BF16\":8030261248},\"total\":8030261248}}",
					  packed[] =
						  "{\"id\":\"org/Model-1\",\"sha\":\"0123456789abcdef0123456789abcdef01234567\",\"safetensors\":{\"parameters\":{\"I32\":1000000000,\"BF16\":1000000}}}";
	struct hub_model model;

	(void)state;
	failure_clear(&failure);
	assert_int_equal(hub_model_read(answer, strlen(answer), "org/Model-1", &arena, &model, &failure), STATUS_OK);
	assert_close(model.params_total, 8030261248, 1e-12);
	assert_string_equal(hub_file_url("https://hub", &model, "config.json", &arena),
		"https://hub/org/Model-1/resolve/0123456789abcdef0123456789abcdef01234567/config.json");
	assert_int_equal(hub_model_read(packed, strlen(packed), "org/Model-1", &arena, &model, &failure), STATUS_OK);
	assert_false(is_given(model.params_total));
	assert_int_equal(hub_model_read("{\"id\":\"../x\",\"sha\":\"1\"}", 22, "org/Model-1", &arena, &model, &failure), STATUS_UNAVAILABLE);
	assert_true(hub_repo_is_valid("meta-llama/Llama-3.1-8B"));
	assert_false(hub_repo_is_valid("a/../b") || hub_repo_is_valid("a") || hub_repo_is_valid("a/b/c") || hub_repo_is_valid("a/b?x") ||
		hub_repo_is_valid("/a"));
}

/* Vets one price of an instance of the catalogue, at `usd_each` for each accelerator. */
static void vet_one(double usd_each, struct feed_vetted *vetted)
{
	struct price_row *row;

	begin(FEED_AWS, NULL);
	row = feed_rows_price(&walk.rows, &arena);
	row->provider = "aws";
	row->instance_type = "p6-b200.48xlarge";
	row->region = "us-east-1";
	row->accelerator_id = "b200-sxm6-180gb";
	row->gpus = 8;
	row->pricing_model = "on_demand";
	row->price_usd_per_hour = 8 * usd_each;
	assert_int_equal(feed_vet(&walk, vetted, &failure), STATUS_OK);
}

static void prices_are_vetted(void **state)
{
	struct feed_vetted vetted;

	(void)state;
	vet_one(6, &vetted);
	assert_int_equal(vetted.rows.price_count, 1);
	assert_string_equal(vetted.rows.prices[0].id, "aws.p6-b200-48xlarge.us-east-1.on-demand");
	assert_string_equal(vetted.rows.prices[0].meta.origin, "imported");
	assert_string_equal(vetted.rows.prices[0].as_of, "2026-11-21");
	vet_one(0.01, &vetted); /* in the range of all accelerators, but far from the price of this one */
	assert_int_equal(vetted.rows.price_count, 0);
	assert_int_equal(vetted.quarantined, 1);
	assert_close(vetted.held[0].after, 0.08, 1e-12);
	assert_close(vetted.held[0].before, 113.9328, 1e-9);
	assert_true(vetted.held[0].low > 0.08 && vetted.held[0].high > vetted.held[0].low);
	assert_close(vetted.held[0].high / vetted.held[0].low, 25, 1e-9);
	vet_one(0.009, &vetted);
	assert_int_equal(vetted.rejected, 1);
	vet_one(50.5, &vetted);
	assert_int_equal(vetted.rejected, 1);
	vet_one((double)NAN, &vetted);
	assert_int_equal(vetted.rejected, 1);
}

static void what_contradicts_itself_is_quarantined(void **state)
{
	struct feed_vetted vetted;

	(void)state;
	for (int differ = 0; differ < 2; differ++) {
		begin(FEED_AWS, NULL);
		for (int i = 0; i < 2; i++) {
			struct price_row *row = feed_rows_price(&walk.rows, &arena);

			*row = (struct price_row){.provider = "aws",
				.instance_type = "p5.48xlarge",
				.region = "us-east-1",
				.accelerator_id = "h100-sxm5-80gb",
				.gpus = 8,
				.pricing_model = "on_demand",
				.price_usd_per_hour = 50 + differ * i,
				.vcpus = ABSENT_NUMBER,
				.ram_gb = ABSENT_NUMBER};
		}
		assert_int_equal(feed_vet(&walk, &vetted, &failure), STATUS_OK);
		assert_int_equal(vetted.rows.price_count, !differ);
		assert_int_equal(vetted.quarantined, differ);
	}
}

static void hours_are_vetted(void **state)
{
	struct feed_vetted vetted;
	int64_t hour_us;

	(void)state;
	begin(FEED_UK_CARBON, NULL);
	assert_true(clock_parse("2026-11-21T10:00:00Z", &hour_us));
	const struct grid_point points[] = {{"GB", "average", hour_us, 120, 1}, {"GB", "average", hour_us, 100, 0},
		{"GB", "average", hour_us + FEED_HOUR_US, 1500.1, 0}, {"GB", "average", hour_us + FEED_HOUR_US, -1, 0},
		{"GB", "average", hour_us + 60, 100, 0}, {"GB", "average", hour_us + 900 * 24 * FEED_HOUR_US, 100, 0},
		{"GB", "average", hour_us - FEED_HOUR_US, 90, 0}};
	for (size_t i = 0; i < COUNT_OF(points); i++)
		*feed_rows_point(&walk.rows, &arena) = points[i];
	assert_int_equal(feed_vet(&walk, &vetted, &failure), STATUS_OK);
	assert_int_equal(vetted.point_count, 2);
	assert_close(vetted.points[0].gco2e_per_kwh, 90, 1e-12);
	assert_close(vetted.points[1].gco2e_per_kwh, 100, 1e-12); /* the measured value, not the forecast */
	assert_int_equal(vetted.rejected, 4);
}

static int setup(void **state)
{
	arena_init(&arena, 64 << 20);
	return fixture_setup(state);
}

static int teardown(void **state)
{
	arena_release(&arena);
	return fixture_teardown(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(azure_prices_are_what_they_seem),
		cmocka_unit_test(azure_leaves_out_what_is_another_thing),
		cmocka_unit_test(aws_is_read_in_any_pieces),
		cmocka_unit_test(aws_must_be_whole),
		cmocka_unit_test(gcp_sums_the_parts_of_a_machine),
		cmocka_unit_test(gcp_names_its_newer_machines_otherwise),
		cmocka_unit_test(lambda_prices_are_cents_of_an_instance),
		cmocka_unit_test(runpod_without_stock_is_no_offer),
		cmocka_unit_test(electricity_maps_answers_for_the_zone_that_was_asked),
		cmocka_unit_test(watttime_is_pounds_a_megawatt_hour),
		cmocka_unit_test(uk_half_hours_become_hours),
		cmocka_unit_test(a_scope_is_words),
		cmocka_unit_test(names_of_accelerators),
		cmocka_unit_test(a_hub_model_is_its_commit),
		cmocka_unit_test(prices_are_vetted),
		cmocka_unit_test(what_contradicts_itself_is_quarantined),
		cmocka_unit_test(hours_are_vetted),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
