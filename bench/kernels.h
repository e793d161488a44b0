/* The kernels that measure a device: one program in OpenCL C (bench/kernels/), listed here by name, arguments and
 * sizes.
 *
 * OpenCL drivers compile the source when a benchmark runs. For CUDA the program contains PTX, which clang makes from
 * the same source (`make ptx`); it is checked in. One PTX is for compute capability 6.0 and above, one for 8.0 and
 * above, where products in bf16 and fp16 use tensor instructions. A blob contains the entries whose row says so,
 * each under its name and with these arguments in this order. Pointers have 8 bytes, integers 4 (8 for KERNEL_U64),
 * floats 4. Every work-group (block) has KERNEL_GROUP_ITEMS x 1 x 1 work-items (threads). A launch passes no dynamic
 * local (shared) memory. Constant data. */
#ifndef FLEETPLAN_BENCH_KERNELS_H
#define FLEETPLAN_BENCH_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/measurement/bench_spec.h"

enum { KERNEL_GROUP_ITEMS = 256, KERNEL_VECTOR_BYTES = 16, KERNEL_ARGUMENTS_MAX = 10 };

enum kernel {
	/* (u32 *out, u32 value): at least one group. out[group] = value unless value is 0; value 0 makes it an empty
	 * launch. */
	KERNEL_LAUNCH_EMPTY,
	/* Lists. Any number of groups; a work-item takes elements at a stride of the number of work-items. `vectors`
	 * have 16 bytes. */
	KERNEL_FILL_WORD,        /* (void *out, u32 word, u64 vectors): writes poison, and flushes caches */
	KERNEL_FILL_PATTERN,     /* (float *out, u64 count): see reference_pattern() of bench/reference.h */
	KERNEL_FILL_NORMAL_FP32, /* (void *out, u64 count, u64 seed): random_fill_normal() of bench/random.h, rounded */
	KERNEL_FILL_NORMAL_BF16,
	KERNEL_FILL_NORMAL_FP16,
	KERNEL_STREAM_READ,  /* (u32 *out, const void *in, u64 vectors): out[group] = sum of the group's words modulo 2^32 */
	KERNEL_STREAM_COPY,  /* (void *out, const void *in, u64 vectors) */
	KERNEL_STREAM_TRIAD, /* (float *out, const float *b, const float *c, float scalar, u64 vectors): b + scalar c */
	KERNEL_ELEMENTWISE,  /* (float *out, const float *in, float scalar, u64 vectors): in scalar + 1 */
	/* (float *out, u32 rounds, float a): out[item]. A work-item does kernel_issue_flops() / 2 multiply-adds in a
	 * round. */
	KERNEL_ISSUE_FP32,
	KERNEL_ISSUE_FP16, /* only OpenCL with cl_khr_fp16 */
	/* (float *out, const void *operands, u32 rounds): out[item]; operands: KERNEL_TENSOR_OPERANDS elements. Only in
	 * the PTX for 8.0. */
	KERNEL_ISSUE_TENSOR_BF16,
	KERNEL_ISSUE_TENSOR_FP16,
	/* (void *c, const void *a, const void *b, u32 m, u32 n, u32 k, float scale, u64 c_stride, u64 a_stride, u64
	 * b_stride):
	 * C = scale A B (nn), A B^T (nt), A^T B (tn), as in enum bench_product. Matrices are row-major, dense and in the
	 * format of the name; sums are in fp32. Strides are from one product of a batch to the next, in elements.
	 * Groups: kernel_gemm_groups(). */
	KERNEL_GEMM_FP32_NN,
	KERNEL_GEMM_FP32_NT,
	KERNEL_GEMM_FP32_TN,
	KERNEL_GEMM_BF16_NN,
	KERNEL_GEMM_BF16_NT,
	KERNEL_GEMM_BF16_TN,
	KERNEL_GEMM_FP16_NN,
	KERNEL_GEMM_FP16_NT,
	KERNEL_GEMM_FP16_TN,
	/* (void *scores, u32 rows, u32 queries, u32 keys, u32 causal): in place; row r is query r mod queries. Causal: a
	 * query sees the keys up to its own position, the last query being at the last key (queries <= keys); the other
	 * scores become 0. Groups: kernel_row_groups(rows). */
	KERNEL_SOFTMAX_FP32,
	KERNEL_SOFTMAX_BF16,
	KERNEL_SOFTMAX_FP16,
	/* (void *gradients, const void *probabilities, u32 rows, u32 keys): in place, p (g - sum of p g). Groups as for
	 * softmax. */
	KERNEL_SOFTMAX_GRADIENT_FP32,
	KERNEL_SOFTMAX_GRADIENT_BF16,
	KERNEL_SOFTMAX_GRADIENT_FP16,
	/* (float *partial, const void *q, const void *k, const void *v, u32 rows, u32 keys, u32 dimension, float scale):
	 * attention of `rows` queries to all keys, for each head of a batch; all dense and row-major. Groups: chunks of
	 * KERNEL_CACHE_CHUNK keys x heads. partial has rows of dimension + 2 floats, for each chunk of each head. */
	KERNEL_CACHE_ATTEND_FP32,
	KERNEL_CACHE_ATTEND_BF16,
	KERNEL_CACHE_ATTEND_FP16,
	/* (void *out, const float *partial, u32 rows, u32 dimension, u32 chunks): merges the chunks. Groups: rows x
	 * heads. */
	KERNEL_CACHE_MERGE_FP32,
	KERNEL_CACHE_MERGE_BF16,
	KERNEL_CACHE_MERGE_FP16,
	/* As CACHE_ATTEND, but with tensor instructions, for the dimension in the name. The argument u32 chunk (a
	 * multiple of KERNEL_CACHE_TENSOR_KEYS) replaces u32 dimension. Only in the PTX for 8.0. */
	KERNEL_CACHE_TENSOR_64_BF16,
	KERNEL_CACHE_TENSOR_64_FP16,
	KERNEL_CACHE_TENSOR_128_BF16,
	KERNEL_CACHE_TENSOR_128_FP16,
	KERNEL_COUNT
};

enum kernel_argument { KERNEL_END, KERNEL_POINTER, KERNEL_U32, KERNEL_U64, KERNEL_F32 };

/* The blob that contains an entry. */
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

/* Groups for a product of `batch` equal shapes. They are the same for all kernels of products: all use tiles of one
 * size. */
struct kernel_groups kernel_gemm_groups(const struct bench_shape *shape, int64_t batch);
/* One group per row, folded into two sides so that neither is too large; rows below 2^31. */
struct kernel_groups kernel_row_groups(int64_t rows);

/* Returns the kernel of a product, a softmax or a fill in that precision; KERNEL_COUNT: there is none. */
enum kernel kernel_gemm(enum precision precision, enum bench_product product);
enum kernel kernel_softmax(enum precision precision);
enum kernel kernel_softmax_gradient(enum precision precision);
enum kernel kernel_fill_normal(enum precision precision);
/* Kernels for a cache of keys and values; dimension is that of a head. A row of keys must be a multiple of 16 bytes. */
enum { KERNEL_CACHE_CHUNK = 256, KERNEL_CACHE_TENSOR_KEYS = 128 };
enum kernel kernel_cache_attend(enum precision precision, int64_t dimension);
enum kernel kernel_cache_merge(enum precision precision);
enum kernel kernel_cache_tensor(enum precision precision, int64_t dimension);

/* Operations of one work-item in one round of an issue kernel; a multiply-add is two. For tensor kernels: of 32
 * work-items together. */
double kernel_issue_flops(enum kernel kernel);
enum { KERNEL_TENSOR_OPERANDS = 4096 };

/* Texts that end with a NUL: the PTX of a blob; the source files, which in this order form one program. */
const char *kernel_ptx(enum kernel_blob blob);
enum { KERNEL_SOURCE_FILES = 6 };
extern const char *const kernel_source[KERNEL_SOURCE_FILES];

#endif
