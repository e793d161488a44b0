#include "cli/serve.h"

#include <malloc.h>
#include <signal.h>
#include <sodium.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/log_file.h"
#include "cli/detach.h"
#include "cli/exit_code.h"
#include "server/http.h"
#include "server/options.h"
#include "server/server.h"
#include "server/wire/listen.h"

/* The exit code of a failed start: a supervisor decides by it whether to try again. */
static enum exit_code serve_exit_code(const struct failure *failure, bool bound)
{
	if (failure->status == STATUS_INVALID || failure->status == STATUS_NOT_FOUND)
		return EXIT_CODE_CONFIGURATION;
	if (failure->status == STATUS_FORBIDDEN)
		return EXIT_CODE_NO_PERMISSION;
	if (failure->status == STATUS_CONFLICT)
		return EXIT_CODE_TEMPORARY;
	return bound ? EXIT_CODE_STORAGE : EXIT_CODE_UNAVAILABLE;
}

/* Makes free() return large blocks (a trace of a million rows) to the system. By default glibc raises its threshold at
 * the first such block, and keeps 200 MB when 20 MB are in use. */
static void serve_return_large_blocks(void)
{
#ifdef __GLIBC__
	enum { LARGE_BYTES = 1024 * 1024 };

	(void)mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
#endif
}

/* Waits at most `seconds`. True: a second signal arrived. */
static bool serve_wait_for_signal(const sigset_t *ends, unsigned seconds)
{
	const struct timespec wait = {.tv_sec = seconds};

	return seconds > 0 && sigtimedwait(ends, NULL, &wait) > 0;
}

/* True if all requests and jobs finished in time and without a second signal. */
static bool serve_drain(struct server *server, const sigset_t *ends)
{
	const struct options *options = server->options;
	bool hurried, drained = false;

	atomic_store(&server->draining, true);
	log_event(
		LOG_INFO, "draining", LOG_INTEGER("quiet_seconds", options->quiet_seconds), LOG_INTEGER("drain_seconds", options->drain_seconds));
	hurried = serve_wait_for_signal(ends, options->quiet_seconds);
	http_quiesce(server->http);
	for (unsigned second = 0; second <= options->drain_seconds && !drained && !hurried; second++) {
		drained = http_drain(server->http, 1);
		hurried = !drained && sigtimedwait(ends, NULL, &(struct timespec){0}) > 0;
	}
	if (!drained) {
		http_cut_jobs(server->http); /* a client that waits for a job receives an answer */
		(void)http_drain(server->http, hurried ? 1 : 2);
	}
	return drained;
}

static int serve_run(const struct options *options, struct detach *detach)
{
	static struct failure failure; /* static: 13 kB; only the main thread uses it */
	struct server server;
	int64_t started_ns = clock_monotonic_ns();
	sigset_t ends;
	bool whole;
	int signal_number;

	serve_return_large_blocks();
	signals_block(&ends);
	if (!log_file_open(!*options->log_file && options->detach ? "fleetplan.log" : options->log_file, options->log_level, &failure))
		return exit_code_report(&failure, EXIT_CODE_CONFIGURATION);
	log_file_start();
	if (server_open(&server, options, &failure) != STATUS_OK)
		return exit_code_report(&failure, serve_exit_code(&failure, server.http != NULL));
	log_event(LOG_INFO, "ready", LOG_TEXT("listen", http_address(server.http)), LOG_TEXT("database", options->database),
		LOG_TEXT("version", FLEETPLAN_VERSION), LOG_DOUBLE("start_ms", (double)(clock_monotonic_ns() - started_ns) / 1e6),
		LOG_INTEGER("pid", getpid()));
	detach_ready(detach);
	signal_number = signals_wait(&ends);
	whole = serve_drain(&server, &ends);
	whole = server_close(&server, 0) && whole;
	log_event(LOG_INFO, "stopped", LOG_TEXT("signal", signal_number == SIGTERM ? "SIGTERM" : "SIGINT"),
		LOG_TEXT("requests", whole ? "all answered" : "some cut off"));
	return whole ? EXIT_CODE_OK : EXIT_CODE_TEMPORARY;
}

int serve_main(int argc, char **argv)
{
	static struct failure failure;
	struct options options;
	struct buffer text;
	struct detach detach = DETACH_NONE;
	int code;

	buffer_init(&text, 64 * 1024);
	if (options_read(&options, argc, argv, &failure) != STATUS_OK) {
		code = exit_code_report(&failure, EXIT_CODE_CONFIGURATION);
	} else if (options.values.check_config && !options.values.help && listen_check(options.listen, &failure) != STATUS_OK) {
		code = exit_code_report(&failure, EXIT_CODE_CONFIGURATION);
	} else if (options.values.help || options.values.check_config) {
		if (options.values.help)
			options_write_help(&text);
		else
			options_write_effective(&options, &text);
		code = fputs(text.bytes, stdout) == EOF ? EXIT_CODE_FAILED : EXIT_CODE_OK;
	} else if (sodium_init() < 0) {
		code = EXIT_CODE_SOFTWARE;
	} else if (!options.detach || detach_fork(&detach, &code)) {
		code = serve_run(&options, &detach);
		detach_failed(&detach, code);
	}
	buffer_release(&text);
	options_release(&options);
	return code;
}
