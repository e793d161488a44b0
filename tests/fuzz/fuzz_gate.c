/* Any bytes as the head of a request, in the memory layout of libmicrohttpd 0.9.75. A head that passes the gate has one
 * meaning: its lines end with CR LF only (except NUL LF, and NUL CR LF LF or LF NUL CR LF at the end, which have the
 * layout of CR LF in memory), no line is folded, the framing is given once, and the path is clean. The header parsers
 * return valid values. */
#include <strings.h>

#include "base/utf8.h"
#include "fuzz/input.h"
#include "server/origin.h"
#include "server/wire/gate.h"
#include "server/wire/media.h"
#include "server/wire/prefer.h"

enum { HEAD_MAX = 4096 };

/* A strict count over the bytes on the wire. */
struct seen {
	unsigned hosts, lengths, encodings;
	bool loose; /* a line with another end, or a control byte */
};

static void count_fields(const char *wire, size_t length, struct seen *seen)
{
	static const char shifted[] = "\0\r\n\n", torn[] = "\n\0\r\n"; /* same layout in memory as CR LF CR LF */
	bool is_shifted = length > 4 && (memcmp(wire + length - 4, shifted, 4) == 0 || memcmp(wire + length - 4, torn, 4) == 0);
	size_t line = 0, end = is_shifted ? length - 3 : length;

	*seen = (struct seen){.loose = length < 4 || wire[length - 1] != '\n' || (wire[length - 3] != '\n' && !is_shifted)};
	for (size_t i = strcspn(wire, " "); i < end; i++) { /* after the method, which the routes check */
		bool ends = i + 1 == end ? is_shifted : (wire[i] == '\r' || wire[i] == '\0') && wire[i + 1] == '\n';
		unsigned char c = (unsigned char)wire[i];

		if (!ends) {
			seen->loose |= (c < 0x20 && c != '\t') || c == 0x7f;
			continue;
		}
		seen->loose |= line > 0 && (wire[line] == ' ' || wire[line] == '\t');
		seen->hosts += line > 0 && strncasecmp(wire + line, "host:", 5) == 0;
		seen->lengths += line > 0 && strncasecmp(wire + line, "content-length:", 15) == 0;
		seen->encodings += line > 0 && strncasecmp(wire + line, "transfer-encoding:", 18) == 0;
		line = ++i + 1;
	}
}

static void read_header(const char *name, const char *value)
{
	char applied[PREFER_APPLIED_SIZE];
	struct prefer prefer = prefer_parse(value);
	enum media media = media_parse(value);
	static struct failure failure;
	struct origin_headers headers = {.host = value, .origin = value, .fetch_site = value};

	CHECK(prefer.wait_s >= -1 && prefer.wait_s <= PREFER_WAIT_MAX_S);
	prefer_applied(&prefer, true, applied);
	CHECK(strlen(applied) < sizeof applied);
	CHECK(media <= MEDIA_COUNT && (media == MEDIA_COUNT || media_content_type(media)));
	media = media_negotiate(value, MEDIA_BIT(MEDIA_JSON) | MEDIA_BIT(MEDIA_CSV));
	CHECK(media == MEDIA_JSON || media == MEDIA_CSV || media == MEDIA_COUNT);
	(void)media_accepts_gzip(value);
	failure_clear(&failure);
	if (origin_judge(strlen(name) % 2 ? "GET" : "POST", &headers, "a.example, b.example", NULL, &failure) == STATUS_OK)
		CHECK(origin_host_is_trusted(value, "a.example, b.example"));
}

/* False if the gate rejects the target. */
static bool check_target(char *raw, struct arena *arena)
{
	static struct failure failure;
	struct target target;

	failure_clear(&failure);
	if (gate_target(raw, arena, &target, &failure) != STATUS_OK) {
		CHECK(failure.status == STATUS_MALFORMED || failure.status == STATUS_NO_MEMORY);
		return false;
	}
	CHECK(target.path[0] == '/' && utf8_valid(target.path, strlen(target.path)) && !strstr(target.path, "/../") && !strchr(target.path, '\\'));
	CHECK(target.query_count <= GATE_QUERY_MAX);
	for (size_t i = 0; i < target.query_count; i++) {
		CHECK(utf8_valid(target.query[i].key, strlen(target.query[i].key)) &&
			utf8_valid(target.query[i].value, strlen(target.query[i].value)));
		for (const char *c = target.query[i].value; *c; c++)
			CHECK((unsigned char)*c >= 0x20 && *c != 0x7f);
	}
	return true;
}

/* Replaces line ends and colons with NUL, in place. Returns the head's length, or 0 if libmicrohttpd answers by itself
 * or the gate rejects the target. */
static size_t judge(char *wire, size_t length, struct arena *arena, enum status *status)
{
	static struct failure failure;
	char *line = wire, *end = wire + length, *version = NULL, *target, *value;
	struct gate gate;

	failure_clear(&failure);
	while (line < end) {
		char *feed = memchr(line, '\n', (size_t)(end - line));

		if (!feed)
			return 0;
		*feed = '\0';
		if (feed > line && feed[-1] == '\r')
			feed[-1] = '\0';
		if (!version) {
			target = strchr(line, ' ');
			version = strrchr(line, ' ');
			if (!target || version == target)
				return 0;
			*version++ = '\0';
			gate_begin(&gate, target + 1 + strlen(target + 1), version);
			if (!check_target(target + 1, arena))
				return 0;
		} else if (!*line) {
			*status = gate_end(&gate, version, feed + 1, &failure);
			return (size_t)(feed + 1 - wire);
		} else {
			value = strchr(line, ':');
			if (!value)
				return 0;
			*value++ = '\0';
			value += strspn(value, " \t");
			if (gate_header(&gate, line, strlen(line), value, strlen(value)))
				read_header(line, value);
		}
		line = feed + 1;
	}
	return 0;
}

void fuzz_one(struct input *input)
{
	static struct arena arena;
	char wire[HEAD_MAX + 1], *sent;
	enum status status = STATUS_MALFORMED;
	struct seen seen;
	size_t length;

	input_arena(input, &arena, 1 << 20);
	sent = input_rest(input, &length);
	length = length < HEAD_MAX ? length : HEAD_MAX;
	memcpy(wire, sent, length);
	wire[length] = '\0';
	length = judge(wire, length, &arena, &status);
	if (length == 0 || status != STATUS_OK)
		return;
	count_fields(sent, length, &seen);
	CHECK(!seen.loose && seen.hosts <= 1 && seen.lengths <= 1 && seen.encodings <= 1 && !(seen.lengths && seen.encodings));
}
