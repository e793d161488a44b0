#include "service/plan_gate.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "api/difference.h"
#include "api/tables/tables.h"
#include "base/amount.h"
#include "base/spelling.h"
#include "schema/json_stream.h"
#include "service/gate_text.h"

/* --- figures ------------------------------------------------------------------------------------------------------- */
static const struct gate_figure_about about[GATE_FIGURE_COUNT] = {
	[GATE_COST] = {"cost", "Cost", "Cost a month", "USD", AMOUNT_USD},
	[GATE_ENERGY] = {"energy", "Energy", "Energy a month", "kWh", AMOUNT_KWH},
	[GATE_CARBON] = {"carbon", "Carbon", "Carbon a month", "kgCO2e", AMOUNT_KGCO2E},
	[GATE_GPUS] = {"gpus", "Accelerators", "Accelerators", "accelerators", AMOUNT_WHOLE},
	[GATE_HOURS] = {"hours", "Time", "Time", "hours", AMOUNT_HOURS},
	[GATE_REPLICAS] = {"replicas", "Replicas", "Replicas", "replicas", AMOUNT_WHOLE},
};

const struct gate_figure_about *gate_figure_about(enum gate_figure figure)
{
	return &about[figure];
}

bool gate_is_training(const struct plan_gate *gate)
{
	return strcmp(gate->kind, "training") == 0;
}

static struct summary_figure figure_of_count(int64_t count)
{
	double value = count < 0 ? ABSENT_NUMBER : (double)count;

	return (struct summary_figure){value, ABSENT_NUMBER, ABSENT_NUMBER};
}

void gate_side_planned(struct gate_side *side, const struct estimate *estimate)
{
	bool training = estimate->kind == &estimate_training;
	const struct summary *summary = training ? &((const struct training_plan *)estimate->result)->summary
											 : &((const struct inference_plan *)estimate->result)->summary;

	side->state = GATE_PLANNED;
	side->summary = summary->text;
	side->accelerator = summary->accelerator;
	side->gpu_count = summary->gpu_count;
	side->figures[GATE_COST] = training ? summary->total_usd : summary->usd_per_month;
	side->figures[GATE_ENERGY] = summary->total_kwh;
	side->figures[GATE_CARBON] = summary->total_kgco2e;
	side->figures[GATE_GPUS] = figure_of_count(summary->gpus_paid);
	side->figures[GATE_HOURS] = summary->wall_clock_hours;
	side->figures[GATE_REPLICAS] = figure_of_count(summary->replicas);
}

/* --- limits -------------------------------------------------------------------------------------------------------- */
/* What may follow the number of a limit: a decimal multiple, or a unit, in any letter case. */
static const struct {
	enum gate_figure figure;
	const char *text;
	double factor;
} suffixes[] = {
	{GATE_COST, "", 1},
	{GATE_COST, "usd", 1},
	{GATE_COST, "k", 1e3},
	{GATE_COST, "m", 1e6},
	{GATE_COST, "b", 1e9},
	{GATE_ENERGY, "", 1},
	{GATE_ENERGY, "kwh", 1},
	{GATE_ENERGY, "mwh", 1e3},
	{GATE_ENERGY, "gwh", 1e6},
	{GATE_CARBON, "", 1},
	{GATE_CARBON, "kg", 1},
	{GATE_CARBON, "t", 1e3},
	{GATE_CARBON, "kt", 1e6},
	{GATE_GPUS, "", 1},
	{GATE_GPUS, "k", 1e3},
	{GATE_HOURS, "", 1},
	{GATE_HOURS, "h", 1},
	{GATE_HOURS, "d", 24},
	{GATE_REPLICAS, "", 1},
	{GATE_REPLICAS, "k", 1e3},
};

static const char *const suffixes_allowed[GATE_FIGURE_COUNT] = {
	[GATE_COST] = "USD, with K, M or B",
	[GATE_ENERGY] = "kWh, MWh or GWh",
	[GATE_CARBON] = "kg, t or kt",
	[GATE_GPUS] = "a number, with K",
	[GATE_HOURS] = "h or d",
	[GATE_REPLICAS] = "a number, with K",
};

static const char *skip_spaces(const char *at)
{
	while (*at == ' ')
		at++;
	return at;
}

static enum status limit_wrong(struct failure *failure, const char *text, const char *why)
{
	return failure_set(failure, STATUS_INVALID, "the limit \"%.60s\" %s. Write cost>10%%, cost>+50k or cost>500k", text, why);
}

static enum status unknown_figure(struct failure *failure, const char *text, const char *word)
{
	struct spelling spelling;
	char nearest[64], why[200];

	spelling_init(&spelling, word);
	for (int i = 0; i < GATE_FIGURE_COUNT; i++)
		spelling_offer(&spelling, about[i].word);
	spelling_list(&spelling, nearest, sizeof nearest);
	snprintf(why, sizeof why, "names no figure%s%s; the figures are cost, energy, carbon, gpus, hours and replicas",
		nearest[0] ? "; did you mean " : "", nearest);
	return limit_wrong(failure, text, why);
}

enum status gate_limit_parse(const char *text, struct gate_limit *limit, struct failure *failure)
{
	const char *at = skip_spaces(text);
	size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), i;
	char word[16], why[200], *end;

	*limit = (struct gate_limit){.limit = text, .most = ABSENT_NUMBER, .compared = ABSENT_NUMBER};
	snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
	for (limit->of = GATE_COST; limit->of < GATE_FIGURE_COUNT && strcasecmp(about[limit->of].word, word) != 0;)
		limit->of++;
	if (limit->of == GATE_FIGURE_COUNT)
		return unknown_figure(failure, text, word);
	limit->figure = about[limit->of].word;
	at = skip_spaces(at + length);
	if (*at != '>' || at[1] == '=')
		return limit_wrong(failure, text, "needs > after the figure: the gate fails above the number");
	at = skip_spaces(at + 1);
	limit->form = *at == '+' ? GATE_INCREASE : GATE_VALUE;
	at = skip_spaces(at + (*at == '+'));
	/* strtod() also reads signs, "nan", "inf" and hexadecimal numbers */
	if (!isdigit((unsigned char)*at) || at[1] == 'x' || at[1] == 'X')
		return limit_wrong(failure, text, "needs a number of 0 or more after the >");
	limit->most = strtod(at, &end);
	at = skip_spaces(end);
	length = strlen(at);
	while (length > 0 && at[length - 1] == ' ')
		length--;
	if (length == 1 && *at == '%') {
		limit->form = GATE_PERCENT;
		limit->unit = "%";
		return isfinite(limit->most) ? STATUS_OK : limit_wrong(failure, text, "is too large");
	}
	for (i = 0; i < COUNT_OF(suffixes); i++)
		if (suffixes[i].figure == limit->of && strlen(suffixes[i].text) == length && strncasecmp(at, suffixes[i].text, length) == 0)
			break;
	if (i == COUNT_OF(suffixes)) {
		snprintf(why, sizeof why, "ends with \"%.*s\"; %s allows %% or %s", (int)(length < 20 ? length : 20), at, limit->figure,
			suffixes_allowed[limit->of]);
		return limit_wrong(failure, text, why);
	}
	limit->most *= suffixes[i].factor;
	limit->unit = about[limit->of].unit;
	return isfinite(limit->most) ? STATUS_OK : limit_wrong(failure, text, "is too large");
}

/* --- decisions ----------------------------------------------------------------------------------------------------- */
/* A difference of a billionth is rounding. */
static bool is_more(double value, double most)
{
	return value > most + 1e-9 * fabs(most);
}

bool gate_has_figure(const struct plan_gate *gate, enum gate_figure figure)
{
	bool training = gate_is_training(gate);

	return training ? figure != GATE_REPLICAS : figure != GATE_HOURS;
}

/* Says why a limit has an outcome without a comparison. */
static void settle(struct gate_limit *limit, enum gate_outcome outcome, const char *detail)
{
	limit->outcome = outcome;
	limit->detail = detail;
}

static void compare_value(const struct plan_gate *gate, struct gate_limit *limit, struct arena *arena)
{
	double head = gate->head.figures[limit->of].value, base = gate->base.figures[limit->of].value;

	if (gate->base.state == GATE_ABSENT)
		base = 0;
	limit->compared = limit->form == GATE_VALUE ? head
		: limit->form == GATE_INCREASE          ? head - base
		: base > 0                              ? 100 * (head - base) / base
		: is_more(head, base)                   ? ABSENT_NUMBER
												: 0;
	if (is_given(limit->compared)) {
		settle(limit, is_more(limit->compared, limit->most) ? GATE_EXCEEDED : GATE_HELD, gate_text_limit(gate, limit, arena));
	} else {
		settle(limit, GATE_EXCEEDED,
			arena_printf(
				arena, "%s rises from 0, which is more than any percentage; give a limit in %s", limit->figure, about[limit->of].unit));
	}
}

static void decide_limit(const struct plan_gate *gate, struct gate_limit *limit, struct arena *arena)
{
	const char *word = limit->figure;
	bool of_change = limit->form != GATE_VALUE;

	if (!gate_has_figure(gate, limit->of))
		settle(limit, GATE_NOT_COMPARED,
			limit->of == GATE_HOURS ? "a service has no hours; its figures are cost, energy, carbon, gpus and replicas"
									: "a training has no replicas; its figures are cost, energy, carbon, gpus and hours");
	else if (gate->head.state == GATE_ABSENT)
		settle(limit, GATE_NOT_COMPARED, "the request is removed");
	else if (gate->head.state == GATE_INFEASIBLE)
		settle(limit, GATE_EXCEEDED, arena_printf(arena, "%s cannot be compared, because no plan satisfies the request", word));
	else if (!is_given(gate->head.figures[limit->of].value))
		settle(limit, GATE_EXCEEDED,
			arena_printf(arena, "%s of the request is not known%s", word,
				limit->of == GATE_COST ? "; give pricing.usd_per_gpu_hour, or remove this limit" : ""));
	else if (of_change && gate->base.state == GATE_INFEASIBLE)
		settle(limit, GATE_NOT_COMPARED, "no plan satisfied the request before the change");
	else if (limit->form == GATE_PERCENT && gate->base.state == GATE_ABSENT)
		settle(limit, GATE_NOT_COMPARED, "the request is new");
	else if (of_change && gate->base.state == GATE_PLANNED && !is_given(gate->base.figures[limit->of].value))
		settle(limit, GATE_NOT_COMPARED, arena_printf(arena, "%s was not known before the change", word));
	else
		compare_value(gate, limit, arena);
}

static void add_row(struct plan_gate *gate, enum gate_figure figure)
{
	struct gate_row *row = &gate->rows[gate->row_count];
	bool training = gate_is_training(gate);

	*row = (struct gate_row){.figure = about[figure].word,
		.title = training ? about[figure].title : about[figure].monthly_title,
		.unit = about[figure].unit,
		.base = gate->base.figures[figure],
		.head = gate->head.figures[figure]};
	row->change = row->head.value - row->base.value;
	row->change_percent = row->base.value > 0 ? 100 * row->change / row->base.value : ABSENT_NUMBER;
	gate->row_count += gate_has_figure(gate, figure) && (gate->base.state == GATE_PLANNED || gate->head.state == GATE_PLANNED);
}

enum status gate_decide(struct plan_gate *gate, struct arena *arena)
{
	static const enum gate_figure shown[] = {GATE_COST, GATE_ENERGY, GATE_CARBON, GATE_HOURS, GATE_GPUS, GATE_REPLICAS};
	struct gate_side *sides[] = {&gate->base, &gate->head};

	for (size_t i = 0; i < COUNT_OF(sides); i++)
		for (int figure = 0; figure < GATE_FIGURE_COUNT; figure++)
			if (sides[i]->state != GATE_PLANNED || !gate_has_figure(gate, (enum gate_figure)figure))
				sides[i]->figures[figure] = (struct summary_figure){ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER};
	gate->row_count = 0;
	for (size_t i = 0; i < COUNT_OF(shown); i++)
		add_row(gate, shown[i]);
	gate->passed = gate->head.state != GATE_INFEASIBLE;
	for (size_t i = 0; i < gate->limit_count; i++) {
		decide_limit(gate, &gate->limits[i], arena);
		if (!gate->limits[i].detail)
			return STATUS_NO_MEMORY;
		gate->passed &= gate->limits[i].outcome != GATE_EXCEEDED;
	}
	gate->text = gate_text_outcome(gate, arena);
	return gate->text ? STATUS_OK : STATUS_NO_MEMORY;
}

/* --- requests ------------------------------------------------------------------------------------------------------ */
/* The first field of a text that only this kind of request has; "" if there is none. */
struct kind_signs {
	char training[JSON_STREAM_TEXT_MAX + 1], inference[JSON_STREAM_TEXT_MAX + 1];
};

static enum status sign_token(void *context, const struct json_stream *stream, enum json_token token, struct failure *failure)
{
	struct kind_signs *signs = context;
	bool training, inference;
	void *nowhere = NULL;

	(void)failure;
	if (token != TOKEN_KEY || stream->depth != 1)
		return STATUS_OK;
	training = field_find(&table_training_request, stream->text, &nowhere) != NULL;
	inference = field_find(&table_inference_request, stream->text, &nowhere) != NULL;
	if (training && !inference && !signs->training[0])
		snprintf(signs->training, sizeof signs->training, "%s", stream->text);
	if (inference && !training && !signs->inference[0])
		snprintf(signs->inference, sizeof signs->inference, "%s", stream->text);
	return STATUS_OK;
}

static enum status read_signs(const char *side, const struct json_text *text, struct kind_signs *signs, struct failure *failure)
{
	struct json_stream stream;
	enum status status;

	if (!text)
		return STATUS_OK;
	json_stream_init(&stream, sign_token, signs);
	status = json_stream_feed(&stream, text->text, text->length, failure);
	if (status == STATUS_OK)
		status = json_stream_end(&stream, failure);
	if (status != STATUS_OK) {
		char detail[FAULT_DETAIL_MAX];

		snprintf(detail, sizeof detail, "%s", failure->detail);
		return failure_set(failure, status, "%s is %.300s", side, detail);
	}
	if (signs->training[0] && signs->inference[0])
		return failure_set(failure, STATUS_INVALID,
			"%s has %.60s, a field of a training, and %.60s, a field of a service. Remove one of them, or say --kind training or --kind inference",
			side, signs->training, signs->inference);
	return STATUS_OK;
}

enum status gate_kind(const struct json_text *base, const struct json_text *head, const struct estimate_kind **kind, struct failure *failure)
{
	struct kind_signs before = {0}, after = {0};
	enum status status = read_signs("BASE", base, &before, failure);

	if (status == STATUS_OK)
		status = read_signs("HEAD", head, &after, failure);
	if (status != STATUS_OK)
		return status;
	if ((before.training[0] && after.inference[0]) || (before.inference[0] && after.training[0]))
		return failure_set(failure, STATUS_INVALID,
			"BASE is a %s (%.60s) and HEAD a %s (%.60s), which have no figures in common. Compare HEAD with /dev/null, as a new request",
			before.training[0] ? "training" : "service", before.training[0] ? before.training : before.inference,
			after.training[0] ? "training" : "service", after.training[0] ? after.training : after.inference);
	*kind = before.training[0] || after.training[0] ? &estimate_training : &estimate_inference;
	if (!before.training[0] && !after.training[0] && !before.inference[0] && !after.inference[0])
		return failure_set(failure, STATUS_INVALID,
			"no field says whether these requests are trainings (tokens, deadline_hours) or services (queries_per_minute, slo). Say --kind training or --kind inference");
	return STATUS_OK;
}

/* True for a field that only names a request, and changes no figure. */
static bool is_name(const char *pointer)
{
	return strcmp(pointer, "/name") == 0 || strcmp(pointer, "/notes") == 0 || strcmp(pointer, "/labels") == 0 ||
		strncmp(pointer, "/labels/", 8) == 0;
}

enum status gate_differences(
	struct plan_gate *gate, const struct json_text *base, const struct json_text *head, struct arena *arena, struct failure *failure)
{
	enum { READ_MAX = GATE_DIFFERENCES_MAX + 100 }; /* labels are among them, at most 64 of each side */
	struct json_difference *found = ARENA_ARRAY(arena, struct json_difference, READ_MAX);
	size_t count;
	enum status status;

	if (!found)
		return STATUS_NO_MEMORY;
	status = api_json_differences(base, head, arena, found, READ_MAX, &count, failure);
	if (status != STATUS_OK)
		return status;
	gate->differing = count;
	for (size_t i = 0; i < count && i < READ_MAX; i++) {
		if (is_name(found[i].pointer))
			gate->differing--;
		else if (gate->difference_count < GATE_DIFFERENCES_MAX)
			gate->differences[gate->difference_count++] = found[i];
	}
	return STATUS_OK;
}
