/* Any bytes as messages between agent and server, and as files on the agent's disk. The agent accepts an answer whole
 * or not at all. The server accepts a request or rejects it with the field's name. A key is one word. A result from the
 * spool is the one that was put there.
 *
 * The HTTP client is replaced by one that answers from the input. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/link.h"
#include "agent/spool.h"
#include "api/tables/tables.h"
#include "base/utf8.h"
#include "fuzz/input.h"

/* --- the client that answers ------------------------------------------------------------------------------------- */

static struct {
	struct input *input;
	bool key_told; /* an answer contained the key, so a message may contain it, too */
} wire;

struct http_client {
	int unused;
};

enum status http_client_open(const struct http_client_options *options, struct http_client **client, struct failure *failure)
{
	static struct http_client one;

	(void)failure;
	CHECK(options->answer_max_bytes > 0);
	*client = &one;
	return STATUS_OK;
}

void http_client_close(struct http_client *client)
{
	(void)client;
}

/* An answer has two bytes for the status, one for Retry-After, then the body up to a NUL. */
void http_client_run(struct http_client *client, const struct http_request *request, struct http_answer *answer)
{
	static const int statuses[] = {200, 201, 204, 400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503, 504, 301};
	unsigned how = input_byte(wire.input);
	size_t length;
	char *body;

	(void)client;
	CHECK(request->bearer && *request->bearer && !strpbrk(request->bearer, " \r\n\t") &&
		strncmp(request->url, "http://server/base/v1/", 22) == 0);
	CHECK(!request->body || input_is_json(request->body, request->body_length));
	*answer = (struct http_answer){.end = how & 0x80 ? (enum http_end)(1 + how % (HTTP_END_COUNT - 1)) : HTTP_ANSWERED,
		.status = statuses[how & 15],
		.retry_after_s = (int)input_byte(wire.input) - 1};
	snprintf(answer->detail, sizeof answer->detail, "it ended so");
	buffer_init(&answer->body, 256 * 1024);
	if (answer->end != HTTP_ANSWERED)
		return;
	body = input_until(wire.input, '\0', &length);
	wire.key_told |= strstr(body, request->bearer) != NULL;
	if (length > 0)
		buffer_append(&answer->body, body, length);
}

void http_answer_release(struct http_answer *answer)
{
	buffer_release(&answer->body);
}

/* --- the agent's side ---------------------------------------------------------------------------------------------- */

static void key_file(const char *text, size_t length, char *path, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("key", MFD_CLOEXEC);
	CHECK(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, text, length, 0) == (ssize_t)length);
	snprintf(path, size, "/proc/self/fd/%d", fd);
}

static const char id[] = "01890a5d-ac96-774b-bcce-b302099a8057";

static void check_end(const struct link *link, enum link_end end)
{
	CHECK(end < LINK_END_COUNT && memchr(link->detail, 0, sizeof link->detail));
	CHECK((end == LINK_OK || end == LINK_EMPTY) == (link->detail[0] == '\0'));
	/* A shorter key, or a key that is part of the id, may occur in our own words. */
	CHECK(wire.key_told || strlen(link->key) < 8 || strstr(id, link->key) || !strstr(link->detail, link->key));
}

static void check_lease(const struct lease *lease)
{
	CHECK(lease->benchmark_id && uuid_valid(lease->benchmark_id) && lease->device && lease->token > 0 && lease->spec.suite);
	CHECK(lease->lease_s > 0 && lease->heartbeat_s > 0 && lease->heartbeat_s < lease->lease_s &&
		(!lease->spec.shapes.text || input_is_json(lease->spec.shapes.text, lease->spec.shapes.length)));
}

enum { CALLS_MAX = 60 };

/* Calls until the input has no more answers, at most CALLS_MAX times. */
static void call_all(struct link *link, struct arena *arena)
{
	const struct link_patience patience = {.timeout_s = 1, .wake_fd = -1};
	struct agent_registration registration = {.agent_id = id, .host = "node", .version = "1"};
	struct lease_request request = {.wait_s = 1};
	struct lease_heartbeat heartbeat = {.token = 1};
	struct lease_release release = {.token = 1, .reason = "it stops"};
	struct lease_renewal renewal;
	struct lease_outcome outcome;
	struct lease lease;

	for (int calls = 0; calls < CALLS_MAX && wire.input->left > 0; calls++) {
		enum link_end end = LINK_BROKEN;

		switch (input_byte(wire.input) % 5) {
		case 0:
			end = link_register(link, &registration, patience);
			break;
		case 1:
			end = link_lease(link, id, &request, patience, arena, &lease);
			if (end == LINK_OK)
				check_lease(&lease);
			break;
		case 2:
			end = link_heartbeat(link, id, &heartbeat, patience, &renewal);
			CHECK(end != LINK_OK || renewal.lease_s > 0);
			break;
		case 3:
			end = link_release(link, id, &release, patience);
			break;
		default:
			end = link_deliver(link, id, "{}", 2, patience, arena, &outcome);
			CHECK(end != LINK_OK || !outcome.benchmark_id || uuid_valid(outcome.benchmark_id));
			break;
		}
		check_end(link, end);
	}
}

static void check_link(struct input *input, struct arena *arena)
{
	static const char *const servers[] = {
		"http://server/base/", "http://server/base", "http://server/base///", "ftp://server", "http://u@server", "server"};
	static struct link link;
	static struct failure failure;
	struct link_options options = {.server = servers[input_byte(input) % COUNT_OF(servers)]};
	char path[64], *key;
	size_t length;

	key = input_until(input, '\0', &length);
	key_file(key, length, path, sizeof path);
	options.key_file = path;
	failure_clear(&failure);
	if (link_open(&link, &options, &failure) != STATUS_OK) {
		CHECK(failure.status == STATUS_INVALID || failure.status == STATUS_NOT_FOUND);
		return;
	}
	if (length > 2 && key[length - 1] == '!') /* the file changes, so that the refused key is read again */
		key_file("another-key", 11, path, sizeof path);
	wire.input = input;
	wire.key_told = false;
	call_all(&link, arena);
	link_close(&link);
	CHECK(link.key[0] == '\0');
}

/* --- the server's side --------------------------------------------------------------------------------------------- */

static void check_request(struct input *input, struct arena *arena)
{
	static const struct field_table *const tables[] = {&table_agent_registration, &table_lease_request, &table_lease_heartbeat,
		&table_lease_result, &table_lease_release, &table_lease, &table_lease_renewal, &table_lease_outcome, &table_bench_spec,
		&table_benchmark_request};
	static _Alignas(16) char object[16 * 1024], again[16 * 1024];
	static struct failure failure;
	const struct field_table *table = tables[input_byte(input) % COUNT_OF(tables)];
	struct json_writer writer;
	struct buffer text;
	enum status status;
	size_t length;
	char *body = input_rest(input, &length);

	failure_clear(&failure);
	CHECK(table->size <= sizeof object);
	status = record_decode(table, body, length, arena, object, &failure);
	CHECK(status == STATUS_OK || status == STATUS_MALFORMED || status == STATUS_NO_MEMORY ||
		(status == STATUS_INVALID && failure.fault_total > 0));
	if (status != STATUS_OK)
		return;
	buffer_init(&text, 1 << 20);
	json_writer_init(&writer, &text);
	record_encode(table, object, &writer);
	if (!text.failed) {
		CHECK(input_is_json(text.bytes, text.length));
		CHECK(record_decode_answer(table, text.bytes, text.length, arena, again, &failure) != STATUS_MALFORMED);
	}
	buffer_release(&text);
}

/* --- the disk ------------------------------------------------------------------------------------------------------ */

static char folder[64];

static void remove_folder(void)
{
	static const char *const names[] = {"agent-id", "lock", "agent-id.draft"};
	char path[128];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		(void)unlink(path);
	}
	(void)rmdir(folder);
}

static const char *spool_folder(void)
{
	if (!folder[0]) {
		snprintf(folder, sizeof folder, "%s/fleetplan-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		CHECK(mkdtemp(folder) && atexit(remove_folder) == 0);
	}
	return folder;
}

static void write_in(const struct spool *spool, const char *name, const char *text, size_t length)
{
	int fd = openat(spool->folder_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0 && write(fd, text, length) == (ssize_t)length && close(fd) == 0);
}

/* An entry that the spool put reads back unchanged. A file from elsewhere is damaged, or is a valid entry. */
static void check_spool(struct input *input)
{
	const struct spool_entry entry = {"01890a5d-ac96-774b-bcce-b302099a8057", 7};
	static const char name[] = "01890a5d-ac96-774b-bcce-b302099a8057-7.result";
	static struct failure failure;
	static struct spool_list list;
	unsigned how = input_byte(input);
	struct spool spool;
	struct buffer body;
	enum status status;
	size_t length;
	char *text = input_rest(input, &length);

	failure_clear(&failure);
	CHECK(spool_open(&spool, spool_folder(), &failure) == STATUS_OK && uuid_valid(spool.agent_id));
	buffer_init(&body, SPOOL_RESULT_MAX_BYTES + 256);
	if (how & 1) {
		write_in(&spool, "agent-id", text, length);
	} else if (how & 2) {
		CHECK(spool_put(&spool, &entry, text, length, &failure) == STATUS_OK);
		CHECK(spool_read(&spool, &entry, &body, &failure) == STATUS_OK);
		CHECK(body.length == length && memcmp(body.bytes, text, length) == 0);
	} else {
		write_in(&spool, name, text, length);
		status = spool_read(&spool, &entry, &body, &failure);
		CHECK(status == STATUS_MALFORMED || (status == STATUS_OK && body.length < length));
	}
	if ((how & 4) && length > 0 && length < 200 && !strchr(text, '/') && text[0] != '.' && strlen(text) == length &&
		strcmp(text, "lock") != 0 && strcmp(text, "agent-id") != 0) {
		write_in(&spool, text, "", 0);
		spool_list(&spool, &list);
		CHECK(list.count <= 2);
		(void)unlinkat(spool.folder_fd, text, 0);
	}
	spool_remove(&spool, &entry);
	(void)unlinkat(spool.folder_fd, "01890a5d-ac96-774b-bcce-b302099a8057-7.damaged", 0);
	spool_list(&spool, &list);
	CHECK(list.count <= 1);
	buffer_release(&body);
	spool_close(&spool);
}

/* The first byte chooses the arena, the second the kind of the rest. */
void fuzz_one(struct input *input)
{
	static struct arena arena;

	input_arena(input, &arena, 1 << 20);
	switch (input_byte(input) % 8) {
	case 0:
	case 1:
	case 2:
		check_link(input, &arena);
		break;
	case 3:
		check_spool(input);
		break;
	default:
		check_request(input, &arena);
		break;
	}
}
