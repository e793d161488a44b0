/* What part each suite takes: rows of suites.csv. A suite that is not listed there is shown. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SUITES_H
#define FLEETPLAN_TESTS_VALIDATION_SUITES_H

#include <stddef.h>

/* fitted: in the fit, left out of it in turn, and bounds rest on it. anchor: always in the fit, since nothing else shows what it shows.
 * shown: predicted and printed; no weight in the fit, and no bound rests on it. */
enum suite_role { SUITE_SHOWN, SUITE_FITTED, SUITE_ANCHOR, SUITE_ROLE_COUNT };

struct suite {
	const char *name, *reason; /* reason: of a role that is not `fitted` */
	enum suite_role role;
};

/* Reads FOLDER/suites.csv; exits with a message when a row cannot be understood. */
void suites_load(const char *folder);

enum suite_role suite_role_of(const char *name);
const char *suite_role_name(enum suite_role role);

/* In the order of the file. */
const struct suite *suites_all(size_t *count);

/* Calls `read` with each line of the files FOLDER/<pattern>, in the order of their names. Exits when there is none. */
void suites_read_lines(const char *folder, const char *pattern, void (*read)(const char *line, void *context), void *context);

#endif
