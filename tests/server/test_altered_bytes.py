"""Bytes of the database are altered on the disk. No answer contains them, by id or in a list."""
import json
import random

import pytest

import conftest
from crash_daemon import BODY

PRICE = {"provider": "sentinel", "instance_type": "altered-bytes", "region": "nowhere", "accelerator_id": "h100-sxm5-80gb", "source": "a test", "pricing_model": "on_demand",
         "gpus": 8, "price_usd_per_hour": 31.25, "as_of": "2026-11-01"}


def alter(path, before, after):
    """Replaces every occurrence in the file, as a failing disk would."""
    content = path.read_bytes()
    assert before in content and len(before) == len(after)
    path.write_bytes(content.replace(before, after))


@pytest.fixture
def stopped(daemon_with):
    one = daemon_with()
    price = one.post("/v1/prices", PRICE)
    assert price.status == 201, price.text
    plan = one.post("/v1/plans/training", json.dumps(json.loads(BODY) | {"name": "sentinel-plan"}), {"Content-Type": "application/json"})
    assert plan.status == 201
    one.stop()
    return one, price.json["id"], plan.json["id"]


def test_altered_rows_are_not_answered(stopped):
    one, price, plan = stopped
    alter(one.database, b"altered-bytesnowhere", b"altered-bitesnowhere")
    alter(one.database, b"sentinel-plan", b"sentimel-plan")
    one.start()
    for path in (f"/v1/prices/{price}", "/v1/prices?provider=sentinel", f"/v1/plans/{plan}", "/v1/plans"):
        answer = one.get(path)
        assert answer.status == 503, path
        assert "checksum" in answer.json["detail"]
        assert "altered-bites" not in answer.text and "sentimel" not in answer.text
    one.wait_events("row_damaged")
    ready = one.get("/readyz")
    assert ready.status == 200 and "1 row" in ready.json["detail"]
    again = one.request("PUT", f"/v1/prices/{price}", PRICE)
    assert again.status == 200, again.text  # a row that is stored again is whole
    assert one.get(f"/v1/prices/{price}").json["instance_type"] == "altered-bytes"
    assert one.request("DELETE", f"/v1/plans/{plan}").status == 204
    assert one.get("/v1/plans").status == 200


def many_plans(one, count):
    connection = conftest.http.client.HTTPConnection("127.0.0.1", one.port, timeout=30)
    ids = []
    for number in range(count):
        connection.request("POST", "/v1/plans/training", BODY, {"Content-Type": "application/json", "X-Request-ID": f"many-{number}"})
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status == 201
        ids.append(json.loads(content)["id"])
    connection.close()
    return ids


def test_a_damaged_log_is_said_at_the_start(daemon_with):
    one = daemon_with()
    ids = many_plans(one, 12)
    one.process.kill()
    one.process.wait()
    log = one.database.with_name(one.database.name + "-wal")
    content = bytearray(log.read_bytes())
    frame = 32 + 24 + 100
    content[frame] ^= 1  # in the first frame: SQLite ignores all frames after it
    log.write_bytes(content)
    command = conftest.run("check", one.database)
    assert command.returncode == 1 and "acknowledged changes are missing" in command.stdout, command
    one.start()
    lost = one.events("commits_lost")  # logged before the daemon is ready
    missing = sum(one.get(f"/v1/plans/{plan}").status != 200 for plan in ids)
    assert missing > 0
    assert len(lost) == 1 and lost[0]["commits"] >= missing
    ready = one.get("/readyz")
    assert ready.status == 200 and "acknowledged changes were missing" in ready.json["detail"]


def test_damaged_pages_are_said_and_the_rest_is_recovered(daemon_with, tmp_path):
    one = daemon_with()
    ids = many_plans(one, 2400)  # a larger file than the daemon checks before the start
    one.stop()
    pages = one.database.stat().st_size // 4096
    assert pages * 4096 > 16 * 1024 * 1024
    assert one.wait_events("database_checked")[-1]["faults"] == 0
    whole = conftest.run("check", one.database)
    assert whole.returncode == 0 and " 0 faults; 0 acknowledged" in whole.stdout
    source = random.Random(3)
    with open(one.database, "r+b") as file:
        for page in source.sample(range(pages * 3 // 4, pages), 40):  # pages of plans: damaged pages of the schema refuse the start
            file.seek(page * 4096)
            file.write(source.randbytes(4096))
    begin = one.log_path.stat().st_size
    one.start()
    assert one.wait_events("database_checked", begin=begin)[-1]["faults"] > 0
    assert one.events("database_damaged", begin)  # logged before the end of the check
    ready = one.get("/readyz")
    assert ready.status == 200 and "the last check found" in ready.json["detail"]
    readable = {plan: one.get(f"/v1/plans/{plan}") for plan in ids}
    assert all(answer.status in (200, 503, 404) for answer in readable.values())
    one.stop()
    assert conftest.run("check", one.database).returncode == 1
    fresh = tmp_path / "fresh.db"
    recovered = conftest.run("recover", one.database, fresh)
    assert recovered.returncode == 0, recovered
    assert conftest.run("check", fresh).returncode == 0
    assert conftest.run("recover", one.database, fresh).returncode == 73  # recover never writes over a file
    for beside in one.folder.glob("fleetplan.db*"):
        beside.unlink()
    fresh.rename(one.database)
    one.start()
    kept = 0
    for plan, before in readable.items():
        after = one.get(f"/v1/plans/{plan}")
        assert after.status in (200, 404)
        assert before.status != 200 or (after.status == 200 and after.json == before.json)
        kept += after.status == 200
    assert 2000 < kept < len(ids)


def test_altered_queues_agents_and_feeds_are_not_listed(daemon_with):
    """Rows outside the catalogue: the daemon answers 503 with the reason, by id and in lists, and the check names
    them."""
    one = daemon_with("--own-devices=no")
    made = one.post("/v1/benchmarks", {"suite": "quick", "labels": {"mark": "sentinel-benchmark"}})
    assert made.status == 202, made.text
    agent = one.post("/v1/agents", {"agent_id": "a1", "host": "sentinel-host", "devices": [{"id": "d1", "backend": "cuda", "name": "sentinel-device"}]})
    assert agent.status == 200, agent.text
    rows = one.request("POST", "/v1/imports/prices", json.dumps(PRICE | {"id": "x"}), {"Content-Type": "application/x-ndjson", "Idempotency-Key": "k"})
    assert rows.status == 201, rows.text
    lists = ("/v1/benchmarks", f"/v1/benchmarks/{made.json['id']}", "/v1/agents", "/v1/devices", "/v1/imports", f"/v1/imports/{rows.json['id']}")
    assert [one.get(path).status for path in lists] == [200] * len(lists)
    one.stop()
    alter(one.database, b"sentinel-benchmark", b"sentimel-benchmark")
    alter(one.database, b"sentinel-host", b"sentimel-host")
    alter(one.database, b"sentinel-device", b"sentimel-device")
    alter(one.database, rows.json["sha256"].encode(), b"0" * 64)
    found = conftest.run("check", one.database)
    assert found.returncode != 0 and all(noun in found.stdout + found.stderr for noun in ("benchmark ", "agent a1", "device d1", "import "))
    one.start()
    for path in lists:
        answer = one.get(path)
        assert answer.status == 503 and "checksum" in answer.json["detail"] and "sentimel" not in answer.text, path
    again = one.post("/v1/agents", {"agent_id": "a2", "host": "h", "devices": [{"id": "d1", "backend": "cuda", "name": "sentinel-device"}]})
    assert again.status == 200, again.text
