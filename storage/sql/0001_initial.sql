-- Schema version 1. Times are microseconds since 1970 (wall clock); NULL is absent; every quantity's unit is the last
-- word of its name. CHECKs mirror the ranges of the API, so that a bug elsewhere cannot store nonsense.

CREATE TABLE setting (
	name TEXT PRIMARY KEY,
	value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What was asked and answered: `asked` as it came, `request` as it was understood. The long ones stand last: a list reads the columns before them and skips their pages.
CREATE TABLE plan (
	number INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 64),
	kind TEXT NOT NULL CHECK (kind IN ('training', 'inference')),
	created_at_us INTEGER NOT NULL CHECK (created_at_us >= 0),
	updated_at_us INTEGER NOT NULL CHECK (updated_at_us >= 0),
	revision INTEGER NOT NULL CHECK (revision >= 1),
	name TEXT,
	notes TEXT,
	labels TEXT CHECK (labels IS NULL OR substr(labels, 1, 1) = '{'),
	head_checksum INTEGER NOT NULL CHECK (head_checksum >= 0),
	content_revision INTEGER NOT NULL CHECK (content_revision BETWEEN 1 AND revision),
	model TEXT,
	accelerator TEXT,
	catalogue_revision INTEGER,
	calibration_revision INTEGER,
	planner_version TEXT,
	computed_at_us INTEGER,
	checksum INTEGER NOT NULL CHECK (checksum >= 0),
	asked TEXT,
	request TEXT NOT NULL,
	result TEXT NOT NULL
) STRICT;
CREATE INDEX plan_by_age ON plan (created_at_us, id);

-- Contents that a refresh replaced; the newest one stays in plan, so that most plans are one row.
CREATE TABLE plan_revision (
	plan_id TEXT NOT NULL REFERENCES plan (id) ON DELETE CASCADE,
	content_revision INTEGER NOT NULL,
	model TEXT,
	accelerator TEXT,
	catalogue_revision INTEGER,
	calibration_revision INTEGER,
	planner_version TEXT,
	computed_at_us INTEGER,
	checksum INTEGER NOT NULL CHECK (checksum >= 0),
	request TEXT NOT NULL,
	result TEXT NOT NULL,
	UNIQUE (plan_id, content_revision)
) STRICT;

-- One row a label, ordered as a list by label is answered.
CREATE TABLE plan_label (
	key TEXT NOT NULL,
	value TEXT NOT NULL,
	created_at_us INTEGER NOT NULL,
	plan_id TEXT NOT NULL REFERENCES plan (id) ON DELETE CASCADE,
	PRIMARY KEY (key, value, created_at_us, plan_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX plan_label_by_plan ON plan_label (plan_id);

CREATE TABLE idempotency (
	number INTEGER PRIMARY KEY,
	principal TEXT NOT NULL,
	route TEXT NOT NULL,
	key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
	body_sha256 BLOB NOT NULL CHECK (length(body_sha256) = 32),
	created_at_us INTEGER NOT NULL,
	http_status INTEGER NOT NULL CHECK (http_status BETWEEN 200 AND 599),
	location TEXT,
	etag TEXT,
	content_type TEXT,
	body TEXT,
	UNIQUE (key, route, principal)
) STRICT;

-- When each revision of the catalogue (accelerators, models, prices, regions) and of the calibrations was made.
CREATE TABLE change (
	scope TEXT NOT NULL CHECK (scope IN ('catalogue', 'calibration')),
	revision INTEGER NOT NULL CHECK (revision >= 1),
	at_us INTEGER NOT NULL,
	PRIMARY KEY (scope, revision)
) STRICT, WITHOUT ROWID;

-- Rows that somebody removed: an update of the built-in data does not bring them back.
CREATE TABLE removed_row (
	kind TEXT NOT NULL,
	id TEXT NOT NULL,
	PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

-- Catalogue rows are append-only: a change closes the valid row (valid_to_us) and adds another.
CREATE TABLE accelerator (
	number INTEGER PRIMARY KEY,
	id TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
	vendor TEXT, name TEXT, form_factor TEXT, memory_type TEXT, interconnect TEXT,
	release_year INTEGER CHECK (release_year BETWEEN 1990 AND 2100),
	memory_gb REAL CHECK (memory_gb >= 0),
	memory_usable_bytes REAL CHECK (memory_usable_bytes >= 0),
	memory_usable_source TEXT,
	memory_bandwidth_gbs REAL CHECK (memory_bandwidth_gbs >= 0),
	tflops_fp64 REAL CHECK (tflops_fp64 >= 0), tflops_fp32 REAL CHECK (tflops_fp32 >= 0),
	tflops_tf32 REAL CHECK (tflops_tf32 >= 0), tflops_bf16 REAL CHECK (tflops_bf16 >= 0),
	tflops_fp16 REAL CHECK (tflops_fp16 >= 0), tflops_fp8 REAL CHECK (tflops_fp8 >= 0),
	tops_int8 REAL CHECK (tops_int8 >= 0), tflops_fp4 REAL CHECK (tflops_fp4 >= 0),
	tdp_w REAL CHECK (tdp_w >= 0), idle_w REAL CHECK (idle_w >= 0),
	interconnect_gbs REAL CHECK (interconnect_gbs >= 0),
	pcie_gen INTEGER, max_nvlink_domain INTEGER, transistor_nm INTEGER,
	die_area_mm2 REAL CHECK (die_area_mm2 >= 0),
	embodied_kgco2e REAL CHECK (embodied_kgco2e >= 0),
	embodied_boavizta_kgco2e REAL CHECK (embodied_boavizta_kgco2e >= 0),
	unverified TEXT, notes TEXT, aliases TEXT,
	source TEXT, source_date TEXT,
	origin TEXT NOT NULL CHECK (origin IN ('builtin', 'imported', 'user', 'measured')),
	valid_from_us INTEGER NOT NULL,
	valid_to_us INTEGER CHECK (valid_to_us > valid_from_us),
	revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX accelerator_valid ON accelerator (id) WHERE valid_to_us IS NULL;
CREATE INDEX accelerator_by_id ON accelerator (id, valid_from_us);

CREATE TABLE model (
	number INTEGER PRIMARY KEY,
	id TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
	repo TEXT,
	params_total REAL CHECK (params_total > 0),
	params_active REAL CHECK (params_active > 0),
	config TEXT CHECK (config IS NULL OR substr(config, 1, 1) = '{'),
	aliases TEXT,
	source TEXT, source_date TEXT,
	origin TEXT NOT NULL CHECK (origin IN ('builtin', 'imported', 'user', 'measured')),
	valid_from_us INTEGER NOT NULL,
	valid_to_us INTEGER CHECK (valid_to_us > valid_from_us),
	revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX model_valid ON model (id) WHERE valid_to_us IS NULL;
CREATE INDEX model_by_id ON model (id, valid_from_us);

CREATE TABLE price (
	number INTEGER PRIMARY KEY,
	id TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
	provider TEXT NOT NULL, instance_type TEXT, region TEXT, accelerator_id TEXT,
	pricing_model TEXT, as_of TEXT, notes TEXT,
	gpus INTEGER CHECK (gpus >= 0),
	vcpus REAL CHECK (vcpus >= 0), ram_gb REAL CHECK (ram_gb >= 0),
	price_usd_per_hour REAL NOT NULL CHECK (price_usd_per_hour > 0),
	source TEXT, source_date TEXT,
	origin TEXT NOT NULL CHECK (origin IN ('builtin', 'imported', 'user', 'measured')),
	valid_from_us INTEGER NOT NULL,
	valid_to_us INTEGER CHECK (valid_to_us > valid_from_us),
	revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX price_valid ON price (id) WHERE valid_to_us IS NULL;
CREATE INDEX price_by_id ON price (id, valid_from_us);

CREATE TABLE region (
	number INTEGER PRIMARY KEY,
	id TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
	provider TEXT, region_id TEXT, country_zone TEXT, location TEXT, em_zone TEXT,
	grid_gco2e_per_kwh REAL CHECK (grid_gco2e_per_kwh BETWEEN 0 AND 1500),
	grid_marginal_gco2e_per_kwh REAL CHECK (grid_marginal_gco2e_per_kwh BETWEEN 0 AND 2500),
	pue REAL CHECK (pue BETWEEN 1 AND 10),
	wue_l_per_kwh REAL CHECK (wue_l_per_kwh >= 0), ewif_l_per_kwh REAL CHECK (ewif_l_per_kwh >= 0),
	year INTEGER, pue_year INTEGER, wue_year INTEGER,
	source TEXT, source_date TEXT,
	origin TEXT NOT NULL CHECK (origin IN ('builtin', 'imported', 'user', 'measured')),
	valid_from_us INTEGER NOT NULL,
	valid_to_us INTEGER CHECK (valid_to_us > valid_from_us),
	revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX region_valid ON region (id) WHERE valid_to_us IS NULL;
CREATE INDEX region_by_id ON region (id, valid_from_us);

CREATE TABLE calibration (
	number INTEGER PRIMARY KEY,
	id TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
	accelerator_id TEXT NOT NULL, device_id TEXT, benchmark_id TEXT,
	precision TEXT,
	quantity TEXT NOT NULL, method TEXT NOT NULL,
	value REAL NOT NULL, low REAL, high REAL,
	source TEXT, source_date TEXT,
	origin TEXT NOT NULL CHECK (origin IN ('builtin', 'imported', 'user', 'measured')),
	valid_from_us INTEGER NOT NULL,
	valid_to_us INTEGER CHECK (valid_to_us > valid_from_us),
	revision INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX calibration_valid ON calibration (id) WHERE valid_to_us IS NULL;
CREATE INDEX calibration_by_id ON calibration (id, valid_from_us);

-- Only hashes of keys. Rows stay after they are revoked, so that a plan's author can still be named.
CREATE TABLE api_key (
	number INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE,
	hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
	name TEXT,
	role TEXT NOT NULL CHECK (role IN ('viewer', 'planner', 'admin', 'agent')),
	prefix TEXT,
	created_at_us INTEGER NOT NULL,
	expires_at_us INTEGER,
	revoked_at_us INTEGER
) STRICT;

CREATE TABLE device (
	id TEXT PRIMARY KEY,
	agent_id TEXT, node TEXT,
	backend TEXT NOT NULL,
	name TEXT, accelerator TEXT, driver TEXT,
	memory_bytes REAL CHECK (memory_bytes >= 0),
	state TEXT NOT NULL CHECK (state IN ('idle', 'busy', 'suspect', 'wedged', 'gone')),
	state_reason TEXT,
	properties TEXT,
	seen_at_us INTEGER NOT NULL
) STRICT;

-- The queue of benchmarks; storage/benchmarks.h draws its states.
CREATE TABLE benchmark (
	number INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE,
	device TEXT, accelerator TEXT,
	suite TEXT NOT NULL,
	plan_id TEXT,
	timeout_s REAL CHECK (timeout_s > 0),
	priority INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 100),
	created_at_us INTEGER NOT NULL,
	expires_at_us INTEGER,
	state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired')),
	state_reason TEXT,
	running_device TEXT, agent_id TEXT,
	attempt INTEGER NOT NULL CHECK (attempt >= 0),
	token INTEGER NOT NULL CHECK (token >= 0),
	lease_until_us INTEGER, started_at_us INTEGER, finished_at_us INTEGER,
	cancel_requested INTEGER NOT NULL CHECK (cancel_requested IN (0, 1)),
	late INTEGER NOT NULL CHECK (late IN (0, 1)),
	progress TEXT,
	result_sha256 BLOB CHECK (length(result_sha256) = 32),
	result TEXT,
	CHECK ((state = 'running') = (lease_until_us IS NOT NULL)),
	CHECK (state <> 'running' OR running_device IS NOT NULL)
) STRICT;
CREATE INDEX benchmark_by_age ON benchmark (created_at_us, id);
CREATE INDEX benchmark_queue ON benchmark (priority DESC, created_at_us, id) WHERE state = 'queued';
CREATE UNIQUE INDEX benchmark_running ON benchmark (running_device) WHERE state = 'running';
CREATE INDEX benchmark_overdue ON benchmark (state, lease_until_us) WHERE state IN ('queued', 'running');
