-- Schema version 8: whole runs as calibrations, each beside what published runs let expect of its plan, and of which kind it was.
ALTER TABLE calibration ADD COLUMN expected REAL CHECK (expected >= 0);
ALTER TABLE calibration ADD COLUMN expected_sigma REAL CHECK (expected_sigma >= 0);
ALTER TABLE calibration ADD COLUMN step_ratio REAL CHECK (step_ratio >= 0);
ALTER TABLE calibration ADD COLUMN gpu_count INTEGER CHECK (gpu_count >= 0);
ALTER TABLE calibration ADD COLUMN params REAL CHECK (params >= 0);
ALTER TABLE observation ADD COLUMN practice REAL CHECK (practice > 0);
ALTER TABLE observation ADD COLUMN practice_expected REAL CHECK (practice_expected > 0);
ALTER TABLE observation ADD COLUMN practice_unused_because TEXT;
