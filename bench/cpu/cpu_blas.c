#include "bench/cpu/cpu_blas.h"

#include <dlfcn.h>

enum { CBLAS_ROW_MAJOR = 101, CBLAS_NO_TRANSPOSE = 111, CBLAS_TRANSPOSE = 112 };

static const char *const sonames[] = {"libopenblas.so.0", "libblas.so.3"};

/* Copies dlsym's object pointer into a function pointer: POSIX guarantees that this works, ISO C has no cast for it. */
static bool resolve(void *handle, const char *name, void *function)
{
	void *symbol = dlsym(handle, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static void *open_named(const char *soname)
{
	const char *folder = getenv("FLEETPLAN_BENCH_LIB_DIR");
	char path[512];
	void *handle = NULL;

	if (folder && *folder && snprintf(path, sizeof(path), "%s/%s", folder, soname) < (int)sizeof(path))
		handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return handle ? handle : dlopen(soname, RTLD_NOW | RTLD_LOCAL);
}

/* Writes the name and version from "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...", then the name of its kernels. */
static void name_version(struct cpu_blas *blas, const char *config, const char *core)
{
	char name[24] = "", number[24] = "";

	(void)!sscanf(config, "%23s %23s", name, number);
	snprintf(blas->version, sizeof(blas->version), "%s %s, %.30s kernels", name, number, core);
}

/* Returns false, with the reason, if the library is not OpenBLAS or lacks a function. */
static bool bind(struct cpu_blas *blas, const char *soname, int threads, struct bench_reason *reason)
{
	char *(*config)(void);
	char *(*core)(void);
	void (*set_threads)(int);

	if (!resolve(blas->handle, "openblas_get_config", &config) || !resolve(blas->handle, "openblas_get_corename", &core) ||
		!resolve(blas->handle, "openblas_set_num_threads", &set_threads)) {
		bench_refuse(reason, BENCH_UNSUPPORTED, "%s is not OpenBLAS", soname);
		return false;
	}
	if (!resolve(blas->handle, "cblas_sgemm", &blas->sgemm)) {
		bench_refuse(reason, BENCH_UNSUPPORTED, "%s has no cblas_sgemm", soname);
		return false;
	}
	set_threads(threads);
	name_version(blas, config(), core());
	return true;
}

enum bench_outcome cpu_blas_open(struct cpu_blas *blas, int threads, struct bench_reason *reason)
{
	bench_refuse(
		reason, BENCH_UNSUPPORTED, "no OpenBLAS found (libopenblas.so.0; Debian: libopenblas0-pthread, or set FLEETPLAN_BENCH_LIB_DIR)");
	*blas = (struct cpu_blas){0};
	for (size_t i = 0; i < COUNT_OF(sonames); i++) {
		blas->handle = open_named(sonames[i]);
		if (!blas->handle)
			continue;
		if (bind(blas, sonames[i], threads, reason))
			return BENCH_OK;
		cpu_blas_close(blas);
	}
	return BENCH_UNSUPPORTED;
}

void cpu_blas_multiply(
	const struct cpu_blas *blas, const struct bench_shape *shape, enum bench_product product, const float *a, const float *b, float *c)
{
	int m = (int)shape->m, n = (int)shape->n, k = (int)shape->k;
	bool a_lies_across = product == PRODUCT_WEIGHT_GRADIENT, b_lies_across = product == PRODUCT_INPUT_GRADIENT;

	blas->sgemm(CBLAS_ROW_MAJOR, a_lies_across ? CBLAS_TRANSPOSE : CBLAS_NO_TRANSPOSE, b_lies_across ? CBLAS_TRANSPOSE : CBLAS_NO_TRANSPOSE,
		m, n, k, 1.0f, a, a_lies_across ? m : k, b, b_lies_across ? k : n, 0.0f, c, n);
}

void cpu_blas_close(struct cpu_blas *blas)
{
	if (blas->handle)
		dlclose(blas->handle);
	*blas = (struct cpu_blas){0};
}
