#include "hwdb/feeds/safetensors.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/given.h"
#include "hwdb/feeds/feed_json.h"
#include "schema/json_tree.h"

enum { DIMENSIONS_MAX = 16 };

static const double params_most = 1e15;

/* dtype of tensor.rs, https://github.com/huggingface/safetensors. A packed format does not give the number of
 * parameters. */
static const struct dtype {
	const char *name;
	double bits;
	bool packed;
} dtypes[] = {
	{"F64", 64, false},
	{"F32", 32, false},
	{"F16", 16, false},
	{"BF16", 16, false},
	{"F8_E4M3", 8, false},
	{"F8_E5M2", 8, false},
	{"F8_E8M0", 8, true},
	{"F6_E2M3", 6, false},
	{"F6_E3M2", 6, false},
	{"F4", 4, false},
	{"FP4", 4, false},
	{"C64", 64, false},
	{"I64", 64, true},
	{"U64", 64, true},
	{"I32", 32, true},
	{"U32", 32, true},
	{"I16", 16, true},
	{"U16", 16, true},
	{"I8", 8, true},
	{"U8", 8, true},
	{"BOOL", 8, true},
};

static const struct dtype *dtype_of(const char *name)
{
	for (size_t i = 0; name && i < COUNT_OF(dtypes); i++)
		if (strcmp(dtypes[i].name, name) == 0)
			return &dtypes[i];
	return NULL;
}

static enum status malformed(struct failure *failure, const char *what)
{
	return failure_set(failure, STATUS_MALFORMED, "hugging-face: %s", what);
}

enum status safetensors_header_length(const char *bytes, size_t length, uint64_t *header_bytes, struct failure *failure)
{
	uint64_t value = 0;

	if (length != SAFETENSORS_LENGTH_BYTES)
		return malformed(failure, "the safetensors end before the length of their header");
	for (size_t i = SAFETENSORS_LENGTH_BYTES; i > 0; i--)
		value = value << 8 | (unsigned char)bytes[i - 1];
	*header_bytes = value;
	if (value < 2 || value > SAFETENSORS_HEADER_MAX_BYTES)
		return failure_set(failure, STATUS_MALFORMED, "hugging-face: the safetensors claim a header of %llu bytes; 2 to %d are read",
			(unsigned long long)value, SAFETENSORS_HEADER_MAX_BYTES);
	return STATUS_OK;
}

/* Counts of numbers by dtype. */
struct tally {
	double numbers[COUNT_OF(dtypes)], total, packed, bytes;
	size_t tensors;
};

/* Returns the numbers of a shape; absent when it is not a shape. */
static double numbers_of(const json_t *shape)
{
	double product = 1;
	const json_t *side;
	size_t i;

	if (!json_is_array(shape) || json_array_size(shape) > DIMENSIONS_MAX)
		return ABSENT_NUMBER;
	json_array_foreach ((json_t *)(uintptr_t)shape, i, side) {
		if (!json_is_integer(side) || json_integer_value(side) < 0)
			return ABSENT_NUMBER;
		product *= (double)json_integer_value(side);
	}
	return product <= params_most ? product : ABSENT_NUMBER;
}

/* Counts a tensor. Its place must be as long as its shape in its format. */
static bool count_tensor(struct tally *tally, const json_t *tensor)
{
	const struct dtype *dtype = dtype_of(feed_json_text(tensor, "dtype"));
	double numbers = numbers_of(feed_json_list(tensor, "shape"));
	const json_t *place = feed_json_list(tensor, "data_offsets"), *begin = json_array_get(place, 0), *end = json_array_get(place, 1);
	double bytes;

	if (!dtype || !is_given(numbers) || json_array_size(place) != 2 || !json_is_integer(begin) || !json_is_integer(end))
		return false;
	bytes = (double)json_integer_value(end) - (double)json_integer_value(begin);
	if (json_integer_value(begin) < 0 || bytes < 0 || fabs(bytes - ceil(numbers * dtype->bits / 8)) > 0.5)
		return false;
	tally->numbers[dtype - dtypes] += numbers;
	tally->total += numbers;
	tally->packed += dtype->packed ? numbers : 0;
	tally->bytes += bytes;
	tally->tensors++;
	return true;
}

/* Returns "BF16", or the dtypes with shares of more than half a percent. */
static const char *dtypes_text(const struct tally *tally, struct arena *arena, double *bits)
{
	const char *text = "";
	size_t most = 0;

	for (size_t i = 1; i < COUNT_OF(dtypes); i++)
		if (tally->numbers[i] > tally->numbers[most])
			most = i;
	*bits = tally->total > 0 ? dtypes[most].bits : ABSENT_NUMBER;
	if (!(tally->total > 0) || tally->numbers[most] >= 0.995 * tally->total)
		return arena_strdup(arena, tally->total > 0 ? dtypes[most].name : "nothing");
	for (size_t i = 0; text && i < COUNT_OF(dtypes); i++)
		if (tally->numbers[i] >= 0.005 * tally->total)
			text = arena_printf(arena, "%s%s%s %.0f %%", text, *text ? ", " : "", dtypes[i].name, 100 * tally->numbers[i] / tally->total);
	return text;
}

enum status safetensors_header_read(const char *text, size_t length, struct arena *arena, struct safetensors *header, struct failure *failure)
{
	struct tally tally = {.tensors = 0};
	json_error_t error;
	bool no_memory, good;
	json_t *tree = json_tree_read(text, length, JSON_REJECT_DUPLICATES, &error, &no_memory), *tensor;
	const char *name;

	if (!tree && no_memory)
		return failure_set(failure, STATUS_NO_MEMORY, "hugging-face: no memory for a header");
	good = json_is_object(tree);
	json_object_foreach (tree, name, tensor) {
		good = good && (strcmp(name, "__metadata__") == 0 || count_tensor(&tally, tensor));
	}
	json_decref(tree);
	if (!good || tally.tensors == 0)
		return malformed(
			failure, "the header of the safetensors is not valid: each tensor needs a known dtype, a shape, and a place of that size");
	*header = (struct safetensors){
		.params_total = tally.packed < 0.01 * tally.total && tally.total <= params_most ? tally.total : ABSENT_NUMBER,
		.bytes = tally.bytes,
		.tensors = (double)tally.tensors};
	header->dtypes = dtypes_text(&tally, arena, &header->bits);
	return header->dtypes ? STATUS_OK : STATUS_NO_MEMORY;
}

/* True for a file name in the repository's own folder: "model-00001-of-00004.safetensors". */
static bool is_file(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	if (length < 13 || length > 128 || strcmp(name + length - 12, ".safetensors") != 0 || name[0] == '.' || strstr(name, ".."))
		return false;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
			return false;
	return true;
}

static double figure_or_absent(const json_t *object, const char *key)
{
	const json_t *value = object ? json_object_get(object, key) : NULL;
	double number = json_is_number(value) ? json_number_value(value) : ABSENT_NUMBER;

	return number > 0 && number <= 8 * params_most ? number : ABSENT_NUMBER;
}

enum status safetensors_index_read(const char *text, size_t length, struct arena *arena, struct safetensors *index, struct failure *failure)
{
	json_error_t error;
	bool no_memory, good = true;
	json_t *tree = json_tree_read(text, length, 0, &error, &no_memory), *file;
	const json_t *metadata = feed_json_object(tree, "metadata"), *map = feed_json_object(tree, "weight_map");
	const char *tensor, *first = NULL;

	if (!tree && no_memory)
		return failure_set(failure, STATUS_NO_MEMORY, "hugging-face: no memory for an index");
	*index = (struct safetensors){.params_total = figure_or_absent(metadata, "total_parameters"),
		.bytes = figure_or_absent(metadata, "total_size"),
		.tensors = (double)json_object_size(map),
		.bits = ABSENT_NUMBER};
	json_object_foreach ((json_t *)(uintptr_t)map, tensor, file) {
		good = good && is_file(json_string_value(file));
		first = first ? first : json_string_value(file);
	}
	if (good && first)
		index->first_file = arena_strdup(arena, first);
	json_decref(tree);
	if (!good || !first)
		return malformed(failure, "the index of the safetensors names no files of the repository");
	return index->first_file ? STATUS_OK : STATUS_NO_MEMORY;
}
