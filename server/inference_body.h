/* The body of an inference request, read as it arrives: its trace as rows of numbers, the rest as text. */
#ifndef FLEETPLAN_SERVER_INFERENCE_BODY_H
#define FLEETPLAN_SERVER_INFERENCE_BODY_H

#include <sodium.h>

#include "api/readers/arrival_reader.h"
#include "server/wire/body.h"
#include "service/estimate.h"

struct inference_body {
	struct arrival_reader *reader;
	crypto_hash_sha256_state hash; /* of the body after decompression */
	unsigned char digest[crypto_hash_sha256_BYTES]; /* after the end */
};

/* Makes an empty body and the sink that fills it; NO_MEMORY. The sink's release frees both. */
FALLIBLE enum status inference_body_open(struct body_sink *sink, struct failure *failure);

/* Decodes what was read, in place of estimate_decode(). The estimate borrows the body's rows until it is computed. */
FALLIBLE enum status inference_body_decode(const struct inference_body *body, struct estimate *estimate);

#endif
