/* Turns a profiler's events into the timings of a step (E80, E81): the kind of each event, and the device's activity at
 * each moment.
 *
 * The caller owns the memory of the sets of intervals. Times are microseconds, as in the trace. */
#ifndef FLEETPLAN_PLANNER_DIAGNOSIS_TRACE_H
#define FLEETPLAN_PLANNER_DIAGNOSIS_TRACE_H

#include "planner/diagnosis/diagnosis.h"
#include "planner/diagnosis/intervals.h"

/* Activities that can be under way at a moment. */
enum activity {
	ACTIVITY_PRODUCT,       /* kernels that compute: matrix products, attention, convolutions, and unknown kernels */
	ACTIVITY_TRAFFIC,       /* kernels that wait for memory */
	ACTIVITY_COMMUNICATION, /* kernels of NCCL and similar libraries */
	ACTIVITY_HOST_TO_DEVICE,
	ACTIVITY_OTHER_COPY,      /* other copies and fills */
	ACTIVITY_HOST,            /* operators and launches on the CPU */
	ACTIVITY_HOST_COLLECTIVE, /* collectives on the CPU: they issue kernels as HOST does; without kernels they are the communication itself */
	ACTIVITY_SYNCHRONISE,     /* the CPU waits for the device */
	ACTIVITY_LOADER,          /* the CPU waits for samples */
	ACTIVITY_QUEUED,          /* a kernel or copy was issued and has not begun: the device holds it back */
	ACTIVITY_COUNT
};

enum event_kind { EVENT_IGNORED, EVENT_KERNEL, EVENT_COPY, EVENT_HOST, EVENT_STEP, EVENT_KIND_COUNT };

/* E80. Classifies an event by its category and name.
 * Given:    category and name ("" where absent); on_device: its process is a device.
 * Returned: its kind; *activity unless the event is ignored or a step; *step: N of a ProfilerStep#N.
 * Source:   PyTorch's Kineto, libkineto/src/output_json.cpp and ActivityType.cpp (categories), and the older profiler's.
 * Case:     tests/planner/test_diagnosis.c. */
enum event_kind trace_event_kind(const char *category, const char *name, bool on_device, enum activity *activity, double *step);

/* True if the name of a host event is a call that starts kernels or copies; *graph: it starts a whole graph.
 * Source: the runtime's and driver's interfaces of CUDA and HIP. Case: tests/planner/test_diagnosis.c. */
bool trace_event_is_launch(const char *name, bool *graph);

/* E80. Computes the interval in which the device held back a kernel or copy that was issued: from 10 us after the call's
 * return to the start.
 * Given:    called_us: return of the call; started_us: start on the device, us.
 * Returned: false when there is none: the work began as soon as it was issued. *queued: the interval, us.
 * Case:     tests/planner/test_diagnosis.c. */
bool trace_queued(double called_us, double started_us, struct span *queued);

/* A step's window on the host's clock. */
struct step_window {
	double step;
	struct span window;
};

/* The parts of a trace that count. The sets need not be settled. */
struct traced {
	struct intervals sets[ACTIVITY_COUNT];
	struct step_window *steps; /* in any order; sorted by trace_timings */
	size_t step_count;
	struct span all;   /* from the start of the first event to the end of the last one */
	double device_end; /* end of the last kernel or copy */
	double kernels;
	double launches; /* kernels and copies whose calls are known; above 0, ACTIVITY_QUEUED is known */
};

/* E80. Splits every window by what is under way, in one sweep over all sets. A moment belongs to the first of:
 * computing, communication, copies to the device, other copies, the device waiting for itself, waiting for samples, the
 * host issuing work; else it is idle. A step reaches to the start of the next one, the last one to the end of the
 * device's work; without steps all is one window. Gaps of the host below 50 us between operators count as issuing. Where
 * launches are known, a moment with queued work and an idle device is the device's own wait (device_wait_ms; up to 10 us
 * it is the change from kernel to kernel, a launch gap), and gaps of the host up to 1 ms count as issuing.
 * Given:    traced, which is sorted and settled in place.
 * Returned: false when nothing in it takes time. summary: its steps and window_ms; mean: timings of a mean step, ms.
 * Valid:    at most TRACE_STEPS_MAX steps.
 * Case:     tests/planner/test_diagnosis.c. */
bool trace_timings(struct traced *traced, struct trace_summary *summary, struct step_timings *mean);

#endif
