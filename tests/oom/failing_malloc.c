#include "oom/failing_malloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

static atomic_size_t asked, failing, live;
static atomic_bool for_good;

void failing_malloc_arm(size_t number)
{
	atomic_store(&asked, 0);
	atomic_store(&failing, number);
}

void failing_malloc_arm_from(size_t number)
{
	failing_malloc_arm(number);
	atomic_store(&for_good, true);
}

size_t failing_malloc_disarm(void)
{
	atomic_store(&failing, 0);
	atomic_store(&for_good, false);
	return atomic_load(&asked);
}

size_t failing_malloc_live(void)
{
	return atomic_load(&live);
}

#if FAILING_MALLOC
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static bool fails(void)
{
	size_t number = atomic_fetch_add(&asked, 1) + 1, first = atomic_load(&failing);

	if (first == 0 || number < first || (number > first && !atomic_load(&for_good)))
		return false;
	errno = ENOMEM;
	return true;
}

static void *counted(void *memory)
{
	if (memory)
		atomic_fetch_add(&live, 1);
	return memory;
}

void *malloc(size_t size)
{
	return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
	if (!memory)
		return malloc(size);
	return fails() ? NULL : __libc_realloc(memory, size);
}

void free(void *memory)
{
	if (memory)
		atomic_fetch_sub(&live, 1);
	__libc_free(memory);
}
#endif
