/* Models of the Hugging Face Hub: https://huggingface.co/docs/hub/api. A model needs two answers: the Hub's description
 * of a repository (its commit, the number of parameters in its safetensors) and the config.json of that commit.
 * Pure. */
#ifndef FLEETPLAN_HWDB_FEEDS_HUGGING_FACE_H
#define FLEETPLAN_HWDB_FEEDS_HUGGING_FACE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/failure.h"

struct hub_model {
	const char *repo, *sha;
	const char *dtypes;  /* dtypes of the safetensors: "BF16", "BF16, F32"; NULL */
	double params_total; /* from the safetensors; absent without them, or where they pack several values into one */
};

/* True for "org/name" of letters, digits, "-", "_", ".". */
bool hub_repo_is_valid(const char *repo);

/* Build https://huggingface.co/api/models/REPO and read its answer. */
const char *hub_model_url(const char *base_url, const char *repo, struct arena *arena);
FALLIBLE enum status hub_model_read(
	const char *text, size_t length, const char *repo, struct arena *arena, struct hub_model *model, struct failure *failure);

/* Builds the URL of a file of the model's commit. */
const char *hub_file_url(const char *base_url, const struct hub_model *model, const char *file, struct arena *arena);

#endif
