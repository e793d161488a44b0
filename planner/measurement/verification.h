/* Judges a plan by its benchmark: predicted beside measured times, and a verdict (E124). Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_VERIFICATION_H
#define FLEETPLAN_PLANNER_MEASUREMENT_VERIFICATION_H

#include "base/given.h"

enum verification_verdict {
	VERIFICATION_UNSET,     /* the benchmark measured nothing that the plan predicts */
	VERIFICATION_CONFIRMED, /* 0.9 to 1.1 of the predicted time */
	VERIFICATION_ADJUSTED,  /* 0.75 to 1.33: planned again with the measured figures */
	VERIFICATION_REFUTED,   /* outside: see the dominant term */
	VERIFICATION_VERDICT_COUNT
};

#define VERIFICATION_CONFIRMED_LOW  0.9
#define VERIFICATION_CONFIRMED_HIGH 1.1
#define VERIFICATION_ADJUSTED_LOW   0.75
#define VERIFICATION_ADJUSTED_HIGH  1.33

enum { VERIFICATION_TERMS_MAX = 10 };

/* One term of the prediction. `ratio` is of times, whatever the unit: above 1 the measurement is slower than
 * predicted. */
struct verification_term {
	const char *name; /* compute, attention, memory_bandwidth, launch_overhead, host_transfer, communication, input */
	const char *unit; /* s, bytes_per_s, flops_per_s */
	double predicted, measured, ratio;
};

struct verification_terms {
	struct verification_term *items;
	size_t count;
};

/* The plan after planning again with the measured figures, and its changes; absent figures were not planned. */
struct verification_replan {
	double gpu_count, gpu_count_change, usd, usd_change; /* usd: of the training, or of a month of the service */
};

struct verification {
	const char *benchmark_id, *accelerator, *device;
	const char *what; /* "block": a transformer block's step; "products": the plan's products, each as often as in a step */
	double predicted_s, measured_s, ratio;
	enum verification_verdict verdict;
	const char *dominant; /* name of the term with the largest |log ratio|; NULL: confirmed, or there are no terms */
	struct verification_terms terms;
	double calibrated_s, calibrated_ratio; /* predicted again with the figures of this run; measured time over that */
	bool has_replanned;
	struct verification_replan replanned;
	const char *not_replanned; /* why a plan that is not confirmed was not planned again; NULL: it was */
	int64_t measured_at_us;
	struct verification_term room[VERIFICATION_TERMS_MAX]; /* memory for terms */
};

/* E124. Returns the verdict of measured over predicted time: both bounds belong to the better verdict; NaN: UNSET.
 * Case: tests/planner/test_measurement.c. */
enum verification_verdict verification_verdict_of(double ratio);

/* Adds a term, unless one of its figures is absent or not above 0. `is_rate`: more is faster. */
void verification_add(struct verification *verification, const char *name, const char *unit, double predicted, double measured, bool is_rate);

/* E124. Computes ratio and verdict of the whole and, unless it is confirmed, the dominant term.
 * Given:    verification: predicted_s, measured_s, calibrated_s, s, and its terms.
 * Returned: ratio, calibrated_ratio (NaN where a time is missing), verdict, dominant.
 * Case:     tests/planner/test_measurement.c. */
void verification_conclude(struct verification *verification);

#endif
