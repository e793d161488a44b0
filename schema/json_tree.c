#include "schema/json_tree.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local bool reading, ran_out;

/* After one failure all fail, while a tree is read. Without this, jansson loses the closing quote of a string whose
 * buffer did not grow, gets the memory for the string itself, and copies beyond both (lex_scan_string). */
static void *tree_allocate(size_t size)
{
	void *memory = reading && ran_out ? NULL : malloc(size);

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

/* Returns the length of the longest string, with its quotes, or number or word. */
static size_t longest_token(const char *text, size_t length)
{
	size_t longest = 0, began = 0;
	bool inside = false;

	for (size_t i = 0; i < length; i++) {
		if (inside && text[i] == '\\') {
			i++;
			continue;
		}
		if (text[i] == '"')
			inside = !inside;
		else if (inside || !strchr(" \t\r\n,:[]{}", text[i]))
			continue;
		if (i + 1 - began > longest)
			longest = i + 1 - began;
		began = inside ? i : i + 1;
	}
	return length - began > longest ? length - began : longest;
}

/* Reads `["xxx", TEXT]`, whose first string is longer than any token of the text. jansson keeps the buffer of a token for
 * the next one. If that buffer cannot grow in a number, jansson aborts the process (lex_unget_unsave). In a string
 * without escapes it only lacks characters, and tree_allocate() makes the rest fail. */
static json_t *read_behind_a_long_string(const char *text, size_t length, size_t longest, size_t flags, json_error_t *error)
{
	size_t head = longest + 4, total = head + length + 1;
	char *copy = tree_allocate(total);
	json_t *list, *tree = NULL;

	if (!copy)
		return NULL;
	memset(copy, 'x', head);
	copy[0] = '[';
	copy[1] = copy[head - 2] = '"';
	copy[head - 1] = ',';
	memcpy(copy + head, text, length);
	copy[total - 1] = ']';
	list = json_loadb(copy, total, flags, error);
	if (error && error->line == 1)
		error->column -= (int)head;
	if (error)
		error->position -= (int)head;
	if (json_array_size(list) == 2)
		tree = json_incref(json_array_get(list, 1));
	else if (list && error)
		snprintf(error->text, sizeof error->text, "end of file expected near ','");
	json_decref(list);
	free(copy);
	if (tree && !(flags & JSON_DECODE_ANY) && !json_is_object(tree) && !json_is_array(tree)) {
		json_decref(tree);
		tree = NULL;
		if (error)
			snprintf(error->text, sizeof error->text, "'[' or '{' expected");
	}
	return tree;
}

json_t *json_tree_read(const char *text, size_t length, size_t flags, json_error_t *error, bool *no_memory)
{
	enum { TOKEN_FITS = 12 }; /* into the first buffer of a token, which has 16 bytes */
	size_t longest = longest_token(text, length);
	json_t *tree;

	tree_begin();
	reading = true;
	tree = longest > TOKEN_FITS ? read_behind_a_long_string(text, length, longest, flags, error) : json_loadb(text, length, flags, error);
	reading = false;
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
