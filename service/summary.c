#include "service/summary.h"

#include <math.h>

#include "base/buffer.h"
#include "hwdb/catalogue/offers.h"

/* A unit, and the amount of the base unit from which it is used. */
struct scale {
	double unit;
	const char *name;
};

static const struct scale usd_scales[] = {{1e9, "billion USD"}, {1e6, "M USD"}, {1, "USD"}};
static const struct scale energy_scales[] = {{1e6, "GWh"}, {1e3, "MWh"}, {1, "kWh"}};
static const struct scale carbon_scales[] = {{1e6, "kt CO2e"}, {1e3, "t CO2e"}, {1, "kg CO2e"}};
static const struct scale time_scales[] = {{24, "days"}, {1, "hours"}};

/* Times below two days are in hours. */
static const double least_days_hours = 48;

/* Appends a whole number with thousands separators: "12,300". */
static void append_whole(struct buffer *out, double number)
{
	char digits[40];
	size_t length = (size_t)snprintf(digits, sizeof digits, "%.0f", number);

	for (size_t i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			buffer_append_char(out, ',');
		buffer_append_char(out, digits[i]);
	}
}

/* Appends a number of 0 or more with three significant digits: "0.81", "29.6", "12,300". */
static void append_number(struct buffer *out, double number)
{
	double unit = number > 0 ? pow(10, floor(log10(number)) - 2) : 1;

	if (unit < 1)
		buffer_printf(out, "%.3g", number);
	else
		append_whole(out, round(number / unit) * unit);
}

/* Returns the largest unit of which `value` is at least one; 0.9995 of one, which three digits round to one. */
static const struct scale *scale_of(const struct scale *scales, size_t count, double value)
{
	size_t i = 0;

	while (i + 1 < count && !(value >= 0.9995 * scales[i].unit))
		i++;
	return &scales[i];
}

/* Appends "1.9 M USD", and with a range " (8 in 10: 1.5 to 2.6)". */
static void append_amount(struct buffer *out, const struct scale *scale, const struct summary_figure *figure, bool with_range)
{
	append_number(out, figure->value / scale->unit);
	buffer_printf(out, " %s", scale->name);
	if (!with_range || !(figure->low < figure->high))
		return;
	buffer_append_text(out, " (8 in 10: ");
	append_number(out, figure->low / scale->unit);
	buffer_append_text(out, " to ");
	append_number(out, figure->high / scale->unit);
	buffer_append_char(out, ')');
}

#define APPEND_AMOUNT(out, scales, figure, with_range) \
	append_amount(out, scale_of(scales, COUNT_OF(scales), (figure)->value), figure, with_range)

/* Appends "Rent 896 H100 SXM5 80GB (coreweave, us-east-04a, on demand)", or "Use ..." without an offer. */
static void append_hardware(
	struct buffer *out, int64_t gpu_count, const struct accelerator *accelerator, const struct offer *offer, bool owned)
{
	static const char *const terms[TERM_COUNT] = {
		[TERM_ON_DEMAND] = "on demand", [TERM_SPOT] = "spot", [TERM_RESERVED_1Y] = "reserved for one year", [TERM_RESERVED_3Y] = "reserved for three years"};

	buffer_append_text(out, offer ? "Rent " : "Use ");
	append_whole(out, (double)gpu_count);
	buffer_printf(out, " %s%s", owned ? "of your own " : "", accelerator->name ? accelerator->name : accelerator->id);
	if (!offer)
		return;
	buffer_printf(out, " (%s", offer->provider);
	if (offer->region)
		buffer_printf(out, ", %s", offer->region);
	if (terms[offer->term])
		buffer_printf(out, ", %s", terms[offer->term]);
	buffer_append_char(out, ')');
}

static void append_energy(struct buffer *out, const struct summary *summary)
{
	if (is_given(summary->total_kwh.value)) {
		buffer_append_text(out, ", ");
		APPEND_AMOUNT(out, energy_scales, &summary->total_kwh, false);
	}
	if (is_given(summary->total_kgco2e.value)) {
		buffer_append_text(out, ", ");
		APPEND_AMOUNT(out, carbon_scales, &summary->total_kgco2e, false);
	}
}

/* A key of the answer, and its name in a sentence. */
struct name {
	const char *key, *text;
};

/* Appends the name of a key; a key without a name with spaces for its underscores: "energy cap". */
static void append_name(struct buffer *out, const struct name *names, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(key, names[i].key) == 0)
			key = names[i].text;
	for (const char *at = key; *at; at++)
		buffer_append_char(out, *at == '_' ? ' ' : *at);
}

/* Appends "The deadline holds with a probability of 80 %" for the first promise, ", the budget with 93 %" for the others. */
static void append_promise(struct buffer *out, bool first, const char *what, double probability)
{
	static const struct name names[] = {
		{"ttft_ms", "time to first token"}, {"tpot_ms", "time per output token"}, {"e2e_ms", "end-to-end time"}};
	static const double certain = 0.995; /* two digits would round it to 100 % */

	buffer_append_text(out, first ? ". The " : ", the ");
	append_name(out, names, COUNT_OF(names), what);
	buffer_append_text(out, first ? " holds with a probability of " : " with ");
	if (probability >= certain)
		buffer_append_text(out, "more than 99 %");
	else
		buffer_printf(out, "%.0f %%", 100 * probability);
}

static void append_uncertainty(struct buffer *out, const char *field)
{
	static const struct name names[] = {{"step", "the time of a step"}, {"price", "the price"}, {"failures", "the number of failures"},
		{"software", "the software of the run"}, {"layout", "the layout that the team uses"}, {"throughput", "the throughput of a replica"},
		{"release", "the engine's release"}, {"flags", "the engine's flags"}, {"load", "the load"}};

	buffer_append_text(out, ". Largest uncertainty: ");
	append_name(out, names, COUNT_OF(names), field);
}

static struct summary_figure figure_of(double value, const struct interval *interval)
{
	return (struct summary_figure){value, interval->p10, interval->p90};
}

/* Ends the text, cuts it to its place, and releases the buffer. False if the buffer ran out of memory. */
static bool finish_text(struct buffer *out, char text[SUMMARY_TEXT_MAX])
{
	bool complete;

	buffer_append_char(out, '.');
	complete = !out->failed;
	snprintf(text, SUMMARY_TEXT_MAX, "%s", complete ? out->bytes : "");
	buffer_release(out);
	return complete;
}

bool summary_of_training(struct training_plan *plan, bool owned)
{
	const struct training_option *option = &plan->recommended;
	struct summary *summary = &plan->summary;
	struct buffer out;

	*summary = (struct summary){.accelerator = option->accelerator.id,
		.gpu_count = option->gpu_count,
		.replicas = ABSENT_COUNT,
		.wall_clock_hours = figure_of(option->wall_clock_hours, &option->interval.wall_clock_hours),
		.total_usd = figure_of(option->cost.total_usd, &option->interval.total_usd),
		.usd_per_month = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER},
		.total_kwh = figure_of(option->energy.total_kwh, &option->interval.total_kwh),
		.total_kgco2e = figure_of(option->carbon.total_kgco2e, &option->interval.total_kgco2e)};
	buffer_init(&out, 8 * SUMMARY_TEXT_MAX);
	append_hardware(&out, option->gpu_count, &option->accelerator, option->cost.has_offer ? &option->cost.offer : NULL, owned);
	buffer_append_text(&out, " for ");
	append_amount(&out, &time_scales[option->wall_clock_hours < least_days_hours], &summary->wall_clock_hours, false);
	if (is_given(summary->total_usd.value)) {
		buffer_append_text(&out, ": ");
		APPEND_AMOUNT(&out, usd_scales, &summary->total_usd, true);
	}
	append_energy(&out, summary);
	for (size_t i = 0; i < option->promise_count; i++)
		append_promise(&out, i == 0, option->promises[i].what, option->promises[i].probability);
	if (plan->uncertainty_count > 0)
		append_uncertainty(&out, plan->uncertainties[0].field);
	return finish_text(&out, summary->text);
}

bool summary_of_service(struct inference_plan *plan, bool owned)
{
	const struct inference_option *option = &plan->recommended;
	struct summary *summary = &plan->summary;
	struct buffer out;

	*summary = (struct summary){.accelerator = option->accelerator.id,
		.gpu_count = option->gpu_count,
		.replicas = option->replicas,
		.wall_clock_hours = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER},
		.total_usd = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER},
		.usd_per_month = figure_of(option->cost.usd_per_month, &option->interval.usd_per_month),
		.total_kwh = figure_of(option->energy.kwh_per_month, &option->interval.kwh_per_month),
		.total_kgco2e = figure_of(option->carbon.kgco2e_per_month, &option->interval.kgco2e_per_month)};
	buffer_init(&out, 8 * SUMMARY_TEXT_MAX);
	append_hardware(&out, option->gpu_count, &option->accelerator, option->cost.has_offer ? &option->cost.offer : NULL, owned);
	buffer_printf(&out, " as %lld replica%s", (long long)option->replicas, option->replicas == 1 ? "" : "s");
	if (is_given(summary->usd_per_month.value)) {
		buffer_append_text(&out, ": ");
		APPEND_AMOUNT(&out, usd_scales, &summary->usd_per_month, true);
	}
	append_energy(&out, summary);
	buffer_append_text(&out, " a month");
	for (size_t i = 0; i < option->promise_count; i++)
		append_promise(&out, i == 0, option->promises[i].member ? option->promises[i].member : option->promises[i].what,
			option->promises[i].probability);
	if (plan->uncertainty_count > 0)
		append_uncertainty(&out, plan->uncertainties[0].field);
	return finish_text(&out, summary->text);
}
