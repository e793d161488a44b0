#include "agent/agent_private.h"
#include "base/log.h"

enum { OUTCOME_ARENA_BYTES = 256 * 1024 };

static void log_refused(const struct spool_entry *entry, const char *detail)
{
	log_event(LOG_WARNING, "agent_result_refused", LOG_TEXT("benchmark", entry->benchmark_id), LOG_INTEGER("token", entry->token),
		LOG_TEXT("detail", detail));
}

static void log_taken(const struct spool_entry *entry, const struct lease_outcome *outcome)
{
	log_event(LOG_INFO, "agent_result_taken", LOG_TEXT("benchmark", entry->benchmark_id), LOG_INTEGER("token", entry->token),
		LOG_TEXT("state", outcome->state),
		LOG_TEXT("note",
			outcome->repeated   ? "repeated"
				: outcome->late ? "late"
								: NULL));
}

bool agent_is_open(enum link_end end)
{
	switch (end) {
	case LINK_OK:
	case LINK_EMPTY:
	case LINK_STALE:
	case LINK_UNKNOWN:
	case LINK_REFUSED:
		return false;
	case LINK_DENIED:
	case LINK_BROKEN:
	case LINK_AWAY:
	case LINK_INTERRUPTED:
	case LINK_END_COUNT:
		break;
	}
	return true;
}

enum link_end agent_deliver(struct agent *agent, const struct spool_entry *entry, const struct buffer *body)
{
	struct lease_outcome outcome = {.state = NULL};
	struct arena arena;
	enum link_end end;

	arena_init(&arena, OUTCOME_ARENA_BYTES);
	end = link_deliver(&agent->link, entry->benchmark_id, body->bytes, body->length, agent_patience(agent, 3 * CALL_S), &arena, &outcome);
	if (end == LINK_OK || end == LINK_EMPTY)
		log_taken(entry, &outcome);
	else if (!agent_is_open(end))
		log_refused(entry, agent->link.detail);
	else if (end != LINK_INTERRUPTED)
		log_event(LOG_WARNING, "agent_result_kept", LOG_TEXT("benchmark", entry->benchmark_id), LOG_TEXT("detail", agent->link.detail));
	arena_release(&arena);
	return end;
}

/* LINK_OK: the entry is out of the spool or damaged. */
static enum link_end deliver_entry(struct agent *agent, const struct spool_entry *entry)
{
	struct failure failure;
	struct buffer body;
	enum link_end end = LINK_OK;

	failure_clear(&failure);
	buffer_init(&body, SPOOL_RESULT_MAX_BYTES + 1024);
	if (spool_read(&agent->spool, entry, &body, &failure) != STATUS_OK) {
		log_event(LOG_ERROR, "agent_spool", LOG_TEXT("detail", failure.detail));
	} else {
		end = agent_deliver(agent, entry, &body);
		if (!agent_is_open(end)) {
			spool_remove(&agent->spool, entry);
			end = LINK_OK;
		}
	}
	buffer_release(&body);
	return end;
}

enum link_end agent_spool_deliver(struct agent *agent)
{
	struct spool_list list;
	enum link_end end = LINK_OK;

	spool_list(&agent->spool, &list);
	agent->left_behind = list.count > 0;
	for (size_t i = 0; i < list.count && (end == LINK_OK || end == LINK_BROKEN); i++) {
		enum link_end one = deliver_entry(agent, &list.entries[i]);

		end = one == LINK_OK ? end : one;
	}
	spool_list(&agent->spool, &list);
	agent->left_behind = list.count > 0;
	return end;
}
