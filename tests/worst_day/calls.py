"""Makes every malloc, write, sync, open and rename fail in turn, once and permanently, during a recorded day of
requests. The daemon must not die. It must answer 2xx only if it did what was requested, and it must recover when the
calls succeed again."""
import errno
import mmap
import struct
import tempfile
import time

from conftest import Daemon
from fake_agent import FakeAgent, gpu, measured
from mixed import HEADER, PLAN, PRICE, Client, Gone
from storm import wait_until

NAME = "calls that fail"
PROMISE = "no crash, no wrong 2xx, heals"
KINDS = ("malloc", "write", "sync", "open", "rename")
FOR_GOOD = 1 << 62
PATIENCE_SECONDS = 1  # without memory libmicrohttpd's threads cannot poll; they continue when memory is available again


class Calls:
    """The storm's side of calls.c: both map the same page."""

    def __init__(self, daemon, size):
        path = daemon.folder / "calls"
        path.write_bytes(bytes(mmap.PAGESIZE))
        with open(path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), mmap.PAGESIZE)
        daemon.environment |= {"LD_PRELOAD": str(size.build / "tests/worst_day/calls.so"), "CALLS_CONTROL": str(path)}

    def _put(self, index, value):
        self.page[8 * index:8 * index + 8] = struct.pack("<Q", value)

    def called(self, kind):
        index = KINDS.index(kind)
        return struct.unpack("<Q", self.page[8 * index:8 * index + 8])[0]

    def fail(self, kind, nth, count, error=errno.EIO):
        """Makes `count` calls fail, beginning with the nth call from now."""
        index = KINDS.index(kind)
        self._put(3 * len(KINDS), error)
        self._put(len(KINDS) + index, self.called(kind) + nth)
        self._put(2 * len(KINDS) + index, count)

    def heal(self):
        for index in range(len(KINDS)):
            self._put(2 * len(KINDS) + index, 0)

    def sync_ms(self, milliseconds):
        self._put(3 * len(KINDS) + 1, milliseconds)


class Day:
    """The recorded day: a team's requests in sequence, and what must be true of each answer. Records the acknowledged
    writes."""

    def __init__(self, daemon):
        self.daemon, self.number, self.wrong = daemon, 0, []
        self.held, self.refusals, self.cuts, self.answers = {}, 0, 0, 0

    def ask(self, method, path, body=None, headers=None):
        try:
            answer = self.client.request(method, path, body, headers)
        except Gone:
            self.cuts += 1
            raise
        self.answers += 1
        if answer.status >= 500:
            self.refusals += 1
            if answer.status not in (503, 507) or "content-type" not in answer.headers:
                self.wrong.append(f"{method} {path} answers {answer.status}: {answer.text[:200]}")
            return None
        return answer

    def put(self, key, value, method, path, body=None, headers=None):
        """Sends a write. Until it is answered, the old and the new value are both possible."""
        before = self.held.get(key, (None, ))
        self.held[key] = before + (value, )  # the new value or any earlier one is possible until the answer
        answer = self.ask(method, path, body, headers)
        if answer is None:
            pass
        elif answer.status < 300:
            self.held[key] = (value, )
        else:
            self.held[key] = before
            self.wrong.append(f"{method} {path} answers {answer.status}: {answer.text[:200]}")
        return answer

    def look(self, path, wanted):
        answer = self.ask("GET", path)
        if answer is not None and answer.status not in (200, 202):
            self.wrong.append(f"GET {path} answers {answer.status}: {answer.text[:200]}")
        elif answer is not None and wanted is not None and not wanted(answer):
            self.wrong.append(f"GET {path} answers {answer.text[:200]}")

    def one(self):
        """Sends one day's requests. The day ends with the first request without an answer."""
        self.number += 1
        self.client = Client(self.daemon.port, PATIENCE_SECONDS)
        try:
            self.requests(f"d{self.number}")
        except Gone:
            pass
        self.client.close()

    def requests(self, now):
        self.put("price", now, "PUT", "/v1/prices/day.1", PRICE | {"notes": now})
        plan = self.put(f"plan {now}", now, "POST", "/v1/plans/training", PLAN | {"name": now, "notes": now}, {"Idempotency-Key": now})
        if plan is not None:
            name = plan.json["id"]
            self.look(f"/v1/plans/{name}", lambda answer: answer.json["name"] == now)
            self.put(f"plan {now}", now + "b", "PATCH", f"/v1/plans/{name}", {"notes": now + "b"})
            self.look(f"/v1/plans/{name}/revisions", None)
            self.ask("POST", f"/v1/plans/{name}/refresh")
            self.put(f"plan {now}", None, "DELETE", f"/v1/plans/{name}")
        rows = "".join(f"day.g{i},dayly,x8,r1,h100-sxm5-80gb,8,20.5,on_demand,2026-11-01,a storm,{now}\n" for i in range(12))
        self.put("group", now, "POST", "/v1/imports/prices?overwrite=true", HEADER + rows, {"Content-Type": "text/csv"})
        self.look("/v1/prices?provider=dayly", lambda answer: len({row["notes"] for row in answer.json["items"]}) <= 1 and len(answer.json["items"]) in (0, 12))
        self.look("/v1/plans?limit=20", None)
        self.look("/v1/exports/prices", None)
        self.look("/v1/accelerators/h100", lambda answer: answer.json["id"] == "h100-sxm5-80gb")
        self.look("/v1/estimates/training?model=llama-3.1-8b&tokens=15T&accelerator=h100&gpu_count=64", lambda answer: answer.json["result"]["recommended"]["gpu_count"] == 64)
        self.ask("POST", "/v1/estimates/memory", {"model": "llama-3.1-8b", "purpose": "inference", "accelerator": "h100"})
        self.ask("POST", "/v1/backups")
        self.benchmark(now)
        for path in ("/livez", "/readyz", "/metrics", "/openapi.json", "/v1/catalogue", "/v1/devices"):
            self.ask("GET", path)

    def benchmark(self, now):
        queued = self.ask("POST", "/v1/benchmarks", {"suite": "quick"}, {"Idempotency-Key": now})
        agent = FakeAgent(self, "a-" + now, [gpu("GPU-" + now)])
        if queued is None or agent.register() is None:
            return
        lease = agent.lease()
        if lease is not None and lease.status == 200:
            answer = agent.deliver(lease.json, measured("GPU-" + now))
            if answer is not None and answer.status != 200:
                self.wrong.append(f"the delivery of a result answers {answer.status}: {answer.text[:200]}")
            elif answer is not None:
                self.look("/v1/benchmarks/" + lease.json["benchmark_id"], lambda row: row.json["state"] == "succeeded")

    def post(self, path, body, headers=None):
        return self.ask("POST", path, body, headers)

    def request(self, method, path, body=None, headers=None):
        return self.ask(method, path, body, headers)

    def healed(self):
        """Checks the daemon after the failures: it is ready and writable within a bound, and has the acknowledged
        values."""
        client = Client(self.daemon.port)

        def works():
            try:
                return client.get("/readyz").status == 200 and client.request("PUT", "/v1/prices/day.heal", PRICE).status < 300
            except Gone:
                return False
        wait_until(works, 20, "it heals")
        found = {"price": client.get("/v1/prices/day.1").json.get("notes")}
        rows = client.get("/v1/prices?provider=dayly").json["items"]
        found["group"] = rows[0]["notes"] if rows else None
        cursor = ""
        while cursor is not None:
            page = client.get("/v1/plans?limit=500" + (f"&cursor={cursor}" if cursor else "")).json
            found |= {f"plan {row['name']}": row["notes"] for row in page["items"]}
            cursor = page["next_cursor"]
        for key in set(self.held) | set(found):
            if found.get(key) not in self.held.get(key, (None, )):
                self.wrong.append(f"{key} is {found.get(key)}, the acknowledged values are {self.held.get(key)}")
        self.held = {key: (value, ) for key, value in found.items()}
        client.close()


def one_kind(kind, size, report, totals):
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(folder, "--own-devices=no", "--backup-keep", "2", expect_start=False)
        control = Calls(daemon, size)
        daemon.start()
        day = Day(daemon)
        day.one()
        before = control.called(kind)
        day.one()
        calls = control.called(kind) - before
        steps = min(calls, size.count(short=3, full=2000))
        failures = 0
        for step in range(steps):
            nth = 1 + (step * calls // steps if steps < calls else step)
            for count in (1, FOR_GOOD):
                control.fail(kind, nth, count, (errno.EIO, errno.ENOSPC, errno.EROFS)[step % 3] if kind != "open" else (errno.EMFILE, errno.EIO)[step % 2])
                day.one()
                control.heal()
                failures += 1
                if daemon.process.poll() is not None:
                    day.wrong.append(f"{kind} {nth} of {calls} {'once' if count == 1 else 'for good'}: the daemon died with {daemon.process.returncode}")
                    totals["deaths"] += 1
                    daemon.start()
                try:
                    day.healed()
                except (AssertionError, Gone) as error:
                    day.wrong.append(f"{kind} {nth} of {calls} {'once' if count == 1 else 'for good'}: {error}")
                    if daemon.process.poll() is None:
                        daemon.process.kill()
                    daemon.process.wait()
                    daemon.start()
                totals["wrong"] += [f"{kind} {nth} of {calls} {'once' if count == 1 else 'for good'}: {fault}" for fault in day.wrong]
                day.wrong = []
        ended = daemon.stop(60)
        if ended != 0:
            totals["wrong"].append(f"after failures of {kind} the daemon ended with {ended}")
        report.figure(f"{kind} calls in a day", calls)
        report.figure(f"failures of {kind}, once or permanently", failures)
        totals["refused"] += day.refusals
        totals["cut"] += day.cuts
        totals["answered"] += day.answers


def run(size, report):
    totals = {"wrong": [], "deaths": 0, "refused": 0, "cut": 0, "answered": 0}
    for kind in KINDS:
        one_kind(kind, size, report, totals)
    report.figure("answers", totals["answered"])
    report.figure("of the answers were 503 or 507", totals["refused"])
    report.figure("connections cut", totals["cut"])
    report.figure("deaths", totals["deaths"])
    report.figure("wrong answers or failed recoveries", len(totals["wrong"]))
    for fault in totals["wrong"]:
        report.must(False, fault)
    report.must(totals["refused"] > 0, "the storm did too little to prove anything")
