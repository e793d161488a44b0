/* Members of one model configuration, read under the several names that families give them.
 *
 * A member that is absent or null answers `otherwise`. What has the wrong type or lies out of bounds becomes a fault at
 * its pointer and answers `otherwise` too; a reader with faults must not be used to build a model. Lists of names end
 * in NULL; a name may hold one dot ("attn_config.kv_n_heads"). Internal to hwdb: json_t stays here. */
#ifndef FLEETPLAN_HWDB_MODELS_CONFIG_READER_H
#define FLEETPLAN_HWDB_MODELS_CONFIG_READER_H

#include <jansson.h>
#include <stdbool.h>

#include "base/failure.h"

struct config_reader {
	const json_t *config; /* the language model's part */
	const json_t *outer; /* the whole, when config is nested in it; else NULL */
	const char *pointer; /* where the whole stands in the request */
	char inside[64]; /* "" or "/text_config" */
	struct failure *failure;
};

enum { CONFIG_REQUIRED = -1 }; /* as `otherwise`: absence is a fault */

/* The member, or NULL when it is absent or null; *name (may be NULL) is the name it was found under. */
const json_t *config_find(const struct config_reader *reader, const char *const *names, const char **name);

/* A whole number, or a list of which every entry is the same one. */
int config_int(const struct config_reader *reader, const char *const *names, int low, int high, int otherwise);
double config_number(const struct config_reader *reader, const char *name, double otherwise);
bool config_bool(const struct config_reader *reader, const char *name, bool otherwise);
const char *config_text(const struct config_reader *reader, const char *name, const char *otherwise);

/* A list of that many texts or numbers, or NULL; another length is a fault. */
const json_t *config_list(const struct config_reader *reader, const char *name, int length);

/* Whether a list of numbers holds one. */
bool config_list_holds(const json_t *list, int number);

void config_fault(const struct config_reader *reader, const char *name, const char *code, const char *format, ...)
	PRINTF_LIKE(4, 5);

#define CONFIG_NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

#endif
