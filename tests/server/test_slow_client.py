"""A byte from time to time resets an idle timer for ever. The total deadline of a request still applies."""
import threading
import time

import pytest

DEADLINE = 1  # seconds; the daemon checks deadlines four times a second


def drip(wire, data, until):
    """Sends a byte every 0.2 s until the daemon cuts the connection or the time is up. Returns how long the client was
    served."""
    begun = time.monotonic()
    for byte in data:
        if time.monotonic() - begun > until:
            return None
        try:
            wire.send(bytes([byte]))
        except OSError:
            return time.monotonic() - begun
        time.sleep(0.2)
    return None


SLOW = {
    "in_the_request_line": (b"", b"GET /" + b"a" * 200),
    "in_the_headers": (b"GET /livez HTTP/1.1\r\nHost: localhost\r\n", b"X-A: " + b"a" * 200),
    "in_the_body": (b"POST /v1/estimates/training HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n", b"{" + b" " * 200),
    "on_a_used_connection": (b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET /" + b"a" * 200),
}


@pytest.mark.parametrize("name", SLOW)
def test_a_byte_now_and_then_is_cut_while_others_are_served(daemon_with, name):
    daemon = daemon_with("--threads", "1", "--workers", "1", "--receive-seconds", str(DEADLINE), "--idle-seconds", "30")
    begin, rest = SLOW[name]
    outcome = {}

    def slow():
        with daemon.wire(seconds=20) as wire:
            wire.send(begin)
            if name == "on_a_used_connection":
                assert wire.answer().status == 200
                time.sleep(0.6)  # idle: the daemon has checked the connection meanwhile
            outcome["cut_after"] = drip(wire, rest, 15)
            try:
                outcome["answer"] = wire.answer()
            except (OSError, EOFError):
                outcome["answer"] = None

    thread = threading.Thread(target=slow)
    thread.start()
    served = 0
    while thread.is_alive():
        assert daemon.get("/livez").status == 200
        served += 1
        time.sleep(0.05)
    thread.join()
    assert outcome["cut_after"] is not None, "the daemon did not cut the client within 15 s"
    assert served > 5
    if outcome["answer"]:  # the reset after the client's next byte may discard it
        assert outcome["answer"].status == 408 and outcome["answer"].json["status"] == 408


def test_an_idle_connection_is_kept(daemon_with):
    daemon = daemon_with("--receive-seconds", "1", "--idle-seconds", "30")
    with daemon.wire() as wire:
        for _ in range(2):
            assert wire.send(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").answer().status == 200
            time.sleep(2.2)


def test_a_client_that_does_not_read_is_cut(daemon_with):
    """/openapi.json is larger than the socket buffers of both sides in this test."""
    daemon = daemon_with("--send-seconds", "1")
    import socket
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    client.connect(("127.0.0.1", daemon.port))
    client.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
    time.sleep(2.5)
    assert daemon.get("/livez").status == 200
    got = 0
    client.settimeout(5)
    try:
        while piece := client.recv(65536):
            got += len(piece)
    except OSError:
        pass
    client.close()
    whole = len(daemon.get("/openapi.json").body)
    assert got < 200 * whole, "the daemon sent everything before it cut the client"
