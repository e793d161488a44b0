/* Every stored column has a checksum, every statement that reads a column checks it, and the store refuses to answer
 * data that changed on the disk. */
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "storage/agents.h"
#include "storage/check.h"
#include "storage/feeds.h"
#include "storage/imports.h"
#include "storage/observations.h"
#include "storage/sqlite/store.h"
#include "support/store.h"

static sqlite3 *db_of(struct store *store)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(store->path, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	assert_int_equal(sqlite3_exec(db, "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF", NULL, NULL, NULL), SQLITE_OK);
	return db;
}

static void run_sql(sqlite3 *db, const char *sql)
{
	char *error = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
		fail_msg("%s: %s", sql, error);
}

static void damage(struct store *store, const char *sql)
{
	sqlite3 *db = db_of(store);

	run_sql(db, sql);
	sqlite3_close(db);
}

static char *file_text(struct store *store, const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = arena_alloc(&store->arena, 1, 1024 * 1024);
	size_t length;

	assert_non_null(file);
	assert_non_null(text);
	length = fread(text, 1, 1024 * 1024 - 1, file);
	fclose(file);
	text[length] = '\0';
	return text;
}

static const unsigned char key_hash[KEY_HASH_BYTES] = "abcdefghijklmnopqrstuvwxyz01234";

/* Stores a row in every table that has checksums. */
static void fill(struct store *store)
{
	struct price_row price = store_price(store, "p1", 2);
	struct model_row model = {.id = "m1", .params_total = 8e9, .params_active = 8e9, .meta.origin = "user"};
	struct region_row region = {.id = "g1",
		.provider = "p",
		.grid_gco2e_per_kwh = 100,
		.grid_marginal_gco2e_per_kwh = ABSENT_NUMBER,
		.pue = 1.2,
		.wue_l_per_kwh = ABSENT_NUMBER,
		.ewif_l_per_kwh = ABSENT_NUMBER,
		.year = ABSENT_COUNT,
		.pue_year = ABSENT_COUNT,
		.wue_year = ABSENT_COUNT,
		.meta.origin = "user"};
	struct row_put puts[] = {{.kind = ROW_PRICE, .row = &price}, {.kind = ROW_MODEL, .row = &model}, {.kind = ROW_REGION, .row = &region}};
	struct key_record key = {.id = "k1", .name = "ops", .role = "viewer", .prefix = "fp_", .created_at_us = 1, .expires_at_us = ABSENT_COUNT};
	struct key_put put = {.key = &key};
	struct idempotency idempotency = {.key = "once",
		.principal = "k1",
		.route = "POST /x",
		.body_sha256 = "0123456789012345678901234567890",
		.answer = {.http_status = 201, .location = "/l", .etag = "\"1\"", .content_type = "application/json", .body = "{}", .body_length = 2}};
	struct idempotency_put kept = {.idempotency = &idempotency};

	store_close(store);
	unlink(store->path);
	for (int step = 1; step <= store_schema_version(); step++)
		store_sql(store, migration_sql(step));
	store_sql(store, file_text(store, arena_printf(&store->arena, "tests/storage/versions/%04d.sql", store_schema_version())));
	store_sql(store,
		"UPDATE benchmark SET result = '{\"verification\":{}}', state = 'succeeded', plan_id = 'p9', finished_at_us = 5, lease_until_us = NULL, "
		"row_checksum = NULL WHERE number = 2");
	store_open(store);
	memcpy(put.hash, key_hash, sizeof put.hash);
	for (size_t i = 0; i < COUNT_OF(puts); i++)
		assert_status(store, store_do(store, &puts[i].job, STORAGE_ROW_PUT), STATUS_OK);
	assert_status(store, store_do(store, &put.job, STORAGE_KEY_PUT), STATUS_OK);
	assert_status(store, store_do(store, &kept.job, STORAGE_IDEMPOTENCY_PUT), STATUS_OK);
	store_close(store);
	{ /* gives the row that was changed above a new checksum */
		struct connection connection;

		assert_status(store, connection_open(store->path, false, &connection, &store->failure), STATUS_OK);
		assert_status(store, row_checksums_fill(&connection, store_schema_version(), &store->failure), STATUS_OK);
		connection_close(&connection);
	}
	store_open(store);
}

static void forget(void *context, const char *fault)
{
	snprintf(context, 400, "%s", fault);
}

static int64_t faults_of(struct store *store, char fault[400])
{
	struct check_result result;

	assert_status(store, storage_check(store->path, forget, fault, &result, &store->failure), STATUS_OK);
	return result.faults;
}

/* Returns SQL for another value of the column, which reads as another value. */
static const char *altered(struct store *store, const char *column, const char *type)
{
	if (strcmp(column, "precision") == 0)
		return "iif(precision = 'bf16', 'fp8', 'bf16')";
	if (strcmp(column, "conflicts") == 0)
		return "iif(conflicts IS NULL, 'tdp_w'||char(9)||'1'||char(9)||'s'||char(9)||char(9), NULL)";
	if (strcmp(type, "BLOB") == 0)
		return "randomblob(32)";
	if (strcmp(type, "REAL") == 0)
		return arena_printf(&store->arena, "coalesce(%s, 1) + 0.5", column);
	if (strcmp(type, "INTEGER") == 0)
		return arena_printf(&store->arena, "CASE %s WHEN 0 THEN 1 WHEN 1 THEN 0 ELSE coalesce(%s, 6) + 1 END", column, column);
	return arena_printf(&store->arena, "coalesce(%s, '') || 'x'", column);
}

static void every_column_is_under_a_checksum(void **state)
{
	struct store *store = *state;
	char fault[400] = "";
	size_t columns = 0;

	fill(store);
	store_close(store);
	assert_int_equal(faults_of(store, fault), 0);
	for (const struct sealed_table *table = sealed_tables; table->name; table++) {
		sqlite3 *db = db_of(store);
		sqlite3_stmt *info;

		run_sql(db, arena_printf(&store->arena, "CREATE TABLE kept AS SELECT * FROM %s", table->name));
		assert_int_equal(sqlite3_prepare_v2(db, arena_printf(&store->arena, "SELECT name, type FROM pragma_table_info('%s')", table->name),
							 -1, &info, NULL),
			SQLITE_OK);
		while (sqlite3_step(info) == SQLITE_ROW) {
			const char *column = arena_strdup(&store->arena, (const char *)sqlite3_column_text(info, 0));
			const char *type = (const char *)sqlite3_column_text(info, 1);

			if (strcmp(column, "number") == 0 || strcmp(column, "hash") == 0) /* the number belongs to the file; the hash is the search key */
				continue;
			run_sql(db, arena_printf(&store->arena, "UPDATE %s SET %s = %s", table->name, column, altered(store, column, type)));
			assert_true(sqlite3_changes(db) > 0); /* the table has rows */
			if (faults_of(store, fault) == 0)
				fail_msg("%s.%s has no checksum", table->name, column);
			run_sql(db, arena_printf(&store->arena, "DELETE FROM %s; INSERT INTO %s SELECT * FROM kept", table->name, table->name));
			columns++;
		}
		sqlite3_finalize(info);
		run_sql(db, "DROP TABLE kept");
		sqlite3_close(db);
	}
	assert_int_equal(faults_of(store, fault), 0);
	assert_true(columns > 250);
	store_open(store);
}

static bool reads(const struct statement *statement, const char *name)
{
	for (int i = 0; i < statement->result_count; i++)
		if (strcmp(sqlite3_column_name(statement->handle, i), name) == 0)
			return true;
	return false;
}

/* A statement that does not read every column and the checksum cannot check them. */
static void every_statement_reads_what_it_checks(void **state)
{
	struct store *store = *state;
	struct connection connection;
	size_t checked = 0;

	assert_status(store, connection_open(store->path, true, &connection, &store->failure), STATUS_OK);
	for (int i = 0; i < STATEMENT_COUNT; i++) {
		const struct statement *statement = connection_statement(&connection, (enum statement_name)i, &store->failure);
		const struct column_map *map = statement->results;
		const struct sealed_table *table = sealed_tables;

		while (table->name && table->map != map)
			table++;
		if (!map->noun || statement->result_count == 0)
			continue;
		assert_non_null(table->name);
		if (!reads(statement, "row_checksum") || (table->has_times && !reads(statement, "times_checksum")))
			fail_msg("the statement does not read the checksum: %s", sqlite3_sql(statement->handle));
		for (size_t c = 0; c < map->count; c++)
			if (column_is_sealed(map, map->columns[c].name) && !reads(statement, map->columns[c].name))
				fail_msg("the statement does not read %s: %s", map->columns[c].name, sqlite3_sql(statement->handle));
		checked++;
	}
	assert_true(checked > 40);
	connection_close(&connection);
}

static void what_was_changed_is_not_answered(void **state)
{
	struct store *store = *state;
	struct storage *s;
	struct arena *arena = &store->arena;
	struct failure *failure = &store->failure;
	const struct benchmark_filter any_benchmark = {0};
	const struct observation_filter any_observation = {0};
	const struct row_filter any_row = {0};
	struct idempotency repeated = {.key = "once", .principal = "k1", .route = "POST /x", .body_sha256 = "0123456789012345678901234567890"};
	union {
		struct benchmark_list benchmarks;
		struct benchmark_record benchmark;
		struct device_list devices;
		struct agent_list agents;
		struct feed_refresh_list refreshes;
		struct feed_refresh_record refresh;
		struct feed_change_list changes;
		struct grid_hour_list hours;
		struct grid_zone_list zones;
		struct import_list imports;
		struct import_record import;
		struct idempotency_answer answer;
		struct key_list keys;
		struct key_record key;
		struct observation_list observations;
		struct row_list rows;
		struct price_row row;
	} out;
	struct feed_validator *validators;
	size_t count;

	fill(store);
	s = store->storage;
	assert_status(store, storage_benchmark_list(s, &any_benchmark, NULL, arena, &out.benchmarks, failure), STATUS_OK);
	assert_int_equal(out.benchmarks.count, 2);
	assert_status(store, storage_benchmark_of_plan(s, "p9", arena, &out.benchmark, failure), STATUS_OK);
	assert_string_equal(out.benchmark.result.text, "{}");
	damage(store, "UPDATE benchmark SET result = '{\"verification\":{\"x\":1}}' WHERE number = 2");
	assert_status(store, storage_benchmark_list(s, &any_benchmark, NULL, arena, &out.benchmarks, failure),
		STATUS_OK); /* the list does not read the result */
	assert_status(store, storage_benchmark_of_plan(s, "p9", arena, &out.benchmark, failure), STATUS_UNAVAILABLE);
	assert_status(
		store, storage_benchmark_get(s, "01910000-0000-7000-8000-000000000002", arena, &out.benchmark, failure), STATUS_UNAVAILABLE);
	damage(store, "UPDATE benchmark SET priority = 77 WHERE number = 1");
	assert_status(store, storage_benchmark_list(s, &any_benchmark, NULL, arena, &out.benchmarks, failure), STATUS_UNAVAILABLE);
	assert_non_null(strstr(failure->detail, "benchmark 01910000-0000-7000-8000-000000000001 was changed"));

	assert_status(store, storage_device_list(s, NULL, arena, &out.devices, failure), STATUS_OK);
	assert_string_equal(out.devices.items[0].state, "gone"); /* "gone", because its agent is silent */
	damage(store, "UPDATE device SET memory_bytes = 1e9");
	assert_status(store, storage_device_list(s, NULL, arena, &out.devices, failure), STATUS_UNAVAILABLE);
	damage(store, "UPDATE agent SET host = 'other'");
	assert_status(store, storage_agent_list(s, 1, NULL, arena, &out.agents, failure), STATUS_UNAVAILABLE);

	damage(store,
		"UPDATE feed_refresh SET seen = seen + 1; UPDATE feed_change SET low = 3; UPDATE feed_validator SET etag = 'x'; "
		"UPDATE grid_hour SET gco2e_per_kwh = 1; UPDATE grid_zone SET to_us = to_us + 3600000000");
	assert_status(store, storage_feed_refresh_list(s, "uk-carbon", NULL, arena, &out.refreshes, failure), STATUS_UNAVAILABLE);
	assert_status(
		store, storage_feed_refresh_get(s, "01930000-0000-7000-8000-000000000001", arena, &out.refresh, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_feed_refresh_newest(s, "uk-carbon", false, arena, &out.refresh, failure), STATUS_UNAVAILABLE);
	assert_status(
		store, storage_feed_changes(s, "01930000-0000-7000-8000-000000000001", true, arena, &out.changes, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_feed_validators(s, "uk-carbon", arena, &validators, &count, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_grid_hours(s, "GB", "average", 0, INT64_MAX, arena, &out.hours, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_grid_zones(s, 0, arena, &out.zones, failure), STATUS_UNAVAILABLE);

	damage(store, "UPDATE import SET added = 9");
	assert_status(store, storage_import_list(s, NULL, NULL, arena, &out.imports, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_import_get(s, "01950000-0000-7000-8000-000000000001", arena, &out.import, failure), STATUS_UNAVAILABLE);
	damage(store, "UPDATE idempotency SET body = '{\"a\":1}'");
	assert_status(store, storage_idempotency_begin(s, &repeated, arena, &out.answer, failure), STATUS_UNAVAILABLE);
	damage(store, "UPDATE observation SET hours = 1");
	assert_status(store, storage_observation_list(s, &any_observation, NULL, arena, &out.observations, failure), STATUS_UNAVAILABLE);
	damage(store, "UPDATE price SET valid_from_us = valid_from_us - 1000000");
	assert_status(store, storage_row_get(s, ROW_PRICE, "p1", 0, arena, &out.row, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_row_list(s, ROW_PRICE, &any_row, NULL, arena, &out.rows, failure), STATUS_UNAVAILABLE);
	damage(store, "UPDATE calibration SET revision = 9");
	assert_status(store, storage_row_list(s, ROW_CALIBRATION, &any_row, NULL, arena, &out.rows, failure), STATUS_UNAVAILABLE);
	assert_status(store, storage_key_find(s, key_hash, arena, &out.key, failure), STATUS_OK);
	damage(store, "UPDATE api_key SET revoked_at_us = 5");
	assert_status(store, storage_key_list(s, NULL, arena, &out.keys, failure), STATUS_UNAVAILABLE);
}

/* A revocation must work whatever the disk contains. */
static void a_revoked_key_does_not_come_back(void **state)
{
	struct store *store = *state;
	struct key_revoke revoke = {.id = "k1"};
	struct connection connection;
	struct key_record key;
	struct key_list keys;
	char fault[400];

	fill(store);
	assert_status(store, store_do(store, &revoke.job, STORAGE_KEY_REVOKE), STATUS_OK);
	assert_status(store, storage_key_list(store->storage, NULL, &store->arena, &keys, &store->failure), STATUS_OK);
	assert_true(keys.items[0].revoked_at_us > 0);
	assert_status(store, store_do(store, &revoke.job, STORAGE_KEY_REVOKE), STATUS_NOT_FOUND);
	assert_status(store, storage_key_find(store->storage, key_hash, &store->arena, &key, &store->failure), STATUS_NOT_FOUND);
	damage(store, "UPDATE api_key SET revoked_at_us = NULL");
	assert_status(store, storage_key_find(store->storage, key_hash, &store->arena, &key, &store->failure), STATUS_UNAVAILABLE);
	assert_status(store, store_do(store, &revoke.job, STORAGE_KEY_REVOKE), STATUS_OK); /* a damaged key can be revoked, too */
	/* k2 was revoked by a version that did not seal revocations: it is sealed now. k3 was changed as well: it stays
	 * damaged. */
	damage(store,
		"INSERT INTO api_key (id, hash, name, role, created_at_us) VALUES ('k2', randomblob(32), 'a', 'viewer', 1), ('k3', randomblob(32), 'b', 'viewer', 1)");
	store_close(store);
	assert_status(store, connection_open(store->path, false, &connection, &store->failure), STATUS_OK);
	assert_status(store, row_checksums_fill(&connection, 13, &store->failure), STATUS_OK);
	damage(store, "UPDATE api_key SET revoked_at_us = 7 WHERE id IN ('k2', 'k3'); UPDATE api_key SET role = 'admin' WHERE id = 'k3'");
	assert_int_equal(faults_of(store, fault), 2);
	assert_status(store, row_checksums_fill(&connection, 12, &store->failure), STATUS_OK);
	connection_close(&connection);
	assert_int_equal(faults_of(store, fault), 1);
	assert_non_null(strstr(fault, "API key k3 was changed"));
	store_open(store);
}

static void a_damaged_benchmark_holds_up_no_other(void **state)
{
	struct store *store = *state;
	struct benchmark_record found, first = store_benchmark(store, 1), second = store_benchmark(store, 2);
	struct benchmark_put puts[] = {{.benchmark = &first}, {.benchmark = &second}};
	struct benchmark_claim claim = {.device_id = "d1", .now_us = 5000000, .lease_us = 10, .benchmark = &found};
	struct benchmark_sweep sweep = {.now_us = 6000000};

	for (size_t i = 0; i < COUNT_OF(puts); i++)
		assert_status(store, store_do(store, &puts[i].job, STORAGE_BENCHMARK_PUT), STATUS_OK);
	damage(store, "UPDATE benchmark SET timeout_s = 1 WHERE number = 1");
	assert_status(store, store_do(store, &claim.job, STORAGE_BENCHMARK_CLAIM), STATUS_OK);
	assert_string_equal(found.id, second.id);
	assert_status(store, storage_benchmark_get(store->storage, first.id, &store->arena, &found, &store->failure), STATUS_UNAVAILABLE);
	damage(store, "UPDATE benchmark SET timeout_s = 1 WHERE number = 2");
	assert_status(store, store_do(store, &sweep.job, STORAGE_BENCHMARK_SWEEP), STATUS_OK);
	assert_int_equal(sweep.requeued, 0);
	assert_status(store, store_do(store, &claim.job, STORAGE_BENCHMARK_CLAIM), STATUS_NOT_FOUND);
}

/* A damaged device is repaired when its agent registers it again. A damaged agent can be removed. */
static void agents_and_devices_are_mended_by_being_told(void **state)
{
	struct store *store = *state;
	static struct agent_record registered;
	const struct device_record devices[] = {
		{.id = "d1", .backend = "cuda", .memory_bytes = 8e9}, {.id = "d2", .backend = "cuda", .memory_bytes = 8e9}};
	struct agent_record agent = {.id = "a1", .host = "h", .key_id = "k1", .registered_at_us = 1, .seen_at_us = 1};
	struct lease_bearer bearer = {.key_id = "k1"};
	struct agent_put put = {.agent = &agent, .devices = devices, .device_count = 2, .bearer = &bearer, .registered = &registered};
	struct agent_remove removal = {.id = "a1"};
	struct device_list list;

	assert_status(store, store_do(store, &put.job, STORAGE_AGENT_PUT), STATUS_OK);
	damage(store, "UPDATE device SET name = 'other' WHERE id = 'd1'");
	assert_status(store, storage_device_list(store->storage, NULL, &store->arena, &list, &store->failure), STATUS_UNAVAILABLE);
	agent.seen_at_us = 2;
	put.device_count = 1;
	assert_status(store, store_do(store, &put.job, STORAGE_AGENT_PUT), STATUS_OK);
	assert_status(store, storage_device_list(store->storage, NULL, &store->arena, &list, &store->failure), STATUS_OK);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[1].state, "gone"); /* the agent no longer reports it */
	damage(store, "UPDATE agent SET key_id = 'k2'");
	assert_status(store, store_do(store, &put.job, STORAGE_AGENT_PUT), STATUS_UNAVAILABLE); /* no other agent can take its name meanwhile */
	assert_status(store, store_do(store, &removal.job, STORAGE_AGENT_REMOVE), STATUS_OK);
	assert_status(store, store_do(store, &put.job, STORAGE_AGENT_PUT), STATUS_OK);
}

/* A new version of a row closes the old one. This must not give valid checksums to old times that were changed on the
 * disk. */
static void a_change_does_not_seal_damage(void **state)
{
	struct store *store = *state;
	struct price_row price = store_price(store, "p1", 2), found;
	struct row_put put = {.kind = ROW_PRICE, .row = &price};
	char fault[400];

	assert_status(store, store_do(store, &put.job, STORAGE_ROW_PUT), STATUS_OK);
	assert_int_equal(faults_of(store, fault), 0);
	damage(store, "UPDATE price SET valid_from_us = valid_from_us - 1000000");
	price.price_usd_per_hour = 3;
	assert_status(store, store_do(store, &put.job, STORAGE_ROW_PUT), STATUS_OK);
	assert_status(store, storage_row_get(store->storage, ROW_PRICE, "p1", 0, &store->arena, &found, &store->failure), STATUS_OK);
	assert_close(found.price_usd_per_hour, 3, 0);
	assert_int_equal(faults_of(store, fault), 1);
	assert_non_null(strstr(fault, "price p1 was changed"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, store_setup, store_teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_column_is_under_a_checksum),
		TEST(every_statement_reads_what_it_checks),
		TEST(what_was_changed_is_not_answered),
		TEST(a_revoked_key_does_not_come_back),
		TEST(a_damaged_benchmark_holds_up_no_other),
		TEST(agents_and_devices_are_mended_by_being_told),
		TEST(a_change_does_not_seal_damage),
	};

	log_set_level(LOG_LEVEL_COUNT); /* the test damages data on purpose */
	return cmocka_run_group_tests_name("checksums", tests, NULL, NULL);
}
