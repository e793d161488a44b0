/* The built-in catalogue as a group's CMocka setup and teardown. */
#ifndef FLEETPLAN_TESTS_CATALOGUE_H
#define FLEETPLAN_TESTS_CATALOGUE_H

#include "hwdb/catalogue/catalogue.h"

extern struct catalogue *builtin_catalogue; /* set between setup and teardown */

int builtin_catalogue_setup(void **state);
int builtin_catalogue_teardown(void **state);

#endif
