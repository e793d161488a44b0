#include "base/uuid.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/random.h>

#include "base/clock.h"

static pthread_mutex_t uuid_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t uuid_last; /* 48 bits of milliseconds, then a 12-bit counter */

/* Milliseconds and counter of the next id: always more than those of the id before, even if the clock steps back. */
static uint64_t uuid_next_stamp(uint16_t random12)
{
	uint64_t stamp = (uint64_t)(clock_even_us() / 1000) << 12 | (random12 & 0x7ffu);

	pthread_mutex_lock(&uuid_lock);
	if (stamp <= uuid_last)
		stamp = uuid_last + 1;
	uuid_last = stamp;
	pthread_mutex_unlock(&uuid_lock);
	return stamp;
}

/* Returns ten random bytes from the calling thread's supply: one system call for 25 ids. A child of fork() would
 * repeat the bytes of its parent's supply; Fleetplan's children exec at once, or are forked before the first id. */
static const unsigned char *uuid_random(void)
{
	static _Thread_local unsigned char supply[250];
	static _Thread_local size_t left;

	if (left == 0) {
		CHECK(getrandom(supply, sizeof supply, 0) == (ssize_t)sizeof supply);
		left = sizeof supply;
	}
	left -= 10;
	return supply + left;
}

static char *uuid_hex(char *out, int digits, uint64_t value)
{
	for (int i = digits - 1; i >= 0; i--, value >>= 4)
		out[i] = "0123456789abcdef"[value & 15];
	out[digits] = '-';
	return out + digits + 1;
}

void uuid_make(char *out)
{
	const unsigned char *random = uuid_random();
	uint64_t stamp = uuid_next_stamp((uint16_t)(random[0] << 8 | random[1])), tail = 0;

	for (int i = 2; i < 10; i++)
		tail = tail << 8 | random[i];
	tail = (tail & 0x3fffffffffffffffu) | 0x8000000000000000u; /* variant 10 */
	out = uuid_hex(out, 8, stamp >> 28);
	out = uuid_hex(out, 4, stamp >> 12);
	out = uuid_hex(out, 4, 0x7000 | (stamp & 0xfff)); /* version 7 */
	out = uuid_hex(out, 4, tail >> 48);
	out = uuid_hex(out, 12, tail);
	out[-1] = '\0';
}

bool uuid_valid(const char *text)
{
	for (int i = 0; i < UUID_TEXT_SIZE - 1; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		bool hex = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');

		if (dash ? text[i] != '-' : !hex)
			return false;
	}
	return text[UUID_TEXT_SIZE - 1] == '\0';
}
