#include "hwdb/rows/known_mistakes.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static const double tolerance = 0.004; /* equal: 1979 and 1978.9, 8.73 and 8.74; different: 991 and 2 x 494.5 */

struct rate {
	const char *field;
	size_t offset;
};

#define RATE(member) \
	{ \
#member, offsetof(struct accelerator, member) \
	}
static const struct rate rates[] = {
	RATE(tflops_fp32),
	RATE(tflops_tf32),
	RATE(tflops_bf16),
	RATE(tflops_fp16),
	RATE(tflops_fp8),
	RATE(tops_int8),
	RATE(tflops_fp4),
};

/* Wrong rates that the rule of twice the dense rate does not find, or for which a reason is known. */
static const struct mistake {
	const char *word; /* a word of the id or name */
	const char *field;
	double wrong, right;
	const char *what;
} mistakes[] = {
	{"a100", "tflops_bf16", 624, 312, "with 2:4 sparsity"},
	{"a100", "tflops_fp16", 624, 312, "with 2:4 sparsity"},
	{"h100", "tflops_bf16", 1979, 989.5, "with 2:4 sparsity"},
	{"h100", "tflops_fp16", 1979, 989.5, "with 2:4 sparsity"},
	{"h100", "tflops_fp8", 3958, 1979, "with 2:4 sparsity"},
	{"k80", "tflops_fp32", 8.74, 4.37, "of the board: two GK210 dies at boost clock; clouds rent one die"},
	{"k80", "tflops_fp32", 8.73, 4.37, "of the board: two GK210 dies at boost clock; clouds rent one die"},
	{"tpu-v2", "tflops_bf16", 180, 45, "of a v2-8 board: four chips"},
	{"tpu-v3", "tflops_bf16", 420, 123, "of a v3-8 board: four chips"},
	{"tpu-v3", "tflops_bf16", 492, 123, "of a v3-8 board: four chips"},
	{"rtx-4090", "tflops_fp16", 330.3, 165.2, "with FP16 accumulation or 2:4 sparsity"},
	{"trainium2", "tflops_bf16", 2563, 667, "with 4:1 sparsity"},
	{"a10", "tflops_bf16", 250, 125, "with 2:4 sparsity"},
};

static double rate_of(const struct accelerator *accelerator, const struct rate *rate)
{
	double value;

	memcpy(&value, (const char *)accelerator + rate->offset, sizeof value);
	return value;
}

static bool close_to(double a, double b)
{
	return fabs(a - b) <= tolerance * b;
}

/* True if `text` contains `word` as a whole word: "a100" in "A100 SXM4 80GB" and "my-a100", not in "a1000"; "TPU v3"
 * for "tpu-v3". */
static bool holds_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; at && *at; at++) {
		size_t i = 0;

		while (i < length && (tolower((unsigned char)at[i]) == word[i] || (word[i] == '-' && at[i] == ' ')))
			i++;
		if (i == length && !isalnum((unsigned char)at[i]) && (at == text || !isalnum((unsigned char)at[-1])))
			return true;
	}
	return false;
}

static bool is_named(const struct accelerator *accelerator, const char *word)
{
	return holds_word(accelerator->id, word) || holds_word(accelerator->name, word);
}

/* True if a row names itself a board, as the built-in row of the K80 does: its figure is then that of the board. */
static bool says_board(const struct accelerator *accelerator)
{
	return accelerator->name && strcasestr(accelerator->name, "board");
}

/* Writes the first words of an id, which identify the product: "h100" of "h100-sxm5-80gb", "rtx-4090" whole. */
static void product_of(const char *id, char out[24])
{
	size_t length = strcspn(id, "-"), at = 0;

	if (strcspn(id, "0123456789") > length && id[length]) /* "rtx-4090", "tpu-v3": the number follows the hyphen */
		length += 1 + strcspn(id + length + 1, "-");
	for (; at < length && at < 23; at++)
		out[at] = (char)tolower((unsigned char)id[at]);
	out[at] = '\0';
}

/* Returns the catalogue's row of that name with the correct figure; NULL: the row was removed. */
static const struct accelerator_row *row_that_says(
	const struct catalogue *catalogue, const struct accelerator *accelerator, const struct mistake *mistake, const struct rate *rate)
{
	const struct accelerator_row *found = NULL;

	for (size_t i = 0; catalogue && i < catalogue->rows.accelerator_count; i++) {
		const struct accelerator_row *row = &catalogue->rows.accelerators[i];

		/* of several rows the one with as much memory */
		if (is_named(&row->accelerator, mistake->word) && close_to(rate_of(&row->accelerator, rate), mistake->right) &&
			(!found || (row->accelerator.memory_gb >= accelerator->memory_gb && found->accelerator.memory_gb < accelerator->memory_gb)))
			found = row;
	}
	return found;
}

static bool warn_of_mistake(const struct catalogue *catalogue, const struct accelerator *accelerator, const struct rate *rate, double value,
	struct findings *findings)
{
	for (size_t i = 0; i < COUNT_OF(mistakes); i++) {
		const struct mistake *mistake = &mistakes[i];
		const struct accelerator_row *row;

		if (strcmp(mistake->field, rate->field) != 0 || !is_named(accelerator, mistake->word) || !close_to(value, mistake->wrong))
			continue;
		row = row_that_says(catalogue, accelerator, mistake, rate);
		findings_warn(findings, "%s %g is the rate %s; the dense rate of one accelerator is %g%s%s%s", rate->field, value, mistake->what,
			mistake->right, row ? " (catalogue " : "", row ? row->accelerator.id : "", row ? ")" : "");
		return true;
	}
	return false;
}

/* Warns if a similarly named row of the catalogue has half of the value as its dense rate. */
static bool warn_of_double(const struct catalogue *catalogue, const struct accelerator *accelerator, const struct rate *rate, double value,
	struct findings *findings)
{
	for (size_t i = 0; catalogue && i < catalogue->rows.accelerator_count; i++) {
		const struct accelerator_row *row = &catalogue->rows.accelerators[i];
		double dense = rate_of(&row->accelerator, rate);
		char product[24];

		product_of(row->accelerator.id, product);
		if (!(dense > 0) || !close_to(value, 2 * dense) || !is_named(accelerator, product))
			continue;
		if (row->meta.origin && strcmp(row->meta.origin, "user") == 0)
			continue;
		findings_warn(findings, "%s %g is twice the dense rate of %s, %g: the figure with 2:4 sparsity or of two dies; enter dense rates",
			rate->field, value, row->accelerator.id, dense);
		return true;
	}
	return false;
}

size_t known_mistakes_warn(
	const struct catalogue *catalogue, const struct accelerator *accelerator, const struct accelerator *given, struct findings *findings)
{
	size_t warned = 0;

	if (says_board(accelerator))
		return 0;
	for (size_t i = 0; i < COUNT_OF(rates); i++) {
		double value = rate_of(given, &rates[i]);

		if (is_given(value) &&
			(warn_of_mistake(catalogue, accelerator, &rates[i], value, findings) ||
				warn_of_double(catalogue, accelerator, &rates[i], value, findings)))
			warned++;
	}
	return warned;
}
