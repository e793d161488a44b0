#include "api/readers/line_reader.h"

void line_refuse(struct line_reader *reader, const char *key, const char *wanted)
{
	char pointer[FAULT_POINTER_MAX];

	snprintf(pointer, sizeof(pointer), "%s%s/%s", reader->within ? "/" : "", reader->within ? reader->within : "", key);
	failure_add(reader->failure, pointer, line_has(reader, key) ? "wrong_type" : "required", "must be %s", wanted);
}

bool line_has(const struct line_reader *reader, const char *key)
{
	return json_object_get(reader->object, key) != NULL;
}

const char *line_optional_text(struct line_reader *reader, const char *key)
{
	const json_t *value = json_object_get(reader->object, key);
	const char *text = NULL;

	if (!value)
		return NULL;
	if (!json_is_string(value))
		line_refuse(reader, key, "text");
	else if (!(text = arena_strdup(reader->arena, json_string_value(value))))
		(void)failure_set(reader->failure, STATUS_NO_MEMORY, "no memory for a worker's line");
	return text;
}

const char *line_text(struct line_reader *reader, const char *key)
{
	const char *text = line_optional_text(reader, key);

	if (text && !*text)
		text = NULL;
	if (!text)
		line_refuse(reader, key, "text that is not empty");
	return text;
}

double line_optional_real(struct line_reader *reader, const char *key)
{
	const json_t *value = json_object_get(reader->object, key);

	if (!value)
		return ABSENT_NUMBER;
	if (json_is_number(value))
		return json_number_value(value);
	line_refuse(reader, key, "a number");
	return ABSENT_NUMBER;
}

double line_optional_number(struct line_reader *reader, const char *key)
{
	const json_t *value = json_object_get(reader->object, key);

	if (!value)
		return ABSENT_NUMBER;
	if (json_is_number(value) && json_number_value(value) >= 0)
		return json_number_value(value);
	line_refuse(reader, key, "a number that is not negative");
	return ABSENT_NUMBER;
}

double line_number(struct line_reader *reader, const char *key)
{
	double number = line_optional_number(reader, key);

	if (!line_has(reader, key))
		line_refuse(reader, key, "a number that is not negative");
	return number;
}

int64_t line_count(struct line_reader *reader, const char *key)
{
	const json_t *value = json_object_get(reader->object, key);

	if (json_is_integer(value) && json_integer_value(value) >= 0)
		return json_integer_value(value);
	line_refuse(reader, key, "a count");
	return 0;
}

bool line_flag(struct line_reader *reader, const char *key)
{
	const json_t *value = json_object_get(reader->object, key);

	if (value && !json_is_boolean(value))
		line_refuse(reader, key, "true or false");
	return json_is_true(value);
}

enum precision line_precision(struct line_reader *reader)
{
	const char *name = line_optional_text(reader, "precision");

	if (!name)
		return PRECISION_UNSET;
	for (int precision = PRECISION_UNSET + 1; precision < PRECISION_COUNT; precision++)
		if (!strcmp(name, precision_name((enum precision)precision)))
			return (enum precision)precision;
	line_refuse(reader, "precision", "the name of a number format");
	return PRECISION_UNSET;
}

bool line_object(struct line_reader *reader, const char *key, struct line_reader *part)
{
	*part = *reader;
	part->object = json_object_get(reader->object, key);
	part->within = key;
	if (part->object && !json_is_object(part->object)) {
		line_refuse(reader, key, "an object");
		return false;
	}
	return part->object != NULL;
}

static enum bench_product read_product(struct line_reader *reader)
{
	const char *name = line_optional_text(reader, "product");

	for (int product = PRODUCT_FORWARD; name && product < PRODUCT_COUNT; product++)
		if (!strcmp(name, bench_product_name((enum bench_product)product)))
			return (enum bench_product)product;
	if (name)
		line_refuse(reader, "product", "forward, input_gradient or weight_gradient");
	return PRODUCT_FORWARD;
}

bool line_shape(struct line_reader *reader, struct bench_shape *shape, enum bench_product *product)
{
	const json_t *sides = json_object_get(reader->object, "shape");
	int64_t side[3] = {0};

	if (!sides)
		return false;
	*product = read_product(reader);
	for (size_t i = 0; i < COUNT_OF(side); i++) {
		const json_t *item = json_array_get(sides, i);

		side[i] = json_is_integer(item) ? json_integer_value(item) : 0;
	}
	*shape = (struct bench_shape){side[0], side[1], side[2]};
	if (json_array_size(sides) == COUNT_OF(side) && shape->m > 0 && shape->n > 0 && shape->k > 0)
		return true;
	line_refuse(reader, "shape", "three counts");
	return false;
}
