/* Reads the body of an inference request while it arrives: its trace as rows of numbers, the rest as text. */
#ifndef FLEETPLAN_SERVER_INFERENCE_BODY_H
#define FLEETPLAN_SERVER_INFERENCE_BODY_H

#include <sodium.h>

#include "api/readers/arrival_reader.h"
#include "server/wire/body.h"
#include "service/estimate.h"

struct inference_body {
	struct arrival_reader *reader;
	crypto_hash_sha256_state hash;                  /* of the decompressed body */
	unsigned char digest[crypto_hash_sha256_BYTES]; /* valid after the end of the body */
};

/* Makes an empty body and the sink that fills it. The sink's release frees both. STATUS_NO_MEMORY. */
FALLIBLE enum status inference_body_open(struct body_sink *sink, struct failure *failure);

/* Decodes the body; replaces estimate_decode(). The estimate borrows the body's rows until it is computed. */
FALLIBLE enum status inference_body_decode(const struct inference_body *body, struct estimate *estimate);

#endif
