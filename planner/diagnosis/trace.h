/* From a profiler's events to the timings of a step (E80, E81): which event is what, and what the device did when.
 *
 * Sets of intervals lie in memory of the caller. Times are microseconds, as in the trace. */
#ifndef FLEETPLAN_PLANNER_DIAGNOSIS_TRACE_H
#define FLEETPLAN_PLANNER_DIAGNOSIS_TRACE_H

#include "planner/diagnosis/diagnosis.h"
#include "planner/diagnosis/intervals.h"

/* What may be under way at a moment. */
enum activity {
	ACTIVITY_PRODUCT,        /* kernels that compute: matrix products, attention, convolutions, and what is not known */
	ACTIVITY_TRAFFIC,        /* kernels that wait for memory */
	ACTIVITY_COMMUNICATION,  /* kernels of NCCL and its like */
	ACTIVITY_HOST_TO_DEVICE,
	ACTIVITY_OTHER_COPY,     /* other copies and fills */
	ACTIVITY_HOST,           /* operators and launches on the CPU */
	ACTIVITY_HOST_COLLECTIVE, /* collectives there: the issuing of kernels like HOST, or without kernels the communication itself */
	ACTIVITY_SYNCHRONISE,    /* the CPU waits for the device */
	ACTIVITY_LOADER,         /* the CPU waits for samples */
	ACTIVITY_QUEUED,         /* a kernel or copy was issued and has not begun: what holds it back is on the device */
	ACTIVITY_COUNT
};

enum event_kind {
	EVENT_IGNORED, EVENT_KERNEL, EVENT_COPY, EVENT_HOST, EVENT_STEP, EVENT_KIND_COUNT
};

/* What an event is, by its category and name. Given: cat and name ("" where there is none), whether it lies on a device by its
 * process. Returned: its kind; *activity unless it is ignored or a step; *step the number of a ProfilerStep#N.
 * Source: PyTorch's Kineto, libkineto/src/output_json.cpp and ActivityType.cpp (categories), and the older profiler's. */
enum event_kind trace_event_kind(const char *category, const char *name, bool on_device, enum activity *activity, double *step);

/* Whether an event of the host is a call that starts kernels or copies, by its name; *graph: it starts those of a whole graph.
 * Source: the runtime's and driver's interfaces of CUDA and HIP. */
bool trace_event_is_launch(const char *name, bool *graph);

/* E80. The stretch in which a kernel or copy was held back on the device although it was issued. Given: when its call returned, when it
 * began, both in microseconds. Returned: false when there is none: it began as soon as it was issued. */
bool trace_queued(double called_us, double started_us, struct span *queued);

/* A step's window on the host's clock. */
struct step_window {
	double step;
	struct span window;
};

/* Everything of a trace that counts. The sets need not be settled. */
struct traced {
	struct intervals sets[ACTIVITY_COUNT];
	struct step_window *steps; /* in any order; sorted by trace_timings */
	size_t step_count;
	struct span all;       /* from the first event to the last one's end */
	double device_end;     /* end of the last kernel or copy */
	double kernels;
	double launches;       /* of them, copies included, whose calls are known: then ACTIVITY_QUEUED tells who waits for whom */
};

/* E80. Splits every window by what is under way (a sweep over all sets at once; the first of: computing, communication, copies
 * to the device, other copies, waiting for samples, the host issuing work; else idle), and fills diagnosis->trace's steps
 * and window_ms and *mean, the timings of a mean step. A step reaches to the next one's start, the last one to the end of the
 * device's work; without steps everything is one. Gaps of the host below 50 us between operators are the interpreter on its
 * way to the next one. Where launches are known, an idle moment in which something was queued is the device's own (device_wait_ms;
 * below 10 us it is the passing from kernel to kernel, a launch gap), and the host is at it through gaps of 1 ms. Valid: at most TRACE_STEPS_MAX steps. Returned: false when nothing in it takes time. */
bool trace_timings(struct traced *traced, struct trace_summary *summary, struct step_timings *mean);

#endif
