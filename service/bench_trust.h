/* Trust in measurements. A figure that no device can reach fails its benchmark. A figure out of range that an agent's
 * key delivers is held until an admin accepts it or a device of another key confirms it
 * (planner/measurement/trust.h). Pure. */
#ifndef FLEETPLAN_SERVICE_BENCH_TRUST_H
#define FLEETPLAN_SERVICE_BENCH_TRUST_H

#include "agent/job.h"
#include "agent/job_calibrations.h"

/* The sender of a result. */
struct bench_bearer {
	const char *key_id;                /* of the agent's key; NULL: the daemon's own worker or an admin, whose figures are not held */
	const struct catalogue *catalogue; /* the current catalogue; required with a key_id */
};

/* Suffix of the id of a held calibration: the device's accepted calibration keeps its own id. */
#define BENCH_HELD_SUFFIX ".held"

/* True if a figure exceeds the limits of the device's catalogue row, or if the run took no time; `detail` names it.
 * `accelerator` NULL: the device has no row. A measured row is not a limit. */
bool bench_is_impossible(const struct bench_job *job, const struct accelerator_row *accelerator, char *detail, size_t size);

/* True if this sender may make or change the row of a CPU. With an agent's key: if there is no row, or if the same device
 * made it and its rates rise by a fifth at most. */
bool bench_may_make_row(const struct bench_bearer *bearer, const struct bench_line_device *device, const struct accelerator_row *before,
	const struct accelerator_row *after);

/* For results of an agent's key: sets delivered_by, marks the calibrations that are held, and removes those beyond the
 * number that one key may have (they become refusals). Text lives in the arena. */
FALLIBLE enum status bench_hold(
	const struct bench_bearer *bearer, const struct accelerator *accelerator, struct arena *arena, struct bench_calibrations *calibrations);

#endif
