#include "planner/measurement/verification.h"

#include "base/status.h"

enum verification_verdict verification_verdict_of(double ratio)
{
	if (!is_given(ratio))
		return VERIFICATION_UNSET;
	if (ratio >= VERIFICATION_CONFIRMED_LOW && ratio <= VERIFICATION_CONFIRMED_HIGH)
		return VERIFICATION_CONFIRMED;
	return ratio >= VERIFICATION_ADJUSTED_LOW && ratio <= VERIFICATION_ADJUSTED_HIGH ? VERIFICATION_ADJUSTED : VERIFICATION_REFUTED;
}

void verification_add(struct verification *verification, const char *name, const char *unit, double predicted, double measured, bool is_rate)
{
	if (!(predicted > 0) || !(measured > 0) || verification->terms.count == VERIFICATION_TERMS_MAX)
		return;
	verification->terms.items = verification->room;
	verification->room[verification->terms.count++] = (struct verification_term){.name = name,
		.unit = unit,
		.predicted = predicted,
		.measured = measured,
		.ratio = is_rate ? predicted / measured : measured / predicted};
}

void verification_conclude(struct verification *verification)
{
	const struct verification_term *dominant = NULL;

	verification->ratio = verification->predicted_s > 0 && verification->measured_s > 0 ? verification->measured_s / verification->predicted_s
																						: ABSENT_NUMBER;
	verification->calibrated_ratio = verification->calibrated_s > 0 && verification->measured_s > 0
		? verification->measured_s / verification->calibrated_s
		: ABSENT_NUMBER;
	verification->verdict = verification_verdict_of(verification->ratio);
	for (size_t i = 0; i < verification->terms.count; i++)
		if (!dominant || fabs(log(verification->terms.items[i].ratio)) > fabs(log(dominant->ratio)))
			dominant = &verification->terms.items[i];
	verification->dominant = dominant && verification->verdict != VERIFICATION_CONFIRMED && verification->verdict != VERIFICATION_UNSET
		? dominant->name
		: NULL;
}
