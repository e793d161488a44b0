/* Assertions that CMocka lacks: it compares floats as `float`. Include this instead of cmocka.h. */
#ifndef FLEETPLAN_TESTS_ASSERT_H
#define FLEETPLAN_TESTS_ASSERT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Fails unless |actual - expected| <= relative_tolerance x |expected| (or 1e-300 absolute, for a zero). */
#define assert_close(actual, expected, relative_tolerance) \
	assert_close_at((actual), (expected), (relative_tolerance), #actual, __FILE__, __LINE__)
void assert_close_at(double actual, double expected, double relative_tolerance, const char *text, const char *file, int line);

/* Fails unless `text` contains `part`; prints both. */
#define assert_contains(text, part) assert_contains_at((text), (part), __FILE__, __LINE__)
void assert_contains_at(const char *text, const char *part, const char *file, int line);

#endif
