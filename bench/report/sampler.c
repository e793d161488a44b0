#include "bench/report/sampler.h"

#include <math.h>
#include <time.h>

#include "base/clock.h"

#define POLL_S 0.2

struct bench_sampler {
	const struct bench_backend *backend;
	struct bench_session *session;
	struct bench_report *report;
	int64_t start_ns;
	double idle_w; /* NaN: not measured */
	pthread_t thread;
	pthread_mutex_t lock; /* protects the members below, and calls of sense() */
	pthread_cond_t changed;
	bool stopping, open;
	struct bench_window window;
};

static double now_s(const struct bench_sampler *sampler)
{
	return (double)(clock_monotonic_ns() - sampler->start_ns) * 1e-9;
}

/* Reads the sensors once. The caller holds the lock. */
static bool read_sensors(struct bench_sampler *sampler, struct bench_sensors *sensors)
{
	struct bench_reason reason;

	*sensors = (struct bench_sensors){0};
	return sampler->backend->sense(sampler->session, sensors, &reason) == BENCH_OK && sensors->known;
}

/* Waits for the time of the next poll. Returns false if the thread should stop. */
static bool wait_for_poll(struct bench_sampler *sampler)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)(POLL_S * 1e9);
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (!sampler->stopping && pthread_cond_timedwait(&sampler->changed, &sampler->lock, &until) == 0)
		;
	return !sampler->stopping;
}

static void *sample(void *argument)
{
	struct bench_sampler *sampler = argument;
	struct bench_sensors sensors;

	pthread_mutex_lock(&sampler->lock);
	while (wait_for_poll(sampler)) {
		bool seen = read_sensors(sampler, &sensors);
		double moment_s = now_s(sampler);

		if (seen && sampler->open)
			bench_window_poll(&sampler->window, moment_s, &sensors);
		if (!seen)
			continue;
		pthread_mutex_unlock(&sampler->lock);
		bench_report_sample(sampler->report, moment_s, &sensors);
		pthread_mutex_lock(&sampler->lock);
	}
	pthread_mutex_unlock(&sampler->lock);
	return NULL;
}

static void init_waiting(struct bench_sampler *sampler)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&sampler->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&sampler->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

static void release(struct bench_sampler *sampler)
{
	pthread_cond_destroy(&sampler->changed);
	pthread_mutex_destroy(&sampler->lock);
	free(sampler);
}

struct bench_sampler *bench_sampler_new(
	const struct bench_backend *backend, struct bench_session *session, struct bench_report *report, struct bench_reason *reason)
{
	struct bench_sensors sensors = {0};
	struct bench_sampler *sampler;

	if (!backend->sense) {
		bench_refuse(reason, BENCH_UNSUPPORTED, "the %s backend has no sensors", backend->name);
		return NULL;
	}
	if (backend->sense(session, &sensors, reason) != BENCH_OK)
		return NULL;
	sampler = calloc(1, sizeof(*sampler));
	if (!sampler) {
		bench_refuse(reason, BENCH_FAILED, "out of memory for the sampler");
		return NULL;
	}
	sampler->backend = backend;
	sampler->session = session;
	sampler->report = report;
	sampler->start_ns = clock_monotonic_ns();
	sampler->idle_w = (double)NAN;
	init_waiting(sampler);
	if (pthread_create(&sampler->thread, NULL, sample, sampler) == 0)
		return sampler;
	bench_refuse(reason, BENCH_FAILED, "the sampler's thread cannot start");
	release(sampler);
	return NULL;
}

void bench_sampler_free(struct bench_sampler *sampler)
{
	if (!sampler)
		return;
	pthread_mutex_lock(&sampler->lock);
	sampler->stopping = true;
	pthread_cond_signal(&sampler->changed);
	pthread_mutex_unlock(&sampler->lock);
	pthread_join(sampler->thread, NULL);
	release(sampler);
}

/* Reads the counter at the start or end of a window. If the read fails, the counter is unknown. */
static void take_counter(struct bench_sampler *sampler, double *counter_joules, bool *known)
{
	struct bench_sensors sensors;

	*known = read_sensors(sampler, &sensors) && bench_sensors_know(&sensors, SENSOR_ENERGY);
	*counter_joules = sensors.energy_joules;
	if (*known)
		sampler->window.counter_source = sensors.energy_source;
	if (sensors.scope)
		sampler->window.scope = sensors.scope;
	if (bench_sensors_know(&sensors, SENSOR_THROTTLE))
		sampler->window.throttle_reasons |= sensors.throttle_reasons;
	if (bench_sensors_know(&sensors, SENSOR_POWER_LIMIT))
		sampler->window.limit_w = sensors.power_limit_w;
}

void bench_sampler_begin(struct bench_sampler *sampler)
{
	if (!sampler)
		return;
	pthread_mutex_lock(&sampler->lock);
	sampler->window = (struct bench_window){.limit_w = (double)NAN};
	take_counter(sampler, &sampler->window.counter_begin_joules, &sampler->window.counter_known);
	sampler->window.throttle_reasons = 0; /* drop the reasons from before the window */
	sampler->window.begin_s = now_s(sampler);
	sampler->open = true;
	pthread_mutex_unlock(&sampler->lock);
}

bool bench_sampler_end(struct bench_sampler *sampler, double flops, struct bench_energy *energy, uint64_t *throttle_reasons)
{
	bool told, known;

	*throttle_reasons = 0;
	if (!sampler)
		return false;
	pthread_mutex_lock(&sampler->lock);
	take_counter(sampler, &sampler->window.counter_end_joules, &known);
	sampler->window.end_s = now_s(sampler);
	sampler->window.counter_known = sampler->window.counter_known && known;
	sampler->open = false;
	*throttle_reasons = sampler->window.throttle_reasons;
	told = bench_window_energy(&sampler->window, sampler->idle_w, flops, energy);
	pthread_mutex_unlock(&sampler->lock);
	return told;
}

void bench_sampler_idle(struct bench_sampler *sampler, double seconds, _Atomic uint64_t *alive)
{
	struct timespec pause = {.tv_nsec = (long)(POLL_S * 1e9)};
	struct bench_energy energy;
	uint64_t reasons;

	if (!sampler)
		return;
	bench_sampler_begin(sampler);
	for (int naps = (int)ceil(seconds / POLL_S); naps > 0; naps--) {
		nanosleep(&pause, NULL);
		atomic_fetch_add_explicit(alive, 1, memory_order_relaxed);
	}
	if (bench_sampler_end(sampler, 0, &energy, &reasons))
		sampler->idle_w = energy.mean_w;
}
