"""Inference requests with a trace of their own, over the wire: a million rows, ten million, packed, kept, and wrong ones."""
import gzip
import hashlib
import re

import pytest

JSON = {"Content-Type": "application/json"}
PACKED = JSON | {"Content-Encoding": "gzip"}
ESTIMATE, PLAN = "/v1/estimates/inference", "/v1/plans/inference"


def send(daemon, body, headers=JSON, path=ESTIMATE):
    return daemon.request("POST", path, body, headers, timeout=300)


def request(rows, rest='"model":"llama-3.1-8b","accelerator":"h100","gpu_count":1,"alternatives":0'):
    return '{%s,"trace":{"arrivals":[%s]}}' % (rest, rows)


def peak_bytes(daemon):
    with open(f"/proc/{daemon.process.pid}/status") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read())[1]) << 10


def test_a_million_rows(daemon_with):
    daemon = daemon_with()
    assert send(daemon, request("[0,100,20],[1,100,20]")).status == 200
    before = peak_bytes(daemon)
    rows = ",".join("[%d.%d,%d,%d]" % (i // 4, i % 4 * 25, 300 + i % 199, 20 + i % 61) for i in range(1_000_000)).replace(".0,", ",")
    answer = send(daemon, request(rows))
    assert answer.status == 200, answer.text
    trace = answer.json["request"]["trace"]
    # 0.50 is written as 0.5: the digest is of the shortest numbers.
    shortest = re.sub(r"\.50,", ".5,", rows)
    assert trace == {"rows": 1_000_000, "sha256": hashlib.sha256(f"[{shortest}]".encode()).hexdigest()}
    assert answer.json["result"]["recommended"]["simulated"]["requests"] == 1_000_000
    assert peak_bytes(daemon) - before < 64 << 20, "rows are held as 24 bytes each, their text never"
    packed = send(daemon, gzip.compress(request(rows).encode(), 1), PACKED)
    assert packed.json["request"] == answer.json["request"] and packed.json["result"] == answer.json["result"]


def test_a_plan_with_a_long_trace_is_kept_and_computed_again(daemon):
    rows = ",".join("[%d,%d,%d]" % (i, 300 + i % 199, 20 + i % 61) for i in range(200_000))
    body = request(rows).encode()
    key = {"Idempotency-Key": "a-long-trace"}
    made = send(daemon, body, JSON | key, PLAN)
    assert made.status == 201, made.text
    assert made.json["request"]["trace"]["rows"] == 200_000 and len(made.text) < 100_000
    again = send(daemon, gzip.compress(body), PACKED | key, PLAN)
    assert again.json["id"] == made.json["id"] and again.headers["idempotent-replayed"] == "true"
    assert send(daemon, request("[0,1,1],[1,1,1]"), JSON | key, PLAN).status == 422
    fresh = daemon.request("POST", made.headers["location"] + "/refresh", timeout=300)
    assert fresh.status == 200 and fresh.json["request"] == made.json["request"], fresh.text
    assert fresh.json["result"]["recommended"]["latency"] == made.json["result"]["recommended"]["latency"]


def test_ten_million_rows_are_too_many(daemon_with):
    daemon = daemon_with()
    assert send(daemon, request("[0,100,20],[1,100,20]")).status == 200
    before = peak_bytes(daemon)
    rows = b",".join([b"[7,1,1]"] * 10_000_000)
    body = request("[0,1,1],").encode()[:-3] + rows + b"]}}"
    assert send(daemon, body).status == 413, "told to a client that sends all of it before it reads"
    packed = gzip.compress(body, 1)
    assert len(packed) < 8 << 20
    answer = send(daemon, packed, PACKED)
    assert answer.status == 413 and "2000000 requests" in answer.json["detail"]
    assert send(daemon, packed, PACKED, PLAN).status == 413
    assert peak_bytes(daemon) - before < 64 << 20
    assert send(daemon, request("[0,100,20],[1,100,20]")).status == 200


@pytest.mark.parametrize("rows,pointer,code", [
    ("[0,1,1],[5,1,1],[4,1,1]", "/trace/arrivals/2/0", "unsorted"),
    ("[-1,1,1],[5,1,1]", "/trace/arrivals/0/0", "out_of_range"),
    ("[0,0,1],[5,1,1]", "/trace/arrivals/0/1", "out_of_range"),
    ("[0,1,1],[5,1,0]", "/trace/arrivals/1/2", "out_of_range"),
    ("[0,1,1],[5,1]", "/trace/arrivals/1", "wrong_type"),
    ("", "/trace/arrivals", "empty"),
])
def test_wrong_rows_are_named_beside_other_faults(daemon, rows, pointer, code):
    for path in (ESTIMATE, PLAN):
        answer = send(daemon, request(rows, '"model":"llama-3.1-8b","accelerator":"h100","headroom":2'), path=path)
        assert answer.status == 422, answer.text
        found = {error["pointer"]: error["code"] for error in answer.json["errors"]}
        assert found == {pointer: code, "/headroom": "out_of_range"}


def test_duplicates_and_broken_text(daemon):
    twice = '{"model":"llama-3.1-8b","accelerator":"h100","trace":{"arrivals":[[0,1,1],[1,1,1]],"arrivals":[[0,1,1],[1,1,1]]}}'
    answer = send(daemon, twice)
    assert answer.status == 422 and answer.json["errors"][0]["code"] == "duplicate_key"
    for body in ("", "{", request("[0,1,1],"), request("[0,1,NaN]"), request("[0,1,1]")[:-1]):
        assert send(daemon, body).status == 400
    assert send(daemon, gzip.compress(request("[0,1,1],[1,1,1]").encode())[:-9], PACKED).status == 400
