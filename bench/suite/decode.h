/* Measures how fast this host's CPUs prepare input: inflate (zlib) and JPEG decoding (libjpeg-turbo), on all threads at
 * once.
 *
 * Both are the system's libraries, opened with dlopen, as an input pipeline on this host uses them. If a library is
 * missing, its test is unsupported. The inputs are generated here and are the same each time: text of words for
 * zlib; for JPEG a noisy picture of 500 x 375 pixels, about the mean of ImageNet's (Russakovsky et al. 2015), at
 * quality 90. */
#ifndef FLEETPLAN_BENCH_SUITE_DECODE_H
#define FLEETPLAN_BENCH_SUITE_DECODE_H

#include "bench/backend.h"

enum bench_outcome bench_inflate_prepare(int threads, _Atomic uint64_t *alive, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome bench_jpeg_prepare(int threads, _Atomic uint64_t *alive, struct bench_work *work, struct bench_reason *reason);

#endif
