/* Holds the serving model against published measurements: `make validate`.
 *
 * usage: validate_inference CASES.jsonl [--rows SUITE]
 * A case is a request to /v1/estimates/inference/performance and what was observed. Prints, for each suite, kind of run,
 * accelerator and model: cases, mean and median absolute error, bias, share of p10..p90 intervals that hold the observed
 * value, and cases refused, each of which counts as an error of 100 %. Cases of trust C are not scored. */
#include <jansson.h>
#include <math.h>

#include "hwdb/builtin.h"
#include "planner/serving/engine_rules.h"
#include "planner/serving/serving.h"

enum { ROWS_MAX = 4096, GROUPS_MAX = 200, LINE_MAX_BYTES = 1 << 16 };

enum quantity { THROUGHPUT, TPOT, TTFT, QUANTITY_COUNT };
enum run_kind { SATURATION, CLOSED_LOOP, ARRIVALS, STATIC_BATCH, RUN_KIND_COUNT };

static const char *const quantity_names[QUANTITY_COUNT] = {"throughput", "tpot", "ttft"};
static const char *const run_names[RUN_KIND_COUNT] = {"saturation", "concurrency", "arrival rate", "static batch"};

struct row {
	char id[24], suite[40], model[64], accelerator[64];
	enum quantity quantity;
	enum run_kind run;
	double error, ratio; /* |predicted / observed - 1|; predicted / observed */
	bool covered, refused;
};

static struct row rows[ROWS_MAX];
static size_t row_count;
static struct performance performance;
static struct failure failure;

__attribute__((noreturn)) static void stop(const char *what, const char *which)
{
	fprintf(stderr, "validate_inference: %s: %s\n", what, which);
	exit(2);
}

static double number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : ABSENT_NUMBER;
}

static int64_t count_of(const json_t *object, const char *key)
{
	double number = number_of(object, key);

	return is_given(number) ? (int64_t)number : ABSENT_COUNT;
}

static enum precision precision_of(const json_t *object, const char *key)
{
	const char *word = json_string_value(json_object_get(object, key));

	for (int i = 1; word && i < PRECISION_COUNT; i++)
		if (strcmp(precision_name((enum precision)i), word) == 0)
			return (enum precision)i;
	if (word)
		stop("unknown precision", word);
	return PRECISION_UNSET;
}

static enum engine engine_of(const json_t *object)
{
	const char *word = json_string_value(json_object_get(object, "engine"));

	for (int i = 1; word && i < ENGINE_COUNT; i++)
		if (strcmp(engine_rules_of((enum engine)i)->name, word) == 0)
			return (enum engine)i;
	if (word)
		stop("unknown engine", word);
	return ENGINE_UNSET;
}

static struct token_distribution tokens_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	struct token_distribution tokens = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, {NULL, 0}};

	if (json_is_number(value)) {
		tokens.mean = json_number_value(value);
	} else {
		tokens.mean = number_of(value, "mean");
		tokens.cv = number_of(value, "cv");
	}
	return tokens;
}

static void request_read(const json_t *object, struct performance_request *request)
{
	const json_t *layout = json_object_get(object, "parallelism"),
				 *concurrency = json_object_get(object, "concurrency");

	memset(request, 0, sizeof *request);
	request->common.precision = precision_of(object, "precision");
	request->common.gpu_count = count_of(object, "gpu_count");
	request->kv_precision = precision_of(object, "kv_precision");
	request->engine = engine_of(object);
	request->engine_release = json_string_value(json_object_get(object, "engine_release"));
	request->parallelism = (struct serving_parallelism){.tensor = count_of(layout, "tensor"),
		.pipeline = count_of(layout, "pipeline"),
		.expert = count_of(layout, "expert"),
		.attention_data = count_of(layout, "attention_data"),
		.max_batch = ABSENT_COUNT,
		.chunk_tokens = ABSENT_COUNT};
	request->prompt_tokens = tokens_of(object, "prompt_tokens");
	request->output_tokens = tokens_of(object, "output_tokens");
	request->concurrency = json_is_string(concurrency) ? CONCURRENCY_MAX : number_of(object, "concurrency");
	request->requests_per_s = number_of(object, "requests_per_s");
	request->requests = count_of(object, "requests");
	request->static_batch = json_is_true(json_object_get(object, "static_batch")) ? TRUTH_TRUE : TRUTH_UNSET;
}

static enum run_kind run_of(const struct performance_request *request)
{
	if (request->static_batch == TRUTH_TRUE)
		return STATIC_BATCH;
	if (is_given(request->requests_per_s))
		return ARRIVALS;
	return request->concurrency < 0 ? SATURATION : CLOSED_LOOP;
}

static double predicted_of(const char *key, enum quantity *quantity, struct interval *interval)
{
	double scale = 1;

	if (strcmp(key, "tpot_ms") == 0) {
		*quantity = TPOT;
		*interval = performance.interval.tpot_ms;
		return performance.tpot_ms;
	}
	if (strcmp(key, "ttft_ms") == 0) {
		*quantity = TTFT;
		*interval = performance.interval.ttft_ms;
		return performance.ttft_ms;
	}
	*quantity = THROUGHPUT;
	*interval = performance.interval.output_tokens_per_s;
	if (strcmp(key, "output_tokens_per_s_per_gpu") == 0)
		scale = performance.output_tokens_per_s_per_gpu / performance.output_tokens_per_s;
	else if (strcmp(key, "output_tokens_per_s") != 0)
		stop("unknown expectation", key);
	interval->p10 *= scale;
	interval->p90 *= scale;
	return performance.output_tokens_per_s * scale;
}

static void row_add(
	const json_t *item, const struct performance_request *request, const char *key, double observed, bool refused)
{
	struct row *row = &rows[row_count];
	struct interval interval = {0, 0, 0};
	double predicted = predicted_of(key, &row->quantity, &interval);
	const json_t *object = json_object_get(item, "request");

	if (row_count + 1 >= ROWS_MAX)
		stop("too many cases", "ROWS_MAX");
	row_count++;
	snprintf(row->id, sizeof row->id, "%s", json_string_value(json_object_get(item, "id")));
	snprintf(row->suite, sizeof row->suite, "%s", json_string_value(json_object_get(item, "suite")));
	snprintf(row->model, sizeof row->model, "%s", json_string_value(json_object_get(object, "model")));
	snprintf(
		row->accelerator, sizeof row->accelerator, "%s", json_string_value(json_object_get(object, "accelerator")));
	row->run = run_of(request);
	row->refused = refused;
	row->ratio = refused ? ABSENT_NUMBER : predicted / observed;
	row->error = refused ? 1 : fabs(row->ratio - 1);
	row->covered = !refused && observed >= interval.p10 && observed <= interval.p90;
}

static void judge(const json_t *item, const struct catalogue *catalogue)
{
	const json_t *object = json_object_get(item, "request");
	const char *model = json_string_value(json_object_get(object, "model")), *key;
	const char *accelerator = json_string_value(json_object_get(object, "accelerator")), *alias;
	const struct accelerator_row *accelerator_row = catalogue_accelerator(catalogue, accelerator, &alias);
	const struct model_row *model_row = catalogue_model(catalogue, model, &alias);
	struct candidate candidate = {
		.calibration = {NULL, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, NULL}};
	static struct performance_input input;
	enum status status;
	json_t *value;

	if (!accelerator_row || !model_row)
		stop("not in the catalogue", accelerator_row ? model : accelerator);
	candidate.accelerator = accelerator_row->accelerator;
	candidate.gpus_per_node = 8;
	input.model = model_row->model;
	input.candidate = &candidate;
	request_read(object, &input.request);
	failure_clear(&failure);
	findings_clear(&performance.findings);
	status = planner_performance(&input, &performance, &failure);
	if (status != STATUS_OK)
		printf("%s refused: %s%s\n", json_string_value(json_object_get(item, "id")), failure.detail,
			failure.fault_count > 0 ? failure.faults[0].detail : "");
	json_object_foreach(json_object_get(item, "expect"), key, value)
		row_add(item, &input.request, key, json_number_value(value), status != STATUS_OK);
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* One line over the rows that the predicate-like filter (NULL: any) lets through. */
static void print_group(
	const char *label, enum quantity quantity, int run, const char *suite, const char *model, const char *accelerator)
{
	static double errors[ROWS_MAX], ratios[ROWS_MAX];
	size_t count = 0, known = 0, covered = 0, refused = 0;
	double sum = 0;

	for (size_t i = 0; i < row_count; i++) {
		const struct row *row = &rows[i];

		if (row->quantity != quantity || (run >= 0 && (int)row->run != run) ||
			(suite && strcmp(suite, row->suite) != 0) || (model && strcmp(model, row->model) != 0) ||
			(accelerator && strcmp(accelerator, row->accelerator) != 0))
			continue;
		errors[count++] = row->error;
		sum += row->error;
		covered += row->covered;
		refused += row->refused;
		if (!row->refused)
			ratios[known++] = row->ratio;
	}
	if (count == 0)
		return;
	qsort(errors, count, sizeof *errors, by_value);
	qsort(ratios, known, sizeof *ratios, by_value);
	printf("%-40s %-11s %5zu  %6.1f %%  %6.1f %%  %+6.1f %%   %5.1f %%  %zu\n", label, quantity_names[quantity], count,
		100 * sum / (double)count, 100 * errors[count / 2], known > 0 ? 100 * (ratios[known / 2] - 1) : 0.0,
		100.0 * (double)covered / (double)count, refused);
}

/* Every different text of a member, once. */
static size_t distinct(const char *names[GROUPS_MAX], size_t offset)
{
	size_t count = 0;

	for (size_t i = 0; i < row_count; i++) {
		const char *name = (const char *)&rows[i] + offset;
		size_t at = 0;

		while (at < count && strcmp(names[at], name) != 0)
			at++;
		if (at == count && count < GROUPS_MAX)
			names[count++] = name;
	}
	return count;
}

static void print_report(void)
{
	const char *names[GROUPS_MAX];
	size_t count;

	printf("%-40s %-11s %5s  %8s  %8s  %8s   %7s  %s\n", "slice", "quantity", "cases", "mean", "median", "bias",
		"covered", "refused");
	for (int quantity = 0; quantity < QUANTITY_COUNT; quantity++) {
		print_group("all", (enum quantity)quantity, -1, NULL, NULL, NULL);
		for (int run = 0; run < RUN_KIND_COUNT; run++)
			print_group(run_names[run], (enum quantity)quantity, run, NULL, NULL, NULL);
		count = distinct(names, offsetof(struct row, suite));
		for (size_t i = 0; i < count; i++)
			print_group(names[i], (enum quantity)quantity, -1, names[i], NULL, NULL);
		count = distinct(names, offsetof(struct row, accelerator));
		for (size_t i = 0; i < count; i++)
			print_group(names[i], (enum quantity)quantity, -1, NULL, NULL, names[i]);
		count = distinct(names, offsetof(struct row, model));
		for (size_t i = 0; i < count; i++)
			print_group(names[i], (enum quantity)quantity, -1, NULL, names[i], NULL);
	}
}

static struct catalogue *catalogue_load(void)
{
	static struct arena arena;
	struct catalogue_rows builtin;
	struct catalogue *catalogue;

	arena_init(&arena, 256u << 20);
	failure_clear(&failure);
	if (builtin_rows_read(&arena, &builtin, &failure) != STATUS_OK)
		stop("built-in data", failure.detail);
	catalogue = catalogue_new(&arena, &builtin, 1, 1, 0, &failure);
	if (!catalogue)
		stop("catalogue", failure.detail);
	return catalogue;
}

int main(int argc, char **argv)
{
	static char line[LINE_MAX_BYTES];
	FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
	struct catalogue *catalogue;
	json_error_t error;

	if (!file)
		stop("usage", "validate_inference CASES.jsonl [--rows SUITE]");
	catalogue = catalogue_load();
	while (fgets(line, sizeof line, file)) {
		json_t *item = json_loads(line, 0, &error);

		if (!item)
			stop(error.text, argv[1]);
		if (strcmp(json_string_value(json_object_get(item, "trust")), "C") != 0)
			judge(item, catalogue);
		json_decref(item);
	}
	fclose(file);
	for (size_t i = 0; argc > 3 && i < row_count; i++)
		if (strcmp(rows[i].suite, argv[3]) == 0)
			printf("%s %s %s %s %s %.3f\n", rows[i].id, rows[i].model, rows[i].accelerator,
				quantity_names[rows[i].quantity], run_names[rows[i].run], rows[i].ratio);
	print_report();
	catalogue_release(catalogue);
	return 0;
}
