/* Measured figures that may correct plans, and which of them do (E122, E123).
 *
 * A figure is kept whatever it says, and used only where it can be trusted: got in the right way, not older than 90 days, agreeing with
 * its own repetition, and with other devices of the same accelerator. Of those that are used, a plan takes what was measured of its own
 * work, else the median of the fleet, else none: then the published prior stands. Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_EVIDENCE_H
#define FLEETPLAN_PLANNER_MEASUREMENT_EVIDENCE_H

#include "planner/hardware/accelerator.h"

enum quantity {
	QUANTITY_UNSET,
	QUANTITY_GEMM_EFFICIENCY,       /* of the dense peak; method library_gemm alone */
	QUANTITY_MEMORY_EFFICIENCY,     /* of the catalogue's bandwidth */
	QUANTITY_KERNEL_LAUNCH,         /* s */
	QUANTITY_HOST_LATENCY,          /* s */
	QUANTITY_HOST_RATE,             /* bytes/s */
	QUANTITY_COLLECTIVE_LATENCY,    /* s */
	QUANTITY_COLLECTIVE_RATE,       /* bytes/s */
	QUANTITY_IDLE_POWER,            /* W */
	QUANTITY_LOAD_POWER,            /* W */
	QUANTITY_STORAGE_RATE,          /* bytes/s */
	QUANTITY_STACK_SPEED,           /* predicted over observed time of a step */
	QUANTITY_RUN_PRACTICE,          /* hours of a whole run over those of its plan's steps and failures (E134) */
	QUANTITY_COUNT
};
const char *quantity_name(enum quantity quantity);      /* "kernel_launch_s"; "" for unset */
enum quantity quantity_of_name(const char *name);       /* QUANTITY_UNSET: none of these */

enum standing {
	STANDING_USED,
	STANDING_METHOD,     /* not by a library's products: a bound, and not what a plan reaches */
	STANDING_STALE,      /* older than EVIDENCE_DAYS */
	STANDING_REPETITION, /* its own repetition disagrees by more than EVIDENCE_DISAGREEMENT and twice its interval */
	STANDING_FLEET,      /* other devices disagree: more than EVIDENCE_MADS deviations from their median */
	STANDING_HELD,       /* an agent's key delivered it, it is out of range (trust.h), and no device of another key agrees */
	STANDING_COUNT
};

#define EVIDENCE_DAYS 90.0
#define EVIDENCE_RUN_DAYS 730.0 /* of whole runs, which take weeks: about a generation of accelerators */
#define EVIDENCE_DISAGREEMENT 0.05
#define EVIDENCE_MADS 3.0
/* Devices that agree to the last digit have no deviation: below this part of the median it counts as this. */
#define EVIDENCE_LEAST_MAD 0.01
enum { EVIDENCE_FLEET_LEAST = 3, EVIDENCE_DEVICES_MAX = 512 };

struct evidence {
	const char *id, *accelerator, *device;
	const char *plan_id; /* whose own work was measured; NULL: none's */
	const char *class;   /* of products: product_class_name(), "plan"; of stack_speed: the stack; NULL: has none */
	const char *method;
	const char *source;  /* the row's own words; NULL: none */
	enum quantity quantity;
	enum precision precision;
	double value, low, high;
	double disagreement; /* of the later half of its repetitions with the earlier; NaN: there was none */
	int64_t measured_at_us;
	const char *held;    /* why it waits for an admin or for a device of another key; NULL: it does not */
	const char *bearer;  /* id of the agent's key that delivered it; NULL: the daemon's own devices, or an admin */
};

/* E122. How one figure stands among all: given the figures of one or more accelerators, and now. `why` (may be NULL) tells in a sentence what
 * keeps it from being used, "" when nothing does. */
enum standing evidence_standing(const struct evidence *items, size_t count, size_t index, int64_t now_us, char *why, size_t size);

struct evidence_wish {
	const char *accelerator, *class, *plan_id; /* class, plan_id: NULL where the quantity has none */
	enum quantity quantity;
	enum precision precision; /* PRECISION_UNSET: of figures that have none */
};

struct evidence_choice {
	double value, low, high;
	double spread;       /* median absolute deviation over the devices; 0 for one */
	int devices;
	bool of_plan;        /* the plan's own work was measured */
	const struct evidence *newest;
	double age_days;     /* of the newest */
};

/* E123. The plan's own figure where there is one that is used, else the median over devices. False: the prior stands. */
bool evidence_choose(const struct evidence *items, size_t count, const struct evidence_wish *wish, int64_t now_us, struct evidence_choice *choice);

/* Median, which reorders; NaN of none. Median absolute deviation from `median`, which overwrites. */
double evidence_median(double *values, size_t count);
double evidence_deviation(double *values, size_t count, double median);

#endif
