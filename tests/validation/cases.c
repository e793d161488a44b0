#include "validation/cases.h"

#include <jansson.h>
#include <stdarg.h>

#include "hwdb/model_config.h"

__attribute__((noreturn)) static void stop(const char *what, const char *which)
{
	fprintf(stderr, "validation cases: %s: %s\n", what, which);
	exit(2);
}

/* Takes a member out of an object, so that what is left at the end was not understood. */
static double take_number(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);
	double number = json_is_number(value) ? json_number_value(value) : ABSENT_NUMBER;

	json_object_del(object, key);
	return number;
}

static int64_t take_count(json_t *object, const char *key)
{
	double number = take_number(object, key);

	return is_given(number) ? (int64_t)number : ABSENT_COUNT;
}

static char *take_text(json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	char *copy = text ? strdup(text) : NULL;

	json_object_del(object, key);
	return copy;
}

static enum truth take_truth(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);
	enum truth truth = json_is_true(value) ? TRUTH_TRUE : json_is_false(value) ? TRUTH_FALSE : TRUTH_UNSET;

	json_object_del(object, key);
	return truth;
}

static int word_index(const char *word, const char *const *words, int count, const char *id)
{
	for (int i = 1; word && i < count; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	if (word)
		stop(word, id);
	return 0;
}

static void nothing_left(json_t *object, const char *id)
{
	if (json_object_size(object) > 0)
		stop(json_object_iter_key(json_object_iter(object)), id);
}

/* --- accelerators.csv ------------------------------------------------------------------------------------- */

/* Splits one line in place; quotes may hold commas. */
static int csv_split(char *line, char **fields, int most)
{
	int count = 0;

	for (char *at = line; count < most; at++) {
		fields[count++] = at;
		if (*at == '"') {
			fields[count - 1] = ++at;
			at = strchr(at, '"');
			if (!at)
				stop("quote", line);
			*at++ = '\0';
		}
		at += strcspn(at, ",\r\n");
		if (*at != ',')
			break;
		*at = '\0';
	}
	fields[count - 1][strcspn(fields[count - 1], "\r\n")] = '\0';
	return count;
}

static double field_number(const char *text)
{
	return *text ? strtod(text, NULL) : ABSENT_NUMBER;
}

struct column {
	const char *name;
	size_t offset;
	char kind; /* d: double, i: integer, s: text */
};

#define COLUMN(name_, kind_) {#name_, offsetof(struct accelerator, name_), kind_}
static const struct column columns[] = {
	COLUMN(id, 's'), COLUMN(vendor, 's'), COLUMN(name, 's'), COLUMN(release_year, 'i'), COLUMN(memory_gb, 'd'), COLUMN(memory_usable_bytes, 'd'),
	COLUMN(memory_bandwidth_gbs, 'd'), COLUMN(tflops_fp64, 'd'), COLUMN(tflops_fp32, 'd'), COLUMN(tflops_tf32, 'd'),
	COLUMN(tflops_bf16, 'd'), COLUMN(tflops_fp16, 'd'), COLUMN(tflops_fp8, 'd'), COLUMN(tops_int8, 'd'), COLUMN(tflops_fp4, 'd'),
	COLUMN(tdp_w, 'd'), COLUMN(idle_w, 'd'), COLUMN(load_w, 'd'), COLUMN(interconnect, 's'), COLUMN(interconnect_gbs, 'd'), COLUMN(pcie_gen, 'i'),
	COLUMN(max_nvlink_domain, 'i'), COLUMN(transistor_nm, 'i'), COLUMN(die_area_mm2, 'd'), COLUMN(embodied_kgco2e, 'd'),
	COLUMN(embodied_boavizta_kgco2e, 'd'),
};

static void accelerator_set(struct accelerator *accelerator, const struct column *column, const char *text)
{
	char *member = (char *)accelerator + column->offset;

	if (column->kind == 's')
		*(const char **)(void *)member = strdup(text);
	else if (column->kind == 'i')
		*(int64_t *)(void *)member = *text ? (int64_t)strtod(text, NULL) : ABSENT_COUNT;
	else
		*(double *)(void *)member = field_number(text);
}

static void accelerators_load(const char *path, struct validation_cases *cases)
{
	enum { FIELDS_MAX = 64 };
	char line[4096], header[4096], *names[FIELDS_MAX], *fields[FIELDS_MAX];
	FILE *file = fopen(path, "r");
	int count;

	if (!file || !fgets(header, sizeof header, file))
		stop("cannot read", path);
	count = csv_split(header, names, FIELDS_MAX);
	while (fgets(line, sizeof line, file)) {
		struct accelerator *accelerator;

		cases->accelerators = realloc(cases->accelerators, (cases->accelerator_count + 1) * sizeof *cases->accelerators);
		accelerator = &cases->accelerators[cases->accelerator_count++];
		*accelerator = (struct accelerator){0};
		if (csv_split(line, fields, FIELDS_MAX) != count)
			stop("fields", fields[0]);
		for (int f = 0; f < count; f++)
			for (size_t c = 0; c < COUNT_OF(columns); c++)
				if (strcmp(names[f], columns[c].name) == 0)
					accelerator_set(accelerator, &columns[c], fields[f]);
	}
	fclose(file);
}

static const struct accelerator *accelerator_named(const struct validation_cases *cases, const char *name)
{
	for (size_t i = 0; i < cases->accelerator_count; i++)
		if (strcmp(cases->accelerators[i].id, name) == 0)
			return &cases->accelerators[i];
	stop("unknown accelerator", name);
}

/* --- cases ------------------------------------------------------------------------------------------------- */

static void read_accelerator(const struct validation_cases *cases, json_t *request, struct accelerator *accelerator, const char *id)
{
	json_t *value = json_object_get(request, "accelerator");
	char *like;
	double number;

	if (json_is_string(value)) {
		*accelerator = *accelerator_named(cases, json_string_value(value));
	} else {
		like = take_text(value, "like");
		*accelerator = *accelerator_named(cases, like ? like : "");
		free(like);
		number = take_number(value, "memory_gb");
		accelerator->memory_gb = given_or(number, accelerator->memory_gb);
		number = take_number(value, "memory_bandwidth_gbs");
		accelerator->memory_bandwidth_gbs = given_or(number, accelerator->memory_bandwidth_gbs);
		number = take_number(value, "memory_usable_bytes");
		accelerator->memory_usable_bytes = given_or(number, accelerator->memory_usable_bytes);
		number = take_number(value, "tdp_w");
		accelerator->tdp_w = given_or(number, accelerator->tdp_w);
		nothing_left(value, id);
	}
	json_object_del(request, "accelerator");
}

static void read_parallelism(json_t *request, struct parallelism *pins, const char *id)
{
	static const char *const recomputes[] = {"", "none", "selective", "full"};
	json_t *object = json_object_get(request, "parallelism");
	char *recompute = take_text(object, "recompute");

	pins->tensor = take_count(object, "tensor");
	pins->pipeline = take_count(object, "pipeline");
	pins->data = take_count(object, "data");
	pins->context = take_count(object, "context");
	pins->expert = take_count(object, "expert");
	pins->interleave = take_count(object, "interleave");
	pins->micro_batch = take_count(object, "micro_batch");
	pins->zero_stage = take_count(object, "zero_stage");
	pins->zero_group = take_count(object, "zero_group");
	pins->kept_layers = take_count(object, "kept_layers");
	pins->recompute = (enum recompute)word_index(recompute, recomputes, 4, id);
	pins->sequence_parallel = take_truth(object, "sequence_parallel");
	nothing_left(object, id);
	free(recompute);
	json_object_del(request, "parallelism");
}

static void read_model(json_t *request, struct model *model, const char *id)
{
	static struct failure failure;
	json_t *object = json_object_get(request, "model");
	char *config = json_dumps(json_object_get(object, "config"), JSON_COMPACT);

	failure_clear(&failure);
	if (!config || model_config_read(config, strlen(config), "/model/config", model, &failure) != STATUS_OK)
		stop(failure.fault_count > 0 ? failure.faults[0].detail : failure.detail, id);
	free(config);
	json_object_del(request, "model");
}

static void read_request(const struct validation_cases *cases, json_t *request, struct validation_case *item)
{
	static const char *const stacks[] = {"", "generic", "megatron_lm", "megatron_deepspeed", "megatron_core", "fsdp", "torchtitan", "internevo", "maxtext"};
	static const char *const precisions[] = {"", "fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4"};
	static const char *const methods[] = {"", "full", "lora", "qlora"};
	struct training_request *into = &item->input.request;
	json_t *fine_tuning = json_object_get(request, "fine_tuning");
	char *stack = take_text(request, "stack"), *precision = take_text(request, "precision"), *method = take_text(fine_tuning, "method");

	into->stack = (enum stack)word_index(stack ? stack : "generic", stacks, STACK_COUNT, item->id);
	into->common.precision = (enum precision)word_index(precision, precisions, 8, item->id);
	into->fine_tuning.method = (enum fine_tuning_method)word_index(method, methods, 4, item->id);
	into->fine_tuning.rank = take_count(fine_tuning, "rank");
	json_object_del(request, "fine_tuning");
	into->stack_release = take_text(request, "stack_release");
	into->common.gpu_count = take_count(request, "gpu_count");
	into->sequence_length = take_number(request, "sequence_length");
	into->global_batch_size = take_number(request, "global_batch_size");
	into->tokens = take_number(request, "tokens");
	into->common.enforce_memory = take_truth(request, "enforce_memory");
	item->candidate.gpus_per_node = take_count(request, "gpus_per_node");
	item->candidate.internode_gbs = take_number(request, "internode_gbs");
	read_model(request, &item->input.model, item->id);
	read_accelerator(cases, request, &item->candidate.accelerator, item->id);
	read_parallelism(request, &into->parallelism, item->id);
	nothing_left(request, item->id);
	free(stack);
	free(precision);
	free(method);
}

static void case_defaults(struct validation_case *item)
{
	struct training_request *request = &item->input.request;

	request->epochs = 1;
	request->optimizer = OPTIMIZER_ADAMW;
	request->common.alternatives = 0;
	request->common.pricing.usd_per_gpu_hour = 2;
	request->common.pricing.on_premises.capex_usd_per_gpu = ABSENT_NUMBER;
	request->common.pricing.spot_interruptions_per_gpu_hour = ABSENT_NUMBER;
	request->common.carbon_cap_kgco2e = request->common.energy_cap_kwh = ABSENT_NUMBER;
	request->global_batch_tokens = request->deadline_hours = request->budget_usd = request->cadence_hours = ABSENT_NUMBER;
	request->reserved_hours = request->mfu = ABSENT_NUMBER;
	request->distillation.teacher.params = ABSENT_NUMBER;
	request->input_pipeline.sample_bytes = request->input_pipeline.storage_gbs = request->input_pipeline.cpu_ms_per_sample = ABSENT_NUMBER;
	request->reliability.mtbf_gpu_hours = request->reliability.restart_minutes = ABSENT_NUMBER;
	request->reliability.checkpoint_gbs = request->reliability.checkpoint_interval_minutes = ABSENT_NUMBER;
	request->reliability.repair_hours = ABSENT_NUMBER;
	request->reliability.spare_nodes = ABSENT_COUNT;
	request->common.hardware = (struct hardware_request){ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER};
	item->candidate.site = (struct site){.grid_gco2e_per_kwh = 445, .pue = 1.2, .wue_l_per_kwh = ABSENT_NUMBER,
		.ewif_l_per_kwh = ABSENT_NUMBER, .grid_marginal_gco2e_per_kwh = ABSENT_NUMBER, .grid_market_gco2e_per_kwh = ABSENT_NUMBER,
		.grid_low_gco2e_per_kwh = ABSENT_NUMBER, .grid_high_gco2e_per_kwh = ABSENT_NUMBER, .pue_low = ABSENT_NUMBER,
		.pue_high = ABSENT_NUMBER, .electricity_usd_per_kwh = ABSENT_NUMBER};
	item->input.candidates = &item->candidate;
	item->input.candidate_count = 1;
}

static void read_case(const struct validation_cases *cases, const char *line, struct validation_case *item)
{
	static const char *const paths[EXPECT_COUNT] = {"step.time_s", "gpu_hours", "memory.model_bytes", "memory.total_bytes", "tflops_per_gpu"};
	json_t *row = json_loads(line, JSON_REJECT_DUPLICATES, NULL), *expect;

	if (!row)
		stop("not JSON", line);
	*item = (struct validation_case){.id = take_text(row, "id"), .suite = take_text(row, "suite"), .family = take_text(row, "family")};
	case_defaults(item);
	item->oom = json_is_true(json_object_get(row, "oom"));
	expect = json_object_get(row, "expect");
	for (int i = 0; i < EXPECT_COUNT; i++)
		item->expected[i] = take_number(expect, paths[i]);
	nothing_left(expect, item->id);
	read_request(cases, json_object_get(row, "request"), item);
	json_decref(row);
}

void validation_cases_load(const char *cases_path, const char *accelerators_path, struct validation_cases *cases)
{
	enum { CASES_MAX = 4096, LINE_MAX_BYTES = 65536 };
	static char line[LINE_MAX_BYTES];
	FILE *file = fopen(cases_path, "r");

	*cases = (struct validation_cases){.items = calloc(CASES_MAX, sizeof *cases->items)};
	accelerators_load(accelerators_path, cases);
	if (!file || !cases->items)
		stop("cannot read", cases_path);
	while (fgets(line, sizeof line, file)) {
		if (cases->count == CASES_MAX)
			stop("too many", cases_path);
		read_case(cases, line, &cases->items[cases->count]);
		cases->count++;
	}
	fclose(file);
}
