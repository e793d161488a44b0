/* Holds the training planner against published runs: `make validate`.
 *
 * usage: validate_training CASES.jsonl ACCELERATORS.csv [--rows SUITE]
 * Prints, for each suite, family and all: cases, mean and median absolute error, bias, share of p10..p90 intervals that
 * hold the observed value, and how many runs were refused for memory although they ran. */
#include <math.h>

#include "validation/cases.h"

enum { ROWS_MAX = 4096, GROUPS_MAX = 64 };

struct row {
	const struct validation_case *item;
	int kind;
	double predicted, ratio; /* predicted over observed */
	bool covered, refused;
};

static struct row rows[ROWS_MAX];
static size_t row_count;
static struct training_plan plan;
static struct failure failure;

static double predicted_of(const struct training_option *option, int kind, struct interval *interval)
{
	*interval = (struct interval){0, 0, INFINITY};
	switch (kind) {
	case EXPECT_STEP:
		*interval = option->interval.step_time_s;
		return option->step.time_s;
	case EXPECT_GPU_HOURS:
		*interval = option->interval.gpu_hours;
		return option->gpu_hours;
	case EXPECT_MODEL_BYTES:
		return option->memory.model_bytes;
	case EXPECT_TOTAL_BYTES:
		return option->memory.total_bytes;
	default:
		return option->tflops_per_gpu;
	}
}

/* A run that ran is planned even where our memory says it would not; that counts as refused. */
static void judge(struct validation_case *item)
{
	enum status status;
	bool refused;

	failure_clear(&failure);
	findings_clear(&plan.findings);
	status = planner_training(&item->input, &plan, &failure);
	refused = status == STATUS_INFEASIBLE;
	if (status != STATUS_OK) {
		if (item->oom != refused || status == STATUS_INVALID)
			printf("%s: %s%s\n", item->id, failure.detail, failure.fault_count > 0 ? failure.faults[0].detail : "");
		failure_clear(&failure);
		item->input.request.common.enforce_memory = TRUTH_FALSE;
		if (item->oom || planner_training(&item->input, &plan, &failure) != STATUS_OK)
			return;
	} else if (item->oom) {
		printf("%s: ran out of memory, but is planned with %.1f GB\n", item->id, plan.recommended.memory.total_bytes / 1e9);
	}
	for (int kind = 0; kind < EXPECT_COUNT; kind++) {
		struct row *row = &rows[row_count];
		struct interval interval;

		if (!is_given(item->expected[kind]))
			continue;
		*row = (struct row){.item = item, .kind = kind, .refused = refused, .predicted = predicted_of(&plan.recommended, kind, &interval)};
		row->ratio = row->predicted / item->expected[kind];
		row->covered = item->expected[kind] >= interval.p10 && item->expected[kind] <= interval.p90;
		row_count++;
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void report(const char *what, int kind, const char *suite, const char *family)
{
	static const char *const kinds[EXPECT_COUNT] = {"step.time_s", "gpu_hours", "model_bytes", "total_bytes", "tflops"};
	static double errors[ROWS_MAX];
	double sum = 0, bias = 0;
	size_t count = 0, covered = 0, refused = 0;

	for (size_t i = 0; i < row_count; i++) {
		const struct row *row = &rows[i];

		if (row->kind != kind || (suite && strcmp(row->item->suite, suite) != 0) || (family && strcmp(row->item->family, family) != 0))
			continue;
		errors[count++] = fabs(row->ratio - 1);
		sum += fabs(row->ratio - 1);
		bias += row->ratio - 1;
		covered += row->covered;
		refused += row->refused;
	}
	if (count == 0)
		return;
	qsort(errors, count, sizeof errors[0], compare);
	printf("%-20s %-12s %5zu  mean %6.1f %%  median %6.1f %%  p90 %6.1f %%  bias %+6.1f %%  refused %zu", what, kinds[kind], count,
		100 * sum / (double)count, 100 * errors[count / 2], 100 * errors[count * 9 / 10], 100 * bias / (double)count, refused);
	if (kind == EXPECT_STEP || kind == EXPECT_GPU_HOURS) /* the figures that have an interval */
		printf("  in interval %3.0f %%", 100.0 * (double)covered / (double)count);
	putchar('\n');
}

static void report_groups(bool by_suite, int kind)
{
	const char *seen[GROUPS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < row_count; i++) {
		const char *name = by_suite ? rows[i].item->suite : rows[i].item->family;
		size_t at = 0;

		while (at < count && strcmp(seen[at], name) != 0)
			at++;
		if (at < count || count == GROUPS_MAX)
			continue;
		seen[count++] = name;
		report(name, kind, by_suite ? name : NULL, by_suite ? NULL : name);
	}
}

static void print_rows(const char *suite)
{
	for (size_t i = 0; i < row_count; i++) {
		if (strcmp(rows[i].item->suite, suite) != 0)
			continue;
		printf("%-30s kind %d observed %-12.5g predicted %-12.5g ratio %.3f%s\n", rows[i].item->id, rows[i].kind,
			rows[i].item->expected[rows[i].kind], rows[i].predicted, rows[i].ratio, rows[i].refused ? " refused" : "");
	}
}

int main(int argc, char **argv)
{
	static struct validation_cases cases;

	if (argc < 3) {
		fprintf(stderr, "usage: validate_training CASES.jsonl ACCELERATORS.csv [--rows SUITE]\n");
		return 2;
	}
	validation_cases_load(argv[1], argv[2], &cases);
	for (size_t i = 0; i < cases.count; i++)
		judge(&cases.items[i]);
	if (argc == 5 && strcmp(argv[3], "--rows") == 0)
		print_rows(argv[4]);
	for (int kind = 0; kind < EXPECT_COUNT; kind++) {
		report_groups(true, kind);
		if (kind == EXPECT_STEP)
			report_groups(false, kind);
		report("all", kind, NULL, NULL);
	}
	return row_count == 0;
}
