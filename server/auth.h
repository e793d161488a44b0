/* Authentication: API keys and their roles.
 *
 * A key is "fp_" and 256 random bits in base 64. It is shown once, when it is made; only its SHA-256 is stored. A
 * key of so much entropy does not need a slow hash. The result of a look-up is cached for AUTH_REMEMBER_SECONDS: a
 * steady client costs no look-up, and a key that another process made or revoked takes effect within that time.
 * Thread-safe. */
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
	char owner[AUTH_ID_SIZE];                                            /* id of the first key in the chain of rotated keys */
	char scope_key[LABEL_KEY_MAX + 1], scope_value[LABEL_VALUE_MAX + 1]; /* "": the key has no scope */
	bool keyless;                                                        /* the daemon has no keys, so the caller needs none */
};

/* Makes the authenticator. With `open`, every caller is admin while no key exists (loopback, or --insecure). NULL: no
 * memory. */
struct auth *auth_new(struct storage *storage, bool open);
void auth_free(struct auth *auth);

/* Identifies the key in an Authorization header (NULL: not sent). `client` is the client's address, as in struct peer.
 * STATUS_UNAUTHORIZED; STATUS_TOO_MANY_REQUESTS for a wrong key from an address that sent many wrong keys
 * (server/wire/wrong_keys.h); or a failure of the storage. */
FALLIBLE enum status auth_identify(
	struct auth *auth, const char *authorization, uint64_t client, struct auth_identity *identity, struct failure *failure);

/* True if a key with the role `held` may use a route that needs `wanted`: viewer < planner < admin. An agent may use
 * only agents' routes; an admin may use them too. */
bool auth_role_covers(enum role held, enum role wanted);
bool auth_role_parse(const char *text, enum role *role);
const char *auth_role_name(enum role role);

/* Returns the identity as handlers see it. Its texts belong to the identity. */
struct principal auth_principal(const struct auth_identity *identity);

/* Make the text of a new key; compute the hash of a key's text. */
void auth_key_make(char text[AUTH_KEY_TEXT_SIZE]);
void auth_key_hash(const char *text, unsigned char hash[KEY_HASH_BYTES]);
/* True if the text can be a key that was made elsewhere (a mounted secret): 32 to 256 characters of base 64 and
 * "_-." */
bool auth_key_plausible(const char *text);

#endif
