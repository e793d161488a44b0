/* The smallest server on libmicrohttpd, jansson and SQLite that does the same I/O as the daemon. `make bench` compares
 * the daemon with it.
 *
 * usage: bare_server PORT DATABASE PLAN_BYTES ESTIMATE_BYTES STORED_BYTES
 *   POST /echo    parses the body with jansson and answers the dump of it, padded to ESTIMATE_BYTES
 *   POST /insert  inserts a row of STORED_BYTES by group commit (WAL, synchronous=FULL), then answers PLAN_BYTES
 *   GET  /row     selects the answer column of a row by key, PLAN_BYTES long, and answers it
 * It has a pool of two poll threads, and neither a gate nor checks nor a log. */
#include <jansson.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODY_MAX = 64 * 1024, THREADS = 2 };

struct request {
	char *body;
	size_t length;
	bool committed;
	struct MHD_Connection *connection;
	struct request *next;
};

static size_t plan_bytes, estimate_bytes, rest_bytes; /* rest: the bytes of a row outside its answer */
static char *answer_text, *row_text;
static const char *database_path;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static struct request *queue;
static volatile sig_atomic_t stop;

static void must(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "bare_server: %s failed\n", what);
		exit(1);
	}
}

static sqlite3 *database_open(void)
{
	sqlite3 *database;

	must(sqlite3_open_v2(database_path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK,
		"open");
	must(sqlite3_exec(database,
			 "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA busy_timeout=5000;"
			 "CREATE TABLE IF NOT EXISTS row(id INTEGER PRIMARY KEY, body TEXT NOT NULL, rest TEXT NOT NULL) STRICT",
			 NULL, NULL, NULL) == SQLITE_OK,
		"schema");
	return database;
}

/* Writes all queued rows in one transaction. */
static void *writer(void *unused)
{
	sqlite3 *database = database_open();
	sqlite3_stmt *insert;

	(void)unused;
	must(sqlite3_prepare_v2(database, "INSERT INTO row(body, rest) VALUES(?, ?)", -1, &insert, NULL) == SQLITE_OK, "prepare");
	for (;;) {
		struct request *batch;

		pthread_mutex_lock(&lock);
		while (!queue && !stop)
			pthread_cond_wait(&wake, &lock);
		batch = queue;
		queue = NULL;
		pthread_mutex_unlock(&lock);
		if (!batch)
			return NULL;
		must(sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK, "begin");
		for (struct request *r = batch; r; r = r->next) {
			sqlite3_bind_text(insert, 1, row_text, (int)plan_bytes, SQLITE_STATIC);
			sqlite3_bind_text(insert, 2, row_text, (int)rest_bytes, SQLITE_STATIC);
			must(sqlite3_step(insert) == SQLITE_DONE, "insert");
			sqlite3_reset(insert);
		}
		must(sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK, "commit");
		while (batch) {
			struct request *next = batch->next;

			batch->committed = true;
			MHD_resume_connection(batch->connection);
			batch = next;
		}
	}
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, char *text, size_t length, enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(length, text, mode);
	enum MHD_Result result;

	MHD_add_response_header(response, "Content-Type", "application/json");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_echo(struct MHD_Connection *connection, const struct request *request)
{
	json_t *json = json_loadb(request->body, request->length, 0, NULL);
	char *dump = json ? json_dumps(json, JSON_COMPACT) : NULL;
	size_t length = dump ? strlen(dump) : 0;
	char *padded;

	if (!dump)
		return answer(connection, 400, answer_text, 2, MHD_RESPMEM_PERSISTENT);
	json_decref(json);
	padded = malloc(estimate_bytes > length ? estimate_bytes : length);
	must(padded != NULL, "malloc");
	memset(padded, ' ', estimate_bytes);
	memcpy(padded, dump, length);
	free(dump);
	return answer(connection, 200, padded, estimate_bytes > length ? estimate_bytes : length, MHD_RESPMEM_MUST_FREE);
}

static enum MHD_Result answer_row(struct MHD_Connection *connection)
{
	static _Thread_local sqlite3_stmt *select;
	enum MHD_Result result;

	if (!select)
		must(sqlite3_prepare_v2(database_open(), "SELECT body FROM row WHERE id = ?", -1, &select, NULL) == SQLITE_OK, "prepare");
	sqlite3_bind_int64(select, 1, 1);
	must(sqlite3_step(select) == SQLITE_ROW, "select");
	result = answer(
		connection, 200, (char *)(uintptr_t)sqlite3_column_text(select, 0), (size_t)sqlite3_column_bytes(select, 0), MHD_RESPMEM_MUST_COPY);
	sqlite3_reset(select);
	return result;
}

static enum MHD_Result handle(void *unused, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
	const char *upload, size_t *upload_size, void **context)
{
	struct request *request = *context;

	(void)unused, (void)version;
	if (!request) {
		request = calloc(1, sizeof *request);
		must(request != NULL, "calloc");
		request->body = method[0] == 'P' ? malloc(BODY_MAX) : NULL;
		request->connection = connection;
		*context = request;
		return MHD_YES;
	}
	if (*upload_size) {
		must(request->length + *upload_size <= BODY_MAX, "body size");
		memcpy(request->body + request->length, upload, *upload_size);
		request->length += *upload_size;
		*upload_size = 0;
		return MHD_YES;
	}
	if (strcmp(url, "/row") == 0)
		return answer_row(connection);
	if (strcmp(url, "/echo") == 0)
		return answer_echo(connection, request);
	if (request->committed)
		return answer(connection, 201, answer_text, plan_bytes, MHD_RESPMEM_PERSISTENT);
	MHD_suspend_connection(connection);
	pthread_mutex_lock(&lock);
	request->next = queue;
	queue = request;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	return MHD_YES;
}

static void completed(void *unused, struct MHD_Connection *connection, void **context, enum MHD_RequestTerminationCode code)
{
	struct request *request = *context;

	(void)unused, (void)connection, (void)code;
	if (request)
		free(request->body);
	free(request);
}

int main(int argc, char **argv)
{
	struct MHD_Daemon *daemon;
	pthread_t thread;
	sigset_t set;
	int signal_number;

	must(argc == 6, "usage: bare_server PORT DATABASE PLAN_BYTES ESTIMATE_BYTES STORED_BYTES");
	database_path = argv[2];
	plan_bytes = strtoul(argv[3], NULL, 10);
	estimate_bytes = strtoul(argv[4], NULL, 10);
	must(strtoul(argv[5], NULL, 10) >= plan_bytes, "STORED_BYTES at least PLAN_BYTES");
	rest_bytes = strtoul(argv[5], NULL, 10) - plan_bytes;
	answer_text = malloc(plan_bytes + 2);
	row_text = malloc(plan_bytes + rest_bytes + 1);
	must(answer_text && row_text, "malloc");
	memset(answer_text, 'a', plan_bytes + 2);
	memset(row_text, 'r', plan_bytes + rest_bytes);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sqlite3_close(database_open());
	must(pthread_create(&thread, NULL, writer, NULL) == 0, "thread");
	daemon = MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, (uint16_t)strtoul(argv[1], NULL, 10), NULL, NULL,
		handle, NULL, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_END);
	must(daemon != NULL, "listen");
	sigwait(&set, &signal_number);
	pthread_mutex_lock(&lock);
	stop = 1;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	MHD_stop_daemon(daemon);
	return 0;
}
