/* Stand-ins for NVIDIA's libraries: they do the work on the CPU, on a clock of their own, and fail as they are told.
 *
 * FAKE_GPU holds "key=value" with commas between; tests/fakes/README.md lists the keys. The device's clock is virtual: each operation
 * moves its stream's clock on by what the script's rates say, whatever the CPU took. A product is computed when its
 * elements are read, so that a large one costs nothing but what is looked at; every element that is read was multiplied.
 * libcuda.so.1 holds all of it; the others are linked to it. */
#ifndef FLEETPLAN_TESTS_FAKES_FAKE_GPU_H
#define FLEETPLAN_TESTS_FAKES_FAKE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/cuda/cuda_format.h"

#define FAKE_EXPORT __attribute__((visibility("default")))

double fake_number(const char *key, double otherwise);
bool fake_text(const char *key, char *out, size_t size);

/* The script's fault at this point: a code that it is to answer now, 0 for none. "fail_launch=700@5" fails the fifth and, as a
 * device does that has lost its context, whatever comes after; "hang_launch=1@5" never comes back; "crash_launch=11@5" is signal 11. */
int fake_fault(const char *point);

struct fake_stream {
	int device;
	double clock_s;
};

/* The clock's time that an operation takes; NULL: the default stream. */
void fake_advance(struct fake_stream *stream, double seconds);
double fake_busy_s(void);    /* virtual seconds of work since the library was loaded, of all devices */
double fake_idle_for_s(void); /* real seconds since the last operation */

/* C = scale A B, row-major, in what forms the suite has; element (i, j) is summed up in double when it is read, and rounded. With
 * `values` it is what m rows of queries (A, m x n) get of k keys (B, k x n) and values (k x n): softmax(scale A B^T) values. */
struct fake_product {
	uint64_t values;
	uint64_t a, b, c;           /* addresses */
	size_t m, n, k, batch;
	size_t a_row, a_column, b_row, b_column; /* strides of (i, p) and (p, j), in elements */
	size_t a_stride, b_stride;  /* of the batch; C's is m n */
	enum cuda_format input, output;
	double scale, wrong;        /* wrong: every element is off by so much of its terms' magnitude */
};
void fake_product_put(const struct fake_product *product);
double fake_bytes_per_s(void);
double fake_flops(enum cuda_format format, bool library);

#endif
