#include "storage/sqlite/times_seal.h"

#include "storage/sqlite/checksum.h"
#include "storage/sqlite/statements.h"

int64_t times_checksum(const struct row_times *times)
{
	uint64_t hash = checksum_add_string(0, times->id);

	for (int i = 0; i < TIMES_COUNT; i++)
		hash = times->there[i] ? checksum_add_integer(hash, times->values[i]) : checksum_add_string(hash, NULL);
	return checksum_of(hash);
}

static int64_t checksum_of_values(sqlite3_value *id, sqlite3_value **values)
{
	struct row_times times = {.id = (const char *)sqlite3_value_text(id)};

	for (int i = 0; i < TIMES_COUNT; i++) {
		times.there[i] = sqlite3_value_type(values[i]) != SQLITE_NULL;
		times.values[i] = sqlite3_value_int64(values[i]);
	}
	return times_checksum(&times);
}

static void sql_times_seal(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	sqlite3_result_int64(context, checksum_of_values(values[0], values + 1));
}

static void sql_times_change(sqlite3_context *context, int count, sqlite3_value **values)
{
	sqlite3_value *held = values[0], *id = values[1];

	(void)count;
	if (sqlite3_value_type(held) == SQLITE_NULL || sqlite3_value_int64(held) == checksum_of_values(id, values + 2))
		sqlite3_result_int64(context, checksum_of_values(id, values + 2 + TIMES_COUNT));
	else
		sqlite3_result_value(context, held);
}

enum status times_seal_register(sqlite3 *db, struct failure *failure)
{
	enum { FLAGS = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY };
	int code = sqlite3_create_function_v2(db, "times_seal", 1 + TIMES_COUNT, FLAGS, NULL, sql_times_seal, NULL, NULL, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_create_function_v2(db, "times_change", 2 + 2 * TIMES_COUNT, FLAGS, NULL, sql_times_change, NULL, NULL, NULL);
	return code == SQLITE_OK ? STATUS_OK : sqlite_failure(db, failure);
}
