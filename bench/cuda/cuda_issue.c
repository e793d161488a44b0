/* Multiply-adds on registers only, by scalar units or tensor instructions: an upper bound. */
#include <math.h>

#include "bench/cuda/cuda_session.h"
#include "bench/random.h"
#include "bench/reference.h"

enum { GROUPS_PER_UNIT = 8, WARP = 32, PAIRS = 8, STEPS = 16, ITEMS_CHECKED = 16 };

#define ISSUE_RUN_S 0.01
#define ISSUE_TURN  0.125f

struct issue_work {
	struct cuda_work work;
	struct cuda_function *function;
	enum precision precision;
	bool tensor;
	unsigned groups, rounds;
};

static enum bench_outcome issue_enqueue(struct cuda_work *work, struct bench_reason *reason)
{
	struct issue_work *issue = (struct issue_work *)work;
	struct bench_session *session = work->session;
	cuda_pointer out = cuda_operand(session, ROLE_C, FORMAT_FP32);
	cuda_pointer operands = cuda_operand(session, ROLE_A, cuda_format_of_input(issue->precision));
	float turn = ISSUE_TURN;
	void *scalar[] = {&out, &issue->rounds, &turn}, *tensor[] = {&out, &operands, &issue->rounds};

	return cuda_session_launch(
		session, issue->function, (struct kernel_groups){issue->groups, 1, 1}, issue->tensor ? tensor : scalar, reason);
}

static enum bench_outcome issue_poison(struct cuda_work *work, struct bench_reason *reason)
{
	struct issue_work *issue = (struct issue_work *)work;

	return cuda_operand_poison(work->session, cuda_operand(work->session, ROLE_C, FORMAT_FP32),
		(size_t)issue->groups * KERNEL_GROUP_ITEMS * sizeof(float), reason);
}

static double operand(void *context, size_t i)
{
	const struct issue_work *issue = context;

	return cuda_input_value(ROLE_A, cuda_format_of_input(issue->precision), i);
}

/* Computes the number that an item must have written. Rounding errors of fp32 move the pairs in a random walk: the
 * root of the steps, each half of 2^-23, in up to 16 summands below 2. */
static double expected_of(struct issue_work *issue, size_t item, double *allowed)
{
	if (issue->tensor)
		return reference_issue_tensor(item, issue->rounds, operand, issue, allowed);
	*allowed = 16 * 2 * 0x1p-24 * (16 + 4 * sqrt((double)issue->rounds * STEPS));
	return reference_issue(item, PAIRS, issue->rounds, (double)ISSUE_TURN);
}

static enum bench_outcome issue_check(struct cuda_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct issue_work *issue = (struct issue_work *)work;
	struct bench_session *session = work->session;
	enum bench_outcome outcome = BENCH_OK;
	uint64_t seed = 1;

	*check = (struct bench_check){.verified = true};
	for (int s = 0; s < ITEMS_CHECKED && outcome == BENCH_OK; s++) {
		size_t item = random_next(&seed) % ((size_t)issue->groups * KERNEL_GROUP_ITEMS);
		double value, allowed, expected = expected_of(issue, item, &allowed);

		outcome = cuda_output_read(session, cuda_operand(session, ROLE_C, FORMAT_FP32), FORMAT_FP32, item, &value, reason);
		reference_compare(check, value, expected, allowed);
	}
	return outcome;
}

/* Doubles the rounds until a run takes ISSUE_RUN_S: the time of an instruction is not known before. */
static enum bench_outcome calibrate(struct bench_work *bench, struct issue_work *issue, struct bench_reason *reason)
{
	enum bench_outcome outcome = BENCH_OK;
	double elapsed_s = 0;

	for (issue->rounds = 64; outcome == BENCH_OK && elapsed_s < ISSUE_RUN_S && issue->rounds < 1u << 20; issue->rounds *= 2)
		outcome = bench->run(bench, &elapsed_s, reason);
	issue->rounds /= 2;
	return outcome;
}

static enum kernel issue_kernel(const struct bench_session *session, enum precision precision)
{
	bool tensor = session->capability >= 80;

	if (precision == PRECISION_FP32)
		return KERNEL_ISSUE_FP32;
	if (tensor && precision == PRECISION_BF16)
		return KERNEL_ISSUE_TENSOR_BF16;
	return tensor && precision == PRECISION_FP16 ? KERNEL_ISSUE_TENSOR_FP16 : KERNEL_COUNT;
}

CUDA_PREPARE(cuda_issue_prepare)
{
	enum kernel kernel = issue_kernel(session, request->precision);
	unsigned groups = session->units * GROUPS_PER_UNIT;
	struct cuda_function *function;
	struct issue_work *issue;
	enum bench_outcome outcome = cuda_kernels_find(&session->kernels, &session->driver, kernel, &function, reason);

	if (outcome == BENCH_OK)
		outcome = cuda_operand_need(session, ROLE_A, cuda_format_of_input(request->precision), KERNEL_TENSOR_OPERANDS, reason);
	if (outcome == BENCH_OK)
		outcome = cuda_operand_need(session, ROLE_C, FORMAT_FP32, (size_t)groups * KERNEL_GROUP_ITEMS, reason);
	if (outcome != BENCH_OK)
		return outcome;
	issue = cuda_work_new(session, request, sizeof(*issue), reason);
	if (!issue)
		return BENCH_FAILED;
	issue->function = function;
	issue->precision = request->precision;
	issue->tensor = kernel != KERNEL_ISSUE_FP32;
	issue->groups = groups;
	issue->work.enqueue = issue_enqueue;
	issue->work.poison = issue_poison;
	issue->work.check = issue_check;
	*work = (struct bench_work){.flops = 0};
	cuda_work_fill(work, &issue->work);
	outcome = calibrate(work, issue, reason);
	work->flops = (double)groups * KERNEL_GROUP_ITEMS / (issue->tensor ? WARP : 1) * issue->rounds * kernel_issue_flops(kernel);
	snprintf(work->detail, sizeof(work->detail), "%s, %u groups, %u rounds, PTX %s", kernel_entries[kernel].name, groups, issue->rounds,
		session->kernels.target);
	if (outcome != BENCH_OK)
		work->release(work);
	return outcome;
}
