/* How many wrong keys an address has shown in this minute: whoever tries keys is slowed, and right keys of the same address are not.
 *
 * The table is bounded. An address has one of four places; where all are taken, the newcomer has that of the one that showed the fewest, so that
 * who goes on trying stays. A guess of 256 bits is hopeless anyway: what is saved is work and log. Thread-safe. */
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
		int64_t until_ns; /* the end of its minute; 0: empty */
		unsigned count;
	} places[WRONG_KEYS_ADDRESSES];
};

void wrong_keys_init(struct wrong_keys *keys);
void wrong_keys_release(struct wrong_keys *keys);

/* One more of this address (of IPv6 a /64, server/wire/peer.h). Seconds after which it may try again, 0: it may now. *first (not NULL): this is the one
 * that was too many. */
int wrong_keys_count(struct wrong_keys *keys, uint64_t address, int64_t now_ns, bool *first);

#endif
