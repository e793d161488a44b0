/* Checks the request line and the headers, before any byte of the body is read. */
#include <strings.h>

#include "base/uuid.h"
#include "server/auth.h"
#include "server/http_private.h"
#include "server/origin.h"
#include "server/server.h"
#include "server/streamed.h"
#include "server/wire/gate.h"

static const struct {
	const char *name;
	size_t length;
} admission_headers[HEADER_COUNT] = {
#define X(name, text) [HEADER_##name] = {(text), sizeof(text) - 1},
	HEADER_TABLE(X)
#undef X
};

struct admission_walk {
	struct gate gate;
	struct exchange *exchange;
};

static void admission_keep_header(struct exchange *exchange, const char *name, size_t name_length, const char *value)
{
	for (enum header i = 0; i < HEADER_COUNT; i++) {
		if (admission_headers[i].length == name_length && strcasecmp(admission_headers[i].name, name) == 0) {
			if (!exchange->headers[i])
				exchange->headers[i] = value;
			else if (i == HEADER_PREFER) /* preferences may come in several lines (RFC 7240 2) */
				exchange->headers[i] = arena_printf(&exchange->call.arena, "%s, %s", exchange->headers[i], value);
			return;
		}
	}
}

static enum MHD_Result admission_header(
	void *closure, enum MHD_ValueKind kind, const char *name, size_t name_length, const char *value, size_t value_length)
{
	struct admission_walk *walk = closure;

	(void)kind;
	if (!gate_header(&walk->gate, name, name_length, value, value_length))
		return MHD_NO;
	admission_keep_header(walk->exchange, name, name_length, value);
	return MHD_YES;
}

static enum status admission_gate(struct exchange *exchange, const char *method, const char *version)
{
	struct admission_walk walk = {.exchange = exchange};
	const union MHD_ConnectionInfo *info;
	const char *end = NULL;

	gate_begin(&walk.gate, exchange->http->strict_layout ? exchange->wire_target + exchange->raw_target_length : NULL, version);
	MHD_get_connection_values_n(exchange->mhd, MHD_HEADER_KIND, admission_header, &walk);
	info = MHD_get_connection_info(exchange->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	if (info && exchange->http->strict_layout)
		end = method + info->header_size;
	exchange->expect_continue = walk.gate.expect_continue;
	return gate_end(&walk.gate, version, end, &exchange->call.failure);
}

/* Keeps a short, plain request id of the client; otherwise makes one. */
static void admission_identify(struct exchange *exchange)
{
	const char *id = exchange->headers[HEADER_REQUEST_ID], *parent = exchange->headers[HEADER_TRACEPARENT];
	size_t length = id ? strlen(id) : 0;
	struct call *call = &exchange->call;

	if (length > 0 && length < CALL_REQUEST_ID_MAX &&
		strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:") == length)
		memcpy(call->request_id, id, length + 1);
	else
		uuid_make(call->request_id);
	/* W3C trace context: 00-<32 hex>-<16 hex>-<2 hex> */
	if (parent && strlen(parent) == CALL_TRACEPARENT_SIZE - 1 && strspn(parent, "0123456789abcdef-") == CALL_TRACEPARENT_SIZE - 1 &&
		parent[2] == '-' && parent[35] == '-' && parent[52] == '-')
		memcpy(call->traceparent, parent, CALL_TRACEPARENT_SIZE);
}

static enum status admission_target(struct exchange *exchange)
{
	struct call *call = &exchange->call;
	struct target target;
	enum status status;

	if (exchange->raw_target_length > GATE_TARGET_MAX)
		return failure_set(
			&call->failure, STATUS_TARGET_TOO_LONG, "the request target is too long; at most %d bytes are allowed", GATE_TARGET_MAX);
	if (!exchange->raw_target)
		return failure_set(&call->failure, STATUS_NO_MEMORY, "no memory for the request target");
	status = gate_target(exchange->raw_target, &call->arena, &target, &call->failure);
	call->path = target.path;
	call->query = target.query;
	call->query_count = target.query_count;
	return status;
}

static enum status admission_route(struct exchange *exchange)
{
	struct call *call = &exchange->call;
	struct route_match match;
	bool question = strcmp(call->method, "OPTIONS") == 0;
	const char *method = question ? exchange->headers[HEADER_REQUEST_METHOD] : call->method;

	if (!route_resolve(method ? method : "", call->path, &call->arena, &match))
		return failure_set(&call->failure, STATUS_NOT_FOUND, "no resource at this path; /docs and /openapi.json list all paths");
	if (question || !match.route)
		route_allow(match.path, exchange->allow);
	call->route = match.route;
	memcpy(call->parameters, match.parameters, sizeof call->parameters);
	if (question) {
		exchange->preflight = true;
		return STATUS_OK;
	}
	if (!match.route)
		return failure_set(&call->failure, STATUS_METHOD_NOT_ALLOWED, "the method %s is not allowed at this path; allowed: %s",
			call->method, exchange->allow);
	return STATUS_OK;
}

/* A key is one client at all of its addresses. Without a key, the address is the client. */
static struct client admission_client(const struct exchange *exchange)
{
	uint64_t address = exchange->peer->address, hash = UINT64_C(14695981039346656037);

	if (strcmp(exchange->call.principal.id, "anonymous") == 0)
		return (struct client){.who = address, .address = address};
	for (const char *c = exchange->identity.owner; *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211); /* FNV-1a */
	return (struct client){.who = hash, .address = address};
}

static enum status admission_caller(struct exchange *exchange)
{
	struct call *call = &exchange->call;
	enum role wanted = call->route->role;
	struct auth_identity *identity = &exchange->identity;
	enum status status;

	if (wanted == ROLE_OPEN || (exchange->http->options.metrics_open && call->route->id == ROUTE_METRICS))
		return STATUS_OK;
	status = auth_identify(call->server->auth, exchange->headers[HEADER_AUTHORIZATION], exchange->peer->address, identity, &call->failure);
	if (status != STATUS_OK)
		return status;
	if (identity->keyless) {
		const struct origin_headers headers = {
			exchange->headers[HEADER_HOST], exchange->headers[HEADER_ORIGIN], exchange->headers[HEADER_FETCH_SITE]};

		status = origin_judge(
			call->method, &headers, exchange->http->options.allowed_hosts, exchange->http->options.cors_origins, &call->failure);
		if (status != STATUS_OK)
			return status;
	}
	call->principal = auth_principal(identity);
	memcpy(exchange->address, exchange->peer->address_text, sizeof exchange->address);
	exchange->client = admission_client(exchange);
	if (!auth_role_covers(identity->role, wanted))
		return failure_set(&call->failure, STATUS_FORBIDDEN, "this request needs the role %s; the key has the role %s",
			auth_role_name(wanted), auth_role_name(identity->role));
	return STATUS_OK;
}

/* A route without query parameters rejects them, like unknown ones elsewhere: a typo must not go unnoticed. */
static enum status admission_query(struct exchange *exchange)
{
	struct call *call = &exchange->call;
	char pointer[FAULT_POINTER_MAX];

	if (call->route->query || call->route->streamed || call->query_count == 0 || strncmp(call->path, "/v1/", 4) != 0)
		return STATUS_OK;
	for (size_t i = 0; i < call->query_count; i++) {
		snprintf(pointer, sizeof pointer, "/%.64s", call->query[i].key);
		failure_add(&call->failure, pointer, "unknown_field", "%s %s takes no query parameters", call->method, call->route->path);
	}
	return STATUS_INVALID;
}

static enum status admission_stream(struct exchange *exchange)
{
	struct body_sink sink;
	enum status status;

	status = streamed_open(exchange->call.route, exchange->call.body_media, &sink, &exchange->call.failure);
	if (status == STATUS_OK)
		body_stream(&exchange->body, &sink);
	return status;
}

static enum status admission_body(struct exchange *exchange)
{
	struct call *call = &exchange->call;
	const char *length = exchange->headers[HEADER_CONTENT_LENGTH], *type = exchange->headers[HEADER_CONTENT_TYPE];
	size_t announced = length ? strtoull(length, NULL, 10) : 0;
	bool has_body = announced > 0 || exchange->headers[HEADER_TRANSFER_ENCODING];
	enum status status;

	call->body_media = MEDIA_COUNT;
	/* The parsed tree of a body of numbers takes up to sixteen times the size of its text. */
	if (!call->route->streamed && call->route->body_maximum_bytes > CALL_ARENA_MAX_BYTES / 16)
		call->arena.maximum_bytes = call->route->body_maximum_bytes * 16;
	status = body_begin(&exchange->body, has_body ? exchange->headers[HEADER_CONTENT_ENCODING] : NULL, announced,
		call->route->body_maximum_bytes, &exchange->http->budget, &call->failure);
	if (status == STATUS_OK && has_body)
		call->body_media = type ? media_parse(type) : MEDIA_COUNT;
	if (status == STATUS_OK && call->route->streamed)
		status = admission_stream(exchange);
	if (status != STATUS_OK || !has_body)
		return status;
	if (call->body_media == MEDIA_COUNT || !(call->route->body_media & MEDIA_BIT(call->body_media)))
		return failure_set(&call->failure, STATUS_UNSUPPORTED_MEDIA,
			"the Content-Type of the body is missing or not supported here; use %s", media_list(call->route->body_media, &call->arena));
	return STATUS_OK;
}

static bool admission_tells_of_health(const struct route *route)
{
	return route->id == ROUTE_LIVEZ || route->id == ROUTE_READYZ || route->id == ROUTE_METRICS;
}

/* Checks the route's own rules. A request that fails here is answered after its body was discarded, and its connection
 * stays open. */
static enum status admission_rules(struct exchange *exchange)
{
	struct call *call = &exchange->call;
	enum status status = admission_route(exchange);

	if (status != STATUS_OK || exchange->preflight)
		return status;
	if (exchange->peer->health_only && !admission_tells_of_health(call->route)) {
		exchange->close = true;
		return failure_set(&call->failure, STATUS_OVERLOADED,
			"all connections are in use, and this address already has some; reuse one of them or try again later");
	}
	status = admission_caller(exchange);
	if (status != STATUS_OK)
		return status;
	call->accept = media_negotiate(exchange->headers[HEADER_ACCEPT], call->route->answer_media);
	if (call->accept == MEDIA_COUNT)
		return failure_set(&call->failure, STATUS_NOT_ACCEPTABLE, "no media type in Accept is possible here; possible: %s",
			media_list(call->route->answer_media, &call->arena));
	call->answer_media = call->accept;
	status = admission_query(exchange);
	return status == STATUS_OK ? admission_body(exchange) : status;
}

static void admission_fill(struct exchange *exchange)
{
	struct call *call = &exchange->call;

	call->if_match = exchange->headers[HEADER_IF_MATCH];
	call->if_none_match = exchange->headers[HEADER_IF_NONE_MATCH];
	call->idempotency_key = exchange->headers[HEADER_IDEMPOTENCY_KEY];
	call->prefer = exchange->headers[HEADER_PREFER];
	call->last_event_id = exchange->headers[HEADER_LAST_EVENT_ID];
	call->principal = (struct principal){.role = ROLE_OPEN, .id = "anonymous", .name = "anonymous", .owner = "anonymous"};
	exchange->client = (struct client){.who = exchange->peer->address, .address = exchange->peer->address};
	json_writer_init(&call->json, &call->answer);
}

size_t admission_discard_bytes(const struct exchange *exchange, enum status status)
{
	bool streamed = exchange->call.route && exchange->call.route->streamed;

	return streamed && (status == STATUS_TOO_LARGE || status == STATUS_MALFORMED || status == STATUS_INVALID) ? JUDGE_DISCARD_STREAMED_BYTES
																											  : JUDGE_DISCARD_MAX_BYTES;
}

enum status admission_request(struct exchange *exchange, const char *method, const char *version, bool *at_once)
{
	struct call *call = &exchange->call;
	enum status status;

	call->method = strcmp(method, "HEAD") == 0 ? "GET" : method;
	status = admission_gate(exchange, method, version);
	admission_identify(exchange);
	admission_fill(exchange);
	if (status == STATUS_OK)
		status = admission_target(exchange);
	*at_once = status != STATUS_OK;
	if (status == STATUS_OK)
		status = admission_rules(exchange);
	if (status != STATUS_OK && !*at_once) {
		const char *length = exchange->headers[HEADER_CONTENT_LENGTH];
		*at_once = exchange->expect_continue || (length && strtoull(length, NULL, 10) > admission_discard_bytes(exchange, status));
	}
	exchange->refused = status;
	exchange->judged = arena_mark(&call->arena);
	return status;
}
