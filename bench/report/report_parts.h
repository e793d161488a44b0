/* Internal to bench/report: writes figures as members of a JSON object, and as rows of a table for a person. */
#ifndef FLEETPLAN_BENCH_REPORT_REPORT_PARTS_H
#define FLEETPLAN_BENCH_REPORT_REPORT_PARTS_H

#include "bench/report/report.h"

void put_text(struct json_writer *writer, const char *key, const char *text); /* NULL: writes nothing */
void put_number(struct json_writer *writer, const char *key, double number);  /* NaN: writes nothing */
void put_count(struct json_writer *writer, const char *key, size_t count);
void put_truth(struct json_writer *writer, const char *key, bool truth);

/* Write members of an object that the caller has begun. */
void measure_encode(const struct bench_measure *measure, struct json_writer *writer);
void fit_encode(const struct bench_fit *fit, struct json_writer *writer);
void mean_encode(const struct bench_mean *mean, struct json_writer *writer);

/* Print one line of text, including the newline. */
void device_print(int fd, const struct bench_device *device);
void measure_print(int fd, const struct bench_measure *measure);
void fit_print(int fd, const struct bench_fit *fit);
void mean_print(int fd, const struct bench_mean *mean);

#endif
