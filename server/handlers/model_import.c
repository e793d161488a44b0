/* POST /v1/models/import: a Hugging Face config.json as it is becomes a row of the catalogue. */
#include "api/tables.h"
#include "base/clock.h"
#include "hwdb/model_config.h"
#include "server/commit.h"
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

static enum status import_row(struct call *call, const struct model_import *import, struct model_row *row)
{
	const char *id = import->id ? import->id : import_id(&call->arena, import->repo);

	if (!import->config.text) {
		failure_add(&call->failure, "/config", "required", "paste the config.json: fetching %s from the hub is off until a feed is configured",
			import->repo ? import->repo : "a repository");
		return STATUS_INVALID;
	}
	if (!id) {
		failure_add(&call->failure, "/id", "required", "a name for the model, or the repo that it is from");
		return STATUS_INVALID;
	}
	*row = (struct model_row){.id = id, .repo = import->repo, .params_total = ABSENT_NUMBER, .params_active = ABSENT_NUMBER,
		.config = import->config, .aliases = import->aliases,
		.meta = {.source = import->source ? import->source : "Hugging Face config.json, imported", .source_date = import->source_date}};
	return STATUS_OK;
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

enum status handle_model_import(struct call *call)
{
	return commit_waiting(call, import_work, import_replay);
}
