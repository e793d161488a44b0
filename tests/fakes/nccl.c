/* A stand-in for libnccl.so.2. A reduction runs in a group, after the last rank has given its part. */
#include <stdlib.h>
#include <string.h>

#include "fake_gpu.h"

enum { RANKS_MAX = 8, INVALID_USAGE = 5 };

struct communicator {
	int rank, ranks;
};

static struct part {
	const float *from;
	float *to;
	size_t count;
	struct communicator *communicator;
	struct fake_stream *stream;
} parts[RANKS_MAX];
static int part_count, depth;

FAKE_EXPORT int ncclGetVersion(int *version)
{
	*version = 22809;
	return 0;
}

FAKE_EXPORT const char *ncclGetErrorString(int code)
{
	return code == INVALID_USAGE ? "invalid usage" : "unhandled system error";
}

FAKE_EXPORT int ncclCommInitAll(struct communicator **communicators, int count, const int *devices)
{
	if (fake_number("nccl_init", 0) > 0)
		return (int)fake_number("nccl_init", 0);
	for (int i = 0; i < count; i++) {
		communicators[i] = calloc(1, sizeof(*communicators[i]));
		*communicators[i] = (struct communicator){devices[i], count};
	}
	return 0;
}

FAKE_EXPORT int ncclCommDestroy(struct communicator *communicator)
{
	free(communicator);
	return 0;
}

FAKE_EXPORT int ncclCommAbort(struct communicator *communicator)
{
	free(communicator);
	return 0;
}

FAKE_EXPORT int ncclCommGetAsyncError(struct communicator *communicator, int *code)
{
	(void)communicator;
	*code = 0;
	return 0;
}

FAKE_EXPORT int ncclGroupStart(void)
{
	depth++;
	return 0;
}

FAKE_EXPORT int ncclAllReduce(
	const void *from, void *to, size_t count, int type, int operation, struct communicator *communicator, struct fake_stream *stream)
{
	if (!depth || type != 7 || operation != 0 || part_count == RANKS_MAX)
		return INVALID_USAGE;
	parts[part_count++] = (struct part){from, to, count, communicator, stream};
	return 0;
}

/* The time is a latency plus 2 (n - 1) / n of the bytes at the rate of the bus. The tests fit both again. */
FAKE_EXPORT int ncclGroupEnd(void)
{
	int ranks = part_count, code = 0;
	double seconds;

	part_count = 0;
	if (--depth < 0 || !ranks || ranks != parts[0].communicator->ranks)
		return INVALID_USAGE;
	for (int i = 0; i < ranks && !code; i++)
		code = parts[i].count == parts[0].count ? 0 : INVALID_USAGE;
	for (size_t j = 0; j < parts[0].count && !code; j++) {
		float sum = 0;

		for (int i = 0; i < ranks; i++)
			sum += parts[i].from[j];
		for (int i = 0; i < ranks; i++)
			parts[i].to[j] = sum;
	}
	seconds = fake_number("nccl_latency_s", 20e-6) +
		2.0 * (ranks - 1) / ranks * (double)parts[0].count * sizeof(float) / fake_number("nccl_bytes_per_s", 380e9);
	for (int i = 0; i < ranks; i++)
		fake_advance(parts[i].stream, seconds);
	return code;
}
