#include "planner/serving/day.h"

#include "base/units.h"
#include "planner/serving/serving_option.h"

/* An hour is shortened, because its steady part need not be simulated to the end: requests_wanted requests a day are
 * enough, as long as an hour lasts 15 times as long as a request, twice as long as a start, and a minute. */
static const double requests_wanted = 20000, responses_an_hour = 15, starts_an_hour = 2, least_s = 60;
enum { HOURS = 24 };

struct schedule {
	struct rate_piece pieces[HOURS];
	struct replica_change changes[HOURS];
	struct day day;
};

static size_t hour_of_peak(const struct inference_option *option)
{
	size_t peak = 0;

	for (size_t i = 1; i < option->autoscaling_count; i++)
		if (option->autoscaling[i].requests_per_s > option->autoscaling[peak].requests_per_s)
			peak = i;
	return peak;
}

/* Returns the simulated length of an hour, s. */
static double hour_s(const struct autoscaling_hour *hours, double response_s, double startup_s)
{
	double requests_per_s = 0, least = fmax(fmax(responses_an_hour * response_s, starts_an_hour * startup_s), least_s);

	for (size_t i = 0; i < HOURS; i++)
		requests_per_s += hours[i].requests_per_s;
	return fmin(fmax(requests_wanted / requests_per_s, least), SECONDS_PER_HOUR);
}

/* Reads the day of the peak from the schedule. startup_s: of replicas that start when their hour begins; 0: they
 * started ahead. */
static void schedule_read(const struct simulator *simulator, const struct fleet *fleet, const struct inference_option *option,
	double startup_s, struct schedule *schedule)
{
	const struct autoscaling_hour *hours = &option->autoscaling[hour_of_peak(option) / HOURS * HOURS];
	double duration_s = hour_s(hours, fleet->e2e_s, startup_s), most = 0;

	for (size_t i = 0; i < HOURS; i++) {
		int64_t replicas = hours[i].replicas - simulator->demand->spare_replicas;

		schedule->pieces[i] = (struct rate_piece){duration_s, hours[i].requests_per_s};
		schedule->changes[i] = (struct replica_change){duration_s * (double)i, replicas};
		most = fmax(most, (double)replicas);
	}
	schedule->day = (struct day){.pieces = schedule->pieces,
		.changes = schedule->changes,
		.piece_count = HOURS,
		.change_count = HOURS,
		.most_replicas = most,
		.startup_s = startup_s,
		.cold_only = startup_s > 0};
}

void day_fill(struct simulator *simulator, const struct fleet *fleet, struct inference_option *option)
{
	struct schedule schedule;
	struct trial trial;

	if (!option->has_autoscaled || !simulator->workspace || !fleet->trial || fleet->prefill_replicas > 0 || fleet->candidate->slice)
		return;
	simulator_more(simulator, SIMULATOR_DAY_WORK);
	schedule_read(simulator, fleet, option, 0, &schedule);
	if (!simulator_day(simulator, fleet, &schedule.day, &trial))
		return;
	option->autoscaled.slo_met = trial.kept ? TRUTH_TRUE : TRUTH_FALSE;
	option->autoscaled.has_latency = !trial.saturated;
	option->autoscaled.latency = option_latencies(&trial);
	schedule_read(simulator, fleet, option, option->autoscaled.startup_s, &schedule);
	if (!(option->autoscaled.startup_s > 0) || !simulator_day(simulator, fleet, &schedule.day, &trial))
		return;
	option->autoscaled.has_cold = !trial.saturated && trial.requests > 0;
	option->autoscaled.latency_cold_start = option_latencies(&trial);
}
