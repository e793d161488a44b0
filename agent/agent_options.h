/* The options of an agent, in one table (AGENT_OPTION_TABLE); schema/option_table.h says what uses it. */
#ifndef FLEETPLAN_AGENT_AGENT_OPTIONS_H
#define FLEETPLAN_AGENT_AGENT_OPTIONS_H

#include "schema/option_table.h"

/* X(member, name, kind, default, minimum, maximum, choices, doc), as in server/options.h. */
#define AGENT_OPTION_TABLE(X) \
	X(server, "server", TEXT, "", 0, 0, NULL, "URL of the daemon: https://fleetplan.example, http://127.0.0.1:8080") \
	X(key_file, "key-file", TEXT, "", 0, 0, NULL, "file with an API key of the role agent; read again when the daemon rejects the key") \
	X(ca_file, "ca-file", TEXT, "", 0, 0, NULL, "file with the certificate authorities to trust, PEM; empty: the system's") \
	X(insecure, "insecure", FLAG, "no", 0, 0, NULL, "allow http to other machines; the network can then read the key") \
	X(node, "node", TEXT, "", 0, 0, NULL, "name of this machine; empty: its host name") \
	X(spool, "spool", TEXT, "fleetplan-agent", 0, 0, NULL, "folder for the agent's id and undelivered results; created if it does not exist") \
	X(devices, "devices", TEXT, "", 0, 0, NULL, "ids of the devices to offer, comma-separated; empty: all") \
	X(worker, "worker", TEXT, "", 0, 0, NULL, "program to run as the worker, such as a wrapper around this one; empty: this program") \
	X(probe_seconds, "probe-seconds", NUMBER, "600", 1, 86400, NULL, "time between two listings of the devices") \
	X(wait_seconds, "wait-seconds", NUMBER, "30", 0, 30, NULL, "how long one request for work may wait at the server") \
	X(idle_seconds, "idle-seconds", NUMBER, "0", 0, 604800, NULL, "exit after this time without work; 0: never") \
	X(retry_seconds, "retry-seconds", NUMBER, "60", 1, 3600, NULL, "longest wait between two tries while the server cannot be reached") \
	X(drain_seconds, "drain-seconds", NUMBER, "20", 1, 600, NULL, \
		"on SIGTERM, how long to try to release the benchmark or deliver its result") \
	X(config, "config", TEXT, "", 0, 0, NULL, "file with lines \"option = value\"; # begins a comment") \
	X(log_level, "log-level", CHOICE, "info", 0, 0, "debug info warning error", "lowest level that is logged") \
	X(log_file, "log-file", TEXT, "", 0, 0, NULL, "append the log to this file; empty: standard error")

struct agent_options {
#define X(member, name, kind, standard, minimum, maximum, choices, doc) OPTION_TYPE_##kind member;
	AGENT_OPTION_TABLE(X)
#undef X
	struct option_values values;
};

extern const struct option_table agent_option_table;

#endif
