/* How accelerators are built into machines: how many share one, and what network each has of its own.
 *
 * Used where the request does not say. Figures are of published systems, named in the source. */
#ifndef FLEETPLAN_HWDB_RESOLVE_TOPOLOGY_H
#define FLEETPLAN_HWDB_RESOLVE_TOPOLOGY_H

#include "planner/hardware/accelerator.h"

struct topology {
	int64_t gpus_per_node;
	double internode_gbs; /* per accelerator, one direction, 10^9 bytes/s */
	const char *gpus_source, *internode_source;
	int64_t torus_dimensions; /* of the links among neighbours; 0: switched, or linked to all */
	const char *torus_source;
	bool rented_singly; /* nobody rents more than one in an instance, and no fabric between them is published */
	struct slice_sizes slice_sizes; /* in which it is rented; count 0: in any number */
};

/* `offer` may be NULL: of a known instance type its own network counts. `instance_gpus` is the largest machine that the
 * catalogue's offers list for the accelerator (0: none), for cards that fit into any server. */
struct topology topology_of(const struct accelerator *accelerator, const struct offer *offer, int64_t instance_gpus);

#endif
