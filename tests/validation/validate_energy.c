/* Compares published footprints with the planner: `make validate`.
 *
 * usage: validate_energy FOOTPRINTS.csv RUNS.jsonl
 * Arithmetic: recomputes rows with hours, watts and energy, or with energy, grid and carbon, as POST /v1/estimates/carbon
 * does. A row that contradicts itself is flagged and fails; every other row must agree within 2 %. If a row states no grid
 * factor, the program prints the one that its figures imply. Rows are typed in by hand, so a message blames the row and
 * not its publisher.
 * Prediction: for runs whose power was measured, computes the energy from model, accelerator, number of accelerators and
 * hours, with the utilisation that the planner predicts. Exits with 1 if a bound is missed. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/tables/tables.h"
#include "base/units.h"
#include "hwdb/resolve/resolve.h"
#include "planner/estimates/carbon_estimate.h"
#include "planner/footprint/energy.h"
#include "schema/csv_table.h"
#include "schema/field.h"
#include "service/estimate.h"
#include "validation/product.h"

enum { TEXT_MAX_BYTES = 1 << 20, ARENA_MAX_BYTES = 512 << 20, RUNS_MAX = 64 };

static const double arithmetic_within = 0.02, prediction_median_within = 0.20, kwh_per_mwh = 1000, grams_per_kg = 1000;

static struct failure failure;

struct tally {
	size_t rows, held, flagged, broken;
};

static const char *field(const struct csv *csv, const char *column)
{
	for (size_t i = 0; i < csv->column_count; i++)
		if (strcmp(csv->columns[i], column) == 0)
			return csv->fields[i];
	product_stop("no such column", column);
	return NULL;
}

static double number(const struct csv *csv, const char *column)
{
	const char *text = field(csv, column);

	return text[0] ? strtod(text, NULL) : ABSENT_NUMBER;
}

/* Recomputes one published row as for a client. */
static void check_row(const struct catalogue *catalogue, struct arena *arena, const struct csv *csv, struct tally *tally)
{
	static struct carbon_estimate estimate;
	double hours = given_or(number(csv, "gpu_hours"), number(csv, "count") * number(csv, "hours")), energy = number(csv, "energy_mwh");
	double grid = number(csv, "grid_kgco2e_per_kwh") * grams_per_kg, carbon = number(csv, "tco2e"), watts = number(csv, "power_w");
	struct carbon_request request;
	struct resolver resolver = {.catalogue = catalogue, .arena = arena, .findings = &estimate.findings, .failure = &failure};
	struct site site = {.grid_gco2e_per_kwh = grid, .pue = given_or(number(csv, "pue"), 1), .wue_l_per_kwh = 0, .ewif_l_per_kwh = 0};
	struct accelerator accelerator;
	double energy_error, carbon_error;
	bool flagged;

	if (strncmp(field(csv, "kind"), "train", 5) != 0 || !(hours > 0) || !is_given(energy))
		return;
	field_table_clear(&table_carbon_request, &request);
	request.accelerator.id = field(csv, "accelerator");
	request.hours = hours;
	request.published = (__typeof__(request.published)){energy, watts, carbon};
	failure_clear(&failure);
	findings_clear(&estimate.findings);
	if (resolve_accelerator(&resolver, &request.accelerator, "/accelerator", &accelerator) != STATUS_OK ||
		planner_carbon(&request, &accelerator, NULL, &site, &estimate, &failure) != STATUS_OK)
		product_stop(field(csv, "id"), failure.fault_count ? failure.faults[0].detail : failure.detail);
	energy_error = estimate.implied.energy_mwh / energy - 1;
	carbon_error = is_given(grid) ? estimate.implied.carbon_tco2e / carbon - 1 : ABSENT_NUMBER;
	flagged = estimate.inconsistency_count > 0;
	tally->rows++;
	tally->flagged += flagged;
	if (!flagged && (fabs(energy_error) > arithmetic_within || fabs(given_or(carbon_error, 0)) > arithmetic_within))
		tally->broken++;
	else
		tally->held += !flagged;
	printf("%-24s %9.4g %+7.2f%%", field(csv, "id"), energy, 100 * energy_error);
	if (is_given(carbon_error))
		printf(" %9.4g %+7.2f%%", carbon, 100 * carbon_error);
	else if (is_given(carbon))
		printf(" %9.4g %8s", carbon, "-");
	else
		printf(" %9s %8s", "-", "-");
	if (flagged)
		printf("  the figures of this row contradict each other: compare the row with its source");
	else if (!is_given(grid) && is_given(estimate.implied.grid_gco2e_per_kwh))
		printf("  no grid factor stated; implied with the building: %.0f gCO2e/kWh", estimate.implied.grid_gco2e_per_kwh);
	printf("\n");
}

static struct tally check_arithmetic(const struct catalogue *catalogue, struct arena *arena, const char *path)
{
	static char text[TEXT_MAX_BYTES];
	FILE *file = fopen(path, "r");
	struct tally tally = {0};
	struct csv csv;
	size_t length;

	if (!file)
		product_stop("cannot be read", path);
	length = fread(text, 1, sizeof text, file);
	fclose(file);
	if (csv_begin(&csv, path, text, length, arena, &failure) != STATUS_OK)
		product_stop(path, failure.detail);
	printf("%-24s %9s %8s %9s %8s  %s\n", "Arithmetic", "MWh", "ours", "tCO2e", "ours", "note");
	while (csv_next(&csv))
		check_row(catalogue, arena, &csv, &tally);
	printf("%zu rows with hours, watts and energy: %zu within %.0f %%, %zu flagged, %zu neither\n\n", tally.rows, tally.held,
		100 * arithmetic_within, tally.flagged, tally.broken);
	return tally;
}

/* Plans a request. Returns the mean power of an accelerator, W. */
static double planned_gpu_w(const struct catalogue *catalogue, struct arena *arena, json_t *request, double *mfu)
{
	struct estimate estimate = {.kind = &estimate_training, .arena = arena, .failure = &failure};
	const struct training_plan *plan;
	char *text;

	json_object_set_new(request, "enforce_memory", json_false());
	json_object_set_new(request, "pricing", json_pack("{s:f}", "usd_per_gpu_hour", 1.0));
	text = json_dumps(request, 0);
	failure_clear(&failure);
	if (estimate_decode(&estimate, text, strlen(text)) != STATUS_OK || estimate_compute(&estimate, catalogue, product_now_us()) != STATUS_OK)
		product_stop(text, failure.detail);
	free(text);
	plan = estimate.result;
	*mfu = plan->recommended.mfu;
	return plan->recommended.energy.mean_gpu_w;
}

static double check_run(const struct catalogue *catalogue, struct arena *arena, json_t *run)
{
	json_t *request = json_object_get(run, "request");
	double count = (double)json_integer_value(json_object_get(request, "gpu_count"));
	double published = json_number_value(json_object_get(run, "energy_mwh")), mfu;
	double host = json_is_true(json_object_get(run, "accelerators_alone")) ? 0 : HOST_POWER_FRACTION;
	double gpu_w = planned_gpu_w(catalogue, arena, request, &mfu);
	double mwh = count * gpu_w * (1 + host) * json_number_value(json_object_get(run, "hours")) / WATTS_PER_KW / kwh_per_mwh *
		json_number_value(json_object_get(run, "pue"));

	printf("%-24s %9.4g %9.4g %+7.1f%% %6.0f W %6.3f  %s\n", json_string_value(json_object_get(run, "id")), published, mwh,
		100 * (mwh / published - 1), gpu_w, mfu, json_string_value(json_object_get(run, "source")));
	return fabs(mwh / published - 1);
}

static int ascending(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double check_predictions(const struct catalogue *catalogue, struct arena *arena, const char *path)
{
	static char line[4096];
	double errors[RUNS_MAX], median;
	FILE *file = fopen(path, "r");
	size_t count = 0;

	if (!file)
		product_stop("cannot be read", path);
	printf("%-24s %9s %9s %8s %8s %6s  %s\n", "Prediction", "MWh", "ours", "error", "power", "MFU", "source");
	while (count < RUNS_MAX && fgets(line, sizeof line, file)) {
		json_t *run = json_loads(line, 0, NULL);

		if (!run)
			product_stop("not JSON", line);
		errors[count++] = check_run(catalogue, arena, run);
		json_decref(run);
		arena_reset(arena);
	}
	fclose(file);
	qsort(errors, count, sizeof *errors, ascending);
	median = count % 2 ? errors[count / 2] : (errors[count / 2 - 1] + errors[count / 2]) / 2;
	printf(
		"%zu runs whose power was measured: median error %.1f %% (at most %.0f %%)\n", count, 100 * median, 100 * prediction_median_within);
	return median;
}

int main(int argc, char **argv)
{
	const struct catalogue *catalogue = product_catalogue();
	struct arena arena;
	struct tally tally;
	double median;

	if (argc != 3)
		product_stop("usage", "validate_energy FOOTPRINTS.csv RUNS.jsonl");
	arena_init(&arena, ARENA_MAX_BYTES);
	tally = check_arithmetic(catalogue, &arena, argv[1]);
	median = check_predictions(catalogue, &arena, argv[2]);
	arena_release(&arena);
	/* All rows of the file must be consistent. A flagged row was typed in wrongly, or belongs in a test of the flags. */
	return tally.broken > 0 || tally.flagged > 0 || !(median <= prediction_median_within);
}
