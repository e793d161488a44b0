/* Requests that ask not to be waited for (`Prefer: respond-async`, `Prefer: wait=N`), and those that wait a while for what they
 * began. The request's exchange becomes the work of a job; a twin takes its place on the connection and answers 202, or waits
 * and answers what the job did. */
#ifndef FLEETPLAN_SERVER_DEFER_H
#define FLEETPLAN_SERVER_DEFER_H

#include "server/exchange.h"

/* Whether the whole request that is here shall be a job. */
bool defer_wanted(const struct exchange *exchange);

/* Makes it one. The twin that answers from now on, its answer complete (STEP_COMPLETE) or about to come to its suspended
 * connection; NULL without memory, and the exchange is then as it was. On the connection's thread. */
struct exchange *defer_begin(struct exchange *exchange);

/* What has cost a worker more than what is waited for may (exchange->overran) begins anew as a job, and its connection waits for that: as long
 * as it would have for a worker, then it is answered 202. On the worker; the exchange is the job's afterwards. */
void defer_overrun(struct exchange *exchange);

/* Of handlers whose answer (202) only says that something has begun: lets the answer wait, at most as long as the client's
 * Prefer says, for `look` to have written the final answer into the call. `look` is asked ten times a second, on the watcher's
 * thread, with memory of its own that is empty each time; true: written. To be called before the handler's commit. */
typedef bool defer_look(struct call *call, struct arena *scratch);
void defer_answer(struct call *call, defer_look *look);

#endif
