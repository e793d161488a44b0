/* Diagnoses of steps, loss curves and traces: golden cases, properties, and traces whose parts are known. */
#include "planner/diagnosis/log_curve.h"
#include "planner/diagnosis/trace.h"
#include "support/assert.h"
#include "support/golden.h"

static struct diagnosis diagnosis;
static struct failure failure;
static struct log_room room;

/* --- timings ------------------------------------------------------------------------------------------------------ */

static struct step_timings timings_of(const struct golden_case *golden)
{
	return (struct step_timings){.step_time_ms = golden_number_or(golden, "step", ABSENT_NUMBER),
		.compute_ms = golden_number_or(golden, "compute", ABSENT_NUMBER),
		.memory_bandwidth_ms = golden_number_or(golden, "bandwidth", ABSENT_NUMBER),
		.recompute_ms = golden_number_or(golden, "recompute", ABSENT_NUMBER),
		.optimizer_ms = golden_number_or(golden, "optimizer", ABSENT_NUMBER),
		.communication_ms = golden_number_or(golden, "communication", ABSENT_NUMBER),
		.exposed_communication_ms = golden_number_or(golden, "exposed", ABSENT_NUMBER),
		.host_to_device_ms = ABSENT_NUMBER,
		.exposed_host_to_device_ms = ABSENT_NUMBER,
		.other_copies_ms = ABSENT_NUMBER,
		.data_wait_ms = golden_number_or(golden, "wait", ABSENT_NUMBER),
		.launch_gap_ms = golden_number_or(golden, "launch", ABSENT_NUMBER),
		.device_wait_ms = golden_number_or(golden, "device", ABSENT_NUMBER),
		.pipeline_bubble_ms = ABSENT_NUMBER,
		.idle_ms = ABSENT_NUMBER};
}

static enum status judge(const struct step_timings *timings, const struct diagnosis_context *context)
{
	static const struct diagnosis none;
	enum status status;

	diagnosis = none;
	failure_clear(&failure);
	status = diagnose_timings(timings, &diagnosis, &failure);
	if (status == STATUS_OK)
		diagnose_levers(context, NULL, &diagnosis);
	return status;
}

static void judge_case(const struct golden_case *golden)
{
	struct step_timings timings = timings_of(golden);
	struct diagnosis_context context = {.gpu_count = (int64_t)golden_number_or(golden, "gpus", -1),
		.usd_per_gpu_hour = golden_number_or(golden, "price", ABSENT_NUMBER),
		.steps_remaining = golden_number_or(golden, "steps_remaining", ABSENT_NUMBER)};

	assert_int_equal(judge(&timings, &context), STATUS_OK);
}

static double parts(const struct golden_case *golden, const char *expected)
{
	judge_case(golden);
	if (strcmp(expected, "exposed") == 0)
		return diagnosis.timings.exposed_communication_ms;
	return strcmp(expected, "idle") == 0 ? diagnosis.timings.idle_ms : diagnosis.efficiency;
}

static double shares(const struct golden_case *golden, const char *expected)
{
	static const char *const words[DIAGNOSIS_KIND_COUNT] = {"", "compute", "memory", "memory_bandwidth", "interconnect", "pipeline_bubble",
		"input", "host_transfer", "launch_overhead", "device_wait", "idle"};

	judge_case(golden);
	for (size_t i = 0; i < DIAGNOSIS_KIND_COUNT; i++)
		if (strcmp(words[i], expected) == 0)
			return diagnosis.bottleneck.shares[i];
	return ABSENT_NUMBER;
}

static double levers(const struct golden_case *golden, const char *expected)
{
	judge_case(golden);
	for (size_t i = 0; i < diagnosis.lever_count; i++) {
		const struct lever *lever = &diagnosis.levers[i];

		if (strcmp(lever->code, golden_word(golden, "lever")) != 0)
			continue;
		if (strcmp(expected, "hours") == 0)
			return lever->saved_hours;
		if (strcmp(expected, "usd") == 0)
			return lever->saved_usd;
		return strcmp(expected, "saved") == 0 ? lever->saved_ms : lever->step_time_ms;
	}
	return ABSENT_NUMBER;
}

/* --- curves ------------------------------------------------------------------------------------------------------- */

static struct power_law law_of(const struct golden_case *golden)
{
	return (struct power_law){.limit = golden_number(golden, "limit"),
		.amplitude = golden_number(golden, "amplitude"),
		.offset_steps = golden_number(golden, "offset"),
		.exponent = golden_number(golden, "exponent")};
}

static double fits(const struct golden_case *golden, const char *expected)
{
	static double step[4096], loss[4096];
	struct power_law truth = law_of(golden), law;
	size_t rows = (size_t)golden_number(golden, "rows");
	double first = golden_number(golden, "first"), last = golden_number(golden, "last");
	struct curve curve;

	for (size_t i = 0; i < rows; i++) {
		step[i] = first + (last - first) * (double)i / (double)(rows - 1);
		loss[i] = power_law_loss(&truth, step[i]);
	}
	series_thin((struct series){step, loss, rows}, room.scratch, &curve);
	assert_true(power_law_fit(&curve, &room.fit, &law));
	if (strcmp(expected, "at_last") == 0)
		return power_law_loss(&law, last);
	return strcmp(expected, "limit") == 0 ? law.limit : law.exponent;
}

static double prices(const struct golden_case *golden, const char *expected)
{
	struct power_law law = law_of(golden);
	double step = golden_number(golden, "step");

	if (strcmp(expected, "steps") == 0)
		return power_law_steps_per_percent(&law, step);
	return power_law_stop_step(&law, step, golden_number(golden, "steps_max"));
}

static void figures_come_out(void **state)
{
	static const struct golden_row rows[] = {{"E81", parts}, {"E82", shares}, {"E83", levers}, {"E84", fits}, {"E89", prices}};

	(void)state;
	golden_run("tests/planner/golden/diagnosis.txt", rows, COUNT_OF(rows), 11);
}

/* --- properties of timings ------------------------------------------------------------------------------------------ */

static const struct step_timings nothing = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
static const struct diagnosis_context no_context = {.gpu_count = -1, .usd_per_gpu_hour = NAN, .steps_remaining = NAN};

static void shares_sum_to_one_and_levers_never_lengthen(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct step_timings timings = nothing;
		double *members[] = {&timings.compute_ms, &timings.optimizer_ms, &timings.exposed_communication_ms, &timings.data_wait_ms,
			&timings.launch_gap_ms, &timings.pipeline_bubble_ms, &timings.exposed_host_to_device_ms, &timings.other_copies_ms};
		double sum = 0;

		for (size_t i = 0; i < COUNT_OF(members); i++) {
			random = random * 6364136223846793005ULL + 1442695040888963407ULL;
			*members[i] = (double)(random >> 44);
		}
		timings.step_time_ms = timings.compute_ms * 9 + 1e7;
		assert_int_equal(judge(&timings, &no_context), STATUS_OK);
		for (size_t i = 0; i < DIAGNOSIS_KIND_COUNT; i++)
			sum += diagnosis.bottleneck.shares[i];
		assert_close(sum, 1, 1e-9);
		for (size_t i = 0; i < diagnosis.lever_count; i++) {
			assert_true(diagnosis.levers[i].saved_ms > 0 && diagnosis.levers[i].step_time_ms >= 0);
			assert_true(i == 0 || diagnosis.levers[i].saved_ms <= diagnosis.levers[i - 1].saved_ms);
		}
	}
}

static void contradictions_are_refused(void **state)
{
	struct step_timings timings = nothing;

	(void)state;
	assert_int_equal(judge(&timings, &no_context), STATUS_INVALID);
	timings.step_time_ms = 100;
	assert_int_equal(judge(&timings, &no_context), STATUS_INVALID); /* a step without parts */
	timings.compute_ms = 90;
	timings.data_wait_ms = 20;
	assert_int_equal(judge(&timings, &no_context), STATUS_INVALID); /* parts of 110 ms in a step of 100 ms */
	assert_string_equal(failure.faults[0].pointer, "/timings/step_time_ms");
	timings.data_wait_ms = 11;
	assert_int_equal(judge(&timings, &no_context), STATUS_OK); /* 101 ms: within the error of clocks */
	timings.recompute_ms = 95;
	assert_int_equal(judge(&timings, &no_context), STATUS_INVALID); /* a part larger than its whole */
}

static void a_plan_beside_it(void **state)
{
	struct step_timings timings = nothing;
	struct training_option predicted = {.gpu_count = 8,
		.step = {.time_s = 0.8, .compute_s = 0.5, .recompute_s = 0.1, .tensor_comm_s = 0.1, .data_comm_exposed_s = 0.1},
		.interval.step_time_s = {0.7, 0.8, 0.9}};

	(void)state;
	timings.compute_ms = 600;
	timings.exposed_communication_ms = 400;
	assert_int_equal(judge(&timings, &no_context), STATUS_OK);
	diagnose_compare(&predicted, &diagnosis);
	assert_string_equal(diagnosis.compared[0].part, "step_time");
	assert_close(diagnosis.compared[0].ratio, 1.25, 1e-12);
	assert_close(diagnosis.compared[1].ratio, 1, 1e-12); /* compute with recomputation */
	assert_close(diagnosis.compared[2].ratio, 2, 1e-12);
	assert_close(diagnosis.prediction.ratio, 1.25, 1e-12);
	assert_int_equal(diagnosis.prediction.within, TRUTH_FALSE);
	assert_string_equal(diagnosis.prediction.differs_most, "exposed_communication");
	assert_close(diagnosis.prediction.differs_ms, 200, 1e-9);
	timings.exposed_communication_ms = 205;
	assert_int_equal(judge(&timings, &no_context), STATUS_OK);
	diagnose_compare(&predicted, &diagnosis);
	assert_int_equal(diagnosis.prediction.within, TRUTH_TRUE);
	assert_null(diagnosis.prediction.differs_most);
}

/* Planned levers replace the levers that the timings alone suggest. The others stay. */
static void planned_levers_come_first(void **state)
{
	struct step_timings timings = nothing;
	struct findings planned;
	struct advice *advice;
	const struct diagnosis_context context = {.gpu_count = 8, .usd_per_gpu_hour = 2, .steps_remaining = 3.6e6};

	(void)state;
	findings_clear(&planned);
	advice = findings_advise(&planned, "precision", "suggestion", "FP8");
	advice->change_hours = -30;
	advice->change_usd = -480;
	advice->change_gb = 2;
	advice->sample_time_ratio = 0.7;
	(void)findings_advise(&planned, "deadline_at_risk", "important", "no lever");
	timings.compute_ms = 800;
	timings.data_wait_ms = 100;
	assert_int_equal(judge(&timings, &context), STATUS_OK);
	assert_string_equal(diagnosis.levers[0].code, "precision_fp8");
	diagnosis.findings.advice_count = 0;
	diagnose_levers(&context, &planned, &diagnosis);
	assert_string_equal(diagnosis.levers[0].code, "precision");
	assert_close(diagnosis.levers[0].step_time_ms, 630, 1e-9);
	assert_close(diagnosis.levers[0].saved_hours, 270, 1e-9);
	assert_close(diagnosis.levers[0].change_usd, -480, 1e-12);
	assert_string_equal(diagnosis.findings.advice[0].effect,
		"270 ms less a step (30 %), 30 hours of the whole plan less, 480 USD less, 2 GB of memory more");
	assert_string_equal(diagnosis.levers[1].code, "more_loader_workers");
	assert_true(isnan(diagnosis.levers[1].change_hours));
	for (size_t i = 0; i < diagnosis.lever_count; i++)
		assert_true(strcmp(diagnosis.levers[i].code, "precision_fp8") != 0 && strcmp(diagnosis.levers[i].code, "deadline_at_risk") != 0);
}

/* --- intervals and traces ---------------------------------------------------------------------------------------------- */

static void intervals_merge_in_any_order(void **state)
{
	struct span items[64];
	struct intervals set = {.items = items, .capacity = COUNT_OF(items)};
	const double starts[] = {50, 10, 12, 30, 5, 49, 70};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(starts); i++)
		assert_true(intervals_add(&set, starts[i], starts[i] + 4));
	intervals_settle(&set, 0);
	assert_int_equal(set.count, 5); /* 5-9, 10-16, 30-34, 49-54, 70-74 */
	assert_close(items[1].end, 16, 1e-15);
	assert_close(items[3].start, 49, 1e-15);
	intervals_settle(&set, 1);
	assert_int_equal(set.count, 4); /* 5-9 and 10-16 join to 5-16 */
	set.count = set.capacity;
	assert_false(intervals_add(&set, 1e6, 1e6 + 1));
}

enum { SPANS = 32 };

struct made {
	struct span spans[ACTIVITY_COUNT][SPANS];
	struct step_window steps[4];
	struct traced traced;
};

static void make(struct made *made)
{
	*made = (struct made){.traced = {.all = {INFINITY, -INFINITY}, .device_end = -INFINITY, .steps = made->steps}};
	for (size_t a = 0; a < ACTIVITY_COUNT; a++)
		made->traced.sets[a] = (struct intervals){.items = made->spans[a], .capacity = SPANS};
}

static void happens(struct made *made, enum activity activity, double start, double end)
{
	assert_true(intervals_add(&made->traced.sets[activity], start, end));
	made->traced.all.start = fmin(made->traced.all.start, start);
	made->traced.all.end = fmax(made->traced.all.end, end);
	if (activity <= ACTIVITY_OTHER_COPY)
		made->traced.device_end = fmax(made->traced.device_end, end);
	made->traced.kernels += activity <= ACTIVITY_COMMUNICATION;
}

/* One step of 10 ms whose every part is known by hand. The events are out of order and on several streams. */
static void a_trace_by_hand(void **state)
{
	static struct trace_summary summary;
	struct made made;
	struct step_timings mean;

	(void)state;
	make(&made);
	made.steps[0] = (struct step_window){7, {0, 10000}};
	made.traced.step_count = 1;
	happens(&made, ACTIVITY_COMMUNICATION, 5000, 7000);
	happens(&made, ACTIVITY_PRODUCT, 2000, 4000);
	happens(&made, ACTIVITY_PRODUCT, 3500, 5500); /* computing 2000-5500, then traffic to 6000 */
	happens(&made, ACTIVITY_TRAFFIC, 5000, 6000);
	happens(&made, ACTIVITY_HOST_TO_DEVICE, 1500, 2500); /* 500 us exposed */
	happens(&made, ACTIVITY_OTHER_COPY, 7000, 7200);
	happens(&made, ACTIVITY_LOADER, 0, 1000);
	happens(&made, ACTIVITY_HOST, 900, 1400); /* launch gap 1000-1400; to 1500 by the next call */
	happens(&made, ACTIVITY_HOST, 1440, 1500);
	happens(&made, ACTIVITY_SYNCHRONISE, 7200, 8000);
	happens(&made, ACTIVITY_HOST, 7200, 8500); /* 500 us of launching after the wait */
	assert_true(trace_timings(&made.traced, &summary, &mean));
	assert_close(mean.step_time_ms, 10, 1e-12);
	assert_close(mean.compute_ms, 4, 1e-12);
	assert_close(mean.memory_bandwidth_ms, 0.5, 1e-12);
	assert_close(mean.communication_ms, 2, 1e-12);
	assert_close(mean.exposed_communication_ms, 1, 1e-12);
	assert_close(mean.host_to_device_ms, 1, 1e-12);
	assert_close(mean.exposed_host_to_device_ms, 0.5, 1e-12);
	assert_close(mean.other_copies_ms, 0.2, 1e-12);
	assert_close(mean.data_wait_ms, 1, 1e-12);
	assert_close(mean.launch_gap_ms, 1, 1e-12);
	assert_close(summary.synchronisation_ms, 0.8, 1e-12);
	assert_int_equal(summary.cpu_only, TRUTH_FALSE);
	assert_int_equal(judge(&mean, &no_context), STATUS_OK);
	assert_close(diagnosis.timings.idle_ms, 10 - 4 - 1 - 0.5 - 0.2 - 1 - 1, 1e-9);
	assert_close(summary.steps[0].timings.idle_ms, diagnosis.timings.idle_ms, 1e-9);
}

/* In a step of 10 ms the device rests four times: the host is late, the device waits for itself, the device passes
 * from one kernel to the next, and the host does other work. */
static void who_waits_for_whom(void **state)
{
	static struct trace_summary summary;
	struct made made;
	struct step_timings mean;
	struct span queued;

	(void)state;
	make(&made);
	made.steps[0] = (struct step_window){1, {0, 10000}};
	made.traced.step_count = 1;
	made.traced.launches = 4;
	happens(&made, ACTIVITY_HOST, 0, 100);
	happens(&made, ACTIVITY_HOST, 900, 1000); /* a pause of 0.8 ms with nothing queued */
	happens(&made, ACTIVITY_PRODUCT, 1000, 2000);
	happens(&made, ACTIVITY_HOST, 1100, 1200);
	assert_true(trace_queued(1190, 3000, &queued));
	happens(&made, ACTIVITY_QUEUED, queued.start, queued.end);
	happens(&made, ACTIVITY_PRODUCT, 3000, 4000);
	assert_true(trace_queued(1200, 4006, &queued));
	happens(&made, ACTIVITY_QUEUED, queued.start, queued.end);
	happens(&made, ACTIVITY_PRODUCT, 4006, 5000);
	happens(&made, ACTIVITY_HOST, 9800, 9900); /* the host is silent since 1.2 ms: it does not issue from 5 to 9.8 ms */
	assert_false(trace_queued(9900, 9905, &queued));
	happens(&made, ACTIVITY_PRODUCT, 9905, 10000);
	assert_true(trace_timings(&made.traced, &summary, &mean));
	assert_close(mean.compute_ms, 1 + 1 + 0.994 + 0.095, 1e-12);
	assert_close(mean.device_wait_ms, 1, 1e-12); /* 2 to 3 ms */
	assert_close(mean.launch_gap_ms, 1 + 0.006 + 0.1, 1e-12);
	assert_int_equal(judge(&mean, &no_context), STATUS_OK);
	assert_close(diagnosis.bottleneck.shares[DIAGNOSIS_DEVICE_WAIT], 0.1, 1e-12);
	assert_close(diagnosis.timings.idle_ms, 4.805, 1e-9);
}

static void steps_follow_each_other(void **state)
{
	static struct trace_summary summary;
	struct made made;
	struct step_timings mean;

	(void)state;
	make(&made);
	made.steps[0] = (struct step_window){2, {1000, 1900}};
	made.steps[1] = (struct step_window){1, {0, 950}};
	made.traced.step_count = 2;
	happens(&made, ACTIVITY_PRODUCT, 400, 1200);
	happens(&made, ACTIVITY_PRODUCT, 1500, 2400); /* ends after the host's last step */
	assert_true(trace_timings(&made.traced, &summary, &mean));
	assert_close(summary.steps[0].step, 1, 1e-15);
	assert_close(summary.steps[0].timings.step_time_ms, 1, 1e-12);
	assert_close(summary.steps[0].timings.compute_ms, 0.6, 1e-12);
	assert_close(summary.steps[1].timings.step_time_ms, 1.4, 1e-12);
	assert_close(summary.steps[1].timings.compute_ms, 1.1, 1e-12);
	assert_close(mean.step_time_ms, 1.2, 1e-12);
}

static void without_kernels_operators_compute(void **state)
{
	static struct trace_summary summary;
	struct made made;
	struct step_timings mean;

	(void)state;
	make(&made);
	happens(&made, ACTIVITY_HOST, 0, 600);
	happens(&made, ACTIVITY_LOADER, 500, 900);
	happens(&made, ACTIVITY_HOST, 1000, 1100);
	assert_true(trace_timings(&made.traced, &summary, &mean));
	assert_int_equal(summary.cpu_only, TRUTH_TRUE);
	assert_close(mean.compute_ms, 0.6, 1e-12);
	assert_close(mean.data_wait_ms, 0.4, 1e-12);
	assert_true(isnan(mean.launch_gap_ms));
	make(&made);
	happens(&made, ACTIVITY_HOST, 0, 600);
	happens(&made, ACTIVITY_HOST_COLLECTIVE, 400, 1000);
	assert_true(trace_timings(&made.traced, &summary, &mean));
	assert_close(mean.communication_ms, 0.6, 1e-12); /* only the host can carry it */
	assert_close(mean.compute_ms, 0.4, 1e-12);
	happens(&made, ACTIVITY_PRODUCT, 900, 1100);
	assert_true(trace_timings(&made.traced, &summary, &mean));
	assert_close(mean.communication_ms + 1, 1, 1e-12); /* with kernels, the host only issues them */
	assert_close(mean.launch_gap_ms, 0.9, 1e-12);
	make(&made);
	assert_false(trace_timings(&made.traced, &summary, &mean));
}

static void events_are_known_by_their_names(void **state)
{
	static const struct {
		const char *category, *name;
		enum event_kind kind;
		enum activity activity;
	} rows[] = {
		{"kernel", "sm80_xmma_gemm_f16f16_f16f32", EVENT_KERNEL, ACTIVITY_PRODUCT},
		{"Kernel", "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor>", EVENT_KERNEL, ACTIVITY_TRAFFIC},
		{"kernel", "void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_relu>", EVENT_KERNEL, ACTIVITY_PRODUCT},
		{"kernel", "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", EVENT_KERNEL, ACTIVITY_COMMUNICATION},
		{"kernel", "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel", EVENT_KERNEL, ACTIVITY_PRODUCT},
		{"kernel", "triton_poi_fused_add_mul_0", EVENT_KERNEL, ACTIVITY_TRAFFIC},
		{"kernel", "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor>", EVENT_KERNEL, ACTIVITY_TRAFFIC},
		{"gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", EVENT_COPY, ACTIVITY_HOST_TO_DEVICE},
		{"gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", EVENT_COPY, ACTIVITY_OTHER_COPY},
		{"kernel", "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 128, true, 1>", EVENT_KERNEL, ACTIVITY_TRAFFIC},
		{"kernel", "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>", EVENT_KERNEL, ACTIVITY_TRAFFIC},
		{"kernel", "volta_sgemm_128x32_nt", EVENT_KERNEL, ACTIVITY_PRODUCT},
		{"gpu_memset", "Memset (Device)", EVENT_COPY, ACTIVITY_OTHER_COPY},
		{"cuda_runtime", "cudaLaunchKernel", EVENT_HOST, ACTIVITY_HOST},
		{"cuda_runtime", "cudaStreamSynchronize", EVENT_HOST, ACTIVITY_SYNCHRONISE},
		{"cuda_driver", "cuLaunchKernelEx", EVENT_HOST, ACTIVITY_HOST},
		{"cuda_runtime", "cudaGraphLaunch", EVENT_HOST, ACTIVITY_HOST},
		{"cpu_op", "aten::mm", EVENT_HOST, ACTIVITY_HOST},
		{"cpu_op", "gloo:all_reduce", EVENT_HOST, ACTIVITY_HOST_COLLECTIVE},
		{"cpu_op", "c10d::allreduce_", EVENT_HOST, ACTIVITY_HOST_COLLECTIVE},
		{"user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", EVENT_HOST, ACTIVITY_LOADER},
		{"python_function", "torch/utils/data/dataloader.py(625): __next__", EVENT_HOST, ACTIVITY_LOADER},
		{"user_annotation", "ProfilerStep#42", EVENT_STEP, ACTIVITY_COUNT},
		{"gpu_user_annotation", "ProfilerStep#42", EVENT_IGNORED, ACTIVITY_COUNT},
		{"user_annotation", "Optimizer.step#AdamW.step", EVENT_IGNORED, ACTIVITY_COUNT},
		{"ac2g", "ac2g", EVENT_IGNORED, ACTIVITY_COUNT},
		{"", "", EVENT_HOST, ACTIVITY_HOST},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		enum activity activity = ACTIVITY_COUNT;
		double step = 0;

		assert_int_equal(trace_event_kind(rows[i].category, rows[i].name, false, &activity, &step), rows[i].kind);
		assert_int_equal(activity, rows[i].activity);
		assert_true(rows[i].kind != EVENT_STEP || step == 42);
	}
}

static void calls_that_start_something(void **state)
{
	bool graph = false;

	(void)state;
	assert_true(trace_event_is_launch("cudaLaunchKernel", &graph) && !graph);
	assert_true(trace_event_is_launch("cuLaunchKernelEx", &graph) && !graph);
	assert_true(trace_event_is_launch("cudaMemcpyAsync", &graph) && !graph);
	assert_true(trace_event_is_launch("hipGraphLaunch", &graph) && graph);
	assert_false(trace_event_is_launch("cudaStreamSynchronize", &graph));
	assert_false(trace_event_is_launch("cudaEventRecord", &graph));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_come_out),
		cmocka_unit_test(shares_sum_to_one_and_levers_never_lengthen),
		cmocka_unit_test(contradictions_are_refused),
		cmocka_unit_test(a_plan_beside_it),
		cmocka_unit_test(planned_levers_come_first),
		cmocka_unit_test(intervals_merge_in_any_order),
		cmocka_unit_test(a_trace_by_hand),
		cmocka_unit_test(who_waits_for_whom),
		cmocka_unit_test(calls_that_start_something),
		cmocka_unit_test(steps_follow_each_other),
		cmocka_unit_test(without_kernels_operators_compute),
		cmocka_unit_test(events_are_known_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
