#include "api/problem.h"

static void problem_faults(const struct failure *failure, struct json_writer *writer)
{
	json_key(writer, "errors");
	json_begin_array(writer);
	for (size_t i = 0; i < failure->fault_count; i++) {
		const struct fault *fault = &failure->faults[i];

		json_begin_object(writer);
		json_key(writer, "pointer");
		json_string(writer, fault->pointer);
		json_key(writer, "code");
		json_string(writer, fault->code);
		json_key(writer, "detail");
		json_string(writer, fault->detail);
		json_end_object(writer);
	}
	json_end_array(writer);
	if (failure->fault_total > failure->fault_count) {
		json_key(writer, "errors_total");
		json_integer(writer, (int64_t)failure->fault_total);
	}
}

void api_problem(const struct failure *failure, const char *instance, const char *request_id, struct json_writer *writer)
{
	char type[64];

	snprintf(type, sizeof type, "urn:fleetplan:problem/%s", status_slug(failure->status));
	json_begin_object(writer);
	json_key(writer, "type");
	json_string(writer, type);
	json_key(writer, "title");
	json_string(writer, status_title(failure->status));
	json_key(writer, "status");
	json_integer(writer, status_http(failure->status));
	if (failure->detail[0]) {
		json_key(writer, "detail");
		json_string(writer, failure->detail);
	}
	if (instance) {
		json_key(writer, "instance");
		json_string(writer, instance);
	}
	if (request_id && request_id[0]) {
		json_key(writer, "request_id");
		json_string(writer, request_id);
	}
	if (failure->fault_count > 0)
		problem_faults(failure, writer);
	json_end_object(writer);
}
