/* The routes about the service: /livez, /readyz, /metrics, /version, /openapi.json, /openapi-3.0.json. */
#include <microhttpd.h>
#include <pthread.h>

#include "api/openapi.h"
#include "server/handlers.h"
#include "server/metrics.h"
#include "server/server.h"

enum { OPENAPI_MAX_BYTES = 8 * 1024 * 1024 };

/* Reports that this thread runs; checks nothing else. */
enum status handle_livez(struct call *call)
{
	const struct health health = {.status = "ok"};

	record_encode(&table_health, &health, &call->json);
	return STATUS_OK;
}

/* Describes known damage of the database; the service continues. NULL: no damage is known. */
static const char *readyz_damage(struct call *call, const struct storage_state *state)
{
	const char *rows = "", *lost = "", *faults = "";

	if (state->damaged_rows == 0 && state->lost_commits == 0 && state->scrub_faults == 0)
		return state->scrub_failed ? "the last check of the database could not read all of it; it is repeated within ten minutes" : NULL;
	if (state->damaged_rows > 0)
		rows = arena_printf(&call->arena, "; %llu row%s of the catalogue left out because of a wrong checksum",
			(unsigned long long)state->damaged_rows, state->damaged_rows == 1 ? "" : "s");
	if (state->lost_commits > 0)
		lost = arena_printf(&call->arena, "; %lld acknowledged changes were missing at the start", (long long)state->lost_commits);
	if (state->scrub_faults > 0)
		faults = arena_printf(&call->arena, "; the last check found %llu faults", (unsigned long long)state->scrub_faults);
	return arena_printf(&call->arena, "the database is damaged%s%s%s%s; read the log and run `fleetplan check`", rows ? rows : "",
		lost ? lost : "", faults ? faults : "", state->scrub_failed ? "; the last check could not read all of it" : "");
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
	health.detail = readyz_damage(call, &state);
	if (call_query(call, "verbose"))
		health.detail = arena_printf(&call->arena,
			"%s%sstorage writable, schema %d, %llu commits, %llu failed; %s; catalogue revision %lld; not draining",
			health.detail ? health.detail : "", health.detail ? "; " : "", state.schema_version, (unsigned long long)state.commits,
			(unsigned long long)state.failed_commits, state.scrubs > 0 ? "checked since the start" : "being checked",
			(long long)call_catalogue(call)->revision);
	record_encode(&table_health, &health, &call->json);
	return STATUS_OK;
}

enum status handle_metrics(struct call *call)
{
	metrics_write(call->server, &call->answer);
	return STATUS_OK;
}

enum status handle_version(struct call *call)
{
	const struct version version = {.version = FLEETPLAN_VERSION,
		.api = "v1",
		.compiler = __VERSION__,
		.sqlite = storage_library_version(),
		.microhttpd = MHD_get_version(),
		.jansson = catalogue_library_version(),
		.started_at_us = call->server->started_us};

	record_encode(&table_version, &version, &call->json);
	return STATUS_OK;
}

static struct asset openapi[] = {[SCHEMA_OPENAPI_3_1] = {.media = MEDIA_JSON}, [SCHEMA_OPENAPI_3_0] = {.media = MEDIA_JSON}};

static void openapi_make(void)
{
	for (enum schema_dialect dialect = SCHEMA_OPENAPI_3_1; dialect <= SCHEMA_OPENAPI_3_0; dialect++) {
		struct json_writer writer;
		struct buffer text;
		size_t length;

		buffer_init(&text, OPENAPI_MAX_BYTES);
		json_writer_init(&writer, &text);
		openapi_write(dialect, &writer);
		openapi[dialect].begin = buffer_detach(&text, &length);
		openapi[dialect].end = openapi[dialect].begin + length;
	}
}

static enum status openapi_answer(struct call *call, enum schema_dialect dialect)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, openapi_make);
	if (!openapi[dialect].begin)
		return failure_set(&call->failure, STATUS_NO_MEMORY, "no memory for the description");
	return call_asset(call, &openapi[dialect]);
}

enum status handle_openapi(struct call *call)
{
	return openapi_answer(call, SCHEMA_OPENAPI_3_1);
}

enum status handle_openapi_3_0(struct call *call)
{
	return openapi_answer(call, SCHEMA_OPENAPI_3_0);
}
