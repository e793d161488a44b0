/* Any bytes as the body of an inference request, in pieces of any size. The reader always returns a status, the same
 * for every division into pieces, and ordered rows. Accepted rows are written as text that reads back as the same rows. */
#include "api/readers/arrival_reader.h"
#include "api/tables/tables.h"
#include "fuzz/input.h"

static enum status feed_reader(void *reader, const char *piece, size_t length, struct failure *failure)
{
	return arrival_reader_feed(reader, piece, length, failure);
}

static enum status read_in_pieces(
	struct arrival_reader *reader, const char *bytes, size_t size, size_t step, struct request_trace *trace, struct failure *failure)
{
	enum status status;

	failure_clear(failure);
	*trace = (struct request_trace){.arrivals = NULL};
	status = input_feed(feed_reader, reader, bytes, size, step, failure);
	if (status == STATUS_OK)
		status = arrival_reader_end(reader, failure);
	return status == STATUS_OK ? arrival_reader_take(reader, trace, failure) : status;
}

/* The first byte chooses the size of the pieces. */
void fuzz_one(struct input *input)
{
	static struct failure failure;
	size_t step = input_byte(input) % 64 + 1, length;
	const char *bytes = input_rest(input, &length);
	struct arrival_reader *reader = arrival_reader_new(), *whole = arrival_reader_new(), *again = arrival_reader_new();
	struct request_trace trace, expected, copied;
	struct json_text text;
	enum status status;

	CHECK(reader && whole && again);
	status = read_in_pieces(whole, bytes, length, length + 1, &expected, &failure);
	CHECK(read_in_pieces(reader, bytes, length, step, &trace, &failure) == status);
	CHECK(status == STATUS_OK || status == STATUS_MALFORMED || status == STATUS_INVALID || status == STATUS_TOO_LARGE);
	CHECK(trace.count == expected.count && (status == STATUS_OK || trace.count == 0));
	for (size_t i = 1; i < trace.count; i++)
		CHECK(trace.arrivals[i].t_s >= trace.arrivals[i - 1].t_s && trace.arrivals[i].prompt_tokens >= 1);
	if (status == STATUS_OK && arrival_reader_text(reader, &text, &failure) == STATUS_OK) {
		/* If a request has several lists of rows, only the last is written. The tables reject such a request. */
		CHECK(read_in_pieces(again, text.text, text.length, text.length + 1, &copied, &failure) == STATUS_OK);
		CHECK(copied.count >= trace.count);
	}
	arrival_reader_free(reader);
	arrival_reader_free(whole);
	arrival_reader_free(again);
}
