-- Schema version 4: calibrations by class of work and by plan, with how far they can be trusted; what real jobs achieved.

ALTER TABLE calibration ADD COLUMN class TEXT;
ALTER TABLE calibration ADD COLUMN plan_id TEXT;
ALTER TABLE calibration ADD COLUMN driver TEXT;
ALTER TABLE calibration ADD COLUMN n INTEGER CHECK (n >= 0);
ALTER TABLE calibration ADD COLUMN spread REAL CHECK (spread >= 0);
ALTER TABLE calibration ADD COLUMN disagreement REAL CHECK (disagreement >= 0);
ALTER TABLE calibration ADD COLUMN baseline REAL;
-- Before, products of all sizes were one figure; it was made of large squares.
UPDATE calibration SET class = 'large' WHERE quantity = 'gemm_efficiency';
CREATE INDEX calibration_by_accelerator ON calibration (accelerator_id, id) WHERE valid_to_us IS NULL;

-- What was reported, and what the plan had predicted when it was. Stays when the plan is deleted.
CREATE TABLE observation (
	number INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 64),
	plan_id TEXT NOT NULL,
	created_at_us INTEGER NOT NULL CHECK (created_at_us >= 0),
	accelerator TEXT NOT NULL,
	stack TEXT,
	stack_release TEXT,
	gpu_count INTEGER CHECK (gpu_count >= 1),
	step_time_s REAL CHECK (step_time_s > 0),
	tokens_per_s REAL CHECK (tokens_per_s > 0),
	mean_gpu_w REAL CHECK (mean_gpu_w > 0),
	hours REAL CHECK (hours > 0),
	total_kwh REAL CHECK (total_kwh > 0),
	total_usd REAL CHECK (total_usd >= 0),
	labels TEXT CHECK (labels IS NULL OR substr(labels, 1, 1) = '{'),
	notes TEXT,
	predicted_step_time_s REAL CHECK (predicted_step_time_s > 0),
	predicted_tokens_per_s REAL, predicted_mean_gpu_w REAL, predicted_hours REAL, predicted_total_kwh REAL, predicted_total_usd REAL,
	stack_speed REAL CHECK (stack_speed > 0),
	unused_because TEXT
) STRICT;
CREATE INDEX observation_by_age ON observation (created_at_us, id);
CREATE INDEX observation_by_plan ON observation (plan_id, created_at_us, id);
CREATE INDEX observation_by_stack ON observation (accelerator, stack, created_at_us) WHERE unused_because IS NULL;
CREATE INDEX benchmark_of_plan ON benchmark (plan_id, finished_at_us, id) WHERE plan_id IS NOT NULL AND state = 'succeeded';
