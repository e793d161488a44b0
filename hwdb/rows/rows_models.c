/* Readers of models and aliases, the lists that are not plain figures. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "hwdb/rows/rows_text.h"
#include "schema/csv_table.h"
#include "schema/json_tree.h"

static enum status refuse(const struct rows_source *source, size_t line, struct failure *failure, const char *what)
{
	return failure_set(failure, STATUS_INVALID, "%s, line %zu: %s", source->name, line, what);
}

static const char *text_of(struct arena *arena, const json_t *object, const char *key, bool *no_memory)
{
	const char *text = json_string_value(json_object_get(object, key)), *copy = arena_strdup(arena, text);

	*no_memory |= text && !copy;
	return copy;
}

static double number_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : ABSENT_NUMBER;
}

static void read_config(struct arena *arena, const json_t *object, struct json_text *config, bool *no_memory)
{
	json_t *value = json_object_get(object, "config");
	char *text;

	*config = (struct json_text){0};
	if (!value || json_is_null(value))
		return;
	text = json_tree_text(value);
	config->text = arena_strdup(arena, text);
	config->length = text ? strlen(text) : 0;
	free(text);
	*no_memory |= !config->text;
}

static void read_model(struct arena *arena, const json_t *object, const char *origin, struct model_row *row, bool *no_memory)
{
	*row = (struct model_row){.meta.origin = origin,
		.meta.source = text_of(arena, object, "source", no_memory),
		.meta.source_date = text_of(arena, object, "source_date", no_memory),
		.id = text_of(arena, object, "id", no_memory),
		.repo = text_of(arena, object, "repo", no_memory),
		.params_total = number_of(object, "params_total"),
		.params_active = number_of(object, "params_active")};
	read_config(arena, object, &row->config, no_memory);
}

enum status rows_text_models(const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure)
{
	const char *at = source->text, *end = source->text + source->length;
	size_t line = 0, lines = 1;

	for (const char *scan = at; scan < end; scan++)
		lines += *scan == '\n';
	rows->model_count = 0;
	rows->models = ARENA_ARRAY(arena, struct model_row, lines);
	if (!rows->models)
		return failure_set(failure, STATUS_NO_MEMORY, "%s is too large", source->name);
	while (at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((line_end ? line_end : end) - at);

		line++;
		if (length > 0) {
			bool no_memory;
			json_t *object = json_tree_read(at, length, JSON_REJECT_DUPLICATES, NULL, &no_memory);
			struct model_row *row = &rows->models[rows->model_count];

			if (json_is_object(object))
				read_model(arena, object, source->origin, row, &no_memory);
			json_decref(object);
			if (no_memory)
				return failure_set(failure, STATUS_NO_MEMORY, "no memory to read %s", source->name);
			if (!row->id)
				return refuse(source, line, failure, "the line must be an object with an id");
			rows->model_count++;
		}
		at = line_end ? line_end + 1 : end;
	}
	return STATUS_OK;
}

static enum status append_alias(struct arena *arena, struct text_list *aliases, const char *alias, struct failure *failure)
{
	const char **items = ARENA_ARRAY(arena, const char *, aliases->count + 1);

	if (!items)
		return failure_set(failure, STATUS_NO_MEMORY, "too many aliases");
	if (aliases->count > 0)
		memcpy(items, aliases->items, aliases->count * sizeof *items);
	items[aliases->count] = alias;
	*aliases = (struct text_list){items, aliases->count + 1};
	return STATUS_OK;
}

/* Returns the list of aliases of the row with this kind and id; NULL when there is no such row. */
static struct text_list *aliases_of(struct catalogue_rows *rows, const char *kind, const char *id)
{
	if (strcmp(kind, "accelerator") == 0)
		for (size_t i = 0; i < rows->accelerator_count; i++)
			if (strcmp(rows->accelerators[i].accelerator.id, id) == 0)
				return &rows->accelerators[i].aliases;
	if (strcmp(kind, "model") == 0)
		for (size_t i = 0; i < rows->model_count; i++)
			if (strcmp(rows->models[i].id, id) == 0)
				return &rows->models[i].aliases;
	return NULL;
}

enum status rows_text_aliases(const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure)
{
	struct csv csv;
	enum status status = csv_begin(&csv, source->name, source->text, source->length, arena, failure);

	if (status != STATUS_OK)
		return status;
	if (csv.column_count != 3 || strcmp(csv.columns[0], "kind") != 0 || strcmp(csv.columns[1], "alias") != 0 ||
		strcmp(csv.columns[2], "id") != 0)
		return refuse(source, 1, failure, "the columns must be kind, alias, id");
	while (status == STATUS_OK && csv_next(&csv)) {
		struct text_list *aliases = aliases_of(rows, csv.fields[0], csv.fields[2]);

		if (!aliases)
			return refuse(source, csv.record_line, failure, "no row has this kind and id");
		status = append_alias(arena, aliases, csv.fields[1], failure);
	}
	return status;
}

const char *catalogue_library_version(void)
{
	return jansson_version_str();
}
