#include "server/import_body.h"

static enum status import_receive(void *state, const char *piece, size_t length, struct failure *failure)
{
	struct import_body *body = state;

	crypto_hash_sha256_update(&body->hash, (const unsigned char *)piece, length);
	body->bytes += length;
	return row_reader_feed(body->reader, piece, length, failure);
}

static enum status import_end(void *state, struct failure *failure)
{
	struct import_body *body = state;

	crypto_hash_sha256_final(&body->hash, body->digest);
	return row_reader_end(body->reader, failure);
}

static size_t import_memory_bytes(const void *state)
{
	const struct import_body *body = state;

	return sizeof *body + row_reader_memory_bytes(body->reader);
}

static void import_release(void *state)
{
	struct import_body *body = state;

	row_reader_free(body->reader);
	free(body);
}

enum status import_body_open(const struct field_table *table, enum media media, struct body_sink *sink, struct failure *failure)
{
	struct import_body *body = calloc(1, sizeof *body);

	if (body)
		body->reader = row_reader_new(table, media == MEDIA_CSV ? ROW_FORM_CSV : ROW_FORM_JSON);
	if (!body || !body->reader) {
		free(body);
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the body");
	}
	crypto_hash_sha256_init(&body->hash);
	*sink = (struct body_sink){.receive = import_receive,
		.end = import_end,
		.memory_bytes = import_memory_bytes,
		.release = import_release,
		.state = body,
		.sha256 = body->digest};
	return STATUS_OK;
}
