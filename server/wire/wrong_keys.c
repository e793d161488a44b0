#include "server/wire/wrong_keys.h"

#define NS_PER_S INT64_C(1000000000)

void wrong_keys_init(struct wrong_keys *keys)
{
	*keys = (struct wrong_keys){.places = {{0}}};
	pthread_mutex_init(&keys->mutex, NULL);
}

void wrong_keys_release(struct wrong_keys *keys)
{
	pthread_mutex_destroy(&keys->mutex);
}

/* Fibonacci hashing: neighbouring addresses get distant places. */
static unsigned first_place(uint64_t address)
{
	return (unsigned)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % (WRONG_KEYS_ADDRESSES / WRONG_KEYS_PLACES) * WRONG_KEYS_PLACES;
}

/* Returns the address's own place, else a place whose minute is over, else the place with the fewest wrong keys. The
 * caller holds the mutex. */
static unsigned place_of(const struct wrong_keys *keys, uint64_t address, int64_t now_ns)
{
	unsigned first = first_place(address), best = first;

	for (unsigned i = first; i < first + WRONG_KEYS_PLACES; i++) {
		if (keys->places[i].until_ns > now_ns && keys->places[i].address == address)
			return i;
		if (keys->places[best].until_ns > now_ns && (keys->places[i].until_ns <= now_ns || keys->places[i].count < keys->places[best].count))
			best = i;
	}
	return best;
}

int wrong_keys_count(struct wrong_keys *keys, uint64_t address, int64_t now_ns, bool *first)
{
	int64_t left_ns = 0;
	unsigned place;

	pthread_mutex_lock(&keys->mutex);
	place = place_of(keys, address, now_ns);
	if (keys->places[place].until_ns <= now_ns || keys->places[place].address != address) {
		keys->places[place].address = address;
		keys->places[place].until_ns = now_ns + 60 * NS_PER_S;
		keys->places[place].count = 0;
	}
	*first = keys->places[place].count == WRONG_KEYS_A_MINUTE;
	if (keys->places[place].count <= WRONG_KEYS_A_MINUTE)
		keys->places[place].count++;
	if (keys->places[place].count > WRONG_KEYS_A_MINUTE)
		left_ns = keys->places[place].until_ns - now_ns;
	pthread_mutex_unlock(&keys->mutex);
	return left_ns > 0 ? (int)((left_ns + NS_PER_S - 1) / NS_PER_S) : 0;
}
