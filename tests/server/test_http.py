"""Behaviour that all routes share: limits, types, compression, conditions, CORS, methods, ids, the log, the metrics."""
import gzip
import json
import re
import socket
import zlib

import pytest
from conftest import Answer
from support import until

ESTIMATE = "/v1/estimates/training"
JSON = {"Content-Type": "application/json"}


def problem(answer, status, slug):
    assert answer.status == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["status"] == status and answer.json["type"] == f"urn:fleetplan:problem/{slug}"
    assert answer.json["title"] and answer.json["detail"]
    return answer


# --- routes and methods ---------------------------------------------------------------------------------------

def test_unknown_paths_are_404(daemon):
    for path in ("/nothing", "/v1", "/v1/", "/v1/plan", "/livez/", "/livez/x", "//livez", "/v1/plans/a/b/c/d"):
        answer = problem(daemon.get(path), 404, "not-found")
        assert answer.json["instance"] == path


def test_wrong_methods_are_405_with_allow(daemon):
    answer = problem(daemon.request("DELETE", "/livez"), 405, "method-not-allowed")
    assert "GET" in answer.headers["allow"] and "DELETE" not in answer.headers["allow"]
    for method in ("PUT", "TRACE", "BREW", "get"):
        problem(daemon.request(method, ESTIMATE), 405, "method-not-allowed")


def test_head_is_get_without_its_body(daemon):
    get = daemon.get("/version")
    with daemon.wire() as wire:
        head = wire.send("HEAD /version HTTP/1.1\r\nHost: localhost\r\n\r\n").answer(head=True)
        assert head.status == 200 and head.headers["content-length"] == get.headers["content-length"]
        assert wire.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").answer().status == 200, "bytes remained after the HEAD answer"
        head = wire.send("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").answer(head=True)
        assert head.status == 200 and int(head.headers["content-length"]) > 1000


def test_options_names_the_methods(daemon):
    answer = daemon.request("OPTIONS", ESTIMATE)
    assert answer.status == 204 and "POST" in answer.headers["allow"]
    problem(daemon.request("OPTIONS", "/nothing"), 404, "not-found")


# --- negotiation ----------------------------------------------------------------------------------------------

def test_accept_is_negotiated(daemon):
    for accept in ("application/json", "*/*", "application/*", "text/html, application/json;q=0.5", "", "text/html;q=0.9, */*;q=0.1"):
        answer = daemon.get("/version", {"Accept": accept})
        assert answer.status == 200 and answer.headers["content-type"] == "application/json", accept
    for accept in ("text/csv", "application/xml", "application/json;q=0", "image/*"):
        answer = problem(daemon.get("/version", {"Accept": accept}), 406, "not-acceptable")
        assert "application/json" in answer.json["detail"]


def test_content_types(daemon):
    for kind in ("text/plain", "application/xml", "application/x-www-form-urlencoded", "application/json; charset=latin-1", "json"):
        answer = problem(daemon.post(ESTIMATE, b"{}", {"Content-Type": kind}), 415, "unsupported-media-type")
        assert "application/json" in answer.json["detail"]
    with daemon.wire() as wire:  # http.client would add a Content-Type
        problem(wire.send(f"POST {ESTIMATE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{{}}").answer(), 415, "unsupported-media-type")
    for kind in ("application/json", "APPLICATION/JSON", "application/json; charset=utf-8", 'application/json;charset="UTF-8"'):
        assert daemon.post(ESTIMATE, b"{}", {"Content-Type": kind}).status not in (400, 415), kind


def test_answers_are_compressed_when_asked_and_worth_it(daemon):
    plain = daemon.get("/metrics")
    assert "content-encoding" not in plain.headers
    packed = daemon.get("/metrics", {"Accept-Encoding": "br;q=1, gzip;q=0.5"})
    assert packed.headers["content-encoding"] == "gzip" and packed.headers["vary"] == "Accept-Encoding"
    assert len(packed.body) < len(plain.body) / 3
    assert "fleetplan_http_requests_total" in packed.text
    for refused in ("gzip;q=0", "identity", "br", "x-gzip-not"):
        assert "content-encoding" not in daemon.get("/metrics", {"Accept-Encoding": refused}).headers
    assert "content-encoding" not in daemon.get("/livez", {"Accept-Encoding": "gzip"}).headers, "too short to be worth it"


# --- bodies ---------------------------------------------------------------------------------------------------

def test_large_bodies_are_refused_before_they_are_sent(daemon):
    with daemon.wire() as wire:
        wire.send(f"POST {ESTIMATE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 300000000\r\n"
                  "Expect: 100-continue\r\n\r\n")
        answer = problem(wire.answer(), 413, "too-large")
        assert answer.closes and wire.closed()


def test_large_bodies_are_refused_while_they_arrive(daemon):
    """Chunked, so that no header announces the length. The client receives the answer although the daemon did not read
    most of the body."""
    with daemon.wire() as wire:
        wire.send(f"POST {ESTIMATE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        sent = 0
        try:
            for _ in range(400):
                wire.send(chunk)
                sent += 65536
        except OSError:
            pass
        problem(wire.answer(), 413, "too-large")
        assert sent < 20 * 1024 * 1024


def test_a_bomb_is_refused_by_what_comes_out_of_it(daemon):
    bomb = gzip.compress(b" " * 100_000_000)
    assert len(bomb) < 100_000
    before = daemon.metric("process_resident_memory_bytes")
    problem(daemon.post(ESTIMATE, bomb, JSON | {"Content-Encoding": "gzip"}), 413, "too-large")
    assert daemon.metric("process_resident_memory_bytes") - before < 30_000_000


def test_packed_bodies_are_read(daemon):
    body = json.dumps({"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "h100", "gpu_count": 512}).encode()
    plain = daemon.post(ESTIMATE, body, JSON)
    assert plain.status == 200, plain.text
    for encoding in ("gzip", "x-gzip"):
        packed = daemon.post(ESTIMATE, gzip.compress(body), JSON | {"Content-Encoding": encoding})
        assert packed.status == 200 and packed.json["request"] == plain.json["request"]
    problem(daemon.post(ESTIMATE, body, JSON | {"Content-Encoding": "br"}), 415, "unsupported-media-type")
    problem(daemon.post(ESTIMATE, body, JSON | {"Content-Encoding": "gzip"}), 400, "malformed")
    problem(daemon.post(ESTIMATE, gzip.compress(body)[:-9], JSON | {"Content-Encoding": "gzip"}), 400, "malformed")
    problem(daemon.post(ESTIMATE, gzip.compress(body) + b"more", JSON | {"Content-Encoding": "gzip"}), 400, "malformed")
    problem(daemon.post(ESTIMATE, zlib.compress(body), JSON | {"Content-Encoding": "gzip"}), 400, "malformed")


def test_malformed_bodies_are_never_a_5xx(daemon):
    bodies = [b"", b"{", b"[]", b"null", b"{}{}", b'{"a":1,"a":2}', b'{"tokens":NaN}', b'{"tokens":1e999}', b'{"tokens":"x"}', b"\xff\xfe", b"[" * 5000,
              b'{"a":' * 500 + b"1" + b"}" * 500, b'{"model":"\\ud800"}', b'{"model":"\\u0000"}', b"\xef\xbb\xbf{}", b'{"unknown_field":1}', b'{"tokens":-5}']
    for body in bodies:
        answer = daemon.post(ESTIMATE, body, JSON)
        assert 400 <= answer.status < 500, (body[:40], answer.status, answer.text)
        assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_where_none_belongs_is_refused(daemon):
    with daemon.wire() as wire:
        problem(wire.send("GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}").answer(), 413, "too-large")
        assert wire.send("GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n").answer().status == 200


def test_a_refused_body_leaves_the_connection_usable(daemon):
    """The daemon discards a body that it refused for another reason than its framing, and answers the next request."""
    with daemon.wire() as wire:
        for _ in range(3):
            wire.send(f"POST /nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000\r\n\r\n" + "x" * 20000)
            problem(wire.answer(), 404, "not-found")
            assert wire.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").answer().status == 200


def test_expect_continue_is_continued(daemon):
    with daemon.wire() as wire:
        wire.send(f"POST {ESTIMATE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        assert wire.answer().status == 100
        assert wire.send("{}").answer().status == 422


def test_chunked_bodies_are_read(daemon):
    with daemon.wire() as wire:
        wire.send(f"POST {ESTIMATE} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: Chunked\r\n\r\n"
                  "1\r\n{\r\n3;x=y\r\n\"no\r\n6\r\npe\":1}\r\n0\r\nTrailer: x\r\n\r\n")
        answer = problem(wire.answer(), 422, "invalid")
        assert "/nope" in answer.text


# --- conditions -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("path", ["/openapi.json", "/openapi-3.0.json"])
def test_the_description_is_answered_304_to_those_who_have_it(daemon, path):
    first = daemon.get(path)
    tag = first.headers["etag"]
    assert first.status == 200 and re.fullmatch(r'"[0-9a-f]+"', tag) and first.headers["cache-control"] == "no-cache"
    for sent in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        again = daemon.get(path, {"If-None-Match": sent})
        assert again.status == 304 and again.body == b"" and again.headers["etag"] == tag
    assert daemon.get(path, {"If-None-Match": '"x"'}).status == 200
    packed = daemon.get(path, {"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip" and packed.json == first.json
    assert packed.headers["etag"] == f'{tag[:-1]}-gzip"'
    again = daemon.get(path, {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["etag"]})
    assert again.status == 304 and again.headers["etag"] == packed.headers["etag"]


# --- ids, logs, metrics ---------------------------------------------------------------------------------------

def request_lines(daemon, request_id):
    return until(lambda: [line for line in daemon.events("request") if line["request_id"] == request_id])


def test_request_ids_and_traces_are_kept_when_sane(daemon):
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    answer = daemon.get("/version", {"X-Request-Id": "deploy-42.a:b", "traceparent": trace})
    assert answer.headers["x-request-id"] == "deploy-42.a:b" and answer.headers["traceparent"] == trace
    line = request_lines(daemon, "deploy-42.a:b")[0]
    assert line["traceparent"] == trace and line["route"] == "/version" and line["status"] == 200 and line["method"] == "GET"
    assert line["duration_ms"] >= 0 and line["response_bytes"] == len(answer.body) and line["principal"] == "anonymous"
    for strange in ("a b", 'a"b', "a" * 65, "<x>", ""):
        made = daemon.get("/version", {"X-Request-Id": strange}).headers["x-request-id"]
        assert re.fullmatch(r"[0-9a-f-]{36}", made)
    assert "traceparent" not in daemon.get("/version", {"traceparent": "00-x"}).headers


def test_problems_carry_their_request_id(daemon):
    answer = daemon.get("/nothing", {"X-Request-Id": "find-me"})
    assert answer.json["request_id"] == "find-me"


def counted(text):
    """Returns the metrics once they count an earlier request of a plan and an earlier scrape."""
    return text if 'route="/v1/plans/{id}"' in text and '_count{method="GET",route="/metrics"}' in text else None


def test_metrics_are_prometheus_text(daemon):
    daemon.get("/v1/plans/0190b2b0-0000-7000-8000-000000000000")
    assert daemon.get("/metrics").headers["content-type"].startswith("text/plain; version=0.0.4")
    text = until(lambda: counted(daemon.get("/metrics").text))
    helped, typed = set(), {}
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped.add(line.split()[2])
        elif line.startswith("# TYPE "):
            typed[line.split()[2]] = line.split()[3]
        else:
            match = re.fullmatch(r'([a-z_]+)(?:\{((?:[a-z]+="[^"]*",?)+)\})? ([0-9.e+-]+)', line)
            assert match, line
            base = re.sub(r"_(bucket|sum|count)$", "", match[1]) if match[1] not in typed else match[1]
            assert base in typed and base in helped, line
            if typed[base] == "counter":
                assert match[1].endswith("_total"), line
    assert 'route="/v1/plans/{id}"' in text and "0190b2b0" not in text, "labels are templates"
    count = int(re.search(r'_duration_seconds_count\{method="GET",route="/metrics"\} (\d+)', text)[1])
    assert count == int(re.search(r'_bucket\{method="GET",route="/metrics",le="\+Inf"\} (\d+)', text)[1])


def test_counts_rise_by_what_happened(daemon_with):
    daemon = daemon_with()
    counter = 'fleetplan_http_requests_total{method="GET",route="/version",code="200"}'
    for _ in range(7):
        daemon.get("/version")
    daemon.wait_metric(counter, lambda count: count >= 7)
    for _ in range(5):
        daemon.get("/version")
    assert daemon.wait_metric(counter, lambda count: count >= 12) == 12


# --- health, version, docs ------------------------------------------------------------------------------------

def test_health_and_version(daemon):
    assert daemon.get("/livez").json["status"] == "ok"
    assert daemon.get("/readyz").json["status"] == "ok"
    assert "storage writable" in daemon.get("/readyz?verbose").json["detail"]
    version = daemon.get("/version").json
    assert all(re.match(r"\d+\.\d+", version[key]) for key in ("version", "sqlite", "microhttpd", "jansson")), version
    assert re.fullmatch(r"\d+\.\d+\.\d+", version["version"]) and version["api"] == "v1"


def test_the_docs_page_needs_nothing_from_elsewhere(daemon):
    page = daemon.get("/docs", {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert page.status == 200 and page.headers["content-type"].startswith("text/html")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    parts = re.findall(r'(?:href|src)="([^"#]+)"', page.text)
    assert "/docs/docs.css" in parts and "/docs/docs.js" in parts
    for part in parts:
        assert part.startswith("/") and not part.startswith("//")
        assert daemon.get(part).status == 200, part
    assert "<style" not in page.text and not re.search(r"<script(?![^>]*src=)", page.text) and " style=" not in page.text
    problem(daemon.get("/docs/other.js"), 404, "not-found")


# --- CORS -----------------------------------------------------------------------------------------------------

def test_cors_is_off_by_default(daemon):
    answer = daemon.get("/version", {"Origin": "https://a.example"})
    assert not any(name.startswith("access-control") for name in answer.headers)


def test_cors_allows_those_who_are_listed(daemon_with):
    daemon = daemon_with("--cors-origins", "https://a.example, https://b.example")
    ask = {"Origin": "https://b.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    answer = daemon.request("OPTIONS", ESTIMATE, None, ask)
    assert answer.status == 204 and answer.headers["access-control-allow-origin"] == "https://b.example"
    assert "POST" in answer.headers["access-control-allow-methods"] and "Content-Type" in answer.headers["access-control-allow-headers"]
    assert "Origin" in answer.headers["vary"]
    assert daemon.get("/version", {"Origin": "https://a.example"}).headers["access-control-allow-origin"] == "https://a.example"
    for origin in ("https://c.example", "https://a.example.evil", "null", "https://a.exampl"):
        assert "access-control-allow-origin" not in daemon.get("/version", {"Origin": origin}).headers


# --- connections ----------------------------------------------------------------------------------------------

def test_a_full_queue_is_503_at_once(daemon_with):
    """One worker and one place in the queue: of many requests at once some are refused with 503, none waits for ever,
    and the daemon continues."""
    daemon = daemon_with("--workers", "1", "--queue", "1", "--threads", "1")
    wires = [daemon.wire() for _ in range(60)]
    for wire in wires:
        wire.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 4)
    answers = [wire.answer() for wire in wires for _ in range(4)]
    for wire in wires:
        wire.close()
    statuses = [answer.status for answer in answers]
    assert set(statuses) <= {200, 503} and 200 in statuses
    for answer in answers:
        if answer.status == 503:
            problem(answer, 503, "overloaded")
            assert int(answer.headers["retry-after"]) >= 1
    assert daemon.get("/metrics").status == 200


def test_who_waits_too_long_for_a_worker_is_told_so(daemon_with):
    """One worker and eight searches of a second each: the daemon refuses the last ones instead of letting them wait,
    but still accepts a job."""
    daemon = daemon_with("--workers", "1", "--queue-seconds", "1", "--threads", "1", "--cpu-limit-ms", "0")
    body = ('{"model":"llama-3.1-70b","queries_per_minute":6000,"prompt_tokens":{"mean":1000,"cv":1},"output_tokens":{"mean":300,"cv":1},'
            '"burstiness_cv":4,"slo":{"ttft_ms":1000,"tpot_ms":50}}')
    head = "POST /v1/estimates/inference HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    wires = [daemon.wire(seconds=120) for _ in range(8)]
    for wire in wires:
        wire.send(f"{head}Content-Length: {len(body)}\r\n\r\n{body}")
    job = daemon.request("POST", "/v1/estimates/inference", body, {"Prefer": "respond-async", "Content-Type": "application/json"})
    answers = [wire.answer() for wire in wires]
    for wire in wires:
        wire.close()
    assert job.status == 202
    told = [answer for answer in answers if answer.status == 503]
    assert {answer.status for answer in answers} == {200, 503} and len(told) >= 2
    for answer in told:
        assert "respond-async" in problem(answer, 503, "overloaded").json["detail"]
        assert int(answer.headers["retry-after"]) >= 1
    assert daemon.get("/metrics").status == 200


def test_disconnects_while_a_worker_has_the_request_are_harmless(daemon):
    for _ in range(50):
        wire = daemon.wire()
        wire.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        wire.close()  # sends a reset
    daemon.wait_metric("fleetplan_http_requests_in_flight", lambda count: count == 1)  # the scrape itself


def test_past_the_connection_limit_clients_wait_and_are_served(daemon_with):
    daemon = daemon_with("--connections", "8", "--threads", "1")
    wires = [daemon.wire() for _ in range(8)]
    assert wires[0].send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").answer().status == 200
    late = daemon.wire().send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
    for wire in wires:
        wire.close()
    assert late.answer().status == 200
    late.close()


def test_pipelined_requests_are_answered_in_order(daemon):
    with daemon.wire() as wire:
        wire.send("GET /version HTTP/1.1\r\nHost: localhost\r\n\r\nGET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\nGET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answers = [wire.answer() for _ in range(3)]
        assert [a.status for a in answers] == [200, 200, 404]
        assert "version" in answers[0].json and isinstance(answers[1], Answer)
