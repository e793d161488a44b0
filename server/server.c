#include "server/server.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/uuid.h"
#include "hwdb/catalogue/catalogue_change.h"
#include "hwdb/catalogue/records.h"
#include "hwdb/rows/builtin.h"
#include "server/auth.h"
#include "server/bench_runner.h"
#include "server/feed_service.h"
#include "server/http.h"
#include "server/import_service.h"
#include "server/keys.h"
#include "server/options.h"
#include "storage/catalogue_rows.h"
#include "storage/check.h"

/* 250,000 prices (the maximum, schema/row_reader.h) need a quarter of this. */
enum { SERVER_CATALOGUE_MAX_BYTES = 1024 * 1024 * 1024 };

struct catalogue *server_catalogue(struct server *server)
{
	struct catalogue *catalogue;

	pthread_mutex_lock(&server->snapshot.mutex);
	catalogue = catalogue_retain(server->snapshot.current);
	pthread_mutex_unlock(&server->snapshot.mutex);
	return catalogue;
}

/* Makes a snapshot of the rows that were loaded into the arena, or frees the arena. */
static enum status snapshot_made(enum status loaded, struct arena *arena, const struct catalogue_rows *rows, int64_t revision,
	int64_t calibration_revision, int64_t as_of_us, struct catalogue **catalogue, struct failure *failure)
{
	enum status status = loaded;

	*catalogue = NULL;
	if (status == STATUS_OK) {
		*catalogue = catalogue_new(arena, rows, revision, calibration_revision, as_of_us, failure);
		status = *catalogue ? STATUS_OK : failure->status;
	}
	CHECK(*catalogue || status != STATUS_OK);
	if (status != STATUS_OK)
		arena_release(arena);
	return status;
}

static enum status server_catalogue_read(struct server *server, int64_t as_of_us, struct catalogue **catalogue, struct failure *failure)
{
	struct catalogue_rows rows = {0};
	struct arena arena;
	int64_t revision, calibration_revision;
	enum status status;

	atomic_fetch_add(&server->snapshot.readings, 1);
	arena_init(&arena, SERVER_CATALOGUE_MAX_BYTES);
	status = storage_catalogue_load(server->storage, as_of_us, &arena, &rows, &revision, &calibration_revision, failure);
	return snapshot_made(status, &arena, &rows, revision, calibration_revision, as_of_us, catalogue, failure);
}

/* Tolerance for a client's clock that is ahead of ours. */
#define AS_OF_AHEAD_US INT64_C(300000000)

enum status server_as_of_check(int64_t as_of_us, struct failure *failure)
{
	if (as_of_us <= clock_wall_us() + AS_OF_AHEAD_US)
		return STATUS_OK;
	failure_add(failure, "/as_of", "out_of_range", "lies in the future; leave it out for the current catalogue");
	return STATUS_INVALID;
}

static void snapshot_swap(struct snapshot *snapshot, struct catalogue *fresh)
{
	struct catalogue *old;

	pthread_mutex_lock(&snapshot->mutex);
	old = snapshot->current;
	snapshot->current = fresh;
	pthread_mutex_unlock(&snapshot->mutex);
	if (old)
		catalogue_release(old);
}

/* Lists the prices that the revisions after `from` up to `to` changed. 0 if one of them changed anything else, or is
 * not known. */
static size_t snapshot_changes(struct snapshot *snapshot, int64_t from, int64_t to, struct arena *arena, const char **ids)
{
	size_t count = 0;

	if (to - from > SNAPSHOT_CHANGES)
		return 0;
	pthread_mutex_lock(&snapshot->mutex);
	for (int64_t revision = from + 1; revision <= to; revision++) {
		const struct changed_price *changed = &snapshot->changed[revision % SNAPSHOT_CHANGES];

		ids[count] = changed->revision == revision ? arena_strdup(arena, changed->id) : NULL;
		if (!ids[count++]) {
			count = 0;
			break;
		}
	}
	pthread_mutex_unlock(&snapshot->mutex);
	return count;
}

/* Makes a snapshot of one moment (0: now) from another one by the prices that changed between the two; NULL if all rows
 * must be read. */
static struct catalogue *snapshot_by_changes(
	struct server *server, struct catalogue *of, int64_t from, int64_t to, int64_t as_of_us, struct failure *failure)
{
	int64_t revision = 0, calibration_revision = 0;
	struct catalogue *fresh = NULL;
	bool present[SNAPSHOT_CHANGES];
	struct price_row *rows;
	const char **ids;
	struct arena arena;
	size_t count = 0;

	arena_init(&arena, SERVER_CATALOGUE_MAX_BYTES);
	ids = ARENA_ARRAY(&arena, const char *, SNAPSHOT_CHANGES);
	rows = ARENA_ARRAY(&arena, struct price_row, SNAPSHOT_CHANGES);
	if (ids && rows)
		count = snapshot_changes(&server->snapshot, from, to, &arena, ids);
	if (count > 0 &&
		storage_rows_get(server->storage, ROW_PRICE, ids, count, as_of_us, &arena, rows, present, &revision, &calibration_revision,
			failure) == STATUS_OK &&
		revision == (as_of_us ? from : to) && calibration_revision == of->calibration_revision)
		fresh = catalogue_retain(of);
	for (size_t i = 0; i < count && fresh; i++) {
		const struct price_row gone = {.id = ids[i]};
		struct catalogue *next = catalogue_with_price(fresh, present[i] ? &rows[i] : &gone, !present[i], revision, failure);

		catalogue_release(fresh);
		fresh = next;
	}
	arena_release(&arena);
	failure_clear(failure);
	return fresh;
}

/* Makes the current snapshot with the prices that changed since. Under `reload`. */
static struct catalogue *snapshot_with_changes(struct server *server, struct failure *failure)
{
	struct catalogue *current = server->snapshot.current;
	int64_t revision = 0, calibration_revision;
	struct arena arena;
	enum status status;

	arena_init(&arena, ARENA_KEEP_BYTES);
	status = storage_catalogue_revisions(server->storage, 0, &arena, &revision, &calibration_revision, failure);
	arena_release(&arena);
	return status == STATUS_OK ? snapshot_by_changes(server, current, current->revision, revision, 0, failure) : NULL;
}

enum status server_catalogue_changed(struct server *server, enum row_kind kind, const char *id, int64_t revision, struct failure *failure)
{
	struct snapshot *snapshot = &server->snapshot;
	struct changed_price *changed = &snapshot->changed[revision % SNAPSHOT_CHANGES];
	struct catalogue *fresh = NULL;
	bool known;

	if (kind != ROW_PRICE || strlen(id) > PRICE_ID_MAX)
		return server_catalogue_reload(server, failure);
	pthread_mutex_lock(&snapshot->mutex);
	if (revision > changed->revision) {
		changed->revision = revision;
		snprintf(changed->id, sizeof changed->id, "%s", id);
	}
	pthread_mutex_unlock(&snapshot->mutex);
	pthread_mutex_lock(&snapshot->reload);
	known = snapshot->current->revision >= revision; /* another thread's update has included this change */
	if (!known)
		fresh = snapshot_with_changes(server, failure);
	if (fresh)
		snapshot_swap(snapshot, fresh);
	pthread_mutex_unlock(&snapshot->reload);
	return known || fresh ? STATUS_OK : server_catalogue_reload(server, failure);
}

/* Returns that snapshot if it has these revisions, else NULL. The caller releases it. */
static struct catalogue *snapshot_if(struct catalogue *snapshot, int64_t revision, int64_t calibration_revision)
{
	return snapshot && snapshot->revision == revision && snapshot->calibration_revision == calibration_revision ? catalogue_retain(snapshot)
																												: NULL;
}

/* Makes the catalogue of a moment. A moment between the same two changes has the same rows, so the current or the last
 * past snapshot may serve. A few changed prices are reverted. Otherwise all rows are read. */
static enum status snapshot_of_moment(struct server *server, int64_t as_of_us, struct catalogue **catalogue, struct failure *failure)
{
	struct snapshot *snapshot = &server->snapshot;
	struct catalogue *same = NULL, *forgotten = NULL, *current;
	int64_t revision = 0, calibration_revision = 0;
	struct arena arena;
	enum status status;

	arena_init(&arena, ARENA_KEEP_BYTES);
	status = storage_catalogue_revisions(server->storage, as_of_us, &arena, &revision, &calibration_revision, failure);
	arena_release(&arena);
	if (status != STATUS_OK)
		return status;
	pthread_mutex_lock(&snapshot->mutex);
	current = catalogue_retain(snapshot->current);
	if (revision > 0)
		same = snapshot_if(snapshot->current, revision, calibration_revision);
	if (revision > 0 && !same)
		same = snapshot_if(snapshot->past, revision, calibration_revision);
	pthread_mutex_unlock(&snapshot->mutex);
	if (revision > 0 && !same && current->calibration_revision == calibration_revision && revision < current->revision)
		same = snapshot_by_changes(server, current, revision, current->revision, as_of_us, failure);
	catalogue_release(current);
	if (same) {
		*catalogue = catalogue_at(same, as_of_us);
		catalogue_release(same);
		return *catalogue ? STATUS_OK : failure_set(failure, STATUS_NO_MEMORY, "no memory for the catalogue");
	}
	status = server_catalogue_read(server, as_of_us, catalogue, failure);
	if (status == STATUS_OK) {
		pthread_mutex_lock(&snapshot->mutex);
		forgotten = snapshot->past;
		snapshot->past = catalogue_retain(*catalogue);
		pthread_mutex_unlock(&snapshot->mutex);
	}
	catalogue_release(forgotten);
	return status;
}

enum status server_catalogue_as_of(struct server *server, int64_t as_of_us, struct catalogue **catalogue, struct failure *failure)
{
	enum status status;

	*catalogue = NULL;
	if (!server->storage)
		return failure_set(
			failure, STATUS_INVALID, "as_of needs a daemon with its database; the command line has only the built-in catalogue");
	status = server_as_of_check(as_of_us, failure);
	if (status == STATUS_OK)
		status = snapshot_of_moment(server, as_of_us, catalogue, failure);
	CHECK(status != STATUS_OK || *catalogue);
	if (status == STATUS_OK && (*catalogue)->rows.accelerator_count == 0) {
		catalogue_release(*catalogue);
		*catalogue = NULL;
		failure_add(failure, "/as_of", "out_of_range", "lies before the first row of this catalogue; give a later time");
		status = STATUS_INVALID;
	}
	return status;
}

enum status server_catalogue_of_revisions(
	struct server *server, int64_t revision, int64_t calibration_revision, struct catalogue **catalogue, struct failure *failure)
{
	struct catalogue_rows rows = {0};
	struct arena arena;
	int64_t as_of_us;
	enum status status;

	arena_init(&arena, SERVER_CATALOGUE_MAX_BYTES);
	status = storage_catalogue_load_revisions(server->storage, revision, calibration_revision, &arena, &rows, &as_of_us, failure);
	return snapshot_made(status, &arena, &rows, revision, calibration_revision, as_of_us, catalogue, failure);
}

enum status server_catalogue_reload(struct server *server, struct failure *failure)
{
	struct snapshot *snapshot = &server->snapshot;
	struct catalogue *fresh;
	uint64_t mine = atomic_fetch_add(&snapshot->asked, 1) + 1, asked;
	enum status status = STATUS_OK;

	pthread_mutex_lock(&snapshot->reload);
	asked = atomic_load(&snapshot->asked); /* their changes are committed and will be read */
	if (snapshot->done < mine)
		status = server_catalogue_read(server, 0, &fresh, failure);
	if (snapshot->done < mine && status == STATUS_OK) {
		snapshot->done = asked;
		snapshot_swap(snapshot, fresh);
	}
	pthread_mutex_unlock(&snapshot->reload);
	return status;
}

void server_catalogue_catch_up(struct server *server)
{
	struct catalogue *current = server_catalogue(server);
	int64_t revision = current->revision, calibration_revision = current->calibration_revision, stored = 0, calibrated = 0, moment_us;
	enum status status;
	struct failure failure;
	struct arena arena;

	catalogue_release(current);
	failure_clear(&failure);
	arena_init(&arena, ARENA_KEEP_BYTES);
	status = storage_catalogue_moment(server->storage, 0, &arena, &moment_us, &stored, &failure);
	if (status == STATUS_OK)
		status = storage_calibration_revision(server->storage, &arena, &calibrated, &failure);
	if (status == STATUS_OK && (stored > revision || calibrated > calibration_revision))
		status = server_catalogue_reload(server, &failure);
	if (status != STATUS_OK)
		log_event(LOG_WARNING, "catalogue_not_reloaded", LOG_TEXT("detail", failure.detail));
	arena_release(&arena);
}

/* Stores the program's built-in rows: all at the first start, changed ones after an update. */
static enum status server_update_builtin(struct server *server, struct failure *failure)
{
	char digest[BUILTIN_DIGEST_MAX];
	struct catalogue_rows rows = {0};
	struct builtin_update update = {.job = {.kind = STORAGE_BUILTIN_UPDATE, .failure = failure}, .rows = &rows, .digest = digest};
	const char *stored = NULL;
	struct arena arena;
	enum status status;

	builtin_digest(digest);
	arena_init(&arena, SERVER_CATALOGUE_MAX_BYTES);
	status = storage_builtin_digest(server->storage, &arena, &stored, failure);
	if (status == STATUS_OK && stored && strcmp(stored, digest) == 0) { /* the usual case: the rows need not even be read */
		arena_release(&arena);
		return STATUS_OK;
	}
	if (status == STATUS_OK)
		status = builtin_rows_read(&arena, &rows, failure);
	if (status == STATUS_OK)
		status = storage_run(server->storage, &update.job);
	arena_release(&arena);
	if (status == STATUS_OK && update.difference.added + update.difference.changed + update.difference.removed > 0)
		log_event(LOG_INFO, "catalogue_updated", LOG_INTEGER("added", update.difference.added),
			LOG_INTEGER("changed", update.difference.changed), LOG_INTEGER("removed", update.difference.removed),
			LOG_INTEGER("kept", update.difference.kept));
	return status;
}

/* On loopback, or with --insecure, every client is admin while no key exists; on other addresses a key is required. */
static enum status server_open_auth(struct server *server, struct failure *failure)
{
	const struct options *options = server->options;
	bool open = http_is_loopback(server->http) || options->insecure;
	char first_id[UUID_TEXT_SIZE];
	int64_t count = 0;
	enum status status = STATUS_OK;

	if (*options->bootstrap_key_file)
		status = keys_bootstrap(server->storage, options->bootstrap_key_file, failure);
	if (status == STATUS_OK)
		status = storage_key_count(server->storage, &count, failure);
	if (status == STATUS_OK && !open && count == 0 && *options->first_key_file && !*options->bootstrap_key_file) {
		status = keys_first(server->storage, options->first_key_file, first_id, failure);
		count = 1;
		if (status == STATUS_OK)
			log_event(LOG_WARNING, "first_key", LOG_TEXT("id", first_id), LOG_TEXT("file", options->first_key_file),
				LOG_TEXT("detail", "no API key existed; this file contains a new one with the role admin: keep the key, and delete the file"));
	}
	if (status != STATUS_OK)
		return status;
	if (!open && count == 0)
		return failure_set(failure, STATUS_FORBIDDEN,
			"%s is not a loopback address, and there is no API key yet: create one with `fleetplan keys create --role admin`, or mount "
			"one with --bootstrap-key-file, or let the daemon write one to --first-key-file, or listen on 127.0.0.1, or allow this with "
			"--insecure",
			http_address(server->http));
	if (count == 0 && !http_is_loopback(server->http))
		log_event(LOG_WARNING, "insecure", LOG_TEXT("detail", "every client that can reach this address is admin"));
	server->auth = auth_new(server->storage, open);
	return server->auth ? STATUS_OK : failure_set(failure, STATUS_NO_MEMORY, "no memory for the API keys");
}

/* Reloads the catalogue after a benchmark's calibration, so that the next plan uses it. */
static void server_calibrated(void *context)
{
	struct failure failure;

	failure_clear(&failure);
	if (server_catalogue_reload(context, &failure) != STATUS_OK)
		log_event(LOG_ERROR, "catalogue_not_reloaded", LOG_TEXT("detail", failure.detail));
}

double server_lease_s(const struct server *server)
{
	return server->options->lease_seconds;
}

double server_heartbeat_s(const struct server *server)
{
	return server->options->heartbeat_seconds;
}

static enum status server_start_benchmarks(struct server *server, struct failure *failure)
{
	const struct bench_runner_options options = {.storage = server->storage,
		.lease_s = server->options->lease_seconds,
		.audit_keep_days = server->options->audit_keep_days,
		.sweeps_only = !server->options->own_devices,
		.context = server,
		.catalogue_changed = server_calibrated};

	if (2 * server->options->heartbeat_seconds > server->options->lease_seconds)
		return failure_set(
			failure, STATUS_INVALID, "heartbeat-seconds must be at most half of lease-seconds, so that one heartbeat may be lost");
	return bench_runner_start(&options, &server->bench_runner, failure);
}

static enum status server_bind(struct server *server, struct failure *failure)
{
	const struct options *o = server->options;
	const struct http_options options = {.listen = o->listen,
		.threads = o->threads,
		.workers = o->workers,
		.light_workers = o->light_workers,
		.cpu_limit_ms = o->cpu_limit_ms,
		.unpack_bytes_per_s = o->unpack_mb_per_second * 1000000,
		.queue = o->queue,
		.queue_seconds = o->queue_seconds,
		.connections = o->connections,
		.connections_per_ip = o->connections_per_ip,
		.idle_seconds = o->idle_seconds,
		.receive_seconds = o->receive_seconds,
		.send_seconds = o->send_seconds,
		.memory_bytes = (size_t)(o->body_memory_mb ? o->body_memory_mb : o->memory_mb) * 1000000,
		.cors_origins = o->cors_origins,
		.allowed_hosts = o->allowed_hosts,
		.metrics_open = o->metrics_open,
		.jobs = o->jobs,
		.jobs_per_key = o->jobs_per_key,
		.job_keep_seconds = o->job_keep_seconds,
		.job_workers = o->job_workers,
		.job_memory_bytes = (size_t)o->job_memory_mb * 1000000};

	return http_bind(&options, &server->http, failure);
}

/* Reads what is needed at the start, while the database file is being checked. Damage of the file takes precedence over
 * other failures, since it explains them. */
static enum status server_load(struct server *server, struct failure *failure)
{
	enum status status = server_update_builtin(server, failure), whole;

	if (status == STATUS_OK)
		status = server_catalogue_reload(server, failure);
	whole = storage_checked(server->storage, failure);
	if (whole != STATUS_OK)
		status = whole;
	return status == STATUS_OK ? server_open_auth(server, failure) : status;
}

enum status server_open(struct server *server, const struct options *options, struct failure *failure)
{
	const struct storage_options storage = {.path = options->database, .use = STORAGE_DAEMON, .checks_beside = true};
	enum status status;

	*server = (struct server){.options = options, .started_us = clock_wall_us()};
	pthread_mutex_init(&server->snapshot.mutex, NULL);
	pthread_mutex_init(&server->snapshot.reload, NULL);
	status = server_bind(server, failure);
	if (status == STATUS_OK)
		status = storage_open(&storage, &server->storage, failure);
	if (status == STATUS_OK)
		status = server_load(server, failure);
	if (status == STATUS_OK)
		status = server_start_benchmarks(server, failure);
	if (status == STATUS_OK)
		status = imports_start(server, &server->imports, failure);
	if (status == STATUS_OK)
		status = feeds_start(server, &server->feeds, failure);
	if (status == STATUS_OK)
		status = http_start(server->http, server, failure);
	if (status == STATUS_OK) /* last: it reads the whole database, and nothing waits for it */
		status = storage_scrub_start(server->storage, failure);
	if (status != STATUS_OK)
		(void)server_close(server, 0);
	return status;
}

bool server_close(struct server *server, unsigned seconds)
{
	bool whole = true;

	if (server->auth) { /* no request can have begun before it exists */
		http_quiesce(server->http);
		whole = http_drain(server->http, seconds);
	}
	feeds_cut(server->feeds); /* their waiting calls must end first: http_stop() waits for them */
	imports_cut(server->imports);
	http_stop(server->http);
	feeds_stop(server->feeds);
	imports_stop(server->imports);
	bench_runner_stop(server->bench_runner);
	auth_free(server->auth);
	if (server->snapshot.current)
		catalogue_release(server->snapshot.current);
	catalogue_release(server->snapshot.past);
	storage_close(server->storage);
	pthread_mutex_destroy(&server->snapshot.mutex);
	pthread_mutex_destroy(&server->snapshot.reload);
	return whole;
}
