#include "api/labels.h"

#include <stdlib.h>
#include <string.h>

#include "hwdb/catalogue/records.h"
#include "schema/json_tree.h"

/* Returns no tree for absent labels. */
static enum status tree_of(const struct json_text *labels, json_t **tree)
{
	bool no_memory = false;

	*tree = labels->text ? json_tree_read(labels->text, labels->length, 0, NULL, &no_memory) : NULL;
	return no_memory ? STATUS_NO_MEMORY : STATUS_OK;
}

enum status api_label_find(const struct json_text *labels, const char *key, const char *value, struct label_found *found)
{
	json_t *tree;
	enum status status = tree_of(labels, &tree);
	const char *held = json_string_value(json_object_get(tree, key));

	*found = (struct label_found){.is_there = held != NULL, .is_equal = held && strcmp(held, value) == 0};
	json_decref(tree);
	return status;
}

enum status api_label_add(struct json_text *labels, const char *key, const char *value, struct arena *arena)
{
	json_t *tree;
	enum status status = tree_of(labels, &tree);
	char *text;

	if (status == STATUS_OK && !tree)
		tree = json_object();
	text = tree && json_object_set_new(tree, key, json_string(value)) == 0 ? json_tree_text(tree) : NULL;
	json_decref(tree);
	labels->length = text ? strlen(text) : 0;
	labels->text = text ? arena_strndup(arena, text, labels->length) : NULL;
	free(text);
	return labels->text ? STATUS_OK : STATUS_NO_MEMORY;
}
