#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

struct suffix {
	char letter;
	double factor;
};

/* Reads a decimal number (digits, one dot, exponent) and at most one suffix letter of the table. strtod alone
 * would accept hexadecimal, "inf" and "nan". */
static bool units_parse(const char *text, const struct suffix *suffixes, size_t count, double *value)
{
	char *end;

	if (!isdigit((unsigned char)text[0]) || (text[0] == '0' && tolower((unsigned char)text[1]) == 'x'))
		return false;
	*value = strtod(text, &end);
	if (!isfinite(*value))
		return false;
	if (*end == '\0')
		return true;
	for (size_t i = 0; i < count; i++) {
		if (toupper((unsigned char)*end) == suffixes[i].letter && end[1] == '\0') {
			*value *= suffixes[i].factor;
			return isfinite(*value);
		}
	}
	return false;
}

bool units_parse_count(const char *text, double *value)
{
	static const struct suffix suffixes[] = {{'K', 1e3}, {'M', 1e6}, {'B', 1e9}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}, {'E', 1e18}};

	return units_parse(text, suffixes, COUNT_OF(suffixes), value);
}

bool units_parse_time(const char *text, double unit_s, double *value)
{
	static const struct suffix suffixes[] = {{'S', 1}, {'M', 60}, {'H', 3600}, {'D', 86400}, {'W', 604800}};
	size_t length = strlen(text);
	char seconds[64];

	if (length > 2 && length < sizeof seconds && tolower((unsigned char)text[length - 2]) == 'm' &&
		tolower((unsigned char)text[length - 1]) == 's') {
		snprintf(seconds, sizeof seconds, "%.*s", (int)(length - 2), text);
		if (!isdigit((unsigned char)text[length - 3]) && text[length - 3] != '.')
			return false;
		if (!units_parse(seconds, NULL, 0, value))
			return false;
		*value /= 1000 * unit_s;
		return true;
	}
	if (!units_parse(text, suffixes, COUNT_OF(suffixes), value))
		return false;
	if (isalpha((unsigned char)text[length - 1]))
		*value /= unit_s;
	return true;
}
