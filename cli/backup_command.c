/* `fleetplan backup FILE`: makes a consistent copy of the database, also while a daemon uses it. */
#include <unistd.h>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "storage/storage.h"

static int backup_run(const char *database, const char *path)
{
	static struct failure failure;
	const struct storage_options options = {.path = database, .use = STORAGE_TOOL};
	struct storage *storage;
	int64_t size_bytes = 0;
	enum status status;

	if (access(database, F_OK) != 0) { /* storage_open() would create an empty database */
		fprintf(stderr, "fleetplan: database %s does not exist; name one with --database\n", database);
		return EXIT_CODE_NO_INPUT;
	}
	if (storage_open(&options, &storage, &failure) != STATUS_OK)
		return exit_code_report(&failure, EXIT_CODE_STORAGE);
	status = storage_backup(storage, path, &size_bytes, &failure);
	storage_close(storage);
	if (status != STATUS_OK)
		return exit_code_report(&failure, status == STATUS_CONFLICT ? EXIT_CODE_CANNOT_CREATE : EXIT_CODE_STORAGE);
	printf("%s: %lld bytes\n", path, (long long)size_bytes);
	return EXIT_CODE_OK;
}

int backup_main(int argc, char **argv)
{
	const char *operands[1];
	struct options options;
	int code = command_read(argc, argv, NULL, operands, COUNT_OF(operands), &options);

	if (code == EXIT_CODE_OK && !operands[0]) {
		fprintf(stderr, "usage: fleetplan %s [--database FILE]\n", command_find("backup")->usage);
		code = EXIT_CODE_USAGE;
	} else if (code == EXIT_CODE_OK) {
		code = backup_run(options.database, operands[0]);
	}
	options_release(&options);
	return code;
}
