#include "hwdb/feeds/feed_json.h"

#include "schema/json_tree.h"

enum status feed_json_read(const struct feed_walk *walk, const char *text, size_t length, json_t **tree, struct failure *failure)
{
	json_error_t error;
	bool no_memory;

	*tree = json_tree_read(text, length, JSON_REJECT_DUPLICATES, &error, &no_memory);
	if (!*tree && no_memory)
		return failure_set(failure, STATUS_NO_MEMORY, "%s: no memory for an answer", walk->feed->name);
	if (!*tree)
		return feed_unreadable(walk, failure, "the answer is not JSON: line %d, column %d: %s", error.line, error.column, error.text);
	if (json_is_object(*tree))
		return STATUS_OK;
	json_decref(*tree);
	*tree = NULL;
	return feed_unreadable(walk, failure, "the answer is not a JSON object");
}

const char *feed_json_text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

double feed_json_number(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_number(value) && isfinite(json_number_value(value)) ? json_number_value(value) : ABSENT_NUMBER;
}

double feed_json_figure(const json_t *object, const char *name)
{
	const char *text = feed_json_text(object, name);
	double value;

	return text && feed_number_read(text, &value) ? value : feed_json_number(object, name);
}

const json_t *feed_json_list(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_array(value) ? value : NULL;
}

const json_t *feed_json_object(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_object(value) ? value : NULL;
}
