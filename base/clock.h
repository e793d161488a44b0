/* Time: wall clock for what people read, monotonic clock for what must not jump. Thread-safe. */
#ifndef FLEETPLAN_BASE_CLOCK_H
#define FLEETPLAN_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { CLOCK_TEXT_MAX = 32 };

int64_t clock_wall_us(void);      /* microseconds since 1970-01-01T00:00:00Z */
int64_t clock_monotonic_ns(void); /* nanoseconds since some moment of this boot */
/* Microseconds since 1970 as the wall clock had them when this process first asked, and from there on as much as the machine ran or slept:
 * for what must end after a time that was promised (leases, answers that are kept), whatever the wall clock does meanwhile. */
int64_t clock_even_us(void);
int64_t clock_thread_cpu_ns(void); /* what the calling thread has computed */
int64_t clock_boot_ns(void);      /* the same, and it goes on while the machine sleeps */

/* RFC 3339 UTC with microseconds, "2026-11-21T01:44:21.123456Z", into `out` of CLOCK_TEXT_MAX bytes. Valid for
 * years 1970 to 9999; times outside are clamped. */
void clock_format(char *out, int64_t wall_us);

/* Reads RFC 3339 ("2026-11-21T01:44:21Z", fraction and numeric offset allowed) or a date alone ("2026-11-21",
 * its midnight UTC). False for anything else, days that do not exist included. */
bool clock_parse(const char *text, int64_t *wall_us);

#endif
