/* Tests every state of a benchmark: all states that two agents, two benchmarks and two devices can reach by claims
 * (also claims whose answer is lost), heartbeats, results, broken workers, releases, cancellations, crashes, ends of
 * leases, and messages of old leases at any time. Each step checks the rules that must always hold; the rules are
 * independent of the table. tests/storage/test_lease_store.c runs the same events through the store. */
#include <stdlib.h>
#include <string.h>

#include "storage/lease.h"
#include "support/assert.h"

enum { JOBS = 2, AGENTS = 2, DEVICES = 2, RELEASES_MAX = 1, DIGESTS = 2, STATES_MAX = 1 << 18 };

/* A benchmark in few bytes, and the worker of its last lease. In every member 0 means none. */
struct job {
	unsigned char state, attempt, token, device, agent, digest, worker /* on its device */, releases, starts;
	unsigned char cancel, late, leased;
};

struct world {
	struct job jobs[JOBS];
};

/* One event or move: which agent claims, or which token a message has. */
struct move {
	enum lease_event event;
	int job, device, agent, token, digest;
	bool answer_lost, worker_ends; /* of a claim; in place of an event */
};

static const char *const device_names[DEVICES + 1] = {NULL, "d1", "d2"}, *const agent_names[AGENTS + 1] = {NULL, "a1", "a2"};
static struct failure failure;

static unsigned char index_of(const char *const *names, const char *name)
{
	unsigned char i = 0;

	while (name && strcmp(names[++i], name) != 0)
		continue;
	return i;
}

static struct benchmark_record record_of(const struct job *job)
{
	struct benchmark_record record = {.id = "b",
		.state = lease_state_name(job->state),
		.attempt = job->attempt,
		.token = job->token,
		.running_device = device_names[job->device],
		.agent_id = agent_names[job->agent],
		.cancel_requested = job->cancel,
		.late = job->late,
		.lease_until_us = job->leased ? 60 : ABSENT_COUNT,
		.finished_at_us = lease_state_is_end(job->state) ? 5 : ABSENT_COUNT,
		.started_at_us = ABSENT_COUNT,
		.result_sha256 = {job->digest}};

	return record;
}

static void job_take(struct job *job, const struct benchmark_record *record)
{
	job->state = (unsigned char)lease_state_of(record->state);
	job->attempt = (unsigned char)record->attempt;
	job->token = (unsigned char)record->token;
	job->device = index_of(device_names, record->running_device);
	job->agent = index_of(agent_names, record->agent_id);
	job->digest = record->result_sha256[0];
	job->cancel = record->cancel_requested;
	job->late = record->late;
	job->leased = record->lease_until_us != ABSENT_COUNT;
	assert_int_equal(lease_state_is_end(job->state), record->finished_at_us != ABSENT_COUNT);
}

static bool ends_attempt(enum lease_event event)
{
	return event == LEASE_SUCCEED || event == LEASE_FAIL || event == LEASE_BREAK || event == LEASE_RELEASE;
}

/* True if the move can happen. Agents are honest about their own workers: they deliver or release after the worker has
 * ended, and end the worker before the lease ends. Messages with older tokens may come at any time. */
static bool is_possible(const struct world *world, const struct move *move)
{
	const struct job *job = &world->jobs[move->job];

	if (move->worker_ends)
		return job->worker;
	if (move->event == LEASE_CLAIM) {
		for (int i = 0; i < JOBS; i++) /* the store's unique index: no benchmark runs on the device */
			if (world->jobs[i].state == LEASE_RUNNING && world->jobs[i].device == move->device)
				return false;
		return true;
	}
	if (move->event == LEASE_OVER)
		return job->state == LEASE_RUNNING && !job->worker;
	if (move->event == LEASE_RELEASE && job->releases == RELEASES_MAX)
		return false;
	return !ends_attempt(move->event) || move->token != job->token || !job->worker;
}

/* Checks what must hold after an accepted event. */
static void check_accepted(const struct job *before, const struct job *after, const struct move *move)
{
	if (lease_event_shows_token(move->event)) {
		assert_int_equal(move->token, before->token); /* fencing: an older token is not accepted */
		assert_true(move->token > 0);
	}
	assert_true(after->token >= before->token && after->token <= before->token + 1);
	switch (move->event) {
	case LEASE_CLAIM:
		assert_true(before->state == LEASE_QUEUED && after->state == LEASE_RUNNING);
		assert_int_equal(after->token, before->token + 1);
		assert_int_equal(after->digest, 0);
		break;
	case LEASE_HEARTBEAT:
		assert_true(before->state == LEASE_RUNNING && after->state == LEASE_RUNNING);
		break;
	case LEASE_SUCCEED:
	case LEASE_FAIL:
		assert_int_equal(before->digest, 0); /* only one result is accepted */
		assert_int_equal(after->digest, move->digest);
		assert_int_equal(after->late, before->state != LEASE_RUNNING);
		assert_true(!lease_state_is_end(before->state) || before->state == LEASE_EXPIRED);
		assert_int_equal(after->state,
			move->event == LEASE_SUCCEED         ? LEASE_SUCCEEDED
				: before->cancel && !after->late ? LEASE_CANCELLED
												 : LEASE_FAILED);
		break;
	case LEASE_BREAK:
	case LEASE_OVER:
		assert_int_equal(before->state, LEASE_RUNNING);
		assert_int_equal(after->state,
			before->cancel                             ? LEASE_CANCELLED
				: before->attempt < LEASE_ATTEMPTS_MAX ? LEASE_QUEUED
				: move->event == LEASE_BREAK           ? LEASE_FAILED
													   : LEASE_EXPIRED);
		break;
	case LEASE_RELEASE:
		assert_true(before->state == LEASE_RUNNING && after->token == before->token + 1 && after->attempt + 1 == before->attempt);
		assert_int_equal(after->state, before->cancel ? LEASE_CANCELLED : LEASE_QUEUED);
		break;
	case LEASE_CANCEL:
		assert_true(!lease_state_is_end(before->state) && after->cancel);
		assert_int_equal(after->state, before->state == LEASE_QUEUED ? LEASE_CANCELLED : LEASE_RUNNING);
		break;
	case LEASE_TOO_LATE:
		assert_true(before->state == LEASE_QUEUED && after->state == LEASE_EXPIRED);
		break;
	case LEASE_EVENT_COUNT:
		fail();
	}
}

static void check_world(const struct world *world)
{
	for (int i = 0; i < JOBS; i++) {
		const struct job *job = &world->jobs[i];

		assert_int_equal(job->state == LEASE_RUNNING, job->leased);
		assert_true(job->starts <= LEASE_ATTEMPTS_MAX && job->attempt <= LEASE_ATTEMPTS_MAX);
		assert_true(!job->worker || job->state == LEASE_RUNNING);
		for (int other = 0; other < i; other++) {
			const struct job *mate = &world->jobs[other];

			assert_false(job->worker && mate->worker && job->device == mate->device); /* never two at once on one device */
			assert_false(job->leased && mate->leased && job->device == mate->device);
		}
	}
}

/* Applies an accepted event to the agents' workers. */
static void follow_workers(struct job *before, struct job *after, const struct move *move)
{
	if (move->event == LEASE_CLAIM) {
		assert_false(before->worker); /* the worker of an earlier lease would still run */
		after->worker = !move->answer_lost;
		after->starts++;
	}
	if (move->event == LEASE_RELEASE) {
		after->starts--;
		after->releases++;
	}
}

/* Applies the move to the world. False if the move cannot happen. */
static bool world_step(struct world *world, const struct move *move)
{
	struct job before = world->jobs[move->job], *job = &world->jobs[move->job];
	unsigned char digest[32] = {(unsigned char)move->digest};
	struct lease_step step = {.event = move->event,
		.token = move->token,
		.now_us = 5,
		.lease_until_us = 65,
		.device = device_names[move->device],
		.agent = agent_names[move->agent],
		.sha256 = digest};
	struct benchmark_record record = record_of(job), same = record;
	enum status status;

	if (!is_possible(world, move))
		return false;
	if (move->worker_ends) {
		job->worker = 0;
		return true;
	}
	failure_clear(&failure);
	status = lease_apply(&record, &step, &failure);
	if (status != STATUS_OK || step.repeated) {
		assert_memory_equal(&record, &same, sizeof record);
		assert_true(step.repeated ? before.digest == move->digest && before.token == move->token
								  : status ==
					(lease_event_shows_token(move->event) &&
								!(before.digest && before.token == move->token && ends_attempt(move->event) && move->event != LEASE_RELEASE)
							? STATUS_STALE_LEASE
							: STATUS_CONFLICT));
		return true;
	}
	job_take(job, &record);
	check_accepted(&before, job, move);
	follow_workers(&before, job, move);
	return true;
}

/* Calls `reached` with each state that one step leads to. */
static void each_step(const struct world *world, void (*reached)(const struct world *world))
{
	for (int job = 0; job < JOBS; job++) {
		for (enum lease_event event = 0; event <= LEASE_EVENT_COUNT; event++) {
			bool ends = event == LEASE_EVENT_COUNT, claims = event == LEASE_CLAIM, shows = !ends && lease_event_shows_token(event);
			int variants = claims ? DEVICES * AGENTS * 2 : shows ? (world->jobs[job].token + 2) * DIGESTS : 1;

			for (int variant = 0; variant < variants; variant++) {
				struct world next = *world;
				struct move move = {.event = ends ? LEASE_CLAIM : event, .job = job, .worker_ends = ends};

				if (claims) {
					move.device = 1 + variant % DEVICES;
					move.agent = 1 + variant / DEVICES % AGENTS;
					move.answer_lost = variant / DEVICES / AGENTS;
				} else if (shows) {
					move.digest = 1 + variant % DIGESTS;
					move.token = variant / DIGESTS;
				}
				if (!world_step(&next, &move) || memcmp(&next, world, sizeof next) == 0)
					continue;
				check_world(&next);
				reached(&next);
			}
		}
	}
}

/* --- the walk -------------------------------------------------------------------------------------------------- */

static struct world *states; /* in the order of discovery */
static uint32_t *table;      /* open addressing: number of the state + 1 */
static size_t state_count;
enum { TABLE_SLOTS = 2 * STATES_MAX };

/* Removes details that no later step depends on: where the last attempt ran, and the order of the two benchmarks. */
static struct world canonical(const struct world *world)
{
	struct world same = *world;

	for (int job = 0; job < JOBS; job++)
		if (same.jobs[job].state != LEASE_RUNNING)
			same.jobs[job].device = same.jobs[job].agent = 0;
	if (memcmp(&same.jobs[0], &same.jobs[1], sizeof same.jobs[0]) > 0)
		same = (struct world){{same.jobs[1], same.jobs[0]}};
	return same;
}

static void remember(const struct world *reached)
{
	struct world canon = canonical(reached), *world = &canon;
	const unsigned char *bytes = (const unsigned char *)world;
	uint64_t hash = 1469598103934665603u;
	size_t slot;

	for (size_t i = 0; i < sizeof *world; i++)
		hash = (hash ^ bytes[i]) * 1099511628211u;
	hash ^= hash >> 29;
	for (slot = hash % TABLE_SLOTS; table[slot]; slot = (slot + 1) % TABLE_SLOTS)
		if (memcmp(&states[table[slot] - 1], world, sizeof *world) == 0)
			return;
	assert_true(state_count < STATES_MAX);
	states[state_count] = *world;
	table[slot] = (uint32_t)++state_count;
}

/* No benchmark gets lost: from every state, if all workers fall silent and devices go on claiming, all benchmarks end. */
static void check_drains(struct world world)
{
	for (int round = 0; round <= 2 * LEASE_ATTEMPTS_MAX; round++) {
		for (int job = 0; job < JOBS; job++) {
			struct move ends = {.job = job, .worker_ends = true}, over = {.event = LEASE_OVER, .job = job},
						claim = {.event = LEASE_CLAIM, .job = job, .device = job + 1, .agent = 1};

			(void)world_step(&world, &ends);
			if (world.jobs[job].state == LEASE_RUNNING)
				assert_true(world_step(&world, &over));
			if (world.jobs[job].state == LEASE_QUEUED)
				(void)world_step(&world, &claim);
		}
	}
	for (int job = 0; job < JOBS; job++)
		assert_true(lease_state_is_end(world.jobs[job].state));
}

static void every_state_keeps_the_promises(void **state)
{
	size_t ends[LEASE_STATE_COUNT] = {0};

	(void)state;
	states = malloc(STATES_MAX * sizeof *states);
	table = calloc(TABLE_SLOTS, sizeof *table);
	assert_true(states && table);
	remember(&(struct world){.jobs[0].state = LEASE_QUEUED});
	for (size_t i = 0; i < state_count; i++) {
		struct world world = states[i];

		each_step(&world, remember);
		check_drains(world);
		ends[world.jobs[0].state]++;
		ends[world.jobs[1].state]++;
	}
	print_message("%zu states\n", state_count);
	for (int i = 0; i < LEASE_STATE_COUNT; i++)
		assert_true(ends[i] > 0); /* each state is reached */
	free(states);
	free(table);
}

static void names_are_told(void **state)
{
	(void)state;
	for (int i = 0; i < LEASE_STATE_COUNT; i++)
		assert_int_equal(lease_state_of(lease_state_name((enum lease_state)i)), i);
	assert_int_equal(lease_state_of("nonsense"), LEASE_STATE_COUNT);
	assert_string_equal(lease_event_name(LEASE_CANCEL), "cancelled");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_told),
		cmocka_unit_test(every_state_keeps_the_promises),
	};

	return cmocka_run_group_tests_name("lease", tests, NULL, NULL);
}
