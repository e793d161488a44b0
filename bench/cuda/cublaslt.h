/* cuBLASLt (libcublasLt), opened with dlopen: matrix products as programs on this machine use them.
 *
 * The declarations follow the public documentation. The library's matrices are column-major;
 * bench/cuda/cuda_matmul.h converts from the suite's row-major ones. Calls use the current context of the calling
 * thread. */
#ifndef FLEETPLAN_BENCH_CUDA_CUBLASLT_H
#define FLEETPLAN_BENCH_CUDA_CUBLASLT_H

#include "bench/cuda/cuda_driver.h"

struct cublaslt_handle;
struct cublaslt_product;
struct cublaslt_layout;
struct cublaslt_preference;

enum cublaslt_code { CUBLASLT_OK = 0, CUBLASLT_NOT_INITIALIZED = 1, CUBLASLT_ALLOC_FAILED = 3, CUBLASLT_NOT_SUPPORTED = 15 };
enum cublaslt_type {
	CUBLASLT_R_32F = 0,
	CUBLASLT_R_16F = 2,
	CUBLASLT_R_8I = 3,
	CUBLASLT_R_32I = 10,
	CUBLASLT_R_16BF = 14,
	CUBLASLT_R_8F_E4M3 = 28
};
enum cublaslt_compute { CUBLASLT_COMPUTE_32F = 68, CUBLASLT_COMPUTE_32I = 72, CUBLASLT_COMPUTE_32F_FAST_TF32 = 77 };
enum cublaslt_operation { CUBLASLT_AS_IT_IS = 0, CUBLASLT_TRANSPOSED = 1 };
enum cublaslt_product_attribute {
	CUBLASLT_PRODUCT_TRANSPOSE_A = 3,
	CUBLASLT_PRODUCT_TRANSPOSE_B = 4,
	CUBLASLT_PRODUCT_SCALE_A_POINTER = 17,
	CUBLASLT_PRODUCT_SCALE_B_POINTER = 18,
	CUBLASLT_PRODUCT_FAST_ACCUMULATION = 25 /* one byte */
};
enum cublaslt_layout_attribute { CUBLASLT_LAYOUT_BATCH_COUNT = 5, CUBLASLT_LAYOUT_BATCH_STRIDE = 6 };
enum cublaslt_preference_attribute { CUBLASLT_PREFERENCE_WORKSPACE_BYTES = 1 };
enum cublaslt_algorithm_attribute {
	CUBLASLT_ALGORITHM_ID = 0,
	CUBLASLT_ALGORITHM_TILE = 1,
	CUBLASLT_ALGORITHM_SPLIT_K = 2,
	CUBLASLT_ALGORITHM_STAGES = 6
};

struct cublaslt_algorithm {
	uint64_t data[8];
};

struct cublaslt_heuristic {
	struct cublaslt_algorithm algorithm;
	size_t workspace_bytes;
	int code;
	float waves;
	int reserved[4];
};

struct cublaslt {
	void *library;
	char path[DEVICE_TEXT_MAX];
	struct cublaslt_handle *handle;
	size_t version; /* 120803: 12.8.3 */

	int (*create)(struct cublaslt_handle **handle);
	int (*destroy)(struct cublaslt_handle *handle);
	size_t (*get_version)(void);
	const char *(*code_name)(int code); /* optional */
	int (*product_new)(struct cublaslt_product **product, int compute, int scale_type);
	int (*product_free)(struct cublaslt_product *product);
	int (*product_set)(struct cublaslt_product *product, int attribute, const void *value, size_t size);
	int (*layout_new)(struct cublaslt_layout **layout, int type, uint64_t rows, uint64_t columns, int64_t leading);
	int (*layout_free)(struct cublaslt_layout *layout);
	int (*layout_set)(struct cublaslt_layout *layout, int attribute, const void *value, size_t size);
	int (*preference_new)(struct cublaslt_preference **preference);
	int (*preference_free)(struct cublaslt_preference *preference);
	int (*preference_set)(struct cublaslt_preference *preference, int attribute, const void *value, size_t size);
	int (*heuristic)(struct cublaslt_handle *handle, struct cublaslt_product *product, struct cublaslt_layout *a, struct cublaslt_layout *b,
		struct cublaslt_layout *c, struct cublaslt_layout *d, struct cublaslt_preference *preference, int wanted,
		struct cublaslt_heuristic *results, int *count);
	int (*algorithm_get)(const struct cublaslt_algorithm *algorithm, int attribute, void *value, size_t size, size_t *written);
	int (*multiply)(struct cublaslt_handle *handle, struct cublaslt_product *product, const void *alpha, const void *a,
		struct cublaslt_layout *a_layout, const void *b, struct cublaslt_layout *b_layout, const void *beta, const void *c,
		struct cublaslt_layout *c_layout, void *d, struct cublaslt_layout *d_layout, const struct cublaslt_algorithm *algorithm,
		void *workspace, size_t workspace_bytes, struct cuda_stream *stream);
};

/* Needs a current context. The library stays loaded until the process ends. */
enum bench_outcome cublaslt_open(struct cublaslt *cublaslt, struct bench_reason *reason);
void cublaslt_close(struct cublaslt *cublaslt);

/* "CUBLAS_STATUS_NOT_SUPPORTED"; never NULL. */
const char *cublaslt_code_name(const struct cublaslt *cublaslt, int code);

#endif
