/* Measured figures that may correct plans, and the choice among them (E122, E123).
 *
 * The catalogue keeps every figure. A plan uses a figure only if it is reliable: measured in the right way, at most 90
 * days old, in agreement with its own repetition and with other devices of the same accelerator. A plan takes the figure
 * of its own work, else the median of the fleet, else the published prior. Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_EVIDENCE_H
#define FLEETPLAN_PLANNER_MEASUREMENT_EVIDENCE_H

#include "planner/hardware/accelerator.h"

enum quantity {
	QUANTITY_UNSET,
	QUANTITY_GEMM_EFFICIENCY,    /* of the dense peak; by method library_gemm only */
	QUANTITY_MEMORY_EFFICIENCY,  /* of the catalogue's bandwidth */
	QUANTITY_KERNEL_LAUNCH,      /* s */
	QUANTITY_HOST_LATENCY,       /* s */
	QUANTITY_HOST_RATE,          /* bytes/s */
	QUANTITY_COLLECTIVE_LATENCY, /* s */
	QUANTITY_COLLECTIVE_RATE,    /* bytes/s */
	QUANTITY_IDLE_POWER,         /* W */
	QUANTITY_LOAD_POWER,         /* W */
	QUANTITY_STORAGE_RATE,       /* bytes/s */
	QUANTITY_STACK_SPEED,        /* predicted over observed time of a step */
	QUANTITY_RUN_PRACTICE,       /* hours of a whole run over those of its plan's steps and failures (E134) */
	QUANTITY_COUNT
};
const char *quantity_name(enum quantity quantity); /* "kernel_launch_s"; "" for unset */
enum quantity quantity_of_name(const char *name);  /* QUANTITY_UNSET: unknown name */

enum standing {
	STANDING_USED,
	STANDING_METHOD,     /* not measured with a library's products: a bound that plans do not reach */
	STANDING_STALE,      /* older than EVIDENCE_DAYS, or a run older than EVIDENCE_RUN_DAYS */
	STANDING_REPETITION, /* its own repetition disagrees by more than EVIDENCE_DISAGREEMENT and twice its interval */
	STANDING_FLEET,      /* it is more than EVIDENCE_MADS deviations from the median of other devices */
	STANDING_HELD,       /* an agent's key delivered it, it is out of range (trust.h), and no device of another key agrees */
	STANDING_COUNT
};

#define EVIDENCE_DAYS         90.0
#define EVIDENCE_RUN_DAYS     730.0 /* of whole runs, which take weeks: about one generation of accelerators */
#define EVIDENCE_DISAGREEMENT 0.05
#define EVIDENCE_MADS         3.0
/* The least deviation, as a part of the median: devices that agree to the last digit have none. */
#define EVIDENCE_LEAST_MAD    0.01
enum { EVIDENCE_FLEET_LEAST = 3, EVIDENCE_DEVICES_MAX = 512 };

struct evidence {
	const char *id, *accelerator, *device;
	const char *plan_id; /* of the plan whose own work was measured; NULL: none */
	const char *class;   /* of products: product_class_name(), "plan"; of stack_speed: the stack; NULL: none */
	const char *method;
	const char *source; /* the source as the row states it; NULL: none */
	enum quantity quantity;
	enum precision precision;
	double value, low, high;
	double disagreement; /* of the later half of its repetitions with the earlier half; NaN: not repeated */
	int64_t measured_at_us;
	const char *held;   /* why it waits for an admin or for a device of another key; NULL: it does not wait */
	const char *bearer; /* id of the agent's key that delivered it; NULL: the daemon's own devices, or an admin */
};

/* E122. Decides whether plans may use one figure.
 * Given:    items, count: the figures of one or more accelerators; index: of the figure; now_us: time, us since 1970;
 *           why: buffer of `size` bytes, may be NULL.
 * Returned: its standing; why: a sentence that says what prevents its use, "" if nothing does.
 * Valid:    the fleet is compared where 3 or more usable figures of other devices exist.
 * Case:     tests/planner/test_measurement.c. */
enum standing evidence_standing(const struct evidence *items, size_t count, size_t index, int64_t now_us, char *why, size_t size);

struct evidence_wish {
	const char *accelerator, *class, *plan_id; /* class, plan_id: NULL where the quantity has none */
	enum quantity quantity;
	enum precision precision; /* PRECISION_UNSET: figures that have none */
};

struct evidence_choice {
	double value, low, high;
	double spread; /* median absolute deviation over the devices; 0 for one */
	int devices;
	bool of_plan; /* measured on the plan's own work */
	const struct evidence *newest;
	double age_days; /* of the newest */
};

/* E123. Chooses the figure that a plan uses: the median over the devices with usable figures, each with its newest.
 * Given:    items, count, now_us: as above; wish: the quantity, and the plan whose own figures are wanted (NULL: those of
 *           the fleet).
 * Returned: false when no figure is usable: the published prior applies. choice: the median, the lowest low and the
 *           highest high of the figures.
 * Case:     tests/planner/test_measurement.c. */
bool evidence_choose(
	const struct evidence *items, size_t count, const struct evidence_wish *wish, int64_t now_us, struct evidence_choice *choice);

/* evidence_median() reorders the values; NaN of none. evidence_deviation(), the median absolute deviation from
 * `median`, overwrites them. */
double evidence_median(double *values, size_t count);
double evidence_deviation(double *values, size_t count, double median);

#endif
