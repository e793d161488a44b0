/* Refits the constants of the serving model to the published measurements: scripts/fit serving.
 *
 * usage: fit_inference CASES.jsonl [--rounds N] [--left-out] [--rows FILE.csv] [--write CONSTANTS.c]
 * Prints the errors and each constant with its value, range, meaning and source. --left-out also refits without each model and each
 * accelerator in turn. --rows writes one line a case. --rounds 0 keeps the shipped constants. --write puts what was fitted into the planner. */
#include "validation/serving_judge.h"

static void print_scores(const struct serving_outcomes *outcomes, bool left_out)
{
	for (int quantity = 0; quantity < QUANTITY_COUNT; quantity++) {
		struct serving_slice slice = {.quantity = (enum quantity)quantity, .run = -1};
		struct serving_score all = serving_score_of(outcomes, &slice, FITTED_ON_ALL);
		struct serving_score model = serving_score_of(outcomes, &slice, FITTED_WITHOUT_MODEL);
		struct serving_score accelerator = serving_score_of(outcomes, &slice, FITTED_WITHOUT_ACCELERATOR);

		printf("%-10s %5zu  mean %5.1f  median %5.1f  p90 %5.1f  bias %+5.1f  inside %3.0f", quantity_name((enum quantity)quantity),
			all.count, 100 * all.mean, 100 * all.median, 100 * all.p90, 100 * all.bias, 100 * all.covered);
		if (left_out)
			printf("   without its model: %.1f / %.1f   its accelerator: %.1f / %.1f", 100 * model.mean, 100 * model.median,
				100 * accelerator.mean, 100 * accelerator.median);
		putchar('\n');
	}
}

static void print_constants(const struct serving_constants *values)
{
	struct constants lists[2];

	serving_constants_list(&lists[0]);
	serving_measured_list(&lists[1]);
	for (int list = 0; list < 2; list++)
		for (size_t i = 0; i < lists[list].count; i++) {
			const struct constant *constant = &lists[list].items[i];

			printf("%-22s %-9.3g %g to %g, %s: %s (%s)\n", constant->name, constant_value(constant, values), constant->low,
				constant->high, list ? "measured" : "fitted", constant->meaning, constant->source);
		}
	printf("%zu constants, %zu of them fitted\n", lists[0].count + lists[1].count, lists[0].count);
}

static void write_constants(const char *path, const struct serving_constants *values)
{
	struct constants lists[2];
	FILE *file = fopen(path, "w");

	if (!file)
		serving_stop("cannot be written", path);
	serving_constants_list(&lists[0]);
	serving_measured_list(&lists[1]);
	fprintf(file, "#include \"planner/serving/constants.h\"\n\n/* Written by scripts/fit serving --write from the measurements of "
				  "tests/validation/inference.jsonl; what each means: constants.h. */\n"
				  "const struct serving_constants serving_constants = {\n");
	for (int list = 0; list < 2; list++)
		for (size_t i = 0; i < lists[list].count; i++)
			fprintf(file, "\t.%s = %.4g,\n", lists[list].items[i].name, constant_value(&lists[list].items[i], values));
	fprintf(file, "};\n");
	fclose(file);
}

static void write_rows(const char *path, const struct serving_outcomes *outcomes)
{
	FILE *file = fopen(path, "w");

	if (!file)
		serving_stop("cannot be written", path);
	fprintf(file, "id,suite,model,accelerator,precision,gpus,tensor,pipeline,expert,attention_data,release,run,load,requests,prompt,output,"
				  "quantity,observed,ratio,without_model,without_accelerator\n");
	for (size_t i = 0; i < outcomes->count; i++) {
		const struct serving_outcome *outcome = &outcomes->items[i];
		const struct serving_case *item = outcome->item;
		const struct performance_request *request = &item->input.request;
		double load = item->run == RUN_ARRIVALS ? request->requests_per_s : request->concurrency;

		fprintf(file, "%s,%s,%s,%s,%s,%ld,%ld,%ld,%ld,%ld,%s,%s,%g,%ld,%g,%g,%s,%g,%.4f,%.4f,%.4f\n", item->id, item->suite,
			item->model, item->accelerator, precision_name(request->common.precision), (long)request->common.gpu_count,
			(long)request->parallelism.tensor, (long)request->parallelism.pipeline, (long)request->parallelism.expert,
			(long)request->parallelism.attention_data, request->engine_release ? request->engine_release : "",
			run_kind_name(item->run), load, (long)request->requests, request->prompt_tokens.mean, request->output_tokens.mean,
			quantity_name(item->quantity), item->observed, outcome->ratio, outcome->without_model, outcome->without_accelerator);
	}
	fclose(file);
}

int main(int argc, char **argv)
{
	static struct serving_cases cases;
	static struct serving_outcomes outcomes;
	struct serving_constants values = serving_constants;
	const char *rows = NULL, *written = NULL;
	bool left_out = false;
	int rounds = 25;

	if (argc < 2)
		serving_stop("usage", "fit_inference CASES.jsonl [--rounds N] [--left-out] [--rows FILE.csv] [--write CONSTANTS.c]");
	for (int i = 2; i < argc; i++) {
		left_out |= strcmp(argv[i], "--left-out") == 0;
		if (strcmp(argv[i], "--rows") == 0 && i + 1 < argc)
			rows = argv[i + 1];
		if (strcmp(argv[i], "--write") == 0 && i + 1 < argc)
			written = argv[i + 1];
		if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
			rounds = (int)strtol(argv[i + 1], NULL, 10);
	}
	serving_cases_load(argv[1], serving_catalogue(), &cases);
	printf("objective, shipped constants: %.5f\n", serving_fit_objective(&cases, &values));
	printf("objective, fitted: %.5f\n", serving_fit_run(&cases, NULL, NULL, rounds, &values));
	serving_outcomes_fill(&cases, &values, &outcomes);
	if (left_out)
		serving_judge_left_out(&cases, &values, &outcomes);
	print_scores(&outcomes, left_out);
	print_constants(&values);
	if (rows)
		write_rows(rows, &outcomes);
	if (written)
		write_constants(written, &values);
	return 0;
}
