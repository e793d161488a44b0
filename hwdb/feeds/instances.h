/* The accelerators of a provider's instance type, or of a GPU's name in a price list. */
#ifndef FLEETPLAN_HWDB_FEEDS_INSTANCES_H
#define FLEETPLAN_HWDB_FEEDS_INSTANCES_H

#include "hwdb/catalogue/catalogue.h"

struct instance {
	const char *accelerator_id;
	int64_t gpus;
	double vcpus, ram_gb; /* absent: unknown */
};

/* A provider's instance types with prices in the catalogue, sorted. NULL when memory is short. */
struct instances;
const struct instances *instances_of(const struct catalogue *catalogue, const char *provider, struct arena *arena);
bool instances_find(const struct instances *instances, const char *instance_type, struct instance *instance);

/* Returns the accelerator of an AWS family ("p5", of "p5.48xlarge"); NULL: an unknown family, or one that rents parts
 * of a GPU. */
const char *instance_aws_accelerator(const char *instance_type);

/* Returns the catalogue's id for names such as "8x A100 (40 GB SXM4)" and "NVIDIA H100 80GB HBM3". memory_gb absent:
 * the memory in the name, if any. NULL when the name is unknown, or fits two accelerators of different memory. */
const char *accelerator_of_name(const char *name, double memory_gb);

#endif
