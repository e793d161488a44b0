/* The answer of a plan in two or three sentences, with the figures that they contain. */
#ifndef FLEETPLAN_PLANNER_PLAN_SUMMARY_H
#define FLEETPLAN_PLANNER_PLAN_SUMMARY_H

#include <stdint.h>

struct training_option;
struct inference_option;

/* A figure of the recommended option: the plan's value, and p10 and p90 of its interval. Absent: not known. */
struct summary_figure {
	double value, low, high;
};

enum { SUMMARY_TEXT_MAX = 800 };

struct summary {
	char text[SUMMARY_TEXT_MAX];
	const char *accelerator;                           /* id */
	int64_t gpu_count;                                 /* in use */
	int64_t gpus_paid;                                 /* with spares and the rest of whole instances; >= gpu_count */
	int64_t replicas;                                  /* of a service; absent: a training */
	struct summary_figure wall_clock_hours, total_usd; /* of a training */
	struct summary_figure usd_per_month;               /* of a service */
	struct summary_figure total_kwh, total_kgco2e;     /* of a training, or of a service in a month */
};

enum { ALTERNATIVE_REASON_MAX = 160 };

/* Another option beside the recommended one, in short. */
struct alternative {
	const char *accelerator;       /* id */
	const char *provider, *region; /* of the offer; NULL: no offer */
	int64_t gpu_count;
	int64_t replicas;                              /* of a service; absent: a training */
	double wall_clock_hours, gpu_hours, total_usd; /* of a training */
	double usd_per_month;                          /* of a service */
	double total_kwh, total_kgco2e;                /* of a training, or of a service in a month */
	char reason[ALTERNATIVE_REASON_MAX];
	const struct training_option *training; /* the whole option; NULL: a service */
	const struct inference_option *service;
};

#endif
