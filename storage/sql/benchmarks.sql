-- name: benchmark_insert
INSERT INTO benchmark (id, device, accelerator, suite, plan_id, timeout_s, priority, created_at_us, expires_at_us,
	state, attempt, token, cancel_requested, late)
VALUES (:id, :device, :accelerator, :suite, :plan_id, :timeout_s, coalesce(:priority, 0), :created_at_us, :expires_at_us,
	'queued', 0, 0, 0, 0);

-- name: benchmark_get
SELECT * FROM benchmark WHERE id = :id;

-- The next one that this device may run. Two running on one device: refused by the unique index benchmark_running.
-- name: benchmark_claim
UPDATE benchmark SET state = 'running', state_reason = NULL, running_device = :device_id, agent_id = :agent_id,
	token = token + 1, attempt = attempt + 1, lease_until_us = :lease_until_us,
	started_at_us = coalesce(started_at_us, :now_us), progress = NULL
WHERE number = (
	SELECT number FROM benchmark
	WHERE state = 'queued' AND (expires_at_us IS NULL OR expires_at_us > :now_us)
		AND (device IS NULL OR device = :device_id)
		AND (accelerator IS NULL OR accelerator = (SELECT accelerator FROM device WHERE id = :device_id))
	ORDER BY priority DESC, created_at_us, id LIMIT 1)
RETURNING *;

-- name: benchmark_update
UPDATE benchmark SET state = :state, state_reason = :state_reason, token = :token, attempt = :attempt,
	lease_until_us = :lease_until_us, finished_at_us = :finished_at_us, cancel_requested = :cancel_requested, late = :late,
	progress = :progress, result_sha256 = :result_sha256, result = :result
WHERE id = :id;

-- Leases that are over, and queued ones past their time. :restart: those of the daemon's own worker are over too.
-- name: benchmark_overdue
SELECT * FROM benchmark
WHERE state IN ('queued', 'running') AND (
	(state = 'running' AND (lease_until_us <= :now_us OR (:restart AND agent_id IS NULL)))
	OR (state = 'queued' AND expires_at_us <= :now_us))
LIMIT 1;

-- name: benchmark_list
SELECT id, device, accelerator, suite, plan_id, timeout_s, priority, created_at_us, expires_at_us, state, state_reason,
	running_device, agent_id, attempt, token, lease_until_us, started_at_us, finished_at_us, cancel_requested, late, progress
FROM benchmark
WHERE (created_at_us, id) < (:cursor_us, :cursor_id)
	AND (:state IS NULL OR state = :state)
	AND (:device_id IS NULL OR device = :device_id OR running_device = :device_id)
	AND (:accelerator_id IS NULL OR accelerator = :accelerator_id)
	AND (:plan_id IS NULL OR plan_id = :plan_id)
ORDER BY created_at_us DESC, id DESC LIMIT :limit;

-- name: device_put
INSERT INTO device (id, agent_id, node, backend, name, accelerator, driver, memory_bytes, state, state_reason, properties, seen_at_us)
VALUES (:id, :agent_id, :node, :backend, :name, :accelerator, :driver, :memory_bytes, :state, :state_reason, :properties, :seen_at_us)
ON CONFLICT (id) DO UPDATE SET agent_id = excluded.agent_id, node = excluded.node, backend = excluded.backend,
	name = excluded.name, accelerator = excluded.accelerator, driver = excluded.driver, memory_bytes = excluded.memory_bytes,
	state = excluded.state, state_reason = excluded.state_reason, properties = excluded.properties, seen_at_us = excluded.seen_at_us;

-- name: device_list
SELECT * FROM device WHERE id > :cursor_id ORDER BY id LIMIT :limit;
