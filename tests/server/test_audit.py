"""The audit log has every write by a key, in the commit of the write, and what a key was refused. Only admins can read
it."""
import csv
import io
import json
import sqlite3
import time

import pytest
from conftest import run
from support import bearer, until

ROOT = "fp_" + "ad" * 32
TRAINING = {"model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100", "gpu_count": 512}
PRICE = {"id": "audit.price", "provider": "p", "instance_type": "t", "region": "r", "accelerator_id": "h100-sxm5-80gb", "gpus": 8, "pricing_model": "on_demand",
         "price_usd_per_hour": 20, "as_of": "2026-11-01", "source": "s"}


@pytest.fixture
def daemon(daemon_with, tmp_path):
    (tmp_path / "root").write_text(ROOT)
    return daemon_with("--bootstrap-key-file", str(tmp_path / "root"))


def entries(daemon, query=""):
    answer = daemon.get(f"/v1/audit{query}", bearer(ROOT))
    assert answer.status == 200, answer.text
    return answer.json["items"]


def test_each_write_has_its_entry(daemon):
    key, key_id = daemon.make_key("--name", "ops", "--role", "planner")
    made = daemon.post("/v1/plans/training", TRAINING | {"name": "audited"}, bearer(key, **{"X-Request-Id": "req-1"}))
    assert made.status == 201, made.text
    plan = made.json["id"]
    assert daemon.request("PATCH", f"/v1/plans/{plan}", json.dumps({"notes": "n"}), bearer(key, **{"Content-Type": "application/merge-patch+json"})).status == 200
    assert daemon.request("POST", f"/v1/plans/{plan}/refresh", None, bearer(key)).status == 200
    assert daemon.request("DELETE", f"/v1/plans/{plan}", None, bearer(key)).status == 204
    found = entries(daemon, f"?key={key_id}")
    assert [(e["method"], e["entity"], e.get("revision"), e["outcome"], e["http_status"]) for e in found] == [
        ("DELETE", plan, None, "done", 204), ("POST", plan, 3, "done", 200), ("PATCH", plan, 2, "done", 200), ("POST", plan, 1, "done", 201)]
    first = found[-1]
    assert (first["key_name"], first["role"], first["address"], first["path"], first["request_id"]) == ("ops", "planner", "127.0.0.1", "/v1/plans/training", "req-1")
    assert [e["number"] for e in found] == sorted((e["number"] for e in found), reverse=True)


def test_catalogue_jobs_backups_and_commands_have_entries(daemon):
    assert daemon.request("PUT", "/v1/prices/audit.price", PRICE, bearer(ROOT)).status == 201
    entry = entries(daemon, "?entity=audit.price")[0]
    assert (entry["method"], entry["path"], entry["outcome"], entry["http_status"]) == ("PUT", "/v1/prices/audit.price", "done", 201)
    assert entry["revision"] == daemon.get("/v1/catalogue", bearer(ROOT)).json["revision"]
    job = daemon.post("/v1/plans/training", TRAINING, bearer(ROOT, Prefer="respond-async"))
    assert job.status == 202
    until(lambda: entries(daemon, "?q=/v1/plans/training"))
    assert [e["outcome"] for e in entries(daemon, "?q=/v1/plans/training")] == ["done"]
    assert entries(daemon, "?q=/v1/plans/training")[0]["address"] == "127.0.0.1"
    assert daemon.request("POST", "/v1/backups", None, bearer(ROOT)).status == 201
    until(lambda: entries(daemon, "?q=/v1/backups"))
    rows = daemon.request("POST", "/v1/imports/prices", json.dumps(PRICE | {"id": "audit.import"}), bearer(ROOT, **{"Content-Type": "application/x-ndjson"}))
    assert rows.status == 201, rows.text
    entry = entries(daemon, "?q=/v1/imports/prices")[0]
    assert entry["entity"] == rows.json["id"] and entry["revision"] == rows.json["revision"]
    assert daemon.request("POST", "/v1/imports/prices?dry_run=true", json.dumps(PRICE), bearer(ROOT, **{"Content-Type": "application/x-ndjson"})).status in (200, 201)
    assert len(entries(daemon, "?q=/v1/imports/prices")) == 1
    _, key_id = daemon.make_key("--name", "made", "--role", "viewer")
    assert run("keys", "revoke", key_id, "--database", daemon.database).returncode == 0
    assert [(e["path"], e["key_id"]) for e in entries(daemon, f"?entity={key_id}")] == [("keys revoke", "command"), ("keys create", "command")]


def test_a_repeated_key_and_reads_have_no_entry(daemon):
    for _ in range(3):
        assert daemon.post("/v1/plans/training", TRAINING, bearer(ROOT, **{"Idempotency-Key": "once"})).status == 201
    assert daemon.post("/v1/estimates/training", TRAINING, bearer(ROOT)).status == 200
    assert daemon.get("/v1/plans", bearer(ROOT)).status == 200
    assert daemon.post("/v1/backups", None, bearer(ROOT)).status == 201
    until(lambda: entries(daemon, "?q=/v1/backups"))  # entries are written in the order of their requests
    assert [e["path"] for e in entries(daemon, "?q=/v1/")] == ["/v1/backups", "/v1/plans/training"]


def test_refused_writes_have_entries_and_not_without_end(daemon):
    key, key_id = daemon.make_key("--name", "eyes", "--role", "viewer")
    assert daemon.post("/v1/plans/training", TRAINING, bearer(key)).status == 403
    assert daemon.post("/v1/plans/training", {"model": "?"}, bearer(ROOT)).status == 422
    assert daemon.request("DELETE", "/v1/plans/01900000-0000-7000-8000-000000000001", None, bearer(ROOT)).status == 404
    assert daemon.post("/v1/plans/training", TRAINING, bearer("fp_wrong")).status == 401
    until(lambda: len(entries(daemon, "?outcome=refused")) == 3)
    assert sorted((e["http_status"], e["key_id"] == key_id) for e in entries(daemon, "?outcome=refused")) == [(403, True), (404, False), (422, False)]
    for _ in range(620):
        assert daemon.request("DELETE", "/v1/prices/none", None, bearer(key)).status == 403
    assert daemon.metric("fleetplan_audit_dropped_entries_total", bearer(ROOT)) == 23  # of 623, the log keeps 600 a minute
    with sqlite3.connect(f"file:{daemon.database}?mode=ro", uri=True) as db:
        until(lambda: db.execute("SELECT count(*) FROM audit WHERE outcome = 'refused'").fetchone()[0] == 600)
    assert daemon.stop() == 0
    assert len(daemon.events("audit_dropped")) == 1


def test_nobody_but_an_admin_reads_it(daemon):
    for role in ("viewer", "planner", "agent"):
        key, _ = daemon.make_key("--name", role, "--role", role)
        for path in ("/v1/audit", "/v1/exports/audit"):
            assert daemon.get(path, bearer(key)).status == 403
            assert daemon.get(path).status == 401
    assert daemon.request("DELETE", "/v1/audit", None, bearer(ROOT)).status == 405


def test_it_is_exported_whole(daemon):
    for i in range(250):
        assert daemon.request("PUT", "/v1/prices/audit.price", PRICE | {"price_usd_per_hour": 20 + i, "notes": "a, \"b\""}, bearer(ROOT)).status in (200, 201)
    total = 251  # one entry is of the bootstrap key
    lines = daemon.get("/v1/exports/audit", bearer(ROOT, Accept="application/x-ndjson"))
    assert lines.status == 200 and 'filename="audit.ndjson"' in lines.headers["content-disposition"]
    records = [json.loads(line) for line in lines.text.splitlines()]
    assert [r["number"] for r in records] == list(range(total, 0, -1))
    table = list(csv.DictReader(io.StringIO(daemon.get("/v1/exports/audit", bearer(ROOT, Accept="text/csv")).text)))
    assert [int(r["number"]) for r in table] == list(range(total, 0, -1)) and table[0]["path"] == "/v1/prices/audit.price"
    assert [r["number"] for r in daemon.get("/v1/exports/audit", bearer(ROOT)).json] == list(range(total, 0, -1))
    later = daemon.get(f"/v1/exports/audit?method=PUT&after={records[10]['at']}", bearer(ROOT)).json
    assert [r["number"] for r in later] == list(range(total, total - 10, -1))
    page, seen = daemon.get("/v1/audit?limit=100", bearer(ROOT)).json, []
    while True:
        seen += [e["number"] for e in page["items"]]
        if not page["next_cursor"]:
            break
        page = daemon.get(f"/v1/audit?limit=100&cursor={page['next_cursor']}", bearer(ROOT)).json
    assert seen == list(range(total, 0, -1))
    shown = list(csv.DictReader(io.StringIO(daemon.get("/v1/audit?limit=2", bearer(ROOT, Accept="text/csv")).text)))
    assert [int(r["number"]) for r in shown] == [total, total - 1]


def test_no_secret_is_in_it(daemon):
    key, _ = daemon.make_key("--name", "ops", "--role", "planner")
    secret = "very-secret-value"
    assert daemon.post("/v1/plans/training", TRAINING | {"notes": secret}, bearer(key, **{"Idempotency-Key": secret})).status == 201
    assert daemon.post(f"/v1/plans/training?token={secret}", TRAINING, bearer(key)).status in (400, 422)
    until(lambda: len(entries(daemon, "?q=/v1/plans/training")) == 2)
    with sqlite3.connect(f"file:{daemon.database}?mode=ro", uri=True) as db:
        text = repr(db.execute("SELECT * FROM audit").fetchall())
    assert key not in text and ROOT not in text and secret not in text and key[3:] not in text


def test_every_route_that_writes_is_told_of(daemon):
    """A route that is added later is covered as well: its refusal is logged, and a refusal needs no special body."""
    key, key_id = daemon.make_key("--name", "eyes", "--role", "viewer")
    routes = []
    for path, item in daemon.get("/openapi.json").json["paths"].items():
        for method in item:
            if method in ("post", "put", "patch", "delete") and not path.startswith(("/v1/estimates", "/v1/diagnoses", "/v1/schedules", "/v1/jobs")):
                routes.append((method.upper(), path.replace("{id}", "x")))
    assert len(routes) > 30
    for method, path in routes:
        assert daemon.request(method, path, None, bearer(key)).status == 403, path
    expected = sorted(r for r in routes if not r[1].endswith("/heartbeat"))
    until(lambda: len(entries(daemon, f"?key={key_id}&limit=1000")) == len(expected))
    assert sorted((e["method"], e["path"]) for e in entries(daemon, f"?key={key_id}&limit=1000")) == expected


def test_old_entries_end_by_themselves(daemon_with):
    """A sweep deletes entries older than --audit-keep-days, up to the first younger one. So there is no gap, whatever
    the clock did."""
    daemon = daemon_with("--audit-keep-days", "1", "--lease-seconds", "2", "--heartbeat-seconds", "1")
    with sqlite3.connect(daemon.database) as db:
        for days in (3, 2, 0.5, 4):
            db.execute("INSERT INTO audit (at_us, key_id, method, path, outcome, http_status) VALUES (?, 'old', 'PUT', '/', 'done', 200)", (int((time.time() - days * 86400) * 1e6),))
    assert daemon.request("PUT", "/v1/prices/audit.price", PRICE).status == 201
    until(lambda: len(daemon.get("/v1/audit").json["items"]) == 3)
    assert [entry["number"] for entry in daemon.get("/v1/audit").json["items"]] == [5, 4, 3]
    found = run("check", daemon.database)
    assert found.returncode == 0, found.stdout + found.stderr
