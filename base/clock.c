#include "base/clock.h"

#include <ctype.h>
#include <stdatomic.h>

int64_t clock_wall_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t clock_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_thread_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_boot_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_even_us(void)
{
	static _Atomic int64_t begin_us; /* wall clock at the machine's start; 0: not known yet */
	int64_t since_us = clock_boot_ns() / 1000, known_us = atomic_load(&begin_us), mine_us;

	if (known_us == 0) {
		mine_us = clock_wall_us() - since_us;
		if (atomic_compare_exchange_strong(&begin_us, &known_us, mine_us))
			known_us = mine_us;
	}
	return known_us + since_us;
}

static void clock_write_digits(char *out, int count, int value)
{
	for (int i = count - 1; i >= 0; i--, value /= 10)
		out[i] = (char)('0' + value % 10);
}

void clock_format(char *out, int64_t wall_us)
{
	static const int64_t last_us = 253402300799999999; /* 9999-12-31T23:59:59.999999Z */
	struct tm tm;
	time_t seconds;

	if (wall_us < 0)
		wall_us = 0;
	if (wall_us > last_us)
		wall_us = last_us;
	seconds = (time_t)(wall_us / 1000000);
	gmtime_r(&seconds, &tm);
	/* Every log line has a time; snprintf takes ten times as long. */
	memcpy(out, "0000-00-00T00:00:00.000000Z", 28);
	clock_write_digits(out, 4, tm.tm_year + 1900);
	clock_write_digits(out + 5, 2, tm.tm_mon + 1);
	clock_write_digits(out + 8, 2, tm.tm_mday);
	clock_write_digits(out + 11, 2, tm.tm_hour);
	clock_write_digits(out + 14, 2, tm.tm_min);
	clock_write_digits(out + 17, 2, tm.tm_sec);
	clock_write_digits(out + 20, 6, (int)(wall_us % 1000000));
}

/* Reads exactly `count` digits and moves *text past them. -1: *text has fewer. */
static int clock_digits(const char **text, int count)
{
	int value = 0;

	for (int i = 0; i < count; i++, (*text)++) {
		if (!isdigit((unsigned char)**text))
			return -1;
		value = value * 10 + (**text - '0');
	}
	return value;
}

static bool clock_literal(const char **text, char wanted)
{
	if (toupper((unsigned char)**text) != wanted)
		return false;
	(*text)++;
	return true;
}

static int64_t clock_fraction_us(const char **text)
{
	int64_t value_us = 0, unit_us = 100000;

	if (**text != '.')
		return 0;
	for ((*text)++; isdigit((unsigned char)**text); (*text)++, unit_us /= 10)
		value_us += (**text - '0') * unit_us;
	return value_us;
}

/* Reads the offset east of UTC in seconds ("Z", "+02:00"). False for any other text. */
static bool clock_offset_s(const char **text, int *offset_s)
{
	int sign = **text == '-' ? -1 : 1, hours, minutes;

	*offset_s = 0;
	if (clock_literal(text, 'Z'))
		return true;
	if (**text != '+' && **text != '-')
		return false;
	(*text)++;
	hours = clock_digits(text, 2);
	if (hours < 0 || hours > 23 || !clock_literal(text, ':'))
		return false;
	minutes = clock_digits(text, 2);
	if (minutes < 0 || minutes > 59)
		return false;
	*offset_s = sign * (hours * 3600 + minutes * 60);
	return true;
}

bool clock_parse(const char *text, int64_t *wall_us)
{
	struct tm tm = {0}, back;
	int64_t fraction_us = 0;
	int year = clock_digits(&text, 4), day, offset_s = 0;
	time_t seconds;

	if (year < 1970 || !clock_literal(&text, '-'))
		return false;
	tm.tm_year = year - 1900;
	tm.tm_mon = clock_digits(&text, 2) - 1;
	if (tm.tm_mon < 0 || tm.tm_mon > 11 || !clock_literal(&text, '-'))
		return false;
	tm.tm_mday = day = clock_digits(&text, 2);
	if (*text) {
		if (!clock_literal(&text, 'T'))
			return false;
		tm.tm_hour = clock_digits(&text, 2);
		if (tm.tm_hour < 0 || tm.tm_hour > 23 || !clock_literal(&text, ':'))
			return false;
		tm.tm_min = clock_digits(&text, 2);
		if (tm.tm_min < 0 || tm.tm_min > 59 || !clock_literal(&text, ':'))
			return false;
		tm.tm_sec = clock_digits(&text, 2);
		if (tm.tm_sec < 0 || tm.tm_sec > 59)
			return false;
		fraction_us = clock_fraction_us(&text);
		if (!clock_offset_s(&text, &offset_s) || *text)
			return false;
	}
	seconds = timegm(&tm); /* normalises tm: the 30th of February becomes a day of March */
	if (!gmtime_r(&seconds, &back) || back.tm_mday != day || seconds < 0)
		return false;
	*wall_us = ((int64_t)seconds - offset_s) * 1000000 + fraction_us;
	return *wall_us >= 0;
}
