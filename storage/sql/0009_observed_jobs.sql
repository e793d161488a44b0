-- Schema version 11: of which kind observed jobs were, so that they count less for plans that are unlike them; runs know their plan, of which the newest counts.
ALTER TABLE observation ADD COLUMN params REAL CHECK (params > 0);
ALTER TABLE observation ADD COLUMN planned_gpu_count INTEGER CHECK (planned_gpu_count >= 1);
ALTER TABLE observation ADD COLUMN precision TEXT;
UPDATE calibration SET plan_id = (SELECT plan_id FROM observation WHERE 'run_practice.' || observation.id = calibration.id)
WHERE quantity = 'run_practice' AND plan_id IS NULL;
