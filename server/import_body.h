/* Reads the body of an import into rows while it arrives. */
#ifndef FLEETPLAN_SERVER_IMPORT_BODY_H
#define FLEETPLAN_SERVER_IMPORT_BODY_H

#include <sodium.h>

#include "api/media.h"
#include "schema/row_reader.h"
#include "server/wire/body.h"

struct import_body {
	struct row_reader *reader;
	crypto_hash_sha256_state hash; /* of the decompressed body */
	size_t bytes;
	unsigned char digest[crypto_hash_sha256_BYTES]; /* valid after the end of the body */
};

/* Makes an empty body and the sink that fills it. The sink's release frees both. STATUS_NO_MEMORY. */
FALLIBLE enum status import_body_open(const struct field_table *table, enum media media, struct body_sink *sink, struct failure *failure);

#endif
