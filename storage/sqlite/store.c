/* Opens and closes the store, and reports its state. */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "storage/sqlite/store.h"

/* Files up to this size are checked completely at start: about 50 ms. Of larger files the header and schema are checked
 * at start, and pages and checksums when they are read; a backup checks everything. */
enum { CHECK_AT_START_BYTES = 16 * 1024 * 1024 };
enum { COMMITS_COUNTED_VERSION = 10 }; /* the first schema version with a count of commits */

/* Takes the lock. The kernel releases it when the process ends, however it ends. */
static enum status lock_take(struct storage *storage, struct failure *failure)
{
	char path[PATH_MAXIMUM + 8];

	snprintf(path, sizeof path, "%s.lock", storage->path);
	storage->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (storage->lock_fd < 0)
		return failure_set(failure, STATUS_UNAVAILABLE, "cannot create %s: %s", path, strerrordesc_np(errno));
	if (flock(storage->lock_fd, LOCK_EX | LOCK_NB) != 0)
		return failure_set(failure, STATUS_CONFLICT,
			"%s is in use by another daemon (it has locked %s); stop that daemon, or name another file", storage->path, path);
	return STATUS_OK;
}

static void lock_release(struct storage *storage)
{
	if (storage->lock_fd >= 0)
		close(storage->lock_fd);
	storage->lock_fd = -1;
}

/* A new file is created here, readable only by its owner; SQLite gives the files beside it the same mode. An existing
 * file is not opened: closing it would drop the locks of this process's other connections. */
enum status store_file_create(const char *path, struct failure *failure)
{
	int fd;

	if (access(path, F_OK) == 0)
		return STATUS_OK;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno != EEXIST)
		return failure_set(
			failure, errno == ENOSPC ? STATUS_STORAGE_FULL : STATUS_UNAVAILABLE, "cannot create %s: %s", path, strerrordesc_np(errno));
	if (fd >= 0)
		close(fd);
	return STATUS_OK;
}

static bool on_network_file_system(const char *path)
{
	static const long known[] = {0x6969 /* NFS */, 0x517b /* SMB */, (long)0xfe534d42 /* SMB2 */, (long)0xff534d42 /* CIFS */,
		0x00c36400 /* Ceph */, 0x47504653 /* GPFS */, 0x0bd00bd0 /* Lustre */, 0x01021997 /* 9P */};
	struct statfs information;

	if (statfs(path, &information) != 0)
		return false;
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		if ((long)information.f_type == known[i])
			return true;
	}
	return false;
}

/* A damaged file is refused here, before a request reads it. */
static enum status check_whole(struct connection *connection, const char *path, struct failure *failure)
{
	sqlite3_stmt *statement;
	struct stat file;
	enum status status = STATUS_OK;

	if (stat(path, &file) != 0 || file.st_size > CHECK_AT_START_BYTES)
		return STATUS_OK;
	if (sqlite3_prepare_v2(connection->db, "PRAGMA quick_check(1)", -1, &statement, NULL) != SQLITE_OK)
		return sqlite_failure(connection->db, failure);
	if (sqlite3_step(statement) != SQLITE_ROW)
		status = sqlite_failure(connection->db, failure);
	else if (strcmp((const char *)sqlite3_column_text(statement, 0), "ok") != 0)
		status = failure_set(failure, STATUS_UNAVAILABLE,
			"%s is damaged (%s); restore a backup, or move the file away to start with an empty database", path,
			(const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return status;
}

static void *check_main(void *argument)
{
	struct storage *storage = argument;
	struct connection connection;

	if (connection_open(storage->path, true, &connection, &storage->check_failure) != STATUS_OK)
		return NULL;
	storage->check_failure.status = check_whole(&connection, storage->path, &storage->check_failure);
	connection_close(&connection);
	return NULL;
}

enum status storage_checked(struct storage *storage, struct failure *failure)
{
	if (!storage->check_started)
		return STATUS_OK;
	pthread_join(storage->check_thread, NULL);
	storage->check_started = false;
	if (storage->check_failure.status != STATUS_OK)
		*failure = storage->check_failure;
	return storage->check_failure.status;
}

static enum status check_begin(struct storage *storage, struct failure *failure)
{
	failure_clear(&storage->check_failure);
	storage->check_started = pthread_create(&storage->check_thread, NULL, check_main, storage) == 0;
	return storage->check_started ? STATUS_OK : check_whole(&storage->writer, storage->path, failure);
}

static enum status prepare_all(struct connection *connection, const char *path, struct failure *failure)
{
	for (int i = 0; i < STATEMENT_COUNT; i++) {
		if (!connection_statement(connection, (enum statement_name)i, failure))
			return sqlite3_errcode(connection->db) == SQLITE_ERROR ? store_misfit(path, store_schema_version(), failure) : failure->status;
	}
	return STATUS_OK;
}

/* A migration is written into the file before anything is acknowledged. In the log alone, one bad byte at its beginning
 * would lose all of it, the tables with the plans. If the daemon is killed before that, the next start finds it in the
 * log as usual. */
static enum status migrate_into_file(struct storage *storage, struct failure *failure)
{
	enum status status = store_migrate(&storage->writer, storage->path, failure);

	if (status == STATUS_OK)
		sqlite3_wal_checkpoint_v2(storage->writer.db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	return status;
}

/* Migrates the file. A tool first takes the daemon's lock, since a daemon of an older version may be using the tables. */
static enum status migrate_store(struct storage *storage, struct failure *failure)
{
	int version = 0;
	enum status status;

	status = store_version(&storage->writer, storage->path, &version, failure);
	storage->was_uncounted = status == STATUS_OK && version < COMMITS_COUNTED_VERSION;
	if (status != STATUS_OK || version == store_schema_version())
		return status;
	if (storage->use == STORAGE_DAEMON)
		return migrate_into_file(storage, failure);
	status = lock_take(storage, failure);
	if (status == STATUS_OK)
		status = migrate_into_file(storage, failure);
	lock_release(storage);
	return status;
}

/* Keeps one reader open, so that the daemon's data can be read even if the file's name is lost. */
static enum status first_reader_open(struct storage *storage, struct failure *failure)
{
	struct connection *reader = reader_take(storage, failure);

	if (!reader)
		return failure->status;
	reader_give(storage, reader);
	return STATUS_OK;
}

static enum status writer_open(struct storage *storage, struct failure *failure)
{
	bool daemon = storage->use == STORAGE_DAEMON, beside = false;
	int version;
	enum status status = daemon ? lock_take(storage, failure) : STATUS_OK;

	if (status == STATUS_OK)
		status = file_identity_look(storage->path, failure);
	if (status == STATUS_OK)
		status = store_file_create(storage->path, failure);
	storage->state.network_file_system = on_network_file_system(storage->path);
	if (status == STATUS_OK && daemon)
		status = file_identity_lock(storage, failure);
	if (status == STATUS_OK)
		status = connection_open(storage->path, false, &storage->writer, failure);
	if (status == STATUS_OK) /* before the first write: the file may belong to another application */
		status = store_version(&storage->writer, storage->path, &version, failure);
	if (status == STATUS_OK)
		beside = storage->checks_beside &&
			version == store_schema_version(); /* the check runs before a migration: a damaged file is not migrated */
	if (status == STATUS_OK && !beside)
		status = check_whole(&storage->writer, storage->path, failure);
	if (status == STATUS_OK)
		status = connection_execute(&storage->writer,
			"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
			"PRAGMA journal_size_limit = 67108864;",
			failure);
	if (status == STATUS_OK)
		status = migrate_store(storage, failure);
	if (status == STATUS_OK && beside)
		status = check_begin(storage, failure);
	if (status == STATUS_OK)
		status = prepare_all(&storage->writer, storage->path, failure);
	if (status == STATUS_OK && daemon)
		status = file_identity_take(storage, failure);
	if (status == STATUS_OK && daemon)
		status = commit_mark_open(storage, failure);
	if (status == STATUS_OK && daemon)
		status = first_reader_open(storage, failure);
	if (status == STATUS_OK)
		status = writer_start(storage, failure);
	return status;
}

static void storage_init(struct storage *storage, const struct storage_options *options)
{
	storage->use = options->use;
	storage->checks_beside = options->checks_beside;
	storage->lock_fd = storage->file_fd = storage->mark_fd = -1;
	storage->queue_maximum = options->queue_maximum ? options->queue_maximum : QUEUE_DEFAULT;
	storage->reader_count = options->readers_maximum ? options->readers_maximum : READERS_DEFAULT;
	if (storage->reader_count > READERS_MAX)
		storage->reader_count = READERS_MAX;
	storage->state.writable = true;
	pthread_mutex_init(&storage->lock, NULL);
	pthread_mutex_init(&storage->import_lock, NULL);
	pthread_mutex_init(&storage->flight_lock, NULL);
	pthread_cond_init(&storage->work, NULL);
	pthread_cond_init(&storage->reader_free, NULL);
	pthread_cond_init(&storage->scrub_wakes, NULL);
}

enum status storage_open(const struct storage_options *options, struct storage **out, struct failure *failure)
{
	struct storage *storage = calloc(1, sizeof *storage);
	enum status status;

	*out = NULL;
	if (!storage || sodium_init() < 0) {
		free(storage);
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to open the database");
	}
	storage_init(storage, options);
	if ((size_t)snprintf(storage->path, sizeof storage->path, "%s", options->path) >= sizeof storage->path)
		status = failure_set(failure, STATUS_INVALID, "the database's path is too long");
	else
		status = writer_open(storage, failure);
	if (status != STATUS_OK) {
		storage_close(storage);
		return status;
	}
	if (storage->state.network_file_system)
		log_event(LOG_WARNING, "database_on_network_file_system", LOG_TEXT("path", storage->path),
			LOG_TEXT("detail", "file locks and the write-ahead log are not safe there; use a local disk"));
	*out = storage;
	return STATUS_OK;
}

/* Copies the data if the file was deleted or replaced: acknowledged changes exist as long as a connection is open. */
static void keep_what_is_lost(struct storage *storage)
{
	static const char advice[] = "the database was deleted or replaced while the daemon used it; this copy has its data";
	struct failure *failure = calloc(1, sizeof *failure);
	char path[PATH_MAXIMUM + 80], now[CLOCK_TEXT_MAX];
	int64_t size_bytes;

	if (!failure || !storage->writer_started || file_identity_check(storage, failure) == STATUS_OK) {
		free(failure);
		return;
	}
	clock_format(now, clock_wall_us());
	snprintf(path, sizeof path, "%s.held-%s", storage->files[FILE_DATABASE].path, now);
	if (storage_backup(storage, path, &size_bytes, failure) == STATUS_OK)
		log_event(LOG_ERROR, "database_kept", LOG_TEXT("path", path), LOG_INTEGER("bytes", size_bytes), LOG_TEXT("detail", advice));
	else
		log_event(LOG_ERROR, "database_lost", LOG_TEXT("path", storage->path), LOG_TEXT("detail", failure->detail));
	free(failure);
}

void storage_close(struct storage *storage)
{
	if (!storage)
		return;
	writer_stop(storage);
	if (storage->check_started)
		pthread_join(storage->check_thread, NULL);
	if (storage->scrub_started)
		pthread_join(storage->scrub_thread, NULL);
	keep_what_is_lost(storage);
	for (size_t i = 0; i < storage->reader_count; i++)
		connection_close(&storage->readers[i].connection);
	if (storage->writer_started && storage->use == STORAGE_DAEMON) /* a tool would wait for the daemon's readers */
		sqlite3_wal_checkpoint_v2(storage->writer.db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	connection_close(&storage->writer);
	file_identity_release(storage);
	if (storage->mark_fd >= 0)
		close(storage->mark_fd);
	idempotency_forget_all(storage);
	lock_release(storage);
	pthread_cond_destroy(&storage->scrub_wakes);
	pthread_cond_destroy(&storage->reader_free);
	pthread_cond_destroy(&storage->work);
	pthread_mutex_destroy(&storage->flight_lock);
	pthread_mutex_destroy(&storage->import_lock);
	pthread_mutex_destroy(&storage->lock);
	free(storage);
}

/* After a disk failure: tries one small write a second, so that the store notices when the disk works again. */
static void state_probe(struct storage *storage)
{
	char now[CLOCK_TEXT_MAX];
	struct setting_put probe = {.job.kind = STORAGE_SETTING_PUT, .name = ".probe", .value = now};
	int64_t now_ns = clock_monotonic_ns();
	bool due;

	pthread_mutex_lock(&storage->lock);
	due = !storage->state.writable && now_ns >= storage->probe_next_ns;
	if (due)
		storage->probe_next_ns = now_ns + 1000000000;
	pthread_mutex_unlock(&storage->lock);
	if (!due)
		return;
	clock_format(now, clock_wall_us());
	if (storage_run(storage, &probe.job) == STATUS_OK)
		log_event(LOG_INFO, "database_writable_again", LOG_TEXT("path", storage->path));
}

/* Checks the files for readiness, even if nothing is written. */
static void state_look_at_files(struct storage *storage)
{
	static _Thread_local struct failure failure;

	failure_clear(&failure);
	if (file_identity_check(storage, &failure) != STATUS_OK)
		writer_refuse(storage, &failure);
}

const char *storage_library_version(void)
{
	return sqlite3_libversion();
}

void storage_state_get(struct storage *storage, struct storage_state *state)
{
	char log_path[PATH_MAXIMUM + 8];
	struct stat file;

	state_look_at_files(storage);
	state_probe(storage);
	pthread_mutex_lock(&storage->lock);
	*state = storage->state;
	state->queued = storage->queued;
	pthread_mutex_unlock(&storage->lock);
	state->damaged_rows = atomic_load(&storage->damaged_rows);
	state->schema_version = store_schema_version();
	state->readers_open = state->readers_busy = 0;
	for (size_t i = 0; i < storage->reader_count; i++) {
		state->readers_busy += atomic_load(&storage->readers[i].busy);
		state->readers_open += atomic_load(&storage->readers[i].open);
	}
	state->file_bytes = stat(storage->path, &file) == 0 ? file.st_size : 0;
	snprintf(log_path, sizeof log_path, "%s-wal", storage->path);
	state->log_bytes = stat(log_path, &file) == 0 ? file.st_size : 0;
}
