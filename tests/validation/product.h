/* The product's own way from the text of a request to what the planner takes: decoded by the API's field table, resolved
 * against the built-in catalogue at one fixed time. Cases have no reader and no defaults of their own.
 *
 * Everything lives as long as the program. Not for threads. */
#ifndef FLEETPLAN_TESTS_VALIDATION_PRODUCT_H
#define FLEETPLAN_TESTS_VALIDATION_PRODUCT_H

#include "base/arena.h"
#include "base/failure.h"
#include "hwdb/catalogue/catalogue.h"
#include "planner/plan/serving.h"
#include "planner/plan/training.h"

/* The moment at which every case is asked: after the newest price and release of the built-in data, so that nothing changes by itself. */
int64_t product_now_us(void);

const struct catalogue *product_catalogue(void);

/* Where cases keep their texts. */
struct arena *product_arena(void);

/* `decoded` (may be NULL) tells a request that the tables refuse from one that the resolver refuses. */
FALLIBLE enum status product_training(const char *json, struct training_input *input, bool *decoded, struct failure *failure);
FALLIBLE enum status product_performance(const char *json, struct performance_input *input, struct failure *failure);

/* Where a failure stands and what it says, in one line of static text. */
const char *product_failure(const struct failure *failure);

/* Exits: the program's input is not what it must be. */
__attribute__((noreturn)) void product_stop(const char *what, const char *which);

#endif
