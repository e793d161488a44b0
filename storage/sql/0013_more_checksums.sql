-- Schema version 13: a checksum of each row of the queue, of agents, feeds, imports and of kept answers (see 0010_checksums.sql), one of a result, which lists
-- do not read, and one of when a row of the catalogue holds, which statements change in place with the function times_seal (times_seal.c).
ALTER TABLE benchmark ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE device ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE agent ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE feed_refresh ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE feed_change ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE feed_validator ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE grid_hour ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE grid_zone ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE import ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE idempotency ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE benchmark ADD COLUMN result_checksum INTEGER CHECK (result_checksum >= 0);
ALTER TABLE accelerator ADD COLUMN times_checksum INTEGER CHECK (times_checksum >= 0);
ALTER TABLE model ADD COLUMN times_checksum INTEGER CHECK (times_checksum >= 0);
ALTER TABLE price ADD COLUMN times_checksum INTEGER CHECK (times_checksum >= 0);
ALTER TABLE region ADD COLUMN times_checksum INTEGER CHECK (times_checksum >= 0);
ALTER TABLE calibration ADD COLUMN times_checksum INTEGER CHECK (times_checksum >= 0);
