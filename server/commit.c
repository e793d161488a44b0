#include "server/commit.h"

#include <sodium.h>

#include "server/audit_trail.h"
#include "server/server.h"

/* The state that `done` on the writer thread needs to complete one call. */
struct commit {
	struct call *call;
	struct idempotency *idempotency; /* NULL: none */
};

void call_body_sha256(const struct call *call, unsigned char sha256[crypto_hash_sha256_BYTES])
{
	if (call->streamed_sha256)
		memcpy(sha256, call->streamed_sha256, crypto_hash_sha256_BYTES);
	else
		crypto_hash_sha256(sha256, (const unsigned char *)call->body, call->body_length);
}

enum status commit_check_key(struct call *call)
{
	const char *key = call->idempotency_key;
	size_t length = key ? strlen(key) : 0;

	if (!key)
		return STATUS_OK;
	if (length == 0 || length > IDEMPOTENCY_KEY_MAX)
		return failure_set(&call->failure, STATUS_MALFORMED, "Idempotency-Key must have 1 to %d characters; this one has %zu",
			IDEMPOTENCY_KEY_MAX, length);
	for (const char *c = key; *c; c++)
		if (*c < '!' || *c > '~')
			return failure_set(&call->failure, STATUS_MALFORMED, "Idempotency-Key must have only visible ASCII characters, without spaces");
	return STATUS_OK;
}

/* Reads the key and looks it up in the store. *idempotency stays NULL without a key; answer->http_status is not 0 if
 * the first answer is stored. */
static enum status commit_begin(struct call *call, struct idempotency **idempotency, struct idempotency_answer *answer)
{
	struct idempotency *mine;
	enum status status = commit_check_key(call);

	*idempotency = NULL;
	answer->http_status = 0;
	if (status != STATUS_OK || !call->idempotency_key)
		return status;
	mine = ARENA_NEW(&call->arena, struct idempotency);
	if (!mine)
		return STATUS_NO_MEMORY;
	mine->key = call->idempotency_key;
	mine->principal = call->principal.owner;
	mine->route = arena_printf(&call->arena, "%s %s", call->method, call->path);
	if (!mine->route)
		return STATUS_NO_MEMORY;
	call_body_sha256(call, mine->body_sha256);
	*idempotency = mine;
	return storage_idempotency_begin(call->server->storage, mine, &call->arena, answer, &call->failure);
}

static void commit_end(struct call *call, const struct idempotency *idempotency)
{
	if (idempotency)
		storage_idempotency_end(call->server->storage, idempotency);
}

static void commit_replay(struct call *call, const struct idempotency_answer *answer)
{
	audit_none(call);
	call->http_status = answer->http_status;
	if (answer->location)
		call_header(call, "Location", answer->location);
	if (answer->etag)
		call_header(call, "ETag", answer->etag);
	call_header(call, "Idempotent-Replayed", "true");
	if (!answer->body)
		return;
	buffer_append(&call->answer, answer->body, answer->body_length);
	call->answer_media = media_parse(answer->content_type); /* the stored media type, whatever Accept says now */
	CHECK(call->answer_media != MEDIA_COUNT);
}

static const char *commit_header(const struct call *call, const char *name)
{
	for (size_t i = 0; i < call->header_count; i++)
		if (strcmp(call->headers[i].name, name) == 0)
			return call->headers[i].value;
	return NULL;
}

/* Stores the call's answer for a repeated key. */
static void commit_keep_answer(const struct call *call, struct idempotency *idempotency)
{
	idempotency->answer = (struct idempotency_answer){
		.http_status = call->http_status ? call->http_status : 200,
		.location = commit_header(call, "Location"),
		.etag = commit_header(call, "ETag"),
		.content_type = media_content_type(call->answer_media),
		.body = call->answer.bytes,
		.body_length = call->answer.length,
	};
}

void commit_keep_location(struct call *call, struct idempotency *idempotency)
{
	if (!idempotency)
		return;
	commit_keep_answer(call, idempotency);
	idempotency->answer.body = NULL;
	idempotency->answer.body_length = 0;
}

static void commit_done(struct storage_job *job)
{
	struct commit *commit = job->context;

	commit_end(commit->call, commit->idempotency);
	call_complete(commit->call, job->status);
}

enum status commit_once(struct call *call, commit_prepare *prepare)
{
	struct idempotency_answer answer;
	struct idempotency *idempotency;
	struct storage_job *job = NULL;
	struct commit *commit = ARENA_NEW(&call->arena, struct commit);
	enum status status = commit ? commit_begin(call, &idempotency, &answer) : STATUS_NO_MEMORY;

	if (status != STATUS_OK)
		return status;
	if (answer.http_status) {
		commit_replay(call, &answer);
		return STATUS_OK;
	}
	status = prepare(call, idempotency, &job);
	if (status == STATUS_OK && call->answer.failed)
		status = STATUS_NO_MEMORY;
	if (status == STATUS_OK)
		status = audit_attach(call, job);
	if (status == STATUS_OK) {
		if (idempotency)
			commit_keep_answer(call, idempotency);
		*commit = (struct commit){.call = call, .idempotency = idempotency};
		job->done = commit_done;
		job->context = commit;
		job->arena = &call->arena;
		job->failure = &call->failure;
		status = storage_submit(call->server->storage, job);
		if (status == STATUS_OK)
			return HANDLER_PENDING;
	}
	commit_end(call, idempotency);
	return status;
}

enum status commit_waiting(struct call *call, commit_work *work, commit_work *replay)
{
	struct idempotency_answer answer;
	struct idempotency *idempotency;
	enum status status = commit_begin(call, &idempotency, &answer);

	if (status != STATUS_OK)
		return status;
	if (answer.http_status) {
		idempotency->answer = answer;
		status = replay(call, idempotency);
		commit_replay(call, &answer);
		return status;
	}
	status = work(call, idempotency);
	commit_end(call, idempotency);
	return status;
}

enum status commit_run(struct call *call, struct storage_job *job)
{
	enum status status = audit_attach(call, job);

	if (status != STATUS_OK)
		return status;
	job->arena = &call->arena;
	job->failure = &call->failure;
	return storage_run(call->server->storage, job);
}
