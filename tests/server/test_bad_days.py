"""Full and read-only disks: writes are refused, reads go on, and it heals."""
import os
import subprocess

import pytest

TRAINING = {"model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100", "deadline_hours": "30d"}
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)], capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip("cannot mount here: " + made.stderr.decode())
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


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
    healed = None
    for _ in range(40):
        healed = one.post("/v1/plans/training", TRAINING).status
        if healed == 201:
            break
        subprocess.run(["sleep", "0.1"], check=True)
    assert healed == 201
    assert one.get("/readyz").status == 200


def test_read_only_disk(daemon_with, small_disk):
    one = daemon_with("--database", str(small_disk / "fleetplan.db"))
    made = one.post("/v1/plans/training", TRAINING)
    remount = subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], capture_output=True, check=False)
    if remount.returncode != 0:
        pytest.skip("cannot remount: " + remount.stderr.decode())
    refused = one.post("/v1/plans/training", TRAINING)
    if refused.status == 201:
        pytest.skip("this kernel lets open files be written on")
    assert refused.status == 503, refused.text
    assert one.get(made.headers["location"]).status == 200
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    for _ in range(40):
        if one.post("/v1/plans/training", TRAINING).status == 201:
            return
        subprocess.run(["sleep", "0.1"], check=True)
    raise AssertionError("it did not heal")
