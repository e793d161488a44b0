"""SIGTERM loses no accepted request: the daemon answers it. It rejects later requests, and the exit code reports the
outcome."""
import http.client
import signal
import threading
import time

import conftest
from support import until


def load(port, stop, results):
    """Sends keep-alive requests until told to stop or until the daemon closes its port."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    while not stop.is_set():
        try:
            connection.request("GET", "/metrics")  # a worker runs it, while the connection is suspended
            answer = connection.getresponse()
            body = answer.read()
            results.append((answer.status, body.endswith(b"\n")))
            if answer.getheader("Connection", "").lower() == "close":
                connection.close()
                break
        except (ConnectionRefusedError, ConnectionResetError):
            break  # the request had not begun
        except http.client.RemoteDisconnected:
            results.append(("no answer", False))
            break
    connection.close()


def test_sigterm_under_load_answers_everything_that_was_begun(daemon_with):
    daemon = daemon_with("--quiet-seconds", "1")
    stop, results = threading.Event(), []
    threads = [threading.Thread(target=load, args=(daemon.port, stop, results)) for _ in range(8)]
    for thread in threads:
        thread.start()
    until(lambda: len(results) > 50)
    daemon.signal()
    code = daemon.process.wait(30)
    stop.set()
    for thread in threads:
        thread.join()
    assert code == 0
    assert all(result == (200, True) for result in results), [r for r in results if r != (200, True)]
    assert daemon.log()[-1]["event"] == "stopped" and daemon.log()[-1]["requests"] == "all answered"


BODY = b'{"model":"llama-3.1-8b","purpose":"inference"}'
PLAN = b'{"model":"llama-3.1-8b","tokens":"1B","accelerator":"l4","gpu_count":8}'


def request_of(kind, pause):
    """Returns a request in pieces; the client pauses before each but the first."""
    if kind == "get":
        return [b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"]
    path, body = (b"/v1/plans/training", PLAN) if kind == "plan" else (b"/v1/estimates/memory", BODY)
    head = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (path, len(body))
    return [head[:20], head[20:] + body[:10], body[10:]] if kind == "pieces" else [head + body]


def one_after_the_other(port, stop, kind, pause, ends):
    """Sends requests until the daemon closes its port, each on a new connection, or (kind "again") on one that stays
    open."""
    wire, answered = None, None
    while not stop.is_set():
        if wire is None:
            try:
                wire, answered = conftest.Wire(port), None
            except OSError:
                return  # the connection was not accepted, so no request was sent
        try:
            for i, piece in enumerate(request_of(kind, pause)):
                time.sleep(pause if i else 0)
                wire.send(piece)
            answer = wire.answer()
            ends.append((kind, answer.status))
            if kind == "again" and not answer.closes:
                answered = time.monotonic()
                time.sleep(pause)
                continue
        except (OSError, EOFError) as error:
            if not answered or time.monotonic() - answered < 0.2:  # the daemon may close a connection that was idle for longer
                ends.append((kind, repr(error)))
        wire.close()
        wire = None


def test_sigterm_answers_every_request_that_was_let_in(daemon_with):
    """Clients connect, or are in the middle of a request, at every moment of the shutdown, several times."""
    daemon = daemon_with()
    begun = 0
    for turn in range(8):
        stop, ends = threading.Event(), []
        clients = [threading.Thread(target=one_after_the_other, args=(daemon.port, stop, kind, pause, ends))
                   for kind, pause in (("get", 0), ("get", 0), ("whole", 0), ("whole", 0), ("pieces", 0.005), ("pieces", 0.02), ("pieces", 0.15),
                                       ("plan", 0), ("again", 0), ("again", 0.01), ("again", 0.1))]
        for client in clients:
            client.start()
        time.sleep(0.2 + 0.013 * turn)
        daemon.signal()
        assert daemon.process.wait(30) == 0
        stop.set()
        for client in clients:
            client.join()
        begun += len(ends)
        unanswered = [end for end in ends if not isinstance(end[1], int) or end[1] not in (200, 201)]
        assert not unanswered, (turn, unanswered)
        daemon.start()
    assert begun > 100, begun


def test_readyz_says_so_before_the_door_shuts(daemon_with):
    daemon = daemon_with("--quiet-seconds", "2")
    assert daemon.get("/readyz").status == 200
    daemon.signal()
    until(lambda: daemon.get("/readyz").status == 503)
    answer = daemon.get("/readyz")
    assert answer.status == 503 and answer.json["type"].endswith("draining") and answer.headers["retry-after"]
    assert daemon.get("/livez").status == 200
    assert daemon.process.wait(20) == 0


def test_a_second_signal_does_not_wait(daemon_with):
    daemon = daemon_with("--quiet-seconds", "600")
    daemon.signal()
    until(lambda: daemon.get("/readyz").status == 503)
    daemon.signal(signal.SIGINT)
    daemon.process.wait(300)  # half the time of a shutdown that waits


def test_a_request_under_way_is_waited_for(daemon_with):
    daemon = daemon_with("--drain-seconds", "10")
    with daemon.wire() as wire:
        wire.send(b"POST /v1/estimates/training HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{")
        daemon.wait_in_flight(1)
        daemon.signal()
        daemon.wait_deaf()
        wire.send(b"}")
        answer = wire.answer()
        assert answer.status >= 200 and answer.closes
    assert daemon.process.wait(20) == 0


def test_an_abandoned_request_does_not_hold_the_end_up(daemon_with):
    daemon = daemon_with("--drain-seconds", "1", "--receive-seconds", "3600")
    with daemon.wire() as wire:
        wire.send(b"GET /livez HTTP/1.1\r\nHost:")
        daemon.wait_metric("fleetplan_http_connections", lambda count: count == 2)  # and the one that reads the metric
        daemon.signal()
        assert daemon.process.wait(300) in (0, 75)  # a twelfth of the time of a shutdown that waits


def test_what_was_acknowledged_is_there_after_a_restart(daemon_with):
    daemon = daemon_with()
    revision = daemon.metric("fleetplan_catalogue_revision")
    assert daemon.stop() == 0
    daemon.start()
    assert daemon.get("/readyz").status == 200
    assert daemon.metric("fleetplan_catalogue_revision") == revision
