/* Putting a catalogue row: what creating, replacing, patching and importing share. */
#ifndef FLEETPLAN_SERVER_ROW_STORE_H
#define FLEETPLAN_SERVER_ROW_STORE_H

#include "server/handler.h"
#include "server/row_kinds.h"

/* Checks a row, stores it, swaps the snapshot and answers the row as it is now, with warnings. */
FALLIBLE enum status row_store(struct call *call, const struct row_ops *ops, void *row, const char *origin, struct row_put *put,
	struct idempotency *idempotency);

/* The row as JSON or CSV. */
FALLIBLE enum status row_answer(struct call *call, const struct row_ops *ops, const void *row);

/* A key that is repeated gets the row that its first use made, as it is now. */
FALLIBLE enum status row_replay(struct call *call, const struct row_ops *ops, const struct idempotency *idempotency);

#endif
