#include "support/golden.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/assert.h"

enum { GOLDEN_VALUES_MAX = 40, GOLDEN_LINE_MAX = 1024 };

struct golden_value {
	char key[64], text[128];
};

struct golden_case {
	char name[256], equation[64];
	double tolerance;
	size_t given_count, expect_count;
	struct golden_value given[GOLDEN_VALUES_MAX], expect[GOLDEN_VALUES_MAX];
};

static const struct golden_value *golden_find(const struct golden_case *golden, const char *key)
{
	for (size_t i = 0; i < golden->given_count; i++)
		if (strcmp(golden->given[i].key, key) == 0)
			return &golden->given[i];
	return NULL;
}

const char *golden_word_or(const struct golden_case *golden, const char *key, const char *otherwise)
{
	const struct golden_value *value = golden_find(golden, key);

	return value ? value->text : otherwise;
}

const char *golden_word(const struct golden_case *golden, const char *key)
{
	const char *word = golden_word_or(golden, key, NULL);

	if (!word)
		fail_msg("case \"%s\" lacks a given \"%s\"", golden->name, key);
	return word;
}

double golden_number_or(const struct golden_case *golden, const char *key, double otherwise)
{
	const struct golden_value *value = golden_find(golden, key);

	return value ? strtod(value->text, NULL) : otherwise;
}

double golden_number(const struct golden_case *golden, const char *key)
{
	return strtod(golden_word(golden, key), NULL);
}

static void golden_values(struct golden_case *golden, const char *text, struct golden_value *values, size_t *count)
{
	char key[64], word[128];
	int used;

	while (sscanf(text, " %63[^= ]=%127s%n", key, word, &used) == 2) {
		if (*count == GOLDEN_VALUES_MAX)
			fail_msg("case \"%s\" has too many values", golden->name);
		snprintf(values[*count].key, sizeof values->key, "%s", key);
		snprintf(values[(*count)++].text, sizeof values->text, "%s", word);
		text += used;
	}
	if (text[strspn(text, " \t\r\n")])
		fail_msg("case \"%s\": cannot read \"%s\"", golden->name, text);
}

/* Compares every expected value; returns how many differ. */
static int golden_check(const struct golden_case *golden, const struct golden_row *rows, size_t row_count)
{
	golden_function *function = NULL;
	int bad = 0;

	for (size_t i = 0; i < row_count; i++)
		if (strcmp(rows[i].equation, golden->equation) == 0)
			function = rows[i].function;
	if (!function || golden->expect_count == 0) {
		print_error("case \"%s\": no such equation \"%s\", or nothing expected\n", golden->name, golden->equation);
		return 1;
	}
	for (size_t i = 0; i < golden->expect_count; i++) {
		double expected = strtod(golden->expect[i].text, NULL);
		double actual = function(golden, golden->expect[i].key);

		if (fabs(actual - expected) <= golden->tolerance * fabs(expected) + 1e-300)
			continue;
		print_error("case \"%s\": %s is %.12g, expected %.12g within %g\n", golden->name, golden->expect[i].key, actual, expected,
			golden->tolerance);
		bad++;
	}
	return bad;
}

/* Reads one line of a block into the case. Returns false for an unknown word. */
static bool golden_line(struct golden_case *golden, const char *line)
{
	const char *colon = strchr(line, ':'), *value = colon ? colon + 1 + strspn(colon + 1, " ") : NULL;
	size_t length = colon ? (size_t)(colon - line) : 0;

	if (!colon)
		return false;
	if (strncmp(line, "case", length) == 0)
		snprintf(golden->name, sizeof golden->name, "%s", value);
	else if (strncmp(line, "source", length) == 0)
		return *value != '\0';
	else if (strncmp(line, "equation", length) == 0)
		snprintf(golden->equation, sizeof golden->equation, "%s", value);
	else if (strncmp(line, "given", length) == 0)
		golden_values(golden, value, golden->given, &golden->given_count);
	else if (strncmp(line, "expect", length) == 0)
		golden_values(golden, value, golden->expect, &golden->expect_count);
	else if (strncmp(line, "tolerance", length) == 0)
		golden->tolerance = strncmp(value, "exact", 5) == 0 ? 1e-12 : strtod(value, NULL);
	else
		return false;
	return true;
}

void golden_run(const char *path, const struct golden_row *rows, size_t row_count, size_t least)
{
	static _Thread_local struct golden_case golden;
	char line[GOLDEN_LINE_MAX];
	FILE *file = fopen(path, "r");
	size_t cases = 0;
	int bad = 0;

	if (!file)
		fail_msg("cannot open %s: run the tests from the repository's root", path);
	memset(&golden, 0, sizeof golden);
	for (bool more = true; more;) {
		more = fgets(line, sizeof line, file) != NULL;
		if (more)
			line[strcspn(line, "\r\n")] = '\0';
		if (more && line[0] == '#')
			continue;
		if (more && line[0]) {
			if (!golden_line(&golden, line))
				fail_msg("%s: cannot read line \"%s\"", path, line);
			continue;
		}
		if (golden.name[0]) {
			bad += golden_check(&golden, rows, row_count);
			cases++;
		}
		memset(&golden, 0, sizeof golden);
	}
	fclose(file);
	if (cases < least)
		fail_msg("%s has %zu cases, at least %zu expected", path, cases, least);
	if (bad)
		fail_msg("%s: %d values differ", path, bad);
}
