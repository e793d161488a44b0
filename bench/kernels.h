/* The kernels that measure a device: one program in OpenCL C (bench/kernels/), known here by names, arguments and sizes.
 *
 * OpenCL's drivers compile the source when a benchmark runs. For CUDA's driver the program carries PTX, made of the same source by
 * clang (`make ptx`) and checked in: for compute capability 6.0 and above, and for 8.0 and above, where products in bf16 and fp16 go
 * through tensor instructions. A blob has the entries whose row says so, each under its name and with these arguments in
 * this order; pointers, integers and floats have 8, 4 (8 for KERNEL_U64) and 4 bytes. Every work-group (block) is
 * KERNEL_GROUP_ITEMS x 1 x 1 work-items (threads), and there is no local (shared) memory to give at launch. Constant data. */
#ifndef FLEETPLAN_BENCH_KERNELS_H
#define FLEETPLAN_BENCH_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/measurement/bench_spec.h"

enum { KERNEL_GROUP_ITEMS = 256, KERNEL_VECTOR_BYTES = 16, KERNEL_ARGUMENTS_MAX = 10 };

enum kernel {
	/* (u32 *out, u32 value): one group and more; out[group] = value unless value is 0, and then it is an empty launch */
	KERNEL_LAUNCH_EMPTY,
	/* Lists. Any number of groups; each work-item takes every so-manieth element. `vectors` of 16 bytes. */
	KERNEL_FILL_WORD,        /* (void *out, u32 word, u64 vectors): poison, and what flushes caches */
	KERNEL_FILL_PATTERN,     /* (float *out, u64 count): bench/reference.h tells what is where */
	KERNEL_FILL_NORMAL_FP32, /* (void *out, u64 count, u64 seed): random_fill_normal() of bench/random.h, rounded */
	KERNEL_FILL_NORMAL_BF16,
	KERNEL_FILL_NORMAL_FP16,
	KERNEL_STREAM_READ,      /* (u32 *out, const void *in, u64 vectors): out[group] = sum of the group's words modulo 2^32 */
	KERNEL_STREAM_COPY,      /* (void *out, const void *in, u64 vectors) */
	KERNEL_STREAM_TRIAD,     /* (float *out, const float *b, const float *c, float scalar, u64 vectors): b + scalar c */
	KERNEL_ELEMENTWISE,      /* (float *out, const float *in, float scalar, u64 vectors): in scalar + 1 */
	/* (float *out, u32 rounds, float a): out[item]. Multiply-adds of a work-item in a round: kernel_issue_flops() / 2. */
	KERNEL_ISSUE_FP32,
	KERNEL_ISSUE_FP16,       /* OpenCL with cl_khr_fp16 only */
	/* (float *out, const void *operands, u32 rounds): out[item]; operands: KERNEL_TENSOR_OPERANDS elements. 8.0 only. */
	KERNEL_ISSUE_TENSOR_BF16,
	KERNEL_ISSUE_TENSOR_FP16,
	/* (void *c, const void *a, const void *b, u32 m, u32 n, u32 k, float scale, u64 c_stride, u64 a_stride, u64 b_stride):
	 * C = scale A B, A B^T (nt), A^T B (tn) as enum bench_product has them, row-major and dense, all in the format of the name, sums
	 * in fp32. Strides from product to product of a batch, in elements. Groups: kernel_gemm_groups(). */
	KERNEL_GEMM_FP32_NN, KERNEL_GEMM_FP32_NT, KERNEL_GEMM_FP32_TN,
	KERNEL_GEMM_BF16_NN, KERNEL_GEMM_BF16_NT, KERNEL_GEMM_BF16_TN,
	KERNEL_GEMM_FP16_NN, KERNEL_GEMM_FP16_NT, KERNEL_GEMM_FP16_TN,
	/* (void *scores, u32 rows, u32 queries, u32 keys, u32 causal): in place, row r being query r mod queries; causal: it sees the
	 * keys up to its own place, the last query standing at the last key (queries <= keys), and the others become 0.
	 * Groups: kernel_row_groups(rows). */
	KERNEL_SOFTMAX_FP32, KERNEL_SOFTMAX_BF16, KERNEL_SOFTMAX_FP16,
	/* (void *gradients, const void *probabilities, u32 rows, u32 keys): in place, p (g - sum of p g). Groups as softmax. */
	KERNEL_SOFTMAX_GRADIENT_FP32, KERNEL_SOFTMAX_GRADIENT_BF16, KERNEL_SOFTMAX_GRADIENT_FP16,
	/* (float *partial, const void *q, const void *k, const void *v, u32 rows, u32 keys, u32 dimension, float scale): attention of
	 * `rows` queries to all keys, of each of a batch of heads; all dense, row-major. Groups: chunks of KERNEL_CACHE_CHUNK keys x
	 * heads. partial: rows of dimension + 2 floats, for each head each chunk's. */
	KERNEL_CACHE_ATTEND_FP32, KERNEL_CACHE_ATTEND_BF16, KERNEL_CACHE_ATTEND_FP16,
	/* (void *out, const float *partial, u32 rows, u32 dimension, u32 chunks): puts chunks together. Groups: rows x heads. */
	KERNEL_CACHE_MERGE_FP32, KERNEL_CACHE_MERGE_BF16, KERNEL_CACHE_MERGE_FP16,
	/* As CACHE_ATTEND through tensor instructions, of that dimension, with u32 chunk (a multiple of KERNEL_CACHE_TENSOR_KEYS) in
	 * the place of u32 dimension. 8.0 only. */
	KERNEL_CACHE_TENSOR_64_BF16, KERNEL_CACHE_TENSOR_64_FP16,
	KERNEL_CACHE_TENSOR_128_BF16, KERNEL_CACHE_TENSOR_128_FP16,
	KERNEL_COUNT
};

enum kernel_argument { KERNEL_END, KERNEL_POINTER, KERNEL_U32, KERNEL_U64, KERNEL_F32 };

/* Where an entry is to be found. */
enum kernel_blob { KERNEL_PTX_60, KERNEL_PTX_80, KERNEL_BLOB_COUNT };

struct kernel_entry {
	const char *name;
	enum kernel_argument arguments[KERNEL_ARGUMENTS_MAX + 1]; /* KERNEL_END at the end */
	bool ptx_60, ptx_80, opencl;
};
extern const struct kernel_entry kernel_entries[KERNEL_COUNT];

struct kernel_groups {
	uint32_t x, y, z;
};

/* Of a product of `batch` like shapes, through whichever of the programs: their tiles are of one size. */
struct kernel_groups kernel_gemm_groups(const struct bench_shape *shape, int64_t batch);
/* One group a row, folded so that neither side is too large; rows below 2^31. */
struct kernel_groups kernel_row_groups(int64_t rows);

/* The entry of a product in a precision, a softmax, a fill; KERNEL_COUNT: there is none. */
enum kernel kernel_gemm(enum precision precision, enum bench_product product);
enum kernel kernel_softmax(enum precision precision);
enum kernel kernel_softmax_gradient(enum precision precision);
enum kernel kernel_fill_normal(enum precision precision);
/* Of a cache of keys and values; dimension is that of a head. A row of keys is whole vectors of 16 bytes. */
enum { KERNEL_CACHE_CHUNK = 256, KERNEL_CACHE_TENSOR_KEYS = 128 };
enum kernel kernel_cache_attend(enum precision precision, int64_t dimension);
enum kernel kernel_cache_merge(enum precision precision);
enum kernel kernel_cache_tensor(enum precision precision, int64_t dimension);

/* Operations (a multiply-add is two) of one work-item (tensor: of 32 together) in one round of an issue kernel. */
double kernel_issue_flops(enum kernel kernel);
enum { KERNEL_TENSOR_OPERANDS = 4096 };

/* Text, ended by a NUL. PTX as of this blob; the source's files in the order in which they are one program. */
const char *kernel_ptx(enum kernel_blob blob);
enum { KERNEL_SOURCE_FILES = 6 };
extern const char *const kernel_source[KERNEL_SOURCE_FILES];

#endif
