#include "service/answer_parts.h"

#include <string.h>

/* By the number of the part's bit. */
static const char *const part_words[] = {"alternatives", "front", "provenance", "inputs", "sensitivity", "advice", "assumptions", "search",
	"reservations", "stages", "batch", "compute_optimal", "confidence", "autoscaling", "details"};
_Static_assert(COUNT_OF(part_words) == PART_COUNT, "each part has a word");

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

static bool parts_of_word(const char *text, size_t length, unsigned *parts)
{
	if (is_word(text, length, "all"))
		*parts |= PARTS_ALL;
	else if (!is_word(text, length, "none")) {
		size_t i = 0;

		while (i < PART_COUNT && !is_word(text, length, part_words[i]))
			i++;
		if (i == PART_COUNT)
			return false;
		*parts |= 1u << i;
	}
	return true;
}

enum status answer_parts_read(const char *expand, unsigned otherwise, unsigned *omitted, struct failure *failure)
{
	static const char blanks[] = " \t", ends[] = ", \t";
	unsigned parts = 0;

	*omitted = otherwise;
	if (!expand)
		return STATUS_OK;
	for (const char *at = expand;;) {
		size_t length;

		at += strspn(at, blanks);
		length = strcspn(at, ends);
		if (!parts_of_word(at, length, &parts)) {
			failure_add(failure, "/expand", "bad_choice",
				"\"%.*s\" is not a part of an answer: give words of alternatives, front, provenance, inputs, sensitivity, advice, assumptions, search, "
				"reservations, stages, batch, compute_optimal, confidence, autoscaling and details, separated by commas, or all or none",
				(int)(length < 40 ? length : 40), at);
			return STATUS_INVALID;
		}
		at += length;
		at += strspn(at, blanks);
		if (*at == '\0')
			break;
		at += *at == ',';
	}
	*omitted = PARTS_ALL & ~parts;
	return STATUS_OK;
}
