/* Tests of the host, without a backend: its storage, and how fast it prepares input. */
#include "bench/cpu/cpu_info.h"
#include "bench/suite/decode.h"
#include "bench/suite/storage.h"
#include "bench/suite/suite_tests.h"

/* Concurrent reads: as many as a data loader with a few workers and a few batches ahead. */
enum { READS_AT_ONCE = 16 };

#define SEQUENTIAL_BYTES 0x1p20
#define RANDOM_BYTES     0x1p17 /* without a plan: one compressed picture of a training set */

static void measure_host(struct bench_run *run, const struct bench_test *test, enum bench_outcome outcome,
	const struct bench_reason *reason, struct bench_work *work, double bytes, double slice_s)
{
	struct bench_work_request request = bench_request(run, test);
	struct bench_figure figure = {.test = test, .request = &request, .predicted_s = ABSENT_NUMBER, .slice_s = slice_s};

	request.bytes = bytes;
	if (outcome != BENCH_OK) {
		bench_run_skip(run, test, outcome, reason->text);
		return;
	}
	(void)bench_work_measure(run, &figure, work, NULL);
	work->release(work);
}

void test_storage(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	bool random = !strcmp(test->name, "storage_random");
	double sample_bytes = run->spec ? given_or(run->spec->sample_bytes, RANDOM_BYTES) : RANDOM_BYTES;
	struct storage_request request = {.path = run->storage.path,
		.write_bytes = run->storage.write_bytes,
		.block_bytes = random ? sample_bytes : SEQUENTIAL_BYTES,
		.random = random,
		.threads = READS_AT_ONCE,
		.alive = run->alive};
	struct bench_reason reason = {"no file to read is given; set --storage or FLEETPLAN_BENCH_STORAGE to a file or a folder"};
	struct bench_work work;
	enum bench_outcome outcome = BENCH_UNSUPPORTED;

	if (request.path)
		outcome = bench_storage_prepare(&request, &work, &reason);
	measure_host(run, test, outcome, &reason, &work, request.block_bytes, slice_s);
}

void test_decode(struct bench_run *run, const struct bench_test *test, double slice_s)
{
	bool jpeg = !strcmp(test->name, "decode_jpeg");
	struct bench_reason reason;
	struct bench_work work;
	enum bench_outcome outcome = jpeg ? bench_jpeg_prepare(cpu_info_threads(), run->alive, &work, &reason)
									  : bench_inflate_prepare(cpu_info_threads(), run->alive, &work, &reason);

	measure_host(run, test, outcome, &reason, &work, 0, slice_s);
}
