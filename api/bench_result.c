#include "api/bench_result.h"

#include <jansson.h>
#include <stdlib.h>

#include "schema/json_tree.h"

struct result_reader {
	struct bench_result *result;
	struct arena *arena;
	struct failure *failure;
};

static void no_memory(struct result_reader *reader)
{
	(void)failure_set(reader->failure, STATUS_NO_MEMORY, "no memory to read a result");
}

static const char *read_text(struct result_reader *reader, const json_t *root, const char *key)
{
	const json_t *value = json_object_get(root, key);
	const char *text = NULL;

	if (value && !json_is_string(value))
		(void)failure_set(reader->failure, STATUS_INVALID, "its %s is not text", key);
	else if (value && !(text = arena_strndup(reader->arena, json_string_value(value), json_string_length(value))))
		no_memory(reader);
	return text;
}

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* Returns the position after a text that begins at its quotation mark. */
static const char *skip_text(const char *at)
{
	for (at += *at != '\0'; *at && *at != '"'; at++)
		at += *at == '\\' && at[1];
	return *at ? at + 1 : at;
}

static const char *skip_value(const char *at)
{
	size_t depth = 0;

	while (*at && (depth > 0 || !strchr(",}] \t\r\n", *at))) {
		if (*at == '"') {
			at = skip_text(at);
			continue;
		}
		depth += *at == '{' || *at == '[';
		depth -= *at == '}' || *at == ']';
		at++;
	}
	return at;
}

/* Stores the text of an object, unchanged. */
static void take_line(struct result_reader *reader, const json_t *value, const char *start)
{
	struct bench_result *result = reader->result;
	struct json_text *line = &result->lines[result->line_count];

	if (!json_is_string(json_object_get(value, "type")))
		return;
	if (result->line_count == BENCH_RESULT_LINES_MAX) {
		(void)failure_set(reader->failure, STATUS_INVALID, "it has more than %d lines", BENCH_RESULT_LINES_MAX);
		return;
	}
	line->length = (size_t)(skip_value(start) - start);
	line->text = arena_strndup(reader->arena, start, line->length);
	if (line->text)
		result->line_count++;
	else
		no_memory(reader);
}

static const char *after(const char *at, char mark)
{
	at = skip_space(at);
	return skip_space(*at == mark ? at + 1 : at);
}

/* Walks the tree and its text together, from the first member on: jansson keeps the order of both. */
static void read_lines(struct result_reader *reader, const json_t *root, const char *members)
{
	const char *key, *at = members;
	json_t *value;

	json_object_foreach ((json_t *)root, key, value) {
		const char *element;

		at = element = after(skip_text(after(at, ',')), ':');
		take_line(reader, value, at);
		for (size_t i = 0; i < json_array_size(value); i++) {
			element = after(element, i ? ',' : '[');
			take_line(reader, json_array_get(value, i), element);
			element = skip_value(element);
		}
		at = skip_value(at);
	}
}

enum status bench_result_read(const char *text, size_t length, struct arena *arena, struct bench_result *result, struct failure *failure)
{
	struct result_reader reader = {result, arena, failure};
	bool out_of_memory;
	json_t *root = json_tree_read(text, length, JSON_REJECT_DUPLICATES, NULL, &out_of_memory);
	const json_t *elapsed;

	failure_clear(failure);
	*result = (struct bench_result){.elapsed_s = ABSENT_NUMBER, .lines = arena_alloc(arena, BENCH_RESULT_LINES_MAX, sizeof *result->lines)};
	if (out_of_memory || !result->lines) {
		no_memory(&reader);
	} else if (!json_is_object(root) || memchr(text, '\0', length)) { /* jansson ignores a NUL after a number */
		(void)failure_set(failure, STATUS_INVALID, "it is not a JSON object");
	} else {
		result->end = read_text(&reader, root, "end");
		result->detail = read_text(&reader, root, "detail");
		result->worker_version = read_text(&reader, root, "worker_version");
		result->log = read_text(&reader, root, "log");
		elapsed = json_object_get(root, "elapsed_s");
		if (json_is_number(elapsed) && json_number_value(elapsed) >= 0)
			result->elapsed_s = json_number_value(elapsed);
		read_lines(&reader, root, after(text, '{'));
		if (failure->status == STATUS_OK && !result->end)
			(void)failure_set(failure, STATUS_INVALID, "it does not say how the worker ended (`end`)");
	}
	json_decref(root);
	return failure->status;
}

bool bench_result_span(const char *body, const char *key, const char **start, size_t *length)
{
	const char *at = skip_space(body), *name, *end;
	size_t key_length = strlen(key);
	bool found;

	if (*at != '{')
		return false;
	for (at = skip_space(at + 1); *at == '"'; at = skip_space(at + 1)) {
		name = at + 1;
		end = skip_text(at);
		found = (size_t)(end - name) == key_length + 1 && strncmp(name, key, key_length) == 0;
		at = skip_space(end);
		if (*at != ':')
			return false;
		at = skip_space(at + 1);
		end = skip_value(at);
		if (found) {
			*start = at;
			*length = (size_t)(end - at);
			return true;
		}
		at = skip_space(end);
		if (*at != ',')
			return false;
	}
	return false;
}
