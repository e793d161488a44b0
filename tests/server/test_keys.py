"""Keys that succeed one another: old and new are valid together, also for agents in the middle of their work; and keys
that expire."""
import json
import sqlite3

import pytest
from agents import Agent, Site
from conftest import run
from fake_agent import FakeAgent, gpu, measured
from support import bearer, until

ROOT = "fp_" + "ad" * 32
TRAINING = {"model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100", "gpu_count": 512}


@pytest.fixture
def daemon(daemon_with, tmp_path):
    (tmp_path / "root").write_text(ROOT)
    return daemon_with("--own-devices=no", "--bootstrap-key-file", str(tmp_path / "root"))


def keys(daemon, *arguments):
    return run("keys", *arguments, "--database", daemon.database)


def made(answer):
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip(), answer.stderr.split("\nid ")[-1].removeprefix("id ").split(",")[0]


def test_old_and_new_act_for_the_same_agent(daemon):
    old, old_id = made(keys(daemon, "create", "--name", "rack", "--role", "agent"))
    stranger, _ = made(keys(daemon, "create", "--name", "other", "--role", "agent"))
    agent = FakeAgent(daemon, "a1", [gpu("GPU-1")], key=old)
    assert agent.register().status == 200
    name = daemon.post("/v1/benchmarks", {"suite": "quick"}, bearer(ROOT)).json["id"]
    lease = agent.lease().json
    new, new_id = made(keys(daemon, "rotate", old_id, "--overlap-hours", "1"))
    successor, thief = FakeAgent(daemon, "a1", [gpu("GPU-1")], key=new), FakeAgent(daemon, "a1", [gpu("GPU-1")], key=stranger)
    for _ in range(2):  # both keys at once, in any order
        assert successor.heartbeat(lease).status == 200 and agent.heartbeat(lease).status == 200
    assert thief.heartbeat(lease).status == 403 and thief.register().status == 403
    assert keys(daemon, "revoke", old_id).returncode == 0
    until(lambda: agent.heartbeat(lease).status == 401)  # the daemon caches a key for two seconds
    assert successor.heartbeat(lease).status == 200
    assert thief.register().status == 403  # the name is not free: the key's successor owns it
    done = successor.deliver(lease, measured("GPU-1"))
    assert done.status == 200 and done.json["state"] == "succeeded" and done.json["attempt"] == 1, done.text
    assert successor.register().status == 200
    third, _ = made(keys(daemon, "rotate", new_id))  # still the same owner
    assert FakeAgent(daemon, "a1", [gpu("GPU-1")], key=third).register().status == 200
    with sqlite3.connect(f"file:{daemon.database}?mode=ro", uri=True) as db:
        assert db.execute("SELECT key_id FROM agent WHERE id = 'a1'").fetchone() == (old_id,)
    listed = keys(daemon, "list").stdout
    assert listed.count(f"after {old_id}") == 2 and name


def test_a_running_agent_changes_its_key_in_the_middle_of_a_job(tmp_path):
    """The old key ends while a worker runs: the first attempt succeeds."""
    site = Site(tmp_path, "--lease-seconds", "4", "--heartbeat-seconds", "1")
    old_id, old = site.make_key()
    agent = Agent(tmp_path / "node", site.url, old, "fake-rotated", "ok:9 ok")
    try:
        agent.wait_log("agent_registered")
        benchmark = site.queue(agent.device)
        until(agent.trace)
        new, _ = made(run("keys", "rotate", old_id, "--overlap-hours", "0", "--database", site.daemon.database))
        agent.key_path.write_text(new)
        done = site.wait(benchmark)
        assert done["state"] == "succeeded" and done["attempt"] == 1 and not done["late"], done
        entries = site.request("GET", f"/v1/audit?entity={benchmark}").json["items"]
        assert len({entry["key_id"] for entry in entries}) >= 2  # the old key made the lease, the new key delivered the result
        assert site.wait(site.queue(agent.device))["state"] == "succeeded"
    finally:
        agent.stop()
        assert site.daemon.stop() == 0


def test_jobs_and_repeated_requests_go_on_with_the_successor(daemon):
    old, old_id = made(keys(daemon, "create", "--name", "ci"))
    job = daemon.post("/v1/plans/training", TRAINING, bearer(old, Prefer="respond-async")).json["id"]
    first = daemon.post("/v1/plans/training", TRAINING, bearer(old, **{"Idempotency-Key": "once"}))
    new, _ = made(keys(daemon, "rotate", old_id))
    assert daemon.get(f"/v1/jobs/{job}", bearer(new)).status == 200
    again = daemon.post("/v1/plans/training", TRAINING, bearer(new, **{"Idempotency-Key": "once"}))
    assert again.json["id"] == first.json["id"] and again.headers["idempotent-replayed"] == "true"
    assert daemon.get(f"/v1/jobs/{job}", bearer(ROOT)).status == 404


def test_a_key_ends_when_it_expires(daemon):
    old, old_id = made(keys(daemon, "create", "--name", "ops", "--scope", "team=a", "--days", "1"))
    plan = daemon.post("/v1/plans/training", TRAINING, bearer(old)).json["id"]
    new, new_id = made(keys(daemon, "rotate", old_id, "--overlap-hours", "0", "--days", "2"))
    assert daemon.get(f"/v1/plans/{plan}", bearer(new)).status == 200  # the new key has its own role and scope now
    assert daemon.get("/v1/audit", bearer(new)).status == 403
    until(lambda: daemon.get(f"/v1/plans/{plan}", bearer(old)).status == 401)
    assert keys(daemon, "rotate", old_id).returncode == 1 and "no valid key" in keys(daemon, "rotate", old_id).stderr
    assert keys(daemon, "rotate", "none").returncode == 1
    row = next(line for line in keys(daemon, "list").stdout.splitlines() if line.startswith(new_id))
    assert "scope team=a" in row and "never" not in row
    later, _ = made(keys(daemon, "rotate", new_id, "--overlap-hours", "8784"))  # an overlap does not extend a key's validity
    before = next(line for line in keys(daemon, "list").stdout.splitlines() if line.startswith(new_id))
    assert before == row
    entries = daemon.get(f"/v1/audit?entity={old_id}", bearer(ROOT)).json["items"]
    assert [entry["path"] for entry in entries] == ["keys rotate", "keys create"] and later not in json.dumps(entries)
    for wrong in (("--overlap-hours", "-1"), ("--overlap-hours", "9999"), ("--days", "x")):
        assert keys(daemon, "rotate", new_id, *wrong).returncode == 64
