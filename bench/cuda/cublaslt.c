#include "bench/cuda/cublaslt.h"

#define REQUIRED(member, name) DYNAMIC_REQUIRED(cublaslt, member, name)
#define OPTIONAL(member, name) DYNAMIC_OPTIONAL(cublaslt, member, name)

static const struct dynamic_symbol symbols[] = {
	REQUIRED(create, "cublasLtCreate"),
	REQUIRED(destroy, "cublasLtDestroy"),
	REQUIRED(get_version, "cublasLtGetVersion"),
	OPTIONAL(code_name, "cublasLtGetStatusName"),
	REQUIRED(product_new, "cublasLtMatmulDescCreate"),
	REQUIRED(product_free, "cublasLtMatmulDescDestroy"),
	REQUIRED(product_set, "cublasLtMatmulDescSetAttribute"),
	REQUIRED(layout_new, "cublasLtMatrixLayoutCreate"),
	REQUIRED(layout_free, "cublasLtMatrixLayoutDestroy"),
	REQUIRED(layout_set, "cublasLtMatrixLayoutSetAttribute"),
	REQUIRED(preference_new, "cublasLtMatmulPreferenceCreate"),
	REQUIRED(preference_free, "cublasLtMatmulPreferenceDestroy"),
	REQUIRED(preference_set, "cublasLtMatmulPreferenceSetAttribute"),
	REQUIRED(heuristic, "cublasLtMatmulAlgoGetHeuristic"),
	REQUIRED(algorithm_get, "cublasLtMatmulAlgoConfigGetAttribute"),
	REQUIRED(multiply, "cublasLtMatmul"),
};

static const char *const sonames[] = {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", NULL};

static const struct dynamic_library library = {
	.what = "libcublasLt",
	.advice = "use the image tag -cuda, or set FLEETPLAN_BENCH_LIB_DIR to the folder of libcublasLt.so.13, .12 or .11",
	.sonames = sonames,
	.folders = dynamic_nvidia_folders,
	.symbols = symbols,
	.symbol_count = COUNT_OF(symbols),
};

const char *cublaslt_code_name(const struct cublaslt *cublaslt, int code)
{
	const char *name = cublaslt->code_name ? cublaslt->code_name(code) : NULL;

	return name ? name : "a code of cuBLASLt";
}

enum bench_outcome cublaslt_open(struct cublaslt *cublaslt, struct bench_reason *reason)
{
	enum bench_outcome outcome;
	int code;

	*cublaslt = (struct cublaslt){.library = NULL};
	outcome = dynamic_library_open(&library, cublaslt, &cublaslt->library, cublaslt->path, reason);
	if (outcome != BENCH_OK)
		return outcome;
	cublaslt->version = cublaslt->get_version();
	code = cublaslt->create(&cublaslt->handle);
	if (code == CUBLASLT_OK)
		return BENCH_OK;
	bench_refuse(reason, BENCH_UNSUPPORTED,
		"cuBLASLt %zu does not start: %s (%d); it may be too new for the driver or too old for the device", cublaslt->version,
		cublaslt_code_name(cublaslt, code), code);
	cublaslt->handle = NULL;
	dynamic_library_close(&cublaslt->library);
	return BENCH_UNSUPPORTED;
}

void cublaslt_close(struct cublaslt *cublaslt)
{
	if (cublaslt->handle)
		(void)cublaslt->destroy(cublaslt->handle);
	*cublaslt = (struct cublaslt){.library = NULL};
}
