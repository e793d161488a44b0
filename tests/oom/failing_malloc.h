/* Replaces malloc, calloc, realloc and free of the whole process, its libraries included, and lets allocations fail.
 *
 * Linked into a program, these functions replace those of glibc and call them. The counts are over all threads. A
 * sanitizer has its own allocator, so FAILING_MALLOC is 0 in such builds and nothing is replaced. */
#ifndef FLEETPLAN_TESTS_FAILING_MALLOC_H
#define FLEETPLAN_TESTS_FAILING_MALLOC_H

#include <stddef.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define FAILING_MALLOC 0
#else
#define FAILING_MALLOC 1
#endif

/* Lets the `number`-th allocation from now on fail, and only that one. 0: none fails. */
void failing_malloc_arm(size_t number);

/* Lets the `number`-th allocation from now on fail, and all after it. */
void failing_malloc_arm_from(size_t number);

/* Stops the failures. Returns the number of allocations since failing_malloc_arm. */
size_t failing_malloc_disarm(void);

/* Returns the number of blocks that are allocated and not freed. */
size_t failing_malloc_live(void);

#endif
