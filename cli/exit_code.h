/* Exit codes of all commands. They follow sysexits.h where it has a matching code. docs/configuration.md has this table. */
#ifndef FLEETPLAN_CLI_EXIT_CODE_H
#define FLEETPLAN_CLI_EXIT_CODE_H

#include "base/failure.h"

enum exit_code {
	EXIT_CODE_OK = 0,
	EXIT_CODE_FAILED = 1,         /* the answer is negative: not ready, no feasible plan, damage found */
	EXIT_CODE_USAGE = 64,         /* unknown command, option or argument */
	EXIT_CODE_DATA = 65,          /* the request file is not a valid request */
	EXIT_CODE_NO_INPUT = 66,      /* a file to read does not exist */
	EXIT_CODE_UNAVAILABLE = 69,   /* the address cannot be bound or reached */
	EXIT_CODE_SOFTWARE = 70,      /* an internal error */
	EXIT_CODE_CANNOT_CREATE = 73, /* a file to write exists or cannot be created */
	EXIT_CODE_STORAGE = 74,       /* the database cannot be opened, read or written */
	EXIT_CODE_TEMPORARY = 75,     /* stopped with unfinished work; or another daemon uses the database: try again */
	EXIT_CODE_NO_PERMISSION = 77, /* no API key exists and the address is not loopback; or the server rejected the key */
	EXIT_CODE_CONFIGURATION = 78  /* an option has a wrong value */
};

/* Prints "fleetplan: <detail>" and every fault to stderr, and returns `code`. */
int exit_code_report(const struct failure *failure, enum exit_code code);

#endif
