#include "hwdb/models/config_reader.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

static const json_t *member(const json_t *object, const char *name)
{
	const char *dot = strchr(name, '.');
	const json_t *value;

	if (!dot)
		value = json_object_get(object, name);
	else
		value = json_object_get(json_object_getn(object, name, (size_t)(dot - name)), dot + 1);
	return json_is_null(value) ? NULL : value;
}

const json_t *config_find(const struct config_reader *reader, const char *const *names, const char **name)
{
	for (size_t i = 0; names[i]; i++) {
		const json_t *value = member(reader->config, names[i]);

		if (!value)
			continue;
		if (name)
			*name = names[i];
		return value;
	}
	return NULL;
}

void config_fault(const struct config_reader *reader, const char *name, const char *code, const char *format, ...)
{
	char pointer[FAULT_POINTER_MAX], detail[FAULT_DETAIL_MAX], *dot;
	va_list arguments;

	snprintf(pointer, sizeof pointer, "%s%s/%s", reader->pointer, reader->inside, name);
	dot = strchr(pointer + strlen(pointer) - strlen(name), '.');
	if (dot)
		*dot = '/';
	va_start(arguments, format);
	vsnprintf(detail, sizeof detail, format, arguments);
	va_end(arguments);
	failure_add(reader->failure, pointer, code, "%s", detail);
}

/* Some families give one number for each layer, always the same one. */
static const json_t *uniform_item(const json_t *list)
{
	const json_t *first = json_array_get(list, 0);

	for (size_t i = 1; i < json_array_size(list); i++)
		if (!json_equal(first, json_array_get(list, i)))
			return NULL;
	return first;
}

int config_int(const struct config_reader *reader, const char *const *names, int low, int high, int otherwise)
{
	const char *name = names[0];
	const json_t *value = config_find(reader, names, &name);
	double number;

	if (!value) {
		if (otherwise == CONFIG_REQUIRED)
			config_fault(reader, name, "required", "a model's %s is needed: a whole number from %d to %d", name, low, high);
		return otherwise;
	}
	if (json_is_array(value))
		value = uniform_item(value);
	if (!json_is_number(value)) {
		config_fault(reader, name, "wrong_type", "%s must be a whole number from %d to %d, the same for all layers", name, low, high);
		return otherwise;
	}
	number = json_number_value(value);
	if (number >= low && number <= high && number == floor(number))
		return (int)number;
	config_fault(reader, name, "out_of_range", "%s is %.17g; it must be a whole number from %d to %d", name, number, low, high);
	return otherwise;
}

double config_number(const struct config_reader *reader, const char *name, double otherwise)
{
	const json_t *value = config_find(reader, CONFIG_NAMES(name), NULL);

	if (!value)
		return otherwise;
	if (json_is_number(value))
		return json_number_value(value);
	config_fault(reader, name, "wrong_type", "%s must be a number", name);
	return otherwise;
}

bool config_bool(const struct config_reader *reader, const char *name, bool otherwise)
{
	const json_t *value = config_find(reader, CONFIG_NAMES(name), NULL);

	if (!value)
		return otherwise;
	if (json_is_boolean(value))
		return json_is_true(value);
	config_fault(reader, name, "wrong_type", "%s must be true or false", name);
	return otherwise;
}

const char *config_text(const struct config_reader *reader, const char *name, const char *otherwise)
{
	const json_t *value = config_find(reader, CONFIG_NAMES(name), NULL);

	if (!value)
		return otherwise;
	if (json_is_string(value))
		return json_string_value(value);
	config_fault(reader, name, "wrong_type", "%s must be a text", name);
	return otherwise;
}

const json_t *config_list(const struct config_reader *reader, const char *name, int length)
{
	const json_t *value = config_find(reader, CONFIG_NAMES(name), NULL);

	if (!value)
		return NULL;
	if (json_is_array(value) && json_array_size(value) == (size_t)length)
		return value;
	config_fault(reader, name, "out_of_range", "%s must be a list with one entry for each of the %d layers", name, length);
	return NULL;
}

bool config_list_holds(const json_t *list, int number)
{
	size_t i;
	const json_t *item;

	if (!json_is_array(list))
		return false;
	for (i = 0; i < json_array_size(list); i++) {
		item = json_array_get(list, i);
		if (json_is_integer(item) && json_integer_value(item) == number)
			return true;
	}
	return false;
}
