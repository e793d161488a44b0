/* Makes and stores API keys: for `fleetplan keys`, --bootstrap-key-file, --first-key-file and the admin's endpoint. Thread-safe. */
#ifndef FLEETPLAN_SERVER_KEYS_H
#define FLEETPLAN_SERVER_KEYS_H

#include "base/buffer.h"
#include "hwdb/catalogue/records.h"
#include "server/auth.h"

enum { KEYS_PREFIX_LENGTH = 8 };

/* Makes a key and stores its hash. `text` is shown once and not stored. `scope_key` NULL: the key sees every plan.
 * `days` 0: the key does not expire. `id` has UUID_TEXT_SIZE bytes. */
FALLIBLE enum status keys_create(struct storage *storage, const char *name, enum role role, const char *scope_key, const char *scope_value,
	unsigned days, char *id, char text[AUTH_KEY_TEXT_SIZE], struct failure *failure);

/* Makes the successor of a key, with the same role, scope and owner. The old key stays valid for `overlap_hours`. Fills
 * *key; its texts live in the arena. */
FALLIBLE enum status keys_rotate(struct storage *storage, const char *of, unsigned days, unsigned overlap_hours, char *id,
	char text[AUTH_KEY_TEXT_SIZE], struct arena *arena, struct key_record *key, struct failure *failure);

/* Makes the audit entry for a command that changed a key. The entry's texts must live until the job is done. */
struct audit_record keys_audit(const char *what, const char *id);

/* Stores the key in a file (its first line) as an admin key, unless it is already stored. */
FALLIBLE enum status keys_bootstrap(struct storage *storage, const char *path, struct failure *failure);

/* Makes an admin key, writes it to a file with mode 0600, and then stores it. Replaces a file only if its first line is a
 * key: while no key is stored, that key opens nothing. `id` has UUID_TEXT_SIZE bytes. */
FALLIBLE enum status keys_first(struct storage *storage, const char *path, char *id, struct failure *failure);

#endif
