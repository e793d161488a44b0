#include "cli/detach.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/exit_code.h"

static int detach_wait(int fd)
{
	unsigned char code = EXIT_CODE_SOFTWARE; /* the child ended without a report */

	if (read(fd, &code, 1) != 1)
		code = EXIT_CODE_SOFTWARE;
	close(fd);
	return code;
}

bool detach_fork(struct detach *detach, int *code)
{
	int ends[2];
	pid_t child;

	*code = EXIT_CODE_UNAVAILABLE;
	if (pipe2(ends, O_CLOEXEC) != 0) {
		perror("fleetplan: pipe");
		return false;
	}
	child = fork();
	if (child == 0) {
		close(ends[0]);
		setsid();
		detach->report_fd = ends[1];
		return true;
	}
	close(ends[1]);
	if (child < 0) {
		perror("fleetplan: fork");
		close(ends[0]);
		return false;
	}
	*code = detach_wait(ends[0]);
	if (*code != EXIT_CODE_OK)
		waitpid(child, NULL, 0);
	return false;
}

static void detach_report(struct detach *detach, int code)
{
	unsigned char byte = (unsigned char)code;

	if (detach->report_fd < 0)
		return;
	(void)!write(detach->report_fd, &byte, 1);
	close(detach->report_fd);
	detach->report_fd = -1;
}

void detach_ready(struct detach *detach)
{
	int null;

	if (detach->report_fd < 0)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
	detach_report(detach, EXIT_CODE_OK);
}

void detach_failed(struct detach *detach, int code)
{
	detach_report(detach, code);
}
