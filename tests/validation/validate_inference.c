/* Compares the serving planner with published measurements: `make validate`.
 *
 * usage: validate_inference FOLDER POWER.csv [--document FILE.md --plot FILE.svg]
 * Prints the serving part of the accuracy page: bounds, errors by slice (fitted, and with each model and each accelerator
 * left out), sweeps, configurations that fit, power, constants. Exits with 1 if a refit from the shipped constants lowers
 * the objective by more than 1 %: then they are not fitted to this planner. */
#include "validation/serving_document.h"

static const double refit_gain_most = 0.01;

static FILE *opened(const char *path, const char *mode)
{
	FILE *file = fopen(path, mode);

	if (!file)
		product_stop("cannot be written", path);
	return file;
}

int main(int argc, char **argv)
{
	static struct serving_cases cases;
	static struct serving_judgement judgement;

	if (argc < 3)
		product_stop("usage", "validate_inference FOLDER POWER.csv [--document FILE.md --plot FILE.svg]");
	serving_cases_load(argv[1], &cases);
	power_cases_load(argv[2], &cases, &judgement.power);
	serving_judge(&cases, &judgement);
	serving_document_write(stdout, &judgement);
	for (int i = 3; i + 1 < argc; i += 2) {
		bool document = strcmp(argv[i], "--document") == 0;
		FILE *file = opened(argv[i + 1], document ? "a" : "w"); /* the file already has the training part */

		if (document)
			fputc('\n', file);
		(document ? serving_document_write : serving_plot_write)(file, &judgement);
		fclose(file);
	}
	if (judgement.refitted < judgement.objective * (1 - refit_gain_most)) {
		fprintf(stderr, "the shipped constants are not fitted to this planner: run scripts/fit serving --write\n");
		return 1;
	}
	return judgement.outcomes.count == 0;
}
