"""Long work: requests that become jobs, and requests that wait for, watch or cancel them."""
import json
import random
import signal
import socket
import threading
import time

import pytest
from support import bearer, until, wait_state, without_times

TRAINING = {"model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100", "deadline_hours": "30d"}
INFERENCE = {"model": "llama-3.1-70b", "precision": "fp8", "accelerator": "h100", "queries_per_minute": 600, "prompt_tokens": 1000, "output_tokens": 300,
             "parallelism": {"tensor": 4}}
ASYNC = {"Prefer": "respond-async"}
PATHS = [("estimates", "training", TRAINING), ("estimates", "inference", INFERENCE), ("plans", "training", TRAINING), ("plans", "inference", INFERENCE)]
UNKNOWN = "0190f5a2-3c4d-7e5f-8a9b-0c1d2e3f4a5b"


def trace_request(rows):
    """A simulation that runs for long: about 1.6 s per 100,000 rows."""
    source, now, arrivals = random.Random(1), 0, []
    for _ in range(rows):
        now += source.expovariate(4)
        arrivals.append([round(now, 3), source.randint(100, 3000), source.randint(20, 600)])
    return json.dumps({"model": "llama-3.1-70b", "accelerators": ["h100-sxm5-80gb", "h200-sxm5-141gb", "mi300x"],
                       "slo": {"ttft_ms": 1000, "tpot_ms": 50}, "trace": {"arrivals": arrivals}})


LONG = trace_request(200000)
JSON = {"Content-Type": "application/json"}


def begin(daemon, path="/v1/estimates/inference", body=LONG, headers=None):
    answer = daemon.request("POST", path, body, JSON | ASYNC | (headers or {}))
    assert answer.status == 202, answer.text
    return answer.headers["location"]


def events_of(daemon, location, headers=None, seconds=60, first=None):
    """Returns events until the stream ends, or the first few; comments as ("", text)."""
    head = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
    events, text = [], b""
    with socket.create_connection(("127.0.0.1", daemon.port), timeout=seconds) as wire:
        wire.sendall(f"GET {location}/events HTTP/1.0\r\nHost: localhost\r\n{head}\r\n".encode())
        while first is None or len(events) < first:
            piece = wire.recv(65536)
            if not piece:
                break
            text += piece
            parts = text.replace(b"\r\n\r\n", b"\n\n", 1).split(b"\n\n")
            events = [fields_of(part.decode()) for part in parts[1:-1]]
            events = [event for event in events if "event" in event]
    return text.split(b"\r\n", 1)[0].decode(), events


def fields_of(block):
    return dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)


@pytest.mark.parametrize("kind,name,body", PATHS, ids=lambda part: part if isinstance(part, str) else "")
def test_the_result_is_the_answer_that_the_request_would_have_had(daemon, kind, name, body):
    path = f"/v1/{kind}/{name}"
    usual = daemon.post(path, body)
    accepted = daemon.post(path, body, ASYNC)
    assert accepted.status == 202 and accepted.headers["preference-applied"] == "respond-async" and accepted.headers["retry-after"] == "1"
    location = accepted.headers["location"]
    assert location == f"/v1/jobs/{accepted.json['id']}" and accepted.json["state"] in ("queued", "running", "succeeded")
    job = wait_state(daemon, location)
    assert job["state"] == "succeeded" and job["progress"] == 1 and job["http_status"] == usual.status, job
    assert job["created_at"] <= job["started_at"] <= job["finished_at"] < job["expires_at"]
    result = daemon.get(job["result"])
    assert result.status == usual.status and result.headers["content-type"] == usual.headers["content-type"]
    assert without_times(result.json) == without_times(usual.json)
    if kind == "plans":
        assert job["location"] == result.headers["location"] == f"/v1/plans/{result.json['id']}" and result.headers["etag"] == '"1"'
        assert daemon.get(job["location"]).json["id"] == result.json["id"]
    else:
        assert "location" not in result.headers and "location" not in job


def test_the_result_has_the_form_that_was_asked_for(daemon):
    location = begin(daemon, "/v1/estimates/training", json.dumps(TRAINING), {"Accept": "text/markdown"})
    wait_state(daemon, location)
    result = daemon.get(location + "/result")
    assert result.headers["content-type"].startswith("text/markdown") and result.text.startswith("# ")


def test_a_refusal_is_a_result_too(daemon):
    for body, status in (({"model": "nothing", "tokens": 1}, 422), ({"model": "llama-3.1-405b", "tokens": "15T", "accelerator": "t4", "gpu_count": 1}, 422)):
        location = begin(daemon, "/v1/plans/training", json.dumps(body))
        job = wait_state(daemon, location)
        assert job["state"] == "failed" and job["http_status"] == status and job["detail"], job
        result = daemon.get(location + "/result")
        usual = daemon.post("/v1/plans/training", body)
        assert result.status == usual.status and result.json["detail"] == usual.json["detail"] and result.json["type"] == usual.json["type"]


def test_waiting_long_enough_gives_the_answer_itself(daemon):
    for prefer in ("wait=30", "respond-async, wait=30"):
        answer = daemon.post("/v1/plans/training", TRAINING, {"Prefer": prefer})
        assert answer.status == 201 and answer.headers["preference-applied"] == "wait=30" and answer.headers["etag"] == '"1"'
        assert daemon.get(answer.headers["location"]).status == 200
        assert not [job for job in daemon.get("/v1/jobs?limit=1000").json["items"] if job.get("location") == answer.headers["location"]]


def test_not_waiting_long_enough_gives_the_job(daemon):
    begun = time.monotonic()
    answer = daemon.request("POST", "/v1/estimates/inference", LONG, JSON | {"Prefer": "wait=0"})
    assert answer.status == 202 and answer.headers["preference-applied"] == "wait=0"
    assert daemon.request("DELETE", answer.headers["location"]).status == 200
    begun = time.monotonic()
    answer = daemon.request("POST", "/v1/estimates/inference", LONG, JSON | {"Prefer": "respond-async, wait=1"})
    assert answer.status == 202 and answer.headers["preference-applied"] == "respond-async, wait=1"
    assert time.monotonic() - begun >= 1
    assert daemon.get(answer.headers["location"]).json["state"] in ("queued", "running")
    daemon.request("DELETE", answer.headers["location"])


def test_preferences_in_two_lines_are_one(daemon):
    with daemon.wire() as wire:
        body = json.dumps(TRAINING)
        wire.send(f"POST /v1/estimates/training HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nPrefer: respond-async\r\n"
                  f"Prefer: wait=20\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        answer = wire.answer()
        assert answer.status == 200 and answer.headers["preference-applied"] == "wait=20"
        wire.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert wire.answer().status == 200, "the connection no longer works"


@pytest.mark.parametrize("prefer", ["return=minimal", "wait=soon", "wait=-3", "respond-asynchronously", ",;="])
def test_other_preferences_change_nothing(daemon, prefer):
    answer = daemon.post("/v1/estimates/training", TRAINING, {"Prefer": prefer})
    assert answer.status == 200 and "preference-applied" not in answer.headers


def test_progress_grows_and_cancelling_stops_it(daemon):
    location = begin(daemon)
    seen = []

    def begun_well():
        job = daemon.get(location).json
        assert job["state"] in ("queued", "running"), job
        seen.append(job["progress"])
        return seen[-1] >= 0.2

    until(begun_well)
    assert seen == sorted(seen) and len(set(seen)) > 2, seen
    assert daemon.get(location).json["doing"]
    early = daemon.get(location + "/result")
    assert early.status == 409 and "running" in early.json["detail"]
    begun = time.monotonic()
    first = daemon.request("DELETE", location)
    assert first.status == 200 and first.json["cancel_requested"] is True
    second = daemon.request("DELETE", location)
    assert second.status == 200 and second.json["cancel_requested"] is True
    job = wait_state(daemon, location, seconds=20)
    assert time.monotonic() - begun < 5, "the simulation continued"
    assert job["state"] == "cancelled" and "result" not in job and job["finished_at"]
    gone = daemon.get(location + "/result")
    assert gone.status == 409 and gone.json["type"].endswith("/cancelled")
    assert daemon.request("DELETE", location).json["state"] == "cancelled"


def test_a_late_cancellation_changes_nothing(daemon):
    location = begin(daemon, "/v1/plans/training", json.dumps(TRAINING))
    job = wait_state(daemon, location)
    late = daemon.request("DELETE", location)
    assert late.status == 200 and late.json["state"] == "succeeded" and late.json["cancel_requested"] is False
    assert daemon.get(job["location"]).status == 200 and daemon.get(location + "/result").status == 201


def test_a_cancelled_plan_is_not_kept(daemon):
    label = f"cancelled-{time.monotonic_ns()}"
    location = begin(daemon, "/v1/plans/inference", LONG.replace("{", '{"name": "%s", ' % label, 1))
    daemon.request("DELETE", location)
    assert wait_state(daemon, location)["state"] == "cancelled"
    assert daemon.get(f"/v1/plans?q={label}").json["items"] == []


def test_a_job_that_has_not_begun_is_cancelled_at_once(daemon_with):
    daemon = daemon_with("--job-workers", "1")
    running, waiting = begin(daemon), begin(daemon)
    wait_state(daemon, running, ("running",))
    assert daemon.get(waiting).json["state"] == "queued"
    job = daemon.request("DELETE", waiting).json
    assert job["state"] == "cancelled" and job["finished_at"] and "started_at" not in job
    status, events = events_of(daemon, waiting)
    assert "200" in status and [event["event"] for event in events] == ["done"]
    daemon.request("DELETE", running)
    assert wait_state(daemon, running)["state"] == "cancelled"
    assert daemon.get(waiting).json["state"] == "cancelled"


def test_events_tell_progress_and_the_end(daemon):
    location = begin(daemon)
    status, events = events_of(daemon, location)
    assert status.split(" ")[1] == "200"
    assert [event["event"] for event in events[:-1]] == ["progress"] * (len(events) - 1) and events[-1]["event"] == "done" and len(events) > 3
    states = [json.loads(event["data"]) for event in events]
    assert [state["progress"] for state in states] == sorted(state["progress"] for state in states)
    assert states[-1]["state"] == "succeeded" and states[-1] == daemon.get(location).json
    identifiers = [int(event["id"]) for event in events]
    assert identifiers == sorted(set(identifiers))
    assert daemon.get(location + "/result").status == 200
    _, again = events_of(daemon, location, {"Last-Event-ID": events[1]["id"]})
    assert [event["id"] for event in again] == [events[-1]["id"]], "the newest state does not summarise the earlier events"
    status, nothing = events_of(daemon, location, {"Last-Event-ID": events[-1]["id"]})
    assert status.split(" ")[1] == "204" and nothing == []


def test_a_quiet_stream_still_beats(daemon_with):
    """No agent has the accelerator, so the benchmark waits for ever and nothing changes."""
    daemon = daemon_with("--idle-seconds", "2")
    made = daemon.post("/v1/benchmarks", {"accelerator": "h100"})
    assert made.status == 202 and made.json["suite"] == "quick", made.text
    with daemon.wire(10) as wire:
        wire.send(f"GET {made.headers['location']}/events HTTP/1.0\r\nHost: localhost\r\n\r\n")
        text, begun = b"", time.monotonic()
        while text.count(b"\n\n: ") < 4:
            piece = wire.socket.recv(4096)
            assert piece, "the daemon closed the stream, although it was never idle for 2 s"
            text += piece
    assert time.monotonic() - begun > 1 and text.count(b"event: progress") == 1


def test_a_watcher_that_leaves_disturbs_nobody(daemon):
    location = begin(daemon)
    for _ in range(3):
        events_of(daemon, location, first=1)
    head = daemon.request("HEAD", location + "/events")
    assert head.status == 200 and head.headers["content-type"].startswith("text/event-stream") and head.body == b""
    assert daemon.get(location).json["state"] in ("queued", "running")
    daemon.request("DELETE", location)
    assert [event["event"] for event in events_of(daemon, location)[1]][-1] == "done"


def test_tags_of_a_job(daemon):
    location = begin(daemon, "/v1/estimates/training", json.dumps(TRAINING))
    wait_state(daemon, location)
    answer = daemon.get(location)
    assert answer.headers["etag"]
    same = daemon.get(location, {"If-None-Match": answer.headers["etag"]})
    assert same.status == 304 and same.body == b""
    assert daemon.get(location, {"If-None-Match": '"0"'}).status == 200
    head = daemon.request("HEAD", location)
    assert head.status == 200 and head.headers["etag"] == answer.headers["etag"] and head.body == b""


def test_unknown_jobs(daemon):
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/result"), ("GET", "/events")):
        for name in (UNKNOWN, "nothing", "%20", "a" * 150):
            answer = daemon.request(method, f"/v1/jobs/{name}{path}")
            assert answer.status == 404, f"{method} {name}{path}: {answer.text}"
    assert "before this daemon started" in daemon.get(f"/v1/jobs/{UNKNOWN}").json["detail"]
    assert daemon.post("/v1/jobs", {}).status == 405


def test_a_repeated_key_is_the_same_job(daemon):
    key = {"Idempotency-Key": f"once-{time.monotonic_ns()}"}
    first = daemon.post("/v1/plans/training", TRAINING, ASYNC | key)
    again = daemon.post("/v1/plans/training", TRAINING, ASYNC | key)
    assert again.status == 202 and again.headers["location"] == first.headers["location"] and again.headers["idempotent-replayed"] == "true"
    other = daemon.post("/v1/plans/training", TRAINING | {"tokens": "1T"}, ASYNC | key)
    assert other.status == 422 and other.json["type"].endswith("idempotency-mismatch")
    job = wait_state(daemon, first.headers["location"])
    usual = daemon.post("/v1/plans/training", TRAINING, key)
    assert usual.status == 201 and usual.headers["location"] == job["location"] and usual.headers["idempotent-replayed"] == "true"


def test_the_list_has_pages(daemon_with):
    daemon = daemon_with()
    made = [begin(daemon, "/v1/estimates/training", json.dumps(TRAINING)) for _ in range(5)]
    for location in made:
        wait_state(daemon, location)
    seen, cursor = [], ""
    while cursor is not None:
        page = daemon.get("/v1/jobs?limit=2" + (f"&cursor={cursor}" if cursor else "")).json
        assert len(page["items"]) <= 2
        seen += [f"/v1/jobs/{job['id']}" for job in page["items"]]
        cursor = page["next_cursor"]
    assert seen == made[::-1]
    assert daemon.get("/v1/jobs", {"Accept": "text/csv"}).text.startswith("id,operation,state")
    assert daemon.get("/v1/jobs?cursor=x").status == 400


def test_jobs_belong_to_their_key(daemon_with):
    daemon = daemon_with("--jobs-per-key", "2")
    keys = [bearer(daemon.make_key("--role", "planner")[0]) for _ in range(2)]
    until(lambda: daemon.get("/v1/jobs", keys[0]).status == 200 and daemon.get("/v1/jobs").status == 401)
    mine = [begin(daemon, headers=keys[0]) for _ in range(2)]
    for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/result"), ("GET", "/events")):
        assert daemon.request(method, mine[0] + path, headers=keys[1]).status == 404
    assert daemon.get("/v1/jobs", keys[1]).json["items"] == []
    assert len(daemon.get("/v1/jobs", keys[0]).json["items"]) == 2
    full = daemon.request("POST", "/v1/estimates/inference", LONG, JSON | ASYNC | keys[0])
    assert full.status == 429 and int(full.headers["retry-after"]) >= 1
    theirs = begin(daemon, "/v1/estimates/training", json.dumps(TRAINING), keys[1])
    for location, key in [(mine[0], keys[0]), (mine[1], keys[0]), (theirs, keys[1])]:
        daemon.request("DELETE", location, headers=key)
        wait_state(daemon, location, headers=key)
    assert begin(daemon, headers=keys[0])


def test_too_many_jobs_are_told_to_come_back(daemon_with):
    daemon = daemon_with("--jobs", "4", "--job-workers", "1")
    made = [begin(daemon) for _ in range(4)]
    refused = daemon.request("POST", "/v1/estimates/inference", LONG, JSON | ASYNC)
    assert refused.status == 503 and int(refused.headers["retry-after"]) >= 1, refused.text
    assert daemon.post("/v1/estimates/training", TRAINING).status == 200, "a request without a job was not answered"
    for location in made:
        daemon.request("DELETE", location)
    for location in made:
        assert wait_state(daemon, location)["state"] == "cancelled"
    daemon.wait_metric('fleetplan_long_jobs_ended_total{state="cancelled"}', lambda count: count == 4)  # the last job is counted after its end is reported
    daemon.wait_metric("fleetplan_long_jobs_running", lambda count: count == 0)
    until(lambda: daemon.request("POST", "/v1/estimates/training", json.dumps(TRAINING), JSON | ASYNC).status != 503)  # its place is free a moment later
    fresh = [begin(daemon, "/v1/estimates/training", json.dumps(TRAINING)) for _ in range(3)]
    for location in fresh:
        wait_state(daemon, location)
    assert [daemon.get(location).status for location in made] == [404] * 4, "new jobs do not replace ended ones"
    assert len(daemon.get("/v1/jobs").json["items"]) == 4


def test_results_are_kept_for_a_while(daemon_with):
    daemon = daemon_with("--job-keep-seconds", "1")
    location = begin(daemon, "/v1/estimates/training", json.dumps(TRAINING))
    wait_state(daemon, location)
    assert daemon.get(location + "/result").status == 200
    until(lambda: daemon.get(location).status == 404)
    assert "kept for 1 s" in daemon.get(location).json["detail"]


def test_results_have_a_share_of_memory(daemon_with):
    daemon = daemon_with("--job-memory-mb", "1")
    made = []
    for _ in range(60):  # about 30 kB each, in buffers of up to twice that size
        made.append(begin(daemon, "/v1/estimates/training", json.dumps(TRAINING)))
        wait_state(daemon, made[-1])
    kept = [location for location in made if daemon.get(location).status == 200]
    assert kept == made[-len(kept):] and 5 < len(kept) < 45, len(kept)


def test_many_at_once(daemon):
    """Twenty clients make, watch or cancel jobs. Every job ends as its client requested."""
    faults = []

    def client(number):
        try:
            for turn in range(4):
                which = (number + turn) % 4
                if which == 0:
                    location = begin(daemon, "/v1/plans/training", json.dumps(TRAINING))
                    assert events_of(daemon, location)[1][-1]["event"] == "done"
                    assert daemon.get(location + "/result").status == 201
                elif which == 1:
                    assert daemon.post("/v1/estimates/inference", INFERENCE, {"Prefer": "wait=40"}).status == 200
                elif which == 2:
                    location = begin(daemon, body=SHORTER)
                    daemon.request("DELETE", location)
                    assert wait_state(daemon, location)["state"] == "cancelled"
                else:
                    assert wait_state(daemon, begin(daemon, "/v1/estimates/training", json.dumps(TRAINING)))["state"] == "succeeded"
        except Exception as fault:  # pylint: disable=broad-except
            faults.append(repr(fault))

    threads = [threading.Thread(target=client, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


SHORTER = trace_request(20000)


def test_a_client_that_leaves_stops_its_computation(daemon_with):
    for prefer in ({}, {"Prefer": "wait=30"}):
        daemon = daemon_with("--workers", "1", "--job-workers", "1")
        head = "".join(f"{name}: {value}\r\n" for name, value in (JSON | prefer).items())
        with daemon.wire() as wire:
            wire.send(f"POST /v1/estimates/inference HTTP/1.1\r\nHost: localhost\r\n{head}Content-Length: {len(LONG)}\r\n\r\n{LONG}")
            daemon.wait_in_flight(1)
        line = until(lambda: [line for line in daemon.events("request") if line["route"] == "/v1/estimates/inference"])[0]
        assert line["outcome"] == "aborted"
        assert daemon.get("/v1/jobs").json["items"] == []
        daemon.wait_metric("fleetplan_long_jobs_running", lambda count: count == 0)


def test_sigterm_lets_short_jobs_end_and_their_plans_are_kept(daemon_with):
    daemon = daemon_with("--job-workers", "1")
    waiting = begin(daemon, body=SHORTER)
    location = begin(daemon, "/v1/plans/inference", SHORTER.replace("{", '{"name": "to the end", ', 1), {"Idempotency-Key": "drained"})
    daemon.signal(signal.SIGTERM)
    assert daemon.process.wait(60) == 0, daemon.log()[-3:]
    assert daemon.log()[-1]["requests"] == "all answered"
    daemon.start()
    plans = daemon.get("/v1/plans?q=to%20the%20end").json["items"]
    assert len(plans) == 1
    for old in (waiting, location):
        gone = daemon.get(old)
        assert gone.status == 404 and "before this daemon started" in gone.json["detail"]
    again = daemon.request("POST", "/v1/plans/inference", SHORTER.replace("{", '{"name": "to the end", ', 1), JSON | {"Idempotency-Key": "drained"})
    assert again.status == 201 and again.json["id"] == plans[0]["id"], "the key does not return the plan that the job made"


def test_sigterm_cuts_long_jobs_and_says_so(daemon_with):
    daemon = daemon_with("--drain-seconds", "1", "--job-workers", "1")
    queued = [begin(daemon, body=trace_request(1000000))] + [begin(daemon) for _ in range(2)]  # the first one occupies the only worker for seconds
    told = []
    watcher = threading.Thread(target=lambda: told.append(events_of(daemon, queued[0])))
    daemon.wait_in_flight(0)
    watcher.start()
    daemon.wait_in_flight(1)
    begun = time.monotonic()
    daemon.signal(signal.SIGTERM)
    assert daemon.process.wait(30) == 75
    assert time.monotonic() - begun < 10
    watcher.join()
    assert json.loads(told[0][1][-1]["data"])["state"] == "cancelled", "the watcher did not receive the end"
    cut = [line["job"] for line in daemon.events("job_cut_off")]
    assert set(cut) == {location.rsplit("/", 1)[1] for location in queued}


def test_no_jobs_are_taken_while_shutting_down(daemon_with):
    daemon = daemon_with("--drain-seconds", "5")
    with daemon.wire(30) as wire:
        body = json.dumps(TRAINING)
        wire.send(f"POST /v1/plans/training HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nPrefer: respond-async\r\n"
                  f"Content-Length: {len(body)}\r\n\r\n")
        daemon.wait_in_flight(1)
        daemon.signal(signal.SIGTERM)
        daemon.wait_deaf()
        wire.send(body)
        answer = wire.answer()
        assert answer.status == 503 and answer.json["type"].endswith("/draining")
    assert daemon.process.wait(20) == 0


def test_everybody_is_answered_while_jobs_compute(daemon):
    made = [begin(daemon) for _ in range(4)]
    slowest = 0
    for _ in range(100):
        begun = time.monotonic()
        assert daemon.get("/livez").status == 200
        slowest = max(slowest, time.monotonic() - begun)
    for location in made:
        daemon.request("DELETE", location)
    for location in made:
        assert wait_state(daemon, location)["state"] == "cancelled"
    assert slowest < 5, "a request waited for a job"
