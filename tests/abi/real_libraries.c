/* Tests the probing code with NVIDIA's own libraries, on a machine without their driver, or with a driver and no
 * device. usage: real_libraries FOLDER [driver]
 *
 * Prints a line for each library. Fails if a library crashes, counts as working, or gives an unknown answer. With
 * `driver` the folder must have libcuda.so.1 and libnvidia-ml.so.1, else libcublasLt and libnccl. */
#include <dlfcn.h>

#include "bench/cuda/cuda_matmul.h"
#include "bench/cuda/nccl.h"

static int bad;

static void print_outcome(const char *what, bool expected, const char *text)
{
	printf("%s%s: %s\n", expected ? "" : "WRONG ", what, text);
	bad += !expected;
}

static void driver_without_device(void)
{
	struct bench_reason reason = {""};
	struct cuda_driver driver;
	struct nvml nvml;
	enum bench_outcome outcome = cuda_driver_open(&driver, &reason);

	print_outcome("libcuda",
		outcome == BENCH_UNSUPPORTED && driver.handle && strstr(reason.text, "no device: cuInit: CUDA_ERROR_NO_DEVICE (100)"), reason.text);
	outcome = nvml_open(&nvml, &reason);
	print_outcome("NVML", outcome == BENCH_UNSUPPORTED && strstr(reason.text, "NVML does not start: Driver Not Loaded (9)"), reason.text);
	nvml_close(&nvml);
}

/* Takes the place of the first function that needs the handle. The handle needs a device. */
static int no_heuristic(struct cublaslt_handle *handle, struct cublaslt_product *product, struct cublaslt_layout *a,
	struct cublaslt_layout *b, struct cublaslt_layout *c, struct cublaslt_layout *d, struct cublaslt_preference *preference, int wanted,
	struct cublaslt_heuristic *results, int *count)
{
	(void)handle, (void)results;
	*count = 0;
	return product && a && b && c && d && preference && wanted > 0 ? CUBLASLT_NOT_INITIALIZED : CUBLASLT_NOT_SUPPORTED;
}

/* A product's description needs no device. The library checks the number and size of each attribute. */
static void describe_products(const struct cublaslt *cublaslt)
{
	static const enum precision precisions[] = {
		PRECISION_FP32, PRECISION_TF32, PRECISION_FP16, PRECISION_BF16, PRECISION_FP8, PRECISION_INT8};
	struct bench_session session = {
		.cublaslt = *cublaslt, .workspace = {.at = 256, .bytes = CUDA_WORKSPACE_BYTES}, .one = {.at = 256, .bytes = 4}};

	session.cublaslt.heuristic = no_heuristic;
	for (size_t i = 0; i < COUNT_OF(precisions); i++)
		for (int p = 0; p < PRODUCT_COUNT; p++) {
			struct cuda_matmul_request request = {.shape = {256, 512, 128},
				.product = (enum bench_product)p,
				.precision = precisions[i],
				.scale = 1,
				.batch = 4,
				.a_stride = 256 * 128,
				.b_stride = 512 * 128,
				.c_stride = 256 * 512};
			struct bench_reason reason = {""};
			struct cuda_matmul matmul;
			char what[64];

			snprintf(what, sizeof(what), "cuBLASLt, %s, %s", precision_name(precisions[i]), bench_product_name((enum bench_product)p));
			print_outcome(what,
				cuda_matmul_open(&matmul, &session, &request, 256, 256, 256, &reason) != BENCH_OK &&
					strstr(reason.text, "no algorithm for this product: CUBLAS_STATUS_NOT_INITIALIZED (1)"),
				reason.text);
		}
}

static void libraries_without_driver(void)
{
	struct bench_reason reason = {""};
	struct cublaslt cublaslt;
	struct nccl nccl;
	struct nccl_communicator *communicators[2] = {NULL};
	const int devices[2] = {0, 1};
	enum bench_outcome outcome = cublaslt_open(&cublaslt, &reason);
	int code;

	print_outcome(
		"cuBLASLt", outcome == BENCH_UNSUPPORTED && strstr(reason.text, "does not start: CUBLAS_STATUS_NOT_INITIALIZED (1)"), reason.text);
	/* The probing code closed the library again, but main still has it open, so its functions are valid. */
	if (cublaslt.product_new) {
		cublaslt.library = cublaslt.library ? cublaslt.library : (void *)1;
		describe_products(&cublaslt);
	}
	outcome = nccl_open(&nccl, &reason);
	print_outcome("NCCL", outcome == BENCH_OK && nccl.version > 20000, outcome == BENCH_OK ? nccl.path : reason.text);
	if (outcome != BENCH_OK)
		return;
	code = nccl.init_all(communicators, 2, devices);
	print_outcome("NCCL's communicators", code != NCCL_OK && *nccl.error_text(code), nccl.error_text(code));
}

int main(int argc, char **argv)
{
	static const char *const held[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"};
	char file[DEVICE_TEXT_MAX];

	if (argc < 2)
		return 64;
	(void)setenv("FLEETPLAN_BENCH_LIB_DIR", argv[1], 1);
	for (size_t i = 0; i < COUNT_OF(held); i++) {
		snprintf(file, sizeof(file), "%s/%s", argv[1], held[i]);
		(void)dlopen(file, RTLD_NOW | RTLD_LOCAL);
	}
	if (argc > 2)
		driver_without_device();
	else
		libraries_without_driver();
	return bad ? 1 : 0;
}
