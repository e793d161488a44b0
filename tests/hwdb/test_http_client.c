/* Tests the client against a small server that sends any answer, valid or not; and the addresses that the client
 * refuses. */
#include <arpa/inet.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "net/http_client.h"
#include "support/assert.h"

enum { ANSWER_MAX = 64 * 1024 };

/* Accepts one connection, stores the request, sends `says`, and closes after `hold_s`. */
struct teller {
	const char *says;
	double hold_s;
	int listener;
	pthread_t thread;
	char heard[8192];
	char url[64];
};

static void *serve_answers(void *context)
{
	struct teller *teller = context;
	int fd = accept(teller->listener, NULL, NULL);
	size_t length = 0;

	while (fd >= 0 && length < sizeof(teller->heard) - 1 && !strstr(teller->heard, "\r\n\r\n")) {
		ssize_t got = read(fd, teller->heard + length, sizeof(teller->heard) - 1 - length);

		if (got <= 0)
			break;
		length += (size_t)got;
	}
	for (const char *at = teller->says; fd >= 0 && *at;) {
		ssize_t wrote = send(fd, at, strlen(at), MSG_NOSIGNAL);

		if (wrote <= 0)
			break;
		at += wrote;
	}
	usleep((useconds_t)(teller->hold_s * 1e6));
	if (fd >= 0)
		close(fd);
	return NULL;
}

static void start(struct teller *teller, const char *says, double hold_s)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);

	*teller = (struct teller){.says = says, .hold_s = hold_s, .listener = socket(AF_INET, SOCK_STREAM, 0)};
	assert_true(teller->listener >= 0);
	assert_int_equal(bind(teller->listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(teller->listener, 1), 0);
	assert_int_equal(getsockname(teller->listener, (struct sockaddr *)&address, &size), 0);
	snprintf(teller->url, sizeof(teller->url), "http://127.0.0.1:%d/x", ntohs(address.sin_port));
	assert_int_equal(pthread_create(&teller->thread, NULL, serve_answers, teller), 0);
}

static void finish(struct teller *teller)
{
	shutdown(teller->listener, SHUT_RDWR);
	pthread_join(teller->thread, NULL);
	close(teller->listener);
}

static struct http_client *open_client(const struct http_client_options *options)
{
	struct http_client *client;
	struct failure failure;

	failure_clear(&failure);
	assert_int_equal(http_client_open(options, &client, &failure), STATUS_OK);
	return client;
}

static struct http_answer ask(struct http_request request)
{
	struct http_client *client = open_client(&(struct http_client_options){.answer_max_bytes = ANSWER_MAX});
	struct http_answer answer;

	request.method = request.method ? request.method : "GET";
	request.timeout_s = request.timeout_s > 0 ? request.timeout_s : 20;
	request.wake_fd = request.wake_fd ? request.wake_fd : -1;
	http_client_run(client, &request, &answer);
	http_client_close(client);
	return answer;
}

static struct http_answer ask_teller(const char *says, struct teller *teller, struct http_request request)
{
	struct http_answer answer;

	start(teller, says, 0);
	request.url = teller->url;
	answer = ask(request);
	finish(teller);
	return answer;
}

static void a_request_is_what_it_should_be(void **state)
{
	static const char body[] = "{\"a\":1}";
	struct teller teller;
	struct http_answer answer = ask_teller("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nyes!", &teller,
		(struct http_request){.method = "PUT", .bearer = "fp_secret", .body = body, .body_length = sizeof(body) - 1});

	(void)state;
	assert_int_equal(answer.end, HTTP_ANSWERED);
	assert_int_equal(answer.status, 200);
	assert_int_equal(answer.retry_after_s, -1);
	assert_string_equal(answer.body.bytes, "yes!");
	assert_contains(teller.heard, "PUT /x HTTP/1.1\r\n");
	assert_contains(teller.heard, "\r\nAuthorization: Bearer fp_secret\r\n");
	assert_contains(teller.heard, "\r\nContent-Type: application/json\r\n");
	assert_contains(teller.heard, "\r\nContent-Length: 7\r\n");
	assert_null(strstr(teller.heard, "Expect"));
	http_answer_release(&answer);
}

static void what_it_is_told_to_wait_is_heard(void **state)
{
	static const struct {
		const char *header;
		int seconds;
	} cases[] = {{"7", 7}, {"0", 0}, {"999999999", 86400}, {"-3", -1}, {"soon", -1}, {"7 s", -1}, {"Wed, 21 Oct 2026 07:28:00 GMT", -1}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct teller teller;
		struct http_answer answer;
		char says[256];

		snprintf(says, sizeof(says), "HTTP/1.1 503 Busy\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n", cases[i].header);
		answer = ask_teller(says, &teller, (struct http_request){0});
		assert_int_equal(answer.end, HTTP_ANSWERED);
		assert_int_equal(answer.status, 503);
		assert_int_equal(answer.retry_after_s, cases[i].seconds);
		http_answer_release(&answer);
	}
}

/* The second server would receive a followed redirect. */
static void a_redirect_is_an_answer(void **state)
{
	struct teller here, there;
	struct http_answer answer;
	char says[256];

	(void)state;
	start(&there, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 0);
	snprintf(says, sizeof(says), "HTTP/1.1 307 There\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", there.url);
	answer = ask_teller(says, &here, (struct http_request){.bearer = "fp_secret"});
	finish(&there);
	assert_int_equal(answer.end, HTTP_ANSWERED);
	assert_int_equal(answer.status, 307);
	assert_string_equal(there.heard, "");
	http_answer_release(&answer);
}

static void an_answer_without_end_is_cut(void **state)
{
	static char says[ANSWER_MAX + 4096] = "HTTP/1.1 200 OK\r\n\r\n";
	struct teller teller;
	struct http_answer answer;

	(void)state;
	memset(says + strlen(says), 'x', sizeof(says) - 1 - strlen(says));
	answer = ask_teller(says, &teller, (struct http_request){0});
	assert_int_equal(answer.end, HTTP_TOO_LARGE);
	assert_true(answer.body.length <= ANSWER_MAX);
	http_answer_release(&answer);
}

static void what_is_no_answer_is_told(void **state)
{
	static const struct {
		const char *says;
		enum http_end end;
	} cases[] = {{"", HTTP_UNREACHABLE}, {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", HTTP_UNREACHABLE},
		{"SSH-2.0-OpenSSH_9.2\r\n", HTTP_UNREACHABLE}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct teller teller;
		struct http_answer answer = ask_teller(cases[i].says, &teller, (struct http_request){0});

		assert_int_equal(answer.end, cases[i].end);
		assert_int_equal(answer.status, 0);
		assert_contains(answer.detail, http_end_name(cases[i].end));
		http_answer_release(&answer);
	}
}

static void a_silent_server_is_left(void **state)
{
	struct teller teller;
	struct http_answer answer;
	int64_t start_ns = clock_monotonic_ns();

	(void)state;
	start(&teller, "", 0.6);
	answer = ask((struct http_request){.url = teller.url, .timeout_s = 0.3});
	assert_int_equal(answer.end, HTTP_OVERDUE);
	assert_true(clock_monotonic_ns() - start_ns >= INT64_C(290000000));
	http_answer_release(&answer);
	finish(&teller);
}

static void it_can_be_called_away(void **state)
{
	uint64_t one = 1;
	struct teller teller;
	struct http_answer answer;
	int wake = eventfd(0, EFD_CLOEXEC);

	(void)state;
	start(&teller, "", 0.2);
	assert_int_equal(write(wake, &one, sizeof(one)), sizeof(one));
	answer = ask((struct http_request){.url = teller.url, .wake_fd = wake});
	assert_int_equal(answer.end, HTTP_INTERRUPTED);
	http_answer_release(&answer);
	close(wake);
	finish(&teller);
}

/* No host uses 192.0.2.1 (RFC 5737). A client that tried it would time out instead of refusing it. */
static void it_goes_nowhere_else(void **state)
{
	static const char *const urls[] = {"http://192.0.2.1:1/", "http://[2001:db8::1]:1/", "http://[::ffff:192.0.2.1]:1/",
		"file:///etc/passwd", "gopher://127.0.0.1/", "192.0.2.1:1/x"};
	struct http_answer answer;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(urls); i++) {
		answer = ask((struct http_request){.url = urls[i], .bearer = "fp_secret"});
		if (answer.end != HTTP_FORBIDDEN)
			fail_msg("%s: %s", urls[i], answer.detail);
		assert_null(strstr(answer.detail, "fp_secret"));
		http_answer_release(&answer);
	}
	answer = ask((struct http_request){.url = "http://[::ffff:127.0.0.1]:1/"}); /* an address of this machine, without a server */
	assert_int_equal(answer.end, HTTP_UNREACHABLE);
	http_answer_release(&answer);
}

static void a_proxy_never_sees_what_is_not_encrypted(void **state)
{
	struct teller teller, proxy;
	struct http_answer answer;

	(void)state;
	start(&proxy, "HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n", 0);
	setenv("http_proxy", proxy.url, 1);
	answer = ask_teller("HTTP/1.1 204 OK\r\n\r\n", &teller, (struct http_request){.bearer = "fp_secret"});
	unsetenv("http_proxy");
	finish(&proxy);
	assert_int_equal(answer.status, 204);
	assert_string_equal(proxy.heard, "");
	http_answer_release(&answer);
}

static void authorities_must_be_readable(void **state)
{
	struct http_client *client;
	struct failure failure;

	(void)state;
	failure_clear(&failure);
	assert_int_equal(http_client_open(&(struct http_client_options){.ca_file = "/nonexistent.pem"}, &client, &failure), STATUS_INVALID);
	assert_contains(failure.detail, "/nonexistent.pem");
	assert_null(client);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_what_it_should_be),
		cmocka_unit_test(what_it_is_told_to_wait_is_heard),
		cmocka_unit_test(a_redirect_is_an_answer),
		cmocka_unit_test(an_answer_without_end_is_cut),
		cmocka_unit_test(what_is_no_answer_is_told),
		cmocka_unit_test(a_silent_server_is_left),
		cmocka_unit_test(it_can_be_called_away),
		cmocka_unit_test(it_goes_nowhere_else),
		cmocka_unit_test(a_proxy_never_sees_what_is_not_encrypted),
		cmocka_unit_test(authorities_must_be_readable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
