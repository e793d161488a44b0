/* libmicrohttpd 0.9.75 in epoll mode leaves exactly 128 ready connections unanswered until another event comes.
 *
 *   gcc libmicrohttpd-epoll-128.c -lmicrohttpd -o epoll-128 && ./epoll-128 [CLIENTS]
 *
 * Opens CLIENTS (128) connections to a daemon with one epoll thread, and sends one request on each while the thread is in
 * a handler, so that all are ready at the next epoll_wait. Waits two seconds and prints how many were answered: all of
 * 127 and of 129, none of 128. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char request[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", slow[] = "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n";

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
	const char *data, size_t *size, void **state)
{
	static char body[] = "ok";
	struct MHD_Response *response = MHD_create_response_from_buffer(2, body, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result queued = MHD_queue_response(connection, 200, response);

	if (strcmp(url, "/slow") == 0)
		usleep(500000); /* meanwhile the others become ready */
	(void)context, (void)method, (void)version, (void)data, (void)size, (void)state;
	MHD_destroy_response(response);
	return queued;
}

static int connected(uint16_t port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
		exit(2);
	return fd;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 128, answered = 0, busy;
	struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, NULL, MHD_OPTION_END);
	uint16_t port = daemon ? MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port : 0;
	int *fds = calloc((size_t)count, sizeof *fds);

	if (!daemon || !fds)
		return 2;
	for (int i = 0; i < count; i++)
		fds[i] = connected(port);
	busy = connected(port);
	usleep(200000); /* all are accepted, and the thread sleeps in epoll_wait */
	if (write(busy, slow, sizeof slow - 1) < 0)
		return 2;
	usleep(100000); /* the thread is in the handler */
	for (int i = 0; i < count; i++)
		if (write(fds[i], request, sizeof request - 1) < 0)
			return 2;
	sleep(2);
	for (int i = 0; i < count; i++)
		answered += poll(&(struct pollfd){.fd = fds[i], .events = POLLIN}, 1, 0) > 0;
	printf("libmicrohttpd %s: %d of %d answered\n", MHD_get_version(), answered, count);
	return answered == count ? 0 : 1;
}
