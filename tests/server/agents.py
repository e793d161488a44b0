"""A daemon with keys, agents that work for it, and a gate between them that can fail in many ways."""
import http.client
import http.server
import json
import os
import pathlib
import resource
import signal
import ssl
import subprocess
import threading
import time

import conftest
from support import FINISHED, bearer, until

FAKE_WORKER = pathlib.Path(__file__).with_name("fake_worker.py")


class Site:
    """A daemon whose only devices are those of agents, with an admin's key."""

    def __init__(self, folder, *arguments):
        self.folder = pathlib.Path(folder)
        self.key = "fp_" + "ad" * 32
        (self.folder / "admin.key").write_text(self.key)
        self.daemon = conftest.Daemon(self.folder, "--own-devices=no", "--bootstrap-key-file", str(self.folder / "admin.key"), *arguments)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.daemon.port}"

    def request(self, method, path, body=None):
        return self.daemon.request(method, path, body, bearer(self.key))

    def make_key(self, role="agent"):
        key, name = self.daemon.make_key("--role", role)
        return name, key

    def queue(self, device=None, suite="quick", **more):
        """Queues a benchmark for this device, or for any."""
        made = self.request("POST", "/v1/benchmarks", {"suite": suite, "timeout_s": 60} | ({"device": device} if device else {}) | more)
        assert made.status == 202, made.text
        return made.json["id"]

    def benchmark(self, name):
        return self.request("GET", f"/v1/benchmarks/{name}").json

    def device(self, name):
        rows = self.request("GET", "/v1/devices?limit=1000").json["items"]
        return next((row for row in rows if row["id"] == name), None)

    def wait(self, name, state=None, seconds=120):
        def arrived():
            row = self.benchmark(name)
            return row if row["state"] == state or (state is None and row["state"] in FINISHED) else None
        try:
            return until(arrived, seconds)
        except AssertionError as error:
            raise AssertionError(json.dumps(self.benchmark(name))[:2000]) from error

    def restart(self, orderly=True):
        """Starts the same daemon again on the same port and database."""
        port = self.daemon.port
        if orderly:
            assert self.daemon.stop() == 0
        else:
            self.daemon.process.kill()
            self.daemon.process.wait()
        self.daemon.arguments = (*self.daemon.arguments, "--listen", f"127.0.0.1:{port}")
        self.daemon.start()


class Agent:
    """A real agent with a fake worker, or with the real one if `device` is None."""

    def __init__(self, folder, url, key, device, play="ok", *arguments, wrapper=(), name=None, environment=None, file_limit=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.device, self.wrapper, self.environment, self.file_limit = device, list(wrapper), environment or {}, file_limit
        self.log_path, self.trace_path, self.key_path = self.folder / "agent.jsonl", self.folder / "trace", self.folder / "key"
        self.spool = self.folder / "spool"
        self.key_path.write_text(key)
        self.play(play)
        self.arguments = ["--server", url, "--key-file", str(self.key_path), "--spool", str(self.spool), "--node", name or self.folder.name,
                          "--retry-seconds", "1", "--wait-seconds", "1", *arguments]
        if device:
            self.arguments += ["--worker", str(FAKE_WORKER)]
        self.process = None
        self.start()

    def play(self, words):
        (self.folder / "play").write_text(words)

    def start(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FLEETPLAN_")}
        environment |= {"FAKE_WORKER_PLAY": str(self.folder / "play"), "FAKE_WORKER_DEVICE": self.device or "", "FAKE_WORKER_TRACE": str(self.trace_path),
                        "FLEETPLAN_RUN_DIR": str(self.folder)} | self.environment
        # The log goes through a pipe: the limit of file sizes must not apply to it.
        self.process = subprocess.Popen([*self.wrapper, conftest.PROGRAM, "agent", *self.arguments], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                        env=environment, cwd=self.folder, preexec_fn=self.limit_files if self.file_limit else None)
        threading.Thread(target=self.keep_log, args=(self.process.stderr,), daemon=True).start()

    def limit_files(self):
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.file_limit, self.file_limit))

    def keep_log(self, pipe):
        with open(self.log_path, "ab", buffering=0) as log:
            for line in pipe:
                log.write(line)

    def log(self, event=None):
        lines = []
        if not self.log_path.exists():
            return lines
        for line in self.log_path.read_text(errors="replace").splitlines():
            try:
                lines.append(json.loads(line))
            except ValueError:
                continue  # the last line may be incomplete; lines of a sanitizer are not JSON
        return [line for line in lines if event in (None, line.get("event"))]

    def wait_log(self, event, count=1, seconds=120):
        try:
            return until(lambda: self.log(event)[count - 1:], seconds)[0]
        except AssertionError as error:
            raise AssertionError(f"no {event} in:\n{self.log_path.read_text()}") from error

    def trace(self):
        """Returns (what, seconds) for each moment that a worker recorded."""
        if not self.trace_path.exists():
            return []
        return [(line.split()[2], float(line.split()[3])) for line in self.trace_path.read_text().splitlines()]

    def workers(self):
        """Returns the process ids of workers that are alive."""
        pids = {int(line.split()[1]) for line in self.trace_path.read_text().splitlines()} if self.trace_path.exists() else set()
        return [pid for pid in pids if pathlib.Path(f"/proc/{pid}").exists() and "State:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()]

    def results(self):
        return list(self.spool.glob("*.result"))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self, seconds=40):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise
        return self.process.returncode


class Gate:
    """Passes requests on to a daemon, or does something else: `mode` is a function of (method, path) that returns a
    word.

    pass; refuse (503 with Retry-After 1); drop (closes the connection without an answer); hang; garbage (200, and the
    body is not JSON); tear (passes the request on, and drops the answer)."""

    def __init__(self, site, certificate=None):
        self.site, self.mode, self.seen, self.released = site, lambda method, path: "pass", [], threading.Event()
        gate = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, status, body, headers=()):
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def pass_on(self, body):
                connection = http.client.HTTPConnection("127.0.0.1", gate.site.daemon.port, timeout=60)
                connection.request(self.command, self.path, body, {"Authorization": self.headers.get("authorization", ""),
                                                                   "Content-Type": "application/json"})
                answer = connection.getresponse()
                return answer.status, answer.read(), [(k, v) for k, v in answer.getheaders() if k.lower() in ("content-type", "retry-after")]

            def handle_one(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                word = gate.mode(self.command, self.path)
                gate.seen.append((time.monotonic(), self.command, self.path, word))
                if word == "hang":
                    gate.released.wait(60)
                elif word == "refuse":
                    return self.answer(503, b'{"detail":"as the test wishes"}', [("Retry-After", "1")])
                elif word == "garbage":
                    return self.answer(200, b"<html>")
                elif word in ("pass", "tear"):
                    status, answer, headers = self.pass_on(body)
                    if word == "pass":
                        return self.answer(status, answer, headers)
                self.close_connection = True
                return None

            def do(self):
                try:
                    self.handle_one()
                except OSError:
                    self.close_connection = True

            do_POST = do_PUT = do

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            self.scheme = "https"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
