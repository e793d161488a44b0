/* Any bytes as the body of a diagnosis, in pieces of any size: a status always, the same for every cut into pieces, memory
 * within its bounds, and finite figures of what is taken. */
#include "api/tables.h"
#include "api/trace_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum status read_in_pieces(struct trace_reader *reader, const char *bytes, size_t size, size_t step, struct failure *failure)
{
	enum status status = STATUS_OK;

	for (size_t at = 0; at < size && status == STATUS_OK; at += step)
		status = trace_reader_feed(reader, bytes + at, size - at < step ? size - at : step, failure);
	return status == STATUS_OK ? trace_reader_end(reader, failure) : status;
}

/* The first byte chooses the size of the pieces. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct failure failure;
	static struct trace_summary summary;
	const char *bytes = size ? (const char *)data + 1 : "";
	size_t length = size ? size - 1 : 0;
	struct trace_reader *reader = trace_reader_new(), *whole = trace_reader_new();
	struct step_timings mean;
	enum status status, expected;

	CHECK(reader && whole);
	failure_clear(&failure);
	expected = read_in_pieces(whole, bytes, length, length + 1, &failure);
	failure_clear(&failure);
	status = read_in_pieces(reader, bytes, length, size ? data[0] % 64 + 1U : 1, &failure);
	CHECK(status == expected);
	CHECK(status == STATUS_OK || status == STATUS_MALFORMED || status == STATUS_INVALID || status == STATUS_TOO_LARGE);
	CHECK(trace_reader_memory_bytes(reader) < 1024 * 1024);
	summary = (struct trace_summary){.step_count = 0};
	if (status == STATUS_OK && trace_reader_has_events(reader) &&
		trace_reader_summarize(reader, &summary, &mean, &failure) == STATUS_OK) {
		CHECK(isfinite(mean.step_time_ms) && mean.step_time_ms > 0);
		CHECK(isnan(mean.compute_ms) || (mean.compute_ms >= 0 && mean.compute_ms <= mean.step_time_ms * (1 + 1e-9)));
	}
	trace_reader_free(reader);
	trace_reader_free(whole);
	return 0;
}
