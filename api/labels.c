#include "api/labels.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "hwdb/catalogue/records.h"

static json_t *tree_of(const struct json_text *labels)
{
	return labels->text ? json_loadb(labels->text, labels->length, 0, NULL) : NULL;
}

struct label_found api_label_find(const struct json_text *labels, const char *key, const char *value)
{
	json_t *tree = tree_of(labels);
	const char *held = json_string_value(json_object_get(tree, key));
	struct label_found found = {.is_there = held != NULL, .is_equal = held && strcmp(held, value) == 0};

	json_decref(tree);
	return found;
}

enum status api_label_add(struct json_text *labels, const char *key, const char *value, struct arena *arena)
{
	json_t *tree = labels->text ? tree_of(labels) : json_object();
	char *text = tree && json_object_set_new(tree, key, json_string(value)) == 0 ? json_dumps(tree, JSON_COMPACT) : NULL;

	json_decref(tree);
	labels->length = text ? strlen(text) : 0;
	labels->text = text ? arena_strndup(arena, text, labels->length) : NULL;
	free(text);
	return labels->text ? STATUS_OK : STATUS_NO_MEMORY;
}
