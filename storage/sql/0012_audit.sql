-- Schema version 12: every write that came in by a key (or by a command), in the commit of the write itself. Rows are only appended: the triggers
-- refuse a change of any, and the end of one that is younger than the horizon, which retention moves on and nothing moves back.
CREATE TABLE audit (
	number INTEGER PRIMARY KEY,
	at_us INTEGER NOT NULL CHECK (at_us >= 0),
	key_id TEXT NOT NULL,
	key_name TEXT,
	role TEXT,
	address TEXT,
	request_id TEXT,
	method TEXT NOT NULL,
	path TEXT NOT NULL,
	entity TEXT,
	revision INTEGER CHECK (revision >= 0),
	outcome TEXT NOT NULL CHECK (outcome IN ('done', 'refused')),
	http_status INTEGER NOT NULL CHECK (http_status BETWEEN 200 AND 499),
	row_checksum INTEGER CHECK (row_checksum >= 0)
) STRICT;
CREATE TABLE audit_horizon (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	before_us INTEGER NOT NULL
) STRICT;
INSERT INTO audit_horizon VALUES (1, 0);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'the audit log is only appended to'); END;
-- An entry that brings its number could replace another; one that brings none is given the next, and has -1 here.
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit WHEN new.number >= 0
	BEGIN SELECT raise(ABORT, 'the audit log is only appended to'); END;
CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit WHEN old.at_us >= (SELECT before_us FROM audit_horizon)
	BEGIN SELECT raise(ABORT, 'the audit log is kept until its retention ends'); END;
CREATE TRIGGER audit_horizon_is_not_moved_back BEFORE UPDATE ON audit_horizon WHEN new.one <> 1 OR new.before_us < old.before_us
	BEGIN SELECT raise(ABORT, 'the horizon of the audit log only moves on'); END;
CREATE TRIGGER audit_horizon_stays BEFORE DELETE ON audit_horizon BEGIN SELECT raise(ABORT, 'the horizon of the audit log stays'); END;
CREATE TRIGGER audit_horizon_is_one BEFORE INSERT ON audit_horizon BEGIN SELECT raise(ABORT, 'the horizon of the audit log stays'); END;
