#include "api/tables/shared.h"

#define OF struct summary_figure
static const struct field summary_figure_rows[] = {
	FIGURE(value, "The plan's figure, exact", .always = true),
	FIGURE(low, "p10"),
	FIGURE(high, "p90"),
};
TABLE(summary_figure, summary_figure_rows, "A figure of the recommended option; absent if it is not known.");
#undef OF

#define OF struct summary
#define SUMMARY_HEAD \
	CHARS(text, "The answer as sentences, with three significant digits and units that people use", .always = true), \
		TEXT(accelerator, 64, "Accelerator", .always = true), INTEGER(gpu_count, 1, 9e15, "Accelerators in use", .always = true), \
		INTEGER(gpus_paid, 1, 9e15, "Accelerators that are paid, with spares and the rest of whole instances", .always = true)
static const struct field training_summary_rows[] = {
	SUMMARY_HEAD,
	OBJECT(wall_clock_hours, summary_figure, "Time from start to end"),
	OBJECT(total_usd, summary_figure, "Cost of the whole training"),
	OBJECT(total_kwh, summary_figure, "Energy of the whole training"),
	OBJECT(total_kgco2e, summary_figure, "Carbon of the whole training"),
};
TABLE(training_summary, training_summary_rows, "The answer in a few sentences.");

static const struct field inference_summary_rows[] = {
	SUMMARY_HEAD,
	INTEGER(replicas, 1, 9e15, "Replicas", .always = true),
	OBJECT(usd_per_month, summary_figure, "Cost of a month"),
	OBJECT(total_kwh, summary_figure, "Energy of a month"),
	OBJECT(total_kgco2e, summary_figure, "Carbon of a month"),
};
TABLE(inference_summary, inference_summary_rows, "The answer in a few sentences.");
#undef OF
