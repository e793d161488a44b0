#include "server/auth.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <strings.h>

#include "base/clock.h"
#include "base/log.h"
#include "hwdb/catalogue/records.h"
#include "server/wire/wrong_keys.h"

enum { AUTH_SLOTS = 512, AUTH_TOKEN_MAX = 256, AUTH_ARENA_BYTES = 64 * 1024 };

struct auth_slot {
	unsigned char hash[KEY_HASH_BYTES];
	int64_t until_ns; /* monotonic; 0: empty */
	bool known;       /* false: the cache says that there is no such key */
	struct auth_identity identity;
};

struct auth {
	struct storage *storage;
	bool open;
	pthread_mutex_t mutex;
	int64_t count_until_ns, key_count;
	struct wrong_keys wrong_keys;
	struct auth_slot slots[AUTH_SLOTS]; /* index: the hash's first two bytes; a new entry replaces the old one */
};

static const char *const auth_roles[ROLE_COUNT] = {
	[ROLE_VIEWER] = "viewer", [ROLE_PLANNER] = "planner", [ROLE_ADMIN] = "admin", [ROLE_AGENT] = "agent"};

struct auth *auth_new(struct storage *storage, bool open)
{
	struct auth *auth = calloc(1, sizeof *auth);

	if (!auth)
		return NULL;
	auth->storage = storage;
	auth->open = open;
	pthread_mutex_init(&auth->mutex, NULL);
	wrong_keys_init(&auth->wrong_keys);
	return auth;
}

void auth_free(struct auth *auth)
{
	if (!auth)
		return;
	wrong_keys_release(&auth->wrong_keys);
	pthread_mutex_destroy(&auth->mutex);
	sodium_memzero(auth, sizeof *auth);
	free(auth);
}

static int64_t auth_until_ns(void)
{
	return clock_monotonic_ns() + AUTH_REMEMBER_SECONDS * 1000000000LL;
}

/* Sets *open: callers need no key. */
static enum status auth_is_open(struct auth *auth, bool *open, struct failure *failure)
{
	int64_t count, now_ns = clock_monotonic_ns();
	bool fresh;
	enum status status;

	*open = false;
	if (!auth->open)
		return STATUS_OK;
	pthread_mutex_lock(&auth->mutex);
	count = auth->key_count;
	fresh = now_ns < auth->count_until_ns;
	pthread_mutex_unlock(&auth->mutex);
	if (!fresh) {
		status = storage_key_count(auth->storage, &count, failure);
		if (status != STATUS_OK)
			return status;
		pthread_mutex_lock(&auth->mutex);
		auth->key_count = count;
		auth->count_until_ns = auth_until_ns();
		pthread_mutex_unlock(&auth->mutex);
	}
	*open = count == 0;
	return STATUS_OK;
}

static struct auth_slot *auth_slot_of(struct auth *auth, const unsigned char *hash)
{
	return &auth->slots[(hash[0] | (unsigned)hash[1] << 8) % AUTH_SLOTS];
}

/* True if the hash is in the cache; *known: it is a key. */
static bool auth_recall(struct auth *auth, const unsigned char *hash, bool *known, struct auth_identity *identity)
{
	const struct auth_slot *slot = auth_slot_of(auth, hash);
	int64_t now_ns = clock_monotonic_ns();
	bool recalled;

	pthread_mutex_lock(&auth->mutex);
	recalled = now_ns < slot->until_ns && sodium_memcmp(slot->hash, hash, KEY_HASH_BYTES) == 0;
	if (recalled) {
		*known = slot->known;
		*identity = slot->identity;
	}
	pthread_mutex_unlock(&auth->mutex);
	return recalled;
}

static void auth_remember(struct auth *auth, const unsigned char *hash, bool known, const struct auth_identity *identity)
{
	struct auth_slot *slot = auth_slot_of(auth, hash);

	pthread_mutex_lock(&auth->mutex);
	memcpy(slot->hash, hash, KEY_HASH_BYTES);
	slot->known = known;
	slot->identity = *identity;
	slot->until_ns = auth_until_ns();
	pthread_mutex_unlock(&auth->mutex);
}

static enum status auth_look_up(
	struct auth *auth, const unsigned char *hash, bool *known, struct auth_identity *identity, struct failure *failure)
{
	struct key_record key = {0};
	struct arena arena;
	enum status status;

	arena_init(&arena, AUTH_ARENA_BYTES);
	status = storage_key_find(auth->storage, hash, &arena, &key, failure);
	*known = status == STATUS_OK && auth_role_parse(key.role, &identity->role);
	if (*known) {
		snprintf(identity->id, sizeof identity->id, "%s", key.id);
		snprintf(identity->name, sizeof identity->name, "%s", key.name ? key.name : "");
		snprintf(identity->owner, sizeof identity->owner, "%s", key.family ? key.family : key.id);
		snprintf(identity->scope_key, sizeof identity->scope_key, "%s", key.scope_key ? key.scope_key : "");
		snprintf(identity->scope_value, sizeof identity->scope_value, "%s", key.scope_value ? key.scope_value : "");
	}
	arena_release(&arena);
	if (status != STATUS_OK && status != STATUS_NOT_FOUND)
		return status;
	failure_clear(failure);
	auth_remember(auth, hash, *known, identity);
	return STATUS_OK;
}

/* The token of "Bearer TOKEN", NULL when the header is something else. */
static const char *auth_token(const char *authorization)
{
	if (strncasecmp(authorization, "Bearer ", 7) != 0)
		return NULL;
	authorization += 7 + strspn(authorization + 7, " ");
	return strlen(authorization) <= AUTH_TOKEN_MAX ? authorization : NULL;
}

/* Rejects a wrong key. The status depends on the number of wrong keys from this address. */
static enum status auth_refuse(struct auth *auth, uint64_t client, struct failure *failure)
{
	bool first;
	int wait_s = wrong_keys_count(&auth->wrong_keys, client, clock_monotonic_ns(), &first);

	if (wait_s == 0)
		return failure_set(failure, STATUS_UNAUTHORIZED, "this API key is unknown, revoked or expired");
	if (first)
		log_event(LOG_WARNING, "wrong_keys", LOG_INTEGER("in_a_minute", WRONG_KEYS_A_MINUTE));
	failure->retry_after_s = wait_s;
	return failure_set(failure, STATUS_TOO_MANY_REQUESTS,
		"this API key is wrong, and this address sent more than %d wrong API keys within a minute; a valid key is accepted at any time",
		WRONG_KEYS_A_MINUTE);
}

enum status auth_identify(
	struct auth *auth, const char *authorization, uint64_t client, struct auth_identity *identity, struct failure *failure)
{
	unsigned char hash[KEY_HASH_BYTES];
	const char *token;
	enum status status;
	bool known = false, open;

	*identity = (struct auth_identity){.role = ROLE_ADMIN, .id = "anonymous", .name = "anonymous", .owner = "anonymous"};
	status = auth_is_open(auth, &open, failure);
	identity->keyless = open;
	if (status != STATUS_OK || open)
		return status;
	if (!authorization)
		return failure_set(failure, STATUS_UNAUTHORIZED, "an API key is required; send it as Authorization: Bearer KEY");
	token = auth_token(authorization);
	if (!token)
		return failure_set(failure, STATUS_UNAUTHORIZED, "the Authorization header is not valid; send Authorization: Bearer KEY");
	auth_key_hash(token, hash);
	if (!auth_recall(auth, hash, &known, identity)) {
		status = auth_look_up(auth, hash, &known, identity, failure);
		if (status != STATUS_OK)
			return status;
	}
	return known ? STATUS_OK : auth_refuse(auth, client, failure);
}

struct principal auth_principal(const struct auth_identity *identity)
{
	bool scoped = *identity->scope_key;

	return (struct principal){.role = identity->role,
		.id = identity->id,
		.name = identity->name,
		.owner = identity->owner,
		.scope_key = scoped ? identity->scope_key : NULL,
		.scope_value = scoped ? identity->scope_value : NULL};
}

bool auth_role_covers(enum role held, enum role wanted)
{
	switch (held) {
	case ROLE_ADMIN:
		return true;
	case ROLE_PLANNER:
		return wanted == ROLE_PLANNER || wanted == ROLE_VIEWER;
	case ROLE_VIEWER:
		return wanted == ROLE_VIEWER;
	case ROLE_AGENT:
		return wanted == ROLE_AGENT;
	case ROLE_OPEN:
	case ROLE_COUNT:
		break;
	}
	return false;
}

bool auth_role_parse(const char *text, enum role *role)
{
	for (enum role i = 0; text && i < ROLE_COUNT; i++) {
		if (auth_roles[i] && strcmp(auth_roles[i], text) == 0) {
			*role = i;
			return true;
		}
	}
	return false;
}

const char *auth_role_name(enum role role)
{
	return role < ROLE_COUNT && auth_roles[role] ? auth_roles[role] : "open";
}

void auth_key_make(char text[AUTH_KEY_TEXT_SIZE])
{
	unsigned char secret[32];

	randombytes_buf(secret, sizeof secret);
	snprintf(text, AUTH_KEY_TEXT_SIZE, "fp_");
	sodium_bin2base64(text + 3, AUTH_KEY_TEXT_SIZE - 3, secret, sizeof secret, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	sodium_memzero(secret, sizeof secret);
}

void auth_key_hash(const char *text, unsigned char hash[KEY_HASH_BYTES])
{
	crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
}

bool auth_key_plausible(const char *text)
{
	size_t length = strlen(text);

	return length >= 32 && length <= AUTH_TOKEN_MAX &&
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=_-.") == length;
}
