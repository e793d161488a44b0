/* The file that storage tests read: finds it, or creates it without a name, and opens it past the page cache. */
#ifndef FLEETPLAN_BENCH_SUITE_STORAGE_FILE_H
#define FLEETPLAN_BENCH_SUITE_STORAGE_FILE_H

#include <limits.h>

#include "bench/backend.h"

struct storage_file {
	char name[PATH_MAX]; /* for messages */
	char kind[24];       /* of the file system: "ext4" */
	size_t bytes;
	int fd, buffered_fd; /* fd reads past the page cache if possible, buffered_fd through it; -1: not open */
	bool direct;         /* fd reads past the page cache */
};

/* Opens a file, or the largest regular file of a folder. write_bytes > 0: creates a file of random bytes, without a
 * name, in the folder. */
enum bench_outcome storage_file_open(
	struct storage_file *file, const char *path, double write_bytes, _Atomic uint64_t *alive, struct bench_reason *reason);
void storage_file_forget(const struct storage_file *file); /* asks the kernel to drop the file from the page cache */
void storage_file_close(struct storage_file *file);

#endif
