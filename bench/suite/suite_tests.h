/* Internal to the suite: each kind of test measures its figures in a function for bench_test.run
 * (bench/suite/suite.h). */
#ifndef FLEETPLAN_BENCH_SUITE_SUITE_TESTS_H
#define FLEETPLAN_BENCH_SUITE_SUITE_TESTS_H

#include "bench/suite/suite.h"

/* Reports the figures of all rounds, with their fits and means, and clears them. */
void bench_run_tell(struct bench_run *run);

void test_work(struct bench_run *run, const struct bench_test *test, double slice_s);      /* one request, no sizes */
void test_products(struct bench_run *run, const struct bench_test *test, double slice_s);  /* the plan's products, or squares */
void test_sustained(struct bench_run *run, const struct bench_test *test, double slice_s); /* the largest product, for power */
void test_transfers(struct bench_run *run, const struct bench_test *test, double slice_s); /* pinned memory, in quick and full */
void test_pageable(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_attention(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_kv_read(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_elements(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_block(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_peers(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_all_reduce(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_storage(struct bench_run *run, const struct bench_test *test, double slice_s);
void test_decode(struct bench_run *run, const struct bench_test *test, double slice_s);

/* Chooses the precision of a request whose test has none: the plan's (PRECISION_UNSET: the plan has none), else the
 * first of bf16, fp16 and fp32 that the device supports for this request. Returns false, with the last reason, if it
 * supports none. */
bool suite_choose_precision(struct bench_run *run, const struct bench_test *test, enum precision wanted, struct bench_work_request *request,
	struct bench_reason *reason);

#endif
