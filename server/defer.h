/* Requests that become jobs (`Prefer: respond-async`, `Prefer: wait=N`), and requests that wait for a limited time for
 * the work that they started. The request's exchange becomes the work of a job. A second exchange, its twin, takes its
 * place on the connection and answers 202, or waits and answers with the job's result. */
#ifndef FLEETPLAN_SERVER_DEFER_H
#define FLEETPLAN_SERVER_DEFER_H

#include "server/exchange.h"

/* True if this request, which is complete, must become a job. */
bool defer_wanted(const struct exchange *exchange);

/* Makes the request a job and returns its twin, which answers from now on. The twin's answer is complete
 * (STEP_COMPLETE), or its connection is suspended and the answer follows. NULL without memory: the exchange is then
 * unchanged. On the connection's thread. */
struct exchange *defer_begin(struct exchange *exchange);

/* Restarts a request as a job after it used up its CPU time on a worker (exchange->overran). Its connection waits for
 * the job as long as a request may wait for a worker, and then receives 202. On the worker; afterwards the exchange
 * belongs to the job. */
void defer_overrun(struct exchange *exchange);

/* For handlers that answer 202 after they started something: delays the answer, at most as long as the client's Prefer
 * says, until `look` has written the final answer into the call. `look` returns true if it has. The watcher's thread
 * calls it ten times a second, each time with an empty scratch arena. Call this before the handler's commit. */
typedef bool defer_look(struct call *call, struct arena *scratch);
void defer_answer(struct call *call, defer_look *look);

#endif
