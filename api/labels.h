/* Labels as stored: one JSON object of texts. */
#ifndef FLEETPLAN_API_LABELS_H
#define FLEETPLAN_API_LABELS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/failure.h"

struct json_text;

/* Whether a label with this name exists, and whether it has this value. */
struct label_found {
	bool is_there, is_equal;
};
struct label_found api_label_find(const struct json_text *labels, const char *key, const char *value);

/* Adds a label that does not exist yet; the text is in the arena. Error: STATUS_NO_MEMORY. */
FALLIBLE enum status api_label_add(struct json_text *labels, const char *key, const char *value, struct arena *arena);

#endif
