/* Loaded into the daemon with LD_PRELOAD. Puts its database on a disk that loses power (support/vfs_powerloss.h).
 *
 * SIGRTMIN+5 cuts the power at one of the next 100 writes, chosen by the seed in POWER_SEED, and the process dies with
 * SIGKILL. Of data that was not synced, the disk keeps a part, in sectors of 512 bytes. POWER_LIES=1 makes syncs do
 * nothing, to test the test itself. Writes the numbers of kept and lost sectors to descriptor 2 as a line of JSON. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/status.h"
#include "support/vfs_powerloss.h"

/* The end of CHECK, here without the daemon's log. */
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
	dprintf(STDERR_FILENO, "\n{\"event\":\"power_cut\",\"sectors_kept\":%llu,\"sectors_lost\":%llu}\n",
		(unsigned long long)result.sectors_kept, (unsigned long long)result.sectors_lost);
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
	sigfillset(&all); /* the daemon's own threads handle its signals */
	CHECK(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
	CHECK(pthread_create(&thread, NULL, wait_for_cut, (void *)seed) == 0);
	CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
}
