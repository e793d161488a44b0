/* Functions that this project never calls: each has a bounded or re-entrant sibling.
 *
 * Included by base/status.h and so by every file. A use is a compile error that names the sibling. */
#ifndef FLEETPLAN_BASE_BANNED_H
#define FLEETPLAN_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#undef strcpy
#undef strcat
#undef sprintf
#undef vsprintf
#undef strtok
#undef alloca
#pragma GCC poison strcpy strcat sprintf vsprintf strtok atoi atol atof gmtime localtime alloca gets

#endif
