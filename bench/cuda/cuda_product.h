/* A matrix product on the session's stream, by the library or by our own kernel. Matrix and attention work consist
 * of these. */
#ifndef FLEETPLAN_BENCH_CUDA_CUDA_PRODUCT_H
#define FLEETPLAN_BENCH_CUDA_CUDA_PRODUCT_H

#include "bench/cuda/cuda_matmul.h"

struct cuda_product {
	bool library;
	struct cuda_matmul matmul; /* if library */
	enum kernel kernel;        /* if not library */
	struct cuda_function *function;
	struct kernel_groups groups;
	struct cuda_matmul_request request;
};

/* Returns BENCH_UNSUPPORTED if the library, or the PTX, does not support this. The addresses must point to memory of
 * the full size: the library tries its algorithms there. */
enum bench_outcome cuda_product_open(struct cuda_product *product, struct bench_session *session, bool library,
	const struct cuda_matmul_request *request, const cuda_pointer a_b_c[3], struct bench_reason *reason);
enum bench_outcome cuda_product_enqueue(
	const struct cuda_product *product, struct bench_session *session, const cuda_pointer a_b_c[3], struct bench_reason *reason);
void cuda_product_close(struct cuda_product *product, struct bench_session *session);

/* "cuBLASLt 12.9.3, algorithm 66 ..., best of 8", or the kernel and its PTX. */
void cuda_product_describe(const struct cuda_product *product, const struct bench_session *session, char *out, size_t size);

#endif
