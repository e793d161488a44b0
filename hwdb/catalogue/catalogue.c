#include "hwdb/catalogue/catalogue.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "hwdb/catalogue/catalogue_index.h"
#include "hwdb/models/model_config.h"

static int compare_accelerators(const void *a, const void *b)
{
	return strcmp(((const struct accelerator_row *)a)->accelerator.id, ((const struct accelerator_row *)b)->accelerator.id);
}

static int compare_models(const void *a, const void *b)
{
	return strcmp(((const struct model_row *)a)->id, ((const struct model_row *)b)->id);
}

static int compare_prices(const void *a, const void *b)
{
	return strcmp(((const struct price_row *)a)->id, ((const struct price_row *)b)->id);
}

static int compare_regions(const void *a, const void *b)
{
	return strcmp(((const struct region_row *)a)->id, ((const struct region_row *)b)->id);
}

/* Orders by accelerator and precision, the newest first, so that the first match is the one to use. */
static int compare_calibrations(const void *a, const void *b)
{
	const struct calibration_row *left = a, *right = b;
	int order = strcmp(left->accelerator_id, right->accelerator_id);

	if (order == 0)
		order = (left->meta.valid_from_us < right->meta.valid_from_us) - (left->meta.valid_from_us > right->meta.valid_from_us);
	return order != 0 ? order : strcmp(left->id, right->id);
}

static void sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	if (count > 1)
		qsort(items, count, size, compare);
}

static void sort_rows(struct catalogue_rows *rows)
{
	sort(rows->accelerators, rows->accelerator_count, sizeof *rows->accelerators, compare_accelerators);
	sort(rows->models, rows->model_count, sizeof *rows->models, compare_models);
	sort(rows->prices, rows->price_count, sizeof *rows->prices, compare_prices);
	sort(rows->regions, rows->region_count, sizeof *rows->regions, compare_regions);
	sort(rows->calibrations, rows->calibration_count, sizeof *rows->calibrations, compare_calibrations);
}

/* Fills a row's model from its config, or from its size when it has no config. */
static enum status read_model(struct arena *arena, struct model_row *row, struct failure *failure)
{
	if (row->config.text) {
		const char *pointer = arena_printf(arena, "/models/%s/config", row->id);
		enum status status;

		if (!pointer)
			return failure_set(failure, STATUS_NO_MEMORY, "the catalogue is too large");
		status = model_config_read(row->config.text, row->config.length, pointer, &row->model, failure);
		if (status != STATUS_OK)
			return status;
	} else if (is_given(row->params_total)) {
		model_from_size(&row->model, row->params_total, row->params_active);
	} else {
		return failure_set(failure, STATUS_INVALID, "model %s has neither a config nor a size", row->id);
	}
	row->model.id = row->id;
	row->model.source = row->meta.source;
	return STATUS_OK;
}

static bool add_all(struct name_table *table, const char *id, const struct text_list *aliases, size_t row, bool alias_pass)
{
	if (!alias_pass)
		return name_table_add(table, id, row, false);
	/* Where an alias is another row's name or alias, that row keeps it: a user's row may take the name of an existing
	 * alias. */
	for (size_t i = 0; i < aliases->count; i++)
		(void)name_table_add(table, aliases->items[i], row, true);
	return true;
}

/* Adds ids first, then aliases, so that an alias never hides an id. False: two rows have the same id. */
static bool index_names(struct catalogue *catalogue)
{
	struct catalogue_index *index = catalogue->index;
	const struct catalogue_rows *rows = &catalogue->rows;
	bool unique = true;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < rows->accelerator_count; i++)
			unique &= add_all(&index->accelerators, rows->accelerators[i].accelerator.id, &rows->accelerators[i].aliases, i, pass == 1);
		for (size_t i = 0; i < rows->model_count; i++)
			unique &= add_all(&index->models, rows->models[i].id, &rows->models[i].aliases, i, pass == 1);
	}
	for (size_t i = 0; i < rows->model_count; i++)
		if (rows->models[i].repo) /* users paste repositories: "meta-llama/Meta-Llama-3.1-8B" */
			(void)name_table_add(&index->models, rows->models[i].repo, i, true);
	for (size_t i = 0; i < rows->price_count; i++)
		unique &= name_table_add(&index->prices, rows->prices[i].id, i, false);
	for (size_t i = 0; i < rows->region_count; i++)
		unique &= name_table_add(&index->regions, rows->regions[i].id, i, false);
	return unique;
}

static bool make_tables(struct catalogue *catalogue)
{
	const struct catalogue_rows *rows = &catalogue->rows;
	size_t accelerator_names = rows->accelerator_count, model_names = rows->model_count;
	struct arena *arena = &catalogue->arena;

	for (size_t i = 0; i < rows->accelerator_count; i++)
		accelerator_names += rows->accelerators[i].aliases.count;
	for (size_t i = 0; i < rows->model_count; i++)
		model_names += rows->models[i].aliases.count + 1; /* 1: its repository */
	catalogue->index = ARENA_NEW(arena, struct catalogue_index);
	return catalogue->index && name_table_init(&catalogue->index->accelerators, arena, accelerator_names) &&
		name_table_init(&catalogue->index->models, arena, model_names) &&
		name_table_init(&catalogue->index->prices, arena, rows->price_count) &&
		name_table_init(&catalogue->index->regions, arena, rows->region_count);
}

static void fill(const char **key)
{
	if (!*key)
		*key = "";
}

void price_row_fill_keys(struct price_row *row)
{
	fill(&row->provider);
	fill(&row->instance_type);
	fill(&row->accelerator_id);
}

/* Users' rows may lack a key that the index compares. They get an empty key, which matches nothing. */
static void fill_keys(struct catalogue_rows *rows)
{
	for (size_t i = 0; i < rows->price_count; i++)
		price_row_fill_keys(&rows->prices[i]);
	for (size_t i = 0; i < rows->region_count; i++) {
		fill(&rows->regions[i].provider);
		fill(&rows->regions[i].region_id);
	}
	for (size_t i = 0; i < rows->calibration_count; i++) {
		fill(&rows->calibrations[i].accelerator_id);
		fill(&rows->calibrations[i].quantity);
	}
}

static enum status build(struct catalogue *catalogue, struct failure *failure)
{
	fill_keys(&catalogue->rows);
	sort_rows(&catalogue->rows);
	for (size_t i = 0; i < catalogue->rows.model_count; i++) {
		enum status status = read_model(&catalogue->arena, &catalogue->rows.models[i], failure);

		if (status != STATUS_OK)
			return status;
	}
	if (!make_tables(catalogue))
		return failure_set(failure, STATUS_NO_MEMORY, "the catalogue is too large");
	if (!index_names(catalogue))
		return failure_set(failure, STATUS_CONFLICT, "two catalogue rows have one id");
	if (!index_regions(catalogue) || !index_offers(catalogue))
		return failure_set(failure, STATUS_NO_MEMORY, "the catalogue is too large");
	return STATUS_OK;
}

struct catalogue *catalogue_new(struct arena *arena, const struct catalogue_rows *rows, int64_t revision, int64_t calibration_revision,
	int64_t as_of_us, struct failure *failure)
{
	struct catalogue *catalogue = calloc(1, sizeof *catalogue);

	if (!catalogue) {
		failure_set(failure, STATUS_NO_MEMORY, "no memory for the catalogue");
		arena_release(arena);
		return NULL;
	}
	catalogue->rows = *rows;
	catalogue->arena = *arena;
	arena_init(arena, arena->maximum_bytes);
	catalogue->revision = revision;
	catalogue->calibration_revision = calibration_revision;
	catalogue->as_of_us = as_of_us;
	atomic_init(&catalogue->references, 1);
	if (build(catalogue, failure) != STATUS_OK) {
		catalogue_release(catalogue);
		return NULL;
	}
	return catalogue;
}

struct catalogue *catalogue_retain(struct catalogue *catalogue)
{
	atomic_fetch_add_explicit(&catalogue->references, 1, memory_order_relaxed);
	return catalogue;
}

void catalogue_release(struct catalogue *catalogue)
{
	if (!catalogue || atomic_fetch_sub_explicit(&catalogue->references, 1, memory_order_acq_rel) != 1)
		return;
	if (catalogue->change)
		catalogue_change_release(catalogue->change);
	arena_release(&catalogue->arena);
	free(catalogue);
}

/* Finds a name and sets *alias as the header states: the alias that matched, NULL for an id. */
static const struct name_slot *look_up(const struct name_table *table, const char *name, const char **alias)
{
	const struct name_slot *slot = name_table_find(table, name);

	if (alias)
		*alias = slot && slot->alias ? slot->name : NULL;
	return slot;
}

const struct accelerator_row *catalogue_accelerator(const struct catalogue *catalogue, const char *name, const char **alias)
{
	const struct name_slot *slot = look_up(&catalogue->index->accelerators, name, alias);

	return slot ? &catalogue->rows.accelerators[slot->row] : NULL;
}

const struct model_row *catalogue_model(const struct catalogue *catalogue, const char *name, const char **alias)
{
	const struct name_slot *slot = look_up(&catalogue->index->models, name, alias);

	return slot ? &catalogue->rows.models[slot->row] : NULL;
}

const struct price_row *catalogue_price(const struct catalogue *catalogue, const char *id)
{
	const struct price_row *changed;
	const struct name_slot *slot;

	if (catalogue->change && catalogue_change_price(catalogue->change, id, &changed))
		return changed;
	slot = name_table_find(&catalogue->index->prices, id);

	return slot ? &catalogue->rows.prices[slot->row] : NULL;
}

const struct region_row *catalogue_region(const struct catalogue *catalogue, const char *id)
{
	const struct name_slot *slot = name_table_find(&catalogue->index->regions, id);

	return slot ? &catalogue->rows.regions[slot->row] : NULL;
}
