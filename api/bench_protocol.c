#include "api/bench_protocol.h"

#include "api/readers/line_reader.h"
#include "base/buffer.h"
#include "schema/json_tree.h"

enum { SUITE_MAX_BYTES = 4096 };

static const char *const kind_names[BENCH_LINE_COUNT] = {
	[BENCH_LINE_HELLO] = "hello",
	[BENCH_LINE_DEVICE] = "device",
	[BENCH_LINE_PROGRESS] = "progress",
	[BENCH_LINE_SAMPLE] = "sample",
	[BENCH_LINE_MEASURE] = "measure",
	[BENCH_LINE_FIT] = "fit",
	[BENCH_LINE_MEAN] = "mean",
	[BENCH_LINE_SKIP] = "skip",
	[BENCH_LINE_RESULT] = "result",
};

static void read_device(struct line_reader *reader, struct bench_line_device *device)
{
	*device = (struct bench_line_device){
		.id = line_text(reader, "id"),
		.backend = line_text(reader, "backend"),
		.name = line_text(reader, "name"),
		.uuid = line_optional_text(reader, "uuid"),
		.vendor = line_optional_text(reader, "vendor"),
		.accelerator = line_optional_text(reader, "accelerator"),
		.driver = line_optional_text(reader, "driver"),
		.instruction_set = line_optional_text(reader, "instruction_set"),
		.pci_id = line_optional_text(reader, "pci_id"),
		.pci_bus = line_optional_text(reader, "pci_bus"),
		.mig_parent = line_optional_text(reader, "mig_parent"),
		.mig_profile = line_optional_text(reader, "mig_profile"),
		.compute_capability = line_optional_text(reader, "compute_capability"),
		.memory_bytes = line_optional_number(reader, "memory_bytes"),
		.threads = line_optional_number(reader, "threads"),
		.unit_count = line_optional_number(reader, "unit_count"),
		.numa_node = line_optional_number(reader, "numa_node"),
		.power_limit_w = line_optional_number(reader, "power_limit_w"),
		.ecc = !line_has(reader, "ecc") ? TRUTH_UNSET
			: line_flag(reader, "ecc")  ? TRUTH_TRUE
										: TRUTH_FALSE,
	};
}

static void read_attention(struct line_reader *reader, struct bench_attention *attention)
{
	*attention = (struct bench_attention){
		.batch = line_count(reader, "batch"),
		.heads = line_count(reader, "heads"),
		.kv_heads = line_count(reader, "kv_heads"),
		.queries = line_count(reader, "queries"),
		.keys = line_count(reader, "keys"),
		.head_dimension = line_count(reader, "head_dimension"),
		.causal = line_flag(reader, "causal"),
		.backward = line_flag(reader, "backward"),
	};
}

static void read_block(struct line_reader *reader, struct bench_block *block)
{
	*block = (struct bench_block){
		.layers = line_count(reader, "layers"),
		.hidden = line_count(reader, "hidden"),
		.heads = line_count(reader, "heads"),
		.kv_heads = line_count(reader, "kv_heads"),
		.head_dimension = line_count(reader, "head_dimension"),
		.ffn = line_count(reader, "ffn"),
		.vocabulary = line_has(reader, "vocabulary") ? line_count(reader, "vocabulary") : ABSENT_COUNT,
		.sequence = line_count(reader, "sequence"),
		.micro_batch = line_count(reader, "micro_batch"),
		.gated = line_flag(reader, "gated") ? TRUTH_TRUE : TRUTH_FALSE,
		.precision = line_precision(reader),
		.optimizer_bytes_per_parameter = line_optional_number(reader, "optimizer_bytes_per_parameter"),
		.predicted_s = ABSENT_NUMBER,
	};
}

static void read_energy(struct line_reader *reader, struct bench_line_energy *energy)
{
	*energy = (struct bench_line_energy){
		.window_s = line_number(reader, "window_s"),
		.energy_joules = line_number(reader, "energy_j"),
		.mean_w = line_number(reader, "mean_w"),
		.idle_w = line_optional_number(reader, "idle_w"),
		.dynamic_joules = line_optional_real(reader, "dynamic_j"),
		.joules_per_tflop = line_optional_number(reader, "j_per_tflop"),
		.limit_fraction = line_optional_number(reader, "limit_fraction"),
		.source = line_text(reader, "source"),
		.by = line_text(reader, "by"),
		.scope = line_text(reader, "scope"),
		.confidence = line_text(reader, "confidence"),
	};
}

/* Reads the objects that describe the work. */
static void read_work(struct line_reader *reader, struct bench_line_measure *measure)
{
	struct line_reader part;

	measure->has_shape = line_shape(reader, &measure->shape, &measure->product);
	measure->has_attention = line_object(reader, "attention", &part);
	if (measure->has_attention)
		read_attention(&part, &measure->attention);
	measure->has_transfer = line_object(reader, "transfer", &part);
	if (measure->has_transfer) {
		measure->transfer.direction = line_text(&part, "direction");
		measure->transfer.pinned = line_flag(&part, "pinned");
		measure->transfer.bytes = line_number(&part, "bytes");
	}
	measure->has_block = line_object(reader, "block", &part);
	if (measure->has_block)
		read_block(&part, &measure->block);
	measure->has_energy = line_object(reader, "energy", &part);
	if (measure->has_energy)
		read_energy(&part, &measure->energy);
}

static void read_measure(struct line_reader *reader, struct bench_line_measure *measure)
{
	*measure = (struct bench_line_measure){
		.test = line_text(reader, "test"),
		.method = line_text(reader, "method"),
		.unit = line_text(reader, "unit"),
		.role = line_optional_text(reader, "role"),
		.kind = line_optional_text(reader, "kind"),
		.throttle = line_optional_text(reader, "throttle"),
		.precision = line_precision(reader),
		.n = line_count(reader, "n"),
		.rounds = line_has(reader, "rounds") ? line_count(reader, "rounds") : ABSENT_COUNT,
		.median = line_number(reader, "median"),
		.p10 = line_number(reader, "p10"),
		.p90 = line_number(reader, "p90"),
		.min = line_number(reader, "min"),
		.max = line_number(reader, "max"),
		.drift = line_optional_real(reader, "drift"),
		.flops = line_optional_number(reader, "flops"),
		.bytes = line_optional_number(reader, "bytes"),
		.size_bytes = line_optional_number(reader, "size_bytes"),
		.count = line_optional_number(reader, "count"),
		.median_p10 = line_optional_number(reader, "median_p10"),
		.median_p90 = line_optional_number(reader, "median_p90"),
		.trend = line_flag(reader, "trend"),
		.disagreement = line_optional_number(reader, "disagreement"),
		.steal_fraction = line_optional_number(reader, "steal_fraction"),
		.others_fraction = line_optional_number(reader, "others_fraction"),
		.predicted_s = line_optional_number(reader, "predicted_s"),
		.verified = line_flag(reader, "verified"),
		.unstable = line_flag(reader, "unstable"),
		.cache_resident = line_flag(reader, "cache_resident"),
		.throttled = line_flag(reader, "throttled"),
	};
	read_work(reader, measure);
	if (!(measure->min <= measure->p10 && measure->p10 <= measure->median && measure->median <= measure->p90 &&
			measure->p90 <= measure->max && measure->median > 0 && measure->n > 0))
		failure_add(reader->failure, "/median", "out_of_range", "min, p10, median, p90 and max must ascend, and n and median be above 0");
	if (is_given(measure->median_p10) != is_given(measure->median_p90) ||
		(is_given(measure->median_p10) &&
			!(measure->median_p10 > 0 && measure->median_p10 <= measure->median && measure->median <= measure->median_p90)))
		failure_add(reader->failure, "/median_p10", "out_of_range",
			"median_p10, median and median_p90 must ascend from above 0, both ends given or none");
}

static void read_fit(struct line_reader *reader, struct bench_line_fit *fit)
{
	*fit = (struct bench_line_fit){
		.test = line_text(reader, "test"),
		.what = line_optional_text(reader, "what"),
		.method = line_text(reader, "method"),
		.alpha_s = line_number(reader, "alpha_s"),
		.beta_bytes_per_s = line_number(reader, "beta_bytes_per_s"),
		.worst_residual = line_number(reader, "worst_residual"),
		.sizes = line_count(reader, "sizes"),
	};
	if (!(fit->beta_bytes_per_s > 0))
		failure_add(reader->failure, "/beta_bytes_per_s", "out_of_range", "must be above 0");
}

static void read_mean(struct line_reader *reader, struct bench_line_mean *mean)
{
	*mean = (struct bench_line_mean){
		.test = line_text(reader, "test"),
		.method = line_text(reader, "method"),
		.unit = line_text(reader, "unit"),
		.precision = line_precision(reader),
		.value = line_number(reader, "value"),
		.flops = line_number(reader, "flops"),
		.products = line_count(reader, "products"),
	};
}

static void read_sample(struct line_reader *reader, struct bench_line_sample *sample)
{
	*sample = (struct bench_line_sample){
		.t_s = line_number(reader, "t_s"),
		.power_w = line_optional_number(reader, "power_w"),
		.energy_joules = line_optional_number(reader, "energy_j"),
		.temperature_c = line_optional_real(reader, "temperature_c"),
		.sm_clock_hz = line_optional_number(reader, "sm_clock_hz"),
		.memory_clock_hz = line_optional_number(reader, "memory_clock_hz"),
		.power_limit_w = line_optional_number(reader, "power_limit_w"),
		.utilization = line_optional_number(reader, "utilization"),
		.memory_used_bytes = line_optional_number(reader, "memory_used_bytes"),
		.throttle = line_optional_text(reader, "throttle"),
	};
}

static void read_result(struct line_reader *reader, struct bench_line *line)
{
	const char *status = line_text(reader, "status");

	line->as.result.status = status;
	line->as.result.reason = line_optional_text(reader, "reason");
	line->as.result.budget_s = line_number(reader, "budget_s");
	line->as.result.elapsed_s = line_number(reader, "elapsed_s");
	if (status && strcmp(status, "ok") != 0 && strcmp(status, "failed") != 0 && strcmp(status, "busy") != 0)
		failure_add(reader->failure, "/status", "unknown_choice", "must be ok, failed or busy");
}

static void read_line(struct line_reader *reader, struct bench_line *line)
{
	switch (line->kind) {
	case BENCH_LINE_HELLO:
		line->as.hello.protocol = line_count(reader, "proto");
		line->as.hello.worker_version = line_text(reader, "worker_version");
		if (line->as.hello.protocol != BENCH_PROTOCOL_VERSION)
			failure_add(reader->failure, "/proto", "out_of_range", "must be %d", BENCH_PROTOCOL_VERSION);
		break;
	case BENCH_LINE_DEVICE:
		read_device(reader, &line->as.device);
		break;
	case BENCH_LINE_PROGRESS:
		line->as.progress.test = line_text(reader, "test");
		line->as.progress.elapsed_ms = line_number(reader, "elapsed_ms");
		break;
	case BENCH_LINE_MEASURE:
		read_measure(reader, &line->as.measure);
		break;
	case BENCH_LINE_SAMPLE:
		read_sample(reader, &line->as.sample);
		break;
	case BENCH_LINE_FIT:
		read_fit(reader, &line->as.fit);
		break;
	case BENCH_LINE_MEAN:
		read_mean(reader, &line->as.mean);
		break;
	case BENCH_LINE_SKIP:
		line->as.skip.test = line_text(reader, "test");
		line->as.skip.reason = line_text(reader, "reason");
		break;
	case BENCH_LINE_RESULT:
		read_result(reader, line);
		break;
	case BENCH_LINE_COUNT:
		break;
	}
}

static enum bench_line_kind kind_of(const json_t *object)
{
	const char *type = json_string_value(json_object_get(object, "type"));
	int kind = 0;

	while (type && kind < BENCH_LINE_COUNT && strcmp(type, kind_names[kind]) != 0)
		kind++;
	return type ? (enum bench_line_kind)kind : BENCH_LINE_COUNT;
}

enum status bench_line_parse(const char *text, size_t length, struct arena *arena, struct bench_line *line, struct failure *failure)
{
	struct line_reader reader = {.arena = arena, .failure = failure};
	json_error_t error;
	bool no_memory;
	json_t *root;

	failure_clear(failure);
	*line = (struct bench_line){.kind = BENCH_LINE_COUNT};
	if (length >= BENCH_PROTOCOL_LINE_MAX)
		return failure_set(failure, STATUS_MALFORMED, "a worker's line is longer than %d bytes", BENCH_PROTOCOL_LINE_MAX);
	root = json_tree_read(text, length, JSON_REJECT_DUPLICATES, &error, &no_memory);
	if (no_memory)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to read a worker's line");
	if (!root || !json_is_object(root)) {
		json_decref(root);
		return failure_set(failure, STATUS_MALFORMED, "a worker's line is not a JSON object: %s", root ? "something else" : error.text);
	}
	reader.object = root;
	line->kind = kind_of(root);
	if (line->kind == BENCH_LINE_COUNT)
		line_refuse(&reader, "type", "hello, device, progress, sample, measure, fit, mean, skip or result");
	else
		read_line(&reader, line);
	json_decref(root);
	return failure->status;
}

/* Appends the name of a test; false if it is not a valid name. */
static bool append_name(struct buffer *out, const char *name)
{
	if (!name || !*name || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(name))
		return false;
	if (out->length)
		buffer_append_char(out, ',');
	buffer_append_text(out, name);
	return true;
}

enum status bench_suite_text(const char *json, size_t length, struct arena *arena, const char **text)
{
	bool no_memory, good = false;
	json_t *root = json_tree_read(json, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL, &no_memory), *item;
	struct buffer names;
	size_t i;

	*text = NULL;
	buffer_init(&names, length + 1); /* the names are shorter than the JSON, so that only a lack of memory fails */
	if (json_is_string(root))
		good = append_name(&names, json_string_value(root));
	else if (json_is_array(root) && json_array_size(root) > 0) {
		good = true;
		json_array_foreach (root, i, item)
			good = good && append_name(&names, json_string_value(item));
	}
	good = good && names.length <= SUITE_MAX_BYTES;
	if (good && !names.failed)
		*text = arena_strndup(arena, names.bytes, names.length);
	no_memory = no_memory || (good && !*text);
	buffer_release(&names);
	json_decref(root);
	return no_memory ? STATUS_NO_MEMORY : *text ? STATUS_OK : STATUS_INVALID;
}
