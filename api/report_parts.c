#include "api/report_parts.h"

#include <math.h>
#include <string.h>

bool report_is_training(const struct plan_record *plan)
{
	return strcmp(plan->kind, "training") == 0;
}

const json_t *report_at(const json_t *object, const char *path)
{
	char key[64];

	while (object && *path) {
		size_t length = strcspn(path, ".");

		snprintf(key, sizeof key, "%.*s", (int)length, path);
		object = json_object_get(object, key);
		path += length + (path[length] == '.');
	}
	return object;
}

void report_number(double number, struct buffer *out)
{
	char digits[64];
	size_t length;

	if (number != 0 && (fabs(number) < 0.001 || fabs(number) >= 1e15)) {
		buffer_printf(out, "%.3g", number);
		return;
	}
	if (fabs(number) < 1000) {
		buffer_printf(out, "%.4g", number);
		return;
	}
	length = (size_t)snprintf(digits, sizeof digits, "%.0f", number);
	for (size_t i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
			buffer_append_char(out, ',');
		buffer_append_char(out, digits[i]);
	}
}

void report_text(const char *text, struct buffer *out)
{
	for (; *text; text++) {
		if (*text == '\n' || *text == '\r') {
			buffer_append_char(out, ' ');
			continue;
		}
		if (strchr("|<>[]*`\\", *text))
			buffer_append_char(out, '\\');
		buffer_append_char(out, *text);
	}
}

void report_value(const json_t *value, struct buffer *out)
{
	if (json_is_number(value))
		report_number(json_number_value(value), out);
	else if (json_is_string(value))
		report_text(json_string_value(value), out);
	else if (json_is_boolean(value))
		buffer_append_text(out, json_is_true(value) ? "yes" : "no");
}

const json_t *report_figure(const json_t *option, const char *key)
{
	static const char *const inside[][2] = {{"total_usd", "cost.total_usd"}, {"total_kwh", "energy.total_kwh"},
		{"total_kgco2e", "carbon.total_kgco2e"}, {"usd_per_month", "cost.usd_per_month"}, {"total_kwh", "energy.kwh_per_month"},
		{"total_kgco2e", "carbon.kgco2e_per_month"}, {"usd_per_gpu_hour", "cost.usd_per_gpu_hour"}, {"provider", "cost.offer.provider"},
		{"region", "cost.offer.region"}, {"usd_per_million_output_tokens", "cost.usd_per_million_output_tokens"}};
	const json_t *value = json_object_get(option, key);

	for (size_t i = 0; i < COUNT_OF(inside) && !value; i++)
		if (strcmp(inside[i][0], key) == 0)
			value = report_at(option, inside[i][1]);
	return value;
}
