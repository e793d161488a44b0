/* Internal to bench/report: writes figures as members of a JSON object, and as rows of a table for a person. */
#ifndef FLEETPLAN_BENCH_REPORT_REPORT_PARTS_H
#define FLEETPLAN_BENCH_REPORT_REPORT_PARTS_H

#include "bench/report/report.h"

/* Write members of an object that the caller has begun. */
void measure_encode(const struct bench_measure *measure, struct json_writer *writer);
void fit_encode(const struct bench_fit *fit, struct json_writer *writer);
void mean_encode(const struct bench_mean *mean, struct json_writer *writer);
void sample_encode(double t_s, const struct bench_sensors *sensors, struct json_writer *writer);

/* Print one line of text, including the newline. */
void device_print(int fd, const struct bench_device *device);
void measure_print(int fd, const struct bench_measure *measure);
void fit_print(int fd, const struct bench_fit *fit);
void mean_print(int fd, const struct bench_mean *mean);

#endif
