#include "bench/cuda/cuda_product.h"

static enum bench_outcome kernel_open(struct cuda_product *product, const struct bench_session *session, struct bench_reason *reason)
{
	const struct cuda_matmul_request *request = &product->request;

	product->kernel = kernel_gemm(request->precision, request->product);
	product->groups = kernel_gemm_groups(&request->shape, request->batch);
	if (product->groups.y > UINT16_MAX || product->groups.z > UINT16_MAX)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "%u x %u x %u groups are more than a launch can have", product->groups.x,
			product->groups.y, product->groups.z);
	return cuda_kernels_find(&session->kernels, &session->driver, product->kernel, &product->function, reason);
}

static enum bench_outcome kernel_enqueue(
	const struct cuda_product *product, struct bench_session *session, const cuda_pointer a_b_c[3], struct bench_reason *reason)
{
	const struct cuda_matmul_request *request = &product->request;
	cuda_pointer a = a_b_c[0], b = a_b_c[1], c = a_b_c[2];
	uint32_t m = (uint32_t)request->shape.m, n = (uint32_t)request->shape.n, k = (uint32_t)request->shape.k;
	uint64_t a_stride = (uint64_t)request->a_stride, b_stride = (uint64_t)request->b_stride, c_stride = (uint64_t)request->c_stride;
	float scale = request->scale;
	void *arguments[] = {&c, &a, &b, &m, &n, &k, &scale, &c_stride, &a_stride, &b_stride};

	return cuda_session_launch(session, product->function, product->groups, arguments, reason);
}

enum bench_outcome cuda_product_open(struct cuda_product *product, struct bench_session *session, bool library,
	const struct cuda_matmul_request *request, const cuda_pointer a_b_c[3], struct bench_reason *reason)
{
	*product = (struct cuda_product){.library = library, .request = *request};
	return library ? cuda_matmul_open(&product->matmul, session, request, a_b_c[0], a_b_c[1], a_b_c[2], reason)
				   : kernel_open(product, session, reason);
}

enum bench_outcome cuda_product_enqueue(
	const struct cuda_product *product, struct bench_session *session, const cuda_pointer a_b_c[3], struct bench_reason *reason)
{
	return product->library ? cuda_matmul_enqueue(&product->matmul, session, a_b_c[0], a_b_c[1], a_b_c[2], reason)
							: kernel_enqueue(product, session, a_b_c, reason);
}

void cuda_product_close(struct cuda_product *product, struct bench_session *session)
{
	if (product->library)
		cuda_matmul_close(&product->matmul, session);
}

void cuda_product_describe(const struct cuda_product *product, const struct bench_session *session, char *out, size_t size)
{
	size_t version = session->cublaslt.version;

	if (product->library)
		snprintf(out, size, "cuBLASLt %zu.%zu.%zu, %s, best of %d", version / 10000, version / 100 % 100, version % 100,
			product->matmul.chosen, product->matmul.tried);
	else
		snprintf(out, size, "%s, PTX %s", kernel_entries[product->kernel].name, session->kernels.target);
}
