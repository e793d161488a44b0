/* JSON text into a jansson tree and back, whole or not at all.
 *
 * jansson 2.14 itself answers a lack of memory in the middle of a string with a tree that lacks a character, elsewhere
 * with "invalid token" or an error that says nothing, and writes an object without one of its keys.
 *
 * The first call sets jansson's allocator to one that notes a failure for its thread; it stands before any other thread
 * reads JSON, as every program begins by reading its catalogue. The tree is the caller's, for json_decref. */
#ifndef FLEETPLAN_SCHEMA_JSON_TREE_H
#define FLEETPLAN_SCHEMA_JSON_TREE_H

#include <jansson.h>
#include <stdbool.h>

/* As json_loadb; NULL with *no_memory true when any allocation failed, else *no_memory is false. `error` may be NULL. */
json_t *json_tree_read(const char *text, size_t length, size_t flags, json_error_t *error, bool *no_memory);

/* Compact text, which the caller frees with free(); NULL without memory. */
char *json_tree_text(const json_t *tree);

#endif
