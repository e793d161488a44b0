#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>

#include "base/status.h"


struct suffix {
	char letter;
	double factor;
};

/* A plain decimal number (digits, one dot, exponent), then at most one suffix letter of the table. strtod alone
 * would take hexadecimal, "inf" and "nan". */
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
	static const struct suffix suffixes[] = {
		{'K', 1e3}, {'M', 1e6}, {'B', 1e9}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}, {'E', 1e18}};

	return units_parse(text, suffixes, COUNT_OF(suffixes), value);
}

bool units_parse_hours(const char *text, double *hours)
{
	static const struct suffix suffixes[] = {
		{'S', 1.0 / 3600.0}, {'M', 1.0 / 60.0}, {'H', 1.0}, {'D', 24.0}, {'W', 168.0}};

	return units_parse(text, suffixes, COUNT_OF(suffixes), hours);
}
