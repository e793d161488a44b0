/* Makes the listening socket ourselves, so that a port in use is known before anything else is opened. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <netdb.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/wire/listen.h"

enum { LISTEN_BACKLOG = 1024 };

bool listen_split(const char *address, char *host, size_t host_size, char *port, size_t port_size)
{
	const char *colon = strrchr(address, ':');
	size_t length;

	if (!colon || strlen(colon + 1) >= port_size || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
		strtoul(colon + 1, NULL, 10) > 65535)
		return false;
	snprintf(port, port_size, "%s", colon + 1);
	length = (size_t)(colon - address);
	if (length >= 2 && address[0] == '[' && address[length - 1] == ']') {
		address++;
		length -= 2;
	} else if (memchr(address, ':', length)) {
		return false; /* an IPv6 address without brackets */
	}
	if (length >= host_size)
		return false;
	memcpy(host, address, length);
	host[length] = '\0';
	return true;
}

static struct addrinfo *listen_resolve(const char *address, struct failure *failure)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	struct addrinfo *found = NULL;
	char host[256], port[8];
	int error;

	if (!listen_split(address, host, sizeof host, port, sizeof port)) {
		(void)!failure_set(
			failure, STATUS_INVALID, "listen: \"%s\" is not HOST:PORT with a port up to 65535, like 127.0.0.1:8080 or [::1]:8080", address);
		return NULL;
	}
	error = getaddrinfo(*host ? host : NULL, port, &hints, &found);
	if (error)
		(void)!failure_set(failure, STATUS_INVALID, "listen: %s: %s", address, gai_strerror(error));
	return error ? NULL : found;
}

static bool listen_is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24 == 127;
	return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

static void listen_name(int fd, char *out, size_t size)
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof address;
	char host[64] = "", port[8] = "";

	if (getsockname(fd, (struct sockaddr *)(void *)&address, &length) == 0)
		(void)!getnameinfo(
			(struct sockaddr *)(void *)&address, length, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(out, size, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

enum status listen_check(const char *address, struct failure *failure)
{
	struct addrinfo *found = listen_resolve(address, failure);

	if (!found)
		return failure->status;
	freeaddrinfo(found);
	return STATUS_OK;
}

enum status listen_open(const char *address, struct listener *listener, struct failure *failure)
{
	struct addrinfo *found = listen_resolve(address, failure);
	const int one = 1;
	int fd;

	listener->fd = -1;
	if (!found)
		return failure->status;
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0) {
		(void)!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
		if (bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, LISTEN_BACKLOG) != 0) {
			int error = errno;
			close(fd);
			fd = -1;
			errno = error;
		}
	}
	if (fd < 0) {
		(void)!failure_set(failure, STATUS_UNAVAILABLE, "listen: %s: %s%s", address, strerror(errno),
			errno == EADDRINUSE ? " (another program, or another fleetplan, has this port)" : "");
	} else {
		listener->fd = fd;
		listener->loopback = listen_is_loopback(found->ai_addr);
		listen_name(fd, listener->name, sizeof listener->name);
	}
	freeaddrinfo(found);
	return fd < 0 ? failure->status : STATUS_OK;
}

void listen_shut_door(const struct listener *listener)
{
	enum { TCP_FLAGS = 13 /* the flags of a TCP segment: this byte of its header */, SYN = 2 };
	struct sock_filter program[] = {BPF_STMT(BPF_LD | BPF_B | BPF_ABS, TCP_FLAGS), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, SYN, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0), BPF_STMT(BPF_RET | BPF_K, UINT32_MAX)};
	const struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};

	if (setsockopt(listener->fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0)
		(void)!listen(listener->fd, 0); /* the system does not allow filters: at most one more connection waits at a time */
}

int listen_take(const struct listener *listener, struct sockaddr_storage *address, unsigned *length)
{
	socklen_t size = sizeof *address;
	int fd = listener->fd < 0 ? -1 : accept4(listener->fd, (struct sockaddr *)(void *)address, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);

	*length = size;
	return fd;
}

void listen_close(struct listener *listener)
{
	if (listener->fd >= 0)
		close(listener->fd);
	listener->fd = -1;
}
