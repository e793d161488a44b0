"""Clients that shut down their sending side after the request (nc -N, some proxies) get answers like other clients."""
import socket
import threading
import time

import pytest
from conftest import Wire

MEMORY = ("/v1/estimates/memory", b'{"model":"llama-3.1-8b","purpose":"inference"}')
PLAN = ("/v1/plans/training", b'{"model":"llama-3.1-8b","tokens":"1B","accelerator":"l4","gpu_count":8}')


def post(path, body, cut=0):
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    return (head + body)[:len(head) + len(body) - cut]


def ask(daemon, request, pause):
    """Returns the answer to a request after which the client sends nothing more."""
    with Wire(daemon.port) as wire:
        wire.send(request)
        time.sleep(pause)
        wire.socket.shutdown(socket.SHUT_WR)
        return wire.answer()


@pytest.mark.parametrize("pause", [0, 0.001, 0.003, 0.01, 0.03])
def test_a_half_closing_client_is_answered(daemon_with, pause):
    daemon = daemon_with()
    for request, status in ((b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", 200), (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
                            (b"GET /v1/accelerators?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n", 200), (post(*MEMORY), 200), (post(*PLAN), 201)):
        for _ in range(5):
            answer = ask(daemon, request, pause)
            assert answer.status == status, (request[:60], answer.text)
            assert answer.body.endswith((b"}", b"\n"))
    assert len(daemon.get("/v1/plans").json["items"]) == 5


def test_what_is_stored_is_answered(daemon_with):
    """After many requests at once, the daemon has as many plans as it acknowledged."""
    daemon = daemon_with()
    ends, lock = [], threading.Lock()

    def many(count):
        for i in range(count):
            status = ask(daemon, post(*PLAN), 0.002 * i).status
            with lock:
                ends.append(status)

    clients = [threading.Thread(target=many, args=(6,)) for _ in range(4)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    assert len(ends) == 24 and ends.count(201) == len(daemon.get("/v1/plans?limit=100").json["items"]), ends


def test_a_body_that_ends_too_early_is_not_waited_for(daemon_with):
    daemon = daemon_with("--receive-seconds", "60")
    begun = time.monotonic()
    with Wire(daemon.port) as wire:
        wire.send(post(*PLAN, cut=5))
        wire.socket.shutdown(socket.SHUT_WR)
        assert wire.closed()
    assert time.monotonic() - begun < 5 and daemon.get("/v1/plans").json["items"] == []
