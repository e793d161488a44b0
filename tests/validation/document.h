/* The training part of the accuracy page: tables in Markdown, and plots of predicted against observed figures. */
#ifndef FLEETPLAN_TESTS_VALIDATION_DOCUMENT_H
#define FLEETPLAN_TESTS_VALIDATION_DOCUMENT_H

#include <stdio.h>

#include "validation/judge.h"

/* Writes the training part of docs/accuracy.md. The text depends only on the planner: it has no time and no path. */
void document_write(FILE *file, const struct validation_cases *cases, const struct judgement *judgement);

/* Write parts of it: whole runs, and the promises kept. */
void document_runs_write(FILE *file, const struct validation_cases *cases, const struct runs *runs);
void document_promises_write(FILE *file, const struct judgement *judgement);

/* Plots predicted against observed step times, each suite left out of the fit: logarithmic axes, lines at 1:1, 25 %
 * longer and 20 % shorter. SVG 1.1. */
void plot_write(FILE *file, const struct judgement *judgement);

/* Plots the share of promises kept against the probability promised, for step times and whole runs. SVG 1.1. */
void reliability_write(FILE *file, const struct judgement *judgement);

#endif
