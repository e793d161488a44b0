#include "planner/diagnosis/log_curve.h"

#include <string.h>

static void heap_sink(double *values, size_t root, size_t count)
{
	for (size_t child; (child = 2 * root + 1) < count; root = child) {
		double value;

		if (child + 1 < count && values[child + 1] > values[child])
			child++;
		if (values[root] >= values[child])
			return;
		value = values[root];
		values[root] = values[child];
		values[child] = value;
	}
}

static void sort_values(double *values, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		heap_sink(values, i, count);
	for (size_t left = count; left-- > 1;) {
		double value = values[0];

		values[0] = values[left];
		values[left] = value;
		heap_sink(values, 0, left);
	}
}

double series_quantile(const double *values, size_t count, double share, double *scratch)
{
	double at = share * (double)(count - 1);
	size_t low = (size_t)at;

	memmove(scratch, values, count * sizeof *values);
	sort_values(scratch, count);
	return low + 1 < count ? scratch[low] + (at - (double)low) * (scratch[low + 1] - scratch[low]) : scratch[low];
}

static void add_bin(struct series series, size_t from, size_t to, double *scratch, struct curve *curve)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += series.step[i];
	curve->step[curve->count] = sum / (double)(to - from);
	curve->loss[curve->count] = series_quantile(series.value + from, to - from, 0.5, scratch);
	curve->weight[curve->count++] = (double)(to - from);
}

void series_bins(struct series series, size_t bins, double *scratch, struct curve *curve)
{
	curve->count = 0;
	for (size_t k = 0; k < bins; k++)
		add_bin(series, k * series.count / bins, (k + 1) * series.count / bins, scratch, curve);
}

void series_thin(struct series series, double *scratch, struct curve *curve)
{
	size_t from = 0;

	curve->count = 0;
	for (size_t k = 1; k <= CURVE_POINTS_MAX && from < series.count; k++) {
		size_t to = (size_t)pow((double)series.count, (double)k / CURVE_POINTS_MAX);

		if (to <= from)
			to = from + 1;
		if (to > series.count || k == CURVE_POINTS_MAX)
			to = series.count;
		add_bin(series, from, to, scratch, curve);
		from = to;
	}
}

double series_noise(struct series series, double *scratch)
{
	for (size_t i = 1; i + 1 < series.count; i++)
		scratch[i - 1] = fabs(series.value[i] - (series.value[i - 1] + series.value[i + 1]) / 2);
	return series_quantile(scratch, series.count - 2, 0.5, scratch) / 0.6745 / sqrt(1.5);
}
