#include "base/uuid.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/random.h>

#include "base/clock.h"

static pthread_mutex_t uuid_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t uuid_last; /* 48 bits of milliseconds, then a 12-bit counter */

/* Milliseconds and counter of the next id: never less or equal to the one before, even if the clock steps back. */
static uint64_t uuid_next_stamp(uint16_t random12)
{
	uint64_t stamp = (uint64_t)(clock_wall_us() / 1000) << 12 | (random12 & 0x7ffu);

	pthread_mutex_lock(&uuid_lock);
	if (stamp <= uuid_last)
		stamp = uuid_last + 1;
	uuid_last = stamp;
	pthread_mutex_unlock(&uuid_lock);
	return stamp;
}

void uuid_make(char *out)
{
	unsigned char random[10];
	uint64_t stamp, tail = 0;

	CHECK(getrandom(random, sizeof random, 0) == (ssize_t)sizeof random);
	stamp = uuid_next_stamp((uint16_t)(random[0] << 8 | random[1]));
	for (int i = 2; i < 10; i++)
		tail = tail << 8 | random[i];
	tail = (tail & 0x3fffffffffffffffu) | 0x8000000000000000u; /* variant 10 */
	snprintf(out, UUID_TEXT_SIZE, "%08x-%04x-7%03x-%04x-%012llx", (unsigned)(stamp >> 28),
		(unsigned)(stamp >> 12 & 0xffff), (unsigned)(stamp & 0xfff), (unsigned)(tail >> 48),
		(unsigned long long)(tail & 0xffffffffffffu));
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
