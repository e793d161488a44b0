/* Units, and numbers as people write them. The program computes in bytes, s, W and J; requests are converted. */
#ifndef FLEETPLAN_BASE_UNITS_H
#define FLEETPLAN_BASE_UNITS_H

#include <stdbool.h>

#define BYTES_PER_GB             1e9
#define FLOPS_PER_TFLOP          1e12
#define FLOPS_PER_PETAFLOP_S_DAY 8.64e19 /* 1e15 x 86400 */
#define SECONDS_PER_HOUR         3600.0
#define HOURS_PER_DAY            24.0
#define HOURS_PER_MONTH          730.0 /* 8760 / 12 */
#define HOURS_PER_YEAR           8760.0
#define JOULES_PER_KWH           3.6e6
#define WATTS_PER_KW             1000.0

/* Reads "15.6T", "70B", "1e12", "8192": decimal K, M, B or G, T, P, E in either case, without sign and spaces.
 * False unless the whole text is one finite number >= 0. */
bool units_parse_count(const char *text, double *value);

/* "500ms", "1s", "90m", "18h", "30d", "2w", converted to units of `unit_s` seconds, or a bare number in that unit.
 * False as above. */
bool units_parse_time(const char *text, double unit_s, double *value);

#endif
