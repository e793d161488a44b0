"""One client's load does not delay another client: heavy work, small bombs, idle connections, answers that a client
does not read.

Clients differ by their addresses, from 127.0.0.2 on. No test here judges how long something takes. The tests judge
which clients are answered, in which order, and the state of the others at that moment."""
import gzip
import http.client
import json
import socket
import threading
import time

import pytest

from conftest import Answer, Wire
from support import until, without_times

HEAVY = {"model": "llama-3.1-70b", "queries_per_minute": 60000, "prompt_tokens": {"mean": 1000, "cv": 1}, "output_tokens": {"mean": 300, "cv": 1},
         "burstiness_cv": 4, "slo": {"ttft_ms": 1000, "tpot_ms": 50}}
MEDIUM = HEAVY | {"queries_per_minute": 6000, "accelerator": "h100"}
LIGHT = {"model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100", "deadline_hours": "30d"}


def ask(daemon, source, method, path, body=None, headers=None, timeout=60):
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=timeout, source_address=(source, 0))
    try:
        connection.request(method, path, json.dumps(body) if body else None, ({"Content-Type": "application/json"} if body else {}) | (headers or {}))
        answer = connection.getresponse()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()


# --- work ---------------------------------------------------------------------------------------------------------------

def test_heavy_work_of_one_client_holds_up_no_other(daemon_with):
    """Twelve searches of seconds run from one address. Reads and short estimates from another address are answered
    while all of them run."""
    daemon = daemon_with("--workers", "1", "--job-workers", "1", "--cpu-limit-ms", "200", "--drain-seconds", "0")
    answered = []

    def heavy():
        try:
            answered.append(ask(daemon, "127.0.0.2", "POST", "/v1/estimates/inference", HEAVY).status)
        except OSError:
            pass  # the daemon is stopped before the searches end

    threads = [threading.Thread(target=heavy, daemon=True) for _ in range(12)]
    for thread in threads:
        thread.start()
    daemon.wait_in_flight(12)
    for _ in range(5):
        assert ask(daemon, "127.0.0.3", "GET", "/v1/plans").status == 200
        assert ask(daemon, "127.0.0.3", "POST", "/v1/estimates/training", LIGHT).status == 200
        assert ask(daemon, "127.0.0.3", "POST", "/v1/plans/training", LIGHT).status == 201
    assert answered == [], "the searches ended before the others were answered"
    daemon.process.kill()
    daemon.process.wait()
    for thread in threads:
        thread.join()


def test_short_work_waits_for_a_slice_of_each_client(daemon_with):
    """Searches of seconds run from eight addresses, each of which may use unlimited time. The plans of a ninth are
    answered before any search."""
    daemon = daemon_with("--workers", "1", "--job-workers", "1", "--cpu-limit-ms", "3600000", "--drain-seconds", "0")
    answered = []

    def heavy(number):
        try:
            answered.append(ask(daemon, f"127.0.{2 + number}.1", "POST", "/v1/estimates/inference", HEAVY).status)
        except OSError:
            pass  # the daemon is stopped before the searches end

    threads = [threading.Thread(target=heavy, args=(number, ), daemon=True) for number in range(8)]
    for thread in threads:
        thread.start()
    daemon.wait_in_flight(8)
    for _ in range(5):
        assert ask(daemon, "127.0.99.1", "POST", "/v1/plans/training", LIGHT).status == 201
    assert answered == [], "a search ended before the plans were answered"
    daemon.process.kill()
    daemon.process.wait()
    for thread in threads:
        thread.join()


def test_what_takes_longer_than_its_limit_is_the_same_answer(daemon_with):
    patient = ("--queue-seconds", "300")  # a slow machine answers late, not with 202
    daemon = daemon_with("--cpu-limit-ms", "1", *patient)
    free = daemon_with("--cpu-limit-ms", "0", *patient)
    for method, path, body in (("POST", "/v1/estimates/inference", MEDIUM), ("POST", "/v1/plans/inference", MEDIUM),
                               ("GET", "/v1/estimates/training?model=llama-3.1-8b&tokens=15T&deadline_hours=30d", None)):
        usual, limited = free.request(method, path, body), daemon.request(method, path, body)
        assert limited.status == usual.status and "preference-applied" not in limited.headers, limited.text
        assert without_times(limited.json) == without_times(usual.json)
        assert limited.headers.get("etag") == usual.headers.get("etag")
    assert daemon.get("/v1/jobs").json["items"] == [], "the daemon still keeps jobs whose answers were delivered"
    assert len(daemon.get("/v1/plans").json["items"]) == 1
    assert daemon.stop() == 0 and free.stop() == 0
    assert [line["operation"] for line in daemon.events("job")] == ["estimate_inference", "create_inference_plan", "estimate_training_by_query"]
    assert not free.events("job")


def test_a_key_that_is_repeated_makes_one_plan_across_the_limit(daemon_with):
    daemon = daemon_with("--cpu-limit-ms", "1", "--queue-seconds", "300")
    first = daemon.post("/v1/plans/inference", MEDIUM, {"Idempotency-Key": "once"})
    again = daemon.post("/v1/plans/inference", MEDIUM, {"Idempotency-Key": "once"})
    assert (first.status, again.status) == (201, 201) and first.json == again.json
    assert again.headers["idempotent-replayed"] == "true"
    assert len(daemon.get("/v1/plans").json["items"]) == 1


def test_what_takes_very_long_is_left_as_a_job(daemon_with):
    daemon = daemon_with("--cpu-limit-ms", "1", "--queue-seconds", "1", "--job-workers", "1")
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(daemon.post("/v1/estimates/inference", HEAVY))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left = [answer for answer in answers if answer.status == 202]
    assert left, [answer.status for answer in answers]
    for answer in left:
        assert answer.headers["location"] == f"/v1/jobs/{answer.json['id']}" and answer.headers["retry-after"] == "1"
        assert answer.json["operation"] == "estimate_inference" and daemon.get(answer.headers["location"]).status == 200
        assert daemon.request("DELETE", answer.headers["location"]).status < 300


def test_what_is_under_way_at_the_end_is_answered(daemon_with):
    """SIGTERM waits for a request under way within drain-seconds, whether it has become a job or not."""
    daemon = daemon_with("--cpu-limit-ms", "100", "--drain-seconds", "60")
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(daemon.post("/v1/estimates/inference", MEDIUM).status)) for _ in range(3)]
    for thread in threads:
        thread.start()
    until(lambda: answers or daemon.in_flight() >= 3)
    daemon.signal()
    for thread in threads:
        thread.join()
    assert answers == [200, 200, 200]
    assert daemon.process.wait(60) == 0


# --- bodies -------------------------------------------------------------------------------------------------------------

def small_trace(megabytes):
    """Returns a few kilobytes that unpack to that many megabytes of events."""
    event = json.dumps({"ph": "X", "cat": "kernel", "name": "sm90_xmma_gemm_bf16", "ts": 1100, "dur": 0, "args": {"device": 0, "stream": 7}})
    step = json.dumps({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#10", "ts": 1000, "dur": 1000})
    return gzip.compress(('{"traceEvents":[' + ",".join([step] + [event] * (megabytes * 1000000 // len(event))) + "]}").encode(), 9)


PACKED = {"Content-Type": "application/json", "Content-Encoding": "gzip"}


def upload(daemon, source, path, data, headers):
    connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=60, source_address=(source, 0))
    try:
        connection.request("POST", path, data, headers)
        answer = connection.getresponse()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()


def test_small_traces_that_unpack_to_megabytes_hold_up_nobody(daemon_with):
    """One thread serves all connections. Each upload arrives at once, but its unpacking is paced and takes longer than
    the time limit of a request. No client may be told to send faster."""
    daemon = daemon_with("--threads", "1", "--unpack-mb-per-second", "2", "--receive-seconds", "1")
    data, answers = small_trace(3), []
    assert len(data) < 60000
    threads = [threading.Thread(target=lambda: answers.append(upload(daemon, "127.0.0.2", "/v1/diagnoses", data, PACKED))) for _ in range(3)]
    for thread in threads:
        thread.start()
    until(lambda: answers or daemon.in_flight() >= 3)
    for _ in range(5):
        assert ask(daemon, "127.0.0.3", "GET", "/livez").status == 200
        body = gzip.compress(json.dumps(LIGHT).encode())
        assert upload(daemon, "127.0.0.3", "/v1/estimates/training", body, PACKED).status == 200
    assert answers == [], "the traces were answered before the others"
    for thread in threads:
        thread.join()
    assert [answer.status for answer in answers] == [422] * 3, [answer.text for answer in answers]  # the trace has no compute
    assert all("timings" in answer.json["detail"] for answer in answers)


@pytest.mark.parametrize("chunk", [1000, 100000])
def test_a_body_in_chunks_is_read_whole(daemon, chunk):
    """Further chunks arrive while the daemon reads the first ones."""
    data = small_trace(8)
    with daemon.wire(seconds=60) as wire:
        wire.send("POST /v1/diagnoses HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n")
        wire.send(b"".join(b"%x\r\n%s\r\n" % (len(data[i:i + chunk]), data[i:i + chunk]) for i in range(0, len(data), chunk)) + b"0\r\n\r\n")
        chunked = wire.answer()
        assert wire.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").answer().status == 200
    whole = upload(daemon, "127.0.0.1", "/v1/diagnoses", data, PACKED)
    assert chunked.status == whole.status and chunked.json["detail"] == whole.json["detail"]


def test_a_packed_body_that_is_cut_short_is_refused(daemon):
    for data in (small_trace(3)[:-20], small_trace(1)[:100], gzip.compress(b"{}") + b"more", b"not gzip at all"):
        answer = upload(daemon, "127.0.0.1", "/v1/diagnoses", data, PACKED)
        assert answer.status == 400 and "gzip" in answer.json["detail"], answer.text


# --- connections --------------------------------------------------------------------------------------------------------

LIVEZ = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"


def connect(daemon, source, data=b""):
    wire = Wire.__new__(Wire)
    wire.socket, wire.rest = socket.create_connection(("127.0.0.1", daemon.port), timeout=30, source_address=(source, 0)), b""
    return wire.send(data)


def test_idle_connections_make_room_the_oldest_first(daemon_with):
    daemon = daemon_with("--connections", "40")
    idle = []
    for number in range(60):
        if number == 20:
            time.sleep(0.5)  # a delayed thread of the daemon marks its connection idle late; the first 20 are older than that
        idle.append(connect(daemon, f"127.0.0.{2 + number % 2}", LIVEZ))
        assert idle[-1].answer().status == 200
    assert ask(daemon, "127.0.0.4", "GET", "/v1/plans").status == 200
    assert ask(daemon, "127.0.0.2", "GET", "/v1/plans").status == 200
    daemon.wait_metric("fleetplan_http_connections", lambda count: count <= 40)  # a connection that was ended counts until its thread has closed it
    assert daemon.metric("fleetplan_http_connections_cut_for_room_total") >= 20
    assert daemon.metric("fleetplan_http_connections_refused_total") == 0
    assert all(wire.closed() for wire in idle[:20]), "the oldest"
    assert all(wire.send(LIVEZ).answer().status == 200 for wire in idle[-20:]), "the newest idle connections were closed"
    for wire in idle:
        wire.close()


def test_silent_connections_make_room_too(daemon_with):
    daemon = daemon_with("--connections", "40", "--receive-seconds", "600")
    silent = [connect(daemon, "127.0.0.2") for _ in range(200)]
    assert ask(daemon, "127.0.0.2", "GET", "/v1/plans").status == 200
    daemon.wait_metric("fleetplan_http_connections", lambda count: count <= 40)  # a connection that was ended counts until its thread has closed it
    for wire in silent:
        wire.close()


def test_where_all_are_busy_there_is_room_for_new_addresses_and_for_health(daemon_with):
    daemon = daemon_with("--connections", "20", "--receive-seconds", "600")
    half = b"POST /v1/estimates/training HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    busy = [connect(daemon, "127.0.0.2", half) for _ in range(20)]
    daemon.wait_in_flight(20)
    assert ask(daemon, "127.0.0.3", "GET", "/version").status == 200
    for path in ("/livez", "/readyz", "/metrics"):
        assert ask(daemon, "127.0.0.2", "GET", path).status == 200
    refused = ask(daemon, "127.0.0.2", "GET", "/version")
    assert refused.status == 503 and refused.closes and "connections are in use" in refused.json["detail"] and int(refused.headers["retry-after"]) >= 1
    more = [connect(daemon, "127.0.0.2") for _ in range(100)]  # they are silent and replace each other
    assert ask(daemon, "127.0.0.3", "GET", "/version").status == 200
    assert ask(daemon, "127.0.0.2", "GET", "/livez").status == 200
    assert all(wire.send(b" " * 98 + b"}").answer().status == 422 for wire in busy), "a request that had begun was not answered"
    for wire in busy + more:
        wire.close()


def test_connections_fit_into_the_limit_of_open_files(daemon_with):
    daemon = daemon_with(expect_start=False)
    daemon.wrapper = ["sh", "-c", 'ulimit -n 400; exec "$@"', "sh"]
    daemon.start()
    warned = daemon.events("connections_lowered")  # logged before the daemon is ready
    assert len(warned) == 1 and warned[0]["wanted"] == 2048 and warned[0]["open_files_limit"] == 400, daemon.log()
    assert 16 <= warned[0]["connections"] < 400
    wires = [connect(daemon, "127.0.0.2", LIVEZ) for _ in range(450)]
    assert ask(daemon, "127.0.0.2", "GET", "/v1/plans").status == 200
    for wire in wires:
        wire.close()
    few = daemon_with(expect_start=False)
    few.wrapper = ["sh", "-c", 'ulimit -n 200; exec "$@"', "sh"]
    with pytest.raises(RuntimeError, match="ulimit -n"):
        few.start()
    assert few.process.wait(20) == 78


# --- answers ------------------------------------------------------------------------------------------------------------

def test_answers_that_nobody_reads_are_held_within_the_budget(daemon_with):
    """Eighty clients request two megabytes each and do not read; the daemon may hold eight megabytes. Small answers are
    sent throughout. Large answers are sent once the slow clients are cut."""
    daemon = daemon_with("--memory-mb", "8", "--send-seconds", "600")
    for number in range(60):
        made = daemon.post("/v1/plans/training", LIGHT | {"name": f"plan {number}", "notes": "x" * 10000})
        assert made.status == 201, made.text
    whole = len(daemon.get("/v1/plans?limit=60").body)
    assert whole > 600000
    wires = []
    for _ in range(80):
        wire = Wire.__new__(Wire)
        wire.socket, wire.rest = socket.socket(), b""
        wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        wire.socket.bind(("127.0.0.2", 0))
        wire.socket.connect(("127.0.0.1", daemon.port))
        wires.append(wire.send(b"GET /v1/plans?limit=60 HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20))

    def cut():
        figures = daemon.metrics()
        assert float(figures["fleetplan_http_body_memory_bytes"]) < 8e6 + 2 * whole, "memory over the budget was not released at once"
        assert ask(daemon, "127.0.0.3", "GET", "/v1/plans?limit=2").status == 200
        return float(figures["fleetplan_http_connections_cut_for_memory_total"]) > 0

    def sent():
        answer = ask(daemon, "127.0.0.3", "GET", "/v1/plans?limit=60")
        assert answer.status == 200 or (answer.status == 503 and int(answer.headers["retry-after"]) >= 1), answer.text
        return answer.status == 200

    until(cut)
    until(sent)
    for wire in wires:
        wire.close()
    daemon.wait_metric("fleetplan_http_body_memory_bytes", lambda bytes_held: bytes_held == 0)


def test_a_list_of_large_rows_comes_in_pages_and_nothing_is_missing(daemon_with):
    daemon = daemon_with()
    made = [daemon.post("/v1/plans/training", LIGHT | {"notes": "x" * 10000}).headers["location"] for _ in range(300)]
    found, cursor, pages = [], "", 0
    while cursor is not None:
        answer = daemon.get("/v1/plans?limit=1000" + (f"&cursor={cursor}" if cursor else ""))
        assert answer.status == 200 and len(answer.body) < 2.5e6
        assert ("link" in answer.headers) == (answer.json["next_cursor"] is not None)
        found += [item["id"] for item in answer.json["items"]]
        cursor, pages = answer.json["next_cursor"], pages + 1
    assert pages == 2 and found == [location.rsplit("/", 1)[1] for location in reversed(made)]
    first = daemon.get("/v1/plans?limit=1000", {"Accept": "text/csv"})
    assert first.status == 200 and "next" in first.headers["link"]
    assert len(daemon.get("/v1/plans?limit=60").json["items"]) == 60


# --- requests that are large in their own way ---------------------------------------------------------------------------

def test_a_schedule_as_large_as_the_description_allows_is_answered(daemon):
    """Eight series of a leap year in steps of five minutes, intensities and prices: 1.7 million numbers."""
    grams, prices = [100 + i * 7 % 300 for i in range(105408)], [i * 7 % 9 for i in range(105408)]
    series = [{"region": f"r-{i}", "start": "2026-01-01T00:00:00Z", "step_minutes": 5, "gco2e_per_kwh": grams, "usd_per_kwh": prices} for i in range(8)]
    body = json.dumps({"hours": 3, "mean_kw": 120, "checkpointable": True, "series": series}, separators=(",", ":"))
    answer = ask_text(daemon, "/v1/schedules", body)
    assert answer.status == 200, answer.text
    assert daemon.post("/v1/estimates/training", LIGHT).status == 200


def test_every_unknown_key_is_counted_and_the_first_are_told(daemon):
    body = json.dumps(LIGHT | {f"modell{i}": 1 for i in range(50000)}, separators=(",", ":"))
    answer = ask_text(daemon, "/v1/estimates/training", body)
    assert answer.status == 422 and answer.json["detail"].startswith("50000 faults"), answer.text
    assert len(answer.json["errors"]) == 24
    assert all("did you mean model" in error["detail"] for error in answer.json["errors"][:10])


def ask_text(daemon, path, body):
    return daemon.request("POST", path, body, {"Content-Type": "application/json"}, timeout=60)
