/* `fleetplan check DATABASE` reads all stored data and reports damage. `fleetplan recover DATABASE FILE` copies the intact
 * rows to a new file. */
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "storage/check.h"

enum { FAULTS_SHOWN = 200 };

static void check_print(void *context, const char *fault)
{
	unsigned *shown = context;

	if ((*shown)++ < FAULTS_SHOWN)
		printf("%s\n", fault);
	else if (*shown == FAULTS_SHOWN + 1)
		puts("(more faults are counted but not listed)");
}

static int exit_code_of(const struct failure *failure)
{
	if (failure->status == STATUS_NOT_FOUND)
		return exit_code_report(failure, EXIT_CODE_NO_INPUT);
	return exit_code_report(failure, failure->status == STATUS_CONFLICT ? EXIT_CODE_CANNOT_CREATE : EXIT_CODE_STORAGE);
}

int check_main(int argc, char **argv)
{
	static struct failure failure;
	const char *operands[1];
	struct options options;
	struct check_result result;
	unsigned shown = 0;
	int code = command_read(argc, argv, NULL, operands, COUNT_OF(operands), &options);

	if (code == EXIT_CODE_OK &&
		storage_check(operands[0] ? operands[0] : options.database, check_print, &shown, &result, &failure) != STATUS_OK) {
		code = exit_code_of(&failure);
	} else if (code == EXIT_CODE_OK) {
		printf("%lld plans, %lld older revisions and %lld rows are intact; %lld faults; %lld acknowledged changes are missing\n",
			(long long)result.plans, (long long)result.revisions, (long long)result.rows, (long long)result.faults,
			(long long)result.lost_commits);
		code = result.faults || result.lost_commits ? EXIT_CODE_FAILED : EXIT_CODE_OK;
	}
	options_release(&options);
	return code;
}

int recover_main(int argc, char **argv)
{
	static struct failure failure;
	const char *operands[2];
	struct options options;
	struct recover_result result;
	unsigned shown = 0;
	int code = command_read(argc, argv, NULL, operands, COUNT_OF(operands), &options);

	if (code == EXIT_CODE_OK && !operands[1]) {
		fprintf(stderr, "usage: fleetplan %s\n", command_find("recover")->usage);
		code = EXIT_CODE_USAGE;
	} else if (code == EXIT_CODE_OK && storage_recover(operands[0], operands[1], check_print, &shown, &result, &failure) != STATUS_OK) {
		code = exit_code_of(&failure);
	} else if (code == EXIT_CODE_OK) {
		printf("%s: %lld rows, %lld faults left out\n", operands[1], (long long)result.rows, (long long)result.faults);
	}
	options_release(&options);
	return code;
}
