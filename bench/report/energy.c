/* Energy of a window: chooses between counter and polls, and rates the confidence. */
#include <math.h>

#include "bench/report/sampler.h"

/* Counters change every 20 to 100 ms (NVML). Over a window of this length, these steps do not matter. */
#define COUNTER_WINDOW_S  2.0
#define SHORTEST_WINDOW_S 0.3

void bench_window_poll(struct bench_window *window, double now_s, const struct bench_sensors *sensors)
{
	double power_w = sensors->power_w;

	if (bench_sensors_know(sensors, SENSOR_THROTTLE))
		window->throttle_reasons |= sensors->throttle_reasons;
	if (bench_sensors_know(sensors, SENSOR_POWER_LIMIT))
		window->limit_w = sensors->power_limit_w;
	if (!bench_sensors_know(sensors, SENSOR_POWER))
		return;
	window->power_source = sensors->power_source;
	window->scope = sensors->scope ? sensors->scope : window->scope;
	if (!window->polls++) {
		window->first_poll_s = now_s;
		window->lowest_w = window->highest_w = power_w;
	} else {
		window->polled_joules += (power_w + window->last_poll_w) / 2 * (now_s - window->last_poll_s);
		window->lowest_w = fmin(window->lowest_w, power_w);
		window->highest_w = fmax(window->highest_w, power_w);
	}
	window->last_poll_s = now_s;
	window->last_poll_w = power_w;
}

/* A counter that did not change under load is stuck, even if the driver reports it as valid. */
static bool by_counter(const struct bench_window *window, struct bench_energy *energy)
{
	double joules = window->counter_end_joules - window->counter_begin_joules;

	if (!window->counter_known || !(joules > 0))
		return false;
	energy->energy_joules = joules;
	energy->mean_w = joules / energy->window_s;
	energy->source = window->counter_source;
	energy->by = "counter";
	energy->confidence = energy->window_s >= COUNTER_WINDOW_S ? CONFIDENCE_HIGH : CONFIDENCE_LOW;
	return true;
}

/* Uses the mean of the polls for the whole window. Real power always varies: ten equal polls are one stale value
 * that the driver repeats. */
static bool by_polls(const struct bench_window *window, struct bench_energy *energy)
{
	bool stuck = window->polls >= BENCH_POLLS_STUCK && !(window->highest_w > window->lowest_w);
	double polled_s = window->last_poll_s - window->first_poll_s;

	if (window->polls < 2 || stuck || !(polled_s > 0) || !(window->polled_joules > 0))
		return false;
	energy->mean_w = window->polled_joules / polled_s;
	energy->energy_joules = energy->mean_w * energy->window_s;
	energy->source = window->power_source;
	energy->by = "polls";
	energy->confidence = window->polls >= BENCH_POLLS_STUCK ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
	return true;
}

bool bench_window_energy(const struct bench_window *window, double idle_w, double flops, struct bench_energy *energy)
{
	*energy = (struct bench_energy){.window_s = window->end_s - window->begin_s,
		.idle_w = idle_w,
		.samples = window->polls,
		.scope = window->scope ? window->scope : "device",
		.joules_per_tflop = (double)NAN};
	if (!(energy->window_s >= SHORTEST_WINDOW_S))
		return false;
	/* Over a short window the counter's steps are too coarse, so polls come first: they average over more of it. */
	if (energy->window_s >= COUNTER_WINDOW_S ? !by_counter(window, energy) && !by_polls(window, energy)
											 : !by_polls(window, energy) && !by_counter(window, energy))
		return false;
	if (flops > 0)
		energy->joules_per_tflop = energy->energy_joules / (flops * 1e-12);
	energy->dynamic_joules = energy->energy_joules - idle_w * energy->window_s; /* NaN if the idle power is unknown */
	energy->limit_fraction = energy->mean_w / window->limit_w;
	return true;
}
