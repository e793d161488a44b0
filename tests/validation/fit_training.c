/* Refits the constants of the step model to the published runs of a folder: scripts/fit.
 *
 * usage: fit_training FOLDER [--rounds N] [--left-out] [--rows FILE.csv] [--write PHYSICS.c]
 * Prints the errors by suite and slice, and each constant with its value, range, meaning and source.
 * --rounds 0  keeps the shipped constants
 * --left-out  also refits without each suite in turn
 * --rows      writes one line for each case: the ratio, the parts of the step, the layout
 * --write     writes the fitted constants into the planner's source */
#include <stdio.h>

#include "validation/fit.h"
#include "validation/slices.h"

static struct outcome outcome_items[OUTCOMES_MAX];
static struct outcomes outcomes = {outcome_items, 0};

static void print_score(const char *what, const struct score *score)
{
	printf("%-20s %5zu  mean %5.1f  median %5.1f  p90 %5.1f  bias %+5.1f", what, score->count, 100 * score->mean, 100 * score->median,
		100 * score->p90, 100 * score->bias);
}

static void print_scores(const struct samples *samples, bool left_out)
{
	static const struct {
		const char *name;
		outcome_filter *wanted;
	} slices[] = {{"dense", slice_dense}, {"megatron", slice_megatron}, {"vtrain-multi", slice_vtrain_multi},
		{"vtrain-single", slice_vtrain_single}, {"narrow", slice_narrow}, {"tuning", slice_tuning}, {"experts", slice_experts},
		{"all", slice_steps}};

	for (size_t s = 0; s < samples->suite_count + COUNT_OF(slices); s++) {
		bool suite = s < samples->suite_count;
		const char *name = suite ? samples->suites[s] : slices[s - samples->suite_count].name;
		outcome_filter *wanted = suite ? slice_suite : slices[s - samples->suite_count].wanted;
		struct score score = score_of(&outcomes, wanted, name, false), left = score_of(&outcomes, wanted, name, true);

		print_score(name, &score);
		if (left_out)
			printf("   left out: mean %5.1f  median %5.1f  bias %+5.1f", 100 * left.mean, 100 * left.median, 100 * left.bias);
		putchar('\n');
	}
	for (int left = 0; left <= left_out; left++) {
		struct score_by_suite dense = score_suites(&outcomes, slice_dense, left), all = score_suites(&outcomes, slice_left_out, left);

		printf("%s: dense, mean over %zu suites %.1f / %.1f %%, worst bias %+.1f (%s); all suites %.1f / %.1f\n",
			left ? "left out" : "fitted", dense.suites, 100 * dense.mean, 100 * dense.median, 100 * dense.worst_bias,
			dense.worst_bias_suite, 100 * all.mean, 100 * all.median);
	}
}

static void print_constants(const struct constants *constants, struct physics *physics)
{
	for (size_t i = 0; i < constants->count; i++) {
		const struct constant *constant = &constants->items[i];

		printf("%-24s %-9.3g %g to %g: %s (%s)\n", constant->name, *constant_in(constant, physics), constant->low, constant->high,
			constant->meaning, constant->source);
	}
	printf("%zu constants\n", constants->count);
}

static void write_rows(const char *path, const struct samples *samples, const struct physics *physics)
{
	FILE *file = fopen(path, "w");

	CHECK(file);
	fprintf(file,
		"id,suite,family,accelerator,precision,gpus,sequence,batch,t,p,d,c,e,v,mb,recompute,zero,observed_s,ratio,left_ratio,"
		"compute,traffic,recomputed,tensor,context,pipe,bubble,data,expert,optimizer,launch\n");
	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->items[i];
		const struct training_request *request = &sample->item->input.request;
		const struct parallelism *l;
		const struct step_time *t;
		struct candidate_plan candidate_plan;

		if (!sample_candidate_plan(sample, physics, &candidate_plan))
			continue;
		l = &candidate_plan.found.layout;
		t = &candidate_plan.found.step.time;
		fprintf(file,
			"%s,%s,%s,%s,%s,%ld,%g,%g,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%d,%ld,%g,%.4f,%.4f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f\n",
			sample->item->id, sample->item->suite, sample->item->family, sample->item->candidate->accelerator.id,
			precision_name(request->common.precision), (long)request->common.gpu_count, sample->schedule.stages[0].sequence,
			sample->schedule.stages[0].batch, (long)l->tensor, (long)l->pipeline, (long)l->data, (long)l->context, (long)l->expert,
			(long)l->interleave, (long)l->micro_batch, (int)l->recompute, (long)l->zero_stage, sample->observed_s,
			t->time_s / sample->observed_s, outcomes.items[i].left_ratio, t->compute_s / t->time_s,
			candidate_plan.found.step.traffic_s / t->time_s, t->recompute_s / t->time_s, t->tensor_comm_s / t->time_s,
			t->context_comm_s / t->time_s, t->pipeline_comm_s / t->time_s, t->pipeline_bubble_s / t->time_s,
			t->data_comm_exposed_s / t->time_s, t->expert_comm_s / t->time_s, t->optimizer_s / t->time_s, t->launch_overhead_s / t->time_s);
	}
	fclose(file);
}

/* Gives stacks without measurements the median speed of the current stacks that have measurements. */
static void speeds_of_the_others(struct physics *physics)
{
	double *speed = physics->stack_speed, a = speed[STACK_MEGATRON_CORE], b = speed[STACK_FSDP], c = speed[STACK_TORCHTITAN];

	speed[STACK_UNSET] = speed[STACK_GENERIC] = speed[STACK_MAXTEXT] = speed[STACK_HAI_LLM] = fmax(fmin(a, b), fmin(fmax(a, b), c));
}

static void write_constants(const char *path, const struct constants *constants, struct physics *physics)
{
	FILE *file = fopen(path, "w");

	CHECK(file);
	fprintf(file,
		"#include \"planner/operators/physics.h\"\n\n/* Written by scripts/fit --write from the published step times of tests/validation/training*.jsonl; what each means: physics.h.\n"
		" * Software without measurements of its own (unset, generic, maxtext, hai_llm) is as fast as the middle one of Megatron Core, FSDP and TorchTitan. */\n"
		"const struct physics physics_fitted = {\n");
	for (size_t i = 0; i < constants->count && constants->items[i].offset < offsetof(struct physics, stack_speed); i++)
		fprintf(file, "\t.%s = %.4g,\n", constants->items[i].name, *constant_in(&constants->items[i], physics));
	fprintf(file, "\t/* unset, then as in enum stack */\n\t.stack_speed = {");
	for (int stack = 0; stack < STACK_COUNT; stack++)
		fprintf(file, "%.4g%s", physics->stack_speed[stack], stack + 1 < STACK_COUNT ? ", " : "},\n};\n");
	fclose(file);
}

static void outcomes_fill(const struct samples *samples, const struct physics *physics)
{
	outcomes.count = samples->count;
	for (size_t i = 0; i < samples->count; i++) {
		double ratio = exp(sample_log_ratio(&samples->items[i], physics));

		outcome_items[i] = (struct outcome){.item = samples->items[i].item, .kind = EXPECT_STEP, .ratio = ratio, .left_ratio = ratio};
	}
}

static void leave_out(const struct samples *samples, const struct constants *constants, const struct physics *fitted)
{
	for (size_t s = 0; s < samples->suite_count; s++) {
		struct physics physics = *fitted;

		if (suite_role_of(samples->suites[s]) != SUITE_FITTED)
			continue;
		fit_run(samples, constants, samples->suites[s], 6, &physics);
		for (size_t i = 0; i < samples->count; i++)
			if (strcmp(samples->items[i].item->suite, samples->suites[s]) == 0)
				outcome_items[i].left_ratio = exp(sample_log_ratio(&samples->items[i], &physics));
	}
}

int main(int argc, char **argv)
{
	static struct validation_cases cases;
	static struct constants constants;
	struct samples samples;
	struct physics physics = physics_fitted;
	const char *rows = NULL, *written = NULL;
	bool out = false;
	int rounds = 25;

	if (argc < 2)
		return fprintf(stderr, "usage: fit_training FOLDER [--rounds N] [--left-out] [--rows FILE.csv] [--write PHYSICS.c]\n"), 2;
	for (int i = 2; i < argc; i++) {
		out |= strcmp(argv[i], "--left-out") == 0;
		if (strcmp(argv[i], "--rows") == 0 && i + 1 < argc)
			rows = argv[i + 1];
		if (strcmp(argv[i], "--write") == 0 && i + 1 < argc)
			written = argv[i + 1];
		if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc)
			rounds = (int)strtol(argv[i + 1], NULL, 10);
	}
	validation_cases_load(argv[1], &cases);
	samples_of_cases(&cases, &samples);
	constants_list(&constants);
	printf("objective, shipped constants: %.5f\n", fit_objective(&samples, &constants, NULL, &physics));
	printf("objective, fitted: %.5f\n", fit_run(&samples, &constants, NULL, rounds, &physics));
	speeds_of_the_others(&physics);
	if (written)
		write_constants(written, &constants, &physics);
	outcomes_fill(&samples, &physics);
	if (out)
		leave_out(&samples, &constants, &physics);
	print_scores(&samples, out);
	print_constants(&constants, &physics);
	if (rows)
		write_rows(rows, &samples, &physics);
	return 0;
}
