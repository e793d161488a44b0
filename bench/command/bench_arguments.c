#include "bench/command/bench_arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

enum { SPEC_ARENA_BYTES = 1024 * 1024, USAGE_BYTES_MAX = 64 * 1024 };

enum bench_flag {
	FLAG_DEVICE,
	FLAG_SUITE,
	FLAG_SHAPE,
	FLAG_SPEC,
	FLAG_STORAGE,
	FLAG_STORAGE_WRITE,
	FLAG_LIST,
	FLAG_JSON,
	FLAG_WORKER,
	FLAG_PARENT,
	FLAG_DEADLINE,
	FLAG_COUNT
};

static const struct flag_row bench_flag_rows[FLAG_COUNT] = {
	[FLAG_DEVICE] = {.name = "device", .argument = "ID", .doc = "a device's id, or its beginning; without it the first device"},
	[FLAG_SUITE] = {.name = "suite",
		.argument = "SUITE",
		.standard = "quick",
		.doc = "quick (10 s), full (120 s), or names of tests, separated by commas"},
	[FLAG_SHAPE] = {.name = "shape",
		.argument = "M,N,K[,PRECISION][,PRODUCT][,xCOUNT]",
		.doc = "a matrix product to measure instead of squares. PRODUCT is forward, input_gradient or weight_gradient; COUNT is its number in a step: "
			   "4096,14336,4096,bf16,weight_gradient,x32",
		.repeats = true},
	[FLAG_SPEC] = {.name = "spec",
		.argument = "SPEC",
		.doc = "a plan's measurements: JSON, a file with JSON, or - for standard input; see docs/benchmarks.md"},
	[FLAG_STORAGE] = {.name = "storage",
		.argument = "PATH",
		.doc = "the file that storage tests read, or a folder: its largest file. Default: FLEETPLAN_BENCH_STORAGE"},
	[FLAG_STORAGE_WRITE] = {.name = "storage-write",
		.argument = "BYTES",
		.doc = "creates a test file of that size in the folder; it is removed at the end"},
	[FLAG_LIST] = {.name = "list", .doc = "lists the devices and the tests"},
	[FLAG_JSON] = {.name = "json", .doc = "prints one JSON record instead of a table"},
	[FLAG_WORKER] = {.name = "worker", .doc = "for the daemon: writes NDJSON lines to file descriptor 3"},
	[FLAG_PARENT] = {.name = "parent", .argument = "PID", .doc = "for the daemon: ends when this process is no longer the parent"},
	[FLAG_DEADLINE] = {.name = "deadline", .argument = "S", .doc = "ends the process after S seconds in any case"}};
const struct flag_table bench_flags = {bench_flag_rows, FLAG_COUNT};

static void print_usage(FILE *out)
{
	struct buffer text;

	buffer_init(&text, USAGE_BYTES_MAX);
	flag_table_help(&bench_flags, &text);
	fprintf(out,
		"usage: fleetplan bench [OPTION]...\n\n"
		"Measures a device: launches, memory, transfers, matrix products, attention, storage.\n%s",
		text.bytes);
	buffer_release(&text);
}

static bool complain(const char *message, const char *about)
{
	fprintf(stderr, "fleetplan bench: %s%s\n", message, about);
	print_usage(stderr);
	return false;
}

/* Parses one word after a shape's sides. */
static bool parse_shape_word(const char *word, struct bench_spec_product *product)
{
	char *end;

	if (*word == 'x') {
		product->count = strtod(word + 1, &end);
		return !*end && product->count > 0 && product->count < 1e9;
	}
	for (int p = 0; p < PRODUCT_COUNT; p++)
		if (!strcmp(word, bench_product_name((enum bench_product)p))) {
			product->product = (enum bench_product)p;
			return true;
		}
	product->precision = precision_of_name(word);
	return product->precision != PRECISION_UNSET;
}

static bool parse_shape(const char *text, struct bench_spec_product *product)
{
	long long m, n, k;
	char word[32];
	int used = 0;

	if (sscanf(text, "%9lld,%9lld,%9lld%n", &m, &n, &k, &used) != 3 || m < 1 || n < 1 || k < 1)
		return false;
	*product = (struct bench_spec_product){.m = m, .n = n, .k = k, .count = ABSENT_NUMBER};
	for (text += used; *text == ','; text += used)
		if (sscanf(text, ",%31[^,]%n", word, &used) != 1 || !parse_shape_word(word, product))
			return false;
	return !*text;
}

static bool parse_positive(const char *text, double most, double *number)
{
	char *end;

	*number = strtod(text, &end);
	return end != text && !*end && *number > 0 && *number < most;
}

static bool add_shape(const char *text, struct bench_arguments *arguments)
{
	struct bench_products *products = &arguments->spec.products;

	if (products->count == BENCH_PRODUCTS_MAX)
		return complain("too many --shape options", "");
	if (!parse_shape(text, &arguments->products[products->count]))
		return complain("a shape is M,N,K, for example 4096,4096,1024 or 8,4096,4096,bf16,x32; not ", text);
	products->items = arguments->products;
	products->count++;
	arguments->has_spec = true;
	return true;
}

/* Reads all of a file, up to the buffer's maximum; false with errno. */
static bool read_all(const char *path, struct buffer *text)
{
	int fd = strcmp(path, "-") != 0 ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	char piece[4096];
	ssize_t got = fd < 0 ? -1 : 0;

	while (fd >= 0 && (got = read(fd, piece, sizeof(piece))) > 0)
		buffer_append(text, piece, (size_t)got);
	if (fd >= 0)
		close(fd);
	return got == 0;
}

static bool read_spec_text(const char *value, struct bench_arguments *arguments, bench_spec_reader *read_spec)
{
	struct failure failure;
	struct buffer text;
	bool good = false;

	buffer_init(&text, BENCH_SPEC_BYTES_MAX);
	if (*value == '{')
		buffer_append_text(&text, value);
	else if (!read_all(value, &text))
		fprintf(stderr, "fleetplan bench: %s: %s\n", value, strerror(errno));
	if (text.failed)
		fprintf(stderr, "fleetplan bench: the spec is too long; it may have at most %d bytes\n", BENCH_SPEC_BYTES_MAX);
	failure_clear(&failure);
	if (text.length && !text.failed) {
		good = read_spec && read_spec(text.bytes, text.length, &arguments->arena, &arguments->spec, &failure) == STATUS_OK;
		if (!good)
			fprintf(stderr, "fleetplan bench: the spec cannot be used: %s %s\n", failure.fault_count ? failure.faults[0].pointer : "",
				failure.fault_count ? failure.faults[0].detail : failure.detail);
	}
	buffer_release(&text);
	arguments->has_spec = true;
	return good;
}

static bool parse_option(int option, const char *value, struct bench_arguments *arguments, bench_spec_reader *read_spec)
{
	switch (option) {
	case FLAG_DEVICE:
		arguments->device = value;
		return true;
	case FLAG_SUITE:
		arguments->suite = value;
		return true;
	case FLAG_SHAPE:
		return add_shape(value, arguments);
	case FLAG_SPEC:
		return read_spec_text(value, arguments, read_spec);
	case FLAG_STORAGE:
		arguments->storage.path = value;
		return true;
	case FLAG_STORAGE_WRITE:
		return parse_positive(value, 0x1p50, &arguments->storage.write_bytes) ||
			complain("--storage-write takes a number of bytes above 0 and below 2^50, not ", value);
	case FLAG_LIST:
		return arguments->list = true;
	case FLAG_JSON:
		return arguments->json = true;
	case FLAG_WORKER:
		return arguments->worker = true;
	case FLAG_PARENT:
		arguments->parent = (pid_t)strtol(value, NULL, 10);
		return true;
	case FLAG_DEADLINE:
		return parse_positive(value, 1e7, &arguments->deadline_s) ||
			complain("--deadline takes a number of seconds above 0 and below 1e7, not ", value);
	default:
		return complain("unknown option, or an option without its value", "");
	}
}

bool bench_arguments_parse(int argc, char **argv, bench_spec_reader *read_spec, struct bench_arguments *arguments)
{
	struct option options[FLAG_COUNT + 2] = {[FLAG_COUNT] = {.name = "help", .val = 'h'}};
	const char *storage = getenv("FLEETPLAN_BENCH_STORAGE");
	int option;

	*arguments = (struct bench_arguments){.suite = "quick", .storage.path = storage && *storage ? storage : NULL};
	arena_init(&arguments->arena, SPEC_ARENA_BYTES);
	bench_spec_init(&arguments->spec);
	for (int i = 0; i < FLAG_COUNT; i++)
		options[i] = (struct option){.name = bench_flag_rows[i].name, .has_arg = bench_flag_rows[i].argument != NULL, .val = i};
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h') {
			print_usage(stdout);
			exit(BENCH_EXIT_OK);
		}
		if (!parse_option(option, optarg, arguments, read_spec))
			return false;
	}
	return optind == argc || complain("unexpected argument: ", argv[optind]);
}

void bench_arguments_release(struct bench_arguments *arguments)
{
	arena_release(&arguments->arena);
}
