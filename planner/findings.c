#include "planner/findings.h"

#include <stdarg.h>
#include <string.h>

bool findings_list_has(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; strlen(at) >= length; at++)
		if ((at == list || at[-1] == ' ') && strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0'))
			return true;
	return false;
}

void findings_clear(struct findings *findings)
{
	findings->assumption_count = findings->advice_count = findings->warning_count = 0;
	findings->sensitivity_count = findings->first_count = findings->dropped = 0;
	findings->missing_price_told = false;
}

static void findings_assume(struct findings *findings, struct assumption assumption)
{
	for (size_t i = 0; i < findings->assumption_count; i++)
		if (strcmp(findings->assumptions[i].field, assumption.field) == 0)
			return;
	if (findings->assumption_count == ASSUMPTIONS_MAX)
		findings->dropped++;
	else
		findings->assumptions[findings->assumption_count++] = assumption;
}

void findings_assume_number(struct findings *findings, const char *field, double number, const char *source)
{
	findings_assume(findings,
		(struct assumption){
			.field = field, .number = number, .low = ABSENT_NUMBER, .high = ABSENT_NUMBER, .source = source, .status = PROVENANCE_DEFAULT});
}

void findings_assume_text(struct findings *findings, const char *field, const char *text, const char *source)
{
	findings_assume(findings,
		(struct assumption){.field = field,
			.number = ABSENT_NUMBER,
			.low = ABSENT_NUMBER,
			.high = ABSENT_NUMBER,
			.text = text,
			.source = source,
			.status = PROVENANCE_DEFAULT});
}

struct advice *findings_advise(struct findings *findings, const char *code, const char *severity, const char *format, ...)
{
	bool full = findings->advice_count == ADVICE_MAX;
	struct advice *advice = &findings->advice[full ? ADVICE_MAX - 1 : findings->advice_count];
	va_list arguments;

	findings->advice_count += full ? 0 : 1;
	findings->dropped += full ? 1 : 0;
	*advice = (struct advice){.code = code,
		.severity = severity,
		.change_hours = ABSENT_NUMBER,
		.change_usd = ABSENT_NUMBER,
		.change_gb = ABSENT_NUMBER,
		.change_gpus = ABSENT_NUMBER,
		.sample_time_ratio = ABSENT_NUMBER};
	va_start(arguments, format);
	vsnprintf(advice->detail, sizeof advice->detail, format, arguments);
	va_end(arguments);
	return advice;
}

void findings_warn(struct findings *findings, const char *format, ...)
{
	struct warning *warning = &findings->warnings[findings->warning_count];
	va_list arguments;

	if (findings->warning_count == WARNINGS_MAX) {
		findings->dropped++;
		return;
	}
	findings->warning_count++;
	va_start(arguments, format);
	vsnprintf(warning->detail, sizeof warning->detail, format, arguments);
	va_end(arguments);
}

void findings_warn_first(struct findings *findings, const char *format, ...)
{
	struct warning warning;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(warning.detail, sizeof warning.detail, format, arguments);
	va_end(arguments);
	if (findings->warning_count == WARNINGS_MAX)
		findings->dropped++; /* the last warning is removed */
	else
		findings->warning_count++;
	for (size_t i = findings->warning_count; i-- > findings->first_count + 1;)
		findings->warnings[i] = findings->warnings[i - 1];
	findings->warnings[findings->first_count++] = warning;
}

void findings_assume_figure(struct findings *findings, const struct figure *figure)
{
	if (figure->status != PROVENANCE_GIVEN)
		findings_assume(findings,
			(struct assumption){.field = figure->field,
				.number = figure->value,
				.low = figure->low,
				.high = figure->high,
				.source = figure->source,
				.status = figure->status});
}

void findings_sensitivity(
	struct findings *findings, const struct figure *input, const char *figure, double change_low, double change_high, const char *method)
{
	static const double rounding = 1e-9; /* smaller changes are differences of rounding */
	double relative;
	size_t at = findings->sensitivity_count;
	struct sensitivity *entry;

	if (at == SENSITIVITIES_MAX) {
		findings->dropped++;
		return;
	}
	change_low = fabs(change_low) < rounding ? 0 : change_low;
	change_high = fabs(change_high) < rounding ? 0 : change_high;
	relative = fabs(change_low) > fabs(change_high) ? change_low : change_high;
	findings->sensitivity_count++;
	for (; at > 0 && fabs(findings->sensitivities[at - 1].relative) < fabs(relative); at--)
		findings->sensitivities[at] = findings->sensitivities[at - 1];
	entry = &findings->sensitivities[at];
	*entry = (struct sensitivity){.field = input->field,
		.value = input->value,
		.low = input->low,
		.high = input->high,
		.status = input->status,
		.figure = figure,
		.change_low = change_low,
		.change_high = change_high,
		.method = method,
		.relative = relative};
	snprintf(entry->effect, sizeof entry->effect, "a value from %.4g to %.4g instead of %.4g changes %s by %+.3g to %+.3g %%", input->low,
		input->high, input->value, figure, 100 * change_low, 100 * change_high);
}

void findings_rank_assumptions(struct findings *findings)
{
	size_t ranked = 0;

	for (size_t i = 0; i < findings->sensitivity_count; i++)
		for (size_t j = ranked; j < findings->assumption_count; j++) {
			struct assumption found = findings->assumptions[j];

			if (strcmp(found.field, findings->sensitivities[i].field) != 0)
				continue;
			memmove(&findings->assumptions[ranked + 1], &findings->assumptions[ranked], (j - ranked) * sizeof found);
			findings->assumptions[ranked++] = found;
		}
}
