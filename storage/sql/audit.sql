-- name: audit_insert
INSERT INTO audit (at_us, key_id, key_name, role, address, request_id, method, path, entity, revision, outcome, http_status, row_checksum)
VALUES (:at_us, :key_id, :key_name, :role, :address, :request_id, :method, :path, :entity, :revision, :outcome, :http_status, :row_checksum);

-- Newest first. Numbers only grow, even if the clock goes back.
-- name: audit_list
SELECT * FROM audit
WHERE number < :cursor_number
	AND (:key_id IS NULL OR key_id = :key_id)
	AND (:method IS NULL OR method = :method)
	AND (:entity IS NULL OR entity = :entity)
	AND (:outcome IS NULL OR outcome = :outcome)
	AND (:text IS NULL OR instr(path, :text) > 0)
	AND at_us > :after_us AND at_us < :before_us
ORDER BY number DESC LIMIT :limit;

-- name: audit_horizon_put
UPDATE audit_horizon SET before_us = :before_us WHERE one = 1 AND before_us < :before_us;

-- Deletes the oldest entries, up to the first young one, so that there are no gaps even if the clock went back. The
-- newest entry stays, so that no number is used twice.
-- name: audit_prune
DELETE FROM audit WHERE number < (
	SELECT coalesce(min(iif(at_us >= :before_us, number, NULL)), max(number))
	FROM (SELECT number, at_us FROM audit WHERE number > 0 ORDER BY number LIMIT :limit + 1));
