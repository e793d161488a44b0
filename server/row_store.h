/* Stores a catalogue row: shared by create, replace, patch and import. */
#ifndef FLEETPLAN_SERVER_ROW_STORE_H
#define FLEETPLAN_SERVER_ROW_STORE_H

#include "server/handler.h"
#include "server/row_kinds.h"

/* Checks a row, stores it, swaps the snapshot, and answers with the stored row and its warnings. */
FALLIBLE enum status row_store(
	struct call *call, const struct row_ops *ops, void *row, const char *origin, struct row_put *put, struct idempotency *idempotency);

/* Answers with the row as JSON or CSV. */
FALLIBLE enum status row_answer(struct call *call, const struct row_ops *ops, const void *row);

/* Answers a repeated Idempotency-Key with the present state of the row that its first use created. */
FALLIBLE enum status row_replay(struct call *call, const struct row_ops *ops, const struct idempotency *idempotency);

#endif
