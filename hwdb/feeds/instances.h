/* Which accelerators stand behind a provider's word: an instance type, or the name of a GPU as a list prints it. */
#ifndef FLEETPLAN_HWDB_FEEDS_INSTANCES_H
#define FLEETPLAN_HWDB_FEEDS_INSTANCES_H

#include "hwdb/catalogue/catalogue.h"

struct instance {
	const char *accelerator_id;
	int64_t gpus;
	double vcpus, ram_gb; /* absent: not known */
};

/* The provider's instance types that the catalogue has prices of, sorted. NULL without memory. */
struct instances;
const struct instances *instances_of(const struct catalogue *catalogue, const char *provider, struct arena *arena);
bool instances_find(const struct instances *instances, const char *instance_type, struct instance *instance);

/* The accelerator of an AWS family ("p5", of "p5.48xlarge"); NULL: not one that we know, or one that is shared in parts. */
const char *instance_aws_accelerator(const char *instance_type);

/* "8x A100 (40 GB SXM4)", "NVIDIA H100 80GB HBM3": the catalogue's id. memory_gb absent: whatever the name says. NULL when the name is
 * none of ours, or could mean two of different memory. */
const char *accelerator_of_name(const char *name, double memory_gb);

#endif
