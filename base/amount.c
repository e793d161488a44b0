#include "base/amount.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

/* A unit, in the unit of the amount, and the least value for which it is used. `prefix`: of the numbers of a range. */
struct scale {
	double unit, least;
	const char *name, *prefix;
};

static const struct scale number_scales[] = {{1, 0, "", ""}};
static const struct scale usd_scales[] = {{1e9, 1e9, "billion USD", " billion"}, {1e6, 1e6, "M USD", " M"}, {1, 0, "USD", ""}};
static const struct scale energy_scales[] = {
	{1e9, 1e9, "TWh", ""}, {1e6, 1e6, "GWh", ""}, {1e3, 1e3, "MWh", ""}, {1, 1, "kWh", ""}, {1e-3, 0, "Wh", ""}};
static const struct scale carbon_scales[] = {
	{1e6, 1e6, "kt CO2e", ""}, {1e3, 1e3, "t CO2e", ""}, {1, 1, "kg CO2e", ""}, {1e-3, 0, "g CO2e", ""}};
static const struct scale time_scales[] = {{8760, 2 * 8760, "years", ""}, {24, 48, "days", ""}, {1, 1, "hours", ""},
	{1.0 / 60, 1.0 / 60, "minutes", ""}, {1.0 / 3600, 0, "seconds", ""}};
static const struct scale byte_scales[] = {{1e12, 1e12, "TB", ""}, {1e9, 1e8, "GB", ""}, {1e6, 0, "MB", ""}};
static const struct scale litre_scales[] = {{1e3, 1e4, "m3", ""}, {1, 0, "litres", ""}};

static const struct {
	const struct scale *scales;
	size_t count;
} amounts[] = {[AMOUNT_NUMBER] = {number_scales, COUNT_OF(number_scales)},
	[AMOUNT_WHOLE] = {number_scales, COUNT_OF(number_scales)},
	[AMOUNT_USD] = {usd_scales, COUNT_OF(usd_scales)},
	[AMOUNT_KWH] = {energy_scales, COUNT_OF(energy_scales)},
	[AMOUNT_KGCO2E] = {carbon_scales, COUNT_OF(carbon_scales)},
	[AMOUNT_HOURS] = {time_scales, COUNT_OF(time_scales)},
	[AMOUNT_BYTES] = {byte_scales, COUNT_OF(byte_scales)},
	[AMOUNT_L] = {litre_scales, COUNT_OF(litre_scales)}};

void amount_append_whole(struct buffer *out, double number)
{
	char digits[400];
	size_t length = (size_t)snprintf(digits, sizeof digits, "%.0f", number);

	for (size_t i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			buffer_append_char(out, ',');
		buffer_append_char(out, digits[i]);
	}
}

void amount_append_number(struct buffer *out, double number)
{
	double unit = number > 0 ? pow(10, floor(log10(number)) - 2) : 1;

	if (unit < 1)
		buffer_printf(out, "%.3g", number);
	else
		amount_append_whole(out, round(number / unit) * unit);
}

/* Returns the first scale whose least value is reached; three digits round 0.9995 of it up to it. */
static const struct scale *scale_of(enum amount amount, double value)
{
	size_t i = 0;

	while (i + 1 < amounts[amount].count && !(value >= 0.9995 * amounts[amount].scales[i].least))
		i++;
	return &amounts[amount].scales[i];
}

void amount_append(struct buffer *out, enum amount amount, double value)
{
	const struct scale *scale = scale_of(amount, value);

	if (amount == AMOUNT_WHOLE)
		amount_append_whole(out, value);
	else
		amount_append_number(out, value / scale->unit);
	if (scale->name[0])
		buffer_printf(out, " %s", scale->name);
}

void amount_append_range(struct buffer *out, enum amount amount, double value, double low, double high)
{
	const struct scale *scale = scale_of(amount, value);

	amount_append_number(out, low / scale->unit);
	buffer_append_text(out, " to ");
	amount_append_number(out, high / scale->unit);
	buffer_append_text(out, scale->prefix);
}
