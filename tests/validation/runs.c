#include "validation/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "planner/training/practice.h"

static const double promised = 0.8;

static void answer_fill(const struct training_input *input, struct training_plan *plan, struct run_answer *out)
{
	static struct failure failure;

	failure_clear(&failure);
	findings_clear(&plan->findings);
	*out = (struct run_answer){.refused = planner_training(input, plan, &failure) != STATUS_OK};
	if (out->refused)
		return;
	out->gpu_hours = plan->recommended.gpu_hours;
	out->range = plan->recommended.interval.gpu_hours;
	out->gpu_count = plan->recommended.gpu_count;
	for (size_t i = 0; i < plan->recommended.practice.part_count; i++) {
		const struct practice_part *part = &plan->recommended.practice.parts[i];

		if (strcmp(part->name, "layout") == 0 && part->factor > 1)
			out->layout = part->factor;
	}
}

static void run_judge(const struct validation_case *item, struct run *run)
{
	static struct training_plan plan;
	double peak = accelerator_peak_flops_per_s(&item->candidate->accelerator, item->input.request.common.precision, NULL);

	*run = (struct run){.item = item, .published_hours = item->expected[EXPECT_GPU_HOURS]};
	for (int asked = 0; asked < ASKED_KIND_COUNT; asked++)
		answer_fill(item->asked[asked], &plan, &run->answers[asked]);
	/* the workload is the same for all requests of the run */
	run->mfu_hours = plan.workload.flops_total / (peak * SECONDS_PER_HOUR);
	run->published_mfu = run->mfu_hours / run->published_hours;
	for (int rule = 0; rule < RULE_COUNT; rule++)
		run->rule_hours[rule] = 6 * plan.workload.params_active * plan.workload.tokens_total / (peak * SECONDS_PER_HOUR) /
			rule_share((enum rule)rule);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof values[0], compare);
	return count > 0 ? (values[(count - 1) / 2] + values[count / 2]) / 2 : 0;
}

/* Returns the factor `layout` with the least mean of |log(predicted / published)| over the answers that have this part,
 * as requested and with number and release: the median of published / predicted x their factor. without: the team to
 * leave out; NULL: none. */
static double refitted_layout(const struct runs *runs, const char *without)
{
	static const enum asked ways[] = {ASKED_DEFAULT, ASKED_TOLD};
	double lacking[2 * RUNS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < runs->count; i++)
		for (size_t w = 0; w < COUNT_OF(ways); w++) {
			const struct run *run = &runs->items[i];
			const struct run_answer *own = &run->answers[ways[w]];

			if (run->item->scored && !own->refused && own->layout > 0 && !(without && strcmp(run->item->team, without) == 0))
				lacking[count++] = log(run->published_hours / own->gpu_hours * own->layout);
		}
	return exp(median(lacking, count));
}

/* Plans the run again instead of scaling its hours, because the hours decide the number of accelerators. */
static void judge_left_out(struct runs *runs, struct run *run)
{
	static struct training_plan plan;
	struct practice_constants constants = practice_fitted;

	constants.layout = refitted_layout(runs, run->item->team);
	runs->least_layout = fmin(runs->least_layout, constants.layout);
	runs->most_layout = fmax(runs->most_layout, constants.layout);
	for (int asked = 0; asked < ASKED_KIND_COUNT; asked++) {
		struct training_input input = *run->item->asked[asked];

		input.practice = &constants;
		answer_fill(&input, &plan, &run->left[asked]);
	}
}

void runs_judge(struct validation_cases *cases, struct runs *runs)
{
	runs->count = 0;
	runs->least_layout = INFINITY;
	runs->most_layout = 0;
	for (size_t i = 0; i < cases->count; i++) {
		if (!cases->items[i].team)
			continue;
		CHECK(runs->count < RUNS_MAX);
		run_judge(&cases->items[i], &runs->items[runs->count++]);
	}
	runs->layout = refitted_layout(runs, NULL);
	for (size_t i = 0; i < runs->count; i++)
		judge_left_out(runs, &runs->items[i]);
}

/* Divides the sums by their counts. log_sum: of answers that are not refused. */
static void score_finish(double *errors, double log_sum, struct run_score *score)
{
	double n = fmax(1, (double)score->count), answered = fmax(1, (double)(score->count - score->refused));

	for (size_t i = 0; i < score->count; i++)
		score->mean += errors[i] / n;
	score->median = median(errors, score->count);
	score->bias = exp(log_sum / answered) - 1;
	score->inside /= n;
	score->impossible /= n;
	score->held /= n;
}

/* Returns the answer whose promise is compared with the published hours: at the published number of accelerators. */
static const struct run_answer *promise_of(const struct run *run, enum asked asked, bool left_out)
{
	enum asked way = asked == ASKED_DEFAULT ? ASKED_COUNT : asked;

	return left_out ? &run->left[way] : &run->answers[way];
}

struct run_score runs_score(const struct runs *runs, enum asked asked, bool left_out)
{
	double errors[RUNS_MAX], log_sum = 0;
	struct run_score score = {.count = 0};

	for (size_t i = 0; i < runs->count; i++) {
		const struct run *run = &runs->items[i];
		const struct run_answer *own = left_out ? &run->left[asked] : &run->answers[asked], *promise = promise_of(run, asked, left_out);
		double hours = run->published_hours;

		if (!run->item->scored)
			continue;
		errors[score.count++] = own->refused ? 1 : fabs(own->gpu_hours / hours - 1);
		score.refused += own->refused;
		score.held += !promise->refused && hours <= interval_quantile(&promise->range, promised);
		if (own->refused)
			continue;
		log_sum += log(own->gpu_hours / hours);
		score.inside += hours >= own->range.p10 && hours <= own->range.p90;
		score.impossible += run->mfu_hours / own->range.p10 > run_mfu_most;
	}
	score_finish(errors, log_sum, &score);
	return score;
}

struct run_score runs_rule_score(const struct runs *runs, enum rule rule)
{
	double errors[RUNS_MAX], log_sum = 0;
	struct run_score score = {.count = 0};

	for (size_t i = 0; i < runs->count; i++) {
		double ratio = runs->items[i].rule_hours[rule] / runs->items[i].published_hours;

		if (!runs->items[i].item->scored)
			continue;
		errors[score.count++] = fabs(ratio - 1);
		log_sum += log(ratio);
	}
	score_finish(errors, log_sum, &score);
	return score;
}

void runs_promises(const struct runs *runs, enum asked asked, struct promises *promises)
{
	promises->count = 0;
	for (size_t i = 0; i < runs->count; i++) {
		const struct run_answer *promise = promise_of(&runs->items[i], asked, true);

		if (!runs->items[i].item->scored)
			continue;
		if (promise->refused)
			promises_add_broken(promises);
		else
			promises_add(promises, &promise->range, runs->items[i].published_hours);
	}
}
