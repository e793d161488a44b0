#include "support/pocl.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without a cache PoCL compiles for half a minute. Without a home it would use
 * a folder that any user can create first. */
static void choose_cache(void)
{
	char folder[PATH_MAX], path[PATH_MAX + 32];

	if (getenv("POCL_CACHE_DIR") || !getcwd(folder, sizeof(folder)))
		return;
	snprintf(path, sizeof(path), "%s/build/pocl-cache", folder);
	(void)mkdir(path, 0700);
	setenv("POCL_CACHE_DIR", path, 1);
}

#ifdef __SANITIZE_THREAD__
enum { CAN_RUN = 0 };
#else
enum { CAN_RUN = 1 };
#endif

struct bench_session *pocl_session_open(double memory_bytes)
{
	struct bench_session *session = NULL;
	struct bench_device devices[8];
	struct bench_reason reason = {"PoCL cannot run under ThreadSanitizer, which did not build it"};
	enum bench_outcome outcome = BENCH_UNSUPPORTED;
	size_t count = 0;

	choose_cache();
	setenv("FLEETPLAN_BENCH_OPENCL", "cpu", 1);
	if (CAN_RUN)
		outcome = bench_opencl_backend.list(devices, COUNT_OF(devices), &count, &reason);
	if (outcome != BENCH_OK) {
		printf("skipped: %s (Debian: pocl-opencl-icd)\n", reason.text);
		return NULL;
	}
	devices[0].memory_bytes = memory_bytes;
	if (bench_opencl_backend.open(&devices[0], &session, &reason) != BENCH_OK) {
		printf("PoCL is listed but cannot be opened: %s\n", reason.text);
		exit(1);
	}
	return session;
}
