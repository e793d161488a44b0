#include "base/spelling.h"

#include <ctype.h>

#include "base/status.h"

enum { SPELLING_LENGTH_MAX = 64, SPELLING_PART_LEAST = 3 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t spelling_distance(const char *a, const char *b)
{
	size_t rows[3][SPELLING_LENGTH_MAX + 1];
	size_t *before = rows[0], *last = rows[1], *row = rows[2];
	size_t m = least(strlen(a), SPELLING_LENGTH_MAX), n = least(strlen(b), SPELLING_LENGTH_MAX);

	memset(rows, 0, sizeof rows);
	for (size_t j = 0; j <= n; j++)
		last[j] = j;
	for (size_t i = 1; i <= m; i++) {
		size_t *oldest = before;
		int ca = tolower((unsigned char)a[i - 1]);

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			int cb = tolower((unsigned char)b[j - 1]);

			row[j] = least(least(last[j] + 1, row[j - 1] + 1), last[j - 1] + (ca != cb));
			if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) && cb == tolower((unsigned char)a[i - 2]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
		before = last;
		last = row;
		row = oldest;
	}
	return last[n];
}

void spelling_init(struct spelling *spelling, const char *wanted)
{
	*spelling = (struct spelling){.wanted = wanted};
}

void spelling_offer(struct spelling *spelling, const char *name)
{
	size_t wanted_length = strlen(spelling->wanted), name_length = strlen(name), at;
	size_t longer = least(wanted_length > name_length ? wanted_length : name_length, SPELLING_LENGTH_MAX);
	size_t distance = spelling_distance(spelling->wanted, name);

	if (wanted_length >= SPELLING_PART_LEAST && strcasestr(name, spelling->wanted))
		distance = least(distance, 1);
	if (distance > 1 + longer / 4)
		return;
	for (at = spelling->count; at > 0 && distance < spelling->distance[at - 1]; at--)
		;
	if (at == SPELLING_NEAREST_MAX)
		return;
	if (spelling->count < SPELLING_NEAREST_MAX)
		spelling->count++;
	for (size_t i = spelling->count - 1; i > at; i--) {
		spelling->nearest[i] = spelling->nearest[i - 1];
		spelling->distance[i] = spelling->distance[i - 1];
	}
	spelling->nearest[at] = name;
	spelling->distance[at] = distance;
}

void spelling_list(const struct spelling *spelling, char *out, size_t size)
{
	size_t length = 0;

	out[0] = '\0';
	for (size_t i = 0; i < spelling->count && length < size; i++) {
		const char *separator = i == 0 ? "" : i + 1 == spelling->count ? " or " : ", ";
		int added = snprintf(out + length, size - length, "%s%s", separator, spelling->nearest[i]);

		length += added > 0 ? (size_t)added : 0;
	}
}
