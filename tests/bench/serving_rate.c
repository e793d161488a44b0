/* Measures the simulation and the formulas of serving on one thread, without HTTP. `make bench-serving` runs it.
 *
 * The model is Llama-2-7B in BF16 on one A100 of 80 GB.
 * 1. A conversation trace, repeated with seeded gaps at 4 requests a second, to 200,000 requests.
 * 2. Operating points by formula, closed loop, each at another concurrency.
 *
 * usage: serving_rate TRACE.csv */
#include <time.h>

#include "hwdb/rows/builtin.h"
#include "planner/queueing/simulation.h"
#include "planner/replica/replica_layout.h"

enum { ROWS_MAX = 100000, REQUESTS = 200000, POINTS = 200000, ROUNDS = 3 };

static double prompts[ROWS_MAX], outputs[ROWS_MAX];
static size_t row_count;

__attribute__((noreturn)) static void stop(const char *what)
{
	fprintf(stderr, "serving_rate: %s\n", what);
	exit(1);
}

static double now_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void lengths_read(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];

	if (!file || !fgets(line, sizeof line, file))
		stop("cannot read the trace");
	while (row_count < ROWS_MAX && fgets(line, sizeof line, file))
		row_count += sscanf(line, "%*f,%lf,%lf", &prompts[row_count], &outputs[row_count]) == 2;
	fclose(file);
}

static void replica_of_catalogue(struct replica *replica)
{
	static struct arena arena;
	static struct failure failure;
	struct replica_layout layout = {.tensor = 1,
		.pipeline = 1,
		.expert = 1,
		.attention_data = 1,
		.precision = PRECISION_BF16,
		.kv_precision = PRECISION_BF16,
		.engine = ENGINE_VLLM,
		.release_years = engine_newest_release_years(),
		.max_batch = ABSENT_NUMBER,
		.chunk_tokens = ABSENT_NUMBER};
	const struct model_row *model;
	const struct accelerator_row *accelerator;
	struct catalogue_rows rows;
	struct catalogue *catalogue;
	const char *alias;

	arena_init(&arena, 256u << 20);
	if (builtin_rows_read(&arena, &rows, &failure) != STATUS_OK)
		stop(failure.detail);
	catalogue = catalogue_new(&arena, &rows, 1, 1, 0, &failure);
	model = catalogue ? catalogue_model(catalogue, "llama-2-7b", &alias) : NULL;
	accelerator = catalogue ? catalogue_accelerator(catalogue, "a100-sxm4-80gb", &alias) : NULL;
	if (!model || !accelerator || !replica_prepare(replica, &model->model, &accelerator->accelerator, NULL, &layout, &serving_constants))
		stop("the replica cannot be");
}

static void simulated(const struct replica *replica)
{
	struct request_shape shape = {.run_requests = ABSENT_NUMBER};
	struct engine_setting engine;
	struct traffic_plan traffic = {.requests_per_s = 4,
		.gap_cv = 1,
		.prompt = {.samples = prompts, .sample_count = row_count},
		.output = {.samples = outputs, .sample_count = row_count}};
	struct simulation_setting setting = {.engine = &engine, .replicas = 1, .traffic = &traffic, .requests = REQUESTS, .seed = 1};
	static struct simulation_result result;
	void *workspace;
	double began, spent;

	engine_setting_of(&engine, replica, &shape);
	workspace = malloc(simulation_workspace_bytes(&setting));
	if (!workspace)
		stop("no memory");
	began = now_s();
	simulation_run(&setting, workspace, &result);
	spent = now_s() - began;
	printf("simulated requests: %lld in %.3f s: %.0f a second (at least 300000); %lld steps in %lld jumps, batch %.1f, "
		   "p95 of TTFT %.0f ms, "
		   "of TPOT %.1f ms%s\n",
		(long long)result.finished, spent, (double)result.finished / spent, (long long)result.steps, (long long)result.work,
		result.mean_batch, 1e3 * histogram_quantile_s(&result.ttft, 0.95), 1e3 * histogram_quantile_s(&result.tpot, 0.95),
		result.saturated ? ", saturated" : "");
	free(workspace);
}

static void computed(const struct replica *replica)
{
	struct request_shape shape = {
		.prompt_tokens = 1155, .prompt_cv = 0.92, .output_tokens = 211, .output_cv = 0.6, .run_requests = ABSENT_NUMBER};
	struct operating_point point;
	double began = now_s(), spent, sum = 0;

	for (int i = 0; i < POINTS; i++) {
		operating_closed(replica, &shape, 1 + i % 64, &point);
		sum += point.tpot_s;
	}
	spent = now_s() - began;
	printf("operating points: %d in %.3f s: %.0f a second (at least 200000); mean TPOT %.1f ms\n", POINTS, spent, POINTS / spent,
		1e3 * sum / POINTS);
}

int main(int argc, char **argv)
{
	static struct replica replica;

	if (argc != 2)
		stop("usage: serving_rate TRACE.csv");
	lengths_read(argv[1]);
	replica_of_catalogue(&replica);
	for (int i = 0; i < ROUNDS; i++) {
		simulated(&replica);
		computed(&replica);
	}
	return 0;
}
