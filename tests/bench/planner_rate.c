/* Measures the training planner on one thread, without HTTP. `make bench-planner` runs it.
 *
 * 1. Complete layouts a second (memory and step time of each, no bounds).
 * 2. GPT-3 175B over every layout on one node and on node size x powers of two up to 16,384 accelerators. */
#include <time.h>

#include "planner/step/layout.h"
#include "support/training_fixture.h"

enum { NODE = 8, GPUS_MAX = 16384, ROUNDS = 3 };

static struct training_fixture fixture;

static double now_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* GPT-3 175B (Brown et al. 2020, table 2.1): 96 layers of 12,288, 96 heads; 3.2 million tokens a step. */
static void begin(struct setting *setting)
{
	fixture_init(&fixture);
	fixture_model(&fixture.input.model, 96, 12288, 96, 96, 49152, 50257, true);
	fixture.candidates[0] = fixture_a100();
	if (!setting_of_candidate(&fixture.input, &fixture.candidates[0], &physics_fitted, NULL, 2048, setting))
		abort();
	setting->batch = 1536;
}

static struct layout_search search_of(const struct setting *setting, int64_t gpu_count, bool exhaustive)
{
	return (struct layout_search){
		.setting = setting, .gpu_count = gpu_count, .pins = fixture.input.request.parallelism, .exhaustive = exhaustive};
}

/* Evaluates every layout of 1,024 accelerators, the slow ones included. */
static void every_layout(const struct setting *setting)
{
	struct layout_search search = search_of(setting, 1024, true);
	double began = now_s(), spent;

	layout_search(&search);
	spent = now_s() - began;
	printf("complete layouts: %lld judged, %lld of them timed, in %.3f s: %.0f a second (at least 200000)\n", (long long)search.evaluated,
		(long long)search.feasible, spent, (double)search.feasible / spent);
}

static void every_count(const struct setting *setting, bool exhaustive)
{
	int64_t evaluated = 0, feasible = 0;
	double began = now_s(), best_s = 0;

	for (int64_t count = NODE; count <= GPUS_MAX; count *= 2) {
		struct layout_search search = search_of(setting, count, exhaustive);

		layout_search(&search);
		evaluated += search.evaluated;
		feasible += search.feasible;
		best_s = search.best.any ? search.best.step.time.time_s : best_s;
	}
	printf("GPT-3 175B on %d to %d accelerators%s: %lld layouts judged, %lld timed, in %.3f s%s; the step of the largest: %.3f s\n", NODE,
		GPUS_MAX, exhaustive ? ", no bounds" : "", (long long)evaluated, (long long)feasible, now_s() - began,
		exhaustive ? "" : " (at most 1)", best_s);
}

int main(void)
{
	struct setting setting;

	begin(&setting);
	least_token_times(&setting);
	for (int i = 0; i < ROUNDS; i++)
		every_layout(&setting);
	for (int i = 0; i < ROUNDS; i++)
		every_count(&setting, false);
	every_count(&setting, true);
	return 0;
}
