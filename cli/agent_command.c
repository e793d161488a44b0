/* `fleetplan agent`: runs an agent until SIGTERM or SIGINT. */
#include <signal.h>
#include <sodium.h>
#include <unistd.h>

#include "agent/agent.h"
#include "base/log.h"
#include "base/log_file.h"
#include "cli/commands.h"
#include "cli/exit_code.h"

static enum exit_code exit_code_of(const struct failure *failure)
{
	if (failure->status == STATUS_NOT_FOUND)
		return EXIT_CODE_NO_INPUT;
	if (failure->status == STATUS_CONFLICT)
		return EXIT_CODE_TEMPORARY;
	return failure->status == STATUS_INVALID ? EXIT_CODE_CONFIGURATION : EXIT_CODE_CANNOT_CREATE;
}

static int agent_run(const struct agent_options *options)
{
	static struct failure failure;
	struct agent *agent;
	sigset_t ends;
	bool whole;
	int signal_number;

	signals_block(&ends);
	failure_clear(&failure);
	if (!log_file_open(options->log_file, options->log_level, &failure))
		return exit_code_report(&failure, exit_code_of(&failure));
	log_file_start();
	if (agent_start(options, &agent, &failure) != STATUS_OK)
		return exit_code_report(&failure, exit_code_of(&failure));
	log_event(LOG_INFO, "agent_started", LOG_TEXT("server", options->server), LOG_TEXT("spool", options->spool),
		LOG_TEXT("version", FLEETPLAN_VERSION), LOG_INTEGER("pid", getpid()));
	signal_number = signals_wait(&ends);
	log_event(LOG_INFO, "agent_stopping", LOG_TEXT("signal", signal_number == SIGTERM ? "SIGTERM" : "SIGINT"));
	whole = agent_stop(agent);
	log_event(LOG_INFO, "agent_stopped", LOG_TEXT("spool", whole ? "empty" : "not empty: the next start delivers the results"));
	return whole ? EXIT_CODE_OK : EXIT_CODE_TEMPORARY;
}

static bool is_complete(const struct agent_options *options, struct failure *failure)
{
	if (!*options->server || !*options->key_file)
		(void)!failure_set(failure, STATUS_INVALID, "agent: --server URL and --key-file FILE are required; see fleetplan agent --help");
	return *options->server && *options->key_file;
}

int agent_main(int argc, char **argv)
{
	static struct failure failure;
	struct agent_options options = {.server = NULL};
	struct buffer text;
	int code;

	buffer_init(&text, 64 * 1024);
	if (option_table_read(&agent_option_table, &options, &options.values, argc, argv, &failure) != STATUS_OK) {
		code = exit_code_report(&failure, EXIT_CODE_CONFIGURATION);
	} else if (options.values.help || options.values.check_config) {
		if (options.values.help)
			option_table_help(&agent_option_table, &text);
		else
			option_table_effective(&agent_option_table, &options, &options.values, &text);
		code = fputs(text.bytes, stdout) == EOF ? EXIT_CODE_FAILED : EXIT_CODE_OK;
	} else if (!is_complete(&options, &failure)) {
		code = exit_code_report(&failure, EXIT_CODE_USAGE);
	} else {
		code = sodium_init() < 0 ? EXIT_CODE_SOFTWARE : agent_run(&options);
	}
	buffer_release(&text);
	option_values_release(&options.values);
	return code;
}
