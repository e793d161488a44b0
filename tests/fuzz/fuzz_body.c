/* Any bytes as a received body, plain or gzip, as they are or compressed here first. The result does not depend on the
 * pieces or the way of reading, never exceeds the limit, and equals the result of zlib in one call. */
#define ZLIB_CONST
#include <zlib.h>

#include "fuzz/input.h"
#include "server/wire/body.h"

enum { PLAIN_MAX = 1 << 18, SINK_BYTES = 64 };

struct collected {
	struct buffer bytes;
	bool ended, released;
};

static enum status sink_receive(void *state, const char *piece, size_t length, struct failure *failure)
{
	struct collected *collected = state;

	CHECK(!collected->ended && !collected->released);
	buffer_append(&collected->bytes, piece, length);
	return length > 0 && piece[0] == '\x7f' ? failure_set(failure, STATUS_INVALID, "the sink refuses") : STATUS_OK;
}

static enum status sink_end(void *state, struct failure *failure)
{
	(void)failure;
	((struct collected *)state)->ended = true;
	return STATUS_OK;
}

static size_t sink_memory(const void *state)
{
	return SINK_BYTES + ((const struct collected *)state)->bytes.capacity;
}

static void sink_release(void *state)
{
	CHECK(!((struct collected *)state)->released);
	((struct collected *)state)->released = true;
}

/* A body, and one way of reading it. */
struct reading {
	const char *encoding;
	size_t limit, step;
	bool held, sunk;
	struct memory_budget budget;
	struct collected collected;
	struct failure failure;
	enum status status;
};

static enum status feed_piece(void *context, const char *piece, size_t length, struct failure *failure)
{
	return body_receive(context, piece, length, failure);
}

/* Reads as the server does: stores pieces until there are enough, then reads slice by slice before it receives more. */
static enum status hold_piece(void *context, const char *piece, size_t length, struct failure *failure)
{
	struct body *body = context;
	enum status status = body_hold(body, piece, length, failure);
	bool more = status == STATUS_OK && (body_holds_enough(body) || (length & 1) != 0);

	while (more && status == STATUS_OK)
		status = body_read(body, false, &more, failure);
	return status;
}

static enum status read_rest(struct body *body, struct failure *failure)
{
	enum status status = STATUS_OK;

	for (bool more = true; more && status == STATUS_OK;)
		status = body_read(body, true, &more, failure);
	CHECK(status != STATUS_OK || (body->ended && body->held.length == 0));
	return status;
}

static void read_body(struct reading *reading, const char *wire, size_t length)
{
	const struct body_sink sink = {sink_receive, sink_end, sink_memory, sink_release, &reading->collected, NULL};
	struct body body = {0};

	buffer_init(&reading->collected.bytes, PLAIN_MAX * 4);
	failure_clear(&reading->failure);
	reading->status = body_begin(
		&body, reading->encoding, reading->step == 3 ? length : 0, reading->limit, &reading->budget, &reading->failure);
	if (reading->status == STATUS_OK && reading->sunk)
		body_stream(&body, &sink);
	CHECK(reading->status != STATUS_OK || body_is_work(&body) == (reading->encoding[0] == 'g' || reading->sunk));
	if (reading->status == STATUS_OK)
		reading->status = input_feed(reading->held ? hold_piece : feed_piece, &body, wire, length, reading->step, &reading->failure);
	if (reading->status == STATUS_OK)
		reading->status = reading->held ? read_rest(&body, &reading->failure) : body_end(&body, &reading->failure);
	CHECK(body_out_bytes(&body) <= reading->limit && (reading->status == STATUS_OK) == (reading->failure.status == STATUS_OK));
	if (!reading->sunk)
		buffer_append(&reading->collected.bytes, body.bytes.bytes ? body.bytes.bytes : "", body.bytes.length);
	CHECK(!reading->sunk || reading->collected.ended == (reading->status == STATUS_OK));
	body_clear(&body);
	CHECK(atomic_load(&reading->budget.used_bytes) == 0);
	body_release(&body);
}

/* Decompresses all at once with zlib alone. Returns the length, or -1 if the bytes are not one gzip stream that ends
 * with the wire. */
static long unpack(const char *wire, size_t length, char *plain)
{
	z_stream stream = {.next_in = (const Bytef *)wire, .avail_in = (uInt)length, .next_out = (Bytef *)plain, .avail_out = PLAIN_MAX};
	int result;

	CHECK(inflateInit2(&stream, 15 + 16) == Z_OK);
	result = inflate(&stream, Z_FINISH);
	inflateEnd(&stream);
	return result == Z_STREAM_END && stream.avail_in == 0 ? (long)stream.total_out : -1;
}

/* Compresses `times` + 1 copies of the text as gzip, and may change or drop one byte. */
static size_t pack(const char *text, size_t length, unsigned times, unsigned damage, char *wire, size_t room)
{
	z_stream stream = {.next_out = (Bytef *)wire, .avail_out = (uInt)room};

	CHECK(deflateInit2(&stream, 1 + (int)(damage % 9), Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	for (unsigned i = 0; i <= times; i++) {
		stream.next_in = (const Bytef *)text;
		stream.avail_in = (uInt)length;
		if (deflate(&stream, i == times ? Z_FINISH : Z_NO_FLUSH) < Z_OK)
			break; /* the output is full: the rest is cut off */
	}
	deflateEnd(&stream);
	if (damage >= 0xc0)
		wire[(damage * 7919U) % stream.total_out] ^= (char)(1 << damage % 8);
	return stream.total_out - (damage >= 0xa0 && damage < 0xc0);
}

/* The first four bytes choose the operations, the limit, the repetitions of a text that is compressed here, and its
 * damage. */
void fuzz_one(struct input *input)
{
	static const size_t limits[] = {1 << 20, 0, 1, 100, 5000, 33000, 1 << 20, 1 << 20};
	static const char *const encodings[] = {"gzip", "", "identity", "x-gzip", "br", "gzip", "GZip", "gzip"};
	static char wire[1 << 17], plain[PLAIN_MAX];
	static struct reading whole, other;
	unsigned how = input_byte(input), limit = input_byte(input), times = input_byte(input), damage = input_byte(input);
	size_t length;
	const char *bytes = input_rest(input, &length);
	const char *encoding = encodings[how & 7];
	bool packed = encoding[0] == 'g' || encoding[0] == 'G' || encoding[0] == 'x';
	long expected;

	if (packed && (how & 8)) {
		length = pack(bytes, length, times, damage, wire, sizeof wire);
		bytes = wire;
	}
	whole = (struct reading){.encoding = encoding[0] == 'G' || encoding[0] == 'x' ? "gzip" : encoding,
		.limit = limits[limit & 7],
		.step = length + 1,
		.budget = {.maximum_bytes = SIZE_MAX}};
	read_body(&whole, bytes, length);
	other = (struct reading){.encoding = whole.encoding,
		.limit = whole.limit,
		.step = 1 + (how >> 4) * (how >> 4) * 17,
		.held = limit & 8,
		.sunk = limit & 16,
		.budget = {.maximum_bytes = limit & 32 ? (size_t)(limit >> 6) * 20000 : SIZE_MAX}};
	read_body(&other, bytes, length);
	CHECK(whole.status != STATUS_OVERLOADED);
	if (other.status != STATUS_OVERLOADED && other.status != STATUS_INVALID)
		CHECK((whole.status == STATUS_OK) == (other.status == STATUS_OK));
	if (whole.status == STATUS_OK && other.status == STATUS_OK)
		CHECK(whole.collected.bytes.length == other.collected.bytes.length &&
			(other.collected.bytes.length == 0 ||
				memcmp(whole.collected.bytes.bytes, other.collected.bytes.bytes, other.collected.bytes.length) == 0));
	if (packed && whole.limit == 1 << 20) {
		expected = unpack(bytes, length, plain);
		CHECK(expected < 0 || whole.status == STATUS_OK);
		CHECK(whole.status != STATUS_OK || whole.collected.bytes.length > PLAIN_MAX ||
			(expected == (long)whole.collected.bytes.length &&
				(expected == 0 || memcmp(plain, whole.collected.bytes.bytes, (size_t)expected) == 0)));
	}
	buffer_release(&whole.collected.bytes);
	buffer_release(&other.collected.bytes);
}
