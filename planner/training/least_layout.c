#include "planner/training/least_layout.h"

#include "planner/training/search.h"

enum {
	SCANNED_EACH = 64,
	SCANNED_STEP = 8
}; /* up to SCANNED_EACH each number is tried; above it machines of SCANNED_STEP, then each number of the last one */

struct found least_layout(struct setting *setting, int64_t gpu_count, const struct parallelism *pins)
{
	struct layout_search search = {.setting = setting, .gpu_count = gpu_count, .pins = *pins, .leanest = true};
	double batch = setting->batch;

	setting->batch = (double)gpu_count * fmax(1, (double)pins->micro_batch);
	layout_search(&search);
	setting->batch = batch;
	search.least.fits = search.least.any && search.least.memory.total_bytes <= search.least.memory.capacity_bytes;
	return search.least;
}

static int64_t divisor_of(const struct parallelism *pins)
{
	return (pins->tensor > 0 ? pins->tensor : 1) * (pins->pipeline > 0 ? pins->pipeline : 1) * (pins->data > 0 ? pins->data : 1) *
		(pins->context > 0 ? pins->context : 1);
}

static bool layout_fits(struct setting *setting, int64_t gpu_count, const struct parallelism *pins)
{
	return least_layout(setting, gpu_count, pins).fits;
}

/* Doubles until a number fits, then tries the numbers above its half one by one, or machine by machine. */
int64_t least_gpu_count(struct setting *setting, const struct parallelism *pins)
{
	int64_t unit = divisor_of(pins), enough = unit, step, below;

	while (!layout_fits(setting, enough, pins)) {
		if (enough > SEARCH_GPUS_MAX / 2)
			return ABSENT_COUNT;
		enough *= 2;
	}
	step = enough > SCANNED_EACH && unit < SCANNED_STEP ? SCANNED_STEP / unit * unit : unit;
	while (step * SCANNED_EACH < enough)
		step *= 2; /* for thousands of accelerators the scan uses larger steps */
	for (int64_t count = enough / 2 + step; count < enough; count += step)
		if (layout_fits(setting, count, pins)) {
			enough = count;
			break;
		}
	for (below = enough - unit; step > unit && below > enough - step && below > 0 && layout_fits(setting, below, pins); below -= unit)
		;
	return step > unit ? below + unit : enough;
}
