/* Writes amounts as people say them: three significant digits, and the unit in which the number is short: "1.25 M USD",
 * "324 MWh", "22.5 days". */
#ifndef FLEETPLAN_BASE_AMOUNT_H
#define FLEETPLAN_BASE_AMOUNT_H

#include "base/buffer.h"

/* What is counted, and the unit of the value: USD, kWh, kg of CO2e, hours, bytes, litres. AMOUNT_NUMBER and AMOUNT_WHOLE have no
 * unit; AMOUNT_WHOLE is written with all digits. */
enum amount { AMOUNT_NUMBER, AMOUNT_WHOLE, AMOUNT_USD, AMOUNT_KWH, AMOUNT_KGCO2E, AMOUNT_HOURS, AMOUNT_BYTES, AMOUNT_L };

/* Appends a whole number with thousands separators: "12,300". */
void amount_append_whole(struct buffer *out, double number);

/* Appends a number of 0 or more with three significant digits: "0.81", "29.6", "12,300". */
void amount_append_number(struct buffer *out, double number);

/* Appends a value of 0 or more with its unit. */
void amount_append(struct buffer *out, enum amount amount, double value);

/* Appends "1.5 to 2.6 M" in the unit of `value`, with "M" but without "USD". */
void amount_append_range(struct buffer *out, enum amount amount, double value, double low, double high);

#endif
