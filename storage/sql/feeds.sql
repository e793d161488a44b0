-- Live feeds: refreshes, the rows that they changed, and hours of grids.

-- name: feed_refresh_insert
INSERT INTO feed_refresh (id, feed, outcome, detail, started_by, started_at_us, finished_at_us, source, licence, base_url, requests, bytes,
	seen, added, changed, unchanged, kept, quarantined, rejected, skipped, catalogue_revision, row_checksum)
VALUES (:id, :feed, :outcome, :detail, :started_by, :started_at_us, :finished_at_us, :source, :licence, :base_url, :requests, :bytes,
	:seen, :added, :changed, :unchanged, :kept, :quarantined, :rejected, :skipped, :catalogue_revision, :row_checksum);

-- Columns that are known only after its rows are stored.
-- name: feed_refresh_count
UPDATE feed_refresh SET outcome = :outcome, added = :added, changed = :changed, unchanged = :unchanged, kept = :kept,
	catalogue_revision = :catalogue_revision, row_checksum = :row_checksum
WHERE id = :id;

-- name: feed_refresh_get
SELECT * FROM feed_refresh WHERE id = :id;

-- name: feed_refresh_list
SELECT * FROM feed_refresh
WHERE feed = :feed AND (finished_at_us < :cursor_us OR (finished_at_us = :cursor_us AND id < :cursor_id))
ORDER BY finished_at_us DESC, id DESC LIMIT :limit;

-- The newest refresh that received a response.
-- name: feed_refresh_good
SELECT * FROM feed_refresh WHERE feed = :feed AND outcome IN ('succeeded', 'unchanged')
ORDER BY finished_at_us DESC, id DESC LIMIT 1;

-- The newest refresh that read rows: the rows that it held back are still held back.
-- name: feed_refresh_read
SELECT * FROM feed_refresh WHERE feed = :feed AND outcome = 'succeeded'
ORDER BY finished_at_us DESC, id DESC LIMIT 1;

-- name: feed_refresh_prune
DELETE FROM feed_refresh WHERE feed = :feed AND finished_at_us < (
	SELECT finished_at_us FROM feed_refresh WHERE feed = :feed ORDER BY finished_at_us DESC LIMIT 1 OFFSET 200);

-- name: feed_change_insert
INSERT INTO feed_change (refresh_id, feed, position, at_us, what, subject, quantity, before, after, low, high, detail, row_checksum)
VALUES (:refresh_id, :feed, :position, :at_us, :what, :subject, :quantity, :before, :after, :low, :high, :detail, :row_checksum);

-- name: feed_change_list
SELECT * FROM feed_change WHERE refresh_id = :id AND (what IN ('quarantined', 'rejected')) = :held ORDER BY position LIMIT :limit;

-- name: feed_validator_put
INSERT INTO feed_validator (feed, url, etag, last_modified, at_us, row_checksum) VALUES (:feed, :url, :etag, :last_modified, :at_us, :row_checksum)
ON CONFLICT (feed, url) DO UPDATE SET etag = excluded.etag, last_modified = excluded.last_modified, at_us = excluded.at_us,
	row_checksum = excluded.row_checksum;

-- name: feed_validator_list
SELECT * FROM feed_validator WHERE feed = :feed ORDER BY url LIMIT :limit;

-- A forecast does not replace a measurement.
-- name: grid_hour_change
UPDATE grid_hour SET gco2e_per_kwh = :gco2e_per_kwh, forecast = :forecast, fetched_at_us = :fetched_at_us,
	row_checksum = :row_checksum
WHERE zone = :zone AND signal = :signal AND start_us = :start_us AND feed = :feed AND forecast >= :forecast
	AND (gco2e_per_kwh <> :gco2e_per_kwh OR forecast <> :forecast);

-- name: grid_hour_add
INSERT INTO grid_hour (zone, signal, feed, start_us, gco2e_per_kwh, forecast, fetched_at_us, row_checksum)
VALUES (:zone, :signal, :feed, :start_us, :gco2e_per_kwh, :forecast, :fetched_at_us, :row_checksum)
ON CONFLICT (zone, signal, start_us, feed) DO NOTHING;

-- name: grid_hour_prune
DELETE FROM grid_hour WHERE zone = :zone AND signal = :signal AND start_us < :before_us;

-- If several feeds have an hour, the last fetched value is used.
-- name: grid_hour_list
SELECT zone, signal, feed, start_us, gco2e_per_kwh, forecast, max(fetched_at_us) AS fetched_at_us, row_checksum FROM grid_hour
WHERE zone = :zone AND signal = :signal AND start_us >= :from_us AND start_us < :to_us
GROUP BY start_us ORDER BY start_us LIMIT :limit;

-- name: grid_zone_get
SELECT * FROM grid_zone WHERE zone = :zone AND signal = :signal;

-- name: grid_zone_put
INSERT OR REPLACE INTO grid_zone (zone, signal, feed, from_us, to_us, fetched_at_us, row_checksum)
VALUES (:zone, :signal, :feed, :from_us, :to_us, :fetched_at_us, :row_checksum);

-- name: grid_zone_list
SELECT * FROM grid_zone WHERE to_us >= :from_us ORDER BY zone, signal LIMIT :limit;
