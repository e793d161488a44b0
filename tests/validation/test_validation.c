/* Tests of the validation programs: cases resolved as by the service, roles of suites, scores and promises. */
#include <sys/wait.h>
#include <unistd.h>

#include "support/assert.h"
#include "validation/product.h"
#include "validation/runs.h"
#include "validation/samples.h"
#include "validation/slices.h"

static const char row[] =
	"{\"id\": \"%s\", \"suite\": \"%s\", \"family\": \"dense-llama\", %s\"request\": {\"model\": \"llama-3.1-8b\", \"accelerator\": \"%s\", %s"
	"\"tokens\": 1e9}, \"expect\": {\"%s\": 7}}\n";

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* Creates a folder of cases with these two rows. */
static const char *folder_of(const char *training, const char *runs)
{
	static char folder[64];

	snprintf(folder, sizeof folder, "/tmp/fleetplan-validation-XXXXXX");
	assert_non_null(mkdtemp(folder));
	write_file(folder, "training_9.jsonl", training);
	write_file(folder, "runs.jsonl", runs);
	write_file(folder, "suites.csv", "suite,role,reason\nmine,fitted,\nother,anchor,nothing, else shows it\n");
	return folder;
}

static void folder_remove(const char *folder)
{
	static const char *const names[] = {"training_9.jsonl", "runs.jsonl", "suites.csv"};
	char path[256];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static const char *pinned_row(const char *suite, const char *accelerator, const char *more)
{
	static char text[1024];

	snprintf(text, sizeof text, row, "a", suite, "", accelerator, more, "step.time_s");
	return text;
}

static const char *run_row(const char *more)
{
	static char text[1024];

	snprintf(text, sizeof text, row, "b", "totals", more, "h100", "", "gpu_hours");
	return text;
}

static const char pins[] = "\"gpu_count\": 8, \"global_batch_size\": 64, \"sequence_length\": 4096, ";
static const char team[] = "\"team\": \"Us\", \"scored\": true, \"informed\": {\"gpu_count\": 64, \"stack_release\": \"2022-01\"}, ";

static void a_case_is_what_the_service_plans(void **state)
{
	static struct training_plan plan;
	static struct validation_cases cases;
	static struct failure failure;
	const char *folder = folder_of(pinned_row("mine", "h100", pins), run_row(team));
	struct samples samples;
	double step_s;

	(void)state;
	validation_cases_load(folder, &cases);
	folder_remove(folder);
	assert_int_equal(cases.count, 2);
	assert_string_equal(cases.items[0].candidate->accelerator.id, "h100-sxm5-80gb");
	assert_int_equal(cases.items[0].input.request.stack, STACK_GENERIC);
	assert_int_equal(planner_training(&cases.items[0].input, &plan, &failure), STATUS_OK);
	samples_of_cases(&cases, &samples);
	assert_int_equal(samples.count, 1);
	step_s = 7 * exp(sample_log_ratio(&samples.items[0], &physics_fitted));
	assert_close(step_s, plan.recommended.step.time_s, 1e-12);
	free(samples.items);
	free(cases.items);
}

static void a_run_is_asked_in_three_ways(void **state)
{
	static struct validation_cases cases;
	const char *folder = folder_of(pinned_row("mine", "tpu-v5p", ""), run_row(team));
	const struct validation_case *run = &cases.items[1];

	(void)state;
	validation_cases_load(folder, &cases);
	folder_remove(folder);
	run = &cases.items[1];
	assert_int_equal(cases.items[0].candidate->torus_dimensions, 3);
	assert_true(run->scored);
	assert_true(run->asked[ASKED_DEFAULT]->request.common.gpu_count < 1);
	assert_int_equal(run->asked[ASKED_COUNT]->request.common.gpu_count, 64);
	assert_null(run->asked[ASKED_COUNT]->request.stack_release);
	assert_int_equal(run->asked[ASKED_TOLD]->request.common.gpu_count, 64);
	assert_string_equal(run->asked[ASKED_TOLD]->request.stack_release, "2022-01");
	free(cases.items);
}

static void roles_are_data(void **state)
{
	const char *folder = folder_of("\n", "\n");
	size_t count;

	(void)state;
	suites_load(folder);
	folder_remove(folder);
	assert_int_equal(suite_role_of("mine"), SUITE_FITTED);
	assert_int_equal(suite_role_of("other"), SUITE_ANCHOR);
	assert_int_equal(suite_role_of("unheard of"), SUITE_SHOWN);
	assert_string_equal(suites_all(&count)[1].reason, "nothing, else shows it");
	assert_int_equal(count, 2);
}

static int exit_code_of_loading(const char *training, const char *runs)
{
	static struct validation_cases cases;
	const char *folder = folder_of(training, runs);
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(3);
		validation_cases_load(folder, &cases);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	folder_remove(folder);
	return WEXITSTATUS(status);
}

static void what_is_not_understood_fails(void **state)
{
	(void)state;
	assert_int_equal(exit_code_of_loading(pinned_row("mine", "h100", pins), run_row(team)), 0);
	assert_int_equal(exit_code_of_loading(pinned_row("mine", "h100", "\"gpu_cuont\": 8, "), run_row(team)), 2);
	assert_int_equal(exit_code_of_loading(pinned_row("mine", "h1000", pins), run_row(team)), 2);
	assert_int_equal(exit_code_of_loading(pinned_row("mine", "h100", pins), run_row("\"taem\": \"Us\", ")), 2);
	assert_int_equal(exit_code_of_loading(pinned_row("mine", "h100", pins), run_row("")), 2); /* GPU-hours without a team */
	assert_int_equal(exit_code_of_loading("not JSON\n", run_row(team)), 2);
}

static void promises_count_what_held(void **state)
{
	static struct promises promises;
	const struct interval range = {8, 10, 12.5};

	(void)state;
	promises.count = 0;
	promises_add(&promises, &range, 7);     /* below p10 */
	promises_add(&promises, &range, 12.49); /* just below p90 */
	promises_add(&promises, &range, 30);
	promises_add_broken(&promises);
	assert_close(promises_held(&promises, 0.5), 0.25, 1e-12);
	assert_close(promises_held(&promises, 0.9), 0.5, 1e-12);
	assert_close(promises_held(&promises, 0.95), 0.5, 1e-12);
}

static void runs_are_scored_by_the_published_hours(void **state)
{
	static const struct validation_case item = {.id = "a", .team = "Us", .scored = true}, unclear = {.id = "b", .team = "Us"};
	static struct runs runs;
	static struct promises promises;
	struct run_score score;

	(void)state;
	runs.count = 3;
	/* half of the published hours as requested; their promise is kept only at the published number of accelerators */
	runs.items[0] = (struct run){.item = &item,
		.published_hours = 100,
		.mfu_hours = 36,
		.rule_hours = {120, 90},
		.answers = {[ASKED_DEFAULT] = {.gpu_hours = 50, .range = {40, 50, 62}},
			[ASKED_COUNT] = {.gpu_hours = 100, .range = {80, 100, 125}},
			[ASKED_TOLD] = {.gpu_hours = 90, .range = {47, 90, 95}}}};
	/* twice the published hours */
	runs.items[1] = (struct run){.item = &item,
		.published_hours = 100,
		.mfu_hours = 30,
		.rule_hours = {100, 75},
		.answers = {[ASKED_DEFAULT] = {.gpu_hours = 200, .range = {90, 200, 400}},
			[ASKED_COUNT] = {.gpu_hours = 50, .range = {40, 50, 60}},
			[ASKED_TOLD] = {.refused = true}}};
	runs.items[2] = (struct run){.item = &unclear, .published_hours = 1};
	score = runs_score(&runs, ASKED_DEFAULT, false);
	assert_int_equal(score.count, 2);
	assert_close(score.mean, 0.75, 1e-12);
	assert_close(score.median, 0.75, 1e-12);
	assert_close(score.bias + 1, 1, 1e-12);
	assert_close(score.inside, 0.5, 1e-12);
	assert_close(score.impossible, 0.5, 1e-12);
	assert_close(score.held, 0.5, 1e-12);
	score = runs_score(&runs, ASKED_TOLD, false);
	assert_int_equal(score.refused, 1);
	assert_close(score.mean, 0.55, 1e-12);
	assert_close(score.bias, -0.1, 1e-9);
	assert_close(score.impossible, 0.5, 1e-12);
	assert_close(score.held + 1, 1, 1e-12);
	score = runs_rule_score(&runs, RULE_30);
	assert_close(score.mean, 0.1, 1e-9);
	assert_true(score.bias > 0);
	/* the page has the figures with the team left out */
	for (size_t i = 0; i < 2; i++)
		for (int asked = 0; asked < ASKED_KIND_COUNT; asked++) {
			runs.items[i].left[asked] = runs.items[i].answers[asked];
			runs.items[i].left[asked].gpu_hours *= 2;
		}
	score = runs_score(&runs, ASKED_DEFAULT, true);
	assert_close(score.mean, 1.5, 1e-9);
	runs_promises(&runs, ASKED_TOLD, &promises);
	assert_int_equal(promises.count, 2);
	assert_close(promises_held(&promises, 0.999), 0.5, 1e-12);
}

static void a_range_moves_with_its_suite_left_out(void **state)
{
	static const struct validation_case item = {.suite = "mine", .expected = {[EXPECT_STEP] = 10}};
	struct outcome one = {
		.item = &item, .kind = EXPECT_STEP, .ratio = 1, .left_ratio = 1.5, .range = {8, 10, 12.5}, .rule_ratio = {1.2, 0.9}};
	struct outcomes all = {&one, 1};

	(void)state;
	assert_close(outcome_left_range(&one).p10, 12, 1e-12);
	assert_close(score_of(&all, slice_steps, NULL, false).covered, 1, 1e-12);
	assert_close(score_of(&all, slice_steps, NULL, true).covered + 1, 1, 1e-12);
	assert_close(score_of_rule(&all, slice_steps, NULL, RULE_40).mean, 0.1, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_case_is_what_the_service_plans),
		cmocka_unit_test(a_run_is_asked_in_three_ways),
		cmocka_unit_test(roles_are_data),
		cmocka_unit_test(what_is_not_understood_fails),
		cmocka_unit_test(promises_count_what_held),
		cmocka_unit_test(runs_are_scored_by_the_published_hours),
		cmocka_unit_test(a_range_moves_with_its_suite_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
