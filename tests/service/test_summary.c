/* Summaries: the sentence of each kind of answer, word by word, and the figures beside it. */
#include "service/summary.h"

#include "support/assert.h"

static struct training_plan training;
static struct inference_plan service;

/* 1,000 H100 for 30 days on demand, with every figure known. */
static struct training_option *train(void)
{
	struct training_option *option = &training.recommended;

	memset(&training, 0, sizeof training);
	option->monthly.total_usd = option->monthly.total_kwh = option->monthly.total_kgco2e = ABSENT_NUMBER;
	option->accelerator = (struct accelerator){.id = "h100-sxm5-80gb", .name = "H100 SXM5 80GB"};
	option->gpu_count = 1432;
	option->wall_clock_hours = 710.4;
	option->interval.wall_clock_hours = (struct interval){600, 710.4, 900};
	option->cost.total_usd = 1903000;
	option->interval.total_usd = (struct interval){1502000, 1903000, 2604000};
	option->energy.total_kwh = 812345;
	option->interval.total_kwh = (struct interval){700000, 812345, 900000};
	option->carbon.total_kgco2e = 310400;
	option->interval.total_kgco2e = (struct interval){200000, 310400, 400000};
	option->cost.has_offer = true;
	option->cost.offer = (struct offer){.provider = "coreweave", .region = "us-east-04a", .term = TERM_SPOT};
	option->promise_count = 2;
	option->promises[0] = (struct promised){"deadline", 720, 0.8049};
	option->promises[1] = (struct promised){"energy_cap", 1e6, 0.9951};
	training.uncertainty_count = 1;
	training.uncertainties[0] = (struct uncertainty){.field = "evaluation_and_restarts", .wall_clock_hours = 1};
	return option;
}

static void a_training_in_sentences(void **state)
{
	struct training_option *option = train();

	(void)state;
	assert_true(summary_of_training(&training, false));
	assert_string_equal(training.summary.text,
		"Rent 1,432 H100 SXM5 80GB (coreweave, us-east-04a, spot) for 29.6 days (8 in 10: 25 to 37.5): 1.9 M USD (8 in 10: 1.5 to 2.6 M), "
		"812 MWh, 310 t CO2e. It keeps the deadline with a probability of 80 %, the energy cap with more than 99 %. "
		"Largest uncertainty: the time for evaluation and restarts.");
	assert_close(training.summary.total_usd.value, 1903000, 0);
	assert_close(training.summary.total_usd.low, 1502000, 0);
	assert_close(training.summary.total_usd.high, 2604000, 0);
	assert_close(training.summary.wall_clock_hours.high, 900, 0);
	assert_int_equal(training.summary.replicas, ABSENT_COUNT);
	/* small, unpriced, on the client's own machines, certain */
	option->cost.has_offer = false;
	option->cost.total_usd = ABSENT_NUMBER;
	option->gpu_count = 1;
	option->wall_clock_hours = 0.0431;
	option->interval.wall_clock_hours = (struct interval){0.0431, 0.0431, 0.0431};
	option->gpu_hours = 8 * 0.0431;                /* counts what is paid, too */
	option->energy.powered_gpu_hours = 8 * 0.0431; /* the rest of the machine */
	option->energy.total_kwh = 0.0312;
	option->carbon.total_kgco2e = 999.6;
	option->promise_count = 0;
	training.uncertainty_count = 0;
	assert_true(summary_of_training(&training, true));
	assert_string_equal(
		training.summary.text, "Use 8 of your own H100 SXM5 80GB (1 of them in use) for 2.59 minutes: price unknown, 31.2 Wh, 1 t CO2e.");
	/* an accelerator without a name, and nothing to pay */
	option->accelerator.name = NULL;
	option->cost.total_usd = 0;
	option->interval.total_usd = (struct interval){0, 0, 0};
	option->wall_clock_hours = 48;
	option->energy.powered_gpu_hours = 0.0431;
	option->promise_count = 1;
	option->promises[0] = (struct promised){"budget", 0, 0.004};
	option->memory.total_bytes = 159.7e9;
	option->memory.capacity_bytes = 16.9e9;
	training.uncertainty_count = 1;
	training.uncertainties[0] = (struct uncertainty){.field = "price"}; /* adds nothing: not named */
	assert_true(summary_of_training(&training, false));
	assert_string_equal(training.summary.text,
		"Use 1 h100-sxm5-80gb for 2 days: 0 USD, 31.2 Wh, 1 t CO2e. It does not run: an accelerator needs 160 GB and has 16.9. "
		"It keeps the budget with a probability of less than 1 %.");
}

static void a_service_in_sentences(void **state)
{
	struct inference_option *option = &service.recommended;

	(void)state;
	memset(&service, 0, sizeof service);
	option->accelerator = (struct accelerator){.id = "gb200", .name = "GB200 (per Blackwell GPU)"};
	option->gpu_count = 2;
	option->gpus_paid = 8;
	option->replicas = 1;
	option->cost.usd_per_month = 12345;
	option->interval.usd_per_month = (struct interval){9999, 12345, 1234567};
	option->energy.kwh_per_month = 5e9;
	option->carbon.kgco2e_per_month = 2.5e6;
	option->cost.has_offer = true;
	option->cost.offer = (struct offer){.provider = "aws", .term = TERM_RESERVED_3Y};
	option->promise_count = 2;
	option->promises[0] = (struct service_promise){"load", NULL, 10, 0.9};
	option->promises[1] = (struct service_promise){"slo", "ttft_ms", 500, 0.851};
	service.uncertainty_count = 1;
	service.uncertainties[0] = (struct service_uncertainty){.field = "price", .usd_per_month = 100};
	assert_true(summary_of_service(&service, false, 0));
	assert_string_equal(service.summary.text,
		"Rent 8 GB200 (2 of them in use; aws, reserved for three years) as 1 replica, a month: 12,300 USD (8 in 10: 10,000 to 1,230,000), "
		"5 TWh, 2.5 kt CO2e. It carries the load with a probability of 90 %, the time to first token with 85 %. Largest uncertainty: the price.");
	option->accelerator.like = "h100-sxm5-80gb";
	option->accelerator.name = "like H100 SXM5 80GB";
	option->cost.has_offer = false;
	option->promise_count = service.uncertainty_count = 0;
	assert_true(summary_of_service(&service, false, 0));
	assert_string_equal(service.summary.text,
		"Use 8 of a variant of H100 SXM5 80GB (2 of them in use) as 1 replica, a month: 12,300 USD (8 in 10: 10,000 to 1,230,000), 5 TWh, 2.5 kt CO2e.");
	assert_int_equal(service.summary.replicas, 1);
	assert_close(service.summary.usd_per_month.high, 1234567, 0);
	assert_true(isnan(service.summary.total_usd.value));
}

static void what_a_reader_pays_besides(void **state)
{
	struct training_option *option = train();
	struct inference_option *fleet = &service.recommended;

	(void)state;
	option->promise_count = training.uncertainty_count = 0;
	option->cost.offer.term = TERM_RESERVED_1Y;
	option->cost.usd_per_gpu_hour = 1.8; /* 1,432 x 710.4 h x 1.8 = 1.83 M */
	option->cost.has_currency = true;
	option->cost.currency.rate.code = "EUR";
	option->cost.currency.total = 1751000;
	option->monthly.total_usd = 8.2e6;
	option->monthly.total_kwh = 3.5e6;
	option->monthly.total_kgco2e = 1.2e6;
	assert_true(summary_of_training(&training, false));
	assert_string_equal(training.summary.text,
		"Rent 1,432 H100 SXM5 80GB (coreweave, us-east-04a, reserved for one year) for 29.6 days (8 in 10: 25 to 37.5): 1.9 M USD (8 in 10: 1.5 to 2.6 M) "
		"= 1.75 M EUR, 812 MWh, 310 t CO2e. That is one run; a month of them: 8.2 M USD, 3.5 GWh, 1.2 kt CO2e.");
	option->cost.total_usd = 22e6; /* the rest of the year is paid, too */
	option->interval.total_usd = (struct interval){22e6, 22e6, 22e6};
	option->cost.has_currency = false;
	option->monthly.total_kwh = ABSENT_NUMBER;
	assert_true(summary_of_training(&training, false));
	assert_string_equal(training.summary.text,
		"Rent 1,432 H100 SXM5 80GB (coreweave, us-east-04a, reserved for one year) for 29.6 days (8 in 10: 25 to 37.5): 22 M USD, 812 MWh, 310 t CO2e. "
		"The reservation is paid to its end.");

	memset(&service, 0, sizeof service);
	fleet->accelerator = (struct accelerator){.id = "a100", .name = "A100"};
	fleet->gpu_count = fleet->gpus_paid = fleet->replicas = 3;
	fleet->mig_profile = "1g.10gb";
	fleet->slices_per_gpu = 7;
	fleet->cost.usd_per_month = 900;
	fleet->cost.has_currency = true;
	fleet->cost.currency.rate.code = "JPY";
	fleet->cost.currency.per_month = 135000;
	fleet->energy.kwh_per_month = 100;
	fleet->carbon.kgco2e_per_month = 10;
	assert_true(summary_of_service(&service, true, 1));
	assert_string_equal(service.summary.text,
		"Use 3 of your own A100, split into 7 slices 1g.10gb each, as 3 replicas (1 spare), a month: 900 USD = 135,000 JPY, 100 kWh, 10 kg CO2e.");
}

/* A name as long as the catalogue allows is cut, and the text ends. */
static void long_names_are_cut(void **state)
{
	static char name[2 * SUMMARY_TEXT_MAX];

	(void)state;
	memset(name, 'x', sizeof name - 1);
	train()->accelerator.name = name;
	assert_true(summary_of_training(&training, false));
	assert_int_equal(strlen(training.summary.text), SUMMARY_TEXT_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_training_in_sentences),
		cmocka_unit_test(what_a_reader_pays_besides),
		cmocka_unit_test(a_service_in_sentences),
		cmocka_unit_test(long_names_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
