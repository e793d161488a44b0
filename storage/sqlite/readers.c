/* The pool of reader connections. A thread first tries the slot that it used last, so that threads rarely compete. */
#include "storage/sqlite/store.h"

static _Thread_local unsigned slot_hint;

/* Tries to take a reader; `open`: only one that is open already. */
static struct reader *reader_try(struct storage *storage, bool open)
{
	for (size_t i = 0; i < storage->reader_count; i++) {
		size_t slot = (slot_hint + i) % storage->reader_count;
		bool free_before = false;

		if (open && !atomic_load(&storage->readers[slot].open))
			continue;
		if (atomic_compare_exchange_strong(&storage->readers[slot].busy, &free_before, true)) {
			slot_hint = (unsigned)slot;
			return &storage->readers[slot];
		}
	}
	return NULL;
}

/* Waits until a busy reader is given back. The waiting count is raised before the last try, and a giver reads the count
 * after it has freed its slot, so no wake-up is lost. */
static struct reader *reader_wait(struct storage *storage, bool open)
{
	struct reader *reader;

	pthread_mutex_lock(&storage->lock);
	atomic_fetch_add(&storage->readers_waiting, 1);
	while (!(reader = reader_try(storage, open)))
		pthread_cond_wait(&storage->reader_free, &storage->lock);
	atomic_fetch_sub(&storage->readers_waiting, 1);
	pthread_mutex_unlock(&storage->lock);
	return reader;
}

/* SQLite opens the log with the first read. If it finds an empty file under the name, it deletes the log beside it,
 * which has acknowledged changes. So the name is checked before, too. */
static enum status reader_open(struct storage *storage, struct reader *reader, struct failure *failure)
{
	enum status status = file_identity_check(storage, failure);

	if (status == STATUS_OK)
		status = connection_open(storage->path, true, &reader->connection, failure);
	if (status == STATUS_OK)
		status = connection_execute(&reader->connection, "SELECT 1 FROM setting LIMIT 1", failure);
	if (status == STATUS_OK)
		status = file_identity_check(storage, failure);
	if (status != STATUS_OK)
		connection_close(&reader->connection);
	return status;
}

static bool any_open(const struct storage *storage)
{
	for (size_t i = 0; i < storage->reader_count; i++)
		if (atomic_load(&storage->readers[i].open))
			return true;
	return false;
}

struct connection *reader_take(struct storage *storage, struct failure *failure)
{
	struct reader *reader = reader_try(storage, false);

	if (!reader)
		reader = reader_wait(storage, false);
	if (!reader->connection.db && reader_open(storage, reader, failure) != STATUS_OK) {
		reader_give(storage, &reader->connection);
		/* The name now belongs to another file, or to none. Connections that were opened before still read the daemon's
		 * file. */
		if (file_identity_check(storage, failure) == STATUS_OK || !any_open(storage))
			return NULL;
		reader = reader_try(storage, true);
		if (!reader)
			reader = reader_wait(storage, true);
		failure_clear(failure);
	}
	atomic_store(&reader->open, true);
	return &reader->connection;
}

void reader_give(struct storage *storage, struct connection *connection)
{
	struct reader *reader = (struct reader *)(void *)((char *)connection - offsetof(struct reader, connection));

	/* A reader that stays in a transaction would read the past for ever. */
	if (connection->db && !connection_roll_back(connection)) {
		connection_close(connection);
		atomic_store(&reader->open, false);
	}
	atomic_store(&reader->busy, false);
	if (atomic_load(&storage->readers_waiting) == 0)
		return;
	pthread_mutex_lock(&storage->lock);
	pthread_cond_broadcast(&storage->reader_free); /* some threads wait for an open connection */
	pthread_mutex_unlock(&storage->lock);
}

enum status reader_one(
	struct storage *storage, enum statement_name name, const void *record, void *out, struct arena *arena, struct failure *failure)
{
	struct connection *reader = reader_take(storage, failure);
	enum status status;

	if (!reader)
		return failure->status;
	status = store_one(reader, name, record, out, arena, failure);
	reader_give(storage, reader);
	return status;
}

enum status reader_list(struct storage *storage, enum statement_name name, const void *record, size_t limit, struct arena *arena,
	struct rows_read *rows, struct failure *failure)
{
	struct connection *reader = reader_take(storage, failure);
	enum status status;

	if (!reader)
		return failure->status;
	status = store_list(reader, name, record, limit, arena, rows, failure);
	reader_give(storage, reader);
	return status;
}
