-- Schema version 11: what was delivered with an agent's key and waits for an admin or a second device, and whose key it was.
ALTER TABLE calibration ADD COLUMN held_because TEXT;
ALTER TABLE calibration ADD COLUMN delivered_by TEXT;

-- Of each agent the newest results are kept, and the agents of a key are counted.
CREATE INDEX benchmark_result_by_agent ON benchmark (agent_id, finished_at_us, number)
	WHERE agent_id IS NOT NULL AND result IS NOT NULL AND state <> 'running' AND state <> 'queued';
CREATE INDEX agent_by_key ON agent (key_id) WHERE key_id IS NOT NULL;
CREATE INDEX device_gone ON device (agent_id, seen_at_us DESC, id) WHERE state = 'gone';
