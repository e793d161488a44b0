-- name: benchmark_insert
INSERT INTO benchmark (id, device, accelerator, suite, plan_id, shapes, labels, timeout_s, priority, created_at_us, expires_at_us,
	state, attempt, token, cancel_requested, late, row_checksum)
VALUES (:id, :device, :accelerator, :suite, :plan_id, :shapes, :labels, :timeout_s, :priority, :created_at_us,
	:expires_at_us, :state, :attempt, :token, :cancel_requested, :late, :row_checksum);

-- name: benchmark_get
SELECT * FROM benchmark WHERE id = :id;

-- The next benchmark that this device may run: the first row of four queues, each in the order of its index. No row for a
-- device that is attached to another agent.
-- name: benchmark_next
SELECT * FROM benchmark WHERE number = (
	SELECT number FROM (
		SELECT * FROM (SELECT number, priority, created_at_us, id FROM benchmark
			WHERE state = 'queued' AND device = :device_id AND accelerator IS NULL AND (expires_at_us IS NULL OR expires_at_us > :now_us)
			ORDER BY priority DESC, created_at_us, id LIMIT 1)
		UNION ALL
		SELECT * FROM (SELECT number, priority, created_at_us, id FROM benchmark
			WHERE state = 'queued' AND device = :device_id AND accelerator = (SELECT accelerator FROM device WHERE id = :device_id)
				AND (expires_at_us IS NULL OR expires_at_us > :now_us)
			ORDER BY priority DESC, created_at_us, id LIMIT 1)
		UNION ALL
		SELECT * FROM (SELECT number, priority, created_at_us, id FROM benchmark
			WHERE state = 'queued' AND device IS NULL AND accelerator IS NULL AND (expires_at_us IS NULL OR expires_at_us > :now_us)
			ORDER BY priority DESC, created_at_us, id LIMIT 1)
		UNION ALL
		SELECT * FROM (SELECT number, priority, created_at_us, id FROM benchmark
			WHERE state = 'queued' AND device IS NULL AND accelerator = (SELECT accelerator FROM device WHERE id = :device_id)
				AND (expires_at_us IS NULL OR expires_at_us > :now_us)
			ORDER BY priority DESC, created_at_us, id LIMIT 1))
	ORDER BY priority DESC, created_at_us, id LIMIT 1)
	AND NOT EXISTS (SELECT 1 FROM device WHERE id = :device_id AND agent_id IS NOT :agent_id);

-- The newest of an agent's results beyond the limit.
-- name: benchmark_result_excess
SELECT * FROM benchmark WHERE agent_id = :agent_id AND result IS NOT NULL AND state <> 'running' AND state <> 'queued'
ORDER BY finished_at_us DESC, number DESC LIMIT 1 OFFSET :limit;

-- name: benchmark_on_device
SELECT * FROM benchmark WHERE state = 'running' AND running_device = :device_id;

-- Writes a record that storage/lease.c changed. The unique index benchmark_running rejects two running on one device.
-- name: benchmark_update
UPDATE benchmark SET state = :state, state_reason = :state_reason, running_device = :running_device, agent_id = :agent_id,
	token = :token, attempt = :attempt, lease_until_us = :lease_until_us, started_at_us = :started_at_us,
	finished_at_us = :finished_at_us, cancel_requested = :cancel_requested, late = :late,
	progress = :progress, result_sha256 = :result_sha256, result = :result,
	result_checksum = :result_checksum, row_checksum = :row_checksum
WHERE id = :id;

-- At its start the daemon extends agents' leases to the full time: agents use their own clocks, so no lease can last
-- longer. One row at a time, because each row has a checksum.
-- name: benchmark_held
SELECT * FROM benchmark
WHERE state = 'running' AND running_device IS NOT NULL AND agent_id IS NOT NULL AND lease_until_us <> :lease_until_us LIMIT 1;

-- A benchmark that was changed on the disk: it is not run, and no client waits for it. It stays damaged.
-- name: benchmark_set_aside
UPDATE benchmark SET state = 'failed', state_reason = 'it was changed on the disk since it was stored', lease_until_us = NULL,
	row_checksum = coalesce(row_checksum, 0)
WHERE number = :number;

-- Expired leases, and queued benchmarks past their time. :restart: leases of the daemon's own worker count as expired.
-- name: benchmark_overdue
SELECT * FROM benchmark WHERE number IN (
	SELECT number FROM benchmark
	WHERE state = 'running' AND running_device IS NOT NULL AND (lease_until_us <= :now_us OR (:restart AND agent_id IS NULL))
	UNION ALL
	SELECT number FROM benchmark WHERE state = 'queued' AND expires_at_us IS NOT NULL AND expires_at_us <= :now_us)
LIMIT 1;

-- name: benchmark_list
SELECT id, device, accelerator, suite, plan_id, shapes, labels, timeout_s, priority, created_at_us, expires_at_us, state, state_reason,
	running_device, agent_id, attempt, token, lease_until_us, started_at_us, finished_at_us, cancel_requested, late, progress, result_sha256,
	result_checksum, row_checksum
FROM benchmark
WHERE (created_at_us, id) < (:cursor_us, :cursor_id)
	AND (:state IS NULL OR state = :state)
	AND (:device_id IS NULL OR device = :device_id OR running_device = :device_id)
	AND (:accelerator_id IS NULL OR accelerator = :accelerator_id)
	AND (:plan_id IS NULL OR plan_id = :plan_id)
	AND (:agent_id IS NULL OR agent_id = :agent_id)
	AND (:scope_key IS NULL OR CASE WHEN plan_id IS NULL
		THEN EXISTS (SELECT 1 FROM json_each(labels) WHERE key = :scope_key AND value = :scope_value)
		ELSE EXISTS (SELECT 1 FROM plan_label s WHERE s.plan_id = benchmark.plan_id AND s.key = :scope_key AND s.value = :scope_value) END)
	AND (:label_key IS NULL OR EXISTS (SELECT 1 FROM json_each(labels) WHERE key = :label_key AND value = :label_value))
ORDER BY created_at_us DESC, id DESC LIMIT :limit;

-- name: device_put
INSERT INTO device (id, agent_id, node, backend, name, accelerator, driver, memory_bytes, state, state_reason, properties, seen_at_us, row_checksum)
VALUES (:id, :agent_id, :node, :backend, :name, :accelerator, :driver, :memory_bytes, :state, :state_reason, :properties, :seen_at_us, :row_checksum)
ON CONFLICT (id) DO UPDATE SET agent_id = excluded.agent_id, node = excluded.node, backend = excluded.backend,
	name = excluded.name, accelerator = excluded.accelerator, driver = excluded.driver, memory_bytes = excluded.memory_bytes,
	state = excluded.state, state_reason = excluded.state_reason, properties = excluded.properties, seen_at_us = excluded.seen_at_us,
	row_checksum = excluded.row_checksum;

-- name: device_get
SELECT * FROM device WHERE id = :device_id;

-- Devices as reported, with the state from the queue: a device of a silent agent is gone, one with a benchmark is busy.
-- name: device_list
SELECT d.*,
	max(d.seen_at_us, coalesce(a.seen_at_us, 0)) AS told_seen_at_us,
	CASE WHEN d.state = 'gone' OR a.seen_at_us < :before_us THEN 'gone' WHEN d.state = 'wedged' THEN 'wedged'
		WHEN b.id IS NOT NULL THEN 'busy' ELSE d.state END AS told_state,
	CASE WHEN d.state <> 'gone' AND a.seen_at_us < :before_us THEN 'its agent is not heard of any more' ELSE d.state_reason END AS told_state_reason,
	b.id AS benchmark_id,
	d.properties ->> '$.pci_id' AS pci_id, d.properties ->> '$.pci_bus' AS pci_bus,
	CASE d.properties ->> '$.ecc' WHEN 1 THEN 'enabled' WHEN 0 THEN 'disabled' END AS ecc,
	d.properties ->> '$.power_limit_w' AS power_limit_w, d.properties ->> '$.compute_capability' AS compute_capability,
	d.properties ->> '$.mig_parent' AS mig_parent, d.properties ->> '$.mig_profile' AS mig_profile,
	(SELECT max(valid_from_us) FROM calibration WHERE device_id = d.id AND valid_to_us IS NULL) AS calibrated_at_us,
	(:now_us - (SELECT max(valid_from_us) FROM calibration WHERE device_id = d.id AND valid_to_us IS NULL)) / 86400e6 AS calibration_age_days
FROM device d
	LEFT JOIN agent a ON a.id = d.agent_id
	LEFT JOIN benchmark b ON b.state = 'running' AND b.running_device = d.id
WHERE d.id > :cursor_id ORDER BY d.id LIMIT :limit;
