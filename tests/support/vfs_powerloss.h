/* A disk that loses power: a VFS of SQLite around the system's own, which becomes the default one.
 *
 * What is written goes to a picture of the file in memory, which reads see; a sync brings it to the real file. At the cut
 * every sector written since the last sync of its file reaches the real file or not, as a seed decides; a file that was
 * never synced may be gone; a change of size may be undone. From then on every access fails, until the power is
 * back. All connections of the process to a file share its picture. Thread-safe. */
#ifndef FLEETPLAN_TESTS_VFS_POWERLOSS_H
#define FLEETPLAN_TESTS_VFS_POWERLOSS_H

#include <stdbool.h>
#include <stdint.h>

void powerloss_install(void); /* once, while no connection is open */

/* A disk that says it has synced and has not: what SQLite's synchronous=OFF amounts to. For the test of the test. */
void powerloss_ignore_syncs(bool ignore);

struct powerloss_result {
	uint64_t sectors_kept, sectors_lost;
};
/* Cuts the power at one of the next 100 writes, while others go on writing, and waits for it; cuts by itself when
 * nobody has written so much in ten seconds. */
struct powerloss_result powerloss_cut(uint64_t seed);

void powerloss_restore(void); /* no connection may be open: pictures are forgotten, files are as the cut left them */

#endif
