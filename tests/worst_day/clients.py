"""Opens two thousand hostile connections of every kind at once, from a process of their own: silent, idle, slow to
send, slow to read, small bombs, heavy searches. Meanwhile a prober requests health and cheap routes, and a polite
client makes plans. The polite client waits as Retry-After requests."""
import gzip
import json
import multiprocessing
import resource
import selectors
import socket
import tempfile
import threading
import time

from conftest import Daemon
from mixed import PLAN, Client, Gone
from storm import SLOWER, UNDER, percentile, process_figures
from test_isolation import HEAVY

NAME = "hostile clients of every kind"
PROMISE = "memory below 512 MB, /livez p99 below 100 ms, cheap routes p99 below 200 ms, a polite client's plans all answered"
ADDRESSES = 8  # of the hostile clients: the daemon treats each address as a client (docs/http-limits.md)
CHEAP = ("/v1/plans?limit=5", "/v1/accelerators/h100", "/v1/catalogue", "/v1/estimates/scaling?tokens=1T")


def request(method, path, body=b"", *lines):
    head = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}", *lines]
    return ("\r\n".join(head) + "\r\n\r\n").encode() + body


def bomb():
    """Returns a trace of 48 MB, all of one event, packed to 50 kB."""
    event = b'{"ph":"X","name":"k","cat":"kernel","ts":1,"dur":1,"pid":0,"tid":7,"args":{"stream":7}},'
    return gzip.compress(b'{"traceEvents":[' + event * (48 * 1024 * 1024 // len(event)) + event[:-1] + b"]}", 9)


def kinds():
    """Returns for each kind of client: what it sends at once, what it then sends byte by byte, and its receive window
    in bytes."""
    heavy = json.dumps(HEAVY).encode()
    form = "Content-Type: application/json"
    return {"silent": (b"", b"", 0), "idle": (request("GET", "/livez"), b"", 0),
            "slow to send": (b"POST /v1/plans/training HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n", b" " * 9000, 0),
            "slow header": (b"GET /v1/plans HTTP/1.1\r\n", b"X-A: b\r\n" * 200, 0),
            "not reading": (request("GET", "/v1/accelerators?limit=1000") * 20, b"", 2048),
            "bomb": (request("POST", "/v1/diagnoses", bomb(), form, "Content-Encoding: gzip"), b"", 0),
            "heavy": (request("POST", "/v1/estimates/inference", heavy, form), b"", 0)}


SHARES = {"silent": 25, "idle": 25, "slow to send": 15, "slow header": 13, "not reading": 15, "bomb": 4, "heavy": 3}


def attack(port, clients, stop, opened):
    """Runs the process of all hostile clients. Replaces each open connection that ends."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    templates, selector, slow = kinds(), selectors.DefaultSelector(), {}
    plan = [name for name, share in SHARES.items() for _ in range(max(1, clients * share // 100))]

    def open_one(number):
        first, rest, window = templates[plan[number]]
        client = socket.socket()
        if window:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        client.bind((f"127.0.{2 + number % ADDRESSES}.1", 0))
        client.settimeout(1)
        try:
            client.connect(("127.0.0.1", port))
            client.sendall(first)
        except OSError:
            client.close()
            return
        client.setblocking(False)
        opened[list(SHARES).index(plan[number])] += 1
        if window == 0:
            selector.register(client, selectors.EVENT_READ, number)
        else:
            slow[client] = (number, memoryview(b""))
        if rest:
            slow[client] = (number, memoryview(rest))

    for number in range(len(plan)):
        if stop.is_set():
            break
        open_one(number)
    while not stop.is_set():
        for key, _ in selector.select(0.2):
            try:
                ended = not key.fileobj.recv(65536)
            except OSError:
                ended = True
            if ended:
                selector.unregister(key.fileobj)
                slow.pop(key.fileobj, None)
                key.fileobj.close()
                open_one(key.data)
        for client, (number, rest) in list(slow.items()):
            try:
                if len(rest):
                    client.send(rest[:1])
                    slow[client] = (number, rest[1:])
            except BlockingIOError:
                pass
            except OSError:
                slow.pop(client)
                if client in selector.get_map():
                    selector.unregister(client)
                client.close()
        stop.wait(0.05)


class Probe(threading.Thread):
    """Requests one path after the other on persistent connections, and records how long each request took."""

    def __init__(self, port, paths, stop):
        super().__init__(daemon=True)
        self.port, self.paths, self.stop, self.took, self.statuses, self.unanswered = port, paths, stop, [], {}, 0

    def run(self):
        client = Client(self.port, 60)
        while not self.stop.is_set():
            for path in self.paths:
                began = time.monotonic()
                try:
                    status = client.get(path).status
                    self.statuses[status] = self.statuses.get(status, 0) + 1
                except Gone:
                    self.unanswered += 1
                self.took.append(time.monotonic() - began)
            self.stop.wait(0.02)
        client.close()


class Polite(threading.Thread):
    """Makes plans one after the other, and retries after the time in Retry-After."""

    def __init__(self, port, stop):
        super().__init__(daemon=True)
        self.port, self.stop, self.made, self.asked_again, self.lost = port, stop, [], 0, []

    def run(self):
        client, number = Client(self.port, 60), 0
        while not self.stop.is_set():
            number += 1
            for _ in range(60):
                try:
                    answer = client.post("/v1/plans/training", PLAN | {"name": f"polite {number}"}, {"Idempotency-Key": f"polite-{number}"})
                except Gone:
                    self.asked_again += 1
                    continue
                if answer.status == 201:
                    self.made.append(answer.json["id"])
                    break
                if answer.status < 500:
                    self.lost.append(f"{number} was answered {answer.status}: {answer.text[:200]}")
                    break
                self.asked_again += 1
                time.sleep(min(2, float(answer.headers.get("retry-after", 1))))
            else:
                self.lost.append(number)
            self.stop.wait(0.05)
        client.close()


def run(size, report):
    clients, seconds = size.count(short=200, full=2000), size.count(short=4, full=300)
    if UNDER:  # so that clients of each kind have connected and were served
        clients, seconds = max(clients, 30), max(seconds, 4) * min(SLOWER, 10)
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(folder, "--own-devices=no", "--drain-seconds", "0")
        stop, away = threading.Event(), multiprocessing.Event()
        opened = multiprocessing.Array("l", len(SHARES))
        hostile = multiprocessing.Process(target=attack, args=(daemon.port, clients, away, opened), daemon=True)
        hostile.start()
        threads = [Probe(daemon.port, ["/livez"], stop), Probe(daemon.port, CHEAP, stop), Polite(daemon.port, stop)]
        for thread in threads:
            thread.start()
        most_bytes, until = 0, time.monotonic() + seconds
        while time.monotonic() < until:
            most_bytes = max(most_bytes, process_figures(daemon.process.pid)["bytes"])
            time.sleep(0.1)
        stop.set()
        away.set()
        hostile.terminate()  # the daemon answers a waiting polite client after they are gone
        hostile.join()
        for thread in threads:
            thread.join()
        health, cheap, polite = threads
        found = sum(daemon.get(f"/v1/plans/{name}").status == 200 for name in polite.made)
        statuses = health.statuses.copy()
        for status, count in cheap.statuses.items():
            statuses[status] = statuses.get(status, 0) + count
        daemon.process.terminate()
        ended = daemon.process.wait(60)
    report.figure("clients at once", clients)
    report.figure("connections opened", sum(opened))
    report.figure("of these for heavy searches", opened[list(SHARES).index("heavy")])
    report.figure("bombs", opened[list(SHARES).index("bomb")])
    report.figure("probes of /livez", len(health.took))
    report.bound("ms of /livez (p99)", percentile(health.took, 99) * 1000, 100)
    report.figure("requests of cheap routes", len(cheap.took))
    report.bound("ms of cheap routes (p99)", percentile(cheap.took, 99) * 1000, 200)
    report.figure("MB of memory (maximum)", most_bytes / 1e6)
    report.figure("plans of the polite client", len(polite.made))
    report.figure("retries of these", polite.asked_again)
    report.must(most_bytes < 512e6 or UNDER, f"{most_bytes / 1e6:.0f} MB of memory, the bound is 512")
    report.must(not polite.lost and len(polite.made) > 0, f"plans that were never answered: {polite.lost[:5]}")
    report.must(found == len(polite.made), f"{len(polite.made) - found} acknowledged plans are missing")
    report.must(set(statuses) <= {200}, f"health and cheap routes answer {statuses}")
    report.must(health.unanswered == 0 and cheap.unanswered == 0, f"{health.unanswered} and {cheap.unanswered} probes without an answer")
    report.must(ended in (0, 75), f"the daemon ended with {ended}")
