/* Tests the cuda backend on stand-ins for NVIDIA's libraries (tests/fakes). The stand-ins compute on the CPU and have a
 * virtual clock.
 *
 * Each case is a process, because a driver starts once in a process. The script of the stand-ins is in its environment;
 * its results are its exit status and shared memory. */
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/backend.h"
#include "bench/cuda/cuda_format.h"
#include "bench/cuda/nvml.h"
#include "bench/device_lock.h"
#include "support/assert.h"

static char fakes[PATH_MAX], folder[] = "/tmp/fleetplan-cuda-test-XXXXXX";

/* The results of one case, in memory that it shares with the test. */
static struct found {
	bool ran;
	enum bench_outcome outcome;
	struct bench_reason reason;
	size_t count;
	struct bench_device devices[4];
	struct bench_sensors sensors;
	struct bench_work work;
	struct bench_check check;
	double elapsed_s;
} * found;

static const struct bench_backend *const cuda = &bench_cuda_backend;

/* Lists the devices, opens the device at `index`, prepares, verifies and runs once. Stops at the first failure. */
static void play(size_t index, const struct bench_work_request *request)
{
	struct bench_session *session = NULL;
	struct bench_reason unused;

	found->outcome = cuda->list(found->devices, COUNT_OF(found->devices), &found->count, &found->reason);
	if (found->outcome == BENCH_OK)
		found->outcome = cuda->open(&found->devices[index], &session, &found->reason);
	if (found->outcome == BENCH_OK) {
		struct bench_work_request copy = *request;

		if (copy.kind == WORK_PEER_COPY)
			copy.peer = &found->devices[1 - index];
		found->outcome = cuda->prepare(session, &copy, &found->work, &found->reason);
	}
	if (found->outcome == BENCH_OK) {
		(void)cuda->sense(session, &found->sensors, &unused);
		found->outcome = found->work.verify(&found->work, &found->check, &found->reason);
		if (found->outcome == BENCH_OK)
			found->outcome = found->work.run(&found->work, &found->elapsed_s, &found->reason);
		found->work.release(&found->work);
	}
	if (session)
		cuda->close(session);
	found->ran = true;
}

/* Returns the signal that ended the case, or 0 if the case ended by itself. */
static int run_on(const char *script, const char *libraries, size_t index, const struct bench_work_request *request)
{
	int status;
	pid_t child;

	memset(found, 0, sizeof(*found));
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		setenv("FAKE_GPU", script, 1);
		setenv("FLEETPLAN_BENCH_LIB_DIR", libraries, 1);
		alarm(60);
		play(index, request);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void run(const char *script, const struct bench_work_request *request)
{
	assert_int_equal(run_on(script, fakes, 0, request), 0);
	assert_true(found->ran);
}

static void assert_right(double seconds, double within)
{
	if (found->outcome != BENCH_OK)
		print_error("%s\n", found->reason.text);
	assert_int_equal(found->outcome, BENCH_OK);
	assert_true(found->check.verified);
	assert_true(found->check.samples > 0);
	assert_close(found->elapsed_s, seconds, within);
}

static void assert_refused(enum bench_outcome outcome, const char *with)
{
	assert_int_equal(found->outcome, outcome);
	assert_contains(found->reason.text, with);
}

#define SMALL "free_mib=192"

static const struct bench_work_request triad = {.kind = WORK_STREAM_TRIAD, .method = METHOD_STREAM};

static struct bench_work_request product_of(enum precision precision, enum bench_product product, int64_t m, int64_t n, int64_t k)
{
	return (struct bench_work_request){
		.kind = WORK_GEMM, .method = METHOD_LIBRARY_GEMM, .precision = precision, .product = product, .shape = {m, n, k}};
}

static void a_device_is_told_of_whole(void **state)
{
	const struct bench_device *device = &found->devices[0];

	(void)state;
	run(SMALL, &triad);
	assert_int_equal(found->count, 1);
	assert_string_equal(device->id, "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacad0000");
	assert_string_equal(device->uuid, device->id);
	assert_string_equal(device->accelerator, "h200-sxm5-141gb"); /* identified by 10de:2335 and 143771 MiB */
	assert_string_equal(device->pci_id, "10de:2335");
	assert_string_equal(device->pci_bus, "0000:f0:00.0");
	assert_string_equal(device->driver, "570.86.15, CUDA 12.8");
	assert_string_equal(device->compute_capability, "9.0");
	assert_int_equal(device->unit_count, 132);
	assert_close(device->power_limit_w, 700, 0);
	assert_true(device->ecc);
	assert_false(bench_device_knows(device, DEVICE_MIG_PARENT));
	assert_close(found->sensors.temperature_c, 41, 0);
	assert_string_equal(found->sensors.energy_source, "nvml");
}

/* The same PCI id with another amount of memory is not an accelerator of the catalogue. */
static void other_memory_is_another_accelerator(void **state)
{
	(void)state;
	run(SMALL ",total_mib=97871", &triad);
	assert_false(bench_device_knows(&found->devices[0], DEVICE_ACCELERATOR));
	run(SMALL ",total_mib=81559,pci_device=9008", &triad); /* 0x2330 */
	assert_string_equal(found->devices[0].accelerator, "h100-sxm5-80gb");
}

static void what_is_no_device_says_what_to_do(void **state)
{
	static const struct {
		const char *script, *code, *advice;
	} cases[] = {{"init=0,fail_init=34", "CUDA_ERROR_STUB_LIBRARY (34)", "LD_LIBRARY_PATH"},
		{"fail_init=100", "CUDA_ERROR_NO_DEVICE (100)", "attached"}, {"fail_init=999", "CUDA_ERROR_UNKNOWN (999)", "dmesg"},
		{"fail_init=803", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)", "kernel module"}};
	char path[PATH_MAX + 16];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		run(cases[i].script, &triad);
		assert_refused(BENCH_UNSUPPORTED, cases[i].code);
		assert_contains(found->reason.text, cases[i].advice);
		assert_contains(found->reason.text, "no device");
		assert_int_equal(found->count, 0);
	}
	run("fail_init=2", &triad);
	assert_refused(BENCH_FAILED, "CUDA_ERROR_OUT_OF_MEMORY (2)");
	snprintf(path, sizeof(path), "%s/too-old", fakes);
	assert_int_equal(run_on("", path, 0, &triad), 0);
	assert_refused(BENCH_UNSUPPORTED, "has no cuGetErrorName");
	assert_int_equal(run_on("", "/nonexistent", 0, &triad), 0);
	if (found->outcome != BENCH_OK) /* a developer's machine may have its own driver */
		assert_refused(BENCH_UNSUPPORTED, "NVIDIA_DRIVER_CAPABILITIES=compute,utility");
}

/* A child process starts the driver to list its devices. The test's process goes on. */
static void a_driver_that_crashes_costs_its_list(void **state)
{
	(void)state;
	run("crash_init=11", &triad);
	assert_refused(BENCH_FAILED, "signal 11");
	assert_int_equal(found->count, 0);
}

static void launches_are_proved(void **state)
{
	struct bench_work_request request = {.kind = WORK_LAUNCH, .method = METHOD_DRIVER_LAUNCH};
	char path[PATH_MAX + 32];

	(void)state;
	for (int kind = WORK_LAUNCH; kind <= WORK_LAUNCH_GRAPH; kind++) {
		request.kind = (enum bench_work_kind)kind;
		run(SMALL, &request);
		assert_int_equal(found->outcome, BENCH_OK);
		assert_true(found->check.verified);
		assert_int_equal(found->check.samples, 132); /* every group of the output was checked */
	}
	snprintf(path, sizeof(path), "%s/without-graphs", fakes);
	assert_int_equal(run_on(SMALL, path, 0, &request), 0);
	assert_refused(BENCH_UNSUPPORTED, "no graphs");
}

/* The arrays take an eighth of the free memory. The rate is the stand-in's. */
static void streams_take_what_the_bytes_say(void **state)
{
	static const enum bench_work_kind kinds[] = {WORK_STREAM_READ, WORK_STREAM_COPY, WORK_STREAM_TRIAD};
	struct bench_work_request request = triad;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		request.kind = kinds[i];
		run(SMALL ",l2_mib=1", &request);
		assert_right(found->work.bytes / 4.3e12 + 2e-6, 0.01);
		assert_false(found->work.cache_resident);
		run(SMALL ",l2_mib=16", &request);
		assert_true(found->work.cache_resident); /* a cache of 16 MiB holds most of arrays of 20 MiB */
	}
	request = (struct bench_work_request){.kind = WORK_ELEMENTWISE, .method = METHOD_STREAM, .bytes = 1 << 22};
	run(SMALL, &request);
	assert_right((1 << 22) / 4.3e12 + 2e-6, 0.01);
	request = (struct bench_work_request){.kind = WORK_KV_READ,
		.method = METHOD_STREAM,
		.precision = PRECISION_BF16,
		.cold = true,
		.attention = {.batch = 4, .heads = 8, .kv_heads = 2, .queries = 1, .keys = 512, .head_dimension = 64}};
	run(SMALL, &request);
	assert_right(2 * 4 * 2 * 512 * 64 * 2 / 4.3e12 + 4e-6, 0.01);
	assert_contains(found->work.detail, "tensor instructions");
	run(SMALL ",wrong=0.5", &request);
	assert_false(found->check.verified);
	run(SMALL ",capability=75", &request);
	assert_right(2 * 4 * 2 * 512 * 64 * 2 / 4.3e12 + 4e-6, 0.01);
	assert_contains(found->work.detail, "multiply-adds, 2 chunks of 256 keys");
	request.attention.head_dimension = 60; /* no whole vectors: only the bytes count */
	run(SMALL, &request);
	assert_right(2 * 4 * 2 * 512 * 60 * 2 / 4.3e12 + 2e-6, 0.01);
	assert_contains(found->work.detail, "stream_read");
	request.attention.queries = 2;
	run(SMALL, &request);
	assert_refused(BENCH_UNSUPPORTED, "one query per sequence");
}

static void transfers_go_both_ways(void **state)
{
	struct bench_work_request request = {.kind = WORK_TRANSFER, .method = METHOD_COPY_ENGINE, .transfer = {.pinned = true, .bytes = 1 << 20}};

	(void)state;
	for (int way = 0; way < DIRECTION_COUNT; way++) {
		request.transfer.direction = (enum bench_direction)way;
		run(SMALL, &request);
		assert_right((1 << 20) / 55e9 + 5e-6, 0.01); /* two directions on two streams take no longer than one */
		assert_close(found->work.bytes, way == DIRECTION_BOTH ? 2 << 20 : 1 << 20, 0);
	}
	request.transfer.pinned = false;
	run(SMALL, &request);
	assert_refused(BENCH_UNSUPPORTED, "pageable");
	request.transfer.direction = DIRECTION_TO_DEVICE;
	run(SMALL, &request);
	assert_right((1 << 20) / 55e9 + 5e-6, 0.01);
	run(SMALL ",fail_pinned=2", &(struct bench_work_request){.kind = WORK_TRANSFER, .transfer = {.pinned = true, .bytes = 4096}});
	assert_refused(BENCH_UNSUPPORTED, "CUDA_ERROR_OUT_OF_MEMORY (2)");
}

/* The sides are not powers of two, so swapped rows and columns are noticed. Every element that the check reads was
 * multiplied. */
static void products_are_right_in_every_form_and_precision(void **state)
{
	static const struct {
		enum precision precision;
		double flops;
	} cases[] = {{PRECISION_FP32, 50e12}, {PRECISION_TF32, 390e12}, {PRECISION_BF16, 780e12}, {PRECISION_FP16, 780e12},
		{PRECISION_FP8, 1450e12}, {PRECISION_INT8, 1450e12}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		for (int product = 0; product < PRODUCT_COUNT; product++) {
			struct bench_work_request request = product_of(cases[i].precision, (enum bench_product)product, 192, 320, 144);

			bool exact = cases[i].precision == PRECISION_FP8 && product != PRODUCT_FORWARD; /* gradients do not use the sum in fewer bits */

			run(SMALL, &request);
			assert_right((exact ? 4e-6 : 3e-6) + 2.0 * 192 * 320 * 144 / cases[i].flops,
				0.01); /* the backend kept the sixth proposal, the fastest */
			assert_contains(found->work.detail, "cuBLASLt 12.8.3, algorithm 66 tile 5");
			assert_contains(found->work.detail, "best of 8"); /* of ten proposals, one needs too much memory and one cannot run */
			run(SMALL ",wrong=0.25", &request);
			assert_int_equal(found->outcome, BENCH_OK);
			assert_false(found->check.verified);
			assert_true(found->check.worst_error > 1);
		}
}

static void own_products_are_right(void **state)
{
	static const enum precision precisions[] = {PRECISION_FP32, PRECISION_BF16, PRECISION_FP16};
	struct bench_work_request request;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(precisions); i++)
		for (int product = 0; product < PRODUCT_COUNT; product++) {
			request = product_of(precisions[i], (enum bench_product)product, 130, 70, 33);
			request.method = METHOD_KERNEL_GEMM;
			run(SMALL, &request);
			assert_true(found->check.verified);
			assert_contains(found->work.detail, "PTX sm_80");
			run(SMALL ",capability=70,wrong=0.25", &request);
			assert_contains(found->work.detail, "PTX sm_60");
			assert_false(found->check.verified);
		}
	request = product_of(PRECISION_FP8, PRODUCT_FORWARD, 128, 128, 128);
	request.method = METHOD_KERNEL_GEMM;
	run(SMALL, &request);
	assert_refused(BENCH_UNSUPPORTED, "no own kernel");
	run(SMALL ",capability=37", &request);
	assert_refused(BENCH_UNSUPPORTED, "compute capability 3.7");
}

static void what_the_library_lacks_is_unsupported(void **state)
{
	struct bench_work_request request = product_of(PRECISION_FP8, PRODUCT_FORWARD, 128, 128, 120);

	(void)state;
	run(SMALL, &request);
	assert_refused(BENCH_UNSUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED (15)"); /* sides of 16 */
	request.shape.k = 128;
	run(SMALL ",capability=80", &request);
	assert_refused(BENCH_UNSUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED (15)");
	run(SMALL ",cublaslt_create=1", &request);
	assert_refused(BENCH_UNSUPPORTED, "CUBLAS_STATUS_NOT_INITIALIZED");
	request = product_of(PRECISION_BF16, PRODUCT_FORWARD, 1 << 14, 1 << 14, 1 << 10);
	run(SMALL, &request);
	assert_refused(BENCH_UNSUPPORTED, "do not fit");
	/* The first operand has 270 of 288 MiB. The backend leaves memory for the library and for other processes. */
	request = product_of(PRECISION_BF16, PRODUCT_FORWARD, 270 << 10, 16, 512);
	run(SMALL, &request);
	assert_refused(BENCH_UNSUPPORTED, "0.26 GiB do not fit");
	request = product_of(PRECISION_NVFP4, PRODUCT_FORWARD, 128, 128, 128);
	run(SMALL, &request);
	assert_refused(BENCH_UNSUPPORTED, "nvfp4");
}

static void attention_is_right_there_and_back(void **state)
{
	static const enum precision precisions[] = {PRECISION_FP32, PRECISION_BF16, PRECISION_FP16};
	struct bench_work_request request = {
		.kind = WORK_ATTENTION, .attention = {.batch = 2, .heads = 4, .kv_heads = 2, .queries = 24, .keys = 40, .head_dimension = 32}};

	(void)state;
	for (int round = 0; round < 24; round++) {
		request.precision = precisions[round % 3];
		request.attention.causal = round / 3 % 2;
		request.attention.backward = round / 6 % 2;
		request.method = round / 12 ? METHOD_KERNEL_ATTENTION : METHOD_LIBRARY_ATTENTION;
		run(SMALL, &request);
		assert_int_equal(found->outcome, BENCH_OK);
		assert_true(found->check.verified);
		assert_close(found->work.flops, bench_attention_flops(&request.attention), 0);
	}
	request.attention.backward = false;
	run(SMALL ",wrong=0.25", &request);
	assert_false(found->check.verified);
	request.attention = (struct bench_attention){.batch = 1, .heads = 3, .kv_heads = 2, .queries = 8, .keys = 8, .head_dimension = 8};
	run(SMALL, &request);
	assert_refused(BENCH_UNSUPPORTED, "multiple of kv_heads");
}

static void a_sequence_is_the_sum_of_its_parts(void **state)
{
	struct bench_work_request parts[3] = {product_of(PRECISION_BF16, PRODUCT_FORWARD, 256, 256, 128),
		{.kind = WORK_ELEMENTWISE, .method = METHOD_STREAM, .bytes = 1 << 20},
		product_of(PRECISION_BF16, PRODUCT_WEIGHT_GRADIENT, 128, 64, 512)};
	struct bench_work_request sequence = {.kind = WORK_SEQUENCE, .method = METHOD_SEQUENCE, .parts = parts, .part_count = 3};
	double seconds = 0;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		run(SMALL, &parts[i]);
		seconds += found->elapsed_s;
	}
	run(SMALL, &sequence);
	assert_right(seconds, 0.01);
	assert_int_equal(found->check.samples, 3 * 64);
	run(SMALL ",wrong=0.25", &sequence);
	assert_false(found->check.verified);
	parts[1] = (struct bench_work_request){.kind = WORK_LAUNCH};
	run(SMALL, &sequence);
	assert_refused(BENCH_UNSUPPORTED, "launch cannot be part");
}

static void issue_rates_are_followed(void **state)
{
	struct bench_work_request request = {.kind = WORK_ISSUE_RATE, .method = METHOD_ISSUE_RATE, .precision = PRECISION_FP32};

	(void)state;
	run(SMALL, &request);
	assert_right(found->work.flops / 50e12, 0.01);
	request.precision = PRECISION_BF16;
	run(SMALL, &request);
	assert_int_equal(found->outcome, BENCH_OK);
	assert_true(found->check.verified);
	assert_contains(found->work.detail, "issue_tensor_bf16");
	run(SMALL ",wrong=0.1", &request); /* sums of a tenth more rounds */
	assert_false(found->check.verified);
	request.precision = PRECISION_FP16;
	run(SMALL, &request);
	assert_true(found->outcome == BENCH_OK && found->check.verified);
	run(SMALL ",capability=75", &request);
	assert_refused(BENCH_UNSUPPORTED, "no own kernel"); /* the PTX for this device has no tensor instructions */
	request.precision = PRECISION_INT8;
	run(SMALL, &request);
	assert_int_equal(found->outcome, BENCH_UNSUPPORTED);
}

/* A peer copy and a reduction use other devices. They must not run while another benchmark uses one of these. */
static void two_devices_work_together(void **state)
{
	struct bench_work_request copy = {.kind = WORK_PEER_COPY, .method = METHOD_COPY_ENGINE, .bytes = 1 << 20};
	struct bench_work_request reduction = {.kind = WORK_ALL_REDUCE, .method = METHOD_COLLECTIVE_LIBRARY, .bytes = 1 << 20};
	struct bench_reason reason;
	int lock;

	(void)state;
	run(SMALL ",devices=2", &copy);
	assert_right((1 << 20) / 376e9 + 5e-6, 0.01);
	assert_contains(found->work.detail, "direct");
	run(SMALL ",devices=2", &reduction);
	assert_right(20e-6 + (1 << 20) / 380e9, 0.01);
	assert_close(found->work.bytes, 1 << 20, 0); /* 2 (n - 1) / n of the buffer's bytes */
	assert_contains(found->work.detail, "NCCL 2.28.9, 2 devices");
	run(SMALL ",devices=2,nccl_init=2", &reduction);
	assert_refused(BENCH_FAILED, "unhandled system error (2)");
	run(SMALL, &reduction);
	assert_refused(BENCH_UNSUPPORTED, "this process sees 1");
	assert_int_equal(bench_device_lock("GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacad0001", &lock, &reason), DEVICE_LOCKED);
	run(SMALL ",devices=2", &copy);
	assert_refused(BENCH_UNSUPPORTED, "another benchmark runs");
	run(SMALL ",devices=2", &reduction);
	assert_refused(BENCH_UNSUPPORTED, "another benchmark runs");
	close(lock);
}

static void slices_are_devices_of_their_own(void **state)
{
	(void)state;
	for (size_t index = 0; index < 2; index++) {
		const struct bench_device *slice = &found->devices[index];

		assert_int_equal(run_on(SMALL ",slices=2", fakes, index, &triad), 0);
		assert_int_equal(found->outcome, BENCH_OK);
		assert_true(found->check.verified);
		assert_int_equal(found->count, 2);
		assert_string_equal(slice->id, index ? "MIG-a0a1a2a3-a4a5-a6a7-a8a9-aaabacad0200" : "MIG-a0a1a2a3-a4a5-a6a7-a8a9-aaabacad0100");
		assert_string_equal(slice->mig_parent, "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacad0000");
		assert_false(bench_device_knows(slice, DEVICE_ACCELERATOR));    /* a slice is never taken for its board */
		assert_true(bench_sensors_know(&found->sensors, SENSOR_POWER)); /* the sensor of the board */
		assert_false(bench_sensors_know(&found->sensors, SENSOR_UTILIZATION));
	}
	assert_string_equal(found->devices[1].mig_profile, "1g.18gb");
}

/* A device that fails during the work reports where and why. Once its context is lost, every later call fails, too. */
static void failures_are_named_and_last(void **state)
{
	struct bench_work_request parts[2] = {triad, triad};
	struct bench_work_request product = product_of(PRECISION_BF16, PRODUCT_FORWARD, 64, 64, 64);

	(void)state;
	run(SMALL ",fail_launch=700@2", &triad);
	assert_refused(BENCH_FAILED, "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
	run(SMALL ",fail_sync=719@1", &triad);
	assert_refused(BENCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED (719)");
	run(SMALL ",fail_copy=999@1", &triad);
	assert_refused(BENCH_FAILED, "CUDA_ERROR_UNKNOWN (999)");
	run(SMALL ",fail_alloc=2@3", &triad);
	assert_refused(BENCH_UNSUPPORTED, "CUDA_ERROR_OUT_OF_MEMORY (2)");
	run(SMALL ",fail_context=2", &triad);
	assert_refused(BENCH_FAILED, "opening the device: CUDA_ERROR_OUT_OF_MEMORY (2)");
	run(SMALL ",bad_ptx=1", &triad);
	assert_refused(BENCH_FAILED, "error   : Unknown symbol 'x'");
	run(SMALL ",fail_module=222", &triad);
	assert_refused(BENCH_UNSUPPORTED, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)");
	run(SMALL ",fail_multiply=1@1", &product);
	assert_refused(BENCH_UNSUPPORTED, "none of 10 proposed algorithms runs");
	run(SMALL ",nvml_init=9", &parts[0]);
	assert_int_equal(found->outcome, BENCH_OK); /* a benchmark runs without sensors */
	assert_int_equal(found->sensors.known, 0);
	assert_string_equal(found->devices[0].driver, "CUDA 12.8");
	assert_int_equal(run_on(SMALL ",crash_launch=11@2", fakes, 0, &triad), SIGSEGV);
}

static void throttling_is_told_in_words_for_all_vendors(void **state)
{
	(void)state;
	assert_int_equal(nvml_throttle_reasons(NVML_REASON_IDLE | NVML_REASON_CLOCK_SETTING), 0);
	assert_int_equal(nvml_throttle_reasons(NVML_REASON_POWER_CAP), 1 << THROTTLE_POWER);
	assert_int_equal(nvml_throttle_reasons(NVML_REASON_HARDWARE_HEAT | NVML_REASON_HARDWARE_SLOWDOWN), 1 << THROTTLE_HEAT);
	assert_int_equal(nvml_throttle_reasons(NVML_REASON_HARDWARE_SLOWDOWN), 1 << THROTTLE_HARDWARE);
	assert_int_equal(nvml_throttle_reasons(NVML_REASON_POWER_BRAKE | NVML_REASON_SYNC_BOOST), 1 << THROTTLE_HARDWARE | 1 << THROTTLE_SYNC);
	assert_int_equal(nvml_throttle_reasons(0x200), 1 << THROTTLE_OTHER);
}

/* The expected bits were computed by hand from IEEE 754 and the OCP 8-bit specification. */
static void formats_round_as_the_device_does(void **state)
{
	static const struct {
		enum cuda_format format;
		double value;
		unsigned bits;
	} cases[] = {{FORMAT_FP16, 1, 0x3c00}, {FORMAT_FP16, -2.5, 0xc100}, {FORMAT_FP16, 65504, 0x7bff}, {FORMAT_FP16, 70000, 0x7c00},
		{FORMAT_FP16, 0x1p-24, 1}, {FORMAT_FP16, 1 + 0x1p-11, 0x3c00}, {FORMAT_FP16, 1 + 3 * 0x1p-11, 0x3c02},
		{FORMAT_FP16, 2047.9, 0x6800}, {FORMAT_BF16, 1, 0x3f80}, {FORMAT_BF16, 1 + 0x1p-8, 0x3f80}, {FORMAT_BF16, 1 + 3 * 0x1p-8, 0x3f82},
		{FORMAT_BF16, -3, 0xc040}, {FORMAT_FP8, 1, 0x38}, {FORMAT_FP8, 448, 0x7e}, {FORMAT_FP8, 1000, 0x7e}, {FORMAT_FP8, -0x1p-9, 0x81},
		{FORMAT_FP8, 0x1p-6, 0x08}, {FORMAT_FP8, 1.0625, 0x38}, {FORMAT_INT8, 1, 32}, {FORMAT_INT8, -9, 0x81}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		unsigned char bytes[4] = {0};

		cuda_format_encode(cases[i].format, cases[i].value, bytes);
		assert_int_equal(bytes[0] | bytes[1] << 8, cases[i].bits);
	}
	for (unsigned bits = 0; bits < 0x7f; bits++) { /* every FP8 number reads back as itself */
		unsigned char byte = (unsigned char)bits, again[4];

		cuda_format_encode(FORMAT_FP8, cuda_format_decode(FORMAT_FP8, &byte), again);
		assert_int_equal(again[0], bits);
	}
}

static int setup(void **state)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)state;
	if (length < 0 || !mkdtemp(folder) || setenv("FLEETPLAN_RUN_DIR", folder, 1) != 0)
		return -1;
	self[length] = '\0';
	snprintf(fakes, sizeof(fakes), "%.*s/../../fakes", PATH_MAX - 20, dirname(self));
	found = mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return found == MAP_FAILED ? -1 : 0;
}

static int teardown(void **state)
{
	char path[PATH_MAX];

	(void)state;
	for (int device = 0; device < 2; device++) {
		snprintf(path, sizeof(path), "%s/fleetplan-device-GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacad000%d.lock", folder, device);
		unlink(path);
	}
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_is_told_of_whole),
		cmocka_unit_test(other_memory_is_another_accelerator),
		cmocka_unit_test(what_is_no_device_says_what_to_do),
		cmocka_unit_test(a_driver_that_crashes_costs_its_list),
		cmocka_unit_test(launches_are_proved),
		cmocka_unit_test(streams_take_what_the_bytes_say),
		cmocka_unit_test(transfers_go_both_ways),
		cmocka_unit_test(products_are_right_in_every_form_and_precision),
		cmocka_unit_test(own_products_are_right),
		cmocka_unit_test(what_the_library_lacks_is_unsupported),
		cmocka_unit_test(attention_is_right_there_and_back),
		cmocka_unit_test(a_sequence_is_the_sum_of_its_parts),
		cmocka_unit_test(issue_rates_are_followed),
		cmocka_unit_test(two_devices_work_together),
		cmocka_unit_test(slices_are_devices_of_their_own),
		cmocka_unit_test(failures_are_named_and_last),
		cmocka_unit_test(throttling_is_told_in_words_for_all_vendors),
		cmocka_unit_test(formats_round_as_the_device_does),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
