/* The built-in data: accelerators, models, prices and regions of hwdb/data/, embedded at build time.
 *
 * Rows have the origin "builtin" and their own source and date. Storage writes them to the database at the first start
 * and whenever the digest differs from that of the last start (struct builtin_update); rows that a user changed stay.
 * Models come without their `model` member, which catalogue_new() fills. Thread-safe: the data are constant. */
#ifndef FLEETPLAN_HWDB_ROWS_BUILTIN_H
#define FLEETPLAN_HWDB_ROWS_BUILTIN_H

#include "hwdb/catalogue/catalogue.h"

enum { BUILTIN_DIGEST_MAX = 17 };

/* Reads all built-in rows. Text is in the arena or in the program itself. A failure is a fault of the built-in data,
 * named by file and line; tests check that there is none. Uses about 2 MB of arena. */
FALLIBLE enum status builtin_rows_read(struct arena *arena, struct catalogue_rows *rows, struct failure *failure);

/* Writes the hexadecimal FNV-1a (64 bits) of all embedded bytes, which changes with the built-in data. */
void builtin_digest(char out[BUILTIN_DIGEST_MAX]);

#endif
