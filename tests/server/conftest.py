"""The real daemon on a free port with its own database, and its clients: http.client, or bytes on a socket."""
import gzip
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

import pytest

from support import until

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("FLEETPLAN_PROGRAM", str(ROOT / "build" / "fleetplan"))
WRAPPER = os.environ.get("FLEETPLAN_WRAPPER", "").split()  # a command that runs the program, for example valgrind
HANGS_SECONDS = 180  # a longer wait means a hang. It is not a bound: sanitizer builds on a busy machine need a minute
SHORT_ESTIMATE = re.compile(r"/v1/estimates/(training|inference)(\?|$)")  # short unless `expand` asks for more
START_SECONDS = 120 if WRAPPER else 20  # a limit, not a measured bound: sanitizer builds on a busy machine are slow


class Answer:
    """One HTTP answer as it was received."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        raw = gzip.decompress(self.body) if self.headers.get("content-encoding") == "gzip" else self.body
        return raw.decode()

    @property
    def json(self):
        return json.loads(self.text)

    @property
    def closes(self):
        return self.headers.get("connection", "").lower() == "close"


def is_sanitized():
    """True if the program has its own allocator and replaces system calls (ASan, TSan). Memory is then not measured,
    and no library replaces calls."""
    program = pathlib.Path(PROGRAM).read_bytes()
    return b"__asan_init" in program or b"__tsan_init" in program


class Wire:
    """A raw socket, which can send any bytes a client might send."""

    def __init__(self, port, seconds=10):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        self.rest = b""

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())
        return self

    def _read_until(self, mark):
        while mark not in self.rest:
            piece = self.socket.recv(65536)
            if not piece:
                raise EOFError(self.rest)
            self.rest += piece
        head, self.rest = self.rest.split(mark, 1)
        return head

    def answer(self, head=False):
        lines = self._read_until(b"\r\n\r\n").decode().split("\r\n")
        headers = {}
        for line in lines[1:]:
            name, value = line.split(":", 1)
            headers[name.lower()] = value.strip()
        status = int(lines[0].split(" ")[1])
        length = 0 if head or status in (100, 204, 304) else int(headers.get("content-length", 0))
        while len(self.rest) < length:
            piece = self.socket.recv(65536)
            if not piece:
                raise EOFError(self.rest)
            self.rest += piece
        body, self.rest = self.rest[:length], self.rest[length:]
        return Answer(status, headers, body)

    def closed(self):
        """True if the other side has closed the connection and nothing is left to read."""
        try:
            return self.rest == b"" and self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Daemon:
    def __init__(self, folder, *arguments, environment=None, expect_start=True):
        self.folder = pathlib.Path(folder)
        self.database = self.folder / "fleetplan.db"
        self.log_path = self.folder / "log.jsonl"
        self.arguments = arguments
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FLEETPLAN_")} | (environment or {})
        self.process, self.port, self.wrapper, self.scraper = None, None, list(WRAPPER), None
        if expect_start:
            self.start()

    def command(self):
        given = " ".join(self.arguments)
        listen = [] if "--listen" in given else ["--listen", "127.0.0.1:0"]
        quiet = [] if "--quiet-seconds" in given else ["--quiet-seconds", "0"]
        return [*self.wrapper, PROGRAM, "serve", *listen, *quiet, "--database", str(self.database), *self.arguments]

    def start(self):
        log = open(self.log_path, "ab")
        before = log.tell()  # the log of many starts is long, and the time to read it all must not count as the daemon's
        self.process = subprocess.Popen(self.command(), stderr=log, stdout=log, cwd=self.folder, env=self.environment)
        log.close()
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            ready = self.events("ready", before)
            if ready:
                self.port = int(ready[0]["listen"].rsplit(":", 1)[1])
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise RuntimeError(f"the daemon did not start: {self.log_path.read_text()}")

    def log(self, begin=0):
        """Returns the lines of the log from a byte offset on."""
        lines = []
        if not self.log_path.exists():
            return lines
        with open(self.log_path, "rb") as file:
            file.seek(begin)
            text = file.read().decode(errors="replace")
        for line in text.splitlines():
            if line.startswith("{"):
                try:
                    lines.append(json.loads(line))
                except ValueError:
                    pass  # the last line may be incomplete
        return lines

    def events(self, event, begin=0):
        return [line for line in self.log(begin) if line.get("event") == event]

    def wait_events(self, event, count=1, begin=0, seconds=60):
        """Waits for lines of the log, which a thread writes: an answer may arrive before the line that an event before it made. Only a
        stopped daemon has written all of them."""
        return until(lambda: self.events(event, begin)[count - 1:] and self.events(event, begin), seconds, lambda: f"{event} in {self.log_path.read_text()[-2000:]}")

    def metrics(self, headers=None):
        """Returns all metrics. A request is counted after its answer is sent: a test that expects a number waits for it."""
        return dict(line.rsplit(" ", 1) for line in self.get("/metrics", headers).text.splitlines() if not line.startswith("#"))

    def metric(self, name, headers=None):
        return float(self.metrics(headers)[name])

    def wait_metric(self, name, accepts, seconds=60):
        """Waits until the function accepts the metric, and returns it."""
        seen = [None]

        def arrived():
            seen.append(self.metrics().get(name))
            return seen[-1] is not None and accepts(float(seen[-1]))

        until(arrived, seconds, lambda: f"{name} is {seen[-1]}")
        return float(seen[-1])

    def in_flight(self):
        """Returns the number of requests in flight besides the one that reads the metric. A request leaves after its answer has arrived.
        So all requests that read the metric use one connection, on which each begins after the one before has left. -1: the daemon
        closed that connection to make room."""
        self.scraper = self.scraper or self.wire()
        try:
            text = self.scraper.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").answer().text
        except (OSError, EOFError):
            self.scraper = None
            return -1
        return int(text.split("\nfleetplan_http_requests_in_flight ")[1].split("\n")[0]) - 1

    def wait_in_flight(self, count):
        """Waits until this many other requests are in flight. Before a test starts those that it waits for, it waits for 0."""
        until(lambda: self.in_flight() == count, what=f"{count} requests in flight")
        if count > 0:
            self.scraper.close()
            self.scraper = None

    def wait_deaf(self):
        """Waits until the daemon accepts no more connections, because it shuts down."""
        def deaf():
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=10).close()
            except OSError:
                return True
            return False

        until(deaf)

    def make_key(self, *arguments):
        """Returns a new key and its id."""
        made = run("keys", "create", *arguments, "--database", self.database)
        assert made.returncode == 0, made.stderr
        return made.stdout.strip(), made.stderr.split("id ")[1].split(",")[0]

    def request(self, method, path, body=None, headers=None, timeout=HANGS_SECONDS):
        if SHORT_ESTIMATE.match(path) and "expand=" not in path and not (headers or {}).get("Accept", "").startswith("text/"):
            path += ("&" if "?" in path else "?") + "expand=all"  # tests look at whole answers; test_expand.py at short ones
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers = {"Content-Type": "application/json"} | (headers or {})
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            content = answer.read()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, content)
        finally:
            connection.close()

    def get(self, path, headers=None):
        return self.request("GET", path, None, headers)

    def post(self, path, body, headers=None):
        return self.request("POST", path, body, headers)

    def wire(self, seconds=10):
        return Wire(self.port, seconds)

    def signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def stop(self, seconds=HANGS_SECONDS):
        """Sends SIGTERM and returns the exit code. After the time it kills the daemon, and the test fails."""
        if self.process is None or self.process.poll() is not None:
            return self.process.returncode if self.process else None
        self.signal()
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise


def run(*arguments, environment=None, stdin=None, cwd=None, timeout=HANGS_SECONDS):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("FLEETPLAN_")} | (environment or {})
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, input=stdin, env=clean, cwd=cwd, timeout=timeout)


@pytest.fixture(scope="session")
def daemon(tmp_path_factory):
    """One daemon that the tests share. Tests that change how it runs make their own."""
    shared = Daemon(tmp_path_factory.mktemp("shared"))
    yield shared
    assert shared.stop() == 0, shared.log_path.read_text()[-3000:]


@pytest.fixture
def hub(daemon_with):
    """A daemon without devices of its own."""
    return daemon_with("--own-devices=no")


@pytest.fixture
def daemon_with(tmp_path):
    started = []

    def start(*arguments, **options):
        folder = tmp_path / f"daemon{len(started)}"
        folder.mkdir()
        started.append(Daemon(folder, *arguments, **options))
        return started[-1]

    yield start
    for one in started:
        one.stop()
