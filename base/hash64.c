#include "base/hash64.h"

#include <endian.h>
#include <string.h>

enum { LANES = 4, LANE_BYTES = 8, STRIPE_BYTES = LANES * LANE_BYTES };

/* The specification's primes. */
static const uint64_t p1 = 0x9e3779b185ebca87U, p2 = 0xc2b2ae3d27d4eb4fU, p3 = 0x165667b19e3779f9U, p4 = 0x85ebca77c2b2ae63U,
	p5 = 0x27d4eb2f165667c5U;

static uint64_t rotate(uint64_t value, unsigned bits)
{
	return value << bits | value >> (64 - bits);
}

static uint64_t read64(const unsigned char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof value);
	return le64toh(value);
}

static uint64_t read32(const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof value);
	return le32toh(value);
}

static uint64_t mix(uint64_t lane, uint64_t input)
{
	return rotate(lane + input * p2, 31) * p1;
}

/* Whole stripes, in four lanes that do not wait for each other. */
static uint64_t hash_stripes(const unsigned char *at, const unsigned char *end, uint64_t seed)
{
	uint64_t lanes[LANES] = {seed + p1 + p2, seed + p2, seed, seed - p1}, hash;

	for (; at < end; at += STRIPE_BYTES) {
		lanes[0] = mix(lanes[0], read64(at));
		lanes[1] = mix(lanes[1], read64(at + LANE_BYTES));
		lanes[2] = mix(lanes[2], read64(at + 2 * LANE_BYTES));
		lanes[3] = mix(lanes[3], read64(at + 3 * LANE_BYTES));
	}
	hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
	for (size_t i = 0; i < LANES; i++)
		hash = (hash ^ mix(0, lanes[i])) * p1 + p4;
	return hash;
}

/* What is left: fewer bytes than a stripe has. */
static uint64_t hash_rest(const unsigned char *at, size_t length, uint64_t hash)
{
	for (; length >= 8; at += 8, length -= 8)
		hash = rotate(hash ^ mix(0, read64(at)), 27) * p1 + p4;
	for (; length >= 4; at += 4, length -= 4)
		hash = rotate(hash ^ read32(at) * p1, 23) * p2 + p3;
	for (; length > 0; at++, length--)
		hash = rotate(hash ^ *at * p5, 11) * p1;
	return hash;
}

uint64_t hash64(const void *bytes, size_t length, uint64_t seed)
{
	const unsigned char *at = bytes;
	size_t striped = length / STRIPE_BYTES * STRIPE_BYTES;
	uint64_t hash = striped ? hash_stripes(at, at + striped, seed) : seed + p5;

	hash = hash_rest(at + striped, length - striped, hash + length);
	hash = (hash ^ hash >> 33) * p2;
	hash = (hash ^ hash >> 29) * p3;
	return hash ^ hash >> 32;
}
