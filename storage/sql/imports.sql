-- Imports: rows are written before they become valid. The kinds differ only in their table.

-- name: import_insert
INSERT INTO import (id, kind, state, detail, started_by, key_id, key_name, content_type, bytes, sha256, replaces, overwrites, started_at_us,
	finished_at_us, rows, added, changed, removed, unchanged, kept, published_at_us, revision, settled, row_checksum)
VALUES (:id, :kind, :state, :detail, :started_by, :key_id, :key_name, :content_type, :bytes, :sha256, :replaces, :overwrites, :started_at_us,
	:finished_at_us, :rows, :added, :changed, :removed, :unchanged, :kept, :published_at_us, :revision, :settled, :row_checksum);

-- name: import_update
UPDATE import SET state = :state, detail = :detail, finished_at_us = :finished_at_us, added = :added, changed = :changed, removed = :removed,
	unchanged = :unchanged, kept = :kept, published_at_us = :published_at_us, revision = :revision, settled = :settled,
	row_checksum = :row_checksum
WHERE id = :id;

-- name: import_unsettled
SELECT * FROM import WHERE settled = 0;

-- name: import_get
SELECT * FROM import WHERE id = :id;

-- name: import_list
SELECT * FROM import
WHERE (started_at_us < :cursor_us OR (started_at_us = :cursor_us AND id < :cursor_id)) AND (:name IS NULL OR kind = :name)
ORDER BY started_at_us DESC, id DESC LIMIT :limit;

-- name: import_prune
DELETE FROM import WHERE settled = 1 AND number <= :number - :count;

-- name: accelerator_end
UPDATE accelerator SET closed_by = :number,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, valid_to_us, revision, opened_by, :number)
WHERE id = :id AND valid_to_us IS NULL AND opened_by IS NULL;

-- If :at_us is NULL, the ends are undone.
-- name: accelerator_settle_ends
UPDATE accelerator SET valid_to_us = :at_us, closed_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, :at_us, revision, opened_by, NULL)
WHERE number IN (SELECT number FROM accelerator WHERE closed_by = :number LIMIT :limit);

-- name: accelerator_settle_begins
UPDATE accelerator SET valid_from_us = :at_us, revision = :revision, opened_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, :at_us, valid_to_us, :revision, NULL, closed_by)
WHERE number IN (SELECT number FROM accelerator WHERE opened_by = :number LIMIT :limit);

-- name: accelerator_drop
DELETE FROM accelerator WHERE number IN (SELECT number FROM accelerator WHERE opened_by = :number LIMIT :limit);

-- One row, found by its id (+: do not use the index of all rows that the import ends).
-- name: accelerator_settle_end
UPDATE accelerator SET valid_to_us = :at_us, closed_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, :at_us, revision, opened_by, NULL) WHERE id = :id AND +closed_by = :number;

-- name: accelerator_settle_begin
UPDATE accelerator SET valid_from_us = :at_us, revision = :revision, opened_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, :at_us, valid_to_us, :revision, NULL, closed_by) WHERE opened_by = :number AND id = :id;

-- name: accelerator_drop_one
DELETE FROM accelerator WHERE opened_by = :number AND id = :id;

-- name: model_end
UPDATE model SET closed_by = :number,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, valid_to_us, revision, opened_by, :number)
WHERE id = :id AND valid_to_us IS NULL AND opened_by IS NULL;

-- If :at_us is NULL, the ends are undone.
-- name: model_settle_ends
UPDATE model SET valid_to_us = :at_us, closed_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, :at_us, revision, opened_by, NULL)
WHERE number IN (SELECT number FROM model WHERE closed_by = :number LIMIT :limit);

-- name: model_settle_begins
UPDATE model SET valid_from_us = :at_us, revision = :revision, opened_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, :at_us, valid_to_us, :revision, NULL, closed_by)
WHERE number IN (SELECT number FROM model WHERE opened_by = :number LIMIT :limit);

-- name: model_drop
DELETE FROM model WHERE number IN (SELECT number FROM model WHERE opened_by = :number LIMIT :limit);

-- name: model_settle_end
UPDATE model SET valid_to_us = :at_us, closed_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, :at_us, revision, opened_by, NULL) WHERE id = :id AND +closed_by = :number;

-- name: model_settle_begin
UPDATE model SET valid_from_us = :at_us, revision = :revision, opened_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, :at_us, valid_to_us, :revision, NULL, closed_by) WHERE opened_by = :number AND id = :id;

-- name: model_drop_one
DELETE FROM model WHERE opened_by = :number AND id = :id;

-- name: price_end
UPDATE price SET closed_by = :number,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, valid_to_us, revision, opened_by, :number)
WHERE id = :id AND valid_to_us IS NULL AND opened_by IS NULL;

-- If :at_us is NULL, the ends are undone.
-- name: price_settle_ends
UPDATE price SET valid_to_us = :at_us, closed_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, :at_us, revision, opened_by, NULL)
WHERE number IN (SELECT number FROM price WHERE closed_by = :number LIMIT :limit);

-- name: price_settle_begins
UPDATE price SET valid_from_us = :at_us, revision = :revision, opened_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, :at_us, valid_to_us, :revision, NULL, closed_by)
WHERE number IN (SELECT number FROM price WHERE opened_by = :number LIMIT :limit);

-- name: price_drop
DELETE FROM price WHERE number IN (SELECT number FROM price WHERE opened_by = :number LIMIT :limit);

-- name: price_settle_end
UPDATE price SET valid_to_us = :at_us, closed_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, :at_us, revision, opened_by, NULL) WHERE id = :id AND +closed_by = :number;

-- name: price_settle_begin
UPDATE price SET valid_from_us = :at_us, revision = :revision, opened_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, :at_us, valid_to_us, :revision, NULL, closed_by) WHERE opened_by = :number AND id = :id;

-- name: price_drop_one
DELETE FROM price WHERE opened_by = :number AND id = :id;

-- name: region_end
UPDATE region SET closed_by = :number,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, valid_to_us, revision, opened_by, :number)
WHERE id = :id AND valid_to_us IS NULL AND opened_by IS NULL;

-- If :at_us is NULL, the ends are undone.
-- name: region_settle_ends
UPDATE region SET valid_to_us = :at_us, closed_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, :at_us, revision, opened_by, NULL)
WHERE number IN (SELECT number FROM region WHERE closed_by = :number LIMIT :limit);

-- name: region_settle_begins
UPDATE region SET valid_from_us = :at_us, revision = :revision, opened_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, :at_us, valid_to_us, :revision, NULL, closed_by)
WHERE number IN (SELECT number FROM region WHERE opened_by = :number LIMIT :limit);

-- name: region_drop
DELETE FROM region WHERE number IN (SELECT number FROM region WHERE opened_by = :number LIMIT :limit);

-- name: region_settle_end
UPDATE region SET valid_to_us = :at_us, closed_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, :at_us, revision, opened_by, NULL) WHERE id = :id AND +closed_by = :number;

-- name: region_settle_begin
UPDATE region SET valid_from_us = :at_us, revision = :revision, opened_by = NULL,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, :at_us, valid_to_us, :revision, NULL, closed_by) WHERE opened_by = :number AND id = :id;

-- name: region_drop_one
DELETE FROM region WHERE opened_by = :number AND id = :id;
