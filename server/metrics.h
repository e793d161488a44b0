/* Metrics in the Prometheus text format. One table lists all metrics. Counters are kept here; gauges are read on each
 * request. Labels are route templates, never raw paths, so that their number is bounded. Thread-safe. */
#ifndef FLEETPLAN_SERVER_METRICS_H
#define FLEETPLAN_SERVER_METRICS_H

#include <stdint.h>

#include "base/buffer.h"

struct exchange;
struct server;

/*       name                              kind       help (the unit is the name's last word) */
#define METRIC_TABLE(X) \
	X(REQUESTS, "fleetplan_http_requests_total", "counter", "Requests answered, by route and status code") \
	X(DURATION, "fleetplan_http_request_duration_seconds", "histogram", "Time from the request line to the last byte sent") \
	X(REQUEST_BYTES, "fleetplan_http_request_body_bytes_total", "counter", "Bytes of request bodies, as received") \
	X(ANSWER_BYTES, "fleetplan_http_response_body_bytes_total", "counter", "Bytes of answers' bodies, as sent") \
	X(IN_FLIGHT, "fleetplan_http_requests_in_flight", "gauge", "Requests that are not yet answered") \
	X(QUEUE, "fleetplan_http_queue_depth", "gauge", "Requests that wait for a worker") \
	X(BODIES, "fleetplan_http_body_memory_bytes", "gauge", "Memory of request bodies and answers") \
	X(JOBS_QUEUED, "fleetplan_long_jobs_queued", "gauge", "Jobs (requests answered 202) that wait") \
	X(JOBS_RUNNING, "fleetplan_long_jobs_running", "gauge", "Jobs (requests answered 202) that run") \
	X(JOBS_KEPT, "fleetplan_long_jobs_kept", "gauge", "Jobs (requests answered 202) whose results are stored") \
	X(JOBS_ENDED, "fleetplan_long_jobs_ended_total", "counter", "Jobs (requests answered 202) that have ended, by state") \
	X(BENCHMARKS, "fleetplan_benchmarks", "gauge", "Benchmarks that wait for a device or run on one, by state") \
	X(AGENTS, "fleetplan_agents", "gauge", "Registered agents, by state: online or silent") \
	X(CONNECTIONS, "fleetplan_http_connections", "gauge", "Open connections") \
	X(CUT, "fleetplan_http_connections_cut_total", "counter", "Connections closed because a deadline had passed") \
	X(CUT_FOR_ROOM, "fleetplan_http_connections_cut_for_room_total", "counter", "Idle connections closed to make room for new ones") \
	X(CUT_FOR_MEMORY, "fleetplan_http_connections_cut_for_memory_total", "counter", \
		"Connections of slow readers closed because other requests needed the memory") \
	X(TURNED_AWAY, "fleetplan_http_connections_refused_total", "counter", "Connections refused because all were in use") \
	X(COMMITS, "fleetplan_storage_commits_total", "counter", "Transactions made durable") \
	X(JOBS, "fleetplan_storage_jobs_total", "counter", "Changes made durable; one commit may hold several") \
	X(FAILED_COMMITS, "fleetplan_storage_failed_commits_total", "counter", "Transactions that could not be made durable") \
	X(REJECTED, "fleetplan_storage_rejected_jobs_total", "counter", "Changes refused because the writer's queue was full") \
	X(COMMIT_SECONDS, "fleetplan_storage_commit_seconds_total", "counter", "Time spent in commits, from begin to durable") \
	X(STORAGE_QUEUE, "fleetplan_storage_queue_depth", "gauge", "Changes that wait for the writer") \
	X(WRITABLE, "fleetplan_storage_writable", "gauge", "1 if the last commit, or the probe after it, succeeded; else 0") \
	X(FILE, "fleetplan_storage_file_bytes", "gauge", "Size of the database file") \
	X(LOG, "fleetplan_storage_log_bytes", "gauge", "Size of the write-ahead log") \
	X(DRIFT, "fleetplan_calibration_drift_ratio", "gauge", \
		"Latest measurement divided by the first on the same device; the median over devices, by accelerator and quantity") \
	X(CATALOGUE, "fleetplan_catalogue_revision", "gauge", "Revision of the catalogue that plans use") \
	X(READINGS, "fleetplan_catalogue_readings_total", "counter", "Number of times that all rows of the catalogue were read") \
	X(FEED_REFRESHES, "fleetplan_feed_refreshes_total", "counter", "Refreshes of live feeds, by feed and outcome") \
	X(FEED_ROWS, "fleetplan_feed_rows_changed_total", "counter", "Price rows and grid hours that feeds added or changed, by feed") \
	X(FEED_HELD, "fleetplan_feed_rows_quarantined_total", "counter", "Rows of feeds that were quarantined, by feed") \
	X(FEED_FETCHED, "fleetplan_feed_last_success_timestamp_seconds", "gauge", "Time of the last successful refresh, in seconds since 1970") \
	X(AUDIT_DROPPED, "fleetplan_audit_dropped_entries_total", "counter", \
		"Refusals and writes outside of the database without an entry in the audit log: too many in a minute, or the entry could not be written") \
	X(LOG_DROPPED, "fleetplan_log_dropped_lines_total", "counter", "Log lines that were dropped: the buffer was full, or the write failed") \
	X(RESIDENT, "process_resident_memory_bytes", "gauge", "Resident memory") \
	X(CPU, "process_cpu_seconds_total", "counter", "CPU time, user and system") \
	X(FDS, "process_open_fds", "gauge", "Open file descriptors") \
	X(STARTED, "process_start_time_seconds", "gauge", "Start time of the process, in seconds since 1970") \
	X(BUILD, "fleetplan_build_info", "gauge", "Always 1; the label is the version")

/* Counts a request that has ended. */
void metrics_count_request(const struct exchange *exchange);

/* Writes all metrics. */
void metrics_write(struct server *server, struct buffer *out);

/* Writes only the metrics that metrics_count_request() updates. */
void metrics_write_requests(struct buffer *out);

#endif
