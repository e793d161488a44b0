/* What is believed of measurements: figures that no device can show fail their benchmark, whoever delivers them, and figures that an
 * agent's key delivers out of range are held until an admin or a device of another key speaks for them (planner/measurement/trust.h). Pure. */
#ifndef FLEETPLAN_SERVICE_BENCH_TRUST_H
#define FLEETPLAN_SERVICE_BENCH_TRUST_H

#include "agent/job.h"
#include "agent/job_calibrations.h"

/* Who delivers a result, and what else is known. */
struct bench_bearer {
	const char *key_id;                /* of the agent's key; NULL: the daemon's own worker, or an admin: nothing is held */
	const struct catalogue *catalogue; /* of now; with a key_id */
};

/* What ends the id of a calibration that is held: beside it the device's accepted one stays. */
#define BENCH_HELD_SUFFIX ".held"

/* Whether a figure is beyond what the device can do by its catalogue row (NULL: it has none; a row that was itself measured bounds nothing), with a
 * sentence that names it. */
bool bench_is_impossible(const struct bench_job *job, const struct accelerator_row *accelerator, char *detail, size_t size);

/* Whether the row of a CPU may be made or changed by this bearer: where there is none, and a row that the same device made, by a fifth at most. */
bool bench_may_make_row(const struct bench_bearer *bearer, const struct bench_line_device *device, const struct accelerator_row *before,
	const struct accelerator_row *after);

/* Marks what is held, takes out what would be more than one key may have, and signs the rest with the key. Text lives in the arena. */
FALLIBLE enum status bench_hold(const struct bench_bearer *bearer, const struct accelerator *accelerator, struct arena *arena,
	struct bench_calibrations *calibrations);

#endif
