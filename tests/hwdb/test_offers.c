/* Tests which price a plan uses: one case for each rule. */
#include "hwdb/catalogue/catalogue_index.h"
#include "hwdb/catalogue/offers.h"
#include "hwdb/fixture.h"
#include "hwdb/rows/rows_text.h"

static struct pricing pricing;
static struct offer offer;
static const struct region_row *region;
static struct offer_rejects rejects;

static bool cheapest(const char *accelerator)
{
	struct offer_filter filter = {.pricing = &pricing, .now_us = fixture_now_us()};
	const struct accelerator_row *row = catalogue_accelerator(fixture.catalogue, accelerator, NULL);

	assert_non_null(row);
	return offers_cheapest(fixture.catalogue, row, &filter, &offer, &region, &rejects);
}

static int begin(void **state)
{
	struct request_common common;

	(void)state;
	fixture_begin();
	fixture_common(&common);
	pricing = common.pricing;
	return 0;
}

static void names_are_found_in_any_case_and_aliases_are_told(void **state)
{
	const char *alias = "";

	(void)state;
	assert_string_equal(catalogue_accelerator(fixture.catalogue, "H100", &alias)->accelerator.id, "h100-sxm5-80gb");
	assert_string_equal(alias, "h100");
	assert_string_equal(catalogue_accelerator(fixture.catalogue, "h100-SXM5-80gb", &alias)->accelerator.id, "h100-sxm5-80gb");
	assert_null(alias);
	assert_null(catalogue_accelerator(fixture.catalogue, "h1000", &alias));
	assert_string_equal(catalogue_model(fixture.catalogue, "Llama3.1-8B", NULL)->id, "llama-3.1-8b");
	assert_string_equal(catalogue_model(fixture.catalogue, "meta-llama/Meta-Llama-3.1-8B", &alias)->id, "llama-3.1-8b");
	assert_non_null(alias);
	assert_non_null(catalogue_price(fixture.catalogue, "aws.p5-48xlarge.us-east-1.on-demand"));
	assert_non_null(catalogue_region(fixture.catalogue, "gcp.us-east4"));
	assert_null(catalogue_price(fixture.catalogue, "nobody"));
}

static void every_alias_and_id_finds_its_row(void **state)
{
	const struct catalogue_rows *rows = &fixture.catalogue->rows;

	(void)state;
	for (size_t i = 0; i < rows->accelerator_count; i++) {
		assert_ptr_equal(catalogue_accelerator(fixture.catalogue, rows->accelerators[i].accelerator.id, NULL), &rows->accelerators[i]);
		for (size_t k = 0; k < rows->accelerators[i].aliases.count; k++)
			assert_ptr_equal(catalogue_accelerator(fixture.catalogue, rows->accelerators[i].aliases.items[k], NULL), &rows->accelerators[i]);
	}
	for (size_t i = 0; i < rows->price_count; i++)
		assert_ptr_equal(catalogue_price(fixture.catalogue, rows->prices[i].id), &rows->prices[i]);
	for (size_t i = 0; i < rows->region_count; i++)
		assert_ptr_equal(catalogue_region(fixture.catalogue, rows->regions[i].id), &rows->regions[i]);
}

static void the_price_is_of_one_accelerator_on_demand(void **state)
{
	(void)state;
	assert_true(cheapest("h100"));
	assert_close(offer.usd_per_gpu_hour, 2.29, 1e-9);
	assert_string_equal(offer.provider, "verda");
	assert_int_equal(offer.term, TERM_ON_DEMAND);
	assert_close(offer.low_usd_per_gpu_hour, offer.usd_per_gpu_hour, 1e-12);
	assert_true(offer.high_usd_per_gpu_hour > offer.usd_per_gpu_hour);
	assert_non_null(offer.source);
	assert_string_equal(region->country_zone, "FI");
	pricing.providers = (struct text_list){(const char *[]){"aws"}, 1};
	assert_true(cheapest("h100"));
	assert_close(offer.usd_per_gpu_hour, 55.04 / 8, 1e-9);
	assert_int_equal(offer.gpus, 8);
}

static void spot_only_when_asked_for(void **state)
{
	(void)state;
	pricing.terms = (struct text_list){(const char *[]){"spot"}, 1};
	assert_true(cheapest("h100"));
	assert_int_equal(offer.term, TERM_SPOT);
	pricing.terms = (struct text_list){(const char *[]){"reserved_3y"}, 1};
	assert_false(cheapest("mi300x"));
	assert_true(rejects.other_term > 0);
}

/* A committed price is valid as long as the longest commitment, three years. A max_age_days in the request applies to
 * committed prices, too. */
static void commitments_are_older(void **state)
{
	(void)state;
	pricing.terms = (struct text_list){(const char *[]){"reserved_1y"}, 1};
	assert_true(cheapest("a10g"));
	assert_int_equal(offer.term, TERM_RESERVED_1Y);
	assert_string_equal(offer.as_of, "2024-01-01");
	pricing.max_age_days = 400;
	assert_false(cheapest("a10g"));
	assert_true(rejects.too_old > 0);
	pricing.max_age_days = ABSENT_NUMBER;
	pricing.terms = (struct text_list){(const char *[]){"reserved_3y"}, 1};
	assert_true(cheapest("h100"));
	assert_close(offer.usd_per_gpu_hour, 38.86438 / 8, 1e-9);
}

/* The list of 2025-03-07 is 624 days old. dataoorts' H100 at 0.69 counts only if the request names the provider. */
static void old_offers_only_when_named(void **state)
{
	(void)state;
	assert_true(cheapest("h100"));
	assert_true(rejects.too_old > 0);
	pricing.providers = (struct text_list){(const char *[]){"dataoorts"}, 1};
	assert_true(cheapest("h100"));
	assert_close(offer.usd_per_gpu_hour, 0.69, 1e-9);
	pricing.max_age_days = 100;
	assert_false(cheapest("h100"));
	pricing.max_age_days = ABSENT_NUMBER;
	pricing.providers.count = 0;
	assert_false(cheapest("a40"));
	assert_true(rejects.too_old > 0);
	pricing.max_age_days = 1000;
	assert_true(cheapest("a40"));
}

/* Verda's V100 at 0.138 is below a third of the median. */
static void suspicious_offers_only_when_named(void **state)
{
	(void)state;
	assert_true(cheapest("v100"));
	assert_true(rejects.suspicious > 0);
	assert_true(offer.usd_per_gpu_hour > 0.3);
	pricing.providers = (struct text_list){(const char *[]){"verda"}, 1};
	assert_true(cheapest("v100"));
	assert_true(offer.usd_per_gpu_hour < 0.14);
}

/* On demand costs more than spot. If a provider's row in the same region says otherwise, the row is suspicious (a part
 * of a machine, TPU v4). */
static void on_demand_below_its_own_spot_is_doubted(void **state)
{
	const struct accelerator_row *row = catalogue_accelerator(fixture.catalogue, "tpu-v4", NULL);
	const struct offer_span *span = &fixture.catalogue->index->offers[row - fixture.catalogue->rows.accelerators];
	size_t doubted = 0, spans = fixture.catalogue->rows.accelerator_count;

	(void)state;
	for (size_t i = 0; i < span->count; i++)
		if (strcmp(span->items[i].row->id, "gcp.tpu-v4-pod-chip.us-central2.on-demand") == 0) {
			assert_close(span->items[i].usd_per_gpu_hour, 3.22, 1e-9);
			assert_close(span->items[i].spot_usd_per_gpu_hour, 3.6864, 0.001);
			doubted++;
		}
	assert_int_equal(doubted, 1);
	for (size_t a = 0; a < spans; a++)
		for (size_t i = 0; i < fixture.catalogue->index->offers[a].count; i++) {
			const struct indexed_offer *item = &fixture.catalogue->index->offers[a].items[i];

			assert_false(item->spot_usd_per_gpu_hour > 0 && (item->term != TERM_ON_DEMAND || !item->row->region));
			if (strcmp(item->row->id, "gcp.a2-ultragpu-1g-host-part-only.us-central1.on-demand") == 0)
				assert_close(item->spot_usd_per_gpu_hour, 2.51378, 0.05); /* 1.10 on demand */
			if (strcmp(item->row->id, "aws.p5-48xlarge.us-east-1.on-demand") == 0)
				assert_false(item->spot_usd_per_gpu_hour > 0);
		}
}

/* DataCrunch is called Verda today. Either name finds the offers of both. */
static void providers_go_by_any_of_their_names(void **state)
{
	(void)state;
	pricing.providers = (struct text_list){(const char *[]){"DataCrunch"}, 1};
	assert_true(cheapest("h200"));
	assert_string_equal(offer.provider, "verda");
	pricing.providers = (struct text_list){(const char *[]){"Google"}, 1};
	assert_true(cheapest("tpu-v5p"));
	assert_string_equal(offer.provider, "gcp");
}

static void regions_restrict(void **state)
{
	(void)state;
	pricing.regions = (struct text_list){(const char *[]){"us-east-1", "nowhere"}, 2};
	assert_true(cheapest("h100"));
	assert_string_equal(offer.region, "us-east-1");
	pricing.regions = (struct text_list){(const char *[]){"nowhere"}, 1};
	assert_false(cheapest("h100"));
	assert_int_equal(rejects.not_named + rejects.other_term, rejects.offers);
}

/* Google lists hosts without accelerators, and accelerators without hosts. Neither part alone is an offer. */
static void half_a_machine_is_no_offer(void **state)
{
	const struct catalogue_rows *rows = &fixture.catalogue->rows;
	size_t halves = 0;

	(void)state;
	for (size_t i = 0; i < rows->price_count; i++)
		halves += rows->prices[i].notes && strstr(rows->prices[i].notes, "COMPONENT ONLY") != NULL;
	assert_int_equal(halves, 15);
	for (size_t i = 0; i < rows->accelerator_count; i++)
		for (size_t k = 0; k < fixture.catalogue->index->offers[i].count; k++)
			assert_null(strstr(fixture.catalogue->index->offers[i].items[k].row->instance_type, "part only"));
}

static enum status catalogue_of(const char *prices, struct catalogue **catalogue)
{
	static const char accelerators[] = "id,memory_gb,memory_bandwidth_gbs,tflops_bf16,source\nx1,80,2000,300,test\n";
	struct rows_source accelerator_source = {"a", accelerators, sizeof accelerators - 1, "user"};
	struct rows_source price_source = {"p", prices, strlen(prices), "user"};
	struct catalogue_rows rows = {0};
	struct arena arena;

	arena_init(&arena, 1 << 20);
	assert_int_equal(rows_text_accelerators(&accelerator_source, &arena, &rows, &fixture.failure), STATUS_OK);
	assert_int_equal(rows_text_prices(&price_source, &arena, &rows, &fixture.failure), STATUS_OK);
	*catalogue = catalogue_new(&arena, &rows, 1, 0, 0, &fixture.failure);
	return *catalogue ? STATUS_OK : fixture.failure.status;
}

static void the_two_halves_are_summed(void **state)
{
	struct catalogue *saved = fixture.catalogue, *own;

	(void)state;
	assert_int_equal(catalogue_of("provider,instance_type,region,accelerator_id,gpus,price_usd_per_hour,pricing_model,as_of\n"
								  "gcp,big (host part only),r1,x1,2,3,on_demand,2026-06-01\n"
								  "gcp,X1x2 attach (GPU part only),r1,x1,2,5,on_demand,2026-06-01\n"
								  "gcp,X1x2 attach (GPU part only),r2,x1,2,1,on_demand,2026-06-01\n",
						 &own),
		STATUS_OK);
	fixture.catalogue = own;
	assert_true(cheapest("x1"));
	assert_close(offer.usd_per_gpu_hour, 4, 1e-12);
	assert_int_equal(rejects.offers, 1);
	catalogue_release(own);
	fixture.catalogue = saved;
}

static void a_newer_row_of_the_same_instance_replaces_the_older(void **state)
{
	struct catalogue *saved = fixture.catalogue, *own;

	(void)state;
	assert_int_equal(catalogue_of("id,provider,instance_type,region,accelerator_id,gpus,price_usd_per_hour,pricing_model,as_of\n"
								  "old,aws,p9,us-east-1,x1,8,80,on_demand,2026-01-01\n"
								  "new,aws,p9,us-east-1,x1,8,88,on_demand,2026-06-01\n"
								  "undated,aws,p8,us-east-1,x1,8,8,on_demand,\n",
						 &own),
		STATUS_OK);
	fixture.catalogue = own;
	assert_true(cheapest("x1"));
	assert_close(offer.usd_per_gpu_hour, 11, 1e-12);
	assert_int_equal(rejects.replaced, 1);
	assert_int_equal(rejects.too_old, 1);
	catalogue_release(own);
	fixture.catalogue = saved;
}

static void two_rows_of_one_id_make_no_catalogue(void **state)
{
	struct catalogue *own;

	(void)state;
	assert_int_equal(catalogue_of("id,provider,instance_type,accelerator_id,gpus,price_usd_per_hour,pricing_model\n"
								  "a,aws,p9,x1,8,80,on_demand\na,aws,p9,x1,8,81,on_demand\n",
						 &own),
		STATUS_CONFLICT);
	assert_null(own);
}

static enum status catalogue_of_model(const char *line, size_t maximum_bytes)
{
	struct rows_source source = {"m", line, strlen(line), "user"};
	struct catalogue_rows rows = {0};
	struct catalogue *catalogue;
	struct arena arena;

	fixture_begin();
	arena_init(&arena, maximum_bytes);
	assert_int_equal(rows_text_models(&source, &arena, &rows, &fixture.failure), STATUS_OK);
	catalogue = catalogue_new(&arena, &rows, 1, 0, 0, &fixture.failure);
	catalogue_release(catalogue);
	return catalogue ? STATUS_OK : fixture.failure.status;
}

static void a_model_is_read_from_its_config_or_its_size(void **state)
{
	(void)state;
	assert_int_equal(catalogue_of_model("{\"id\": \"x\", \"params_total\": 7e9}\n", 1 << 20), STATUS_OK);
	assert_int_equal(catalogue_of_model("{\"id\": \"x\"}\n", 1 << 20), STATUS_INVALID);
	assert_contains(fixture.failure.detail, "neither a config nor a size");
	assert_int_equal(catalogue_of_model("{\"id\": \"x\", \"config\": {\"hidden_size\": -1}}\n", 1 << 20), STATUS_INVALID);
	assert_true(fixture.failure.fault_count > 0);
	assert_contains(fixture.failure.faults[0].pointer, "/models/x/config");
	/* The row uses the arena's only block, so the index gets no memory. */
	assert_int_equal(catalogue_of_model("{\"id\": \"x\", \"params_total\": 7e9}", 16 * 1024), STATUS_OK);
	assert_int_equal(catalogue_of_model("{\"id\": \"x\", \"params_total\": 7e9}", 4400), STATUS_NO_MEMORY);
}

static void rows_without_their_keys_are_not_found_and_do_no_harm(void **state)
{
	struct catalogue *saved = fixture.catalogue;
	struct price_row prices[2];
	struct region_row regions[1];
	struct calibration_row calibrations[1] = {{.id = "c"}};
	struct accelerator_row accelerators[1];
	struct catalogue_rows rows = {.accelerators = accelerators,
		.accelerator_count = 1,
		.prices = prices,
		.price_count = 2,
		.regions = regions,
		.region_count = 1,
		.calibrations = calibrations,
		.calibration_count = 1};
	struct arena arena;

	(void)state;
	accelerator_row_clear(&accelerators[0]);
	accelerators[0].accelerator.id = "x1";
	price_row_clear(&prices[0]);
	price_row_clear(&prices[1]);
	region_row_clear(&regions[0]);
	prices[0].id = "a";
	prices[1].id = "b";
	prices[1].accelerator_id = "x1";
	prices[1].gpus = 1;
	prices[1].price_usd_per_hour = 1;
	prices[1].pricing_model = "on_demand";
	regions[0].id = "r";
	arena_init(&arena, 1 << 20);
	fixture.catalogue = catalogue_new(&arena, &rows, 1, 0, 0, &fixture.failure);
	assert_non_null(fixture.catalogue);
	assert_false(cheapest("x1"));
	assert_int_equal(rejects.offers, 0);
	catalogue_release(fixture.catalogue);
	fixture.catalogue = saved;
}

static void a_snapshot_lives_as_long_as_its_last_reference(void **state)
{
	struct catalogue *own = fixture_catalogue(NULL, 0);

	(void)state;
	assert_ptr_equal(catalogue_retain(own), own);
	catalogue_release(own);
	assert_non_null(catalogue_model(own, "llama-3.1-8b", NULL));
	catalogue_release(own);
	catalogue_release(NULL);
}

static void whole_instances_are_paid(void **state)
{
	struct offer_filter filter = {.pricing = &pricing, .now_us = fixture_now_us()};
	const struct accelerator_row *row = catalogue_accelerator(fixture.catalogue, "h100", NULL);
	struct offer_quote_list quotes;

	(void)state;
	pricing.providers = (struct text_list){(const char *[]){"aws"}, 1};
	assert_int_equal(offers_quote(fixture.catalogue, row, &filter, 9, &fixture.arena, &quotes, &fixture.failure), STATUS_OK);
	assert_true(quotes.count > 0);
	for (size_t i = 0; i < quotes.count; i++) {
		const struct offer_quote *quote = &quotes.items[i];

		assert_true(quote->gpus_paid >= 9);
		assert_int_equal(quote->gpus_paid, quote->instances * quote->price->gpus);
		assert_close(quote->usd_per_hour, (double)quote->instances * quote->price->price_usd_per_hour, 1e-12);
		assert_close(quote->usd_per_needed_gpu_hour, quote->usd_per_hour / 9, 1e-12);
		if (i > 0)
			assert_true(quote->usd_per_hour >= quotes.items[i - 1].usd_per_hour);
	}
}

/* Reserved terms cost less than on demand in the same place, and longer terms cost less. */
static void reserved_terms_are_below_those_on_demand(void **state)
{
	static const struct {
		const char *accelerator, *provider, *region;
	} cases[] = {{"t4", "aws", "us-east-1"}, {"a10g", "aws", "us-east-1"}, {"v100-sxm2-16gb", "aws", "us-east-1"},
		{"tpu-v5e", "gcp", "us-central1"}, {"tpu-v5p", "gcp", "us-east5"}, {"tpu-v6e", "gcp", "us-east1"}, {"tpu-v4", "gcp", "us-central2"}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		static const char *const terms[] = {"on_demand", "reserved_1y", "reserved_3y"};
		double before = INFINITY;

		pricing.providers = (struct text_list){(const char *[]){cases[i].provider}, 1};
		pricing.regions = (struct text_list){(const char *[]){cases[i].region}, 1};
		for (size_t k = 0; k < COUNT_OF(terms); k++) {
			pricing.terms = (struct text_list){(const char *[]){terms[k]}, 1};
			assert_true(cheapest(cases[i].accelerator));
			assert_true(offer.usd_per_gpu_hour < 0.8 * before && offer.as_of && offer.source);
			before = offer.usd_per_gpu_hour;
		}
	}
}

static void rented_cards_have_a_current_price(void **state)
{
	(void)state;
	assert_true(cheapest("rtx-4090"));
	assert_true(cheapest("gh200"));
	assert_false(cheapest("h800")); /* an assumption of the user who rents it; it counts only if the request names the provider */
	pricing.providers = (struct text_list){(const char *[]){"deepseek"}, 1};
	assert_true(cheapest("h800"));
	assert_close(offer.usd_per_gpu_hour, 2, 1e-12);
}

static void a_missing_offer_is_explained(void **state)
{
	struct offer_filter filter = {.pricing = &pricing, .now_us = fixture_now_us()};
	char why[200];

	(void)state;
	assert_false(cheapest("rtx-3090"));
	offers_explain(&rejects, &filter, why, sizeof why);
	assert_contains(why, "no price");
	assert_false(cheapest("a40"));
	offers_explain(&rejects, &filter, why, sizeof why);
	assert_contains(why, "too old");
	assert_contains(why, "max_age_days 400");
}

static void terms_have_their_names(void **state)
{
	(void)state;
	for (enum term term = TERM_ON_DEMAND; term < TERM_COUNT; term++)
		assert_int_equal(term_of_text(term_text(term)), term);
	assert_int_equal(term_of_text("weekly"), TERM_UNSET);
	assert_int_equal(term_of_text(NULL), TERM_UNSET);
	assert_string_equal(term_text(TERM_UNSET), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(names_are_found_in_any_case_and_aliases_are_told, begin),
		cmocka_unit_test_setup(every_alias_and_id_finds_its_row, begin),
		cmocka_unit_test_setup(the_price_is_of_one_accelerator_on_demand, begin),
		cmocka_unit_test_setup(commitments_are_older, begin),
		cmocka_unit_test_setup(spot_only_when_asked_for, begin),
		cmocka_unit_test_setup(old_offers_only_when_named, begin),
		cmocka_unit_test_setup(suspicious_offers_only_when_named, begin),
		cmocka_unit_test_setup(on_demand_below_its_own_spot_is_doubted, begin),
		cmocka_unit_test_setup(providers_go_by_any_of_their_names, begin),
		cmocka_unit_test_setup(regions_restrict, begin),
		cmocka_unit_test_setup(half_a_machine_is_no_offer, begin),
		cmocka_unit_test_setup(the_two_halves_are_summed, begin),
		cmocka_unit_test_setup(a_newer_row_of_the_same_instance_replaces_the_older, begin),
		cmocka_unit_test_setup(two_rows_of_one_id_make_no_catalogue, begin),
		cmocka_unit_test_setup(a_model_is_read_from_its_config_or_its_size, begin),
		cmocka_unit_test_setup(rows_without_their_keys_are_not_found_and_do_no_harm, begin),
		cmocka_unit_test_setup(a_snapshot_lives_as_long_as_its_last_reference, begin),
		cmocka_unit_test_setup(whole_instances_are_paid, begin),
		cmocka_unit_test_setup(a_missing_offer_is_explained, begin),
		cmocka_unit_test_setup(reserved_terms_are_below_those_on_demand, begin),
		cmocka_unit_test_setup(rented_cards_have_a_current_price, begin),
		cmocka_unit_test_setup(terms_have_their_names, begin),
	};

	return cmocka_run_group_tests_name("offers", tests, fixture_setup, fixture_teardown);
}
