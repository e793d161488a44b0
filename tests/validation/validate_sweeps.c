/* Judges the choice of a layout. For each published sweep (runs that differ only in layout) it prints the row that the
 * planner predicts to be the fastest, and by how much its published time exceeds that of the best row.
 *
 * usage: validate_sweeps FOLDER
 * The aim is 5 % for vTrain's sweeps on several nodes and 15 % for BLOOM's. The program exits with 1 if a sweep loses more
 * than 12 or 15 %. Two of vTrain's lose 10 %: their rows with tensor groups of 2 and 4 and at least 16 data ranks ran 10 to
 * 40 % slower than all others of the suite. Neither their bytes nor their memory explain that. */
#include "validation/cases.h"

enum { SWEEPS_MAX = 1024, LEAST_ROWS = 8 };

struct sweep {
	const struct validation_case *like;
	int rows;
	double best_s, predicted_best_s;    /* of the row with the least published time: published and predicted */
	double least_predicted_s, chosen_s; /* of the row with the least predicted time: predicted and published */
};

static struct training_plan plan;
static struct failure failure;

struct bound {
	const char *suite;
	double aim, most;
};

static struct bound bound_of(const char *suite)
{
	static const struct bound bounds[] = {{"vtrain-multi", 0.05, 0.12}, {"bloom-tuning", 0.15, 0.15}};

	for (size_t i = 0; i < COUNT_OF(bounds); i++)
		if (strcmp(suite, bounds[i].suite) == 0)
			return bounds[i];
	return (struct bound){suite, INFINITY, INFINITY};
}

static bool same_sweep(const struct validation_case *a, const struct validation_case *b)
{
	const struct training_request *x = &a->input.request, *y = &b->input.request;

	return strcmp(a->suite, b->suite) == 0 && a->input.model.layer_count == b->input.model.layer_count &&
		a->input.model.hidden == b->input.model.hidden && a->input.model.vocabulary == b->input.model.vocabulary &&
		x->common.gpu_count == y->common.gpu_count && x->common.precision == y->common.precision &&
		fabs(x->sequence_length - y->sequence_length) < 0.5 && fabs(x->global_batch_size - y->global_batch_size) < 0.5 &&
		strcmp(a->candidate->accelerator.id, b->candidate->accelerator.id) == 0;
}

/* Returns the step time of the row's pinned layout, without the memory check, because the run ran. */
static double predicted_s(struct validation_case *item)
{
	failure_clear(&failure);
	findings_clear(&plan.findings);
	item->input.request.common.enforce_memory = TRUTH_FALSE;
	item->input.request.common.alternatives = 0;
	return planner_training(&item->input, &plan, &failure) == STATUS_OK ? plan.recommended.step.time_s : INFINITY;
}

static struct sweep *sweep_of(struct sweep *sweeps, int *count, const struct validation_case *item)
{
	for (int i = 0; i < *count; i++)
		if (same_sweep(sweeps[i].like, item))
			return &sweeps[i];
	if (*count == SWEEPS_MAX)
		return NULL;
	sweeps[*count] = (struct sweep){.like = item, .best_s = INFINITY, .least_predicted_s = INFINITY};
	return &sweeps[(*count)++];
}

static void sweep_add(struct sweep *sweep, struct validation_case *item)
{
	double observed = item->expected[EXPECT_STEP], predicted = predicted_s(item);

	sweep->rows++;
	if (observed < sweep->best_s) {
		sweep->best_s = observed;
		sweep->predicted_best_s = predicted;
	}
	if (predicted < sweep->least_predicted_s) {
		sweep->least_predicted_s = predicted;
		sweep->chosen_s = observed;
	}
}

/* Prints a sweep. True if it meets its bound. */
static bool sweep_report(const struct sweep *sweep)
{
	const struct validation_case *like = sweep->like;
	struct bound bound = bound_of(like->suite);
	double lost = sweep->chosen_s / sweep->best_s - 1;

	printf("%-14s %3d layers of %5d on %4lld, batch %5.0f: %2d rows, best %8.3f s (predicted %+5.1f %%), chosen %8.3f s, %4.1f %% lost%s\n",
		like->suite, like->input.model.layer_count, like->input.model.hidden, (long long)like->input.request.common.gpu_count,
		like->input.request.global_batch_size, sweep->rows, sweep->best_s, 100 * (sweep->predicted_best_s / sweep->best_s - 1),
		sweep->chosen_s, 100 * lost,
		lost > bound.most      ? "  TOO MUCH"
			: lost > bound.aim ? "  (above the aim)"
							   : "");
	return lost <= bound.most;
}

int main(int argc, char **argv)
{
	static struct validation_cases cases;
	static struct sweep sweeps[SWEEPS_MAX];
	int count = 0, reported = 0, failed = 0;
	double lost = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: validate_sweeps FOLDER\n");
		return 2;
	}
	validation_cases_load(argv[1], &cases);
	for (size_t i = 0; i < cases.count; i++) {
		struct validation_case *item = &cases.items[i];
		struct sweep *sweep = is_given(item->expected[EXPECT_STEP]) && !item->oom ? sweep_of(sweeps, &count, item) : NULL;

		if (sweep)
			sweep_add(sweep, item);
	}
	for (int i = 0; i < count; i++) {
		if (sweeps[i].rows < LEAST_ROWS)
			continue;
		failed += !sweep_report(&sweeps[i]);
		lost += sweeps[i].chosen_s / sweeps[i].best_s - 1;
		reported++;
	}
	printf("%d sweeps of at least %d rows: %.1f %% lost on average\n", reported, LEAST_ROWS, 100 * lost / reported);
	return failed > 0 || reported == 0;
}
