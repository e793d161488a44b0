"""Sends requests while the log is a full pipe without a reader. Meanwhile a prober requests health; at the end the
daemon receives SIGTERM."""
import pathlib
import signal
import socket
import tempfile
import threading
import time

from clients import Probe
from storm import percentile, process_figures
from test_log import Unread

NAME = "a log without a reader"
PROMISE = "/livez p99 below 10 ms, SIGTERM within 2 s, drops counted"
CONNECTIONS, AT_ONCE = 4, 100


def pour(port, count, answers):
    """Sends requests a hundred at a time on one connection. Each request writes a line to the log."""
    line = b"GET /v1/catalogue HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as wire:
        left = count
        while left > 0:
            batch = min(AT_ONCE, left)
            wire.sendall(line * batch)
            seen, tail = 0, b""
            while seen < batch:
                piece = wire.recv(1 << 20)
                if not piece:
                    return
                both = tail + piece
                seen += both.count(b"HTTP/1.1 200") - tail.count(b"HTTP/1.1 200")
                tail = both[-11:]
            answers.append(batch)
            left -= batch


def run(size, report):
    requests = max(10000, size.count(short=10000, full=1_000_000))  # the ring can hold fewer lines
    with tempfile.TemporaryDirectory() as folder:
        daemon = Unread(pathlib.Path(folder), "--own-devices=no")
        stop, answers = threading.Event(), []
        probe = Probe(daemon.port, ["/livez"], stop)
        probe.start()
        threads = [threading.Thread(target=pour, args=(daemon.port, requests // CONNECTIONS, answers), daemon=True) for _ in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stop.set()
        probe.join()
        dropped = daemon.metric("fleetplan_log_dropped_lines_total")
        held = process_figures(daemon.process.pid)["bytes"]
        began = time.monotonic()
        daemon.signal(signal.SIGTERM)
        ended = daemon.process.wait(60)
        took = time.monotonic() - began
        daemon.pipe.close()
    report.figure("requests", requests)
    report.figure("answered", sum(answers))
    report.figure("lines dropped, and counted", int(dropped))
    report.figure("probes of /livez", len(probe.took))
    report.bound("ms of /livez (p99)", percentile(probe.took, 99) * 1000, 10)
    report.bound("s from SIGTERM to the end", took, 2)
    report.figure("MB of memory", held / 1e6)
    report.must(sum(answers) == requests // CONNECTIONS * CONNECTIONS, "requests without an answer")
    report.must(probe.unanswered == 0 and ended == 0, f"{probe.unanswered} probes without an answer, the daemon ended with {ended}")
    report.must(dropped > requests / 4, "the log was read after all")
    report.must(took < 30, "the daemon ended more than 30 s after SIGTERM")
