/* Shows the requests that libmicrohttpd 0.9.75 passes to an application although a server should refuse them by RFC 9112.
 *
 *   gcc libmicrohttpd-parsing.c -lmicrohttpd -o parsing && ./parsing
 *
 * Sends each probe on a separate connection to a daemon that answers 200 to every request it receives. Prints the first
 * status line of the answer, and the number of status lines. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name, *rule, *bytes;
} probes[] = {
	{"white space before the colon", "RFC 9112 5.1: refuse with 400", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length : 2\r\n\r\nok"},
	{"line folding", "RFC 9112 5.2: refuse, or replace by spaces", "GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n\r\n"},
	{"two Content-Length that differ", "RFC 9112 6.3: refuse with 400",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"},
	{"Content-Length and Transfer-Encoding", "RFC 9112 6.1: a server ought to close",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
	{"Transfer-Encoding: xchunked", "RFC 9112 6.1: 501, or 400", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"},
	{"two Host", "RFC 9112 3.2: refuse with 400", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
	{"Content-Length: +2", "answered twice", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +2\r\n\r\nok"},
	{"a chunk-size line that ends in LF", "RFC 9112 7.1: chunk-size ends in CR LF",
		"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\nok\r\n0\r\n\r\n"},
};

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
	const char *data, size_t *size, void **state)
{
	static char body[] = "ok";
	static int begun;
	struct MHD_Response *response;
	enum MHD_Result queued;

	(void)context, (void)url, (void)method, (void)version, (void)data;
	if (!*state) {
		*state = &begun;
		return MHD_YES;
	}
	if (*size > 0) {
		*size = 0;
		return MHD_YES;
	}
	response = MHD_create_response_from_buffer(2, body, MHD_RESPMEM_PERSISTENT);
	queued = MHD_queue_response(connection, 200, response);
	MHD_destroy_response(response);
	return queued;
}

int main(void)
{
	struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD, 0, NULL, NULL, answer, NULL, MHD_OPTION_END);
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	if (!daemon)
		return 2;
	address.sin_port = htons(MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
	printf("libmicrohttpd %s\n", MHD_get_version());
	for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0), lines = 0;
		char text[4096] = "";
		size_t length = 0;
		ssize_t got;

		if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0 || write(fd, probes[i].bytes, strlen(probes[i].bytes)) < 0)
			return 2;
		while (poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 300) > 0 && (got = read(fd, text + length, sizeof text - 1 - length)) > 0)
			length += (size_t)got;
		text[length] = '\0';
		for (const char *line = text; (line = strstr(line, "HTTP/1.1 ")); line++)
			lines++;
		printf("%-38s %-48s %.12s, %d status lines\n", probes[i].name, probes[i].rule, lines > 0 ? text : "nothing", lines);
		close(fd);
	}
	MHD_stop_daemon(daemon);
	return 0;
}
