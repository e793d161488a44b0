/* The daemon's thread of imports: it runs imports one after the other and settles them. A call that waits for an import
 * is pending: it blocks neither a connection's thread nor a worker. Thread-safe. */
#ifndef FLEETPLAN_SERVER_IMPORT_SERVICE_H
#define FLEETPLAN_SERVER_IMPORT_SERVICE_H

#include "server/handler.h"

struct import_service;

enum { IMPORT_QUEUE_MAX = 8 };

/* Starts the thread. It first settles the imports that an earlier daemon left open. */
FALLIBLE enum status imports_start(struct server *server, struct import_service **service, struct failure *failure);

/* Cancels the running import and the waiting ones, so that their calls end. Does nothing for NULL; imports_stop()
 * too. */
void imports_cut(struct import_service *service);
void imports_stop(struct import_service *service);

/* Runs `work` on the thread to answer the call; the handler then returns HANDLER_PENDING. OVERLOADED if too many calls
 * wait. */
FALLIBLE enum status imports_submit(struct import_service *service, struct call *call, handler_function *work);

/* The call's own progress, which also stops when the daemon shuts down. On the thread. */
struct import_progress {
	const struct import_service *service;
	const struct progress *outer;
};
struct progress imports_progress(struct import_progress *own);

#endif
