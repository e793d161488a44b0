/* What an agent is told: ONE table of options (AGENT_OPTION_TABLE); schema/option_table.h says what comes of it. */
#ifndef FLEETPLAN_AGENT_AGENT_OPTIONS_H
#define FLEETPLAN_AGENT_AGENT_OPTIONS_H

#include "schema/option_table.h"

/* X(member, name, kind, default, minimum, maximum, choices, doc), as of server/options.h. */
#define AGENT_OPTION_TABLE(X)                                                                                                  \
	X(server, "server", TEXT, "", 0, 0, NULL, "where the daemon is: https://fleetplan.example, http://127.0.0.1:8080")         \
	X(key_file, "key-file", TEXT, "", 0, 0, NULL, "file with an API key of the role agent; read again when it is refused")     \
	X(ca_file, "ca-file", TEXT, "", 0, 0, NULL, "certificates that the server's must come from, PEM; empty: the system's")     \
	X(insecure, "insecure", FLAG, "no", 0, 0, NULL, "allow http to other machines: who is on the way reads the key")           \
	X(node, "node", TEXT, "", 0, 0, NULL, "what this machine is called; empty: its host name")                                 \
	X(spool, "spool", TEXT, "fleetplan-agent", 0, 0, NULL, "folder of its id and of results not yet delivered; made when it is not there") \
	X(devices, "devices", TEXT, "", 0, 0, NULL, "ids of the devices to offer, comma-separated; empty: all")                    \
	X(worker, "worker", TEXT, "", 0, 0, NULL, "program to run as the worker, such as a wrapper around this one; empty: this very program") \
	X(probe_seconds, "probe-seconds", NUMBER, "600", 1, 86400, NULL, "how often the devices are listed again")                 \
	X(wait_seconds, "wait-seconds", NUMBER, "30", 0, 30, NULL, "how long one question for work may wait at the server")        \
	X(idle_seconds, "idle-seconds", NUMBER, "0", 0, 604800, NULL, "end when there was nothing to do for so long; 0: never")   \
	X(retry_seconds, "retry-seconds", NUMBER, "60", 1, 3600, NULL, "the longest wait between tries while the server cannot be reached") \
	X(drain_seconds, "drain-seconds", NUMBER, "20", 1, 600, NULL, "on SIGTERM, how long to try to give back or deliver what is under way") \
	X(config, "config", TEXT, "", 0, 0, NULL, "file with lines \"option = value\"; # begins a comment")                        \
	X(log_level, "log-level", CHOICE, "info", 0, 0, "debug info warning error", "the least level that is logged")              \
	X(log_file, "log-file", TEXT, "", 0, 0, NULL, "append the log to this file; empty: standard error")

struct agent_options {
#define X(member, name, kind, standard, minimum, maximum, choices, doc) OPTION_TYPE_##kind member;
	AGENT_OPTION_TABLE(X)
#undef X
	struct option_values values;
};

extern const struct option_table agent_option_table;

#endif
