/* Machines of accelerators: the number in a machine, and the network of each.
 *
 * Used where the request gives no values. Figures are those of published systems, named in the source. */
#ifndef FLEETPLAN_HWDB_RESOLVE_TOPOLOGY_H
#define FLEETPLAN_HWDB_RESOLVE_TOPOLOGY_H

#include "planner/hardware/accelerator.h"

struct topology {
	int64_t gpus_per_node;
	double internode_gbs; /* per accelerator, one direction, 10^9 bytes/s */
	const char *gpus_source, *internode_source;
	int64_t torus_dimensions; /* of links between neighbours; 0: switched, or all linked to all */
	const char *torus_source;
	bool rented_singly;             /* no instance has more than one, and no network between instances is published */
	struct slice_sizes slice_sizes; /* sizes in which it is rented; count 0: any number */
};

/* Returns the topology of an accelerator. With an offer (may be NULL) of a known instance type, the network is that
 * instance's. `instance_gpus` is the largest machine in the catalogue's offers of the accelerator (0: none), used for
 * cards that fit into any server. */
struct topology topology_of(const struct accelerator *accelerator, const struct offer *offer, int64_t instance_gpus);

#endif
