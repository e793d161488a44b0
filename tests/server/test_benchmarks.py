"""Benchmarks on the cpu device, through the real queue and a real worker process."""
import json
import threading
import time

import pytest
from conftest import is_sanitized
from support import memory_bytes, until, wait_state
from test_jobs import events_of

@pytest.fixture(scope="module")
def measured(daemon):
    answer = daemon.post("/v1/benchmarks", {"suite": "quick", "timeout_s": 60})
    assert answer.status == 202, answer.text
    assert answer.headers["location"] == f"/v1/benchmarks/{answer.json['id']}" and answer.json["state"] == "queued"
    return wait_state(daemon, answer.headers["location"])


def test_the_cpu_is_a_device(daemon):
    until(lambda: daemon.get("/v1/devices").json["items"])  # the daemon asks a worker for devices after its start
    devices = daemon.get("/v1/devices")
    assert devices.status == 200, devices.text
    assert [row for row in devices.json["items"] if row["backend"] == "cpu"]


def test_a_device_is_named_by_its_id_or_by_its_backend(daemon):
    test_the_cpu_is_a_device(daemon)
    known = [row["id"] for row in daemon.get("/v1/devices").json["items"] if row["backend"] == "cpu"]
    for name in (known[0], "cpu"):
        made = daemon.post("/v1/benchmarks", {"device": name, "suite": ["launch_round_trip"]})
        assert made.status == 202 and made.json["device"] == known[0], made.text
        assert wait_state(daemon, made.headers["location"])["state"] == "succeeded"
    refused = daemon.post("/v1/benchmarks", {"device": known[0][:-1] + "x"})
    assert known[0] in refused.json["errors"][0]["detail"], refused.text


def test_a_benchmark_runs_and_is_kept(daemon, measured):
    assert measured["state"] == "succeeded", json.dumps(measured)
    assert measured["result"]
    listed = daemon.get("/v1/benchmarks?state=succeeded").json["items"]
    assert measured["id"] in [row["id"] for row in listed]


def test_the_measured_device_is_in_the_catalogue_and_plans_use_it(daemon, measured):
    rows = [row for row in daemon.get("/v1/accelerators?limit=1000").json["items"] if row["id"].startswith("cpu-")]
    calibrations = daemon.get("/v1/calibrations").json["items"]
    # On a busy machine a disturbed measurement does not calibrate; the result then says why.
    refusals = measured["result"]["not_calibrated"]
    assert calibrations or refusals, measured["result"]
    if not rows:
        assert [row for row in refusals if row["quantity"] == "accelerator"] and not calibrations, measured["result"]
        pytest.skip("the machine was too busy to measure its peaks: " + refusals[0]["reason"])
    assert rows[0]["origin"] == "measured", rows
    assert all(row["accelerator_id"] == rows[0]["id"] and row["method"] for row in calibrations)
    plan = daemon.post("/v1/estimates/training", {"model": {"params": "10M"}, "tokens": "1M", "sequence_length": 512, "accelerator": rows[0]["id"],
                                                  "gpu_count": 1, "pricing": {"usd_per_gpu_hour": 0.1}, "enforce_memory": False})
    assert plan.status == 200, plan.text
    calibrations = [row for row in calibrations if row["used"]]
    if calibrations:
        used = [row for row in plan.json["result"]["assumptions"] if row["field"] == "calibration"]
        assert used and "measured by " in used[0]["source"], plan.text
    if any(row["method"] == "library_gemm" for row in calibrations):
        assert "measured" in json.dumps(plan.json["result"]["recommended"]["provenance"]), plan.text


def test_shapes_of_the_clients_own(daemon):
    shapes = {"products": [{"role": "mlp_up", "m": 192, "n": 320, "k": 128, "precision": "fp32", "count": 32}]}
    done = daemon.post("/v1/benchmarks", {"suite": ["gemm_kernel_fp32"], "shapes": shapes, "timeout_s": 60}, {"Prefer": "wait=30"})
    assert done.status == 200 and done.json["state"] == "succeeded" and done.json["shapes"] == shapes, done.text
    assert {tuple(row["shape"]) for row in done.json["result"]["measures"] if row.get("role") == "mlp_up"} == {(192, 320, 128)}, done.text
    refused = daemon.post("/v1/benchmarks", {"shapes": {"products": [{"m": -1, "n": 1, "k": 1}]}})
    assert refused.status == 422 and refused.json["errors"][0]["pointer"] == "/shapes", refused.text


def test_cancel(daemon):
    first = daemon.post("/v1/benchmarks", {"suite": "full"})
    second = daemon.post("/v1/benchmarks", {"suite": "full"})
    for answer in (second, first):
        cancelled = daemon.request("DELETE", answer.headers["location"])
        assert cancelled.status in (200, 202), cancelled.text
    for answer in (second, first):
        assert wait_state(daemon, answer.headers["location"], seconds=30)["state"] == "cancelled"


def test_waiting_for_a_benchmark(daemon):
    done = daemon.post("/v1/benchmarks", {"suite": ["launch_round_trip"], "timeout_s": 60}, {"Prefer": "wait=30"})
    assert done.status == 200 and done.headers["preference-applied"] == "wait=30", done.text
    assert done.json["state"] == "succeeded" and done.json["result"]
    assert daemon.get(done.headers["location"]).json == done.json
    begun = time.monotonic()
    early = daemon.post("/v1/benchmarks", {"suite": "full"}, {"Prefer": "wait=1"})
    assert early.status == 202 and early.json["state"] == "queued" and early.headers["preference-applied"] == "wait=1"
    assert time.monotonic() - begun >= 1
    daemon.request("DELETE", early.headers["location"])
    assert wait_state(daemon, early.headers["location"], seconds=30)["state"] == "cancelled"
    refused = daemon.post("/v1/benchmarks", {"suite": "everything"}, {"Prefer": "wait=30"})
    assert refused.status == 422


def test_watching_a_benchmark(daemon):
    made = daemon.post("/v1/benchmarks", {"suite": "quick", "timeout_s": 60})
    status, events = events_of(daemon, made.headers["location"])
    assert status.split(" ")[1] == "200" and events[-1]["event"] == "done", events
    states = [json.loads(event["data"]) for event in events]
    assert states[-1]["state"] == "succeeded" and all(state["state"] in ("queued", "running") for state in states[:-1])
    assert len({event["id"] for event in events}) == len(events)
    tests = [state["progress"]["test"] for state in states if "progress" in state]
    assert len(tests) >= 3 and len(set(tests)) >= 2, tests  # events arrive during the run, not only at its end
    assert events_of(daemon, made.headers["location"], {"Last-Event-ID": events[-1]["id"]})[0].split(" ")[1] == "204"
    assert daemon.get("/v1/benchmarks/0190f5a2-0000-7000-8000-000000000000/events").status == 404


def test_the_end_of_the_daemon_ends_the_watching(daemon_with):
    one = daemon_with()
    made = one.post("/v1/benchmarks", {"suite": "full"})
    told = []
    watcher = threading.Thread(target=lambda: told.append(events_of(one, made.headers["location"])))
    one.wait_in_flight(0)
    watcher.start()
    one.wait_in_flight(1)
    begun = time.monotonic()
    assert one.stop() == 0
    assert time.monotonic() - begun < 20
    watcher.join()
    assert told and all(event["event"] == "progress" for event in told[0][1])


@pytest.mark.parametrize("body,pointer", [
    ({"device": "cpu-of-nobody"}, "/device"), ({"suite": "everything"}, "/suite"), ({"suite": "quick", "accelerator": "nothing"}, "/accelerator"),
    ({"suite": "quick", "plan_id": "0190f5a2-0000-7000-8000-000000000000"}, "/plan_id"), ({"suite": "quick", "timeout_s": -1}, "/timeout_s"),
])
def test_bad_benchmarks(daemon, body, pointer):
    answer = daemon.post("/v1/benchmarks", body)
    assert answer.status == 422, answer.text
    assert pointer in [fault["pointer"] for fault in answer.json["errors"]]


def test_a_crash_of_the_daemon_loses_no_job(daemon_with):
    one = daemon_with()
    made = one.post("/v1/benchmarks", {"suite": ["launch_round_trip"], "timeout_s": 60})
    until(lambda: one.get(made.headers["location"]).json["state"] != "queued")
    one.process.kill()
    one.process.wait()
    one.start()
    row = wait_state(one, made.headers["location"])
    assert row["state"] == "succeeded" and row["attempt"] <= 3, row


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer does not release freed memory")
def test_a_run_leaves_nothing_in_the_daemons_memory(daemon_with):
    one = daemon_with()
    for _ in range(2):  # the first runs also make threads and statements that are kept
        assert one.post("/v1/benchmarks", {"suite": ["launch_round_trip"]}, {"Prefer": "wait=30"}).json["state"] == "succeeded"
    before = memory_bytes(one, "RssAnon")
    for _ in range(2):
        assert one.post("/v1/benchmarks", {"suite": ["launch_round_trip"]}, {"Prefer": "wait=30"}).json["state"] == "succeeded"
    assert memory_bytes(one, "RssAnon") - before < 1_000_000
