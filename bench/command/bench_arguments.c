#include "bench/command/bench_arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

enum { SPEC_ARENA_BYTES = 1024 * 1024 };

static const char usage[] =
	"usage: fleetplan bench [--device ID] [--suite quick|full|TEST,...] [--shape M,N,K...]... [--json]\n"
	"       fleetplan bench --list [--json]\n"
	"\n"
	"Measures a device: launches, memory, transfers, matrix products, attention, storage. Without --device it measures the first device.\n"
	"  --device ID     a device's id, or its beginning\n"
	"  --suite SUITE   quick (10 s, the default), full (120 s), or names of tests, separated by commas\n"
	"  --shape M,N,K[,PRECISION][,PRODUCT][,xCOUNT]\n"
	"                  a matrix product to measure instead of squares; may be repeated. PRODUCT is forward, input_gradient or\n"
	"                  weight_gradient; COUNT is its number in a step: --shape 4096,14336,4096,bf16,weight_gradient,x32\n"
	"  --spec SPEC     a plan's measurements: JSON, a file with JSON, or - for standard input; see docs/benchmarks.md\n"
	"  --storage PATH  the file that storage tests read, or a folder: its largest file. Default: FLEETPLAN_BENCH_STORAGE\n"
	"  --storage-write BYTES\n"
	"                  creates a test file of that size in the folder; it is removed at the end\n"
	"  --list          lists the devices and the tests\n"
	"  --json          prints one JSON record instead of a table\n"
	"  --worker        for the daemon: writes NDJSON lines to file descriptor 3\n"
	"  --parent PID    for the daemon: ends when this process is no longer the parent\n"
	"  --deadline S    ends the process after S seconds in any case\n";

static bool complain(const char *message, const char *about)
{
	fprintf(stderr, "fleetplan bench: %s%s\n%s", message, about, usage);
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
	case 'd':
		arguments->device = value;
		return true;
	case 's':
		arguments->suite = value;
		return true;
	case 'm':
		return add_shape(value, arguments);
	case 'e':
		return read_spec_text(value, arguments, read_spec);
	case 'f':
		arguments->storage.path = value;
		return true;
	case 'b':
		return parse_positive(value, 0x1p50, &arguments->storage.write_bytes) ||
			complain("--storage-write takes a number of bytes above 0 and below 2^50, not ", value);
	case 'l':
		return arguments->list = true;
	case 'j':
		return arguments->json = true;
	case 'w':
		return arguments->worker = true;
	case 'p':
		arguments->parent = (pid_t)strtol(value, NULL, 10);
		return true;
	case 't':
		return parse_positive(value, 1e7, &arguments->deadline_s) ||
			complain("--deadline takes a number of seconds above 0 and below 1e7, not ", value);
	default:
		return complain("unknown option, or an option without its value", "");
	}
}

bool bench_arguments_parse(int argc, char **argv, bench_spec_reader *read_spec, struct bench_arguments *arguments)
{
	static const struct option options[] = {{"device", 1, NULL, 'd'}, {"suite", 1, NULL, 's'}, {"shape", 1, NULL, 'm'},
		{"spec", 1, NULL, 'e'}, {"storage", 1, NULL, 'f'}, {"storage-write", 1, NULL, 'b'}, {"list", 0, NULL, 'l'}, {"json", 0, NULL, 'j'},
		{"worker", 0, NULL, 'w'}, {"parent", 1, NULL, 'p'}, {"deadline", 1, NULL, 't'}, {"help", 0, NULL, 'h'}, {NULL, 0, NULL, 0}};
	const char *storage = getenv("FLEETPLAN_BENCH_STORAGE");
	int option;

	*arguments = (struct bench_arguments){.suite = "quick", .storage.path = storage && *storage ? storage : NULL};
	arena_init(&arguments->arena, SPEC_ARENA_BYTES);
	bench_spec_init(&arguments->spec);
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
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
