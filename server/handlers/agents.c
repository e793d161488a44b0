/* Agents: their registration, and the benchmarks that they lease. */
#include <ctype.h>

#include "api/bench_protocol.h"
#include "api/tables/tables.h"
#include "base/clock.h"
#include "server/audit_trail.h"
#include "server/commit.h"
#include "server/handlers.h"
#include "server/http_private.h"
#include "server/lease_bearer.h"
#include "server/page_answer.h"
#include "server/server.h"
#include "storage/agents.h"
#include "storage/lease.h"

#define US_PER_S 1e6
#define NS_PER_S 1e9

enum { AGENT_ID_MAX = 64 };

/* The timeout of a benchmark that gives none. */
static const double timeout_default_s = 600;

struct lease_bearer lease_bearer_of(const struct call *call)
{
	return (struct lease_bearer){.key_id = call->principal.owner, .any = call->principal.role == ROLE_ADMIN};
}

enum status handle_agent_list(struct call *call)
{
	struct page_query query = {.limit = ABSENT_COUNT};
	struct page_request page;
	struct agent_list list;
	enum status status = record_decode_query(&table_page_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status != STATUS_OK)
		return status;
	page = page_request_of(&query);
	status = storage_agent_list(call->server->storage, clock_even_us(), &page, &call->arena, &list, &call->failure);
	for (size_t i = 0; i < list.count; i++) {
		list.items[i].lease_s = server_lease_s(call->server);
		list.items[i].heartbeat_s = server_heartbeat_s(call->server);
	}
	return status == STATUS_OK ? page_answer(call, &table_agent, list.items, list.count, list.next_cursor) : status;
}

/* Makes an id from a host's name; NULL without memory. */
static const char *id_of_host(struct call *call, const char *host)
{
	char *id = arena_strndup(&call->arena, host, strnlen(host, AGENT_ID_MAX));

	for (char *c = id; c && *c; c++)
		if (!isalnum((unsigned char)*c) && (c == id || !strchr("._:-", *c)))
			*c = c == id ? 'x' : '-';
	return id;
}

/* Adds a fault with its pointer if an id occurs twice: the client probably meant another device. */
static bool is_repeated(struct call *call, const char *const *ids, size_t index, const char *member)
{
	char pointer[48];

	for (size_t i = 0; i < index; i++)
		if (strcmp(ids[i], ids[index]) == 0) {
			snprintf(pointer, sizeof pointer, "/devices/%zu%s", index, member);
			failure_add(&call->failure, pointer, "repeated", "\"%.60s\" is already given at /devices/%zu%s; give each device once",
				ids[index], i, member);
			return true;
		}
	return false;
}

static enum status check_told(struct call *call, const struct agent_registration *told)
{
	const char *ids[AGENT_DEVICES_MAX];

	for (size_t i = 0; i < told->devices.count; i++) {
		ids[i] = told->devices.items[i].id;
		(void)is_repeated(call, ids, i, "/id");
	}
	return call->failure.status;
}

enum status handle_agent_register(struct call *call)
{
	struct lease_bearer bearer = lease_bearer_of(call);
	struct agent_registration told;
	struct agent_record agent, registered;
	struct agent_put put = {.job.kind = STORAGE_AGENT_PUT, .agent = &agent, .bearer = &bearer, .registered = &registered};
	int64_t now_us = clock_even_us();
	enum status status = record_decode(&table_agent_registration, call->body, call->body_length, &call->arena, &told, &call->failure);

	if (status == STATUS_OK)
		status = check_told(call, &told);
	if (status != STATUS_OK)
		return status;
	agent = (struct agent_record){.id = told.agent_id ? told.agent_id : id_of_host(call, told.host),
		.host = told.host,
		.version = told.version,
		.labels = told.labels,
		.key_id = bearer.any ? NULL : bearer.key_id,
		.registered_at_us = now_us,
		.seen_at_us = now_us};
	if (!agent.id)
		return STATUS_NO_MEMORY;
	put.devices = told.devices.items;
	put.device_count = told.devices.count;
	status = commit_run(call, &put.job);
	if (status != STATUS_OK)
		return status;
	registered.lease_s = server_lease_s(call->server);
	registered.heartbeat_s = server_heartbeat_s(call->server);
	record_encode(&table_agent, &registered, &call->json);
	return STATUS_OK;
}

enum status handle_agent_delete(struct call *call)
{
	struct agent_remove removal = {.job.kind = STORAGE_AGENT_REMOVE, .id = call->parameters[0]};
	enum status status = commit_run(call, &removal.job);

	if (status == STATUS_OK)
		call_no_content(call);
	return status;
}

/* --- asking for work ------------------------------------------------------------------------------------------------ */

/* A request for work, in its call's arena. Between its queries to the storage the watcher owns it. */
struct asking {
	struct watch watch; /* first member, so that a pointer to it is a pointer to the struct */
	struct call *call;
	struct lease_bearer bearer;
	struct lease_request request;
	struct benchmark_record benchmark;
	struct benchmark_claim claim;
	struct benchmark_release release;
	uint64_t changes; /* changes of the queue, counted before the last query */
	int64_t until_ns;
};

static bool client_is_gone(const struct asking *asking)
{
	return peer_is_gone(exchange_of(asking->call)->peer);
}

static void lease_answer(struct asking *asking)
{
	const struct benchmark_record *benchmark = &asking->benchmark;
	struct call *call = asking->call;
	struct lease lease = {.benchmark_id = benchmark->id,
		.device = benchmark->running_device,
		.attempt = benchmark->attempt,
		.attempts_max = LEASE_ATTEMPTS_MAX,
		.token = benchmark->token,
		.lease_s = server_lease_s(call->server),
		.heartbeat_s = server_heartbeat_s(call->server),
		.spec = {.plan_id = benchmark->plan_id, .timeout_s = given_or(benchmark->timeout_s, timeout_default_s), .shapes = benchmark->shapes}};
	enum status status = bench_suite_text(benchmark->suite.text, benchmark->suite.length, &call->arena, &lease.spec.suite);

	if (status == STATUS_OK)
		record_encode(&table_lease, &lease, &call->json);
	call_complete(call, status == STATUS_OK && !call->answer.failed ? STATUS_OK : STATUS_NO_MEMORY);
}

static void lease_returned(struct storage_job *job)
{
	struct asking *asking = job->context;

	call_no_content(asking->call);
	call_complete(asking->call, STATUS_OK);
}

/* The client has left: returns the lease, so that it costs no attempt. */
static void lease_return(struct asking *asking)
{
	asking->release = (struct benchmark_release){
		.job = {.kind = STORAGE_BENCHMARK_RELEASE, .done = lease_returned, .context = asking, .failure = &asking->call->failure},
		.id = asking->benchmark.id,
		.token = asking->benchmark.token,
		.now_us = clock_even_us(),
		.reason = "the agent left before it received the lease"};
	if (storage_submit(asking->call->server->storage, &asking->release.job) != STATUS_OK)
		lease_returned(&asking->release.job); /* then the lease expires */
}

static void lease_asked(struct storage_job *job);

/* Queries the storage for work. */
static enum status lease_ask(struct asking *asking)
{
	struct storage *storage = asking->call->server->storage;

	asking->changes = storage_queue_changes(storage);
	asking->claim = (struct benchmark_claim){.job = {.kind = STORAGE_BENCHMARK_CLAIM,
												 .done = lease_asked,
												 .context = asking,
												 .arena = &asking->call->arena,
												 .failure = &asking->call->failure},
		.agent_id = asking->call->parameters[0],
		.bearer = &asking->bearer,
		.devices = &asking->request.devices,
		.now_us = clock_even_us(),
		.benchmark = &asking->benchmark,
		.lease_us = (int64_t)(server_lease_s(asking->call->server) * US_PER_S)};
	return audit_attach(asking->call, &asking->claim.job) == STATUS_OK ? storage_submit(storage, &asking->claim.job) : STATUS_NO_MEMORY;
}

/* Called on the watcher's thread, ten times a second. A daemon that is shutting down gives no work and does not
 * wait. */
static bool lease_look(struct watch *watch, bool last)
{
	struct asking *asking = (struct asking *)(void *)watch;
	struct call *call = asking->call;
	enum status status;

	if (last || atomic_load(&call->server->draining) || clock_monotonic_ns() >= asking->until_ns || client_is_gone(asking)) {
		call_no_content(call);
		call_complete(call, STATUS_OK);
		return true;
	}
	if (storage_queue_changes(call->server->storage) == asking->changes)
		return false;
	status = lease_ask(asking);
	if (status != STATUS_OK)
		call_complete(call, status);
	return true;
}

/* Called on the storage's thread with the result of the query. */
static void lease_asked(struct storage_job *job)
{
	struct asking *asking = job->context;

	if (job->status != STATUS_OK)
		call_complete(asking->call, job->status);
	else if (asking->claim.found && client_is_gone(asking))
		lease_return(asking);
	else if (asking->claim.found)
		lease_answer(asking);
	else
		watcher_add(&exchange_of(asking->call)->http->watcher, &asking->watch);
}

enum status handle_agent_lease(struct call *call)
{
	struct asking *asking = ARENA_NEW(&call->arena, struct asking);
	enum status status;

	if (!asking)
		return STATUS_NO_MEMORY;
	*asking = (struct asking){.watch.look = lease_look, .call = call, .bearer = lease_bearer_of(call)};
	status = record_decode(&table_lease_request, call->body, call->body_length, &call->arena, &asking->request, &call->failure);
	for (size_t i = 0; status == STATUS_OK && i < asking->request.devices.count; i++)
		(void)is_repeated(call, asking->request.devices.items, i, "");
	if (status == STATUS_OK)
		status = call->failure.status;
	if (status != STATUS_OK)
		return status;
	asking->until_ns = clock_monotonic_ns() + (int64_t)(given_or(asking->request.wait_s, 0) * NS_PER_S);
	status = lease_ask(asking);
	return status == STATUS_OK ? HANDLER_PENDING : status;
}
