/* Readers of members in JSON answers of feeds, by name. A member of another type counts as absent. Private to
 * hwdb/feeds. */
#ifndef FLEETPLAN_HWDB_FEEDS_FEED_JSON_H
#define FLEETPLAN_HWDB_FEEDS_FEED_JSON_H

#include <jansson.h>

#include "hwdb/feeds/feed.h"

/* Parses a whole answer, which must be an object, to a tree. The caller releases it with json_decref(). MALFORMED or
 * NO_MEMORY otherwise. */
FALLIBLE enum status feed_json_read(const struct feed_walk *walk, const char *text, size_t length, json_t **tree, struct failure *failure);

const char *feed_json_text(const json_t *object, const char *name);     /* NULL: none */
double feed_json_number(const json_t *object, const char *name);        /* ABSENT_NUMBER: none, or not finite */
double feed_json_figure(const json_t *object, const char *name);        /* the same for a number that may be written as text */
const json_t *feed_json_list(const json_t *object, const char *name);   /* NULL: none */
const json_t *feed_json_object(const json_t *object, const char *name); /* NULL: none */

#endif
