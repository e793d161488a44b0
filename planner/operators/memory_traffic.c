#include "planner/operators/memory_traffic.h"

double memory_traffic_s(const struct device *device, const struct physics *physics, double bytes)
{
	return bytes * physics->element_traffic / device->memory_bytes_per_s;
}

double memory_stream_s(const struct device *device, double bytes)
{
	return bytes / device->memory_bytes_per_s;
}
