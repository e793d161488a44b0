/* The fake device's memory, inside libcuda.so.1. */
#ifndef FLEETPLAN_TESTS_FAKES_MEMORY_H
#define FLEETPLAN_TESTS_FAKES_MEMORY_H

#include "fake_gpu.h"

int fake_memory_new(uint64_t *at, size_t bytes, int device); /* codes of the driver */
int fake_memory_free(uint64_t at);
bool fake_memory_holds(uint64_t at, size_t bytes);
double fake_memory_used(int device);

/* Before a range is read: products in it are computed. Up to 16 bytes are a sample, of which only that element is. */
void fake_memory_settle(uint64_t at, size_t bytes);
/* Before a range is written: products in it are no more, and what is not written of them is no number. */
void fake_memory_written(uint64_t at, size_t bytes);

/* Runs a kernel by its name as bench/kernels.h describes it. A code of the driver. */
int fake_kernel_run(const char *name, const unsigned groups[3], void **arguments, double *seconds);

#endif
