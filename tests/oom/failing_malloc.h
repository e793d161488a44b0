/* malloc, calloc, realloc and free of the whole process, libraries too, with one allocation that fails.
 *
 * Linked into a program it takes the place of glibc's own, which it calls. Counts over all threads. Not for builds under
 * a sanitizer, which has its own allocator: FAILING_MALLOC is 0 there, and nothing is replaced. */
#ifndef FLEETPLAN_TESTS_FAILING_MALLOC_H
#define FLEETPLAN_TESTS_FAILING_MALLOC_H

#include <stddef.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define FAILING_MALLOC 0
#else
#define FAILING_MALLOC 1
#endif

/* From now on the `number`-th allocation fails, and only that one; 0: none does. */
void failing_malloc_arm(size_t number);

/* None fails any more. Returns how many were asked for since arming. */
size_t failing_malloc_disarm(void);

/* Blocks that are allocated and not freed. */
size_t failing_malloc_live(void);

#endif
