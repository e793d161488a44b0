/* POST /v1/schedules: when and where a job runs for the least carbon or money. */
#include "api/tables/shared.h"

DECLARE_TABLE(schedule_series, struct schedule_series);
#define OF struct schedule_series
static const struct field schedule_series_rows[] = {
	TEXT(region, 64, "A name for the place; without figures a zone of a feed (`GB`), or a region of the catalogue (`aws.eu-west-2`) whose zone has "
		"hours", .flags = REQUIRED, .example = "\"eu-north-1\""),
	TIME_AS(start, start_us, "Where the first step begins; needed with figures", .example = "\"2026-11-21T00:00:00Z\""),
	INTEGER(step_minutes, 1, 1440, "Length of a step, in which figures hold; needed with figures", .example = "60"),
	NUMBERS(gco2e_per_kwh, TIMETABLE_SLOTS_MAX, 0, 2000, "Carbon intensity of the grid, a number for each step", .flags = WRITE_ONLY),
	NUMBERS(usd_per_kwh, TIMETABLE_SLOTS_MAX, -10, 10, "Price of electricity, a number for each step", .flags = WRITE_ONLY),
};
TABLE(schedule_series, schedule_series_rows, "What is known of one region, step by step.");
#undef OF

DECLARE_TABLE(schedule_weights, struct schedule_weights);
#define OF struct schedule_weights
static const struct field schedule_weights_rows[] = {
	NUMBER(carbon, 0, 1e6, "Of carbon, as a part of what running at once emits"),
	NUMBER(cost, 0, 1e6, "Of money, as a part of what running at once costs"),
};
TABLE(schedule_weights, schedule_weights_rows, "What is kept low.");
#undef OF

#define OF struct schedule_request
static const struct field schedule_request_rows[] = {
	TEXT(plan_id, 36, "A stored training plan, whose hours and mean power are taken where they are left out here", .form = FORM_UUID),
	HOURS(hours, 8784, "Work to be done, restarts not counted; in whole minutes", .example = "\"36h\""),
	POSITIVE(mean_kw, 1e7, "Mean power while it runs, building included", .example = "120"),
	TRUTH(checkpointable, "Whether it may pause and go on later", .fallback = "false"),
	NUMBER(restart_minutes, 0, 10080, "Running that brings nothing after each pause", .fallback = "10"),
	TIME_AS(earliest, earliest_us, "Not before", .fallback = "where the series begin"),
	TIME_AS(deadline, deadline_us, "Done by then", .fallback = "where the series end"),
	LIST(series, SCHEDULE_SERIES_MAX, schedule_series, "Regions to choose from", .fallback = "every zone of which a feed has brought hours"),
	OBJECT(weights, schedule_weights, "What is kept low; carbon alone unless given, or cost where no intensity is known"),
	NUMBER(carbon_usd_per_t, 0, 1e6, "Instead of weights: money, with this price on each tonne of CO2e"),
	TEXT(as_of, 40, "With the plan, the catalogue and the hours of feeds as they were known then; what feeds have corrected since is not known", .form = FORM_MOMENT),
};
TABLE(schedule_request, schedule_request_rows, "A job, and the hours that it could run in.");
#undef OF

DECLARE_TABLE(schedule_piece, struct schedule_piece);
#define OF struct schedule_piece
static const struct field schedule_piece_rows[] = {
	TIME_AS(start, start_us, "From"),
	TIME_AS(end, end_us, "To"),
	FIGURE(kwh, "Energy"),
	FIGURE(kgco2e, "Carbon"),
	FIGURE(usd, "Money for electricity"),
};
TABLE(schedule_piece, schedule_piece_rows, "A stretch without a pause.");
#undef OF

DECLARE_TABLE(schedule_choice, struct schedule_choice);
#define OF struct schedule_choice
static const struct field schedule_choice_rows[] = {
	TEXT(region, 64, "Where"),
	TIME_AS(start, start_us, "Begins"),
	TIME_AS(end, end_us, "Is done"),
	INTEGER(pauses, 0, 1000000, "How often it pauses"),
	FIGURE(running_hours, "Running, restarts included"),
	FIGURE(restart_hours, "Of it, restarts after pauses"),
	FIGURE(delay_hours, "Done so much later than if it ran at once; negative: earlier"),
	FIGURE(kwh, "Energy"),
	FIGURE(kgco2e, "Carbon, location-based"),
	FIGURE(usd, "Money for electricity"),
	FIGURE(objective, "What is kept low: 1 is running at once where weights sum to 1; USD with a price on carbon"),
	FIGURE(saved_kgco2e, "Against running at once; negative: it emits more"),
	FIGURE(saved_usd, "Against running at once; negative: it costs more"),
	FIGURE(usd_per_t_saved, "What each tonne saved costs, where it costs anything"),
	TRUTH(proved, "Nothing there is better; false: by no more than `gap`"),
	FIGURE(gap, "Part of the objective by which another could be better"),
};
TABLE(schedule_choice, schedule_choice_rows, "One way to run it.");
#undef OF

#define OF struct schedule
static const struct field schedule_result_rows[] = {
	OBJECT(best, schedule_choice, "The best of all"),
	LIST(pieces, TIMETABLE_SLOTS_MAX, schedule_piece, "The best, piece by piece"),
	OBJECT(now, schedule_choice, "At the earliest time, unbroken, in the first region that can"),
	OBJECT(unbroken, schedule_choice, "The best without a pause"),
	ARRAY_AS(regions, regions, region_count, schedule_choice, "The best known in each region, best first"),
	MERGE(findings, findings),
};
TABLE(schedule_result, schedule_result_rows, "When and where to run.");
#undef OF
