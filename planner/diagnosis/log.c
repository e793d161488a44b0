/* The verdict on a training log: diverging, overfitting, oscillating, too slow, stalled or improving, and its forecast
 * (E84-E89). */
#include <stdarg.h>

#include "planner/diagnosis/log_curve.h"

/* Thresholds of the verdicts, as shares of the loss: a smaller change is no reason to change a run. */
static const double rise_that_diverges = 0.05;    /* E86: the smoothed loss above its lowest value */
static const double burst_that_diverges = 0.20;   /* E86: the same for the last rows alone */
static const double swing_that_oscillates = 0.20; /* E87: p10 to p90 around the trend */
static const double fall_that_moves = 0.005;      /* E87: over the last third of the steps */
static const double still_there = 0.02;           /* of the last loss: the range in which a stalled loss rests */
static const double rise_that_overfits = 0.01;    /* E88: the validation loss above its lowest value */
static const double clearly = 3;                  /* standard deviations */
static const double fall_that_is_small = 0.1;     /* E87: over the whole log; a run at a usual rate falls by more */
static const double fall_that_is_even = 0.7;      /* E87: the second half over the first; a curve that has begun to bend falls by less */
static const double rate_that_rises = 1.1;        /* warm-up: the last rate over the middle one */

/* A tenth of the lowest peak rate of published fine-tunings, 1e-5 (Devlin et al. 2018, arXiv 1810.04805, name 5e-5 to
 * 2e-5; Ouyang et al. 2022, arXiv 2203.02155, 9.65e-6). Pre-training takes 6e-5 to 6e-4 (Brown et al. 2020, arXiv
 * 2005.14165, table 2.1). */
static const double rate_that_is_tiny = 1e-6;
enum { TREND_BINS_MIN = 4, TREND_BINS_MAX = 30, FIT_POINTS_MIN = 6, VALIDATION_ROWS_MIN = 4, WARM_UP_ROWS_MIN = 100 };

/* One log while it is judged. */
struct judged {
	struct series loss, validation, rate, norm;
	struct curve trend;
	double noise; /* of one row */
	struct power_law law;
	bool fits;
	struct log_room *room;
	struct log_diagnosis *answer;
	struct findings *findings;
};

/* --- columns --------------------------------------------------------------------------------------------------- */

static void check_column(struct failure *failure, const char *pointer, const struct number_list *column, size_t rows)
{
	if (column->count > 0 && column->count != rows)
		failure_add(failure, pointer, "contradiction", "%zu values for %zu steps; give one value for each step", column->count, rows);
}

static void check_rising(struct failure *failure, const char *pointer, const struct number_list *steps)
{
	for (size_t i = 1; i < steps->count; i++) {
		if (steps->items[i] <= steps->items[i - 1]) {
			failure_add(failure, pointer, "out_of_range", "steps must rise; %.12g follows %.12g", steps->items[i], steps->items[i - 1]);
			return;
		}
	}
}

static enum status check_log(const struct training_log *log, struct failure *failure)
{
	bool own_steps = log->validation_step.count > 0;

	if (log->step.count < LOG_ROWS_MIN)
		failure_add(failure, "/training_log/step", "too_few", "at least %d rows are needed to separate a trend from noise; the log has %zu",
			LOG_ROWS_MIN, log->step.count);
	if (log->step.count > LOG_ROWS_MAX)
		failure_add(failure, "/training_log/step", "too_many", "at most %d rows", LOG_ROWS_MAX);
	if (log->loss.count == 0)
		failure_add(failure, "/training_log/loss", "required", "give the loss at each step");
	check_column(failure, "/training_log/loss", &log->loss, log->step.count);
	check_column(failure, "/training_log/learning_rate", &log->learning_rate, log->step.count);
	check_column(failure, "/training_log/gradient_norm", &log->gradient_norm, log->step.count);
	check_column(failure, "/training_log/validation_loss", &log->validation_loss, own_steps ? log->validation_step.count : log->step.count);
	if (own_steps && log->validation_loss.count == 0)
		failure_add(failure, "/training_log/validation_loss", "required",
			"validation_step is given without it: give validation_loss, or leave validation_step out");
	check_rising(failure, "/training_log/step", &log->step);
	check_rising(failure, "/training_log/validation_step", &log->validation_step);
	return failure->fault_total > 0 ? failure->status : STATUS_OK;
}

static struct series series_of(const struct number_list *steps, const struct number_list *values)
{
	return (struct series){.step = steps->items, .value = values->items, .count = values->count};
}

/* --- findings ---------------------------------------------------------------------------------------------------- */

PRINTF_LIKE(4, 5) static void add_finding(struct judged *judged, enum log_verdict kind, double step, const char *format, ...)
{
	struct log_diagnosis *answer = judged->answer;
	struct log_finding *finding = &answer->findings[answer->finding_count];
	va_list arguments;

	if (answer->finding_count == LOG_FINDINGS_MAX)
		return;
	*finding = (struct log_finding){.kind = kind, .step = step};
	va_start(arguments, format);
	vsnprintf(finding->detail, sizeof finding->detail, format, arguments);
	va_end(arguments);
	answer->finding_count++;
	if (answer->verdict == LOG_UNSET)
		answer->verdict = kind;
}

static size_t curve_lowest(const struct curve *curve)
{
	size_t lowest = 0;

	for (size_t k = 1; k < curve->count; k++)
		if (curve->loss[k] < curve->loss[lowest])
			lowest = k;
	return lowest;
}

/* Returns the latest value at or before a step; absent: there is none. */
static double series_at(struct series series, double step)
{
	double value = ABSENT_NUMBER;

	for (size_t i = 0; i < series.count && series.step[i] <= step; i++)
		value = series.value[i];
	return value;
}

static double bin_noise(const struct judged *judged, size_t bin)
{
	/* A median of n normal rows spreads as sqrt(pi / 2 n). */
	return judged->noise * sqrt(1.5708 / judged->trend.weight[bin]);
}

static void advise_rate(struct judged *judged, const char *code, double step, double factor)
{
	double rate = series_at(judged->rate, step);
	struct advice *advice;

	if (is_given(rate) && rate > 0)
		advice = findings_advise(judged->findings, code, "important", "lower the learning rate from %.3g to about %.3g", rate, rate * factor);
	else
		advice = findings_advise(judged->findings, code, "important", "lower the learning rate to about %.2g of its value", factor);
	snprintf(advice->effect, sizeof advice->effect, "updates %.2g times as large; the noise of the loss falls with them", factor);
}

static void advise_divergence(struct judged *judged, double since)
{
	double norm = judged->norm.count ? series_quantile(judged->norm.value, judged->norm.count, 0.5, judged->room->scratch) : ABSENT_NUMBER;
	struct advice *advice;

	advise_rate(judged, "lower_learning_rate", since, 1.0 / 3);
	advice = findings_advise(judged->findings, "restart_from_checkpoint", "important", "restart from a checkpoint before step %.0f", since);
	snprintf(advice->effect, sizeof advice->effect, "the %.0f steps since then are lost in any case",
		judged->trend.step[judged->trend.count - 1] - since);
	if (is_given(norm) && norm > 0)
		findings_advise(
			judged->findings, "clip_gradients", "suggestion", "clip gradients near their median norm, %.3g, and warm up longer", norm);
	else
		findings_advise(judged->findings, "clip_gradients", "suggestion", "clip gradients at their usual norm, and warm up longer");
}

/* E86. Finds a smoothed loss that is clearly above its lowest value, or a jump upwards in the last rows. */
static void judge_divergence(struct judged *judged)
{
	const struct curve *trend = &judged->trend;
	size_t lowest = curve_lowest(trend), last = trend->count - 1, tail = judged->loss.count / 50 + 3;
	double least = trend->loss[lowest], rise = trend->loss[last] - least, end, spread;

	spread = sqrt(pow(bin_noise(judged, last), 2) + pow(bin_noise(judged, lowest), 2));
	end = series_quantile(judged->loss.value + judged->loss.count - tail, tail, 0.5, judged->room->scratch);
	if (rise > clearly * spread && rise > rise_that_diverges * fabs(least))
		add_finding(judged, LOG_DIVERGING, trend->step[lowest], "the loss rises from %.4g around step %.0f to %.4g at the end (+%.0f %%)",
			least, trend->step[lowest], trend->loss[last], 100 * rise / fabs(least));
	else if (end - least > burst_that_diverges * fabs(least) && end - least > 2 * clearly * judged->noise)
		add_finding(judged, LOG_DIVERGING, judged->loss.step[judged->loss.count - tail],
			"the loss jumps in the last rows, from %.4g to %.4g", least, end);
	else
		return;
	advise_divergence(judged, judged->answer->findings[judged->answer->finding_count - 1].step);
}

static void advise_overfitting(struct judged *judged, double step, double lowest, double now)
{
	struct advice *advice = findings_advise(
		judged->findings, "stop_early", "important", "keep the weights of step %.0f and stop there", step);

	snprintf(advice->effect, sizeof advice->effect, "validation loss %.4g instead of %.4g, and %.0f steps saved", lowest, now,
		judged->loss.step[judged->loss.count - 1] - step);
	findings_advise(
		judged->findings, "regularise", "suggestion", "regularise more: weight decay, dropout, augmentation, or fewer parameters");
	findings_advise(judged->findings, "more_data", "suggestion", "train on more distinct data, or make fewer passes over the same data");
}

/* E88. Finds a validation loss that is clearly above its lowest value while the training loss has kept falling
 * since. */
static void judge_overfitting(struct judged *judged)
{
	struct series validation = judged->validation;
	double *scratch = judged->room->scratch, noise, now, rise, then;
	struct curve smooth;
	size_t lowest, rows = validation.count;

	if (rows < VALIDATION_ROWS_MIN)
		return;
	noise = series_noise(validation, scratch);
	series_bins(validation, rows < TREND_BINS_MAX ? rows : TREND_BINS_MAX, scratch, &smooth);
	lowest = curve_lowest(&smooth);
	now = series_quantile(validation.value + rows - (rows > 12 ? 3 : 1), rows > 12 ? 3 : 1, 0.5, scratch);
	judged->answer->best_validation_step = smooth.step[lowest];
	judged->answer->best_validation_loss = smooth.loss[lowest];
	rise = now - smooth.loss[lowest];
	then = ABSENT_NUMBER;
	for (size_t k = 0; k < judged->trend.count && judged->trend.step[k] <= smooth.step[lowest]; k++)
		then = judged->trend.loss[k];
	if (!(rise > rise_that_overfits * fabs(smooth.loss[lowest])) || !(rise > clearly * noise) ||
		!(judged->trend.loss[judged->trend.count - 1] < given_or(then, judged->trend.loss[0])))
		return;
	add_finding(judged, LOG_OVERFITTING, smooth.step[lowest],
		"the validation loss has risen from %.4g at step %.0f to %.4g while the training loss kept falling, to %.4g", smooth.loss[lowest],
		smooth.step[lowest], now, judged->trend.loss[judged->trend.count - 1]);
	advise_overfitting(judged, smooth.step[lowest], smooth.loss[lowest], now);
}

/* Returns the trend at a step: the fitted curve, or where none fits the line between the medians around it. */
static double trend_at(const struct judged *judged, double step)
{
	const struct curve *trend = &judged->trend;
	size_t k = 1;

	if (judged->fits)
		return power_law_loss(&judged->law, step);
	while (k + 1 < trend->count && trend->step[k] < step)
		k++;
	return trend->loss[k - 1] + (trend->loss[k] - trend->loss[k - 1]) * (step - trend->step[k - 1]) / (trend->step[k] - trend->step[k - 1]);
}

/* E87. Returns the distance of p10 and p90 around the trend, over the second half. */
static double swing_of(struct judged *judged)
{
	size_t from = judged->loss.count / 2, rows = judged->loss.count - from;
	double *left = judged->room->losses;

	for (size_t i = 0; i < rows; i++)
		left[i] = judged->loss.value[from + i] - trend_at(judged, judged->loss.step[from + i]);
	return series_quantile(left, rows, 0.9, judged->room->scratch) - series_quantile(left, rows, 0.1, judged->room->scratch);
}

static void judge_oscillation(struct judged *judged)
{
	struct log_diagnosis *answer = judged->answer;
	const double *step = judged->loss.step;
	size_t rows = judged->loss.count;
	double swing = swing_of(judged), level = fabs(answer->last_loss), share;
	double progress = trend_at(judged, step[rows / 2]) - trend_at(judged, step[rows - 1]);
	struct advice *advice;

	answer->swing_share = share = level > 0 ? swing / level : 0;
	if (!(share > swing_that_oscillates) || !(swing > 2 * progress))
		return;
	add_finding(judged, LOG_OSCILLATING, step[rows / 2],
		"the loss swings by %.0f %% of its value around its trend, which falls by %.2g %% meanwhile", 100 * share,
		level > 0 ? 100 * progress / level : 0);
	advise_rate(judged, "lower_learning_rate", step[rows - 1], fmax(0.1, swing_that_oscillates / share));
	advice = findings_advise(judged->findings, "larger_batch", "suggestion", "use a batch (or gradient accumulation) %.3g times as large",
		ceil(share * share / (swing_that_oscillates * swing_that_oscillates)));
	snprintf(advice->effect, sizeof advice->effect, "sampling noise falls with the root of the batch: expect swings of about %.0f %%",
		100 * swing_that_oscillates);
}

static void advise_raise(struct judged *judged, double rate, double fall, double steps)
{
	bool tiny = rate < rate_that_is_tiny; /* false where it is not given */
	struct advice *advice;

	if (is_given(rate))
		advice = findings_advise(judged->findings, "raise_learning_rate", tiny ? "important" : "suggestion",
			"raise the learning rate from %.3g, by 3 to 10 times at a time, until the loss curve bends; a good rate is a third of the one at which training becomes unstable",
			rate);
	else
		advice = findings_advise(judged->findings, "raise_learning_rate", "suggestion",
			"raise the learning rate, by 3 to 10 times at a time, until the loss curve bends; a good rate is a third of the one at which training becomes unstable");
	if (fall > 0)
		snprintf(advice->effect, sizeof advice->effect, "at this slope the loss takes %.3g steps to fall by a tenth",
			0.1 * fabs(judged->answer->last_loss) / fall * steps);
}

/* E87. Finds a loss that falls clearly from the first step on, but by little and as fast at the end as at the
 * beginning: its updates are too small to leave the region where it began. Also finds a rate far below every published
 * one. A rate that still rises is warm-up. A log that begins late does not show the first case. */
static bool judge_slow(struct judged *judged)
{
	const struct curve *trend = &judged->trend;
	size_t last = trend->count - 1, middle = trend->count / 2, rows = judged->loss.count;
	double first = trend->loss[0], fall = first - trend->loss[last], before = first - trend->loss[middle],
		   after = trend->loss[middle] - trend->loss[last];
	double spread = sqrt(pow(bin_noise(judged, last), 2) + pow(bin_noise(judged, 0), 2)),
		   half_spread = sqrt(pow(bin_noise(judged, last), 2) + pow(bin_noise(judged, middle), 2));
	double steps = trend->step[last] - trend->step[0], slope_after = after / (trend->step[last] - trend->step[middle]),
		   slope_before = before / (trend->step[middle] - trend->step[0]);
	double rate = judged->rate.count ? series_quantile(judged->rate.value, judged->rate.count, 1, judged->room->scratch) : ABSENT_NUMBER;
	bool warms_up = judged->rate.count &&
		judged->rate.value[judged->rate.count - 1] > rate_that_rises * judged->rate.value[judged->rate.count / 2];
	bool from_start = judged->loss.step[0] <= judged->loss.step[rows - 1] - judged->loss.step[0];
	bool even = from_start && fall > clearly * spread && after > clearly * half_spread && slope_after >= fall_that_is_even * slope_before;

	if (judged->answer->verdict != LOG_UNSET || warms_up || fall > fall_that_is_small * fabs(first) || !(even || rate < rate_that_is_tiny))
		return false;
	add_finding(judged, LOG_TOO_SLOW, trend->step[0], "the loss falls by %.2g %% over the log, from %.4g to %.4g%s%s",
		100 * fmax(0, fall) / fabs(first), first, trend->loss[last],
		even ? ", as fast at the end as at the beginning: the updates are too small" : "",
		rate < rate_that_is_tiny ? "; the learning rate is far below every published one" : "");
	advise_raise(judged, rate, fall, steps);
	return true;
}

/* E87. Finds a smoothed loss that falls by less than half a hundredth over the last third of the steps. */
static void judge_stall(struct judged *judged)
{
	const struct curve *trend = &judged->trend;
	struct log_diagnosis *answer = judged->answer;
	size_t last = trend->count - 1, from = last - trend->count / 3, since = from;
	double fall = trend->loss[from] - trend->loss[last], level = fabs(trend->loss[last]);
	double above = is_given(answer->fit.loss_limit) && level > 0 ? (trend->loss[last] - answer->fit.loss_limit) / level : ABSENT_NUMBER;

	answer->slope_share = level > 0 ? -fall / level : 0;
	if (fall > fall_that_moves * level)
		return;
	while (since > 0 && fabs(trend->loss[since - 1] - trend->loss[last]) <= still_there * level)
		since--;
	add_finding(judged, LOG_STALLED, trend->step[since], "the loss has stayed at %.4g since step %.0f%s", trend->loss[last],
		trend->step[since], is_given(above) && above < 0.02 ? ": it has reached the limit of its curve" : "");
	if (is_given(above) && above < 0.02)
		findings_advise(judged->findings, "stop_or_enlarge", "suggestion",
			"stop here: further steps gain less than %.1f %%; a lower loss needs a larger model or better data", 100 * fmax(above, 0.001));
	else
		findings_advise(judged->findings, "change_learning_rate", "suggestion",
			"try another learning rate: three times lower where the loss is noisy, higher (or restart its schedule) where the schedule has lowered it to almost 0");
	if (since == 0)
		findings_advise(judged->findings, "check_training", "suggestion",
			"the model learns nothing in this log: first check data, targets, loss and gradients on a few samples that the model must be able to memorise");
	else
		findings_advise(judged->findings, "more_data", "suggestion",
			"use a larger model, or better and more data: this model has learned what it can from this data");
}

/* --- forecast ------------------------------------------------------------------------------------------------------ */

static void fill_fit(struct judged *judged, double steps_planned)
{
	struct log_diagnosis *answer = judged->answer;
	struct curve thin;

	/* Skip the first tenth, which is warm-up: no power law describes it. A short log needs all its rows. */
	size_t skipped = judged->loss.count >= WARM_UP_ROWS_MIN ? judged->loss.count / 10 : 0;

	series_thin((struct series){judged->loss.step + skipped, judged->loss.value + skipped, judged->loss.count - skipped},
		judged->room->scratch, &thin);
	judged->fits = thin.count >= FIT_POINTS_MIN && power_law_fit(&thin, &judged->room->fit, &judged->law);
	if (!judged->fits)
		return;
	answer->fit.loss_limit = judged->law.limit;
	answer->fit.amplitude = judged->law.amplitude;
	answer->fit.offset_steps = judged->law.offset_steps;
	answer->fit.exponent = judged->law.exponent;
	answer->fit.residual_share = answer->last_loss > 0 ? judged->law.residual / answer->last_loss : ABSENT_NUMBER;
	power_law_interval(&thin, &judged->law, steps_planned, &judged->room->fit, &answer->loss_limit, &answer->loss_final);
	if (!is_given(steps_planned))
		answer->loss_final = (struct interval){ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER};
}

static void forget_fit(struct judged *judged)
{
	struct log_diagnosis *answer = judged->answer;
	const struct interval none = {ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER};

	judged->fits = false;
	answer->fit.loss_limit = answer->fit.amplitude = answer->fit.offset_steps = answer->fit.exponent = ABSENT_NUMBER;
	answer->fit.residual_share = ABSENT_NUMBER;
	answer->loss_limit = answer->loss_final = none;
}

/* E89. Fills the cost of a further hundredth of the loss, and the step at which to stop. */
static void fill_price(struct judged *judged, double usd_per_step, double usd_per_percent_max)
{
	struct log_diagnosis *answer = judged->answer;
	double steps = power_law_steps_per_percent(&judged->law, answer->last_step), stop;
	struct advice *advice;

	answer->steps_per_percent = isfinite(steps) ? steps : ABSENT_NUMBER;
	answer->usd_per_percent = answer->steps_per_percent * usd_per_step;
	if (!is_given(usd_per_step) || !is_given(usd_per_percent_max))
		return;
	stop = power_law_stop_step(&judged->law, judged->loss.step[0], usd_per_percent_max / usd_per_step);
	answer->stop_step = isfinite(stop) ? stop : ABSENT_NUMBER;
	if (!isfinite(stop))
		return;
	advice = findings_advise(judged->findings, "stop_step", stop <= answer->last_step ? "important" : "info",
		"from step %.0f on each further hundredth of the loss costs more than %.4g USD%s", stop, usd_per_percent_max,
		stop <= answer->last_step ? ": this step is past, stop now" : "");
	if (is_given(answer->usd_per_percent))
		snprintf(advice->effect, sizeof advice->effect, "the next hundredth costs %.4g USD, %.4g steps", answer->usd_per_percent, steps);
	else
		snprintf(advice->effect, sizeof advice->effect, "the curve does not reach the next hundredth: its limit is above it");
}

static void fill_levels(struct judged *judged)
{
	const struct curve *trend = &judged->trend;
	struct log_diagnosis *answer = judged->answer;
	size_t lowest = curve_lowest(trend), last = trend->count - 1;

	answer->rows = judged->loss.count;
	answer->last_step = judged->loss.step[judged->loss.count - 1];
	answer->last_loss = trend->loss[last];
	answer->best_step = trend->step[lowest];
	answer->best_loss = trend->loss[lowest];
	answer->noise_share = answer->last_loss > 0 ? judged->noise / answer->last_loss : ABSENT_NUMBER;
	answer->best_validation_step = answer->best_validation_loss = ABSENT_NUMBER;
	answer->steps_per_percent = answer->usd_per_percent = answer->stop_step = ABSENT_NUMBER;
	answer->swing_share = answer->slope_share = ABSENT_NUMBER;
}

/* Notes the columns without a finding. The norm is the clipping limit of a diverging log; the rate is changed when the
 * loss does not fall as expected. */
static void remark_unused(const struct judged *judged, bool rows)
{
	if (judged->norm.count && judged->answer->verdict != LOG_DIVERGING)
		findings_assume_text(judged->findings, rows ? "training_log_rows.gradient_norm" : "training_log.gradient_norm", "no finding",
			"E86: the norm is the clipping limit for a log that diverges; this log does not diverge, so that it is not used");
	if (judged->rate.count && judged->answer->verdict == LOG_IMPROVING)
		findings_assume_text(judged->findings, rows ? "training_log_rows.learning_rate" : "training_log.learning_rate", "no finding",
			"E87: the rate is changed where a loss does not fall as expected; this loss falls as expected, so that it is not used");
}

enum status diagnose_log(const struct diagnosis_request *request, struct log_room *room, struct diagnosis *diagnosis, struct failure *failure)
{
	const struct training_log *log = &request->training_log;
	struct judged judged = {.room = room, .answer = &diagnosis->training_log, .findings = &diagnosis->findings};
	enum status status = check_log(log, failure);
	size_t bins;

	if (status != STATUS_OK)
		return status;
	*judged.answer = (struct log_diagnosis){.verdict = LOG_UNSET};
	judged.loss = series_of(&log->step, &log->loss);
	judged.rate = series_of(&log->step, &log->learning_rate);
	judged.norm = series_of(&log->step, &log->gradient_norm);
	judged.validation = series_of(log->validation_step.count ? &log->validation_step : &log->step, &log->validation_loss);
	bins = judged.loss.count / 4 < TREND_BINS_MIN ? TREND_BINS_MIN : judged.loss.count / 4;
	series_bins(judged.loss, bins < TREND_BINS_MAX ? bins : TREND_BINS_MAX, room->scratch, &judged.trend);
	judged.noise = series_noise(judged.loss, room->scratch);
	fill_levels(&judged);
	forget_fit(&judged);
	judge_divergence(&judged);
	if (judged.answer->verdict != LOG_DIVERGING)
		fill_fit(&judged, request->steps_planned);
	judge_overfitting(&judged);
	if (judged.answer->verdict != LOG_DIVERGING) {
		judge_oscillation(&judged);
		if (!judge_slow(&judged))
			judge_stall(&judged);
	}
	if (judged.answer->verdict == LOG_UNSET)
		judged.answer->verdict = LOG_IMPROVING;
	remark_unused(&judged, request->training_log_rows.count > 0);
	if (judged.fits)
		fill_price(&judged, request->usd_per_step, request->usd_per_percent_max);
	diagnosis->has_log = true;
	return STATUS_OK;
}
