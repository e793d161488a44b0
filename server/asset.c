/* Sends files unchanged, with their tag and their gzip twin (handler.h). */
#include <pthread.h>
#include <sodium.h>

#include "server/exchange.h"
#include "server/wire/compress.h"

enum { ASSET_TAG_BYTES = 12 };

struct asset_twin {
	char tag[ASSET_TAG_BYTES * 2 + 1]; /* the beginning of the content's hash */
	struct buffer packed;
};

static struct asset_twin *asset_twin_new(const struct asset *asset)
{
	struct asset_twin *twin = calloc(1, sizeof *twin);
	unsigned char hash[crypto_hash_sha256_BYTES];
	size_t length = (size_t)(asset->end - asset->begin);

	if (!twin)
		return NULL;
	crypto_hash_sha256(hash, (const unsigned char *)asset->begin, length);
	sodium_bin2hex(twin->tag, sizeof twin->tag, hash, ASSET_TAG_BYTES);
	buffer_init(&twin->packed, length);
	if (length >= COMPRESS_LEAST_BYTES)
		compress_gzip(asset->begin, length, &twin->packed);
	return twin;
}

static const struct asset_twin *asset_twin_of(struct asset *asset)
{
	static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
	const struct asset_twin *twin;

	pthread_mutex_lock(&making);
	if (!asset->twin)
		asset->twin = asset_twin_new(asset);
	twin = asset->twin;
	pthread_mutex_unlock(&making);
	return twin;
}

enum status call_asset(struct call *call, struct asset *asset)
{
	struct exchange *exchange = exchange_of(call);
	const struct asset_twin *twin = asset_twin_of(asset);

	if (!twin)
		return failure_set(&call->failure, STATUS_NO_MEMORY, "no memory for this file");
	if (call_tag_not_modified(call, twin->tag))
		return STATUS_OK;
	call->answer_media = asset->media;
	exchange->fixed = asset->begin;
	exchange->fixed_length = (size_t)(asset->end - asset->begin);
	if (twin->packed.length && media_accepts_gzip(exchange->headers[HEADER_ACCEPT_ENCODING])) {
		exchange->fixed_packed = twin->packed.bytes;
		exchange->fixed_packed_length = twin->packed.length;
	}
	return STATUS_OK;
}
