/* Stored records of feeds: each refresh with its result, and each row that it changed or held back. Plain structs, as
 * in hwdb/catalogue/records.h. */
#ifndef FLEETPLAN_HWDB_FEEDS_FEED_RECORDS_H
#define FLEETPLAN_HWDB_FEEDS_FEED_RECORDS_H

#include "base/given.h"

struct feed_refresh_record {
	const char *id, *feed;
	const char *outcome;    /* succeeded, unchanged, failed, cancelled */
	const char *detail;     /* why it failed, or what was left out */
	const char *started_by; /* schedule, request */
	int64_t started_at_us, finished_at_us;
	const char *source, *licence, *base_url;
	int64_t requests, bytes;
	int64_t seen, added, changed, unchanged, kept, quarantined, rejected, skipped; /* rows */
	int64_t catalogue_revision;                                                    /* after the refresh */
};

/* A row that a refresh added, changed or did not accept. */
struct feed_change {
	const char *refresh_id, *feed;
	int64_t position;     /* within the refresh */
	int64_t at_us;        /* time of the refresh's end */
	const char *what;     /* added, changed, quarantined, rejected */
	const char *subject;  /* the row's id, or zone and hour */
	const char *quantity; /* price_usd_per_hour, gco2e_per_kwh */
	double before, after; /* values of the quantity; absent where there was none */
	double low, high;     /* range in which the value would have been accepted */
	const char *detail;
};

/* A server's validators of a document, for the next conditional request. */
struct feed_validator {
	const char *url, *etag, *last_modified;
};

/* Hours of grids, sorted by zone, signal and time. */
struct grid_hour {
	const char *zone, *signal, *feed;
	int64_t start_us, forecast, fetched_at_us;
	double gco2e_per_kwh;
};

#endif
