-- Schema version 6: imports. Rows of an import are written by many small transactions and become visible by one: `opened_by` is the import
-- that a row begins to hold with, `closed_by` the one that it ends with. Until that import is published its rows are not there and
-- those that they replace hold; from then on its moment is theirs, and they are settled one after the other: valid_from_us, revision
-- and valid_to_us are written, and the numbers forgotten. What is settled has neither. There is one import at a time that is not.

CREATE TABLE import (
	number INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 64),
	kind TEXT NOT NULL CHECK (kind IN ('accelerator', 'model', 'price', 'region')),
	state TEXT NOT NULL CHECK (state IN ('running', 'succeeded', 'failed', 'cancelled', 'interrupted')),
	detail TEXT,
	started_by TEXT NOT NULL CHECK (started_by IN ('request', 'feed', 'command')),
	key_id TEXT, key_name TEXT,
	content_type TEXT,
	bytes INTEGER CHECK (bytes >= 0),
	sha256 TEXT CHECK (length(sha256) = 64),
	replaces INTEGER NOT NULL CHECK (replaces IN (0, 1)),
	overwrites INTEGER NOT NULL CHECK (overwrites IN (0, 1)),
	started_at_us INTEGER NOT NULL,
	finished_at_us INTEGER,
	rows INTEGER NOT NULL CHECK (rows >= 0),
	added INTEGER NOT NULL CHECK (added >= 0),
	changed INTEGER NOT NULL CHECK (changed >= 0),
	removed INTEGER NOT NULL CHECK (removed >= 0),
	unchanged INTEGER NOT NULL CHECK (unchanged >= 0),
	kept INTEGER NOT NULL CHECK (kept >= 0),
	published_at_us INTEGER,
	revision INTEGER,
	settled INTEGER NOT NULL CHECK (settled IN (0, 1)),
	CHECK ((state = 'running') = (finished_at_us IS NULL)),
	CHECK ((published_at_us IS NULL) = (revision IS NULL)),
	CHECK (published_at_us IS NULL OR state = 'succeeded'),
	CHECK (state <> 'running' OR settled = 0)
) STRICT;
CREATE UNIQUE INDEX import_unsettled ON import (settled) WHERE settled = 0;
CREATE INDEX import_by_age ON import (started_at_us, id);

ALTER TABLE accelerator ADD COLUMN opened_by INTEGER;
ALTER TABLE accelerator ADD COLUMN closed_by INTEGER;
DROP INDEX accelerator_valid;
CREATE UNIQUE INDEX accelerator_valid ON accelerator (id) WHERE valid_to_us IS NULL AND opened_by IS NULL;
CREATE UNIQUE INDEX accelerator_opening ON accelerator (opened_by, id) WHERE opened_by IS NOT NULL;
CREATE INDEX accelerator_closing ON accelerator (closed_by) WHERE closed_by IS NOT NULL;

ALTER TABLE model ADD COLUMN opened_by INTEGER;
ALTER TABLE model ADD COLUMN closed_by INTEGER;
DROP INDEX model_valid;
CREATE UNIQUE INDEX model_valid ON model (id) WHERE valid_to_us IS NULL AND opened_by IS NULL;
CREATE UNIQUE INDEX model_opening ON model (opened_by, id) WHERE opened_by IS NOT NULL;
CREATE INDEX model_closing ON model (closed_by) WHERE closed_by IS NOT NULL;

ALTER TABLE price ADD COLUMN opened_by INTEGER;
ALTER TABLE price ADD COLUMN closed_by INTEGER;
DROP INDEX price_valid;
CREATE UNIQUE INDEX price_valid ON price (id) WHERE valid_to_us IS NULL AND opened_by IS NULL;
CREATE UNIQUE INDEX price_opening ON price (opened_by, id) WHERE opened_by IS NOT NULL;
CREATE INDEX price_closing ON price (closed_by) WHERE closed_by IS NOT NULL;

ALTER TABLE region ADD COLUMN opened_by INTEGER;
ALTER TABLE region ADD COLUMN closed_by INTEGER;
DROP INDEX region_valid;
CREATE UNIQUE INDEX region_valid ON region (id) WHERE valid_to_us IS NULL AND opened_by IS NULL;
CREATE UNIQUE INDEX region_opening ON region (opened_by, id) WHERE opened_by IS NOT NULL;
CREATE INDEX region_closing ON region (closed_by) WHERE closed_by IS NOT NULL;

-- Rows as they hold: from_us is NULL of one that does not hold yet, to_us of one that has not ended.
CREATE VIEW accelerator_told AS SELECT accelerator.*,
	iif(opened_by IS NULL, valid_from_us, (SELECT published_at_us FROM import WHERE number = opened_by)) AS from_us,
	iif(closed_by IS NULL, valid_to_us, (SELECT published_at_us FROM import WHERE number = closed_by)) AS to_us,
	iif(opened_by IS NULL, accelerator.revision, (SELECT revision FROM import WHERE number = opened_by)) AS of_revision
FROM accelerator;
CREATE VIEW model_told AS SELECT model.*,
	iif(opened_by IS NULL, valid_from_us, (SELECT published_at_us FROM import WHERE number = opened_by)) AS from_us,
	iif(closed_by IS NULL, valid_to_us, (SELECT published_at_us FROM import WHERE number = closed_by)) AS to_us,
	iif(opened_by IS NULL, model.revision, (SELECT revision FROM import WHERE number = opened_by)) AS of_revision
FROM model;
CREATE VIEW price_told AS SELECT price.*,
	iif(opened_by IS NULL, valid_from_us, (SELECT published_at_us FROM import WHERE number = opened_by)) AS from_us,
	iif(closed_by IS NULL, valid_to_us, (SELECT published_at_us FROM import WHERE number = closed_by)) AS to_us,
	iif(opened_by IS NULL, price.revision, (SELECT revision FROM import WHERE number = opened_by)) AS of_revision
FROM price;
CREATE VIEW region_told AS SELECT region.*,
	iif(opened_by IS NULL, valid_from_us, (SELECT published_at_us FROM import WHERE number = opened_by)) AS from_us,
	iif(closed_by IS NULL, valid_to_us, (SELECT published_at_us FROM import WHERE number = closed_by)) AS to_us,
	iif(opened_by IS NULL, region.revision, (SELECT revision FROM import WHERE number = opened_by)) AS of_revision
FROM region;
