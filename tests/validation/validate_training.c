/* Holds the training planner against published runs: `make validate`.
 *
 * usage: validate_training CASES.jsonl ACCELERATORS.csv [--document FILE.md --plot FILE.svg]
 * Prints the accuracy document: bounds with what was reached, errors by suite and slice, fitted and with each suite left out, memory,
 * whole runs, constants. Exits with 1 when refitting from the shipped constants gains more than 1 %: they are not this planner's. */
#include "validation/document.h"

static const double refit_gain_most = 0.01;

static FILE *opened(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file) {
		perror(path);
		exit(2);
	}
	return file;
}

int main(int argc, char **argv)
{
	static struct validation_cases cases;
	static struct judgement judgement;

	if (argc < 3) {
		fprintf(stderr, "usage: validate_training CASES.jsonl ACCELERATORS.csv [--document FILE.md --plot FILE.svg]\n");
		return 2;
	}
	validation_cases_load(argv[1], argv[2], &cases);
	judge_cases(&cases, &judgement);
	document_write(stdout, &judgement);
	for (int i = 3; i + 1 < argc; i += 2) {
		FILE *file = opened(argv[i + 1]);

		if (strcmp(argv[i], "--document") == 0)
			document_write(file, &judgement);
		else
			plot_write(file, &judgement);
		fclose(file);
	}
	if (judgement.refitted < judgement.objective * (1 - refit_gain_most)) {
		fprintf(stderr, "the shipped constants are not fitted to this planner: run scripts/fit --write\n");
		return 1;
	}
	return judgement.outcomes.count == 0;
}
