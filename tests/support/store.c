#include "support/store.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int setup_under(void **state, const char *where)
{
	struct store *store = calloc(1, sizeof *store);

	assert_non_null(store);
	snprintf(store->folder, sizeof store->folder, "%s/fleetplan-store-XXXXXX", where);
	assert_non_null(mkdtemp(store->folder));
	snprintf(store->path, sizeof store->path, "%s/plans.db", store->folder);
	arena_init(&store->arena, 256 * 1024 * 1024);
	store_open(store);
	*state = store;
	return 0;
}

int store_setup(void **state)
{
	return setup_under(state, "/tmp");
}

int store_setup_in_memory(void **state)
{
	return setup_under(state, access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
}

int store_teardown(void **state)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", ".lock", ".mark", "-journal", ".backup"};
	struct store *store = *state;
	char path[160];

	store_close(store);
	for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
		snprintf(path, sizeof path, "%s%s", store->path, suffixes[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(store->folder), 0); /* no other file was left behind */
	arena_release(&store->arena);
	free(store);
	return 0;
}

void store_open(struct store *store)
{
	const struct storage_options options = {.path = store->path};

	failure_clear(&store->failure);
	assert_status(store, storage_open(&options, &store->storage, &store->failure), STATUS_OK);
}

void store_close(struct store *store)
{
	storage_close(store->storage);
	store->storage = NULL;
}

enum status store_do(struct store *store, struct storage_job *job, enum storage_kind kind)
{
	job->kind = kind;
	job->arena = &store->arena;
	job->failure = &store->failure;
	return storage_run(store->storage, job);
}

void assert_status_at(const struct store *store, enum status actual, enum status expected, const char *file, int line)
{
	if (actual == expected)
		return;
	print_error("status is %s, expected %s: %s\n", status_slug(actual), status_slug(expected), store->failure.detail);
	_fail(file, line);
}

struct plan_record store_plan(struct store *store, int number)
{
	struct arena *arena = &store->arena;
	const char *labels = arena_printf(arena, "{\"team\":\"red\",\"number\":\"%d\"}", number);
	const char *request = arena_printf(arena, "{\"model\":\"llama-%d\",\"tokens\":15000000000000}", number);
	const char *result = arena_printf(arena, "{\"gpu_count\":%d,\"note\":\"caf\xc3\xa9\"}", number);
	struct plan_record plan = {.kind = number % 2 ? "training" : "inference", .revision = 1};

	plan.id = arena_printf(arena, "01900000-0000-7000-8000-%012d", number);
	plan.name = arena_printf(arena, "Plan %d", number);
	plan.notes = arena_printf(arena, "notes of %d", number);
	plan.labels = (struct json_text){labels, strlen(labels)};
	plan.created_at_us = plan.updated_at_us = plan.computed_at_us = INT64_C(1000000) * number;
	plan.model = arena_printf(arena, "model-%d", number % 3);
	plan.accelerator = arena_printf(arena, "accelerator-%d", number % 5);
	plan.request = (struct json_text){request, strlen(request)};
	plan.result = (struct json_text){result, strlen(result)};
	plan.catalogue_revision = 7;
	plan.calibration_revision = 3;
	plan.planner_version = "1.2.3";
	return plan;
}

void store_plan_put(struct store *store, const struct plan_record *plan)
{
	struct plan_put put = {.plan = plan};

	assert_status(store, store_do(store, &put.job, STORAGE_PLAN_PUT), STATUS_OK);
}

void assert_plans_equal(const struct plan_record *a, const struct plan_record *b)
{
	assert_string_equal(a->id, b->id);
	assert_string_equal(a->kind, b->kind);
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->notes, b->notes);
	assert_string_equal(a->labels.text, b->labels.text);
	assert_string_equal(a->model, b->model);
	assert_string_equal(a->accelerator, b->accelerator);
	assert_string_equal(a->planner_version, b->planner_version);
	assert_int_equal(a->request.length, b->request.length);
	assert_int_equal(a->result.length, b->result.length);
	assert_string_equal(a->request.text, b->request.text);
	assert_string_equal(a->result.text, b->result.text);
	assert_int_equal(a->created_at_us, b->created_at_us);
	assert_int_equal(a->computed_at_us, b->computed_at_us);
	assert_int_equal(a->revision, b->revision);
	assert_int_equal(a->catalogue_revision, b->catalogue_revision);
	assert_int_equal(a->calibration_revision, b->calibration_revision);
}

struct accelerator_row store_accelerator(struct store *store, const char *id, double tdp_w)
{
	const char **aliases = ARENA_ARRAY(&store->arena, const char *, 2);
	struct accelerator_row row = {.meta.origin = "user", .memory_usable_source = "driver"};
	double *numbers[] = {&row.accelerator.memory_gb, &row.accelerator.memory_usable_bytes, &row.accelerator.memory_bandwidth_gbs,
		&row.accelerator.tflops_fp64, &row.accelerator.tflops_fp32, &row.accelerator.tflops_tf32, &row.accelerator.tflops_bf16,
		&row.accelerator.tflops_fp16, &row.accelerator.tflops_fp8, &row.accelerator.tops_int8, &row.accelerator.tflops_fp4,
		&row.accelerator.idle_w, &row.accelerator.interconnect_gbs, &row.accelerator.die_area_mm2, &row.accelerator.embodied_kgco2e};

	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		*numbers[i] = 10.5 + (double)i;
	aliases[0] = arena_printf(&store->arena, "%s-alias", id);
	aliases[1] = arena_printf(&store->arena, "%s-other", id);
	row.aliases = (struct text_list){aliases, 2};
	row.accelerator.id = id;
	row.accelerator.vendor = "nvidia";
	row.accelerator.name = "Name, with a comma";
	row.accelerator.form_factor = "sxm";
	row.accelerator.memory_type = "HBM3";
	row.accelerator.interconnect = "nvlink4";
	row.accelerator.release_year = 2022;
	row.accelerator.tdp_w = tdp_w;
	row.accelerator.pcie_gen = 5;
	row.accelerator.max_nvlink_domain = 8;
	row.accelerator.transistor_nm = ABSENT_COUNT;
	row.accelerator.embodied_boavizta_kgco2e = ABSENT_NUMBER;
	row.accelerator.source = "data sheet";
	row.accelerator.source_date = "2026-07-20";
	row.accelerator.notes = "";
	return row;
}

struct price_row store_price(struct store *store, const char *id, double price_usd_per_hour)
{
	(void)store;
	return (struct price_row){.meta = {.origin = "imported", .source = "feed", .source_date = "2026-07-20"},
		.id = id,
		.provider = "aws",
		.instance_type = "p5.48xlarge",
		.region = "us-east-1",
		.accelerator_id = "h100",
		.pricing_model = "on_demand",
		.as_of = "2026-07-20",
		.gpus = 8,
		.vcpus = 192,
		.ram_gb = ABSENT_NUMBER,
		.price_usd_per_hour = price_usd_per_hour};
}

struct benchmark_record store_benchmark(struct store *store, int number)
{
	return (struct benchmark_record){.id = arena_printf(&store->arena, "01910000-0000-7000-8000-%012d", number),
		.suite = {"\"quick\"", 7},
		.timeout_s = 60,
		.priority = ABSENT_COUNT,
		.created_at_us = number,
		.expires_at_us = ABSENT_COUNT,
		.lease_until_us = ABSENT_COUNT,
		.started_at_us = ABSENT_COUNT,
		.finished_at_us = ABSENT_COUNT};
}

void store_sql(struct store *store, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(store->path, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static int expect_ok(void *context, int columns, char **values, char **names)
{
	(void)names;
	assert_int_equal(columns, 1);
	assert_string_equal(values[0], "ok");
	++*(int *)context;
	return 0;
}

void assert_integrity(struct store *store)
{
	sqlite3 *db;
	int rows = 0;

	assert_int_equal(sqlite3_open(store->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA integrity_check", expect_ok, &rows, NULL), SQLITE_OK);
	assert_int_equal(rows, 1);
	sqlite3_close(db);
}
