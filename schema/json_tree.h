/* Converts JSON text to a jansson tree and back. Without memory these functions return NULL.
 *
 * jansson 2.14 itself returns wrong results without memory: a tree in which a string lacks a character, the error
 * "invalid token" or an empty error, or the text of an object without one of its keys. In a string it writes beyond a
 * block, in a number it aborts the process; json_tree_read() prevents both.
 *
 * The first call sets jansson's allocator to one that records a failed allocation of its thread. It must come before
 * any other thread reads JSON; each program reads its catalogue first. The caller frees the tree with json_decref(). */
#ifndef FLEETPLAN_SCHEMA_JSON_TREE_H
#define FLEETPLAN_SCHEMA_JSON_TREE_H

#include <jansson.h>
#include <stdbool.h>

/* As json_loadb(), but NULL if any allocation failed; *no_memory says whether one did. `error` may be NULL. */
json_t *json_tree_read(const char *text, size_t length, size_t flags, json_error_t *error, bool *no_memory);

/* Returns compact text, which the caller frees with free(). NULL without memory. */
char *json_tree_text(const json_t *tree);

#endif
