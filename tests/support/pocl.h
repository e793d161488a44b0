/* A session of the opencl backend on PoCL, for tests. */
#ifndef FLEETPLAN_TESTS_POCL_H
#define FLEETPLAN_TESTS_POCL_H

#include "bench/opencl/opencl_session.h"

/* On a CPU that OpenCL offers, taken to have so much memory: a small one makes small arrays. NULL, with the reason on standard
 * output, where there is none (Debian: pocl-opencl-icd) or where it cannot run (under ThreadSanitizer, which did not build it and
 * cannot see how its threads wait). Compiled kernels are kept in build/pocl-cache, for all builds. */
struct bench_session *pocl_session_open(double memory_bytes);

#endif
