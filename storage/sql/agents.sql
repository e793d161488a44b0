-- name: agent_get
SELECT * FROM agent WHERE id = :agent_id;

-- name: agent_put
INSERT INTO agent (id, host, version, labels, key_id, registered_at_us, seen_at_us, row_checksum)
VALUES (:id, :host, :version, :labels, :key_id, :registered_at_us, :seen_at_us, :row_checksum)
ON CONFLICT (id) DO UPDATE SET host = excluded.host, version = excluded.version, labels = excluded.labels, key_id = excluded.key_id,
	registered_at_us = excluded.registered_at_us, seen_at_us = excluded.seen_at_us, row_checksum = excluded.row_checksum;

-- name: agent_list
SELECT a.*, CASE WHEN a.seen_at_us < :before_us THEN 'silent' ELSE 'online' END AS state,
	(SELECT count(*) FROM device d WHERE d.agent_id = a.id AND d.state <> 'gone') AS devices
FROM agent a WHERE a.id > :cursor_id ORDER BY a.id LIMIT :limit;

-- Deletes gone devices, except the newest.
-- name: agent_devices_forget
DELETE FROM device WHERE agent_id = :agent_id AND state = 'gone' AND id NOT IN (
	SELECT id FROM device WHERE agent_id = :agent_id AND state = 'gone' ORDER BY seen_at_us DESC, id LIMIT :limit);

-- The number of agents that registered with this key.
-- name: agent_count_of_key
SELECT count(*) AS count FROM agent WHERE key_id = :id;

-- Devices of an agent that can be free: not gone, not wedged in the driver, without a running benchmark.
-- name: agent_devices_free
SELECT * FROM device d
WHERE agent_id = :agent_id AND state IN ('idle', 'suspect')
	AND NOT EXISTS (SELECT 1 FROM benchmark WHERE state = 'running' AND running_device = d.id)
ORDER BY id LIMIT :limit;

-- name: agent_devices
SELECT * FROM device WHERE agent_id = :agent_id AND state <> 'gone' ORDER BY id LIMIT :limit;

-- name: agent_running
SELECT * FROM benchmark WHERE state = 'running' AND running_device IS NOT NULL AND agent_id = :agent_id LIMIT 1;

-- name: agent_devices_delete
DELETE FROM device WHERE agent_id = :agent_id;

-- name: agent_delete
DELETE FROM agent WHERE id = :agent_id;

-- name: key_holds
SELECT count(*) AS count FROM api_key
WHERE (id = :id OR family = :id) AND revoked_at_us IS NULL AND (expires_at_us IS NULL OR expires_at_us > :now_us);

-- name: queue_counts
SELECT (SELECT count(*) FROM benchmark WHERE state = 'queued') AS queued,
	(SELECT count(*) FROM benchmark WHERE state = 'running' AND running_device IS NOT NULL) AS running,
	(SELECT count(*) FROM agent WHERE seen_at_us >= :before_us) AS agents_online,
	(SELECT count(*) FROM agent WHERE seen_at_us < :before_us) AS agents_silent;
