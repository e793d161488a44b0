-- Schema version 3: live feeds. Each refresh with what came of it, the rows that it changed or held back, what servers said of
-- their documents, and hours of grids.

CREATE TABLE feed_refresh (
	number INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE,
	feed TEXT NOT NULL,
	outcome TEXT NOT NULL CHECK (outcome IN ('succeeded', 'unchanged', 'failed', 'cancelled')),
	detail TEXT,
	started_by TEXT NOT NULL CHECK (started_by IN ('schedule', 'request')),
	started_at_us INTEGER NOT NULL,
	finished_at_us INTEGER NOT NULL CHECK (finished_at_us >= started_at_us),
	source TEXT, licence TEXT, base_url TEXT,
	requests INTEGER NOT NULL, bytes INTEGER NOT NULL,
	seen INTEGER NOT NULL, added INTEGER NOT NULL, changed INTEGER NOT NULL, unchanged INTEGER NOT NULL, kept INTEGER NOT NULL,
	quarantined INTEGER NOT NULL, rejected INTEGER NOT NULL, skipped INTEGER NOT NULL,
	catalogue_revision INTEGER
) STRICT;
CREATE INDEX feed_refresh_by_age ON feed_refresh (feed, finished_at_us, id);

CREATE TABLE feed_change (
	number INTEGER PRIMARY KEY,
	refresh_id TEXT NOT NULL REFERENCES feed_refresh (id) ON DELETE CASCADE,
	feed TEXT NOT NULL,
	position INTEGER NOT NULL,
	at_us INTEGER NOT NULL,
	what TEXT NOT NULL CHECK (what IN ('added', 'changed', 'quarantined', 'rejected')),
	subject TEXT NOT NULL,
	quantity TEXT NOT NULL,
	before REAL, after REAL, low REAL, high REAL,
	detail TEXT,
	UNIQUE (refresh_id, position)
) STRICT;

CREATE TABLE feed_validator (
	feed TEXT NOT NULL,
	url TEXT NOT NULL,
	etag TEXT, last_modified TEXT,
	at_us INTEGER NOT NULL,
	PRIMARY KEY (feed, url)
) STRICT, WITHOUT ROWID;

CREATE TABLE grid_hour (
	zone TEXT NOT NULL CHECK (length(zone) BETWEEN 1 AND 64),
	signal TEXT NOT NULL CHECK (signal IN ('average', 'marginal')),
	feed TEXT NOT NULL,
	start_us INTEGER NOT NULL CHECK (start_us % 3600000000 = 0),
	gco2e_per_kwh REAL NOT NULL CHECK (gco2e_per_kwh BETWEEN 0 AND 1500),
	forecast INTEGER NOT NULL CHECK (forecast IN (0, 1)),
	fetched_at_us INTEGER NOT NULL,
	PRIMARY KEY (zone, signal, start_us, feed)
) STRICT, WITHOUT ROWID;

-- Which zones there are, and from when to when: a few rows, where the hours are hundreds of thousands.
CREATE TABLE grid_zone (
	zone TEXT NOT NULL,
	signal TEXT NOT NULL,
	feed TEXT NOT NULL,
	from_us INTEGER NOT NULL,
	to_us INTEGER NOT NULL CHECK (to_us >= from_us),
	fetched_at_us INTEGER NOT NULL,
	PRIMARY KEY (zone, signal)
) STRICT, WITHOUT ROWID;
