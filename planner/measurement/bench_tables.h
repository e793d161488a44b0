/* Field tables of what a benchmark's worker is asked (bench_spec.h) and of what it answers (bench_lines.h). */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_BENCH_TABLES_H
#define FLEETPLAN_PLANNER_MEASUREMENT_BENCH_TABLES_H

#include "planner/measurement/bench_lines.h"
#include "schema/field.h"

/* Not part of the API: the file that the worker's --spec names. */
DECLARE_TABLE(bench_spec, struct bench_spec);
DECLARE_TABLE(bench_spec_product, struct bench_spec_product);
DECLARE_TABLE(bench_spec_attention, struct bench_spec_attention);
DECLARE_TABLE(bench_attention, struct bench_attention);
DECLARE_TABLE(bench_block, struct bench_block);

DECLARE_TABLE(bench_line_hello, struct bench_line_hello);
DECLARE_TABLE(bench_line_device, struct bench_line_device);
DECLARE_TABLE(bench_line_progress, struct bench_line_progress);
DECLARE_TABLE(bench_line_sample, struct bench_line_sample);
DECLARE_TABLE(bench_line_transfer, struct bench_line_transfer);
DECLARE_TABLE(bench_line_energy, struct bench_line_energy);
DECLARE_TABLE(bench_line_measure, struct bench_line_measure);
DECLARE_TABLE(bench_line_fit, struct bench_line_fit);
DECLARE_TABLE(bench_line_mean, struct bench_line_mean);
DECLARE_TABLE(bench_line_skip, struct bench_line_skip);
DECLARE_TABLE(bench_line_result, struct bench_line_result);

/* Each kind of line: its word and its table. */
extern const char *const bench_line_words[BENCH_LINE_COUNT];
extern const struct field_table *const bench_line_tables[BENCH_LINE_COUNT];

#endif
