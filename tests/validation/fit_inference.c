/* Refits the constants of the serving model to the published measurements: scripts/fit serving.
 *
 * usage: fit_inference FOLDER POWER.csv [--rounds N] [--left-out | --suites-out | --independent-out] [--rows FILE.csv]
 *        [--write CONSTANTS.c]
 * Prints the errors, and each constant with its value, range, meaning and source.
 * --rounds 0         keeps the shipped constants
 * --left-out         also refits without each model, each accelerator and each later suite in turn, and without all
 *                    independent runs
 * --suites-out       also refits without each later suite, in a fifth of the time
 * --independent-out  also refits without all independent runs
 * --rows             writes one line for each case
 * --write            writes the fitted constants into the planner's source */
#include "validation/serving_judge.h"
#include "validation/serving_power.h"

static void print_scores(const struct serving_outcomes *outcomes, bool left_out)
{
	for (int quantity = 0; quantity < QUANTITY_COUNT; quantity++) {
		struct serving_slice slice = {.quantity = (enum quantity)quantity, .run = -1};
		struct serving_score all = serving_score_of(outcomes, &slice, FITTED_ON_ALL);
		struct serving_score model = serving_score_of(outcomes, &slice, FITTED_WITHOUT_MODEL);
		struct serving_score accelerator = serving_score_of(outcomes, &slice, FITTED_WITHOUT_ACCELERATOR);

		printf("%-10s %5zu  mean %5.1f  median %5.1f  p90 %5.1f  bias %+5.1f  inside %3.0f", serving_quantity_name((enum quantity)quantity),
			all.count, 100 * all.mean, 100 * all.median, 100 * all.p90, 100 * all.bias, 100 * all.covered);
		if (left_out)
			printf("   without its model: %.1f / %.1f   its accelerator: %.1f / %.1f", 100 * model.mean, 100 * model.median,
				100 * accelerator.mean, 100 * accelerator.median);
		putchar('\n');
	}
}

static void print_side(const struct serving_constants *values, const struct serving_outcomes *outcomes, struct power_cases *power)
{
	static const struct {
		const char *what;
		size_t offset;
	} rows[] = {{"power", offsetof(struct power_case, ratio_w)}, {"J per token", offsetof(struct power_case, ratio_joules)},
		{"tokens/s", offsetof(struct power_case, ratio_tokens_per_s)}};
	struct power_constants fitted = power_constants;

	power_cases_judge(values, outcomes, power);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct power_score score = power_score_of(power, rows[i].offset, NULL, NULL);

		printf("%-12s %5zu  mean %5.1f  median %5.1f  bias %+5.1f (ML.ENERGY)\n", rows[i].what, score.count, 100 * score.mean,
			100 * score.median, 100 * score.bias);
	}
	power_fit_run(power, NULL, 20, &fitted);
	printf("power, refitted: busy %.3f compute %.3f memory %.3f\n", fitted.busy_share, fitted.compute_share, fitted.memory_share);
}

static void print_constants(const struct serving_constants *values)
{
	struct constants lists[2];

	serving_constants_list(&lists[0]);
	serving_measured_list(&lists[1]);
	for (int list = 0; list < 2; list++)
		for (size_t i = 0; i < lists[list].count; i++) {
			const struct constant *constant = &lists[list].items[i];

			printf("%-22s %-9.3g %g to %g, %s: %s (%s)\n", constant->name, constant_value(constant, values), constant->low, constant->high,
				list ? "measured" : "fitted", constant->meaning, constant->source);
		}
	printf("%zu constants, %zu of them fitted\n", lists[0].count + lists[1].count, lists[0].count);
}

static void write_constants(const char *path, const struct serving_constants *values)
{
	struct constants lists[2];
	FILE *file = fopen(path, "w");

	if (!file)
		product_stop("cannot be written", path);
	serving_constants_list(&lists[0]);
	serving_measured_list(&lists[1]);
	fprintf(file,
		"#include \"planner/replica/constants.h\"\n\n/* Written by scripts/fit serving --write from the measurements of "
		"tests/validation/inference*.jsonl. constants.h has\n * the meanings. */\n"
		"const struct serving_constants serving_constants = {\n");
	for (int list = 0; list < 2; list++)
		for (size_t i = 0; i < lists[list].count; i++)
			fprintf(file, "\t.%s = %.4g,\n", lists[list].items[i].name, constant_value(&lists[list].items[i], values));
	fprintf(file, "};\n");
	fclose(file);
}

static void write_rows(const char *path, const struct serving_constants *values, const struct serving_outcomes *outcomes)
{
	FILE *file = fopen(path, "w");

	if (!file)
		product_stop("cannot be written", path);
	fprintf(file,
		"id,suite,model,accelerator,precision,gpus,tensor,pipeline,expert,attention_data,release,run,load,requests,prompt,output,"
		"quantity,observed,ratio,without_model,without_accelerator,without_suite,without_independent,log_sigma,sequences,step_ms,prefill_ms,prefill_share,compute,memory,network,overhead,covered\n");
	for (size_t i = 0; i < outcomes->count; i++) {
		const struct serving_outcome *outcome = &outcomes->items[i];
		const struct serving_case *item = outcome->item;
		const struct performance_request *request = &item->input.request;
		struct serving_prediction prediction;
		const double *shares = prediction.point.shares;
		double load = item->run == RUN_ARRIVALS ? request->requests_per_s : request->concurrency;

		serving_predict(outcome->item, values, true, &prediction);
		fprintf(file,
			"%s,%s,%s,%s,%s,%ld,%ld,%ld,%ld,%ld,%s,%s,%g,%ld,%g,%g,%s,%g,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f,%.1f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%d\n",
			item->id, item->suite, item->model, item->accelerator, precision_name(request->common.precision), (long)request->common.gpu_count,
			(long)request->parallelism.tensor, (long)request->parallelism.pipeline, (long)request->parallelism.expert,
			(long)request->parallelism.attention_data, request->engine_release ? request->engine_release : "", run_kind_name(item->run),
			load, (long)request->requests, request->prompt_tokens.mean, request->output_tokens.mean, serving_quantity_name(item->quantity),
			item->observed, outcome->ratio, outcome->without_model, outcome->without_accelerator, outcome->without_suite,
			outcome->without_independent, outcome->log_sigma, prediction.point.decode_sequences, 1e3 * prediction.point.step_s,
			1e3 * prediction.point.prefill_s, prediction.point.prefill_share, shares[BOTTLENECK_COMPUTE],
			shares[BOTTLENECK_MEMORY_BANDWIDTH], shares[BOTTLENECK_INTERCONNECT], shares[BOTTLENECK_LAUNCH_OVERHEAD], outcome->covered);
	}
	fclose(file);
}

int main(int argc, char **argv)
{
	static struct serving_cases cases;
	static struct serving_outcomes outcomes;
	static struct power_cases power;
	struct serving_constants values = serving_constants;
	const char *rows = NULL, *written = NULL;
	bool left_out = false, suites_out = false, independent_out = false;
	int rounds = 25;

	if (argc < 3)
		product_stop("usage",
			"fit_inference FOLDER POWER.csv [--rounds N] [--left-out | --suites-out | --independent-out] [--rows FILE.csv] [--write CONSTANTS.c]");
	for (int i = 3; i < argc; i++) {
		left_out |= strcmp(argv[i], "--left-out") == 0;
		independent_out |= strcmp(argv[i], "--independent-out") == 0;
		suites_out |= strcmp(argv[i], "--suites-out") == 0;
		if (strcmp(argv[i], "--rows") == 0 && i + 1 < argc)
			rows = argv[i + 1];
		if (strcmp(argv[i], "--write") == 0 && i + 1 < argc)
			written = argv[i + 1];
		if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
			rounds = (int)strtol(argv[i + 1], NULL, 10);
	}
	serving_cases_load(argv[1], &cases);
	power_cases_load(argv[2], &cases, &power);
	printf("objective, shipped constants: %.5f\n", serving_fit_objective(&cases, &values));
	printf("objective, fitted: %.5f\n", serving_fit_run(&cases, NULL, NULL, rounds, &values));
	serving_outcomes_fill(&cases, &values, &outcomes);
	if (left_out)
		serving_judge_left_out(&cases, &values, &outcomes);
	else if (suites_out)
		serving_judge_suites_out(&cases, &values, &outcomes);
	else if (independent_out)
		serving_judge_independent(&cases, &values, &outcomes);
	print_scores(&outcomes, left_out);
	print_side(&values, &outcomes, &power);
	print_constants(&values);
	if (rows)
		write_rows(rows, &values, &outcomes);
	if (written)
		write_constants(written, &values);
	return 0;
}
