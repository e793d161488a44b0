-- Catalogue rows in their valid state (_told: see 0006_imports.sql). Selects take every column: results are read by name,
-- and of two columns for one member the last one is used. _load and _list read the rows that are valid now (:as_of_us is
-- INT64_MAX) from indexes that contain only these, however long the history is. For an earlier moment _list reads the
-- history, too. Rows of the import that is not settled come from their own index. _get reads one row of an id's
-- history, the newest that began by then: if that one has ended, no older one holds.

-- name: change_latest
SELECT revision, at_us FROM change
WHERE scope = :scope AND at_us <= :as_of_us ORDER BY revision DESC LIMIT 1;

-- name: change_get
SELECT revision, at_us FROM change WHERE scope = :scope AND revision = :revision;

-- name: catalogue_counts
SELECT (SELECT count(*) FROM accelerator_told WHERE from_us <= :as_of_us AND (to_us IS NULL OR to_us > :as_of_us)) AS accelerators,
	(SELECT count(*) FROM model_told WHERE from_us <= :as_of_us AND (to_us IS NULL OR to_us > :as_of_us)) AS models,
	(SELECT count(*) FROM price_told WHERE from_us <= :as_of_us AND (to_us IS NULL OR to_us > :as_of_us)) AS prices,
	(SELECT count(*) FROM region_told WHERE from_us <= :as_of_us AND (to_us IS NULL OR to_us > :as_of_us)) AS regions,
	(SELECT count(*) FROM calibration WHERE valid_from_us <= :as_of_us AND (valid_to_us IS NULL OR valid_to_us > :as_of_us)) AS calibrations,
	(SELECT max(revision) FROM change WHERE scope = 'catalogue' AND at_us <= :as_of_us) AS revision,
	(SELECT max(revision) FROM change WHERE scope = 'calibration' AND at_us <= :as_of_us) AS calibration_revision;

-- name: change_insert
INSERT INTO change (scope, revision, at_us) VALUES (:scope, :revision, :at_us);

-- name: removed_row_insert
INSERT OR IGNORE INTO removed_row (kind, id) VALUES (:name, :id);

-- name: removed_row_delete
DELETE FROM removed_row WHERE kind = :name AND id = :id;

-- name: removed_row_get
SELECT id FROM removed_row WHERE kind = :name AND id = :id;

-- name: accelerator_insert
INSERT INTO accelerator (id, vendor, name, form_factor, memory_type, interconnect, release_year, memory_gb,
	memory_usable_bytes, memory_usable_source, memory_bandwidth_gbs, tflops_fp64, tflops_fp32, tflops_tf32,
	tflops_bf16, tflops_fp16, tflops_fp8, tops_int8, tflops_fp4, tdp_w, idle_w, load_w, interconnect_gbs, pcie_gen,
	max_nvlink_domain, transistor_nm, die_area_mm2, embodied_kgco2e, embodied_boavizta_kgco2e, unverified, notes,
	aliases, source, source_date, origin, valid_from_us, revision, opened_by, conflicts, row_checksum, times_checksum)
VALUES (:id, :vendor, :name, :form_factor, :memory_type, :interconnect, :release_year, :memory_gb,
	:memory_usable_bytes, :memory_usable_source, :memory_bandwidth_gbs, :tflops_fp64, :tflops_fp32, :tflops_tf32,
	:tflops_bf16, :tflops_fp16, :tflops_fp8, :tops_int8, :tflops_fp4, :tdp_w, :idle_w, :load_w, :interconnect_gbs,
	:pcie_gen, :max_nvlink_domain, :transistor_nm, :die_area_mm2, :embodied_kgco2e, :embodied_boavizta_kgco2e,
	:unverified, :notes, :aliases, :source, :source_date, :origin, :valid_from_us, :revision, :opened_by, :conflicts, :row_checksum,
	times_seal(:id, :valid_from_us, NULL, :revision, :opened_by, NULL));

-- name: accelerator_close
UPDATE accelerator SET valid_to_us = :at_us,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, :at_us, revision, opened_by, closed_by)
WHERE id = :id AND valid_to_us IS NULL AND opened_by IS NULL;

-- name: accelerator_get
SELECT * FROM (
	SELECT * FROM (SELECT * FROM accelerator_told WHERE id = :id AND opened_by IS NULL AND valid_from_us <= :as_of_us ORDER BY valid_from_us DESC LIMIT 1)
	UNION ALL SELECT * FROM accelerator_told WHERE id = :id AND opened_by = (SELECT number FROM import WHERE settled = 0))
WHERE from_us <= :as_of_us AND (to_us IS NULL OR to_us > :as_of_us);

-- name: accelerator_load
SELECT * FROM accelerator_told WHERE valid_to_us IS NULL AND opened_by IS NULL AND to_us IS NULL
UNION ALL
SELECT * FROM accelerator_told WHERE opened_by IS NOT NULL AND from_us IS NOT NULL AND to_us IS NULL;

-- name: accelerator_list
SELECT * FROM (
	SELECT * FROM accelerator_told WHERE :as_of_us = 9223372036854775807 AND valid_to_us IS NULL AND opened_by IS NULL
	UNION ALL SELECT * FROM accelerator_told WHERE opened_by = (SELECT number FROM import WHERE settled = 0)
	UNION ALL SELECT * FROM accelerator_told WHERE :as_of_us < 9223372036854775807 AND opened_by IS NULL)
WHERE from_us <= :as_of_us AND (to_us IS NULL OR to_us > :as_of_us) AND id > :cursor_id
	AND (:id_prefix IS NULL OR substr(id, 1, length(:id_prefix)) = :id_prefix)
	AND (:origin IS NULL OR origin = :origin)
	AND (:text IS NULL OR instr(lower(id || ' ' || coalesce(name, '') || ' ' || coalesce(aliases, '')), lower(:text)) > 0)
	AND (:vendor IS NULL OR vendor = :vendor)
ORDER BY id LIMIT :limit;

-- name: model_insert
INSERT INTO model (id, repo, params_total, params_active, config, aliases, source, source_date, origin,
	valid_from_us, revision, opened_by, row_checksum, times_checksum)
VALUES (:id, :repo, :params_total, :params_active, :config, :aliases, :source, :source_date, :origin,
	:valid_from_us, :revision, :opened_by, :row_checksum,
	times_seal(:id, :valid_from_us, NULL, :revision, :opened_by, NULL));

-- name: model_close
UPDATE model SET valid_to_us = :at_us,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, :at_us, revision, opened_by, closed_by)
WHERE id = :id AND valid_to_us IS NULL AND opened_by IS NULL;

-- name: model_get
SELECT * FROM (
	SELECT * FROM (SELECT * FROM model_told WHERE id = :id AND opened_by IS NULL AND valid_from_us <= :as_of_us ORDER BY valid_from_us DESC LIMIT 1)
	UNION ALL SELECT * FROM model_told WHERE id = :id AND opened_by = (SELECT number FROM import WHERE settled = 0))
WHERE from_us <= :as_of_us AND (to_us IS NULL OR to_us > :as_of_us);

-- name: model_load
SELECT * FROM model_told WHERE valid_to_us IS NULL AND opened_by IS NULL AND to_us IS NULL
UNION ALL
SELECT * FROM model_told WHERE opened_by IS NOT NULL AND from_us IS NOT NULL AND to_us IS NULL;

-- name: model_list
SELECT * FROM (
	SELECT * FROM model_told WHERE :as_of_us = 9223372036854775807 AND valid_to_us IS NULL AND opened_by IS NULL
	UNION ALL SELECT * FROM model_told WHERE opened_by = (SELECT number FROM import WHERE settled = 0)
	UNION ALL SELECT * FROM model_told WHERE :as_of_us < 9223372036854775807 AND opened_by IS NULL)
WHERE from_us <= :as_of_us AND (to_us IS NULL OR to_us > :as_of_us) AND id > :cursor_id
	AND (:id_prefix IS NULL OR substr(id, 1, length(:id_prefix)) = :id_prefix)
	AND (:origin IS NULL OR origin = :origin)
	AND (:text IS NULL OR instr(lower(id || ' ' || coalesce(repo, '') || ' ' || coalesce(aliases, '')), lower(:text)) > 0)
ORDER BY id LIMIT :limit;

-- name: price_insert
INSERT INTO price (id, provider, instance_type, region, accelerator_id, pricing_model, as_of, notes, gpus,
	vcpus, ram_gb, price_usd_per_hour, source, source_date, origin, valid_from_us, revision, opened_by, conflicts, row_checksum, times_checksum)
VALUES (:id, :provider, :instance_type, :region, :accelerator_id, :pricing_model, :as_of, :notes, :gpus,
	:vcpus, :ram_gb, :price_usd_per_hour, :source, :source_date, :origin, :valid_from_us, :revision, :opened_by, :conflicts, :row_checksum,
	times_seal(:id, :valid_from_us, NULL, :revision, :opened_by, NULL));

-- name: price_close
UPDATE price SET valid_to_us = :at_us,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, :at_us, revision, opened_by, closed_by)
WHERE id = :id AND valid_to_us IS NULL AND opened_by IS NULL;

-- name: price_get
SELECT * FROM (
	SELECT * FROM (SELECT * FROM price_told WHERE id = :id AND opened_by IS NULL AND valid_from_us <= :as_of_us ORDER BY valid_from_us DESC LIMIT 1)
	UNION ALL SELECT * FROM price_told WHERE id = :id AND opened_by = (SELECT number FROM import WHERE settled = 0))
WHERE from_us <= :as_of_us AND (to_us IS NULL OR to_us > :as_of_us);

-- name: price_load
SELECT * FROM price_told WHERE valid_to_us IS NULL AND opened_by IS NULL AND to_us IS NULL
UNION ALL
SELECT * FROM price_told WHERE opened_by IS NOT NULL AND from_us IS NOT NULL AND to_us IS NULL;

-- name: price_list
SELECT * FROM (
	SELECT * FROM price_told WHERE :as_of_us = 9223372036854775807 AND valid_to_us IS NULL AND opened_by IS NULL
	UNION ALL SELECT * FROM price_told WHERE opened_by = (SELECT number FROM import WHERE settled = 0)
	UNION ALL SELECT * FROM price_told WHERE :as_of_us < 9223372036854775807 AND opened_by IS NULL)
WHERE from_us <= :as_of_us AND (to_us IS NULL OR to_us > :as_of_us) AND id > :cursor_id
	AND (:id_prefix IS NULL OR substr(id, 1, length(:id_prefix)) = :id_prefix)
	AND (:origin IS NULL OR origin = :origin)
	AND (:text IS NULL OR instr(lower(id || ' ' || coalesce(instance_type, '')), lower(:text)) > 0)
	AND (:accelerator_id IS NULL OR accelerator_id = :accelerator_id)
	AND (:provider IS NULL OR provider = :provider)
	AND (:region IS NULL OR region = :region)
	AND (:pricing_model IS NULL OR pricing_model = :pricing_model)
ORDER BY id LIMIT :limit;

-- name: region_insert
INSERT INTO region (id, provider, region_id, country_zone, location, em_zone, grid_gco2e_per_kwh,
	grid_marginal_gco2e_per_kwh, pue, wue_l_per_kwh, ewif_l_per_kwh, year, pue_year, wue_year, source,
	source_date, origin, valid_from_us, revision, opened_by, conflicts, row_checksum, times_checksum)
VALUES (:id, :provider, :region_id, :country_zone, :location, :em_zone, :grid_gco2e_per_kwh,
	:grid_marginal_gco2e_per_kwh, :pue, :wue_l_per_kwh, :ewif_l_per_kwh, :year, :pue_year, :wue_year, :source,
	:source_date, :origin, :valid_from_us, :revision, :opened_by, :conflicts, :row_checksum,
	times_seal(:id, :valid_from_us, NULL, :revision, :opened_by, NULL));

-- name: region_close
UPDATE region SET valid_to_us = :at_us,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, opened_by, closed_by, valid_from_us, :at_us, revision, opened_by, closed_by)
WHERE id = :id AND valid_to_us IS NULL AND opened_by IS NULL;

-- name: region_get
SELECT * FROM (
	SELECT * FROM (SELECT * FROM region_told WHERE id = :id AND opened_by IS NULL AND valid_from_us <= :as_of_us ORDER BY valid_from_us DESC LIMIT 1)
	UNION ALL SELECT * FROM region_told WHERE id = :id AND opened_by = (SELECT number FROM import WHERE settled = 0))
WHERE from_us <= :as_of_us AND (to_us IS NULL OR to_us > :as_of_us);

-- name: region_load
SELECT * FROM region_told WHERE valid_to_us IS NULL AND opened_by IS NULL AND to_us IS NULL
UNION ALL
SELECT * FROM region_told WHERE opened_by IS NOT NULL AND from_us IS NOT NULL AND to_us IS NULL;

-- name: region_list
SELECT * FROM (
	SELECT * FROM region_told WHERE :as_of_us = 9223372036854775807 AND valid_to_us IS NULL AND opened_by IS NULL
	UNION ALL SELECT * FROM region_told WHERE opened_by = (SELECT number FROM import WHERE settled = 0)
	UNION ALL SELECT * FROM region_told WHERE :as_of_us < 9223372036854775807 AND opened_by IS NULL)
WHERE from_us <= :as_of_us AND (to_us IS NULL OR to_us > :as_of_us) AND id > :cursor_id
	AND (:id_prefix IS NULL OR substr(id, 1, length(:id_prefix)) = :id_prefix)
	AND (:origin IS NULL OR origin = :origin)
	AND (:text IS NULL OR instr(lower(id || ' ' || coalesce(location, '')), lower(:text)) > 0)
	AND (:provider IS NULL OR provider = :provider)
	AND (:region IS NULL OR region_id = :region)
	AND (:country IS NULL OR country_zone = upper(:country) OR substr(country_zone, 1, length(:country) + 1) = upper(:country) || '-')
ORDER BY id LIMIT :limit;

-- name: calibration_insert
INSERT INTO calibration (id, accelerator_id, device_id, benchmark_id, class, plan_id, driver, precision, quantity, method, value, low,
	high, n, spread, disagreement, baseline, expected, expected_sigma, step_ratio, gpu_count, params,
	held_because, delivered_by, source, source_date, origin, valid_from_us, revision, row_checksum, times_checksum)
VALUES (:id, :accelerator_id, :device_id, :benchmark_id, :class, :plan_id, :driver, :precision, :quantity, :method, :value, :low,
	:high, :n, :spread, :disagreement, :baseline, :expected, :expected_sigma, :step_ratio, :gpu_count, :params,
	:held_because, :delivered_by, :source, :source_date, :origin, :valid_from_us, :revision, :row_checksum,
	times_seal(:id, :valid_from_us, NULL, :revision, NULL, NULL));

-- name: calibration_close
UPDATE calibration SET valid_to_us = :at_us,
	times_checksum = times_change(times_checksum, id, valid_from_us, valid_to_us, revision, NULL, NULL, valid_from_us, :at_us, revision, NULL, NULL)
WHERE id = :id AND valid_to_us IS NULL;

-- name: calibration_get
SELECT * FROM (SELECT * FROM calibration WHERE id = :id AND valid_from_us <= :as_of_us ORDER BY valid_from_us DESC LIMIT 1)
WHERE valid_to_us IS NULL OR valid_to_us > :as_of_us;

-- name: calibration_load
SELECT * FROM calibration WHERE valid_to_us IS NULL ORDER BY id;

-- name: calibration_list
SELECT * FROM (
	SELECT * FROM calibration WHERE :as_of_us = 9223372036854775807 AND valid_to_us IS NULL
	UNION ALL SELECT * FROM calibration WHERE :as_of_us < 9223372036854775807) AS calibration
WHERE valid_from_us <= :as_of_us AND (valid_to_us IS NULL OR valid_to_us > :as_of_us) AND id > :cursor_id
	AND (:id_prefix IS NULL OR substr(id, 1, length(:id_prefix)) = :id_prefix)
	AND (:origin IS NULL OR origin = :origin)
	AND (:text IS NULL OR instr(lower(id || ' ' || quantity), lower(:text)) > 0)
	AND (:accelerator_id IS NULL OR accelerator_id = :accelerator_id)
	AND (:device_id IS NULL OR device_id = :device_id)
	AND (:plan_id IS NULL OR plan_id = :plan_id)
	AND (:quantity IS NULL OR quantity = :quantity)
	AND (:scope_key IS NULL OR plan_id IS NULL OR EXISTS (SELECT 1 FROM plan_label s WHERE s.plan_id = calibration.plan_id AND s.key = :scope_key AND s.value = :scope_value))
	AND (NOT :held OR held_because IS NOT NULL)
ORDER BY id LIMIT :limit;
