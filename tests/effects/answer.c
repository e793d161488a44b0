#include "effects/answer.h"

#include <stdlib.h>
#include <string.h>

#include "api/tables/tables.h"
#include "base/clock.h"
#include "hwdb/rows/builtin.h"
#include "service/estimate.h"

enum { CATALOGUE_MAX_BYTES = 256 << 20, ARENA_MAX_BYTES = 512 << 20, PATH_MAX_BYTES = 256 };

static const struct kind kinds[] = {
	{"training", &table_training_request,
		{{"hours", "recommended.wall_clock_hours"}, {"gpu_count", "recommended.gpu_count"}, {"step_s", "recommended.step.time_s"},
			{"memory", "recommended.memory.total_bytes"}, {"usd", "recommended.cost.total_usd"}, {"kwh", "recommended.energy.total_kwh"},
			{"kgco2e", "recommended.carbon.total_kgco2e"}, {"water_l", "recommended.water_l"}}},
	{"inference", &table_inference_request,
		{{"gpu_count", "recommended.gpu_count"}, {"ttft_ms", "recommended.latency.ttft_ms.p95"},
			{"tpot_ms", "recommended.latency.tpot_ms.p95"}, {"memory", "recommended.memory.total_bytes"},
			{"usd", "recommended.cost.usd_per_month"}, {"kwh", "recommended.energy.kwh_per_month"},
			{"kgco2e", "recommended.carbon.kgco2e_per_month"}, {"water_l", "recommended.water_l_per_month"},
			{"requests_per_s_max", "recommended.throughput.requests_per_s_max"}}},
	{"performance", &table_performance_request,
		{{"output_tokens_per_s", "output_tokens_per_s"}, {"ttft_ms", "ttft_ms"}, {"tpot_ms", "tpot_ms"}, {"memory", "memory.total_bytes"},
			{"joules", "energy.joules_per_output_token"}}},
	{"memory", &table_memory_request,
		{{"training", "training.total_bytes"}, {"inference", "inference.total_bytes"}, {"headroom", "headroom_bytes"},
			{"gpu_count_min", "gpu_count_min"}}},
	{"scaling", &table_scaling_request, {{"params", "optimum.params"}, {"tokens", "optimum.tokens"}, {"loss", "optimum.loss"}}},
	{"carbon", &table_carbon_request, {{"kwh", "energy.total_kwh"}, {"kgco2e", "carbon.total_kgco2e"}, {"water_l", "water_l"}}},
	{"schedule", &table_schedule_request,
		{{"kwh", "best.kwh"}, {"kgco2e", "best.kgco2e"}, {"usd", "best.usd"}, {"running_hours", "best.running_hours"},
			{"delay_hours", "best.delay_hours"}}},
	{"diagnosis", &table_diagnosis_request,
		{{"efficiency", "efficiency"}, {"predicted_ms", "prediction.step_time_ms.p50"}, {"ratio", "prediction.ratio"},
			{"loss_final", "training_log.loss_final.p50"}, {"steps_per_percent", "training_log.steps_per_percent"},
			{"usd_per_percent", "training_log.usd_per_percent"}, {"stop_step", "training_log.stop_step"}}},
};

static const struct {
	const char *name;
	const struct estimate_kind *estimate;
} estimates[] = {{"training", &estimate_training}, {"inference", &estimate_inference}, {"performance", &estimate_performance},
	{"memory", &estimate_memory}, {"scaling", &estimate_scaling}, {"carbon", &estimate_carbon}, {"schedule", &estimate_schedule},
	{"diagnosis", &estimate_diagnosis}};

static struct catalogue *catalogue;
static struct arena arena;
static struct failure failure;
static json_t *kept; /* key: kind and request; value: address of the answer */
static size_t computed;

const struct kind *kind_find(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	return NULL;
}

static void open_catalogue(void)
{
	struct catalogue_rows rows = {0};
	struct arena of_rows;

	arena_init(&arena, ARENA_MAX_BYTES);
	arena_init(&of_rows, CATALOGUE_MAX_BYTES);
	failure_clear(&failure);
	CHECK(builtin_rows_read(&of_rows, &rows, &failure) == STATUS_OK);
	catalogue = catalogue_new(&of_rows, &rows, 0, 0, 0, &failure);
	CHECK(catalogue);
	kept = json_object();
}

/* True for members that are texts, that repeat inputs with their ranges or figures of the option, or that count the search's work. */
static bool is_no_figure(const char *key)
{
	static const char *const words[] = {
		"assumptions", "warnings", "advice", "sensitivity", "provenance", "inputs", "uncertainties", "search", "summary"};

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (strcmp(key, words[i]) == 0)
			return true;
	}
	return false;
}

static void flatten(const json_t *value, const char *path, json_t *figures)
{
	char below[PATH_MAX_BYTES];
	const char *key;
	json_t *member;
	size_t index;

	if (json_is_object(value)) {
		json_object_foreach ((json_t *)value, key, member) {
			if (is_no_figure(key) ||
				(!*path &&
					(strcmp(key, "parallelism") == 0 ||
						strcmp(key, "timings") == 0))) /* they repeat the request, with the planner's choices filled in */
				continue;
			snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", key);
			flatten(member, below, figures);
		}
	} else if (json_is_array(value)) {
		json_array_foreach (value, index, member) {
			snprintf(below, sizeof below, "%s.%zu", path, index);
			flatten(member, below, figures);
		}
	} else {
		json_object_set(figures, path, (json_t *)value);
	}
}

static void collect_texts(const json_t *result, json_t *texts)
{
	json_t *item;
	size_t index;

	json_array_foreach (json_object_get(result, "warnings"), index, item)
		json_array_append_new(texts, json_pack("[n, O]", item));
	json_array_foreach (json_object_get(result, "assumptions"), index, item)
		json_array_append_new(texts, json_pack("[O, O]", json_object_get(item, "field"), json_object_get(item, "source")));
}

static void refuse(struct answer *answer)
{
	failure_summarize(&failure);
	if (failure.fault_count > 0)
		snprintf(answer->refusal, sizeof answer->refusal, "%s: %s", failure.faults[0].pointer, failure.faults[0].detail);
	else
		snprintf(answer->refusal, sizeof answer->refusal, "%s", failure.detail);
}

static void compute(const struct kind *kind, const char *body, struct answer *answer)
{
	struct estimate estimate = {.arena = &arena, .failure = &failure};
	struct plan_record record;
	int64_t now_us;
	enum status status;
	json_error_t error;
	json_t *result;

	for (size_t i = 0; i < COUNT_OF(estimates); i++) {
		if (strcmp(estimates[i].name, kind->name) == 0)
			estimate.kind = estimates[i].estimate;
	}
	arena_reset(&arena);
	failure_clear(&failure);
	CHECK(clock_parse("2026-11-21", &now_us));
	status = estimate_decode(&estimate, body, strlen(body));
	if (status == STATUS_OK)
		status = estimate_compute(&estimate, catalogue, now_us);
	if (status == STATUS_OK)
		status = estimate_record(&estimate, &record);
	answer->ok = status == STATUS_OK;
	answer->figures = json_object();
	answer->texts = json_array();
	if (!answer->ok) {
		refuse(answer);
		return;
	}
	result = json_loadb(record.result.text, record.result.length, JSON_DECODE_INT_AS_REAL, &error);
	if (!result)
		fprintf(stderr, "%s: %s\n%s\n", error.text, body, record.result.text);
	CHECK(result);
	flatten(result, "", answer->figures);
	collect_texts(result, answer->texts);
	json_decref(result);
}

const struct answer *answer_to(const struct kind *kind, const json_t *request)
{
	char *body = json_dumps(request, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(12)), key[64 * 1024];
	struct answer *answer;
	json_t *address;

	if (!catalogue)
		open_catalogue();
	CHECK(body && (size_t)snprintf(key, sizeof key, "%s%s", kind->name, body) < sizeof key);
	address = json_object_get(kept, key);
	if (address) {
		free(body);
		return (const struct answer *)(intptr_t)json_integer_value(address);
	}
	answer = calloc(1, sizeof *answer);
	CHECK(answer);
	compute(kind, body, answer);
	computed++;
	json_object_set_new(kept, key, json_integer((json_int_t)(intptr_t)answer));
	free(body);
	return answer;
}

size_t answers_computed(void)
{
	return computed;
}

void answers_release(void)
{
	const char *key;
	json_t *address;

	json_object_foreach (kept, key, address) {
		struct answer *answer = (struct answer *)(intptr_t)json_integer_value(address);

		json_decref(answer->figures);
		json_decref(answer->texts);
		free(answer);
	}
	json_decref(kept);
	if (catalogue)
		catalogue_release(catalogue);
	arena_release(&arena);
}
