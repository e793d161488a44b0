/* The body of POST /v1/diagnoses, read as it arrives into what a handler then asks for. */
#ifndef FLEETPLAN_SERVER_DIAGNOSIS_BODY_H
#define FLEETPLAN_SERVER_DIAGNOSIS_BODY_H

#include <sodium.h>

#include "api/readers/trace_reader.h"
#include "server/wire/body.h"

struct diagnosis_body {
	struct trace_reader *reader;
	crypto_hash_sha256_state hash; /* of the body after decompression: a trace is answered by it */
	unsigned char digest[crypto_hash_sha256_BYTES]; /* after the end */
};

/* Makes an empty body and the sink that fills it; NO_MEMORY. The sink's release frees both. */
FALLIBLE enum status diagnosis_body_open(struct body_sink *sink, struct failure *failure);

#endif
