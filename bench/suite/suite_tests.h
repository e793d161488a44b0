/* Inside the suite: how each kind of test gets its figures. A test's run() of bench/suite/suite.h. */
#ifndef FLEETPLAN_BENCH_SUITE_SUITE_TESTS_H
#define FLEETPLAN_BENCH_SUITE_SUITE_TESTS_H

#include "bench/suite/suite.h"

/* Reports what all rounds said, with the fits and means of it, and forgets them. */
void bench_run_tell(struct bench_run *run);

void test_work(struct bench_run *run, const struct bench_test *test, double slice_s);      /* one request, no sizes */
void test_products(struct bench_run *run, const struct bench_test *test, double slice_s);  /* the plan's, or squares */
void test_sustained(struct bench_run *run, const struct bench_test *test, double slice_s); /* the largest of them, for power */
void test_transfers(struct bench_run *run, const struct bench_test *test, double slice_s); /* pinned in quick and full */
void test_pageable(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_attention(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_kv_read(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_elements(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_block(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_peers(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_all_reduce(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_storage(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_decode(struct bench_run *run, const struct bench_test *test, double slice_s);

/* The precision of a request whose test has none: the plan's (PRECISION_UNSET: not told), else the first of bf16, fp16 and fp32 that the
 * device can do this in. False, with the last reason, when it can none. */
bool suite_choose_precision(struct bench_run *run, const struct bench_test *test, enum precision wanted,
	struct bench_work_request *request, struct bench_reason *reason);

#endif
