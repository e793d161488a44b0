#include "agent/agent.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent/agent_private.h"
#include "base/clock.h"
#include "base/log.h"

enum { LEASE_ARENA_BYTES = 1024 * 1024, IDLE_S = 5, PROBE_RETRY_S = 30, LEASE_SLACK_S = 15, BROKEN_TRIES = 8 };

#define NS_PER_S 1e9

static double chance(void)
{
	return randombytes_random() / 4294967296.0;
}

static int64_t in_s(double seconds)
{
	return clock_monotonic_ns() + (int64_t)(seconds * NS_PER_S);
}

struct link_patience agent_patience(const struct agent *agent, double seconds)
{
	double left_s = (double)(atomic_load(&agent->drained_ns) - clock_monotonic_ns()) / NS_PER_S;

	if (!atomic_load(&agent->stopping))
		return (struct link_patience){seconds, agent->wake_fd};
	return (struct link_patience){fmax(0.001, fmin(seconds, left_s)), -1};
}

bool agent_must_end(const struct agent *agent)
{
	return atomic_load(&agent->stopping) && clock_monotonic_ns() >= atomic_load(&agent->drained_ns);
}

void agent_wait(struct agent *agent, double seconds)
{
	struct pollfd polled = {.fd = agent->wake_fd, .events = POLLIN};

	if (atomic_load(&agent->stopping)) /* wake_fd stays readable */
		usleep((useconds_t)(fmin(seconds, 1) * 1e6));
	else
		(void)poll(&polled, 1, (int)(seconds * 1e3) + 1);
}

void agent_wait_after(struct agent *agent, const char *event)
{
	double wait_s = backoff_wait_s(&agent->backoff, agent->link.retry_after_s, chance());

	if (atomic_load(&agent->stopping))
		return;
	log_event(LOG_WARNING, event, LOG_TEXT("detail", agent->link.detail), LOG_DOUBLE("wait_s", wait_s));
	agent_wait(agent, wait_s);
}

/* --- devices ----------------------------------------------------------------------------------------------------- */
static bool is_offered(const struct agent *agent, const struct bench_device_slot *slot)
{
	const char *item = agent->options->devices;
	bool offered = !*item;

	for (size_t length; *item; item += length + strspn(item + length, ", ")) {
		length = strcspn(item, ", ");
		offered = offered || (strlen(slot->id) == length && strncmp(slot->id, item, length) == 0);
	}
	return offered;
}

static void probe_devices(struct agent *agent)
{
	bool told = bench_devices_probe(&agent->devices, agent->program, &agent->stopping);

	agent->registered = agent->registered && !told;
	agent->probe_ns = in_s(told ? agent->options->probe_seconds : PROBE_RETRY_S);
}

/* Lists the devices that are ready for work. False: a state changed, so register first. */
static bool list_ready(struct agent *agent, struct text_list *ready, const char **ids)
{
	bool changed, known = true;

	*ready = (struct text_list){.items = ids, .count = 0};
	for (size_t i = 0; i < agent->devices.count; i++) {
		struct bench_device_slot *slot = &agent->devices.slots[i];

		if (bench_device_ready(slot, &changed) && is_offered(agent, slot))
			ids[ready->count++] = slot->id;
		known = known && !changed;
	}
	return known;
}

static struct device_record describe_device(const struct agent *agent, const struct bench_device_slot *slot)
{
	return (struct device_record){.id = slot->id,
		.node = agent->node,
		.backend = slot->told.backend,
		.name = slot->told.name,
		.accelerator = slot->told.accelerator,
		.driver = slot->told.driver,
		.memory_bytes = slot->told.memory_bytes,
		.state = bench_device_state_name(slot->state),
		.state_reason = *slot->reason ? slot->reason : NULL,
		.properties = {slot->properties, strlen(slot->properties)}};
}

static bool register_agent(struct agent *agent)
{
	struct agent_registration registration = {.agent_id = agent->spool.agent_id, .host = agent->node, .version = FLEETPLAN_VERSION};
	struct device_record records[BENCH_DEVICES_MAX];
	enum link_end end;

	registration.devices.items = records;
	for (size_t i = 0; i < agent->devices.count; i++) {
		if (is_offered(agent, &agent->devices.slots[i]))
			records[registration.devices.count++] = describe_device(agent, &agent->devices.slots[i]);
	}
	end = link_register(&agent->link, &registration, agent_patience(agent, CALL_S));
	agent->registered = end == LINK_OK || end == LINK_EMPTY;
	if (!agent->registered) {
		agent_wait_after(agent, "agent_not_registered");
		return false;
	}
	backoff_reset(&agent->backoff);
	log_event(LOG_INFO, "agent_registered", LOG_TEXT("agent", agent->spool.agent_id), LOG_TEXT("node", agent->node),
		LOG_INTEGER("devices", registration.devices.count));
	return true;
}

/* --- work -------------------------------------------------------------------------------------------------------- */
/* Waits before the next request if the server answered "no work" at once instead of waiting. */
static void wait_if_early(struct agent *agent, int64_t asked_ns)
{
	if (clock_monotonic_ns() - asked_ns < (int64_t)NS_PER_S)
		agent_wait(agent, 0.5 + chance());
}

/* Sends SIGTERM to this process after idle_seconds without work: the command then stops as for any SIGTERM. */
static void end_when_idle(struct agent *agent)
{
	unsigned most_s = agent->options->idle_seconds;

	if (!most_s || clock_monotonic_ns() - agent->worked_ns < (int64_t)(most_s * NS_PER_S))
		return;
	log_event(LOG_INFO, "agent_idle", LOG_INTEGER("seconds", most_s));
	agent->worked_ns = clock_monotonic_ns();
	(void)kill(getpid(), SIGTERM);
}

static void ask_for_work(struct agent *agent, const struct text_list *ready)
{
	const struct agent_options *options = agent->options;
	double patient_s = options->idle_seconds ? fmin(options->wait_seconds, options->idle_seconds) : options->wait_seconds;
	const struct lease_request request = {.devices = *ready, .wait_s = patient_s};
	int64_t asked_ns = clock_monotonic_ns();
	struct arena arena;
	struct lease lease;
	enum link_end end;

	arena_init(&arena, LEASE_ARENA_BYTES);
	/* A stop always interrupts this call: the agent would only release work that it leases then. */
	end = link_lease(&agent->link, agent->spool.agent_id, &request, (struct link_patience){request.wait_s + LEASE_SLACK_S, agent->wake_fd},
		&arena, &lease);
	switch (end) {
	case LINK_OK:
		backoff_reset(&agent->backoff);
		agent_lease_run(agent, &lease);
		agent->worked_ns = clock_monotonic_ns();
		break;
	case LINK_EMPTY:
		backoff_reset(&agent->backoff);
		end_when_idle(agent);
		wait_if_early(agent, asked_ns);
		break;
	case LINK_UNKNOWN:
		log_event(LOG_WARNING, "agent_forgotten", LOG_TEXT("detail", agent->link.detail));
		agent->registered = false;
		wait_if_early(agent, asked_ns);
		break;
	case LINK_INTERRUPTED:
		break;
	case LINK_DENIED:  /* register with the new key, */
	case LINK_REFUSED: /* or with the current devices */
		agent->registered = false;
		agent_wait_after(agent, "agent_without_work");
		break;
	case LINK_STALE:
	case LINK_BROKEN:
	case LINK_AWAY:
	case LINK_END_COUNT:
		agent_wait_after(agent, "agent_without_work");
		break;
	}
	arena_release(&arena);
}

/* True if the server has accepted or finally rejected all results in the spool. Before that the agent does not ask for
 * work: asking for work says that the devices are free and that their benchmarks are over. True also after more than
 * BROKEN_TRIES server errors in a row, so that a result that the server cannot handle does not idle this node. */
static bool is_delivered(struct agent *agent)
{
	enum link_end end = agent_spool_deliver(agent);

	agent->broken = end == LINK_BROKEN ? agent->broken + 1 : 0;
	if (end == LINK_DENIED)
		agent->registered = false;
	if (end == LINK_OK || agent->broken > BROKEN_TRIES)
		return true;
	agent_wait_after(agent, "agent_spool_waits");
	return false;
}

/* One round: list devices, register, deliver, ask for work. A step that fails waits; the next round starts again. */
static void work_once(struct agent *agent)
{
	const char *ids[BENCH_DEVICES_MAX];
	struct text_list ready;

	if (clock_monotonic_ns() >= agent->probe_ns)
		probe_devices(agent);
	if (!list_ready(agent, &ready, ids))
		agent->registered = false;
	if (!agent->registered && !register_agent(agent))
		return;
	if (!is_delivered(agent) || atomic_load(&agent->stopping))
		return;
	if (ready.count == 0)
		agent_wait(agent, IDLE_S);
	else
		ask_for_work(agent, &ready);
}

static void *agent_thread(void *context)
{
	struct agent *agent = context;

	while (!atomic_load(&agent->stopping))
		work_once(agent);
	while (agent_spool_deliver(agent) != LINK_OK && !agent_must_end(agent))
		agent_wait(agent, 1);
	return NULL;
}

/* --- life -------------------------------------------------------------------------------------------------------- */
static void agent_free(struct agent *agent)
{
	link_close(&agent->link);
	link_close(&agent->beats);
	spool_close(&agent->spool);
	bench_devices_release(&agent->devices);
	if (agent->wake_fd >= 0)
		close(agent->wake_fd);
	free(agent);
}

static enum status agent_open(struct agent *agent, struct failure *failure)
{
	const struct agent_options *options = agent->options;
	const struct link_options link = {
		.server = options->server, .key_file = options->key_file, .http = {.ca_file = options->ca_file, .plain_anywhere = options->insecure}};
	enum status status = link_open(&agent->link, &link, failure);

	snprintf(agent->node, sizeof(agent->node), "%s", *options->node ? options->node : agent->devices.node);
	if (status == STATUS_OK)
		status = link_open(&agent->beats, &link, failure);
	if (status == STATUS_OK)
		status = spool_open(&agent->spool, options->spool, failure);
	if (status == STATUS_OK && (agent->wake_fd < 0 || !bench_program_find(options->worker, agent->program, sizeof(agent->program))))
		status = failure_set(failure, STATUS_UNAVAILABLE, "the worker's program cannot be found");
	return status;
}

enum status agent_start(const struct agent_options *options, struct agent **agent, struct failure *failure)
{
	struct agent *made = calloc(1, sizeof(*made));
	enum status status;

	*agent = NULL;
	if (!made)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for an agent");
	*made = (struct agent){.options = options,
		.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.backoff = {0.5, options->retry_seconds, 0},
		.worked_ns = clock_monotonic_ns(),
		.spool = {.folder_fd = -1, .lock_fd = -1}};
	bench_devices_init(&made->devices);
	status = agent_open(made, failure);
	if (status == STATUS_OK && pthread_create(&made->thread, NULL, agent_thread, made))
		status = failure_set(failure, STATUS_UNAVAILABLE, "the agent's thread cannot be started");
	if (status != STATUS_OK)
		agent_free(made);
	else
		*agent = made;
	return status;
}

bool agent_stop(struct agent *agent)
{
	uint64_t one = 1;
	bool whole;

	atomic_store(&agent->drained_ns, in_s(agent->options->drain_seconds));
	atomic_store(&agent->stopping, true);
	(void)!write(agent->wake_fd, &one, sizeof(one));
	pthread_join(agent->thread, NULL);
	whole = !agent->left_behind;
	agent_free(agent);
	return whole;
}
