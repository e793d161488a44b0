/* Stand-ins for NVIDIA's libraries. They compute on the CPU, have a virtual clock, and fail as the script says.
 *
 * The environment variable FAKE_GPU is the script: "key=value", separated by commas; tests/fakes/README.md lists the
 * keys. The device's clock is virtual: each operation advances its stream's clock by the script's rates, whatever time
 * the CPU took. An element of a product is computed when it is read. So a large product costs only the elements that
 * are read, and every element that is read was multiplied. All state is in libcuda.so.1; the other libraries link to
 * it. */
#ifndef FLEETPLAN_TESTS_FAKES_FAKE_GPU_H
#define FLEETPLAN_TESTS_FAKES_FAKE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/cuda/cuda_format.h"

#define FAKE_EXPORT __attribute__((visibility("default")))

double fake_number(const char *key, double otherwise);
bool fake_text(const char *key, char *out, size_t size);

/* Returns the script's error code for this point, 0 for none. "fail_launch=700@5" fails the fifth launch and, like a
 * device that lost its context, every later call. "hang_launch=1@5" never returns. "crash_launch=11@5" raises signal
 * 11. */
int fake_fault(const char *point);

struct fake_stream {
	int device;
	double clock_s;
};

/* Advances the stream's clock by the time of an operation. NULL: the default stream. */
void fake_advance(struct fake_stream *stream, double seconds);
double fake_busy_s(void);     /* virtual seconds of work since the library was loaded, of all devices */
double fake_idle_for_s(void); /* real seconds since the last operation */

/* C = scale A B, row-major, in the forms of the suite. Element (i, j) is summed in double when it is read, and then
 * rounded. With `values`, C is the attention of m rows of queries (A, m x n) over k keys (B, k x n) and values (k x n):
 * softmax(scale A B^T) values. */
struct fake_product {
	uint64_t values;
	uint64_t a, b, c; /* addresses */
	size_t m, n, k, batch;
	size_t a_row, a_column, b_row, b_column; /* strides of (i, p) and (p, j), in elements */
	size_t a_stride, b_stride;               /* of the batch; C's stride is m n */
	enum cuda_format input, output;
	double scale, wrong; /* wrong: each element is off by this share of its terms' magnitude */
};
void fake_product_put(const struct fake_product *product);
double fake_bytes_per_s(void);
double fake_flops(enum cuda_format format, bool library);

#endif
