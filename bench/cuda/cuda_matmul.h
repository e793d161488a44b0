/* One matrix product by cuBLASLt: the suite's row-major operands as the library's column-major ones, and the best of its algorithms.
 *
 * A row-major matrix is the column-major one of its transpose, so C = A B is asked for as C^T = B^T A^T: no operand is moved. FP8 and INT8 have
 * tensor cores only for operands that lie with the summed index innermost; then A is m x k and B is n x k in memory whichever
 * product it is, as frameworks lay them out for it. */
#ifndef FLEETPLAN_BENCH_CUDA_CUDA_MATMUL_H
#define FLEETPLAN_BENCH_CUDA_CUDA_MATMUL_H

#include "bench/cuda/cuda_session.h"

struct cuda_matmul_request {
	struct bench_shape shape;
	enum bench_product product; /* how A and B lie */
	enum precision precision;
	float scale;                /* C = scale A B */
	int64_t batch;              /* products at once; the strides are in elements, 0 for an operand that they share */
	int64_t a_stride, b_stride, c_stride;
};

struct cuda_matmul {
	struct cublaslt_product *product;
	struct cublaslt_layout *first, *second, *result; /* of B, A and C */
	struct cublaslt_algorithm algorithm;
	float scale;
	bool whole;                  /* integers: the scale is 1, as an int32 */
	char chosen[48];             /* "algorithm 66, tile 20, stages 36" */
	int tried;                   /* of the heuristic's proposals */
};

/* Opens the library when it is the first, describes the product, and times each of the heuristic's algorithms three times on
 * the given memory. BENCH_UNSUPPORTED where there is no library, or it has no algorithm for this. */
enum bench_outcome cuda_matmul_open(struct cuda_matmul *matmul, struct bench_session *session,
	const struct cuda_matmul_request *request, cuda_pointer a, cuda_pointer b, cuda_pointer c, struct bench_reason *reason);
enum bench_outcome cuda_matmul_enqueue(const struct cuda_matmul *matmul, struct bench_session *session, cuda_pointer a, cuda_pointer b,
	cuda_pointer c, struct bench_reason *reason);
void cuda_matmul_close(struct cuda_matmul *matmul, struct bench_session *session);

/* Whether operands lie with the summed index innermost in this precision, whichever product it is. */
bool cuda_matmul_depth_innermost(enum precision precision);

#endif
