/* Loaded into the daemon with LD_PRELOAD. Makes system calls fail or delays them, as the storm requests.
 *
 * CALLS_CONTROL names a file with a struct control, which the storm maps too. The library counts the calls of each
 * kind. The calls from number fail_from to fail_from + fail_count - 1 fail. Only the daemon's own process is affected,
 * not its workers. Calls on sockets are not replaced.
 *
 * Allocations can also fail by place. A place is the program's part of the call stack, and the nearest four frames: the
 * offsets of the return addresses in their files, which are the same in each run. If all later allocations fail too,
 * the nearest frames do not count, because a library below the program gets no memory in any case. While `armed`, the
 * first allocation of a place that was not tried before fails. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum kind { CALL_MALLOC, CALL_WRITE, CALL_SYNC, CALL_OPEN, CALL_RENAME, CALL_KIND_COUNT };

enum { FRAMES_MAX = 48, FILES_MAX = 64, NEAREST = 4, PLACES_MAX = 1 << 15 };

enum armed { ARMED_NOT, ARMED_ONCE, ARMED_FOR_GOOD, ARMED_COUNT };

/* calls.py writes the same layout. */
struct control {
	_Atomic uint64_t called[CALL_KIND_COUNT], fail_from[CALL_KIND_COUNT], fail_count[CALL_KIND_COUNT];
	_Atomic uint64_t error, sync_ms;
	_Atomic uint64_t armed;                          /* enum armed; the failure resets it */
	_Atomic uint64_t skip;                           /* untried allocations that pass before one fails */
	_Atomic uint64_t no_memory;                      /* each allocation fails */
	_Atomic uint64_t places;                         /* failures by place so far */
	_Atomic uint64_t frames[FRAMES_MAX];             /* of the last one: offsets in the program, 0 for other files */
	_Atomic uint64_t tried[ARMED_COUNT][PLACES_MAX]; /* hashes of places, by open addressing; 0 is empty */
};

/* A part of a file that contains code, as it is mapped. */
struct code {
	uintptr_t begin, end, base;
};

static struct control *control;
static struct code code[FILES_MAX]; /* the program is the first */
static int code_count;
static _Thread_local int walking __attribute__((tls_model("initial-exec"))); /* the walk itself may allocate */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static int code_note(struct dl_phdr_info *file, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < file->dlpi_phnum && code_count < FILES_MAX; i++) {
		const ElfW(Phdr) *part = &file->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && part->p_flags & PF_X) {
			uintptr_t begin = file->dlpi_addr + part->p_vaddr;

			code[code_count++] = (struct code){begin, begin + part->p_memsz, file->dlpi_addr};
		}
	}
	return 0;
}

__attribute__((constructor)) static void map_control(void)
{
	const char *path = getenv("CALLS_CONTROL");
	void *first[1];
	int fd = path ? NEXT(open64)(path, O_RDWR | O_CLOEXEC) : -1;
	struct control *mapped = fd >= 0 ? mmap(NULL, sizeof *mapped, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;

	if (fd >= 0)
		close(fd);
	(void)backtrace(first, 1); /* the first walk loads a library */
	dl_iterate_phdr(code_note, NULL);
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

/* FNV-1a over whole words. */
static uint64_t hash_add(uint64_t hash, uint64_t word)
{
	return (hash ^ word) * 1099511628211u;
}

/* Returns the hash of the caller's place, never 0, and the offsets of its frames in the program. */
static uint64_t place_of_caller(uint64_t armed, uint64_t offsets[FRAMES_MAX])
{
	static const uint64_t basis = 14695981039346656037u;
	void *frames[FRAMES_MAX];
	int count = backtrace(frames, FRAMES_MAX), nearest = 0;
	uint64_t whole = basis, own = basis, near = basis, hash;
	int calls_so = -1; /* the file of this library */

	for (int i = 0; i < count; i++) {
		uintptr_t address = (uintptr_t)frames[i];
		int file = 0;

		while (file < code_count && !(address >= code[file].begin && address < code[file].end))
			file++;
		offsets[i] = file == 0 ? address - code[0].base : 0;
		calls_so = i == 0 ? file : calls_so;
		nearest += file != calls_so;
		whole = hash_add(hash_add(whole, (uint64_t)file), file < code_count ? address - code[file].base : 0);
		own = file == 0 ? hash_add(own, offsets[i]) : own;
		near = nearest <= NEAREST ? whole : near;
	}
	for (int i = count; i < FRAMES_MAX; i++)
		offsets[i] = 0;
	hash = own == basis ? whole : armed == ARMED_FOR_GOOD ? own : hash_add(own, near);
	return hash ? hash : 1;
}

/* Adds a place. Returns 0 if it was there; a full table contains each place. */
static int place_try(_Atomic uint64_t *places, uint64_t hash)
{
	for (uint64_t i = 0; i < PLACES_MAX; i++) {
		uint64_t found = 0;

		if (atomic_compare_exchange_strong(&places[(hash + i) % PLACES_MAX], &found, hash))
			return 1;
		if (found == hash)
			return 0;
	}
	return 0;
}

static int place_was_tried(_Atomic uint64_t *places, uint64_t hash)
{
	for (uint64_t i = 0; i < PLACES_MAX; i++) {
		uint64_t found = places[(hash + i) % PLACES_MAX];

		if (found == 0 || found == hash)
			return found != 0;
	}
	return 1;
}

/* The caller is the daemon's thread that allocates; one of several threads may take the failure. */
static int place_fails(void)
{
	uint64_t armed = control->armed, offsets[FRAMES_MAX], hash;

	if (armed == ARMED_NOT || armed >= ARMED_COUNT || walking)
		return 0;
	walking = 1;
	hash = place_of_caller(armed, offsets);
	walking = 0;
	if (place_was_tried(control->tried[armed], hash))
		return 0;
	if (control->skip > 0) {
		control->skip--;
		return 0;
	}
	if (!atomic_compare_exchange_strong(&control->armed, &armed, ARMED_NOT) || !place_try(control->tried[armed], hash))
		return 0;
	for (int i = 0; i < FRAMES_MAX; i++)
		control->frames[i] = offsets[i];
	control->no_memory = armed == ARMED_FOR_GOOD;
	control->places++;
	return 1;
}

static int malloc_fails(void)
{
	if (fails(CALL_MALLOC))
		return 1;
	if (!control || (!control->no_memory && !place_fails()))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return malloc_fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return malloc_fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return malloc_fails() ? NULL : __libc_realloc(old, size);
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
