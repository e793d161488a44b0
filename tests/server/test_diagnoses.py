"""POST /v1/diagnoses over the wire: traces of PyTorch, logs of real trainings, and malicious bodies."""
import gzip
import io
import json
import random
import sys

import conftest
import pytest
from support import memory_bytes

MADE = conftest.ROOT / "tests" / "diagnosis"
sys.path.insert(0, str(MADE))
import cuda_trace  # noqa: E402
import gap_by_gap  # noqa: E402

from test_catalogue import ACCELERATOR  # noqa: E402

JSON = {"Content-Type": "application/json"}
PACKED = JSON | {"Content-Encoding": "gzip"}


def diagnose(daemon, body, headers=JSON, query=""):
    return daemon.request("POST", "/v1/diagnoses" + query, body, headers, timeout=120)


def cuda(steps=3, layers=40, correlated=True):
    out = io.StringIO()
    cuda_trace.write(out, steps, layers, correlated)
    return out.getvalue()


def close(measured, wanted):
    assert set(wanted) <= set(measured), measured
    for name, value in wanted.items():
        assert measured[name] == pytest.approx(value, abs=2e-3), name


def test_a_cuda_trace_packed_and_not(daemon):
    text = cuda()
    answers = [diagnose(daemon, text), diagnose(daemon, gzip.compress(text.encode()), PACKED)]
    results = [answer.json["result"] for answer in answers]
    assert [answer.status for answer in answers] == [200, 200]
    assert results[0] == results[1]
    result = results[0]
    close(result["timings"], cuda_trace.expected(40))
    trace = result["trace"]
    assert len(trace["steps"]) == 3 and trace["cpu_only"] is False and trace["streams"] == 2 and trace["devices"] == 1
    for step in trace["steps"]:
        close(step, cuda_trace.expected(40))
    assert (trace["backend"], trace["rank"], trace["world_size"], trace["device_name"]) == ("nccl", 3, 16, "NVIDIA H100 80GB HBM3")
    assert trace["host_to_device_gbs"] == pytest.approx(10) and trace["pageable_share"] == 1
    assert sum(result["bottleneck"]["shares"].values()) == pytest.approx(1)
    assert answers[0].json["request"]["trace"]["rows"] == trace["events"] == 3 * (cuda_trace.EVENTS_OF_STEP + cuda_trace.EVENTS_OF_LAYER * 40)
    assert trace["launches_matched"] == 3 * (3 + cuda_trace.KERNELS_OF_LAYER * 40)


def test_launch_gaps_are_matched_launch_by_launch(daemon):
    """The same trace with and without correlations. Only correlations show which gaps the host causes and which the
    device."""
    known, unknown = (diagnose(daemon, cuda(correlated=correlated)).json["result"] for correlated in (True, False))
    close(unknown["timings"], cuda_trace.expected(40, False))
    assert "device_wait_ms" not in unknown["timings"] and unknown["trace"]["launches_matched"] == 0
    assert known["timings"]["device_wait_ms"] == pytest.approx(0.3, abs=2e-3)
    assert "fewer_stream_waits" in {lever["code"] for lever in known["levers"]} - {lever["code"] for lever in unknown["levers"]}
    backwards = json.loads(cuda())
    backwards["traceEvents"].reverse()  # kernels come before their calls
    assert diagnose(daemon, json.dumps(backwards)).json["result"]["timings"] == known["timings"]


def queue_trace(seed):
    """Returns the kernels of one stream. Each is issued from 3 ms to just before the device is free for it; some wait
    for another stream."""
    draw, host, device, events = random.Random(seed), 0.0, 0.0, []
    for number in range(1, 1500):
        host += draw.choice([6, 15, 40, 300, 900])
        call = {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": host, "dur": 5, "args": {"correlation": number}}
        host = max(host + 5, device - 3000)  # a full queue delays the host
        device = max(device + draw.choice([0, 2, 2, 400] if number > 1 else [0]), call["ts"] + 5 + draw.choice([1, 4, 8]))
        kernel = {"ph": "X", "cat": "kernel", "name": "gemm", "ts": device, "dur": draw.choice([3, 20, 90, 250]), "args": {"correlation": number, "stream": 7}}
        device += kernel["dur"]
        events += [call, kernel]
    draw.shuffle(events)
    return events


@pytest.mark.parametrize("seed", range(6))
def test_gaps_add_up_to_those_counted_one_by_one(daemon, seed):
    events = queue_trace(seed)
    timings = diagnose(daemon, json.dumps(events)).json["result"]["timings"]
    parts = gap_by_gap.gaps_ms(events)
    before = min(event["ts"] for event in events if event["cat"] == "kernel") / 1000 - min(event["ts"] for event in events) / 1000
    assert parts["unknown"] == 0 and min(parts["device"], parts["host"], parts["passing"]) > 0.1
    assert timings["device_wait_ms"] == pytest.approx(parts["device"], abs=1e-6)
    assert timings["launch_gap_ms"] == pytest.approx(parts["host"] + parts["passing"] + before, abs=1e-6)


def test_the_bare_list_of_the_older_profiler(daemon):
    events = json.loads(cuda())["traceEvents"]
    result = diagnose(daemon, json.dumps(events)).json["result"]
    close(result["timings"], cuda_trace.expected(40))


def test_levers_are_worth_what_the_query_says(daemon):
    answer = diagnose(daemon, cuda(), query="?gpu_count=16&usd_per_gpu_hour=2&steps_remaining=3.6e6").json
    lever = next(one for one in answer["result"]["levers"] if one["code"] == "more_loader_workers")
    assert lever["saved_ms"] == pytest.approx(1, abs=2e-3) and lever["step_time_ms"] == pytest.approx(9, abs=2e-3)
    assert lever["saved_hours"] == pytest.approx(1, abs=2e-3) and lever["saved_usd"] == pytest.approx(32, rel=2e-3)


def test_a_real_trace_of_a_cpu(daemon):
    """A trace by torch.profiler (tests/diagnosis/make_traces.py): 16 samples a step; the preparation of each sleeps
    half a millisecond."""
    answer = diagnose(daemon, (MADE / "traces" / "cpu.json.gz").read_bytes(), PACKED)
    result = answer.json["result"]
    assert answer.status == 200, answer.text
    assert result["trace"]["cpu_only"] is True and [step["step"] for step in result["trace"]["steps"]] == [2, 3, 4]
    assert all(step["data_wait_ms"] > 8 for step in result["trace"]["steps"])
    assert result["bottleneck"]["kind"] == "input" and 0 < result["timings"]["compute_ms"] < 2
    assert any("no kernels" in warning for warning in result["warnings"])
    assert not any(lever["code"] == "precision_fp8" for lever in result["levers"])


@pytest.mark.parametrize("name", ["improving", "diverging", "oscillating", "stalled", "overfitting"])
def test_logs_of_real_trainings(daemon, name):
    """Logs of small trainings on a CPU, each with one fault (tests/diagnosis/make_logs.py)."""
    body = json.loads((MADE / "logs" / f"{name}.json").read_text())
    log = diagnose(daemon, json.dumps(body)).json["result"]["training_log"]
    assert log["verdict"] == name, log
    columns = body["training_log"]
    checks = dict(zip(columns["validation_step"], columns["validation_loss"]))
    rows = [{"step": step, "loss": loss} | ({"validation_loss": checks[step]} if step in checks else {})
            for step, loss in zip(columns["step"], columns["loss"])]
    as_rows = diagnose(daemon, json.dumps({"training_log_rows": rows})).json["result"]["training_log"]
    assert as_rows["verdict"] == name and as_rows.get("fit") == log.get("fit")


@pytest.mark.parametrize("name, rows, step, last", [("improving", 300, 475, 50), ("heading", 600, 1150, 100)])
def test_where_a_real_training_was_heading(daemon, name, rows, step, last):
    """The first half of a run predicts the loss at its end: inside the interval, and within 3 %."""
    columns = json.loads((MADE / "logs" / f"{name}.json").read_text())["training_log"]
    early = {name: columns[name][:rows] for name in ("step", "loss")}
    log = diagnose(daemon, json.dumps({"training_log": early, "steps_planned": step})).json["result"]["training_log"]
    came = sorted(columns["loss"][-last:])[last // 2]
    assert log["loss_final"]["p10"] <= came <= log["loss_final"]["p90"]
    assert log["loss_final"]["p50"] == pytest.approx(came, rel=0.03)


def test_a_plan_beside_the_measurement(daemon):
    training = {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "h100", "gpu_count": 64}
    planned = daemon.post("/v1/estimates/training", training).json["result"]["recommended"]["step"]
    body = {"timings": {"step_time_ms": 2000 * planned["time_s"], "compute_ms": 1500 * planned["time_s"]}, "training": training}
    result = daemon.post("/v1/diagnoses", body).json["result"]
    assert result["compared"][0]["part"] == "step_time" and result["compared"][0]["ratio"] == pytest.approx(2)
    # With a measured step only evaluation and restarts remain of practice, and the answer says so.
    # A recipe's plan has no practice.
    left = next(row for row in result["assumptions"] if row["field"] == "practice")
    assert left["value"] == pytest.approx(1.12) and "evaluation and restarts" in left["source"]
    fewer = next(lever for lever in result["levers"] if lever["code"] == "fewer_steps")
    recipe = daemon.post("/v1/diagnoses", body | {"training": training | {"practice": "recipe"}}).json["result"]
    assert not any(row["field"] == "practice" for row in recipe["assumptions"])
    assert fewer["change_hours"] == pytest.approx(1.12 * next(lever for lever in recipe["levers"] if lever["code"] == "fewer_steps")["change_hours"])
    wrapped = {"trace": json.loads(cuda()), "training": training, "steps_remaining": 1000}
    answer = daemon.post("/v1/diagnoses", wrapped)
    assert answer.status == 200, answer.text
    assert answer.json["result"]["source"] == "trace" and answer.json["result"]["compared"]
    assert any(lever.get("saved_usd", 0) > 0 for lever in answer.json["result"]["levers"])
    assert any(lever.get("change_usd", 0) < 0 for lever in answer.json["result"]["levers"])
    wrong = daemon.post("/v1/diagnoses", body | {"training": training | {"model": "llama-9"}})
    assert wrong.status == 422 and wrong.json["errors"][0]["pointer"] == "/training/model"


def test_a_stored_plan_is_what_the_measurement_is_held_against(daemon):
    training = {"model": "llama-3.1-8b", "tokens": "1T", "accelerators": ["a100", "h100"], "gpu_count": 64, "practice": "recipe"}
    created = daemon.post("/v1/plans/training", training).json
    planned = created["result"]["recommended"]
    step, shares = planned["step"], planned["bottleneck"]["shares"]
    held = {"step_time_ms": 1000 * step["time_s"] * 1.4, "compute_ms": 1000 * (step["compute_s"] + step["recompute_s"]),
            "optimizer_ms": 1000 * step["optimizer_s"], "data_wait_ms": 1000 * step["time_s"] * 0.3}
    answer = daemon.post("/v1/diagnoses", {"timings": held, "plan_id": created["id"], "steps_remaining": 1000})
    assert answer.status == 200, answer.text
    result = answer.json["result"]
    prediction = result["prediction"]
    assert prediction["revision"] == 1 and prediction["gpu_count"] == 64 and prediction["accelerator"] == planned["accelerator"]
    assert prediction["step_time_ms"]["p50"] == pytest.approx(1000 * step["time_s"]) and prediction["ratio"] == pytest.approx(1.4)
    assert prediction["bottleneck"]["shares"] == shares and prediction["within"] is False
    assert prediction["differs_most"] == "data_wait" and prediction["differs_ms"] == pytest.approx(300 * step["time_s"], rel=1e-6)
    assert answer.json["request"]["plan_id"] == created["id"] and answer.json["request"]["training"]["accelerator"] == planned["accelerator"]
    levers = {lever["code"]: lever for lever in result["levers"]}
    assert "change_hours" not in levers["more_loader_workers"]  # the plan does not describe samples
    doubled = levers["more_accelerators"]
    assert doubled["change_hours"] < 0 and 0.4 < 1 - doubled["saved_share"] < 0.6 and "change_gb" in doubled
    predicted = {row["code"]: row for row in daemon.post("/v1/estimates/training", training | {"accelerators": [planned["accelerator"]]}).json["result"]["advice"]}
    # The measured run takes longer than planned, so halving it saves more.
    assert doubled["change_hours"] < 1.2 * predicted["more_accelerators"]["change_hours"]
    assert not {"loader_workers", "precision_fp8"} & set(levers)


@pytest.mark.parametrize("changes, code", [
    ({"plan_id": "01939e5c-7d00-7000-8000-000000000000"}, "unknown"), ({"plan_id": "7"}, "bad_format"),
    ({"plan_id": "PLAN", "training": {"model": "llama-3.1-8b", "tokens": "1T"}}, "conflict"), ({"plan_id": "OTHER"}, "unsuitable"),
])
def test_plans_that_cannot_be_held_against(daemon, changes, code):
    ids = {"PLAN": ("training", {"model": "llama-3.1-8b", "tokens": "1B", "accelerator": "h100", "gpu_count": 8}),
           "OTHER": ("inference", {"model": "llama-3.1-8b", "accelerator": "h100", "requests_per_s": 1, "prompt_tokens": 100, "output_tokens": 100})}
    if changes["plan_id"] in ids:
        kind, body = ids[changes["plan_id"]]
        changes = changes | {"plan_id": daemon.post(f"/v1/plans/{kind}", body).json["id"]}
    answer = daemon.post("/v1/diagnoses", {"timings": {"compute_ms": 10}} | changes)
    assert answer.status == 422, answer.text
    assert [(fault["pointer"], fault["code"]) for fault in answer.json["errors"]] == [("/plan_id", code)]


def test_every_fault_of_a_diagnosis_at_once(daemon):
    wrong = {"timings": {"step_time_ms": 10, "compute_ms": 20}, "training_log": {"step": [1, 2], "loss": [1, 2]}}
    for beside, pointers in (({"training": {"model": "lama", "accelerator": "h1000", "tokens": "1T"}}, {"/training/model", "/training/accelerator"}),
                             ({"plan_id": "01939e5c-7d00-7000-8000-000000000000"}, {"/plan_id"})):
        answer = daemon.post("/v1/diagnoses", wrong | beside)
        assert answer.status == 422 and answer.json["type"].endswith("/invalid"), answer.text
        told = {fault["pointer"] for fault in answer.json["errors"]}
        assert pointers | {"/timings/step_time_ms"} <= told and any(pointer.startswith("/training_log") for pointer in told), told
    early = daemon.post("/v1/diagnoses", {"timings": {"compute_ms": 5}, "training": {"model": "llama-3.1-8b", "accelerator": "h100", "tokens": "1T",
                                                                                    "deadline_hours": 0.1}})
    assert early.status == 422 and early.json["type"].endswith("/infeasible") and early.json["errors"][0]["pointer"] == "/training/deadline_hours"


def test_a_plan_whose_hardware_is_gone_still_predicts(daemon):
    """The stored figures are used; only levers need the catalogue."""
    assert daemon.post("/v1/accelerators", ACCELERATOR | {"id": "prototype"}).status == 201
    created = daemon.post("/v1/plans/training", {"model": "llama-3.1-8b", "tokens": "1B", "accelerator": "prototype", "gpu_count": 8,
                                                 "pricing": {"usd_per_gpu_hour": 2}})
    assert created.status == 201, created.text
    assert daemon.request("DELETE", "/v1/accelerators/prototype").status == 204
    answer = daemon.post("/v1/diagnoses", {"timings": {"compute_ms": 10}, "plan_id": created.json["id"]})
    assert answer.status == 200, answer.text
    assert answer.json["result"]["prediction"]["accelerator"] == "prototype"
    assert any("can't be planned again" in warning for warning in answer.json["result"]["warnings"])


@pytest.mark.parametrize("status, body", [
    (400, b""), (400, b"{"), (400, b"x"), (400, b"\x00"), (400, b"[" * 100), (400, b'{"a":' * 40), (400, b'{"traceEvents":[{"ph":"X"'),
    (400, b'{"traceEvents":[{"ph":"X","ts":NaN,"dur":1}]}'), (400, b'{"traceEvents":[{"ph":"X","ts":1e999,"dur":1}]}'),
    (422, b'{"traceEvents":[]}'), (422, b'[]'), (422, b'{}'), (422, b'[1]'),
    (422, b'{"traceEvents":[{"ph":"X","ts":1e300,"dur":1}]}'), (422, b'{"traceEvents":[{"ph":"X","ts":1,"dur":-1}]}'),
    (422, b'{"traceEvents":[{"ph":"X","ts":1,"dur":1},{"ph":"X"}]}'), (422, b'{"traceEvents":5}'),
    (422, b'{"timings":{"step_time_ms":10}}'), (422, b'{"timings":{"step_time_ms":10,"compute_ms":20}}'),
    (422, b'{"timings":{"compute_ms":-1}}'), (422, b'{"training_log":{"step":[1,2],"loss":[1,2]}}'),
    (422, b'{"training_log":{"loss":[1,2,3,4,5,6,7,8,9]}}'), (422, b'{"timing":{}}'),
])
def test_bad_bodies_are_the_callers_fault(daemon, status, body):
    answer = diagnose(daemon, body)
    assert answer.status == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"


def test_other_refusals(daemon):
    packed = gzip.compress(cuda().encode())
    assert diagnose(daemon, packed).status == 400                      # packed, without the header that says so
    assert diagnose(daemon, packed[:-20], PACKED).status == 400        # truncated
    assert diagnose(daemon, packed, PACKED | {"Content-Type": "text/plain"}).status == 415
    assert diagnose(daemon, cuda(), query="?gpu_count=none").status in (400, 422)
    assert diagnose(daemon, b'{"x":"' + b"a" * (5 << 20) + b'"}').status == 413


def test_memory_stays_bounded(daemon_with):
    """A bomb, a trace of 40 MB, and events far apart on purpose: the daemon's memory grows by much less than the
    input."""
    daemon = daemon_with()
    assert diagnose(daemon, cuda()).status == 200
    before = memory_bytes(daemon)
    bomb = gzip.compress(b'{"traceEvents":[' + b" " * (300 << 20), 6)
    assert len(bomb) < 1 << 20
    answer = diagnose(daemon, bomb, PACKED)
    assert answer.status == 413 and "after decompression" in answer.json["detail"]
    assert memory_bytes(daemon) - before < 8 << 20
    one = cuda(40, 1500)
    answer = diagnose(daemon, gzip.compress(one.encode(), 1), PACKED)
    assert answer.status == 200 and len(one) > 40 << 20
    assert memory_bytes(daemon) - before < 32 << 20
    spread = ",".join('{"ph":"X","ts":%d,"dur":1,"cat":"kernel"}' % (at * 7919 % 999983 * 2) for at in range(300000))
    answer = diagnose(daemon, f"[{spread}]")
    assert answer.status == 200 and answer.json["result"]["trace"]["kernels"] == 300000
    assert memory_bytes(daemon) - before < 48 << 20
