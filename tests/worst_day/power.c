/* Loaded into the daemon (LD_PRELOAD): its database stands on a disk that loses power (support/vfs_powerloss.h).
 *
 * SIGRTMIN+5 cuts it at one of the next 100 writes, as the seed in POWER_SEED decides, and the process dies with SIGKILL: what the
 * disk had not been told to keep is there in part, by sectors of 512 bytes. POWER_LIES=1 makes syncs do nothing, for the
 * test of the test. What was kept and lost is written to descriptor 2 as a line of JSON. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/status.h"
#include "support/vfs_powerloss.h"

/* CHECK's end, here without the daemon's log. */
void check_failed(const char *condition, const char *file, int line)
{
	dprintf(STDERR_FILENO, "%s:%d: %s\n", file, line, condition);
	abort();
}

static sem_t cut;

static void cut_asked(int number)
{
	(void)number;
	sem_post(&cut);
}

static void *wait_for_cut(void *argument)
{
	const char *seed = argument;
	struct powerloss_result result;

	while (sem_wait(&cut) != 0)
		;
	result = powerloss_cut(strtoull(seed, NULL, 10));
	dprintf(STDERR_FILENO, "\n{\"event\":\"power_cut\",\"sectors_kept\":%llu,\"sectors_lost\":%llu}\n", (unsigned long long)result.sectors_kept,
		(unsigned long long)result.sectors_lost);
	kill(getpid(), SIGKILL);
	return NULL;
}

__attribute__((constructor)) static void install(void)
{
	const char *seed = getenv("POWER_SEED");
	sigset_t all, before;
	pthread_t thread;

	if (!seed)
		return;
	unsetenv("LD_PRELOAD"); /* workers have no database */
	powerloss_install();
	powerloss_ignore_syncs(getenv("POWER_LIES") != NULL);
	CHECK(sem_init(&cut, 0, 0) == 0);
	CHECK(sigaction(SIGRTMIN + 5, &(struct sigaction){.sa_handler = cut_asked, .sa_flags = SA_RESTART}, NULL) == 0);
	sigfillset(&all); /* the daemon's signals are its own threads' */
	CHECK(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
	CHECK(pthread_create(&thread, NULL, wait_for_cut, (void *)seed) == 0);
	CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
}
