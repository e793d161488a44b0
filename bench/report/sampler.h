/* A thread beside the work that asks the device's sensors five times a second, and what a window of the work took by them.
 *
 * Energy comes of the device's counter over windows of two seconds and more, and of polled power (trapezoids) where there is no
 * counter or it does not move; what it came of, and how far it can be trusted, is told with it. A sampler of NULL is a device
 * without sensors: everything may be asked of it, and it knows nothing. */
#ifndef FLEETPLAN_BENCH_REPORT_SAMPLER_H
#define FLEETPLAN_BENCH_REPORT_SAMPLER_H

#include "bench/report/report.h"

struct bench_sampler;

/* NULL when the device has no sensors, with the reason, or there is no thread to be had. */
struct bench_sampler *bench_sampler_new(const struct bench_backend *backend, struct bench_session *session,
	struct bench_report *report, struct bench_reason *reason);
void bench_sampler_free(struct bench_sampler *sampler);

/* Sleeps and keeps the mean power of that time as idle power. */
void bench_sampler_idle(struct bench_sampler *sampler, double seconds, _Atomic uint64_t *alive);

/* One window at a time. */
void bench_sampler_begin(struct bench_sampler *sampler);

/* Ends it. `flops` were done in it (0: not counted). Answers whether energy could be told; *throttle_reasons are those seen. */
bool bench_sampler_end(struct bench_sampler *sampler, double flops, struct bench_energy *energy, uint64_t *throttle_reasons);

/* --- what it computes, apart from threads and clocks ---------------------------------------------------------------------- */
enum { BENCH_POLLS_STUCK = 10 };

/* Of one window: the counter at its ends, and the polls between. */
struct bench_window {
	double begin_s, end_s;
	bool counter_known;
	double counter_begin_joules, counter_end_joules;
	const char *counter_source, *power_source, *scope;
	size_t polls;
	double first_poll_s, last_poll_s, last_poll_w; /* moments and power */
	double polled_joules;                          /* trapezoids from first to last poll */
	double lowest_w, highest_w;
	double limit_w;                                /* NaN: not known */
	uint64_t throttle_reasons;
};

void bench_window_poll(struct bench_window *window, double now_s, const struct bench_sensors *sensors);

/* False where neither counter nor polls say anything: too short a window, a counter or a power that does not move. */
bool bench_window_energy(const struct bench_window *window, double idle_w, double flops, struct bench_energy *energy);

#endif
