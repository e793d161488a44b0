/* Tests how an agent reads its server's answers: it accepts a lease that it can work with and rejects every other. The
 * server is a socket that sends the test's answer. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "agent/link.h"
#include "support/assert.h"

static const char benchmark[] = "01890a5d-ac96-774b-bcce-b302099a8057";

static struct {
	int fd;
	char server[64], key_file[64];
	const char *body; /* of the next answer */
} world;

/* Accepts one connection, reads one request and sends one answer. */
static void *answer(void *nothing)
{
	int fd = accept(world.fd, NULL, NULL);
	char request[4096], head[160];
	ssize_t got;

	(void)nothing;
	got = read(fd, request, sizeof request);
	snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n",
		strlen(world.body));
	if (got > 0 && write(fd, head, strlen(head)) > 0)
		(void)!write(fd, world.body, strlen(world.body));
	close(fd);
	return NULL;
}

static int setup(void **state)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	int key;

	(void)state;
	world.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(world.fd, (struct sockaddr *)(void *)&address, sizeof address), 0);
	assert_int_equal(listen(world.fd, 4), 0);
	assert_int_equal(getsockname(world.fd, (struct sockaddr *)(void *)&address, &length), 0);
	snprintf(world.server, sizeof world.server, "http://127.0.0.1:%d", ntohs(address.sin_port));
	snprintf(world.key_file, sizeof world.key_file, "/tmp/test_agent_link.XXXXXX");
	key = mkstemp(world.key_file);
	assert_true(key >= 0 && write(key, "fp_key\n", 7) == 7 && close(key) == 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(world.key_file);
	close(world.fd);
	return 0;
}

/* Requests a lease, or renews one if `renews`. The server answers `body`. */
static enum link_end ask(const char *body, bool renews, char *detail, size_t size)
{
	const struct link_options options = {.server = world.server, .key_file = world.key_file};
	const struct link_patience patience = {.timeout_s = 10, .wake_fd = -1};
	struct lease_heartbeat heartbeat = {.token = 1};
	struct lease_request request = {.wait_s = 0};
	struct lease_renewal renewal;
	struct failure failure;
	struct arena arena;
	struct lease lease;
	struct link link;
	pthread_t server;
	enum link_end end;

	world.body = body;
	failure_clear(&failure);
	assert_int_equal(pthread_create(&server, NULL, answer, NULL), 0);
	assert_int_equal(link_open(&link, &options, &failure), STATUS_OK);
	arena_init(&arena, 1 << 20);
	end = renews ? link_heartbeat(&link, benchmark, &heartbeat, patience, &renewal)
				 : link_lease(&link, benchmark, &request, patience, &arena, &lease);
	snprintf(detail, size, "%s", link.detail);
	pthread_join(server, NULL);
	link_close(&link);
	arena_release(&arena);
	return end;
}

#define LEASE(id, device, times, spec) "{" id device "\"attempt\":1,\"attempts_max\":3,\"token\":5," times "\"spec\":{" spec "}}"
#define ID                             "\"benchmark_id\":\"01890a5d-ac96-774b-bcce-b302099a8057\","
#define DEVICE                         "\"device\":\"cpu-0\","
#define TIMES                          "\"lease_s\":60,\"heartbeat_s\":20,"
#define SPEC                           "\"suite\":\"quick\",\"timeout_s\":600"

static void a_lease_that_cannot_be_worked_with_is_none(void **state)
{
	static const char *const bad[] = {LEASE("", DEVICE, TIMES, SPEC), LEASE(ID, "", TIMES, SPEC), LEASE(ID, DEVICE, "", SPEC),
		LEASE(ID, DEVICE, TIMES, ""), LEASE(ID, DEVICE, TIMES, "\"suite\":\"quick\""),
		LEASE(ID, DEVICE, "\"lease_s\":1e300,\"heartbeat_s\":20,", SPEC), LEASE(ID, DEVICE, "\"lease_s\":-60,\"heartbeat_s\":20,", SPEC),
		LEASE(ID, DEVICE, "\"lease_s\":60,\"heartbeat_s\":60,", SPEC), "{}", "[]", "{"};
	char detail[640];

	(void)state;
	assert_int_equal(ask(LEASE(ID, DEVICE, TIMES, SPEC), false, detail, sizeof detail), LINK_OK);
	assert_string_equal(detail, "");
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		if (ask(bad[i], false, detail, sizeof detail) != LINK_BROKEN)
			fail_msg("taken: %s", bad[i]);
		assert_contains(detail, "returned an invalid answer");
	}
}

static void a_renewal_has_a_time(void **state)
{
	char detail[640];

	(void)state;
	assert_int_equal(ask("{\"lease_s\":60,\"cancel\":true}", true, detail, sizeof detail), LINK_OK);
	assert_int_equal(ask("{\"cancel\":true}", true, detail, sizeof detail), LINK_BROKEN);
	assert_int_equal(ask("{\"lease_s\":1e18}", true, detail, sizeof detail), LINK_BROKEN);
	assert_contains(detail, "its lease_s is not valid");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lease_that_cannot_be_worked_with_is_none),
		cmocka_unit_test(a_renewal_has_a_time),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
