/* The daemon as one struct: what handlers reach through call->server. Its parts are opened in the order in which they stand
 * here and closed in reverse; they do not change while requests are answered, except the catalogue, which is swapped whole. */
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

/* A price that a revision of the catalogue changed: so the snapshot can change by that alone. */
enum { SNAPSHOT_CHANGES = 128, PRICE_ID_MAX = 200 };
struct changed_price {
	int64_t revision; /* 0: none */
	char id[PRICE_ID_MAX + 1];
};

/* The current snapshot of the catalogue. */
struct snapshot {
	pthread_mutex_t mutex;  /* of `current`, held for an instant */
	pthread_mutex_t reload; /* one reader of the rows at a time, so that no older snapshot replaces a newer one */
	_Atomic uint64_t asked; /* reloads so far; what was asked for while one went on is done by the next, all at once */
	uint64_t done;          /* under `reload`: of those asked for */
	struct catalogue *current;
	struct changed_price changed[SNAPSHOT_CHANGES]; /* under `mutex`: the newest changes, by their revision modulo the number */
	_Atomic uint64_t readings; /* of all rows, since the start */
	struct catalogue *past; /* under `mutex`: the one of a past moment that was asked for last, or NULL */
};

struct server {
	const struct options *options;
	struct http *http; /* bound first, answers last */
	struct storage *storage;
	struct snapshot snapshot;
	struct auth *auth;
	struct bench_runner *bench_runner; /* of this machine's devices */
	struct import_service *imports;
	struct feed_service *feeds; /* all off unless configured */
	int64_t started_us;    /* wall clock */
	_Atomic bool draining; /* readyz answers 503 */
};

/* Binds, opens, migrates, loads, checks who may call, and begins to answer. On failure everything is closed again. */
FALLIBLE enum status server_open(struct server *server, const struct options *options, struct failure *failure);

/* Shuts the door, waits up to `seconds` for what is under way, then closes everything; false when requests were cut off. */
bool server_close(struct server *server, unsigned seconds);

/* The catalogue of now; the caller releases it with catalogue_release. Thread-safe. Handlers use call_catalogue. */
struct catalogue *server_catalogue(struct server *server);

/* The catalogue of a past moment, read from the rows for the caller, who releases it. STATUS_INVALID before the first rows. */
FALLIBLE enum status server_catalogue_as_of(struct server *server, int64_t as_of_us, struct catalogue **catalogue, struct failure *failure);

/* Whether a moment can be asked for: one ahead of our clock by more than a client's may be has no catalogue yet. STATUS_INVALID. */
FALLIBLE enum status server_as_of_check(int64_t as_of_us, struct failure *failure);

/* The catalogue of these two revisions, which a plan was computed with; likewise. STATUS_NOT_FOUND when there never were such. */
FALLIBLE enum status server_catalogue_of_revisions(struct server *server, int64_t revision, int64_t calibration_revision,
	struct catalogue **catalogue, struct failure *failure);

/* After which silence of its worker a benchmark is tried again, and how often workers shall be heard of. */
double server_lease_s(const struct server *server);
double server_heartbeat_s(const struct server *server);

/* Reads them again if the store has newer rows or calibrations: before a client is told of a benchmark that may have made some, so that a plan
 * which it asks for next knows them. Thread-safe; blocks. */
void server_catalogue_catch_up(struct server *server);

/* After the change of one row, which made this revision: as server_catalogue_reload, at the cost of what changed where that can be. */
FALLIBLE enum status server_catalogue_changed(struct server *server, enum row_kind kind, const char *id, int64_t revision, struct failure *failure);

/* Reads the rows again and swaps the snapshot: after every change of catalogue or calibrations. Thread-safe; blocks. */
FALLIBLE enum status server_catalogue_reload(struct server *server, struct failure *failure);

#endif
