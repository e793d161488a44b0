/* A session of the opencl backend on PoCL, for tests. */
#ifndef FLEETPLAN_TESTS_POCL_H
#define FLEETPLAN_TESTS_POCL_H

#include "bench/opencl/opencl_session.h"

/* Opens a session on a CPU that OpenCL lists, as if it had `memory_bytes`: a small memory makes small arrays. Returns
 * NULL, with the reason on standard output, if there is no such CPU (Debian: pocl-opencl-icd) or if it cannot run
 * (under ThreadSanitizer, which did not build PoCL and cannot see how its threads wait). Compiled kernels are kept in
 * build/pocl-cache, for all builds. */
struct bench_session *pocl_session_open(double memory_bytes);

#endif
