/* Reads the script in FAKE_GPU. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_gpu.h"

enum { POINTS_MAX = 16 };

/* The number of calls that have passed each point. */
static struct point {
	char name[32];
	int passed;
} points[POINTS_MAX];
static int lost; /* every call returns this code once the device is lost */

FAKE_EXPORT bool fake_text(const char *key, char *out, size_t size)
{
	const char *at = getenv("FAKE_GPU");
	size_t length = strlen(key);

	for (; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : "")
		if (!strncmp(at, key, length) && at[length] == '=') {
			snprintf(out, size, "%.*s", (int)strcspn(at + length + 1, ","), at + length + 1);
			return true;
		}
	return false;
}

FAKE_EXPORT double fake_number(const char *key, double otherwise)
{
	char text[64];

	return fake_text(key, text, sizeof(text)) ? strtod(text, NULL) : otherwise;
}

static int times_passed(const char *point)
{
	for (int i = 0; i < POINTS_MAX; i++) {
		if (!points[i].name[0])
			snprintf(points[i].name, sizeof(points[i].name), "%s", point);
		if (!strcmp(points[i].name, point))
			return ++points[i].passed;
	}
	abort();
}

/* Returns the number before '@' once the point was passed as often as the number after '@' says; else 0. */
static int due(const char *what, const char *point, int passed)
{
	char key[48], text[32];
	const char *when;

	snprintf(key, sizeof(key), "%s_%s", what, point);
	if (!fake_text(key, text, sizeof(text)))
		return 0;
	when = strchr(text, '@');
	return passed >= (when ? (int)strtol(when + 1, NULL, 10) : 1) ? (int)strtol(text, NULL, 10) : 0;
}

FAKE_EXPORT int fake_fault(const char *point)
{
	int passed = times_passed(point), code;

	if (due("hang", point, passed))
		for (;;)
			pause();
	code = due("crash", point, passed);
	if (code) {
		signal(code, SIG_DFL);
		raise(code);
	}
	if (lost)
		return lost;
	code = due("fail", point, passed);
	if (code >= 700)
		lost = code;
	return code;
}
