#include "planner/measurement/bench_tables.h"

/* --- what a worker is asked ------------------------------------------------------------------------------------------- */
enum { SIDE_MAX = 1 << 24 };

#define SIDE(member, ...) INTEGER(member, 1, SIDE_MAX, __VA_ARGS__, .flags = REQUIRED)
#define PRECISION         CHOICE(precision, precision_words, "Number format of the operands")
#define TIMES             POSITIVE(count, 1e9, "Number of occurrences in a step", .fallback = "1")

#define OF struct bench_spec_product
static const struct field product_rows[] = {
	TEXT(role, 24, "Role in the model", .example = "\"qkv\""),
	SIDE(m, "Rows of the result"),
	SIDE(n, "Columns of the result"),
	SIDE(k, "Inner dimension, over which is summed"),
	CHOICE(product, bench_product_words, "Which of the three products with a layer's weight", .fallback = "forward"),
	PRECISION,
	TIMES,
};
TABLE(bench_spec_product, product_rows, "A matrix product to measure.");
#undef OF

#define OF struct bench_attention
static const struct field attention_rows[] = {
	SIDE(batch, "Sequences"),
	SIDE(heads, "Heads of queries"),
	SIDE(kv_heads, "Heads of keys and values"),
	SIDE(queries, "Queries a sequence"),
	SIDE(keys, "Keys a sequence"),
	SIDE(head_dimension, "Length of a head's vectors"),
	BOOL(causal, "Whether a query ignores later keys"),
	BOOL(backward, "Whether the gradients are computed instead of the values"),
};
TABLE(bench_attention, attention_rows, "The shape of an attention.");
#undef OF

#define OF struct bench_spec_attention
static const struct field spec_attention_rows[] = {MERGE(shape, bench_attention), PRECISION, TIMES};
TABLE(bench_spec_attention, spec_attention_rows, "An attention to measure.");
#undef OF

#define OF struct bench_block
static const struct field block_rows[] = {
	SIDE(layers, "Layers"),
	SIDE(hidden, "Width"),
	SIDE(heads, "Heads of queries"),
	SIDE(kv_heads, "Heads of keys and values"),
	SIDE(head_dimension, "Length of a head's vectors"),
	SIDE(ffn, "Inner width of the MLP"),
	INTEGER(vocabulary, 1, SIDE_MAX, "Rows of the output head; absent: no head"),
	SIDE(sequence, "Tokens a sequence"),
	SIDE(micro_batch, "Sequences"),
	TRUTH(gated, "Whether the MLP has a gate"),
	PRECISION,
	POSITIVE(optimizer_bytes_per_parameter, 256, "Bytes read and written to update one weight; absent: no update"),
	POSITIVE(predicted_s, 1e6, "Time of one step of exactly this block, as predicted by the planner"),
};
TABLE(bench_block, block_rows, "A transformer block to measure, forward and backward.");
#undef OF

#define OF struct bench_spec
static const struct field spec_rows[] = {
	LIST(products, BENCH_PRODUCTS_MAX, bench_spec_product, "Matrix products"),
	LIST(attention, BENCH_ATTENTIONS_MAX, bench_spec_attention, "Attentions"),
	LIST(kv_read, BENCH_ATTENTIONS_MAX, bench_spec_attention, "Reads of the KV cache, one query for each sequence"),
	NUMBERS(transfer_bytes, BENCH_SIZES_MAX, 1, 1e12, "Sizes of transfers between host and device"),
	NUMBERS(collective_bytes, BENCH_SIZES_MAX, 4, 1e12, "Sizes of all-reduces over all devices"),
	POSITIVE(sample_bytes, 1e12, "Size of one training sample in storage"),
	OBJECT(block, bench_block, "A transformer block"),
};
TABLE(bench_spec, spec_rows, "The measurements to make for a plan.");
#undef OF

/* --- what a worker answers -------------------------------------------------------------------------------------------- */
/* NAME, AMOUNT, TALLY: required in their line. REPORTED, FIGURE_IF, TALLY_IF: may be absent. SIGNED: of either sign. */
#define LINE_FIGURE_MAX        1e24
#define LINE_COUNT_MAX         9e15
#define NAME(member, ...)      TEXT(member, BENCH_LINE_MAX, __VA_ARGS__, .flags = REQUIRED | VERBATIM)
#define REPORTED(member, ...)  TEXT(member, BENCH_LINE_MAX, __VA_ARGS__, .flags = VERBATIM)
#define FIGURE_IF(member, ...) NUMBER(member, 0, LINE_FIGURE_MAX, __VA_ARGS__)
#define AMOUNT(member, ...)    FIGURE_IF(member, __VA_ARGS__, .flags = REQUIRED)
#define SIGNED(member, ...)    NUMBER(member, -LINE_FIGURE_MAX, LINE_FIGURE_MAX, __VA_ARGS__)
#define TALLY_IF(member, ...)  INTEGER(member, 0, LINE_COUNT_MAX, __VA_ARGS__)
#define TALLY(member, ...)     TALLY_IF(member, __VA_ARGS__, .flags = REQUIRED)
#define MARK(member, ...)      BOOL(member, __VA_ARGS__, .flags = IF_TRUE)

#define OF struct bench_line_hello
static const struct field hello_rows[] = {
	FIELD_ROW(proto, INTEGER, FIELD_AT(protocol, int64_t), "Version of this protocol", .flags = REQUIRED,
		FIELD_RANGE(BENCH_PROTOCOL_VERSION, BENCH_PROTOCOL_VERSION)),
	NAME(worker_version, "Version of the worker"),
	TALLY_IF(pid, "Process id of the worker"),
};
TABLE(bench_line_hello, hello_rows, "The first line of a worker.");
#undef OF

#define OF struct bench_line_device
static const struct field device_rows[] = {
	NAME(id, "Id, stable for this device on this node"),
	NAME(backend, "Backend: cpu, opencl, cuda"),
	NAME(name, "Marketing name"),
	REPORTED(uuid, "UUID"),
	REPORTED(vendor, "Maker"),
	REPORTED(accelerator, "Its row in the catalogue"),
	REPORTED(driver, "Version of the driver; of a CPU, the kernel"),
	REPORTED(instruction_set, "The widest instructions that the worker's own kernels use"),
	FIGURE_IF(memory_bytes, "Memory that a program can use, within the limits of the container"),
	FIGURE_IF(cache_bytes, "Last level of cache"),
	FIGURE_IF(clock_hz, "Clock as reported, not as sustained"),
	FIGURE_IF(threads, "Threads that benchmarks use, within affinity and quota"),
	FIGURE_IF(load_1m, "Runnable processes when it was listed"),
	REPORTED(pci_id, "Vendor and device in hexadecimal: 10de:2330"),
	REPORTED(pci_bus, "Domain, bus, device: 0000:1b:00.0"),
	TRUTH(ecc, "Whether ECC is on"),
	FIGURE_IF(power_limit_w, "Enforced power limit"),
	REPORTED(mig_parent, "UUID of the whole device that contains this slice"),
	REPORTED(mig_profile, "MIG profile: 1g.10gb"),
	REPORTED(compute_capability, "Compute capability: 9.0"),
	FIGURE_IF(unit_count, "Multiprocessors or compute units"),
	FIGURE_IF(numa_node, "NUMA node"),
};
TABLE(bench_line_device, device_rows, "A device of the node.");
#undef OF

#define OF struct bench_line_progress
static const struct field progress_rows[] = {
	NAME(test, "Test that runs"),
	TALLY_IF(i, "Tests begun"),
	TALLY_IF(n, "Tests of the suite"),
	AMOUNT(elapsed_ms, "Time since the suite began"),
	FIGURE_IF(budget_ms, "Time that the suite may take"),
};
TABLE(bench_line_progress, progress_rows, "The progress of a suite; also a sign of life.");
#undef OF

#define OF struct bench_line_sample
static const struct field sample_rows[] = {
	AMOUNT(t_s, "Time since the sensors' thread began"),
	FIGURE_IF(power_w, "Power"),
	NUMBER_AS(energy_j, energy_joules, 0, LINE_FIGURE_MAX, "Counter of energy"),
	SIGNED(temperature_c, "Temperature"),
	FIGURE_IF(sm_clock_hz, "Clock of the multiprocessors"),
	FIGURE_IF(memory_clock_hz, "Clock of the memory"),
	FIGURE_IF(power_limit_w, "Enforced power limit"),
	FIGURE_IF(utilization, "Fraction of time in use"),
	FIGURE_IF(memory_used_bytes, "Memory in use"),
	REPORTED(throttle, "Reasons for which the device throttles, separated by commas; empty: none"),
};
TABLE(bench_line_sample, sample_rows, "Readings of a device's sensors.");
#undef OF

#define OF struct bench_line_transfer
static const struct field transfer_rows[] = {
	NAME(direction, "to_device, from_device or both"),
	BOOL(pinned, "Whether the host's memory is pinned"),
	AMOUNT(bytes, "Size of the transfer"),
};
TABLE(bench_line_transfer, transfer_rows, "A transfer between host and device.");
#undef OF

#define OF struct bench_line_energy
static const struct field energy_rows[] = {
	AMOUNT(window_s, "Length of the steady window"),
	NUMBER_AS(energy_j, energy_joules, 0, LINE_FIGURE_MAX, "Energy of the window", .flags = REQUIRED),
	AMOUNT(mean_w, "Mean power"),
	FIGURE_IF(idle_w, "Power when idle"),
	NUMBER_AS(dynamic_j, dynamic_joules, -LINE_FIGURE_MAX, LINE_FIGURE_MAX, "Energy above the idle power"),
	NUMBER_AS(j_per_tflop, joules_per_tflop, 0, LINE_FIGURE_MAX, "Energy of 10^12 operations"),
	FIGURE_IF(limit_fraction, "Mean power over the power limit"),
	TALLY_IF(samples, "Polls of the power"),
	NAME(source, "Source of the energy: nvml, rapl"),
	NAME(by, "counter or polls"),
	NAME(scope, "Measured part: gpu_board, cpu_package"),
	NAME(confidence, "high: a counter over at least 2 s; medium: at least 10 polls; low: fewer"),
};
TABLE(bench_line_energy, energy_rows, "Power and energy of a measure's steady window.");
#undef OF

#define OF struct bench_line_measure
static const struct field measure_rows[] = {
	NAME(test, "Test"),
	REPORTED(bottleneck, "Bottleneck of the work"),
	NAME(method, "Method of the measurement"),
	CHOICE(precision, precision_words, "Number format of the operands"),
	REPORTED(role, "Role in the plan's work"),
	REPORTED(kind, "Kind of work: gemm, all_reduce"),
	FIGURE_IF(size_bytes, "Size of the message, or of the read"),
	FIELD_ROW(shape, NUMBERS, FIELD_AT(sides, struct number_list), "Shape of a product: m, n, k", FIELD_RANGE(1, 3), .lengths = {3, 3},
		.item_maximum = LINE_COUNT_MAX),
	FIELD_ROW(product, TEXT, FIELD_AT(product_name, const char *), "Which of the three products with a layer's weight", FIELD_RANGE(1, 64),
		FIELD_WORD_LIST(bench_product_words)),
	OBJECT_IF(attention, has_attention, bench_attention, "Shape of an attention"),
	OBJECT_IF(transfer, has_transfer, bench_line_transfer, "A transfer"),
	REPORTED(peer, "Device at the other end of a copy"),
	OBJECT_IF(block, has_block, bench_block, "The transformer block of a measured step"),
	FIGURE_IF(count, "Number of occurrences in a step of the plan"),
	NAME(unit, "Unit of the figures: s, bytes_per_s, flops_per_s, per_s"),
	INTEGER(n, 1, LINE_COUNT_MAX, "Samples", .flags = REQUIRED),
	POSITIVE(median, LINE_FIGURE_MAX, "Median of the samples", .flags = REQUIRED),
	AMOUNT(p10, "Quantile of 10 %"),
	AMOUNT(p90, "Quantile of 90 %"),
	AMOUNT(min, "Least sample"),
	AMOUNT(max, "Greatest sample"),
	FIGURE_IF(mean, "Mean of the samples"),
	SIGNED(drift, "Median of the last third over that of the first, less 1"),
	BOOL(unstable, "Whether the samples scatter or drift"),
	FIGURE_IF(median_p10, "Lower end of the median's interval of 80 % (E149)"),
	FIGURE_IF(median_p90, "Upper end of that interval"),
	MARK(trend, "Whether the rounds have a trend (E150)"),
	TALLY_IF(rounds, "Rounds measured"),
	TALLY_IF(rounds_left_out, "Rounds left out because the host gave the CPUs to others"),
	FIGURE_IF(disagreement, "Relative difference of the later half of the rounds from the earlier half"),
	FIGURE_IF(steal_fraction, "Fraction of the CPUs' time that other guests used"),
	FIGURE_IF(others_fraction, "Fraction of the CPUs' time that other processes used"),
	TALLY_IF(warmup, "Runs before the first sample"),
	TALLY_IF(runs_per_sample, "Runs of one sample"),
	FIGURE_IF(bytes, "Bytes moved by one run"),
	FIGURE_IF(flops, "Operations of one run"),
	FIGURE_IF(elapsed_s, "Time of the whole measure"),
	FIGURE_IF(predicted_s, "Time that the planner predicts for exactly this work"),
	BOOL(verified, "Whether every sampled output was correct"),
	TALLY_IF(verified_samples, "Outputs compared"),
	MARK(cache_resident, "Whether the data fits in a cache"),
	MARK(throttled, "Whether the device throttled"),
	REPORTED(throttle, "Reasons, separated by commas"),
	OBJECT_IF(energy, has_energy, bench_line_energy, "Power and energy"),
	REPORTED(detail, "The kernel or library, with its version"),
};
TABLE(bench_line_measure, measure_rows, "A measured figure.");
#undef OF

#define OF struct bench_line_fit
static const struct field fit_rows[] = {
	NAME(test, "Test"),
	REPORTED(what, "Direction; absent: the test has only one fit"),
	NAME(method, "Method of the measurement"),
	AMOUNT(alpha_s, "Time of a message without bytes"),
	POSITIVE(beta_bytes_per_s, LINE_FIGURE_MAX, "Rate of long messages", .flags = REQUIRED),
	AMOUNT(worst_residual, "Largest relative error of the fit"),
	TALLY(sizes, "Sizes measured"),
};
TABLE(bench_line_fit, fit_rows, "The time of a message, alpha + bytes / beta.");
#undef OF

#define OF struct bench_line_mean
static const struct field mean_rows[] = {
	NAME(test, "Test"),
	NAME(method, "Method of the measurement"),
	CHOICE(precision, precision_words, "Number format of the operands"),
	NAME(unit, "Unit of the value"),
	AMOUNT(value, "Operations of all products over their time"),
	AMOUNT(flops, "Operations of all products"),
	TALLY(products, "Products measured"),
};
TABLE(bench_line_mean, mean_rows, "All products of a test together.");
#undef OF

#define OF struct bench_line_skip
static const struct field skip_rows[] = {
	NAME(test, "Test"),
	NAME(reason, "Why it was not measured"),
};
TABLE(bench_line_skip, skip_rows, "A test that was not measured.");
#undef OF

#define OF struct bench_line_result
static const char *const status_words[] = {"ok", "failed", "busy"};
static const struct field result_rows[] = {
	WORD(status, status_words, "End of the suite", .flags = REQUIRED),
	REPORTED(suite, "Suite or tests"),
	AMOUNT(budget_s, "Time that the suite might take"),
	AMOUNT(elapsed_s, "Time that it took"),
	TALLY_IF(measures, "Measures reported"),
	TALLY_IF(failed, "Tests that failed"),
	REPORTED(reason, "Why it did not end well"),
};
TABLE(bench_line_result, result_rows, "The last line of a worker.");
#undef OF

const char *const bench_line_words[BENCH_LINE_COUNT] = {
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
const struct field_table *const bench_line_tables[BENCH_LINE_COUNT] = {
	[BENCH_LINE_HELLO] = &table_bench_line_hello,
	[BENCH_LINE_DEVICE] = &table_bench_line_device,
	[BENCH_LINE_PROGRESS] = &table_bench_line_progress,
	[BENCH_LINE_SAMPLE] = &table_bench_line_sample,
	[BENCH_LINE_MEASURE] = &table_bench_line_measure,
	[BENCH_LINE_FIT] = &table_bench_line_fit,
	[BENCH_LINE_MEAN] = &table_bench_line_mean,
	[BENCH_LINE_SKIP] = &table_bench_line_skip,
	[BENCH_LINE_RESULT] = &table_bench_line_result,
};
