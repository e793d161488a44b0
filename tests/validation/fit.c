#include "validation/fit.h"

void constants_list(struct constants *constants)
{
#define ROW(member_, least_, most_, meaning_, source_) {#member_, meaning_, source_, offsetof(struct physics, member_), least_, most_},
	static const struct constant rows[] = {PHYSICS_CONSTANTS(ROW)};
#undef ROW
	*constants = (struct constants){.count = 0};
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		constants->items[constants->count++] = rows[i];
	for (int stack = STACK_MEGATRON_LM; stack < STACK_MAXTEXT; stack++)
		if (stack != STACK_MEGATRON_CORE) /* its speed is 1: the others are relative to it */
			constants->items[constants->count++] = (struct constant){stack_name((enum stack)stack),
				"speed of every kernel under this software divided by that under Megatron Core, both of mid 2024",
				"published runs under this software", offsetof(struct physics, stack_speed) + (size_t)stack * sizeof(double), 2.0 / 3, 1.5};
	CHECK(constants->count <= CONSTANTS_MAX);
}

/* Context of log_ratios(). */
struct fitted {
	const struct samples *samples;
	double weights[SAMPLES_MAX];
};

static void log_ratios(const struct fit_problem *problem, const void *values, double *out)
{
	const struct fitted *fitted = problem->context;

	for (size_t i = 0; i < problem->count; i++)
		out[i] = problem->weights[i] > 0 ? sample_log_ratio(&fitted->samples->items[i], values) : 0;
}

static struct fit_problem problem_of(
	const struct samples *samples, const struct constants *constants, const char *without, struct fitted *fitted)
{
	fitted->samples = samples;
	for (size_t i = 0; i < samples->count; i++) {
		const struct sample *sample = &samples->items[i];

		fitted->weights[i] = without && strcmp(sample->item->suite, without) == 0 ? 0 : sample->weight;
	}
	return (struct fit_problem){.constants = constants,
		.values_bytes = sizeof(struct physics),
		.count = samples->count,
		.weights = fitted->weights,
		.residuals = log_ratios,
		.context = fitted};
}

double fit_objective(const struct samples *samples, const struct constants *constants, const char *without, const struct physics *physics)
{
	static struct fitted fitted;
	struct fit_problem problem = problem_of(samples, constants, without, &fitted);

	return solver_objective(&problem, physics);
}

double fit_run(const struct samples *samples, const struct constants *constants, const char *without, int rounds, struct physics *physics)
{
	static struct fitted fitted;
	struct fit_problem problem = problem_of(samples, constants, without, &fitted);

	return solver_run(&problem, rounds, physics);
}
