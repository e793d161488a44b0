/* The device's memory is memory of this process. A product stays a formula until its elements are read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "memory.h"

enum { ALLOCATIONS_MAX = 256, PRODUCTS_MAX = 256 };

static struct allocation {
	uint64_t at;
	size_t bytes;
	int device;
} allocations[ALLOCATIONS_MAX];

static struct fake_product products[PRODUCTS_MAX];
static size_t product_count;

static size_t product_bytes(const struct fake_product *product)
{
	return product->batch * product->m * product->n * cuda_format_bytes(product->output);
}

double fake_memory_used(int device)
{
	double used = 0;

	for (size_t i = 0; i < ALLOCATIONS_MAX; i++)
		used += allocations[i].at && allocations[i].device == device ? (double)allocations[i].bytes : 0;
	return used;
}

int fake_memory_new(uint64_t *at, size_t bytes, int device)
{
	double room = fake_number("free_mib", 640) * 0x1p20 - fake_memory_used(device);
	void *memory;
	size_t i = 0;

	while (i < ALLOCATIONS_MAX && allocations[i].at)
		i++;
	if ((double)bytes > room || i == ALLOCATIONS_MAX)
		return 2;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 2;
	*at = (uint64_t)(uintptr_t)memory;
	allocations[i] = (struct allocation){*at, bytes, device};
	return 0;
}

static struct allocation *allocation_of(uint64_t at, size_t bytes)
{
	for (size_t i = 0; i < ALLOCATIONS_MAX; i++)
		if (allocations[i].at && at >= allocations[i].at && at + bytes <= allocations[i].at + allocations[i].bytes)
			return &allocations[i];
	return NULL;
}

bool fake_memory_holds(uint64_t at, size_t bytes)
{
	return allocation_of(at, bytes) != NULL;
}

static bool overlaps(uint64_t at, size_t bytes, uint64_t other, size_t others)
{
	return at < other + others && other < at + bytes;
}

/* Forgets the products in a range that is written. The rest of such a product becomes NaN: computing it would take
 * minutes, and its reader would read memory that nothing has written since. */
void fake_memory_written(uint64_t at, size_t bytes)
{
	for (size_t i = 0; i < product_count;) {
		size_t all = product_bytes(&products[i]);

		if (!overlaps(at, bytes, products[i].c, all)) {
			i++;
			continue;
		}
		if (at > products[i].c || products[i].c + all > at + bytes)
			memset((void *)(uintptr_t)products[i].c, 0xff, all);
		products[i] = products[--product_count];
	}
}

int fake_memory_free(uint64_t at)
{
	struct allocation *allocation = allocation_of(at, 1);

	if (!allocation || allocation->at != at)
		return 1;
	for (size_t i = 0; i < product_count;)
		if (overlaps(at, allocation->bytes, products[i].c, 1) || overlaps(at, allocation->bytes, products[i].a, 1) ||
			overlaps(at, allocation->bytes, products[i].b, 1))
			products[i] = products[--product_count];
		else
			i++;
	munmap((void *)(uintptr_t)at, allocation->bytes);
	*allocation = (struct allocation){0};
	return 0;
}

static double element(uint64_t at, enum cuda_format format, size_t i)
{
	return cuda_format_decode(format, (const unsigned char *)(uintptr_t)at + i * cuda_format_bytes(format));
}

static void attend(const struct fake_product *product, size_t index)
{
	size_t which = index / (product->m * product->n), row = index / product->n, column = index % product->n;
	double *scores = malloc(product->k * sizeof(double)), highest = -HUGE_VAL, sum = 0, all = 0;

	for (size_t key = 0; key < product->k; key++) {
		scores[key] = 0;
		for (size_t d = 0; d < product->n; d++)
			scores[key] += product->scale * element(product->a, product->input, row * product->n + d) *
				element(product->b, product->input, (which * product->k + key) * product->n + d);
		highest = fmax(highest, scores[key]);
	}
	for (size_t key = 0; key < product->k; key++) {
		double weight = exp(scores[key] - highest);

		all += weight;
		sum += weight * element(product->values, product->input, (which * product->k + key) * product->n + column);
	}
	free(scores);
	cuda_format_encode(
		product->output, sum / all + product->wrong, (unsigned char *)(uintptr_t)product->c + index * cuda_format_bytes(product->output));
}

static void compute(const struct fake_product *product, size_t index)
{
	size_t which = index / (product->m * product->n), i = index / product->n % product->m, j = index % product->n;
	double sum = 0, magnitude = 0;

	if (product->values) {
		attend(product, index);
		return;
	}
	for (size_t p = 0; p < product->k; p++) {
		double term = element(product->a, product->input, which * product->a_stride + i * product->a_row + p * product->a_column) *
			element(product->b, product->input, which * product->b_stride + p * product->b_row + j * product->b_column);

		sum += term;
		magnitude += fabs(term);
	}
	cuda_format_encode(product->output, product->scale * sum + product->wrong * magnitude,
		(unsigned char *)(uintptr_t)product->c + index * cuda_format_bytes(product->output));
}

/* Computes the elements of all products in the range. A product of the range is then complete and forgotten. */
void fake_memory_settle(uint64_t at, size_t bytes)
{
	for (size_t i = 0; i < product_count;) {
		struct fake_product product = products[i];
		size_t size = cuda_format_bytes(product.output), all = product_bytes(&product);

		if (product.c >= at + bytes || at >= product.c + all) {
			i++;
			continue;
		}
		if (bytes <= 16) { /* a sample: the product stays a formula */
			compute(&product, (at - product.c) / size);
			i++;
			continue;
		}
		products[i] = products[--product_count];
		for (size_t index = 0; index < all / size; index++)
			compute(&product, index);
		i = 0;
	}
}

FAKE_EXPORT void fake_product_put(const struct fake_product *product)
{
	size_t bytes = product_bytes(product);

	/* The operands must be computed first. The products in the output's place are forgotten. */
	if (!product->values) { /* queries, keys and values are not products */
		fake_memory_settle(product->a, product->batch * product->m * product->k * cuda_format_bytes(product->input));
		fake_memory_settle(product->b, product->batch * product->n * product->k * cuda_format_bytes(product->input));
	}
	fake_memory_written(product->c, bytes);
	if (product_count == PRODUCTS_MAX)
		abort();
	products[product_count++] = *product;
}
