#include "api/openapi_parts.h"

static void parts_raw(struct schema_writer *writer, const char *key, const char *json)
{
	json_key(writer->json, key);
	json_raw(writer->json, json, strlen(json));
}

/* --- pages and events ------------------------------------------------------------------------------------------ */
void openapi_answer_name(const struct route *route, enum media media, char *out, size_t size)
{
	char item[64];

	schema_name(route->response, SCHEMA_ANSWER, item, sizeof item);
	snprintf(out, size, "%s%s", item, media == MEDIA_EVENTS ? "Event" : "Page");
}

void openapi_page_schema(const struct route *route, struct schema_writer *writer)
{
	char name[80], item[160];

	schema_name(route->response, SCHEMA_ANSWER, name, sizeof name);
	snprintf(item, sizeof item, "{\"type\":\"array\",\"items\":{\"$ref\":\"#/components/schemas/%s\"}}", name);
	openapi_answer_name(route, MEDIA_JSON, name, sizeof name);
	json_key(writer->json, name);
	json_begin_object(writer->json);
	parts_raw(writer, "description", "\"A page of a list.\"");
	parts_raw(writer, "type", "\"object\"");
	json_key(writer->json, "properties");
	json_begin_object(writer->json);
	parts_raw(writer, "items", item);
	parts_raw(writer, "next_cursor",
		writer->dialect == SCHEMA_OPENAPI_3_0
			? "{\"type\":\"string\",\"nullable\":true,\"description\":\"The cursor of the next page; null on the last.\"}"
			: "{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}],\"description\":\"The cursor of the next page; null on the last.\"}");
	parts_raw(writer, "empty_because", "{\"type\":\"string\",\"description\":\"Reason why the list is empty, if known.\"}");
	if (route->id == ROUTE_DEVICE_LIST)
		parts_raw(writer, "looking",
			"{\"type\":\"boolean\",\"description\":\"Whether the daemon still lists the devices of its own machine, for a moment after "
			"its start; the list may then be incomplete.\"}");
	json_end_object(writer->json);
	parts_raw(writer, "required", "[\"items\",\"next_cursor\"]");
	json_end_object(writer->json);
}

/* Writes the schema of one event of a stream: its fields, and in `data` the answer of the resource's GET. */
void openapi_event_schema(const struct route *route, struct schema_writer *writer)
{
	char name[80];

	openapi_answer_name(route, MEDIA_EVENTS, name, sizeof name);
	json_key(writer->json, name);
	json_begin_object(writer->json);
	parts_raw(writer, "type", "\"object\"");
	parts_raw(writer, "description", "\"One event\"");
	parts_raw(writer, "required", "[\"id\",\"event\",\"data\"]");
	json_key(writer->json, "properties");
	json_begin_object(writer->json);
	parts_raw(writer, "id", "{\"type\":\"string\",\"description\":\"Id to send in Last-Event-ID\"}");
	parts_raw(writer, "event", "{\"type\":\"string\",\"enum\":[\"progress\",\"done\"],\"description\":\"done: the last event\"}");
	json_key(writer->json, "data");
	json_begin_object(writer->json);
	parts_raw(writer, "type", "\"string\"");
	parts_raw(writer, "description", "\"The current state of the resource\"");
	if (writer->dialect == SCHEMA_OPENAPI_3_1) {
		parts_raw(writer, "contentMediaType", "\"application/json\"");
		json_key(writer->json, "contentSchema");
		json_begin_object(writer->json);
		schema_reference(route->response, SCHEMA_ANSWER, writer);
		json_end_object(writer->json);
	}
	json_end_object(writer->json);
	json_end_object(writer->json);
	json_end_object(writer->json);
}

void openapi_trace_schemas(struct schema_writer *writer)
{
	parts_raw(writer, "ProfilerTrace",
		"{\"description\":\"A trace as torch.profiler's export_chrome_trace writes it: an object with traceEvents, or the bare list.\","
		"\"anyOf\":[{\"$ref\":\"#/components/schemas/ProfilerTraceObject\"},{\"type\":\"array\",\"items\":{\"type\":\"object\"}}]}");
	parts_raw(writer, "ProfilerTraceObject",
		"{\"description\":\"A trace with its events.\",\"type\":\"object\",\"required\":[\"traceEvents\"],"
		"\"properties\":{\"traceEvents\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}}}");
}

/* --- errors ---------------------------------------------------------------------------------------------------- */
void openapi_problem_schemas(struct schema_writer *writer)
{
	parts_raw(writer, "Problem",
		"{\"description\":\"An error (RFC 9457).\",\"type\":\"object\",\"properties\":{"
		"\"type\":{\"type\":\"string\",\"description\":\"URN of the kind of problem.\"},"
		"\"title\":{\"type\":\"string\",\"description\":\"The kind of problem, for people.\"},"
		"\"status\":{\"type\":\"integer\",\"minimum\":400,\"maximum\":599,\"description\":\"The HTTP status.\"},"
		"\"detail\":{\"type\":\"string\",\"description\":\"What is wrong and what is allowed.\"},"
		"\"instance\":{\"type\":\"string\",\"description\":\"The path of the request.\"},"
		"\"request_id\":{\"type\":\"string\",\"description\":\"The id in the X-Request-Id header and in the log.\"},"
		"\"errors\":{\"type\":\"array\",\"description\":\"Every fault of the "
		"request.\",\"items\":{\"$ref\":\"#/components/schemas/ProblemError\"}},"
		"\"errors_total\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Number of faults, if not all are "
		"listed.\"}},"
		"\"required\":[\"type\",\"title\",\"status\"]}");
	parts_raw(writer, "ProblemError",
		"{\"description\":\"A fault of a request.\",\"type\":\"object\",\"properties\":{"
		"\"pointer\":{\"type\":\"string\",\"description\":\"JSON pointer in the body (RFC 6901); for a query parameter, a "
		"slash and its name.\"},"
		"\"code\":{\"type\":\"string\",\"description\":\"Machine-readable code of the fault.\"},"
		"\"detail\":{\"type\":\"string\",\"description\":\"What is "
		"allowed.\"}},\"required\":[\"pointer\",\"code\",\"detail\"]}");
}

/* Writes the titles of every status with this HTTP code, "Conflict; Stale lease". */
static void parts_titles(int http, char *out, size_t size)
{
	size_t length = 0;

	for (enum status status = 0; status < STATUS_COUNT && length < size; status++) {
		if (status_http(status) == http)
			length += (size_t)snprintf(out + length, size - length, "%s%s", length ? "; " : "", status_title(status));
	}
}

static void parts_problem(struct schema_writer *writer, const char *name, const char *description, bool retry)
{
	json_key(writer->json, name);
	json_begin_object(writer->json);
	json_key(writer->json, "description");
	json_string(writer->json, description);
	if (retry)
		parts_raw(writer, "headers", "{\"Retry-After\":{\"$ref\":\"#/components/headers/RetryAfter\"}}");
	parts_raw(writer, "content", "{\"application/problem+json\":{\"schema\":{\"$ref\":\"#/components/schemas/Problem\"}}}");
	json_end_object(writer->json);
}

static void parts_responses(struct schema_writer *writer)
{
	static const int codes[] = {400, 401, 403, 404, 409, 412, 413, 415, 422, 503, 507};
	char name[16], titles[400];

	json_key(writer->json, "responses");
	json_begin_object(writer->json);
	for (size_t i = 0; i < COUNT_OF(codes); i++) {
		snprintf(name, sizeof name, "Problem%d", codes[i]);
		parts_titles(codes[i], titles, sizeof titles);
		parts_problem(writer, name, titles, codes[i] == 503);
	}
	parts_problem(writer, "Problem", "Any other error", false);
	parts_raw(writer, "Deferred",
		"{\"description\":\"Accepted as a job, as requested by the Prefer header\",\"headers\":{"
		"\"Location\":{\"$ref\":\"#/components/headers/Location\"},"
		"\"Preference-Applied\":{\"$ref\":\"#/components/headers/PreferenceApplied\"},"
		"\"Retry-After\":{\"$ref\":\"#/components/headers/RetryAfter\"}},"
		"\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/Job\"}}}}");
	parts_raw(writer, "NotModified",
		"{\"description\":\"The client has the current "
		"revision\",\"headers\":{\"ETag\":{\"$ref\":\"#/components/headers/ETag\"}}}");
	json_end_object(writer->json);
}

void openapi_shared_parts(struct schema_writer *writer)
{
	parts_responses(writer);
	parts_raw(writer, "headers",
		"{\"ETag\":{\"description\":\"The revision\",\"schema\":{\"type\":\"string\"}},"
		"\"Location\":{\"description\":\"URL of the resource\",\"schema\":{\"type\":\"string\"}},"
		"\"PreferenceApplied\":{\"description\":\"Preferences that were applied (RFC "
		"7240)\",\"schema\":{\"type\":\"string\"}},"
		"\"Link\":{\"description\":\"The next page, rel=next (RFC 8288); absent on the "
		"last\",\"schema\":{\"type\":\"string\"}},"
		"\"RetryAfter\":{\"description\":\"Seconds to wait before the next "
		"attempt\",\"schema\":{\"type\":\"integer\",\"minimum\":0}}}");
	parts_raw(writer, "parameters",
		"{\"IdempotencyKey\":{\"name\":\"Idempotency-Key\",\"in\":\"header\",\"required\":false,\"description\":"
		"\"The same key with the same body returns the first response again; with a different body it is an error.\","
		"\"schema\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":255,\"pattern\":\"^[!-~]+$\"}},"
		"\"Prefer\":{\"name\":\"Prefer\",\"in\":\"header\",\"required\":false,\"description\":\"respond-async: answer 202 with a job at "
		"once. wait=N: wait N seconds for the result (60 at most), then answer 202 (RFC 7240).\","
		"\"schema\":{\"type\":\"string\"},\"example\":\"wait=1\"},"
		"\"LastEventId\":{\"name\":\"Last-Event-ID\",\"in\":\"header\",\"required\":false,\"description\":\"The id of the last event that the client "
		"received.\",\"schema\":{\"type\":\"string\"}},"
		"\"IfMatch\":{\"name\":\"If-Match\",\"in\":\"header\",\"required\":false,\"description\":\"Write only if the "
		"revision still has this ETag; otherwise 412.\","
		"\"schema\":{\"type\":\"string\"}},"
		"\"IfNoneMatch\":{\"name\":\"If-None-Match\",\"in\":\"header\",\"required\":false,\"description\":\"304 if "
		"the revision still has this ETag.\","
		"\"schema\":{\"type\":\"string\"}}}");
	parts_raw(writer, "securitySchemes",
		"{\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\",\"description\":\"An API key; `fleetplan keys create` "
		"shows it once.\"}}");
}
