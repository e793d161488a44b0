/* The data that the program carries: accelerators, models, prices and regions under hwdb/data/, embedded at build.
 *
 * Rows have origin "builtin" and their own source and date. Storage puts them into the database at the first start and
 * whenever the digest differs from that of the last start (struct builtin_update); rows that a user changed stay.
 * Models come without their `model` member, which catalogue_new() reads. Thread-safe: the data are constant. */
#ifndef FLEETPLAN_HWDB_ROWS_BUILTIN_H
#define FLEETPLAN_HWDB_ROWS_BUILTIN_H

#include "hwdb/catalogue/catalogue.h"

enum { BUILTIN_DIGEST_MAX = 17 };

/* All built-in rows, text in the arena or in the program itself. A failure is a fault in the
 * data that was built in, named by file and line; the tests hold that there is none. Takes about 2 MB of arena. */
FALLIBLE enum status builtin_rows_read(struct arena *arena, struct catalogue_rows *rows, struct failure *failure);

/* Hexadecimal FNV-1a (64 bits) of every embedded byte: changes when the built-in data change. */
void builtin_digest(char out[BUILTIN_DIGEST_MAX]);

#endif
