#include "server/inference_body.h"

static enum status inference_receive(void *state, const char *piece, size_t length, struct failure *failure)
{
	struct inference_body *body = state;

	crypto_hash_sha256_update(&body->hash, (const unsigned char *)piece, length);
	return arrival_reader_feed(body->reader, piece, length, failure);
}

static enum status inference_end(void *state, struct failure *failure)
{
	struct inference_body *body = state;

	crypto_hash_sha256_final(&body->hash, body->digest);
	return arrival_reader_end(body->reader, failure);
}

static size_t inference_memory_bytes(const void *state)
{
	const struct inference_body *body = state;

	return sizeof *body + arrival_reader_memory_bytes(body->reader);
}

static void inference_release(void *state)
{
	struct inference_body *body = state;

	arrival_reader_free(body->reader);
	free(body);
}

enum status inference_body_open(struct body_sink *sink, struct failure *failure)
{
	struct inference_body *body = calloc(1, sizeof *body);

	if (body)
		body->reader = arrival_reader_new();
	if (!body || !body->reader) {
		free(body);
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the body");
	}
	crypto_hash_sha256_init(&body->hash);
	*sink = (struct body_sink){.receive = inference_receive,
		.end = inference_end,
		.memory_bytes = inference_memory_bytes,
		.release = inference_release,
		.state = body,
		.sha256 = body->digest};
	return STATUS_OK;
}

enum status inference_body_decode(const struct inference_body *body, struct estimate *estimate)
{
	const struct buffer *text = arrival_reader_request(body->reader);
	enum status status = estimate_decode(estimate, text->bytes ? text->bytes : "", text->length);
	struct inference_request *request = estimate->request;

	if (status != STATUS_OK && status != STATUS_INVALID)
		return status;
	return arrival_reader_take(body->reader, &request->trace, estimate->failure);
}
