/* Checksums over the members of a plan. SQLite's own checks cover the structure of the file, not a changed byte inside
 * a row. */
#include <endian.h>
#include <string.h>

#include <xxhash.h>

#include "storage/sqlite/checksum.h"

/* The hash of each part is the seed of the next and includes the part's length: moving text from one member to the next
 * changes the checksum. */
uint64_t checksum_add_text(uint64_t hash, const char *text, size_t length)
{
	return text ? XXH64(text, length, hash) : ~hash;
}

uint64_t checksum_add_string(uint64_t hash, const char *text)
{
	return checksum_add_text(hash, text, text ? strlen(text) : 0);
}

uint64_t checksum_add_integer(uint64_t hash, int64_t value)
{
	uint64_t stored = htole64((uint64_t)value);

	return XXH64(&stored, sizeof stored, hash);
}

/* 63 bits: SQL integers are signed, and a negative one means absent here. */
int64_t checksum_of(uint64_t hash)
{
	return (int64_t)(hash >> 1);
}

/* The checksum of the columns that a list shows; a list does not read the long columns. */
int64_t plan_head_checksum(const struct plan_record *plan)
{
	uint64_t hash = checksum_add_string(0, plan->id);

	hash = checksum_add_string(hash, plan->kind);
	hash = checksum_add_integer(hash, plan->created_at_us);
	hash = checksum_add_integer(hash, plan->updated_at_us);
	hash = checksum_add_integer(hash, plan->revision);
	hash = checksum_add_string(hash, plan->name);
	hash = checksum_add_string(hash, plan->notes);
	hash = checksum_add_text(hash, plan->labels.text, plan->labels.length);
	hash = checksum_add_string(hash, plan->model);
	hash = checksum_add_string(hash, plan->accelerator);
	hash = checksum_add_integer(hash, plan->catalogue_revision);
	hash = checksum_add_integer(hash, plan->calibration_revision);
	hash = checksum_add_string(hash, plan->planner_version);
	hash = checksum_add_integer(hash, plan->computed_at_us);
	if (plan->summary.text) /* since schema version 15 */
		hash = checksum_add_text(hash, plan->summary.text, plan->summary.length);
	return checksum_of(hash);
}

static uint64_t content_hash(const struct plan_record *plan, int64_t content_revision)
{
	uint64_t hash = checksum_add_string(0, plan->id);

	hash = checksum_add_string(hash, plan->kind);
	hash = checksum_add_integer(hash, plan->created_at_us);
	hash = checksum_add_integer(hash, content_revision);
	hash = checksum_add_string(hash, plan->model);
	hash = checksum_add_string(hash, plan->accelerator);
	hash = checksum_add_integer(hash, plan->catalogue_revision);
	hash = checksum_add_integer(hash, plan->calibration_revision);
	hash = checksum_add_string(hash, plan->planner_version);
	hash = checksum_add_integer(hash, plan->computed_at_us);
	hash = checksum_add_text(hash, plan->request.text, plan->request.length);
	return checksum_add_text(hash, plan->result.text, plan->result.length);
}

int64_t plan_checksum(const struct plan_record *plan, int64_t content_revision)
{
	return checksum_of(checksum_add_text(content_hash(plan, content_revision), plan->asked.text, plan->asked.length));
}

/* Until schema version 12 the head's checksum covered the body as the client sent it, but not the listed columns of the
 * content. */
static int64_t former_head_checksum(const struct plan_record *plan)
{
	uint64_t hash = checksum_add_string(0, plan->id);

	hash = checksum_add_integer(hash, plan->revision);
	hash = checksum_add_integer(hash, plan->updated_at_us);
	hash = checksum_add_string(hash, plan->name);
	hash = checksum_add_string(hash, plan->notes);
	hash = checksum_add_text(hash, plan->labels.text, plan->labels.length);
	hash = checksum_add_text(hash, plan->asked.text, plan->asked.length);
	return checksum_of(hash);
}

static enum status plan_changed(const struct plan_stored *plan, struct failure *failure)
{
	return failure_set(failure, STATUS_UNAVAILABLE,
		"plan %s was changed on the disk after it was stored (its checksum differs); restore it from a backup, or delete it",
		plan->record.id);
}

bool plan_head_is_whole(const struct plan_stored *plan)
{
	return plan->head_checksum == plan_head_checksum(&plan->record);
}

enum status plan_verify_head(const struct plan_stored *plan, struct failure *failure)
{
	return plan_head_is_whole(plan) || plan->head_checksum == former_head_checksum(&plan->record) ? STATUS_OK : plan_changed(plan, failure);
}

enum status plan_verify_content(const struct plan_stored *plan, struct failure *failure)
{
	return plan->checksum == plan_checksum(&plan->record, plan->content_revision) ||
			plan->checksum == checksum_of(content_hash(&plan->record, plan->content_revision))
		? STATUS_OK
		: plan_changed(plan, failure);
}
