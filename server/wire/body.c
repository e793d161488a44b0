#include "server/wire/body.h"

#define ZLIB_CONST
#include <stdint.h>
#include <strings.h>
#include <zlib.h>

enum { BODY_HOLD_BYTES = 64 * 1024, BODY_HOLD_MAX_BYTES = 1024 * 1024, BODY_SLICE_BYTES = 1024 * 1024 };
enum { BODY_KEEP_BYTES = 64 * 1024, BODY_UNPACK_STEP_BYTES = 32 * 1024, BODY_GZIP_WINDOW = 15 + 16 };

struct body_unpacker {
	z_stream stream;
	bool ended;
};

static enum status body_too_large(const struct body *body, struct failure *failure)
{
	if (body->limit_bytes == 0)
		return failure_set(failure, STATUS_TOO_LARGE, "this request must not have a body");
	return failure_set(failure, STATUS_TOO_LARGE, "the body is larger than the allowed %zu bytes%s", body->limit_bytes,
		body->unpacker ? " after decompression" : "");
}

static enum status body_encoding(struct body *body, const char *encoding, struct failure *failure)
{
	if (!encoding || !*encoding || strcasecmp(encoding, "identity") == 0)
		return STATUS_OK;
	if (strcasecmp(encoding, "gzip") != 0 && strcasecmp(encoding, "x-gzip") != 0)
		return failure_set(failure, STATUS_UNSUPPORTED_MEDIA, "the Content-Encoding of the body is not supported; use gzip or identity");
	body->unpacker = calloc(1, sizeof *body->unpacker);
	if (!body->unpacker || inflateInit2(&body->unpacker->stream, BODY_GZIP_WINDOW) != Z_OK) {
		free(body->unpacker);
		body->unpacker = NULL;
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to decompress the body");
	}
	return STATUS_OK;
}

enum status body_begin(struct body *body, const char *encoding, size_t announced_bytes, size_t limit_bytes, struct memory_budget *budget,
	struct failure *failure)
{
	body_clear(body);
	body->limit_bytes = limit_bytes;
	body->budget = budget;
	body->bytes.maximum = limit_bytes;
	body->held.maximum = BODY_HOLD_MAX_BYTES;
	if (announced_bytes > limit_bytes)
		return body_too_large(body, failure);
	return body_encoding(body, encoding, failure);
}

/* Charges the growth of the body's memory. */
static bool body_charge(struct body *body)
{
	size_t wanted = body->held.capacity + (body->sink.receive ? body->sink.memory_bytes(body->sink.state) : body->bytes.capacity), more;

	if (!body->budget || wanted <= body->charged_bytes)
		return true;
	more = wanted - body->charged_bytes;
	body->charged_bytes = wanted;
	return atomic_fetch_add(&body->budget->used_bytes, more) + more <= body->budget->maximum_bytes;
}

static enum status body_overloaded(struct failure *failure)
{
	failure->retry_after_s = 1;
	return failure_set(failure, STATUS_OVERLOADED, "the memory for request bodies and answers is full (--memory-mb); try again later");
}

size_t body_out_bytes(const struct body *body)
{
	return body->sink.receive ? body->passed_bytes : body->bytes.length;
}

static enum status body_pass(struct body *body, const char *bytes, size_t length, struct failure *failure)
{
	enum status status;

	if (length > body->limit_bytes - body->passed_bytes)
		return body_too_large(body, failure);
	body->passed_bytes += length;
	status = body->sink.receive(body->sink.state, bytes, length, failure);
	return status == STATUS_OK && !body_charge(body) ? body_overloaded(failure) : status;
}

static enum status body_store(struct body *body, const char *bytes, size_t length, struct failure *failure)
{
	if (body->sink.receive)
		return body_pass(body, bytes, length, failure);
	if (length > body->limit_bytes - body->bytes.length)
		return body_too_large(body, failure);
	buffer_append(&body->bytes, bytes, length);
	if (body->bytes.failed)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the body");
	return body_charge(body) ? STATUS_OK : body_overloaded(failure);
}

/* Decompresses until nothing is left, or about `most` bytes are output. *left: bytes of the piece that are not
 * consumed; *more: the rest has more output. */
static enum status body_unpack(
	struct body *body, const char *piece, size_t length, size_t most, size_t *left, bool *more, struct failure *failure)
{
	size_t before = body_out_bytes(body);
	z_stream *stream = &body->unpacker->stream;
	unsigned char out[BODY_UNPACK_STEP_BYTES];

	*left = 0;
	*more = false;
	stream->next_in = (const Bytef *)piece;
	stream->avail_in = (uInt)length;
	do {
		enum status status;
		int result;

		*more = false;
		if (body->unpacker->ended)
			return stream->avail_in == 0 ? STATUS_OK
										 : failure_set(failure, STATUS_MALFORMED, "the body has more bytes after the end of its gzip data");
		stream->next_out = out;
		stream->avail_out = sizeof out;
		result = inflate(stream, Z_NO_FLUSH);
		if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
			return failure_set(failure, STATUS_MALFORMED, "the body is not valid gzip");
		body->unpacker->ended = result == Z_STREAM_END;
		status = body_store(body, (const char *)out, sizeof out - stream->avail_out, failure);
		if (status != STATUS_OK)
			return status;
		*left = stream->avail_in;
		*more = stream->avail_in > 0 || stream->avail_out == 0;
	} while (*more && body_out_bytes(body) - before < most);
	return STATUS_OK;
}

enum status body_receive(struct body *body, const char *piece, size_t length, struct failure *failure)
{
	size_t left;
	bool more;

	body->wire_bytes += length;
	if (body->wire_bytes > body->limit_bytes)
		return body_too_large(body, failure);
	return body->unpacker ? body_unpack(body, piece, length, SIZE_MAX, &left, &more, failure) : body_store(body, piece, length, failure);
}

bool body_is_work(const struct body *body)
{
	return body->unpacker || body->sink.receive;
}

enum status body_hold(struct body *body, const char *piece, size_t length, struct failure *failure)
{
	body->wire_bytes += length;
	if (body->wire_bytes > body->limit_bytes)
		return body_too_large(body, failure);
	buffer_append(&body->held, piece, length);
	if (body->held.failed)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the body");
	return body_charge(body) ? STATUS_OK : body_overloaded(failure);
}

bool body_holds_enough(const struct body *body)
{
	return body->held.length >= BODY_HOLD_BYTES;
}

enum status body_read(struct body *body, bool whole, bool *more, struct failure *failure)
{
	const char *piece = body->held.bytes ? body->held.bytes + body->held_at : "";
	size_t length = body->held.length - body->held_at, left = 0;
	enum status status = STATUS_OK;

	*more = false;
	if (body->unpacker && (length > 0 || body->more_out)) {
		status = body_unpack(body, piece, length, BODY_SLICE_BYTES, &left, more, failure);
		body->more_out = *more &= status == STATUS_OK;
	} else if (length > 0) {
		status = body_store(body, piece, length, failure);
	}
	body->held_at = body->held.length - left;
	if (status != STATUS_OK || *more)
		return status;
	buffer_clear(&body->held);
	body->held_at = 0;
	body->ended = whole;
	return whole ? body_end(body, failure) : STATUS_OK;
}

enum status body_end(struct body *body, struct failure *failure)
{
	if (body->unpacker && !body->unpacker->ended)
		return failure_set(failure, STATUS_MALFORMED, "the gzip body is cut short");
	return body->sink.receive ? body->sink.end(body->sink.state, failure) : STATUS_OK;
}

void body_stream(struct body *body, const struct body_sink *sink)
{
	body->sink = *sink;
}

void body_clear(struct body *body)
{
	if (body->sink.receive)
		body->sink.release(body->sink.state);
	body->sink = (struct body_sink){.receive = NULL};
	body->passed_bytes = body->held_at = 0;
	body->ended = body->more_out = false;
	buffer_release(&body->held);
	if (body->unpacker) {
		inflateEnd(&body->unpacker->stream);
		free(body->unpacker);
		body->unpacker = NULL;
	}
	if (body->budget)
		atomic_fetch_sub(&body->budget->used_bytes, body->charged_bytes);
	if (body->bytes.capacity > BODY_KEEP_BYTES)
		buffer_release(&body->bytes);
	else
		buffer_clear(&body->bytes);
	body->charged_bytes = body->wire_bytes = body->limit_bytes = 0;
	body->budget = NULL;
}

void body_release(struct body *body)
{
	body_clear(body);
	buffer_release(&body->bytes);
}
