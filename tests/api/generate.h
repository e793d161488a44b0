/* Generates bodies from field tables: every field that a request may have, with a value that its row accepts. */
#ifndef FLEETPLAN_TESTS_API_GENERATE_H
#define FLEETPLAN_TESTS_API_GENERATE_H

#include <math.h>

#include "api/tables/tables.h"

struct generator {
	struct json_writer *writer;
	uint64_t state; /* of splitmix64; the same seed gives the same bodies */
	bool all;       /* every optional field; else each with a probability of one half */
	bool echo;      /* only fields that the answer repeats: not the arrivals of a trace */
};

static inline uint64_t generate_random(struct generator *generator)
{
	uint64_t z = generator->state += 0x9e3779b97f4a7c15U;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
	return z ^ (z >> 31);
}

/* Returns a number inside the row's range, with few digits, so that a decoder reads the same number back. */
static inline double generate_number(struct generator *generator, double low, double high)
{
	double unit = (double)(generate_random(generator) % 1000 + 1) / 1000, number;

	number = high / fmax(low, 1e-3) > 1e3 ? fmax(low, 1e-3) * pow(high / fmax(low, 1e-3), unit) : low + (high - low) * unit;
	return number < low ? low : number > high ? high : number;
}

static inline void generate_table(struct generator *generator, const struct field_table *table);

static inline void generate_text(struct generator *generator, const struct field *row, double longest)
{
	static const char *const texts[FORM_COUNT] = {[FORM_FREE] = "plain",
		[FORM_SLUG] = "a.slug-1",
		[FORM_UUID] = "01939e5c-7d00-7000-8000-000000000001",
		[FORM_DATE] = "2026-11-21",
		[FORM_MONTH] = "2025-05",
		[FORM_MOMENT] = "2026-11-21T01:02:03Z"};
	size_t at = row->word_count ? generate_random(generator) % row->word_count : 0;

	while (row->words && !row->words[at])
		at = (at + 1) % row->word_count;
	if (row->words)
		json_write_string(generator->writer, row->words[at]);
	else if (row->kind == FIELD_WORDS)
		json_write_string(generator->writer, "quick");
	else if (row->form == FORM_FREE && longest > 20)
		json_write_string(generator->writer, "t\xc3\xa9xt \"q\" \\ /~");
	else
		json_write_string(generator->writer, texts[row->form]);
}

static inline void generate_value(struct generator *generator, const struct field *row)
{
	struct json_writer *writer = generator->writer;
	double number = 0;
	size_t count;

	if (row->kind == FIELD_NUMBER || row->kind == FIELD_COUNT || row->kind == FIELD_HOURS || row->kind == FIELD_INTEGER)
		number = generate_number(generator, row->minimum, fmin(row->maximum, 9e15));
	switch (row->kind) {
	case FIELD_NUMBER:
	case FIELD_COUNT:
	case FIELD_HOURS:
		json_double(writer, number);
		break;
	case FIELD_INTEGER:
		json_write_integer(writer, (int64_t)number);
		break;
	case FIELD_TRUTH:
	case FIELD_BOOL:
		json_bool(writer, generate_random(generator) & 1);
		break;
	case FIELD_TEXT:
	case FIELD_CHOICE:
	case FIELD_WORDS:
		generate_text(generator, row, row->maximum);
		break;
	case FIELD_TIME:
		json_write_string(writer, "2026-11-21T01:02:03.500Z");
		break;
	case FIELD_TEXTS:
		json_begin_array(writer);
		for (int i = 0; i < 2; i++)
			generate_text(generator, row, row->item_maximum);
		json_end_array(writer);
		break;
	case FIELD_NUMBERS:
		count = row->lengths[0] ? row->lengths[0] : 3;
		json_begin_array(writer);
		for (size_t i = 0; i < count; i++)
			json_double(writer, generate_number(generator, row->item_minimum, row->item_maximum));
		json_end_array(writer);
		break;
	case FIELD_TUPLES:
		json_begin_array(writer);
		json_begin_array(writer);
		for (size_t i = 0; i < row->width; i++)
			json_write_integer(writer, (int64_t)i);
		json_end_array(writer);
		json_end_array(writer);
		break;
	case FIELD_LABELS:
		json_begin_object(writer);
		json_key(writer, "team");
		json_write_string(writer, "search");
		json_end_object(writer);
		break;
	case FIELD_JSON:
		json_begin_object(writer);
		json_key(writer, "hidden_size");
		json_write_integer(writer, 4096);
		json_end_object(writer);
		break;
	case FIELD_OBJECT:
		generate_table(generator, row->table);
		break;
	case FIELD_LIST:
		json_begin_array(writer);
		generate_table(generator, row->table);
		generate_table(generator, row->table);
		json_end_array(writer);
		break;
	case FIELD_SIZE:
	case FIELD_CHARS:
	case FIELD_VALUE:
	case FIELD_SHARES:
	case FIELD_MERGE:
	case FIELD_ARRAY:
	case FIELD_MAP:
	case FIELD_KIND_COUNT:
		CHECK(false && "only written");
	}
}

static inline bool generate_needed(const struct field_table *table, const struct field *row)
{
	for (size_t i = 0; i < table->need_count; i++) {
		if (strcmp(table->needs[i], row->key) == 0)
			return true;
	}
	return (row->flags & REQUIRED) || row == table->shorthand;
}

static inline void generate_rows(struct generator *generator, const struct field_table *table, const struct field_table *needs)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];

		if (row->kind == FIELD_MERGE) {
			generate_rows(generator, row->table, needs);
			continue;
		}
		if ((row->flags & READ_ONLY) || (generator->echo && strcmp(row->key, "trace") == 0) ||
			(!generator->all && !generate_needed(needs, row) && (generate_random(generator) & 1)))
			continue;
		json_key(generator->writer, row->key);
		generate_value(generator, row);
	}
}

static inline void generate_table(struct generator *generator, const struct field_table *table)
{
	json_begin_object(generator->writer);
	generate_rows(generator, table, table);
	json_end_object(generator->writer);
}

/* Every table that decodes a body. */
static const struct field_table *const request_tables[] = {&table_training_request, &table_inference_request, &table_performance_request,
	&table_memory_request, &table_scaling_request, &table_carbon_request, &table_plan_patch, &table_accelerator, &table_model, &table_price,
	&table_region, &table_model_import, &table_benchmark_request};

/* The union is as large as the largest request. */
union any_request {
	struct training_request training;
	struct inference_request inference;
	struct performance_request performance;
	struct memory_request memory;
	struct carbon_request carbon;
	struct accelerator_row accelerator;
	struct model_row model;
	struct price_row price;
	struct region_row region;
	struct plan_record plan;
	struct benchmark_record benchmark;
	struct model_import import;
	struct agent_registration registration;
	struct lease_request lease_request;
	struct lease_heartbeat heartbeat;
	struct lease_result result;
	struct lease_release release;
};

#endif
