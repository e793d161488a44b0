#include "support/catalogue.h"

#include "hwdb/rows/builtin.h"
#include "support/assert.h"

enum { ARENA_BYTES = 64 * 1024 * 1024 };

struct catalogue *builtin_catalogue;

int builtin_catalogue_setup(void **state)
{
	struct catalogue_rows rows = {0};
	struct failure failure = {0};
	struct arena arena;

	(void)state;
	arena_init(&arena, ARENA_BYTES);
	if (builtin_rows_read(&arena, &rows, &failure) != STATUS_OK)
		return -1;
	builtin_catalogue = catalogue_new(&arena, &rows, 0, 0, 0, &failure);
	return builtin_catalogue ? 0 : -1;
}

int builtin_catalogue_teardown(void **state)
{
	(void)state;
	catalogue_release(builtin_catalogue);
	return 0;
}
