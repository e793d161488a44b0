/* Readers of the members of one model configuration, under the several names that families give them.
 *
 * A member that is absent or null returns `otherwise`. A member of the wrong type or out of bounds adds a fault at its
 * pointer and also returns `otherwise`; a reader with faults must not be used to build a model. Lists of names end in
 * NULL; a name may contain one dot ("attn_config.kv_n_heads"). Internal to hwdb, so that json_t stays in it. */
#ifndef FLEETPLAN_HWDB_MODELS_CONFIG_READER_H
#define FLEETPLAN_HWDB_MODELS_CONFIG_READER_H

#include <jansson.h>
#include <stdbool.h>

#include "base/failure.h"

struct config_reader {
	const json_t *config; /* the language model's part */
	const json_t *outer;  /* the whole configuration when `config` is nested in it; else NULL */
	const char *pointer;  /* pointer of the whole configuration in the request */
	char inside[64];      /* path of the part: "" or "/text_config" */
	struct failure *failure;
};

enum { CONFIG_REQUIRED = -1 }; /* for `otherwise`: an absent member is a fault */

/* Returns the member, or NULL when it is absent or null; *name (may be NULL) is the name under which it was found. */
const json_t *config_find(const struct config_reader *reader, const char *const *names, const char **name);

/* Returns a whole number, also from a list whose entries are all the same number. */
int config_int(const struct config_reader *reader, const char *const *names, int low, int high, int otherwise);
double config_number(const struct config_reader *reader, const char *name, double otherwise);
bool config_bool(const struct config_reader *reader, const char *name, bool otherwise);
const char *config_text(const struct config_reader *reader, const char *name, const char *otherwise);

/* Returns a list of `length` texts or numbers, or NULL; another length is a fault. */
const json_t *config_list(const struct config_reader *reader, const char *name, int length);

/* True if a list of numbers contains the number. */
bool config_list_holds(const json_t *list, int number);

void config_fault(const struct config_reader *reader, const char *name, const char *code, const char *format, ...) PRINTF_LIKE(4, 5);

#define CONFIG_NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
