#include "bench/cuda/cuda_matmul.h"

#include <math.h>

enum { ALGORITHMS_WANTED = 16, TRIES = 3 };

/* Converts a precision to the library's types. */
static bool types_of(enum precision precision, int *type, int *result, int *compute, int *scale)
{
	*compute = CUBLASLT_COMPUTE_32F;
	*scale = CUBLASLT_R_32F;
	switch (precision) {
	case PRECISION_TF32:
		*compute = CUBLASLT_COMPUTE_32F_FAST_TF32;
		*type = *result = CUBLASLT_R_32F;
		return true;
	case PRECISION_FP32:
		*type = *result = CUBLASLT_R_32F;
		return true;
	case PRECISION_FP16:
		*type = *result = CUBLASLT_R_16F;
		return true;
	case PRECISION_BF16:
		*type = *result = CUBLASLT_R_16BF;
		return true;
	case PRECISION_FP8:
		*type = CUBLASLT_R_8F_E4M3;
		*result = CUBLASLT_R_16BF;
		return true;
	case PRECISION_INT8:
		*type = CUBLASLT_R_8I;
		*result = *scale = CUBLASLT_R_32I;
		*compute = CUBLASLT_COMPUTE_32I;
		return true;
	case PRECISION_UNSET:
	case PRECISION_MXFP8:
	case PRECISION_NVFP4:
	case PRECISION_MXFP4:
	case PRECISION_INT4:
	case PRECISION_COUNT:
		break;
	}
	return false;
}

bool cuda_matmul_depth_innermost(enum precision precision)
{
	return precision == PRECISION_FP8 || precision == PRECISION_INT8;
}

static enum bench_outcome judge(const struct bench_session *session, int code, const char *what, struct bench_reason *reason)
{
	if (code == CUBLASLT_OK)
		return BENCH_OK;
	return bench_refuse(reason, code == CUBLASLT_NOT_SUPPORTED ? BENCH_UNSUPPORTED : BENCH_FAILED, "cuBLASLt %zu, %s: %s (%d)",
		session->cublaslt.version, what, cublaslt_code_name(&session->cublaslt, code), code);
}

static int layout(
	const struct cublaslt *cublaslt, struct cublaslt_layout **made, int type, int64_t rows, int64_t columns, int64_t batch, int64_t stride)
{
	int32_t count = (int32_t)batch;
	int code = cublaslt->layout_new(made, type, (uint64_t)rows, (uint64_t)columns, rows);

	if (code == CUBLASLT_OK && batch > 1)
		code = cublaslt->layout_set(*made, CUBLASLT_LAYOUT_BATCH_COUNT, &count, sizeof(count));
	if (code == CUBLASLT_OK && batch > 1)
		code = cublaslt->layout_set(*made, CUBLASLT_LAYOUT_BATCH_STRIDE, &stride, sizeof(stride));
	return code;
}

/* Sets scales of 1, which FP8 algorithms require, and the accumulation. Training uses fast accumulation (fewer bits
 * between tensor instructions) for the forward product, but not for gradients. */
static int describe_fp8(struct cuda_matmul *matmul, const struct bench_session *session, enum bench_product product)
{
	const struct cublaslt *cublaslt = &session->cublaslt;
	cuda_pointer one = session->one.at;
	int8_t no = 0, yes = 1;
	int code = cublaslt->product_set(matmul->product, CUBLASLT_PRODUCT_SCALE_A_POINTER, &one, sizeof(one));

	if (code == CUBLASLT_OK)
		code = cublaslt->product_set(matmul->product, CUBLASLT_PRODUCT_SCALE_B_POINTER, &one, sizeof(one));
	if (code == CUBLASLT_OK)
		code = cublaslt->product_set(
			matmul->product, CUBLASLT_PRODUCT_FAST_ACCUMULATION, product == PRODUCT_FORWARD ? &yes : &no, sizeof(yes));
	return code;
}

/* Describes the product. In memory A is m x k, or k x m for A^T. The library gets B first, as a column-major n x k
 * or k x n. */
static int describe_product(struct cuda_matmul *matmul, const struct bench_session *session, const struct cuda_matmul_request *request)
{
	const struct cublaslt *cublaslt = &session->cublaslt;
	const struct bench_shape *shape = &request->shape;
	bool innermost = cuda_matmul_depth_innermost(request->precision);
	bool a_turned = request->product == PRODUCT_WEIGHT_GRADIENT && !innermost;
	bool b_turned = request->product == PRODUCT_INPUT_GRADIENT || innermost;
	int32_t first = b_turned ? CUBLASLT_TRANSPOSED : CUBLASLT_AS_IT_IS, second = a_turned ? CUBLASLT_TRANSPOSED : CUBLASLT_AS_IT_IS;
	int type = 0, result = 0, compute = 0, scale = 0, code;

	if (!types_of(request->precision, &type, &result, &compute, &scale))
		return CUBLASLT_NOT_SUPPORTED;
	code = cublaslt->product_new(&matmul->product, compute, scale);
	if (code == CUBLASLT_OK)
		code = cublaslt->product_set(matmul->product, CUBLASLT_PRODUCT_TRANSPOSE_A, &first, sizeof(first));
	if (code == CUBLASLT_OK)
		code = cublaslt->product_set(matmul->product, CUBLASLT_PRODUCT_TRANSPOSE_B, &second, sizeof(second));
	if (code == CUBLASLT_OK && request->precision == PRECISION_FP8)
		code = describe_fp8(matmul, session, request->product);
	if (code == CUBLASLT_OK)
		code = layout(cublaslt, &matmul->first, type, b_turned ? shape->k : shape->n, b_turned ? shape->n : shape->k, request->batch,
			request->b_stride);
	if (code == CUBLASLT_OK)
		code = layout(cublaslt, &matmul->second, type, a_turned ? shape->m : shape->k, a_turned ? shape->k : shape->m, request->batch,
			request->a_stride);
	if (code == CUBLASLT_OK)
		code = layout(cublaslt, &matmul->result, result, shape->n, shape->m, request->batch, request->c_stride);
	return code;
}

enum bench_outcome cuda_matmul_enqueue(const struct cuda_matmul *matmul, struct bench_session *session, cuda_pointer a, cuda_pointer b,
	cuda_pointer c, struct bench_reason *reason)
{
	const struct cublaslt *cublaslt = &session->cublaslt;
	float none = 0;
	int32_t one = 1, zero = 0;
	const void *alpha = matmul->whole ? (const void *)&one : &matmul->scale, *beta = matmul->whole ? (const void *)&zero : &none;
	uintptr_t at_a = (uintptr_t)a, at_b = (uintptr_t)b, at_c = (uintptr_t)c, workspace = (uintptr_t)session->workspace.at;

	return judge(session,
		cublaslt->multiply(cublaslt->handle, matmul->product, alpha, (const void *)at_b, matmul->first, (const void *)at_a, matmul->second,
			beta, (const void *)at_c, matmul->result, (void *)at_c, matmul->result, &matmul->algorithm, (void *)workspace,
			session->workspace.bytes, session->stream),
		"a product", reason);
}

/* Returns the fastest of TRIES runs on the device's clock; HUGE_VAL if a run fails. The heuristic only proposes
 * algorithms; this time decides. */
static double time_of(const struct cuda_matmul *matmul, struct bench_session *session, cuda_pointer a, cuda_pointer b, cuda_pointer c)
{
	const struct cuda_driver *driver = &session->driver;
	struct bench_reason reason;
	double best_ms = HUGE_VAL;

	for (int i = 0; i < TRIES; i++) {
		float elapsed_ms = 0;

		if (driver->event_record(session->from, session->stream) != CUDA_OK ||
			cuda_matmul_enqueue(matmul, session, a, b, c, &reason) != BENCH_OK ||
			driver->event_record(session->to, session->stream) != CUDA_OK || cuda_session_wait(session, &reason) != BENCH_OK ||
			driver->event_elapsed_ms(&elapsed_ms, session->from, session->to) != CUDA_OK)
			return HUGE_VAL;
		best_ms = fmin(best_ms, (double)elapsed_ms);
	}
	return best_ms;
}

static int config(const struct cublaslt *cublaslt, const struct cublaslt_algorithm *algorithm, enum cublaslt_algorithm_attribute attribute)
{
	int32_t value = -1;
	size_t written = 0;

	return cublaslt->algorithm_get(algorithm, (int)attribute, &value, sizeof(value), &written) == CUBLASLT_OK ? value : -1;
}

static enum bench_outcome choose_algorithm(struct cuda_matmul *matmul, struct bench_session *session,
	const struct cublaslt_heuristic *proposals, int count, const cuda_pointer at[3], struct bench_reason *reason)
{
	const struct cublaslt *cublaslt = &session->cublaslt;
	struct cublaslt_algorithm best = {{0}};
	double best_ms = HUGE_VAL;

	for (int i = 0; i < count && !*session->lost; i++) {
		double elapsed_ms;

		if (proposals[i].code != CUBLASLT_OK || proposals[i].workspace_bytes > session->workspace.bytes)
			continue;
		matmul->algorithm = proposals[i].algorithm;
		elapsed_ms = time_of(matmul, session, at[0], at[1], at[2]);
		matmul->tried++;
		if (elapsed_ms < best_ms) {
			best_ms = elapsed_ms;
			best = matmul->algorithm;
		}
	}
	if (*session->lost)
		return bench_refuse(reason, BENCH_FAILED, "%s", session->lost);
	if (!isfinite(best_ms))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "cuBLASLt %zu: none of %d proposed algorithms runs", cublaslt->version, count);
	matmul->algorithm = best;
	snprintf(matmul->chosen, sizeof(matmul->chosen), "algorithm %d tile %d stages %d split %d",
		config(cublaslt, &best, CUBLASLT_ALGORITHM_ID), config(cublaslt, &best, CUBLASLT_ALGORITHM_TILE),
		config(cublaslt, &best, CUBLASLT_ALGORITHM_STAGES), config(cublaslt, &best, CUBLASLT_ALGORITHM_SPLIT_K));
	return BENCH_OK;
}

static enum bench_outcome propose_and_choose(
	struct cuda_matmul *matmul, struct bench_session *session, const cuda_pointer at[3], struct bench_reason *reason)
{
	const struct cublaslt *cublaslt = &session->cublaslt;
	struct cublaslt_heuristic proposals[ALGORITHMS_WANTED];
	struct cublaslt_preference *preference = NULL;
	uint64_t bytes = session->workspace.bytes;
	int count = 0, code = cublaslt->preference_new(&preference);

	memset(proposals, 0, sizeof(proposals));
	if (code == CUBLASLT_OK)
		code = cublaslt->preference_set(preference, CUBLASLT_PREFERENCE_WORKSPACE_BYTES, &bytes, sizeof(bytes));
	if (code == CUBLASLT_OK)
		code = cublaslt->heuristic(cublaslt->handle, matmul->product, matmul->first, matmul->second, matmul->result, matmul->result,
			preference, ALGORITHMS_WANTED, proposals, &count);
	if (preference)
		(void)cublaslt->preference_free(preference);
	if (code == CUBLASLT_OK && count == 0)
		code = CUBLASLT_NOT_SUPPORTED;
	return code == CUBLASLT_OK ? choose_algorithm(matmul, session, proposals, count, at, reason)
							   : judge(session, code, "no algorithm for this product", reason);
}

/* Opens the library, allocates its workspace, and uploads a 1 for FP8's scales; once per session. */
static enum bench_outcome library_need(struct bench_session *session, struct bench_reason *reason)
{
	float one = 1;
	enum bench_outcome outcome = session->cublaslt.library ? BENCH_OK : cublaslt_open(&session->cublaslt, reason);

	if (outcome == BENCH_OK)
		outcome = cuda_memory_need(session, &session->workspace, CUDA_WORKSPACE_BYTES, reason);
	if (outcome == BENCH_OK && !session->one.at) {
		outcome = cuda_memory_need(session, &session->one, sizeof(one), reason);
		if (outcome == BENCH_OK)
			outcome = cuda_upload(session, session->one.at, &one, sizeof(one), reason);
	}
	return outcome;
}

enum bench_outcome cuda_matmul_open(struct cuda_matmul *matmul, struct bench_session *session, const struct cuda_matmul_request *request,
	cuda_pointer a, cuda_pointer b, cuda_pointer c, struct bench_reason *reason)
{
	const cuda_pointer at[3] = {a, b, c};
	enum bench_outcome outcome;

	*matmul = (struct cuda_matmul){.scale = request->scale, .whole = request->precision == PRECISION_INT8};
	outcome = library_need(session, reason);
	if (outcome == BENCH_OK)
		outcome = judge(session, describe_product(matmul, session, request), "describing a product", reason);
	if (outcome == BENCH_OK)
		outcome = propose_and_choose(matmul, session, at, reason);
	if (outcome != BENCH_OK)
		cuda_matmul_close(matmul, session);
	return outcome;
}

void cuda_matmul_close(struct cuda_matmul *matmul, struct bench_session *session)
{
	const struct cublaslt *cublaslt = &session->cublaslt;
	struct cublaslt_layout *const layouts[] = {matmul->first, matmul->second, matmul->result};

	for (size_t i = 0; i < COUNT_OF(layouts); i++)
		if (layouts[i])
			(void)cublaslt->layout_free(layouts[i]);
	if (matmul->product)
		(void)cublaslt->product_free(matmul->product);
	*matmul = (struct cuda_matmul){.product = NULL};
}
