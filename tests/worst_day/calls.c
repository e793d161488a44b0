/* Loaded into the daemon with LD_PRELOAD. Makes system calls fail or delays them, as the storm requests.
 *
 * CALLS_CONTROL names a file with a struct control, which the storm maps too. The library counts the calls of each
 * kind. The calls from number fail_from to fail_from + fail_count - 1 fail. Only the daemon's own process is affected,
 * not its workers. Calls on sockets are not replaced. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum kind { CALL_MALLOC, CALL_WRITE, CALL_SYNC, CALL_OPEN, CALL_RENAME, CALL_KIND_COUNT };

/* calls.py writes the same layout. */
struct control {
	_Atomic uint64_t called[CALL_KIND_COUNT], fail_from[CALL_KIND_COUNT], fail_count[CALL_KIND_COUNT];
	_Atomic uint64_t error, sync_ms;
};

static struct control *control;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void map_control(void)
{
	const char *path = getenv("CALLS_CONTROL");
	int fd = path ? NEXT(open64)(path, O_RDWR | O_CLOEXEC) : -1;
	struct control *mapped = fd >= 0 ? mmap(NULL, sizeof *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;

	if (fd >= 0)
		close(fd);
	if (mapped != MAP_FAILED)
		control = mapped;
	unsetenv("LD_PRELOAD");
}

static int fails(enum kind kind)
{
	uint64_t number;

	if (!control)
		return 0;
	number = atomic_fetch_add(&control->called[kind], 1) + 1;
	if (number < control->fail_from[kind] || number - control->fail_from[kind] >= control->fail_count[kind])
		return 0;
	errno = kind == CALL_MALLOC ? ENOMEM : (int)control->error;
	return 1;
}

void *malloc(size_t size)
{
	return fails(CALL_MALLOC) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(CALL_MALLOC) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails(CALL_MALLOC) ? NULL : __libc_realloc(old, size);
}

ssize_t write(int fd, const void *bytes, size_t length)
{
	return fails(CALL_WRITE) ? -1 : NEXT(write)(fd, bytes, length);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at)
{
	return fails(CALL_WRITE) ? -1 : NEXT(pwrite)(fd, bytes, length, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at)
{
	return fails(CALL_WRITE) ? -1 : NEXT(pwrite64)(fd, bytes, length, at);
}

static void delay_sync(void)
{
	struct timespec time = {0, 0};

	if (!control || control->sync_ms == 0)
		return;
	time.tv_sec = (time_t)(control->sync_ms / 1000);
	time.tv_nsec = (long)(control->sync_ms % 1000) * 1000000;
	nanosleep(&time, NULL);
}

int fsync(int fd)
{
	delay_sync();
	return fails(CALL_SYNC) ? -1 : NEXT(fsync)(fd);
}

int fdatasync(int fd)
{
	delay_sync();
	return fails(CALL_SYNC) ? -1 : NEXT(fdatasync)(fd);
}

/* Reads the mode argument, which the caller passes only with flags that can create a file. */
#define MODE_OF(flags, mode) \
	do { \
		if ((flags) & (O_CREAT | O_TMPFILE)) { \
			va_list arguments; \
			va_start(arguments, flags); \
			(mode) = va_arg(arguments, mode_t); \
			va_end(arguments); \
		} \
	} while (0)

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_OF(flags, mode);
	return fails(CALL_OPEN) ? -1 : NEXT(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_OF(flags, mode);
	return fails(CALL_OPEN) ? -1 : NEXT(open64)(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE_OF(flags, mode);
	return fails(CALL_OPEN) ? -1 : NEXT(openat)(folder, path, flags, mode);
}

int rename(const char *from, const char *to)
{
	return fails(CALL_RENAME) ? -1 : NEXT(rename)(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
	return fails(CALL_RENAME) ? -1 : NEXT(renameat2)(from_folder, from, to_folder, to, flags);
}

int link(const char *from, const char *to)
{
	return fails(CALL_RENAME) ? -1 : NEXT(link)(from, to);
}
