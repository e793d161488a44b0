#include "support/vfs_powerloss.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/status.h"

enum { SECTOR_BYTES = 512, PICTURES_MAX = 16, PICTURE_PATH_MAX = 256, CUT_WAITS_S = 10 };

/* A file as the process sees it, and the sectors of it that the disk does not have yet. */
struct picture {
	char path[PICTURE_PATH_MAX]; /* empty: unused */
	unsigned char *bytes;
	bool *dirty; /* one for each sector */
	size_t size, capacity;
	bool synced_once;
};

struct powerloss_file {
	sqlite3_file base;
	struct picture *picture; /* temporary files do not use this struct */
	sqlite3_file *real;      /* follows this struct in memory */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct picture pictures[PICTURES_MAX];
static sqlite3_vfs *system_vfs;
static pthread_cond_t power_failed = PTHREAD_COND_INITIALIZER;
static bool power_is_off, syncs_are_ignored;
static uint64_t writes_left, cut_random; /* writes until the cut; 0: no cut is planned */
static struct powerloss_result cut_result;

static sqlite3_file *real_of(sqlite3_file *file)
{
	return ((struct powerloss_file *)file)->real;
}

static void picture_reserve(struct picture *picture, size_t size)
{
	size_t capacity = picture->capacity ? picture->capacity : 64 * 1024;

	while (capacity < size)
		capacity *= 2;
	if (capacity == picture->capacity)
		return;
	picture->bytes = realloc(picture->bytes, capacity);
	picture->dirty = realloc(picture->dirty, capacity / SECTOR_BYTES);
	CHECK(picture->bytes && picture->dirty);
	memset(picture->bytes + picture->capacity, 0, capacity - picture->capacity);
	memset(picture->dirty + picture->capacity / SECTOR_BYTES, 0, (capacity - picture->capacity) / SECTOR_BYTES);
	picture->capacity = capacity;
}

static void picture_load(struct picture *picture, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat file;

	snprintf(picture->path, sizeof picture->path, "%s", path);
	CHECK(fd >= 0 && fstat(fd, &file) == 0);
	picture_reserve(picture, (size_t)file.st_size);
	CHECK(pread(fd, picture->bytes, (size_t)file.st_size, 0) == file.st_size);
	picture->size = (size_t)file.st_size;
	picture->synced_once = file.st_size > 0;
	close(fd);
}

static struct picture *picture_find(const char *path)
{
	for (size_t i = 0; i < PICTURES_MAX; i++) {
		if (strcmp(pictures[i].path, path) == 0)
			return &pictures[i];
	}
	return NULL;
}

static void picture_forget(struct picture *picture)
{
	free(picture->bytes);
	free(picture->dirty);
	*picture = (struct picture){0};
}

static uint64_t mix(uint64_t *state) /* splitmix64 */
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Writes dirty sectors to the real file, each with a chance of `keep_percent`. */
static struct powerloss_result picture_flush(struct picture *picture, uint64_t *random, unsigned keep_percent)
{
	struct powerloss_result result = {0, 0};
	int fd = open(picture->path, O_RDWR | O_CLOEXEC);

	CHECK(fd >= 0);
	for (size_t sector = 0; sector * SECTOR_BYTES < picture->size; sector++) {
		size_t begin = sector * SECTOR_BYTES;
		size_t length = picture->size - begin < SECTOR_BYTES ? picture->size - begin : SECTOR_BYTES;

		if (!picture->dirty[sector])
			continue;
		if (mix(random) % 100 >= keep_percent) {
			result.sectors_lost++;
			continue;
		}
		CHECK(pwrite(fd, picture->bytes + begin, length, (off_t)begin) == (ssize_t)length);
		result.sectors_kept++;
	}
	if (mix(random) % 100 < keep_percent)
		CHECK(ftruncate(fd, (off_t)picture->size) == 0);
	memset(picture->dirty, 0, picture->capacity / SECTOR_BYTES);
	close(fd);
	return result;
}

/* Cuts the power: what the disk does not have yet reaches it or is lost. The caller holds the lock. */
static void power_fail(void)
{
	static const unsigned chances[] = {0, 10, 50, 90, 100};

	power_is_off = true;
	cut_result = (struct powerloss_result){0, 0};
	for (size_t i = 0; i < PICTURES_MAX; i++) {
		struct powerloss_result result;

		if (!pictures[i].path[0] || access(pictures[i].path, F_OK) != 0)
			continue;
		result = picture_flush(&pictures[i], &cut_random, chances[mix(&cut_random) % COUNT_OF(chances)]);
		cut_result.sectors_kept += result.sectors_kept;
		cut_result.sectors_lost += result.sectors_lost;
		if (!pictures[i].synced_once && mix(&cut_random) % 2)
			CHECK(unlink(pictures[i].path) == 0);
	}
	pthread_cond_broadcast(&power_failed);
}

static int file_close(sqlite3_file *file)
{
	return real_of(file)->pMethods->xClose(real_of(file));
}

static int file_read(sqlite3_file *file, void *out, int amount, sqlite3_int64 offset)
{
	struct picture *picture = ((struct powerloss_file *)file)->picture;
	size_t begin = (size_t)offset, length = (size_t)amount, there;
	int code = SQLITE_OK;

	pthread_mutex_lock(&lock);
	there = begin >= picture->size ? 0 : picture->size - begin < length ? picture->size - begin : length;
	if (power_is_off) {
		code = SQLITE_IOERR_READ;
	} else {
		memcpy(out, picture->bytes + begin, there);
		memset((char *)out + there, 0, length - there);
		code = there < length ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
	}
	pthread_mutex_unlock(&lock);
	return code;
}

static int file_write(sqlite3_file *file, const void *bytes, int amount, sqlite3_int64 offset)
{
	struct picture *picture = ((struct powerloss_file *)file)->picture;
	size_t begin = (size_t)offset, end = begin + (size_t)amount;
	int code = SQLITE_IOERR_WRITE;

	pthread_mutex_lock(&lock);
	if (!power_is_off && writes_left > 0 && --writes_left == 0)
		power_fail();
	if (!power_is_off) {
		picture_reserve(picture, end);
		memcpy(picture->bytes + begin, bytes, (size_t)amount);
		for (size_t sector = begin / SECTOR_BYTES; sector * SECTOR_BYTES < end; sector++)
			picture->dirty[sector] = true;
		if (end > picture->size)
			picture->size = end;
		code = SQLITE_OK;
	}
	pthread_mutex_unlock(&lock);
	return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	struct picture *picture = ((struct powerloss_file *)file)->picture;

	pthread_mutex_lock(&lock);
	if (!power_is_off) {
		picture_reserve(picture, (size_t)size);
		if ((size_t)size < picture->size)
			memset(picture->bytes + size, 0, picture->size - (size_t)size);
		picture->size = (size_t)size;
	}
	pthread_mutex_unlock(&lock);
	return power_is_off ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

static int file_sync(sqlite3_file *file, int flags)
{
	struct picture *picture = ((struct powerloss_file *)file)->picture;
	uint64_t random = 0;
	int code = SQLITE_IOERR_FSYNC;

	(void)flags;
	pthread_mutex_lock(&lock);
	if (!power_is_off) {
		if (!syncs_are_ignored) {
			picture_flush(picture, &random, 100);
			picture->synced_once = true;
		}
		code = SQLITE_OK;
	}
	pthread_mutex_unlock(&lock);
	return code;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
	pthread_mutex_lock(&lock);
	*size = (sqlite3_int64)((struct powerloss_file *)file)->picture->size;
	pthread_mutex_unlock(&lock);
	return SQLITE_OK;
}

static int file_lock(sqlite3_file *file, int level)
{
	return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int file_unlock(sqlite3_file *file, int level)
{
	return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int file_check_lock(sqlite3_file *file, int *out)
{
	return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}

/* Keeps hints about sizes and mappings from the real file behind the picture. */
static int file_control(sqlite3_file *file, int operation, void *argument)
{
	if (operation == SQLITE_FCNTL_SIZE_HINT || operation == SQLITE_FCNTL_CHUNK_SIZE || operation == SQLITE_FCNTL_MMAP_SIZE)
		return SQLITE_NOTFOUND;
	return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file)
{
	(void)file;
	return SECTOR_BYTES;
}

static int file_characteristics(sqlite3_file *file)
{
	(void)file;
	return SQLITE_IOCAP_POWERSAFE_OVERWRITE; /* SQLite assumes of every disk that a sector is written as a whole or not at all */
}

static int file_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **out)
{
	return real_of(file)->pMethods->xShmMap(real_of(file), region, size, extend, out);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
	return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file)
{
	real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int file_shm_unmap(sqlite3_file *file, int delete_it)
{
	return real_of(file)->pMethods->xShmUnmap(real_of(file), delete_it);
}

static const sqlite3_io_methods file_methods = {
	.iVersion = 2,
	.xClose = file_close,
	.xRead = file_read,
	.xWrite = file_write,
	.xTruncate = file_truncate,
	.xSync = file_sync,
	.xFileSize = file_size,
	.xLock = file_lock,
	.xUnlock = file_unlock,
	.xCheckReservedLock = file_check_lock,
	.xFileControl = file_control,
	.xSectorSize = file_sector_size,
	.xDeviceCharacteristics = file_characteristics,
	.xShmMap = file_shm_map,
	.xShmLock = file_shm_lock,
	.xShmBarrier = file_shm_barrier,
	.xShmUnmap = file_shm_unmap,
};

static int vfs_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags)
{
	struct powerloss_file *opened = (struct powerloss_file *)file;
	int kept = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL, code;

	(void)vfs;
	opened->base.pMethods = NULL;
	if (!path || !(flags & kept)) /* a temporary file passes through with its own methods */
		return system_vfs->xOpen(system_vfs, path, file, flags, out_flags);
	if (power_is_off)
		return SQLITE_CANTOPEN;
	opened->real = (sqlite3_file *)(opened + 1);
	code = system_vfs->xOpen(system_vfs, path, opened->real, flags, out_flags);
	if (code != SQLITE_OK)
		return code;
	pthread_mutex_lock(&lock);
	opened->picture = picture_find(path);
	if (!opened->picture) {
		opened->picture = picture_find("");
		CHECK(opened->picture);
		picture_load(opened->picture, path);
	}
	opened->base.pMethods = &file_methods;
	pthread_mutex_unlock(&lock);
	return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int sync_folder)
{
	struct picture *picture;

	(void)vfs;
	if (power_is_off)
		return SQLITE_IOERR_DELETE;
	pthread_mutex_lock(&lock);
	picture = picture_find(path);
	if (picture)
		picture_forget(picture);
	pthread_mutex_unlock(&lock);
	return system_vfs->xDelete(system_vfs, path, sync_folder);
}

void powerloss_install(void)
{
	static sqlite3_vfs vfs;

	CHECK(!system_vfs);
	system_vfs = sqlite3_vfs_find(NULL);
	vfs = *system_vfs;
	vfs.zName = "powerloss";
	vfs.szOsFile = (int)sizeof(struct powerloss_file) + system_vfs->szOsFile;
	vfs.xOpen = vfs_open;
	vfs.xDelete = vfs_delete;
	CHECK(sqlite3_vfs_register(&vfs, 1) == SQLITE_OK);
}

void powerloss_ignore_syncs(bool ignore)
{
	pthread_mutex_lock(&lock);
	syncs_are_ignored = ignore;
	pthread_mutex_unlock(&lock);
}

struct powerloss_result powerloss_cut(uint64_t seed)
{
	struct powerloss_result result;
	struct timespec until;

	pthread_mutex_lock(&lock);
	cut_random = seed;
	writes_left = 1 + mix(&cut_random) % 100;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += CUT_WAITS_S;
	while (!power_is_off)
		if (pthread_cond_timedwait(&power_failed, &lock, &until) == ETIMEDOUT && !power_is_off)
			power_fail(); /* no connection writes any more */
	result = cut_result;
	pthread_mutex_unlock(&lock);
	return result;
}

void powerloss_restore(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < PICTURES_MAX; i++)
		picture_forget(&pictures[i]);
	power_is_off = false;
	pthread_mutex_unlock(&lock);
}
