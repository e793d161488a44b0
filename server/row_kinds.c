#include "server/row_kinds.h"

#include <ctype.h>
#include <strings.h>

#include "base/clock.h"
#include "base/spelling.h"
#include "hwdb/catalogue/catalogue_change.h"
#include "hwdb/catalogue/catalogue_index.h"
#include "hwdb/models/model_config.h"
#include "hwdb/rows/conflicts.h"
#include "hwdb/rows/known_mistakes.h"
#include "hwdb/rows/validate.h"

static enum status check_accelerator(
	const struct catalogue *catalogue, struct arena *arena, void *object, struct findings *findings, struct failure *failure)
{
	struct accelerator_row *row = object;

	(void)arena;
	validate_accelerator(&row->accelerator, "", failure);
	validate_accelerator_conflicts(row, failure);
	known_mistakes_warn(catalogue, &row->accelerator, &row->accelerator, findings);
	if (!is_given(row->accelerator.memory_usable_bytes))
		findings_warn(findings, "memory_usable_bytes is not given; plans use memory_gb, the nominal capacity");
	return failure->status;
}

/* Checks that a model row can be read as a model; warns if its sizes differ from its config. */
static enum status check_model(
	const struct catalogue *catalogue, struct arena *arena, void *object, struct findings *findings, struct failure *failure)
{
	struct model_row *row = object;
	enum status status = STATUS_OK;

	(void)catalogue, (void)arena;
	if (row->config.text)
		status = model_config_read(row->config.text, row->config.length, "/config", &row->model, failure);
	else if (!is_given(row->params_total))
		failure_add(failure, "/config", "required", "a model needs its config (a Hugging Face config.json), or params_total");
	if (status != STATUS_OK || failure->status != STATUS_OK)
		return failure->status;
	if (row->config.text && !is_given(row->params_total)) {
		row->params_total = row->model.params_total;
		row->params_active = row->model.params_active;
	}
	if (!is_given(row->params_active))
		row->params_active = row->params_total;
	if (row->config.text && fabs(row->model.params_total / row->params_total - 1) > 0.02)
		findings_warn(
			findings, "params_total is %.4g, but the config gives %.4g; plans use the config", row->params_total, row->model.params_total);
	validate_model(row, "", failure);
	return failure->status;
}

/* Warns of values that are accepted but likely wrong: a price that plans leave out or that is much too high, and a date
 * in the future. */
static void doubt_price(
	const struct catalogue *catalogue, const struct accelerator_row *accelerator, const struct price_row *row, struct findings *findings)
{
	static const double dear = 5; /* times the median, as for feeds */
	const struct offer_span *span = &catalogue->index->offers[accelerator - catalogue->rows.accelerators];
	double each = row->price_usd_per_hour / (double)row->gpus, median = offer_median_usd_per_gpu_hour(span, term_of_text(row->pricing_model));
	int64_t as_of_us, day_us = INT64_C(86400000000);

	if (median > 0 && each < median * OFFER_BELIEVED_SHARE)
		findings_warn(findings,
			"%.4g USD for an accelerator and hour is below a third of the median, %.4g: plans and offers leave it out unless its "
			"provider or region is named; price_usd_per_hour is of the whole instance",
			each, median);
	else if (median > 0 && each > median * dear)
		findings_warn(findings,
			"%.4g USD for an accelerator and hour is more than %.0f times the median, %.4g: price_usd_per_hour is of one instance "
			"of gpus accelerators and one hour",
			each, dear, median);
	if (clock_parse(row->as_of, &as_of_us) && as_of_us > clock_wall_us() + day_us)
		findings_warn(findings, "as_of %.40s lies in the future; it must be the day when the price was read", row->as_of);
}

static enum status check_price(
	const struct catalogue *catalogue, struct arena *arena, void *object, struct findings *findings, struct failure *failure)
{
	struct price_row *row = object;
	const struct accelerator_row *accelerator;
	const char *alias;

	(void)arena;
	accelerator = row->accelerator_id ? catalogue_accelerator(catalogue, row->accelerator_id, &alias) : NULL;
	if (row->accelerator_id && !accelerator)
		failure_add(failure, "/accelerator_id", "unknown", "no accelerator \"%s\" in the catalogue; add it first", row->accelerator_id);
	if (accelerator)
		row->accelerator_id = accelerator->accelerator.id;
	validate_price(row, "", failure);
	validate_price_conflicts(row, failure);
	if (failure->status == STATUS_OK && accelerator)
		doubt_price(catalogue, accelerator, row, findings);
	return failure->status;
}

static enum status check_region(
	const struct catalogue *catalogue, struct arena *arena, void *object, struct findings *findings, struct failure *failure)
{
	(void)catalogue, (void)arena, (void)findings;
	validate_region(object, "", failure);
	validate_region_conflicts(object, failure);
	return failure->status;
}

/* Joins the parts by dots, in lower case, with a dash for other characters: "aws.p5-48xlarge.us-east-1.on-demand". */
static const char *slug(struct arena *arena, const char *const *parts, size_t count)
{
	struct buffer text;
	const char *copy;

	buffer_init(&text, 400);
	for (size_t i = 0; i < count; i++) {
		if (!parts[i])
			continue;
		if (text.length)
			buffer_append_char(&text, '.');
		for (const char *c = parts[i]; *c; c++)
			buffer_append_char(&text, isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-');
	}
	copy = text.bytes ? arena_strndup(arena, text.bytes, text.length) : NULL;
	buffer_release(&text);
	return copy;
}

static const char *price_id(struct arena *arena, const void *object)
{
	const struct price_row *row = object;

	return slug(arena, (const char *const[]){row->provider, row->instance_type, row->region, row->accelerator_id, row->pricing_model}, 5);
}

static const char *region_id(struct arena *arena, const void *object)
{
	const struct region_row *row = object;

	return slug(arena, (const char *const[]){row->provider, row->region_id}, 2);
}

const struct row_ops row_ops_table[ROW_KIND_COUNT] = {
	[ROW_ACCELERATOR] = {ROW_ACCELERATOR, "accelerator", "/v1/accelerators", &table_accelerator, &table_accelerator_query,
		offsetof(struct accelerator_row, meta), offsetof(struct accelerator_row, accelerator.id), NULL, check_accelerator},
	[ROW_MODEL] = {ROW_MODEL, "model", "/v1/models", &table_model, &table_model_query, offsetof(struct model_row, meta),
		offsetof(struct model_row, id), NULL, check_model},
	[ROW_PRICE] = {ROW_PRICE, "price", "/v1/prices", &table_price, &table_price_query, offsetof(struct price_row, meta),
		offsetof(struct price_row, id), price_id, check_price},
	[ROW_REGION] = {ROW_REGION, "region", "/v1/regions", &table_region, &table_region_query, offsetof(struct region_row, meta),
		offsetof(struct region_row, id), region_id, check_region},
};

struct row_meta *row_meta_of(const struct row_ops *ops, void *row)
{
	return (struct row_meta *)(void *)((char *)row + ops->meta_offset);
}

static const char **row_id_place(const struct row_ops *ops, void *row)
{
	return (const char **)(void *)((char *)row + ops->id_offset);
}

const char *row_ops_id(const struct row_ops *ops, void *row)
{
	return *row_id_place(ops, row);
}

const char *row_id_of_name(const struct row_ops *ops, const struct catalogue *catalogue, const char *name)
{
	const struct accelerator_row *accelerator;
	const struct model_row *model;
	const char *alias;

	if (ops->kind == ROW_ACCELERATOR) {
		accelerator = catalogue_accelerator(catalogue, name, &alias);
		return accelerator ? accelerator->accelerator.id : name;
	}
	if (ops->kind == ROW_MODEL) {
		model = catalogue_model(catalogue, name, &alias);
		return model ? model->id : name;
	}
	return name;
}

/* Gives every id of the kind to the search for similar names. */
static void row_offer_names(const struct row_ops *ops, const struct catalogue *catalogue, struct spelling *spelling)
{
	const struct catalogue_rows *rows = &catalogue->rows;

	if (ops->kind == ROW_ACCELERATOR)
		for (size_t i = 0; i < rows->accelerator_count; i++)
			spelling_offer(spelling, rows->accelerators[i].accelerator.id);
	if (ops->kind == ROW_MODEL)
		for (size_t i = 0; i < rows->model_count; i++)
			spelling_offer(spelling, rows->models[i].id);
	if (ops->kind == ROW_PRICE && catalogue_rows_of(catalogue))
		for (size_t i = 0; i < catalogue_price_count(catalogue); i++)
			spelling_offer(spelling, catalogue_rows_of(catalogue)->prices[i].id);
	if (ops->kind == ROW_REGION)
		for (size_t i = 0; i < rows->region_count; i++)
			spelling_offer(spelling, rows->regions[i].id);
}

void row_not_found(const struct row_ops *ops, const struct catalogue *catalogue, const char *name, struct failure *failure)
{
	struct spelling spelling;
	char nearest[200];

	spelling_init(&spelling, name);
	row_offer_names(ops, catalogue, &spelling);
	spelling_list(&spelling, nearest, sizeof nearest);
	failure_set(failure, STATUS_NOT_FOUND, "no %s \"%.80s\" in the catalogue; %s%s", ops->noun, name,
		nearest[0] ? "similar ids: " : "listed at GET ", nearest[0] ? nearest : ops->path);
}

enum status row_take_path_id(const struct row_ops *ops, void *row, const char *id, struct failure *failure)
{
	const char **place = row_id_place(ops, row);

	if (*place && strcmp(*place, id) != 0) {
		failure_add(failure, "/id", "contradiction", "the id differs from the path's \"%.80s\"; leave id out, or give the same", id);
		return STATUS_INVALID;
	}
	if (!*place && !field_text_fits(ops->table, "id", id)) {
		failure_add(
			failure, "/id", "bad_format", "the path's id must have only letters, digits and . _ : -, and begin with a letter or digit");
		return STATUS_INVALID;
	}
	*place = id;
	return STATUS_OK;
}

/* Finds the row of an id, ignoring letter case. An alias is not an id. */
static const void *row_nearly_of_id(const struct row_ops *ops, const struct catalogue *catalogue, const char *id)
{
	const void *row = NULL;
	const char *alias = NULL;

	if (ops->kind == ROW_ACCELERATOR)
		row = catalogue_accelerator(catalogue, id, &alias);
	else if (ops->kind == ROW_MODEL)
		row = catalogue_model(catalogue, id, &alias);
	else if (ops->kind == ROW_PRICE)
		row = catalogue_price(catalogue, id);
	else if (ops->kind == ROW_REGION)
		row = catalogue_region(catalogue, id);
	return alias ? NULL : row;
}

const void *row_of_id(const struct row_ops *ops, const struct catalogue *catalogue, const char *id)
{
	const void *row = row_nearly_of_id(ops, catalogue, id);

	return row && strcmp(row_ops_id(ops, (void *)(uintptr_t)row), id) == 0 ? row : NULL;
}

struct row_span row_span_of(const struct row_ops *ops, const struct catalogue *catalogue)
{
	const struct catalogue_rows *rows = ops->kind == ROW_PRICE ? catalogue_rows_of(catalogue) : &catalogue->rows;

	if (!rows)
		return (struct row_span){0};
	switch (ops->kind) {
	case ROW_ACCELERATOR:
		return (struct row_span){(const char *)rows->accelerators, rows->accelerator_count};
	case ROW_MODEL:
		return (struct row_span){(const char *)rows->models, rows->model_count};
	case ROW_PRICE:
		return (struct row_span){(const char *)rows->prices, rows->price_count};
	case ROW_REGION:
		return (struct row_span){(const char *)rows->regions, rows->region_count};
	case ROW_CALIBRATION:
	case ROW_KIND_COUNT:
		break;
	}
	return (struct row_span){0};
}

/* Sets the row's id. Names are found without regard to letter case, so a second row that differs only in letter case is
 * a fault. */
static enum status row_identify(
	const struct row_ops *ops, const struct catalogue *catalogue, struct arena *arena, void *row, struct failure *failure)
{
	const char **id = row_id_place(ops, row);
	const void *other;

	if (!*id && ops->make_id) {
		*id = ops->make_id(arena, row);
		if (*id && !field_text_fits(ops->table, "id", *id))
			*id = NULL; /* too long, or the names are not in Latin letters */
	}
	if (!*id) {
		failure_add(failure, "/id", "required", "give an id for the %s: lower-case letters, digits, dots and dashes", ops->noun);
		return STATUS_INVALID;
	}
	other = row_nearly_of_id(ops, catalogue, *id);
	if (other && strcmp(row_ops_id(ops, (void *)(uintptr_t)other), *id) != 0) {
		failure_add(failure, "/id", "conflict", "differs from %.120s only in letter case; give that id, or another one",
			row_ops_id(ops, (void *)(uintptr_t)other));
		return STATUS_INVALID;
	}
	return STATUS_OK;
}

enum status row_prepare(const struct row_ops *ops, const struct catalogue *catalogue, struct arena *arena, void *row, const char *origin,
	struct findings *findings, struct failure *failure)
{
	struct row_meta *meta = row_meta_of(ops, row);
	char today[CLOCK_TEXT_MAX];
	enum status status;

	meta->origin = origin;
	meta->valid_from_us = meta->valid_to_us = 0;
	if (!meta->source)
		meta->source = "entered by a user";
	if (!meta->source_date) {
		clock_format(today, clock_wall_us());
		meta->source_date = arena_strndup(arena, today, 10);
	}
	status = row_identify(ops, catalogue, arena, row, failure);
	return status == STATUS_OK ? ops->check(catalogue, arena, row, findings, failure) : status;
}

enum status row_check_import(const struct row_ops *ops, const struct catalogue *catalogue, struct arena *arena, void *row,
	struct findings *findings, struct failure *failure)
{
	enum status status = row_identify(ops, catalogue, arena, row, failure);

	row_meta_of(ops, row)->origin = "imported";
	return status == STATUS_OK ? ops->check(catalogue, arena, row, findings, failure) : status;
}

struct row_filter row_filter_of(const struct row_ops *ops, const struct catalogue *catalogue, const struct catalogue_query *query)
{
	struct row_filter filter = {.text = query->q,
		.origin = query->origin,
		.vendor = query->vendor,
		.provider = query->provider,
		.region = query->region,
		.pricing_model = query->pricing_model,
		.country = query->country,
		.as_of_us = query->as_of_us > 0 ? query->as_of_us : 0};

	(void)ops;
	if (query->accelerator)
		filter.accelerator_id = row_id_of_name(&row_ops_table[ROW_ACCELERATOR], catalogue, query->accelerator);
	return filter;
}
