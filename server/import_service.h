/* The thread of a daemon on which imports are made, one after the other, and settled. What waits for one is a call that is pending:
 * neither a connection's thread nor a worker is held. Thread-safe. */
#ifndef FLEETPLAN_SERVER_IMPORT_SERVICE_H
#define FLEETPLAN_SERVER_IMPORT_SERVICE_H

#include "server/handler.h"

struct import_service;

enum { IMPORT_QUEUE_MAX = 8 };

/* Begins with what an earlier daemon left unsettled. */
FALLIBLE enum status imports_start(struct server *server, struct import_service **service, struct failure *failure);

/* Cancels what is under way and waits, so that the calls end. NULL is fine; so below. */
void imports_cut(struct import_service *service);
void imports_stop(struct import_service *service);

/* Lets `work` answer the call on the thread: the handler then returns HANDLER_PENDING. OVERLOADED when too many wait. */
FALLIBLE enum status imports_submit(struct import_service *service, struct call *call, handler_function *work);

/* The call's own progress, which is stopped too when the daemon shuts down. On the thread. */
struct import_progress {
	const struct import_service *service;
	const struct progress *outer;
};
struct progress imports_progress(struct import_progress *own);

#endif
