/* API keys: only the SHA-256 of a key is stored. The server makes the key and shows it once. */
#ifndef FLEETPLAN_STORAGE_KEYS_H
#define FLEETPLAN_STORAGE_KEYS_H

#include "storage/storage.h"

struct key_record; /* hwdb/catalogue/records.h */

enum { KEY_HASH_BYTES = 32 };

/* Adds a key. STATUS_CONFLICT if the id or the hash exists already (a bootstrap key that the first start stored). */
struct key_put {
	struct storage_job job;
	const struct key_record *key;
	unsigned char hash[KEY_HASH_BYTES];
};

/* Replaces a key in one commit: the new key has the old one's role, scope and family; the old key stays valid until
 * `old_expires_at_us` (0: until its own end). `key` has id, name (NULL: the old one's), prefix, created_at_us and
 * expires_at_us; `made` is the complete key. STATUS_NOT_FOUND if there is no valid key `of`. */
struct key_rotate {
	struct storage_job job;
	const char *of;
	const struct key_record *key;
	unsigned char hash[KEY_HASH_BYTES];
	int64_t old_expires_at_us;
	struct key_record *made; /* output, its text in the job's arena */
};

/* Revokes a key; the row stays, with revoked_at. STATUS_NOT_FOUND if there is no valid key. */
struct key_revoke {
	struct storage_job job;
	const char *id;
};

/* Returns the valid key with this hash, compared in constant time; STATUS_NOT_FOUND if there is none or it was revoked. */
FALLIBLE enum status storage_key_find(struct storage *storage, const unsigned char hash[KEY_HASH_BYTES], struct arena *arena,
	struct key_record *key, struct failure *failure);

struct key_list {
	struct key_record *items;
	size_t count;
	const char *next_cursor;
};
FALLIBLE enum status storage_key_list(
	struct storage *storage, const struct page_request *page, struct arena *arena, struct key_list *list, struct failure *failure);

FALLIBLE enum status storage_key_count(
	struct storage *storage, int64_t *count, struct failure *failure); /* counts keys that are not revoked, expired ones included */

#endif
