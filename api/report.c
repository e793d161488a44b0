/* A stored plan is JSON text, perhaps of an older version. The report shows the members that it finds there. */
#include "api/report.h"

#include <jansson.h>
#include <math.h>

#include "api/comparison.h"
#include "api/report_parts.h"
#include "api/tables/tables.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "schema/json_tree.h"

/* NOLINTBEGIN(misc-no-recursion): recursion is as deep as tables nest, which a test bounds. */

/* --- Markdown -------------------------------------------------------------------------------------------------- */
struct report_line {
	const char *title, *path, *interval; /* interval: path of {p10, p90}, or NULL */
};

#define RENT_LINES(title_, term_) \
	{"Break-even with renting " title_ " (hours of use)", "purchase." term_ ".break_even_hours", NULL}, \
		{"the same as a fraction of the hardware's life", "purchase." term_ ".break_even_utilization", NULL},
#define PURCHASE_LINES \
	{"Purchase price (USD)", "purchase.capital_usd", NULL}, {"of which accelerators (USD)", "purchase.accelerators_usd", NULL}, \
		{"of which servers (USD)", "purchase.hosts_usd", NULL}, {"of which network (USD)", "purchase.network_usd", NULL}, \
		{"Power of the purchased hardware (kW)", "purchase.power_kw", NULL}, \
		{"Running cost (USD per year)", "purchase.running_usd_per_year", NULL}, \
		{"Hours left after this training", "purchase.hours_left", NULL}, \
		RENT_LINES("on demand", "on_demand") RENT_LINES("spot instances", "spot") RENT_LINES("for a year", "reserved_1y") \
			RENT_LINES("for three years", "reserved_3y")

static const struct report_line training_lines[] = {{"Accelerators", "gpu_count", NULL}, {"Nodes", "node_count", NULL},
	{"Time (hours)", "wall_clock_hours", "interval.wall_clock_hours"}, {"Accelerator-hours", "gpu_hours", "interval.gpu_hours"},
	{"Cost (USD)", "cost.total_usd", "interval.total_usd"}, {"Price (USD per accelerator-hour)", "cost.usd_per_gpu_hour", NULL},
	PURCHASE_LINES{"Energy (kWh)", "energy.total_kwh", "interval.total_kwh"},
	{"Carbon (kgCO2e)", "carbon.total_kgco2e", "interval.total_kgco2e"}, {"of which embodied (kgCO2e)", "carbon.embodied_kgco2e", NULL},
	{"Water (litres)", "water_l", NULL}, {"MFU of a step", "mfu", NULL}, {"MFU of the whole run", "run_mfu", NULL},
	{"Practice: factor on the hours of steps and failures", "practice.value", "practice"}, {"Tokens per second", "tokens_per_s", NULL},
	{"Step (s)", "step.time_s", "interval.step_time_s"}, {"Goodput", "goodput.fraction", NULL},
	{"Memory of an accelerator (GB)", "memory.total_bytes", NULL}, {"Bottleneck", "bottleneck.kind", NULL}};

static const struct report_line inference_lines[] = {{"Accelerators", "gpu_count", NULL}, {"Replicas", "replicas", NULL},
	{"Accelerators of a replica", "gpus_per_replica", NULL}, {"MIG profile of the slices", "mig_profile", NULL},
	{"MIG slices of an accelerator", "slices_per_gpu", NULL}, {"Precision of the weights", "precision", NULL},
	{"Time to first token, p95 (ms)", "latency.ttft_ms.p95", NULL}, {"Time per output token, p95 (ms)", "latency.tpot_ms.p95", NULL},
	{"Latency limits met", "slo_met", NULL}, {"Output tokens per second", "throughput.output_tokens_per_s", "interval.output_tokens_per_s"},
	{"Utilization", "utilization", NULL}, {"Cost (USD per month)", "cost.usd_per_month", "interval.usd_per_month"},
	{"Cost (USD per million output tokens)", "cost.usd_per_million_output_tokens", NULL},
	PURCHASE_LINES{"Price that covers a million input tokens (USD)", "cost.input_usd_per_million_tokens", NULL},
	{"Price that covers a million output tokens (USD)", "cost.output_usd_per_million_tokens", NULL},
	{"Hosted: provider with the cheapest known price per token", "hosted.provider", NULL},
	{"Hosted: cost of this load (USD per month)", "hosted.usd_per_month", NULL},
	{"Hosted: price of a million tokens, prompts and outputs mixed as in this load (USD)", "hosted.usd_per_million_tokens", NULL},
	{"Break-even price of a million tokens, same mix (USD)", "cost.usd_per_million_tokens", NULL},
	{"Break-even price of a million input tokens (USD)", "hosted.break_even_input_usd_per_million_tokens", NULL},
	{"Break-even price of a million output tokens (USD)", "hosted.break_even_output_usd_per_million_tokens", NULL},
	{"Break-even load of this fleet (requests per second)", "hosted.break_even_requests_per_s", NULL},
	{"Savings of a fleet that follows the daily profile (USD per month)", "autoscaled.saved_usd_per_month", NULL},
	{"Energy (kWh per month)", "energy.kwh_per_month", "interval.kwh_per_month"}, {"Energy of a request (Wh)", "energy.wh_per_request", NULL},
	{"Carbon (kgCO2e per month)", "carbon.kgco2e_per_month", "interval.kgco2e_per_month"},
	{"Water (litres per month)", "water_l_per_month", NULL}, {"Bottleneck", "bottleneck.kind", NULL}};

static void report_line(const struct report_line *line, const json_t *option, struct buffer *out)
{
	const json_t *value = report_at(option, line->path), *interval = line->interval ? report_at(option, line->interval) : NULL;
	const json_t *p10 = interval ? json_object_get(interval, json_object_get(interval, "p10") ? "p10" : "low") : NULL,
				 *p90 = interval ? json_object_get(interval, json_object_get(interval, "p90") ? "p90" : "high") : NULL;

	if (!value)
		return;
	buffer_printf(out, "| %s | ", line->title);
	if (strstr(line->path, "_bytes"))
		report_number(json_number_value(value) / 1e9, out);
	else
		report_value(value, out);
	buffer_append_text(out, " | ");
	if (p10 && p90) {
		report_value(p10, out);
		buffer_append_text(out, " – ");
		report_value(p90, out);
	}
	buffer_append_text(out, " |\n");
}

/* "It meets the deadline of 720 hours with a probability of 0.8." */
static void report_promises(const json_t *promises, struct buffer *out)
{
	static const char *const units[][2] = {
		{"deadline", "hours"}, {"budget", "USD"}, {"energy_cap", "kWh"}, {"carbon_cap", "kgCO2e"}, {"slo", "ms"}};

	for (size_t i = 0; i < json_array_size(promises); i++) {
		const json_t *promise = json_array_get(promises, i);
		const char *what = json_string_value(json_object_get(promise, "what")), *unit = "";

		for (size_t u = 0; what && u < COUNT_OF(units); u++)
			if (strcmp(units[u][0], what) == 0)
				unit = units[u][1];
		buffer_append_text(out, i == 0 ? "\nIt meets the " : ", the ");
		report_value(json_object_get(promise, json_object_get(promise, "member") ? "member" : "what"), out);
		buffer_append_text(out, " of ");
		report_value(json_object_get(promise, "limit"), out);
		buffer_printf(out, "%s%s with a probability of ", *unit ? " " : "", unit);
		report_value(json_object_get(promise, "probability"), out);
	}
	if (json_array_size(promises) > 0)
		buffer_append_text(out, ".\n");
}

/* Writes a table of rows: their name, the figures that the first row has, and a text if `text` names one. */
static void report_rows(const char *heading, const char *name, const char *name_key, const json_t *rows, const char *text,
	const char *text_key, struct buffer *out)
{
	static const char *const figures[] = {"gpu_count", "wall_clock_hours", "total_usd", "usd_per_month"};

	if (json_array_size(rows) == 0)
		return;
	buffer_printf(out, "\n### %s\n\n| %s |", heading, name);
	for (size_t f = 0; f < COUNT_OF(figures); f++)
		if (json_object_get(json_array_get(rows, 0), figures[f]))
			buffer_printf(out, " %s |", figures[f]);
	buffer_printf(out, "%s%s%s\n| --- |", text ? " " : "", text ? text : "", text ? " |" : "");
	for (size_t f = 0; f < COUNT_OF(figures); f++)
		if (json_object_get(json_array_get(rows, 0), figures[f]))
			buffer_append_text(out, " ---: |");
	buffer_append_text(out, text ? " --- |" : "");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);

		buffer_append_text(out, "\n| ");
		report_value(json_object_get(row, name_key), out);
		buffer_append_text(out, " |");
		for (size_t f = 0; f < COUNT_OF(figures); f++)
			if (json_object_get(json_array_get(rows, 0), figures[f])) {
				buffer_append_char(out, ' ');
				report_value(json_object_get(row, figures[f]), out);
				buffer_append_text(out, " |");
			}
		if (!text)
			continue;
		buffer_append_char(out, ' ');
		report_value(json_object_get(row, text_key), out);
		buffer_append_text(out, " |");
	}
	buffer_append_char(out, '\n');
}

static void report_option(const struct plan_record *plan, const json_t *option, struct buffer *out)
{
	const struct report_line *lines = report_is_training(plan) ? training_lines : inference_lines;
	size_t count = report_is_training(plan) ? COUNT_OF(training_lines) : COUNT_OF(inference_lines);
	const json_t *accelerator = json_object_get(option, "accelerator");

	buffer_append_text(out, "\n### Recommended: ");
	report_value(report_at(option, "gpu_count"), out);
	buffer_append_text(out, " x ");
	report_value(accelerator, out);
	buffer_append_text(out, "\n\n| figure | value | p10 – p90 |\n| --- | ---: | ---: |\n");
	for (size_t i = 0; i < count; i++)
		report_line(&lines[i], option, out);
	report_promises(json_object_get(option, "promises"), out);
}

/* Writes {key: value, ...} as "key value, key value". */
static void report_members(const char *title, const json_t *object, struct buffer *out)
{
	json_t *walked = (json_t *)(uintptr_t)object; /* the iterator needs a writable pointer but does not write */
	bool first = true;

	if (!json_is_object(object))
		return;
	buffer_printf(out, "\n%s: ", title);
	for (void *at = json_object_iter(walked); at; at = json_object_iter_next(walked, at)) {
		buffer_printf(out, "%s%s ", first ? "" : ", ", json_object_iter_key(at));
		report_value(json_object_iter_value(at), out);
		first = false;
	}
	buffer_append_char(out, '\n');
}

static void report_alternatives(const struct plan_record *plan, const json_t *alternatives, struct buffer *out)
{
	static const char *const training[] = {"gpu_count", "wall_clock_hours", "total_usd", "total_kwh", "total_kgco2e"};
	static const char *const inference[] = {"gpu_count", "replicas", "usd_per_month", "total_kwh", "total_kgco2e"};
	const char *const *columns = report_is_training(plan) ? training : inference;

	if (json_array_size(alternatives) == 0)
		return;
	buffer_append_text(out, "\n### Alternatives\n\n| accelerator |");
	for (size_t i = 0; i < COUNT_OF(training); i++)
		buffer_printf(out, " %s |", columns[i]);
	buffer_append_text(out, "\n| --- | ---: | ---: | ---: | ---: | ---: |\n");
	for (size_t i = 0; i < json_array_size(alternatives); i++) {
		const json_t *option = json_array_get(alternatives, i);

		buffer_append_text(out, "| ");
		report_value(json_object_get(option, "accelerator"), out);
		for (size_t j = 0; j < COUNT_OF(training); j++) {
			buffer_append_text(out, " | ");
			report_value(report_figure(option, columns[j]), out);
		}
		buffer_append_text(out, " |\n");
	}
}

/* Writes a list of objects as bullets: the named members, joined by ": ". */
static void report_bullets(const char *title, const json_t *list, const char *const *members, size_t count, struct buffer *out)
{
	if (json_array_size(list) == 0)
		return;
	buffer_printf(out, "\n### %s\n\n", title);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *item = json_array_get(list, i);
		bool first = true;

		buffer_append_text(out, "- ");
		report_value(item, out);
		for (size_t j = 0; j < count && json_is_object(item); j++) {
			const json_t *value = json_object_get(item, members[j]);

			if (!value || (json_is_string(value) && json_string_length(value) == 0))
				continue;
			buffer_append_text(out, first ? "" : j + 1 == count && count == 3 ? " — " : ": ");
			report_value(value, out);
			first = false;
		}
		buffer_append_char(out, '\n');
	}
}

/* --- the report ------------------------------------------------------------------------------------------------ */
/* Writes the assumptions with a source. Those from the API's description are defaults that change no figure. */
static void report_assumptions(const json_t *assumptions, struct buffer *out)
{
	static const char description[] = "/openapi.json";
	bool first = true;

	for (size_t i = 0; i < json_array_size(assumptions); i++) {
		const json_t *assumption = json_array_get(assumptions, i), *source = json_object_get(assumption, "source");

		if (json_is_string(source) && strncmp(json_string_value(source), description, sizeof description - 1) == 0)
			continue;
		buffer_append_text(out, first ? "\n### Assumptions\n\n- " : "- ");
		first = false;
		report_value(json_object_get(assumption, "field"), out);
		buffer_append_text(out, ": ");
		report_value(json_object_get(assumption, "value"), out);
		buffer_append_text(out, " — ");
		report_value(source, out);
		buffer_append_char(out, '\n');
	}
}

static void report_head(const struct plan_record *plan, const json_t *request, struct buffer *out)
{
	const json_t *model = json_object_get(request, "model");
	char time[CLOCK_TEXT_MAX];

	buffer_append_text(out, "# ");
	report_text(plan->name ? plan->name : report_is_training(plan) ? "Training plan" : "Inference plan", out);
	buffer_append_text(out, "\n\n");
	if (plan->model || json_is_string(model)) {
		buffer_append_text(out, "Model: ");
		report_text(plan->model ? plan->model : json_string_value(model), out);
		buffer_append_text(out, ". ");
	}
	clock_format(time, plan->computed_at_us);
	if (plan->id) /* an estimate has no id */
		buffer_printf(out, "Plan %s, revision %lld. ", plan->id, (long long)plan->revision);
	buffer_printf(out, "Computed %s with planner %s, catalogue revision %lld.\n", time,
		plan->planner_version ? plan->planner_version : "unknown", (long long)plan->catalogue_revision);
	if (plan->notes) {
		buffer_append_char(out, '\n');
		report_text(plan->notes, out);
		buffer_append_char(out, '\n');
	}
}

/* Writes the answer's sentences, which plans of older versions do not have. */
static void report_summary(const json_t *text, struct buffer *out)
{
	if (!json_is_string(text))
		return;
	buffer_append_text(out, "\n**");
	report_text(json_string_value(text), out);
	buffer_append_text(out, "**\n");
}

static json_t *report_tree(const struct json_text *json, bool *no_memory)
{
	bool ran_out = false;
	json_t *tree = json->text ? json_tree_read(json->text, json->length, 0, NULL, &ran_out) : NULL;

	if (json->text && !tree && !ran_out) /* plans of older versions have integers of more than 64 bits */
		tree = json_tree_read(json->text, json->length, JSON_DECODE_INT_AS_REAL, NULL, &ran_out);
	*no_memory |= ran_out;
	return tree;
}

/* Parses the request and result of a plan; the caller releases them. */
static enum status report_parse(const struct plan_record *plan, json_t **request, json_t **result, struct failure *failure)
{
	bool no_memory = false;

	*request = report_tree(&plan->request, &no_memory);
	*result = report_tree(&plan->result, &no_memory);
	if (*request && *result && json_is_object(json_object_get(*result, "recommended")))
		return STATUS_OK;
	json_decref(*request);
	json_decref(*result);
	if (no_memory)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to read the stored plan");
	return failure_set(failure, STATUS_INTERNAL, "the stored content of plan %s cannot be read", plan->id ? plan->id : "(an estimate)");
}

enum status report_plan_markdown(const struct plan_record *plan, struct buffer *out, struct failure *failure)
{
	static const char *const advice[] = {"detail", "effect"}, *const sensitivity[] = {"field", "effect"};
	json_t *request, *result;
	const json_t *recommended;
	enum status status = report_parse(plan, &request, &result, failure);

	if (status != STATUS_OK)
		return status;
	recommended = json_object_get(result, "recommended");
	report_head(plan, request, out);
	report_summary(report_at(result, "summary.text"), out);
	memo_write(plan, result, out);
	buffer_append_text(out, "\n---\n\n## Details\n");
	report_option(plan, recommended, out);
	report_members("Layout", json_object_get(recommended, "parallelism"), out);
	report_members("Offer", report_at(recommended, "cost.offer"), out);
	report_members("Rule of thumb", json_object_get(result, "rule_of_thumb"), out);
	report_rows("Confidence", "probability", "confidence", json_object_get(result, "confidence_curve"), NULL, NULL, out);
	report_rows("Uncertainties, and what they add", "uncertainty", "field", json_object_get(result, "uncertainties"), "how to reduce it",
		"cure", out);
	report_alternatives(plan, json_object_get(result, "alternatives"), out);
	report_bullets("Advice", json_object_get(result, "advice"), advice, COUNT_OF(advice), out);
	report_bullets("Sensitivity", json_object_get(result, "sensitivity"), sensitivity, COUNT_OF(sensitivity), out);
	report_assumptions(json_object_get(result, "assumptions"), out);
	json_decref(request);
	json_decref(result);
	return out->failed ? failure_set(failure, STATUS_NO_MEMORY, "the report is too long") : STATUS_OK;
}

/* --- CSV ------------------------------------------------------------------------------------------------------- */
static void report_csv_cell(const json_t *value, struct buffer *out)
{
	char text[40];

	if (json_is_number(value))
		buffer_append(out, text, json_format_double(text, json_number_value(value)));
	else if (json_is_boolean(value))
		buffer_append_text(out, json_is_true(value) ? "true" : "false");
	else if (json_is_string(value))
		csv_text(json_string_value(value), out);
	else if (json_array_size(value) > 0) {
		char *items = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15));

		if (items)
			csv_text(items, out);
		out->failed |= !items;
		free(items);
	}
}

/* Columns follow the option's table, so that every plan has the same columns. */
static void report_csv_walk(
	const struct field_table *table, const json_t *option, bool names, const char *prefix, struct buffer *out, bool *first)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];
		const json_t *value = option ? json_object_get(option, row->key) : NULL;
		char inner[128];

		if (row->kind == FIELD_MERGE) {
			report_csv_walk(row->table, option, names, prefix, out, first);
			continue;
		}
		if (row->kind == FIELD_OBJECT && !field_table_is_bare(row->table)) {
			snprintf(inner, sizeof inner, "%s%s.", prefix, row->key);
			report_csv_walk(row->table, value, names, inner, out, first);
			continue;
		}
		if ((row->kind == FIELD_ARRAY && !(row->flags & CELL)) || row->kind == FIELD_MAP || row->kind == FIELD_SHARES)
			continue;
		if (!*first)
			buffer_append_char(out, ',');
		*first = false;
		if (names)
			buffer_printf(out, "%s%s", prefix, row->key);
		else if (value)
			report_csv_cell(value, out);
	}
}

static void report_csv_line(const struct field_table *table, const json_t *option, struct buffer *out)
{
	bool first = true;

	report_csv_walk(table, option, option == NULL, "", out, &first);
	buffer_append_text(out, "\r\n");
}

/* The twelve columns of a plan's CSV. */
static const char *const training_columns[] = {"option", "accelerator", "gpu_count", "wall_clock_hours", "gpu_hours", "total_usd",
	"total_kwh", "total_kgco2e", "run_mfu", "provider", "region", "reason"};
static const char *const inference_columns[] = {"option", "accelerator", "gpu_count", "replicas", "usd_per_month", "total_kwh",
	"total_kgco2e", "usd_per_million_output_tokens", "slo_met", "provider", "region", "reason"};
_Static_assert(COUNT_OF(training_columns) == 12 && COUNT_OF(inference_columns) == 12, "twelve columns");

/* Writes the header if `name` is NULL, else the row of an option. A priced alternative without a place is at the
 * recommended one's. */
static void report_csv_short(
	const char *const columns[], const char *name, const json_t *option, const json_t *recommended, struct buffer *out)
{
	for (size_t i = 0; i < COUNT_OF(training_columns); i++) {
		const json_t *value = name ? report_figure(option, columns[i]) : NULL;

		if (!value && name && (report_figure(option, "total_usd") || report_figure(option, "usd_per_month")) &&
			(strcmp(columns[i], "provider") == 0 || strcmp(columns[i], "region") == 0))
			value = report_figure(recommended, columns[i]);
		if (i > 0)
			buffer_append_char(out, ',');
		if (!name || i == 0)
			buffer_append_text(out, name ? name : columns[i]);
		else if (value)
			report_csv_cell(value, out);
	}
	buffer_append_text(out, "\r\n");
}

static void report_csv_options(
	const struct field_table *table, const char *const columns[], const json_t *result, bool expanded, struct buffer *out)
{
	const json_t *recommended = json_object_get(result, "recommended"), *alternatives = json_object_get(result, "alternatives");

	if (expanded) {
		report_csv_line(table, NULL, out);
		report_csv_line(table, recommended, out);
	} else {
		report_csv_short(columns, NULL, NULL, NULL, out);
		report_csv_short(columns, "recommended", recommended, recommended, out);
	}
	for (size_t i = 0; i < json_array_size(alternatives); i++) {
		if (expanded)
			report_csv_line(table, json_array_get(alternatives, i), out);
		else
			report_csv_short(columns, "alternative", json_array_get(alternatives, i), recommended, out);
	}
}

enum status report_plan_csv(const struct plan_record *plan, bool expanded, struct buffer *out, struct failure *failure)
{
	bool training = report_is_training(plan);
	json_t *request, *result;
	enum status status = report_parse(plan, &request, &result, failure);

	if (status != STATUS_OK)
		return status;
	report_csv_options(training ? &table_training_option : &table_inference_option, training ? training_columns : inference_columns, result,
		expanded, out);
	json_decref(request);
	json_decref(result);
	return out->failed ? failure_set(failure, STATUS_NO_MEMORY, "the answer is too long") : STATUS_OK;
}

/* Writes one kind's columns of a comparison: names without a plan, empty cells for a plan of the other kind. */
static void report_comparison_cells(const char *kind, const struct plan_record *plan, const json_t *option, bool both, struct buffer *out)
{
	bool training = strcmp(kind, "training") == 0, first = false;
	const json_t *nothing = json_null(), *own = plan && training == report_is_training(plan) ? option : nothing;
	char prefix[32] = "";

	if (both)
		snprintf(prefix, sizeof prefix, "%s.", kind);
	report_csv_walk(training ? &table_training_option : &table_inference_option, own, plan == NULL, prefix, out, &first);
}

/* Writes the names of the figures in which a plan is the best, separated by spaces. */
static void report_best_of(const struct plan_comparison *comparison, size_t index, struct buffer *out)
{
	bool first = true;

	for (size_t i = 0; i < comparison->rows.count; i++) {
		const struct comparison_row *row = &comparison->rows.items[i];

		if (!row->values.items[index].best)
			continue;
		buffer_printf(out, "%s%s", first ? "" : " ", row->figure);
		first = false;
	}
}

static enum status report_comparison_line(
	const struct plan_comparison *comparison, size_t index, bool training, bool inference, struct buffer *out, struct failure *failure)
{
	const struct plan_record *plan = &comparison->items.items[index];
	char time[CLOCK_TEXT_MAX];
	json_t *request, *result;
	const json_t *option;
	enum status status = report_parse(plan, &request, &result, failure);

	if (status != STATUS_OK)
		return status;
	option = json_object_get(result, "recommended");
	buffer_printf(out, "%s,%s,%lld,", plan->id, plan->kind, (long long)plan->revision);
	csv_text(plan->name ? plan->name : "", out);
	buffer_append_char(out, ',');
	csv_text(plan->model ? plan->model : "", out);
	clock_format(time, plan->computed_at_us);
	buffer_printf(out, ",%s,%lld,%lld,%s,", time, (long long)plan->catalogue_revision, (long long)plan->calibration_revision,
		plan->planner_version ? plan->planner_version : "");
	report_best_of(comparison, index, out);
	if (training)
		report_comparison_cells("training", plan, option, inference, out);
	if (inference)
		report_comparison_cells("inference", plan, option, training, out);
	buffer_append_text(out, "\r\n");
	json_decref(request);
	json_decref(result);
	return STATUS_OK;
}

enum status report_comparison_csv(const struct plan_comparison *comparison, struct buffer *out, struct failure *failure)
{
	bool training = false, inference = false;

	for (size_t i = 0; i < comparison->items.count; i++) {
		training |= report_is_training(&comparison->items.items[i]);
		inference |= !report_is_training(&comparison->items.items[i]);
	}
	buffer_append_text(out, "id,kind,revision,name,model,computed_at,catalogue_revision,calibration_revision,planner_version,best_of");
	if (training)
		report_comparison_cells("training", NULL, NULL, inference, out);
	if (inference)
		report_comparison_cells("inference", NULL, NULL, training, out);
	buffer_append_text(out, "\r\n");
	for (size_t i = 0; i < comparison->items.count; i++) {
		enum status status = report_comparison_line(comparison, i, training, inference, out, failure);

		if (status != STATUS_OK)
			return status;
	}
	return out->failed ? failure_set(failure, STATUS_NO_MEMORY, "the answer is too long") : STATUS_OK;
}

static void report_comparison_plan(const struct plan_record *plan, size_t index, struct buffer *out)
{
	char time[CLOCK_TEXT_MAX];

	clock_format(time, plan->computed_at_us);
	buffer_printf(out, "- **%c**: ", api_comparison_letter(index));
	report_text(plan->name ? plan->name : "without a name", out);
	buffer_append_text(out, report_is_training(plan) ? ", a training of " : ", a service of ");
	report_text(plan->model ? plan->model : "a model outside the catalogue", out);
	buffer_printf(out, " (plan %s, revision %lld, computed %.19sZ on catalogue revision %lld)\n", plan->id, (long long)plan->revision, time,
		(long long)plan->catalogue_revision);
}

/* Writes a table with a column for each plan; the best value is bold. */
static void report_comparison_rows(const char *heading, const struct comparison_rows *rows, size_t plans, struct buffer *out)
{
	if (rows->count == 0)
		return;
	buffer_printf(out, "\n## %s\n\n| |", heading);
	for (size_t k = 0; k < plans; k++)
		buffer_printf(out, " %c |", api_comparison_letter(k));
	buffer_append_text(out, "\n| --- |");
	for (size_t k = 0; k < plans; k++)
		buffer_append_text(out, " ---: |");
	buffer_append_char(out, '\n');
	for (size_t i = 0; i < rows->count; i++) {
		buffer_append_text(out, "| ");
		report_text(rows->items[i].title, out);
		for (size_t k = 0; k < rows->items[i].values.count; k++) {
			const struct comparison_cell *cell = &rows->items[i].values.items[k];

			buffer_append_text(out, cell->best ? " | **" : " | ");
			if (cell->text)
				report_text(cell->text, out);
			else if (is_given(cell->number))
				report_number(cell->number, out);
			buffer_append_text(out, cell->best ? "**" : "");
		}
		buffer_append_text(out, " |\n");
	}
}

enum status report_comparison_markdown(const struct plan_comparison *comparison, struct buffer *out, struct failure *failure)
{
	buffer_append_text(out, "# Comparison of plans\n\n");
	for (size_t i = 0; i < comparison->items.count; i++)
		report_comparison_plan(&comparison->items.items[i], i, out);
	for (size_t i = 0; i < comparison->notes.count; i++) {
		buffer_append_text(out, i == 0 ? "\nNote:\n\n- " : "- ");
		report_text(comparison->notes.items[i], out);
		buffer_append_char(out, '\n');
	}
	report_comparison_rows("Recommended", &comparison->rows, comparison->items.count, out);
	report_comparison_rows("Request fields that differ", &comparison->differences, comparison->items.count, out);
	return out->failed ? failure_set(failure, STATUS_NO_MEMORY, "the report is too long") : STATUS_OK;
}

/* NOLINTEND(misc-no-recursion) */
