#include "hwdb/feeds/instances.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "hwdb/catalogue/catalogue_change.h"

struct instances {
	const struct price_row **rows; /* sorted by instance type */
	size_t count;
};

static int by_instance(const void *a, const void *b)
{
	const struct price_row *left = *(const struct price_row *const *)a, *right = *(const struct price_row *const *)b;

	return strcasecmp(left->instance_type, right->instance_type);
}

/* True if a price row describes an instance: not half of an offer, and with all figures of an instance. */
static bool describes_instance(const struct price_row *row, const char *provider)
{
	return strcasecmp(row->provider, provider) == 0 && row->instance_type && row->accelerator_id && row->gpus > 0 &&
		!strstr(row->instance_type, " part only)");
}

const struct instances *instances_of(const struct catalogue *catalogue, const char *provider, struct arena *arena)
{
	struct instances *instances = ARENA_NEW(arena, struct instances);
	const struct catalogue_rows *rows = catalogue ? catalogue_rows_of(catalogue) : NULL;
	size_t count = rows ? rows->price_count : 0;

	if (!instances || (catalogue && !rows) || !(instances->rows = ARENA_ARRAY(arena, const struct price_row *, count + 1)))
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (describes_instance(&rows->prices[i], provider))
			instances->rows[instances->count++] = &rows->prices[i];
	if (instances->count > 1)
		qsort(instances->rows, instances->count, sizeof(const struct price_row *), by_instance);
	return instances;
}

bool instances_find(const struct instances *instances, const char *instance_type, struct instance *instance)
{
	const struct price_row wanted = {.instance_type = instance_type}, *key = &wanted;
	const struct price_row **found = instances->count == 0
		? NULL
		: bsearch(&key, instances->rows, instances->count, sizeof(const struct price_row *), by_instance);

	if (!found)
		return false;
	*instance = (struct instance){(*found)->accelerator_id, (*found)->gpus, (*found)->vcpus, (*found)->ram_gb};
	return true;
}

/* Accelerators of each family, from aws.amazon.com/ec2/instance-types. Families that rent parts of a GPU (g6f, gr6f)
 * are not listed. */
static const struct {
	const char *family, *accelerator;
} aws_families[] = {
	{"p2", "k80-die"},
	{"p3", "v100-sxm2-16gb"},
	{"p3dn", "v100-sxm2-32gb"},
	{"p4d", "a100-sxm4-40gb"},
	{"p4de", "a100-sxm4-80gb"},
	{"p5", "h100-sxm5-80gb"},
	{"p5e", "h200-sxm5-141gb"},
	{"p5en", "h200-sxm5-141gb"},
	{"p6-b200", "b200-sxm6-180gb"},
	{"p6-b300", "b300-sxm6-288gb"},
	{"g4dn", "t4"},
	{"g5", "a10g"},
	{"g6", "l4"},
	{"gr6", "l4"},
	{"g6e", "l40s"},
	{"g7e", "rtx-pro-6000-server"},
};

const char *instance_aws_accelerator(const char *instance_type)
{
	size_t length = strcspn(instance_type, ".");

	for (size_t i = 0; i < COUNT_OF(aws_families); i++)
		if (strlen(aws_families[i].family) == length && strncmp(aws_families[i].family, instance_type, length) == 0)
			return aws_families[i].accelerator;
	return NULL;
}

/* Names are compared by words in small letters. `form` must be one of the words, `without` must not; memory 0 fits any.
 * The first row that fits is used. */
static const struct {
	const char *chip, *form, *without;
	double memory_gb;
	const char *id;
} names[] = {
	{"b300", NULL, NULL, 0, "b300-sxm6-288gb"},
	{"b200", NULL, NULL, 0, "b200-sxm6-180gb"},
	{"gh200", NULL, NULL, 96, "gh200-96gb"},
	{"gh200", NULL, NULL, 144, "gh200-144gb"},
	{"h200", "nvl", NULL, 0, "h200-nvl"},
	{"h200", NULL, NULL, 0, "h200-sxm5-141gb"},
	{"h100", "nvl", NULL, 0, "h100-nvl"},
	{"h100", "pcie", NULL, 80, "h100-pcie-80gb"},
	{"h100", "sxm5", NULL, 80, "h100-sxm5-80gb"},
	{"h100", "sxm", NULL, 80, "h100-sxm5-80gb"},
	{"h100", "hbm3", NULL, 80, "h100-sxm5-80gb"},
	{"a100", "sxm4", NULL, 80, "a100-sxm4-80gb"},
	{"a100", "sxm4", NULL, 40, "a100-sxm4-40gb"},
	{"a100", "sxm", NULL, 80, "a100-sxm4-80gb"},
	{"a100", "sxm", NULL, 40, "a100-sxm4-40gb"},
	{"a100", "pcie", NULL, 80, "a100-pcie-80gb"},
	{"a100", "pcie", NULL, 40, "a100-pcie-40gb"},
	{"v100", "sxm2", NULL, 16, "v100-sxm2-16gb"},
	{"v100", "sxm2", NULL, 32, "v100-sxm2-32gb"},
	{"v100", NULL, "pcie", 16, "v100-sxm2-16gb"},
	{"v100", NULL, "pcie", 32, "v100-sxm2-32gb"},
	{"mi300x", NULL, NULL, 0, "mi300x"},
	{"mi325x", NULL, NULL, 0, "mi325x"},
	{"a10", NULL, NULL, 24, "a10"},
	{"a30", NULL, NULL, 0, "a30"},
	{"a40", NULL, NULL, 0, "a40"},
	{"l4", NULL, NULL, 0, "l4"},
	{"l40s", NULL, NULL, 0, "l40s"},
	{"l40", NULL, NULL, 0, "l40"},
	{"t4", NULL, NULL, 0, "t4"},
	{"a6000", NULL, NULL, 48, "rtx-a6000"},
	{"a4000", NULL, NULL, 16, "rtx-a4000"},
	{"6000", "ada", NULL, 0, "rtx-6000-ada"},
	{"5090", NULL, NULL, 0, "rtx-5090"},
	{"4090", NULL, NULL, 0, "rtx-4090"},
	{"3090", NULL, "ti", 0, "rtx-3090"},
};

/* True if a name contains a word: between ends, spaces or punctuation. */
static bool has_word(const char *name, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = name; *at; at++)
		if (strncasecmp(at, word, length) == 0 && (at == name || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[length]))
			return true;
	return false;
}

/* Returns the memory in a name, "80GB" or "80 GB"; absent without one. */
static double memory_in_name(const char *name)
{
	for (const char *at = name; *at; at++) {
		char *end;
		double value;

		if (!isdigit((unsigned char)*at) || (at > name && isalnum((unsigned char)at[-1])))
			continue;
		value = strtod(at, &end);
		end += strspn(end, " ");
		if (strncasecmp(end, "gb", 2) == 0)
			return value;
	}
	return ABSENT_NUMBER;
}

const char *accelerator_of_name(const char *name, double memory_gb)
{
	double memory = given_or(memory_gb, memory_in_name(name));

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		bool fits = names[i].memory_gb <= 0 || (is_given(memory) && fabs(memory - names[i].memory_gb) < 0.5);

		if (has_word(name, names[i].chip) && (!names[i].form || has_word(name, names[i].form)) &&
			(!names[i].without || !has_word(name, names[i].without)) && fits)
			return names[i].id;
	}
	return NULL;
}
