/* The daemon's configuration: ONE table of options (OPTION_TABLE); schema/option_table.h says what comes of it. */
#ifndef FLEETPLAN_SERVER_OPTIONS_H
#define FLEETPLAN_SERVER_OPTIONS_H

#include "schema/option_table.h"

/* X(member, name, kind, default, minimum, maximum, choices, doc). Kinds: TEXT, NUMBER, FLAG, CHOICE. */
#define OPTION_TABLE(X)                                                                                                        \
	X(listen, "listen", TEXT, "127.0.0.1:8080", 0, 0, NULL, "address and port; port 0 takes a free one")                       \
	X(database, "database", TEXT, "fleetplan.db", 0, 0, NULL, "file of the embedded database; made when it is not there")      \
	X(config, "config", TEXT, "", 0, 0, NULL, "file with lines \"option = value\"; # begins a comment")                        \
	X(detach, "detach", FLAG, "no", 0, 0, NULL, "go to the background once ready; the exit code tells whether it is")          \
	X(threads, "threads", NUMBER, "0", 0, 256, NULL, "threads that talk to clients; 0: one a core")                            \
	X(workers, "workers", NUMBER, "0", 0, 256, NULL, "threads that plan for one client, and one more for others; 0: one a core") \
	X(light_workers, "light-workers", NUMBER, "0", 0, 256, NULL, "threads that read and write, and do not plan; 0: one a core, two at least") \
	X(unpack_mb_per_second, "unpack-mb-per-second", NUMBER, "128", 0, 4000, NULL, "of one client's bodies, as they come out of unpacking, 10^6 bytes a second; more waits; 0: no limit") \
	X(cpu_limit_ms, "cpu-limit-ms", NUMBER, "1000", 0, 3600000, NULL, "time of a core that a plan or estimate has on a worker; then it goes on as a job; 0: no limit") \
	X(queue, "queue", NUMBER, "512", 1, 65536, NULL, "requests that may wait for a worker; more are answered 503")             \
	X(queue_seconds, "queue-seconds", NUMBER, "60", 1, 3600, NULL, "longest that a request waits for a worker; then it is answered 503") \
	X(jobs, "jobs", NUMBER, "256", 1, 65536, NULL, "requests answered 202, running or kept; more unfinished ones are answered 503") \
	X(jobs_per_key, "jobs-per-key", NUMBER, "64", 1, 65536, NULL, "of them unfinished, of one API key; more are answered 429") \
	X(job_workers, "job-workers", NUMBER, "0", 0, 256, NULL, "threads that run them, behind those that plan; 0: one a core")  \
	X(job_keep_seconds, "job-keep-seconds", NUMBER, "3600", 0, 604800, NULL, "a job and its result are kept so long after its end") \
	X(job_memory_mb, "job-memory-mb", NUMBER, "64", 1, 65536, NULL, "memory of all kept results; past it the oldest go, 10^6 bytes") \
	X(connections, "connections", NUMBER, "2048", 1, 65536, NULL, "open connections; more wait in the backlog")                \
	X(connections_per_ip, "connections-per-ip", NUMBER, "1024", 0, 65536, NULL, "of them from one address; 0: no limit")       \
	X(idle_seconds, "idle-seconds", NUMBER, "60", 1, 3600, NULL, "a connection without traffic is closed after this")          \
	X(receive_seconds, "receive-seconds", NUMBER, "10", 1, 3600, NULL, "a request must have arrived whole within this")        \
	X(send_seconds, "send-seconds", NUMBER, "60", 1, 3600, NULL, "an answer must have been taken whole within this")           \
	X(drain_seconds, "drain-seconds", NUMBER, "30", 0, 3600, NULL, "on SIGTERM, wait this long for requests under way")        \
	X(quiet_seconds, "quiet-seconds", NUMBER, "1", 0, 600, NULL, "on SIGTERM, readyz says 503 this long before the door shuts") \
	X(memory_mb, "memory-mb", NUMBER, "256", 2, 65536, NULL, "memory of request bodies and answers together, 10^6 bytes; more are answered 503") \
	X(body_memory_mb, "body-memory-mb", NUMBER, "0", 0, 65536, NULL, "the former name of memory-mb; 0: that one's value")     \
	X(cors_origins, "cors-origins", TEXT, "", 0, 0, NULL, "origins that browsers may call from, comma-separated; * for any")   \
	X(allowed_hosts, "allowed-hosts", TEXT, "", 0, 0, NULL, "names under which the daemon may be called without keys, beside localhost and addresses; comma-separated") \
	X(metrics_open, "metrics-open", FLAG, "no", 0, 0, NULL, "answer /metrics without a key")                                   \
	X(insecure, "insecure", FLAG, "no", 0, 0, NULL, "allow other addresses than loopback without any API key")                 \
	X(bootstrap_key_file, "bootstrap-key-file", TEXT, "", 0, 0, NULL, "file with an admin key to accept, such as a mounted secret") \
	X(own_devices, "own-devices", FLAG, "yes", 0, 0, NULL, "run benchmarks on this machine's devices too, and not on agents' alone") \
	X(lease_seconds, "lease-seconds", NUMBER, "60", 2, 3600, NULL, "a benchmark whose worker or agent is not heard of for so long is another's") \
	X(heartbeat_seconds, "heartbeat-seconds", NUMBER, "20", 1, 1200, NULL, "how often agents are to be heard of; at most half of --lease-seconds") \
	X(backup_directory, "backup-directory", TEXT, "", 0, 0, NULL, "folder for POST /v1/backups; empty: beside the database")   \
	X(backup_keep, "backup-keep", NUMBER, "10", 0, 100000, NULL, "backups kept there; each new one deletes the oldest beyond; 0: all are kept") \
	X(audit_keep_days, "audit-keep-days", NUMBER, "400", 0, 36500, NULL, "entries of the audit log are kept so long; 0: for ever") \
	X(feeds, "feeds", TEXT, "", 0, 0, NULL, "live feeds that may be fetched, comma-separated: NAME, or NAME=MINUTES to refresh it so often") \
	X(feed_keys, "feed-keys", TEXT, "", 0, 0, NULL, "folder with the keys of feeds, each in a file of the feed's name")         \
	X(feed_urls, "feed-urls", TEXT, "", 0, 0, NULL, "other places of feeds, comma-separated: NAME=https://HOST/PATH")           \
	X(feed_scopes, "feed-scopes", TEXT, "", 0, 0, NULL, "what to ask feeds for, comma-separated: NAME=REGION REGION ...")       \
	X(feed_redirects, "feed-redirects", TEXT, "", 0, 0, NULL, "hosts that a feed's large files may be redirected to, instead of its own list: NAME=HOST HOST:PORT ...") \
	X(feed_seconds, "feed-seconds", NUMBER, "0", 0, 86400, NULL, "time limit of one request of a feed; 0: each feed's own")     \
	X(feed_ca_file, "feed-ca-file", TEXT, "", 0, 0, NULL, "authorities (PEM) that feeds' certificates are of; empty: the system's") \
	X(feed_local, "feed-local", FLAG, "no", 0, 0, NULL, "for tests and mirrors in the house: feeds may be had from private addresses, and by http from this machine") \
	X(log_level, "log-level", CHOICE, "info", 0, 0, "debug info warning error", "the least level that is logged")              \
	X(log_file, "log-file", TEXT, "", 0, 0, NULL, "append the log to this file; empty: standard error")

struct options {
#define X(member, name, kind, standard, minimum, maximum, choices, doc) OPTION_TYPE_##kind member;
	OPTION_TABLE(X)
#undef X
	struct option_values values;
};

/* Reads file, environment and argv[1..] (argv[0] is the command). STATUS_INVALID with a sentence for a person. */
FALLIBLE enum status options_read(struct options *options, int argc, char *const *argv, struct failure *failure);
void options_release(struct options *options);

void options_write_help(struct buffer *out);
void options_write_effective(const struct options *options, struct buffer *out); /* as a configuration file, with where each came from */

#endif
