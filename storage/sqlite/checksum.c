/* Checksums over what a plan says. SQLite's own checks see the structure of the file, not a changed byte inside a row. */
#include <endian.h>
#include <string.h>

#include <xxhash.h>

#include "storage/sqlite/checksum.h"

/* The hash of each part is the seed of the next, and a hash knows its length: text cannot move from one member to the next unseen. */
static uint64_t add_text(uint64_t hash, const char *text, size_t length)
{
	return text ? XXH64(text, length, hash) : ~hash;
}

static uint64_t add_string(uint64_t hash, const char *text)
{
	return add_text(hash, text, text ? strlen(text) : 0);
}

static uint64_t add_integer(uint64_t hash, int64_t value)
{
	uint64_t stored = htole64((uint64_t)value);

	return XXH64(&stored, sizeof stored, hash);
}

/* 63 bits: SQL's integers have a sign, and a negative one is an absent one here. */
static int64_t checksum_of(uint64_t hash)
{
	return (int64_t)(hash >> 1);
}

int64_t plan_checksum(const struct plan_record *plan, int64_t content_revision)
{
	uint64_t hash = add_string(0, plan->id);

	hash = add_string(hash, plan->kind);
	hash = add_integer(hash, plan->created_at_us);
	hash = add_integer(hash, content_revision);
	hash = add_string(hash, plan->model);
	hash = add_string(hash, plan->accelerator);
	hash = add_integer(hash, plan->catalogue_revision);
	hash = add_integer(hash, plan->calibration_revision);
	hash = add_string(hash, plan->planner_version);
	hash = add_integer(hash, plan->computed_at_us);
	hash = add_text(hash, plan->request.text, plan->request.length);
	hash = add_text(hash, plan->result.text, plan->result.length);
	return checksum_of(hash);
}

int64_t plan_head_checksum(const struct plan_record *plan)
{
	uint64_t hash = add_string(0, plan->id);

	hash = add_integer(hash, plan->revision);
	hash = add_integer(hash, plan->updated_at_us);
	hash = add_string(hash, plan->name);
	hash = add_string(hash, plan->notes);
	hash = add_text(hash, plan->labels.text, plan->labels.length);
	hash = add_text(hash, plan->asked.text, plan->asked.length);
	return checksum_of(hash);
}

enum status plan_verify(const struct plan_stored *plan, bool with_content, struct failure *failure)
{
	if (plan->head_checksum == plan_head_checksum(&plan->record) &&
		(!with_content || plan->checksum == plan_checksum(&plan->record, plan->content_revision)))
		return STATUS_OK;
	return failure_set(failure, STATUS_UNAVAILABLE,
		"plan %s was changed on the disk since it was stored (its checksum differs): restore it from a backup", plan->record.id);
}
