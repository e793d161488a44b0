/* POST /v1/models/import: makes a catalogue row from a Hugging Face config.json that the client sends or the Hub has.
 * Requests to the Hub run on the feed's thread: no worker waits for the Hub. */
#include "api/tables/tables.h"
#include "base/clock.h"
#include "hwdb/feeds/fetch.h"
#include "hwdb/feeds/hugging_face.h"
#include "hwdb/feeds/safetensors.h"
#include "hwdb/models/model_config.h"
#include "server/commit.h"
#include "server/feed_refresh.h"
#include "server/feed_service.h"
#include "server/handlers.h"
#include "server/row_kinds.h"
#include "server/row_store.h"
#include "server/server.h"

#include <ctype.h>

/* "meta-llama/Llama-3.1-8B" -> "llama-3.1-8b": the usual name. */
static const char *import_id(struct arena *arena, const char *repo)
{
	const char *slash = repo ? strrchr(repo, '/') : NULL;
	char *id = repo ? arena_strdup(arena, slash ? slash + 1 : repo) : NULL;

	for (char *c = id; c && *c; c++)
		*c = isalnum((unsigned char)*c) || *c == '.' ? (char)tolower((unsigned char)*c) : '-';
	return id;
}

static enum status hub_fetch(struct call *call, struct feed_walk *walk, const char *url, const char **text, size_t *length)
{
	const struct feed_request request = {.url = url, .bearer = walk->key};

	if (!url)
		return STATUS_NO_MEMORY;
	return fetch_document(walk, feeds_fetch_options(call->server->feeds), &request, call_progress(call), text, length, &call->failure);
}

/* Fetches `count` bytes of a file from `first` on; fewer bytes are an error. */
static enum status hub_fetch_part(
	struct call *call, struct feed_walk *walk, const char *url, uint64_t first, uint64_t count, const char **text)
{
	const char *range = arena_printf(
		&call->arena, "Range: bytes=%llu-%llu", (unsigned long long)first, (unsigned long long)(first + count - 1));
	const struct feed_request request = {.url = url, .bearer = walk->key, .headers = {range}, .ranged = true};
	size_t length;
	enum status status;

	if (!url || !range)
		return STATUS_NO_MEMORY;
	status = fetch_document(walk, feeds_fetch_options(call->server->feeds), &request, call_progress(call), text, &length, &call->failure);
	if (status == STATUS_OK && length != count)
		return failure_set(&call->failure, STATUS_MALFORMED,
			"hugging-face: %llu bytes of the safetensors were requested, %zu were received", (unsigned long long)count, length);
	return status;
}

/* Fetches the header of one file. Its length comes first and is checked before the header is requested. */
static enum status hub_fetch_header(struct call *call, struct feed_walk *walk, const char *url, struct safetensors *header)
{
	const char *text;
	uint64_t length = 0;
	enum status status = hub_fetch_part(call, walk, url, 0, SAFETENSORS_LENGTH_BYTES, &text);

	if (status == STATUS_OK)
		status = safetensors_header_length(text, SAFETENSORS_LENGTH_BYTES, &length, &call->failure);
	if (status == STATUS_OK)
		status = hub_fetch_part(call, walk, url, SAFETENSORS_LENGTH_BYTES, length, &text);
	return status == STATUS_OK ? safetensors_header_read(text, (size_t)length, &call->arena, header, &call->failure) : status;
}

/* Counts the parameters if the Hub does not: from the index of the model's files, or from the header of its only file.
 * A repository without safetensors has neither, which is not an error. */
static enum status import_count(struct call *call, struct feed_walk *walk, struct hub_model *model)
{
	struct safetensors index = {.params_total = ABSENT_NUMBER, .bytes = ABSENT_NUMBER}, header = {.params_total = ABSENT_NUMBER};
	const char *text, *file = "model.safetensors";
	size_t length;
	enum status status = hub_fetch(
		call, walk, hub_file_url(walk->base_url, model, "model.safetensors.index.json", &call->arena), &text, &length);

	if (status == STATUS_OK) {
		status = safetensors_index_read(text, length, &call->arena, &index, &call->failure);
		file = index.first_file;
	} else if (status == STATUS_NOT_FOUND) {
		failure_clear(&call->failure);
		status = STATUS_OK;
	}
	if (status == STATUS_OK)
		status = hub_fetch_header(call, walk, hub_file_url(walk->base_url, model, file, &call->arena), &header);
	if (status == STATUS_NOT_FOUND && !index.first_file) {
		failure_clear(&call->failure);
		return STATUS_OK;
	}
	if (status != STATUS_OK)
		return status;
	model->dtypes = header.dtypes;
	model->params_total = index.first_file ? index.params_total : header.params_total;
	/* With several files the first one gives the number format: if it has one format only, the parameters are the size
	 * of all files divided by the size of a number. */
	if (!is_given(model->params_total) && index.first_file && is_given(header.params_total) && !strchr(header.dtypes, ','))
		model->params_total = index.bytes * 8 / header.bits;
	if (is_given(model->params_total) && !(model->params_total >= 1e6 && model->params_total <= 1e15))
		model->params_total = ABSENT_NUMBER;
	return STATUS_OK;
}

/* A failure of the Hub is UNAVAILABLE, unless the repository does not exist or is closed: that is a fault of the
 * request. */
static enum status hub_status(struct call *call, const char *repo, enum status status)
{
	char detail[FAULT_DETAIL_MAX];

	if (status == STATUS_OK || status == STATUS_CANCELLED || status == STATUS_NO_MEMORY || status == STATUS_INVALID)
		return status;
	snprintf(detail, sizeof detail, "%s", call->failure.detail);
	if (status != STATUS_NOT_FOUND && status != STATUS_FORBIDDEN)
		return failure_set(&call->failure, STATUS_UNAVAILABLE, "%s", detail);
	failure_clear(&call->failure);
	failure_add(&call->failure, "/repo", status == STATUS_NOT_FOUND ? "unknown" : "forbidden", "%.60s: %s", repo,
		status == STATUS_NOT_FOUND
			? "the Hub has no such model, or the model has no config.json"
			: "the Hub sends this model only to accounts that have accepted its terms on its page; put a token of such an account into the file hugging-face of the folder --feed-keys, or send its config.json as `config`");
	return STATUS_INVALID;
}

/* Fetches the Hub's present commit, its number of parameters and its config.json. */
static enum status import_fetch(struct call *call, struct model_import *import, struct model_row *row)
{
	const struct feed *feed = &feeds[FEED_HUGGING_FACE];
	struct hub_model model = {0};
	struct feed_walk walk;
	const char *text;
	size_t length;
	enum status status = feed_refresh_walk(feed, feeds_setting(call->server->feeds, FEED_HUGGING_FACE), &call->arena, &walk, &call->failure);

	if (status == STATUS_OK)
		status = hub_fetch(call, &walk, hub_model_url(walk.base_url, import->repo, &call->arena), &text, &length);
	if (status == STATUS_OK)
		status = hub_model_read(text, length, import->repo, &call->arena, &model, &call->failure);
	if (status == STATUS_OK)
		status = hub_fetch(call, &walk, hub_file_url(walk.base_url, &model, "config.json", &call->arena), &text, &length);
	import->config = (struct json_text){text, length};
	if (status == STATUS_OK && !is_given(model.params_total) && !model.dtypes)
		status = import_count(call, &walk, &model);
	if (status != STATUS_OK)
		return hub_status(call, import->repo, status);
	row->params_total = model.params_total;
	row->repo = model.repo;
	row->meta.source = arena_printf(&call->arena, "%s/%s, config.json%s%s%s of commit %.12s", feed->hosts, model.repo,
		model.dtypes ? " and safetensors (" : "", model.dtypes ? model.dtypes : "", model.dtypes ? ")" : "", model.sha);
	row->meta.source_date = arena_strdup(&call->arena, walk.today);
	return row->meta.source && row->meta.source_date ? STATUS_OK : STATUS_NO_MEMORY;
}

/* True if the request names only a repository: the config comes from the Hub. */
static bool import_is_fetched(const struct model_import *import)
{
	return !import->config.text && import->repo;
}

static enum status import_row(struct call *call, struct model_import *import, struct model_row *row)
{
	const char *id = import->id ? import->id : import_id(&call->arena, import->repo);
	enum status status;

	*row = (struct model_row){.id = id,
		.repo = import->repo,
		.params_total = ABSENT_NUMBER,
		.params_active = ABSENT_NUMBER,
		.aliases = import->aliases,
		.meta = {.source = "Hugging Face config.json, imported"}};
	if (!import->config.text && !import->repo) {
		failure_add(&call->failure, "/config", "required", "send the config.json as config, or give the repo to fetch it from the Hub");
		return STATUS_INVALID;
	}
	if (!id) {
		failure_add(&call->failure, "/id", "required", "give an id for the model, or its repo");
		return STATUS_INVALID;
	}
	status = import_is_fetched(import) ? import_fetch(call, import, row) : STATUS_OK;
	row->config = import->config;
	row->meta.source = import->source ? import->source : row->meta.source;
	row->meta.source_date = import->source_date ? import->source_date : row->meta.source_date;
	return status;
}

static enum status import_work(struct call *call, struct idempotency *idempotency)
{
	struct model_import import;
	struct model_row *row = ARENA_NEW(&call->arena, struct model_row);
	struct row_put put = {.create_only = true, .expected_revision = ABSENT_COUNT};
	enum status status = row ? record_decode(&table_model_import, call->body, call->body_length, &call->arena, &import, &call->failure)
							 : STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		status = import_row(call, &import, row);
	return status == STATUS_OK ? row_store(call, &row_ops_table[ROW_MODEL], row, "imported", &put, idempotency) : status;
}

static enum status import_replay(struct call *call, struct idempotency *idempotency)
{
	return row_replay(call, &row_ops_table[ROW_MODEL], idempotency);
}

static enum status import_run(struct call *call)
{
	return commit_waiting(call, import_work, import_replay);
}

enum status handle_model_import(struct call *call)
{
	struct model_import import;
	enum status status = record_decode(&table_model_import, call->body, call->body_length, &call->arena, &import, &call->failure);

	if (status != STATUS_OK || !import_is_fetched(&import))
		return status == STATUS_OK ? import_run(call) : status;
	if (!hub_repo_is_valid(import.repo)) {
		failure_add(&call->failure, "/repo", "malformed", "repo must be ORGANISATION/NAME, as on the Hub");
		return STATUS_INVALID;
	}
	status = feeds_need(call->server->feeds, FEED_HUGGING_FACE, &call->failure);
	if (status == STATUS_CONFLICT) {
		failure_clear(&call->failure);
		failure_add(&call->failure, "/config", "required",
			"send the config.json as config, or start the daemon with --feeds hugging-face to fetch %.100s", import.repo);
		return STATUS_INVALID;
	}
	status = feeds_submit(call->server->feeds, FEED_HUGGING_FACE, call, import_run);
	return status == STATUS_OK ? HANDLER_PENDING : status;
}
