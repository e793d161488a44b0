/* Collectives and point-to-point transfers: latency and bandwidth, inside a domain and across nodes (E26-E28). */
#ifndef FLEETPLAN_PLANNER_OPERATORS_COLLECTIVE_H
#define FLEETPLAN_PLANNER_OPERATORS_COLLECTIVE_H

#include "planner/operators/device.h"

/* Ranks that talk: `ranks` in all, `local` of them behind one link domain (ranks that lie `stride` apart). */
struct group {
	double ranks, local;
	double axes;    /* of a torus, which the local part of the group spans; 0: no torus */
	double machine; /* of them that no network adapter parts: local <= machine <= ranks */
	double abreast; /* like groups that cross between a machine's processors beside it; 0: it lies below one of them */
};

/* E26. A group of `ranks` whose neighbours lie `stride` ranks apart (the product of the inner parallel degrees).
 * Given: ranks, stride (>= 1). Returned: how many of a group share a domain, and a machine: 1 <= local <= machine <= ranks. */
struct group collective_group(const struct device *device, double ranks, double stride);

/* The same for a group beyond which there is none (data parallelism): on a torus it shares a slice of ranks x stride chips, whose axes are as long as
 * the slice's root, with the groups inside it, and spans the axes that these leave. */
struct group collective_outer_group(const struct device *device, double ranks, double stride);

/* Bytes per second that each rank of the group sees in a ring: the link's inside a domain, on a torus the share of it that lies along the axes
 * which the group spans (as many as its ranks need, each as long as the domain's root); across domains of one machine (E140) no more than the
 * PCIe ports of a domain's members together, and between the machine's processors no more than they carry, shared with the groups abreast; across
 * machines no more than the network adapters of the group's members in one machine together. On a torus MaxText's published runs are all that
 * validates it: intervals are wide there. */
double collective_rate_bytes_per_s(const struct device *device, struct group group);

/* E27. Given: bytes of the whole tensor on each rank. Returned: s; 0 for a group of one.
 * all-reduce = 2 (n - 1)/n x bytes / rate + link latency + adapter latency x log2(domains), up a tree and down; reduce-scatter
 * and all-gather = (n - 1)/n x bytes / rate + (link latency + adapter latency x (domains - 1))/2, round a ring;
 * all-to-all: (n - 1)/n x bytes, of which the part that leaves the domain passes one adapter. Where each token goes to
 * `copies` ranks and software sends it once to each domain (copies > 1; DeepEP 2025), what leaves is the expected number
 * of distinct other domains, D (1 - (1 - 1/D)^copies) (D - 1)/D of D, over the copies. On a torus each message passes a quarter of each
 * ring on average, and rings add 1 us for each chip that they pass (Austin et al. 2025, How to Scale Your Model, chapters 2 and 3).
 * Source: ring algorithms (Thakur et al. 2005); NCCL sums in double trees, gathers and scatters in rings (its documentation of
 * NCCL_ALGO); latencies: physics.h. */
double collective_all_reduce_s(const struct device *device, const struct physics *physics, struct group group, double bytes);
double collective_all_gather_s(const struct device *device, const struct physics *physics, struct group group, double bytes);
double collective_all_to_all_s(const struct device *device, const struct physics *physics, struct group group, double bytes, double copies);

double collective_exchange_s(const struct device *device, struct group group, double bytes, double copies); /* all-to-all without its latency */
double collective_ring_latency_s(const struct device *device, const struct physics *physics, struct group group); /* of an all-gather, however few its bytes */

/* E28. One transfer between neighbours that lie `stride` ranks apart: over the link where both share a domain, over PCIe where they share a
 * machine only (E140: `stride` of them cross between its processors at once). */
double point_to_point_s(const struct device *device, const struct physics *physics, double stride, double bytes);

/* E160. What a gather or scatter of `time_s` would take if all its bytes went by the link: latency + (time - latency) x rate of the group / rate of the
 * link. Valid: time_s at least the ring's latency. What does not overlap of a collective is what it takes from the work beside it (memory,
 * multiprocessors, the order of launches). That goes with its bytes and not with the time that a slow network takes for them, so that
 * overlap' = 1 - (1 - overlap) x this / time. Source: derivation; NCCL's kernels move what they are given. */
double collective_linked_s(const struct device *device, const struct physics *physics, struct group group, double time_s);

/* E29. The part of a communication that stays exposed beside `hiding_s` of other work.
 * exposed = communication - overlap x min(communication, hiding). Valid: 0 <= overlap <= 1. */
double exposed_s(double communication_s, double hiding_s, double overlap);

#endif
