/* Models of the Hugging Face Hub: https://huggingface.co/docs/hub/api. Two answers make one: what the Hub tells of a repository (its
 * commit, how many parameters its safetensors hold) and the config.json of that commit. Pure. */
#ifndef FLEETPLAN_HWDB_FEEDS_HUGGING_FACE_H
#define FLEETPLAN_HWDB_FEEDS_HUGGING_FACE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/failure.h"

struct hub_model {
	const char *repo, *sha;
	const char *dtypes;  /* of safetensors: "BF16", "BF16, F32"; NULL */
	double params_total; /* of safetensors; absent where it has none, or packs several values into one */
};

/* "org/name" of letters, digits, "-", "_", ".". */
bool hub_repo_is_valid(const char *repo);

/* https://huggingface.co/api/models/REPO, and what it answered. */
const char *hub_model_url(const char *base_url, const char *repo, struct arena *arena);
FALLIBLE enum status hub_model_read(const char *text, size_t length, const char *repo, struct arena *arena, struct hub_model *model,
	struct failure *failure);

/* A file of the commit that the model told of. */
const char *hub_file_url(const char *base_url, const struct hub_model *model, const char *file, struct arena *arena);

#endif
