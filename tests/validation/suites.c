#include "validation/suites.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validation/product.h"

enum { LINE_MAX_BYTES = 1 << 16, SUITES_LISTED_MAX = 128, PATH_MAX_BYTES = 4096 };

static struct suite suites[SUITES_LISTED_MAX];
static size_t suite_count;

static const char *const role_names[SUITE_ROLE_COUNT] = {"shown", "fitted", "anchor"};

const char *suite_role_name(enum suite_role role)
{
	return role_names[role];
}

static enum suite_role role_named(const char *name, const char *suite)
{
	for (int role = 0; role < SUITE_ROLE_COUNT; role++)
		if (strcmp(role_names[role], name) == 0)
			return (enum suite_role)role;
	product_stop("suites.csv: a role must be shown, fitted or anchor", suite);
}

/* Reads a line `suite,role,reason`. The reason is the rest of the line and may contain commas. */
static void suite_read(const char *line, void *context)
{
	char *name = arena_strdup(product_arena(), line), *role, *reason;

	(void)context;
	CHECK(name);
	name[strcspn(name, "\r\n")] = '\0';
	role = strchr(name, ',');
	reason = role ? strchr(role + 1, ',') : NULL;
	if (!reason)
		product_stop("suites.csv: a line must be suite,role,reason", line);
	*role++ = *reason++ = '\0';
	if (strcmp(name, "suite") == 0)
		return;
	if (suite_count == SUITES_LISTED_MAX)
		product_stop("suites.csv: too many suites", name);
	suites[suite_count++] = (struct suite){.name = name, .reason = reason, .role = role_named(role, name)};
}

void suites_load(const char *folder)
{
	suite_count = 0;
	suites_read_lines(folder, "suites.csv", suite_read, NULL);
}

enum suite_role suite_role_of(const char *name)
{
	for (size_t i = 0; i < suite_count; i++)
		if (strcmp(suites[i].name, name) == 0)
			return suites[i].role;
	return SUITE_SHOWN;
}

const struct suite *suites_all(size_t *count)
{
	*count = suite_count;
	return suites;
}

void suites_read_lines(const char *folder, const char *pattern, void (*read)(const char *line, void *context), void *context)
{
	static char line[LINE_MAX_BYTES];
	char path[PATH_MAX_BYTES];
	glob_t found;

	snprintf(path, sizeof path, "%s/%s", folder, pattern);
	if (glob(path, 0, NULL, &found) != 0)
		product_stop("no such file", path);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *file = fopen(found.gl_pathv[i], "r");

		if (!file)
			product_stop("cannot be read", found.gl_pathv[i]);
		while (fgets(line, sizeof line, file)) {
			if (!strchr(line, '\n') && !feof(file))
				product_stop("a line is too long", found.gl_pathv[i]);
			read(line, context);
		}
		fclose(file);
	}
	globfree(&found);
}
