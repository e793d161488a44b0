#include "validation/samples.h"

#include "validation/product.h"

/* Cases of one group beyond this number add no weight. */
static const double full_weight_cases = 12;

static bool same_group(const struct sample *a, const struct sample *b)
{
	return strcmp(a->item->suite, b->item->suite) == 0 && strcmp(a->item->family, b->item->family) == 0 &&
		(precision_weight_bytes(a->item->input.request.common.precision) < 2) ==
		(precision_weight_bytes(b->item->input.request.common.precision) < 2);
}

static void sample_fill(struct validation_case *item, struct sample *sample)
{
	static struct findings findings; /* assumptions are not judged */
	struct model *teacher = ARENA_NEW(product_arena(), struct model);

	CHECK(teacher);
	findings_clear(&findings);
	item->input.request.common.enforce_memory = TRUTH_FALSE;
	*sample = (struct sample){.item = item, .observed_s = item->expected[EXPECT_STEP]};
	stage_schedule_of_input(&item->input, teacher, &sample->schedule, &findings);
}

static void suite_note(struct samples *samples, const char *suite)
{
	for (size_t i = 0; i < samples->suite_count; i++)
		if (strcmp(samples->suites[i], suite) == 0)
			return;
	CHECK(samples->suite_count < SUITES_MAX);
	samples->suites[samples->suite_count++] = suite;
}

static void samples_weigh(struct samples *samples)
{
	for (size_t i = 0; i < samples->count; i++) {
		double size = 0;

		for (size_t j = 0; j < samples->count; j++)
			size += same_group(&samples->items[i], &samples->items[j]);
		samples->items[i].weight = samples->items[i].item->role == SUITE_SHOWN ? 0 : fmin(size, full_weight_cases) / full_weight_cases / size;
	}
}

void samples_of_cases(struct validation_cases *cases, struct samples *samples)
{
	*samples = (struct samples){.items = calloc(SAMPLES_MAX, sizeof *samples->items)};
	CHECK(samples->items && cases->count <= SAMPLES_MAX);
	for (size_t i = 0; i < cases->count; i++) {
		struct validation_case *item = &cases->items[i];

		if (!is_given(item->expected[EXPECT_STEP]))
			continue;
		sample_fill(item, &samples->items[samples->count++]);
		suite_note(samples, item->suite);
	}
	samples_weigh(samples);
}

bool sample_candidate_plan(const struct sample *sample, const struct physics *physics, struct candidate_plan *candidate_plan)
{
	struct stage_schedule schedule = sample->schedule;
	struct search_counts counts = {0};

	schedule.physics = physics;
	fleet_candidate_plan(
		&schedule, 0, schedule.input->request.common.gpu_count, &schedule.input->request.parallelism, candidate_plan, &counts);
	return candidate_plan->any;
}

double sample_log_ratio(const struct sample *sample, const struct physics *physics)
{
	struct candidate_plan candidate_plan;

	return sample_candidate_plan(sample, physics, &candidate_plan) ? log(candidate_plan.found.step.time.time_s / sample->observed_s) : 1;
}
