/* A stand-in for libcublasLt.so.12. It turns each column-major request into a row-major product
 * (bench/cuda/cuda_matmul.h explains this), and it checks requests as the library does: FP8 and INT8 need the summed
 * index innermost, FP8 needs scales, and the sides must fit the tiles. */
#include <stdlib.h>
#include <string.h>

#include "bench/cuda/cublaslt.h"
#include "fake_gpu.h"

enum { NOT_SUPPORTED = 15, EXECUTION_FAILED = 13, ALGORITHMS = 10 };

struct cublaslt_handle {
	int unused;
};
struct cublaslt_product {
	int compute, transpose[2];
	uint64_t scales[2];
	int8_t fast; /* FP8 sums in fewer bits */
};
struct cublaslt_layout {
	int type;
	size_t rows, columns, leading;
	int32_t batch;
	int64_t stride;
};
struct cublaslt_preference {
	uint64_t workspace_bytes;
};

FAKE_EXPORT int cublasLtCreate(struct cublaslt_handle **handle)
{
	*handle = calloc(1, sizeof(**handle));
	return (int)fake_number("cublaslt_create", 0);
}

FAKE_EXPORT int cublasLtDestroy(struct cublaslt_handle *handle)
{
	free(handle);
	return 0;
}

FAKE_EXPORT size_t cublasLtGetVersion(void)
{
	return 120803;
}

FAKE_EXPORT const char *cublasLtGetStatusName(int code)
{
	return code == 1            ? "CUBLAS_STATUS_NOT_INITIALIZED"
		: code == NOT_SUPPORTED ? "CUBLAS_STATUS_NOT_SUPPORTED"
								: "CUBLAS_STATUS_EXECUTION_FAILED";
}

FAKE_EXPORT int cublasLtMatmulDescCreate(struct cublaslt_product **product, int compute, int scale_type)
{
	(void)scale_type;
	*product = calloc(1, sizeof(**product));
	(*product)->compute = compute;
	return 0;
}

FAKE_EXPORT int cublasLtMatmulDescDestroy(struct cublaslt_product *product)
{
	free(product);
	return 0;
}

FAKE_EXPORT int cublasLtMatmulDescSetAttribute(struct cublaslt_product *product, int attribute, const void *value, size_t size)
{
	if ((attribute == 3 || attribute == 4) && size == sizeof(int32_t))
		memcpy(&product->transpose[attribute - 3], value, size);
	else if ((attribute == 17 || attribute == 18) && size == sizeof(uint64_t))
		memcpy(&product->scales[attribute - 17], value, size);
	else if (attribute == 25 && size == sizeof(product->fast))
		memcpy(&product->fast, value, size);
	else
		return 7;
	return 0;
}

FAKE_EXPORT int cublasLtMatrixLayoutCreate(struct cublaslt_layout **layout, int type, uint64_t rows, uint64_t columns, int64_t leading)
{
	*layout = calloc(1, sizeof(**layout));
	**layout = (struct cublaslt_layout){type, rows, columns, (size_t)leading, 1, 0};
	return 0;
}

FAKE_EXPORT int cublasLtMatrixLayoutDestroy(struct cublaslt_layout *layout)
{
	free(layout);
	return 0;
}

FAKE_EXPORT int cublasLtMatrixLayoutSetAttribute(struct cublaslt_layout *layout, int attribute, const void *value, size_t size)
{
	if (attribute == 5 && size == sizeof(layout->batch))
		memcpy(&layout->batch, value, size);
	else if (attribute == 6 && size == sizeof(layout->stride))
		memcpy(&layout->stride, value, size);
	else
		return 7;
	return 0;
}

FAKE_EXPORT int cublasLtMatmulPreferenceCreate(struct cublaslt_preference **preference)
{
	*preference = calloc(1, sizeof(**preference));
	return 0;
}

FAKE_EXPORT int cublasLtMatmulPreferenceDestroy(struct cublaslt_preference *preference)
{
	free(preference);
	return 0;
}

FAKE_EXPORT int cublasLtMatmulPreferenceSetAttribute(struct cublaslt_preference *preference, int attribute, const void *value, size_t size)
{
	if (attribute != 1 || size != sizeof(preference->workspace_bytes))
		return 7;
	memcpy(&preference->workspace_bytes, value, size);
	return 0;
}

static bool sides_agree(const struct cublaslt_product *product, const struct cublaslt_layout *a, const struct cublaslt_layout *b,
	const struct cublaslt_layout *d)
{
	size_t m = product->transpose[0] ? a->columns : a->rows, k = product->transpose[0] ? a->rows : a->columns;
	size_t n = product->transpose[1] ? b->rows : b->columns, depth = product->transpose[1] ? b->columns : b->rows;

	return m == d->rows && n == d->columns && k == depth && a->leading >= a->rows && b->leading >= b->rows && d->leading >= d->rows &&
		a->batch == b->batch && a->batch == d->batch && a->type == b->type;
}

/* Each proposal has its number in data[0]. The number decides how much slower it is than the best, and the best is not
 * the first. */
FAKE_EXPORT int cublasLtMatmulAlgoGetHeuristic(struct cublaslt_handle *handle, struct cublaslt_product *product, struct cublaslt_layout *a,
	struct cublaslt_layout *b, struct cublaslt_layout *c, struct cublaslt_layout *d, struct cublaslt_preference *preference, int wanted,
	struct cublaslt_heuristic *results, int *count)
{
	bool narrow = a->type == CUBLASLT_R_8F_E4M3 || a->type == CUBLASLT_R_8I;

	(void)handle;
	(void)c;
	*count = 0;
	if (!sides_agree(product, a, b, d))
		return 7;
	if (narrow && (!product->transpose[0] || product->transpose[1] || a->rows % 16 || d->rows % 16))
		return NOT_SUPPORTED;
	if (a->type == CUBLASLT_R_8F_E4M3 && (!product->scales[0] || !product->scales[1] || fake_number("capability", 90) < 89))
		return NOT_SUPPORTED;
	for (*count = 0; *count < wanted && *count < ALGORITHMS; ++*count)
		results[*count] = (struct cublaslt_heuristic){.algorithm = {{(uint64_t)*count}},
			.workspace_bytes = *count == 3 ? preference->workspace_bytes + 1 : 0,
			.code = *count == 4 ? NOT_SUPPORTED : 0,
			.waves = 1};
	return 0;
}

FAKE_EXPORT int cublasLtMatmulAlgoConfigGetAttribute(
	const struct cublaslt_algorithm *algorithm, int attribute, void *value, size_t size, size_t *written)
{
	int32_t answer = attribute == 0 ? 66 : attribute == 1 ? (int32_t)algorithm->data[0] : 1;

	memcpy(value, &answer, sizeof(answer));
	*written = size;
	return 0;
}

static enum cuda_format format_of(int type)
{
	return type == CUBLASLT_R_16BF   ? FORMAT_BF16
		: type == CUBLASLT_R_16F     ? FORMAT_FP16
		: type == CUBLASLT_R_8F_E4M3 ? FORMAT_FP8
		: type == CUBLASLT_R_8I      ? FORMAT_INT8
		: type == CUBLASLT_R_32I     ? FORMAT_INT32
									 : FORMAT_FP32;
}

/* D = A B in columns is D^T = B^T A^T in rows: the library's second operand is the left one of the row-major product. */
FAKE_EXPORT int cublasLtMatmul(struct cublaslt_handle *handle, struct cublaslt_product *product, const void *alpha, const void *a,
	struct cublaslt_layout *a_layout, const void *b, struct cublaslt_layout *b_layout, const void *beta, const void *c,
	struct cublaslt_layout *c_layout, void *d, struct cublaslt_layout *d_layout, const struct cublaslt_algorithm *algorithm,
	void *workspace, size_t workspace_bytes, struct fake_stream *stream)
{
	struct fake_product put = {.a = (uint64_t)(uintptr_t)b,
		.b = (uint64_t)(uintptr_t)a,
		.c = (uint64_t)(uintptr_t)d,
		.m = d_layout->columns,
		.n = d_layout->rows,
		.k = product->transpose[0] ? a_layout->rows : a_layout->columns,
		.batch = (size_t)d_layout->batch,
		.a_row = product->transpose[1] ? 1 : b_layout->leading,
		.a_column = product->transpose[1] ? b_layout->leading : 1,
		.b_row = product->transpose[0] ? 1 : a_layout->leading,
		.b_column = product->transpose[0] ? a_layout->leading : 1,
		.a_stride = (size_t)b_layout->stride,
		.b_stride = (size_t)a_layout->stride,
		.input = format_of(a_layout->type),
		.output = format_of(d_layout->type),
		.wrong = fake_number("wrong", 0)};
	double rate = fake_flops(product->compute == CUBLASLT_COMPUTE_32F_FAST_TF32 ? FORMAT_FP16 : put.input, true);
	int code = fake_fault("multiply");

	(void)handle;
	(void)workspace;
	if (code || !sides_agree(product, a_layout, b_layout, d_layout) || c != d || c_layout != d_layout || *(const int *)beta != 0 ||
		workspace_bytes < 32 << 20)
		return EXECUTION_FAILED;
	put.scale = a_layout->type == CUBLASLT_R_8I ? (double)*(const int32_t *)alpha : (double)*(const float *)alpha;
	fake_product_put(&put);
	if (product->compute == CUBLASLT_COMPUTE_32F_FAST_TF32)
		rate /= 2;
	/* The sixth proposal is the best. Others take up to half as long again. */
	fake_advance(stream,
		(put.input == FORMAT_FP8 && !product->fast ? 4e-6 : 3e-6) +
			2 * (double)(put.m * put.n * put.k * put.batch) / rate * (algorithm->data[0] == 5 ? 1 : 1.1 + 0.04 * (double)algorithm->data[0]));
	return 0;
}
