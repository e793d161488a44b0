/* Any bytes as a training log of a diagnosis. An accepted log gets finite figures and a verdict, whatever its curve. */
#include <math.h>

#include "api/tables/tables.h"
#include "fuzz/input.h"
#include "planner/diagnosis/log_curve.h"

/* Makes a number of a log from one byte, within the limits of the tables. The two high bits choose a falling curve, a
 * rising line, powers of two or negative values. */
static double column_value(struct input *input, size_t row)
{
	unsigned byte = input_byte(input);

	switch (byte >> 6) {
	case 0:
		return 10.0 / (1 + (double)row) + byte;
	case 1:
		return (double)(byte & 63) * 1e-3 * (double)row;
	case 2:
		return ldexp(byte & 63, (int)(row % 7) * 30 - 90);
	default:
		return byte == 255 ? 1e30 : -(double)(byte & 63);
	}
}

static void fill_column(struct input *input, struct number_list *column, double *items, size_t count)
{
	*column = (struct number_list){items, count};
	for (size_t i = 0; i < count; i++)
		items[i] = column_value(input, i);
}

static void check_judged(const struct log_diagnosis *judged)
{
	CHECK(judged->verdict > LOG_UNSET && judged->verdict < LOG_VERDICT_COUNT && judged->finding_count <= LOG_FINDINGS_MAX);
	CHECK(isfinite(judged->last_step) && isfinite(judged->best_step) && !isinf(judged->noise_share) && !isinf(judged->swing_share));
	for (size_t i = 0; i < judged->finding_count; i++)
		CHECK(isfinite(judged->findings[i].step) && judged->findings[i].detail[0]);
}

static void write_answer(const struct diagnosis *diagnosis)
{
	struct json_writer writer;
	struct buffer text;

	buffer_init(&text, 4 * 1024 * 1024);
	json_writer_init(&writer, &text);
	record_encode(&table_diagnosis_result, diagnosis, &writer);
	CHECK(text.failed || input_is_json(text.bytes, text.length));
	buffer_release(&text);
}

/* The first byte chooses the arena, the second JSON or columns. */
void fuzz_one(struct input *input)
{
	enum { ROWS = 256 };
	static struct arena arena;
	static struct failure failure;
	static struct log_room room;
	static struct diagnosis_request request;
	static struct diagnosis diagnosis;
	static double steps[ROWS], columns[4][ROWS];
	unsigned how;

	input_arena(input, &arena, 4 << 20);
	how = input_byte(input);
	failure_clear(&failure);
	memset(&diagnosis, 0, sizeof diagnosis);
	if (how & 1) {
		size_t length;
		char *text = input_rest(input, &length);

		if (record_decode(&table_diagnosis_request, text, length, &arena, &request, &failure) != STATUS_OK)
			return;
	} else {
		size_t count = input->left / (1 + (how >> 1) % 4), at = 0;

		count = count < ROWS ? count : ROWS;
		field_table_clear(&table_diagnosis_request, &request);
		for (size_t i = 0; i < count; i++)
			steps[i] = (double)(at += 1 + i % 3);
		request.training_log.step = (struct number_list){steps, count};
		fill_column(input, &request.training_log.loss, columns[0], count);
		fill_column(input, &request.training_log.validation_loss, columns[1], how & 8 ? count : 0);
		fill_column(input, &request.training_log.learning_rate, columns[2], how & 16 ? count : 0);
		fill_column(input, &request.training_log.gradient_norm, columns[3], how & 32 ? count : 0);
		request.steps_planned = how & 64 ? 1e6 : ABSENT_NUMBER;
		request.usd_per_step = how & 128 ? 2 : ABSENT_NUMBER;
	}
	if (diagnose_log(&request, &room, &diagnosis, &failure) == STATUS_OK) {
		check_judged(&diagnosis.training_log);
		write_answer(&diagnosis);
	} else {
		CHECK(failure.fault_total > 0);
	}
}
