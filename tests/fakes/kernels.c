/* The kernels of bench/kernels/ in plain C. Each has the name of its PTX entry. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { GROUP = 256 };

#define POINTER(i) (*(uint64_t *)arguments[i])
#define U32(i)     (*(uint32_t *)arguments[i])
#define U64(i)     (*(uint64_t *)arguments[i])
#define F32(i)     (*(float *)arguments[i])
#define FLOATS(i)  ((float *)(uintptr_t)POINTER(i))

static enum cuda_format format_of(const char *name)
{
	return strstr(name, "bf16") ? FORMAT_BF16 : strstr(name, "fp16") ? FORMAT_FP16 : FORMAT_FP32;
}

static double load(uint64_t at, enum cuda_format format, size_t i)
{
	return cuda_format_decode(format, (const unsigned char *)(uintptr_t)at + i * cuda_format_bytes(format));
}

static void store(uint64_t at, enum cuda_format format, size_t i, double value)
{
	cuda_format_encode(format, value, (unsigned char *)(uintptr_t)at + i * cuda_format_bytes(format));
}

/* True if both ends of every list are in allocated memory. */
static bool lists_hold(void **arguments, int lists, size_t bytes)
{
	for (int i = 0; i < lists; i++)
		if (!fake_memory_holds(POINTER(i), bytes))
			return false;
	return true;
}

static int launch_empty(const unsigned groups[3], void **arguments)
{
	uint32_t *out = (uint32_t *)(uintptr_t)POINTER(0);

	if (!fake_memory_holds(POINTER(0), groups[0] * sizeof(*out)))
		return 700;
	for (unsigned i = 0; i < groups[0] && U32(1); i++)
		out[i] = U32(1);
	return 0;
}

/* Vectors are distributed over the groups with the stride of the grid. The caller cannot see which group adds which. */
static int stream_read(const unsigned groups[3], void **arguments, double wrong)
{
	uint32_t *out = (uint32_t *)(uintptr_t)POINTER(0);
	const uint32_t *in = (const uint32_t *)(uintptr_t)POINTER(1);
	uint64_t words = U64(2) * 4;
	uint32_t sum = wrong > 0 ? 1 : 0;

	if (!fake_memory_holds(POINTER(0), groups[0] * sizeof(*out)) || !fake_memory_holds(POINTER(1), words * sizeof(*in)))
		return 700;
	for (uint64_t i = 0; i < words; i++)
		sum += in[i];
	memset(out, 0, groups[0] * sizeof(*out));
	out[groups[0] / 2] = sum;
	return 0;
}

static int stream(const char *name, void **arguments, double wrong)
{
	bool triad = !strcmp(name, "stream_triad"), copy = !strcmp(name, "stream_copy");
	uint64_t count = U64(triad ? 4 : copy ? 2 : 3) * 4;
	float *out = FLOATS(0);
	const float *in = FLOATS(1);

	if (!lists_hold(arguments, triad ? 3 : 2, count * sizeof(float)))
		return 700;
	if (copy)
		memcpy(out, in, count * sizeof(float));
	for (uint64_t i = 0; i < count && triad; i++)
		out[i] = in[i] + F32(3) * FLOATS(2)[i];
	for (uint64_t i = 0; i < count && !triad && !copy; i++)
		out[i] = in[i] * F32(2) + 1;
	if (wrong > 0)
		out[count - 1] = out[count - 1] + 1;
	return 0;
}

/* In each group every item from the 65th on equals the item 64 before, because the starts of the pairs repeat. */
static int issue(const unsigned groups[3], void **arguments)
{
	float *out = FLOATS(0), begins[64];

	if (!fake_memory_holds(POINTER(0), (size_t)groups[0] * GROUP * sizeof(float)))
		return 700;
	if (groups[0] == 1) /* the kernel that keeps the device busy while work is queued; its output is not read */
		return 0;
	for (unsigned item = 0; item < 64; item++) {
		double sum = 0;

		for (unsigned j = 0; j < 8; j++) {
			float x = 1, y = (float)((item + j + 1) % 64) / 64;

			for (unsigned step = 0; step < U32(1) * 16; step++) {
				x = x + F32(2) * y;
				y = y - F32(2) * x;
			}
			sum += (double)(x + y);
		}
		begins[item] = (float)sum;
	}
	for (size_t item = 0; item < (size_t)groups[0] * GROUP; item++)
		out[item] = begins[item % 64];
	return 0;
}

/* Reads the registers of one warp in the layout of mma.m16n8k16, from word `first` of each item's 24. A's four
 * registers are rows 8 (r % 2) and depths 8 (r / 2) on, B's two are depths 8 r on. Item t has row or column t / 4 and
 * depths 2 (t % 4) and the next. */
static void fragment(double *out, size_t pitch, const void *operands, enum cuda_format format, size_t warp, size_t first, size_t registers)
{
	for (size_t item = 0; item < 32; item++)
		for (size_t r = 0; r < registers; r++)
			for (size_t half_of_it = 0; half_of_it < 2; half_of_it++) {
				size_t line = item / 4 + (registers == 4 ? r % 2 * 8 : 0),
					   depth = item % 4 * 2 + half_of_it + (registers == 4 ? r / 2 : r) * 8;

				out[line * pitch + depth] = load(
					(uint64_t)(uintptr_t)operands, format, ((warp * 32 + item) * 24 + first + r) % 2048 * 2 + half_of_it);
			}
}

/* Every round adds two products of 16 x 16 to each of eight sums of 16 x 8. An item writes the sum of its elements. */
static int issue_tensor(const char *name, const unsigned groups[3], void **arguments, double wrong)
{
	enum cuda_format format = format_of(name);
	const void *operands = (const void *)(uintptr_t)POINTER(1);
	double items[GROUP] = {0};
	float *out = FLOATS(0);

	if (!fake_memory_holds(POINTER(0), (size_t)groups[0] * GROUP * sizeof(float)) ||
		!fake_memory_holds(POINTER(1), 4096 * cuda_format_bytes(format)))
		return 700;
	for (size_t warp = 0; warp < GROUP / 32; warp++)
		for (size_t set = 0; set < 2; set++)
			for (size_t j = 0; j < 8; j++) {
				double a[16 * 16], b[8 * 16];

				fragment(a, 16, operands, format, warp, set * 4, 4);
				fragment(b, 16, operands, format, warp, 8 + j * 2, 2);
				for (size_t i = 0; i < 16 * 8 * 16; i++)
					items[warp * 32 + i / 128 % 8 * 4 + i / 16 % 8 / 2] += U32(2) * a[i / 128 * 16 + i % 16] * b[i / 16 % 8 * 16 + i % 16];
			}
	for (size_t item = 0; item < (size_t)groups[0] * GROUP; item++)
		out[item] = (float)(items[item % GROUP] * (1 + wrong));
	return 0;
}

static int gemm(const char *name, const unsigned groups[3], void **arguments, double wrong, double *seconds)
{
	bool nt = strstr(name, "_nt") != NULL, tn = strstr(name, "_tn") != NULL;
	enum cuda_format format = format_of(name);
	size_t m = U32(3), n = U32(4), k = U32(5), size = cuda_format_bytes(format);
	struct fake_product product = {.c = POINTER(0),
		.a = POINTER(1),
		.b = POINTER(2),
		.m = m,
		.n = n,
		.k = k,
		.batch = groups[2],
		.a_row = tn ? 1 : k,
		.a_column = tn ? m : 1,
		.b_row = nt ? 1 : n,
		.b_column = nt ? k : 1,
		.a_stride = U64(8),
		.b_stride = U64(9),
		.input = format,
		.output = format,
		.scale = (double)F32(6),
		.wrong = wrong};

	if (!fake_memory_holds(product.a, m * k * size) || !fake_memory_holds(product.b, n * k * size) ||
		!fake_memory_holds(product.c, product.batch * m * n * size) || groups[0] != (n + 127) / 128 || groups[1] != (m + 127) / 128)
		return 700;
	fake_product_put(&product);
	*seconds = 2 * (double)(m * n * k * product.batch) / fake_flops(format, false);
	return 0;
}

static int softmax(const char *name, void **arguments)
{
	enum cuda_format format = format_of(name);
	size_t rows = U32(1), queries = U32(2), keys = U32(3);
	uint64_t at = POINTER(0);

	if (!fake_memory_holds(at, rows * keys * cuda_format_bytes(format)))
		return 700;
	fake_memory_settle(at, rows * keys * cuda_format_bytes(format));
	for (size_t row = 0; row < rows; row++) {
		size_t seen = U32(4) ? keys - queries + row % queries + 1 : keys;
		double highest = -HUGE_VAL, sum = 0;

		for (size_t j = 0; j < seen; j++)
			highest = fmax(highest, load(at, format, row * keys + j));
		for (size_t j = 0; j < seen; j++)
			sum += exp(load(at, format, row * keys + j) - highest);
		for (size_t j = 0; j < keys; j++)
			store(at, format, row * keys + j, j < seen ? exp(load(at, format, row * keys + j) - highest) / sum : 0);
	}
	return 0;
}

static int softmax_gradient(const char *name, void **arguments)
{
	enum cuda_format format = format_of(name);
	size_t rows = U32(2), keys = U32(3), bytes = rows * keys * cuda_format_bytes(format);
	uint64_t gradients = POINTER(0), probabilities = POINTER(1);

	if (!lists_hold(arguments, 2, bytes))
		return 700;
	fake_memory_settle(gradients, bytes);
	fake_memory_settle(probabilities, bytes);
	for (size_t row = 0; row < rows; row++) {
		double sum = 0;

		for (size_t j = row * keys; j < (row + 1) * keys; j++)
			sum += load(probabilities, format, j) * load(gradients, format, j);
		for (size_t j = row * keys; j < (row + 1) * keys; j++)
			store(gradients, format, j, load(probabilities, format, j) * (load(gradients, format, j) - sum));
	}
	return 0;
}

/* The stand-in does not compute chunks of keys. cache_attend stores the whole product here, and cache_merge puts it if
 * its arguments match. */
static struct {
	struct fake_product product;
	uint64_t partial;
	size_t chunks;
} attended;

static int cache_attend(const char *name, const unsigned groups[3], void **arguments, double *seconds)
{
	bool tensor = !strncmp(name, "cache_tensor_", 13);
	enum cuda_format format = format_of(name);
	size_t rows = U32(4), keys = U32(5), dimension = tensor ? strtoul(name + 13, NULL, 10) : U32(6), chunk = tensor ? U32(6) : 256;
	size_t size = cuda_format_bytes(format), heads = groups[1];

	if (!fake_memory_holds(POINTER(0), heads * groups[0] * rows * (dimension + 2) * sizeof(float)) || !chunk || chunk % 128 ||
		!fake_memory_holds(POINTER(1), heads * rows * dimension * size) || !fake_memory_holds(POINTER(2), heads * keys * dimension * size) ||
		!fake_memory_holds(POINTER(3), heads * keys * dimension * size) || POINTER(3) % 16 || (keys + chunk - 1) / chunk != groups[0])
		return 700;
	attended.product = (struct fake_product){.a = POINTER(1),
		.b = POINTER(2),
		.values = POINTER(3),
		.m = rows,
		.n = dimension,
		.k = keys,
		.batch = heads,
		.input = format,
		.output = format,
		.scale = (double)F32(7)};
	attended.partial = POINTER(0);
	attended.chunks = groups[0];
	*seconds += 2 * (double)(heads * keys * dimension * size) / fake_bytes_per_s();
	return 0;
}

static int cache_merge(const char *name, const unsigned groups[3], void **arguments, double wrong)
{
	const struct fake_product *whole = &attended.product;

	if (POINTER(1) != attended.partial || U32(2) != whole->m || U32(3) != whole->n || U32(4) != attended.chunks || groups[0] != whole->m ||
		groups[1] != whole->batch || format_of(name) != whole->output ||
		!fake_memory_holds(POINTER(0), whole->batch * whole->m * whole->n * cuda_format_bytes(whole->output)))
		return 700;
	attended.product.c = POINTER(0);
	attended.product.wrong = wrong;
	fake_product_put(&attended.product);
	return 0;
}

int fake_kernel_run(const char *name, const unsigned groups[3], void **arguments, double *seconds)
{
	double wrong = fake_number("wrong", 0), bytes_per_s = fake_bytes_per_s();

	*seconds = 2e-6;
	if (!strcmp(name, "launch_empty"))
		return launch_empty(groups, arguments);
	if (!strcmp(name, "stream_read")) {
		*seconds += (double)U64(2) * 16 / bytes_per_s;
		return stream_read(groups, arguments, wrong);
	}
	if (!strcmp(name, "stream_copy") || !strcmp(name, "stream_triad") || !strcmp(name, "elementwise")) {
		*seconds += name[7] == 't' ? (double)U64(4) * 48 / bytes_per_s : (double)U64(name[0] == 'e' ? 3 : 2) * 32 / bytes_per_s;
		return stream(name, arguments, wrong);
	}
	if (!strcmp(name, "issue_fp32")) {
		*seconds += (double)groups[0] * GROUP * U32(1) * 512 / fake_flops(FORMAT_FP32, true);
		return issue(groups, arguments);
	}
	if (!strncmp(name, "issue_tensor", 12)) {
		*seconds += (double)groups[0] * (GROUP / 32) * U32(2) * fake_number("tensor_round_flops", 65536) / fake_flops(FORMAT_BF16, true);
		return issue_tensor(name, groups, arguments, wrong);
	}
	if (!strncmp(name, "cache_merge", 11))
		return cache_merge(name, groups, arguments, wrong);
	if (!strncmp(name, "cache_", 6))
		return cache_attend(name, groups, arguments, seconds);
	if (!strncmp(name, "gemm_", 5))
		return gemm(name, groups, arguments, wrong, seconds);
	if (!strncmp(name, "softmax_gradient", 16))
		return softmax_gradient(name, arguments);
	return !strncmp(name, "softmax", 7) ? softmax(name, arguments) : 500;
}
