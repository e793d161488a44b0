/* Clocks: the wall clock for times that people read, the monotonic clock for durations. Thread-safe. */
#ifndef FLEETPLAN_BASE_CLOCK_H
#define FLEETPLAN_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { CLOCK_TEXT_MAX = 32 };

int64_t clock_wall_us(void);      /* microseconds since 1970-01-01T00:00:00Z */
int64_t clock_monotonic_ns(void); /* nanoseconds since a fixed moment; stands still while the machine sleeps */
/* Microseconds since 1970 that ignore later changes of the wall clock. The first call in a process reads the wall
 * clock; from then on the value follows clock_boot_ns(). Use it for expiries: leases, stored answers. */
int64_t clock_even_us(void);
int64_t clock_thread_cpu_ns(void); /* CPU time of the calling thread */
int64_t clock_boot_ns(void);       /* monotonic, and continues while the machine sleeps */

/* Writes RFC 3339 UTC with microseconds, "2026-11-21T01:44:21.123456Z", to `out` of CLOCK_TEXT_MAX bytes. Times outside
 * the years 1970 to 9999 are clamped. */
void clock_format(char *out, int64_t wall_us);

/* Reads RFC 3339 ("2026-11-21T01:44:21Z"; a fraction and a numeric offset are allowed) or a date ("2026-11-21":
 * midnight UTC). False for any other text, for days that do not exist and for times before 1970. */
bool clock_parse(const char *text, int64_t *wall_us);

#endif
