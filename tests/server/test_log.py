"""The log of a running daemon: it has no reader, clients send bytes that are not UTF-8, it is renamed, and the
daemon gets SIGHUP, SIGUSR1 and SIGUSR2."""
import json
import os
import signal
import subprocess

from conftest import Daemon
from support import until


class Unread(Daemon):
    """Its stderr is a pipe of which only the first line is read."""

    def start(self):
        reads, writes = os.pipe()
        self.process = subprocess.Popen(self.command(), stderr=writes, stdout=subprocess.DEVNULL, cwd=self.folder, env=self.environment)
        os.close(writes)
        self.pipe = os.fdopen(reads, "rb")
        for line in self.pipe:
            if json.loads(line).get("event") == "ready":
                self.port = int(json.loads(line)["listen"].rsplit(":", 1)[1])
                return
        raise RuntimeError("the daemon did not start")


def test_a_log_that_nobody_reads_stops_nothing(tmp_path):
    daemon = Unread(tmp_path)
    asked = 0
    while daemon.metric("fleetplan_log_dropped_lines_total") == 0 and asked < 20000:
        for _ in range(500):
            assert daemon.get("/v1/estimates/training").status in (400, 405, 422)
        asked += 500
    assert daemon.metric("fleetplan_log_dropped_lines_total") > 0, asked
    assert daemon.get("/livez").status == 200
    daemon.signal(signal.SIGTERM)
    assert daemon.process.wait(30) == 0


def test_what_a_client_sends_leaves_lines_json(daemon_with):
    daemon = daemon_with()
    begin = daemon.log_path.stat().st_size
    with daemon.wire() as wire:
        wire.send(b"\xff\xfe /livez\xc3 HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: \xe2\x82\r\n\r\n")
        wire.answer()
    daemon.wait_events("request", begin=begin)
    assert daemon.stop() == 0  # the last line is whole
    for line in daemon.log_path.read_bytes()[begin:].splitlines():
        json.loads(line.decode())


def events_of(path):
    """Returns the events of a log's whole lines."""
    return [json.loads(line)["event"] for line in path.read_text().splitlines(True) if line.endswith("\n")] if path.exists() else []


def test_a_renamed_log_is_opened_anew(tmp_path):
    log = tmp_path / "own.log"
    subject = Unread.__new__(Unread)
    Daemon.__init__(subject, tmp_path, "--log-file", str(log), expect_start=False)
    subject.process = subprocess.Popen(subject.command(), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=tmp_path, env=subject.environment)
    until(lambda: "ready" in events_of(log))
    log.rename(tmp_path / "own.log.1")
    for name in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP):
        subject.process.send_signal(name)
    until(lambda: "log_reopened" in events_of(log))
    subject.process.send_signal(signal.SIGTERM)
    assert subject.process.wait(30) == 0
    assert events_of(log)[-1] == "stopped"
    assert "stopped" not in events_of(tmp_path / "own.log.1")
