#include "agent/devices.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

enum { DEVICES_ARENA_BYTES = 8 * 1024 * 1024, LIST_LOG_BYTES = 16 * 1024 };

/* Listing loads drivers: seconds on a node with many GPUs. The limit protects the daemon's queue. */
#define LIST_DEADLINE_S 30.0

static const char *const state_names[DEVICE_STATE_COUNT] = {
	[DEVICE_IDLE] = "idle",
	[DEVICE_IN_USE] = "busy",
	[DEVICE_SUSPECT] = "suspect",
	[DEVICE_WEDGED] = "wedged",
};

const char *bench_device_state_name(enum bench_device_state state)
{
	return state_names[state];
}

struct listing {
	struct bench_devices *fresh;
	const _Atomic bool *stopping;
	bool exhausted;
};

void bench_devices_init(struct bench_devices *devices)
{
	*devices = (struct bench_devices){.count = 0};
	arena_init(&devices->arena, DEVICES_ARENA_BYTES);
	if (gethostname(devices->node, sizeof(devices->node)))
		devices->node[0] = '\0';
	devices->node[sizeof(devices->node) - 1] = '\0';
}

void bench_devices_release(struct bench_devices *devices)
{
	arena_release(&devices->arena);
}

static const char *copy_text(struct listing *listing, const char *text)
{
	const char *kept = arena_strdup(&listing->fresh->arena, text);

	listing->exhausted = listing->exhausted || (text && !kept);
	return kept;
}

static void take_line(void *context, const struct bench_line *line, const char *text, size_t length)
{
	struct listing *listing = context;
	struct bench_devices *fresh = listing->fresh;
	const struct bench_line_device *told = &line->as.device;
	struct bench_device_slot *slot;

	if (line->kind != BENCH_LINE_DEVICE || fresh->count == BENCH_DEVICES_MAX || strlen(told->id) >= BENCH_DEVICE_ID_MAX)
		return;
	slot = &fresh->slots[fresh->count++];
	*slot = (struct bench_device_slot){.told = *told};
	snprintf(slot->id, sizeof(slot->id), "%s", told->id);
	slot->told.id = slot->id;
	slot->told.backend = copy_text(listing, told->backend);
	slot->told.name = copy_text(listing, told->name);
	slot->told.uuid = copy_text(listing, told->uuid);
	slot->told.vendor = copy_text(listing, told->vendor);
	slot->told.accelerator = copy_text(listing, told->accelerator);
	slot->told.driver = copy_text(listing, told->driver);
	slot->told.instruction_set = copy_text(listing, told->instruction_set);
	slot->told.pci_id = copy_text(listing, told->pci_id);
	slot->told.pci_bus = copy_text(listing, told->pci_bus);
	slot->told.mig_parent = copy_text(listing, told->mig_parent);
	slot->told.mig_profile = copy_text(listing, told->mig_profile);
	slot->told.compute_capability = copy_text(listing, told->compute_capability);
	slot->properties = arena_strndup(&fresh->arena, text, length);
	listing->exhausted = listing->exhausted || !slot->properties;
}

static bool on_tick(void *context)
{
	return !atomic_load(((struct listing *)context)->stopping);
}

static bool list_devices(const char *program, struct bench_devices *fresh, const _Atomic bool *stopping)
{
	char name[] = "fleetplan", command[] = "bench", list[] = "--list", role[] = "--worker", parent[] = "--parent", pid[24];
	char *const arguments[] = {name, command, list, role, parent, pid, NULL};
	struct listing listing = {.fresh = fresh, .stopping = stopping};
	struct bench_worker worker = {.program = program,
		.arguments = arguments,
		.deadline_s = LIST_DEADLINE_S,
		.silence_s = LIST_DEADLINE_S,
		.term_grace_s = 1,
		.kill_grace_s = 5,
		.log_bytes = LIST_LOG_BYTES,
		.wake_fd = -1,
		.context = &listing,
		.on_line = take_line,
		.on_tick = on_tick};
	struct bench_worker_outcome outcome;
	bool ok;

	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	bench_worker_run(&worker, &outcome);
	ok = outcome.end == WORKER_SUCCEEDED && !listing.exhausted;
	if (!ok && outcome.end != WORKER_STOPPED)
		log_event(LOG_WARNING, "devices_not_listed", LOG_TEXT("detail", outcome.detail));
	bench_worker_release(&outcome);
	return ok;
}

const struct bench_device_slot *bench_device_find(const struct bench_devices *devices, const char *id)
{
	for (size_t i = 0; i < devices->count; i++)
		if (!strcmp(devices->slots[i].id, id))
			return &devices->slots[i];
	return NULL;
}

bool bench_devices_probe(struct bench_devices *devices, const char *program, const _Atomic bool *stopping)
{
	struct bench_devices *fresh = calloc(1, sizeof(*fresh));

	if (!fresh)
		return false;
	bench_devices_init(fresh);
	if (!list_devices(program, fresh, stopping)) {
		bench_devices_release(fresh);
		free(fresh);
		return false;
	}
	for (size_t i = 0; i < fresh->count; i++) {
		struct bench_device_slot *slot = &fresh->slots[i];
		const struct bench_device_slot *known = bench_device_find(devices, slot->id);

		if (known) {
			slot->state = known->state;
			slot->wedged = known->wedged;
			slot->not_before_ns = known->not_before_ns;
			memcpy(slot->reason, known->reason, sizeof(slot->reason));
		}
	}
	bench_devices_release(devices);
	*devices = *fresh; /* takes over the arena; told.id is set again below */
	free(fresh);
	for (size_t i = 0; i < devices->count; i++)
		devices->slots[i].told.id = devices->slots[i].id;
	return true;
}

void bench_device_mark(struct bench_device_slot *slot, enum bench_device_state state, const char *reason)
{
	slot->state = state;
	snprintf(slot->reason, sizeof(slot->reason), "%s", reason ? reason : "");
}

bool bench_device_ready(struct bench_device_slot *slot, bool *changed)
{
	*changed = slot->wedged && waitpid(slot->wedged, NULL, WNOHANG) != 0;
	if (*changed) {
		slot->wedged = 0;
		bench_device_mark(slot, DEVICE_SUSPECT, "its driver blocked a worker for some time");
	}
	return !slot->wedged && clock_monotonic_ns() >= slot->not_before_ns;
}
