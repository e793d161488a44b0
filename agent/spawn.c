#include "agent/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include "base/status.h"

enum { LINES_FD = 3 };

struct pipe_ends {
	int from, to;
};

static int pipe_open(struct pipe_ends *ends)
{
	int fds[2];

	*ends = (struct pipe_ends){-1, -1};
	if (pipe2(fds, O_CLOEXEC))
		return errno;
	*ends = (struct pipe_ends){fds[0], fds[1]};
	return fcntl(ends->from, F_SETFL, O_NONBLOCK) ? errno : 0;
}

static void pipe_close(struct pipe_ends *ends)
{
	if (ends->from >= 0)
		close(ends->from);
	if (ends->to >= 0)
		close(ends->to);
}

/* Sets descriptor 3 first. The pipes of a process with its three standard descriptors are above 2, so that dup2 to 1 and
 * 2 never overwrites an end that is still needed. If log_fd is 3, it is moved to 1 before. */
static int describe_files(posix_spawn_file_actions_t *actions, int lines_fd, int log_fd)
{
	int log_moved = log_fd == LINES_FD ? STDOUT_FILENO : log_fd;
	int error = 0;

	if (log_fd == LINES_FD)
		error = posix_spawn_file_actions_adddup2(actions, log_fd, STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(actions, lines_fd, LINES_FD);
	if (!error)
		error = posix_spawn_file_actions_adddup2(actions, log_moved, STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(actions, log_moved, STDERR_FILENO);
	if (!error)
		error = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	return error ? error : posix_spawn_file_actions_addclosefrom_np(actions, LINES_FD + 1);
}

static int describe_process(posix_spawnattr_t *attributes)
{
	sigset_t none, all;
	int error;

	sigemptyset(&none);
	sigfillset(&all);
	error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!error)
		error = posix_spawnattr_setpgroup(attributes, 0);
	if (!error)
		error = posix_spawnattr_setsigmask(attributes, &none);
	return error ? error : posix_spawnattr_setsigdefault(attributes, &all);
}

static int spawn_with(const char *program, char *const *arguments, int lines_fd, int log_fd, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error) {
		posix_spawn_file_actions_destroy(&actions);
		return error;
	}
	error = describe_files(&actions, lines_fd, log_fd);
	if (!error)
		error = describe_process(&attributes);
	if (!error)
		error = posix_spawn(pid, program, &actions, &attributes, arguments, environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

int bench_spawn(const char *program, char *const *arguments, struct bench_process *process)
{
	struct pipe_ends lines = {-1, -1}, log = {-1, -1};
	int error = pipe_open(&lines);

	*process = (struct bench_process){-1, -1, -1};
	if (!error)
		error = pipe_open(&log);
	if (!error)
		error = spawn_with(program, arguments, lines.to, log.to, &process->pid);
	if (error) {
		pipe_close(&lines);
		pipe_close(&log);
		return error;
	}
	close(lines.to);
	close(log.to);
	process->lines_fd = lines.from;
	process->log_fd = log.from;
	return 0;
}
