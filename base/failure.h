/* What was wrong with a request: a status, one sentence, and every single fault with its place.
 *
 * Fixed size, owned by the caller, no allocation. A fault's pointer is an RFC 6901 JSON pointer into the
 * request body ("" is the whole body; a query parameter's is "/" and its name). Faults past FAULTS_MAX are
 * counted but not kept. Detail sentences say what would be accepted. */
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
	enum status status; /* STATUS_OK until something failed */
	char detail[FAULT_DETAIL_MAX];
	size_t fault_count; /* kept in faults[] */
	size_t fault_total; /* seen, kept or not */
	int retry_after_s;  /* 0: no Retry-After header */
	struct fault faults[FAULTS_MAX];
};

/* Makes it empty. Only the counters are cleared; a failure is 13 kB and most requests have none. */
void failure_clear(struct failure *failure);

/* Sets status and sentence, and returns the status: `return failure_set(f, STATUS_NOT_FOUND, "no plan %s", id);` */
enum status failure_set(struct failure *failure, enum status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* Adds one fault and makes the status STATUS_INVALID unless it was set already. */
void failure_add(struct failure *failure, const char *pointer, const char *code, const char *format, ...) PRINTF_LIKE(4, 5);

/* Where no sentence was set, one of the faults: which is the first, and how many there are. Nothing without faults. */
void failure_summarize(struct failure *failure);

#endif
