/* Exit codes of all commands. They follow sysexits.h where it has a matching code. docs/configuration.md has this table. */
#ifndef FLEETPLAN_CLI_EXIT_CODE_H
#define FLEETPLAN_CLI_EXIT_CODE_H

#include "base/failure.h"

/* X(name, code, meaning) */
#define EXIT_CODE_TABLE(X) \
	X(OK, 0, "success; for serve: stopped, and every request was answered") \
	X(FAILED, 1, \
		"the answer is negative: healthcheck not ready, plan infeasible, diff above a limit, check found damage, keys revoke of an unknown key") \
	X(USAGE, 64, "unknown command, option or argument") \
	X(DATA, 65, "the request file is not a valid request") \
	X(NO_INPUT, 66, "a file to read does not exist") \
	X(UNAVAILABLE, 69, "the address cannot be bound or reached") \
	X(SOFTWARE, 70, "an internal error") \
	X(CANNOT_CREATE, 73, "a file to write exists already or cannot be created: a backup, the agent's spool") \
	X(STORAGE, 74, "the database cannot be opened, read or written") \
	X(TEMPORARY, 75, \
		"stopped with unfinished requests; another daemon uses this database, or another agent this spool; agent: results are left in the spool") \
	X(NO_PERMISSION, 77, "no API key exists and the address is not loopback; or the server rejected the key") \
	X(CONFIGURATION, 78, "an option has a wrong value")

enum exit_code {
#define X(name, code, meaning) EXIT_CODE_##name = code,
	EXIT_CODE_TABLE(X)
#undef X
};

/* Prints "fleetplan: <detail>" and every fault to stderr, and returns `code`. */
int exit_code_report(const struct failure *failure, enum exit_code code);

#endif
