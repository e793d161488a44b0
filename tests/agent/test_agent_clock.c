/* Tests when a lease ends and how long the agent waits after a failure. */
#include "agent/backoff.h"
#include "agent/lease_clock.h"
#include "base/status.h"
#include "support/assert.h"

#define S INT64_C(1000000000)

/* The time is not 0, so code that wrongly counts from 0 fails. */
#define SENT (1000000 * S)

static void the_worker_is_stopped_ten_seconds_before_the_end(void **state)
{
	struct lease_clock clock;

	(void)state;
	lease_clock_renew(&clock, SENT, 60, 20, 0.5);
	assert_int_equal(clock.end_ns, SENT + 60 * S);
	assert_false(lease_clock_ends(&clock, SENT + 50 * S - 1));
	assert_true(lease_clock_ends(&clock, SENT + 50 * S));
	assert_close(lease_margin_s(60), 10, 1e-15);
	assert_close(lease_margin_s(30), 10, 1e-15);
	assert_close(lease_margin_s(3), 1, 1e-15);
}

static void heartbeats_are_spread_by_a_fifth(void **state)
{
	struct lease_clock clock;

	(void)state;
	lease_clock_renew(&clock, SENT, 60, 20, 0);
	assert_int_equal(clock.beat_ns, SENT + 16 * S);
	lease_clock_renew(&clock, SENT, 60, 20, 0.5);
	assert_int_equal(clock.beat_ns, SENT + 20 * S);
	lease_clock_renew(&clock, SENT, 60, 20, 0.999999);
	assert_true(clock.beat_ns > SENT + 23 * S && clock.beat_ns < SENT + 24 * S);
	assert_false(lease_clock_beats(&clock, clock.beat_ns - 1));
	assert_true(lease_clock_beats(&clock, clock.beat_ns));
}

/* If the server answers a lease of 30 s and a heartbeat after 25 s, the worker's end at 20 s comes before the
 * heartbeat. The clock must send it earlier. */
static void a_heartbeat_leaves_time_for_a_second(void **state)
{
	(void)state;
	for (double lease_s = 1; lease_s < 200; lease_s += 0.7) {
		for (double heartbeat_s = 0.1; heartbeat_s < 300; heartbeat_s *= 1.7) {
			struct lease_clock clock;
			int64_t stop_ns = SENT;

			lease_clock_renew(&clock, SENT, lease_s, heartbeat_s, 0.99);
			while (!lease_clock_ends(&clock, stop_ns))
				stop_ns += S / 100;
			assert_true(clock.beat_ns + (int64_t)(2 * lease_request_s(lease_s) * S) <= stop_ns + S / 100);
			assert_true(clock.beat_ns > SENT);
		}
	}
}

static void a_missed_heartbeat_is_tried_again_sooner(void **state)
{
	struct lease_clock clock;

	(void)state;
	lease_clock_renew(&clock, SENT, 60, 20, 0.5);
	lease_clock_miss(&clock, SENT + 20 * S, -1, 0.5);
	assert_int_equal(clock.beat_ns, SENT + 25 * S);
	assert_int_equal(clock.end_ns, SENT + 60 * S); /* a missed heartbeat does not extend the lease */
	lease_clock_miss(&clock, SENT + 20 * S, -1, 0);
	assert_int_equal(clock.beat_ns, SENT + 24 * S);
	lease_clock_miss(&clock, SENT + 20 * S, 12, 0.5);
	assert_int_equal(clock.beat_ns, SENT + 32 * S);
	lease_clock_miss(&clock, SENT + 20 * S, 1, 0.5); /* the server asks for less than the clock's own wait */
	assert_int_equal(clock.beat_ns, SENT + 25 * S);
	lease_clock_miss(&clock, SENT + 20 * S, 0, 0.5);
	assert_int_equal(clock.beat_ns, SENT + 25 * S);
	/* The server asks for a wait that would cost the lease. The clock ignores it and sends one more heartbeat in time. */
	lease_clock_miss(&clock, SENT + 20 * S, 600, 0.5);
	assert_int_equal(clock.beat_ns, SENT + 40 * S);
}

/* The worker ends before the server may lease the benchmark to another agent, for every delay of the network and every
 * moment of the server's answer within the round trip. */
static void the_end_here_is_never_after_the_end_there(void **state)
{
	(void)state;
	for (int64_t to_ns = 0; to_ns < 40 * S; to_ns += 7 * S / 3) {
		for (int64_t back_ns = 0; back_ns < 40 * S; back_ns += 5 * S / 3) {
			struct lease_clock clock;
			int64_t server_end_ns = SENT + to_ns + 60 * S, now_ns = SENT + to_ns + back_ns;

			lease_clock_renew(&clock, SENT, 60, 20, 0.3);
			if (now_ns < server_end_ns - 10 * S - to_ns)
				assert_false(lease_clock_ends(&clock, now_ns));
			assert_true(lease_clock_ends(&clock, server_end_ns - 10 * S));
		}
	}
}

static void waits_double_and_spread(void **state)
{
	static const double whole_s[] = {1, 2, 4, 8, 16, 32, 60, 60, 60};
	struct backoff low = {.first_s = 1, .most_s = 60}, high = low;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(whole_s); i++) {
		assert_close(backoff_wait_s(&low, -1, 0), whole_s[i] / 2, 1e-12);
		assert_close(backoff_wait_s(&high, -1, 1), whole_s[i], 1e-12);
	}
	backoff_reset(&low);
	assert_close(backoff_wait_s(&low, -1, 0), 0.5, 1e-12);
	for (int i = 0; i < 5000; i++)
		assert_true(backoff_wait_s(&low, -1, 1) <= 60);
}

static void what_the_server_asks_for_is_waited_for(void **state)
{
	struct backoff backoff = {.first_s = 1, .most_s = 60};

	(void)state;
	assert_close(backoff_wait_s(&backoff, 100, 0), 100, 1e-12);
	assert_close(backoff_wait_s(&backoff, 100, 0.5), 110, 1e-12);
	assert_close(backoff_wait_s(&backoff, 0.01, 0), 2, 1e-12); /* less than the agent's own third wait */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worker_is_stopped_ten_seconds_before_the_end),
		cmocka_unit_test(heartbeats_are_spread_by_a_fifth),
		cmocka_unit_test(a_heartbeat_leaves_time_for_a_second),
		cmocka_unit_test(a_missed_heartbeat_is_tried_again_sooner),
		cmocka_unit_test(the_end_here_is_never_after_the_end_there),
		cmocka_unit_test(waits_double_and_spread),
		cmocka_unit_test(what_the_server_asks_for_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
