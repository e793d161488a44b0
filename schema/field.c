#include "schema/field.h"

/* NOLINTBEGIN(misc-no-recursion): as deep as tables nest, which a test bounds. */

static void field_clear_rows(const struct field_table *table, char *object);

static void field_clear(const struct field *row, char *member)
{
	static const double absent_number = ABSENT_NUMBER;
	static const int64_t absent_integer = ABSENT_COUNT;

	switch (row->kind) {
	case FIELD_NUMBER:
	case FIELD_COUNT:
	case FIELD_HOURS:
	case FIELD_VALUE:
		memcpy(member, &absent_number, sizeof absent_number);
		break;
	case FIELD_INTEGER:
	case FIELD_TIME:
		memcpy(member, &absent_integer, sizeof absent_integer);
		break;
	case FIELD_OBJECT:
	case FIELD_MERGE:
		field_clear_rows(row->table, member);
		break;
	case FIELD_SIZE:
	case FIELD_TRUTH:
	case FIELD_BOOL:
	case FIELD_TEXT:
	case FIELD_CHARS:
	case FIELD_CHOICE:
	case FIELD_TEXTS:
	case FIELD_NUMBERS:
	case FIELD_SHARES:
	case FIELD_TUPLES:
	case FIELD_LABELS:
	case FIELD_WORDS:
	case FIELD_JSON:
	case FIELD_LIST:
	case FIELD_ARRAY:
	case FIELD_MAP:
	case FIELD_KIND_COUNT:
		break; /* field_table_clear() has set it to zero */
	}
}

static void field_clear_rows(const struct field_table *table, char *object)
{
	if (table->whole)
		field_clear_rows(table->whole, object);
	for (size_t i = 0; i < table->row_count; i++)
		field_clear(&table->rows[i], object + table->rows[i].offset);
}

void field_table_clear(const struct field_table *table, void *object)
{
	memset(object, 0, table->size);
	field_clear_rows(table, object);
}

static bool field_keep(void *items, size_t size, struct arena *arena)
{
	void **kept = items, *copy = arena_alloc(arena, 1, size);

	if (copy)
		memcpy(copy, *kept, size);
	*kept = copy;
	return copy != NULL;
}

bool field_table_keep(const struct field_table *table, void *object, struct arena *arena)
{
	bool kept = true;

	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];
		void *member = (char *)object + row->offset;
		const char *const *text = member;
		const struct number_list *numbers = member;

		if (row->kind == FIELD_OBJECT || row->kind == FIELD_MERGE)
			kept &= field_table_keep(row->table, member, arena);
		else if (row->kind == FIELD_TEXT)
			kept &= !*text || field_keep(member, strlen(*text) + 1, arena);
		else if (row->kind == FIELD_NUMBERS)
			kept &= numbers->count == 0 || field_keep(member, numbers->count * sizeof *numbers->items, arena);
		else
			CHECK(row->kind <= FIELD_CHOICE);
	}
	return kept;
}

const struct field *field_find(const struct field_table *table, const char *key, void **object)
{
	size_t length = strlen(key);

	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i], *inner;
		void *merged;

		if (row->kind != FIELD_MERGE) {
			if (row->key_length == length && memcmp(row->key, key, length) == 0)
				return row;
			continue;
		}
		merged = *object ? (char *)*object + row->offset : NULL;
		inner = field_find(row->table, key, &merged);
		if (inner) {
			*object = merged;
			return inner;
		}
	}
	return NULL;
}

bool field_table_is_bare(const struct field_table *table)
{
	return table->shorthand && table->row_count == 1;
}

static bool field_ends_with(const char *key, size_t length, const char *suffix)
{
	size_t n = strlen(suffix);

	return length > n && key[length - n - 1] == '_' && memcmp(key + length - n, suffix, n) == 0;
}

const char *field_unit(const char *key)
{
	static const struct {
		const char *suffix, *unit;
	} units[] = {{"gco2e_per_kwh", "gCO2e per kWh"}, {"l_per_kwh", "litres per kWh"}, {"usd_per_kwh", "USD per kWh"},
		{"kgco2e_per_month", "kgCO2e per month"}, {"gco2e_per_request", "gCO2e per request"}, {"kwh_per_month", "kWh per month"},
		{"wh_per_request", "Wh per request"}, {"joules_per_output_token", "J per output token"},
		{"joules_per_prompt_token", "J per prompt token"}, {"usd_per_needed_gpu_hour", "USD per accelerator-hour"},
		{"usd_per_gpu_hour", "USD per accelerator-hour"}, {"usd_per_gpu_month", "USD per accelerator and month"},
		{"usd_per_kw_month", "USD per kW and month"}, {"usd_per_gb_month", "USD per 10^9 bytes and month"},
		{"usd_per_gb", "USD per 10^9 bytes"}, {"usd_per_gpu", "USD per accelerator"}, {"usd_per_hour", "USD per hour"},
		{"usd_per_month", "USD per month"}, {"usd_per_million_output_tokens", "USD per million output tokens"},
		{"usd_per_million_tokens", "USD per million tokens"}, {"tokens_per_s_per_gpu", "tokens per second and accelerator"},
		{"tokens_per_s", "tokens per second"}, {"requests_per_s", "requests per second"}, {"requests_per_s_max", "requests per second"},
		{"queries_per_minute", "requests per minute"}, {"interruptions_per_gpu_hour", "interruptions per accelerator-hour"},
		{"l_per_month", "litres per month"}, {"bytes_per_token", "bytes per token"}, {"flops_per_token", "FLOPs per token"},
		{"ms_per_sample", "ms per sample"}, {"flops_per_sample", "FLOPs per sample"}, {"flops_per_output_token", "FLOPs per output token"},
		{"flops_per_prompt", "FLOPs per prompt"}, {"tflops_fp64", "10^12 FLOP/s"}, {"tflops_fp32", "10^12 FLOP/s"},
		{"tflops_tf32", "10^12 FLOP/s"}, {"tflops_bf16", "10^12 FLOP/s"}, {"tflops_fp16", "10^12 FLOP/s"}, {"tflops_fp8", "10^12 FLOP/s"},
		{"tflops_fp4", "10^12 FLOP/s"}, {"tops_int8", "10^12 operations/s"}, {"tflops_per_gpu", "10^12 FLOP/s per accelerator"},
		{"petaflop_s_days", "10^15 FLOP/s for a day"}, {"gbs", "10^9 bytes/s"}, {"gb", "10^9 bytes"}, {"bytes", "bytes"},
		{"flops", "FLOPs"}, {"kgco2e", "kgCO2e"}, {"tco2e", "tCO2e"}, {"gco2e", "gCO2e"}, {"kwh", "kWh"}, {"mwh", "MWh"}, {"kw", "kW"},
		{"joules", "J"}, {"w", "W"}, {"usd", "USD"}, {"hours", "hours"}, {"minutes", "minutes"}, {"ms", "ms"}, {"s", "seconds"},
		{"l", "litres"}, {"years", "years"}, {"days", "days"}, {"nm", "nm"}, {"mm2", "mm^2"}};
	size_t length = strlen(key);

	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (strcmp(key, units[i].suffix) == 0 || field_ends_with(key, length, units[i].suffix))
			return units[i].unit;
	}
	return NULL;
}

double field_time_s(const char *key)
{
	static const struct {
		const char *suffix;
		double seconds;
	} units[] = {{"ms", 0.001}, {"s", 1}, {"minutes", 60}, {"hours", 3600}, {"days", 86400}};
	size_t length = strlen(key);

	for (size_t i = 0; i < COUNT_OF(units); i++) {
		size_t head = length - strlen(units[i].suffix) - 1;

		if (strcmp(key, units[i].suffix) == 0)
			return units[i].seconds;
		if (field_ends_with(key, length, units[i].suffix) && !(head >= 4 && memcmp(key + head - 4, "_per", 4) == 0))
			return strcmp(key, "petaflop_s_days") == 0 ? 0 : units[i].seconds;
	}
	return 0;
}

/* NOLINTEND(misc-no-recursion) */
