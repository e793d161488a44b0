/* What the service says of itself: /livez, /readyz, /metrics, /version, /openapi.json. */
#include <microhttpd.h>
#include <pthread.h>

#include "api/openapi.h"
#include "server/handlers.h"
#include "server/metrics.h"
#include "server/server.h"

enum { OPENAPI_MAX_BYTES = 8 * 1024 * 1024 };

/* Alive means that this thread got here; nothing else is touched. */
enum status handle_livez(struct call *call)
{
	const struct health health = {.status = "ok"};

	api_encode(&table_health, &health, &call->json);
	return STATUS_OK;
}

enum status handle_readyz(struct call *call)
{
	struct health health = {.status = "ok"};
	struct storage_state state;

	if (atomic_load(&call->server->draining))
		return failure_set(&call->failure, STATUS_DRAINING, "the daemon is shutting down");
	storage_state_get(call->server->storage, &state);
	if (!state.writable)
		return failure_set(&call->failure, STATUS_UNAVAILABLE, "the database cannot be written: %s", state.last_detail);
	if (call_query(call, "verbose"))
		health.detail = arena_printf(&call->arena, "storage writable, schema %d, %llu commits, %llu failed; catalogue revision %lld; not draining",
			state.schema_version, (unsigned long long)state.commits, (unsigned long long)state.failed_commits,
			(long long)call_catalogue(call)->revision);
	api_encode(&table_health, &health, &call->json);
	return STATUS_OK;
}

enum status handle_metrics(struct call *call)
{
	metrics_write(call->server, &call->answer);
	return STATUS_OK;
}

enum status handle_version(struct call *call)
{
	const struct version version = {.version = FLEETPLAN_VERSION, .api = "v1", .compiler = __VERSION__,
		.sqlite = storage_library_version(), .microhttpd = MHD_get_version(), .jansson = catalogue_library_version(), .started_at_us = call->server->started_us};

	api_encode(&table_version, &version, &call->json);
	return STATUS_OK;
}

static struct asset openapi = {.media = MEDIA_JSON};

static void openapi_make(void)
{
	struct json_writer writer;
	struct buffer text;
	size_t length;

	buffer_init(&text, OPENAPI_MAX_BYTES);
	json_writer_init(&writer, &text);
	openapi_write(&writer);
	openapi.begin = buffer_detach(&text, &length);
	openapi.end = openapi.begin + length;
}

enum status handle_openapi(struct call *call)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, openapi_make);
	if (!openapi.begin)
		return failure_set(&call->failure, STATUS_NO_MEMORY, "no memory for the description");
	return call_asset(call, &openapi);
}
