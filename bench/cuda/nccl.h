/* NCCL (libnccl.so.2), opened with dlopen: reductions over all devices of this node, from one process.
 *
 * The declarations follow the public documentation. NCCL's bootstrap listens on a socket: NCCL_SOCKET_IFNAME is set
 * to the loopback interface unless it is already set, since one node needs no other interface. */
#ifndef FLEETPLAN_BENCH_CUDA_NCCL_H
#define FLEETPLAN_BENCH_CUDA_NCCL_H

#include "bench/cuda/cuda_driver.h"

struct nccl_communicator;

enum { NCCL_OK = 0, NCCL_FLOAT32 = 7, NCCL_SUM = 0 };

struct nccl {
	void *library;
	char path[DEVICE_TEXT_MAX];
	int version; /* 22809: 2.28.9 */

	int (*get_version)(int *version);
	const char *(*error_text)(int code);
	int (*init_all)(struct nccl_communicator **communicators, int count, const int *devices);
	int (*destroy)(struct nccl_communicator *communicator);
	int (*abort)(struct nccl_communicator *communicator);
	int (*async_error)(struct nccl_communicator *communicator, int *code);
	int (*group_start)(void);
	int (*group_end)(void);
	int (*all_reduce)(const void *from, void *to, size_t count, int type, int operation, struct nccl_communicator *communicator,
		struct cuda_stream *stream);
};

/* The library stays loaded until the process ends: it may have threads. */
enum bench_outcome nccl_open(struct nccl *nccl, struct bench_reason *reason);

#endif
