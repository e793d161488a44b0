"""Imports and exports: identity, dry runs, every awkward file, all or nothing, two at once, and kill -9 and a full disk
in the middle."""
import concurrent.futures
import csv
import gzip
import io
import json
import os
import re
import sqlite3
import subprocess
import threading

import pytest

import conftest
from support import bearer, revision, until, wait_state
from test_bad_days import TRAINING, small_disk  # noqa: F401  pylint: disable=unused-import

KINDS = ("accelerators", "models", "prices", "regions")
FORMS = ("text/csv", "application/json", "application/x-ndjson")
HEADER = "id,provider,instance_type,region,accelerator_id,gpus,price_usd_per_hour,pricing_model,as_of,source\n"


def row(name, price="20", **changes):
    cells = {"id": name, "provider": "bulk", "instance_type": "x8", "region": "r1", "accelerator_id": "h100", "gpus": "8", "price_usd_per_hour": price,
             "pricing_model": "on_demand", "as_of": "2026-11-01", "source": "a list"} | changes
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(cells.values())
    return out.getvalue()


def put(daemon, kind, body, form="text/csv", query="", headers=None):
    body = body.encode() if isinstance(body, str) else body
    return daemon.request("POST", f"/v1/imports/{kind}{query}", body, {"Content-Type": form} | (headers or {}))


def prices(daemon, body, **more):
    return put(daemon, "prices", body, **more)


def export(daemon, kind, form, query=""):
    answer = daemon.get(f"/v1/exports/{kind}{query}", {"Accept": form})
    assert answer.status == 200, answer.text
    return answer.body


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_exported_is_imported_as_it_was(daemon, kind, form):
    before, out = revision(daemon), export(daemon, kind, form)
    trial = put(daemon, kind, out, form, "?dry_run=true&overwrite=true").json
    assert trial["fault_count"] == 0 and trial["unchanged"] == trial["rows"] > 50 and "changes" not in trial, trial
    made = put(daemon, kind, out, form)
    assert made.status == 201 and made.json["unchanged"] == made.json["rows"] and "revision" not in made.json, made.text
    assert revision(daemon) == before and export(daemon, kind, form) == out


def test_awkward_text_comes_back_to_the_bit(daemon):
    texts = ['=HYPERLINK("x")', "'=1", "''@", "+1", "-a", "@b", 'a "quoted", one', "  spaces  ", "été 日本", "x'=y", "'plain", ",", "0123", "1e5", "true", "'"]
    body = "id,vendor,name,memory_gb,memory_bandwidth_gbs,source,notes,aliases,tflops_bf16\n"
    out = io.StringIO()
    writer = csv.writer(out)
    guard = re.compile(r"'*[=+@\t\r-]")
    for number, text in enumerate(texts):
        shown = "'" + text if guard.match(text) else text
        writer.writerow([f"odd-{number}", "v", shown, 80, 0.1 + 1e3 + number / 3, "s", shown, f"odd-{number}-a odd-{number}-b", 1 / 3 + number])
    made = put(daemon, "accelerators", body + out.getvalue())
    assert made.status == 201, made.text
    kept = {line["id"]: line for line in json.loads(export(daemon, "accelerators", "application/json"))}
    for number, text in enumerate(texts):
        got = kept[f"odd-{number}"]
        assert daemon.get(f"/v1/accelerators/odd-{number}-b").json["name"] == got["name"] == got["notes"] == text
        assert got["tflops_bf16"] == 1 / 3 + number and got["aliases"] == [f"odd-{number}-a", f"odd-{number}-b"]
    cells = {line["id"]: line["name"] for line in csv.DictReader(io.StringIO(export(daemon, "accelerators", "text/csv").decode()))}
    assert not any(cell[0] in "=+-@" for cell in cells.values())
    for form in FORMS:
        assert put(daemon, "accelerators", export(daemon, "accelerators", form), form).json["unchanged"] > len(texts)


def test_a_dry_run_tells_each_column_and_does_nothing(daemon):
    assert prices(daemon, HEADER + row("dry.1") + row("dry.2")).status == 201
    before = revision(daemon)
    trial = prices(daemon, HEADER + row("dry.1", "21.5", region="") + row("dry.2") + row("dry.3"), query="?dry_run=true").json
    assert (trial["added"], trial["changed"], trial["unchanged"], trial["dry_run"]) == (1, 1, 1, True) and "id" not in trial
    changes = {change["id"]: change for change in trial["changes"]}
    assert changes["dry.1"] == {"id": "dry.1", "what": "changed", "row": 2, "columns": [
        {"column": "region", "before": "r1"}, {"column": "price_usd_per_hour", "before": "20", "after": "21.5"}]}
    assert changes["dry.3"] == {"id": "dry.3", "what": "added", "row": 4}
    assert revision(daemon) == before and daemon.get("/v1/prices/dry.3").status == 404


def test_all_faults_are_told_and_nothing_is_imported(daemon):
    body = HEADER + row("f.1") + row("f.2", "0") + row("f.3", "-1") + row("f.4", "1e308") + row("f.5", "NaN") + row("f.6", "inf") + row("f.7", gpus="1.5") \
        + row("f.8", accelerator_id="h1000") + row("F.1") + row("f.1") + row("f.9", pricing_model="on-demand") + row("f.10", as_of="yesterday") + "a,b\n" \
        + row("f.11", "0.01") + row("", "19") + row("", "19") + row("x" * 300)
    trial = prices(daemon, body, query="?dry_run=true")
    assert trial.status == 200
    found = {(fault["row"], fault.get("column"), fault["code"]) for fault in trial.json["faults"]}
    assert found == {(3, "price_usd_per_hour", "out_of_range"), (4, "price_usd_per_hour", "out_of_range"), (5, "price_usd_per_hour", "out_of_range"),
                     (6, "price_usd_per_hour", "wrong_type"), (7, "price_usd_per_hour", "wrong_type"), (8, "gpus", "not_integer"), (9, "accelerator_id", "unknown"),
                     (10, "id", "duplicate"), (11, "id", "duplicate"), (12, "pricing_model", "bad_choice"), (13, "as_of", "bad_format"), (14, None, "fields"),
                     (15, "price_usd_per_hour", "out_of_range"), (17, "id", "duplicate"), (18, "id", "too_long")}, found
    real = prices(daemon, body)
    assert real.status == 422 and "15 faults" in real.json["detail"] and len(real.json["errors"]) == 15
    assert {"pointer": "/3/price_usd_per_hour", "code": "out_of_range"}.items() <= real.json["errors"][0].items()
    assert real.json["errors"][0]["detail"].startswith("row 3, line 3: ")
    assert daemon.get("/v1/prices/f.1").status == 404
    element = json.dumps([{"id": "e"}, 5, {"id": "f", "price": 3}])
    real = prices(daemon, element, form="application/json")
    assert real.status == 422 and {"/0/provider", "/1", "/2/price"} <= {error["pointer"] for error in real.json["errors"]}


def test_more_faults_than_are_told_are_counted(daemon):
    trial = prices(daemon, HEADER + "".join(row(f"m.{n}", "-1") for n in range(700)), query="?dry_run=true").json
    assert trial["fault_count"] == 700 and len(trial["faults"]) == 500


@pytest.mark.parametrize("body, form, status, words", [
    (b"", "text/csv", 400, "empty"),
    (b"", "application/json", 400, "empty"),
    (HEADER.encode(), "text/csv", 201, '"rows":0'),
    (b"[]", "application/json", 201, '"rows":0'),
    (("\ufeff" + HEADER.replace("\n", "\r\n") + row("bom.1").replace("\n", "\r\n") + "\r\n\r\n").encode(), "text/csv", 201, '"rows":1'),
    ((HEADER + row("end.1")).encode().rstrip(b"\n"), "text/csv", 201, '"rows":1'),
    (("source,as_of,pricing_model,price_usd_per_hour,gpus,accelerator_id,instance_type,provider\ns,2026-11-01,spot,9,8,h100,t,order").encode(), "text/csv", 201, '"rows":1'),
    ((HEADER + '"q.1","a ""b"", c"' + row("")[len(",bulk"):]).encode(), "text/csv", 201, '"rows":1'),
    (HEADER.replace("source", "sorce").encode() + b"x", "text/csv", 422, "did you mean source"),
    (HEADER.replace("id,", "id,id,", 1).encode(), "text/csv", 422, "two columns"),
    (b"id,currency,price_eur_per_hour\n", "text/csv", 422, "not a known column"),
    ((HEADER + row("u.1")).encode() + b"\xff\xfe\n", "text/csv", 400, "UTF-8"),
    ((HEADER + row("n.1")).encode() + b"a\x00b\n", "text/csv", 400, "NUL"),
    ((HEADER + '"open').encode(), "text/csv", 400, "does not end"),
    ((HEADER + '"a"b,').encode(), "text/csv", 400, "closing quote"),
    ((HEADER + 'a"b,').encode(), "text/csv", 400, "quote is inside"),
    ((HEADER + "a,b\rc").encode(), "text/csv", 400, "carriage return"),
    (("a," * 300 + "\n").encode(), "text/csv", 400, "128 fields"),
    ((HEADER + "x" * 10_000_000).encode(), "text/csv", 413, "record has more than"),
    ((HEADER + '"' + "x" * 10_000_000).encode(), "text/csv", 413, "record has more than"),
    (b"[{]", "application/json", 400, "not JSON"),
    (b'[{"id":"a"}', "application/json", 400, "not JSON"),
    (b'{"id":"a"}\n{"id":\n', "application/x-ndjson", 400, "element 1"),
    (b'[{"id":"a","id":"b"}]', "application/json", 422, "duplicate"),
    (b'[{"notes":"' + b"x" * 3_000_000 + b'"}]', "application/json", 413, "has more than"),
    (b"[" * 100, "application/json", 400, "32 levels"),
])
def test_awkward_files(daemon, body, form, status, words):
    answer = prices(daemon, body, form=form)
    assert answer.status == status and words in answer.text, answer.text[:1500]
    assert daemon.get("/livez").status == 200


def test_packed_files(daemon):
    packed = gzip.compress((HEADER + row("gz.1")).encode())
    headers = {"Content-Encoding": "gzip"}
    assert prices(daemon, packed, headers=headers).json["added"] == 1
    cut = prices(daemon, packed[:-10], headers=headers)
    assert cut.status == 400 and "cut short" in cut.text
    bomb = prices(daemon, gzip.compress(HEADER.encode() + b"\n" * 100_000_000), headers=headers)
    assert bomb.status == 413 and "after decompression" in bomb.text
    assert prices(daemon, b"not gzip", headers=headers).status == 400


def test_who_may_and_what_may(daemon, daemon_with):
    assert prices(daemon, "a", form="text/plain").status == 415
    assert daemon.post("/v1/imports/price", []).status == 405  # only GET is allowed: the path is an import's id
    assert prices(daemon, HEADER, query="?dry_runn=true").status == 422
    for query in ("", "?dry_run=true"):
        assert prices(daemon, HEADER + row("key.1"), query=query, headers={"Idempotency-Key": "two words"}).status == 400
    assert prices(daemon, HEADER, query="?replace=true").status == 422  # it would end all imported rows
    assert daemon.get("/v1/imports/nothing").status == 404
    assert daemon.get("/v1/exports/prices", {"Accept": "text/html"}).status == 406
    assert daemon.get("/v1/exports/prices?as_of=2040-01-01").status == 422
    assert export(daemon, "prices", "text/csv", "?as_of=2020-01-01").decode().count("\n") == 1
    assert export(daemon, "prices", "application/json", "?as_of=2020-01-01") == b"[]\n"
    guarded = daemon_with()
    keys = {role: conftest.run("keys", "create", "--role", role, "--database", guarded.database).stdout.strip() for role in ("viewer", "admin")}
    headers = {role: bearer(key) for role, key in keys.items()}
    assert prices(guarded, HEADER + row("k.1"), headers=headers["viewer"]).status == 403
    assert prices(guarded, HEADER + row("k.1")).status == 401
    made = prices(guarded, HEADER + row("k.1"), headers=headers["admin"])
    assert made.status == 201 and made.json["key_name"] == "key", made.text
    assert guarded.get("/v1/exports/prices", headers["viewer"]).status == 200


def test_records_keys_and_jobs(daemon):
    body = HEADER + row("rec.1")
    made = prices(daemon, body, headers={"Idempotency-Key": "import-1"})
    assert made.status == 201 and made.headers["location"] == f"/v1/imports/{made.json['id']}"
    record = daemon.get(made.headers["location"]).json
    assert record == {key: value for key, value in made.json.items() if key not in ("dry_run", "fault_count")}
    assert record["sha256"] == __import__("hashlib").sha256(body.encode()).hexdigest() and record["bytes"] == len(body) and record["revision"] == revision(daemon)
    again = prices(daemon, body, headers={"Idempotency-Key": "import-1"})
    assert again.status == 201 and again.headers["idempotent-replayed"] == "true" and again.json["id"] == made.json["id"]
    assert prices(daemon, body + row("rec.2"), headers={"Idempotency-Key": "import-1"}).status == 422
    same = prices(daemon, body).json  # the same file changes nothing, and makes no revision
    assert same["unchanged"] == 1 and "revision" not in same
    job = prices(daemon, HEADER + row("rec.3"), headers={"Prefer": "respond-async"})
    assert job.status == 202
    assert wait_state(daemon, job.headers["location"])["state"] == "succeeded" and daemon.get(f"{job.headers['location']}/result").json["added"] == 1
    listed = daemon.get("/v1/imports?limit=2").json
    assert len(listed["items"]) == 2 and listed["items"][0]["added"] == 1 and listed["next_cursor"]
    further = daemon.get(f"/v1/imports?limit=2&kind=price&cursor={listed['next_cursor']}").json["items"]
    assert further[0]["id"] == made.json["id"] or further[0]["started_at"] <= listed["items"][1]["started_at"]


def test_users_rows_and_replacing(daemon):
    assert prices(daemon, HEADER + row("rep.1") + row("rep.2") + row("rep.3")).status == 201
    assert daemon.request("PATCH", "/v1/prices/rep.2", json.dumps({"notes": "mine"}), {"Content-Type": "application/json"}).status == 200
    kept = prices(daemon, HEADER + row("rep.1") + row("rep.2", "30"))
    assert (kept.json["kept"], kept.json["unchanged"]) == (1, 1) and daemon.get("/v1/prices/rep.2").json["price_usd_per_hour"] == 20
    trial = prices(daemon, HEADER + row("rep.1"), query="?replace=true&dry_run=true").json
    before = export(daemon, "prices", "application/x-ndjson")
    moment = daemon.get("/v1/catalogue").json["as_of"]
    ended = prices(daemon, HEADER + row("rep.1"), query="?replace=true").json
    assert ended["removed"] == trial["removed"] >= 1 and ended["unchanged"] == 1
    assert daemon.get("/v1/prices/rep.3").status == 404 and daemon.get("/v1/prices/rep.2").status == 200
    assert daemon.get(f"/v1/prices/rep.3?as_of={moment}").status == 200
    past = export(daemon, "prices", "application/x-ndjson", f"?as_of={moment}")  # as it was, but for when what has ended since did end
    assert [json.loads(line) | {"valid_to": None} for line in past.splitlines()] == [json.loads(line) | {"valid_to": None} for line in before.splitlines()]
    over = prices(daemon, HEADER + row("rep.2", "30"), query="?overwrite=true").json
    assert over["changed"] == 1 and daemon.get("/v1/prices/rep.2").json["origin"] == "imported"


def test_names_without_their_letter_case(daemon):
    """Two rows that differ only in letter case could not be told apart, and the planner could not load both."""
    assert prices(daemon, HEADER + row("case.A")).status == 201
    other = prices(daemon, HEADER + row("case.a"))
    assert other.status == 422 and "letter case" in other.text
    one = {"id": "CASE.a", "provider": "p", "instance_type": "x", "accelerator_id": "h100", "gpus": 8, "price_usd_per_hour": 20, "pricing_model": "spot",
           "as_of": "2026-11-01", "source": "s"}
    assert daemon.post("/v1/prices", one).status == 422


def many(count, price="20"):
    return HEADER + "".join(f"many.{n},bulk,x8,r{n % 50},h100,8,{price},on_demand,2026-11-01,a list\n" for n in range(count))


def test_readers_see_all_or_nothing_and_plans_go_on(daemon_with):
    one = daemon_with()
    base, count, stop = one.get("/v1/catalogue").json["prices"], 20000, threading.Event()
    seen, plans = set(), []

    def look():
        while not stop.is_set():
            state = one.get("/v1/catalogue").json
            seen.add((state["revision"], state["prices"]))
            answer = one.get("/v1/prices?q=many.1999&limit=1000")
            seen.add(("list", len(answer.json["items"])))

    def plan():
        while not stop.is_set():
            plans.append(one.post("/v1/plans/training", TRAINING).status)

    threads = [threading.Thread(target=work) for work in (look, plan)]
    for thread in threads:
        thread.start()
    try:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:  # two at once: the daemon makes them one after the other
            answers = list(pool.map(lambda price: prices(one, many(count, price)), ("20", "21")))
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert [answer.status for answer in answers] == [201, 201], [answer.text for answer in answers]
    assert sorted((answer.json["added"], answer.json["changed"]) for answer in answers) == [(0, count), (count, 0)]
    assert {number for _, number in seen if isinstance(number, int)} <= {base, base + count, 0, 11}, seen
    assert set(plans) == {201}
    assert len({line["price_usd_per_hour"] for line in json.loads(export(one, "prices", "application/json")) if line["id"].startswith("many.")}) == 1


def test_more_than_can_wait_are_refused(daemon):
    """One import runs and eight wait. Further imports are refused with a time to retry; no part of them is stored."""
    body = many(4000)
    with concurrent.futures.ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(lambda _: prices(daemon, body), range(24)))
    assert {answer.status for answer in answers} <= {201, 503}
    assert all("retry-after" in answer.headers for answer in answers if answer.status == 503)
    assert sum(answer.json.get("added", 0) for answer in answers if answer.status == 201) == 4000
    assert daemon.get("/livez").status == 200


def unsettled(one):
    database = sqlite3.connect(f"file:{one.database}?mode=ro", uri=True)
    try:
        return database.execute("SELECT count(*) FROM price WHERE opened_by IS NOT NULL OR closed_by IS NOT NULL").fetchone()[0]
    finally:
        database.close()


def test_killed_in_the_middle(tmp_path):
    """No unpublished row is visible, and a sweep removes its remains. Every published row is visible."""
    one = conftest.Daemon(tmp_path)
    first, second = many(20000).encode(), many(20000, "21").encode()
    outcomes = set()
    for number, share in enumerate((0.3, 0.7, 1.0)):
        before = one.get("/v1/catalogue").json

        def kill(least=share):
            until(lambda: unsettled(one) >= least * 15000)
            one.process.kill()

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            prices(one, second if number % 2 else first)
        except (OSError, conftest.http.client.HTTPException):
            pass
        killer.join()
        one.process.wait()
        one.start()
        state = one.get("/v1/catalogue").json
        whole = state["revision"] == before["revision"] + 1
        outcomes.add(whole)
        assert whole or (state["revision"], state["prices"]) == (before["revision"], before["prices"])
        rows = [line for line in json.loads(export(one, "prices", "application/json")) if line["id"].startswith("many.")]
        assert len(rows) in (0, 20000) and len({line["price_usd_per_hour"] for line in rows}) <= 1
        newest = one.get("/v1/imports?limit=1").json["items"][0]
        until(lambda: unsettled(one) == 0)
        newest = one.get("/v1/imports?limit=1").json["items"][0]
        assert newest["state"] == ("succeeded" if whole else "interrupted"), newest
        assert len([line for line in json.loads(export(one, "prices", "application/json")) if line["id"].startswith("many.")]) == len(rows)
    assert False in outcomes
    assert prices(one, many(20000, "22")).status == 201
    assert one.stop() == 0


def test_a_full_disk_in_the_middle(daemon_with, small_disk):  # noqa: F811
    one = daemon_with("--database", str(small_disk / "fleetplan.db"))
    one.database = small_disk / "fleetplan.db"
    before = one.get("/v1/catalogue").json
    room = os.statvfs(small_disk)
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * (room.f_bavail * room.f_bsize - 8_000_000))
    full = prices(one, many(60000))
    assert full.status == 507, full.text
    assert one.get("/v1/catalogue").json["prices"] == before["prices"] and one.get("/v1/prices/many.1").status == 404
    assert one.get("/v1/prices?limit=1").status == 200
    filler.unlink()
    until(lambda: one.post("/v1/plans/training", TRAINING).status == 201)
    fits = prices(one, many(1000))
    assert fits.status == 201 and fits.json["added"] == 1000, fits.text
    assert {record["state"] for record in one.get("/v1/imports").json["items"]} <= {"succeeded", "failed", "interrupted"}


def test_the_command(daemon, tmp_path):
    def run(*arguments, stdin=None):
        return subprocess.run([conftest.PROGRAM, "import", *arguments], input=stdin, capture_output=True, text=True, timeout=60, check=False,
                              env={k: v for k, v in os.environ.items() if not k.startswith("FLEETPLAN_")})

    server = ["--server", f"http://127.0.0.1:{daemon.port}"]
    file = tmp_path / "prices.csv"
    file.write_text(HEADER + row("cli.1") + row("cli.2"))
    trial = run("prices", str(file), *server, "--dry-run")
    assert trial.returncode == 0 and "+ cli.1" in trial.stdout and "a dry run" in trial.stdout and daemon.get("/v1/prices/cli.1").status == 404
    assert run("prices", str(file), *server).returncode == 0
    file.write_text(HEADER + row("cli.1", "25") + row("cli.2"))
    changed = run("prices", "-", *server, "--dry-run", stdin=file.read_text())
    assert "~ cli.1  price_usd_per_hour: 20 -> 25" in changed.stdout and "1 changed" in changed.stdout
    held = run("prices", str(file), "--database", str(daemon.database))
    assert held.returncode == 75 and "--server" in held.stderr
    file.write_text(HEADER + row("cli.1", "-5"))
    wrong = run("prices", str(file), *server)
    assert wrong.returncode == 65 and "row 2" in wrong.stderr
    assert run("prices", str(tmp_path / "none"), *server).returncode == 66
    assert run("price", str(file)).returncode == 64
    assert run("prices", str(file), "--server", "http://127.0.0.1:9").returncode == 69
    own = conftest.Daemon(tmp_path)
    assert own.stop() == 0
    out = tmp_path / "own.json"
    out.write_text(json.dumps([{"id": "own.1", "provider": "p", "instance_type": "x", "accelerator_id": "h100", "gpus": 8, "price_usd_per_hour": 20,
                                "pricing_model": "spot", "as_of": "2026-11-01", "source": "s"}]))
    alone = run("prices", str(out), "--database", str(own.database))
    assert alone.returncode == 0 and "1 added" in alone.stdout, alone.stderr
    own.start()
    assert own.get("/v1/prices/own.1").json["origin"] == "imported" and own.get("/v1/imports").json["items"][0]["started_by"] == "command"
    assert own.stop() == 0
