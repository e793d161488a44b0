#include "hwdb/feeds/hugging_face.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "hwdb/feeds/feed_json.h"
#include "schema/json_tree.h"

bool hub_repo_is_valid(const char *repo)
{
	const char *slash = strchr(repo, '/');

	if (!slash || slash == repo || !slash[1] || strchr(slash + 1, '/') || strlen(repo) > 128 || strstr(repo, ".."))
		return false;
	for (const char *c = repo; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_./", *c))
			return false;
	return repo[0] != '.' && slash[1] != '.';
}

const char *hub_model_url(const char *base_url, const char *repo, struct arena *arena)
{
	return arena_printf(arena, "%s/api/models/%s", base_url, repo);
}

const char *hub_file_url(const char *base_url, const struct hub_model *model, const char *file, struct arena *arena)
{
	return arena_printf(arena, "%s/%s/resolve/%s/%s", base_url, model->repo, model->sha, file);
}

/* Returns the safetensors' total, where each of their numbers is one parameter: formats of a byte or less are packed
 * into integers. */
static double params_of(const json_t *safetensors)
{
	const json_t *parameters = feed_json_object(safetensors, "parameters"), *count;
	double total = 0, packed = 0;
	const char *dtype;

	json_object_foreach ((json_t *)(uintptr_t)parameters, dtype, count) {
		double value = json_is_number(count) ? json_number_value(count) : 0;

		total += value;
		if (strcmp(dtype, "I32") == 0 || strcmp(dtype, "I64") == 0 || strcmp(dtype, "U8") == 0 || strcmp(dtype, "I8") == 0)
			packed += value;
	}
	return total >= 1e6 && total <= 1e15 && packed < 0.01 * total ? total : ABSENT_NUMBER;
}

/* Returns the names of formats; NULL: none, or an invalid name. */
static const char *dtypes_of(const json_t *safetensors, struct arena *arena)
{
	const json_t *parameters = feed_json_object(safetensors, "parameters"), *count;
	const char *dtype, *text = NULL;

	json_object_foreach ((json_t *)(uintptr_t)parameters, dtype, count) {
		if (strspn(dtype, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(dtype) || strlen(dtype) > 12 || (text && strlen(text) > 60))
			return NULL;
		text = arena_printf(arena, "%s%s%s", text ? text : "", text ? ", " : "", dtype);
	}
	return text;
}

enum status hub_model_read(
	const char *text, size_t length, const char *repo, struct arena *arena, struct hub_model *model, struct failure *failure)
{
	const char *id, *sha;
	json_error_t error;
	bool no_memory;
	json_t *tree = json_tree_read(text, length, 0, &error, &no_memory);
	enum status status = STATUS_OK;

	if (!tree)
		return failure_set(failure, no_memory ? STATUS_NO_MEMORY : STATUS_UNAVAILABLE, "hugging-face: the answer is not JSON");
	id = feed_json_text(tree, "id");
	sha = feed_json_text(tree, "sha");
	/* Renamed repositories answer with their new name. */
	if (!id || !hub_repo_is_valid(id))
		status = failure_set(failure, STATUS_UNAVAILABLE, "hugging-face: the answer about %s names no model", repo);
	else if (!sha || strlen(sha) != 40 || strspn(sha, "0123456789abcdef") != 40)
		status = failure_set(failure, STATUS_UNAVAILABLE, "hugging-face: the answer about %s names no commit", repo);
	else
		*model = (struct hub_model){.repo = arena_strdup(arena, id),
			.sha = arena_strdup(arena, sha),
			.dtypes = dtypes_of(feed_json_object(tree, "safetensors"), arena),
			.params_total = params_of(feed_json_object(tree, "safetensors"))};
	json_decref(tree);
	return status != STATUS_OK ? status : model->repo && model->sha ? STATUS_OK : STATUS_NO_MEMORY;
}
