#include "base/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

enum { STOP_WAIT_MS = 500 };

static struct {
	const char *path;
	int fd;
} log_file = {.fd = -1};

static int file_open(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
}

bool log_file_open(const char *path, const char *level, struct failure *failure)
{
	static const char *const levels[LOG_LEVEL_COUNT] = {"debug", "info", "warning", "error"};

	for (enum log_level i = 0; i < LOG_LEVEL_COUNT; i++) {
		if (strcmp(level, levels[i]) == 0)
			log_set_level(i);
	}
	if (!path || !*path)
		return true;
	log_file.path = path;
	log_file.fd = file_open(path);
	if (log_file.fd < 0)
		(void)!failure_set(failure, STATUS_INVALID, "log-file: %s: %s", path, strerror(errno));
	else
		log_set_file(log_file.fd);
	return log_file.fd >= 0;
}

/* dup3() gives the new file the old one's descriptor, so that a write of another thread reaches one of the two files. */
static void log_file_reopen(void)
{
	int fd = log_file.path ? file_open(log_file.path) : -1;

	if (!log_file.path)
		return;
	if (fd < 0 || dup3(fd, log_file.fd, O_CLOEXEC) < 0)
		log_event(LOG_ERROR, "log_not_reopened", LOG_TEXT("file", log_file.path), LOG_TEXT("error", strerror(errno)));
	else
		log_event(LOG_INFO, "log_reopened", LOG_TEXT("file", log_file.path));
	if (fd >= 0)
		close(fd);
}

static void log_file_stop(void)
{
	(void)log_stop(STOP_WAIT_MS);
}

void log_file_start(void)
{
	if (!log_start())
		log_event(
			LOG_WARNING, "log_without_thread", LOG_TEXT("error", "the log's thread cannot be started; each caller writes its own lines"));
	(void)atexit(log_file_stop);
}

void signals_block(sigset_t *ends)
{
	sigset_t all;

	sigemptyset(ends);
	sigaddset(ends, SIGTERM);
	sigaddset(ends, SIGINT);
	all = *ends;
	sigaddset(&all, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &all, NULL); /* threads inherit the mask; the main thread waits for the signals */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
}

int signals_wait(const sigset_t *ends)
{
	sigset_t all = *ends;
	int number = 0;

	sigaddset(&all, SIGHUP);
	while (sigwait(&all, &number) != 0 || number == SIGHUP)
		log_file_reopen();
	return number;
}
