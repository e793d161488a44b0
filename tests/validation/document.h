/* The accuracy document: tables in Markdown, and predicted against observed as a picture. */
#ifndef FLEETPLAN_TESTS_VALIDATION_DOCUMENT_H
#define FLEETPLAN_TESTS_VALIDATION_DOCUMENT_H

#include <stdio.h>

#include "validation/judge.h"

/* The training part of docs/accuracy.md. The same text for the same planner: no time, no path. */
void document_write(FILE *file, const struct validation_cases *cases, const struct judgement *judgement);

/* Parts of it: whole runs, and how promises held. */
void document_runs_write(FILE *file, const struct validation_cases *cases, const struct runs *runs);
void document_promises_write(FILE *file, const struct judgement *judgement);

/* Step times with their suites left out: predicted against observed, logarithmic, 1:1 and +-25 % lines. SVG 1.1. */
void plot_write(FILE *file, const struct judgement *judgement);

/* Share of promises that held against the probability promised, of step times and whole runs. SVG 1.1. */
void reliability_write(FILE *file, const struct judgement *judgement);

#endif
