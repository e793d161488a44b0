#include "server/audit_trail.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "hwdb/catalogue/records.h"
#include "server/auth.h"
#include "server/http_private.h"
#include "server/server.h"
#include "storage/audit.h"

enum { LONE_ARENA_BYTES = 16 * 1024 };
static const int64_t minute_ns = INT64_C(60000000000);

/* An entry without a storage job of its own write. */
struct lone_entry {
	struct audit_put put; /* first member, so that a pointer to it is a pointer to the struct */
	struct audit_record entry;
	struct arena arena;
};

static struct {
	pthread_mutex_t mutex;
	int64_t minute_ends_ns;
	int refusals; /* of this minute */
	_Atomic uint64_t dropped;
	_Atomic int waiting;
} audit = {.mutex = PTHREAD_MUTEX_INITIALIZER};

uint64_t audit_dropped(void)
{
	return atomic_load(&audit.dropped);
}

/* Heartbeats change nothing that is worth an audit entry. */
static bool route_writes(const struct route *route)
{
	return route && strcmp(route->method, "GET") != 0 &&
		(route->role == ROLE_PLANNER || route->role == ROLE_ADMIN || route->role == ROLE_AGENT) && route->id != ROUTE_LEASE_HEARTBEAT;
}

static const char *header_of(const struct call *call, const char *name)
{
	for (size_t i = 0; i < call->header_count; i++)
		if (strcmp(call->headers[i].name, name) == 0)
			return call->headers[i].value;
	return NULL;
}

/* The object that the answer's Location names, or else the one in the path. */
static const char *entity_of(const struct call *call)
{
	const char *location = header_of(call, "Location"), *slash = location ? strrchr(location, '/') : NULL;

	return slash ? slash + 1 : call->parameters[0];
}

static int64_t revision_of(const struct call *call)
{
	const char *tag = header_of(call, "ETag");

	return tag && *tag == '"' && tag[1] >= '0' && tag[1] <= '9' ? strtoll(tag + 1, NULL, 10) : ABSENT_COUNT;
}

static struct audit_record entry_of(struct call *call)
{
	const struct exchange *exchange = exchange_of(call);

	return (struct audit_record){.key_id = call->principal.id,
		.key_name = call->principal.name,
		.role = auth_role_name(call->principal.role),
		.address = *exchange->address ? exchange->address : NULL,
		.request_id = *call->request_id ? call->request_id : NULL,
		.method = call->method,
		.path = call->path,
		.entity = entity_of(call),
		.revision = revision_of(call),
		.outcome = "done",
		.http_status = call->http_status ? call->http_status : call->route->success};
}

enum status audit_entry_of(struct call *call, const struct audit_record **entry)
{
	struct audit_record *made;

	*entry = NULL;
	if (!route_writes(call->route))
		return STATUS_OK;
	made = ARENA_NEW(&call->arena, struct audit_record);
	if (!made)
		return STATUS_NO_MEMORY;
	*made = entry_of(call);
	*entry = made;
	exchange_of(call)->audited = true;
	return STATUS_OK;
}

enum status audit_attach(struct call *call, struct storage_job *job)
{
	return audit_entry_of(call, &job->audit);
}

void audit_none(struct call *call)
{
	exchange_of(call)->audited = true;
}

static void count_dropped(const char *why)
{
	if (atomic_fetch_add(&audit.dropped, 1) % AUDIT_REFUSALS_A_MINUTE == 0)
		log_event(LOG_WARNING, "audit_dropped", LOG_TEXT("detail", why), LOG_INTEGER("dropped", (int64_t)audit_dropped()));
}

static bool refusal_has_room(void)
{
	int64_t now_ns = clock_monotonic_ns();
	bool room;

	pthread_mutex_lock(&audit.mutex);
	if (now_ns >= audit.minute_ends_ns) {
		audit.minute_ends_ns = now_ns + minute_ns;
		audit.refusals = 0;
	}
	room = audit.refusals++ < AUDIT_REFUSALS_A_MINUTE;
	pthread_mutex_unlock(&audit.mutex);
	return room;
}

static void lone_free(struct lone_entry *lone)
{
	arena_release(&lone->arena);
	free(lone);
	atomic_fetch_sub(&audit.waiting, 1);
}

static void lone_done(struct storage_job *job)
{
	if (job->status != STATUS_OK)
		count_dropped("the database could not be written");
	lone_free((struct lone_entry *)(void *)job);
}

/* Copies the entry and queues it alone. The call may be gone before the entry is written. */
static void write_alone(struct call *call, const struct audit_record *told)
{
	struct lone_entry *lone = atomic_fetch_add(&audit.waiting, 1) < AUDIT_WAITING_MAX ? calloc(1, sizeof *lone) : NULL;

	if (!lone) {
		atomic_fetch_sub(&audit.waiting, 1);
		count_dropped("too many entries wait");
		return;
	}
	arena_init(&lone->arena, LONE_ARENA_BYTES);
	lone->entry = *told;
	lone->entry.key_id = arena_strdup(&lone->arena, told->key_id);
	lone->entry.key_name = arena_strdup(&lone->arena, told->key_name);
	lone->entry.address = arena_strdup(&lone->arena, told->address);
	lone->entry.request_id = arena_strdup(&lone->arena, told->request_id);
	lone->entry.method = call->route->method;
	lone->entry.path = arena_strdup(&lone->arena, told->path);
	lone->entry.entity = arena_strdup(&lone->arena, told->entity);
	lone->put.job = (struct storage_job){.kind = STORAGE_AUDIT_PUT, .done = lone_done, .audit = &lone->entry};
	if (!lone->entry.key_id || !lone->entry.path || storage_submit(call->server->storage, &lone->put.job) != STATUS_OK) {
		lone_free(lone);
		count_dropped("it could not be queued");
	}
}

void audit_finish(struct exchange *exchange, enum status status)
{
	struct call *call = &exchange->call;
	struct audit_record entry;
	int http_status = status_http(status);

	if (!route_writes(call->route) || call->principal.role == ROLE_OPEN || !call->server || !call->server->storage)
		return;
	if (status == STATUS_OK ? exchange->audited : http_status < 400 || http_status >= 500 || exchange->is_twin || exchange->identity.keyless)
		return;
	entry = entry_of(call);
	if (status != STATUS_OK) {
		entry.outcome = "refused";
		entry.http_status = http_status;
		entry.revision = ABSENT_COUNT;
		if (!refusal_has_room()) {
			count_dropped("more refusals in a minute than the audit log records");
			return;
		}
	}
	exchange->audited = true;
	write_alone(call, &entry);
}
