/* Tests the endpoints: which route matches a request, that each route is described and has an example, and that the
 * generated documents are up to date. */
#include "api/documents.h"
#include "api/generate.h"
#include "api/routes.h"
#include "support/assert.h"

static struct arena arena;

static const struct route *resolve(const char *method, const char *path, struct route_match *match)
{
	return route_resolve(method, path, &arena, match) ? match->route : NULL;
}

static void a_path_and_method_mean_one_route(void **state)
{
	struct route_match match;
	char allow[ROUTE_ALLOW_MAX];

	(void)state;
	assert_ptr_equal(resolve("POST", "/v1/plans/training", &match), &routes[ROUTE_TRAINING_PLAN_CREATE]);
	assert_ptr_equal(resolve("GET", "/v1/plans/abc", &match), &routes[ROUTE_PLAN_GET]);
	assert_string_equal(match.parameters[0], "abc");
	route_allow(match.path, allow);
	assert_string_equal(allow, "GET, HEAD, PATCH, DELETE");
	assert_ptr_equal(resolve("HEAD", "/v1/plans/abc", &match), &routes[ROUTE_PLAN_GET]);
	assert_ptr_equal(resolve("GET", "/v1/plans/compare", &match), &routes[ROUTE_PLAN_COMPARE]);
	assert_ptr_equal(resolve("POST", "/v1/plans/abc/refresh", &match), &routes[ROUTE_PLAN_REFRESH]);
	assert_string_equal(match.parameters[0], "abc");
	assert_ptr_equal(resolve("POST", "/v1/models/import", &match), &routes[ROUTE_MODEL_IMPORT]);
	assert_ptr_equal(resolve("GET", "/docs/docs.css", &match), &routes[ROUTE_DOCS_FILE]);
	assert_ptr_equal(resolve("GET", "/", &match), &routes[ROUTE_PAGE]);
	assert_ptr_equal(resolve("GET", "/page/page.js", &match), &routes[ROUTE_PAGE_FILE]);
	assert_ptr_equal(resolve("GET", "/livez", &match), &routes[ROUTE_LIVEZ]);
}

static void a_wrong_method_is_told_what_is_allowed(void **state)
{
	struct route_match match;
	char allow[ROUTE_ALLOW_MAX];

	(void)state;
	assert_true(route_resolve("PUT", "/v1/plans/abc", &arena, &match));
	assert_null(match.route);
	route_allow(match.path, allow);
	assert_string_equal(allow, "GET, HEAD, PATCH, DELETE");
	assert_true(route_resolve("POST", "/livez", &arena, &match));
	assert_null(match.route);
	route_allow(match.path, allow);
	assert_string_equal(allow, "GET, HEAD");
	assert_true(route_resolve("DELETE", "/v1/plans/compare", &arena, &match));
	assert_null(match.route);
}

static void what_is_nowhere_is_not_found(void **state)
{
	static const char *const nowhere[] = {"", "/page", "/v1", "/v1/plan", "/v1/plans/", "/v1/plans/a/b", "/v1/plans//refresh",
		"/v1/plans/a/refresh/", "/V1/plans", "//livez"};
	struct route_match match;
	char path[300] = "/v1/plans/";

	(void)state;
	for (size_t i = 0; i < COUNT_OF(nowhere); i++)
		assert_false(route_resolve("GET", nowhere[i], &arena, &match));
	memset(path + 10, 'x', ROUTE_PARAMETER_BYTES_MAX + 1);
	assert_false(route_resolve("GET", path, &arena, &match));
	path[10 + ROUTE_PARAMETER_BYTES_MAX] = '\0';
	assert_true(route_resolve("GET", path, &arena, &match));
}

static void every_route_is_whole(void **state)
{
	(void)state;
	for (enum route_id id = 0; id < ROUTE_COUNT; id++) {
		const struct route *route = &routes[id];
		struct route_match match;

		assert_int_equal(route->id, id);
		assert_true(route->method && route->path && route->operation && route->tag && route->summary && route->doc);
		assert_true(route->answer_media != 0);
		assert_true((route->request != NULL) == (route->body_maximum_bytes > 0));
		assert_true((route->request != NULL) == (route->body_media != 0));
		assert_true(!route->request || route->example_body);
		assert_true(!strchr(route->path, '{') || route->example_parameter);
		if (!strchr(route->path, '{'))
			assert_ptr_equal(resolve(route->method, route->path, &match), route);
		for (enum route_id other = 0; other < id; other++)
			assert_true(strcmp(routes[other].operation, route->operation) != 0);
	}
}

/* Splits "a=b&c=d" into parameters. The examples need no percent-decoding. */
static size_t split_query(char *text, struct query_parameter *parameters)
{
	size_t count = 0;

	for (char *rest = text, *pair; (pair = strsep(&rest, "&"));) {
		parameters[count].key = strsep(&pair, "=");
		parameters[count++].value = pair;
	}
	return count;
}

static void every_example_is_valid(void **state)
{
	static union any_request object;
	static struct failure failure;

	(void)state;
	for (enum route_id id = 0; id < ROUTE_COUNT; id++) {
		const struct route *route = &routes[id];
		struct query_parameter parameters[16];
		char query[300];
		enum status status = STATUS_OK;

		failure_clear(&failure);
		field_table_clear(route->request ? route->request : &table_health, &object);
		if (route->request && strcmp(route->method, "PATCH") == 0)
			status = record_merge_patch(route->request, route->example_body, strlen(route->example_body), &arena, &object, &failure);
		else if (route->request)
			status = record_decode(route->request, route->example_body, strlen(route->example_body), &arena, &object, &failure);
		if (status == STATUS_OK && route->example_query) {
			snprintf(query, sizeof query, "%s", route->example_query);
			assert_non_null(route->query);
			status = record_decode_query(route->query, parameters, split_query(query, parameters), &arena, &object, &failure);
		}
		if (status != STATUS_OK)
			fail_msg("%s %s: %s", route->method, route->path, failure.detail);
	}
}

static json_t *follow(json_t *root, const char *reference)
{
	char key[80];

	assert_true(strncmp(reference, "#/", 2) == 0);
	for (const char *at = reference + 2; root && *at;) {
		size_t length = strcspn(at, "/");

		snprintf(key, sizeof key, "%.*s", (int)length, at);
		root = json_object_get(root, key);
		at += length + (at[length] == '/');
	}
	return root;
}

/* Checks that every $ref has a target. */
static void check_references(json_t *root, json_t *value)
{
	const char *key;
	json_t *inner;
	size_t index;

	if (json_is_object(value)) {
		json_object_foreach (value, key, inner) {
			if (strcmp(key, "$ref") == 0 && json_is_string(inner) && !follow(root, json_string_value(inner)))
				fail_msg("%s has no target", json_string_value(inner));
			check_references(root, inner);
		}
	} else if (json_is_array(value)) {
		json_array_foreach (value, index, inner)
			check_references(root, inner);
	}
}

static void the_description_hangs_together(void **state)
{
	char *text = document_openapi(SCHEMA_OPENAPI_3_1);
	json_t *root, *training;

	(void)state;
	assert_non_null(text);
	root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	check_references(root, root);
	training = follow(root, "#/components/schemas/TrainingRequest");
	assert_true(json_is_false(json_object_get(training, "additionalProperties")));
	assert_string_equal(json_string_value(json_array_get(json_object_get(training, "required"), 0)), "model");
	assert_string_equal(json_string_value(follow(training, "#/properties/tokens/$ref")), "#/components/schemas/Amount");
	assert_null(follow(training, "#/properties/optimizer/default"));
	assert_non_null(strstr(json_string_value(follow(training, "#/properties/optimizer/description")), "Default: adamw."));
	assert_null(json_object_get(follow(root, "#/components/schemas/AcceleratorPatch"), "required"));
	assert_null(json_object_get(follow(root, "#/components/schemas/TrainingResult"), "additionalProperties"));
	json_decref(root);
	free(text);
}

/* Fails if an object below `value` has a key that OpenAPI 3.0 does not have. `named`: the keys of the object are names. */
static void check_old_keys(json_t *value, bool named)
{
	static const char *const newer[] = {"const", "propertyNames", "contentSchema", "contentMediaType", "identifier"};
	const char *key;
	json_t *inner;
	size_t index;

	if (json_is_array(value)) {
		json_array_foreach (value, index, inner)
			check_old_keys(inner, false);
	}
	if (!json_is_object(value))
		return;
	if (!named && json_object_get(value, "$ref"))
		assert_int_equal(json_object_size(value), 1);
	json_object_foreach (value, key, inner) {
		for (size_t i = 0; i < COUNT_OF(newer) && !named; i++)
			assert_string_not_equal(key, newer[i]);
		if (!named && strcmp(key, "type") == 0)
			assert_true(json_is_string(inner) && strcmp(json_string_value(inner), "null") != 0);
		if (!named && strcmp(key, "exclusiveMinimum") == 0)
			assert_true(json_is_true(inner));
		if (!named && strcmp(key, "examples") == 0)
			assert_true(json_is_object(inner));
		if (strcmp(key, "example") != 0 && strcmp(key, "examples") != 0)
			check_old_keys(inner, !named && strcmp(key, "properties") == 0);
	}
}

static void the_older_description_has_the_same_parts(void **state)
{
	static const char *const kinds[] = {"schemas", "responses", "parameters", "headers", "securitySchemes"};
	char *newer = document_openapi(SCHEMA_OPENAPI_3_1), *older = document_openapi(SCHEMA_OPENAPI_3_0);
	json_t *now = json_loads(newer, JSON_REJECT_DUPLICATES, NULL), *then = json_loads(older, JSON_REJECT_DUPLICATES, NULL), *part;
	const char *key;

	(void)state;
	assert_string_equal(json_string_value(json_object_get(then, "openapi")), "3.0.3");
	check_references(then, then);
	check_old_keys(then, false);
	json_object_foreach (json_object_get(now, "paths"), key, part)
		assert_int_equal(json_object_size(json_object_get(json_object_get(then, "paths"), key)), json_object_size(part));
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		json_t *parts = json_object_get(json_object_get(then, "components"), kinds[i]);

		json_object_foreach (json_object_get(json_object_get(now, "components"), kinds[i]), key, part)
			assert_non_null(json_object_get(parts, key));
	}
	json_decref(now);
	json_decref(then);
	free(newer);
	free(older);
}

/* A client's types come from the named schemas: a generator invents a name for an object or a union that has none. */
static void check_names(json_t *value, bool inside)
{
	const char *key;
	json_t *inner;
	size_t index;

	if (json_is_array(value)) {
		json_array_foreach (value, index, inner)
			check_names(inner, inside);
	} else if (json_is_object(value)) {
		assert_false(inside && json_is_object(json_object_get(value, "properties")) && json_is_string(json_object_get(value, "type")));
		assert_null(json_is_string(json_object_get(value, "type")) ? json_object_get(value, "default") : NULL);
		assert_false(json_is_array(json_object_get(value, "type")));
		json_object_foreach (value, key, inner)
			if (strcmp(key, "example") != 0 && strcmp(key, "examples") != 0)
				check_names(inner, true);
	}
}

static void every_object_has_a_name(void **state)
{
	char *text = document_openapi(SCHEMA_OPENAPI_3_1);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL), *schema;
	const char *key;

	(void)state;
	check_names(json_object_get(root, "paths"), true);
	json_object_foreach (follow(root, "#/components/schemas"), key, schema)
		check_names(schema, false);
	json_decref(root);
	free(text);
}

static char *read_file(const char *path)
{
	struct buffer buffer;
	FILE *file = fopen(path, "r");
	size_t length, got;

	buffer_init(&buffer, 16 * 1024 * 1024);
	while (file && buffer_reserve(&buffer, 65536) && (got = fread(buffer.bytes + buffer.length, 1, 65536, file)) > 0)
		buffer.length += got;
	if (file)
		fclose(file);
	buffer_append_char(&buffer, '\0');
	return buffer_detach(&buffer, &length);
}

static void check_document(const char *path, char *written)
{
	char *kept = read_file(path);

	kept[strlen(kept) ? strlen(kept) - 1 : 0] = '\0'; /* the last newline */
	if (strcmp(kept, written) != 0)
		fail_msg("%s differs from the tables. Run `make docs`.", path);
	free(kept);
	free(written);
}

static void the_documents_are_those_kept(void **state)
{
	(void)state;
	check_document("docs/openapi.json", document_openapi(SCHEMA_OPENAPI_3_1));
	check_document("docs/fields.md", document_fields());
	check_document("docs/leases.md", document_leases());
}

static void media_have_names(void **state)
{
	(void)state;
	assert_string_equal(route_media_name(MEDIA_JSON), "application/json");
	assert_string_equal(route_media_name(MEDIA_MERGE_PATCH), "application/merge-patch+json");
}

static int start(void **state)
{
	(void)state;
	arena_init(&arena, 16 * 1024 * 1024);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_and_method_mean_one_route),
		cmocka_unit_test(a_wrong_method_is_told_what_is_allowed),
		cmocka_unit_test(what_is_nowhere_is_not_found),
		cmocka_unit_test(every_route_is_whole),
		cmocka_unit_test(every_example_is_valid),
		cmocka_unit_test(the_description_hangs_together),
		cmocka_unit_test(the_older_description_has_the_same_parts),
		cmocka_unit_test(every_object_has_a_name),
		cmocka_unit_test(the_documents_are_those_kept),
		cmocka_unit_test(media_have_names),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
