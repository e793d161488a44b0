/* Calibrations: computes calibrations of an accelerator, and the catalogue row of a CPU, from the figures of a benchmark.
 *
 * Only trusted figures become calibrations: verified, with a median known within 15 % (E149) and without a trend (E150),
 * not throttled, and of memory, not of a cache. For compute only products of a library count: our own kernel shows less
 * than the device can do, an issue rate more. A figure above the catalogue's peak makes the peak suspect and gives no
 * calibration. Each rejected figure is reported with the reason. Products calibrate their class of size
 * (planner/hardware/accelerator.h), and the products of a plan calibrate that plan too. Each implies the ceiling of
 * unlimited products (E121). Plans later choose among all calibrations (planner/measurement/evidence.h).
 *
 * The catalogue has the peak of a GPU. The row of a CPU is made of measurements: its peak is the issue rate, its
 * bandwidth is the fastest stream. A peak is an upper bound: of an older measured row and a new figure the higher one
 * counts. Figures that other work disturbed may make the row, because they are only lower. Pure. */
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
	const char *plan_id;                       /* the plan whose products were measured; NULL: none */
	const struct accelerator_row *accelerator; /* the device's row in the catalogue; NULL: none */
	bool row_stands;                           /* measurements must not change the row */
	int64_t now_us;
};

struct bench_refusal {
	const char *quantity;
	char reason[160];
};

struct bench_calibrations {
	bool has_accelerator; /* the row is new or changed: store it with the calibrations */
	struct accelerator_row accelerator;
	size_t count, refused;
	struct calibration_row rows[BENCH_CALIBRATIONS_MAX];
	struct bench_refusal refusals[BENCH_CALIBRATIONS_MAX];
};

/* True if the later of two measures replaces the earlier one. The worker repeats unstable measures, and measures twice
 * what corrects plans. */
bool bench_measures_same_work(const struct bench_line_measure *a, const struct bench_line_measure *b);

/* Computes the calibrations. Text lives in the arena. STATUS_NO_MEMORY when it is exhausted. */
FALLIBLE enum status bench_calibrate(
	const struct bench_evidence *evidence, struct arena *arena, struct bench_calibrations *calibrations, struct failure *failure);

#endif
