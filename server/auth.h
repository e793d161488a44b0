/* Who is asking: API keys and their roles.
 *
 * A key is "fp_" and 256 random bits in base 64, shown once when it is made; only its SHA-256 is stored. A key of so much
 * entropy needs no slow hash. What a hash stands for is remembered for a few seconds, so that a steady client costs no
 * look-up, and a key that another process made or revoked counts within AUTH_REMEMBER_SECONDS. Thread-safe. */
#ifndef FLEETPLAN_SERVER_AUTH_H
#define FLEETPLAN_SERVER_AUTH_H

#include <stdbool.h>

#include "base/failure.h"
#include "schema/field.h"
#include "server/handler.h"
#include "storage/keys.h"

enum { AUTH_KEY_TEXT_SIZE = 47 /* "fp_", 43 characters, NUL */, AUTH_REMEMBER_SECONDS = 2 };
enum { AUTH_ID_SIZE = 40, AUTH_NAME_SIZE = 80 };

struct auth;

struct auth_identity {
	enum role role;
	char id[AUTH_ID_SIZE], name[AUTH_NAME_SIZE];
	char owner[AUTH_ID_SIZE]; /* the first of the keys that succeeded one another */
	char scope_key[LABEL_KEY_MAX + 1], scope_value[LABEL_VALUE_MAX + 1]; /* "": it has none */
	bool keyless; /* no key exists */
};

/* `open`: while no key exists, everybody is admin (loopback, or --insecure). NULL without memory. */
struct auth *auth_new(struct storage *storage, bool open);
void auth_free(struct auth *auth);

/* Whose key this Authorization header holds; NULL is none. STATUS_UNAUTHORIZED; STATUS_TOO_MANY_REQUESTS for a wrong key of a client that showed many
 * (server/wire/wrong_keys.h; `client`: its address, as struct peer has it); or a failure of the storage. */
FALLIBLE enum status auth_identify(struct auth *auth, const char *authorization, uint64_t client, struct auth_identity *identity, struct failure *failure);

/* Whether a role may do what asks for another: viewer < planner < admin; agent is on its own, below admin. */
bool auth_role_covers(enum role held, enum role wanted);
bool auth_role_parse(const char *text, enum role *role);
const char *auth_role_name(enum role role);

/* As handlers see it; its text is the identity's. */
struct principal auth_principal(const struct auth_identity *identity);

/* A new key's text, and the hash of any. */
void auth_key_make(char text[AUTH_KEY_TEXT_SIZE]);
void auth_key_hash(const char *text, unsigned char hash[KEY_HASH_BYTES]);
/* Whether text can be a key that somebody else made (a mounted secret): 32 to 256 characters of base 64 and "_-." */
bool auth_key_plausible(const char *text);

#endif
