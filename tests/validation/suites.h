/* The role of each suite, from suites.csv. A suite that is not listed there has the role `shown`. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SUITES_H
#define FLEETPLAN_TESTS_VALIDATION_SUITES_H

#include <stddef.h>

/* fitted: in the fit, left out of it in turn, and judged by bounds. anchor: always in the fit, because no other suite shows
 * the same effect. shown: predicted and printed without weight in the fit; bounds judge it only as one of the suites
 * outside the fit (and megatron2021-t2 by name). */
enum suite_role { SUITE_SHOWN, SUITE_FITTED, SUITE_ANCHOR, SUITE_ROLE_COUNT };

struct suite {
	const char *name, *reason; /* reason: why the role is not `fitted` */
	enum suite_role role;
};

/* Reads FOLDER/suites.csv. Exits with a message if a row is malformed. */
void suites_load(const char *folder);

enum suite_role suite_role_of(const char *name);
const char *suite_role_name(enum suite_role role);

/* Returns all suites of the file, in its order. */
const struct suite *suites_all(size_t *count);

/* Calls `read` with each line of the files FOLDER/<pattern>, in the order of their names. Exits if there is no such
 * file. */
void suites_read_lines(const char *folder, const char *pattern, void (*read)(const char *line, void *context), void *context);

#endif
