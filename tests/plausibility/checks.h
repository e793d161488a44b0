/* Checks that no answer may violate, for any request. */
#ifndef FLEETPLAN_TESTS_PLAUSIBILITY_CHECKS_H
#define FLEETPLAN_TESTS_PLAUSIBILITY_CHECKS_H

#include "plausibility/answer.h"

struct violation {
	char detail[400];
	struct draw draw; /* the request to replay */
};

/* Takes a request and its answer. Returns true if the check holds or does not apply; else fills `violation`. */
typedef bool check_function(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation);

struct check {
	const char *name, *claim;
	check_function *holds;
};

extern const struct check checks[];
extern const size_t check_count;

#endif
