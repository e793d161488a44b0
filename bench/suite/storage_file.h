/* The file that storage tests read: found, or made without a name, and opened past the page cache. */
#ifndef FLEETPLAN_BENCH_SUITE_STORAGE_FILE_H
#define FLEETPLAN_BENCH_SUITE_STORAGE_FILE_H

#include <limits.h>

#include "bench/backend.h"

struct storage_file {
	char name[PATH_MAX];   /* for messages */
	char kind[24];         /* of its file system: "ext4" */
	size_t bytes;
	int fd, buffered_fd;   /* past the page cache where that is possible, and through it; -1: not open */
	bool direct;           /* fd does go past it */
};

/* A file, or the largest regular file of a folder; write_bytes > 0: a new one of random bytes in the folder, without a name. */
enum bench_outcome storage_file_open(struct storage_file *file, const char *path, double write_bytes, _Atomic uint64_t *alive,
	struct bench_reason *reason);
void storage_file_forget(const struct storage_file *file); /* asks that the page cache drop it */
void storage_file_close(struct storage_file *file);

#endif
