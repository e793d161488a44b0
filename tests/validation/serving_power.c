#include "validation/serving_power.h"

#include <jansson.h>
#include <math.h>

enum { LINE_MAX_BYTES = 4096, COLUMNS_MAX = 32, LEFT_OUT_ROUNDS = 10 };

/* Names of the leaderboard, and the catalogue's names of the same shapes. Instruction tuning does not change a shape. */
static const struct {
	const char *theirs, *ours;
} model_names[] = {{"openai/gpt-oss-120b", "gpt-oss-120b"}, {"openai/gpt-oss-20b", "gpt-oss-20b"},
	{"Qwen/Qwen3-235B-A22B-Instruct-2507", "qwen3-235b-a22b"}, {"Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", "qwen3-235b-a22b"},
	{"Qwen/Qwen3-235B-A22B-Thinking-2507", "qwen3-235b-a22b"}, {"Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b"},
	{"Qwen/Qwen3-32B", "qwen3-32b"}, {"meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"},
	{"meta-llama/Llama-3.3-70B-Instruct", "llama-3.3-70b"}, {"meta-llama/Llama-3.1-405B-Instruct-FP8", "llama-3.1-405b"},
	{"deepseek-ai/DeepSeek-V3.1", "deepseek-v3"}, {"Qwen/Qwen3-Coder-480B-A35B-Instruct", "qwen3-coder-480b-a35b"},
	{"Qwen/Qwen3-Coder-480B-A35B-Instruct-FP8", "qwen3-coder-480b-a35b"}};

/* Returns the assumed tokens of a prompt, because the leaderboard does not publish them: a chat turn, a question with four
 * answers, a file around a gap. Ten times as many change the power by a few percent, because answers are longer. */
static double prompt_tokens_of(const char *task)
{
	return strcmp(task, "sourcegraph-fim") == 0 ? 1000 : 300;
}

static const char *columns[] = {"task", "model_id", "weight_precision", "gpu_model", "num_gpus", "expert_parallel", "data_parallel",
	"max_num_seqs", "avg_batch_size", "avg_output_len", "avg_power_watts", "output_throughput_tokens_per_sec", "energy_per_token_joules"};
enum { TASK, MODEL, PRECISION, GPU, GPUS, EXPERT, DATA, LIMIT, BATCH, OUTPUT, WATTS, TOKENS, JOULES, COLUMN_COUNT };

/* Splits a line in place at its commas. Quotes have no meaning. */
static size_t split_cells(char *line, char *cells[COLUMNS_MAX])
{
	size_t count = 0;

	line[strcspn(line, "\r\n")] = '\0';
	for (char *at = line; at && count < COLUMNS_MAX; count++) {
		char *comma = strchr(at, ',');

		cells[count] = at;
		if (comma)
			*comma++ = '\0';
		at = comma;
	}
	return count;
}

static void header_read(char *line, size_t places[COLUMN_COUNT])
{
	char *cells[COLUMNS_MAX];
	size_t count = split_cells(line, cells);

	for (size_t c = 0; c < COLUMN_COUNT; c++) {
		places[c] = COLUMNS_MAX;
		for (size_t i = 0; i < count; i++)
			if (strcmp(cells[i], columns[c]) == 0)
				places[c] = i;
		if (places[c] == COLUMNS_MAX)
			product_stop("no column", columns[c]);
	}
}

static double number(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end != '\0')
		product_stop("not a number", text);
	return value;
}

static const char *precision_of(const char *word)
{
	if (strcmp(word, "bfloat16") == 0)
		return "bf16";
	if (strcmp(word, "fp8") == 0 || strcmp(word, "mxfp4") == 0)
		return word;
	product_stop("unknown precision", word);
}

static const char *catalogue_name(const char *theirs)
{
	for (size_t i = 0; i < COUNT_OF(model_names); i++)
		if (strcmp(model_names[i].theirs, theirs) == 0)
			return model_names[i].ours;
	return NULL;
}

/* Returns the row as a request; the caller frees it. Release: vLLM 0.11, as stated by the leaderboard's third version. */
static char *request_of(char *const cells[COLUMN_COUNT], const char *model)
{
	double gpus = number(cells[GPUS]), data = number(cells[DATA]);
	json_t *request = json_pack("{ss ss ss ss ss sI s{sI sI sI si sI} sf sf sf}", "model", model, "accelerator",
		strcmp(cells[GPU], "B200") == 0 ? "b200-sxm6-180gb" : "h100-sxm5-80gb", "engine", "vllm", "engine_release", "2025-11", "precision",
		precision_of(cells[PRECISION]), "gpu_count", (json_int_t)gpus, "parallelism", "attention_data", (json_int_t)data, "tensor",
		(json_int_t)(gpus / data), "expert", (json_int_t)number(cells[EXPERT]), "pipeline", 1, "max_batch",
		(json_int_t)number(cells[LIMIT]), "concurrency", fmax(1, round(number(cells[BATCH]))), "prompt_tokens",
		prompt_tokens_of(cells[TASK]), "output_tokens", number(cells[OUTPUT]));
	char *text = json_dumps(request, JSON_COMPACT);

	CHECK(text);
	json_decref(request);
	return text;
}

static double watts(const struct power_case *item, const struct power_constants *values)
{
	double w = 0;

	for (int phase = 0; phase < PHASE_COUNT; phase++) {
		const struct phase_use *use = &item->point.phases[phase];
		double fraction = values->busy_share + values->compute_share * fmin(use->compute_utilization, 1) +
			values->memory_share * fmin(use->memory_utilization, 1);

		w += use->share * (item->idle_w + (item->load_w - item->idle_w) * fmin(1, fraction));
	}
	return w * item->gpus;
}

static void case_add(char *const cells[COLUMN_COUNT], struct serving_cases *serving, struct power_cases *cases)
{
	struct power_case *power = &cases->items[cases->count];
	const char *model = catalogue_name(cells[MODEL]);
	struct serving_case *item;
	char *request;

	if (!model) {
		cases->unknown++;
		return;
	}
	if (cases->count++ >= POWER_CASES_MAX)
		product_stop("too many rows", "POWER_CASES_MAX");
	power->index = serving->count;
	request = request_of(cells, model);
	item = serving_case_add(serving, "", cells[TASK], request);
	free(request);
	item->quantity = QUANTITY_THROUGHPUT;
	item->side = true;
	item->observed = number(cells[TOKENS]);
	power->observed_w = number(cells[WATTS]);
	power->gpus = number(cells[GPUS]);
	power->idle_w = accelerator_idle_w(&item->input.candidate->accelerator, NULL, NULL, NULL);
	power->load_w = accelerator_load_w(&item->input.candidate->accelerator, NULL, NULL, NULL);
}

static struct serving_case *case_of(const struct power_cases *cases, size_t i)
{
	return &cases->serving->items[cases->items[i].index];
}

void power_constants_list(struct constants *constants)
{
#define ROW(member_, least_, most_, meaning_, source_) \
	{#member_, meaning_, source_, offsetof(struct power_constants, member_), least_, most_},
	static const struct constant rows[] = {POWER_CONSTANTS(ROW)};
#undef ROW
	*constants = (struct constants){.count = COUNT_OF(rows)};
	memcpy(constants->items, rows, sizeof rows);
}

static void log_ratios(const struct fit_problem *problem, const void *values, double *out)
{
	const struct power_cases *cases = problem->context;

	for (size_t i = 0; i < problem->count; i++)
		out[i] = problem->weights[i] > 0 ? log(watts(&cases->items[i], values) / cases->items[i].observed_w) : 0;
}

double power_fit_run(const struct power_cases *cases, const char *without, int rounds, struct power_constants *values)
{
	static struct constants constants;
	double weights[POWER_CASES_MAX];
	struct fit_problem problem = {.constants = &constants,
		.values_bytes = sizeof *values,
		.count = cases->count,
		.weights = weights,
		.residuals = log_ratios,
		.context = cases};

	power_constants_list(&constants);
	for (size_t i = 0; i < cases->count; i++)
		weights[i] = !without || strcmp(case_of(cases, i)->model, without) != 0;
	return solver_run(&problem, rounds, values);
}

void power_cases_load(const char *path, struct serving_cases *serving, struct power_cases *cases)
{
	char line[LINE_MAX_BYTES], *cells[COLUMNS_MAX], *wanted[COLUMN_COUNT];
	size_t places[COLUMN_COUNT];
	FILE *file = fopen(path, "r");

	if (!file || !fgets(line, sizeof line, file))
		product_stop("cannot be read", path);
	header_read(line, places);
	cases->count = cases->unknown = 0;
	cases->serving = serving;
	while (fgets(line, sizeof line, file)) {
		size_t count = split_cells(line, cells);

		for (size_t c = 0; c < COLUMN_COUNT; c++) {
			if (places[c] >= count)
				product_stop("a row is too short in", path);
			wanted[c] = cells[places[c]];
		}
		case_add(wanted, serving, cases);
	}
	fclose(file);
}

void power_cases_judge(const struct serving_constants *values, const struct serving_outcomes *outcomes, struct power_cases *cases)
{
	struct serving_prediction prediction;

	for (size_t i = 0; i < cases->count; i++) {
		struct power_case *power = &cases->items[i];

		serving_predict(case_of(cases, i), values, false, &prediction);
		power->point = prediction.point;
		power->ratio_w = watts(power, &power_constants) / power->observed_w;
		power->ratio_tokens_per_s = outcomes->items[power->index].ratio;
		power->ratio_joules = power->ratio_w / power->ratio_tokens_per_s;
	}
	for (size_t i = 0; i < cases->count; i++) {
		struct power_case *power = &cases->items[i];
		struct power_constants refitted = power_constants;

		power_fit_run(cases, case_of(cases, i)->model, LEFT_OUT_ROUNDS, &refitted);
		power->without_model_w = watts(power, &refitted) / power->observed_w;
		power->without_model_joules = power->without_model_w / outcomes->items[power->index].without_model;
	}
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

struct power_score power_score_of(const struct power_cases *cases, size_t offset, const char *accelerator, const char *model)
{
	double errors[POWER_CASES_MAX], sum = 0;
	struct power_score score = {.count = 0};

	for (size_t i = 0; i < cases->count; i++) {
		const struct power_case *item = &cases->items[i];
		double ratio = *(const double *)(const void *)((const char *)item + offset);

		if ((accelerator && strcmp(accelerator, case_of(cases, i)->accelerator) != 0) ||
			(model && strcmp(model, case_of(cases, i)->model) != 0))
			continue;
		errors[score.count++] = fabs(ratio - 1);
		score.mean += fabs(ratio - 1);
		sum += ratio - 1;
	}
	if (score.count == 0)
		return score;
	qsort(errors, score.count, sizeof errors[0], by_value);
	score.mean /= (double)score.count;
	score.bias = sum / (double)score.count;
	score.median = (errors[(score.count - 1) / 2] + errors[score.count / 2]) / 2;
	return score;
}
