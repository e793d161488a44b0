/* The daemon's configuration: one table of options (OPTION_TABLE). schema/option_table.h says what is generated from
 * it. */
#ifndef FLEETPLAN_SERVER_OPTIONS_H
#define FLEETPLAN_SERVER_OPTIONS_H

#include "schema/option_table.h"

/* X(member, name, kind, default, minimum, maximum, choices, doc). Kinds: TEXT, NUMBER, FLAG, CHOICE. */
#define OPTION_TABLE(X) \
	X(listen, "listen", TEXT, "127.0.0.1:8080", 0, 0, NULL, "address and port to listen on; port 0: the kernel picks a free port") \
	X(database, "database", TEXT, "fleetplan.db", 0, 0, NULL, "file of the embedded database; created if it does not exist") \
	X(config, "config", TEXT, "", 0, 0, NULL, "configuration file with lines \"option = value\"; # begins a comment") \
	X(detach, "detach", FLAG, "no", 0, 0, NULL, "go to the background when ready; exit code 0: the daemon is ready") \
	X(threads, "threads", NUMBER, "0", 0, 256, NULL, "threads that receive requests and send answers; 0: one per core") \
	X(workers, "workers", NUMBER, "0", 0, 256, NULL, \
		"threads that plan for one client; one more thread serves other clients; 0: one per core") \
	X(light_workers, "light-workers", NUMBER, "0", 0, 256, NULL, "threads for requests that do not plan; 0: one per core, at least 2") \
	X(unpack_mb_per_second, "unpack-mb-per-second", NUMBER, "128", 0, 4000, NULL, \
		"rate limit for one client's bodies after decompression, in 10^6 bytes per second; the excess waits; 0: no limit") \
	X(cpu_limit_ms, "cpu-limit-ms", NUMBER, "1000", 0, 3600000, NULL, \
		"CPU time of a plan or estimate on a worker, in ms; past it the request becomes a job; 0: no limit") \
	X(queue, "queue", NUMBER, "512", 1, 65536, NULL, "requests that may wait for a worker; further ones are answered 503") \
	X(queue_seconds, "queue-seconds", NUMBER, "60", 1, 3600, NULL, "longest wait of a request for a worker; then it is answered 503") \
	X(jobs, "jobs", NUMBER, "256", 1, 65536, NULL, \
		"maximum number of jobs (requests answered 202), unfinished or stored; if all are unfinished, a new one is answered 503") \
	X(jobs_per_key, "jobs-per-key", NUMBER, "64", 1, 65536, NULL, \
		"maximum number of unfinished jobs of one API key; further ones are answered 429") \
	X(job_workers, "job-workers", NUMBER, "0", 0, 256, NULL, \
		"threads that run jobs, at a lower priority than the planning threads; 0: one per core") \
	X(job_keep_seconds, "job-keep-seconds", NUMBER, "3600", 0, 604800, NULL, "time that a job and its result are stored after its end") \
	X(job_memory_mb, "job-memory-mb", NUMBER, "64", 1, 65536, NULL, \
		"memory of all stored results, 10^6 bytes; past it the oldest are dropped") \
	X(connections, "connections", NUMBER, "2048", 1, 65536, NULL, \
		"maximum number of open connections; further ones are refused, apart from a small reserve") \
	X(connections_per_ip, "connections-per-ip", NUMBER, "1024", 0, 65536, NULL, \
		"maximum number of connections from one address; 0: no limit") \
	X(idle_seconds, "idle-seconds", NUMBER, "60", 1, 3600, NULL, "a connection without traffic is closed after this time") \
	X(receive_seconds, "receive-seconds", NUMBER, "10", 1, 3600, NULL, "longest time in which a client must send a whole request") \
	X(send_seconds, "send-seconds", NUMBER, "60", 1, 3600, NULL, "longest time in which a client must read a whole answer") \
	X(drain_seconds, "drain-seconds", NUMBER, "30", 0, 3600, NULL, "on SIGTERM, wait this long for unfinished requests") \
	X(quiet_seconds, "quiet-seconds", NUMBER, "1", 0, 600, NULL, \
		"on SIGTERM, readyz answers 503 this long before the daemon stops accepting connections") \
	X(memory_mb, "memory-mb", NUMBER, "256", 2, 65536, NULL, \
		"memory of request bodies and answers together, 10^6 bytes; past it requests are answered 503") \
	X(body_memory_mb, "body-memory-mb", NUMBER, "0", 0, 65536, NULL, "the former name of memory-mb; 0: use memory-mb") \
	X(cors_origins, "cors-origins", TEXT, "", 0, 0, NULL, "origins that browsers may call from, comma-separated; * for any") \
	X(allowed_hosts, "allowed-hosts", TEXT, "", 0, 0, NULL, \
		"host names, comma-separated, that requests may use while no API key exists, in addition to localhost and addresses") \
	X(metrics_open, "metrics-open", FLAG, "no", 0, 0, NULL, "answer /metrics without a key") \
	X(insecure, "insecure", FLAG, "no", 0, 0, NULL, "allow clients on other addresses than loopback while no API key exists") \
	X(bootstrap_key_file, "bootstrap-key-file", TEXT, "", 0, 0, NULL, "file with an admin key to accept, for example a mounted secret") \
	X(first_key_file, "first-key-file", TEXT, "", 0, 0, NULL, \
		"on another address than loopback, if no API key exists: make an admin key, and write it to this file for its owner only") \
	X(own_devices, "own-devices", FLAG, "yes", 0, 0, NULL, "run benchmarks on this machine's devices, in addition to agents' devices") \
	X(lease_seconds, "lease-seconds", NUMBER, "60", 2, 3600, NULL, \
		"a benchmark returns to the queue if its worker or agent sends no heartbeat for this time") \
	X(heartbeat_seconds, "heartbeat-seconds", NUMBER, "20", 1, 1200, NULL, \
		"interval of the agents' heartbeats; at most half of --lease-seconds") \
	X(backup_directory, "backup-directory", TEXT, "", 0, 0, NULL, "folder for POST /v1/backups; empty: the folder of the database") \
	X(backup_keep, "backup-keep", NUMBER, "10", 0, 100000, NULL, \
		"number of backups to keep; each new backup deletes the oldest ones beyond it; 0: keep all") \
	X(audit_keep_days, "audit-keep-days", NUMBER, "400", 0, 36500, NULL, "days that entries of the audit log are kept; 0: for ever") \
	X(feeds, "feeds", TEXT, "", 0, 0, NULL, "live feeds to switch on, comma-separated: NAME, or NAME=MINUTES to refresh it at this interval") \
	X(feed_keys, "feed-keys", TEXT, "", 0, 0, NULL, "folder with the API keys of feeds; each file has the name of its feed") \
	X(feed_urls, "feed-urls", TEXT, "", 0, 0, NULL, "other URLs of feeds, comma-separated: NAME=https://HOST/PATH") \
	X(feed_scopes, "feed-scopes", TEXT, "", 0, 0, NULL, "what to request from feeds, comma-separated: NAME=REGION REGION ...") \
	X(feed_redirects, "feed-redirects", TEXT, "", 0, 0, NULL, \
		"hosts to which a feed may redirect downloads of large files; replaces the feed's own list: NAME=HOST HOST:PORT ...") \
	X(feed_seconds, "feed-seconds", NUMBER, "0", 0, 86400, NULL, "time limit of one request of a feed; 0: each feed's own") \
	X(feed_ca_file, "feed-ca-file", TEXT, "", 0, 0, NULL, "certificate authorities (PEM file) for feeds; empty: the system's") \
	X(feed_local, "feed-local", FLAG, "no", 0, 0, NULL, \
		"for tests and local mirrors: allow feeds at private addresses, and feeds by http on this machine") \
	X(log_level, "log-level", CHOICE, "info", 0, 0, "debug info warning error", "lowest level that is logged") \
	X(log_file, "log-file", TEXT, "", 0, 0, NULL, "append the log to this file; empty: standard error")

struct options {
#define X(member, name, kind, standard, minimum, maximum, choices, doc) OPTION_TYPE_##kind member;
	OPTION_TABLE(X)
#undef X
	struct option_values values;
};

extern const struct option_table serve_option_table;

/* Reads file, environment and argv[1..] (argv[0] is the command). STATUS_INVALID, with a sentence for the operator. */
FALLIBLE enum status options_read(struct options *options, int argc, char *const *argv, struct failure *failure);
void options_release(struct options *options);

void options_write_help(struct buffer *out);
void options_write_effective(
	const struct options *options, struct buffer *out); /* writes a configuration file; each line names the source of its value */

#endif
