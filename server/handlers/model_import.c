/* POST /v1/models/import: a Hugging Face config.json, pasted or fetched from the Hub, becomes a row of the catalogue. What is fetched
 * is fetched on the feed's thread: no worker waits for the Hub. */
#include "api/tables.h"
#include "base/clock.h"
#include "hwdb/feeds/fetch.h"
#include "hwdb/feeds/hugging_face.h"
#include "hwdb/model_config.h"
#include "server/commit.h"
#include "server/feed_refresh.h"
#include "server/feeds.h"
#include "server/handlers.h"
#include "server/row_kinds.h"
#include "server/row_store.h"
#include "server/server.h"

#include <ctype.h>

/* "meta-llama/Llama-3.1-8B" -> "llama-3.1-8b": what people call it. */
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

/* What the Hub says of a repository is the world's fault, unless the repository is none or closed. */
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
		status == STATUS_NOT_FOUND ? "the Hub has no such model, or no config.json of it"
			: "the Hub gives it only to those who have accepted its terms: put a token of such an account into the folder of feed-keys, as hugging-face");
	return STATUS_INVALID;
}

/* The commit that the Hub has now, how many parameters it says that it has, and its config.json. */
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
		status = hub_fetch(call, &walk, hub_config_url(walk.base_url, &model, &call->arena), &text, &length);
	if (status != STATUS_OK)
		return hub_status(call, import->repo, status);
	import->config = (struct json_text){text, length};
	row->params_total = model.params_total;
	row->repo = model.repo;
	row->meta.source = arena_printf(&call->arena, "%s/%s, config.json and safetensors of commit %.12s", feed->hosts, model.repo, model.sha);
	row->meta.source_date = arena_strdup(&call->arena, walk.today);
	return row->meta.source && row->meta.source_date ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Only a repository is named: the Hub has the rest. */
static bool import_is_fetched(const struct model_import *import)
{
	return !import->config.text && import->repo;
}

static enum status import_row(struct call *call, struct model_import *import, struct model_row *row)
{
	const char *id = import->id ? import->id : import_id(&call->arena, import->repo);
	enum status status;

	*row = (struct model_row){.id = id, .repo = import->repo, .params_total = ABSENT_NUMBER, .params_active = ABSENT_NUMBER, .aliases = import->aliases,
		.meta = {.source = "Hugging Face config.json, imported"}};
	if (!import->config.text && !import->repo) {
		failure_add(&call->failure, "/config", "required", "paste the config.json, or name the repo to fetch it from the Hub");
		return STATUS_INVALID;
	}
	if (!id) {
		failure_add(&call->failure, "/id", "required", "a name for the model, or the repo that it is from");
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
	enum status status = row ? api_decode(&table_model_import, call->body, call->body_length, &call->arena, &import, &call->failure) : STATUS_NO_MEMORY;

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
	enum status status = api_decode(&table_model_import, call->body, call->body_length, &call->arena, &import, &call->failure);

	if (status != STATUS_OK || !import_is_fetched(&import))
		return status == STATUS_OK ? import_run(call) : status;
	if (!hub_repo_is_valid(import.repo)) {
		failure_add(&call->failure, "/repo", "malformed", "ORGANISATION/NAME, as the Hub writes it");
		return STATUS_INVALID;
	}
	status = feeds_need(call->server->feeds, FEED_HUGGING_FACE, &call->failure);
	if (status == STATUS_CONFLICT) {
		failure_clear(&call->failure);
		failure_add(&call->failure, "/config", "required", "paste the config.json: fetching %.100s is off until the daemon is started with --feeds hugging-face",
			import.repo);
		return STATUS_INVALID;
	}
	status = feeds_submit(call->server->feeds, FEED_HUGGING_FACE, call, import_run);
	return status == STATUS_OK ? HANDLER_PENDING : status;
}
