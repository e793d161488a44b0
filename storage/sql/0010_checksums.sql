-- Schema version 10: a checksum of each row's content, made and checked by storage/sqlite/statements.c. NULL: a row that another program
-- wrote, which is not checked. What holds of a row when (valid_from_us, revoked_at_us, ...) is changed by statements and not in it.
ALTER TABLE accelerator ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE model ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE price ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE region ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE calibration ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE observation ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);
ALTER TABLE api_key ADD COLUMN row_checksum INTEGER CHECK (row_checksum >= 0);

-- How many transactions changed something, counted by each of them. The daemon writes the number of the last one that it acknowledged to a
-- file beside (PATH.mark): when that is more than this, acknowledged changes are missing. `file` tells one database from another.
CREATE TABLE commit_count (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	commits INTEGER NOT NULL CHECK (commits >= 0),
	file TEXT NOT NULL CHECK (length(file) = 32)
) STRICT;
INSERT INTO commit_count (one, commits, file) VALUES (1, 0, lower(hex(randomblob(16))));
