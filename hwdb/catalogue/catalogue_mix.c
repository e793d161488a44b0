#include "hwdb/catalogue/catalogue_mix.h"

#include <stddef.h>
#include <string.h>

#include "hwdb/catalogue/catalogue_change.h"

enum { MIX_MAX_BYTES = 256 * 1024 * 1024 };

/* The place of a part's rows, and of the members that identify a row. */
struct part {
	const char *name;
	size_t items, count;   /* offsets in struct catalogue_rows */
	size_t size, id, meta; /* size of a row; offsets in it */
};

#define PART(rows, number, type, id_) \
	{ \
#rows, offsetof(struct catalogue_rows, rows), offsetof(struct catalogue_rows, number), sizeof(struct type), \
			offsetof(struct type, id_), offsetof(struct type, meta) \
	}

static const struct part parts[CATALOGUE_PART_COUNT] = {
	[CATALOGUE_ACCELERATORS] = PART(accelerators, accelerator_count, accelerator_row, accelerator.id),
	[CATALOGUE_MODELS] = PART(models, model_count, model_row, id),
	[CATALOGUE_REGIONS] = PART(regions, region_count, region_row, id),
	[CATALOGUE_CALIBRATIONS] = PART(calibrations, calibration_count, calibration_row, id),
	[CATALOGUE_PRICES] = PART(prices, price_count, price_row, id),
};

const char *catalogue_part_name(enum catalogue_part part)
{
	return parts[part].name;
}

static size_t count_of(const struct catalogue_rows *rows, const struct part *part)
{
	size_t count;

	memcpy(&count, (const char *)rows + part->count, sizeof count);
	return count;
}

static const char *row_at(const struct catalogue_rows *rows, const struct part *part, size_t index)
{
	const char *items;

	memcpy(&items, (const char *)rows + part->items, sizeof items);
	return items + index * part->size;
}

static const char *id_at(const struct catalogue_rows *rows, const struct part *part, size_t index)
{
	const char *id;

	memcpy(&id, row_at(rows, part, index) + part->id, sizeof id);
	return id;
}

static int64_t revision_at(const struct catalogue_rows *rows, const struct part *part, size_t index)
{
	return ((const struct row_meta *)(const void *)(row_at(rows, part, index) + part->meta))->revision;
}

static void note(struct catalogue_change *change, size_t *kind, const char *id)
{
	size_t noted = change->added + change->changed + change->removed;

	if (noted < CATALOGUE_CHANGE_NAMES)
		change->names[noted] = id;
	(*kind)++;
}

/* Compares each row with each: calibrations are few, and not sorted by id. */
static void compare_unordered(
	const struct catalogue_rows *before, const struct catalogue_rows *after, const struct part *part, struct catalogue_change *change)
{
	size_t old_count = count_of(before, part), new_count = count_of(after, part);

	for (size_t i = 0; i < new_count; i++) {
		size_t old = 0;

		while (old < old_count && strcmp(id_at(before, part, old), id_at(after, part, i)) != 0)
			old++;
		if (old == old_count)
			note(change, &change->added, id_at(after, part, i));
		else if (revision_at(before, part, old) != revision_at(after, part, i))
			note(change, &change->changed, id_at(after, part, i));
	}
	for (size_t i = 0; i < old_count; i++) {
		size_t new = 0;

		while (new < new_count && strcmp(id_at(after, part, new), id_at(before, part, i)) != 0)
			new ++;
		if (new == new_count)
			note(change, &change->removed, id_at(before, part, i));
	}
}

static void compare_ordered(
	const struct catalogue_rows *before, const struct catalogue_rows *after, const struct part *part, struct catalogue_change *change)
{
	size_t old_count = count_of(before, part), new_count = count_of(after, part), old = 0, new = 0;

	while (old < old_count || new < new_count) {
		int order = old == old_count ? 1 : new == new_count ? -1 : strcmp(id_at(before, part, old), id_at(after, part, new));

		if (order > 0)
			note(change, &change->added, id_at(after, part, new));
		else if (order < 0)
			note(change, &change->removed, id_at(before, part, old));
		else if (revision_at(before, part, old) != revision_at(after, part, new))
			note(change, &change->changed, id_at(after, part, new));
		old += order <= 0;
		new += order >= 0;
	}
}

void catalogue_compare(
	const struct catalogue *before, const struct catalogue *after, enum catalogue_part part, struct catalogue_change *change)
{
	const struct catalogue_rows *old = catalogue_rows_of(before), *new = catalogue_rows_of(after);

	*change = (struct catalogue_change){0};
	if (old && new)
		(part == CATALOGUE_CALIBRATIONS ? compare_unordered : compare_ordered)(old, new, &parts[part], change);
}

/* Copies the rows of one part, because catalogue_new() sorts them and reads models into them. */
static bool copy_rows(struct arena *arena, const struct catalogue_rows *from, const struct part *part, struct catalogue_rows *rows)
{
	size_t count = count_of(from, part);
	char *items = arena_alloc(arena, count + 1, part->size);

	if (!items)
		return false;
	if (count > 0)
		memcpy(items, row_at(from, part, 0), count * part->size);
	memcpy((char *)rows + part->items, &items, sizeof items);
	memcpy((char *)rows + part->count, &count, sizeof count);
	return true;
}

struct catalogue *catalogue_mix(
	const struct catalogue *before, const struct catalogue *after, unsigned parts_of_after, struct failure *failure)
{
	const struct catalogue *calibrated = parts_of_after & 1U << CATALOGUE_CALIBRATIONS ? after : before;
	struct catalogue_rows rows = {0};
	struct catalogue *mixed;
	struct arena arena;
	const struct catalogue_rows *old = catalogue_rows_of(before), *new = catalogue_rows_of(after);
	bool taken = old && new;

	arena_init(&arena, MIX_MAX_BYTES);
	for (size_t i = 0; i < CATALOGUE_PART_COUNT && taken; i++)
		taken = copy_rows(&arena, parts_of_after & 1U << i ? new : old, &parts[i], &rows);
	if (!taken)
		(void)failure_set(failure, STATUS_NO_MEMORY, "no memory for a second catalogue");
	mixed = taken ? catalogue_new(&arena, &rows, after->revision, calibrated->calibration_revision, before->as_of_us, failure) : NULL;
	if (!mixed)
		arena_release(&arena);
	return mixed;
}
