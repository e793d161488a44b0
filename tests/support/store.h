/* A store in a folder of its own for one test, and helpers to fill it. Except for store_sql() and assert_integrity()
 * it uses only the interface of storage/, so that tests without these two run on any engine. */
#ifndef FLEETPLAN_TESTS_STORE_H
#define FLEETPLAN_TESTS_STORE_H

#include "hwdb/catalogue/records.h"
#include "storage/benchmarks.h"
#include "storage/catalogue_rows.h"
#include "storage/keys.h"
#include "storage/plans.h"
#include "support/assert.h"

struct store {
	char folder[64], path[128];
	struct storage *storage;
	struct arena arena; /* for inputs and outputs of the whole test */
	struct failure failure;
};

/* CMocka's setup and teardown: *state is a struct store with an open, empty storage. */
int store_setup(void **state);
int store_setup_in_memory(void **state); /* on a file system in memory if there is one: for thousands of commits */
int store_teardown(void **state);

void store_open(struct store *store); /* opens the file again after store_close; fails the test if it cannot */
void store_close(struct store *store);

/* Fills job with kind, arena and failure, runs it, and returns its status. */
enum status store_do(struct store *store, struct storage_job *job, enum storage_kind kind);

/* Fails with the failure's detail unless the status is `expected`. */
#define assert_status(store, actual, expected) assert_status_at((store), (actual), (expected), __FILE__, __LINE__)
void assert_status_at(const struct store *store, enum status actual, enum status expected, const char *file, int line);

/* Returns a plan with every member filled. `number` gives its id, its time (number x 1 s) and its texts. */
struct plan_record store_plan(struct store *store, int number);
void store_plan_put(struct store *store, const struct plan_record *plan);
void assert_plans_equal(const struct plan_record *a, const struct plan_record *b);

/* Returns a row with every member filled, each number differently. */
struct accelerator_row store_accelerator(struct store *store, const char *id, double tdp_w);
struct price_row store_price(struct store *store, const char *id, double price_usd_per_hour);

/* Returns a benchmark that waits for any device. */
struct benchmark_record store_benchmark(struct store *store, int number);

/* Executes SQL on the closed or open file over a connection of its own, to
 * damage it. For engine-specific tests only. */
void store_sql(struct store *store, const char *sql);
void assert_integrity(struct store *store); /* runs SQLite's full check on the file */

#endif
