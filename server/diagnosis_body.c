#include "server/diagnosis_body.h"

static enum status diagnosis_receive(void *state, const char *piece, size_t length, struct failure *failure)
{
	struct diagnosis_body *body = state;

	crypto_hash_sha256_update(&body->hash, (const unsigned char *)piece, length);
	return trace_reader_feed(body->reader, piece, length, failure);
}

static enum status diagnosis_end(void *state, struct failure *failure)
{
	struct diagnosis_body *body = state;

	crypto_hash_sha256_final(&body->hash, body->digest);
	return trace_reader_end(body->reader, failure);
}

static size_t diagnosis_memory_bytes(const void *state)
{
	const struct diagnosis_body *body = state;

	return sizeof *body + trace_reader_memory_bytes(body->reader);
}

static void diagnosis_release(void *state)
{
	struct diagnosis_body *body = state;

	trace_reader_free(body->reader);
	free(body);
}

enum status diagnosis_body_open(struct body_sink *sink, struct failure *failure)
{
	struct diagnosis_body *body = calloc(1, sizeof *body);

	if (body)
		body->reader = trace_reader_new();
	if (!body || !body->reader) {
		free(body);
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the body");
	}
	crypto_hash_sha256_init(&body->hash);
	*sink = (struct body_sink){
		.receive = diagnosis_receive, .end = diagnosis_end, .memory_bytes = diagnosis_memory_bytes, .release = diagnosis_release, .state = body};
	return STATUS_OK;
}
