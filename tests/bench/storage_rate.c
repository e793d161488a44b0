/* Measures the store without HTTP: durable plan puts with IN_FLIGHT of them at once, and reads of a plan by id.
 *
 * usage: storage_rate DATABASE [SECONDS=3] [IN_FLIGHT=32] [RESULT_BYTES=2048] [READERS=2] [AUDIT=0]
 *
 * One thread submits. It submits each answered operation again with a new id, like the handlers of a server.
 * The program prints one line per measurement: operations/s, CPU microseconds per operation (all threads), and the
 * batches. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/uuid.h"
#include "hwdb/catalogue/records.h"
#include "storage/plans.h"

struct put {
	struct plan_put operation;
	struct plan_record plan;
	char id[UUID_TEXT_SIZE];
	struct failure failure;
	struct put *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static struct put *ready; /* answered, to be submitted again */
static size_t in_flight;
static uint64_t failures;
static bool audited;
static const struct audit_record audit_entry = {.key_id = "0193f5a2-3c4d-7e5f-8a9b-0c1d2e3f4a5b",
	.key_name = "ops",
	.role = "planner",
	.address = "127.0.0.1",
	.request_id = "0193f5a2-3c4d-7e5f-8a9b-0c1d2e3f4a5c",
	.method = "POST",
	.path = "/v1/plans/training",
	.entity = "0193f5a2-3c4d-7e5f-8a9b-0c1d2e3f4a5d",
	.revision = 1,
	.outcome = "done",
	.http_status = 201};

static void put_answered(struct storage_job *job)
{
	struct put *put = (struct put *)job;

	pthread_mutex_lock(&lock);
	failures += job->status != STATUS_OK;
	put->next = ready;
	ready = put;
	in_flight--;
	pthread_cond_signal(&answered);
	pthread_mutex_unlock(&lock);
}

static double cpu_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static struct put *take_ready(bool wait)
{
	struct put *puts;

	pthread_mutex_lock(&lock);
	while (!ready && wait)
		pthread_cond_wait(&answered, &lock);
	puts = ready;
	ready = NULL;
	pthread_mutex_unlock(&lock);
	return puts;
}

static void put_again(struct storage *storage, struct put *put)
{
	uuid_make(put->id);
	put->plan.created_at_us = put->plan.updated_at_us = put->plan.computed_at_us = clock_wall_us();
	pthread_mutex_lock(&lock);
	in_flight++;
	pthread_mutex_unlock(&lock);
	put->operation.job.audit = audited ? &audit_entry : NULL;
	if (storage_submit(storage, &put->operation.job) != STATUS_OK) {
		fprintf(stderr, "submit: %s\n", put->failure.detail);
		exit(1);
	}
}

static void report(const char *what, uint64_t operations, int64_t begin_ns, double begin_cpu_s)
{
	double wall_s = (double)(clock_monotonic_ns() - begin_ns) * 1e-9;

	printf("%-10s %9.0f/s  %6.1f us CPU each", what, (double)operations / wall_s, (cpu_s() - begin_cpu_s) / (double)operations * 1e6);
}

static void measure_puts(struct storage *storage, int64_t seconds, size_t count, struct json_text result)
{
	struct put *puts = calloc(count, sizeof *puts);
	int64_t begin_ns = clock_monotonic_ns();
	double begin_cpu_s = cpu_s();
	struct storage_state before, after;

	CHECK(puts);
	storage_state_get(storage, &before);
	for (size_t i = 0; i < count; i++) {
		puts[i].plan = (struct plan_record){.id = puts[i].id,
			.kind = "training",
			.name = "rate",
			.revision = 1,
			.model = "llama-3.1-8b",
			.accelerator = "h100-sxm5-80gb",
			.request = {"{\"model\":\"llama-3.1-8b\",\"tokens\":15000000000000}", 49},
			.result = result,
			.catalogue_revision = 1,
			.calibration_revision = 1,
			.planner_version = FLEETPLAN_VERSION};
		puts[i].operation = (struct plan_put){
			.job = {.kind = STORAGE_PLAN_PUT, .done = put_answered, .failure = &puts[i].failure}, .plan = &puts[i].plan};
		put_again(storage, &puts[i]);
	}
	while (clock_monotonic_ns() - begin_ns < seconds * 1000000000) {
		for (struct put *put = take_ready(true), *next; put; put = next) {
			next = put->next;
			put_again(storage, put);
		}
	}
	pthread_mutex_lock(&lock);
	while (in_flight)
		pthread_cond_wait(&answered, &lock);
	pthread_mutex_unlock(&lock);
	storage_state_get(storage, &after);
	report("plan put", after.jobs - before.jobs, begin_ns, begin_cpu_s);
	printf("  %zu in flight, %.1f per commit, %.2f ms per commit, %llu failed\n", count,
		(double)(after.jobs - before.jobs) / (double)(after.commits - before.commits),
		(double)(after.commit_ns_total - before.commit_ns_total) * 1e-6 / (double)(after.commits - before.commits),
		(unsigned long long)failures);
	free(puts);
}

struct reading {
	struct storage *storage;
	char (*ids)[UUID_TEXT_SIZE];
	size_t id_count;
	int64_t end_ns;
	uint64_t reads;
};

static void *read_plans(void *argument)
{
	struct reading *reading = argument;
	struct plan_record plan;
	struct failure failure;
	struct arena arena;

	arena_init(&arena, 16 * 1024 * 1024);
	failure_clear(&failure);
	while (clock_monotonic_ns() < reading->end_ns) {
		const char *id = reading->ids[reading->reads * 7919 % reading->id_count];

		if (storage_plan_get(reading->storage, id, ABSENT_COUNT, &arena, &plan, &failure) != STATUS_OK) {
			fprintf(stderr, "get: %s\n", failure.detail);
			exit(1);
		}
		reading->reads++;
		arena_reset(&arena);
	}
	arena_release(&arena);
	return NULL;
}

static void measure_gets(struct storage *storage, int64_t seconds, size_t threads)
{
	static const struct plan_filter any = {.created_after_us = ABSENT_COUNT, .created_before_us = ABSENT_COUNT};
	struct page_request page = {.limit = 1000};
	struct reading readings[64] = {0};
	pthread_t ids[64];
	struct plan_list list;
	struct failure failure;
	struct arena arena;
	uint64_t reads = 0;
	int64_t begin_ns = clock_monotonic_ns();
	double begin_cpu_s = cpu_s();

	failure_clear(&failure);
	arena_init(&arena, 64 * 1024 * 1024);
	CHECK(storage_plan_list(storage, &any, &page, &arena, &list, &failure) == STATUS_OK && list.count > 0 && threads <= 64);
	for (size_t i = 0; i < threads; i++) {
		readings[i] = (struct reading){.storage = storage, .id_count = list.count, .end_ns = begin_ns + seconds * 1000000000};
		readings[i].ids = arena_alloc(&arena, list.count, UUID_TEXT_SIZE);
		for (size_t k = 0; k < list.count; k++)
			memcpy(readings[i].ids[k], list.items[k].id, UUID_TEXT_SIZE);
		CHECK(pthread_create(&ids[i], NULL, read_plans, &readings[i]) == 0);
	}
	for (size_t i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		reads += readings[i].reads;
	}
	report("plan get", reads, begin_ns, begin_cpu_s);
	printf("  %zu threads\n", threads);
	arena_release(&arena);
}

int main(int argument_count, char **arguments)
{
	const struct storage_options options = {.path = argument_count > 1 ? arguments[1] : NULL};
	int64_t seconds = argument_count > 2 ? strtol(arguments[2], NULL, 10) : 3;
	size_t in_flight_count = argument_count > 3 ? strtoul(arguments[3], NULL, 10) : 32;
	size_t result_bytes = argument_count > 4 ? strtoul(arguments[4], NULL, 10) : 2048;
	size_t readers = argument_count > 5 ? strtoul(arguments[5], NULL, 10) : 2;
	struct storage *storage;
	struct failure failure;
	char *result = malloc(result_bytes + 1);

	audited = argument_count > 6 && *arguments[6] != '0';
	failure_clear(&failure);
	if (!options.path || !result || storage_open(&options, &storage, &failure) != STATUS_OK) {
		fprintf(stderr, "usage: storage_rate DATABASE [SECONDS] [IN_FLIGHT] [RESULT_BYTES] [READERS] [AUDIT]: %s\n", failure.detail);
		return 2;
	}
	memset(result, 'x', result_bytes);
	result[0] = result[result_bytes - 1] = '"';
	result[result_bytes] = '\0';
	measure_puts(storage, seconds, in_flight_count, (struct json_text){result, result_bytes});
	measure_gets(storage, seconds, readers);
	storage_close(storage);
	free(result);
	return 0;
}
