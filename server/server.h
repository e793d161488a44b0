/* The daemon as one struct: what handlers reach through call->server, opened in this order and closed in reverse.
 *
 * Made by serve.c; constant once the first request is answered, except the catalogue snapshot, which is swapped whole. */
#ifndef FLEETPLAN_SERVER_SERVER_H
#define FLEETPLAN_SERVER_SERVER_H

#include <stdbool.h>
#include <stdatomic.h>

#include "hwdb/catalogue.h"
#include "storage/storage.h"

struct auth;
struct http;
struct options;
struct snapshot;

struct server {
	const struct options *options;
	struct storage *storage;
	struct snapshot *snapshot; /* of the catalogue */
	struct auth *auth;
	struct http *http;
	int64_t started_us;   /* wall clock */
	_Atomic bool draining; /* readyz answers 503 */
};

/* The catalogue of now; the caller releases it with catalogue_release. Thread-safe. Handlers use call_catalogue. */
struct catalogue *server_catalogue(struct server *server);

/* Reads the rows again and swaps the snapshot: after every change of catalogue or calibrations. Thread-safe; blocks. */
FALLIBLE enum status server_catalogue_reload(struct server *server, struct failure *failure);

/* After a key was created or revoked: the next request reads the keys again. Thread-safe. */
void server_keys_changed(struct server *server);

#endif
