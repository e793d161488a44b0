/* A disk that loses power: a VFS of SQLite around the system's own. It becomes the default VFS.
 *
 * Writes go to a picture of the file in memory, which reads see; a sync writes the picture to the real file. At the
 * cut every sector written since the last sync of its file reaches the real file or is lost, as a seed decides. A file
 * that was never synced may be gone; a change of size may be undone. Then every access fails until the power is back.
 * All connections of the process to a file share its picture. Thread-safe. */
#ifndef FLEETPLAN_TESTS_VFS_POWERLOSS_H
#define FLEETPLAN_TESTS_VFS_POWERLOSS_H

#include <stdbool.h>
#include <stdint.h>

void powerloss_install(void); /* once, while no connection is open */

/* Makes the disk report syncs that it does not do, like SQLite's synchronous=OFF. For the test of the test. */
void powerloss_ignore_syncs(bool ignore);

struct powerloss_result {
	uint64_t sectors_kept, sectors_lost;
};
/* Cuts the power at one of the next 100 writes of other threads, and waits for it. If they do not write that often
 * within ten seconds, it cuts without a write. */
struct powerloss_result powerloss_cut(uint64_t seed);

void powerloss_restore(void); /* no connection may be open: drops the pictures; the files stay as the cut left them */

#endif
