#include "server/row_store.h"

#include "server/commit.h"
#include "server/page_answer.h"
#include "server/server.h"

enum status row_answer(struct call *call, const struct row_ops *ops, const void *row)
{
	if (call->accept == MEDIA_CSV)
		return page_answer(call, ops->table, row, 1, NULL);
	record_encode(ops->table, row, &call->json);
	return STATUS_OK;
}

enum status row_store(
	struct call *call, const struct row_ops *ops, void *row, const char *origin, struct row_put *put, struct idempotency *idempotency)
{
	struct findings *findings = ARENA_NEW(&call->arena, struct findings);
	enum status status;

	if (!findings)
		return STATUS_NO_MEMORY;
	status = row_prepare(ops, call_catalogue(call), &call->arena, row, origin, findings, &call->failure);
	if (status != STATUS_OK)
		return status;
	put->job.kind = STORAGE_ROW_PUT;
	put->kind = ops->kind;
	put->row = row;
	put->idempotency = idempotency;
	if (put->create_only) {
		call_created(call, "%s/%s", ops->path, row_ops_id(ops, row));
		commit_keep_location(call, idempotency);
	}
	status = commit_run(call, &put->job);
	if (status == STATUS_OK)
		status = server_catalogue_changed(call->server, ops->kind, row_ops_id(ops, row), put->revision, &call->failure);
	if (status == STATUS_OK) /* read the row at this revision: another client may have changed or removed it since */
		status = storage_row_get(call->server->storage, ops->kind, row_ops_id(ops, row), put->at_us, &call->arena, row, &call->failure);
	if (status != STATUS_OK)
		return status;
	row_meta_of(ops, row)->valid_to_us = 0;
	if (put->created && !put->create_only)
		call_created(call, "%s/%s", ops->path, row_ops_id(ops, row));
	call_etag(call, row_meta_of(ops, row)->revision);
	row_meta_of(ops, row)->warnings = (struct warning_list){findings->warnings, findings->warning_count};
	return row_answer(call, ops, row);
}

enum status row_replay(struct call *call, const struct row_ops *ops, const struct idempotency *idempotency)
{
	const char *slash = strrchr(idempotency->answer.location ? idempotency->answer.location : "/", '/');
	struct findings *findings = ARENA_NEW(&call->arena, struct findings);
	void *row = arena_alloc(&call->arena, 1, row_size(ops->kind));
	enum status status;

	if (!row || !findings)
		return STATUS_NO_MEMORY;
	/* Old revisions of rows are kept: the row of the first answer still exists, even if it was changed or removed
	 * since. */
	status = storage_row_get(call->server->storage, ops->kind, slash + 1, idempotency->answer.at_us, &call->arena, row, &call->failure);
	if (status != STATUS_OK)
		return status;
	row_meta_of(ops, row)->valid_to_us = 0;
	/* Check the row again for its warnings, which are not stored. A fault under the present catalogue does not matter:
	 * the row was accepted then. */
	if (ops->check(call_catalogue(call), &call->arena, row, findings, &call->failure) != STATUS_OK)
		failure_clear(&call->failure);
	call_etag(call, row_meta_of(ops, row)->revision);
	row_meta_of(ops, row)->warnings = (struct warning_list){findings->warnings, findings->warning_count};
	return row_answer(call, ops, row);
}
