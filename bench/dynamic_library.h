/* Opens libraries that a machine may have: finds them at run time, binds their functions by a table, and gives a reason
 * if that fails.
 *
 * Searches for a library by its file names, newest first: in FLEETPLAN_BENCH_LIB_DIR, then on the dynamic linker's
 * path, then in the folders where toolkits, container runtimes and Python packages install it. A library that lacks
 * a required function is skipped; the reason names the function. The daemon never opens such a library: only the
 * worker does. */
#ifndef FLEETPLAN_BENCH_DYNAMIC_LIBRARY_H
#define FLEETPLAN_BENCH_DYNAMIC_LIBRARY_H

#include <stddef.h>

#include "bench/backend.h"

struct dynamic_symbol {
	const char *name; /* as exported, including the version suffix: "cuMemAlloc_v2" */
	size_t offset;    /* of the function pointer in the API's struct */
	bool required;    /* false: the pointer is NULL if the symbol is missing */
};

struct dynamic_library {
	const char *what;           /* "libcublasLt (cuBLASLt)" */
	const char *advice;         /* what to install or to set */
	const char *const *sonames; /* in search order, NULL at the end */
	const char *const *folders; /* patterns for glob(3), NULL at the end; a leading "$NAME/" is replaced by the environment variable */
	const struct dynamic_symbol *symbols;
	size_t symbol_count;
};

/* Table rows that bind a member of an API's struct to its symbol. */
#define DYNAMIC_REQUIRED(api, member, name) \
	{ \
		name, offsetof(struct api, member), true \
	}
#define DYNAMIC_OPTIONAL(api, member, name) \
	{ \
		name, offsetof(struct api, member), false \
	}

/* Opens the library and fills the function pointers of `api`. The caller owns *handle and closes it with
 * dynamic_library_close(). `path` receives the file's path. If there is no such library, returns BENCH_UNSUPPORTED
 * with the reason and sets *handle to NULL. */
enum bench_outcome dynamic_library_open(
	const struct dynamic_library *library, void *api, void **handle, char path[DEVICE_TEXT_MAX], struct bench_reason *reason);
void dynamic_library_close(void **handle);

/* Folders where NVIDIA's toolkit and Python packages install libraries, and folders where container runtimes mount
 * the driver's. */
extern const char *const dynamic_nvidia_folders[];
extern const char *const dynamic_driver_folders[];

#endif
