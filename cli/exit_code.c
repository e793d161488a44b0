#include "cli/exit_code.h"

int exit_code_report(const struct failure *failure, enum exit_code code)
{
	fprintf(stderr, "fleetplan: %s\n", failure->detail[0] ? failure->detail : status_title(failure->status));
	for (size_t i = 0; i < failure->fault_count; i++)
		fprintf(stderr, "  %s: %s\n", failure->faults[i].pointer, failure->faults[i].detail);
	return (int)code;
}
