"""The database is deleted, replaced, moved or linked while the daemon runs: the daemon acknowledges nothing that the
next start would not find."""
import os

import pytest

from conftest import run
from crash_daemon import BODY
from support import until

HEADERS = {"Content-Type": "application/json"}


def put(daemon):
    return daemon.post("/v1/plans/training", BODY, HEADERS)


def delete(path, away):
    path.rename(away)


def replace(path, away):
    path.rename(away)
    fresh = path.with_suffix(".fresh")
    fresh.write_bytes(b"")
    fresh.rename(path)


def link(path, away):
    os.link(path, away)


@pytest.mark.parametrize("happen, said", [(delete, "deleted or moved"), (replace, "replaced by another file"), (link, "hard links")])
def test_a_plan_is_refused_while_the_file_is_another(daemon_with, happen, said):
    one = daemon_with()
    before = put(one)
    assert before.status == 201
    away = one.database.with_suffix(".away")
    happen(one.database, away)
    ready = one.get("/readyz")
    assert ready.status == 503 and said in ready.json["detail"]
    refused = put(one)
    assert refused.status == 503 and said in refused.json["detail"]
    assert one.get("/v1/plans/" + before.json["id"]).status == 200  # the daemon reads from the file that it has open
    until(lambda: any(line["event"] in ("database_not_writable", "commit_failed") and said in line["detail"] for line in one.log()))
    if happen is link:
        away.unlink()
    else:
        away.rename(one.database)
    after = put(one)
    assert after.status == 201  # the daemon recovers without help
    assert one.get("/readyz").status == 200
    one.process.kill()
    one.process.wait()
    one.start()
    for plan in (before, after):
        assert one.get("/v1/plans/" + plan.json["id"]).status == 200


def test_what_a_deleted_file_held_is_kept(daemon_with):
    one = daemon_with()
    plan = put(one).json["id"]
    one.database.unlink()
    backup = one.post("/v1/backups", None)
    assert backup.status == 201  # reads the file that is open
    one.stop()
    kept = [line["path"] for line in one.events("database_kept")]
    assert len(kept) == 1
    os.rename(kept[0], one.database)
    one.start()
    assert one.get("/v1/plans/" + plan).status == 200


@pytest.mark.parametrize("name", [os.link, os.symlink])
def test_a_second_daemon_by_another_name_is_refused(daemon_with, tmp_path, name):
    one = daemon_with()
    other = tmp_path / "other.db"
    name(one.database, other)
    second = run("serve", "--listen", "127.0.0.1:0", "--database", other)
    assert second.returncode in (74, 75)
    assert "hard links" in second.stderr or "another name" in second.stderr
    other.unlink()
    plan = put(one)
    assert plan.status == 201
    one.stop()
    one.start()
    assert one.get("/v1/plans/" + plan.json["id"]).status == 200
