#include "schema/json_tree.h"

#include <pthread.h>
#include <stdlib.h>

static _Thread_local bool ran_out;

static void *tree_allocate(size_t size)
{
	void *memory = malloc(size);

	ran_out |= !memory;
	return memory;
}

static void tree_watch(void)
{
	json_set_alloc_funcs(tree_allocate, free);
}

static void tree_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, tree_watch);
	ran_out = false;
}

json_t *json_tree_read(const char *text, size_t length, size_t flags, json_error_t *error, bool *no_memory)
{
	json_t *tree;

	tree_begin();
	tree = json_loadb(text, length, flags, error);
	*no_memory = ran_out;
	if (!ran_out)
		return tree;
	json_decref(tree);
	return NULL;
}

char *json_tree_text(const json_t *tree)
{
	char *text;

	tree_begin();
	text = json_dumps(tree, JSON_COMPACT);
	if (!ran_out)
		return text;
	free(text);
	return NULL;
}
