/* Functions that this project never calls. Each has a bounded or re-entrant replacement.
 *
 * base/status.h includes this file, so every file does. Calling one of these functions is a compile error. */
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
