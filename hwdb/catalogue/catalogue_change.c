#include "hwdb/catalogue/catalogue_change.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hwdb/catalogue/catalogue_index.h"

enum { PATCHES_MAX = 512, PATCH_MAX_BYTES = 4 * 1024 * 1024, CHANGE_MAX_BYTES = 64 * 1024 * 1024 };

/* A price that differs from the snapshot that was built whole. Later snapshots share it. */
struct price_patch {
	_Atomic int references;
	struct arena arena;
	struct price_row row;
	bool removed;
};

/* The offers of one accelerator after a change. Later snapshots share them. */
struct shared_span {
	_Atomic int references;
	struct indexed_offer items[];
};

struct catalogue_delta {
	struct catalogue *base;       /* the snapshot that was built whole */
	struct price_patch **patches; /* sorted by id, ignoring letter case */
	size_t patch_count, price_count;
	struct shared_span **spans; /* by position of the accelerator's row; NULL: the offers of `base` */
	struct catalogue_rows rows;
	bool rows_made;
};

static const char *copy_text(struct arena *arena, const char *text, bool *whole)
{
	const char *copy = text ? arena_strdup(arena, text) : NULL;

	*whole = *whole && (copy || !text);
	return copy;
}

static bool copy_conflicts(struct arena *arena, const struct conflict_list *from, struct conflict_list *to)
{
	bool whole = true;

	*to = (struct conflict_list){ARENA_ARRAY(arena, struct conflict, from->count + 1), from->count};
	for (size_t i = 0; to->items && i < from->count; i++)
		to->items[i] = (struct conflict){copy_text(arena, from->items[i].field, &whole), from->items[i].value,
			copy_text(arena, from->items[i].source, &whole), copy_text(arena, from->items[i].source_date, &whole),
			copy_text(arena, from->items[i].note, &whole)};
	return to->items && whole;
}

static void patch_release(struct price_patch *patch)
{
	if (!patch || atomic_fetch_sub(&patch->references, 1) != 1)
		return;
	arena_release(&patch->arena);
	free(patch);
}

static struct price_patch *patch_new(const struct price_row *row, bool removed)
{
	struct price_patch *patch = calloc(1, sizeof *patch);
	bool whole = true;

	if (!patch)
		return NULL;
	atomic_init(&patch->references, 1);
	arena_init(&patch->arena, PATCH_MAX_BYTES);
	patch->removed = removed;
	if (removed) {
		patch->row.id = copy_text(&patch->arena, row->id, &whole);
	} else {
		const char **texts[] = {&patch->row.id, &patch->row.provider, &patch->row.instance_type, &patch->row.region,
			&patch->row.accelerator_id, &patch->row.pricing_model, &patch->row.as_of, &patch->row.notes, &patch->row.meta.origin,
			&patch->row.meta.source, &patch->row.meta.source_date};

		patch->row = *row;
		for (size_t i = 0; i < COUNT_OF(texts); i++)
			*texts[i] = copy_text(&patch->arena, *texts[i], &whole);
		whole = copy_conflicts(&patch->arena, &row->meta.conflicts, &patch->row.meta.conflicts) && whole;
		patch->row.meta.warnings.items = NULL;
		patch->row.meta.warnings.count = 0;
		price_row_fill_keys(&patch->row);
	}
	if (whole)
		return patch;
	patch_release(patch);
	return NULL;
}

static void span_release(struct shared_span *span)
{
	if (span && atomic_fetch_sub(&span->references, 1) == 1)
		free(span);
}

void catalogue_change_release(struct catalogue_delta *change)
{
	for (size_t i = 0; i < change->patch_count; i++)
		patch_release(change->patches[i]);
	for (size_t i = 0; change->spans && i < change->base->rows.accelerator_count; i++)
		span_release(change->spans[i]);
	free(change->rows_made ? change->rows.prices : NULL);
	catalogue_release(change->base);
}

/* Returns the position of the patch of an id, or the position at which to insert it. */
static size_t patch_place(const struct catalogue_delta *change, const char *id, bool *found)
{
	size_t low = 0, high = change ? change->patch_count : 0;

	*found = false;
	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcasecmp(change->patches[middle]->row.id, id);

		if (order == 0)
			*found = true;
		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool catalogue_change_price(const struct catalogue_delta *change, const char *id, const struct price_row **row)
{
	bool found;
	size_t place = patch_place(change, id, &found);

	if (found)
		*row = change->patches[place]->removed ? NULL : &change->patches[place]->row;
	return found;
}

/* Returns a new snapshot of the same rows. */
static struct catalogue *derive(struct catalogue *before)
{
	struct catalogue *base = before->change ? before->change->base : before;
	struct catalogue *fresh = calloc(1, sizeof *fresh);
	size_t accelerators = base->rows.accelerator_count, patches = before->change ? before->change->patch_count : 0;
	struct catalogue_delta *change;

	if (!fresh)
		return NULL;
	arena_init(&fresh->arena, CHANGE_MAX_BYTES);
	fresh->rows = base->rows;
	fresh->revision = before->revision;
	fresh->calibration_revision = before->calibration_revision;
	fresh->as_of_us = before->as_of_us;
	atomic_init(&fresh->references, 1);
	change = ARENA_NEW(&fresh->arena, struct catalogue_delta);
	fresh->index = ARENA_NEW(&fresh->arena, struct catalogue_index);
	if (change) {
		change->patches = ARENA_ARRAY(&fresh->arena, struct price_patch *, patches + 1);
		change->spans = ARENA_ARRAY(&fresh->arena, struct shared_span *, accelerators + 1);
	}
	if (fresh->index) {
		*fresh->index = *base->index;
		fresh->index->offers = ARENA_ARRAY(&fresh->arena, struct offer_span, accelerators + 1);
	}
	if (!change || !fresh->index || !change->patches || !change->spans || !fresh->index->offers) {
		arena_release(&fresh->arena);
		free(fresh);
		return NULL;
	}
	change->base = catalogue_retain(base);
	change->price_count = catalogue_price_count(before);
	change->patch_count = patches;
	memcpy(fresh->index->offers, before->index->offers, accelerators * sizeof *fresh->index->offers);
	for (size_t i = 0; i < patches; i++) {
		change->patches[i] = before->change->patches[i];
		atomic_fetch_add(&change->patches[i]->references, 1);
	}
	for (size_t i = 0; before->change && i < accelerators; i++) {
		change->spans[i] = before->change->spans[i];
		if (change->spans[i])
			atomic_fetch_add(&change->spans[i]->references, 1);
	}
	fresh->change = change;
	return fresh;
}

struct catalogue *catalogue_at(struct catalogue *before, int64_t as_of_us)
{
	struct catalogue *fresh = derive(before);

	if (fresh)
		fresh->as_of_us = as_of_us;
	return fresh;
}

/* Replaces the offers of an accelerator: without that of `gone` (NULL: none), with that of `added` (NULL: none). */
static bool change_offers(struct catalogue *catalogue, const char *accelerator_id, const struct price_row *gone, const struct price_row *added)
{
	const struct name_slot *slot = name_table_find(&catalogue->index->accelerators, accelerator_id);
	struct offer_span *span = slot ? &catalogue->index->offers[slot->row] : NULL;
	struct shared_span *fresh;

	if (!span)
		return true; /* the accelerator is not in the catalogue */
	fresh = malloc(sizeof *fresh + (span->count + 2) * sizeof *fresh->items);
	if (!fresh)
		return false;
	atomic_init(&fresh->references, 1);
	if (!offers_change(catalogue, span, gone, added, fresh->items)) {
		free(fresh);
		return false;
	}
	span_release(catalogue->change->spans[slot->row]);
	catalogue->change->spans[slot->row] = fresh;
	return true;
}

/* Replaces the offers of the old and the new accelerator, usually the same one. */
static bool change_price(struct catalogue *catalogue, const struct price_row *old, struct price_patch *patch)
{
	const struct price_row *added = patch->removed ? NULL : &patch->row;

	if (old && added && strcasecmp(old->accelerator_id, added->accelerator_id) == 0)
		return change_offers(catalogue, added->accelerator_id, old, added);
	return (!old || change_offers(catalogue, old->accelerator_id, old, NULL)) &&
		(!added || change_offers(catalogue, added->accelerator_id, NULL, added));
}

struct catalogue *catalogue_with_price(
	struct catalogue *before, const struct price_row *row, bool removed, int64_t revision, struct failure *failure)
{
	const struct price_row *old = catalogue_price(before, row->id);
	size_t patches = before->change ? before->change->patch_count : 0, place;
	struct price_patch *patch, **grown;
	struct catalogue *fresh;
	bool found;

	failure->status = STATUS_OK;
	if (patches >= PATCHES_MAX || (old && price_row_is_part(old)) || (!removed && price_row_is_part_of(row)))
		return NULL;
	patch = patch_new(row, removed);
	fresh = patch ? derive(before) : NULL;
	grown = fresh ? ARENA_ARRAY(&fresh->arena, struct price_patch *, patches + 2) : NULL;
	if (!grown || !change_price(fresh, old, patch)) {
		failure_set(failure, STATUS_NO_MEMORY, "no memory for the catalogue");
		patch_release(patch);
		catalogue_release(fresh);
		return NULL;
	}
	place = patch_place(fresh->change, row->id, &found);
	memcpy(grown, fresh->change->patches, place * sizeof(void *));
	grown[place] = patch;
	memcpy(grown + place + 1, fresh->change->patches + place + found, (patches - place - found) * sizeof(void *));
	if (found)
		patch_release(fresh->change->patches[place]);
	fresh->change->patches = grown;
	fresh->change->patch_count = patches + !found;
	fresh->change->price_count += (size_t)!removed - (size_t)(old != NULL);
	fresh->revision = revision;
	return fresh;
}

size_t catalogue_price_count(const struct catalogue *catalogue)
{
	return catalogue->change ? catalogue->change->price_count : catalogue->rows.price_count;
}

static int compare_price_ids(const void *a, const void *b)
{
	return strcmp(((const struct price_row *)a)->id, ((const struct price_row *)b)->id);
}

static bool make_rows(struct catalogue_delta *change)
{
	struct price_row *prices = malloc((change->price_count + 1) * sizeof *prices);
	size_t count = 0;

	if (!prices)
		return false;
	for (size_t i = 0; i < change->base->rows.price_count; i++) {
		const struct price_row *patched;

		if (!catalogue_change_price(change, change->base->rows.prices[i].id, &patched))
			prices[count++] = change->base->rows.prices[i];
	}
	for (size_t i = 0; i < change->patch_count; i++)
		if (!change->patches[i]->removed)
			prices[count++] = change->patches[i]->row;
	CHECK(count == change->price_count);
	if (count > 1)
		qsort(prices, count, sizeof *prices, compare_price_ids);
	change->rows = change->base->rows;
	change->rows.prices = prices;
	change->rows.price_count = count;
	change->rows_made = true;
	return true;
}

const struct catalogue_rows *catalogue_rows_of(const struct catalogue *catalogue)
{
	static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
	struct catalogue_delta *change = catalogue->change;
	bool made;

	if (!change)
		return &catalogue->rows;
	pthread_mutex_lock(&making);
	made = change->rows_made || make_rows(change);
	pthread_mutex_unlock(&making);
	return made ? &change->rows : NULL;
}
