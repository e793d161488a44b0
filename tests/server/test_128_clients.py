"""Exactly 128 ready sockets make libmicrohttpd's epoll loop sleep; poll threads have no such number (decision 0071)."""
import pytest


@pytest.mark.parametrize("clients", [127, 128, 129, 256])
@pytest.mark.parametrize("path", [b"/livez", b"/metrics"])  # one is answered on the connection's thread, the other by a worker
def test_simultaneous_keep_alive_clients_are_all_answered(daemon_with, clients, path):
    daemon = daemon_with("--threads", "1")
    wires = [daemon.wire(seconds=10) for _ in range(clients)]
    try:
        for _ in range(3):  # the same connections again, with keep-alive
            for wire in wires:
                wire.send(b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert [wire.answer().status for wire in wires] == [200] * clients
        newcomer = daemon.wire(seconds=10)
        assert newcomer.send(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").answer().status == 200
        newcomer.close()
    finally:
        for wire in wires:
            wire.close()
