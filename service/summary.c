#include "service/summary.h"

#include <math.h>

#include "base/amount.h"
#include "hwdb/catalogue/offers.h"

/* Appends "1.9 M USD", and on request the range if it has a width: " (8 in 10: 1.5 to 2.6 M)". */
static void append_amount(struct buffer *out, enum amount amount, const struct summary_figure *figure, bool with_range)
{
	amount_append(out, amount, figure->value);
	if (!with_range || !(figure->low < figure->high))
		return;
	buffer_append_text(out, " (8 in 10: ");
	amount_append_range(out, amount, figure->value, figure->low, figure->high);
	buffer_append_char(out, ')');
}

/* Appends the name without what it says in brackets: "GB200" of "GB200 (per Blackwell GPU)". */
static void append_accelerator(struct buffer *out, const struct accelerator *accelerator)
{
	const char *name = accelerator->name ? accelerator->name : accelerator->id, *bracket = strstr(name, " (");

	if (accelerator->like && strncmp(name, "like ", 5) == 0)
		buffer_printf(out, "of a variant of %s", name + 5);
	else
		buffer_append(out, name, bracket ? (size_t)(bracket - name) : strlen(name));
}

/* Appends "Rent 96 H100 SXM5 80GB (64 of them in use; coreweave, us-east-04a, on demand)", or "Use ..." without an offer. */
static void append_hardware(
	struct buffer *out, const struct summary *summary, const struct accelerator *accelerator, const struct offer *offer, bool owned)
{
	static const char *const terms[TERM_COUNT] = {
		[TERM_ON_DEMAND] = "on demand", [TERM_SPOT] = "spot", [TERM_RESERVED_1Y] = "reserved for one year", [TERM_RESERVED_3Y] = "reserved for three years"};
	bool more = summary->gpus_paid > summary->gpu_count;

	buffer_append_text(out, offer ? "Rent " : "Use ");
	amount_append_whole(out, (double)summary->gpus_paid);
	buffer_append_text(out, owned ? " of your own " : " ");
	append_accelerator(out, accelerator);
	if (more || offer)
		buffer_append_text(out, " (");
	if (more)
		amount_append_whole(out, (double)summary->gpu_count);
	if (more)
		buffer_append_text(out, offer ? " of them in use; " : " of them in use");
	if (offer)
		buffer_printf(out, "%s%s%s%s%s", offer->provider, offer->region ? ", " : "", offer->region ? offer->region : "",
			terms[offer->term] ? ", " : "", terms[offer->term] ? terms[offer->term] : "");
	if (more || offer)
		buffer_append_char(out, ')');
}

/* Appends the cost in the request's other currency: " = 1.1 M EUR". */
static void append_currency(struct buffer *out, double value, const char *code)
{
	double unit = value >= 0.9995e9 ? 1e9 : value >= 0.9995e6 ? 1e6 : 1;

	buffer_append_text(out, " = ");
	amount_append_number(out, value / unit);
	buffer_printf(out, "%s %s", unit >= 1e9 ? " billion" : unit >= 1e6 ? " M" : "", code);
}

/* Appends cost, energy and carbon: ": 1.9 M USD (8 in 10: 1.5 to 2.6 M), 0.81 GWh, 310 t CO2e". */
static void append_totals(struct buffer *out, const struct summary_figure *usd, double other, const char *code, const struct summary *summary)
{
	buffer_append_text(out, ": ");
	if (is_given(usd->value))
		append_amount(out, AMOUNT_USD, usd, true);
	else
		buffer_append_text(out, "price unknown");
	if (code && is_given(other))
		append_currency(out, other, code);
	if (is_given(summary->total_kwh.value)) {
		buffer_append_text(out, ", ");
		append_amount(out, AMOUNT_KWH, &summary->total_kwh, false);
	}
	if (is_given(summary->total_kgco2e.value)) {
		buffer_append_text(out, ", ");
		append_amount(out, AMOUNT_KGCO2E, &summary->total_kgco2e, false);
	}
}

/* Appends that the plan's memory is more than an accelerator has: plans with enforce_memory false. */
static void append_memory(struct buffer *out, double needed_bytes, double capacity_bytes)
{
	if (needed_bytes > capacity_bytes)
		buffer_printf(out, ". It does not run: an accelerator needs %.3g GB and has %.3g", needed_bytes / 1e9, capacity_bytes / 1e9);
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
		buffer_append_char(out, (char)(*at == '_' ? ' ' : *at));
}

/* Appends "It keeps the deadline with a probability of 80 %" for the first promise, ", the budget with 93 %" for the others. */
static void append_promise(struct buffer *out, bool first, const char *what, double probability)
{
	static const struct name names[] = {
		{"ttft_ms", "time to first token"}, {"tpot_ms", "time per output token"}, {"e2e_ms", "end-to-end time"}};
	static const double certain = 0.995, impossible = 0.005; /* two digits would round these to 100 and 0 % */

	buffer_append_text(out, !first ? ", the " : strcmp(what, "load") == 0 ? ". It carries the " : ". It keeps the ");
	append_name(out, names, COUNT_OF(names), what);
	buffer_append_text(out, first ? " with a probability of " : " with ");
	if (probability >= certain)
		buffer_append_text(out, "more than 99 %");
	else if (probability < impossible)
		buffer_append_text(out, "less than 1 %");
	else
		buffer_printf(out, "%.0f %%", 100 * probability);
}

static void append_uncertainty(struct buffer *out, const char *field)
{
	static const struct name names[] = {{"step", "the time of a step"}, {"price", "the price"}, {"failures", "the number of failures"},
		{"software", "the software of the run"}, {"layout", "the layout that the team uses"}, {"throughput", "the throughput of a replica"},
		{"evaluation_and_restarts", "the time for evaluation and restarts"}, {"tuning", "the engine's tuning"},
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

/* Accelerators that draw power, of a training: those that work, spares, and the rest of whole instances. */
static int64_t paid_of_training(const struct training_option *option)
{
	int64_t powered = option->wall_clock_hours > 0 ? llround(option->energy.powered_gpu_hours / option->wall_clock_hours) : 0;

	return powered > option->gpu_count ? powered : option->gpu_count;
}

/* Says that a reservation is paid beyond the run: its cost is more than that of the hours. */
static void append_term(struct buffer *out, const struct training_option *option, int64_t gpus_paid)
{
	static const double more = 1.05; /* storage, egress and interruptions are less */
	double hours_usd = (double)gpus_paid * option->wall_clock_hours * option->cost.usd_per_gpu_hour;
	enum term term = option->cost.has_offer ? option->cost.offer.term : TERM_UNSET;

	if ((term == TERM_RESERVED_1Y || term == TERM_RESERVED_3Y) && option->cost.total_usd > more * hours_usd)
		buffer_append_text(out, ". The reservation is paid to its end");
}

/* Appends the figures of a month of a recurring training. */
static void append_month(struct buffer *out, const struct training_option *option)
{
	if (!is_given(option->monthly.total_kwh))
		return;
	buffer_append_text(out, ". That is one run; a month of them: ");
	if (is_given(option->monthly.total_usd)) {
		amount_append(out, AMOUNT_USD, option->monthly.total_usd);
		buffer_append_text(out, ", ");
	}
	amount_append(out, AMOUNT_KWH, option->monthly.total_kwh);
	buffer_append_text(out, ", ");
	amount_append(out, AMOUNT_KGCO2E, option->monthly.total_kgco2e);
}

bool summary_of_training(struct training_plan *plan, bool owned)
{
	const struct training_option *option = &plan->recommended;
	struct summary *summary = &plan->summary;
	struct buffer out;

	*summary = (struct summary){.accelerator = option->accelerator.id,
		.gpu_count = option->gpu_count,
		.gpus_paid = paid_of_training(option),
		.replicas = ABSENT_COUNT,
		.wall_clock_hours = figure_of(option->wall_clock_hours, &option->interval.wall_clock_hours),
		.total_usd = figure_of(option->cost.total_usd, &option->interval.total_usd),
		.usd_per_month = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER},
		.total_kwh = figure_of(option->energy.total_kwh, &option->interval.total_kwh),
		.total_kgco2e = figure_of(option->carbon.total_kgco2e, &option->interval.total_kgco2e)};
	buffer_init(&out, 8 * SUMMARY_TEXT_MAX);
	append_hardware(&out, summary, &option->accelerator, option->cost.has_offer ? &option->cost.offer : NULL, owned);
	buffer_append_text(&out, " for ");
	append_amount(&out, AMOUNT_HOURS, &summary->wall_clock_hours, true);
	append_totals(&out, &summary->total_usd, option->cost.currency.total,
		option->cost.has_currency ? option->cost.currency.rate.code : NULL, summary);
	append_term(&out, option, summary->gpus_paid);
	append_month(&out, option);
	append_memory(&out, option->memory.total_bytes, option->memory.capacity_bytes);
	for (size_t i = 0; i < option->promise_count; i++)
		append_promise(&out, i == 0, option->promises[i].what, option->promises[i].probability);
	if (plan->uncertainty_count > 0 && (plan->uncertainties[0].wall_clock_hours > 0 || plan->uncertainties[0].total_usd > 0))
		append_uncertainty(&out, plan->uncertainties[0].field);
	return finish_text(&out, summary->text);
}

bool summary_of_service(struct inference_plan *plan, bool owned, int spares)
{
	const struct inference_option *option = &plan->recommended;
	struct summary *summary = &plan->summary;
	struct buffer out;

	*summary = (struct summary){.accelerator = option->accelerator.id,
		.gpu_count = option->gpu_count,
		.gpus_paid = option->gpus_paid > option->gpu_count ? option->gpus_paid : option->gpu_count,
		.replicas = option->replicas,
		.wall_clock_hours = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER},
		.total_usd = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER},
		.usd_per_month = figure_of(option->cost.usd_per_month, &option->interval.usd_per_month),
		.total_kwh = figure_of(option->energy.kwh_per_month, &option->interval.kwh_per_month),
		.total_kgco2e = figure_of(option->carbon.kgco2e_per_month, &option->interval.kgco2e_per_month)};
	buffer_init(&out, 8 * SUMMARY_TEXT_MAX);
	append_hardware(&out, summary, &option->accelerator, option->cost.has_offer ? &option->cost.offer : NULL, owned);
	if (option->mig_profile)
		buffer_printf(&out, ", split into %lld slices %s each,", (long long)option->slices_per_gpu, option->mig_profile);
	buffer_printf(&out, " as %lld replica%s", (long long)option->replicas, option->replicas == 1 ? "" : "s");
	if (spares > 0)
		buffer_printf(&out, " (%d spare)", spares);
	buffer_append_text(&out, ", a month");
	append_totals(&out, &summary->usd_per_month, option->cost.currency.per_month,
		option->cost.has_currency ? option->cost.currency.rate.code : NULL, summary);
	append_memory(&out, option->memory.total_bytes, option->memory.capacity_bytes);
	for (size_t i = 0; i < option->promise_count; i++)
		append_promise(&out, i == 0, option->promises[i].member ? option->promises[i].member : option->promises[i].what,
			option->promises[i].probability);
	if (plan->uncertainty_count > 0 && (plan->uncertainties[0].gpu_count > 0 || plan->uncertainties[0].usd_per_month > 0))
		append_uncertainty(&out, plan->uncertainties[0].field);
	return finish_text(&out, summary->text);
}
