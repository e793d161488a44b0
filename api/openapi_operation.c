#include <ctype.h>

#include "api/openapi_parts.h"

/* NOLINTBEGIN(misc-no-recursion): recursion is as deep as tables nest, which a test bounds. */

enum schema_use openapi_request_use(const struct route *route)
{
	return strcmp(route->method, "PATCH") == 0 ? SCHEMA_PATCH : SCHEMA_REQUEST;
}

static void operation_reference(struct schema_writer *writer, const char *where, const char *name)
{
	char reference[96];

	snprintf(reference, sizeof reference, "#/components/%s/%s", where, name);
	json_begin_object(writer->json);
	json_key(writer->json, "$ref");
	json_string(writer->json, reference);
	json_end_object(writer->json);
}

/* --- parameters ------------------------------------------------------------------------------------------------ */
/* True if a row can be a query parameter: a scalar, a list of scalars, or a table whose shorthand is one. */
static const struct field *operation_query_row(const struct field *row)
{
	switch (row->kind) {
	case FIELD_OBJECT:
		return row->table->shorthand;
	case FIELD_LIST:
		return row->table->shorthand ? row : NULL;
	case FIELD_NUMBER:
	case FIELD_COUNT:
	case FIELD_HOURS:
	case FIELD_INTEGER:
	case FIELD_TRUTH:
	case FIELD_BOOL:
	case FIELD_TEXT:
	case FIELD_TIME:
	case FIELD_CHOICE:
	case FIELD_TEXTS:
	case FIELD_NUMBERS:
	case FIELD_WORDS:
		return row;
	case FIELD_SIZE:
	case FIELD_CHARS:
	case FIELD_VALUE:
	case FIELD_SHARES:
	case FIELD_TUPLES:
	case FIELD_LABELS:
	case FIELD_JSON:
	case FIELD_MERGE:
	case FIELD_ARRAY:
	case FIELD_MAP:
	case FIELD_KIND_COUNT:
		break;
	}
	return NULL;
}

/* {type: array, items: the shorthand}, or the row's own schema. */
static void operation_query_schema(const struct field *row, const struct field *form, struct schema_writer *writer)
{
	json_key(writer->json, "schema");
	json_begin_object(writer->json);
	if (row->kind == FIELD_LIST) {
		json_key(writer->json, "type");
		json_string(writer->json, "array");
		json_key(writer->json, "items");
		json_begin_object(writer->json);
		schema_row(row->table->shorthand, SCHEMA_REQUEST, writer);
		json_end_object(writer->json);
	} else {
		schema_row(form, SCHEMA_REQUEST, writer);
	}
	json_end_object(writer->json);
}

/* Writes the route's example of this parameter: a list if the parameter is one, else a number or a word as written. */
static void operation_query_example(const struct route *route, const struct field *row, const struct field *form, struct schema_writer *writer)
{
	size_t key = strlen(row->key), length;
	bool list = row->kind == FIELD_LIST || row->kind == FIELD_TEXTS || row->kind == FIELD_NUMBERS;
	const char *at = route->example_query;

	while (at && !(strncmp(at, row->key, key) == 0 && at[key] == '='))
		at = strchr(at, '&') ? strchr(at, '&') + 1 : NULL;
	if (!at)
		return;
	at += key + 1;
	length = strcspn(at, "&");
	json_key(writer->json, "example");
	if (list)
		json_begin_array(writer->json);
	for (const char *end = at + length; at < end; at += length + 1) {
		bool plain;

		length = strcspn(at, list ? ",&" : "&");
		plain = form->kind == FIELD_TRUTH || form->kind == FIELD_INTEGER || strspn(at, "0123456789.") == length;
		if (plain)
			json_raw(writer->json, at, length);
		else
			json_string_n(writer->json, at, length);
	}
	if (list)
		json_end_array(writer->json);
}

/* Writes the description with unit and default, as in the field reference. */
static void operation_describe(const struct field *row, struct schema_writer *writer)
{
	struct buffer text;

	buffer_init(&text, 4096);
	schema_describe(row, &text);
	json_key(writer->json, "description");
	json_string_n(writer->json, text.bytes, text.length);
	buffer_release(&text);
}

static void operation_query(const struct route *route, const struct field_table *table, struct schema_writer *writer)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];
		const struct field *form = operation_query_row(row);

		if (row->kind == FIELD_MERGE)
			operation_query(route, row->table, writer);
		if (!form || (row->flags & READ_ONLY))
			continue;
		json_begin_object(writer->json);
		json_key(writer->json, "name");
		json_string(writer->json, row->key);
		json_key(writer->json, "in");
		json_string(writer->json, "query");
		operation_describe(row, writer);
		json_key(writer->json, "required");
		json_bool(writer->json, row->flags & REQUIRED);
		json_key(writer->json, "explode");
		json_bool(writer->json, false);
		operation_query_schema(row, form, writer);
		operation_query_example(route, row, form, writer);
		json_end_object(writer->json);
	}
}

static void operation_path_parameter(const struct route *route, struct schema_writer *writer)
{
	const char *name = strchr(route->path, '{') + 1;
	char what[96];

	snprintf(what, sizeof what, "An id from `GET %.*s`", (int)(name - route->path - 2), route->path);
	json_begin_object(writer->json);
	json_key(writer->json, "name");
	json_string_n(writer->json, name, strcspn(name, "}"));
	json_key(writer->json, "in");
	json_string(writer->json, "path");
	json_key(writer->json, "description");
	json_string(writer->json, strncmp(name, "id}", 3) == 0 ? what : "Name");
	json_key(writer->json, "required");
	json_bool(writer->json, true);
	json_key(writer->json, "schema");
	json_raw(writer->json, "{\"type\":\"string\",\"minLength\":1,\"maxLength\":200}",
		strlen("{\"type\":\"string\",\"minLength\":1,\"maxLength\":200}"));
	if (route->example_parameter) {
		json_key(writer->json, "example");
		json_string(writer->json, route->example_parameter);
	}
	json_end_object(writer->json);
}

static void operation_parameters(const struct route *route, struct schema_writer *writer)
{
	bool get = strcmp(route->method, "GET") == 0;

	json_key(writer->json, "parameters");
	json_begin_array(writer->json);
	if (strchr(route->path, '{'))
		operation_path_parameter(route, writer);
	if (route->query)
		operation_query(route, route->query, writer);
	if (route->creates)
		operation_reference(writer, "parameters", "IdempotencyKey");
	if (route->prefers)
		operation_reference(writer, "parameters", "Prefer");
	if (route->answer_media & MEDIA_BIT(MEDIA_EVENTS))
		operation_reference(writer, "parameters", "LastEventId");
	if (route->conditional)
		operation_reference(writer, "parameters", "IfMatch");
	if (route->tagged && get)
		operation_reference(writer, "parameters", "IfNoneMatch");
	json_end_array(writer->json);
}

/* --- bodies ---------------------------------------------------------------------------------------------------- */
static void operation_rows_schema(const struct field_table *table, enum schema_use use, enum media media, struct schema_writer *writer)
{
	json_begin_object(writer->json);
	json_key(writer->json, "type");
	json_string(writer->json, media == MEDIA_JSON ? "array" : "string");
	if (media == MEDIA_JSON) {
		json_key(writer->json, "items");
		json_begin_object(writer->json);
		schema_reference(table, use, writer);
		json_end_object(writer->json);
	}
	json_end_object(writer->json);
}

static void operation_body_schema(const struct route *route, enum media media, struct schema_writer *writer)
{
	if (route->rows) {
		operation_rows_schema(route->request, openapi_request_use(route), media, writer);
		return;
	}
	json_begin_object(writer->json);
	if (route->trace_body) {
		json_key(writer->json, "anyOf");
		json_begin_array(writer->json);
		json_begin_object(writer->json);
	}
	schema_reference(route->request, openapi_request_use(route), writer);
	if (route->trace_body) {
		json_end_object(writer->json);
		json_begin_object(writer->json);
		json_key(writer->json, "$ref");
		json_string(writer->json, "#/components/schemas/ProfilerTrace");
		json_end_object(writer->json);
		json_end_array(writer->json);
	}
	json_end_object(writer->json);
}

static void operation_example(const char *name, const char *body, struct schema_writer *writer)
{
	json_key(writer->json, name);
	json_begin_object(writer->json);
	json_key(writer->json, "value");
	json_raw(writer->json, body, strlen(body));
	json_end_object(writer->json);
}

static void operation_examples(const struct route *route, struct schema_writer *writer)
{
	json_key(writer->json, "examples");
	json_begin_object(writer->json);
	operation_example("usual", route->example_body, writer);
	for (const struct route_example *example = route->more_examples; example->name; example++)
		operation_example(example->name, example->body, writer);
	json_end_object(writer->json);
}

static void operation_request(const struct route *route, struct schema_writer *writer)
{
	json_key(writer->json, "requestBody");
	json_begin_object(writer->json);
	json_key(writer->json, "required");
	json_bool(writer->json, true);
	json_key(writer->json, "content");
	json_begin_object(writer->json);
	for (enum media media = 0; media < MEDIA_COUNT; media++) {
		if (!(route->body_media & MEDIA_BIT(media)))
			continue;
		json_key(writer->json, route_media_name(media));
		json_begin_object(writer->json);
		json_key(writer->json, "schema");
		operation_body_schema(route, media, writer);
		if (route->more_examples) {
			operation_examples(route, writer);
		} else if (route->example_body && (!route->rows || media == MEDIA_JSON)) {
			json_key(writer->json, "example");
			if (route->rows)
				json_begin_array(writer->json);
			json_raw(writer->json, route->example_body, strlen(route->example_body));
			if (route->rows)
				json_end_array(writer->json);
		}
		json_end_object(writer->json);
	}
	json_end_object(writer->json);
	json_end_object(writer->json);
}

static void operation_answer_schema(const struct route *route, enum media media, struct schema_writer *writer)
{
	char name[80];

	json_key(writer->json, "schema");
	if (route->rows && !route->request) {
		operation_rows_schema(route->response, SCHEMA_ANSWER, media, writer);
		return;
	}
	if (media == MEDIA_EVENTS || (media == MEDIA_JSON && route->list)) {
		openapi_answer_name(route, media, name, sizeof name);
		operation_reference(writer, "schemas", name);
		return;
	}
	json_begin_object(writer->json);
	if (media != MEDIA_JSON) {
		json_key(writer->json, "type");
		json_string(writer->json, "string");
	} else if (!route->response) {
		json_key(writer->json, "type");
		json_string(writer->json, "object");
	} else {
		schema_reference(route->response, SCHEMA_ANSWER, writer);
	}
	json_end_object(writer->json);
}

static void operation_answer_headers(const struct route *route, struct schema_writer *writer)
{
	bool located = (route->success == 201 || route->success == 202) && route->response && strcmp(route->method, "POST") == 0;

	if (!route->tagged && !located && !route->list)
		return;
	json_key(writer->json, "headers");
	json_begin_object(writer->json);
	if (route->tagged) {
		json_key(writer->json, "ETag");
		operation_reference(writer, "headers", "ETag");
	}
	if (located) {
		json_key(writer->json, "Location");
		operation_reference(writer, "headers", "Location");
	}
	if (route->list) {
		json_key(writer->json, "Link");
		operation_reference(writer, "headers", "Link");
	}
	json_end_object(writer->json);
}

static void operation_success(const struct route *route, int code, struct schema_writer *writer)
{
	char text[8];

	snprintf(text, sizeof text, "%d", code);
	json_key(writer->json, text);
	json_begin_object(writer->json);
	json_key(writer->json, "description");
	json_string(writer->json, code == 201 ? "Created" : code == 202 ? "Accepted" : code == 204 ? "Done; no content" : "The response");
	operation_answer_headers(route, writer);
	if (code != 204) {
		json_key(writer->json, "content");
		json_begin_object(writer->json);
		for (enum media media = 0; media < MEDIA_COUNT; media++) {
			if (!(route->answer_media & MEDIA_BIT(media)))
				continue;
			json_key(writer->json, route_media_name(media));
			json_begin_object(writer->json);
			operation_answer_schema(route, media, writer);
			json_end_object(writer->json);
		}
		json_end_object(writer->json);
	}
	json_end_object(writer->json);
}

/* Writes the responses that a Prefer header can request. */
static void operation_preferred(const struct route *route, struct schema_writer *writer)
{
	if (route->prefers & PREFERS_ASYNC) {
		json_key(writer->json, "202");
		operation_reference(writer, "responses", "Deferred");
	} else if (route->prefers & PREFERS_WAIT) {
		operation_success(route, 200, writer);
	}
}

static void operation_problem(struct schema_writer *writer, const char *code)
{
	char name[16];

	snprintf(name, sizeof name, "Problem%s", code);
	json_key(writer->json, code);
	operation_reference(writer, "responses", name);
}

static void operation_responses(const struct route *route, struct schema_writer *writer)
{
	static const struct {
		unsigned failures;
		const char *code;
	} failures[] = {{FAILS_NOT_FOUND, "404"}, {FAILS_CONFLICT, "409"}, {FAILS_PRECONDITION, "412"}, {FAILS_BODY, "413"},
		{FAILS_BODY, "415"}, {FAILS_INVALID, "422"}, {FAILS_FULL, "507"}};

	json_key(writer->json, "responses");
	json_begin_object(writer->json);
	operation_success(route, route->success, writer);
	if ((strcmp(route->method, "PUT") == 0 && route->conditional) || route->id == ROUTE_JOB_RESULT)
		operation_success(route, 201, writer);
	if (route->rows && route->request) /* a dry run */
		operation_success(route, 200, writer);
	operation_preferred(route, writer);
	if (route->may_be_empty || (route->answer_media & MEDIA_BIT(MEDIA_EVENTS)))
		operation_success(route, 204, writer);
	if (route->tagged && strcmp(route->method, "GET") == 0) {
		json_key(writer->json, "304");
		operation_reference(writer, "responses", "NotModified");
	}
	operation_problem(writer, "400");
	if (route->role != ROLE_OPEN) {
		operation_problem(writer, "401");
		operation_problem(writer, "403");
	}
	for (size_t i = 0; i < COUNT_OF(failures); i++) {
		if (route->failures & failures[i].failures)
			operation_problem(writer, failures[i].code);
	}
	operation_problem(writer, "503");
	json_key(writer->json, "default");
	operation_reference(writer, "responses", "Problem");
	json_end_object(writer->json);
}

void openapi_operation(const struct route *route, struct schema_writer *writer)
{
	static const char *const roles[ROLE_COUNT] = {
		[ROLE_VIEWER] = "viewer", [ROLE_PLANNER] = "planner", [ROLE_ADMIN] = "admin", [ROLE_AGENT] = "agent"};
	char method[8], text[1000];

	for (size_t i = 0; i < sizeof method && (i == 0 || method[i - 1]); i++)
		method[i] = (char)tolower((unsigned char)route->method[i]);
	json_key(writer->json, method);
	json_begin_object(writer->json);
	json_key(writer->json, "operationId");
	json_string(writer->json, route->operation);
	json_key(writer->json, "tags");
	json_begin_array(writer->json);
	json_string(writer->json, route->tag);
	json_end_array(writer->json);
	json_key(writer->json, "summary");
	json_string(writer->json, route->summary);
	snprintf(text, sizeof text, "%s%s%s%s", route->doc, roles[route->role] ? " Needs the role `" : "",
		roles[route->role] ? roles[route->role] : "", roles[route->role] ? "` if the daemon has API keys." : "");
	json_key(writer->json, "description");
	json_string(writer->json, text);
	json_key(writer->json, "security");
	json_begin_array(writer->json);
	if (route->role != ROLE_OPEN)
		json_raw(writer->json, "{\"bearer\":[]}", strlen("{\"bearer\":[]}"));
	json_end_array(writer->json);
	operation_parameters(route, writer);
	if (route->request)
		operation_request(route, writer);
	operation_responses(route, writer);
	json_end_object(writer->json);
}

/* NOLINTEND(misc-no-recursion) */
