#include "service/calibration_drift.h"

#include <string.h>

#include "planner/measurement/evidence.h"

static bool has_baseline(const struct calibration_row *row)
{
	return row->device_id && !row->plan_id && is_given(row->baseline) && row->baseline > 0 && row->value > 0;
}

static bool same_series(const struct calibration_row *a, const struct calibration_row *b)
{
	return strcmp(a->accelerator_id, b->accelerator_id) == 0 && strcmp(a->quantity, b->quantity) == 0 && a->precision == b->precision &&
		(a->class == b->class || (a->class && b->class && strcmp(a->class, b->class) == 0));
}

/* True if an earlier row belongs to the same series. */
static bool is_begun(const struct catalogue_rows *rows, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (has_baseline(&rows->calibrations[i]) && same_series(&rows->calibrations[i], &rows->calibrations[index]))
			return true;
	return false;
}

void calibration_drift_write(const struct catalogue *catalogue, const char *metric, struct buffer *out)
{
	const struct catalogue_rows *rows = &catalogue->rows;
	double ratios[EVIDENCE_DEVICES_MAX];
	size_t series = 0;

	for (size_t i = 0; i < rows->calibration_count && series < CALIBRATION_DRIFT_SERIES_MAX; i++) {
		const struct calibration_row *first = &rows->calibrations[i];
		size_t count = 0;

		if (!has_baseline(first) || is_begun(rows, i))
			continue;
		for (size_t k = i; k < rows->calibration_count && count < EVIDENCE_DEVICES_MAX; k++)
			if (has_baseline(&rows->calibrations[k]) && same_series(first, &rows->calibrations[k]))
				ratios[count++] = rows->calibrations[k].value / rows->calibrations[k].baseline;
		buffer_printf(out, "%s{accelerator=\"%s\",quantity=\"%s\",precision=\"%s\",class=\"%s\"} %.9g\n", metric, first->accelerator_id,
			first->quantity, precision_name(first->precision), first->class ? first->class : "", evidence_median(ratios, count));
		series++;
	}
}
