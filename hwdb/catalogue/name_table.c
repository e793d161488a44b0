#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "hwdb/catalogue/catalogue_index.h"

/* Computes FNV-1a over small letters. */
static uint32_t name_hash(const char *name)
{
	uint32_t hash = 0x811c9dc5;

	for (; *name; name++)
		hash = (hash ^ (uint32_t)tolower((unsigned char)*name)) * 0x01000193;
	return hash;
}

bool name_table_init(struct name_table *table, struct arena *arena, size_t names)
{
	size_t slots = 8;

	while (slots < 2 * names)
		slots *= 2;
	table->slots = ARENA_ARRAY(arena, struct name_slot, slots);
	table->mask = slots - 1;
	return table->slots != NULL;
}

/* Returns the slot of a name, or the free slot for it. */
static struct name_slot *slot_of(const struct name_table *table, const char *name, uint32_t hash)
{
	size_t at = hash & table->mask;

	while (table->slots[at].name && (table->slots[at].hash != hash || strcasecmp(table->slots[at].name, name) != 0))
		at = (at + 1) & table->mask;
	return &table->slots[at];
}

bool name_table_add(struct name_table *table, const char *name, size_t row, bool alias)
{
	uint32_t hash = name_hash(name);
	struct name_slot *slot = slot_of(table, name, hash);

	if (slot->name)
		return slot->row == row;
	*slot = (struct name_slot){.name = name, .hash = hash, .row = (uint32_t)row, .alias = alias};
	return true;
}

const struct name_slot *name_table_find(const struct name_table *table, const char *name)
{
	const struct name_slot *slot = slot_of(table, name, name_hash(name));

	return slot->name ? slot : NULL;
}
