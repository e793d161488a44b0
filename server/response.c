/* Answers: their bytes, their headers, and how they are sent. */
#include <sys/socket.h>

#include "api/problem.h"
#include "server/audit_trail.h"
#include "server/export.h"
#include "server/http_private.h"
#include "server/server.h"
#include "server/stream.h"
#include "server/wire/compress.h"

enum { RESPONSE_PACK_AT_ONCE_BYTES = 64 * 1024, RESPONSE_FREE_BYTES = 64 * 1024 };

/* Writes the problem. A failure without a detail gets its status's title. */
static void response_problem(struct exchange *exchange, enum status status)
{
	struct call *call = &exchange->call;

	call->failure.status = status;
	failure_summarize(&call->failure);
	if (!call->failure.detail[0])
		snprintf(call->failure.detail, sizeof call->failure.detail, "%s", status_title(status));
	if (status == STATUS_OVERLOADED || status == STATUS_UNAVAILABLE || status == STATUS_DRAINING || status == STATUS_NO_MEMORY) {
		if (call->failure.retry_after_s == 0)
			call->failure.retry_after_s = 1;
	}
	exchange->fixed = exchange->fixed_packed = NULL;
	buffer_clear(&call->answer);
	json_writer_init(&call->json, &call->answer);
	api_problem(&call->failure, call->path ? call->path : "/", call->request_id, &call->json);
	call->answer_media = MEDIA_PROBLEM;
	call->http_status = status_http(status);
	call->header_count = 0;
	if (status == STATUS_METHOD_NOT_ALLOWED)
		call_header(call, "Allow", exchange->allow);
	if (status == STATUS_UNAUTHORIZED)
		call_header(call, "WWW-Authenticate", "Bearer realm=\"fleetplan\"");
	if (call->failure.retry_after_s > 0)
		call_header(call, "Retry-After", arena_printf(&call->arena, "%d", call->failure.retry_after_s));
}

/* --- memory of answers -------------------------------------------------------------------------------------------- */

/* Frees the handler's working memory: only the answer and the values of its headers are still needed. */
static void response_forget_work(struct exchange *exchange)
{
	struct call *call = &exchange->call;
	char *values[CALL_HEADERS_MAX] = {0};
	size_t count = call->header_count;
	bool whole = true;

	if (!exchange->judged.block || exchange->waiting || exchange->stream || exchange->export || call->arena.total_bytes <= ARENA_KEEP_BYTES)
		return;
	for (size_t i = 0; i < count; i++)
		whole &= (values[i] = strdup(call->headers[i].value)) != NULL;
	if (whole)
		arena_rewind(&call->arena, exchange->judged);
	for (size_t i = 0; i < count; i++) {
		if (whole && !(call->headers[i].value = arena_strdup(&call->arena, values[i])))
			call->headers[i].value = "";
		free(values[i]);
	}
}

/* Charges the memory of the answer; false if the budget is exceeded. Short answers are free, so that a refusal can
 * always be sent. */
static bool response_charge(struct exchange *exchange)
{
	struct memory_budget *budget = &exchange->http->budget;
	size_t held = exchange->call.answer.capacity + exchange->packed.capacity + exchange->call.arena.total_bytes, used;

	held = held > RESPONSE_FREE_BYTES + ARENA_KEEP_BYTES ? held : 0;
	used = atomic_fetch_add(&budget->used_bytes, held - exchange->held_bytes) + held -
		exchange->held_bytes; /* unsigned arithmetic wraps if it is less */
	exchange->held_bytes = held;
	return held == 0 || used <= budget->maximum_bytes;
}

/* Checks the budget for answers. The answer to a request that changed something is sent even if the budget is
 * exceeded. */
static enum status response_hold(struct exchange *exchange)
{
	struct call *call = &exchange->call;

	if (call->answer.length > RESPONSE_FREE_BYTES)
		buffer_shrink(&call->answer);
	if (response_charge(exchange) || !call->method || strcmp(call->method, "GET") != 0)
		return STATUS_OK;
	buffer_release(&call->answer);
	(void)response_charge(exchange);
	call->failure.retry_after_s = 1;
	return failure_set(&call->failure, STATUS_OVERLOADED, "the memory for answers and request bodies is full (--memory-mb); try again later");
}

static bool response_has_body(const struct call *call)
{
	return call->http_status != 204 && call->http_status != 304;
}

void response_pack(struct exchange *exchange)
{
	const struct buffer *answer = &exchange->call.answer;

	if (exchange->pack_tried || exchange->fixed || !response_has_body(&exchange->call))
		return;
	exchange->pack_tried = true;
	if (answer->length >= COMPRESS_LEAST_BYTES && media_accepts_gzip(exchange->headers[HEADER_ACCEPT_ENCODING]))
		compress_gzip(answer->bytes, answer->length, &exchange->packed);
	if (exchange->packed.length > RESPONSE_FREE_BYTES || answer->length > RESPONSE_FREE_BYTES) {
		if (exchange->packed.length)
			buffer_release(&exchange->call.answer);
		buffer_shrink(&exchange->packed);
		(void)response_charge(exchange);
	}
}

bool response_pack_is_work(const struct exchange *exchange)
{
	return !exchange->fixed && response_has_body(&exchange->call) && exchange->call.answer.length > RESPONSE_PACK_AT_ONCE_BYTES &&
		media_accepts_gzip(exchange->headers[HEADER_ACCEPT_ENCODING]);
}

void response_finish(struct exchange *exchange, enum status status)
{
	struct call *call = &exchange->call;

	if (status == STATUS_OK && call->answer.failed)
		status = failure_set(&call->failure, STATUS_NO_MEMORY, "the answer is larger than the allowed maximum; request fewer rows or fields");
	if (status == STATUS_OK && call->http_status == 0)
		call->http_status = 200;
	audit_finish(exchange, status);
	if (exchange->http && !exchange->fixed && !exchange->job) { /* the command line has no HTTP; a job keeps its answer within its own limits */
		response_forget_work(exchange);
		if (status == STATUS_OK)
			status = response_hold(exchange);
	}
	if (status != STATUS_OK)
		response_problem(exchange, status);
	exchange->step = STEP_COMPLETE;
}

static void response_body(const struct exchange *exchange, const void **bytes, size_t *length)
{
	*bytes = "";
	*length = 0;
	if (!response_has_body(&exchange->call))
		return;
	if (exchange->fixed_packed) {
		*bytes = exchange->fixed_packed;
		*length = exchange->fixed_packed_length;
	} else if (exchange->packed.length) {
		*bytes = exchange->packed.bytes;
		*length = exchange->packed.length;
	} else if (exchange->fixed) {
		*bytes = exchange->fixed;
		*length = exchange->fixed_length;
	} else if (exchange->call.answer.bytes) {
		*bytes = exchange->call.answer.bytes;
		*length = exchange->call.answer.length;
	}
}

static void response_security_headers(struct MHD_Response *response, const struct call *call)
{
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	if (call->answer_media == MEDIA_HTML) {
		MHD_add_response_header(response, "Content-Security-Policy",
			"default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'");
		MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	}
}

static void response_cors_headers(struct MHD_Response *response, const struct exchange *exchange)
{
	const char *origin = exchange->headers[HEADER_ORIGIN], *origins = exchange->http->options.cors_origins;

	if (!origins || !*origins)
		return;
	MHD_add_response_header(response, "Vary", "Origin");
	if (!cors_allows(origins, origin))
		return;
	MHD_add_response_header(response, "Access-Control-Allow-Origin", origin);
	if (!exchange->preflight) {
		MHD_add_response_header(
			response, "Access-Control-Expose-Headers", "ETag, Link, Location, Preference-Applied, Retry-After, X-Request-Id");
		return;
	}
	MHD_add_response_header(response, "Access-Control-Allow-Methods", exchange->allow);
	MHD_add_response_header(response, "Access-Control-Allow-Headers",
		"Accept, Authorization, Content-Encoding, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id, traceparent");
	MHD_add_response_header(response, "Access-Control-Max-Age", "600");
}

/* True if the handler set this header itself. */
static bool response_has_header(const struct call *call, const char *name)
{
	for (size_t i = 0; i < call->header_count; i++) {
		if (strcmp(call->headers[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Adds the handler's headers. A compressed answer is another representation with its own tag (RFC 9110 8.8.3.3). */
static void response_handler_headers(struct MHD_Response *response, const struct call *call, bool packed)
{
	for (size_t i = 0; i < call->header_count; i++) {
		const struct call_header *header = &call->headers[i];
		char tag[128];

		if (packed && strcmp(header->name, "ETag") == 0) {
			snprintf(tag, sizeof tag, "%.*s" CALL_PACKED_WORD "\"", (int)strlen(header->value) - 1, header->value);
			MHD_add_response_header(response, header->name, tag);
		} else {
			MHD_add_response_header(response, header->name, header->value);
		}
	}
}

static void response_headers(struct MHD_Response *response, const struct exchange *exchange)
{
	const struct call *call = &exchange->call;
	bool packed = exchange->packed.length || exchange->fixed_packed;

	if (response_has_body(call)) {
		MHD_add_response_header(response, "Content-Type", media_content_type(call->answer_media));
		response_security_headers(response, call);
	}
	if (packed)
		MHD_add_response_header(response, "Content-Encoding", "gzip");
	if (exchange->packed.length || call->answer.length >= COMPRESS_LEAST_BYTES || exchange->fixed)
		MHD_add_response_header(response, "Vary", "Accept-Encoding");
	if (call->route && (call->route->answer_media & (call->route->answer_media - 1))) /* the path has several media types */
		MHD_add_response_header(response, "Vary", "Accept");
	if (!response_has_header(call, "Cache-Control"))
		MHD_add_response_header(response, "Cache-Control", response_has_header(call, "ETag") ? "no-cache" : "no-store");
	response_handler_headers(response, call, packed);
	MHD_add_response_header(response, "X-Request-Id", call->request_id);
	if (call->traceparent[0])
		MHD_add_response_header(response, "traceparent", call->traceparent);
	response_cors_headers(response, exchange);
	if (exchange->close || atomic_load(&exchange->http->quiescing))
		MHD_add_response_header(response, "Connection", "close");
}

enum MHD_Result response_send(struct exchange *exchange)
{
	struct MHD_Response *response;
	enum MHD_Result result;
	const void *bytes;
	size_t length;

	exchange->step = STEP_ANSWERED;
	exchange->http_status = exchange->call.http_status;
	response_pack(exchange);
	response_body(exchange, &bytes, &length);
	exchange->answer_length = length;
	atomic_store(&exchange->peer->held_bytes, exchange->held_bytes);
	if (!peer_enter(&exchange->http->peers, exchange->peer, PHASE_SENDING))
		return MHD_NO;
	/* libmicrohttpd does not copy the bytes: they stay valid until it announces the end of the request. */
	response = exchange->stream ? stream_response(exchange)
		: exchange->export      ? export_response(exchange)
								: MHD_create_response_from_buffer(length, (void *)(uintptr_t)bytes, MHD_RESPMEM_PERSISTENT);
	if (!response)
		return MHD_NO;
	response_headers(response, exchange);
	result = MHD_queue_response(exchange->mhd, (unsigned)exchange->http_status, response);
	MHD_destroy_response(response);
	return result;
}

void response_abort(struct exchange *exchange)
{
	const struct call *call = &exchange->call;
	struct buffer text;

	exchange->step = STEP_ANSWERED;
	exchange->http_status = call->http_status;
	exchange->answer_length = call->answer.length;
	exchange->peer->linger = true;
	buffer_init(&text, call->answer.length + 1024);
	buffer_printf(&text, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nX-Request-Id: %s\r\nConnection: close\r\n",
		call->http_status, MHD_get_reason_phrase_for((unsigned)call->http_status), media_content_type(call->answer_media),
		call->answer.length, call->request_id);
	for (size_t i = 0; i < call->header_count; i++)
		buffer_printf(&text, "%s: %s\r\n", call->headers[i].name, call->headers[i].value);
	buffer_append_text(&text, "\r\n");
	if (call->answer.length)
		buffer_append(&text, call->answer.bytes, call->answer.length);
	if (!text.failed && peer_enter(&exchange->http->peers, exchange->peer, PHASE_SENDING))
		(void)!send(exchange->peer->fd, text.bytes, text.length, MSG_DONTWAIT | MSG_NOSIGNAL);
	buffer_release(&text);
}
