/* Counts the wrong API keys of each address within a minute. A client that tries keys is slowed down; right keys from
 * the same address are not.
 *
 * The table is bounded. An address can use one of four places. If all are in use, a new address replaces the one with
 * the fewest wrong keys, so that an address that keeps trying stays. A guess of 256 bits is hopeless anyway: the table
 * saves work and log lines. Thread-safe. */
#ifndef FLEETPLAN_SERVER_WIRE_WRONG_KEYS_H
#define FLEETPLAN_SERVER_WIRE_WRONG_KEYS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { WRONG_KEYS_A_MINUTE = 30, WRONG_KEYS_PLACES = 4, WRONG_KEYS_ADDRESSES = 1024 };

struct wrong_keys {
	pthread_mutex_t mutex;
	struct {
		uint64_t address;
		int64_t until_ns; /* end of its minute; 0: empty */
		unsigned count;
	} places[WRONG_KEYS_ADDRESSES];
};

void wrong_keys_init(struct wrong_keys *keys);
void wrong_keys_release(struct wrong_keys *keys);

/* Counts one more wrong key of this address (for IPv6 of its /64, server/wire/peer.h). Returns the seconds after which
 * the address may try again; 0: now. *first (not NULL): this key is the first one beyond the limit. */
int wrong_keys_count(struct wrong_keys *keys, uint64_t address, int64_t now_ns, bool *first);

#endif
