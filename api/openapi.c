#include "api/openapi.h"

#include "api/openapi_parts.h"
#include "api/routes.h"

/* NOLINTBEGIN(misc-no-recursion): recursion is as deep as tables nest, which a test bounds. */

/* --- tables that the routes use ------------------------------------------------------------------------------------ */
enum { OPENAPI_TABLES_MAX = 200 };

struct openapi_tables {
	size_t count;
	struct {
		const struct field_table *table;
		enum schema_use use;
	} items[OPENAPI_TABLES_MAX];
};

static void openapi_collect(struct openapi_tables *tables, const struct field_table *table, enum schema_use use);

static void openapi_collect_rows(struct openapi_tables *tables, const struct field_table *table, enum schema_use use)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];

		if (row->kind == FIELD_MERGE)
			openapi_collect_rows(tables, row->table, use);
		else if (row->table && !field_table_is_bare(row->table))
			openapi_collect(tables, row->table, row->flags & READ_ONLY ? SCHEMA_ANSWER : use);
	}
}

/* A table of both requests and answers is described as a request; a patch has its own description. */
static void openapi_collect(struct openapi_tables *tables, const struct field_table *table, enum schema_use use)
{
	for (size_t i = 0; i < tables->count; i++) {
		if (tables->items[i].table != table || (tables->items[i].use == SCHEMA_PATCH) != (use == SCHEMA_PATCH))
			continue;
		if (tables->items[i].use == use || use == SCHEMA_ANSWER)
			return;
		tables->items[i].use = use;
		openapi_collect_rows(tables, table, use);
		return;
	}
	CHECK(tables->count < OPENAPI_TABLES_MAX);
	tables->items[tables->count].table = table;
	tables->items[tables->count++].use = use;
	openapi_collect_rows(tables, table, use == SCHEMA_PATCH ? SCHEMA_REQUEST : use);
}

static void openapi_collect_all(struct openapi_tables *tables)
{
	tables->count = 0;
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		if (routes[i].request)
			openapi_collect(tables, routes[i].request, openapi_request_use(&routes[i]));
		if (routes[i].response)
			openapi_collect(tables, routes[i].response, SCHEMA_ANSWER);
	}
}

/* --- the document ---------------------------------------------------------------------------------------------- */
static void openapi_pair(struct schema_writer *writer, const char *key, const char *text)
{
	json_key(writer->json, key);
	json_string(writer->json, text);
}

static void openapi_info(struct schema_writer *writer)
{
	openapi_pair(writer, "openapi", writer->dialect == SCHEMA_OPENAPI_3_0 ? "3.0.3" : "3.1.0");
	json_key(writer->json, "info");
	json_begin_object(writer->json);
	openapi_pair(writer, "title", "Fleetplan");
	openapi_pair(writer, "version", FLEETPLAN_VERSION);
	if (writer->dialect == SCHEMA_OPENAPI_3_1)
		openapi_pair(writer, "summary", "The hardware that a model needs, for how long, and its cost in money, energy and carbon.");
	openapi_pair(writer, "description",
		"Plans the training and serving of models on accelerators. The name of every quantity ends in its unit. Large counts may have a suffix (`\"15.6T\"`, `\"70B\"`), and so may durations in `_hours` fields (`\"18h\"`, `\"30d\"`); answers have plain numbers. Unknown fields and duplicate keys are rejected. Errors are RFC 9457 problems, and list every fault of a request with its JSON pointer.");
	json_key(writer->json, "license");
	json_begin_object(writer->json);
	openapi_pair(writer, "name", "Apache License 2.0");
	if (writer->dialect == SCHEMA_OPENAPI_3_1)
		openapi_pair(writer, "identifier", "Apache-2.0");
	else
		openapi_pair(writer, "url", "https://www.apache.org/licenses/LICENSE-2.0");
	json_end_object(writer->json);
	json_end_object(writer->json);
	json_key(writer->json, "servers");
	json_begin_array(writer->json);
	json_begin_object(writer->json);
	openapi_pair(writer, "url", "/");
	openapi_pair(writer, "description", "The daemon that serves this document");
	json_end_object(writer->json);
	json_end_array(writer->json);
}

static void openapi_tags(struct schema_writer *writer)
{
	static const struct {
		const char *name, *description;
	} tags[] = {{"Estimates", "Computed at once and not stored."}, {"Plans", "Computed and stored, with every revision."},
		{"Catalogue", "Accelerators, models, prices and regions, each row with its source."},
		{"Feeds", "Prices, grids and models from their publishers. Off unless configured; rows are checked before plans use them."},
		{"Imports", "Rows of the catalogue as files: import and export."},
		{"Jobs", "Requests that were answered 202 (`Prefer: respond-async`, `Prefer: wait=N`): progress, result, cancelling."},
		{"Benchmarks", "Measurements of attached accelerators, which correct plans."},
		{"Agents", "Machines that lease benchmarks for their devices. They need a key with the role `agent`."},
		{"Service", "Health, metrics, this description."}};

	json_key(writer->json, "tags");
	json_begin_array(writer->json);
	for (size_t i = 0; i < COUNT_OF(tags); i++) {
		json_begin_object(writer->json);
		openapi_pair(writer, "name", tags[i].name);
		openapi_pair(writer, "description", tags[i].description);
		json_end_object(writer->json);
	}
	json_end_array(writer->json);
}

/* Operations of one path are written together, at the place of the first. */
static void openapi_paths(struct schema_writer *writer)
{
	json_key(writer->json, "paths");
	json_begin_object(writer->json);
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		bool first = true;

		for (size_t j = 0; j < i; j++)
			first &= strcmp(routes[j].path, routes[i].path) != 0;
		if (!first)
			continue;
		json_key(writer->json, routes[i].path);
		json_begin_object(writer->json);
		for (size_t j = i; j < ROUTE_COUNT; j++) {
			if (strcmp(routes[j].path, routes[i].path) == 0)
				openapi_operation(&routes[j], writer);
		}
		json_end_object(writer->json);
	}
	json_end_object(writer->json);
}

/* Writes the schema of each kind of page and of event once. Two lists of the same items have the same pages. */
static void openapi_answer_schemas(enum media media, struct schema_writer *writer)
{
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		bool first = media == MEDIA_EVENTS ? (routes[i].answer_media & MEDIA_BIT(MEDIA_EVENTS)) != 0 : routes[i].list;

		for (size_t j = 0; j < i && first; j++)
			first = routes[j].response != routes[i].response ||
				(media == MEDIA_EVENTS ? !(routes[j].answer_media & MEDIA_BIT(MEDIA_EVENTS)) : !routes[j].list);
		if (first && media == MEDIA_EVENTS)
			openapi_event_schema(&routes[i], writer);
		else if (first)
			openapi_page_schema(&routes[i], writer);
	}
}

static void openapi_components(struct schema_writer *writer)
{
	struct openapi_tables tables;
	char name[64];

	openapi_collect_all(&tables);
	json_key(writer->json, "components");
	json_begin_object(writer->json);
	json_key(writer->json, "schemas");
	json_begin_object(writer->json);
	for (size_t i = 0; i < tables.count; i++) {
		schema_name(tables.items[i].table, tables.items[i].use, name, sizeof name);
		json_key(writer->json, name);
		schema_table(tables.items[i].table, tables.items[i].use, writer);
		if (schema_has_object(tables.items[i].table)) {
			snprintf(name + strlen(name), sizeof name - strlen(name), "Object");
			json_key(writer->json, name);
			schema_table_object(tables.items[i].table, tables.items[i].use, writer);
		}
	}
	schema_quantities(writer);
	openapi_answer_schemas(MEDIA_JSON, writer);
	openapi_answer_schemas(MEDIA_EVENTS, writer);
	openapi_trace_schemas(writer);
	openapi_problem_schemas(writer);
	json_end_object(writer->json);
	openapi_shared_parts(writer);
	json_end_object(writer->json);
}

void openapi_write(enum schema_dialect dialect, struct json_writer *json)
{
	struct schema_writer writer = {.json = json, .dialect = dialect};

	json_begin_object(json);
	openapi_info(&writer);
	openapi_tags(&writer);
	openapi_paths(&writer);
	openapi_components(&writer);
	json_end_object(json);
}

/* --- docs/fields.md -------------------------------------------------------------------------------------------- */
static void openapi_reference_rows(const struct field_table *table, struct buffer *out)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];

		if (row->kind == FIELD_MERGE) {
			openapi_reference_rows(row->table, out);
			continue;
		}
		buffer_printf(out, "| `%s` | ", row->key);
		schema_describe(row, out);
		if (row->flags & REQUIRED)
			buffer_append_text(out, " Required.");
		for (size_t j = 0; j < row->word_count; j++) {
			if (row->words[j])
				buffer_printf(out, " `%s`", row->words[j]);
		}
		if (row->table && !field_table_is_bare(row->table))
			buffer_printf(out, " See [%s](#%s).", row->table->name, row->table->name);
		buffer_append_text(out, " |\n");
	}
}

void openapi_field_reference(struct buffer *out)
{
	struct openapi_tables tables;

	openapi_collect_all(&tables);
	openapi_collect(&tables, &table_plan_gate, SCHEMA_ANSWER); /* of a command, so it is not in the OpenAPI document */
	buffer_append_text(out, "# Fields\n\nWritten by `make docs` from the field tables (api/tables/).\n");
	for (size_t i = 0; i < tables.count; i++) {
		const struct field_table *table = tables.items[i].table;

		if (tables.items[i].use == SCHEMA_PATCH)
			continue;
		buffer_printf(out, "\n## %s\n\n%s\n\n| field | meaning |\n| --- | --- |\n", table->name, table->doc);
		openapi_reference_rows(table, out);
	}
}

/* NOLINTEND(misc-no-recursion) */
