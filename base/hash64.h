/* A fast 64-bit hash of bytes: tells damage, not forgery. XXH64 of the xxHash specification (Collet 2014-2023): the same on
 * every machine, so that it can be stored. */
#ifndef FLEETPLAN_BASE_HASH64_H
#define FLEETPLAN_BASE_HASH64_H

#include <stddef.h>
#include <stdint.h>

/* Hashes of several parts are chained by giving that of the one before as the seed of the next. */
uint64_t hash64(const void *bytes, size_t length, uint64_t seed);

#endif
