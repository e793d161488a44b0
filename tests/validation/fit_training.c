/* Refits the constants of the step model to the published runs: scripts/fit.
 *
 * usage: fit_training CASES.jsonl ACCELERATORS.csv [--leave-out] [--sweeps N]
 * Minimises the mean over groups (suite and kind of model) of the mean absolute logarithm of predicted over observed step time,
 * by coordinate search inside each constant's stated range. --leave-out refits without each suite in turn and prints the
 * error on the suite that was left out. */
#include <math.h>

#include "planner/training/fleet.h"
#include "validation/cases.h"

enum { GROUPS_MAX = 64, SAMPLES_MAX = 4096, CONSTANTS_MAX = 64 };

struct sample {
	struct programme programme;
	struct parallelism pins;
	const char *id, *suite;
	size_t group;
	double observed_s;
};

struct group_of_samples {
	char name[96];
	const char *suite;
	double weight;
};

struct constant {
	const char *name;
	double *value, low, high;
};

static struct sample samples[SAMPLES_MAX];
static struct group_of_samples groups[GROUPS_MAX];
static size_t sample_count, group_count;
static struct physics physics;
static struct constant constants[CONSTANTS_MAX];
static size_t constant_count;

static void constant_add(const char *name, double *value, double low, double high)
{
	constants[constant_count++] = (struct constant){name, value, low, high};
}

#define FIT(member, low, high) constant_add(#member, &physics.member, (low), (high))

static void constants_list(void)
{
	FIT(gemm_fraction, 0.7, 1.1);
	FIT(narrow_fraction, 0.5, 1.1);
	FIT(nvfp4_fraction, 0.2, 1);
	FIT(gemm_traffic, 0.5, 6);
	FIT(attention_fraction, 0.4, 1.5);
	FIT(attention_half_tokens, 100, 2000);
	FIT(attention_backward, 0.5, 1.2);
	FIT(score_fraction, 0.2, 1);
	FIT(score_traffic_bytes, 6, 30);
	FIT(element_traffic, 0.4, 2.5);
	FIT(host_layer_s, 0.02e-3, 2e-3);
	FIT(kernel_gap_s, 1e-6, 4e-4);
	FIT(step_fixed_s, 1e-3, 5e-2);
	FIT(link_fraction, 0.4, 0.95);
	FIT(nic_fraction, 0.2, 1);
	FIT(link_latency_s, 4e-6, 8e-5);
	FIT(nic_latency_s, 4e-6, 2e-4);
	FIT(overlap, 0.2, 1);
	FIT(expert_imbalance, 1, 1.6);
	FIT(expert_fraction, 0.1, 1.1);
	FIT(expert_half_rows, 1, 8000);
	FIT(expert_gain_per_year, 0.01, 2);
	FIT(expert_traffic, 0.5, 40);
	FIT(expert_host_s, 0.2e-3, 1.5e-2);
	FIT(youth, 0.01, 0.5);
	FIT(release_gain_per_year, 0.005, 0.4);
	FIT(synchronise_s, 0.5e-9, 6e-9);
	for (int stack = STACK_MEGATRON_LM; stack < STACK_MAXTEXT; stack++)
		constant_add(stack_name((enum stack)stack), &physics.stack_speed[stack], 0.6, 1.4);
}

static size_t group_named(const struct validation_case *item)
{
	char name[96];

	snprintf(name, sizeof name, "%s/%s", item->suite, item->family);
	for (size_t i = 0; i < group_count; i++)
		if (strcmp(groups[i].name, name) == 0)
			return i;
	snprintf(groups[group_count].name, sizeof groups[group_count].name, "%s", name);
	groups[group_count].suite = item->suite;
	return group_count++;
}

static void samples_fill(struct validation_cases *cases)
{
	size_t single = 0;

	for (size_t i = 0; i < cases->count; i++) {
		struct validation_case *item = &cases->items[i];
		struct sample *sample = &samples[sample_count];

		if (!is_given(item->expected[EXPECT_STEP]) || !is_given(item->input.request.global_batch_size))
			continue;
		if (strcmp(item->suite, "vtrain-single") == 0 && single++ % 5)
			continue; /* a fifth of this suite says as much as all of it */
		item->input.request.common.enforce_memory = TRUTH_FALSE;
		sample->programme = (struct programme){.input = &item->input, .physics = &physics, .stage_count = 1, .deadline_hours = ABSENT_NUMBER};
		sample->programme.stages[0].tokens = item->input.request.tokens;
		sample->programme.stages[0].sequence = item->input.request.sequence_length;
		sample->programme.stages[0].batch = item->input.request.global_batch_size;
		sample->pins = item->input.request.parallelism;
		sample->id = item->id;
		sample->suite = item->suite;
		sample->group = group_named(item);
		sample->observed_s = item->expected[EXPECT_STEP];
		sample_count++;
	}
}

static double log_ratio(const struct sample *sample)
{
	struct search_counts counts = {0};
	struct outline outline;

	fleet_outline(&sample->programme, 0, sample->programme.input->request.common.gpu_count, &sample->pins, &outline, &counts);
	return outline.any ? log(outline.found.step.time.time_s / sample->observed_s) : 1;
}

/* Mean over groups; `only` or `without` a suite where not NULL. */
static double error_of(const char *only, const char *without)
{
	double sums[GROUPS_MAX] = {0}, counts[GROUPS_MAX] = {0}, sum = 0, weight = 0;

	for (size_t i = 0; i < sample_count; i++) {
		double residual;

		if ((only && strcmp(samples[i].suite, only) != 0) || (without && strcmp(samples[i].suite, without) == 0))
			continue;
		residual = fabs(log_ratio(&samples[i]));
		sums[samples[i].group] += only ? fabs(exp(residual) - 1) : fmin(residual, 0.7);
		counts[samples[i].group] += 1;
	}
	for (size_t g = 0; g < group_count; g++)
		if (counts[g] > 0) {
			double w = fmin(counts[g], 20);

			sum += w * sums[g] / counts[g];
			weight += w;
		}
	return sum / weight;
}

static double fit(const char *without, int sweeps, bool chatty)
{
	double steps[CONSTANTS_MAX], best = error_of(NULL, without);

	for (size_t i = 0; i < constant_count; i++)
		steps[i] = 0.25;
	for (int sweep = 0; sweep < sweeps; sweep++) {
		double before = best;

		for (size_t i = 0; i < constant_count; i++) {
			double old = *constants[i].value;
			bool better = false;

			for (int sign = -1; sign <= 1 && !better; sign += 2) {
				double tried, value = old * exp(sign * steps[i]);

				*constants[i].value = fmin(fmax(value, constants[i].low), constants[i].high);
				tried = error_of(NULL, without);
				better = tried < best - 1e-7;
				if (better)
					best = tried;
			}
			if (!better)
				*constants[i].value = old;
			steps[i] *= better ? 1.3 : 0.5;
			steps[i] = fmin(steps[i], 0.5);
		}
		if (chatty)
			fprintf(stderr, "sweep %d: %.4f\n", sweep, best);
		if (before - best < 2e-5 && sweep > 6)
			break;
	}
	return best;
}

static void leave_out(int sweeps)
{
	const struct physics fitted = physics;
	double sum = 0;
	int count = 0;

	for (size_t g = 0; g < group_count; g++) {
		bool seen = false;

		for (size_t h = 0; h < g; h++)
			seen |= strcmp(groups[h].suite, groups[g].suite) == 0;
		if (seen || strcmp(groups[g].suite, "vtrain-single") == 0)
			continue;
		physics = fitted;
		fit(groups[g].suite, sweeps, false);
		sum += error_of(groups[g].suite, NULL);
		count++;
		printf("left out %-20s mean absolute error %5.1f %%\n", groups[g].suite, 100 * error_of(groups[g].suite, NULL));
		fflush(stdout);
	}
	printf("left out, mean over suites  %5.1f %%\n", 100 * sum / count);
	physics = fitted;
}

static void print_rows(const char *suite)
{
	for (size_t i = 0; i < sample_count; i++) {
		const struct sample *sample = &samples[i];
		const struct training_request *request = &sample->programme.input->request;
		const struct parallelism *l;
		const struct step_time *t;
		struct search_counts counts = {0};
		struct outline outline;

		if (strcmp(sample->suite, suite) != 0)
			continue;
		fleet_outline(&sample->programme, 0, request->common.gpu_count, &sample->pins, &outline, &counts);
		l = &outline.found.layout;
		t = &outline.found.step.time;
		printf("%-28s %-9s %-8s n %-5ld t%ld p%ld d%ld c%ld e%ld v%ld mb%ld r%d z%ld ratio %.3f: %.4g s, %%: compute %.0f (traffic %.0f) recompute %.0f tensor %.0f context %.0f pipe %.0f bubble %.0f data %.0f expert %.0f optimizer %.0f launch %.0f\n",
			sample->id, sample->programme.input->candidates[0].accelerator.id, precision_name(request->common.precision), (long)request->common.gpu_count,
			(long)l->tensor, (long)l->pipeline, (long)l->data, (long)l->context, (long)l->expert, (long)l->interleave, (long)l->micro_batch, (int)l->recompute, (long)l->zero_stage,
			t->time_s / sample->observed_s, sample->observed_s, 100 * t->compute_s / t->time_s, 100 * outline.found.step.traffic_s / t->time_s, 100 * t->recompute_s / t->time_s,
			100 * t->tensor_comm_s / t->time_s, 100 * t->context_comm_s / t->time_s, 100 * t->pipeline_comm_s / t->time_s, 100 * t->pipeline_bubble_s / t->time_s,
			100 * t->data_comm_exposed_s / t->time_s, 100 * t->expert_comm_s / t->time_s, 100 * t->optimizer_s / t->time_s, 100 * t->launch_overhead_s / t->time_s);
	}
}

static void print_groups(void)
{
	for (size_t g = 0; g < group_count; g++) {
		double sum = 0, bias = 0, count = 0;

		for (size_t i = 0; i < sample_count; i++) {
			double residual = samples[i].group == g ? log_ratio(&samples[i]) : 0;

			sum += samples[i].group == g ? fabs(exp(residual) - 1) : 0;
			bias += residual;
			count += samples[i].group == g;
		}
		printf("%-34s n %3.0f  mean absolute error %5.1f %%  bias %+5.1f %%\n", groups[g].name, count, 100 * sum / count, 100 * bias / count);
	}
}

int main(int argc, char **argv)
{
	static struct validation_cases cases;
	int sweeps = 30;
	bool out = false;
	const char *shown = NULL;

	if (argc < 3)
		return fprintf(stderr, "usage: fit_training CASES.jsonl ACCELERATORS.csv [--leave-out] [--sweeps N]\n"), 2;
	for (int i = 3; i < argc; i++) {
		out |= strcmp(argv[i], "--leave-out") == 0;
		if (strcmp(argv[i], "--rows") == 0 && i + 1 < argc)
			shown = argv[i + 1];
		if (strcmp(argv[i], "--sweeps") == 0 && i + 1 < argc)
			sweeps = (int)strtol(argv[i + 1], NULL, 10);
	}
	physics = physics_fitted;
	validation_cases_load(argv[1], argv[2], &cases);
	samples_fill(&cases);
	constants_list();
	if (out)
		leave_out(sweeps);
	else
		fit(NULL, sweeps, true);
	if (shown)
		print_rows(shown);
	print_groups();
	for (size_t i = 0; i < constant_count; i++)
		printf("%-24s %.3g  (%g to %g)\n", constants[i].name, *constants[i].value, constants[i].low, constants[i].high);
	return 0;
}
