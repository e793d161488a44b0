#include "hwdb/rows/builtin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwdb/rows/conflicts.h"
#include "hwdb/rows/rows_text.h"

/* builtin_data.S */
extern const char builtin_accelerators[], builtin_accelerators_end[];
extern const char builtin_aliases[], builtin_aliases_end[];
extern const char builtin_conflicts[], builtin_conflicts_end[];
extern const char builtin_models[], builtin_models_end[];
extern const char builtin_prices[], builtin_prices_end[];
extern const char builtin_regions[], builtin_regions_end[];

typedef enum status rows_reader(const struct rows_source *source, struct arena *arena, struct catalogue_rows *rows, struct failure *failure);

/* In reading order: aliases need their rows first. */
static const struct embedded {
	const char *name, *begin, *end;
	rows_reader *read;
} embedded[] = {
	{"hwdb/data/accelerators.csv", builtin_accelerators, builtin_accelerators_end, rows_text_accelerators},
	{"hwdb/data/models.jsonl", builtin_models, builtin_models_end, rows_text_models},
	{"hwdb/data/prices.csv", builtin_prices, builtin_prices_end, rows_text_prices},
	{"hwdb/data/regions.csv", builtin_regions, builtin_regions_end, rows_text_regions},
	{"hwdb/data/aliases.csv", builtin_aliases, builtin_aliases_end, rows_text_aliases},
	{"hwdb/data/conflicts.csv", builtin_conflicts, builtin_conflicts_end, rows_text_conflicts},
};

enum status builtin_rows_read(struct arena *arena, struct catalogue_rows *rows, struct failure *failure)
{
	*rows = (struct catalogue_rows){0};
	for (size_t i = 0; i < COUNT_OF(embedded); i++) {
		struct rows_source source = {embedded[i].name, embedded[i].begin, (size_t)(embedded[i].end - embedded[i].begin), "builtin"};
		enum status status = embedded[i].read(&source, arena, rows, failure);

		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

void builtin_digest(char out[BUILTIN_DIGEST_MAX])
{
	uint64_t hash = 0xcbf29ce484222325; /* FNV-1a offset basis and prime, draft-eastlake-fnv */

	for (size_t i = 0; i < COUNT_OF(embedded); i++)
		for (const char *at = embedded[i].begin; at <= embedded[i].end; at++) /* includes the NUL between two files */
			hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
	snprintf(out, BUILTIN_DIGEST_MAX, "%016llx", (unsigned long long)hash);
}
