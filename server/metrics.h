/* Metrics in the Prometheus text format: one table of all names, counters kept here, gauges read when
 * asked. Labels are route templates, never raw paths, so that their number is bounded. Thread-safe. */
#ifndef FLEETPLAN_SERVER_METRICS_H
#define FLEETPLAN_SERVER_METRICS_H

#include <stdint.h>

#include "base/buffer.h"

struct exchange;
struct server;

/*       name                              kind       help (the unit is the name's last word) */
#define METRIC_TABLE(X)                                                                                                  \
	X(REQUESTS, "fleetplan_http_requests_total", "counter", "Requests answered, by route and status code")               \
	X(DURATION, "fleetplan_http_request_duration_seconds", "histogram", "From the request line to the last byte sent")   \
	X(REQUEST_BYTES, "fleetplan_http_request_body_bytes_total", "counter", "Bytes of request bodies, as received")       \
	X(ANSWER_BYTES, "fleetplan_http_response_body_bytes_total", "counter", "Bytes of answers' bodies, as sent")          \
	X(IN_FLIGHT, "fleetplan_http_requests_in_flight", "gauge", "Requests begun and not yet answered")                    \
	X(QUEUE, "fleetplan_http_queue_depth", "gauge", "Requests that wait for a worker")                                   \
	X(BODIES, "fleetplan_http_body_memory_bytes", "gauge", "Memory held by request bodies and by answers")               \
	X(JOBS_QUEUED, "fleetplan_long_jobs_queued", "gauge", "Requests answered 202 that have not begun")                   \
	X(JOBS_RUNNING, "fleetplan_long_jobs_running", "gauge", "Requests answered 202 that are computed")                   \
	X(JOBS_KEPT, "fleetplan_long_jobs_kept", "gauge", "Results of requests answered 202 that can be had")                \
	X(JOBS_ENDED, "fleetplan_long_jobs_ended_total", "counter", "Requests answered 202 that have ended, by state")       \
	X(BENCHMARKS, "fleetplan_benchmarks", "gauge", "Benchmarks that wait for a device or run on one, by state")            \
	X(AGENTS, "fleetplan_agents", "gauge", "Agents that are heard of, and that are silent")                              \
	X(CONNECTIONS, "fleetplan_http_connections", "gauge", "Open connections")                                            \
	X(CUT, "fleetplan_http_connections_cut_total", "counter", "Connections ended because a deadline had passed")         \
	X(CUT_FOR_ROOM, "fleetplan_http_connections_cut_for_room_total", "counter", "Idle connections ended because others came when nearly all were taken") \
	X(CUT_FOR_MEMORY, "fleetplan_http_connections_cut_for_memory_total", "counter", "Connections of slow readers ended because the memory of answers was wanted") \
	X(TURNED_AWAY, "fleetplan_http_connections_refused_total", "counter", "Connections turned away because all were taken") \
	X(COMMITS, "fleetplan_storage_commits_total", "counter", "Transactions made durable")                                \
	X(JOBS, "fleetplan_storage_jobs_total", "counter", "Changes made durable; above commits when they travel in groups") \
	X(FAILED_COMMITS, "fleetplan_storage_failed_commits_total", "counter", "Transactions that could not be made durable") \
	X(REJECTED, "fleetplan_storage_rejected_jobs_total", "counter", "Changes refused because the writer's queue was full") \
	X(COMMIT_SECONDS, "fleetplan_storage_commit_seconds_total", "counter", "Time spent in commits, begin to durable")     \
	X(STORAGE_QUEUE, "fleetplan_storage_queue_depth", "gauge", "Changes that wait for the writer")                       \
	X(WRITABLE, "fleetplan_storage_writable", "gauge", "1 while the last commit, or the probe after it, succeeded")      \
	X(FILE, "fleetplan_storage_file_bytes", "gauge", "Size of the database file")                                        \
	X(LOG, "fleetplan_storage_log_bytes", "gauge", "Size of the write-ahead log")                                        \
	X(DRIFT, "fleetplan_calibration_drift_ratio", "gauge", "Measured now over first measured on the same device, by accelerator and quantity: the median of devices") \
	X(CATALOGUE, "fleetplan_catalogue_revision", "gauge", "Revision of the catalogue that plans are made with")          \
	X(READINGS, "fleetplan_catalogue_readings_total", "counter", "Times that all rows of the catalogue were read")       \
	X(FEED_REFRESHES, "fleetplan_feed_refreshes_total", "counter", "Refreshes of live feeds, by feed and outcome")            \
	X(FEED_ROWS, "fleetplan_feed_rows_changed_total", "counter", "Rows and hours that feeds added or changed, by feed")      \
	X(FEED_HELD, "fleetplan_feed_rows_quarantined_total", "counter", "Rows of feeds that were held back, by feed")           \
	X(FEED_FETCHED, "fleetplan_feed_last_success_timestamp_seconds", "gauge", "When a feed was last refreshed, since 1970") \
	X(AUDIT_DROPPED, "fleetplan_audit_dropped_entries_total", "counter", "Refusals, and writes outside of the database, that have no entry in the audit log: too many in a minute, or it could not be written") \
	X(LOG_DROPPED, "fleetplan_log_dropped_lines_total", "counter", "Lines of the log that found no room while nobody read it, or that could not be written") \
	X(RESIDENT, "process_resident_memory_bytes", "gauge", "Resident memory")                                             \
	X(CPU, "process_cpu_seconds_total", "counter", "CPU time, user and system")                                          \
	X(FDS, "process_open_fds", "gauge", "Open file descriptors")                                                         \
	X(STARTED, "process_start_time_seconds", "gauge", "When the process started, since 1970")                            \
	X(BUILD, "fleetplan_build_info", "gauge", "Always 1; the version is its label")

/* Counts a request that has ended. */
void metrics_count_request(const struct exchange *exchange);

/* Writes all of them. */
void metrics_write(struct server *server, struct buffer *out);

/* Only those that are counted by metrics_count_request. */
void metrics_write_requests(struct buffer *out);

#endif
