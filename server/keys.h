/* Making and storing API keys: for `fleetplan keys`, --bootstrap-key-file and the admin's endpoint. Thread-safe. */
#ifndef FLEETPLAN_SERVER_KEYS_H
#define FLEETPLAN_SERVER_KEYS_H

#include "base/buffer.h"
#include "hwdb/catalogue/records.h"
#include "server/auth.h"

enum { KEYS_PREFIX_LENGTH = 8 };

/* Makes a key and stores its hash; `text` is shown once and then forgotten. `scope_key` NULL: for every plan. `days` 0: never expires. `id` is UUID_TEXT_SIZE. */
FALLIBLE enum status keys_create(struct storage *storage, const char *name, enum role role, const char *scope_key, const char *scope_value, unsigned days,
	char *id, char text[AUTH_KEY_TEXT_SIZE], struct failure *failure);

/* Makes the successor of a key: same role, scope and owner; the old one holds for `overlap_hours` more. What it is, in *key, with text in the arena. */
FALLIBLE enum status keys_rotate(struct storage *storage, const char *of, unsigned days, unsigned overlap_hours, char *id, char text[AUTH_KEY_TEXT_SIZE],
	struct arena *arena, struct key_record *key, struct failure *failure);

/* The audit log's entry of what the command did to a key. Its text must live until the job is done. */
struct audit_record keys_audit(const char *what, const char *id);

/* Accepts the key in a file (its first line) as admin, unless it is known already. */
FALLIBLE enum status keys_bootstrap(struct storage *storage, const char *path, struct failure *failure);

#endif
