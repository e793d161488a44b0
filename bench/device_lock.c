#include "bench/device_lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Creates a private folder below /tmp. Another user may have created that name first, so the folder is used only if
 * it belongs to this user and no other user can write to it. */
static bool private_folder(char *out, size_t size)
{
	struct stat state;

	snprintf(out, size, "/tmp/fleetplan-%u", (unsigned)geteuid());
	if (mkdir(out, 0700) && errno != EEXIST)
		return false;
	return lstat(out, &state) == 0 && S_ISDIR(state.st_mode) && state.st_uid == geteuid() && !(state.st_mode & 022);
}

bool bench_run_folder(char *out, size_t size)
{
	const char *configured = getenv("FLEETPLAN_RUN_DIR"), *session = getenv("XDG_RUNTIME_DIR");

	if (configured && *configured)
		return snprintf(out, size, "%s", configured) < (int)size;
	snprintf(out, size, "/run/fleetplan");
	if (access(out, W_OK | X_OK) == 0)
		return true;
	if (session && *session && access(session, W_OK | X_OK) == 0)
		return snprintf(out, size, "%s", session) < (int)size;
	return private_folder(out, size);
}

enum device_lock bench_device_lock(const char *uuid, int *fd, struct bench_reason *reason)
{
	char folder[PATH_MAX / 2], path[PATH_MAX], name[DEVICE_ID_MAX];
	size_t length = 0;

	for (; uuid[length] && length + 1 < sizeof(name); length++)
		name[length] = isalnum((unsigned char)uuid[length]) ? uuid[length] : '-';
	name[length] = '\0';
	if (!bench_run_folder(folder, sizeof(folder))) {
		bench_refuse(reason, BENCH_FAILED, "no folder for locks is writable; set FLEETPLAN_RUN_DIR");
		return DEVICE_LOCK_FAILED;
	}
	snprintf(path, sizeof(path), "%s/fleetplan-device-%s.lock", folder, name);
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (*fd < 0) {
		bench_refuse(reason, BENCH_FAILED, "%.150s: %s; set FLEETPLAN_RUN_DIR", path, strerror(errno));
		return DEVICE_LOCK_FAILED;
	}
	if (flock(*fd, LOCK_EX | LOCK_NB) == 0)
		return DEVICE_LOCKED;
	close(*fd);
	*fd = -1;
	bench_refuse(reason, BENCH_FAILED, "another benchmark runs on device %s", uuid);
	return DEVICE_BUSY;
}
