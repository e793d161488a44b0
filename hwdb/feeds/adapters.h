/* The functions of each adapter, for the table of feeds. Private to hwdb/feeds. */
#ifndef FLEETPLAN_HWDB_FEEDS_ADAPTERS_H
#define FLEETPLAN_HWDB_FEEDS_ADAPTERS_H

#include "hwdb/feeds/feed.h"

typedef enum status feed_request_function(struct feed_walk *walk, struct feed_request *request, struct failure *failure);
typedef enum status feed_read_function(struct feed_walk *walk, const char *text, size_t length, struct failure *failure);
typedef enum status feed_finish_function(struct feed_walk *walk, struct failure *failure);

feed_request_function azure_request, aws_request, gcp_request, lambda_request, runpod_request, electricity_maps_request, watttime_request,
	uk_carbon_request;
feed_read_function azure_read, aws_read, aws_take, gcp_read, lambda_read, runpod_read, electricity_maps_read, watttime_read, uk_carbon_read;
feed_finish_function gcp_finish;

/* Checks a text in the arena that was made for a URL or a query: STATUS_NO_MEMORY in the failure where it is NULL. */
static inline enum status feed_have(const struct feed_walk *walk, const void *made, struct failure *failure)
{
	return made ? STATUS_OK : failure_set(failure, STATUS_NO_MEMORY, "%s: no memory", walk->feed->name);
}

#endif
