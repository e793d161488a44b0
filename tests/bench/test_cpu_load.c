/* Tests the split of CPU time between this process, other processes and the hypervisor, from the kernel's counters. */
#include "bench/cpu/cpu_load.h"
#include "support/assert.h"

static struct cpu_load of(const char *text, double own_s)
{
	struct cpu_load load = {.own_s = own_s};

	assert_true(cpu_load_parse(text, 100, &load));
	return load;
}

/* Ten seconds of two CPUs: 8 s busy, 5 s of them by this process, 4 s stolen, 8 s idle or waiting. */
static void time_is_shared_out(void **state)
{
	struct cpu_load before = of("cpu  1000 100 500 9000 50 0 20 300 0 0\n", 2);
	struct cpu_load after = of("cpu  1500 150 700 9700 150 20 50 700 0 0\ncpu0 1 2 3", 7);
	struct cpu_shares shares = {0, 0, 0};

	(void)state;
	cpu_shares_add(&shares, &before, &after);
	assert_close(shares.all_s, 20, 1e-9);
	assert_close(shares.steal_s, 4, 1e-9);
	assert_close(shares.others_s, 3, 1e-9);
	cpu_shares_add(&shares, &after, &after);
	assert_close(shares.all_s, 20, 1e-9);
}

static void what_is_no_line_of_the_kernel_says_nothing(void **state)
{
	struct cpu_load load;

	(void)state;
	assert_false(cpu_load_parse("", 100, &load));
	assert_false(cpu_load_parse("cpu 1 2 3", 100, &load));
	assert_false(cpu_load_parse("intr 1 2 3 4 5 6 7 8", 100, &load));
	assert_false(cpu_load_parse("cpu  1 2 3 4 5 6 7 8", 0, &load));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_shared_out),
		cmocka_unit_test(what_is_no_line_of_the_kernel_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
