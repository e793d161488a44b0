/* The memory of the stand-in device, inside libcuda.so.1. */
#ifndef FLEETPLAN_TESTS_FAKES_MEMORY_H
#define FLEETPLAN_TESTS_FAKES_MEMORY_H

#include "fake_gpu.h"

int fake_memory_new(uint64_t *at, size_t bytes, int device); /* these return codes of the driver */
int fake_memory_free(uint64_t at);
bool fake_memory_holds(uint64_t at, size_t bytes);
double fake_memory_used(int device);

/* Call it before a range is read: it computes the products in the range. A range of up to 16 bytes is a sample; only
 * that element is computed. */
void fake_memory_settle(uint64_t at, size_t bytes);
/* Call it before a range is written: it forgets the products in the range. Elements that are not written become NaN. */
void fake_memory_written(uint64_t at, size_t bytes);

/* Runs a kernel by its name as bench/kernels.h describes it. Returns a code of the driver. */
int fake_kernel_run(const char *name, const unsigned groups[3], void **arguments, double *seconds);

#endif
