/* The daemon's state; handlers reach it through call->server. Its parts are opened in the order of their members and
 * closed in reverse. They do not change while requests are answered, except the catalogue, which is swapped as a
 * whole. */
#ifndef FLEETPLAN_SERVER_SERVER_H
#define FLEETPLAN_SERVER_SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "hwdb/catalogue/catalogue.h"
#include "storage/catalogue_rows.h"

struct auth;
struct bench_runner;
struct feed_service;
struct http;
struct import_service;
struct options;

/* A price that one revision of the catalogue changed. With it the snapshot can apply that one change. */
enum { SNAPSHOT_CHANGES = 128, PRICE_ID_MAX = 200 };
struct changed_price {
	int64_t revision; /* 0: none */
	char id[PRICE_ID_MAX + 1];
};

/* The current snapshot of the catalogue. */
struct snapshot {
	pthread_mutex_t mutex;  /* protects `current`; held only for moments */
	pthread_mutex_t reload; /* one thread at a time reads the rows, so that an older snapshot never replaces a newer one */
	_Atomic uint64_t asked; /* number of requested reloads; one reload serves all requests that came while the one before it ran */
	uint64_t done;          /* under `reload`: how many of them are done */
	struct catalogue *current;
	struct changed_price changed[SNAPSHOT_CHANGES]; /* under `mutex`: the newest changes; the index is the revision modulo the size */
	_Atomic uint64_t readings;                      /* number of times that all rows were read, since the start */
	struct catalogue *past;                         /* under `mutex`: the catalogue of the past moment that was requested last, or NULL */
};

struct server {
	const struct options *options;
	struct http *http; /* bound first, answers last */
	struct storage *storage;
	struct snapshot snapshot;
	struct auth *auth;
	struct bench_runner *bench_runner; /* for this machine's devices */
	struct import_service *imports;
	struct feed_service *feeds; /* all off unless configured */
	int64_t started_us;         /* wall clock */
	_Atomic bool draining;      /* readyz answers 503 */
};

/* Starts the daemon: binds the address, opens and migrates the database, loads the catalogue, checks that keys are
 * required where they must be, and begins to answer. On failure everything is closed again. */
FALLIBLE enum status server_open(struct server *server, const struct options *options, struct failure *failure);

/* Stops accepting connections, waits up to `seconds` for unfinished work, then closes everything. Returns false if
 * requests were cut off. */
bool server_close(struct server *server, unsigned seconds);

/* Returns the current catalogue; the caller releases it with catalogue_release. Thread-safe. Handlers use
 * call_catalogue. */
struct catalogue *server_catalogue(struct server *server);

/* Reads the catalogue of a past moment; the caller releases it. STATUS_INVALID before the first rows. */
FALLIBLE enum status server_catalogue_as_of(struct server *server, int64_t as_of_us, struct catalogue **catalogue, struct failure *failure);

/* STATUS_INVALID for a moment in the future, beyond what a difference between the client's and our clock explains. */
FALLIBLE enum status server_as_of_check(int64_t as_of_us, struct failure *failure);

/* Reads the catalogue of these two revisions, with which a plan was computed; the caller releases it. STATUS_NOT_FOUND
 * if there were no such revisions. */
FALLIBLE enum status server_catalogue_of_revisions(
	struct server *server, int64_t revision, int64_t calibration_revision, struct catalogue **catalogue, struct failure *failure);

/* The time without a heartbeat after which a benchmark returns to the queue; the interval of heartbeats. */
double server_lease_s(const struct server *server);
double server_heartbeat_s(const struct server *server);

/* Reloads the catalogue if the store has newer rows or calibrations. Call it before reporting a finished benchmark to a
 * client, so that the client's next plan uses the new calibrations. Thread-safe; blocks. */
void server_catalogue_catch_up(struct server *server);

/* Updates the snapshot after the change of one row, which made this revision. Applies only that change where possible,
 * else calls server_catalogue_reload(). */
FALLIBLE enum status server_catalogue_changed(
	struct server *server, enum row_kind kind, const char *id, int64_t revision, struct failure *failure);

/* Reads all rows and swaps the snapshot. Call it after every change of the catalogue or of calibrations. Thread-safe;
 * blocks. */
FALLIBLE enum status server_catalogue_reload(struct server *server, struct failure *failure);

#endif
