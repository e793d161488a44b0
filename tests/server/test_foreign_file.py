"""The daemon refuses to start with a file that is not its database. It says what the file is and what to do, and does
not change it."""
import hashlib
import sqlite3

import pytest
from conftest import Daemon, run

OURS = 0x464c5450


def statements(*lines):
    def make(path):
        with sqlite3.connect(path) as database:
            for line in lines:
                database.execute(line)
        database.close()
    return make


@pytest.mark.parametrize("make, words", [
    (statements("CREATE TABLE plan (x)", "INSERT INTO plan VALUES (1)"), ["database of another application (1 tables", "name another file", "was not changed"]),
    (statements("PRAGMA application_id = 252006673", "CREATE TABLE t (x)"), ["another application", "application_id 252006673"]),
    (statements("PRAGMA user_version = 7"), ["another application"]),
    (statements(f"PRAGMA application_id = {OURS}", "PRAGMA user_version = 99", "CREATE TABLE t (x)"), ["newer version (schema 99", "run that version"]),
    (statements(f"PRAGMA application_id = {OURS}", "CREATE TABLE plan (x)"), ["no schema version", "restore a backup"]),
    (statements(f"PRAGMA application_id = {OURS}", "PRAGMA user_version = 5", "CREATE TABLE plan (x)"), ["says that it has schema 5, and does not", "no such table"]),
    (statements(f"PRAGMA application_id = {OURS}", "PRAGMA user_version = 11", "CREATE TABLE plan (x)"), ["says that it has schema 11, and does not"]),
    (lambda path: path.write_text("this is no database\n" * 400), ["not an SQLite database", "name another file"]),
    (lambda path: path.write_text("SQLite"), ["not an SQLite database"]),
    (lambda path: path.mkdir(), ["not a regular file"]),
], ids=["tables", "application", "version", "newer", "no version", "old without tables", "new without tables", "text", "short", "folder"])
@pytest.mark.parametrize("command", ["serve", "keys"])
def test_what_is_not_ours_is_refused(tmp_path, make, words, command):
    path = tmp_path / "fleetplan.db"
    make(path)
    before = hashlib.sha256(path.read_bytes()).digest() if path.is_file() else None
    arguments = ("serve", "--listen", "127.0.0.1:0") if command == "serve" else ("keys", "list")
    done = run(*arguments, "--database", path)
    assert done.returncode not in (0, 1) and done.returncode > 0, (done.returncode, done.stderr)
    assert all(word in done.stderr for word in words) and "already exists" not in done.stderr, done.stderr
    if words[0][:4] == "says":  # a failed migration is rolled back, after the write-ahead log was created
        with sqlite3.connect(path) as database:
            assert f"schema {database.execute('PRAGMA user_version').fetchone()[0]}, " in words[0]
            assert database.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (1,)
        database.close()
    elif before:
        assert hashlib.sha256(path.read_bytes()).digest() == before
    assert sorted(item.name for item in tmp_path.iterdir()) in (["fleetplan.db"], ["fleetplan.db", "fleetplan.db.lock"])


def test_an_empty_file_is_a_new_database(tmp_path):
    (tmp_path / "fleetplan.db").touch()
    daemon = Daemon(tmp_path)
    assert daemon.get("/readyz").status == 200
    assert daemon.stop() == 0
