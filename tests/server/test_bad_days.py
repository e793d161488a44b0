"""Full and read-only disks: writes are refused, reads continue, and the daemon recovers."""
import contextlib
import os
import shutil
import subprocess

import pytest

from conftest import is_sanitized
from support import until

TRAINING = {"model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100", "deadline_hours": "30d"}

@contextlib.contextmanager
def small_disk_in(parent):
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk needs root")
    folder = parent / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)], capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip("cannot mount here: " + made.stderr.decode())
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path):
    with small_disk_in(tmp_path) as folder:
        yield folder


def test_full_disk(daemon_with, small_disk):
    one = daemon_with("--database", str(small_disk / "fleetplan.db"))
    made = one.post("/v1/plans/training", TRAINING)
    assert made.status == 201, made.text
    filler = small_disk / "filler"
    descriptor = os.open(filler, os.O_CREAT | os.O_WRONLY)
    try:
        while True:
            os.write(descriptor, b"x" * 65536)
    except OSError:
        pass
    finally:
        os.close(descriptor)
    statuses = {one.post("/v1/plans/training", TRAINING).status for _ in range(200)}
    assert 507 in statuses and statuses <= {201, 507, 503}, statuses
    refused = one.post("/v1/plans/training", TRAINING)
    assert refused.status in (507, 503) and refused.headers["content-type"] == "application/problem+json"
    assert one.get(made.headers["location"]).json == made.json
    assert one.get("/livez").status == 200
    assert one.get("/readyz").status == 503
    filler.unlink()
    until(lambda: one.post("/v1/plans/training", TRAINING).status == 201)
    assert one.get("/readyz").status == 200


@pytest.mark.skipif(shutil.which("fiu-run") is None, reason="needs fiu-utils")
@pytest.mark.skipif(is_sanitized(), reason="a sanitizer and libfiu replace the same functions")
def test_a_disk_that_refuses_writes(tmp_path, daemon_with):
    """Simulates a file system that was remounted read-only: every pwrite fails with EROFS, and later succeeds again."""
    one = daemon_with(expect_start=False)
    one.wrapper = ["fiu-run", "-x"]
    one.start()
    made = one.post("/v1/plans/training", TRAINING)
    assert made.status == 201, made.text
    daemon_pid = one.events("ready")[-1]["pid"]

    def disk(command):
        for name in ("pwrite", "pwrite64"):
            subprocess.run(["fiu-ctrl", "-c", command.replace("NAME", f"posix/io/rw/{name}"), str(daemon_pid)], check=True, timeout=10)

    disk("enable name=NAME,failinfo=30")
    for _ in range(3):
        refused = one.post("/v1/plans/training", TRAINING)
        assert refused.status == 503 and refused.headers["content-type"] == "application/problem+json", refused.text
    assert one.get(made.headers["location"]).json == made.json
    assert one.get("/readyz").status == 503 and one.get("/livez").status == 200
    disk("disable name=NAME")
    until(lambda: one.post("/v1/plans/training", TRAINING).status == 201)
    assert one.get("/readyz").status == 200
    assert len(one.get("/v1/plans").json["items"]) == 2
