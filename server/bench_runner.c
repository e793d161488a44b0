#include "server/bench_runner.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "agent/attempt.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/uuid.h"
#include "server/bench_delivery.h"
#include "server/bench_device_rows.h"
#include "storage/audit.h"
#include "storage/lease.h"

enum { LOOKS_AGAIN = 10, SWEEPS_A_LEASE = 12, PROBE_S = 600, PROBE_RETRY_S = 30, BUSY_RETRY_S = 5, DELIVERY_TRIES = 30 };

#define LOOK_AGAIN_S 0.1
#define PROGRESS_S   1.0

#define US_PER_S 1e6
#define NS_PER_S 1e9

/* The reason for stopping a worker. */
enum stop_cause { CAUSE_NONE, CAUSE_DRAIN, CAUSE_CANCEL, CAUSE_LEASE_LOST };

struct bench_runner {
	struct bench_runner_options options;
	char program[PATH_MAX];
	int wake_fd; /* eventfd: something was queued, cancelled, or we stop */
	pthread_t thread;
	_Atomic bool stopping, looked; /* looked: the devices of this machine were listed at least once */
	pthread_mutex_t lock;          /* protects the two members below */
	char cancel_id[UUID_TEXT_SIZE];
	struct bench_runner_counts counts;

	/* Used only by the thread. */
	struct bench_devices devices;
	int64_t sweep_ns, probe_ns; /* monotonic: time of the next sweep and probe */
	unsigned looks;             /* number of early looks at the queue that remain */
	struct bench_job *job;      /* the running benchmark; NULL: none */
	int64_t renewed_ns;         /* when the lease was last granted */
	int64_t heartbeat_ns;       /* when a renewal was last requested */
	enum stop_cause cause;
};

static double since_s(int64_t moment_ns)
{
	return (double)(clock_monotonic_ns() - moment_ns) / NS_PER_S;
}

static int64_t in_s(double seconds)
{
	return clock_monotonic_ns() + (int64_t)(seconds * NS_PER_S);
}

/* Waits until woken, at most `seconds`; true if woken. */
static bool wait_for_wake(struct bench_runner *runner, double seconds)
{
	struct pollfd polled = {.fd = runner->wake_fd, .events = POLLIN};
	uint64_t count;

	return poll(&polled, 1, seconds > 0 ? (int)(seconds * 1e3) + 1 : 0) > 0 && read(runner->wake_fd, &count, sizeof(count)) == sizeof(count);
}

bool bench_runner_is_looking(struct bench_runner *runner)
{
	return runner && !runner->options.sweeps_only && !atomic_load(&runner->looked);
}

void bench_runner_wake(struct bench_runner *runner)
{
	uint64_t one = 1;

	if (runner)
		(void)!write(runner->wake_fd, &one, sizeof(one));
}

void bench_runner_cancel(struct bench_runner *runner, const char *benchmark_id)
{
	if (!runner)
		return;
	pthread_mutex_lock(&runner->lock);
	snprintf(runner->cancel_id, sizeof(runner->cancel_id), "%s", benchmark_id);
	pthread_mutex_unlock(&runner->lock);
	bench_runner_wake(runner);
}

void bench_runner_counts_get(struct bench_runner *runner, struct bench_runner_counts *counts)
{
	pthread_mutex_lock(&runner->lock);
	*counts = runner->counts;
	pthread_mutex_unlock(&runner->lock);
}

static void add_count(struct bench_runner *runner, uint64_t *counter)
{
	pthread_mutex_lock(&runner->lock);
	++*counter;
	pthread_mutex_unlock(&runner->lock);
}

/* The limit moves in steps of an hour, so that most sweeps change nothing. */
static void sweep_audit(struct bench_runner *runner)
{
	enum { AUDIT_ENTRIES_A_SWEEP = 2000 };
	static const int64_t hour_us = INT64_C(3600000000), day_us = INT64_C(86400000000);
	struct failure failure;
	struct audit_prune prune = {.job = {.kind = STORAGE_AUDIT_PRUNE, .failure = &failure},
		.limit = AUDIT_ENTRIES_A_SWEEP,
		.before_us = (clock_wall_us() - runner->options.audit_keep_days * day_us) / hour_us * hour_us};

	failure_clear(&failure);
	if (runner->options.audit_keep_days > 0 && storage_run(runner->options.storage, &prune.job) != STATUS_OK)
		log_event(LOG_WARNING, "audit_not_pruned", LOG_TEXT("detail", failure.detail));
}

static void sweep_benchmarks(struct bench_runner *runner, bool restart)
{
	struct failure failure;
	struct benchmark_sweep sweep = {.job = {.kind = STORAGE_BENCHMARK_SWEEP, .failure = &failure},
		.now_us = clock_even_us(),
		.restart = restart,
		.lease_us = (int64_t)(runner->options.lease_s * US_PER_S)};

	failure_clear(&failure);
	runner->sweep_ns = in_s(runner->options.lease_s / SWEEPS_A_LEASE);
	if (storage_run(runner->options.storage, &sweep.job) != STATUS_OK)
		log_event(LOG_WARNING, "benchmarks_not_swept", LOG_TEXT("detail", failure.detail));
	else if (sweep.requeued + sweep.expired + sweep.cancelled > 0)
		log_event(LOG_INFO, "benchmarks_swept", LOG_INTEGER("requeued", sweep.requeued), LOG_INTEGER("expired", sweep.expired),
			LOG_INTEGER("cancelled", sweep.cancelled));
	sweep_audit(runner);
}

/* Extends the lease by lease_s. False if another worker has it, or if the storage has not answered for so long that
 * another worker may have it. */
static bool renew_lease(struct bench_runner *runner, double lease_s)
{
	struct bench_job *job = runner->job;
	struct failure failure;
	struct benchmark_heartbeat heartbeat = {.job = {.kind = STORAGE_BENCHMARK_HEARTBEAT, .failure = &failure},
		.id = job->record.id,
		.token = job->record.token,
		.now_us = clock_even_us(),
		.lease_us = (int64_t)(lease_s * US_PER_S),
		.progress = job->progress_json.length ? job->progress_json.bytes : NULL};
	enum status status;

	failure_clear(&failure);
	runner->heartbeat_ns = clock_monotonic_ns();
	job->progressed = false;
	status = storage_run(runner->options.storage, &heartbeat.job);
	if (status == STATUS_OK) {
		runner->renewed_ns = runner->heartbeat_ns;
		if (heartbeat.cancel_requested)
			runner->cause = CAUSE_CANCEL;
		return true;
	}
	if (status == STATUS_STALE_LEASE || status == STATUS_NOT_FOUND || status == STATUS_CONFLICT)
		return false;
	log_event(LOG_WARNING, "benchmark_heartbeat", LOG_TEXT("benchmark", job->record.id), LOG_TEXT("detail", failure.detail));
	return since_s(runner->renewed_ns) < runner->options.lease_s * 5 / 6;
}

static bool cancel_wished(struct bench_runner *runner)
{
	bool wished;

	pthread_mutex_lock(&runner->lock);
	wished = !strcmp(runner->cancel_id, runner->job->record.id);
	if (wished)
		runner->cancel_id[0] = '\0';
	pthread_mutex_unlock(&runner->lock);
	return wished;
}

/* A client that watches wants progress at once, but a commit for progress is made at most once a second. */
static bool heartbeat_is_due(const struct bench_runner *runner)
{
	double since = since_s(runner->heartbeat_ns);

	return since > runner->options.heartbeat_s || (runner->job->progressed && since > PROGRESS_S);
}

/* Called while the worker runs: true if it may continue. */
static bool on_tick(void *context)
{
	struct bench_runner *runner = context;

	(void)wait_for_wake(runner, 0);
	if (atomic_load(&runner->stopping))
		runner->cause = CAUSE_DRAIN;
	else if (cancel_wished(runner))
		runner->cause = CAUSE_CANCEL;
	else if (heartbeat_is_due(runner) && !renew_lease(runner, runner->options.lease_s))
		runner->cause = CAUSE_LEASE_LOST;
	return runner->cause == CAUSE_NONE;
}

/* Repeats a delivery while the storage is full or unavailable, and keeps the lease meanwhile. */
static enum status deliver_result(struct bench_runner *runner, struct benchmark_result *result)
{
	enum status status = STATUS_UNAVAILABLE;

	for (int i = 0; i < DELIVERY_TRIES; i++) {
		result->now_us = clock_even_us();
		failure_clear(result->job.failure);
		status = storage_run(runner->options.storage, &result->job);
		if (status != STATUS_UNAVAILABLE && status != STATUS_STORAGE_FULL && status != STATUS_OVERLOADED && status != STATUS_NO_MEMORY)
			return status;
		if (atomic_load(&runner->stopping))
			return status;
		(void)wait_for_wake(runner, 1);
		if (!renew_lease(runner, runner->options.lease_s))
			return STATUS_STALE_LEASE;
	}
	return status;
}

/* Stores the result and its calibrations in one transaction. */
static void store_result(struct bench_runner *runner, const struct bench_worker_outcome *outcome, enum benchmark_end end)
{
	struct bench_delivery *delivery = malloc(sizeof *delivery);
	struct failure failure;
	enum status status;

	failure_clear(&failure);
	if (!delivery) {
		log_event(LOG_ERROR, "benchmark_not_stored", LOG_TEXT("benchmark", runner->job->record.id), LOG_TEXT("detail", "no memory"));
		return;
	}
	bench_delivery_open(delivery, runner->options.storage, runner->job, outcome, end, &(struct bench_bearer){.key_id = NULL});
	delivery->result.job.failure = &failure;
	status = deliver_result(runner, &delivery->result);
	if (status != STATUS_OK)
		log_event(LOG_ERROR, "benchmark_not_stored", LOG_TEXT("benchmark", runner->job->record.id), LOG_TEXT("detail", failure.detail));
	else if (bench_delivery_calibrates(delivery) && runner->options.catalogue_changed)
		runner->options.catalogue_changed(runner->options.context);
	bench_delivery_close(delivery);
	free(delivery);
}

static void release_job(struct bench_runner *runner, const char *reason)
{
	struct failure failure;
	struct benchmark_release release = {.job = {.kind = STORAGE_BENCHMARK_RELEASE, .failure = &failure},
		.id = runner->job->record.id,
		.token = runner->job->record.token,
		.now_us = clock_even_us(),
		.reason = reason};

	failure_clear(&failure);
	add_count(runner, &runner->counts.returned);
	if (storage_run(runner->options.storage, &release.job) != STATUS_OK)
		log_event(LOG_WARNING, "benchmark_not_released", LOG_TEXT("benchmark", release.id), LOG_TEXT("detail", failure.detail));
}

/* Ends an attempt of a worker that broke: the benchmark is tried again, or fails if this was its last attempt. */
static void give_up_attempt(struct bench_runner *runner, struct bench_worker_outcome *outcome)
{
	bool last = runner->job->record.attempt >= LEASE_ATTEMPTS_MAX;

	add_count(runner, last ? &runner->counts.failed : &runner->counts.returned);
	bench_outcome_count_attempt(outcome, &runner->job->record);
	store_result(runner, outcome, BENCHMARK_BROKEN);
}

static void conclude_stopped(struct bench_runner *runner, struct bench_worker_outcome *outcome)
{
	switch (runner->cause) {
	case CAUSE_CANCEL:
		add_count(runner, &runner->counts.cancelled);
		snprintf(outcome->detail, sizeof(outcome->detail), "cancelled while it ran");
		store_result(runner, outcome, BENCHMARK_FAILED);
		break;
	case CAUSE_DRAIN:
		release_job(runner, "the daemon was stopped");
		break;
	case CAUSE_LEASE_LOST:
	case CAUSE_NONE:
		log_event(LOG_WARNING, "benchmark_lease_lost", LOG_TEXT("benchmark", runner->job->record.id));
		break;
	}
}

static void conclude_job(struct bench_runner *runner, struct bench_device_slot *slot, struct bench_worker_outcome *outcome)
{
	if (bench_delivery_judge(runner->options.storage, runner->job, outcome) != STATUS_OK) {
		outcome->end = WORKER_MISSPOKE; /* costs an attempt */
		snprintf(outcome->detail, sizeof outcome->detail, "the accelerator's row, which limits the result, could not be read");
	}
	switch (bench_sequel_of(outcome->end)) {
	case SEQUEL_SUCCEED:
		add_count(runner, &runner->counts.succeeded);
		store_result(runner, outcome, BENCHMARK_SUCCEEDED);
		break;
	case SEQUEL_FAIL:
		add_count(runner, &runner->counts.failed);
		store_result(runner, outcome, BENCHMARK_FAILED);
		break;
	case SEQUEL_GIVE_BACK:
		slot->not_before_ns = in_s(BUSY_RETRY_S);
		release_job(runner, outcome->detail);
		break;
	case SEQUEL_AS_WISHED:
		conclude_stopped(runner, outcome);
		break;
	case SEQUEL_TRY_AGAIN:
	case SEQUEL_COUNT:
		give_up_attempt(runner, outcome);
		break;
	}
	bench_attempt_mark(outcome, slot);
	bench_device_store(&runner->devices, slot, runner->options.storage);
}

static void run_job(struct bench_runner *runner, struct bench_device_slot *slot)
{
	const struct bench_attempt attempt = {.program = runner->program,
		.device = slot->id,
		.silence_s = runner->options.silence_s,
		.term_grace_s = runner->options.term_grace_s,
		.wake_fd = runner->wake_fd,
		.context = runner,
		.on_tick = on_tick};
	struct bench_job *job = runner->job;
	struct bench_worker_outcome outcome;
	int64_t start_ns = clock_monotonic_ns();

	runner->cause = CAUSE_NONE;
	runner->renewed_ns = runner->heartbeat_ns = start_ns;
	add_count(runner, &runner->counts.claimed);
	bench_device_mark(slot, DEVICE_IN_USE, job->record.id);
	bench_device_store(&runner->devices, slot, runner->options.storage);
	bench_attempt_run(&attempt, job, &outcome);
	log_event(LOG_INFO, "benchmark", LOG_TEXT("benchmark", job->record.id), LOG_TEXT("device", slot->id),
		LOG_TEXT("end", bench_worker_end_name(outcome.end)), LOG_INTEGER("attempt", job->record.attempt),
		LOG_DOUBLE("elapsed_s", since_s(start_ns)), LOG_TEXT("detail", *outcome.detail ? outcome.detail : NULL));
	conclude_job(runner, slot, &outcome);
	bench_worker_release(&outcome);
}

/* Takes the next benchmark for a device and runs it; false when there is none. */
static bool claim_and_run(struct bench_runner *runner, struct bench_device_slot *slot)
{
	struct bench_job *job = malloc(sizeof(*job));
	struct failure failure;
	struct benchmark_claim claim;
	enum status status;

	if (!job)
		return false;
	bench_job_open(job);
	failure_clear(&failure);
	claim = (struct benchmark_claim){.job = {.kind = STORAGE_BENCHMARK_CLAIM, .arena = &job->arena, .failure = &failure},
		.device_id = slot->id,
		.now_us = clock_even_us(),
		.lease_us = (int64_t)(runner->options.lease_s * US_PER_S),
		.benchmark = &job->record};
	status = storage_run(runner->options.storage, &claim.job);
	if (status == STATUS_OK) {
		runner->job = job;
		run_job(runner, slot);
		runner->job = NULL;
	} else if (status != STATUS_NOT_FOUND && status != STATUS_CONFLICT) {
		log_event(LOG_WARNING, "benchmark_not_claimed", LOG_TEXT("device", slot->id), LOG_TEXT("detail", failure.detail));
	}
	bench_job_close(job);
	free(job);
	return status == STATUS_OK;
}

static bool serve_devices(struct bench_runner *runner)
{
	bool worked = false, changed;

	for (size_t i = 0; i < runner->devices.count && !atomic_load(&runner->stopping); i++) {
		struct bench_device_slot *slot = &runner->devices.slots[i];
		bool ready = bench_device_ready(slot, &changed);

		if (changed)
			bench_device_store(&runner->devices, slot, runner->options.storage);
		if (ready)
			worked = claim_and_run(runner, slot) || worked;
	}
	return worked;
}

/* A wake may come before the benchmark is readable: the benchmark is queued when its transaction is on the disk. So
 * after a wake without work the thread looks at the queue again soon, a few times. */
static void wait_for_work(struct bench_runner *runner, bool worked)
{
	double idle_s = -since_s(runner->sweep_ns);

	if (worked)
		runner->looks = LOOKS_AGAIN;
	else if (wait_for_wake(runner, runner->looks && idle_s > LOOK_AGAIN_S ? LOOK_AGAIN_S : idle_s))
		runner->looks = LOOKS_AGAIN;
	else if (runner->looks)
		runner->looks--;
}

static void probe_devices(struct bench_runner *runner)
{
	bool told = runner->options.sweeps_only || bench_devices_probe(&runner->devices, runner->program, &runner->stopping);

	if (told)
		bench_devices_store(&runner->devices, runner->options.storage);
	atomic_store(&runner->looked, true); /* also if no worker could answer: it may never answer */
	runner->probe_ns = in_s(told ? PROBE_S : PROBE_RETRY_S);
}

static void *runner_thread(void *argument)
{
	struct bench_runner *runner = argument;

	sweep_benchmarks(runner, true);
	while (!atomic_load(&runner->stopping)) {
		if (clock_monotonic_ns() >= runner->probe_ns)
			probe_devices(runner);
		if (clock_monotonic_ns() >= runner->sweep_ns)
			sweep_benchmarks(runner, false);
		wait_for_work(runner, serve_devices(runner));
	}
	return NULL;
}

static void set_defaults(struct bench_runner_options *options)
{
	options->lease_s = options->lease_s > 0 ? options->lease_s : 60;
	options->heartbeat_s = options->heartbeat_s > 0 ? options->heartbeat_s : options->lease_s / 12;
	options->term_grace_s = options->term_grace_s > 0 ? options->term_grace_s : 5;
	options->silence_s = options->silence_s > 0 ? options->silence_s : 20;
}

static void free_runner(struct bench_runner *runner)
{
	if (runner->wake_fd >= 0)
		close(runner->wake_fd);
	bench_devices_release(&runner->devices);
	pthread_mutex_destroy(&runner->lock);
	free(runner);
}

enum status bench_runner_start(const struct bench_runner_options *options, struct bench_runner **runner, struct failure *failure)
{
	struct bench_runner *made = calloc(1, sizeof(*made));

	*runner = NULL;
	if (!made)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the benchmark runner");
	made->options = *options;
	set_defaults(&made->options);
	pthread_mutex_init(&made->lock, NULL);
	bench_devices_init(&made->devices);
	made->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (made->wake_fd < 0 || !bench_program_find(options->program, made->program, sizeof(made->program)) ||
		pthread_create(&made->thread, NULL, runner_thread, made)) {
		free_runner(made);
		return failure_set(failure, STATUS_UNAVAILABLE, "the benchmark runner cannot be started");
	}
	*runner = made;
	return STATUS_OK;
}

void bench_runner_stop(struct bench_runner *runner)
{
	if (!runner)
		return;
	atomic_store(&runner->stopping, true);
	bench_runner_wake(runner);
	pthread_join(runner->thread, NULL);
	free_runner(runner);
}
