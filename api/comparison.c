#include "api/comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/difference.h"
#include "schema/decode.h"
#include "schema/node.h"

enum { DIFFERENT_MAX = 30, NOTES_MAX = 8, SEGMENT_MAX = 128, CELL_BYTES_MAX = 240 };

enum better { NEITHER, LESS, MORE };

/* A figure of an option, by its path in each kind of plan; NULL: that kind does not have it. */
static const struct line {
	const char *title, *training, *inference;
	enum better better;
} lines[] = {
	{"Accelerator", "accelerator", "accelerator", NEITHER},
	{"Accelerators", "gpu_count", "gpu_count", NEITHER},
	{"Nodes", "node_count", NULL, NEITHER},
	{"Replicas", NULL, "replicas", NEITHER},
	{"Precision of the weights", NULL, "precision", NEITHER},
	{"Provider", "cost/offer/provider", "cost/offer/provider", NEITHER},
	{"Instance", "cost/offer/instance_type", "cost/offer/instance_type", NEITHER},
	{"Region", "cost/offer/region", "cost/offer/region", NEITHER},
	{"Term", "cost/offer/term", "cost/offer/term", NEITHER},
	{"Price (USD per accelerator-hour)", "cost/usd_per_gpu_hour", "cost/offer/usd_per_gpu_hour", LESS},
	{"Time (hours)", "wall_clock_hours", NULL, LESS},
	{"Accelerator-hours", "gpu_hours", NULL, LESS},
	{"Cost (USD)", "cost/total_usd", NULL, LESS},
	{"Cost (USD per month)", NULL, "cost/usd_per_month", LESS},
	{"Cost (USD per million output tokens)", NULL, "cost/usd_per_million_output_tokens", LESS},
	{"Energy (kWh)", "energy/total_kwh", NULL, LESS},
	{"Energy (kWh per month)", NULL, "energy/kwh_per_month", LESS},
	{"Energy of a request (Wh)", NULL, "energy/wh_per_request", LESS},
	{"Carbon (kgCO2e)", "carbon/total_kgco2e", NULL, LESS},
	{"of which embodied (kgCO2e)", "carbon/embodied_kgco2e", NULL, LESS},
	{"Carbon (kgCO2e per month)", NULL, "carbon/kgco2e_per_month", LESS},
	{"Water (litres)", "water_l", NULL, LESS},
	{"Water (litres per month)", NULL, "water_l_per_month", LESS},
	{"MFU", "mfu", NULL, MORE},
	{"Tokens per second", "tokens_per_s", NULL, MORE},
	{"Step (s)", "step/time_s", NULL, NEITHER},
	{"Goodput", "goodput/fraction", NULL, MORE},
	{"Time to first token, p95 (ms)", NULL, "latency/ttft_ms/p95", LESS},
	{"Time per output token, p95 (ms)", NULL, "latency/tpot_ms/p95", LESS},
	{"Latency limits met", NULL, "slo_met", NEITHER},
	{"Output tokens per second", NULL, "throughput/output_tokens_per_s", MORE},
	{"Utilization", NULL, "utilization", NEITHER},
	{"Memory of an accelerator (bytes)", "memory/total_bytes", "memory/total_bytes", NEITHER},
	{"Bottleneck", "bottleneck/kind", "bottleneck/kind", NEITHER},
};

struct comparing {
	struct plan_comparison *comparison;
	struct arena *arena;
	struct failure *failure;
	struct node *requests[COMPARED_PLANS_MAX], *results[COMPARED_PLANS_MAX];
};

char api_comparison_letter(size_t index)
{
	return (char)('A' + (int)index);
}

static bool is_training(const struct plan_record *plan)
{
	return strcmp(plan->kind, "training") == 0;
}

/* Returns the node at "cost/offer/region", or NULL. A leading slash is ignored; a number is an index in a list. */
static const struct node *node_at(const struct node *node, const char *path)
{
	path += *path == '/';
	while (node && *path) {
		char segment[SEGMENT_MAX];
		size_t length = strcspn(path, "/");

		snprintf(segment, sizeof segment, "%.*s", (int)length, path);
		if (node->kind == NODE_OBJECT) {
			node = node_named(node->first, segment);
		} else if (node->kind == NODE_LIST && segment[0] && strspn(segment, "0123456789") == strlen(segment)) {
			const struct node *element = node->first;

			for (long at = strtol(segment, NULL, 10); element && at > 0; at--)
				element = element->next;
			node = element;
		} else {
			node = NULL;
		}
		path += length + (path[length] == '/');
	}
	return node;
}

/* NOLINTBEGIN(misc-no-recursion): recursion is as deep as the JSON reader allows. */
/* Writes the content of an object or a list, all levels: "providers aws, azure; terms spot". */
static void append_value(const struct node *node, struct buffer *out)
{
	for (const struct node *child = node->first; child && !out->failed; child = child->next) {
		if (child != node->first)
			buffer_append_text(out, node->kind == NODE_OBJECT ? "; " : ", ");
		if (child->key)
			buffer_printf(out, "%s ", child->key);
		if (node_is_number(child))
			buffer_printf(out, "%.6g", node_number(child));
		else if (child->kind == NODE_OBJECT || child->kind == NODE_LIST)
			append_value(child, out);
		else if (node_text(child))
			buffer_append_text(out, node_text(child));
		else
			buffer_append_text(out, child->kind == NODE_TRUE ? "yes" : "no");
	}
}

/* NOLINTEND(misc-no-recursion) */

static const char *value_text(const struct comparing *it, const struct node *node)
{
	struct buffer text;
	const char *copy;

	buffer_init(&text, CELL_BYTES_MAX);
	append_value(node, &text);
	copy = text.failed ? "(long)" : arena_strndup(it->arena, text.bytes ? text.bytes : "", text.length);
	buffer_release(&text);
	return copy;
}

static struct comparison_cell cell_of(const struct comparing *it, const struct node *node)
{
	struct comparison_cell cell = {.number = ABSENT_NUMBER};

	if (!node)
		return cell;
	if (node_is_number(node))
		cell.number = node_number(node);
	else if (node->kind == NODE_TRUE || node->kind == NODE_FALSE)
		cell.text = node->kind == NODE_TRUE ? "yes" : "no";
	else if (node->kind == NODE_OBJECT || node->kind == NODE_LIST)
		cell.text = value_text(it, node);
	else
		cell.text = node_text(node);
	return cell;
}

static bool has_value(const struct comparison_cell *cell)
{
	return cell->text || is_given(cell->number);
}

static bool same_value(const struct comparison_cell *a, const struct comparison_cell *b)
{
	if (a->text && b->text)
		return strcmp(a->text, b->text) == 0;
	return !a->text && !b->text && fabs(a->number - b->number) <= 1e-9 * fabs(b->number);
}

static struct comparison_cells cells_new(const struct comparing *it)
{
	size_t count = it->comparison->items.count;
	struct comparison_cell *items = ARENA_ARRAY(it->arena, struct comparison_cell, count);

	return (struct comparison_cells){items, items ? count : 0};
}

/* Marks the lowest or the highest value, if two or more plans of one kind have different values. */
static void mark_best(const struct comparing *it, struct comparison_row *row, enum better better, bool training)
{
	const struct plan_record *plans = it->comparison->items.items;
	const struct comparison_cell *best = NULL;
	bool alike = true;

	for (size_t i = 0; i < row->values.count; i++) {
		const struct comparison_cell *cell = &row->values.items[i];

		if (!is_given(cell->number) || is_training(&plans[i]) != training)
			continue;
		alike &= !best || same_value(cell, best);
		if (!best || (better == LESS ? cell->number < best->number : cell->number > best->number))
			best = cell;
	}
	if (better == NEITHER || alike)
		return;
	for (size_t i = 0; i < row->values.count; i++)
		if (is_training(&plans[i]) == training)
			row->values.items[i].best = is_given(row->values.items[i].number) && same_value(&row->values.items[i], best);
}

static enum status compare_figures(struct comparing *it)
{
	struct comparison_rows *rows = &it->comparison->rows;

	rows->items = ARENA_ARRAY(it->arena, struct comparison_row, COUNT_OF(lines));
	if (!rows->items)
		return STATUS_NO_MEMORY;
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		const struct line *line = &lines[i];
		struct comparison_row *row = &rows->items[rows->count];
		bool any = false;

		*row = (struct comparison_row){.title = line->title,
			.figure = line->training ? line->training : line->inference,
			.better = line->better == LESS ? "less"
				: line->better == MORE     ? "more"
										   : NULL,
			.values = cells_new(it)};
		if (!row->values.items)
			return STATUS_NO_MEMORY;
		for (size_t k = 0; k < row->values.count; k++) {
			const char *path = is_training(&it->comparison->items.items[k]) ? line->training : line->inference;

			row->values.items[k] = cell_of(it, path ? node_at(node_at(it->results[k], "recommended"), path) : NULL);
			any |= has_value(&row->values.items[k]);
		}
		mark_best(it, row, line->better, true);
		mark_best(it, row, line->better, false);
		rows->count += any;
	}
	return STATUS_OK;
}

static bool difference_is_noted(const struct comparison_rows *rows, const char *pointer)
{
	for (size_t i = 0; i < rows->count; i++)
		if (strcmp(rows->items[i].figure, pointer) == 0)
			return true;
	return false;
}

/* True for a member that only names a thing and does not change the answer. */
static bool is_name(const char *pointer)
{
	return strcmp(pointer, "/name") == 0 || strcmp(pointer, "/notes") == 0 || strncmp(pointer, "/labels", 7) == 0;
}

/* Compares each plan with the first of its kind. */
static enum status compare_requests(struct comparing *it)
{
	struct comparison_rows *rows = &it->comparison->differences;
	struct json_difference *found = ARENA_ARRAY(it->arena, struct json_difference, DIFFERENT_MAX);

	rows->items = ARENA_ARRAY(it->arena, struct comparison_row, DIFFERENT_MAX);
	if (!found || !rows->items)
		return STATUS_NO_MEMORY;
	for (size_t k = 1; k < it->comparison->items.count; k++) {
		const struct plan_record *plans = it->comparison->items.items;
		size_t count, first = 0;
		enum status status;

		while (strcmp(plans[first].kind, plans[k].kind) != 0) /* a training request and a service request have different fields */
			first++;
		status = api_json_differences(&plans[first].request, &plans[k].request, it->arena, found, DIFFERENT_MAX, &count, it->failure);

		if (status != STATUS_OK)
			return status;
		for (size_t i = 0; i < count && i < DIFFERENT_MAX && rows->count < DIFFERENT_MAX; i++) {
			struct comparison_row row = {.title = found[i].pointer + 1, .figure = found[i].pointer, .values = cells_new(it)};

			if (!row.values.items)
				return STATUS_NO_MEMORY;
			if (is_name(found[i].pointer) || difference_is_noted(rows, found[i].pointer))
				continue;
			for (size_t m = 0; m < row.values.count; m++)
				row.values.items[m] = cell_of(it, node_at(it->requests[m], found[i].pointer));
			rows->items[rows->count++] = row;
		}
	}
	return STATUS_OK;
}

static enum status add_note(struct comparing *it, const char *text)
{
	struct text_list *notes = &it->comparison->notes;

	if (!text)
		return STATUS_NO_MEMORY;
	if (notes->count < NOTES_MAX)
		notes->items[notes->count++] = text;
	return STATUS_OK;
}

/* Returns the revisions that each plan was computed with, "A 3, B 7, C 3"; NULL if all are equal or without memory. */
static const char *revisions_text(const struct comparing *it, size_t member, bool *differ)
{
	const char *text = "";

	*differ = false;
	for (size_t i = 0; text && i < it->comparison->items.count; i++) {
		const struct plan_record *plan = &it->comparison->items.items[i];
		int64_t revision, first;

		memcpy(&revision, (const char *)plan + member, sizeof revision);
		memcpy(&first, (const char *)&it->comparison->items.items[0] + member, sizeof first);
		*differ |= revision != first;
		text = arena_printf(it->arena, "%s%s%c %lld", text, i ? ", " : "", api_comparison_letter(i), (long long)revision);
	}
	return text;
}

static enum status note_versions(struct comparing *it)
{
	const struct plan_record *plans = it->comparison->items.items;

	for (size_t i = 1; i < it->comparison->items.count; i++)
		if (plans[0].planner_version && plans[i].planner_version && strcmp(plans[0].planner_version, plans[i].planner_version) != 0)
			return add_note(
				it, "the plans were computed by different versions of the planner; refresh them before you compare their figures");
	return STATUS_OK;
}

static enum status compare_notes(struct comparing *it)
{
	const struct plan_record *plans = it->comparison->items.items;
	bool kinds = false, models = false, differ, calibrations;
	const char *catalogue = revisions_text(it, offsetof(struct plan_record, catalogue_revision), &differ),
			   *calibration = revisions_text(it, offsetof(struct plan_record, calibration_revision), &calibrations);
	enum status status = catalogue && calibration ? STATUS_OK : STATUS_NO_MEMORY;

	it->comparison->notes.items = ARENA_ARRAY(it->arena, const char *, NOTES_MAX);
	if (!it->comparison->notes.items)
		return STATUS_NO_MEMORY;
	for (size_t i = 1; i < it->comparison->items.count; i++) {
		kinds |= strcmp(plans[i].kind, plans[0].kind) != 0;
		models |= !plans[i].model != !plans[0].model || (plans[i].model && strcmp(plans[i].model, plans[0].model) != 0);
	}
	if (status == STATUS_OK && differ)
		status = add_note(it,
			arena_printf(it->arena,
				"computed with different revisions of the catalogue (%s), so prices, grids and hardware may have different dates; POST /v1/plans/{id}/refresh computes a plan with today's",
				catalogue));
	if (status == STATUS_OK && calibrations)
		status = add_note(it, arena_printf(it->arena, "computed with different revisions of the calibrations (%s)", calibration));
	if (status == STATUS_OK)
		status = note_versions(it);
	if (status == STATUS_OK && kinds)
		status = add_note(it,
			"trainings and services are compared; money, energy and carbon are for the whole run of a training and for one month of a service");
	if (status == STATUS_OK && models)
		status = add_note(it, "the plans are of different models; the best of a row is the best figure, not the best plan for the same work");
	return status;
}

enum status api_compare_plans(struct plan_comparison *comparison, struct arena *arena, struct failure *failure)
{
	struct comparing it = {.comparison = comparison, .arena = arena, .failure = failure};
	enum status status = STATUS_OK;

	CHECK(comparison->items.count <= COMPARED_PLANS_MAX);
	for (size_t i = 0; i < comparison->items.count && status == STATUS_OK; i++) {
		const struct plan_record *plan = &comparison->items.items[i];

		status = decode_parse(plan->request.text, plan->request.length, arena, &it.requests[i], failure);
		if (status == STATUS_OK)
			status = decode_parse(plan->result.text, plan->result.length, arena, &it.results[i], failure);
		if (status == STATUS_MALFORMED)
			status = failure_set(failure, STATUS_INTERNAL, "the stored content of plan %s cannot be read", plan->id);
	}
	if (status == STATUS_OK)
		status = compare_figures(&it);
	if (status == STATUS_OK)
		status = compare_requests(&it);
	return status == STATUS_OK ? compare_notes(&it) : status;
}
