#include "agent/link.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "api/tables/tables.h"
#include "base/json_writer.h"

#define LEASE_MAX_S 86400.0 /* far above the longest lease of a daemon */

enum { ANSWER_MAX_BYTES = 256 * 1024, REQUEST_MAX_BYTES = 1024 * 1024, ANSWER_ARENA_BYTES = 1024 * 1024 };

/* One call: the request, and how to read the answer. */
struct link_call {
	const char *method;
	char path[256];
	const char *body;
	size_t length;
	struct link_patience patience;
	const struct field_table *answer;      /* NULL: ignore the body */
	const char *(*lacks)(const void *out); /* returns what is missing in an answer, NULL: nothing; may be NULL */
	void *out;
	struct arena *arena;
};

/* --- the key ----------------------------------------------------------------------------------------------------- */
static enum status read_key(const char *path, char *key, struct failure *failure)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, key, LINK_KEY_MAX);
	int error = errno;

	if (fd >= 0)
		close(fd);
	if (length < 0)
		return failure_set(failure, STATUS_NOT_FOUND, "key-file: %s: %s", path, strerror(error));
	while (length > 0 && isspace((unsigned char)key[length - 1]))
		length--;
	if (length == 0 || length == LINK_KEY_MAX)
		return failure_set(failure, STATUS_NOT_FOUND, "key-file: %s is empty or too long for a key", path);
	key[length] = '\0';
	for (const char *c = key; *c; c++) {
		if (!isgraph((unsigned char)*c))
			return failure_set(failure, STATUS_NOT_FOUND, "key-file: %s has more than one key", path);
	}
	return STATUS_OK;
}

/* True if the file has another key than the rejected one, which is then used. */
static bool find_new_key(struct link *link)
{
	char key[LINK_KEY_MAX];
	struct failure failure;
	bool is_new;

	failure_clear(&failure);
	is_new = read_key(link->options.key_file, key, &failure) == STATUS_OK && strcmp(key, link->key) != 0;
	if (is_new)
		memcpy(link->key, key, sizeof(key));
	explicit_bzero(key, sizeof(key));
	return is_new;
}

/* --- one call ---------------------------------------------------------------------------------------------------- */
static enum link_end end_of_status(int status)
{
	if (status >= 200 && status < 300)
		return status == 204 ? LINK_EMPTY : LINK_OK;
	switch (status) {
	case 401:
	case 403:
		return LINK_DENIED;
	case 404:
		return LINK_UNKNOWN;
	case 409:
		return LINK_STALE;
	case 408:
	case 429:
	case 502: /* 502, 504: from a proxy that cannot reach the server */
	case 503:
	case 504:
		return LINK_AWAY;
	default:
		return status >= 400 && status < 500 ? LINK_REFUSED : LINK_BROKEN;
	}
}

/* Reads the detail of a problem document (RFC 9457), if the body is one. */
static void take_problem(struct link *link, const struct link_call *call, const struct http_answer *answer)
{
	const char *begin = answer->body.bytes ? strstr(answer->body.bytes, "\"detail\":\"") : NULL;
	size_t length = 0;

	begin = begin ? begin + strlen("\"detail\":\"") : "";
	while (begin[length] && begin[length] != '"' && length < 200)
		length += begin[length] == '\\' && begin[length + 1] ? 2 : 1;
	snprintf(link->detail, sizeof(link->detail), "%s %s returned status %d%s%.*s", call->method, call->path, answer->status,
		length ? ": " : "", (int)length, begin);
}

static const char *lease_lacks(const void *out)
{
	const struct lease *lease = out;

	if (!lease->benchmark_id || !lease->device || !lease->spec.suite)
		return "it has no benchmark, device or suite";
	if (!(lease->lease_s > 0 && lease->lease_s <= LEASE_MAX_S && lease->heartbeat_s > 0 && lease->heartbeat_s < lease->lease_s))
		return "its lease_s or heartbeat_s is not valid";
	return lease->token >= 1 && lease->attempt >= 1 && lease->spec.timeout_s > 0 ? NULL : "it has no token, attempt or time limit";
}

static const char *renewal_lacks(const void *out)
{
	const struct lease_renewal *renewal = out;

	return renewal->lease_s > 0 && renewal->lease_s <= LEASE_MAX_S ? NULL : "its lease_s is not valid";
}

static enum link_end take_answer(struct link *link, const struct link_call *call, const struct http_answer *answer)
{
	enum link_end end = end_of_status(answer->status);
	const char *lacking = NULL;
	struct failure failure;

	link->retry_after_s = answer->retry_after_s;
	if (end != LINK_OK && end != LINK_EMPTY) {
		take_problem(link, call, answer);
		return end;
	}
	link->detail[0] = '\0';
	if (end == LINK_EMPTY || !call->answer)
		return end;
	failure_clear(&failure);
	if (record_decode_answer(call->answer, answer->body.bytes ? answer->body.bytes : "", answer->body.length, call->arena, call->out,
			&failure) == STATUS_OK) {
		lacking = call->lacks ? call->lacks(call->out) : NULL;
		if (!lacking)
			return LINK_OK;
	}
	snprintf(link->detail, sizeof(link->detail), "%s %s returned an invalid answer: %.200s", call->method, call->path,
		lacking ? lacking : failure.detail);
	return LINK_BROKEN;
}

static enum link_end call_once(struct link *link, const struct link_call *call)
{
	char url[LINK_URL_MAX + sizeof(call->path)];
	struct http_request request = {.method = call->method,
		.url = url,
		.bearer = link->key,
		.body = call->body,
		.body_length = call->length,
		.timeout_s = call->patience.timeout_s,
		.wake_fd = call->patience.wake_fd};
	struct http_answer answer;
	enum link_end end;

	snprintf(url, sizeof(url), "%.*s%s", (int)link->server_length, link->options.server, call->path);
	http_client_run(link->http, &request, &answer);
	link->retry_after_s = -1;
	if (answer.end == HTTP_ANSWERED) {
		end = take_answer(link, call, &answer);
	} else {
		snprintf(link->detail, sizeof(link->detail), "%s", answer.detail);
		end = answer.end == HTTP_INTERRUPTED ? LINK_INTERRUPTED : LINK_AWAY;
	}
	http_answer_release(&answer);
	return end;
}

static enum link_end run_call(struct link *link, const struct link_call *call)
{
	enum link_end end = call_once(link, call);

	return end == LINK_DENIED && find_new_key(link) ? call_once(link, call) : end;
}

/* Encodes the request and sends it. */
static enum link_end send_record(struct link *link, struct link_call *call, const struct field_table *table, const void *record)
{
	struct json_writer writer;
	struct buffer body;
	enum link_end end = LINK_BROKEN;

	buffer_init(&body, REQUEST_MAX_BYTES);
	json_writer_init(&writer, &body);
	record_encode(table, record, &writer);
	call->method = "POST";
	call->body = body.bytes;
	call->length = body.length;
	if (body.failed)
		snprintf(link->detail, sizeof(link->detail), "%s: no memory, or the request is larger than the server accepts", call->path);
	else
		end = run_call(link, call);
	buffer_release(&body);
	return end;
}

/* --- the calls --------------------------------------------------------------------------------------------------- */
enum link_end link_register(struct link *link, const struct agent_registration *registration, struct link_patience patience)
{
	struct link_call call = {.path = "/v1/agents", .patience = patience};

	return send_record(link, &call, &table_agent_registration, registration);
}

enum link_end link_lease(struct link *link, const char *agent_id, const struct lease_request *request, struct link_patience patience,
	struct arena *arena, struct lease *lease)
{
	struct link_call call = {.patience = patience, .answer = &table_lease, .lacks = lease_lacks, .out = lease, .arena = arena};

	snprintf(call.path, sizeof(call.path), "/v1/agents/%s/leases", agent_id);
	return send_record(link, &call, &table_lease_request, request);
}

enum link_end link_heartbeat(struct link *link, const char *benchmark_id, const struct lease_heartbeat *heartbeat,
	struct link_patience patience, struct lease_renewal *renewal)
{
	struct arena arena;
	struct link_call call = {.patience = patience, .answer = &table_lease_renewal, .lacks = renewal_lacks, .out = renewal, .arena = &arena};
	enum link_end end;

	snprintf(call.path, sizeof(call.path), "/v1/benchmarks/%s/heartbeat", benchmark_id);
	arena_init(&arena, ANSWER_ARENA_BYTES);
	end = send_record(link, &call, &table_lease_heartbeat, heartbeat);
	arena_release(&arena);
	return end;
}

enum link_end link_release(struct link *link, const char *benchmark_id, const struct lease_release *release, struct link_patience patience)
{
	struct link_call call = {.patience = patience};

	snprintf(call.path, sizeof(call.path), "/v1/benchmarks/%s/release", benchmark_id);
	return send_record(link, &call, &table_lease_release, release);
}

enum link_end link_deliver(struct link *link, const char *benchmark_id, const char *body, size_t length, struct link_patience patience,
	struct arena *arena, struct lease_outcome *outcome)
{
	struct link_call call = {
		.method = "PUT", .body = body, .length = length, .patience = patience, .answer = &table_lease_outcome, .out = outcome, .arena = arena};

	snprintf(call.path, sizeof(call.path), "/v1/benchmarks/%s/result", benchmark_id);
	return run_call(link, &call);
}

/* --- opening ----------------------------------------------------------------------------------------------------- */
static enum status check_server(const char *server, struct failure *failure)
{
	if (strncasecmp(server, "http://", 7) != 0 && strncasecmp(server, "https://", 8) != 0)
		return failure_set(failure, STATUS_INVALID, "server: \"%s\" is not a URL such as https://fleetplan.example", server);
	if (strlen(server) >= LINK_URL_MAX || strpbrk(server, " ?#@"))
		return failure_set(failure, STATUS_INVALID,
			"server: the URL must have at most %d bytes, and no space, user, query or fragment: \"%.100s\"", LINK_URL_MAX - 1, server);
	return STATUS_OK;
}

enum status link_open(struct link *link, const struct link_options *options, struct failure *failure)
{
	struct http_client_options http = options->http;
	enum status status = check_server(options->server, failure);

	*link = (struct link){.options = *options, .retry_after_s = -1};
	for (link->server_length = strlen(options->server); link->server_length && options->server[link->server_length - 1] == '/';)
		link->server_length--;
	http.answer_max_bytes = ANSWER_MAX_BYTES;
	if (status == STATUS_OK)
		status = read_key(options->key_file, link->key, failure);
	if (status == STATUS_OK)
		status = http_client_open(&http, &link->http, failure);
	return status;
}

void link_close(struct link *link)
{
	http_client_close(link->http);
	explicit_bzero(link->key, sizeof(link->key));
	link->http = NULL;
}
