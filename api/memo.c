/* The memo of a plan: what a person reads before the details. */
#include <math.h>
#include <string.h>

#include "api/report_parts.h"
#include "base/amount.h"
#include "base/status.h"
#include "planner/plan/answer_parts.h"

/* A row of the memo's table: a figure with its unit and its range. `unit`: written after the number, for AMOUNT_NUMBER. */
struct memo_row {
	const char *title, *path, *interval;
	enum amount amount;
	const char *unit;
};

static const struct memo_row training_memo[] = {{"Time", "wall_clock_hours", "interval.wall_clock_hours", AMOUNT_HOURS, ""},
	{"Cost", "cost.total_usd", "interval.total_usd", AMOUNT_USD, ""},
	{"Price of an accelerator-hour", "cost.usd_per_gpu_hour", NULL, AMOUNT_NUMBER, " USD"},
	{"Accelerator-hours", "gpu_hours", "interval.gpu_hours", AMOUNT_NUMBER, ""},
	{"Energy", "energy.total_kwh", "interval.total_kwh", AMOUNT_KWH, ""},
	{"Carbon", "carbon.total_kgco2e", "interval.total_kgco2e", AMOUNT_KGCO2E, ""}, {"Water", "water_l", NULL, AMOUNT_L, ""},
	{"MFU of a step", "mfu", NULL, AMOUNT_NUMBER, NULL}, {"MFU of the whole run", "run_mfu", NULL, AMOUNT_NUMBER, NULL}};

static const struct memo_row inference_memo[] = {{"Cost of a month", "cost.usd_per_month", "interval.usd_per_month", AMOUNT_USD, ""},
	{"Cost of a million output tokens", "cost.usd_per_million_output_tokens", NULL, AMOUNT_NUMBER, " USD"},
	{"Time to first token, 95th percentile", "latency.ttft_ms.p95", NULL, AMOUNT_NUMBER, " ms"},
	{"Time per output token, 95th percentile", "latency.tpot_ms.p95", NULL, AMOUNT_NUMBER, " ms"},
	{"Load that it carries", "throughput.requests_per_s_max", NULL, AMOUNT_NUMBER, " requests/s"},
	{"Output tokens", "throughput.output_tokens_per_s", "interval.output_tokens_per_s", AMOUNT_NUMBER, "/s"},
	{"Energy of a month", "energy.kwh_per_month", "interval.kwh_per_month", AMOUNT_KWH, ""},
	{"Carbon of a month", "carbon.kgco2e_per_month", "interval.kgco2e_per_month", AMOUNT_KGCO2E, ""},
	{"Water of a month", "water_l_per_month", NULL, AMOUNT_L, ""}};

/* Writes the accelerators, and the figures that the option has, at most ten rows. A unit of NULL is a fraction, in per cent. */
static void memo_table(const struct plan_record *plan, const json_t *option, struct buffer *out)
{
	const struct memo_row *rows = report_is_training(plan) ? training_memo : inference_memo;
	size_t count = report_is_training(plan) ? COUNT_OF(training_memo) : COUNT_OF(inference_memo);

	buffer_append_text(out, "\n| | | 8 in 10 |\n| --- | ---: | ---: |\n| Accelerators | ");
	report_value(json_object_get(option, "gpu_count"), out);
	buffer_append_text(out, " x ");
	report_value(json_object_get(option, "accelerator"), out);
	buffer_append_text(out, " | |\n");
	for (size_t i = 0; i < count; i++) {
		const json_t *value = report_at(option, rows[i].path), *interval = rows[i].interval ? report_at(option, rows[i].interval) : NULL;
		double number = json_number_value(value), low = json_number_value(json_object_get(interval, "p10")),
			   high = json_number_value(json_object_get(interval, "p90"));

		if (!value)
			continue;
		buffer_printf(out, "| %s | ", rows[i].title);
		amount_append(out, rows[i].amount, rows[i].unit ? number : 100 * number);
		buffer_printf(out, "%s | ", rows[i].unit ? rows[i].unit : " %");
		if (low < high)
			amount_append_range(out, rows[i].amount, number, low, high);
		buffer_append_text(out, " |\n");
	}
}

static void memo_text(const json_t *text, struct buffer *out)
{
	if (json_is_string(text))
		report_text(json_string_value(text), out);
}

/* Writes a key as words: "evaluation and restarts". */
static void memo_name(const json_t *key, struct buffer *out)
{
	for (const char *at = json_is_string(key) ? json_string_value(key) : ""; *at; at++)
		buffer_append_char(out, (char)(*at == '_' ? ' ' : *at));
}

/* Writes the first three other options, each with its difference and its cost. */
static void memo_alternatives(const struct plan_record *plan, const json_t *alternatives, struct buffer *out)
{
	static const char same[] = "nearly the same", worse[] = "worse"; /* from here on the options differ little (service/alternatives.c) */
	bool training = report_is_training(plan);

	for (size_t i = 0; i < json_array_size(alternatives) && i < LEAN_ALTERNATIVES; i++) {
		const json_t *other = json_array_get(alternatives, i), *reason = json_object_get(other, "reason"),
					 *usd = report_figure(other, training ? "total_usd" : "usd_per_month");

		if (json_is_string(reason) &&
			(strncmp(json_string_value(reason), same, sizeof same - 1) == 0 ||
				strncmp(json_string_value(reason), worse, sizeof worse - 1) == 0))
			return;
		buffer_append_text(out, i == 0 ? "\n## Why not another\n\n- " : "- ");
		report_value(json_object_get(other, "gpu_count"), out);
		buffer_append_text(out, " x ");
		memo_text(json_object_get(other, "accelerator"), out);
		if (usd) {
			buffer_append_text(out, ", ");
			amount_append(out, AMOUNT_USD, json_number_value(usd));
			buffer_append_text(out, training ? "" : " a month");
		}
		if (json_object_get(other, "provider")) {
			buffer_append_text(out, ", at ");
			memo_text(json_object_get(other, "provider"), out);
			buffer_append_text(out, json_object_get(other, "region") ? " " : "");
			memo_text(json_object_get(other, "region"), out);
		}
		if (reason) {
			buffer_append_text(out, " — ");
			memo_text(reason, out);
		}
		buffer_append_char(out, '\n');
	}
}

/* Writes the warnings, and the three costliest uncertainties with what would reduce them. */
static void memo_risks(const json_t *result, struct buffer *out)
{
	static const double small_fraction = 0.05; /* of the largest: not worth a line */
	double largest_usd = 0;
	const json_t *warnings = json_object_get(result, "warnings"), *uncertainties = json_object_get(result, "uncertainties");

	if (json_array_size(warnings) + json_array_size(uncertainties) == 0)
		return;
	buffer_append_text(out, "\n## What could go wrong\n\n");
	for (size_t i = 0; i < json_array_size(warnings); i++) {
		buffer_append_text(out, "- ");
		memo_text(json_array_get(warnings, i), out);
		buffer_append_char(out, '\n');
	}
	for (size_t i = 0; i < json_array_size(uncertainties) && i < 3; i++) {
		const json_t *uncertainty = json_array_get(uncertainties, i);
		double hours = json_number_value(json_object_get(uncertainty, "wall_clock_hours")),
			   gpus = json_number_value(json_object_get(uncertainty, "gpu_count")),
			   usd = json_number_value(
				   json_object_get(uncertainty, json_object_get(uncertainty, "total_usd") ? "total_usd" : "usd_per_month"));

		largest_usd = fmax(largest_usd, usd);
		if ((!(hours > 0) && !(gpus > 0) && !(usd > 0)) || (i > 0 && usd < small_fraction * largest_usd))
			continue;
		buffer_append_text(out, "- Uncertainty of ");
		memo_name(json_object_get(uncertainty, "field"), out);
		buffer_append_text(out, ": adds ");
		if (hours > 0)
			amount_append(out, AMOUNT_HOURS, hours);
		if (gpus > 0) {
			amount_append(out, AMOUNT_NUMBER, gpus);
			buffer_append_text(out, " accelerators");
		}
		buffer_append_text(out, (hours > 0 || gpus > 0) && usd > 0 ? " and " : "");
		if (usd > 0)
			amount_append(out, AMOUNT_USD, usd);
		buffer_append_text(out, ". To reduce it, ");
		memo_text(json_object_get(uncertainty, "cure"), out);
		buffer_append_text(out, ".\n");
	}
}

/* Writes the assumptions that move the answer most: "practice: typical — E131: ...". */
static void memo_assumptions(const json_t *assumptions, struct buffer *out)
{
	for (size_t i = 0; i < json_array_size(assumptions) && i < LEAN_ASSUMPTIONS; i++) {
		const json_t *assumption = json_array_get(assumptions, i), *low = json_object_get(assumption, "low"),
					 *high = json_object_get(assumption, "high");

		buffer_append_text(out, i == 0 ? "\n## Assumptions that move it most\n\n- " : "- ");
		memo_text(json_object_get(assumption, "field"), out);
		buffer_append_text(out, ": ");
		report_value(json_object_get(assumption, "value"), out);
		if (low && high) {
			buffer_append_text(out, " (");
			report_value(low, out);
			buffer_append_text(out, " to ");
			report_value(high, out);
			buffer_append_char(out, ')');
		}
		buffer_append_text(out, " — ");
		memo_text(json_object_get(assumption, "source"), out);
		buffer_append_char(out, '\n');
	}
}

void memo_write(const struct plan_record *plan, const json_t *result, struct buffer *out)
{
	memo_table(plan, json_object_get(result, "recommended"), out);
	memo_alternatives(plan, json_object_get(result, "alternatives"), out);
	memo_risks(result, out);
	memo_assumptions(json_object_get(result, "assumptions"), out);
}
