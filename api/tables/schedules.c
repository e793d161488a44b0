/* POST /v1/schedules: the time and place at which a job has the least carbon or cost. */
#include "api/tables/shared.h"

DECLARE_TABLE(schedule_series, struct schedule_series);
#define OF struct schedule_series
static const struct field schedule_series_rows[] = {
	TEXT(region, 64,
		"Name of the place. A series without figures needs a zone of a feed (`GB`), or a region of the catalogue (`aws.eu-west-2`) whose zone has hourly data",
		.flags = REQUIRED, .example = "\"eu-north-1\""),
	TIME_AS(start, start_us, "Start of the first step; required with figures", .example = "\"2026-11-21T00:00:00Z\""),
	INTEGER(step_minutes, 1, 1440, "Length of a step, over which a figure is constant; required with figures", .example = "60"),
	NUMBERS(gco2e_per_kwh, TIMETABLE_SLOTS_MAX, 0, 2000, "Carbon intensity of the grid, one number for each step", .flags = WRITE_ONLY),
	NUMBERS(usd_per_kwh, TIMETABLE_SLOTS_MAX, -10, 10, "Price of electricity, one number for each step", .flags = WRITE_ONLY),
};
TABLE(schedule_series, schedule_series_rows, "Carbon intensity and prices of one region for each time step.");
#undef OF

DECLARE_TABLE(schedule_weights, struct schedule_weights);
#define OF struct schedule_weights
static const struct field schedule_weights_rows[] = {
	NUMBER(carbon, 0, 1e6, "Weight of carbon, relative to the emissions of running at once"),
	NUMBER(cost, 0, 1e6, "Weight of cost, relative to the cost of running at once"),
};
TABLE(schedule_weights, schedule_weights_rows, "Weights of the schedule's objective.");
#undef OF

#define OF struct schedule_request
static const struct field schedule_request_rows[] = {
	TEXT(plan_id, 36, "A stored training plan; its hours and mean power are used where they are left out here", .form = FORM_UUID),
	HOURS(hours, 8784, "Run time needed, restarts not counted; rounded up to whole minutes", .example = "\"36h\""),
	POSITIVE(mean_kw, 1e7, "Mean power while the job runs, facility included", .example = "120"),
	TRUTH(checkpointable, "Whether the job may pause and resume", .fallback = "false"),
	NUMBER(restart_minutes, 0, 10080, "Run time lost after each pause", .fallback = "10"),
	TIME_AS(earliest, earliest_us, "Earliest start", .fallback = "the start of the series"),
	TIME_AS(deadline, deadline_us, "Latest end", .fallback = "the end of the series"),
	LIST(series, SCHEDULE_SERIES_MAX, schedule_series, "Regions to choose from", .fallback = "every zone for which a feed has hourly data"),
	OBJECT(weights, schedule_weights, "Objective to minimise; default: carbon alone, or cost if no intensity is known"),
	NUMBER(carbon_usd_per_t, 0, 1e6, "Price of one tonne of CO2e; the schedule then minimises money, instead of using weights"),
	TEXT(as_of, 40,
		"Compute with the plan, the catalogue and the feeds' hourly data as of this time; corrections that feeds made later are not used",
		.form = FORM_MOMENT),
};
TABLE(schedule_request, schedule_request_rows, "A job, and the regions and hours in which it can run.");
#undef OF

DECLARE_TABLE(schedule_piece, struct schedule_piece);
#define OF struct schedule_piece
static const struct field schedule_piece_rows[] = {
	TIME_AS(start, start_us, "Start"),
	TIME_AS(end, end_us, "End"),
	FIGURE(kwh, "Energy"),
	FIGURE(kgco2e, "Carbon"),
	FIGURE(usd, "Cost of the electricity"),
};
TABLE(schedule_piece, schedule_piece_rows, "A part of the run without a pause.");
#undef OF

DECLARE_TABLE(schedule_choice, struct schedule_choice);
#define OF struct schedule_choice
static const struct field schedule_choice_rows[] = {
	TEXT(region, 64, "Region"),
	TIME_AS(start, start_us, "Start"),
	TIME_AS(end, end_us, "End"),
	INTEGER(pauses, 0, 1000000, "Number of pauses"),
	FIGURE(running_hours, "Run time, restarts included"),
	FIGURE(restart_hours, "Part of running_hours for restarts after pauses"),
	FIGURE(delay_hours, "End compared with running at once; negative: earlier"),
	FIGURE(kwh, "Energy"),
	FIGURE(kgco2e, "Carbon, location-based"),
	FIGURE(usd, "Cost of the electricity"),
	FIGURE(objective, "Value that is minimised: 1 is running at once if the weights sum to 1; in USD with a price on carbon"),
	FIGURE(saved_kgco2e, "Carbon saved compared with running at once; negative: it emits more"),
	FIGURE(saved_usd, "Cost saved compared with running at once; negative: it costs more"),
	FIGURE(usd_per_t_saved, "Cost of each tonne saved, if it costs anything"),
	TRUTH(proved, "Whether this schedule is proved optimal; false: optimal to within `gap`"),
	FIGURE(gap, "Largest possible improvement, as a fraction of the objective"),
};
TABLE(schedule_choice, schedule_choice_rows, "A schedule of the job in one region.");
#undef OF

#define OF struct schedule
static const struct field schedule_result_rows[] = {
	OBJECT(best, schedule_choice, "The best schedule"),
	LIST(pieces, TIMETABLE_SLOTS_MAX, schedule_piece, "The parts of the best schedule"),
	OBJECT(now, schedule_choice, "The schedule that runs at once: at the earliest time, without a pause, in the first region that can run it"),
	OBJECT(unbroken, schedule_choice, "The best schedule without a pause"),
	ARRAY_AS(regions, regions, region_count, schedule_choice, "The best schedule known in each region, best first"),
	MERGE(findings, findings),
};
TABLE(schedule_result, schedule_result_rows, "When and where to run.");
#undef OF
