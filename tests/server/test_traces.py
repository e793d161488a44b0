"""Traffic of inference requests over the wire: traces of a million and of ten million rows, packed, stored, and wrong
ones; rates, classes, routing."""
import gzip
import hashlib
import re

import conftest
import pytest
import support

JSON = {"Content-Type": "application/json"}
PACKED = JSON | {"Content-Encoding": "gzip"}
ESTIMATE, PLAN = "/v1/estimates/inference", "/v1/plans/inference"


def send(daemon, body, headers=JSON, path=ESTIMATE):
    return daemon.request("POST", path, body, headers, timeout=300)


def request(rows, rest='"model":"llama-3.1-8b","accelerator":"h100","gpu_count":1,"alternatives":0'):
    return '{%s,"trace":{"arrivals":[%s]}}' % (rest, rows)


def memory_bytes(daemon, key="VmHWM"):
    """Returns 0 under sanitizers, which do not release freed memory."""
    return 0 if conftest.is_sanitized() else support.memory_bytes(daemon, key)


def test_a_million_rows(daemon_with):
    daemon = daemon_with()
    assert send(daemon, request("[0,100,20],[1,100,20]")).status == 200
    before = memory_bytes(daemon)
    rows = ",".join("[%d.%d,%d,%d]" % (i // 4, i % 4 * 25, 300 + i % 199, 20 + i % 61) for i in range(1_000_000)).replace(".0,", ",")
    answer = send(daemon, request(rows))
    assert answer.status == 200, answer.text
    trace = answer.json["request"]["trace"]
    # 0.50 is written as 0.5: the digest covers the shortest form of each number.
    shortest = re.sub(r"\.50,", ".5,", rows)
    assert trace == {"rows": 1_000_000, "sha256": hashlib.sha256(f"[{shortest}]".encode()).hexdigest()}
    assert answer.json["result"]["recommended"]["simulated"]["requests"] == 1_000_000
    assert memory_bytes(daemon) - before < 64 << 20, "a row takes more than 24 bytes, or its text is kept"
    assert memory_bytes(daemon, "RssAnon") < 32 << 20, "the memory was not returned to the system"
    packed = send(daemon, gzip.compress(request(rows).encode(), 1), PACKED)
    assert packed.json["request"] == answer.json["request"] and packed.json["result"] == answer.json["result"]


def test_a_trace_that_overloads_its_accelerators_is_answered_with_its_queue(daemon):
    def asked(count, rate, more=""):
        rows = ",".join(f"[{i / rate:.3f},500,150]" for i in range(count))
        return send(daemon, request(rows, '"model":"llama-3.1-8b","accelerator":"h100","gpu_count":1,"alternatives":0' + more))

    held, over, longer = asked(1000, 20), asked(1000, 120), asked(4000, 120)
    for answer in (held, over, longer):
        assert answer.status == 200, answer.text
    told = [any("overloaded" in text for text in answer.json["result"]["warnings"]) for answer in (held, over, longer)]
    assert told == [False, True, True]
    late = [answer.json["result"]["recommended"]["latency"]["ttft_ms"]["p95"] for answer in (held, over, longer)]
    assert late[0] < 1000 < 3 * late[1] < late[2], late
    best = over.json["result"]["recommended"]
    assert best["promises"][0]["what"] == "load" and best["promises"][0]["probability"] < 0.2
    assert best["throughput"]["output_tokens_per_s"] < 120 * 150 and best["simulated"]["requests"] == 1000
    problem = asked(1000, 120, ',"slo":{"ttft_ms":1000}')
    assert problem.status == 422 and "they carry" in problem.json["detail"], problem.text
    assert asked(1000, 120, ',"slo":{"ttft_ms":600000}').status == 200


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
    before = memory_bytes(daemon)
    rows = b",".join([b"[7,1,1]"] * 10_000_000)
    body = request("[0,1,1],").encode()[:-3] + rows + b"]}}"
    assert send(daemon, body).status == 413, "a client that sends the whole body first gets no 413"
    packed = gzip.compress(body, 1)
    assert len(packed) < 8 << 20
    answer = send(daemon, packed, PACKED)
    assert answer.status == 413 and "2000000 requests" in answer.json["detail"]
    assert send(daemon, packed, PACKED, PLAN).status == 413
    assert memory_bytes(daemon) - before < 96 << 20, "memory exceeds two million rows and their copy while the array grows"
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


TRAFFIC = {"model": "llama-3.1-8b", "accelerator": "h100", "requests_per_s": 20, "prompt_tokens": {"mean": 1500, "cv": 0.8}, "output_tokens": 250,
           "slo": {"ttft_ms": 1000, "tpot_ms": 50}, "alternatives": 0}


def test_classes_prefixes_and_pieces_are_answered_as_understood(daemon):
    more = {"priority_share": 0.2, "routing": "prefix_aware", "shared_prefix": {"prefixes": 100, "tokens": 800}}
    answer = daemon.post(ESTIMATE, TRAFFIC | more)
    assert answer.status == 200, answer.text
    assert {name: answer.json["request"][name] for name in more} == more
    option = answer.json["result"]["recommended"]
    assert option["latency_of_rest"]["ttft_ms"]["p95"] >= option["latency"]["ttft_ms"]["p95"] * 0.9
    assert 0 < option["simulated"]["prefix_hit_rate"] < 800 / 1500 + 0.1
    pieces = [{"duration_s": 3600, "requests_per_s": 20}, {"duration_s": 7200, "requests_per_s": 5}]
    answer = daemon.post(ESTIMATE, {name: TRAFFIC[name] for name in TRAFFIC if name != "requests_per_s"} | {"rate_profile": pieces})
    assert answer.status == 200 and answer.json["request"]["rate_profile"] == pieces, answer.text
    assert "latency_of_rest" not in answer.json["result"]["recommended"]
    assert answer.json["result"]["recommended"]["gpu_count"] == daemon.post(ESTIMATE, TRAFFIC).json["result"]["recommended"]["gpu_count"]


@pytest.mark.parametrize("more,pointer,code", [
    ({"routing": "prefix_aware"}, "/shared_prefix", "required"),
    ({"routing": "random"}, "/routing", "bad_choice"),
    ({"shared_prefix": {"prefixes": 10, "tokens": 100}, "prefix_cache_hit_rate": 0.5}, "/prefix_cache_hit_rate", "conflict"),
    ({"shared_prefix": {"prefixes": 10}}, "/shared_prefix/tokens", "required"),
    ({"priority_share": 1.5}, "/priority_share", "out_of_range"),
    ({"rate_profile": [{"duration_s": 60, "requests_per_s": 5}]}, "/rate_profile", "conflict"),
    ({"rate_profile": [{"duration_s": 0, "requests_per_s": 5}]}, "/rate_profile/0/duration_s", "out_of_range"),
    ({"requests_per_s": 0}, "/requests_per_s", "out_of_range"),
])
def test_traffic_that_cannot_be(daemon, more, pointer, code):
    answer = daemon.post(ESTIMATE, TRAFFIC | more)
    assert answer.status == 422, answer.text
    assert (pointer, code) in {(error["pointer"], error["code"]) for error in answer.json["errors"]}, answer.text
