#include "bench/report/report_parts.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "base/clock.h"

enum { RECORD_MAX = 4 * 1024 * 1024 };

static const char *const unit_names[UNIT_COUNT] = {
	[UNIT_SECONDS] = "s",
	[UNIT_BYTES_PER_S] = "bytes_per_s",
	[UNIT_FLOPS_PER_S] = "flops_per_s",
	[UNIT_PER_S] = "per_s",
};

static const char *const verdict_names[BENCH_VERDICT_COUNT] = {
	[BENCH_VERDICT_OK] = "ok",
	[BENCH_VERDICT_FAILED] = "failed",
	[BENCH_VERDICT_BUSY] = "busy",
};

const char *bench_unit_name(enum bench_unit unit)
{
	return unit_names[unit];
}

void bench_report_open(struct bench_report *report, enum bench_report_style style, int fd)
{
	*report = (struct bench_report){.style = style, .fd = fd};
	buffer_init(&report->text, style == REPORT_LINES ? BENCH_LINE_MAX : RECORD_MAX);
	buffer_init(&report->measures, RECORD_MAX);
	buffer_init(&report->fits, RECORD_MAX);
	buffer_init(&report->means, RECORD_MAX);
	buffer_init(&report->skips, RECORD_MAX);
	pthread_mutex_init(&report->lock, NULL);
}

void bench_report_close(struct bench_report *report)
{
	buffer_release(&report->text);
	buffer_release(&report->measures);
	buffer_release(&report->fits);
	buffer_release(&report->means);
	buffer_release(&report->skips);
	pthread_mutex_destroy(&report->lock);
}

static void write_all(struct bench_report *report, const struct buffer *text)
{
	size_t done = 0;

	if (text->failed)
		report->broken = true; /* a line above the maximum is not sent truncated */
	while (!report->broken && done < text->length) {
		ssize_t wrote = write(report->fd, text->bytes + done, text->length - done);

		if (wrote < 0 && errno != EINTR)
			report->broken = true;
		else if (wrote > 0)
			done += (size_t)wrote;
	}
}

/* A line is an object with its type as the first member. In a record, the same object without type is a member of a
 * list. */
static void line_begin(struct bench_report *report, struct json_writer *writer, struct buffer *into, const char *type)
{
	json_writer_init(writer, into);
	writer->comma = into != &report->text && into->length > 0; /* add a comma before the next member of a list */
	json_begin_object(writer);
	if (report->style == REPORT_LINES) {
		json_key(writer, "type");
		json_string(writer, type);
	}
}

static void line_end(struct bench_report *report, struct json_writer *writer)
{
	json_end_object(writer);
	if (report->style != REPORT_LINES)
		return;
	buffer_append_char(&report->text, '\n');
	write_all(report, &report->text);
	buffer_clear(&report->text);
}

void bench_report_hello(struct bench_report *report)
{
	struct json_writer writer;

	if (report->style != REPORT_LINES)
		return;
	pthread_mutex_lock(&report->lock);
	line_begin(report, &writer, &report->text, "hello");
	put_count(&writer, "proto", BENCH_PROTOCOL);
	put_text(&writer, "worker_version", FLEETPLAN_VERSION);
	put_count(&writer, "pid", (size_t)getpid());
	line_end(report, &writer);
	pthread_mutex_unlock(&report->lock);
}

void bench_report_device(struct bench_report *report, const struct bench_device *device)
{
	struct json_writer writer;

	pthread_mutex_lock(&report->lock);
	if (report->style == REPORT_TABLE) {
		device_print(report->fd, device);
	} else {
		if (report->style == REPORT_RECORD)
			buffer_append_text(&report->text, "\"device\":");
		line_begin(report, &writer, &report->text, "device");
		bench_device_encode(device, &writer);
		line_end(report, &writer);
	}
	pthread_mutex_unlock(&report->lock);
}

/* Reports the current progress. The caller holds the lock. */
static void tell_progress(struct bench_report *report)
{
	const struct bench_progress *progress = &report->current;
	double elapsed_s = (double)(clock_monotonic_ns() - progress->start_ns) * 1e-9;
	struct json_writer writer;

	if (report->style == REPORT_LINES) {
		line_begin(report, &writer, &report->text, "progress");
		put_text(&writer, "test", progress->test);
		put_count(&writer, "i", progress->i);
		put_count(&writer, "n", progress->n);
		put_number(&writer, "elapsed_ms", elapsed_s * 1e3);
		put_number(&writer, "budget_ms", progress->budget_s * 1e3);
		line_end(report, &writer);
	} else if (report->progress) {
		int done = (int)fmin(20, 20 * elapsed_s / progress->budget_s);

		fprintf(stderr, "\r\033[K[%.*s%.*s] %s %.0f of %.0f s", done, "####################", 20 - done, "....................",
			progress->test, elapsed_s, progress->budget_s);
	}
}

void bench_report_progress(struct bench_report *report, const struct bench_progress *progress)
{
	pthread_mutex_lock(&report->lock);
	report->current = *progress;
	tell_progress(report);
	pthread_mutex_unlock(&report->lock);
}

void bench_report_alive(struct bench_report *report)
{
	pthread_mutex_lock(&report->lock);
	if (report->current.test)
		tell_progress(report);
	pthread_mutex_unlock(&report->lock);
}

/* Clears the progress line on the terminal before a row is printed. */
static void table_begin(struct bench_report *report)
{
	if (report->progress)
		fprintf(stderr, "\r\033[K");
}

void bench_report_measure(struct bench_report *report, const struct bench_measure *measure)
{
	struct buffer *into = report->style == REPORT_RECORD ? &report->measures : &report->text;
	struct json_writer writer;

	pthread_mutex_lock(&report->lock);
	if (report->style == REPORT_TABLE) {
		table_begin(report);
		measure_print(report->fd, measure);
	} else {
		line_begin(report, &writer, into, "measure");
		measure_encode(measure, &writer);
		line_end(report, &writer);
	}
	pthread_mutex_unlock(&report->lock);
}

void bench_report_fit(struct bench_report *report, const struct bench_fit *fit)
{
	struct json_writer writer;

	pthread_mutex_lock(&report->lock);
	if (report->style == REPORT_TABLE) {
		table_begin(report);
		fit_print(report->fd, fit);
	} else {
		line_begin(report, &writer, report->style == REPORT_RECORD ? &report->fits : &report->text, "fit");
		fit_encode(fit, &writer);
		line_end(report, &writer);
	}
	pthread_mutex_unlock(&report->lock);
}

void bench_report_mean(struct bench_report *report, const struct bench_mean *mean)
{
	struct json_writer writer;

	pthread_mutex_lock(&report->lock);
	if (report->style == REPORT_TABLE) {
		table_begin(report);
		mean_print(report->fd, mean);
	} else {
		line_begin(report, &writer, report->style == REPORT_RECORD ? &report->means : &report->text, "mean");
		mean_encode(mean, &writer);
		line_end(report, &writer);
	}
	pthread_mutex_unlock(&report->lock);
}

/* Only a supervisor receives samples; a table and a record contain the energy computed from them. */
void bench_report_sample(struct bench_report *report, double elapsed_s, const struct bench_sensors *sensors)
{
	struct json_writer writer;

	if (report->style != REPORT_LINES)
		return;
	pthread_mutex_lock(&report->lock);
	line_begin(report, &writer, &report->text, "sample");
	put_number(&writer, "t_s", elapsed_s);
	bench_sensors_encode(sensors, &writer);
	line_end(report, &writer);
	pthread_mutex_unlock(&report->lock);
}

void bench_report_skip(struct bench_report *report, const char *test, const char *reason)
{
	struct buffer *into = report->style == REPORT_RECORD ? &report->skips : &report->text;
	struct json_writer writer;

	pthread_mutex_lock(&report->lock);
	if (report->style == REPORT_TABLE) {
		table_begin(report);
		dprintf(report->fd, "%-22s skipped: %s\n", test, reason);
	} else {
		line_begin(report, &writer, into, "skip");
		put_text(&writer, "test", test);
		put_text(&writer, "reason", reason);
		line_end(report, &writer);
	}
	pthread_mutex_unlock(&report->lock);
}

static void result_encode(const struct bench_result *result, struct json_writer *writer)
{
	put_text(writer, "status", verdict_names[result->verdict]);
	put_text(writer, "suite", result->suite);
	put_number(writer, "budget_s", result->budget_s);
	put_number(writer, "elapsed_s", result->elapsed_s);
	put_count(writer, "measures", result->measures);
	put_count(writer, "failed", result->failed);
	put_text(writer, "reason", result->reason);
}

static void write_list(struct json_writer *writer, const char *key, const struct buffer *members)
{
	json_key(writer, key);
	json_begin_array(writer);
	if (members->length)
		json_raw(writer, members->bytes, members->length);
	json_end_array(writer);
}

/* Writes the record as one object: the reported device, the lists, and the members of the result. */
static void write_record(struct bench_report *report, const struct bench_result *result)
{
	struct buffer record;
	struct json_writer writer;

	buffer_init(&record, RECORD_MAX);
	json_writer_init(&writer, &record);
	json_begin_object(&writer);
	put_text(&writer, "worker_version", FLEETPLAN_VERSION);
	if (report->text.length)
		buffer_printf(&record, ",%s", report->text.bytes);
	write_list(&writer, "measures", &report->measures);
	write_list(&writer, "fits", &report->fits);
	write_list(&writer, "means", &report->means);
	write_list(&writer, "skips", &report->skips);
	json_key(&writer, "result");
	json_begin_object(&writer);
	result_encode(result, &writer);
	json_end_object(&writer);
	json_end_object(&writer);
	buffer_append_char(&record, '\n');
	write_all(report, &record);
	buffer_release(&record);
}

void bench_report_result(struct bench_report *report, const struct bench_result *result)
{
	struct json_writer writer;

	pthread_mutex_lock(&report->lock);
	if (report->style == REPORT_RECORD) {
		write_record(report, result);
	} else if (report->style == REPORT_TABLE) {
		dprintf(report->fd, "%s: %zu measures, %zu failed, %.1f of %.0f s%s%s\n", verdict_names[result->verdict], result->measures,
			result->failed, result->elapsed_s, result->budget_s, result->reason ? ": " : "", result->reason ? result->reason : "");
	} else {
		line_begin(report, &writer, &report->text, "result");
		result_encode(result, &writer);
		line_end(report, &writer);
	}
	pthread_mutex_unlock(&report->lock);
}
