/* Any bytes as the body of a diagnosis, in pieces of any size. The reader always returns a status, the same for every
 * division into pieces, stays within its memory bounds, and gives finite figures for an accepted body. */
#include "api/readers/trace_reader.h"
#include "api/tables/tables.h"
#include "fuzz/input.h"

static enum status feed_reader(void *reader, const char *piece, size_t length, struct failure *failure)
{
	return trace_reader_feed(reader, piece, length, failure);
}

static enum status read_in_pieces(struct trace_reader *reader, const char *bytes, size_t size, size_t step, struct failure *failure)
{
	enum status status = input_feed(feed_reader, reader, bytes, size, step, failure);

	return status == STATUS_OK ? trace_reader_end(reader, failure) : status;
}

/* The first byte chooses the size of the pieces. */
void fuzz_one(struct input *input)
{
	static struct failure failure;
	static struct trace_summary summary;
	size_t step = input_byte(input) % 64 + 1, length;
	const char *bytes = input_rest(input, &length);
	struct trace_reader *reader = trace_reader_new(), *whole = trace_reader_new();
	struct step_timings mean;
	enum status status, expected;

	CHECK(reader && whole);
	failure_clear(&failure);
	expected = read_in_pieces(whole, bytes, length, length + 1, &failure);
	failure_clear(&failure);
	status = read_in_pieces(reader, bytes, length, step, &failure);
	CHECK(status == expected);
	CHECK(status == STATUS_OK || status == STATUS_MALFORMED || status == STATUS_INVALID || status == STATUS_TOO_LARGE);
	CHECK(trace_reader_memory_bytes(reader) < 1024 * 1024);
	if (status == STATUS_OK && trace_reader_request(reader))
		CHECK(trace_reader_request(reader)->length <= TRACE_KEPT_MAX_BYTES);
	summary = (struct trace_summary){.step_count = 0};
	if (status == STATUS_OK && trace_reader_has_events(reader) && trace_reader_summarize(reader, &summary, &mean, &failure) == STATUS_OK) {
		CHECK(isfinite(mean.step_time_ms) && mean.step_time_ms > 0);
		CHECK(isnan(mean.compute_ms) || (mean.compute_ms >= 0 && mean.compute_ms <= mean.step_time_ms * (1 + 1e-9)));
	}
	trace_reader_free(reader);
	trace_reader_free(whole);
}
