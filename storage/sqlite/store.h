/* Internals of the store: connections, the writer's queue, the pool of readers. Only storage/sqlite/ includes this.
 *
 * Only the writer thread uses `writer`; a reader connection belongs to one thread between reader_take and reader_give.
 * `lock` protects what both share (queue, statistics). */
#ifndef FLEETPLAN_STORAGE_SQLITE_STORE_H
#define FLEETPLAN_STORAGE_SQLITE_STORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "storage/sqlite/statements.h"

enum { QUEUE_DEFAULT = 4096, READERS_DEFAULT = 16, READERS_MAX = 64, PATH_MAXIMUM = 4096 };

struct connection {
	sqlite3 *db;
	struct statement statements[STATEMENT_COUNT];
};

struct reader {
	_Atomic bool busy, open;
	struct connection connection; /* db is NULL until the first use */
};

/* The files of a database, at the start of the daemon. */
enum file_part_name { FILE_DATABASE, FILE_WAL, FILE_SHM, FILE_PART_COUNT };
struct file_part {
	char path[PATH_MAXIMUM];
	dev_t device;
	ino_t inode;
};

/* A key in flight, in the list of its store. */
struct key_in_flight;

struct storage {
	char path[PATH_MAXIMUM];
	enum storage_use use;
	int lock_fd; /* of PATH.lock, locked while the daemon lives; -1 for tools */
	int file_fd; /* of the database itself, locked likewise; closed after every connection */
	struct file_part files[FILE_PART_COUNT];
	bool files_taken; /* the files are compared */
	int mark_fd;      /* of PATH.mark; -1 for tools */
	bool mark_failed;
	char file_id[33]; /* id of the database, in its mark */
	bool checks_beside;
	bool was_uncounted; /* the database had no count of commits when it was opened: a mark beside it belongs to a database that is gone */

	struct connection writer;
	struct arena writer_arena;     /* scratch memory of one batch */
	struct failure writer_failure; /* of the batch */
	pthread_t writer_thread;
	bool writer_started;

	pthread_mutex_t lock;
	pthread_cond_t work; /* signals a queued job or the close */
	pthread_cond_t reader_free;
	pthread_cond_t scrub_wakes; /* signals the close */
	pthread_t scrub_thread;
	bool scrub_started;
	pthread_t check_thread; /* the check at start */
	bool check_started;
	struct failure check_failure; /* its result, after its end */
	struct storage_job *queue_first, *queue_last;
	size_t queued, queue_maximum;
	bool closing;
	struct storage_state state; /* counters; the other members are filled on request */
	int64_t probe_next_ns;

	struct reader readers[READERS_MAX];
	size_t reader_count;
	_Atomic int readers_waiting;

	/* Keys from before the start, from this number on, are kept until this time: a wrong clock at the start would
	 * delete them. Used by the writer. */
	int64_t keys_kept_from, keys_kept_until_us;

	_Atomic uint64_t damaged_rows;  /* catalogue rows skipped at the last read */
	_Atomic uint64_t queue_changes; /* changes of the queue of benchmarks, counted after each commit */

	pthread_mutex_t import_lock; /* one import at a time; the importing thread locks it, not the writer */

	pthread_mutex_t flight_lock;
	struct key_in_flight *in_flight;
};

/* connection.c */
FALLIBLE enum status connection_open(const char *path, bool read_only, struct connection *connection, struct failure *failure);
void connection_close(struct connection *connection);
/* Returns the prepared statement; NULL with a filled failure if it cannot be prepared. */
struct statement *connection_statement(struct connection *connection, enum statement_name name, struct failure *failure);
/* Ends an open transaction without its changes. False: it is still open, because without memory a rollback can fail. */
bool connection_roll_back(struct connection *connection);
FALLIBLE enum status connection_execute(struct connection *connection, const char *sql, struct failure *failure);
/* Runs a statement by its name; store_one reads one row. */
FALLIBLE enum status store_run(struct connection *connection, enum statement_name name, const void *record, struct arena *arena,
	int64_t *changed, struct failure *failure);
FALLIBLE enum status store_one(
	struct connection *connection, enum statement_name name, const void *record, void *out, struct arena *arena, struct failure *failure);

/* Reads a list: up to `limit` + 1 rows of `item_size` bytes (the result map's struct, possibly followed by more) into
 * an array in the arena. The last row shows that there is a next page. */
struct rows_read {
	void *items;
	size_t count, damaged;
	bool more;
};
FALLIBLE enum status store_list(struct connection *connection, enum statement_name name, const void *record, size_t limit,
	struct arena *arena, struct rows_read *rows, struct failure *failure);
/* Reads a list without rows whose checksum is wrong; these are counted and logged. */
FALLIBLE enum status store_list_whole(struct connection *connection, enum statement_name name, const void *record, size_t limit,
	struct arena *arena, struct rows_read *rows, struct failure *failure);

/* migrate.c: migrates an open connection to the newest schema; refuses a file of another application or a newer
 * version. */
FALLIBLE enum status store_migrate(struct connection *connection, const char *path, struct failure *failure);
/* Replaces the failure of a file whose tables do not match its version. */
FALLIBLE enum status store_misfit(const char *path, int version, struct failure *failure);
/* Returns the file's version, and checks its application (STATUS_CONFLICT if it is another's, or newer). */
FALLIBLE enum status store_version(struct connection *connection, const char *path, int *version, struct failure *failure);
int store_schema_version(void); /* newest known */

/* row_checksums.c: the tables whose rows have a checksum (a row without a name ends the list), and the checksums for
 * old rows. */
enum { SEALED_KEYS_MAX = 4 };
struct sealed_table {
	const char *name;
	const struct column_map *map;
	const char *keys[SEALED_KEYS_MAX]; /* its primary key if it has no row numbers; else all NULL */
	bool has_times;                    /* it also has a checksum of its times */
};
extern const struct sealed_table sealed_tables[];
/* Computes the checksums of old rows, in the transaction that migrates them: without one they would count as changed. */
FALLIBLE enum status row_checksums_fill(struct connection *connection, int version_before, struct failure *failure);
/* Writes "a = ?1 AND b = ?2" for one row of the table, and binds its values from a row whose first column is its
 * number, if it has one. Returns how many. */
void sealed_where(const struct sealed_table *table, char *out, size_t size);
int sealed_bind(const struct sealed_table *table, sqlite3_stmt *rows, sqlite3_stmt *statement);

/* store.c: creates an empty file that only its owner may read, unless it exists. */
FALLIBLE enum status store_file_create(const char *path, struct failure *failure);

/* file_identity.c: refuses a file with two names; takes the lock; remembers the files; compares them with their names. */
FALLIBLE enum status file_identity_look(const char *path, struct failure *failure);
FALLIBLE enum status file_identity_lock(struct storage *storage, struct failure *failure);
FALLIBLE enum status file_identity_take(struct storage *storage, struct failure *failure);
FALLIBLE enum status file_identity_check(const struct storage *storage, struct failure *failure); /* thread-safe */
void file_identity_release(struct storage *storage);

/* commit_mark.c: logs lost commits and stores their number in the state. Returns the count in the mark of the database
 * with this id ("": any), 0 without a mark. */
FALLIBLE enum status commit_mark_open(struct storage *storage, struct failure *failure);
FALLIBLE enum status commit_mark_read(const char *path, const char *file, int64_t *commits, struct failure *failure);
void commit_mark_write(struct storage *storage, int64_t commits);

/* readers.c */
struct connection *reader_take(struct storage *storage, struct failure *failure);
void reader_give(struct storage *storage, struct connection *connection);

/* store_one() and store_list() on a reader taken for the call. */
FALLIBLE enum status reader_one(
	struct storage *storage, enum statement_name name, const void *record, void *out, struct arena *arena, struct failure *failure);
FALLIBLE enum status reader_list(struct storage *storage, enum statement_name name, const void *record, size_t limit, struct arena *arena,
	struct rows_read *rows, struct failure *failure);

/* writer.c */
FALLIBLE enum status writer_start(struct storage *storage, struct failure *failure);
void writer_stop(struct storage *storage);                                  /* after the queued jobs */
void writer_refuse(struct storage *storage, const struct failure *failure); /* marks the store not writable until a commit succeeds */

/* An operation on the writer, inside the batch's transaction. */
typedef enum status operation_function(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure);
operation_function operation_plan_put, operation_plan_patch, operation_plan_refresh, operation_plan_delete, operation_idempotency_put,
	operation_row_put, operation_row_remove, operation_calibration_decision, operation_rows_import, operation_builtin_update,
	operation_key_put, operation_key_rotate, operation_key_revoke, operation_device_put, operation_benchmark_put,
	operation_benchmark_cancel, operation_benchmark_claim, operation_benchmark_heartbeat, operation_benchmark_result,
	operation_benchmark_release, operation_benchmark_sweep, operation_agent_put, operation_agent_remove, operation_observation_put,
	operation_observation_delete, operation_setting_put, operation_feed_refresh_put, operation_import_begin, operation_import_rows,
	operation_import_ends, operation_import_end, operation_import_tidy, operation_audit_put, operation_audit_prune;

/* Work without the database, done on the submitting thread: checksums. */
void plan_put_prepare(struct plan_put *put);
bool plan_put_is_one_statement(const struct plan_put *put);

/* Parts of operations that other operations use. */
FALLIBLE enum status idempotency_insert(struct storage *storage, const struct idempotency *idempotency, int64_t at_us, struct arena *arena,
	struct failure *failure); /* NULL: does nothing */
FALLIBLE enum status rows_put_all(struct storage *storage, const struct catalogue_rows *rows, struct arena *arena, struct failure *failure);
/* Checks that the bearer of a key may act for an agent, and records that the agent reported. STATUS_NOT_FOUND for an
 * agent that never registered. */
FALLIBLE enum status agent_admit(struct storage *storage, const struct lease_bearer *bearer, const char *agent_id, int64_t now_us,
	struct arena *arena, struct failure *failure);
FALLIBLE enum status benchmark_missing(const char *id, struct failure *failure); /* STATUS_NOT_FOUND */
void idempotency_forget_all(struct storage *storage);                            /* at close */

/* audit.c: writes the entry of a successful job. */
FALLIBLE enum status audit_write(struct storage *storage, const struct storage_job *job, struct arena *arena, struct failure *failure);

/* cursor.c: pages. */
size_t page_limit(const struct page_request *page);
FALLIBLE enum status cursor_read_moment(
	const struct page_request *page, struct arena *arena, int64_t *us, const char **id, struct failure *failure);
FALLIBLE enum status cursor_read_id(const struct page_request *page, struct arena *arena, const char **id, struct failure *failure);
FALLIBLE enum status cursor_read_number(const struct page_request *page, struct arena *arena, int64_t *number, struct failure *failure);
const char *cursor_write_number(int64_t number, struct arena *arena);
const char *cursor_write_moment(int64_t us, const char *id, struct arena *arena);
FALLIBLE enum status cursor_read_figure(
	const struct page_request *page, const char *sort, struct arena *arena, double *figure, const char **id, struct failure *failure);
const char *cursor_write_figure(const char *sort, double figure, const char *id, struct arena *arena);
const char *cursor_write_id(const char *id, struct arena *arena);

#endif
