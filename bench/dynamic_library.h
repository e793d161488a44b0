/* Libraries that a machine may have: found at run time, their functions bound by a table, and a reason where that fails.
 *
 * A library is looked for by its file names, newest first, in FLEETPLAN_BENCH_LIB_DIR, then where the dynamic linker looks, then in
 * the folders where toolkits, container runtimes and Python packages put it. One that lacks a required function is passed over; the reason
 * names the function. Nothing of this is in the daemon: only the worker opens such libraries. */
#ifndef FLEETPLAN_BENCH_DYNAMIC_LIBRARY_H
#define FLEETPLAN_BENCH_DYNAMIC_LIBRARY_H

#include <stddef.h>

#include "bench/backend.h"

struct dynamic_symbol {
	const char *name;  /* as exported, version suffix and all: "cuMemAlloc_v2" */
	size_t offset;     /* of the function pointer in the struct that is bound */
	bool required;     /* an optional one that is missing is NULL */
};

struct dynamic_library {
	const char *what;                /* "libcublasLt (cuBLASLt)" */
	const char *advice;              /* what to install or to set */
	const char *const *sonames;      /* in the order in which they are tried, NULL at the end */
	const char *const *folders;      /* patterns as of glob(3), NULL at the end; "$NAME/" at the front is replaced */
	const struct dynamic_symbol *symbols;
	size_t symbol_count;
};

/* A member of an API's struct bound to its symbol. */
#define DYNAMIC_REQUIRED(api, member, name) {name, offsetof(struct api, member), true}
#define DYNAMIC_OPTIONAL(api, member, name) {name, offsetof(struct api, member), false}

/* Opens the library and fills the function pointers of `api`. *handle is the caller's, to be closed with
 * dynamic_library_close(). `path` gets the file it came from. BENCH_UNSUPPORTED with the reason, and *handle NULL, when there is none. */
enum bench_outcome dynamic_library_open(const struct dynamic_library *library, void *api, void **handle,
	char path[DEVICE_TEXT_MAX], struct bench_reason *reason);
void dynamic_library_close(void **handle);

/* Where NVIDIA's toolkit and Python packages put their libraries; and where container runtimes put the driver's. */
extern const char *const dynamic_nvidia_folders[];
extern const char *const dynamic_driver_folders[];

#endif
