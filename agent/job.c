#include "agent/job.h"

#include "api/tables/tables.h"
#include "base/json_writer.h"
#include "bench/suite/suite.h"

enum { JOB_ARENA_BYTES = 4 * 1024 * 1024, LOG_SHOWN_BYTES = 4096 };

void bench_job_open(struct bench_job *job)
{
	*job = (struct bench_job){.measure_count = 0};
	arena_init(&job->arena, JOB_ARENA_BYTES);
	buffer_init(&job->device_json, BENCH_PROTOCOL_LINE_MAX);
	buffer_init(&job->measures_json, BENCH_RESULT_MAX_BYTES / 2);
	buffer_init(&job->fits_json, BENCH_PROTOCOL_LINE_MAX);
	buffer_init(&job->means_json, BENCH_PROTOCOL_LINE_MAX);
	buffer_init(&job->skips_json, BENCH_RESULT_MAX_BYTES / 8);
	buffer_init(&job->progress_json, BENCH_PROTOCOL_LINE_MAX);
}

void bench_job_close(struct bench_job *job)
{
	buffer_release(&job->device_json);
	buffer_release(&job->measures_json);
	buffer_release(&job->fits_json);
	buffer_release(&job->means_json);
	buffer_release(&job->skips_json);
	buffer_release(&job->progress_json);
	arena_release(&job->arena);
}

bool bench_job_plan(struct bench_job *job, char *detail, size_t size)
{
	const struct json_text *suite = &job->record.suite;
	struct bench_reason reason = {"a suite is \"quick\", \"full\" or a list of tests"};
	struct bench_plan plan;

	if (!job->suite && !suite->text)
		job->suite = "quick";
	else if (!job->suite && bench_suite_text(suite->text, suite->length, &job->arena, &job->suite) == STATUS_NO_MEMORY)
		reason = (struct bench_reason){"no memory for the benchmark's tests"};
	if (job->suite && bench_plan_make(job->suite, &plan, &reason)) {
		job->budget_s = plan.budget_s;
		return true;
	}
	snprintf(detail, size, "%s", reason.text);
	return false;
}

static void keep_texts(struct bench_job *job, const struct field_table *table, void *kept)
{
	if (!field_table_keep(table, kept, &job->arena))
		job->exhausted = true;
}

static void take_device(struct bench_job *job, const struct bench_line_device *device)
{
	job->has_device = true;
	job->device = *device;
	keep_texts(job, &table_bench_line_device, &job->device);
}

static void take_measure(struct bench_job *job, const struct bench_line_measure *measure)
{
	if (job->measure_count == BENCH_MEASURES_MAX) {
		job->exhausted = true;
		return;
	}
	job->measures[job->measure_count] = *measure;
	keep_texts(job, &table_bench_line_measure, &job->measures[job->measure_count++]);
}

static void take_fit(struct bench_job *job, const struct bench_line_fit *fit)
{
	if (job->fit_count == BENCH_FITS_MAX) {
		job->exhausted = true;
		return;
	}
	job->fits[job->fit_count] = *fit;
	keep_texts(job, &table_bench_line_fit, &job->fits[job->fit_count++]);
}

static void take_mean(struct bench_job *job, const struct bench_line_mean *mean)
{
	if (job->mean_count == BENCH_MEANS_MAX) {
		job->exhausted = true;
		return;
	}
	job->means[job->mean_count] = *mean;
	keep_texts(job, &table_bench_line_mean, &job->means[job->mean_count++]);
}

static void take_member(struct buffer *list, const char *text, size_t length)
{
	if (list->length)
		buffer_append_char(list, ',');
	buffer_append(list, text, length);
}

static void take_skip(struct bench_job *job, const char *test, const char *reason)
{
	if (job->skip_count++ == 0)
		snprintf(job->skipped, sizeof job->skipped, "%.60s: %s", test, reason);
}

void bench_job_take(struct bench_job *job, const struct bench_line *line, const char *text, size_t length)
{
	switch (line->kind) {
	case BENCH_LINE_HELLO:
		job->worker_version = arena_strdup(&job->arena, line->as.hello.worker_version);
		break;
	case BENCH_LINE_DEVICE:
		take_device(job, &line->as.device);
		buffer_clear(&job->device_json);
		buffer_append(&job->device_json, text, length);
		break;
	case BENCH_LINE_PROGRESS:
		buffer_clear(&job->progress_json);
		buffer_append(&job->progress_json, text, length);
		job->progressed = true;
		break;
	case BENCH_LINE_MEASURE:
		take_measure(job, &line->as.measure);
		take_member(&job->measures_json, text, length);
		break;
	case BENCH_LINE_FIT:
		take_fit(job, &line->as.fit);
		take_member(&job->fits_json, text, length);
		break;
	case BENCH_LINE_MEAN:
		take_mean(job, &line->as.mean);
		take_member(&job->means_json, text, length);
		break;
	case BENCH_LINE_SKIP:
		take_skip(job, line->as.skip.test, line->as.skip.reason);
		take_member(&job->skips_json, text, length);
		break;
	case BENCH_LINE_RESULT:
		job->elapsed_s = line->as.result.elapsed_s;
		break;
	case BENCH_LINE_SAMPLE: /* power and clocks: each measure's energy already has them */
	case BENCH_LINE_COUNT:
		break;
	}
	job->exhausted = job->exhausted || job->measures_json.failed || job->fits_json.failed || job->means_json.failed || job->skips_json.failed;
}

static void fail_outcome(struct bench_worker_outcome *outcome, enum bench_worker_end end, const char *detail)
{
	outcome->end = end;
	snprintf(outcome->detail, sizeof outcome->detail, "%s", detail);
}

void bench_job_judge(const struct bench_job *job, struct bench_worker_outcome *outcome)
{
	if (outcome->end != WORKER_SUCCEEDED)
		return;
	if (job->exhausted) {
		fail_outcome(outcome, WORKER_MISSPOKE, "the worker reported more than can be stored");
	} else if (!job->has_device) {
		fail_outcome(outcome, WORKER_MISSPOKE, "the worker did not report which device it measured");
	} else if (job->measure_count == 0 && job->skip_count == 0) {
		fail_outcome(outcome, WORKER_MISSPOKE, "the worker measured nothing and gave no reason");
	} else if (job->measure_count == 0) {
		outcome->end = WORKER_FAILED; /* another attempt would skip them too */
		snprintf(outcome->detail, sizeof outcome->detail, "nothing was measured: every test was skipped (%zu), the first of them %s",
			job->skip_count, job->skipped);
	}
}

static void put_text(struct json_writer *writer, const char *key, const char *text)
{
	json_key(writer, key);
	json_string(writer, text);
}

/* Leaves out an absent number: JSON has no NaN, and the writer would fail. */
static void put_number(struct json_writer *writer, const char *key, double number)
{
	if (!is_given(number))
		return;
	json_key(writer, key);
	json_double(writer, number);
}

static void put_list(struct json_writer *writer, const char *key, const struct buffer *members)
{
	json_key(writer, key);
	json_begin_array(writer);
	if (members->length)
		json_raw(writer, members->bytes, members->length);
	json_end_array(writer);
}

static void put_calibration(struct json_writer *writer, const struct calibration_row *row)
{
	json_begin_object(writer);
	put_text(writer, "id", row->id);
	put_text(writer, "accelerator", row->accelerator_id);
	put_text(writer, "quantity", row->quantity);
	put_text(writer, "method", row->method);
	if (row->precision != PRECISION_UNSET)
		put_text(writer, "precision", precision_name(row->precision));
	put_number(writer, "value", row->value);
	put_number(writer, "low", row->low);
	put_number(writer, "high", row->high);
	if (row->class)
		put_text(writer, "class", row->class);
	if (row->plan_id)
		put_text(writer, "plan_id", row->plan_id);
	if (row->held_because)
		put_text(writer, "held_because", row->held_because);
	json_end_object(writer);
}

/* Writes the warnings with the names that answers use. */
static void put_warnings(struct json_writer *writer, const struct bench_calibrations *calibrations)
{
	size_t held = 0;

	for (size_t i = 0; i < calibrations->count; i++)
		held += calibrations->rows[i].held_because != NULL;
	if (held == 0)
		return;
	json_key(writer, "warnings");
	json_begin_array(writer);
	for (size_t i = 0; i < calibrations->count; i++) {
		const struct calibration_row *row = &calibrations->rows[i];

		if (!row->held_because)
			continue;
		json_begin_object(writer);
		put_text(writer, "code", "calibration_held");
		put_text(writer, "calibration", row->id);
		put_text(writer, "detail", row->held_because);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void put_calibrations(struct json_writer *writer, const struct bench_calibrations *calibrations)
{
	json_key(writer, "calibrations");
	json_begin_array(writer);
	for (size_t i = 0; i < calibrations->count; i++)
		put_calibration(writer, &calibrations->rows[i]);
	json_end_array(writer);
	json_key(writer, "not_calibrated");
	json_begin_array(writer);
	for (size_t i = 0; i < calibrations->refused; i++) {
		json_begin_object(writer);
		put_text(writer, "quantity", calibrations->refusals[i].quantity);
		put_text(writer, "reason", calibrations->refusals[i].reason);
		json_end_object(writer);
	}
	json_end_array(writer);
}

/* Writes the output of the worker and of vendors' libraries, without bytes that are not ASCII. */
static void put_log(struct json_writer *writer, const struct buffer *log)
{
	char shown[LOG_SHOWN_BYTES];
	size_t length = 0;

	for (size_t i = 0; i < log->length && length < sizeof(shown); i++)
		if ((unsigned char)log->bytes[i] < 0x80 && log->bytes[i])
			shown[length++] = log->bytes[i];
	json_key(writer, "log");
	json_string_n(writer, shown, length);
}

void bench_job_encode(
	const struct bench_job *job, const struct bench_worker_outcome *outcome, const struct bench_judgement *judgement, struct buffer *out)
{
	struct json_writer writer;

	json_writer_init(&writer, out);
	json_begin_object(&writer);
	put_text(&writer, "end", bench_worker_end_name(outcome->end));
	if (*outcome->detail)
		put_text(&writer, "detail", outcome->detail);
	put_text(&writer, "suite", job->suite);
	put_number(&writer, "budget_s", job->budget_s);
	put_number(&writer, "elapsed_s", job->elapsed_s);
	put_text(&writer, "worker_version", job->worker_version);
	if (job->device_json.length) {
		json_key(&writer, "device");
		json_raw(&writer, job->device_json.bytes, job->device_json.length);
	}
	put_list(&writer, "measures", &job->measures_json);
	if (job->fits_json.length)
		put_list(&writer, "fits", &job->fits_json);
	if (job->means_json.length)
		put_list(&writer, "means", &job->means_json);
	put_list(&writer, "skips", &job->skips_json);
	if (judgement->calibrations) {
		put_calibrations(&writer, judgement->calibrations);
		put_warnings(&writer, judgement->calibrations);
	}
	if (judgement->verification) {
		json_key(&writer, "verification");
		record_encode(&table_verification, judgement->verification, &writer);
	}
	if (judgement->not_verified)
		put_text(&writer, "not_verified", judgement->not_verified);
	if (outcome->log.length)
		put_log(&writer, &outcome->log);
	json_end_object(&writer);
}
