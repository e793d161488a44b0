/* A thread that reads the device's sensors five times a second during the work, and computes power and energy of a
 * window of the work.
 *
 * Over windows of at least 2 s, energy comes from the device's counter; if there is no counter or it does not
 * change, from polled power (trapezoids). Over shorter windows polls come first, then the counter. The result names
 * the source and its confidence. A NULL sampler represents a device without sensors: every function accepts it and
 * returns "unknown". */
#ifndef FLEETPLAN_BENCH_REPORT_SAMPLER_H
#define FLEETPLAN_BENCH_REPORT_SAMPLER_H

#include "bench/report/report.h"

struct bench_sampler;

/* Returns NULL, with the reason, if the device has no sensors or the thread cannot start. */
struct bench_sampler *bench_sampler_new(
	const struct bench_backend *backend, struct bench_session *session, struct bench_report *report, struct bench_reason *reason);
void bench_sampler_free(struct bench_sampler *sampler);

/* Sleeps and stores the mean power of that time as the idle power. */
void bench_sampler_idle(struct bench_sampler *sampler, double seconds, _Atomic uint64_t *alive);

/* Starts a window. Only one window can be open. */
void bench_sampler_begin(struct bench_sampler *sampler);

/* Ends the window. `flops` operations were done in it (0: not counted). Returns true if the energy is known;
 * *throttle_reasons are those seen in the window. */
bool bench_sampler_end(struct bench_sampler *sampler, double flops, struct bench_energy *energy, uint64_t *throttle_reasons);

/* --- computations without threads and clocks ------------------------------------------------------------------------ */
enum { BENCH_POLLS_STUCK = 10 };

/* One window: the counter at both ends, and the polls between them. */
struct bench_window {
	double begin_s, end_s;
	bool counter_known;
	double counter_begin_joules, counter_end_joules;
	const char *counter_source, *power_source, *scope;
	size_t polls;
	double first_poll_s, last_poll_s, last_poll_w; /* times; power */
	double polled_joules;                          /* trapezoids from the first to the last poll */
	double lowest_w, highest_w;
	double limit_w; /* NaN: unknown */
	uint64_t throttle_reasons;
};

void bench_window_poll(struct bench_window *window, double now_s, const struct bench_sensors *sensors);

/* Returns false if neither the counter nor the polls give an energy: the window is shorter than 0.3 s, or the
 * counter or power does not change. */
bool bench_window_energy(const struct bench_window *window, double idle_w, double flops, struct bench_energy *energy);

#endif
