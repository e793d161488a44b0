/* Reads catalogue rows: one, a page, or all rows of a moment. */
#include <string.h>

#include "storage/sqlite/rows.h"

static int64_t moment_or_now(int64_t as_of_us)
{
	return as_of_us ? as_of_us : INT64_MAX; /* later than the start of every valid row */
}

enum status storage_row_get(
	struct storage *storage, enum row_kind kind, const char *id, int64_t as_of_us, struct arena *arena, void *row, struct failure *failure)
{
	struct arguments arguments = {.id = id, .as_of_us = moment_or_now(as_of_us)};
	enum status status;

	memset(row, 0, row_size(kind));
	status = reader_one(storage, row_statement(kind, ROW_GET), &arguments, row, arena, failure);
	if (status == STATUS_NOT_FOUND)
		return failure_set(failure, status, as_of_us ? "%s %s did not exist at that time" : "%s %s does not exist", row_kind_name(kind), id);
	return status;
}

enum status storage_row_list(struct storage *storage, enum row_kind kind, const struct row_filter *filter, const struct page_request *page,
	struct arena *arena, struct row_list *list, struct failure *failure)
{
	struct row_query query = {.filter = *filter, .limit = (int64_t)page_limit(page) + 1};
	struct rows_read rows;
	enum status status = cursor_read_id(page, arena, &query.cursor_id, failure);

	*list = (struct row_list){0};
	if (status != STATUS_OK)
		return status;
	query.filter.as_of_us = moment_or_now(filter->as_of_us);
	status = reader_list(storage, row_statement(kind, ROW_LIST), &query, page_limit(page), arena, &rows, failure);
	if (status != STATUS_OK)
		return status;
	list->items = rows.items;
	list->count = rows.count;
	if (rows.more)
		list->next_cursor = cursor_write_id(row_id(kind, (char *)rows.items + (rows.count - 1) * row_size(kind)), arena);
	return STATUS_OK;
}

static enum status load_kind(
	struct connection *reader, enum row_kind kind, int64_t as_of_us, struct arena *arena, struct rows_read *rows, struct failure *failure)
{
	struct row_query query = {.filter.as_of_us = as_of_us, .cursor_id = "", .limit = INT64_MAX};
	enum row_statement which = as_of_us == INT64_MAX ? ROW_LOAD : ROW_LIST;

	return store_list_whole(reader, row_statement(kind, which), &query, SIZE_MAX, arena, rows, failure);
}

/* A load: the rows of one moment, or of two revisions. */
struct load {
	int64_t as_of_us;                       /* INT64_MAX: now; 0: use the revisions */
	int64_t revision, calibration_revision; /* in and out */
	int64_t moment_us;                      /* output for revisions: the moment of the later one */
};

/* Returns the moment of a revision; for revision 0, a moment before every row. */
static enum status moment_of(
	struct connection *reader, enum row_kind kind, int64_t revision, struct arena *arena, int64_t *moment_us, struct failure *failure)
{
	enum status status = row_revision_moment(reader, kind, revision, arena, moment_us, failure);

	if (status == STATUS_NOT_FOUND && revision > 0)
		return failure_set(failure, STATUS_NOT_FOUND, "revision %lld of the %s does not exist", (long long)revision,
			kind == ROW_CALIBRATION ? "calibrations" : "catalogue");
	if (status == STATUS_NOT_FOUND)
		*moment_us = 0;
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static enum status load_all(
	struct connection *reader, struct load *load, struct arena *arena, struct rows_read rows[ROW_KIND_COUNT], struct failure *failure)
{
	int64_t moments_us[2] = {load->as_of_us, load->as_of_us}; /* catalogue, calibrations */
	enum status status;

	if (load->as_of_us) {
		status = row_revision(reader, ROW_ACCELERATOR, load->as_of_us, arena, &load->revision, failure);
		if (status == STATUS_OK)
			status = row_revision(reader, ROW_CALIBRATION, load->as_of_us, arena, &load->calibration_revision, failure);
	} else {
		status = moment_of(reader, ROW_ACCELERATOR, load->revision, arena, &moments_us[0], failure);
		if (status == STATUS_OK)
			status = moment_of(reader, ROW_CALIBRATION, load->calibration_revision, arena, &moments_us[1], failure);
		load->moment_us = moments_us[0] > moments_us[1] ? moments_us[0] : moments_us[1];
	}
	for (int kind = 0; kind < ROW_KIND_COUNT && status == STATUS_OK; kind++)
		status = load_kind(reader, (enum row_kind)kind, moments_us[kind == ROW_CALIBRATION], arena, &rows[kind], failure);
	return status;
}

static uint64_t damaged_of(const struct rows_read rows[ROW_KIND_COUNT])
{
	uint64_t sum = 0;

	for (int kind = 0; kind < ROW_KIND_COUNT; kind++)
		sum += rows[kind].damaged;
	return sum;
}

/* Skips damaged rows: the other rows are still correct. Answers that use a damaged row say so. */
static enum status load_consistently(
	struct storage *storage, struct load *load, struct arena *arena, struct catalogue_rows *out, struct failure *failure)
{
	struct connection *reader = reader_take(storage, failure);
	struct rows_read rows[ROW_KIND_COUNT] = {0};
	enum status status;

	if (!reader)
		return failure->status;
	status = connection_execute(reader, "BEGIN", failure); /* all kinds in one snapshot */
	if (status == STATUS_OK) {
		status = load_all(reader, load, arena, rows, failure);
		(void)connection_roll_back(reader);
	}
	reader_give(storage, reader);
	if (status == STATUS_OK && load->as_of_us == INT64_MAX)
		atomic_store(&storage->damaged_rows, damaged_of(rows));
	*out = (struct catalogue_rows){
		.accelerators = rows[ROW_ACCELERATOR].items,
		.accelerator_count = rows[ROW_ACCELERATOR].count,
		.models = rows[ROW_MODEL].items,
		.model_count = rows[ROW_MODEL].count,
		.prices = rows[ROW_PRICE].items,
		.price_count = rows[ROW_PRICE].count,
		.regions = rows[ROW_REGION].items,
		.region_count = rows[ROW_REGION].count,
		.calibrations = rows[ROW_CALIBRATION].items,
		.calibration_count = rows[ROW_CALIBRATION].count,
	};
	return status;
}

enum status storage_catalogue_load(struct storage *storage, int64_t as_of_us, struct arena *arena, struct catalogue_rows *out,
	int64_t *revision, int64_t *calibration_revision, struct failure *failure)
{
	struct load load = {.as_of_us = moment_or_now(as_of_us)};
	enum status status = load_consistently(storage, &load, arena, out, failure);

	*revision = load.revision;
	*calibration_revision = load.calibration_revision;
	return status;
}

enum status storage_catalogue_load_revisions(struct storage *storage, int64_t revision, int64_t calibration_revision, struct arena *arena,
	struct catalogue_rows *out, int64_t *as_of_us, struct failure *failure)
{
	struct load load = {.revision = revision, .calibration_revision = calibration_revision};
	enum status status = load_consistently(storage, &load, arena, out, failure);

	*as_of_us = load.moment_us;
	return status;
}

enum status storage_catalogue_count(
	struct storage *storage, int64_t as_of_us, struct catalogue_counts *counts, struct arena *arena, struct failure *failure)
{
	struct arguments arguments = {.as_of_us = as_of_us};
	enum status status = reader_one(storage, STATEMENT_CATALOGUE_COUNTS, &arguments, counts, arena, failure);

	counts->revision = status == STATUS_OK && counts->revision > 0 ? counts->revision : 0;
	counts->calibration_revision = status == STATUS_OK && counts->calibration_revision > 0 ? counts->calibration_revision : 0;
	return status;
}

static enum status latest_change(struct storage *storage, enum row_kind kind, int64_t as_of_us, struct arena *arena, int64_t *moment_us,
	int64_t *revision, struct failure *failure)
{
	const struct arguments arguments = {.scope = row_scope_name(kind), .as_of_us = moment_or_now(as_of_us)};
	struct arguments found = {0};
	enum status status = reader_one(storage, STATEMENT_CHANGE_LATEST, &arguments, &found, arena, failure);

	*moment_us = status == STATUS_OK ? found.at_us : 0;
	*revision = status == STATUS_OK ? found.revision : 0;
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

enum status storage_catalogue_moment(
	struct storage *storage, int64_t as_of_us, struct arena *arena, int64_t *moment_us, int64_t *revision, struct failure *failure)
{
	return latest_change(storage, ROW_ACCELERATOR, as_of_us, arena, moment_us, revision, failure);
}

enum status storage_calibration_revision(struct storage *storage, struct arena *arena, int64_t *revision, struct failure *failure)
{
	int64_t moment_us;

	return latest_change(storage, ROW_CALIBRATION, 0, arena, &moment_us, revision, failure);
}

static enum status revisions_at(struct connection *reader, int64_t as_of_us, struct arena *arena, int64_t *revision,
	int64_t *calibration_revision, struct failure *failure)
{
	enum status status = row_revision(reader, ROW_ACCELERATOR, as_of_us, arena, revision, failure);

	return status == STATUS_OK ? row_revision(reader, ROW_CALIBRATION, as_of_us, arena, calibration_revision, failure) : status;
}

enum status storage_catalogue_revisions(struct storage *storage, int64_t as_of_us, struct arena *arena, int64_t *revision,
	int64_t *calibration_revision, struct failure *failure)
{
	struct connection *reader = reader_take(storage, failure);
	enum status status;

	if (!reader)
		return failure->status;
	status = revisions_at(reader, moment_or_now(as_of_us), arena, revision, calibration_revision, failure);
	reader_give(storage, reader);
	return status;
}

enum status storage_rows_get(struct storage *storage, enum row_kind kind, const char *const *ids, size_t count, int64_t as_of_us,
	struct arena *arena, void *rows, bool *present, int64_t *revision, int64_t *calibration_revision, struct failure *failure)
{
	struct connection *reader = reader_take(storage, failure);
	enum status status;

	if (!reader)
		return failure->status;
	status = connection_execute(reader, "BEGIN", failure);
	if (status == STATUS_OK) {
		status = revisions_at(reader, moment_or_now(as_of_us), arena, revision, calibration_revision, failure);
		for (size_t i = 0; i < count && status == STATUS_OK; i++) {
			const struct arguments arguments = {.id = ids[i], .as_of_us = moment_or_now(as_of_us)};

			status = store_one(reader, row_statement(kind, ROW_GET), &arguments, (char *)rows + i * row_size(kind), arena, failure);
			present[i] = status == STATUS_OK;
			status = status == STATUS_NOT_FOUND ? STATUS_OK : status;
		}
		(void)connection_roll_back(reader);
	}
	reader_give(storage, reader);
	return status;
}
