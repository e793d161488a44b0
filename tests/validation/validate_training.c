/* Compares the training planner with published runs: `make validate`.
 *
 * usage: validate_training FOLDER [--document FILE.md --plot FILE.svg --reliability FILE.svg]
 * Prints the training part of the accuracy page: bounds, errors by suite and slice (fitted, and with each suite left out),
 * memory, whole runs, promises, constants. Exits with 1 if a refit from the shipped constants lowers the objective by more
 * than 1 %, or changes the fitted part of practice by more than 2 %: then they are not fitted to this planner. */
#include "planner/training/practice.h"
#include "validation/document.h"

static const double refit_gain_most = 0.01, practice_move_most = 0.02;

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

	if (argc < 2) {
		fprintf(stderr, "usage: validate_training FOLDER [--document FILE.md --plot FILE.svg --reliability FILE.svg]\n");
		return 2;
	}
	validation_cases_load(argv[1], &cases);
	judge_cases(&cases, &judgement);
	document_write(stdout, &cases, &judgement);
	for (int i = 2; i + 1 < argc; i += 2) {
		FILE *file = opened(argv[i + 1]);

		if (strcmp(argv[i], "--document") == 0)
			document_write(file, &cases, &judgement);
		else if (strcmp(argv[i], "--reliability") == 0)
			reliability_write(file, &judgement);
		else
			plot_write(file, &judgement);
		fclose(file);
	}
	if (judgement.refitted < judgement.objective * (1 - refit_gain_most)) {
		fprintf(stderr, "the shipped constants are not fitted to this planner: run scripts/fit --write\n");
		return 1;
	}
	if (fabs(judgement.runs.layout / practice_fitted.layout - 1) > practice_move_most) {
		fprintf(stderr, "practice_fitted.layout is not fitted to this planner: set it to %.2f (planner/training/practice.c)\n",
			judgement.runs.layout);
		return 1;
	}
	return judgement.outcomes.count == 0;
}
