-- Schema version 2: agents on other nodes, labels of benchmarks and what of a plan they measure; the queue by what a
-- device may run, so that a claim does not walk past the thousands that it may not.

CREATE TABLE agent (
	id TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 64),
	host TEXT NOT NULL,
	version TEXT,
	labels TEXT CHECK (labels IS NULL OR substr(labels, 1, 1) = '{'),
	key_id TEXT,
	registered_at_us INTEGER NOT NULL,
	seen_at_us INTEGER NOT NULL
) STRICT;
CREATE INDEX device_by_agent ON device (agent_id, id) WHERE agent_id IS NOT NULL;
CREATE INDEX calibration_by_device ON calibration (device_id, valid_from_us) WHERE valid_to_us IS NULL;

ALTER TABLE benchmark ADD COLUMN labels TEXT CHECK (labels IS NULL OR substr(labels, 1, 1) = '{');
ALTER TABLE benchmark ADD COLUMN shapes TEXT CHECK (shapes IS NULL OR substr(shapes, 1, 1) = '{');
DROP INDEX benchmark_queue;
DROP INDEX benchmark_overdue;
CREATE INDEX benchmark_queue ON benchmark (device, accelerator, priority DESC, created_at_us, id) WHERE state = 'queued';
CREATE INDEX benchmark_expiring ON benchmark (expires_at_us) WHERE state = 'queued' AND expires_at_us IS NOT NULL;
