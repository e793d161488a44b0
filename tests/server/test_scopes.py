"""Keys that are bound to a label: no route shows, changes or mentions an object of another label."""
import csv
import io
import json
import sqlite3

import conftest
import pytest
from conftest import run
from support import bearer, until

ROOT = "fp_" + "ad" * 32
TRAINING = {"model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100", "gpu_count": 512}
SERVICE = {"model": "llama-3.1-70b", "precision": "fp8", "accelerator": "h100", "queries_per_minute": 600, "prompt_tokens": 1000, "output_tokens": 300}
MERGE = {"Content-Type": "application/merge-patch+json"}


class Teams:
    """Two teams with a plan each, and a plan without a label; each with its measurements and observations."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.a = daemon.make_key("--name", "a", "--scope", "team=a")[0]
        self.b = daemon.make_key("--name", "b", "--scope", "team=b")[0]
        self.eyes = daemon.make_key("--name", "eyes", "--role", "viewer", "--scope", "team=a")[0]
        self.plans, self.benchmarks, self.observations = {}, {}, {}
        for team, key, labels in (("a", self.a, {"x": "1"}), ("b", self.b, {"team": "b"}), ("none", ROOT, {}), ("other", ROOT, {"team": "ab"})):
            made = self.ask(key, "POST", "/v1/plans/training", TRAINING | {"name": f"secret-of-{team}", "notes": f"note-of-{team}", "labels": labels})
            assert made.status == 201, made.text
            self.plans[team] = made.json["id"]
            assert self.ask(key, "POST", f"/v1/plans/{made.json['id']}/refresh").status == 200
            queued = self.ask(key, "POST", "/v1/benchmarks", {"suite": "quick", "plan_id": made.json["id"], "labels": {"mark": f"mark-of-{team}"}})
            assert queued.status == 202, queued.text
            self.benchmarks[team] = queued.json["id"]
            report = {"plan_id": made.json["id"], "notes": f"seen-of-{team}", "gpu_count": 512, "step_time_s": 2.0}
            predicted = self.ask(key, "POST", "/v1/observations", report).json["predicted"]
            report |= {"step_time_s": 1.1 * predicted["step_time_s"], "hours": 1.3 * predicted["hours"]}
            seen = self.ask(key, "POST", "/v1/observations", report)
            assert seen.status == 201, seen.text
            self.observations[team] = seen.json["id"]

    def ask(self, key, method, path, body=None, **headers):
        return self.daemon.request(method, path, body, bearer(key, **headers))

    def traces(self, team):
        """Returns texts that identify a team."""
        return [self.plans[team], self.benchmarks[team], self.observations[team], f"secret-of-{team}", f"note-of-{team}", f"mark-of-{team}", f"seen-of-{team}"]


@pytest.fixture(scope="module")
def teams(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scopes")
    (folder / "root").write_text(ROOT)
    daemon = conftest.Daemon(folder, "--own-devices=no", "--bootstrap-key-file", str(folder / "root"))
    yield Teams(daemon)
    assert daemon.stop() == 0


def test_what_is_made_with_a_bound_key_has_its_label(teams):
    assert teams.ask(teams.a, "GET", f"/v1/plans/{teams.plans['a']}").json["labels"] == {"x": "1", "team": "a"}
    assert teams.ask(ROOT, "GET", f"/v1/benchmarks/{teams.benchmarks['a']}").json["labels"] == {"mark": "mark-of-a", "team": "a"}
    for path, body in (("/v1/plans/training", TRAINING), ("/v1/plans/inference", SERVICE), ("/v1/benchmarks", {"suite": "quick"})):
        wrong = teams.ask(teams.a, "POST", path, body | {"labels": {"team": "b"}})
        assert wrong.status == 403 and "team=a" in wrong.json["detail"], path
    service = teams.ask(teams.a, "POST", "/v1/plans/inference", SERVICE)
    assert service.status == 201 and service.json["labels"] == {"team": "a"}
    assert teams.ask(teams.a, "DELETE", f"/v1/plans/{service.json['id']}").status == 204


def test_lists_hold_nothing_else(teams):
    for path in ("/v1/plans", "/v1/plans?label=x:1", "/v1/plans?label=team:a", "/v1/plans?q=secret", "/v1/plans?limit=1"):
        found = teams.ask(teams.a, "GET", path).json
        assert [plan["id"] for plan in found["items"]] == [teams.plans["a"]] and not found["next_cursor"], path
    for path in ("/v1/plans?label=team:b", "/v1/plans?q=secret-of-b", "/v1/plans?label=team:ab"):
        assert teams.ask(teams.a, "GET", path).json["items"] == [], path
    table = list(csv.DictReader(io.StringIO(teams.ask(teams.eyes, "GET", "/v1/plans", Accept="text/csv").text)))
    assert [row["id"] for row in table] == [teams.plans["a"]]
    assert [row["id"] for row in teams.ask(teams.a, "GET", "/v1/benchmarks?limit=1000").json["items"]] == [teams.benchmarks["a"]]
    assert teams.ask(teams.a, "GET", f"/v1/benchmarks?plan_id={teams.plans['b']}").json["items"] == []
    seen = teams.ask(teams.a, "GET", "/v1/observations").json["items"]
    assert len(seen) == 2 and seen[0]["id"] == teams.observations["a"] and {row["plan_id"] for row in seen} == {teams.plans["a"]}
    assert teams.ask(teams.a, "GET", f"/v1/observations?plan_id={teams.plans['b']}").json["items"] == []
    rows = teams.ask(teams.a, "GET", "/v1/calibrations?limit=1000").json["items"]
    assert {row.get("plan_id") for row in rows} <= {None, teams.plans["a"]}
    assert {row.get("plan_id") for row in teams.ask(ROOT, "GET", "/v1/calibrations?limit=1000").json["items"]} >= {teams.plans["a"], teams.plans["b"]}


def test_each_route_answers_as_if_the_plan_never_was(teams):
    gone = "01900000-0000-7000-8000-0000000000ff"
    for other in ("b", "none", "other"):
        plan, benchmark, observation = teams.plans[other], teams.benchmarks[other], teams.observations[other]
        asked = [("GET", "/v1/plans/{}", None, {}), ("GET", "/v1/plans/{}?revision=1", None, {}), ("PATCH", "/v1/plans/{}", json.dumps({"notes": "n"}), MERGE),
                 ("DELETE", "/v1/plans/{}", None, {}), ("DELETE", "/v1/plans/{}", None, {"If-Match": "*"}), ("POST", "/v1/plans/{}/refresh", None, {}),
                 ("GET", "/v1/plans/{}/replay", None, {}), ("GET", "/v1/plans/{}/revisions", None, {}),
                 ("GET", f"/v1/plans/compare?ids={teams.plans['a']},{{}}", None, {}), ("GET", f"/v1/plans/compare?ids={teams.plans['a']},{{}}@1", None, {}),
                 ("POST", "/v1/observations", {"plan_id": "{}", "hours": 3}, {}), ("POST", "/v1/benchmarks", {"suite": "quick", "plan_id": "{}"}, {}),
                 ("POST", "/v1/schedules", {"plan_id": "{}", "series": [{"region": "x", "start": "2026-11-21T00:00:00Z", "step_minutes": 60, "gco2e_per_kwh": [1] * 9000}]}, {}),
                 ("POST", "/v1/diagnoses", {"plan_id": "{}", "timings": {"step_time_ms": 1000}}, {})]
        asked = [(m, p, b, h, plan) for m, p, b, h in asked]
        asked += [("GET", "/v1/benchmarks/{}", None, {}, benchmark), ("GET", "/v1/benchmarks/{}/events", None, {}, benchmark), ("DELETE", "/v1/benchmarks/{}", None, {}, benchmark),
                  ("GET", "/v1/observations/{}", None, {}, observation)]
        for method, path, body, headers, name in asked:
            answers = []
            for ident in (name, gone):
                filled = json.loads(json.dumps(body).replace("{}", ident)) if isinstance(body, dict) else body
                answers.append(teams.ask(teams.a, method, path.replace("{}", ident), filled, **headers))
            assert answers[0].status == answers[1].status and answers[0].status in (404, 422), (method, path, answers[0].text)
            assert answers[0].json["detail"].replace(name, gone) == answers[1].json["detail"], (method, path)
            assert teams.ask(teams.a, method, path.replace("{}", name), filled, **headers).status != 200
    for other in ("b", "none", "other"):
        assert teams.ask(ROOT, "GET", f"/v1/plans/{teams.plans[other]}").json["revision"] == 2  # nothing was changed
        assert teams.ask(ROOT, "GET", f"/v1/benchmarks/{teams.benchmarks[other]}").json["state"] == "queued"


def test_no_answer_of_any_route_tells_of_another_label(teams):
    """Requests every readable path with every existing id. A route that is added later is covered as well."""
    document = teams.daemon.get("/openapi.json").json
    ids = [value for team in ("b", "none", "other") for value in (teams.plans[team], teams.benchmarks[team], teams.observations[team])]
    hidden = {team: teams.traces(team) for team in ("b", "none", "other")}
    read = 0
    for path, item in document["paths"].items():
        if "get" not in item or path in ("/metrics",) or path.startswith("/docs"):
            continue
        for ident in ids if "{" in path else [""]:
            for accept in item["get"]["responses"].get("200", {}).get("content", {"application/json": None}):
                answer = teams.ask(teams.eyes, "GET", path.replace("{id}", ident), Accept=accept)
                text = answer.text.replace(ident, "") if ident else answer.text  # the answer repeats the requested id
                for team, traces in hidden.items():
                    assert not [trace for trace in traces if trace in text], (path, accept, team)
                read += 1
    assert read > 100


def test_a_label_is_not_left_or_taken(teams):
    plan = teams.plans["a"]
    for labels in ({"team": "b"}, {"team": None}, None, {"team": "ab"}):
        wrong = teams.ask(teams.a, "PATCH", f"/v1/plans/{plan}", json.dumps({"labels": labels}), **MERGE)
        assert wrong.status == 403, labels
    right = teams.ask(teams.a, "PATCH", f"/v1/plans/{plan}", json.dumps({"labels": {"y": "2"}}), **MERGE)
    assert right.status == 200 and right.json["labels"]["team"] == "a"
    moved = teams.ask(ROOT, "POST", "/v1/plans/training", TRAINING | {"labels": {"team": "a"}}).json["id"]
    assert teams.ask(teams.a, "GET", f"/v1/plans/{moved}").status == 200
    assert teams.ask(ROOT, "PATCH", f"/v1/plans/{moved}", json.dumps({"labels": {"team": "b"}}), **MERGE).status == 200
    assert teams.ask(teams.a, "GET", f"/v1/plans/{moved}").status == 404
    assert teams.ask(teams.b, "DELETE", f"/v1/plans/{moved}").status == 204


def test_jobs_and_repeated_keys_are_of_their_owner(teams):
    job = teams.ask(teams.b, "POST", "/v1/plans/training", TRAINING | {"name": "secret-of-b"}, Prefer="respond-async", **{"Idempotency-Key": "same"})
    assert job.status == 202
    for path in ("", "/result", "/events"):
        assert teams.ask(teams.a, "GET", f"/v1/jobs/{job.json['id']}{path}").status == 404
    mine = teams.ask(teams.a, "POST", "/v1/plans/training", TRAINING, **{"Idempotency-Key": "same"})
    assert mine.status == 201 and "idempotent-replayed" not in mine.headers
    assert mine.json["labels"] == {"team": "a"}
    assert teams.ask(teams.a, "DELETE", f"/v1/plans/{mine.json['id']}").status == 204


def test_a_damaged_index_of_labels_opens_nothing(teams):
    with sqlite3.connect(teams.daemon.database) as db:
        db.execute("INSERT INTO plan_label VALUES ('team', 'a', (SELECT created_at_us FROM plan WHERE id = ?), ?)", (teams.plans["b"], teams.plans["b"]))
    try:
        answer = teams.ask(teams.a, "GET", "/v1/plans")
        assert answer.status == 503 and "secret-of-b" not in answer.text
    finally:
        with sqlite3.connect(teams.daemon.database) as db:
            db.execute("DELETE FROM plan_label WHERE key = 'team' AND value = 'a' AND plan_id = ?", (teams.plans["b"],))
    assert teams.ask(teams.a, "GET", "/v1/plans").status == 200


def test_scopes_are_of_those_who_plan(teams):
    for arguments in (("--role", "admin", "--scope", "team=a"), ("--role", "agent", "--scope", "team=a"), ("--scope", "team"), ("--scope", "=a"), ("--scope", "team=")):
        assert run("keys", "create", *arguments, "--database", teams.daemon.database).returncode == 64, arguments
    listed = run("keys", "list", "--database", teams.daemon.database).stdout
    assert listed.count("scope team=a") == 2 and listed.count("scope team=b") == 1


def test_a_changed_scope_admits_nobody(daemon_with, tmp_path):
    """The key's checksum covers the label."""
    (tmp_path / "root").write_text(ROOT)
    daemon = daemon_with("--bootstrap-key-file", str(tmp_path / "root"))
    key = daemon.make_key("--name", "a", "--scope", "team=a")[0]
    until(lambda: daemon.get("/v1/plans", bearer(key)).status == 200)
    with sqlite3.connect(daemon.database) as db:
        db.execute("UPDATE api_key SET scope_key = NULL, scope_value = NULL WHERE name = 'a'")
    until(lambda: daemon.get("/v1/plans", bearer(key)).status == 503)  # the daemon caches a key for two seconds
