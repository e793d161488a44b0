/* Writes figures as members of JSON objects, by the tables that api/bench_protocol.c reads them with. */
#include <math.h>

#include "bench/report/report_parts.h"
#include "planner/measurement/bench_tables.h"

static const char *const confidence_names[CONFIDENCE_COUNT] = {
	[CONFIDENCE_LOW] = "low",
	[CONFIDENCE_MEDIUM] = "medium",
	[CONFIDENCE_HIGH] = "high",
};

static double above_zero(double number)
{
	return number > 0 ? number : ABSENT_NUMBER;
}

static struct bench_line_energy line_of_energy(const struct bench_energy *energy)
{
	return (struct bench_line_energy){
		.window_s = energy->window_s,
		.energy_joules = energy->energy_joules,
		.mean_w = energy->mean_w,
		.idle_w = energy->idle_w,
		.dynamic_joules = energy->dynamic_joules,
		.joules_per_tflop = energy->joules_per_tflop,
		.limit_fraction = energy->limit_fraction,
		.samples = (int64_t)energy->samples,
		.source = energy->source,
		.by = energy->by,
		.scope = energy->scope,
		.confidence = confidence_names[energy->confidence],
	};
}

/* Sets the members that describe the work, according to its kind. `sides` has room for three. */
static void set_work(struct bench_line_measure *line, const struct bench_work_request *request, double *sides)
{
	if (request->kind < WORK_KIND_COUNT)
		line->kind = bench_work_kind_name(request->kind);
	line->size_bytes = above_zero(request->bytes);
	line->has_attention = request->kind == WORK_ATTENTION || request->kind == WORK_KV_READ;
	line->has_transfer = request->kind == WORK_TRANSFER;
	line->attention = request->attention;
	if (request->kind == WORK_GEMM) {
		sides[0] = (double)request->shape.m;
		sides[1] = (double)request->shape.n;
		sides[2] = (double)request->shape.k;
		line->sides = (struct number_list){sides, 3};
		line->product_name = bench_product_name(request->product);
	} else if (request->kind == WORK_TRANSFER) {
		line->transfer = (struct bench_line_transfer){
			bench_direction_name(request->transfer.direction), request->transfer.pinned, request->transfer.bytes};
	} else if (request->kind == WORK_PEER_COPY) {
		line->peer = request->peer->id;
	}
}

static void set_block(struct bench_line_measure *line, const struct bench_block *block)
{
	line->has_block = true;
	line->block = *block;
	line->block.vocabulary = block->vocabulary > 0 ? block->vocabulary : ABSENT_COUNT;
	line->block.gated = block->gated == TRUTH_TRUE ? TRUTH_TRUE : TRUTH_FALSE;
	line->block.predicted_s = ABSENT_NUMBER; /* the line's own */
}

void measure_encode(const struct bench_measure *measure, struct json_writer *writer)
{
	const struct bench_statistics *statistics = &measure->statistics;
	bool interval = measure->median_p10 > 0, throttled = measure->throttle_reasons != 0;
	char throttle[64];
	double sides[3];
	struct bench_line_measure line = {
		.test = measure->test,
		.bottleneck = measure->bottleneck,
		.method = bench_method_name(measure->method),
		.precision = measure->precision,
		.role = measure->role,
		.size_bytes = ABSENT_NUMBER,
		.has_energy = measure->energy != NULL,
		.count = above_zero(measure->count),
		.unit = bench_unit_name(measure->unit),
		.n = (int64_t)statistics->n,
		.median = statistics->median,
		.p10 = statistics->p10,
		.p90 = statistics->p90,
		.min = statistics->min,
		.max = statistics->max,
		.mean = statistics->mean,
		.drift = statistics->drift,
		.unstable = statistics->unstable,
		.median_p10 = interval ? measure->median_p10 : ABSENT_NUMBER,
		.median_p90 = interval ? measure->median_p90 : ABSENT_NUMBER,
		.trend = measure->trend,
		.rounds = measure->rounds ? (int64_t)measure->rounds : ABSENT_COUNT,
		.rounds_left_out = measure->rounds_left_out ? (int64_t)measure->rounds_left_out : ABSENT_COUNT,
		.disagreement = measure->disagreement,
		.steal_fraction = measure->steal_fraction,
		.others_fraction = measure->others_fraction,
		.warmup = (int64_t)measure->warmup,
		.runs_per_sample = (int64_t)measure->runs_per_sample,
		.bytes = above_zero(measure->bytes),
		.flops = above_zero(measure->flops),
		.elapsed_s = measure->elapsed_s,
		.predicted_s = measure->predicted_s,
		.verified = measure->check.verified,
		.verified_samples = measure->check.samples,
		.cache_resident = measure->cache_resident,
		.throttled = throttled,
		.throttle = throttled ? throttle : NULL,
		.detail = measure->detail,
	};

	bench_throttle_text(measure->throttle_reasons, throttle, sizeof(throttle));
	if (measure->request)
		set_work(&line, measure->request, sides);
	if (measure->block)
		set_block(&line, measure->block);
	if (measure->energy)
		line.energy = line_of_energy(measure->energy);
	record_encode_members(&table_bench_line_measure, &line, writer);
}

void fit_encode(const struct bench_fit *fit, struct json_writer *writer)
{
	const struct bench_line_fit line = {.test = fit->test,
		.what = fit->what,
		.method = bench_method_name(fit->method),
		.alpha_s = fit->alpha_s,
		.beta_bytes_per_s = fit->beta_bytes_per_s,
		.worst_residual = fit->worst_residual,
		.sizes = (int64_t)fit->sizes};

	record_encode_members(&table_bench_line_fit, &line, writer);
}

void mean_encode(const struct bench_mean *mean, struct json_writer *writer)
{
	const struct bench_line_mean line = {.test = mean->test,
		.method = bench_method_name(mean->method),
		.precision = mean->precision,
		.unit = bench_unit_name(mean->unit),
		.value = mean->value,
		.flops = mean->flops,
		.products = (int64_t)mean->products};

	record_encode_members(&table_bench_line_mean, &line, writer);
}

static double known_reading(const struct bench_sensors *sensors, enum bench_sensor sensor, double reading)
{
	return bench_sensors_know(sensors, sensor) ? reading : ABSENT_NUMBER;
}

void sample_encode(double t_s, const struct bench_sensors *sensors, struct json_writer *writer)
{
	char throttle[64];
	const struct bench_line_sample line = {.t_s = t_s,
		.power_w = known_reading(sensors, SENSOR_POWER, sensors->power_w),
		.energy_joules = known_reading(sensors, SENSOR_ENERGY, sensors->energy_joules),
		.temperature_c = known_reading(sensors, SENSOR_TEMPERATURE, sensors->temperature_c),
		.sm_clock_hz = known_reading(sensors, SENSOR_SM_CLOCK, sensors->sm_clock_hz),
		.memory_clock_hz = known_reading(sensors, SENSOR_MEMORY_CLOCK, sensors->memory_clock_hz),
		.power_limit_w = known_reading(sensors, SENSOR_POWER_LIMIT, sensors->power_limit_w),
		.utilization = known_reading(sensors, SENSOR_UTILIZATION, sensors->utilization),
		.memory_used_bytes = known_reading(sensors, SENSOR_MEMORY_USED, sensors->memory_used_bytes),
		.throttle = bench_sensors_know(sensors, SENSOR_THROTTLE) ? throttle : NULL};

	bench_throttle_text(sensors->throttle_reasons, throttle, sizeof(throttle));
	record_encode_members(&table_bench_line_sample, &line, writer);
}
