/* From measured figures to what corrects plans: calibrations of an accelerator, and a CPU's own catalogue row.
 *
 * Only figures that can be trusted calibrate: verified, with a median known within 15 % (E149) and no trend (E150), not throttled, of memory and not of a cache, and for
 * compute of a library's product alone (an own kernel shows less than the device can do, an issue rate more). A figure
 * above the catalogue's peak makes the peak suspect and calibrates nothing. What does not calibrate is told with the reason.
 * Products calibrate by class of size (planner/hardware/accelerator.h), and those of a plan that plan too; each speaks for the ceiling of
 * unlimited products (E121). Whether plans use what was made here is judged later, among all figures (planner/measurement/evidence.h).
 *
 * A GPU's peak stands in the catalogue. A CPU's does not, so its row is made of measurements: the issue rate is its peak, the
 * fastest stream its bandwidth. A peak is an upper bound: a row measured before keeps the higher of both, and figures that
 * other work disturbed, which only makes them lower, may make the row. Pure. */
#ifndef FLEETPLAN_AGENT_JOB_CALIBRATIONS_H
#define FLEETPLAN_AGENT_JOB_CALIBRATIONS_H

#include "api/bench_protocol.h"
#include "hwdb/catalogue/catalogue.h"

enum { BENCH_MEASURES_MAX = 128, BENCH_CALIBRATIONS_MAX = 48 };

struct bench_evidence {
	const char *benchmark_id;
	struct bench_line_device device;
	const struct bench_line_measure *measures;
	size_t measure_count;
	const struct bench_line_fit *fits;
	size_t fit_count;
	const char *plan_id; /* whose products were measured; NULL: no plan's */
	const struct accelerator_row *accelerator; /* the device's row in the catalogue; NULL: has none */
	bool row_stands; /* it is not to be changed by what was measured */
	int64_t now_us;
};

struct bench_refusal {
	const char *quantity;
	char reason[160];
};

struct bench_calibrations {
	bool has_accelerator; /* the row was made or changed, and is to be stored with the calibrations */
	struct accelerator_row accelerator;
	size_t count, refused;
	struct calibration_row rows[BENCH_CALIBRATIONS_MAX];
	struct bench_refusal refusals[BENCH_CALIBRATIONS_MAX];
};

/* Whether the later of two stands in for the earlier: the worker repeats what was unstable, and measures twice what corrects plans. */
bool bench_measures_same_work(const struct bench_line_measure *a, const struct bench_line_measure *b);

/* Text lives in the arena. STATUS_NO_MEMORY when that is exhausted. */
FALLIBLE enum status bench_calibrate(const struct bench_evidence *evidence, struct arena *arena,
	struct bench_calibrations *calibrations, struct failure *failure);

#endif
