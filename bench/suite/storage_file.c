#include "bench/suite/storage_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "bench/random.h"
#include "bench/suite/storage.h"

enum { WRITE_BYTES = 1 << 20, WRITE_MAX_GIB = 64 };

/* The share of the file system's free space that a test file must leave. */
#define SPACE_LEFT 0.1

/* statfs(2) and linux/magic.h */
static const struct {
	unsigned long type;
	const char *name;
	bool in_memory;
} kinds[] = {{0x01021994, "tmpfs", true}, {0x858458f6, "ramfs", true}, {0x958458f6, "hugetlbfs", true}, {0x64646178, "devdax", true},
	{0xef53, "ext4", false}, {0x58465342, "xfs", false}, {0x9123683e, "btrfs", false}, {0xf2f52010, "f2fs", false},
	{0x2fc12fc1, "zfs", false}, {0x794c7630, "overlayfs", false}, {0x6969, "nfs", false}, {0xff534d42, "cifs", false},
	{0xfe534d42, "smb2", false}, {0x0bd00bd0, "lustre", false}, {0x47504653, "gpfs", false}, {0x00c36400, "ceph", false},
	{0x65735546, "fuse", false}, {0x01021997, "9p", false}, {0xcafe4a11, "bpf", true}, {0x9fa0, "proc", true}, {0x62656572, "sysfs", true}};

const char *bench_storage_kind(long f_type, bool *in_memory)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (kinds[i].type == ((unsigned long)f_type & 0xffffffffUL)) {
			*in_memory = kinds[i].in_memory;
			return kinds[i].name;
		}
	*in_memory = false;
	return "";
}

/* Finds the largest regular file directly in the folder; false if there is none. */
static bool largest_file(const char *folder, char *out, size_t size)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	off_t largest = 0;
	bool found = false;

	while (entries && (entry = readdir(entries)) != NULL) {
		struct stat state;

		if (fstatat(dirfd(entries), entry->d_name, &state, AT_SYMLINK_NOFOLLOW) || !S_ISREG(state.st_mode) || state.st_size <= largest)
			continue;
		if (snprintf(out, size, "%s/%s", folder, entry->d_name) >= (int)size)
			continue;
		largest = state.st_size;
		found = true;
	}
	if (entries)
		closedir(entries);
	return found;
}

static int write_random(int fd, size_t bytes, _Atomic uint64_t *alive)
{
	unsigned char *block = malloc(WRITE_BYTES);
	uint64_t seed = 5, word;
	int error = block ? 0 : ENOMEM;

	for (size_t done = 0; done < bytes && !error;) {
		size_t piece = bytes - done < WRITE_BYTES ? bytes - done : WRITE_BYTES;
		ssize_t wrote;

		for (size_t i = 0; i + sizeof(word) <= WRITE_BYTES; i += sizeof(word)) {
			word = random_next(&seed);
			memcpy(block + i, &word, sizeof(word));
		}
		wrote = write(fd, block, piece);
		if (wrote > 0)
			done += (size_t)wrote;
		else if (wrote == 0 || errno != EINTR)
			error = wrote < 0 ? errno : EIO;
		if (alive)
			atomic_fetch_add_explicit(alive, 1, memory_order_relaxed);
	}
	free(block);
	return error;
}

/* Reserves the blocks first: a quota or a full disk then fails before anything is written. */
static enum bench_outcome make_file(
	struct storage_file *file, const char *folder, double bytes, _Atomic uint64_t *alive, struct bench_reason *reason)
{
	struct statvfs space;
	int error;

	if (!(bytes <= WRITE_MAX_GIB * 0x1p30))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "a test file may have at most %d GiB; lower --storage-write", WRITE_MAX_GIB);
	if (statvfs(folder, &space))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "%.100s: %s", folder, strerror(errno));
	if (bytes > (1 - SPACE_LEFT) * (double)space.f_bavail * (double)space.f_frsize)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "%.100s does not have enough free space for a test file of %.0f bytes", folder, bytes);
	file->buffered_fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (file->buffered_fd < 0)
		return bench_refuse(
			reason, BENCH_UNSUPPORTED, "a file without a name (O_TMPFILE) cannot be created in %.100s: %s", folder, strerror(errno));
	file->bytes = (size_t)bytes;
	error = posix_fallocate(file->buffered_fd, 0, (off_t)file->bytes);
	if (!error)
		error = write_random(file->buffered_fd, file->bytes, alive);
	if (!error && fsync(file->buffered_fd))
		error = errno;
	if (error)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "writing a test file in %.100s: %s", folder, strerror(error));
	return BENCH_OK;
}

/* Opens the file again, past the page cache, or through it if the file system does not support direct reads. */
static void open_direct(struct storage_file *file)
{
	char again[64];

	snprintf(again, sizeof(again), "/proc/self/fd/%d", file->buffered_fd);
	file->fd = open(again, O_RDONLY | O_DIRECT | O_CLOEXEC);
	file->direct = file->fd >= 0;
	if (!file->direct)
		file->fd = open(again, O_RDONLY | O_CLOEXEC);
}

static enum bench_outcome open_found(struct storage_file *file, const char *path, bool folder, struct bench_reason *reason)
{
	struct stat state;

	if (!folder)
		snprintf(file->name, sizeof(file->name), "%s", path);
	else if (!largest_file(path, file->name, sizeof(file->name)))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "%.100s contains no file to read", path);
	file->buffered_fd = open(file->name, O_RDONLY | O_CLOEXEC);
	if (file->buffered_fd < 0 || fstat(file->buffered_fd, &state))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "%.100s: %s", file->name, strerror(errno));
	if (!S_ISREG(state.st_mode))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "%.100s is not a regular file", file->name);
	file->bytes = (size_t)state.st_size;
	return BENCH_OK;
}

static enum bench_outcome find_kind(struct storage_file *file, const char *path, struct bench_reason *reason)
{
	struct statfs system;
	bool in_memory = false;

	if (statfs(path, &system))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "%.100s: %s", path, strerror(errno));
	snprintf(file->kind, sizeof(file->kind), "%s", bench_storage_kind((long)system.f_type, &in_memory));
	if (!file->kind[0])
		snprintf(file->kind, sizeof(file->kind), "f_type %#lx", (unsigned long)system.f_type);
	if (in_memory)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "%.100s is on %s: memory, not storage", path, file->kind);
	return BENCH_OK;
}

enum bench_outcome storage_file_open(
	struct storage_file *file, const char *path, double write_bytes, _Atomic uint64_t *alive, struct bench_reason *reason)
{
	enum bench_outcome outcome;
	struct stat state;
	bool folder;

	*file = (struct storage_file){.fd = -1, .buffered_fd = -1};
	if (stat(path, &state))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "%.100s: %s", path, strerror(errno));
	folder = S_ISDIR(state.st_mode);
	outcome = find_kind(file, path, reason);
	if (outcome != BENCH_OK)
		return outcome;
	snprintf(file->name, sizeof(file->name), "%s", path);
	if (write_bytes > 0 && folder)
		outcome = make_file(file, path, write_bytes, alive, reason);
	else
		outcome = open_found(file, path, folder, reason);
	if (outcome != BENCH_OK)
		return outcome;
	open_direct(file);
	if (file->fd < 0)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "%.100s: %s", file->name, strerror(errno));
	storage_file_forget(file);
	return BENCH_OK;
}

void storage_file_forget(const struct storage_file *file)
{
	(void)posix_fadvise(file->buffered_fd, 0, 0, POSIX_FADV_DONTNEED);
}

void storage_file_close(struct storage_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (file->buffered_fd >= 0)
		close(file->buffered_fd);
	file->fd = file->buffered_fd = -1;
}
