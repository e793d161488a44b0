/* Parts of reports: values of a plan's JSON, written for people. For api/report.c and api/memo.c alone. */
#ifndef FLEETPLAN_API_REPORT_PARTS_H
#define FLEETPLAN_API_REPORT_PARTS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "hwdb/catalogue/records.h"

bool report_is_training(const struct plan_record *plan);

/* Finds "cost.offer.region" in an object; NULL if there is no such value. */
const json_t *report_at(const json_t *object, const char *path);

/* A figure of an option by its short name ("total_usd"). Options have them inside of cost, energy and carbon. */
const json_t *report_figure(const json_t *option, const char *key);

/* Writes three significant digits with thousands separators. */
void report_number(double number, struct buffer *out);

/* Writes text in Markdown; escapes characters that begin markup or end a table cell. */
void report_text(const char *text, struct buffer *out);

/* Writes a number, a text, or yes or no. */
void report_value(const json_t *value, struct buffer *out);

/* Writes the table, the alternatives, the risks and the assumptions of a plan's memo. */
void memo_write(const struct plan_record *plan, const json_t *result, struct buffer *out);

#endif
