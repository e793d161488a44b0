/* The number of parameters in a model's safetensors, from their headers:
 * https://huggingface.co/docs/safetensors/index#format. A file begins with the length of its header (8 bytes,
 * little-endian), then the header: JSON with the dtype, shape and place of each tensor. For weights in several files an
 * index names the files and their total size. Pure. */
#ifndef FLEETPLAN_HWDB_FEEDS_SAFETENSORS_H
#define FLEETPLAN_HWDB_FEEDS_SAFETENSORS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/failure.h"

enum { SAFETENSORS_LENGTH_BYTES = 8, SAFETENSORS_HEADER_MAX_BYTES = 8 * 1024 * 1024 - 8, SAFETENSORS_DTYPES_MAX = 16 };

struct safetensors {
	double params_total; /* numbers, if each is a parameter; absent where formats pack several into an integer */
	double bytes;        /* size of the tensors, from their places; absent where not stated */
	double tensors;
	const char *dtypes;     /* shares of the numbers: "BF16", "F32 1 %, BF16 99 %"; in the arena */
	const char *first_file; /* one of the files of an index; NULL */
	double bits;            /* of the most common dtype; absent: unknown */
};

/* Reads the length of the header from the first 8 bytes. MALFORMED: fewer bytes, or a length that no model has (0, or
 * above the maximum). The caller never fetches or allocates such a size. */
FALLIBLE enum status safetensors_header_length(const char *bytes, size_t length, uint64_t *header_bytes, struct failure *failure);

/* Reads a header. MALFORMED: not JSON, or not tensors of known formats with matching shapes and places. */
FALLIBLE enum status safetensors_header_read(
	const char *text, size_t length, struct arena *arena, struct safetensors *header, struct failure *failure);

/* Reads model.safetensors.index.json: total_parameters and total_size, if stated. MALFORMED: it names no files, or
 * files in another folder. */
FALLIBLE enum status safetensors_index_read(
	const char *text, size_t length, struct arena *arena, struct safetensors *index, struct failure *failure);

#endif
