/* One matrix product by cuBLASLt: passes the suite's row-major operands as column-major ones, and uses the fastest of
 * its algorithms.
 *
 * A row-major matrix is the column-major matrix of its transpose. So C = A B is computed as C^T = B^T A^T, and no
 * operand is moved. FP8 and INT8 have tensor cores only for operands with the summed index innermost. For these, A
 * is m x k and B is n x k in memory for every product, as frameworks store them. */
#ifndef FLEETPLAN_BENCH_CUDA_CUDA_MATMUL_H
#define FLEETPLAN_BENCH_CUDA_CUDA_MATMUL_H

#include "bench/cuda/cuda_session.h"

struct cuda_matmul_request {
	struct bench_shape shape;
	enum bench_product product; /* gives the layout of A and B */
	enum precision precision;
	float scale;   /* C = scale A B */
	int64_t batch; /* number of products; strides are in elements, 0 for an operand that all products share */
	int64_t a_stride, b_stride, c_stride;
};

struct cuda_matmul {
	struct cublaslt_product *product;
	struct cublaslt_layout *first, *second, *result; /* layouts of B, A and C */
	struct cublaslt_algorithm algorithm;
	float scale;
	bool whole;      /* integers: the scale is 1, as an int32 */
	char chosen[48]; /* "algorithm 66, tile 20, stages 36" */
	int tried;       /* of the algorithms that the heuristic proposed */
};

/* Opens the library at the first call, describes the product, and times each algorithm that the heuristic proposes
 * three times on the given memory. Returns BENCH_UNSUPPORTED if there is no library, or it has no algorithm for this
 * product. */
enum bench_outcome cuda_matmul_open(struct cuda_matmul *matmul, struct bench_session *session, const struct cuda_matmul_request *request,
	cuda_pointer a, cuda_pointer b, cuda_pointer c, struct bench_reason *reason);
enum bench_outcome cuda_matmul_enqueue(const struct cuda_matmul *matmul, struct bench_session *session, cuda_pointer a, cuda_pointer b,
	cuda_pointer c, struct bench_reason *reason);
void cuda_matmul_close(struct cuda_matmul *matmul, struct bench_session *session);

/* True if operands of this precision have the summed index innermost, for every product. */
bool cuda_matmul_depth_innermost(enum precision precision);

#endif
