/* Turns the text of a request into inputs of the planner, as the service does: decoded by the API's field table and
 * resolved against the built-in catalogue at one fixed time. Cases have no decoder and no defaults of their own.
 *
 * All results live as long as the program. Not thread-safe. */
#ifndef FLEETPLAN_TESTS_VALIDATION_PRODUCT_H
#define FLEETPLAN_TESTS_VALIDATION_PRODUCT_H

#include "base/arena.h"
#include "base/failure.h"
#include "hwdb/catalogue/catalogue.h"
#include "planner/plan/serving.h"
#include "planner/plan/training.h"

/* Returns the time of every request. It is later than the newest price and release of the built-in data and constant, so
 * that results do not change with the date. */
int64_t product_now_us(void);

const struct catalogue *product_catalogue(void);

/* Returns the arena for the texts of cases. */
struct arena *product_arena(void);

/* Decode and resolve a request. decoded (may be NULL): false if the field tables reject it; true if only the resolver may
 * have rejected it. */
FALLIBLE enum status product_training(const char *json, struct training_input *input, bool *decoded, struct failure *failure);
FALLIBLE enum status product_performance(const char *json, struct performance_input *input, struct failure *failure);

/* Returns the pointer and the detail of a failure as one line of static text. */
const char *product_failure(const struct failure *failure);

/* Prints what is wrong with the program's input and exits with 2. */
__attribute__((noreturn)) void product_stop(const char *what, const char *which);

#endif
