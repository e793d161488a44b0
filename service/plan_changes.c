#include "service/plan_changes.h"

#include "api/difference.h"
#include "api/stored_plan.h"
#include "api/tables/tables.h"
#include "hwdb/catalogue/catalogue_mix.h"

enum { CHANGES_MAX_BYTES = 64 * 1024 };

struct explanation {
	const struct plan_computer *computer;
	const struct catalogue *before, *after;
	const struct plan_record *old, *fresh;
	struct arena *arena;
	struct plan_changes *changes;
	struct plan_figures last; /* figures with the causes so far */
	struct failure *failure;
};

static bool same_figure(double a, double b)
{
	return !(fabs(a - b) > 0); /* NaN, an absent figure, equals any figure */
}

static bool same_figures(const struct plan_figures *a, const struct plan_figures *b)
{
	return a->gpu_count == b->gpu_count && same_figure(a->hours, b->hours) && same_figure(a->usd, b->usd) && same_figure(a->kwh, b->kwh) &&
		same_figure(a->kgco2e, b->kgco2e);
}

/* Adds a cause with its effect, unless it changed no figure. */
static void cause_add(struct explanation *it, const char *cause, const char *detail, const struct plan_figures *now)
{
	struct plan_changes *changes = it->changes;

	if (changes->cause_count == PLAN_CAUSES_MAX || same_figures(&it->last, now))
		return;
	changes->causes[changes->cause_count++] = (struct plan_cause){
		.cause = cause,
		.detail = detail,
		.change_gpus = (double)(now->gpu_count - it->last.gpu_count),
		.change_hours = now->hours - it->last.hours,
		.change_usd = now->usd - it->last.usd,
		.change_kwh = now->kwh - it->last.kwh,
		.change_kgco2e = now->kgco2e - it->last.kgco2e,
	};
	it->last = *now;
}

/* Writes "2 changed, 1 added, 0 removed: aws.p5-48xlarge.us-east-1.on-demand, ...". */
static const char *change_text(struct arena *arena, const struct catalogue_change *change)
{
	size_t count = change->added + change->changed + change->removed;
	const char *text = arena_printf(arena, "%zu changed, %zu added, %zu removed: ", change->changed, change->added, change->removed);

	for (size_t i = 0; text && i < CATALOGUE_CHANGE_NAMES && change->names[i]; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? ", " : "", change->names[i]);
	return text && count > CATALOGUE_CHANGE_NAMES ? arena_printf(arena, "%s, ...", text) : text;
}

/* Computes with the old catalogue and the current planner. */
static enum status explain_planner(struct explanation *it)
{
	struct plan_record record;
	struct plan_figures figures;
	struct json_difference first;
	size_t differing;
	enum status status = it->computer->compute(it->computer->context, it->before, it->old->computed_at_us, &record);

	if (status == STATUS_OK)
		status = api_stored_figures(&record.result, it->arena, &figures, it->failure);
	if (status == STATUS_OK)
		status = api_json_differences(&it->old->result, &record.result, it->arena, &first, 1, &differing, it->failure);
	if (status != STATUS_OK)
		return status;
	it->changes->reproduced = differing == 0;
	if (differing == 0)
		return STATUS_OK;
	it->changes->difference = arena_printf(it->arena,
		"planner %s before, %s now: %zu values differ with the old catalogue, first %.120s: %.60s before, %.60s now",
		it->old->planner_version, FLEETPLAN_VERSION, differing, first.pointer, first.before ? first.before : "absent",
		first.after ? first.after : "absent");
	cause_add(it, "planner", it->changes->difference, &figures);
	return it->changes->difference ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Computes with one more kind of row from the new catalogue. */
static enum status explain_part(struct explanation *it, enum catalogue_part part, unsigned parts_of_after)
{
	struct catalogue_change change;
	struct catalogue *mixed;
	struct plan_record record;
	struct plan_figures figures;
	const char *detail;
	enum status status;

	catalogue_compare(it->before, it->after, part, &change);
	if (change.added + change.changed + change.removed == 0)
		return STATUS_OK;
	detail = change_text(it->arena, &change);
	mixed = catalogue_mix(it->before, it->after, parts_of_after, it->failure);
	if (!detail || !mixed)
		return mixed ? STATUS_NO_MEMORY : it->failure->status;
	status = it->computer->compute(it->computer->context, mixed, it->old->computed_at_us, &record);
	catalogue_release(mixed);
	if (status == STATUS_INVALID || status == STATUS_INFEASIBLE) { /* the request needs new rows of a later kind */
		failure_clear(it->failure);
		return STATUS_OK;
	}
	if (status == STATUS_OK)
		status = api_stored_figures(&record.result, it->arena, &figures, it->failure);
	if (status == STATUS_OK)
		cause_add(it, catalogue_part_name(part), detail, &figures);
	return status;
}

enum status plan_changes_explain(const struct plan_computer *computer, const struct catalogue *before, const struct catalogue *after,
	const struct plan_record *old, const struct plan_record *fresh, struct arena *arena, struct plan_changes *changes,
	struct failure *failure)
{
	struct explanation it = {computer, before, after, old, fresh, arena, changes, {0}, failure};
	unsigned parts_of_after = 0;
	enum status status;

	*changes = (struct plan_changes){.since_us = old->computed_at_us};
	status = api_stored_figures(&old->result, arena, &changes->before, failure);
	if (status == STATUS_OK)
		status = api_stored_figures(&fresh->result, arena, &changes->after, failure);
	it.last = changes->before;
	if (status == STATUS_OK)
		status = explain_planner(&it);
	for (int part = 0; part < CATALOGUE_PART_COUNT && status == STATUS_OK; part++) {
		parts_of_after |= 1U << part;
		status = explain_part(&it, (enum catalogue_part)part, parts_of_after);
	}
	if (status == STATUS_OK)
		cause_add(&it, "time",
			"offers and calibrations are older (max_age_days and the age of measurements exclude some), and feeds have other hours of a grid",
			&changes->after);
	return status;
}

enum status plan_changes_text(const struct plan_changes *changes, struct arena *arena, struct json_text *text)
{
	struct json_writer writer;
	struct buffer scratch;

	buffer_init(&scratch, CHANGES_MAX_BYTES);
	json_writer_init(&writer, &scratch);
	record_encode(&table_plan_changes, changes, &writer);
	text->length = scratch.length;
	text->text = scratch.failed || writer.not_finite ? NULL : arena_strndup(arena, scratch.bytes, scratch.length);
	buffer_release(&scratch);
	return text->text ? STATUS_OK : STATUS_NO_MEMORY;
}
