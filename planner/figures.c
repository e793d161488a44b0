#include "planner/figures.h"

#include <string.h>

void figures_add(struct figures *figures, struct figure figure)
{
	if (!is_given(figure.value))
		return;
	CHECK(figures->count < FIGURES_MAX);
	figure.low = fmin(given_or(figure.low, figure.value), figure.value);
	figure.high = fmax(given_or(figure.high, figure.value), figure.value);
	if (figure.status == PROVENANCE_UNSET)
		figure.status = PROVENANCE_DEFAULT;
	figures->items[figures->count++] = figure;
}

const struct figure *figures_find(const struct figures *figures, const char *field)
{
	for (size_t i = 0; i < figures->count; i++)
		if (strcmp(figures->items[i].field, field) == 0)
			return &figures->items[i];
	return NULL;
}

void provenance_add(
	struct provenance *list, size_t *count, const char *pointer, struct interval range, enum provenance_status status, const char *source)
{
	if (!is_given(range.p10) || !is_given(range.p90))
		return;
	CHECK(*count < PROVENANCES_MAX && isfinite(range.p10) && isfinite(range.p90) && range.p10 <= range.p90);
	list[(*count)++] = (struct provenance){.pointer = pointer, .low = range.p10, .high = range.p90, .source = source, .status = status};
}
