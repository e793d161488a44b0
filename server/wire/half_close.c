#include "server/wire/half_close.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

enum { DESCRIPTORS_MAX = 65536 };

static _Atomic bool waits[DESCRIPTORS_MAX];

void half_close_wait(int fd)
{
	if (fd >= 0 && fd < DESCRIPTORS_MAX)
		atomic_store(&waits[fd], true);
}

void half_close_done(int fd)
{
	if (fd >= 0 && fd < DESCRIPTORS_MAX)
		atomic_store(&waits[fd], false);
}

/* With _FORTIFY_SOURCE libc's header declares recv() inline, and clang then warns of `waits`. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wstatic-in-inline"
#endif

/* Replaces libc's recv(), for libraries too. Reports "no data yet" only once: for a body that ends too early
 * libmicrohttpd would otherwise read for ever. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): libc's header names them __fd, __buf, ... */
ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
	ssize_t got = recvfrom(fd, bytes, size, flags, NULL, NULL);

	if (got == 0 && size > 0 && fd < DESCRIPTORS_MAX && atomic_exchange(&waits[fd], false)) {
		errno = EAGAIN;
		return -1;
	}
	return got;
}
