/* Tests the site of a plan, and the network between its accelerators. */
#include <math.h>

#include "hwdb/fixture.h"
#include "hwdb/resolve/topology.h"

static struct training_request request;
static struct training_input input;

static int begin(void **state)
{
	(void)state;
	fixture_begin();
	fixture_training(&request);
	return 0;
}

static enum status resolve(void)
{
	return resolve_training(&fixture.resolver, &request, &input);
}

static void site_cases(void **state)
{
	static const struct {
		struct site_request request;
		double grid_gco2e_per_kwh, pue;
		const char *country;
	} cases[] = {
		{{.country = "FR"}, 56.04, 1.56, "France"},
		{{.country = "fra"}, 56.04, 1.56, "France"},
		{{.country = "united states"}, 369.47, 1.56, "United States"},
		{{.provider = "aws", .region = "us-east-1"}, 396.25, 1.15, "United States"},
		{{.provider = "Amazon", .region = "US-EAST-1"}, 396.25, 1.15, "United States"},
		{{.provider = "google", .region = "europe-west9"}, 16.3, 1.09, "France"}, /* the region has no PUE: this is Google's median */
		{{.provider = "runpod", .region = "SE"}, 40.7, 1.56, "Sweden"},
		{{.provider = "ovhcloud", .region = "gra"}, 56.04, 1.28, "France"},
		{{.provider = "scaleway", .region = "fr-par-2"}, 56.04, 1.17, "France"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct site_request asked = cases[i].request;
		struct site site;

		fixture_begin();
		asked.grid_gco2e_per_kwh = asked.pue = asked.wue_l_per_kwh = asked.ewif_l_per_kwh = asked.electricity_usd_per_kwh =
			asked.grid_market_gco2e_per_kwh = asked.grid_marginal_gco2e_per_kwh = ABSENT_NUMBER;
		assert_int_equal(resolve_site(&fixture.resolver, &asked, NULL, &site), STATUS_OK);
		assert_close(site.grid_gco2e_per_kwh, cases[i].grid_gco2e_per_kwh, 1e-9);
		assert_close(site.pue, cases[i].pue, 1e-9);
		assert_string_equal(site.country, cases[i].country);
		assert_true(site.grid_low_gco2e_per_kwh < site.grid_gco2e_per_kwh && site.grid_gco2e_per_kwh < site.grid_high_gco2e_per_kwh);
		assert_true(site.pue_low <= site.pue && site.pue <= site.pue_high);
		assert_true(site.wue_l_per_kwh >= 0 && site.ewif_l_per_kwh > 0);
		assert_int_equal(fixture.findings.warning_count, 0);
		fixture_sources_are_named();
	}
}

static void sites_that_are_not_known(void **state)
{
	static const struct {
		struct site_request request;
		const char *pointer;
	} cases[] = {
		{{.country = "Atlantis"}, "/site/country"},
		{{.provider = "aws", .region = "us-east-9"}, "/site/region"},
		{{.provider = "aws"}, "/site/region"},
		{{.region = "us-east-1"}, "/site/provider"},
		{{.country = "FR", .provider = "aws"}, "/site/country"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct site site;

		fixture_begin();
		assert_int_equal(resolve_site(&fixture.resolver, &cases[i].request, NULL, &site), STATUS_INVALID);
		fixture_fault(cases[i].pointer);
	}
}

static void the_offers_region_gives_the_grid_and_an_explicit_price_the_world(void **state)
{
	struct offer offer = {.provider = "gcp", .region = "us-east4"};
	struct site site;

	(void)state;
	assert_int_equal(resolve_site(&fixture.resolver, &request.common.site, &offer, &site), STATUS_OK);
	assert_close(site.grid_gco2e_per_kwh, 323.05, 1e-9);
	assert_close(site.grid_marginal_gco2e_per_kwh, 557.17, 1e-9);
	assert_string_equal(site.region, "us-east4");
	offer.region = "mars-north1";
	fixture_begin();
	assert_int_equal(resolve_site(&fixture.resolver, &request.common.site, &offer, &site), STATUS_OK);
	assert_close(site.grid_gco2e_per_kwh, 473.01, 1e-9);
	assert_true(fixture_warned("no region mars-north1 of gcp"));
	begin(state);
	request.common.pricing.usd_per_gpu_hour = 2;
	assert_int_equal(resolve(), STATUS_OK);
	assert_close(input.candidates[0].site.grid_gco2e_per_kwh, 473.01, 1e-9);
	assert_true(input.candidates[0].site.grid_high_gco2e_per_kwh > 600);
	assert_true(fixture_warned("world average"));
}

static void a_named_site_restricts_the_offers(void **state)
{
	(void)state;
	request.common.site.provider = "aws";
	request.common.site.region = "us-east-1";
	assert_int_equal(resolve(), STATUS_OK);
	assert_string_equal(input.candidates[0].offer.provider, "aws");
	request.common.pricing.providers = (struct text_list){(const char *[]){"nebius"}, 1};
	assert_int_equal(resolve(), STATUS_OK);
	assert_string_equal(input.candidates[0].offer.provider, "nebius");
	assert_string_equal(input.candidates[0].site.provider, "aws");
	begin(state);
	request.common.site.provider = "aws";
	request.common.site.region = "eu-north-1";
	assert_int_equal(resolve(), STATUS_OK);
	assert_string_equal(input.candidates[0].offer.provider, "aws"); /* offers of the site's provider come before all others */
	assert_close(input.candidates[0].site.grid_gco2e_per_kwh, 24.71, 1e-9);
	resolve_recommended(&fixture.resolver, &input.request.common, input.candidates, 1, &input.candidates[0].offer);
	assert_contains(fixture.findings.warnings[0].detail,
		"two places: the price is that of aws us-east-1 (United States), grid, PUE and water are those of aws eu-north-1");
	begin(state);
	request.common.site.provider = "aws";
	request.common.site.region = "eu-north-1";
	request.common.accelerator.id = "mi300x"; /* the provider does not offer this accelerator */
	assert_int_equal(resolve(), STATUS_OK);
	assert_true(input.candidates[0].has_offer && strcmp(input.candidates[0].offer.provider, "aws") != 0);
	findings_warn(&fixture.findings, "another");
	resolve_recommended(&fixture.resolver, &input.request.common, input.candidates, 1, &input.candidates[0].offer);
	assert_contains(fixture.findings.warnings[0].detail, "two places: ");
}

static void a_named_country_has_its_own_prices_first(void **state)
{
	(void)state;
	request.common.site.country = "US";
	assert_int_equal(resolve(), STATUS_OK);
	assert_true(input.candidates[0].offer.region != NULL);
	assert_string_equal(input.candidates[0].site.country, "United States");
	resolve_recommended(&fixture.resolver, &input.request.common, input.candidates, 1, &input.candidates[0].offer);
	assert_false(fixture_warned("two places"));
	begin(state);
	request.common.site.country = "JP";
	assert_int_equal(resolve(), STATUS_OK);
	resolve_recommended(&fixture.resolver, &input.request.common, input.candidates, 1, &input.candidates[0].offer);
	assert_contains(fixture.findings.warnings[0].detail, "those of Japan, from site");
}

static void what_a_provider_has_comes_before_what_others_have(void **state)
{
	(void)state;
	request.common.accelerator.id = NULL;
	request.common.site.provider = "aws";
	request.common.site.region = "eu-north-1"; /* the catalogue has no offer in this region */
	assert_int_equal(resolve(), STATUS_OK);
	assert_true(input.candidate_count > 3);
	for (size_t i = 0; i < input.candidate_count; i++)
		assert_string_equal(input.candidates[i].offer.provider, "aws");
}

static void topologies(void **state)
{
	static const struct {
		const char *accelerator, *provider, *instance;
		int64_t gpus_per_node;
		double internode_gbs;
	} cases[] = {
		{"h100", NULL, NULL, 8, 50},
		{"a100", NULL, NULL, 8, 25},
		{"a100", "aws", "p4de.24xlarge", 8, 6.25},
		{"a100-40gb", "gcp", "a2-highgpu-8g", 8, 1.5625},
		{"v100", NULL, NULL, 8, 6.25},
		{"gb200", NULL, NULL, 4, 50},
		{"b300", "aws", "p6-b300.48xlarge", 8, 100},
		{"mi300x", NULL, NULL, 8, 50},
		{"mi250x", NULL, NULL, 4, 25},
		{"gaudi3", NULL, NULL, 8, 75},
		{"tpu-v4", NULL, NULL, 4, 1.65},
		{"tpu-v7", NULL, NULL, 4, 12.5},
		{"tpu-v5e", NULL, NULL, 8, 3.125},
		{"tpu-v6e", NULL, NULL, 8, 12.5},
		{"tpu-v5p", NULL, NULL, 4, 6.25},
		{"trainium2", NULL, NULL, 16, 25},
		{"l40s", "aws", "g6e.48xlarge", 8, 6.25},
		{"a10g", NULL, NULL, 8, 1.5625},
		{"h100-pcie", NULL, NULL, 8, 1.5625},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct offer offer = {.provider = cases[i].provider, .instance_type = cases[i].instance};
		struct topology topology = topology_of(
			&catalogue_accelerator(fixture.catalogue, cases[i].accelerator, NULL)->accelerator, cases[i].provider ? &offer : NULL, 8);

		assert_int_equal(topology.gpus_per_node, cases[i].gpus_per_node);
		assert_close(topology.internode_gbs, cases[i].internode_gbs, 1e-9);
		assert_true(strlen(topology.gpus_source) > 8 && strlen(topology.internode_source) > 8);
	}
}

/* No provider guarantees a fabric between instances with one accelerator if it has no larger instances. The chips of a
 * TPU slice are always linked, whatever the price refers to. */
static void single_instances_have_no_fabric(void **state)
{
	const struct offer one = {.provider = "lambda", .instance_type = "1x GH200 (96 GB)", .gpus = 1};
	const struct accelerator *gh200 = &catalogue_accelerator(fixture.catalogue, "gh200", NULL)->accelerator;
	const struct accelerator *tpu = &catalogue_accelerator(fixture.catalogue, "tpu-v5e", NULL)->accelerator;

	(void)state;
	assert_close(topology_of(gh200, &one, 1).internode_gbs, 1.25, 1e-12);
	assert_true(topology_of(gh200, &one, 1).rented_singly);
	assert_close(topology_of(gh200, &one, 4).internode_gbs, 50, 1e-12);
	assert_close(topology_of(gh200, NULL, 1).internode_gbs, 50, 1e-12); /* a user's own machines have the maker's network */
	assert_false(topology_of(tpu, &one, 1).rented_singly);
}

static void chips_without_switches_form_a_torus(void **state)
{
	static const struct {
		const char *accelerator;
		int64_t dimensions;
	} cases[] = {{"tpu-v5e", 2}, {"tpu-v5p", 3}, {"trainium2", 2}, {"inferentia2", 1}, {"h100-sxm5-80gb", 0}, {"mi300x", 0}, {"gb200", 0}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct topology topology = topology_of(&catalogue_accelerator(fixture.catalogue, cases[i].accelerator, NULL)->accelerator, NULL, 8);

		assert_int_equal(topology.torus_dimensions, cases[i].dimensions);
		assert_int_equal(topology.torus_source != NULL, cases[i].dimensions > 0);
	}
}

static void a_processor_and_an_unknown_card_have_a_node_too(void **state)
{
	struct accelerator accelerator;

	(void)state;
	fixture_accelerator_absent(&accelerator);
	accelerator.id = "cpu-epyc";
	assert_int_equal(topology_of(&accelerator, NULL, 0).gpus_per_node, 1);
	accelerator.id = "newcomer";
	assert_int_equal(topology_of(&accelerator, NULL, 0).gpus_per_node, 8);
	assert_int_equal(topology_of(&accelerator, NULL, 4).gpus_per_node, 4);
	assert_close(topology_of(&accelerator, NULL, 4).internode_gbs, 3.125, 1e-12);
	accelerator.form_factor = "oam";
	assert_close(topology_of(&accelerator, NULL, 1).internode_gbs, 50, 1e-12);
	accelerator.id = NULL;
	assert_int_equal(topology_of(&accelerator, NULL, 2).gpus_per_node, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(site_cases, begin),
		cmocka_unit_test_setup(sites_that_are_not_known, begin),
		cmocka_unit_test_setup(the_offers_region_gives_the_grid_and_an_explicit_price_the_world, begin),
		cmocka_unit_test_setup(a_named_site_restricts_the_offers, begin),
		cmocka_unit_test_setup(a_named_country_has_its_own_prices_first, begin),
		cmocka_unit_test_setup(what_a_provider_has_comes_before_what_others_have, begin),
		cmocka_unit_test_setup(topologies, begin),
		cmocka_unit_test_setup(chips_without_switches_form_a_torus, begin),
		cmocka_unit_test_setup(single_instances_have_no_fabric, begin),
		cmocka_unit_test_setup(a_processor_and_an_unknown_card_have_a_node_too, begin),
	};

	return cmocka_run_group_tests_name("resolve site", tests, fixture_setup, fixture_teardown);
}
