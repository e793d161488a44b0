/* The writer's side of imports: small steps, each part of a transaction. 0006_imports.sql describes the rows of an
 * unsettled import. */
#include "storage/sqlite/import_steps.h"

#include <string.h>

#include "base/clock.h"

/* Time for which one step may block other jobs; checked after every few rows. */
#define STEP_NS INT64_C(4000000)
enum { STEP_LOOK_ROWS = 16, TIDY_ROWS = 64, RECORDS_KEPT = 1000 };

/* Statements of a kind, in the order of STATEMENT_STAGES. */
enum stage_statement {
	STAGE_END,
	STAGE_SETTLE_ENDS,
	STAGE_SETTLE_BEGINS,
	STAGE_DROP,
	STAGE_SETTLE_END,
	STAGE_SETTLE_BEGIN,
	STAGE_DROP_ONE
};

static enum statement_name stage_statement(enum row_kind kind, enum stage_statement which)
{
	static const enum statement_name first[ROW_KIND_COUNT] = {
		[ROW_ACCELERATOR] = STATEMENT_ACCELERATOR_END, [ROW_MODEL] = STATEMENT_MODEL_END, [ROW_PRICE] = STATEMENT_PRICE_END, [ROW_REGION] = STATEMENT_REGION_END};

	CHECK(kind != ROW_CALIBRATION);
	return (enum statement_name)((int)first[kind] + (int)which);
}

static enum row_kind kind_of_name(const char *name)
{
	enum row_kind kind = ROW_ACCELERATOR;

	while (kind < ROW_CALIBRATION && strcmp(row_kind_name(kind), name) != 0)
		kind++;
	CHECK(kind < ROW_CALIBRATION);
	return kind;
}

/* Reads the import that is not settled; NOT_FOUND if there is none. */
static enum status read_unsettled(struct storage *storage, struct import_stored *stored, struct arena *arena, struct failure *failure)
{
	static const struct arguments none;

	return store_one(&storage->writer, STATEMENT_IMPORT_UNSETTLED, &none, stored, arena, failure);
}

/* Reads the running import and compares its number with the step's. */
static enum status read_running(
	struct storage *storage, int64_t number, struct import_stored *stored, struct arena *arena, struct failure *failure)
{
	enum status status = read_unsettled(storage, stored, arena, failure);

	CHECK(status != STATUS_NOT_FOUND);
	CHECK(status != STATUS_OK || (stored->number == number && strcmp(stored->record.state, "running") == 0));
	return status;
}

static enum status store_import(struct storage *storage, const struct import_stored *stored, struct arena *arena, struct failure *failure)
{
	return store_run(&storage->writer, STATEMENT_IMPORT_UPDATE, stored, arena, NULL, failure);
}

enum status operation_import_begin(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct import_begin *begin = (struct import_begin *)job;
	struct import_stored stored = {.record = *begin->import, .published_at_us = ABSENT_COUNT};
	enum status status;

	stored.record.state = "running";
	stored.record.finished_at_us = stored.record.revision = ABSENT_COUNT;
	status = store_run(&storage->writer, STATEMENT_IMPORT_INSERT, &stored, arena, NULL, failure);
	if (status == STATUS_OK)
		status = read_unsettled(storage, &stored, arena, failure);
	begin->number = stored.number;
	if (status == STATUS_OK)
		status = store_run(&storage->writer, STATEMENT_IMPORT_PRUNE, &(struct arguments){.number = stored.number, .count = RECORDS_KEPT},
			arena, NULL, failure);
	return status;
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

static enum status end_row(
	struct storage *storage, enum row_kind kind, const char *id, int64_t number, struct arena *arena, struct failure *failure)
{
	const struct arguments arguments = {.id = id, .number = number};

	return store_run(&storage->writer, stage_statement(kind, STAGE_END), &arguments, arena, NULL, failure);
}

static enum status insert_row(
	struct storage *storage, enum row_kind kind, const void *row, int64_t number, struct arena *arena, struct failure *failure)
{
	void *copy = arena_alloc(arena, 1, row_size(kind));
	enum status status;

	if (!copy)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to store a row");
	memcpy(copy, row, row_size(kind));
	((struct row_meta *)copy)->opened_by = number;
	((struct row_meta *)copy)->valid_from_us = ((struct row_meta *)copy)->revision = 0; /* settling sets the real values */
	status = store_run(&storage->writer, row_statement(kind, ROW_INSERT), copy, arena, NULL, failure);
	if (status == STATUS_CONFLICT)
		return failure_set(
			failure, STATUS_INVALID, "%s %s occurs twice in one import; send each id once", row_kind_name(kind), row_id(kind, row));
	return status;
}

static bool is_anothers(const void *current)
{
	const char *origin = row_meta(current)->origin;

	return strcmp(origin, "user") == 0 || strcmp(origin, "measured") == 0;
}

static enum status stage_row(struct storage *storage, const struct import_run *run, struct import_stored *stored, const void *row,
	void *current, struct arena *arena, struct failure *failure)
{
	const char *id = row_id(run->kind, row);
	enum status status = row_current(storage, run->kind, id, current, arena, failure);
	bool is_new = status == STATUS_NOT_FOUND;

	if (status != STATUS_OK && !is_new)
		return status;
	if (!is_new && row_content_equal(run->kind, current, row)) {
		stored->record.unchanged++;
		return STATUS_OK;
	}
	if (!is_new && !stored->record.overwrites && is_anothers(current)) {
		stored->record.kept++;
		return STATUS_OK;
	}
	if (run->note)
		run->note(run->context, is_new ? NULL : current, row);
	stored->record.added += is_new;
	stored->record.changed += !is_new;
	status = is_new ? STATUS_OK : end_row(storage, run->kind, id, stored->number, arena, failure);
	return status == STATUS_OK ? insert_row(storage, run->kind, row, stored->number, arena, failure) : status;
}

enum status operation_import_rows(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct import_rows *step = (struct import_rows *)job;
	const struct import_run *run = step->run;
	void *current = arena_alloc(arena, 1, row_size(run->kind));
	int64_t until_ns = clock_monotonic_ns() + STEP_NS;
	struct import_stored stored;
	enum status status = current ? read_running(storage, step->number, &stored, arena, failure) : STATUS_NO_MEMORY;

	for (step->end = step->begin; step->end < run->count && status == STATUS_OK; step->end++) {
		if (step->end > step->begin && step->end % STEP_LOOK_ROWS == 0 && clock_monotonic_ns() > until_ns)
			break;
		status = stage_row(storage, run, &stored, (const char *)run->rows + step->end * row_size(run->kind), current, arena, failure);
	}
	return status == STATUS_OK ? store_import(storage, &stored, arena, failure) : status;
}

enum status operation_import_ends(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct import_ends *step = (struct import_ends *)job;
	enum row_kind kind = step->run->kind;
	void *current = arena_alloc(arena, 1, row_size(kind));
	struct import_stored stored;
	enum status status = current ? read_running(storage, step->number, &stored, arena, failure) : STATUS_NO_MEMORY;

	for (size_t i = 0; i < step->count && status == STATUS_OK; i++) {
		status = row_current(storage, kind, step->ids[i], current, arena, failure);
		if (status == STATUS_OK && strcmp(row_meta(current)->origin, "imported") == 0) {
			stored.record.removed++;
			status = end_row(storage, kind, step->ids[i], step->number, arena, failure);
		} else if (status == STATUS_NOT_FOUND) {
			status = STATUS_OK; /* another client removed the row meanwhile */
		}
	}
	return status == STATUS_OK ? store_import(storage, &stored, arena, failure) : status;
}

/* --- the end ------------------------------------------------------------------------------------------------------- */

static void tell_record(struct import_record *record, const struct import_record *stored)
{
	record->added = stored->added;
	record->changed = stored->changed;
	record->removed = stored->removed;
	record->unchanged = stored->unchanged;
	record->kept = stored->kept;
	record->finished_at_us = stored->finished_at_us;
	record->revision = stored->revision;
}

static int64_t finish_moment(const struct import_record *record)
{
	int64_t now_us = clock_wall_us();

	return now_us > record->started_at_us ? now_us : record->started_at_us;
}

enum status import_publish(struct storage *storage, struct import_end *end, struct arena *arena, struct failure *failure)
{
	struct row_change change = {0};
	struct import_stored stored;
	enum status status = read_running(storage, end->number, &stored, arena, failure);

	if (status != STATUS_OK)
		return status;
	stored.record.state = "succeeded";
	stored.record.finished_at_us = finish_moment(&stored.record);
	stored.settled = stored.record.added + stored.record.changed + stored.record.removed == 0;
	if (!stored.settled)
		status = row_change_begin(storage, &change, kind_of_name(stored.record.kind), arena, failure);
	if (change.revision > 0) {
		stored.published_at_us = change.at_us;
		stored.record.revision = change.revision;
	}
	if (status == STATUS_OK)
		status = store_import(storage, &stored, arena, failure);
	if (status == STATUS_OK)
		status = idempotency_insert(storage, end->idempotency, stored.record.finished_at_us, arena, failure);
	tell_record(end->import, &stored.record);
	return status;
}

static enum status give_up(struct storage *storage, struct import_end *end, struct arena *arena, struct failure *failure)
{
	struct import_stored stored;
	enum status status = read_running(storage, end->number, &stored, arena, failure);

	if (status != STATUS_OK)
		return status;
	stored.record.state = end->import->state;
	stored.record.detail = end->import->detail;
	stored.record.finished_at_us = finish_moment(&stored.record);
	stored.record.added = stored.record.changed = stored.record.removed = stored.record.unchanged = stored.record.kept = 0;
	tell_record(end->import, &stored.record);
	return store_import(storage, &stored, arena, failure);
}

enum status operation_import_end(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct import_end *end = (struct import_end *)job;

	return strcmp(end->import->state, "succeeded") == 0 ? import_publish(storage, end, arena, failure)
														: give_up(storage, end, arena, failure);
}

/* --- settling and sweeping ----------------------------------------------------------------------------------------- */

/* Repeats one kind of step until none is left or the time is up. */
static enum status tidy_by(struct storage *storage, enum statement_name name, const struct arguments *arguments, int64_t until_ns,
	bool *more, struct arena *arena, struct failure *failure)
{
	int64_t changed = 1;
	enum status status = STATUS_OK;

	while (status == STATUS_OK && changed > 0 && clock_monotonic_ns() < until_ns)
		status = store_run(&storage->writer, name, arguments, arena, &changed, failure);
	*more = changed > 0;
	return status;
}

/* Settles ends first: the index allows only one valid row of an id. */
enum status operation_import_tidy(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct import_tidy *tidy = (struct import_tidy *)job;
	int64_t until_ns = clock_monotonic_ns() + STEP_NS;
	struct arguments arguments = {.limit = TIDY_ROWS};
	struct import_stored stored;
	enum status status = read_unsettled(storage, &stored, arena, failure);
	bool published = status == STATUS_OK && stored.published_at_us != ABSENT_COUNT;
	enum row_kind kind;

	tidy->more = status == STATUS_OK;
	if (status != STATUS_OK)
		return status == STATUS_NOT_FOUND ? STATUS_OK : status;
	kind = kind_of_name(stored.record.kind);
	if (strcmp(stored.record.state, "running") == 0) { /* its daemon has stopped */
		stored.record.state = "interrupted";
		stored.record.detail = "the daemon stopped before it was published";
		stored.record.finished_at_us = finish_moment(&stored.record);
		stored.record.added = stored.record.changed = stored.record.removed = stored.record.unchanged = stored.record.kept = 0;
		status = store_import(storage, &stored, arena, failure);
	}
	arguments.number = stored.number;
	arguments.at_us = stored.published_at_us;
	arguments.revision = stored.record.revision;
	if (status == STATUS_OK)
		status = tidy_by(storage, stage_statement(kind, STAGE_SETTLE_ENDS), &arguments, until_ns, &tidy->more, arena, failure);
	if (status == STATUS_OK && !tidy->more)
		status = tidy_by(storage, stage_statement(kind, published ? STAGE_SETTLE_BEGINS : STAGE_DROP), &arguments, until_ns, &tidy->more,
			arena, failure);
	if (status != STATUS_OK || tidy->more)
		return status;
	stored.settled = true;
	return store_import(storage, &stored, arena, failure);
}

/* Corrects the counts for a row that the import may not change any more. */
static void count_kept(struct import_record *record, bool ended, bool begun)
{
	record->changed -= ended && begun;
	record->added -= begun && !ended;
	record->removed -= ended && !begun;
	record->kept += ended || begun;
}

enum status import_release_row(struct storage *storage, enum row_kind kind, const char *id, struct arena *arena, struct failure *failure)
{
	struct import_stored stored;
	int64_t ended = 0, begun = 0;
	enum status status = kind == ROW_CALIBRATION ? STATUS_NOT_FOUND : read_unsettled(storage, &stored, arena, failure);
	struct arguments arguments = {.id = id};
	bool published;

	if (status != STATUS_OK || kind_of_name(stored.record.kind) != kind)
		return status == STATUS_NOT_FOUND ? STATUS_OK : status;
	published = stored.published_at_us != ABSENT_COUNT;
	arguments.number = stored.number;
	arguments.at_us = stored.published_at_us;
	arguments.revision = stored.record.revision;
	status = store_run(&storage->writer, stage_statement(kind, STAGE_SETTLE_END), &arguments, arena, &ended, failure);
	if (status == STATUS_OK)
		status = store_run(
			&storage->writer, stage_statement(kind, published ? STAGE_SETTLE_BEGIN : STAGE_DROP_ONE), &arguments, arena, &begun, failure);
	if (status != STATUS_OK || strcmp(stored.record.state, "running") != 0)
		return status;
	count_kept(&stored.record, ended > 0, begun > 0);
	return store_import(storage, &stored, arena, failure);
}
