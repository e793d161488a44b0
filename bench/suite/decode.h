/* How fast this host's CPUs prepare input: inflating (zlib) and decoding JPEG (libjpeg-turbo), on all threads at once.
 *
 * Both libraries are those of the system, by dlopen, as an input pipeline on it uses them; without one the test is unsupported. Inputs are
 * made here, the same each time: text of words for zlib, and for JPEG a noisy picture of 500 x 375 points, about the mean of ImageNet's
 * (Russakovsky et al. 2015), at quality 90. */
#ifndef FLEETPLAN_BENCH_SUITE_DECODE_H
#define FLEETPLAN_BENCH_SUITE_DECODE_H

#include "bench/backend.h"

enum bench_outcome bench_inflate_prepare(int threads, _Atomic uint64_t *alive, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome bench_jpeg_prepare(int threads, _Atomic uint64_t *alive, struct bench_work *work, struct bench_reason *reason);

#endif
