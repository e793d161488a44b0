/* `fleetplan healthcheck`: sends GET /readyz to the configured address, for container images without a shell. */
#include <errno.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "server/wire/listen.h"

enum { HEALTHCHECK_SECONDS = 3 };

/* Connects to the configured address. Uses loopback if the daemon listens on all addresses. */
static int healthcheck_connect(const char *address)
{
	const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	const struct timeval patience = {.tv_sec = HEALTHCHECK_SECONDS};
	struct addrinfo *found = NULL;
	char host[256], port[8];
	int fd;

	if (!listen_split(address, host, sizeof host, port, sizeof port))
		return -1;
	if (!*host || strcmp(host, "0.0.0.0") == 0)
		snprintf(host, sizeof host, "127.0.0.1");
	if (strcmp(host, "::") == 0)
		snprintf(host, sizeof host, "::1");
	if (getaddrinfo(host, port, &hints, &found) != 0)
		return -1;
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		(void)!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
		(void)!setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
		if (connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
			close(fd);
			fd = -1;
		}
	}
	freeaddrinfo(found);
	return fd;
}

static bool healthcheck_ask(int fd)
{
	static const char question[] = "GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
	char answer[64] = "";
	ssize_t got;

	if (send(fd, question, sizeof question - 1, MSG_NOSIGNAL) != (ssize_t)sizeof question - 1)
		return false;
	got = recv(fd, answer, sizeof answer - 1, MSG_WAITALL);
	return got > 12 && strncmp(answer, "HTTP/1.1 200", 12) == 0;
}

int healthcheck_main(int argc, char **argv)
{
	struct options options;
	int code = command_read(argc, argv, NULL, NULL, 0, &options);

	if (code == EXIT_CODE_OK) {
		int fd = healthcheck_connect(options.listen);

		if (fd < 0) {
			fprintf(stderr, "fleetplan: cannot connect to %s; start the daemon or correct --listen\n", options.listen);
			code = EXIT_CODE_UNAVAILABLE;
		} else if (!healthcheck_ask(fd)) {
			fprintf(stderr, "fleetplan: %s is not ready\n", options.listen);
			code = EXIT_CODE_FAILED;
		}
		if (fd >= 0)
			close(fd);
	}
	options_release(&options);
	return code;
}
