#include "server/request_log.h"

#include "base/clock.h"
#include "base/log.h"
#include "server/exchange.h"

void request_log(const struct exchange *exchange, bool sent)
{
	const struct call *call = &exchange->call;
	int status = exchange->http_status;

	log_event(status >= 500 ? LOG_WARNING : LOG_INFO, "request", LOG_TEXT("method", call->method),
		LOG_TEXT("route", call->route ? call->route->path : NULL), LOG_INTEGER("status", status),
		LOG_DOUBLE("duration_ms", (double)(clock_monotonic_ns() - exchange->started_ns) / 1e6),
		LOG_INTEGER("request_bytes", exchange->body.wire_bytes), LOG_INTEGER("response_bytes", exchange->answer_length),
		LOG_TEXT("request_id", call->request_id[0] ? call->request_id : NULL),
		LOG_TEXT("traceparent", call->traceparent[0] ? call->traceparent : NULL), LOG_TEXT("principal", call->principal.id),
		LOG_TEXT("outcome", sent ? "sent" : "aborted"));
}
