/* Reads from storage, as an input pipeline makes them: by many threads, past the page cache.
 *
 * Nothing is written unless asked for: an existing file is read, the largest in a folder. A test file that was asked for has no name
 * (O_TMPFILE), so that it is gone with the process however that ends. A file in memory (tmpfs, ramfs) is no storage and is
 * refused; where the file system cannot read past the page cache, the figure is `cache_resident`. */
#ifndef FLEETPLAN_BENCH_SUITE_STORAGE_H
#define FLEETPLAN_BENCH_SUITE_STORAGE_H

#include "bench/backend.h"

struct storage_request {
	const char *path;    /* a file or a folder */
	double write_bytes;  /* 0: nothing is written */
	double block_bytes;  /* of one read */
	bool random;
	int threads;         /* reads under way at once */
	_Atomic uint64_t *alive;
};

enum bench_outcome bench_storage_prepare(const struct storage_request *request, struct bench_work *work, struct bench_reason *reason);

/* The name of a file system by its f_type, for a person; *in_memory when what lies on it lies in memory. "" for one that is not known. */
const char *bench_storage_kind(long f_type, bool *in_memory);

#endif
