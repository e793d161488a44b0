/* Tests which addresses a feed's fetcher refuses, whatever a name resolves to, a link says or a server answers; and its
 * request rate. */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "hwdb/feeds/fetch.h"
#include "support/assert.h"

/* A server that answers each connection with the next of `says`, repeats the last one, and counts the connections. */
struct teller {
	const char *const *says;
	int listener;
	pthread_t thread;
	_Atomic int heard;
	char url[64], request[4096];
	int port;
};

static void *serve_answers(void *context)
{
	struct teller *teller = context;
	size_t at = 0;
	int fd;

	while ((fd = accept(teller->listener, NULL, NULL)) >= 0) {
		ssize_t got, length = 0;

		while (length < (ssize_t)sizeof teller->request - 1 &&
			(got = read(fd, teller->request + length, sizeof teller->request - 1 - (size_t)length)) > 0) {
			teller->request[length += got] = '\0';
			if (strstr(teller->request, "\r\n\r\n"))
				break;
		}
		teller->heard++;
		(void)!send(fd, teller->says[at], strlen(teller->says[at]), MSG_NOSIGNAL);
		at += teller->says[at + 1] != NULL;
		close(fd);
	}
	return NULL;
}

static void start(struct teller *teller, const char *const *says)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;

	*teller = (struct teller){.says = says, .listener = socket(AF_INET, SOCK_STREAM, 0)};
	assert_int_equal(bind(teller->listener, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(teller->listener, 8), 0);
	assert_int_equal(getsockname(teller->listener, (struct sockaddr *)&address, &size), 0);
	teller->port = ntohs(address.sin_port);
	snprintf(teller->url, sizeof teller->url, "http://127.0.0.1:%d", teller->port);
	assert_int_equal(pthread_create(&teller->thread, NULL, serve_answers, teller), 0);
}

static void finish(struct teller *teller)
{
	shutdown(teller->listener, SHUT_RDWR);
	pthread_join(teller->thread, NULL);
	close(teller->listener);
}

/* A test feed with one kind of answer. The text after "next:" in an answer is the next page. */
static enum status test_request(struct feed_walk *walk, struct feed_request *request, struct failure *failure)
{
	(void)failure;
	request->url = walk->next ? walk->next : arena_printf(walk->arena, "%s/first", walk->base_url);
	request->bearer = walk->key;
	request->conditional = true;
	return STATUS_OK;
}

static enum status test_read(struct feed_walk *walk, const char *text, size_t length, struct failure *failure)
{
	(void)failure;
	walk->rows.seen++;
	walk->next = strncmp(text, "next:", 5) == 0 ? arena_strndup(walk->arena, text + 5, length - 5) : NULL;
	if (!walk->next)
		feed_walk_next_item(walk);
	return STATUS_OK;
}

static const struct feed test_feed = {.name = "test",
	.scope = "",
	.scope_is = "",
	.base_url = "",
	.answer_max_bytes = 1000,
	.pages_max = 3,
	.request_s = 5,
	.refresh_s = 20,
	.request = test_request,
	.read = test_read};

static struct arena arena;
static struct failure failure;
static struct pace pace;
static struct feed_walk walk;
static struct fetch_traffic traffic;

static enum status fetch(const struct feed *feed, const char *base_url, struct fetch_options options)
{
	enum status status;

	arena_reset(&arena);
	failure_clear(&failure);
	options.pace = &pace;
	status = feed_walk_begin(&walk, feed, base_url, NULL, clock_wall_us(), &arena, &failure);
	walk.key = "secret-4711";
	assert_int_equal(status, STATUS_OK);
	status = fetch_walk(&walk, &options, NULL, &traffic, &failure);
	assert_null(strstr(failure.detail, "secret"));
	return status;
}

#define OK_OF(length, body) "HTTP/1.1 200 OK\r\nContent-Length: " #length "\r\nETag: \"t1\"\r\n\r\n" body

static void pages_are_walked_and_tags_kept(void **state)
{
	static const char *const says[] = {OK_OF(11, "next:/other"), OK_OF(4, "done"), "HTTP/1.1 304 Not Modified\r\n\r\n", NULL};
	struct feed_validator known[1];
	struct teller teller;

	(void)state;
	start(&teller, says);
	traffic = (struct fetch_traffic){0};
	assert_int_equal(fetch(&test_feed, teller.url, (struct fetch_options){.local = true}), STATUS_OK);
	assert_int_equal(walk.rows.seen, 2);
	assert_int_equal(traffic.requests, 2);
	assert_contains(teller.request, "GET /other HTTP/1.1\r\n");
	assert_contains(teller.request, "Authorization: Bearer secret-4711\r\n");
	assert_int_equal(traffic.fresh_count, 2);
	assert_string_equal(traffic.fresh[0].etag, "\"t1\"");
	known[0] = (struct feed_validator){.url = strdup(traffic.fresh[0].url), .etag = "\"t1\""};
	traffic = (struct fetch_traffic){.known = known, .known_count = 1};
	assert_int_equal(fetch(&test_feed, teller.url, (struct fetch_options){.local = true}), STATUS_OK);
	assert_contains(teller.request, "If-None-Match: \"t1\"\r\n");
	assert_int_equal(traffic.unchanged, 1);
	assert_int_equal(walk.rows.seen, 0);
	free((char *)(uintptr_t)known[0].url);
	finish(&teller);
}

/* The resolver may return any address. Only the address of the connection counts. */
static void a_name_that_resolves_to_a_private_address_is_not_gone_to(void **state)
{
	static const char *const says[] = {OK_OF(4, "done"), NULL};
	static const char *const addresses[] = {
		"127.0.0.1", "169.254.169.254", "10.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[fd00:ec2::254]", "0.0.0.0"};
	struct teller teller;
	char base[64], resolve[96];

	(void)state;
	start(&teller, says);
	snprintf(base, sizeof base, "https://feed.example:%d", teller.port);
	for (size_t i = 0; i < COUNT_OF(addresses); i++) {
		snprintf(resolve, sizeof resolve, "feed.example:%d:%s", teller.port, addresses[i]);
		traffic = (struct fetch_traffic){0};
		assert_int_equal(fetch(&test_feed, base, (struct fetch_options){.resolve = resolve}), STATUS_UNAVAILABLE);
		assert_contains(failure.detail, "does not belong to the public internet");
	}
	/* The name resolves to several addresses, all private. */
	snprintf(resolve, sizeof resolve, "feed.example:%d:127.0.0.1,127.0.0.2", teller.port);
	assert_int_equal(fetch(&test_feed, base, (struct fetch_options){.resolve = resolve}), STATUS_UNAVAILABLE);
	assert_int_equal(teller.heard, 0);
	finish(&teller);
}

static void links_of_another_origin_are_not_followed(void **state)
{
	static const struct {
		const char *before, *after; /* before and after the port */
	} links[] = {{"http://127.0.0.2:", "/x"}, {"https://127.0.0.1:", "/x"}, {"http://127.0.0.1:", "@evil.example/"},
		{"http://user@127.0.0.1:", "/x"}, {"//evil.example:", "/x"}, {"http://127.0.0.1.evil.example:", "/"}, {"ftp://127.0.0.1:", "/x"},
		{"http://localhost:", "/x"}};
	char body[128], says_text[2][512];
	const char *says[3] = {says_text[0], says_text[1], NULL};
	struct teller teller;

	(void)state;
	says_text[1][0] = says_text[0][0] = '\0';
	for (size_t i = 0; i < 2 * COUNT_OF(links); i++) {
		start(&teller, says);
		snprintf(body, sizeof body, "%s%d%s", links[i / 2].before, teller.port, links[i / 2].after);
		if (i % 2)
			snprintf(says_text[0], sizeof says_text[0], "HTTP/1.1 302 There\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", body);
		else
			snprintf(says_text[0], sizeof says_text[0], "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\nnext:%s", strlen(body) + 5, body);
		snprintf(says_text[1], sizeof says_text[1], "%s", OK_OF(4, "done"));
		traffic = (struct fetch_traffic){0};
		assert_int_equal(fetch(&test_feed, teller.url, (struct fetch_options){.local = true}), STATUS_UNAVAILABLE);
		assert_int_equal(teller.heard, 1);
		finish(&teller);
	}
}

static void answers_without_end_are_cut(void **state)
{
	static const char *const again[] = {OK_OF(11, "next:/again"), NULL};
	static char endless[400] = "HTTP/1.1 200 OK\r\n\r\n";
	static const char *const large[] = {endless, NULL};
	struct feed small = test_feed;
	struct teller teller;

	(void)state;
	memset(endless + strlen(endless), 'x', sizeof endless - 1 - strlen(endless));
	start(&teller, again);
	traffic = (struct fetch_traffic){0};
	assert_int_equal(fetch(&test_feed, teller.url, (struct fetch_options){.local = true}), STATUS_MALFORMED);
	assert_int_equal(teller.heard, 3);
	assert_contains(failure.detail, "more than 3 answers");
	finish(&teller);
	small.answer_max_bytes = 200;
	start(&teller, large);
	traffic = (struct fetch_traffic){0};
	assert_int_equal(fetch(&small, teller.url, (struct fetch_options){.local = true}), STATUS_MALFORMED);
	assert_contains(failure.detail, "larger than 200 bytes");
	finish(&teller);
}

static void what_passes_is_tried_again(void **state)
{
	static const char *const says[] = {"HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 429 Many\r\nDate: Wed, 21 Oct 2026 07:28:00 GMT\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\nContent-Length: 0\r\n\r\n",
		OK_OF(4, "done"), NULL};
	static const char *const never[] = {"HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n", NULL};
	struct teller teller;

	(void)state;
	start(&teller, says);
	traffic = (struct fetch_traffic){0};
	assert_int_equal(fetch(&test_feed, teller.url, (struct fetch_options){.local = true}), STATUS_OK);
	assert_int_equal(traffic.requests, 3);
	finish(&teller);
	start(&teller, never);
	traffic = (struct fetch_traffic){0};
	assert_int_equal(fetch(&test_feed, teller.url, (struct fetch_options){.local = true}), STATUS_UNAVAILABLE);
	assert_int_equal(traffic.requests, 1);
	finish(&teller);
}

static void base_urls_are_https_and_plain_places(void **state)
{
	static const char *const good[] = {"https://a.example", "https://a.example/mirror", "https://a.example:8443/"};
	static const char *const bad[] = {"http://a.example", "ftp://a.example", "a.example", "https://", "https://u:p@a.example",
		"https://a.example/?q=1", "https://a.example/#x", ""};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		failure_clear(&failure);
		assert_int_equal(fetch_base_check(good[i], false, &failure), STATUS_OK);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		failure_clear(&failure);
		if (fetch_base_check(bad[i], false, &failure) != STATUS_INVALID)
			fail_msg("%s was accepted", bad[i]);
	}
	failure_clear(&failure);
	assert_int_equal(fetch_base_check("http://127.0.0.1:1", true, &failure), STATUS_OK);
}

static void hosts_are_paced_apart(void **state)
{
	(void)state;
	pace_release(&pace);
	pace_init(&pace);
	assert_int_equal(pace_turn_ns(&pace, "a.example", 1000), 0);
	assert_true(pace_turn_ns(&pace, "A.example", 1000) > 900000000);
	assert_true(pace_turn_ns(&pace, "a.example", 1000) > 1900000000);
	assert_int_equal(pace_turn_ns(&pace, "b.example", 1000), 0);
	assert_int_equal(pace_held_s(&pace, "b.example"), 0);
	pace_hold(&pace, "b.example", 600);
	assert_true(pace_held_s(&pace, "b.example") >= 598);
	for (int i = 0; i < 3 * PACE_HOSTS_MAX; i++) { /* many other hosts do not displace the host that asked for a pause */
		char name[32];

		snprintf(name, sizeof name, "h%d.example", i);
		(void)pace_turn_ns(&pace, name, 1);
	}
	assert_true(pace_held_s(&pace, "b.example") >= 598);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_walked_and_tags_kept),
		cmocka_unit_test(a_name_that_resolves_to_a_private_address_is_not_gone_to),
		cmocka_unit_test(links_of_another_origin_are_not_followed),
		cmocka_unit_test(answers_without_end_are_cut),
		cmocka_unit_test(what_passes_is_tried_again),
		cmocka_unit_test(base_urls_are_https_and_plain_places),
		cmocka_unit_test(hosts_are_paced_apart),
	};
	int failed;

	arena_init(&arena, 16 << 20);
	pace_init(&pace);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	pace_release(&pace);
	arena_release(&arena);
	return failed;
}
