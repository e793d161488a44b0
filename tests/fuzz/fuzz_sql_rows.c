/* Any values of any SQL type as the columns of a row. Each map reads them into its struct without harm. The record is
 * stored and reads back the same, with the same checksum. The readers of stored plans read a plan's texts, and any text
 * is read as a cursor. */
#include "api/stored_plan.h"
#include "base/utf8.h"
#include "fuzz/input.h"
#include "storage/sqlite/checksum.h"
#include "storage/sqlite/maps.h"
#include "storage/sqlite/store.h"

enum { STRUCT_MAX_BYTES = 4096 };

static const struct column_map *const maps[] = {&plan_map, &benchmark_map, &key_map, &device_map, &agent_map, &catalogue_counts_map,
	&queue_counts_map, &idempotency_map, &arguments_map, &plan_query_map, &row_query_map, &benchmark_query_map, &accelerator_map,
	&model_map, &price_map, &region_map, &calibration_map, &import_map, &observation_map, &observation_query_map, &feed_refresh_map,
	&feed_change_map, &feed_validator_map, &grid_hour_map, &grid_zone_map, &feed_query_map};

/* Returns SELECT ?1, ?2, ... on a database in memory. */
static sqlite3_stmt *statement_of(size_t columns)
{
	static sqlite3_stmt *statements[COLUMNS_MAX + 1];
	static sqlite3 *database;
	char sql[1024];
	size_t at = 0;

	if (!database)
		CHECK(sqlite3_open(":memory:", &database) == SQLITE_OK);
	if (!statements[columns]) {
		for (size_t i = 1; i <= columns; i++)
			at += (size_t)snprintf(sql + at, sizeof sql - at, "%s?%zu", i == 1 ? "SELECT " : ", ", i);
		CHECK(sqlite3_prepare_v2(database, sql, -1, &statements[columns], NULL) == SQLITE_OK);
	}
	sqlite3_reset(statements[columns]);
	sqlite3_clear_bindings(statements[columns]);
	return statements[columns];
}

/* Binds one value: a byte for its type, then the value. */
static void bind_value(sqlite3_stmt *statement, int parameter, struct input *input)
{
	uint64_t bits;
	size_t length;
	double number;
	char *text;

	switch (input_byte(input) % 6) {
	case 0:
		break; /* NULL */
	case 1:
		bits = input_bits(input);
		sqlite3_bind_int64(statement, parameter, (int64_t)bits);
		break;
	case 2:
		bits = input_bits(input);
		memcpy(&number, &bits, sizeof number);
		sqlite3_bind_double(statement, parameter, number);
		break;
	case 3:
		text = input_until(input, '\xff', &length);
		sqlite3_bind_blob64(statement, parameter, text, length, SQLITE_TRANSIENT);
		break;
	case 4:
		sqlite3_bind_int(statement, parameter, (int)input_byte(input));
		break;
	default:
		text = input_until(input, '\xff', &length);
		sqlite3_bind_text64(statement, parameter, text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
		break;
	}
}

static bool read_record(sqlite3_stmt *statement, const struct column_map *map, void *record, struct arena *arena)
{
	columns_clear(map, record);
	CHECK(sqlite3_step(statement) == SQLITE_ROW);
	for (size_t i = 0; i < map->count; i++)
		if (!column_read(statement, (int)i, &map->columns[i], record, arena))
			return false;
	return true;
}

static bool bind_record(sqlite3_stmt *statement, const struct column_map *map, const void *record, struct arena *arena)
{
	for (size_t i = 0; i < map->count; i++)
		if (column_bind(statement, (int)i + 1, &map->columns[i], record, arena) != SQLITE_OK)
			return false;
	return true;
}

/* Several columns may set one member, and a text may contain a list's separator. So the first round may change the
 * record, but a second round must not. */
static void check_again(const struct column_map *map, const void *record, struct arena *arena)
{
	static _Alignas(16) char second[STRUCT_MAX_BYTES], third[STRUCT_MAX_BYTES];
	static const char *const none[] = {NULL};
	sqlite3_stmt *statement = statement_of(map->count);

	if (!bind_record(statement, map, record, arena) || !read_record(statement, map, second, arena))
		return;
	statement = statement_of(map->count);
	if (!bind_record(statement, map, second, arena) || !read_record(statement, map, third, arena))
		return;
	CHECK(columns_checksum(map, second) == columns_checksum(map, third) && columns_checksum(map, second) >= 0);
	CHECK(columns_equal(map, second, third, none));
}

static void check_plan(const struct plan_stored *plan, struct arena *arena)
{
	static struct training_option option;
	static struct failure failure;
	struct plan_figures figures;
	struct stored_layout layout;

	(void)plan_head_is_whole(plan);
	failure_clear(&failure);
	(void)!plan_verify_head(plan, &failure);
	failure_clear(&failure);
	(void)!plan_verify_content(plan, &failure);
	if (!plan->record.result.text || !plan->record.request.text)
		return;
	failure_clear(&failure);
	if (api_stored_option(&plan->record.result, arena, &option, &failure) == STATUS_OK)
		CHECK(option.step.time_s > 0);
	failure_clear(&failure);
	(void)!api_stored_figures(&plan->record.result, arena, &figures, &failure);
	failure_clear(&failure);
	if (plan->record.kind)
		(void)!api_stored_layout(&plan->record, arena, &layout, &failure);
}

static void check_cursor(const char *text, struct arena *arena)
{
	static struct failure failure;
	const struct page_request page = {.cursor = text};
	const char *id, *again;
	int64_t us, us_again;

	failure_clear(&failure);
	if (cursor_read_moment(&page, arena, &us, &id, &failure) == STATUS_OK) {
		const struct page_request written = {.cursor = cursor_write_moment(us, id, arena)};

		CHECK(us >= 0 && strlen(id) < strlen(text));
		if (written.cursor && cursor_read_moment(&written, arena, &us_again, &again, &failure) == STATUS_OK)
			CHECK(us == us_again && strcmp(id, again) == 0);
	} else if (cursor_read_id(&page, arena, &id, &failure) == STATUS_OK) {
		const struct page_request written = {.cursor = cursor_write_id(id, arena)};

		if (written.cursor && cursor_read_id(&written, arena, &again, &failure) == STATUS_OK)
			CHECK(strcmp(id, again) == 0);
	}
	CHECK(page_limit(&page) == 50);
}

/* The first byte chooses the arena, the second the map. The last choice is the cursor. */
void fuzz_one(struct input *input)
{
	static _Alignas(16) char record[STRUCT_MAX_BYTES];
	static struct arena arena;
	const struct column_map *map;
	sqlite3_stmt *statement;
	size_t which;

	input_arena(input, &arena, 1 << 20);
	which = input_byte(input) % (COUNT_OF(maps) + 1);
	if (which == COUNT_OF(maps)) {
		check_cursor(input_rest(input, NULL), &arena);
		return;
	}
	map = maps[which];
	CHECK(map->count <= COLUMNS_MAX && map->struct_size <= sizeof record);
	statement = statement_of(map->count);
	for (size_t i = 0; i < map->count && input->left > 0; i++)
		bind_value(statement, (int)i + 1, input);
	if (!read_record(statement, map, record, &arena))
		return;
	CHECK(column_find(map, map->columns[map->count - 1].name) >= 0 && column_find(map, "no such column") < 0);
	if (map == &plan_map)
		check_plan((const struct plan_stored *)(const void *)record, &arena);
	check_again(map, record, &arena);
}
