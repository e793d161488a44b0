#include "service/gate_text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "base/amount.h"
#include "base/clock.h"
#include "service/plan_gate.h"

enum { TEXT_MAX_BYTES = 16 * 1024, CELL_MAX_BYTES = 512 };

/* Copies the buffer's text to the arena and releases it. NULL without memory. */
static const char *text_of(struct buffer *out, struct arena *arena)
{
	const char *text = out->failed ? NULL : arena_strndup(arena, out->bytes ? out->bytes : "", out->length);

	buffer_release(out);
	return text;
}

/* --- figures ------------------------------------------------------------------------------------------------------- */
static enum amount amount_of(enum gate_figure figure)
{
	return (enum amount)gate_figure_about(figure)->amount;
}

/* Appends "14.1 %" with three significant digits, or as many as show on which side of `most` the value lies. */
static void append_percent(struct buffer *out, double percent, double most)
{
	char text[40];

	if (percent >= 1000) {
		amount_append_whole(out, round(percent));
		buffer_append_text(out, " %");
		return;
	}
	for (int digits = 3; digits <= 12; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, percent);
		if (!is_given(most) || (strtod(text, NULL) > most) == (percent > most))
			break;
	}
	buffer_printf(out, "%s %%", strchr(text, 'e') ? "less than 0.001" : text);
}

/* Appends "+14.1 %", "-3 %" or "no change"; from 0 or less the change has no percentage: "from 0". */
static void append_change(struct buffer *out, double base, double head, double most)
{
	double percent = 100 * (head - base) / base;

	if (fabs(head - base) <= 1e-9 * fabs(base)) {
		buffer_append_text(out, "no change");
	} else if (base <= 0) {
		buffer_append_text(out, "from 0");
	} else {
		buffer_append_char(out, percent > 0 ? '+' : '-');
		append_percent(out, fabs(percent), percent > 0 ? most : ABSENT_NUMBER);
	}
}

/* Appends a value and the largest value that holds, with exact figures if three digits show the same for both. */
static void append_against(struct buffer *out, enum gate_figure figure, double value, double most)
{
	struct buffer shown, limit;
	bool alike;

	buffer_init(&shown, CELL_MAX_BYTES);
	buffer_init(&limit, CELL_MAX_BYTES);
	amount_append(&shown, amount_of(figure), value);
	amount_append(&limit, amount_of(figure), most);
	alike = shown.failed || limit.failed || (strcmp(shown.bytes, limit.bytes) == 0 && fabs(value - most) > 1e-9 * most);
	out->failed |= shown.failed || limit.failed;
	if (!alike)
		buffer_append_text(out, shown.bytes);
	else if (value >= 1000)
		amount_append_whole(out, value);
	else
		buffer_printf(out, "%.10g", value);
	if (alike)
		buffer_printf(out, " %s", gate_figure_about(figure)->unit);
	buffer_release(&shown);
	buffer_release(&limit);
}

/* Appends the limit itself: "10 %", "+50,000 USD" or "500,000 USD". */
static void append_most(struct buffer *out, const struct gate_limit *limit)
{
	if (limit->form == GATE_PERCENT) {
		buffer_printf(out, "%.6g %%", limit->most);
		return;
	}
	buffer_append_text(out, limit->form == GATE_INCREASE ? "+" : "");
	amount_append(out, amount_of(limit->of), limit->most);
}

static const char *title_of(const struct plan_gate *gate, enum gate_figure figure)
{
	const struct gate_figure_about *about = gate_figure_about(figure);

	return gate_is_training(gate) ? about->title : about->monthly_title;
}

static void append_title(struct buffer *out, const char *title, bool first)
{
	buffer_append_char(out, (char)(first ? title[0] : tolower((unsigned char)title[0])));
	buffer_append_text(out, title + 1);
}

static bool is_plural(enum gate_figure figure)
{
	return figure == GATE_GPUS || figure == GATE_REPLICAS;
}

const char *gate_text_limit(const struct plan_gate *gate, const struct gate_limit *limit, struct arena *arena)
{
	bool plural = is_plural(limit->of), more = limit->compared > 0, same = !(fabs(limit->compared) > 0);
	struct buffer out;

	buffer_init(&out, TEXT_MAX_BYTES);
	append_title(&out, title_of(gate, limit->of), false);
	if (limit->form == GATE_VALUE) {
		buffer_append_text(&out, plural ? " are " : " is ");
		append_against(&out, limit->of, limit->compared, limit->most);
	} else if (same) {
		buffer_append_text(&out, plural ? " do not change" : " does not change");
	} else {
		buffer_printf(&out, " %s%s by ", more ? "rise" : "fall", plural ? "" : "s");
		if (limit->form == GATE_PERCENT)
			append_percent(&out, fabs(limit->compared), more ? limit->most : ABSENT_NUMBER);
		else
			append_against(&out, limit->of, fabs(limit->compared), limit->most);
	}
	buffer_append_text(&out, ", limit ");
	append_most(&out, limit);
	return text_of(&out, arena);
}

/* Appends the figure of a planned side; nothing for a side without a plan. */
static void append_known(struct buffer *out, const struct gate_side *side, enum gate_figure figure)
{
	if (side->state == GATE_PLANNED && is_given(side->figures[figure].value))
		amount_append(out, amount_of(figure), side->figures[figure].value);
	else if (side->state == GATE_PLANNED)
		buffer_append_text(out, "not known");
}

/* Appends "Cost 2.29 M USD -> 2.61 M USD (+14.1 %)", or the one figure that is known. `once`: an unchanged figure. */
static void append_clause(struct buffer *out, const struct plan_gate *gate, enum gate_figure figure, bool first, bool once, double most)
{
	double base = gate->base.figures[figure].value, head = gate->head.figures[figure].value;
	bool both = is_given(base) && is_given(head);

	append_title(out, title_of(gate, figure), first);
	buffer_append_char(out, ' ');
	if (both && fabs(head - base) <= 1e-9 * fabs(base)) {
		amount_append(out, amount_of(figure), head);
		buffer_append_text(out, once ? "" : " (no change)");
		return;
	}
	append_known(out, &gate->base, figure);
	if (gate->base.state != GATE_PLANNED)
		append_known(out, &gate->head, figure);
	if (gate->base.state != GATE_PLANNED || gate->head.state != GATE_PLANNED || (!is_given(base) && !is_given(head)))
		return;
	buffer_append_text(out, " -> ");
	append_known(out, &gate->head, figure);
	if (!both)
		return;
	buffer_append_text(out, " (");
	append_change(out, base, head, most);
	buffer_append_char(out, ')');
}

/* Appends cost, energy and carbon, and for a training its time: "Cost ..., energy ..., carbon ...". */
static void append_overview(struct buffer *out, const struct plan_gate *gate, bool capital)
{
	static const enum gate_figure told[] = {GATE_COST, GATE_ENERGY, GATE_CARBON, GATE_HOURS};
	bool both = gate->base.state == GATE_PLANNED && gate->head.state == GATE_PLANNED, any = false, changed = false;

	for (size_t i = 0; i < gate->row_count; i++)
		changed |= is_given(gate->rows[i].change) ? fabs(gate->rows[i].change) > 1e-9 * fabs(gate->rows[i].base.value)
												  : is_given(gate->rows[i].base.value) || is_given(gate->rows[i].head.value);
	if (both && !changed)
		buffer_append_text(out, "No figure changes: ");
	for (size_t i = 0; i < COUNT_OF(told); i++) {
		if (!gate_has_figure(gate, told[i]))
			continue;
		buffer_append_text(out, any ? ", " : "");
		append_clause(out, gate, told[i], capital && !any && !(both && !changed), both && !changed, ABSENT_NUMBER);
		any = true;
	}
}

/* --- sentences ----------------------------------------------------------------------------------------------------- */
static void append_exceeded(struct buffer *out, const struct plan_gate *gate, const struct gate_limit *limit)
{
	if (!is_given(limit->compared)) {
		buffer_printf(out, "%s is exceeded: %s. ", limit->limit, limit->detail);
		return;
	}
	append_clause(out, gate, limit->of, true, false, limit->form == GATE_PERCENT ? limit->most : ABSENT_NUMBER);
	buffer_append_text(out, is_plural(limit->of) ? " exceed the limit of " : " exceeds the limit of ");
	append_most(out, limit);
	buffer_append_text(out, ". ");
}

static size_t outcomes(const struct plan_gate *gate, enum gate_outcome outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < gate->limit_count; i++)
		count += gate->limits[i].outcome == outcome;
	return count;
}

static void append_head(struct buffer *out, const struct plan_gate *gate)
{
	if (gate->head.state == GATE_INFEASIBLE) {
		buffer_printf(out, "No plan satisfies the request: %s. ", gate->head.detail);
		return;
	}
	if (gate->head.state == GATE_ABSENT)
		buffer_append_text(out, "The request is removed: ");
	else if (gate->base.state == GATE_ABSENT)
		buffer_append_text(out, "The request is new: ");
	else if (gate->base.state == GATE_INFEASIBLE)
		buffer_append_text(out, "No plan satisfied the request before the change. Now: ");
	else if (outcomes(gate, GATE_EXCEEDED) > 0)
		return; /* the exceeded limits say what changes */
	append_overview(out, gate, gate->base.state == GATE_PLANNED && gate->head.state == GATE_PLANNED);
	buffer_append_text(out, ". ");
}

const char *gate_text_outcome(const struct plan_gate *gate, struct arena *arena)
{
	size_t held = outcomes(gate, GATE_HELD), exceeded = outcomes(gate, GATE_EXCEEDED);
	struct buffer out;

	buffer_init(&out, TEXT_MAX_BYTES);
	append_head(&out, gate);
	for (size_t i = 0; i < gate->limit_count && gate->head.state != GATE_INFEASIBLE; i++)
		if (gate->limits[i].outcome == GATE_EXCEEDED)
			append_exceeded(&out, gate, &gate->limits[i]);
	if (held == 1)
		buffer_append_text(&out,
			exceeded > 0                ? "One other limit holds. "
				: gate->limit_count > 1 ? "One limit holds. "
										: "The limit holds. ");
	else if (held > 1)
		buffer_printf(
			&out, "%s%zu%s limits hold. ", exceeded > 0 || held < gate->limit_count ? "" : "All ", held, exceeded > 0 ? " other" : "");
	for (size_t i = 0; i < gate->limit_count; i++)
		if (gate->limits[i].outcome == GATE_NOT_COMPARED)
			buffer_printf(&out, "%s is not compared: %s. ", gate->limits[i].limit, gate->limits[i].detail);
	if (out.length > 0 && !out.failed)
		out.bytes[--out.length] = '\0'; /* the last space */
	return text_of(&out, arena);
}

/* --- parts of a report --------------------------------------------------------------------------------------------- */
/* Appends the figure of one side with its range: "2.29 M USD (1.46 to 4.16 M)"; accelerators with their id. */
static void append_cell(struct buffer *out, const struct gate_side *side, enum gate_figure figure)
{
	const struct summary_figure *value = &side->figures[figure];

	if (!is_given(value->value)) {
		buffer_append_text(out, side->state == GATE_PLANNED ? "not known" : "-");
		return;
	}
	amount_append(out, amount_of(figure), value->value);
	if (amount_of(figure) != AMOUNT_WHOLE && value->low < value->high) {
		buffer_append_text(out, " (");
		amount_append_range(out, amount_of(figure), value->value, value->low, value->high);
		buffer_append_char(out, ')');
	}
	if (figure == GATE_GPUS && side->accelerator)
		buffer_printf(out, " %s", side->accelerator);
	if (figure == GATE_GPUS && side->gpu_count > 0 && (double)side->gpu_count < value->value)
		buffer_printf(out, " (%lld in use)", (long long)side->gpu_count);
}

static void append_row_change(struct buffer *out, const struct plan_gate *gate, const struct gate_row *row)
{
	if (is_given(row->change))
		append_change(out, row->base.value, row->head.value, ABSENT_NUMBER);
	else if (gate->base.state == GATE_ABSENT || gate->head.state == GATE_ABSENT)
		buffer_append_text(out, gate->base.state == GATE_ABSENT ? "new" : "removed");
	else
		buffer_append_text(out, "-");
}

static enum gate_figure figure_of_row(const struct gate_row *row)
{
	enum gate_figure figure = GATE_COST;

	while (strcmp(gate_figure_about(figure)->word, row->figure) != 0)
		figure++;
	return figure;
}

/* Appends a pointer as the dotted name of the field: "slo.ttft_ms". */
static void append_field(struct buffer *out, const char *pointer)
{
	for (const char *at = pointer + (*pointer == '/'); *at; at++)
		buffer_append_char(out, (char)(*at == '/' ? '.' : *at));
}

/* Appends which catalogue the plans use, and its date. */
static void append_provenance(struct buffer *out, const struct plan_gate *gate)
{
	char moment[CLOCK_TEXT_MAX];
	bool database = strcmp(gate->catalogue, "database") == 0;

	clock_format(moment, gate->as_of_us);
	moment[gate->as_of_us % (24 * INT64_C(3600000000)) == 0 ? 10 : 19] = '\0'; /* a date, or a time without its microseconds */
	buffer_printf(out, "%s %s of Fleetplan %s",
		gate->base.state == GATE_ABSENT || gate->head.state == GATE_ABSENT ? "The plan uses" : "Both plans use",
		database ? "the catalogue" : "the built-in catalogue", gate->planner_version);
	if (database)
		buffer_printf(out, "'s database, revision %lld,", (long long)gate->catalogue_revision);
	buffer_printf(out, " as of %s%s", moment, strlen(moment) > 10 ? "Z" : "");
	if (strcmp(gate->as_of_from, "now") == 0)
		buffer_append_text(out, ", the time of this comparison; --as-of fixes the date");
	else if (strcmp(gate->as_of_from, "request") == 0)
		buffer_append_text(out, ", the as_of of the request");
	if (gate->prices_left_out > 0)
		buffer_printf(out, "; %lld newer prices are left out", (long long)gate->prices_left_out);
	buffer_append_text(out, ".\n");
}

static const char *outcome_word(enum gate_outcome outcome)
{
	return outcome == GATE_HELD ? "holds" : outcome == GATE_EXCEEDED ? "exceeded" : "not compared";
}

static bool any_range(const struct plan_gate *gate)
{
	for (size_t i = 0; i < gate->row_count; i++)
		if (gate->rows[i].base.low < gate->rows[i].base.high || gate->rows[i].head.low < gate->rows[i].head.high)
			return true;
	return false;
}

/* --- Markdown ------------------------------------------------------------------------------------------------------ */
/* Appends text that Markdown and HTML must not interpret. */
static void append_escaped(struct buffer *out, const char *text)
{
	for (const char *at = text; *at; at++) {
		if (*at == '<')
			buffer_append_text(out, "&lt;");
		else if (strchr("|*`[]\\", *at))
			buffer_printf(out, "\\%c", *at);
		else
			buffer_append_char(out, (char)((unsigned char)*at < ' ' ? ' ' : *at));
	}
}

/* Appends text as code. `in_table`: "|" would end the cell. */
static void append_code(struct buffer *out, const char *text, bool in_table)
{
	buffer_append_char(out, '`');
	for (const char *at = text; *at; at++) {
		if (*at == '|' && in_table)
			buffer_append_text(out, "\\|");
		else
			buffer_append_char(out, (char)(*at == '`' ? '\'' : (unsigned char)*at < ' ' ? ' ' : *at));
	}
	buffer_append_char(out, '`');
}

static void append_value_cell(struct buffer *out, const char *value)
{
	if (value)
		append_code(out, value, true);
	else
		buffer_append_text(out, "-");
}

static void markdown_figures(const struct plan_gate *gate, struct buffer *out)
{
	if (gate->row_count == 0)
		return;
	buffer_append_text(out, "\n| | before | after | change |\n| --- | ---: | ---: | ---: |\n");
	for (size_t i = 0; i < gate->row_count; i++) {
		const struct gate_row *row = &gate->rows[i];

		buffer_printf(out, "| %s | ", row->title);
		append_cell(out, &gate->base, figure_of_row(row));
		buffer_append_text(out, " | ");
		append_cell(out, &gate->head, figure_of_row(row));
		buffer_append_text(out, " | ");
		append_row_change(out, gate, row);
		buffer_append_text(out, " |\n");
	}
	if (any_range(gate))
		buffer_append_text(out, "\nIn brackets: the range of 8 outcomes in 10.\n");
}

static void markdown_differences(const struct plan_gate *gate, struct buffer *out)
{
	if (gate->difference_count == 0) {
		if (gate->base.state != GATE_ABSENT && gate->head.state != GATE_ABSENT)
			buffer_append_text(out, "\nThe requests have the same fields.\n");
		return;
	}
	buffer_append_text(out, "\n| field of the request | before | after |\n| --- | --- | --- |\n");
	for (size_t i = 0; i < gate->difference_count; i++) {
		struct buffer field;

		buffer_init(&field, TEXT_MAX_BYTES);
		append_field(&field, gate->differences[i].pointer);
		buffer_append_text(out, "| ");
		append_code(out, field.bytes ? field.bytes : "", true);
		buffer_append_text(out, " | ");
		append_value_cell(out, gate->differences[i].before);
		buffer_append_text(out, " | ");
		append_value_cell(out, gate->differences[i].after);
		buffer_append_text(out, " |\n");
		buffer_release(&field);
	}
	if (gate->differing > gate->difference_count)
		buffer_printf(out, "\n%zu further fields differ.\n", gate->differing - gate->difference_count);
}

static void markdown_side(const char *title, const struct gate_side *side, struct buffer *out)
{
	if (side->state == GATE_ABSENT)
		return;
	buffer_printf(out, "\n%s: %s", title, side->state == GATE_INFEASIBLE ? "no plan. " : "");
	append_escaped(out, side->state == GATE_PLANNED ? side->summary : side->detail);
	buffer_append_text(out, "\n");
}

void gate_text_markdown(const struct plan_gate *gate, struct buffer *out)
{
	buffer_append_text(out, "### Fleetplan: ");
	append_code(out, gate->title, false);
	buffer_append_text(out, gate->passed ? "\n\n" : "\n\n**The gate fails.** ");
	append_escaped(out, gate->text);
	buffer_append_text(out, "\n");
	markdown_figures(gate, out);
	for (size_t i = 0; i < gate->limit_count; i++) {
		const struct gate_limit *limit = &gate->limits[i];

		buffer_append_text(out, i == 0 ? "\n| limit | result | |\n| --- | --- | --- |\n| " : "| ");
		append_code(out, limit->limit, true);
		buffer_printf(out, limit->outcome == GATE_EXCEEDED ? " | **%s** | " : " | %s | ", outcome_word(limit->outcome));
		append_escaped(out, limit->detail);
		buffer_append_text(out, " |\n");
	}
	markdown_differences(gate, out);
	markdown_side("Before", &gate->base, out);
	if (gate->head.state == GATE_PLANNED) /* the outcome begins with why there is no plan */
		markdown_side("After", &gate->head, out);
	buffer_append_text(out, "\n");
	append_provenance(out, gate);
}

/* --- plain text ---------------------------------------------------------------------------------------------------- */
/* Ends a cell: pads it to its column. */
static void pad(struct buffer *out, size_t begin, size_t width)
{
	while (!out->failed && out->length - begin < width)
		buffer_append_char(out, ' ');
}

/* Returns the width of the widest cell of a side. */
static size_t cell_width(const struct plan_gate *gate, const struct gate_side *side)
{
	size_t width = strlen("before");

	for (size_t i = 0; i < gate->row_count; i++) {
		struct buffer cell;

		buffer_init(&cell, CELL_MAX_BYTES);
		append_cell(&cell, side, figure_of_row(&gate->rows[i]));
		width = cell.length > width ? cell.length : width;
		buffer_release(&cell);
	}
	return width;
}

static void plain_figures(const struct plan_gate *gate, struct buffer *out)
{
	enum { TITLE_WIDTH = 16, GAP = 2 };
	size_t base_width = cell_width(gate, &gate->base) + GAP, head_width = cell_width(gate, &gate->head) + GAP;

	if (gate->row_count > 0)
		buffer_printf(out, "\n  %-*s%-*s%-*schange\n", (int)TITLE_WIDTH, any_range(gate) ? "(8 in 10)" : "", (int)base_width, "before",
			(int)head_width, "after");
	for (size_t i = 0; i < gate->row_count; i++) {
		size_t begin;

		buffer_printf(out, "  %-*s", (int)TITLE_WIDTH, gate->rows[i].title);
		begin = out->length;
		append_cell(out, &gate->base, figure_of_row(&gate->rows[i]));
		pad(out, begin, base_width);
		begin = out->length;
		append_cell(out, &gate->head, figure_of_row(&gate->rows[i]));
		pad(out, begin, head_width);
		append_row_change(out, gate, &gate->rows[i]);
		buffer_append_text(out, "\n");
	}
}

void gate_text_plain(const struct plan_gate *gate, struct buffer *out)
{
	buffer_printf(out, "%s: %s%s\n", gate->title, gate->passed ? "" : "the gate fails. ", gate->text);
	plain_figures(gate, out);
	for (size_t i = 0; i < gate->limit_count; i++)
		buffer_printf(out, "%s  %s: %s: %s\n", i == 0 ? "\nLimits:\n" : "", gate->limits[i].limit, outcome_word(gate->limits[i].outcome),
			gate->limits[i].detail);
	for (size_t i = 0; i < gate->difference_count; i++) {
		const struct json_difference *difference = &gate->differences[i];

		buffer_append_text(out, i == 0 ? "\nFields that differ:\n  " : "  ");
		append_field(out, difference->pointer);
		buffer_printf(
			out, ": %s -> %s\n", difference->before ? difference->before : "absent", difference->after ? difference->after : "absent");
	}
	if (gate->differing > gate->difference_count)
		buffer_printf(out, "  and %zu more\n", gate->differing - gate->difference_count);
	buffer_append_text(out, "\n");
	append_provenance(out, gate);
}
