/* Golden cases in text, so that a domain expert can add one without C.
 *
 * A file has blocks separated by blank lines; a line that begins with # is a comment:
 *
 *     case: llama 2 70B by the rule of thumb
 *     source: Touvron et al. 2023, Table 2 (1,720,320 GPU-hours; the rule is 8 % above)
 *     equation: E10
 *     given: params=68.98e9 tokens=2e12 epochs=1
 *     expect: gpu_hours=1.835e6
 *     tolerance: 0.001
 *
 * `equation` names a row of the test's table of functions. Values are numbers, or words where the function expects
 * words (precision=bf16). The tolerance is relative; `tolerance: exact` is 1e-12. */
#ifndef FLEETPLAN_TESTS_GOLDEN_H
#define FLEETPLAN_TESTS_GOLDEN_H

#include <stddef.h>

struct golden_case; /* one block */

/* Returns a given value. Without `_or`, the test fails if the block lacks it. */
double golden_number(const struct golden_case *golden, const char *key);
double golden_number_or(const struct golden_case *golden, const char *key, double otherwise);
const char *golden_word(const struct golden_case *golden, const char *key);
const char *golden_word_or(const struct golden_case *golden, const char *key, const char *otherwise);

/* Called once for every value under `expect`. Returns what the code computes
 * for it (NaN for an unknown name: fails). */
typedef double golden_function(const struct golden_case *golden, const char *expected);

struct golden_row {
	const char *equation;
	golden_function *function;
};

/* Runs every case of a file (path from the repository's root). Fails the calling CMocka test after the last case if
 * any value differs, or if the file has fewer than `least` cases. */
void golden_run(const char *path, const struct golden_row *rows, size_t row_count, size_t least);

#endif
