#include "agent/job_calibrations.h"

#include <math.h>
#include <stdarg.h>

#include "base/clock.h"
#include "base/units.h"
#include "planner/measurement/evidence.h"
#include "planner/measurement/products.h"

/* Watts of one busy hardware thread: mean of the server processors in Cloud Carbon Footprint's AWS table
 * (AwsFootprintEstimationConstants, MAX_WATTS_AVG). Few CPUs report their power. */
#define CPU_THREAD_W 3.5

/* A smaller change of a measured peak is noise and does not change the row. */
#define PEAK_NOISE 0.02

/* The widest 80 % interval of a median that gives a calibration, as a fraction of the median. */
#define WIDTH_MOST 0.15

/* A reason shows a wider interval as "more than" this, as a fraction of the median. */
#define WIDTH_TOLD 10

/* A reason names others' share of the CPUs from this fraction on. */
#define OTHERS_TOLD 0.05

/* A fit over sizes with a larger residual, as a fraction, is rejected. */
#define FIT_RESIDUAL_MOST 0.25

struct calibrating {
	const struct bench_evidence *evidence;
	struct bench_calibrations *out;
	struct arena *arena;
	bool exhausted; /* the arena has no memory left */
};

__attribute__((format(printf, 3, 4))) static void refuse_quantity(struct calibrating *work, const char *quantity, const char *format, ...)
{
	struct bench_refusal *refusal;
	va_list arguments;

	if (work->out->refused == BENCH_CALIBRATIONS_MAX)
		return;
	refusal = &work->out->refusals[work->out->refused++];
	refusal->quantity = quantity;
	va_start(arguments, format);
	vsnprintf(refusal->reason, sizeof(refusal->reason), format, arguments);
	va_end(arguments);
}

static const char *checked_text(struct calibrating *work, const char *text)
{
	if (!text)
		work->exhausted = true;
	return text ? text : "";
}

/* Why a figure cannot be a lower bound of the device's rate; NULL: it can. Repetitions may disagree: disturbances only make
 * a device slower, and a later run raises the bound. */
static const char *distrust_bound(const struct bench_line_measure *measure)
{
	if (!measure->verified)
		return "its output was wrong";
	if (measure->throttled)
		return "the device was throttled";
	if (measure->cache_resident)
		return "its data fit a cache";
	return NULL;
}

/* Buffer for the reason of distrust(). */
struct doubt {
	char text[140];
};

/* Why a figure cannot be trusted; NULL: it can. If the worker reports the interval of its median, that decides, not the
 * spread of its samples. A figure with a trend has no median yet. */
static const char *distrust(const struct bench_line_measure *measure, struct doubt *doubt)
{
	double width = (measure->median_p90 - measure->median_p10) / measure->median;
	char others[40] = "";

	if (distrust_bound(measure))
		return distrust_bound(measure);
	if (!(measure->median_p10 > 0) && measure->rounds > 0) {
		snprintf(doubt->text, sizeof doubt->text, "%lld repetitions are too few to know its median", (long long)measure->n);
		return doubt->text;
	}
	if (!(measure->median_p10 > 0))
		return measure->unstable ? "its repetitions disagree by more than 5 %, or drifted" : NULL;
	if (measure->others_fraction + measure->steal_fraction >= OTHERS_TOLD)
		snprintf(others, sizeof others, "; others used %.0f %% of the CPUs", 100 * (measure->others_fraction + measure->steal_fraction));
	if (measure->trend)
		snprintf(doubt->text, sizeof doubt->text, "it drifted by %+.0f %% while it was measured%s", 100 * measure->drift, others);
	else if (width > WIDTH_MOST)
		snprintf(doubt->text, sizeof doubt->text, "the 80 %% interval of its median is %s%.*f %% wide, the limit is %.0f %%%s",
			width > WIDTH_TOLD ? "more than " : "", width < 0.2 ? 1 : 0, 100 * fmin(width, WIDTH_TOLD), 100 * WIDTH_MOST, others);
	else
		return NULL;
	return doubt->text;
}

/* The interval of a figure: of its median if the worker reports it, else of its samples. */
static double low_of(const struct bench_line_measure *measure)
{
	return measure->median_p10 > 0 ? measure->median_p10 : measure->p10;
}

static double high_of(const struct bench_line_measure *measure)
{
	return measure->median_p10 > 0 ? measure->median_p90 : measure->p90;
}

static bool same_attention(const struct bench_attention *a, const struct bench_attention *b)
{
	return a->batch == b->batch && a->heads == b->heads && a->kv_heads == b->kv_heads && a->queries == b->queries && a->keys == b->keys &&
		a->head_dimension == b->head_dimension && a->causal == b->causal && a->backward == b->backward;
}

bool bench_measures_same_work(const struct bench_line_measure *a, const struct bench_line_measure *b)
{
	const struct bench_shape *x = &a->shape, *y = &b->shape;

	return !strcmp(a->test, b->test) && a->precision == b->precision && a->has_shape == b->has_shape &&
		(!a->has_shape || (x->m == y->m && x->n == y->n && x->k == y->k && a->product == b->product)) &&
		fabs(given_or(a->flops, 0) - given_or(b->flops, 0)) <= 0 && a->has_attention == b->has_attention &&
		(!a->has_attention || same_attention(&a->attention, &b->attention)) &&
		(!a->has_transfer ||
			(b->has_transfer && fabs(a->transfer.bytes - b->transfer.bytes) <= 0 && !strcmp(a->transfer.direction, b->transfer.direction)));
}

/* True if a later measure of the same work replaces this one: the worker repeats unstable measures. */
static bool is_superseded(const struct bench_evidence *evidence, size_t index)
{
	for (size_t i = index + 1; i < evidence->measure_count; i++)
		if (bench_measures_same_work(&evidence->measures[i], &evidence->measures[index]))
			return true;
	return false;
}

static const struct bench_line_measure *last_measure(const struct bench_evidence *evidence, const char *test)
{
	for (size_t i = evidence->measure_count; i > 0; i--)
		if (!strcmp(evidence->measures[i - 1].test, test))
			return &evidence->measures[i - 1];
	return NULL;
}

static const char *date_of(struct calibrating *work)
{
	char text[CLOCK_TEXT_MAX];

	clock_format(text, work->evidence->now_us);
	return checked_text(work, arena_strndup(work->arena, text, strlen("2026-11-21")));
}

/* The key and the figures of a calibration. */
struct found {
	const char *quantity, *method, *class, *plan_id;
	enum precision precision;
	double value, low, high, spread, disagreement;
	int64_t n;
	double others; /* share of the CPUs that other processes and other guests used meanwhile; NaN: not reported */
};

/* "gemm_efficiency.bf16.large.GPU-1", followed by the plan's id for a plan's own: a newer row replaces the older one. */
static const char *id_of(struct calibrating *work, const struct found *found)
{
	return checked_text(work,
		arena_printf(work->arena, "%s%s%s%s%s.%s%s%s", found->quantity, found->precision ? "." : "", precision_name(found->precision),
			found->class ? "." : "", found->class ? found->class : "", work->evidence->device.id, found->plan_id ? "." : "",
			found->plan_id ? found->plan_id : ""));
}

static void add_calibration(struct calibrating *work, const struct found *found)
{
	const struct bench_evidence *evidence = work->evidence;
	struct calibration_row *row;
	char others[64] = "";

	if (work->out->count == BENCH_CALIBRATIONS_MAX)
		return;
	row = &work->out->rows[work->out->count++];
	if (found->others >= OTHERS_TOLD)
		snprintf(others, sizeof others, "; others used %.0f %% of the CPUs meanwhile", 100 * found->others);
	*row = (struct calibration_row){
		.meta = {.origin = "measured",
			.source_date = date_of(work),
			.valid_from_us = evidence->now_us,
			.source = checked_text(work,
				arena_printf(
					work->arena, "benchmark %s on %s (%s)%s", evidence->benchmark_id, evidence->device.id, evidence->device.name, others))},
		.id = id_of(work, found),
		.accelerator_id = evidence->device.accelerator,
		.device_id = evidence->device.id,
		.benchmark_id = evidence->benchmark_id,
		.driver = evidence->device.driver,
		.precision = found->precision,
		.quantity = found->quantity,
		.method = found->method,
		.class = found->class,
		.plan_id = found->plan_id,
		.value = found->value,
		.low = found->low,
		.high = found->high,
		.n = found->n >= 1 ? found->n : ABSENT_COUNT,
		.spread = found->spread,
		.disagreement = found->disagreement,
		.baseline = found->value,
		.expected = ABSENT_NUMBER, /* this and the next: only of whole runs */
		.expected_sigma = ABSENT_NUMBER,
		.step_ratio = ABSENT_NUMBER,
		.gpu_count = ABSENT_COUNT,
		.params = ABSENT_NUMBER,
	};
}

static bool measured_before(const struct accelerator_row *row)
{
	return row && row->meta.origin && !strcmp(row->meta.origin, "measured");
}

/* The higher of a new figure and that of the measured row. Sets *changed if the new one counts. */
static double higher_peak(double fresh, double before, bool *changed)
{
	if (is_given(before) && !(fresh > before * (1 + PEAK_NOISE)))
		return before;
	*changed = *changed || is_given(fresh);
	return given_or(fresh, before);
}

/* Median of the fastest stream, bytes/s; NaN: none. */
static double best_stream(const struct bench_evidence *evidence)
{
	double best = ABSENT_NUMBER;

	for (size_t i = 0; i < evidence->measure_count; i++) {
		const struct bench_line_measure *measure = &evidence->measures[i];

		if (!strcmp(measure->method, "stream") && !distrust_bound(measure))
			best = fmax(best, measure->median); /* fmax ignores a NaN */
	}
	return best;
}

/* The highest measured rate of multiply-adds: the issue rate, or a product that ran while the machine was less busy. */
static double best_issue(const struct bench_evidence *evidence)
{
	const struct bench_line_measure *issue = last_measure(evidence, "issue_rate_fp32");
	double best = issue && !distrust_bound(issue) ? issue->p90 : ABSENT_NUMBER;

	for (size_t i = 0; is_given(best) && i < evidence->measure_count; i++) {
		const struct bench_line_measure *measure = &evidence->measures[i];

		if (measure->precision == PRECISION_FP32 && (!strcmp(measure->method, "library_gemm") || !strcmp(measure->method, "kernel_gemm")) &&
			!distrust_bound(measure))
			best = fmax(best, measure->p90);
	}
	return best;
}

static void describe_cpu(struct calibrating *work, struct accelerator_row *row)
{
	const struct bench_line_device *device = &work->evidence->device;
	struct accelerator *accelerator = &row->accelerator;

	*accelerator = (struct accelerator){.id = device->accelerator,
		.vendor = device->vendor ? device->vendor : "cpu",
		.name = device->name,
		.form_factor = "cpu",
		.memory_type = "host",
		.interconnect = "none",
		.release_year = ABSENT_COUNT,
		.pcie_gen = ABSENT_COUNT,
		.max_nvlink_domain = 1,
		.transistor_nm = ABSENT_COUNT};
	accelerator->tflops_fp64 = accelerator->tflops_tf32 = accelerator->tflops_bf16 = accelerator->tflops_fp16 = ABSENT_NUMBER;
	accelerator->tflops_fp8 = accelerator->tops_int8 = accelerator->tflops_fp4 = ABSENT_NUMBER;
	accelerator->idle_w = accelerator->load_w = accelerator->interconnect_gbs = accelerator->die_area_mm2 = ABSENT_NUMBER;
	accelerator->embodied_kgco2e = accelerator->embodied_boavizta_kgco2e = ABSENT_NUMBER;
	accelerator->memory_gb = device->memory_bytes / BYTES_PER_GB;
	accelerator->memory_usable_bytes = device->memory_bytes;
	accelerator->tdp_w = CPU_THREAD_W * device->threads;
	accelerator->unverified = "tdp_w";
	accelerator->source_date = date_of(work);
	accelerator->notes = checked_text(work,
		arena_printf(work->arena,
			"tflops_fp32 is the measured issue rate of multiply-adds (%s, %.0f threads), memory_bandwidth_gbs the fastest measured "
			"stream, tdp_w an estimate: %.2g W a busy hardware thread (Cloud Carbon Footprint, AWS mean)",
			device->instruction_set ? device->instruction_set : "cpu", device->threads, CPU_THREAD_W));
	accelerator->source = checked_text(
		work, arena_printf(work->arena, "measured by benchmark %s on %s", work->evidence->benchmark_id, device->id));
	row->meta = (struct row_meta){.origin = "measured", .source = accelerator->source, .source_date = accelerator->source_date};
	row->memory_usable_source = "MemTotal, or the container's limit";
}

/* Makes a CPU's row of measurements. Returns the evidence's row if nothing is new. NULL: there are too few figures. */
static const struct accelerator_row *own_row(struct calibrating *work)
{
	const struct accelerator_row *before = work->evidence->accelerator;
	struct accelerator_row *row = &work->out->accelerator;
	double tflops_before = ABSENT_NUMBER, gbs_before = ABSENT_NUMBER, tflops, gbs;
	bool changed = false;

	if (before && !measured_before(before))
		return before; /* an administrator or the catalogue entered this row */
	if (before) {
		tflops_before = before->accelerator.tflops_fp32;
		gbs_before = before->accelerator.memory_bandwidth_gbs;
	}
	tflops = higher_peak(best_issue(work->evidence) / FLOPS_PER_TFLOP, tflops_before, &changed);
	gbs = higher_peak(best_stream(work->evidence) / BYTES_PER_GB, gbs_before, &changed);
	if (!changed || !is_given(tflops) || !is_given(gbs) || !is_given(work->evidence->device.memory_bytes) ||
		!is_given(work->evidence->device.threads))
		return before;
	*row = (struct accelerator_row){0};
	describe_cpu(work, row);
	row->accelerator.tflops_fp32 = tflops;
	row->accelerator.memory_bandwidth_gbs = gbs;
	work->out->has_accelerator = true;
	return row;
}

static struct found found_of(const char *quantity, const struct bench_line_measure *measure, double divisor)
{
	return (struct found){.quantity = quantity,
		.method = measure->method,
		.value = measure->median / divisor,
		.low = low_of(measure) / divisor,
		.high = high_of(measure) / divisor,
		.n = measure->n,
		.spread = ABSENT_NUMBER,
		.disagreement = measure->disagreement,
		.others = measure->others_fraction + measure->steal_fraction};
}

/* Sums over the products of a class or of a plan. Their mean is operations / time: harmonic, weighted by operations. */
struct product_sums {
	double weight, usual, slow, fast; /* operations; and operations / efficiency at the median, p10 and p90 */
	double values[BENCH_MEASURES_MAX];
	size_t count;
	int64_t n;
	double disagreement, others;
	const struct bench_line_measure *distrusted; /* an untrusted product: the class gives no calibration */
	struct doubt doubt;
	const char *reason;
};

/* The ceiling of efficiency that one product implies at a rate; NaN: memory limits the product. */
static double implied_efficiency(const struct candidate *candidate, double peak, const struct bench_line_measure *measure, double flops_per_s)
{
	if (!measure->has_shape)
		return flops_per_s / peak;
	return product_implied_efficiency(candidate, measure->precision, &measure->shape, measure->flops / flops_per_s);
}

static void sums_add(struct product_sums *sums, const struct candidate *candidate, double peak, const struct bench_line_measure *measure)
{
	double usual = implied_efficiency(candidate, peak, measure, measure->median),
		   weight = (measure->count > 0 ? measure->count : 1) * measure->flops;

	if (!sums->distrusted) {
		sums->reason = distrust(measure, &sums->doubt);
		sums->distrusted = sums->reason ? measure : NULL;
	}
	if (!is_given(usual))
		return;
	sums->weight += weight;
	sums->usual += weight / usual;
	sums->slow += weight / given_or(implied_efficiency(candidate, peak, measure, low_of(measure)), usual);
	sums->fast += weight / given_or(implied_efficiency(candidate, peak, measure, high_of(measure)), usual);
	sums->values[sums->count++] = usual;
	sums->n += measure->n;
	sums->disagreement = fmax(sums->disagreement, measure->disagreement); /* fmax ignores a NaN */
	sums->others = fmax(sums->others, measure->others_fraction + measure->steal_fraction);
}

static void sums_conclude(
	struct calibrating *work, struct product_sums *sums, enum precision precision, const char *class, const char *plan_id)
{
	struct found found = {.quantity = "gemm_efficiency",
		.method = "library_gemm",
		.class = class,
		.plan_id = plan_id,
		.precision = precision,
		.n = sums->n,
		.spread = ABSENT_NUMBER,
		.disagreement = sums->disagreement,
		.others = sums->others};

	if (sums->distrusted) {
		refuse_quantity(work, "gemm_efficiency", "%s products: %.40s: %s", class, sums->distrusted->test, sums->reason);
		return;
	}
	if (sums->count == 0)
		return;
	found.value = sums->weight / sums->usual;
	found.low = sums->weight / sums->slow;
	found.high = fmin(1, sums->weight / sums->fast);
	if (sums->count > 1)
		found.spread = evidence_deviation(sums->values, sums->count, evidence_median(sums->values, sums->count));
	add_calibration(work, &found);
}

static bool is_product(const struct calibrating *work, size_t index, enum precision precision)
{
	const struct bench_line_measure *measure = &work->evidence->measures[index];

	return measure->precision == precision && !strcmp(measure->method, "library_gemm") && strcmp(measure->test, "gemm_sustained") != 0 &&
		is_given(measure->flops) && measure->flops > 0 && measure->median > 0 && !is_superseded(work->evidence, index);
}

/* The accelerator for judging the products, with the memory efficiency of this run if it was measured. */
static struct candidate judged_candidate(const struct calibrating *work, const struct accelerator *accelerator)
{
	const struct bench_line_measure *triad = last_measure(work->evidence, "stream_triad");
	struct candidate candidate = {.accelerator = *accelerator, .gpus_per_node = 1, .internode_gbs = ABSENT_NUMBER};
	struct doubt doubt;
	double share = triad && !distrust(triad, &doubt) ? triad->median / (accelerator->memory_bandwidth_gbs * BYTES_PER_GB) : 0;

	if (share > 0 && share <= 1)
		candidate.calibration = (struct calibration){.id = "this run", .memory_efficiency = share};
	return candidate;
}

static void calibrate_products(struct calibrating *work, const struct accelerator *accelerator, enum precision precision)
{
	struct product_sums classes[PRODUCT_CLASS_COUNT], plan = {.disagreement = ABSENT_NUMBER, .others = ABSENT_NUMBER};
	struct candidate candidate = judged_candidate(work, accelerator);
	enum precision used;
	double peak = accelerator_peak_flops_per_s(accelerator, precision, &used);

	for (int class = 0; class < PRODUCT_CLASS_COUNT; class ++)
		classes[class] = (struct product_sums){.disagreement = ABSENT_NUMBER, .others = ABSENT_NUMBER};
	for (size_t i = 0; i < work->evidence->measure_count; i++) {
		const struct bench_line_measure *measure = &work->evidence->measures[i];
		const struct bench_shape *shape = &measure->shape;

		if (!is_product(work, i, precision))
			continue;
		if (used != precision || !(peak > 0)) {
			refuse_quantity(work, "gemm_efficiency", "the catalogue has no %s rate of %.60s", precision_name(precision), accelerator->id);
			return;
		}
		if (measure->median > peak) {
			refuse_quantity(work, "gemm_efficiency", "peak_suspect: %.4g TFLOP/s measured, above the catalogue's %.4g",
				measure->median / FLOPS_PER_TFLOP, peak / FLOPS_PER_TFLOP);
			return;
		}
		sums_add(&classes[measure->has_shape ? product_class_of((double)shape->m, (double)shape->n, (double)shape->k) : PRODUCT_LARGE],
			&candidate, peak, measure);
		if (work->evidence->plan_id && measure->role)
			sums_add(&plan, &candidate, peak, measure);
	}
	for (int class = 0; class < PRODUCT_CLASS_COUNT; class ++)
		sums_conclude(work, &classes[class], precision, product_class_name((enum product_class) class), NULL);
	sums_conclude(work, &plan, precision, "plan", work->evidence->plan_id);
}

static void calibrate_memory(struct calibrating *work, const struct accelerator *accelerator)
{
	const struct bench_line_measure *triad = last_measure(work->evidence, "stream_triad");
	double peak = accelerator->memory_bandwidth_gbs * BYTES_PER_GB;
	struct doubt doubt;
	const char *reason = triad ? distrust(triad, &doubt) : NULL;
	struct found found;

	if (!triad)
		return;
	if (reason) {
		refuse_quantity(work, "memory_efficiency", "stream_triad: %s", reason);
	} else if (!(peak > 0)) {
		refuse_quantity(work, "memory_efficiency", "the catalogue has no bandwidth of %.60s", accelerator->id);
	} else if (triad->median > peak) {
		refuse_quantity(work, "memory_efficiency", "peak_suspect: %.4g GB/s measured, above the catalogue's %.4g",
			triad->median / BYTES_PER_GB, peak / BYTES_PER_GB);
	} else {
		found = found_of("memory_efficiency", triad, peak);
		found.high = fmin(found.high, 1);
		add_calibration(work, &found);
	}
}

/* Uses the pipelined launch, as in a step. Uses the round trip only if the device has no such test, not if that test was
 * disturbed: a round trip takes several times as long. */
static void calibrate_launch(struct calibrating *work)
{
	const struct bench_line_measure *pipelined = last_measure(work->evidence, "launch_pipelined");
	const struct bench_line_measure *launch = pipelined ? pipelined : last_measure(work->evidence, "launch_round_trip");
	struct doubt doubt;
	const char *reason = launch ? distrust(launch, &doubt) : NULL;
	struct found found;

	if (reason) {
		refuse_quantity(work, "kernel_launch_s", "%.40s: %s", launch->test, reason);
	} else if (launch) {
		found = found_of("kernel_launch_s", launch, 1);
		add_calibration(work, &found);
	}
}

/* Why a fit over sizes cannot be trusted: one of its measures cannot, or its residual is too large. NULL: it can. */
static const char *distrust_fit(const struct bench_evidence *evidence, const struct bench_line_fit *fit, struct doubt *doubt)
{
	const char *reason;

	for (size_t i = 0; i < evidence->measure_count; i++)
		if (!strcmp(evidence->measures[i].test, fit->test) && !is_superseded(evidence, i) &&
			(reason = distrust(&evidence->measures[i], doubt)) != NULL)
			return reason;
	return fit->worst_residual > FIT_RESIDUAL_MOST ? "its sizes do not lie on a line" : NULL;
}

/* The largest uncertainty of the fit's measures: half of the median's interval, as a fraction. */
static double known_within(const struct bench_evidence *evidence, const struct bench_line_fit *fit)
{
	double most = 0;

	for (size_t i = 0; i < evidence->measure_count; i++)
		if (!strcmp(evidence->measures[i].test, fit->test) && !is_superseded(evidence, i))
			most = fmax(most, (evidence->measures[i].median_p90 - evidence->measures[i].median_p10) / (2 * evidence->measures[i].median));
	return most;
}

static void add_fit(
	struct calibrating *work, const char *latency, const char *rate, const struct bench_line_fit *fit, double alpha_s, double beta)
{
	double part = fmin(hypot(fit->worst_residual, known_within(work->evidence, fit)), 0.99);
	struct found found = {.quantity = rate,
		.method = fit->method,
		.value = beta,
		.low = beta * (1 - part),
		.high = beta * (1 + part),
		.n = fit->sizes,
		.spread = ABSENT_NUMBER,
		.disagreement = ABSENT_NUMBER,
		.others = ABSENT_NUMBER};

	if (beta > 0)
		add_calibration(work, &found);
	found.quantity = latency;
	found.value = alpha_s;
	found.low = alpha_s * (1 - part);
	found.high = alpha_s * (1 + part);
	if (alpha_s > 0)
		add_calibration(work, &found);
}

/* Uses the slower direction of host transfers, if both directions can be trusted; and the all-reduce. */
static void calibrate_fits(struct calibrating *work)
{
	const struct bench_line_fit *slower = NULL;
	bool both_known = true;
	struct doubt doubt;
	const char *reason;

	for (size_t i = 0; i < work->evidence->fit_count; i++) {
		const struct bench_line_fit *fit = &work->evidence->fits[i];
		bool host = !strcmp(fit->test, "transfer_pinned") && fit->what && strcmp(fit->what, "both") != 0,
			 sum = !strcmp(fit->test, "all_reduce");

		if (!host && !sum)
			continue;
		reason = distrust_fit(work->evidence, fit, &doubt);
		both_known = both_known && !(host && reason);
		if (reason)
			refuse_quantity(work, host ? "host_bytes_per_s" : "collective_bytes_per_s", "%.40s: %s", fit->test, reason);
		else if (sum)
			add_fit(work, "collective_latency_s", "collective_bytes_per_s", fit, fit->alpha_s, fit->beta_bytes_per_s);
		else if (!slower || fit->beta_bytes_per_s < slower->beta_bytes_per_s)
			slower = fit;
	}
	if (slower && both_known)
		add_fit(work, "host_latency_s", "host_bytes_per_s", slower, slower->alpha_s, slower->beta_bytes_per_s);
}

/* Power under sustained products. An energy with low confidence is not used. */
static void calibrate_power(struct calibrating *work)
{
	const struct bench_line_measure *sustained = last_measure(work->evidence, "gemm_sustained");
	const struct bench_line_energy *energy = sustained ? &sustained->energy : NULL;
	const char *reason;
	struct found found = {.quantity = "load_w",
		.n = ABSENT_COUNT,
		.spread = ABSENT_NUMBER,
		.disagreement = ABSENT_NUMBER,
		.low = ABSENT_NUMBER,
		.high = ABSENT_NUMBER,
		.others = ABSENT_NUMBER};

	if (!sustained || !sustained->has_energy)
		return;
	found.method = checked_text(work, energy->source);
	reason = !energy->confidence || !strcmp(energy->confidence, "low") ? "its energy has low confidence" : distrust_bound(sustained);
	if (reason) {
		refuse_quantity(work, "load_w", "gemm_sustained: %s", reason);
		return;
	}
	found.value = energy->mean_w;
	if (energy->mean_w > 0)
		add_calibration(work, &found);
	found.quantity = "idle_w";
	found.value = energy->idle_w;
	if (energy->idle_w > 0 && energy->idle_w < energy->mean_w)
		add_calibration(work, &found);
}

static void calibrate_storage(struct calibrating *work)
{
	const struct bench_line_measure *read = last_measure(work->evidence, "storage_sequential");
	struct doubt doubt;
	const char *reason = read ? distrust(read, &doubt) : NULL;
	struct found found;

	if (reason) {
		refuse_quantity(work, "storage_bytes_per_s", "storage_sequential: %s", reason);
	} else if (read) {
		found = found_of("storage_bytes_per_s", read, 1);
		add_calibration(work, &found);
	}
}

static void calibrate_by(struct calibrating *work, const struct accelerator_row *row)
{
	for (int precision = PRECISION_UNSET + 1; precision < PRECISION_COUNT; precision++)
		calibrate_products(work, &row->accelerator, (enum precision)precision);
	calibrate_memory(work, &row->accelerator);
	calibrate_launch(work);
	calibrate_fits(work);
	calibrate_power(work);
	calibrate_storage(work);
}

static bool has_calibrated(const struct bench_calibrations *calibrations, const char *quantity)
{
	for (size_t i = 0; i < calibrations->count; i++)
		if (!strcmp(calibrations->rows[i].quantity, quantity))
			return true;
	return false;
}

enum status bench_calibrate(
	const struct bench_evidence *evidence, struct arena *arena, struct bench_calibrations *calibrations, struct failure *failure)
{
	struct calibrating work = {.evidence = evidence, .out = calibrations, .arena = arena};
	const struct accelerator_row *row = evidence->accelerator;

	*calibrations = (struct bench_calibrations){.count = 0};
	if (!strcmp(evidence->device.backend, "cpu") && evidence->device.accelerator && !evidence->row_stands)
		row = own_row(&work);
	if (!row) {
		refuse_quantity(&work, "accelerator", "%s has no catalogue row, and this run did not measure the figures that a row needs",
			evidence->device.accelerator ? evidence->device.accelerator : evidence->device.id);
		return STATUS_OK;
	}
	calibrate_by(&work, row);
	/* Stored efficiencies are fractions of the old peak: use the new peak only together with new efficiencies. */
	if (calibrations->has_accelerator && evidence->accelerator &&
		!(has_calibrated(calibrations, "gemm_efficiency") && has_calibrated(calibrations, "memory_efficiency"))) {
		*calibrations = (struct bench_calibrations){.count = 0};
		calibrate_by(&work, evidence->accelerator);
	}
	return work.exhausted ? failure_set(failure, STATUS_NO_MEMORY, "no memory for calibrations") : STATUS_OK;
}
