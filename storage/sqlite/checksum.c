/* Checksums over what a plan says. SQLite's own checks see the structure of the file, not a changed byte inside a row. */
#include <sodium.h>
#include <string.h>

#include "storage/sqlite/checksum.h"

/* Each part goes in with its length, so that text cannot move from one member to the next unseen. */
static void add_text(crypto_generichash_state *state, const char *text, size_t length)
{
	uint64_t marked = text ? (uint64_t)length : UINT64_MAX;

	crypto_generichash_update(state, (const unsigned char *)&marked, sizeof marked);
	if (text)
		crypto_generichash_update(state, (const unsigned char *)text, length);
}

static void add_string(crypto_generichash_state *state, const char *text)
{
	add_text(state, text, text ? strlen(text) : 0);
}

static void add_integer(crypto_generichash_state *state, int64_t value)
{
	crypto_generichash_update(state, (const unsigned char *)&value, sizeof value);
}

void plan_checksum(const struct plan_record *plan, int64_t content_revision, unsigned char out[DIGEST_BYTES])
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, DIGEST_BYTES);
	add_string(&state, plan->id);
	add_string(&state, plan->kind);
	add_integer(&state, plan->created_at_us);
	add_integer(&state, content_revision);
	add_string(&state, plan->model);
	add_string(&state, plan->accelerator);
	add_integer(&state, plan->catalogue_revision);
	add_integer(&state, plan->calibration_revision);
	add_string(&state, plan->planner_version);
	add_integer(&state, plan->computed_at_us);
	add_text(&state, plan->request.text, plan->request.length);
	add_text(&state, plan->result.text, plan->result.length);
	crypto_generichash_final(&state, out, DIGEST_BYTES);
}

void plan_head_checksum(const struct plan_record *plan, unsigned char out[DIGEST_BYTES])
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, NULL, 0, DIGEST_BYTES);
	add_string(&state, plan->id);
	add_integer(&state, plan->revision);
	add_integer(&state, plan->updated_at_us);
	add_string(&state, plan->name);
	add_string(&state, plan->notes);
	add_text(&state, plan->labels.text, plan->labels.length);
	if (plan->asked.text)
		add_text(&state, plan->asked.text, plan->asked.length);
	crypto_generichash_final(&state, out, DIGEST_BYTES);
}

static bool verified(const unsigned char *stored, const unsigned char *computed)
{
	return memcmp(stored, computed, DIGEST_BYTES) == 0;
}

enum status plan_verify(const struct plan_stored *plan, bool with_content, struct failure *failure)
{
	unsigned char digest[DIGEST_BYTES];

	plan_head_checksum(&plan->record, digest);
	if (verified(plan->head_checksum, digest)) {
		if (!with_content)
			return STATUS_OK;
		plan_checksum(&plan->record, plan->content_revision, digest);
		if (verified(plan->checksum, digest))
			return STATUS_OK;
	}
	return failure_set(failure, STATUS_UNAVAILABLE,
		"plan %s was changed on the disk since it was stored (its checksum differs): restore it from a backup", plan->record.id);
}
