/* Prints figures as rows of a table, in units for people. */
#include <math.h>
#include <stdio.h>

#include "bench/report/report_parts.h"

enum { WHAT_MAX = 64 };

struct shown_unit {
	double scale;
	const char *name;
};

/* Chooses the multiple of the unit that gives the figure one to three digits before the point. */
static struct shown_unit shown_unit(enum bench_unit unit, double figure)
{
	static const struct shown_unit seconds[] = {{1, "s"}, {1e3, "ms"}, {1e6, "us"}},
								   bytes[] = {{1e-12, "TB/s"}, {1e-9, "GB/s"}, {1e-6, "MB/s"}},
								   flops[] = {{1e-12, "TFLOP/s"}, {1e-9, "GFLOP/s"}, {1e-6, "MFLOP/s"}},
								   rates[] = {{1e-6, "M/s"}, {1e-3, "k/s"}, {1, "/s"}};
	static const struct shown_unit *const ladders[UNIT_COUNT] = {
		[UNIT_SECONDS] = seconds, [UNIT_BYTES_PER_S] = bytes, [UNIT_FLOPS_PER_S] = flops, [UNIT_PER_S] = rates};
	const struct shown_unit *ladder = ladders[unit];
	size_t i = 0;

	while (i < 2 && figure * ladder[i].scale < 1)
		i++;
	return ladder[i];
}

static void size_text(double bytes, char *out, size_t size)
{
	if (bytes >= 0x1p20)
		snprintf(out, size, "%.4g MiB", bytes / 0x1p20);
	else
		snprintf(out, size, "%.4g KiB", bytes / 0x1p10);
}

static void attention_text(const struct bench_attention *attention, char *out, size_t size)
{
	snprintf(out, size, "%lldx%lldx%lldx%lldx%lld%s", (long long)attention->batch, (long long)attention->heads, (long long)attention->queries,
		(long long)attention->keys, (long long)attention->head_dimension, attention->backward ? " backward" : "");
}

/* Writes a short description of the work: a shape or a size. */
static void what_text(const struct bench_measure *measure, char *out, size_t size)
{
	static const char *const products[PRODUCT_COUNT] = {
		[PRODUCT_FORWARD] = "", [PRODUCT_INPUT_GRADIENT] = " dX", [PRODUCT_WEIGHT_GRADIENT] = " dW"};
	const struct bench_work_request *request = measure->request;
	char amount[24];

	out[0] = '\0';
	if (measure->block) {
		snprintf(out, size, "%lld x %lld, %lld tokens", (long long)measure->block->layers, (long long)measure->block->hidden,
			(long long)measure->block->sequence * (long long)measure->block->micro_batch);
	} else if (request && request->kind == WORK_GEMM) {
		snprintf(out, size, "%lldx%lldx%lld%s", (long long)request->shape.m, (long long)request->shape.n, (long long)request->shape.k,
			products[request->product]);
	} else if (request && (request->kind == WORK_ATTENTION || request->kind == WORK_KV_READ)) {
		attention_text(&request->attention, out, size);
	} else if (request && request->kind == WORK_TRANSFER) {
		size_text(request->transfer.bytes, amount, sizeof(amount));
		snprintf(out, size, "%s %s", amount, bench_direction_name(request->transfer.direction));
	} else if (request && request->bytes > 0) {
		size_text(request->bytes, out, size);
	}
}

void device_print(int fd, const struct bench_device *device)
{
	dprintf(fd, "%s  %s", device->id, device->name);
	if (bench_device_knows(device, DEVICE_THREADS))
		dprintf(fd, ", %d threads", device->threads);
	if (bench_device_knows(device, DEVICE_INSTRUCTION_SET))
		dprintf(fd, ", %s", device->instruction_set);
	if (bench_device_knows(device, DEVICE_UNITS))
		dprintf(fd, ", %d units", device->unit_count);
	if (bench_device_knows(device, DEVICE_MEMORY))
		dprintf(fd, ", %.1f GB", device->memory_bytes / 1e9);
	if (bench_device_knows(device, DEVICE_CACHE))
		dprintf(fd, ", cache %.0f MiB", device->cache_bytes / 0x1p20);
	if (bench_device_knows(device, DEVICE_DRIVER))
		dprintf(fd, ", %s", device->driver);
	if (bench_device_knows(device, DEVICE_LOAD))
		dprintf(fd, ", load %.2f", device->load_1m);
	dprintf(fd, "\n");
}

static void energy_print(int fd, const struct bench_energy *energy)
{
	dprintf(fd, "; %.0f W", energy->mean_w);
	if (!isnan(energy->idle_w))
		dprintf(fd, " (idle %.0f W)", energy->idle_w);
	if (!isnan(energy->joules_per_tflop))
		dprintf(fd, ", %.3g J/TFLOP", energy->joules_per_tflop);
	dprintf(fd, " by %s's %s", energy->source, energy->by);
}

void measure_print(int fd, const struct bench_measure *measure)
{
	const struct bench_statistics *statistics = &measure->statistics;
	struct shown_unit unit = shown_unit(measure->unit, statistics->median);
	char what[WHAT_MAX], reasons[64];

	what_text(measure, what, sizeof(what));
	dprintf(fd, "%-22s %-22s %9.2f %-8s %9.2f %9.2f %6zu  %-12s", measure->test, what, statistics->median * unit.scale, unit.name,
		statistics->p10 * unit.scale, statistics->p90 * unit.scale, statistics->n, bench_method_name(measure->method));
	bench_throttle_text(measure->throttle_reasons, reasons, sizeof(reasons));
	if (measure->median_p10 > 0)
		dprintf(fd, " -%.1f +%.1f %%", 100 * (1 - measure->median_p10 / statistics->median),
			100 * (measure->median_p90 / statistics->median - 1));
	dprintf(fd, "%s%s%s%s%s%s", measure->check.verified ? "" : " WRONG RESULT", statistics->unstable ? " unstable" : "",
		measure->trend ? " drifting" : "", *reasons ? " throttled by " : "", reasons, measure->cache_resident ? " cache_resident" : "");
	if (measure->predicted_s > 0)
		dprintf(fd, " predicted %.4g s, measured / predicted %.3f;", measure->predicted_s, statistics->median / measure->predicted_s);
	dprintf(fd, " %s%s%s", measure->role ? measure->role : "", measure->role ? ", " : "", measure->detail);
	if (measure->energy)
		energy_print(fd, measure->energy);
	dprintf(fd, "\n");
}

void fit_print(int fd, const struct bench_fit *fit)
{
	dprintf(fd, "%-22s %-22s %9.2f us and %.3g GB/s, worst error %.0f %% over %zu sizes\n", fit->test, fit->what ? fit->what : "fit",
		fit->alpha_s * 1e6, fit->beta_bytes_per_s * 1e-9, fit->worst_residual * 100, fit->sizes);
}

void mean_print(int fd, const struct bench_mean *mean)
{
	struct shown_unit unit = shown_unit(mean->unit, mean->value);

	dprintf(fd, "%-22s %-22s %9.2f %s over %zu products, weighted by operations\n", mean->test, "mean", mean->value * unit.scale, unit.name,
		mean->products);
}
