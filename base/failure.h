/* Failure: why a request was rejected. It has a status, one sentence, and each fault with its place.
 *
 * Fixed size, owned by the caller, no allocation. A fault's pointer is an RFC 6901 JSON pointer into the
 * request body ("": the whole body; "/" and the name: a query parameter). Faults beyond FAULTS_MAX are
 * counted but not stored. A detail says what is allowed. */
#ifndef FLEETPLAN_BASE_FAILURE_H
#define FLEETPLAN_BASE_FAILURE_H

#include <stddef.h>

#include "base/status.h"

enum { FAULTS_MAX = 24, FAULT_POINTER_MAX = 160, FAULT_DETAIL_MAX = 360 };

struct fault {
	char pointer[FAULT_POINTER_MAX];
	char code[32]; /* machine-readable: out_of_range, wrong_type, unknown_field, duplicate_key, ... */
	char detail[FAULT_DETAIL_MAX];
};

struct failure {
	enum status status; /* STATUS_OK: no failure yet */
	char detail[FAULT_DETAIL_MAX];
	size_t fault_count; /* in faults[] */
	size_t fault_total; /* found, stored or not */
	int retry_after_s;  /* 0: no Retry-After header */
	struct fault faults[FAULTS_MAX];
};

/* Empties it. Clears the status, the detail and the counters only: a failure has 13 kB, and most requests have none. */
void failure_clear(struct failure *failure);

/* Sets the status and the detail, and returns the status: `return failure_set(f, STATUS_NOT_FOUND, "no plan %s", id);` */
enum status failure_set(struct failure *failure, enum status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* Adds one fault. Sets the status to STATUS_INVALID if it is STATUS_OK. */
void failure_add(struct failure *failure, const char *pointer, const char *code, const char *format, ...) PRINTF_LIKE(4, 5);

/* Sets the detail from the first fault and the number of faults. Does nothing if a detail is set or there is no fault. */
void failure_summarize(struct failure *failure);

#endif
