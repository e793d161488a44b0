/* Labels as they are stored: one JSON object of texts. */
#ifndef FLEETPLAN_API_LABELS_H
#define FLEETPLAN_API_LABELS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/failure.h"

struct json_text;

/* Whether there is a label of that name; then also whether it has that value. */
struct label_found {
	bool is_there, is_equal;
};
struct label_found api_label_find(const struct json_text *labels, const char *key, const char *value);

/* Adds a label that is not there; the text is the arena's. STATUS_NO_MEMORY. */
FALLIBLE enum status api_label_add(struct json_text *labels, const char *key, const char *value, struct arena *arena);

#endif
