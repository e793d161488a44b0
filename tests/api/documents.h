/* The texts of docs/openapi.json, docs/fields.md and docs/leases.md, made from the tables. write_documents.c writes
 * them, and test_routes.c compares them with the files. */
#ifndef FLEETPLAN_TESTS_API_DOCUMENTS_H
#define FLEETPLAN_TESTS_API_DOCUMENTS_H

#include <jansson.h>

#include "api/openapi.h"
#include "storage/lease.h"

/* Returns the API description, indented for diffs. The caller frees it. NULL if it is not JSON. */
static inline char *document_openapi(enum schema_dialect dialect)
{
	struct json_writer writer;
	struct buffer buffer;
	json_t *tree;
	char *text;

	buffer_init(&buffer, 16 * 1024 * 1024);
	json_writer_init(&writer, &buffer);
	openapi_write(dialect, &writer);
	tree = json_loadb(buffer.bytes, buffer.length, JSON_REJECT_DUPLICATES, NULL);
	text = tree ? json_dumps(tree, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) : NULL;
	json_decref(tree);
	buffer_release(&buffer);
	return text;
}

/* Returns the field reference. The caller frees it. */
static inline char *document_fields(void)
{
	struct buffer buffer;
	size_t length;

	buffer_init(&buffer, 4 * 1024 * 1024);
	openapi_field_reference(&buffer);
	return buffer_detach(&buffer, &length);
}

static inline void document_lease_cell(struct buffer *out, enum lease_state state, const struct lease_move *move)
{
	static const struct {
		unsigned effect;
		const char *text;
	} effects[] = {{LEASE_EFFECT_TAKE, "next token, one more attempt"}, {LEASE_EFFECT_RENEW, "the lease is extended"},
		{LEASE_EFFECT_KEEP, "the result is stored"}, {LEASE_EFFECT_LATE, "marked late"},
		{LEASE_EFFECT_UNDO, "the attempt is not counted, its token is void"}, {LEASE_EFFECT_ASK, "the request is recorded"}};

	buffer_append_text(out, " | ");
	if (!move->allowed) {
		buffer_append_text(out, "rejected");
		return;
	}
	buffer_printf(out, "%s%s", move->to == state ? "stays " : "", lease_state_name(move->to));
	if (move->if_used_up)
		buffer_printf(out, ", %s if all attempts are used", lease_state_name(move->if_used_up));
	if (move->if_unwanted)
		buffer_printf(out, ", %s if that was requested", lease_state_name(move->if_unwanted));
	for (size_t i = 0; i < COUNT_OF(effects); i++)
		if (move->effects & effects[i].effect)
			buffer_printf(out, "; %s", effects[i].text);
}

/* Returns docs/leases.md, the states of a benchmark. The caller frees it. */
static inline char *document_leases(void)
{
	struct buffer out;
	size_t length;

	buffer_init(&out, 64 * 1024);
	buffer_printf(&out,
		"# Leases\n\n`make docs` writes this page from the table in storage/lease.c. The storage changes a benchmark's state only by "
		"this table.\n\nA worker takes a benchmark from the queue by a lease with a token and renews the lease by heartbeats. It ends the lease "
		"with a result, or it gives the benchmark back. A lease without heartbeats ends by itself. Each lease of a benchmark has a higher token "
		"than the leases before. Only the last token is valid: an event with another token is rejected as `stale-lease` (409) in every state. A "
		"benchmark is started at most %d times; a start that was given back does not count. The worker may deliver the accepted result again and "
		"receives the same answer; a different result is rejected. At most one benchmark runs on a device; a unique index of the database ensures "
		"this, too.\n\n"
		"| event | shows the token |",
		LEASE_ATTEMPTS_MAX);
	for (enum lease_state state = 0; state < LEASE_STATE_COUNT; state++)
		if (!lease_state_is_end(state) || state == LEASE_EXPIRED)
			buffer_printf(&out, " in `%s` |", lease_state_name(state));
	buffer_append_text(&out, "\n|---|---|---|---|---|\n");
	for (enum lease_event event = 0; event < LEASE_EVENT_COUNT; event++) {
		buffer_printf(&out, "| %s | %s", lease_event_name(event), lease_event_shows_token(event) ? "yes" : "");
		for (enum lease_state state = 0; state < LEASE_STATE_COUNT; state++)
			if (!lease_state_is_end(state) || state == LEASE_EXPIRED)
				document_lease_cell(&out, state, lease_move_of(state, event));
		buffer_append_text(&out, " |\n");
	}
	buffer_append_text(&out, "\n`succeeded`, `failed` and `cancelled` are final states. They reject every event.");
	return buffer_detach(&out, &length);
}

#endif
