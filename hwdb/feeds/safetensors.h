/* How many parameters a model's safetensors hold, read from their headers: https://huggingface.co/docs/safetensors/index#format. A file
 * begins with the length of its header (8 bytes, little-endian), then the header: JSON with each tensor's dtype, shape and place. Of
 * weights in several files an index names those, and their size in all. Pure. */
#ifndef FLEETPLAN_HWDB_FEEDS_SAFETENSORS_H
#define FLEETPLAN_HWDB_FEEDS_SAFETENSORS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/failure.h"

enum { SAFETENSORS_LENGTH_BYTES = 8, SAFETENSORS_HEADER_MAX_BYTES = 8 * 1024 * 1024 - 8, SAFETENSORS_DTYPES_MAX = 16 };

struct safetensors {
	double params_total;  /* numbers, where each is a parameter; absent where formats pack several into an integer */
	double bytes;         /* of the tensors, by their places; absent where not told */
	double tensors;
	const char *dtypes;   /* "BF16", "F32 1 %, BF16 99 %": of the numbers; text of the arena */
	const char *first_file; /* of an index: one of its files; NULL */
	double bits;          /* of the prevailing dtype; absent where it is not known */
};

/* Length of the header by the first 8 bytes. MALFORMED: fewer bytes, or a header that no model has (0, or above the maximum): nothing of
 * that size is ever asked for or made room for. */
FALLIBLE enum status safetensors_header_length(const char *bytes, size_t length, uint64_t *header_bytes, struct failure *failure);

/* A header. MALFORMED: not JSON, or not tensors of known formats with shapes and places that fit each other. */
FALLIBLE enum status safetensors_header_read(const char *text, size_t length, struct arena *arena, struct safetensors *header, struct failure *failure);

/* model.safetensors.index.json: total_parameters and total_size where they are told. MALFORMED: it names no files, or names them elsewhere. */
FALLIBLE enum status safetensors_index_read(const char *text, size_t length, struct arena *arena, struct safetensors *index, struct failure *failure);

#endif
