/* Measures reads from storage as an input pipeline makes them: many threads, past the page cache.
 *
 * Reads an existing file, or the largest file in a folder. It writes only if the caller asks for a test file. The
 * test file has no name (O_TMPFILE), so the kernel removes it when the process ends, also after a crash. A file in
 * memory (tmpfs, ramfs) is not storage: the request is refused. If the file system cannot read past the page cache,
 * the figure is `cache_resident`. */
#ifndef FLEETPLAN_BENCH_SUITE_STORAGE_H
#define FLEETPLAN_BENCH_SUITE_STORAGE_H

#include "bench/backend.h"

struct storage_request {
	const char *path;   /* a file or a folder */
	double write_bytes; /* 0: write nothing */
	double block_bytes; /* of one read */
	bool random;
	int threads; /* concurrent reads */
	_Atomic uint64_t *alive;
};

enum bench_outcome bench_storage_prepare(const struct storage_request *request, struct bench_work *work, struct bench_reason *reason);

/* Returns the name of a file system for messages, from its f_type; "" if it is unknown. *in_memory is true if the
 * file system keeps its data in memory. */
const char *bench_storage_kind(long f_type, bool *in_memory);

#endif
