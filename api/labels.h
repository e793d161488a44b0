/* Labels as stored: one JSON object of texts. */
#ifndef FLEETPLAN_API_LABELS_H
#define FLEETPLAN_API_LABELS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/failure.h"

struct json_text;

/* Whether a label with this name exists, and whether it has this value. Error: STATUS_NO_MEMORY. */
struct label_found {
	bool is_there, is_equal;
};
FALLIBLE enum status api_label_find(const struct json_text *labels, const char *key, const char *value, struct label_found *found);

/* Adds a label that does not exist yet; the text is in the arena. Error: STATUS_NO_MEMORY. */
FALLIBLE enum status api_label_add(struct json_text *labels, const char *key, const char *value, struct arena *arena);

#endif
