/* What no answer may violate, whatever is asked. */
#ifndef FLEETPLAN_TESTS_PLAUSIBILITY_CHECKS_H
#define FLEETPLAN_TESTS_PLAUSIBILITY_CHECKS_H

#include "plausibility/answer.h"

struct violation {
	char detail[400];
	struct draw draw; /* the request to replay */
};

/* Given: a request and its answer. Returned: true where it holds or says nothing of this request; else `violation`. */
typedef bool check_function(const struct draw *draw, const struct answer *answer, const struct setting *setting, struct violation *violation);

struct check {
	const char *name, *claim;
	check_function *holds;
};

extern const struct check checks[];
extern const size_t check_count;

#endif
