#include "support/assert.h"

#include <math.h>
#include <string.h>

void assert_close_at(double actual, double expected, double relative_tolerance, const char *text, const char *file, int line)
{
	if (fabs(actual - expected) <= relative_tolerance * fabs(expected) + 1e-300)
		return;
	print_error("%s is %.17g, expected %.17g within %g\n", text, actual, expected, relative_tolerance);
	_fail(file, line);
}

void assert_contains_at(const char *text, const char *part, const char *file, int line)
{
	if (text && strstr(text, part))
		return;
	print_error("\"%s\" does not contain \"%s\"\n", text ? text : "(null)", part);
	_fail(file, line);
}
