#include "bench/kernels.h"

#include "bench/kernels_parts.h"

#define LIST_ARGUMENTS \
	{ \
		KERNEL_POINTER, KERNEL_U64, KERNEL_U64 \
	}
#define GEMM_ARGUMENTS \
	{ \
		KERNEL_POINTER, KERNEL_POINTER, KERNEL_POINTER, KERNEL_U32, KERNEL_U32, KERNEL_U32, KERNEL_F32, KERNEL_U64, KERNEL_U64, KERNEL_U64 \
	}
#define SOFTMAX_ARGUMENTS \
	{ \
		KERNEL_POINTER, KERNEL_U32, KERNEL_U32, KERNEL_U32, KERNEL_U32 \
	}
#define GRADIENT_ARGUMENTS \
	{ \
		KERNEL_POINTER, KERNEL_POINTER, KERNEL_U32, KERNEL_U32 \
	}
#define CACHE_ARGUMENTS \
	{ \
		KERNEL_POINTER, KERNEL_POINTER, KERNEL_POINTER, KERNEL_POINTER, KERNEL_U32, KERNEL_U32, KERNEL_U32, KERNEL_F32 \
	}
#define MERGE_ARGUMENTS \
	{ \
		KERNEL_POINTER, KERNEL_POINTER, KERNEL_U32, KERNEL_U32, KERNEL_U32 \
	}
#define ISSUE_ARGUMENTS \
	{ \
		KERNEL_POINTER, KERNEL_U32, KERNEL_F32 \
	}

const struct kernel_entry kernel_entries[KERNEL_COUNT] = {
	[KERNEL_LAUNCH_EMPTY] = {"launch_empty", {KERNEL_POINTER, KERNEL_U32}, true, true, true},
	[KERNEL_FILL_WORD] = {"fill_word", {KERNEL_POINTER, KERNEL_U32, KERNEL_U64}, true, true, true},
	[KERNEL_FILL_PATTERN] = {"fill_pattern", {KERNEL_POINTER, KERNEL_U64}, true, true, true},
	[KERNEL_FILL_NORMAL_FP32] = {"fill_normal_fp32", LIST_ARGUMENTS, true, true, true},
	[KERNEL_FILL_NORMAL_BF16] = {"fill_normal_bf16", LIST_ARGUMENTS, true, true, true},
	[KERNEL_FILL_NORMAL_FP16] = {"fill_normal_fp16", LIST_ARGUMENTS, true, true, true},
	[KERNEL_STREAM_READ] = {"stream_read", {KERNEL_POINTER, KERNEL_POINTER, KERNEL_U64}, true, true, true},
	[KERNEL_STREAM_COPY] = {"stream_copy", {KERNEL_POINTER, KERNEL_POINTER, KERNEL_U64}, true, true, true},
	[KERNEL_STREAM_TRIAD] = {"stream_triad", {KERNEL_POINTER, KERNEL_POINTER, KERNEL_POINTER, KERNEL_F32, KERNEL_U64}, true, true, true},
	[KERNEL_ELEMENTWISE] = {"elementwise", {KERNEL_POINTER, KERNEL_POINTER, KERNEL_F32, KERNEL_U64}, true, true, true},
	[KERNEL_ISSUE_FP32] = {"issue_fp32", ISSUE_ARGUMENTS, true, true, true},
	[KERNEL_ISSUE_FP16] = {"issue_fp16", ISSUE_ARGUMENTS, false, false, true},
	[KERNEL_ISSUE_TENSOR_BF16] = {"issue_tensor_bf16", {KERNEL_POINTER, KERNEL_POINTER, KERNEL_U32}, false, true, false},
	[KERNEL_ISSUE_TENSOR_FP16] = {"issue_tensor_fp16", {KERNEL_POINTER, KERNEL_POINTER, KERNEL_U32}, false, true, false},
	[KERNEL_GEMM_FP32_NN] = {"gemm_fp32_nn", GEMM_ARGUMENTS, true, true, true},
	[KERNEL_GEMM_FP32_NT] = {"gemm_fp32_nt", GEMM_ARGUMENTS, true, true, true},
	[KERNEL_GEMM_FP32_TN] = {"gemm_fp32_tn", GEMM_ARGUMENTS, true, true, true},
	[KERNEL_GEMM_BF16_NN] = {"gemm_bf16_nn", GEMM_ARGUMENTS, true, true, true},
	[KERNEL_GEMM_BF16_NT] = {"gemm_bf16_nt", GEMM_ARGUMENTS, true, true, true},
	[KERNEL_GEMM_BF16_TN] = {"gemm_bf16_tn", GEMM_ARGUMENTS, true, true, true},
	[KERNEL_GEMM_FP16_NN] = {"gemm_fp16_nn", GEMM_ARGUMENTS, true, true, true},
	[KERNEL_GEMM_FP16_NT] = {"gemm_fp16_nt", GEMM_ARGUMENTS, true, true, true},
	[KERNEL_GEMM_FP16_TN] = {"gemm_fp16_tn", GEMM_ARGUMENTS, true, true, true},
	[KERNEL_SOFTMAX_FP32] = {"softmax_fp32", SOFTMAX_ARGUMENTS, true, true, true},
	[KERNEL_SOFTMAX_BF16] = {"softmax_bf16", SOFTMAX_ARGUMENTS, true, true, true},
	[KERNEL_SOFTMAX_FP16] = {"softmax_fp16", SOFTMAX_ARGUMENTS, true, true, true},
	[KERNEL_SOFTMAX_GRADIENT_FP32] = {"softmax_gradient_fp32", GRADIENT_ARGUMENTS, true, true, true},
	[KERNEL_SOFTMAX_GRADIENT_BF16] = {"softmax_gradient_bf16", GRADIENT_ARGUMENTS, true, true, true},
	[KERNEL_SOFTMAX_GRADIENT_FP16] = {"softmax_gradient_fp16", GRADIENT_ARGUMENTS, true, true, true},
	[KERNEL_CACHE_ATTEND_FP32] = {"cache_attend_fp32", CACHE_ARGUMENTS, true, true, true},
	[KERNEL_CACHE_ATTEND_BF16] = {"cache_attend_bf16", CACHE_ARGUMENTS, true, true, true},
	[KERNEL_CACHE_ATTEND_FP16] = {"cache_attend_fp16", CACHE_ARGUMENTS, true, true, true},
	[KERNEL_CACHE_MERGE_FP32] = {"cache_merge_fp32", MERGE_ARGUMENTS, true, true, true},
	[KERNEL_CACHE_MERGE_BF16] = {"cache_merge_bf16", MERGE_ARGUMENTS, true, true, true},
	[KERNEL_CACHE_MERGE_FP16] = {"cache_merge_fp16", MERGE_ARGUMENTS, true, true, true},
	[KERNEL_CACHE_TENSOR_64_BF16] = {"cache_tensor_64_bf16", CACHE_ARGUMENTS, false, true, false},
	[KERNEL_CACHE_TENSOR_64_FP16] = {"cache_tensor_64_fp16", CACHE_ARGUMENTS, false, true, false},
	[KERNEL_CACHE_TENSOR_128_BF16] = {"cache_tensor_128_bf16", CACHE_ARGUMENTS, false, true, false},
	[KERNEL_CACHE_TENSOR_128_FP16] = {"cache_tensor_128_fp16", CACHE_ARGUMENTS, false, true, false},
};

const char *const kernel_source[KERNEL_SOURCE_FILES] = {
	kernel_source_common,
	kernel_source_memory,
	kernel_source_issue,
	kernel_source_gemm,
	kernel_source_attention,
	kernel_source_cache,
};

const char *kernel_ptx(enum kernel_blob blob)
{
	return blob == KERNEL_PTX_80 ? kernel_ptx_sm_80 : kernel_ptx_sm_60;
}

static uint32_t tiles(int64_t size)
{
	enum { TILE = 128 };

	return (uint32_t)((size + TILE - 1) / TILE);
}

struct kernel_groups kernel_gemm_groups(const struct bench_shape *shape, int64_t batch)
{
	return (struct kernel_groups){tiles(shape->n), tiles(shape->m), (uint32_t)batch};
}

struct kernel_groups kernel_row_groups(int64_t rows)
{
	enum { SIDE = 32768 };
	int64_t across = rows < SIDE ? rows : SIDE;

	return (struct kernel_groups){(uint32_t)across, (uint32_t)((rows + across - 1) / across), 1};
}

/* Returns an entry of a family whose first entry is `first`. Its order is fp32, bf16, fp16, with `products` entries
 * each. */
static enum kernel in_family(enum kernel first, enum precision precision, int products, int product)
{
	int format = precision == PRECISION_FP32 ? 0 : precision == PRECISION_BF16 ? 1 : precision == PRECISION_FP16 ? 2 : -1;

	return format < 0 ? KERNEL_COUNT : (enum kernel)((int)first + format * products + product);
}

enum kernel kernel_gemm(enum precision precision, enum bench_product product)
{
	return in_family(KERNEL_GEMM_FP32_NN, precision, PRODUCT_COUNT, (int)product);
}

enum kernel kernel_softmax(enum precision precision)
{
	return in_family(KERNEL_SOFTMAX_FP32, precision, 1, 0);
}

enum kernel kernel_softmax_gradient(enum precision precision)
{
	return in_family(KERNEL_SOFTMAX_GRADIENT_FP32, precision, 1, 0);
}

enum kernel kernel_fill_normal(enum precision precision)
{
	return in_family(KERNEL_FILL_NORMAL_FP32, precision, 1, 0);
}

/* A key's row consists of vectors of 16 bytes; one work-item reads each vector. */
enum kernel kernel_cache_attend(enum precision precision, int64_t dimension)
{
	int64_t numbers = precision == PRECISION_FP32 ? 4 : 8;

	if (dimension % numbers || dimension / numbers > KERNEL_GROUP_ITEMS)
		return KERNEL_COUNT;
	return in_family(KERNEL_CACHE_ATTEND_FP32, precision, 1, 0);
}

enum kernel kernel_cache_merge(enum precision precision)
{
	return in_family(KERNEL_CACHE_MERGE_FP32, precision, 1, 0);
}

enum kernel kernel_cache_tensor(enum precision precision, int64_t dimension)
{
	enum kernel first = dimension == 64 ? KERNEL_CACHE_TENSOR_64_BF16 : dimension == 128 ? KERNEL_CACHE_TENSOR_128_BF16 : KERNEL_COUNT;

	if (first == KERNEL_COUNT || (precision != PRECISION_BF16 && precision != PRECISION_FP16))
		return KERNEL_COUNT;
	return (enum kernel)((int)first + (precision == PRECISION_FP16));
}

double kernel_issue_flops(enum kernel kernel)
{
	enum { PAIRS = 8, STEPS = 16, OPERATIONS = 4 /* per step: two multiply-adds */ };
	double scalar = (double)PAIRS * STEPS * OPERATIONS;

	if (kernel == KERNEL_ISSUE_TENSOR_BF16 || kernel == KERNEL_ISSUE_TENSOR_FP16)
		return 2 * 8 * (2.0 * 16 * 8 * 16); /* two sets of A for each of eight sums of 16 x 8, 16 deep */
	return kernel == KERNEL_ISSUE_FP32 ? scalar : kernel == KERNEL_ISSUE_FP16 ? 2 * scalar : 0;
}
