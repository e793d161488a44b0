/* Time of collectives and point-to-point transfers, from latency and bandwidth, inside a domain and across machines
 * (E26-E29, E140, E160). */
#ifndef FLEETPLAN_PLANNER_OPERATORS_COLLECTIVE_H
#define FLEETPLAN_PLANNER_OPERATORS_COLLECTIVE_H

#include "planner/operators/device.h"

/* A group of ranks that communicate. `local` of them share one link domain. */
struct group {
	double ranks, local;
	double axes;    /* axes of the torus that the local part of the group spans; 0: no torus */
	double machine; /* ranks that reach each other without a network adapter: local <= machine <= ranks */
	double abreast; /* similar groups that cross between a machine's processors at the same time; 0: the group does not cross */
};

/* E26. Makes a group of ranks whose neighbours are `stride` ranks apart (the product of the inner parallel degrees).
 *
 * Given:    device  domain, reach, root, torus_dimensions
 *           ranks   >= 1
 *           stride  >= 1
 * Returned: how many of the ranks share a domain and a machine: 1 <= local <= machine <= ranks; axes; abreast
 * Case:     tests/planner/test_training_communication.c */
struct group collective_group(const struct device *device, double ranks, double stride);

/* E26. Makes the outermost group (data parallelism). On a torus it shares a slice of ranks x stride chips with the
 * groups inside it. The axes of the slice have equal lengths, and the group spans the axes that the inner groups
 * leave.
 *
 * Given:    as collective_group()
 * Returned: as collective_group()
 * Case:     tests/planner/test_training_communication.c */
struct group collective_outer_group(const struct device *device, double ranks, double stride);

/* E26, E140. Computes the rate of a ring for each rank of a group.
 *
 * Given:    device  rates, bytes/s
 *           group   of collective_group() or collective_outer_group()
 * Returned: bytes/s. Inside a domain: the link's rate; on a torus the part of it that lies along the axes of the
 *             group. Across domains of one machine (E140): at most the PCIe ports of a domain's members together, and
 *             between the machine's processors at most what these carry, shared with the groups abreast. Across
 *             machines: at most the network adapters of the group's members in one machine together.
 * Valid:    on a torus only MaxText's published runs validate it; intervals are wide there
 * Case:     tests/planner/golden/training_runs.txt (E140); tests/planner/test_training_communication.c (torus) */
double collective_rate_bytes_per_s(const struct device *device, struct group group);

/* E27. Compute the time of a collective. collective_all_gather_s() is also the time of a reduce-scatter.
 *
 * Given:    device   rates, bytes/s
 *           physics  link_latency_s, nic_latency_s
 *           group    n ranks
 *           bytes    of the whole tensor on each rank, >= 0
 *           copies   ranks to which each token goes, if software sends it once to each domain (DeepEP 2025); at most
 *             1: no such software
 * Returned: s; 0 for a group of one
 *             all-reduce: 2 (n - 1)/n x bytes / rate + link latency + adapter latency x log2(machines), up a tree and
 *             down
 *             all-gather, reduce-scatter: (n - 1)/n x bytes / rate + (link latency + adapter latency x (machines -
 *             1))/2, round a ring
 *             all-to-all: the longest of the links', the PCIe ports' (E140) and the adapters' part of (n - 1)/n x
 *             bytes, + the latency of the tree. With copies the part that leaves is the expected number of distinct
 *             other machines, D (1 - (1 - 1/D)^copies) (D - 1)/D of D machines, over the copies.
 *             torus: each message of an all-to-all passes a quarter of each ring on average; rings and trees add 1 us
 *             for each chip that they pass
 * Source:   Thakur et al. 2005 (ring algorithms); NCCL's documentation of NCCL_ALGO (sums in double trees, gathers and
 *             scatters in rings); Austin et al. 2025, How to Scale Your Model, chapters 2 and 3 (torus); latencies:
 *             physics.h
 * Case:     tests/planner/golden/training_runs.txt (all-reduce, all-to-all);
 *             tests/planner/test_training_communication.c (latencies) */
double collective_all_reduce_s(const struct device *device, const struct physics *physics, struct group group, double bytes);
double collective_all_gather_s(const struct device *device, const struct physics *physics, struct group group, double bytes);
double collective_all_to_all_s(const struct device *device, const struct physics *physics, struct group group, double bytes, double copies);

double collective_exchange_s(
	const struct device *device, struct group group, double bytes, double copies); /* E27. all-to-all without its latency */
double collective_ring_latency_s(const struct device *device, const struct physics *physics,
	struct group group); /* E27. latency of an all-gather; 0 for a group of one */

/* E28. Computes the time of one transfer between neighbours that are `stride` ranks apart.
 *
 * Given:    device   rates, bytes/s
 *           physics  link_latency_s, nic_latency_s
 *           stride   >= 1
 *           bytes    >= 0
 * Returned: bytes / rate + latency / 2, s. The rate is that of the link if both ranks share a domain, of PCIe if they
 *             share only a machine (E140: `stride` transfers cross between its processors at once), else of the
 *             network adapter. */
double point_to_point_s(const struct device *device, const struct physics *physics, double stride, double bytes);

/* E160. Computes the time of a gather or scatter if the link carried all its bytes.
 *
 * The part of a collective that does not overlap is what it takes from the work beside it (memory, multiprocessors,
 * the order of launches). That part grows with the bytes, not with the time that a slow network takes for them:
 * overlap' = 1 - (1 - overlap) x this time / time_s.
 *
 * Given:    device   rates, bytes/s
 *           physics  latencies
 *           group    of the collective
 *           time_s   time of the collective, s
 * Returned: latency + (time_s - latency) x rate of the group / rate of the link, s
 * Valid:    time_s at least the latency of the ring
 * Source:   derivation; NCCL's kernels move the bytes that they are given
 * Case:     tests/planner/test_training_ground.c */
double collective_linked_s(const struct device *device, const struct physics *physics, struct group group, double time_s);

/* E29. Computes the exposed part of a communication beside other work.
 *
 * Given:    communication_s  s, >= 0
 *           hiding_s         time of the work beside it, s, >= 0
 *           overlap          fraction that software hides, 0..1
 * Returned: communication - overlap x min(communication, hiding), s
 * Case:     tests/planner/test_training_step.c */
double exposed_s(double communication_s, double hiding_s, double overlap);

#endif
