/* A store in a folder of its own for one test, and short ways to fill it. Only the interface of storage/ is used, so that
 * the tests that stay with it run on any engine. */
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
int store_setup_in_memory(void **state); /* where there is a file system without a disk: for thousands of commits */
int store_teardown(void **state);

void store_open(struct store *store); /* opens the file again after store_close; fails the test otherwise */
void store_close(struct store *store);

/* Fills job with kind, arena and failure, runs it, and returns its status. */
enum status store_do(struct store *store, struct storage_job *job, enum storage_kind kind);

/* Fails with the failure's sentence unless the status is `expected`. */
#define assert_status(store, actual, expected) assert_status_at((store), (actual), (expected), __FILE__, __LINE__)
void assert_status_at(const struct store *store, enum status actual, enum status expected, const char *file, int line);

/* A plan with everything filled; `number` makes its id, its moment (number x 1 s) and its texts its own. */
struct plan_record store_plan(struct store *store, int number);
void store_plan_put(struct store *store, const struct plan_record *plan);
void assert_plans_equal(const struct plan_record *a, const struct plan_record *b);

/* A row with every member filled, differently for each number. */
struct accelerator_row store_accelerator(struct store *store, const char *id, double tdp_w);
struct price_row store_price(struct store *store, const char *id, double price_usd_per_hour);

/* A benchmark that waits for any device. */
struct benchmark_record store_benchmark(struct store *store, int number);

/* Executes SQL on the closed or open file by a connection of the test's own, to damage it. Engine-specific tests only. */
void store_sql(struct store *store, const char *sql);
void assert_integrity(struct store *store); /* of the file, by SQLite's full check */

#endif
