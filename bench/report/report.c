#include "bench/report/report_parts.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "planner/measurement/bench_tables.h"

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

/* The buffer of the lines of a kind: in a record, the list that has them. */
static struct buffer *line_buffer(struct bench_report *report, enum bench_line_kind kind)
{
	if (report->style != REPORT_RECORD)
		return &report->text;
	return kind == BENCH_LINE_MEASURE ? &report->measures
		: kind == BENCH_LINE_FIT      ? &report->fits
		: kind == BENCH_LINE_MEAN     ? &report->means
		: kind == BENCH_LINE_SKIP     ? &report->skips
									  : &report->text;
}

/* A line is an object with its type as the first member. In a record, the same object without type is a member of a
 * list. */
static void line_begin(struct bench_report *report, struct json_writer *writer, enum bench_line_kind kind)
{
	struct buffer *into = line_buffer(report, kind);

	json_writer_init(writer, into);
	writer->comma = into != &report->text && into->length > 0; /* add a comma before the next member of a list */
	json_begin_object(writer);
	if (report->style == REPORT_LINES) {
		json_key(writer, "type");
		json_string(writer, bench_line_words[kind]);
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

/* Writes one line. The caller holds the lock. */
static void write_line(struct bench_report *report, enum bench_line_kind kind, const void *line)
{
	struct json_writer writer;

	line_begin(report, &writer, kind);
	record_encode_members(bench_line_tables[kind], line, &writer);
	line_end(report, &writer);
}

void bench_report_hello(struct bench_report *report)
{
	const struct bench_line_hello line = {.protocol = BENCH_PROTOCOL_VERSION, .worker_version = FLEETPLAN_VERSION, .pid = getpid()};

	if (report->style != REPORT_LINES)
		return;
	pthread_mutex_lock(&report->lock);
	write_line(report, BENCH_LINE_HELLO, &line);
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
		line_begin(report, &writer, BENCH_LINE_DEVICE);
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

	if (report->style == REPORT_LINES) {
		write_line(report, BENCH_LINE_PROGRESS,
			&(struct bench_line_progress){.test = progress->test,
				.i = (int64_t)progress->i,
				.n = (int64_t)progress->n,
				.elapsed_ms = elapsed_s * 1e3,
				.budget_ms = progress->budget_s * 1e3});
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
	struct json_writer writer;

	pthread_mutex_lock(&report->lock);
	if (report->style == REPORT_TABLE) {
		table_begin(report);
		measure_print(report->fd, measure);
	} else {
		line_begin(report, &writer, BENCH_LINE_MEASURE);
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
		line_begin(report, &writer, BENCH_LINE_FIT);
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
		line_begin(report, &writer, BENCH_LINE_MEAN);
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
	line_begin(report, &writer, BENCH_LINE_SAMPLE);
	sample_encode(elapsed_s, sensors, &writer);
	line_end(report, &writer);
	pthread_mutex_unlock(&report->lock);
}

void bench_report_skip(struct bench_report *report, const char *test, const char *reason)
{
	pthread_mutex_lock(&report->lock);
	if (report->style == REPORT_TABLE) {
		table_begin(report);
		dprintf(report->fd, "%-22s skipped: %s\n", test, reason);
	} else {
		write_line(report, BENCH_LINE_SKIP, &(struct bench_line_skip){test, reason});
	}
	pthread_mutex_unlock(&report->lock);
}

static struct bench_line_result line_of_result(const struct bench_result *result)
{
	return (struct bench_line_result){.status = verdict_names[result->verdict],
		.suite = result->suite,
		.budget_s = result->budget_s,
		.elapsed_s = result->elapsed_s,
		.measures = (int64_t)result->measures,
		.failed = (int64_t)result->failed,
		.reason = result->reason};
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
static void write_record(struct bench_report *report, const struct bench_line_result *result)
{
	struct buffer record;
	struct json_writer writer;

	buffer_init(&record, RECORD_MAX);
	json_writer_init(&writer, &record);
	json_begin_object(&writer);
	json_key(&writer, "worker_version");
	json_string(&writer, FLEETPLAN_VERSION);
	if (report->text.length)
		buffer_printf(&record, ",%s", report->text.bytes);
	write_list(&writer, "measures", &report->measures);
	write_list(&writer, "fits", &report->fits);
	write_list(&writer, "means", &report->means);
	write_list(&writer, "skips", &report->skips);
	json_key(&writer, "result");
	record_encode(&table_bench_line_result, result, &writer);
	json_end_object(&writer);
	buffer_append_char(&record, '\n');
	write_all(report, &record);
	buffer_release(&record);
}

void bench_report_result(struct bench_report *report, const struct bench_result *result)
{
	const struct bench_line_result line = line_of_result(result);

	pthread_mutex_lock(&report->lock);
	if (report->style == REPORT_RECORD) {
		write_record(report, &line);
	} else if (report->style == REPORT_TABLE) {
		dprintf(report->fd, "%s: %zu measures, %zu failed, %.1f of %.0f s%s%s\n", line.status, result->measures, result->failed,
			result->elapsed_s, result->budget_s, result->reason ? ": " : "", result->reason ? result->reason : "");
	} else {
		write_line(report, BENCH_LINE_RESULT, &line);
	}
	pthread_mutex_unlock(&report->lock);
}
