/* Exit codes of every command, after sysexits.h where it has a word for it; docs/configuration.md has the same table. */
#ifndef FLEETPLAN_CLI_EXIT_CODE_H
#define FLEETPLAN_CLI_EXIT_CODE_H

#include "base/failure.h"

enum exit_code {
	EXIT_CODE_OK = 0,
	EXIT_CODE_FAILED = 1,       /* the answer is no: not ready, nothing feasible */
	EXIT_CODE_USAGE = 64,       /* unknown command, option or argument */
	EXIT_CODE_DATA = 65,        /* the request file is not a valid request */
	EXIT_CODE_NO_INPUT = 66,    /* a file that should be read is not there */
	EXIT_CODE_UNAVAILABLE = 69, /* the address cannot be bound or reached */
	EXIT_CODE_SOFTWARE = 70,    /* a fault of the program */
	EXIT_CODE_CANNOT_CREATE = 73,
	EXIT_CODE_STORAGE = 74,     /* the database cannot be opened, read or written */
	EXIT_CODE_TEMPORARY = 75,   /* ended by force with requests under way; or try again: another daemon has the database */
	EXIT_CODE_NO_PERMISSION = 77, /* refuses to listen to everybody without an API key */
	EXIT_CODE_CONFIGURATION = 78 /* an option's value */
};

/* Writes "fleetplan: <detail>" with every fault to stderr, and returns `code`. */
int exit_code_report(const struct failure *failure, enum exit_code code);

#endif
