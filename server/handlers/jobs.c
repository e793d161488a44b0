/* The routes of jobs (requests that were answered 202): list, state, result, events, cancel. */
#include "server/job_queue.h"

#include "api/tables/tables.h"
#include "server/handlers.h"
#include "server/http.h"
#include "server/page_answer.h"
#include "server/server.h"
#include "server/stream.h"

static struct jobs *jobs_of(const struct call *call)
{
	return http_jobs(call->server->http);
}

static enum status job_read(struct call *call, struct job_record *record)
{
	return jobs_get(jobs_of(call), call->principal.owner, call->parameters[0], &call->arena, record, &call->failure);
}

/* Without a limit, the first page has up to PAGE_LIMIT_DEFAULT jobs of the key. The cursor is the last id of the page
 * before. */
enum status handle_job_list(struct call *call)
{
	struct page_query query = {.limit = ABSENT_COUNT};
	struct page_request page;
	struct job_record *items;
	size_t count, first = 0;
	enum status status = record_decode_query(&table_page_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status == STATUS_OK)
		status = jobs_list(jobs_of(call), call->principal.owner, &call->arena, &items, &count);
	if (status != STATUS_OK)
		return status;
	page = page_request_of(&query);
	if (page.cursor && !uuid_valid(page.cursor))
		return failure_set(&call->failure, STATUS_MALFORMED, "cursor must be the next_cursor of the page before");
	while (page.cursor && first < count && strcmp(items[first].id, page.cursor) >= 0) /* the newest job is first, and ids grow with time */
		first++;
	items += first;
	count -= first;
	return page_answer(
		call, &table_job, items, count < page.limit ? count : page.limit, count > page.limit ? items[page.limit - 1].id : NULL);
}

enum status handle_job_get(struct call *call)
{
	struct job_record record;
	enum status status = job_read(call, &record);

	if (status == STATUS_OK && !call_not_modified(call, record.revision))
		record_encode(&table_job, &record, &call->json);
	return status;
}

enum status handle_job_cancel(struct call *call)
{
	struct job_record record;
	enum status status = jobs_cancel(jobs_of(call), call->principal.owner, call->parameters[0], &call->failure);

	if (status == STATUS_OK)
		status = job_read(call, &record);
	if (status == STATUS_OK)
		record_encode(&table_job, &record, &call->json);
	return status;
}

enum status handle_job_result(struct call *call)
{
	return jobs_answer(jobs_of(call), call->principal.owner, call->parameters[0], call);
}

static enum status job_read_state(const struct stream_subject *subject, struct buffer *state, char id[STREAM_ID_SIZE], bool *done)
{
	enum { ARENA_MAX_BYTES = 64 * 1024 };
	struct failure failure;
	struct job_record record;
	struct json_writer writer;
	struct arena arena;
	enum status status;

	failure_clear(&failure);
	arena_init(&arena, ARENA_MAX_BYTES);
	status = jobs_get(http_jobs(subject->server->http), subject->owner, subject->id, &arena, &record, &failure);
	if (status == STATUS_OK) {
		json_writer_init(&writer, state);
		record_encode(&table_job, &record, &writer);
		snprintf(id, STREAM_ID_SIZE, "%lld", (long long)record.revision);
		*done = record.finished_at_us != ABSENT_COUNT;
	}
	arena_release(&arena);
	return status;
}

enum status handle_job_events(struct call *call)
{
	struct stream_subject subject = {.server = call->server, .read = job_read_state};
	struct job_record record;
	enum status status = job_read(call, &record);

	if (status != STATUS_OK)
		return status;
	snprintf(subject.id, sizeof subject.id, "%s", record.id);
	snprintf(subject.owner, sizeof subject.owner, "%s", call->principal.owner);
	return call_stream(call, &subject);
}
