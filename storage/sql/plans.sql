-- name: plan_insert
INSERT INTO plan (id, kind, created_at_us, updated_at_us, revision, name, notes, labels, head_checksum, content_revision,
	model, accelerator, catalogue_revision, calibration_revision, planner_version, computed_at_us, checksum, asked, request,
	result, summary)
VALUES (:id, :kind, :created_at_us, :updated_at_us, :revision, :name, :notes, :labels, :head_checksum, :revision,
	:model, :accelerator, :catalogue_revision, :calibration_revision, :planner_version, :computed_at_us, :checksum, :asked,
	:request, :result, :summary);

-- name: plan_label_insert
INSERT INTO plan_label (key, value, created_at_us, plan_id)
SELECT key, value, :created_at_us, :id FROM json_each(:labels) WHERE type = 'text';

-- name: plan_label_delete
DELETE FROM plan_label WHERE plan_id = :id;

-- name: plan_get
SELECT id, kind, created_at_us, updated_at_us, revision, name, notes, labels, model, accelerator, catalogue_revision,
	calibration_revision, planner_version, computed_at_us, asked, request, result, summary, head_checksum, checksum, content_revision
FROM plan WHERE id = :id;

-- name: plan_head
SELECT id, kind, created_at_us, updated_at_us, revision, name, notes, labels, model, accelerator, catalogue_revision, calibration_revision,
	planner_version, computed_at_us, asked, summary, head_checksum, content_revision
FROM plan WHERE id = :id;

-- The content of a plan at a revision: the newest content computed up to it.
-- name: plan_revision_get
SELECT p.id, p.kind, p.created_at_us, p.updated_at_us, p.revision, p.name, p.notes, p.labels, r.model, r.accelerator,
	r.catalogue_revision, r.calibration_revision, r.planner_version, r.computed_at_us, p.asked, r.request, r.result,
	p.head_checksum, r.checksum, r.content_revision
FROM plan p JOIN plan_revision r ON r.plan_id = p.id
WHERE p.id = :id AND r.content_revision <= :at_revision
ORDER BY r.content_revision DESC LIMIT 1;

-- name: plan_revisions
SELECT id, kind, created_at_us, updated_at_us, content_revision AS revision, name, notes, labels, model, accelerator,
	catalogue_revision, calibration_revision, planner_version, computed_at_us, asked, request, result, checksum, content_revision
FROM plan WHERE id = :id
UNION ALL
SELECT p.id, p.kind, p.created_at_us, p.updated_at_us, r.content_revision, p.name, p.notes, p.labels, r.model, r.accelerator,
	r.catalogue_revision, r.calibration_revision, r.planner_version, r.computed_at_us, p.asked, r.request, r.result, r.checksum, r.content_revision
FROM plan_revision r JOIN plan p ON p.id = r.plan_id WHERE r.plan_id = :id
ORDER BY 5 DESC;

-- name: plan_patch
UPDATE plan SET name = :name, notes = :notes, labels = :labels, revision = :revision, updated_at_us = :updated_at_us,
	head_checksum = :head_checksum
WHERE id = :id;

-- name: plan_keep_content
INSERT INTO plan_revision (plan_id, content_revision, model, accelerator, catalogue_revision, calibration_revision,
	planner_version, computed_at_us, checksum, request, result)
SELECT id, content_revision, model, accelerator, catalogue_revision, calibration_revision, planner_version, computed_at_us,
	checksum, request, result
FROM plan WHERE id = :id;

-- name: plan_refresh
UPDATE plan SET revision = :revision, content_revision = :revision, updated_at_us = :updated_at_us, head_checksum = :head_checksum,
	model = :model, accelerator = :accelerator, catalogue_revision = :catalogue_revision,
	calibration_revision = :calibration_revision, planner_version = :planner_version, computed_at_us = :computed_at_us,
	checksum = :checksum, request = :request, result = :result, summary = :summary
WHERE id = :id;

-- name: plan_delete
DELETE FROM plan WHERE id = :id;

-- Lists read the summary from its index: in the table it lies behind the content. The newest first.
-- name: plan_list
SELECT p.id, p.kind, p.created_at_us, p.updated_at_us, p.revision, p.name, p.notes, p.labels, p.model, p.accelerator, p.catalogue_revision,
	p.calibration_revision, p.planner_version, p.computed_at_us, s.summary, p.head_checksum
FROM plan p LEFT JOIN plan s INDEXED BY plan_summary ON s.id = p.id AND s.summary IS NOT NULL
WHERE (p.created_at_us, p.id) < (:cursor_us, :cursor_id)
	AND p.created_at_us > :created_after_us AND p.created_at_us < :created_before_us
	AND (:scope_key IS NULL OR EXISTS (SELECT 1 FROM plan_label o WHERE o.plan_id = p.id AND o.key = :scope_key AND o.value = :scope_value))
	AND (:kind IS NULL OR p.kind = :kind)
	AND (:model IS NULL OR p.model = :model)
	AND (:accelerator IS NULL OR p.accelerator = :accelerator)
	AND (:text IS NULL OR instr(lower(p.name), lower(:text)) > 0 OR instr(lower(p.notes), lower(:text)) > 0)
ORDER BY p.created_at_us DESC, p.id DESC LIMIT :limit;

-- Reads by the label, whose rows have the order of the answer.
-- name: plan_list_by_label
SELECT p.id, p.kind, p.created_at_us, p.updated_at_us, p.revision, p.name, p.notes, p.labels, p.model, p.accelerator, p.catalogue_revision,
	p.calibration_revision, p.planner_version, p.computed_at_us, s.summary, p.head_checksum
FROM plan_label l CROSS JOIN plan p ON p.id = l.plan_id
	LEFT JOIN plan s INDEXED BY plan_summary ON s.id = p.id AND s.summary IS NOT NULL
WHERE l.key = :label_key AND l.value = :label_value
	AND (l.created_at_us, l.plan_id) < (:cursor_us, :cursor_id)
	AND l.created_at_us > :created_after_us AND l.created_at_us < :created_before_us
	AND (:scope_key IS NULL OR EXISTS (SELECT 1 FROM plan_label o WHERE o.plan_id = p.id AND o.key = :scope_key AND o.value = :scope_value))
	AND (:kind IS NULL OR p.kind = :kind)
	AND (:model IS NULL OR p.model = :model)
	AND (:accelerator IS NULL OR p.accelerator = :accelerator)
	AND (:text IS NULL OR instr(lower(p.name), lower(:text)) > 0 OR instr(lower(p.notes), lower(:text)) > 0)
ORDER BY l.created_at_us DESC, l.plan_id DESC LIMIT :limit;

-- Sorted by a figure of the summary: it reads the heads and summaries of all plans. Plans without the figure come last.
-- name: plan_list_sorted
SELECT * FROM (
	SELECT p.id, p.kind, p.created_at_us, p.updated_at_us, p.revision, p.name, p.notes, p.labels, p.model, p.accelerator, p.catalogue_revision,
		p.calibration_revision, p.planner_version, p.computed_at_us, s.summary, p.head_checksum,
		coalesce(CASE WHEN json_valid(s.summary) THEN :sign * coalesce(json_extract(s.summary, :path), json_extract(s.summary, :other_path)) END,
			1e308) + 0.0 AS sort_key
	FROM plan p LEFT JOIN plan s INDEXED BY plan_summary ON s.id = p.id AND s.summary IS NOT NULL
	WHERE p.created_at_us > :created_after_us AND p.created_at_us < :created_before_us
		AND (:label_key IS NULL OR EXISTS (SELECT 1 FROM plan_label l WHERE l.plan_id = p.id AND l.key = :label_key AND l.value = :label_value))
		AND (:scope_key IS NULL OR EXISTS (SELECT 1 FROM plan_label o WHERE o.plan_id = p.id AND o.key = :scope_key AND o.value = :scope_value))
		AND (:kind IS NULL OR p.kind = :kind)
		AND (:model IS NULL OR p.model = :model)
		AND (:accelerator IS NULL OR p.accelerator = :accelerator)
		AND (:text IS NULL OR instr(lower(p.name), lower(:text)) > 0 OR instr(lower(p.notes), lower(:text)) > 0))
WHERE (sort_key, id) > (:cursor_key, :cursor_id)
ORDER BY sort_key, id LIMIT :limit;

-- name: idempotency_get
SELECT * FROM idempotency
WHERE key = :key AND route = :route AND principal = :principal;

-- name: idempotency_insert
INSERT INTO idempotency (principal, route, key, body_sha256, created_at_us, http_status, location, etag, content_type, body, row_checksum)
VALUES (:principal, :route, :key, :body_sha256, :created_at_us, :http_status, :location, :etag, :content_type, :body, :row_checksum);

-- name: idempotency_newest
SELECT coalesce(max(number), 0) AS number FROM idempotency;

-- Deletes the oldest, a limited number at a time, so that no commit is long.
-- name: idempotency_forget
DELETE FROM idempotency WHERE number IN (
	SELECT number FROM (SELECT number, created_at_us FROM idempotency ORDER BY number LIMIT 500)
	WHERE created_at_us < :before_us AND number < :number);

-- name: setting_get
SELECT value FROM setting WHERE name = :name;

-- name: setting_put
INSERT INTO setting (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: setting_delete
DELETE FROM setting WHERE name = :name;
