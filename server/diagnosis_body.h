/* Reads the body of POST /v1/diagnoses while it arrives; the handler then uses the trace reader. */
#ifndef FLEETPLAN_SERVER_DIAGNOSIS_BODY_H
#define FLEETPLAN_SERVER_DIAGNOSIS_BODY_H

#include <sodium.h>

#include "api/readers/trace_reader.h"
#include "server/wire/body.h"

struct diagnosis_body {
	struct trace_reader *reader;
	crypto_hash_sha256_state hash;                  /* of the decompressed body; identifies the trace in the answer */
	unsigned char digest[crypto_hash_sha256_BYTES]; /* valid after the end of the body */
};

/* Makes an empty body and the sink that fills it. The sink's release frees both. STATUS_NO_MEMORY. */
FALLIBLE enum status diagnosis_body_open(struct body_sink *sink, struct failure *failure);

#endif
