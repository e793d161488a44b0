/* API keys: only the SHA-256 of a key is stored. The key itself is made by the server and shown once. */
#ifndef FLEETPLAN_STORAGE_KEYS_H
#define FLEETPLAN_STORAGE_KEYS_H

#include "storage/storage.h"

struct key_record; /* hwdb/catalogue/records.h */

enum { KEY_HASH_BYTES = 32 };

/* STATUS_CONFLICT when the id or the hash exists already (a bootstrap key that was stored at the first start). */
struct key_put {
	struct storage_job job;
	const struct key_record *key;
	unsigned char hash[KEY_HASH_BYTES];
};

/* A key that takes another's place: with its role, its scope and its family, beside it until `old_expires_at_us` (0: until it ends anyway), in one
 * commit. `key` has id, name (NULL: the old one's), prefix, created_at_us and expires_at_us; `made` is the whole of it. STATUS_NOT_FOUND when there is no valid key `of`. */
struct key_rotate {
	struct storage_job job;
	const char *of;
	const struct key_record *key;
	unsigned char hash[KEY_HASH_BYTES];
	int64_t old_expires_at_us;
	struct key_record *made; /* output, its text in the job's arena */
};

/* Revokes; the row stays, with revoked_at. STATUS_NOT_FOUND when there is none that is valid. */
struct key_revoke {
	struct storage_job job;
	const char *id;
};

/* The valid key with this hash, compared in constant time; STATUS_NOT_FOUND when there is none or it was revoked. */
FALLIBLE enum status storage_key_find(struct storage *storage, const unsigned char hash[KEY_HASH_BYTES], struct arena *arena,
	struct key_record *key, struct failure *failure);

struct key_list {
	struct key_record *items;
	size_t count;
	const char *next_cursor;
};
FALLIBLE enum status storage_key_list(struct storage *storage, const struct page_request *page, struct arena *arena,
	struct key_list *list, struct failure *failure);

FALLIBLE enum status storage_key_count(struct storage *storage, int64_t *count, struct failure *failure); /* not revoked; an expired one counts */

#endif
