"""Makes every malloc, write, sync, open and rename fail in turn, once and permanently, during a recorded day of
requests. The daemon must not die. It must answer 2xx only if it did what was requested, and it must recover when the
calls succeed again.

A day makes some 24,000 allocations at some 1,500 places, where a place is a whole call stack. Allocations fail by
place: each request is repeated until all of its places have failed."""
import errno
import mmap
import struct
import subprocess
import tempfile
import time

from conftest import PROGRAM, Daemon
from fake_agent import FakeAgent, gpu, measured
from mixed import HEADER, PLAN, PRICE, Client, Gone
from storm import wait_until

NAME = "calls that fail"
PROMISE = "no crash, no wrong 2xx, heals"
KINDS = ("malloc", "write", "sync", "open", "rename")
FOR_GOOD = 1 << 62
ONCE, UNTIL_HEALED = 1, 2  # how an allocation fails by place
FRAMES_MAX, PLACES_MAX = 48, 1 << 15
ERROR, SYNC_MS, ARMED, SKIP, NO_MEMORY, PLACES, FRAMES = (3 * len(KINDS) + i for i in range(7))
CONTROL_BYTES = 8 * (FRAMES + FRAMES_MAX + 3 * PLACES_MAX)
PATIENCE_S = 1  # without memory libmicrohttpd's threads cannot poll; they continue when memory is available again
SHORT_PATIENCE_S = 0.3
NEW_LEAST = 5


class Calls:
    """The storm's side of calls.c: both map the same file."""

    def __init__(self, daemon, size):
        path = daemon.folder / "calls"
        path.write_bytes(bytes(CONTROL_BYTES))
        with open(path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), CONTROL_BYTES)
        daemon.environment |= {"LD_PRELOAD": str(size.build / "tests/worst_day/calls.so"), "CALLS_CONTROL": str(path)}

    def _put(self, index, value):
        self.page[8 * index:8 * index + 8] = struct.pack("<Q", value)

    def _get(self, index):
        return struct.unpack("<Q", self.page[8 * index:8 * index + 8])[0]

    def called(self, kind):
        return self._get(KINDS.index(kind))

    def fail(self, kind, nth, count, error=errno.EIO):
        """Makes `count` calls fail, beginning with the nth call from now."""
        index = KINDS.index(kind)
        self._put(ERROR, error)
        self._put(len(KINDS) + index, self.called(kind) + nth)
        self._put(2 * len(KINDS) + index, count)

    def arm(self, how, skip=0):
        """Makes the next allocation fail whose place was not tried this way before, after `skip` others like it."""
        self._put(SKIP, skip)
        self._put(ARMED, how)

    def places(self):
        """Returns how many allocations have failed by place."""
        return self._get(PLACES)

    def place(self):
        """Returns the program's functions on the stack of the last failure, the innermost first."""
        frames = [hex(frame - 1) for frame in (self._get(FRAMES + i) for i in range(FRAMES_MAX)) if frame]
        try:
            lines = subprocess.run(["addr2line", "-s", "-f", "-e", PROGRAM, *frames], capture_output=True, text=True, check=True).stdout.splitlines()
        except (OSError, subprocess.CalledProcessError):
            return " < ".join(frames)
        return " < ".join(f"{name} ({line})" for name, line in zip(lines[::2], lines[1::2]))

    def heal(self):
        for index in range(len(KINDS)):
            self._put(2 * len(KINDS) + index, 0)
        self._put(ARMED, 0)
        self._put(NO_MEMORY, 0)

    def sync_ms(self, milliseconds):
        self._put(SYNC_MS, milliseconds)


class Day:
    """The recorded day: a team's requests in sequence, and what must be true of each answer. Records the acknowledged
    writes."""

    def __init__(self, daemon, control):
        self.daemon, self.control, self.number, self.wrong, self.faults = daemon, control, 0, [], []
        self.held, self.pending = {}, {}  # per key: possible values; the value of the write that is under way
        self.refusals, self.cuts, self.hangs, self.answers, self.deaths = 0, 0, 0, 0, 0
        self.patience_s = PATIENCE_S
        self.how, self.skip, self.most = 0, lambda: 0, 0  # if set: one new place fails in each request, up to a number

    def ask(self, method, path, body=None, headers=None):
        """Sends a request. If allocations fail by place, sends it again and again until none of its places is new. A
        POST or DELETE that was answered is not repeated, because its second answer can differ."""
        answer, again = None, False
        while self.how and self.control.places() < self.most and (answer is None or method not in ("POST", "DELETE")):
            before = self.control.places()
            self.control.arm(self.how, self.skip())
            try:
                answer = self.answer(method, path, body, headers, again)
            except Gone:
                answer = None
                self.client = Client(self.daemon.port, self.patience_s)
            if self.control.places() == before:
                self.control.heal()
                return answer
            self.recover(lambda: f"{method} {path}, malloc {'once' if self.how == ONCE else 'for good'} at {self.control.place()}")
            again = True
        return answer if again else self.answer(method, path, body, headers)

    def answer(self, method, path, body, headers, again=False):
        """Sends a request once and counts its answer. Returns None for a refusal."""
        try:
            answer = self.client.request(method, path, body, headers)
        except Gone as error:
            self.cuts += 1
            self.hangs += "timed out" in str(error)
            raise
        self.answers += 1
        if answer.status >= 500:
            self.refusals += 1
            if answer.status not in (503, 507) or "content-type" not in answer.headers:
                self.wrong.append(f"{method} {path} answers {answer.status}: {answer.text[:200]}")
            return None
        if answer.status == 409 and path == "/v1/backups":  # the backup of a request that was cut is still being written
            return None
        if answer.status >= 400 and not (again and method == "DELETE" and answer.status == 404):
            self.wrong.append(f"{method} {path} answers {answer.status}: {answer.text[:200]}")
            return None
        return answer

    def recover(self, what):
        """Ends the failure and checks the daemon. Starts it again if it died or did not recover. `what` returns what
        failed; it is called if there are faults."""
        self.control.heal()
        if self.daemon.process.poll() is not None:
            self.wrong.append(f"the daemon died with {self.daemon.process.returncode}")
            self.deaths += 1
            self.restart()
        try:
            self.healed()
        except (AssertionError, Gone) as error:
            self.wrong.append(str(error) + self.death())
            self.restart()
        if self.wrong:
            failed = what()
            self.faults += [f"{failed}: {fault}" for fault in self.wrong]
        self.wrong = []

    def death(self):
        """Ends the daemon. Returns how it died, if it did so by itself; that can take a moment after its last answer."""
        try:
            code = self.daemon.process.wait(2)
        except subprocess.TimeoutExpired:
            self.daemon.process.kill()
            self.daemon.process.wait()
            return ""
        self.deaths += 1
        return f"; the daemon died with {code}"

    def restart(self):
        self.daemon.start()
        self.client = Client(self.daemon.port, self.patience_s)

    def put(self, key, value, method, path, body=None, headers=None):
        """Sends a write. Until it is answered, the old and the new value are both possible."""
        self.pending, answer = {key: value}, None
        try:
            answer = self.ask(method, path, body, headers)
        finally:
            before = self.held.get(key, (None, ))
            self.held[key] = (value, ) if answer is not None else before + (value, )
            self.pending = {}
        return answer

    def look(self, path, wanted):
        answer = self.ask("GET", path)
        if answer is not None and wanted is not None and not wanted(answer):
            self.wrong.append(f"GET {path} answers {answer.text[:200]}")

    def one(self):
        """Sends one day's requests. The day ends with the first request without an answer."""
        self.number += 1
        self.client = Client(self.daemon.port, self.patience_s)
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
            if agent.deliver(lease.json, measured("GPU-" + now)) is not None:
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
                return client.request("PUT", "/v1/prices/day.heal", PRICE).status < 300 and client.get("/readyz").status == 200
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
            possible = self.held.get(key, (None, )) + ((self.pending[key], ) if key in self.pending else ())
            if found.get(key) not in possible:
                self.wrong.append(f"{key} is {found.get(key)}, the possible values are {possible}")
        self.held = {key: (value, ) for key, value in found.items()}
        client.close()


def started(folder, size):
    """Returns a daemon whose calls can fail, after a day without failures."""
    daemon = Daemon(folder, "--own-devices=no", "--backup-keep", "2", expect_start=False)
    day = Day(daemon, Calls(daemon, size))
    daemon.start()
    day.one()
    return day


def finish(day, what, totals):
    """Stops the daemon and adds the day's counts."""
    ended = day.daemon.stop(60)
    if ended != 0:
        day.faults.append(f"after failures of {what} the daemon ended with {ended}")
    totals["wrong"] += day.faults
    for name, count in (("deaths", day.deaths), ("refused", day.refusals), ("cut", day.cuts), ("unanswered", day.hangs), ("answered", day.answers)):
        totals[name] += count


def by_count(kind, size, report, totals):
    """One call of a day fails by its number, in each day another one."""
    with tempfile.TemporaryDirectory() as folder:
        day = started(folder, size)
        before = day.control.called(kind)
        day.one()
        calls = day.control.called(kind) - before
        steps = min(calls, size.count(short=1, full=100) if kind == "malloc" else size.count(short=3, full=2000))
        for step in range(steps):
            nth = 1 + (step * calls // steps if steps < calls else step)
            for count in (1, FOR_GOOD):
                day.control.fail(kind, nth, count, (errno.EIO, errno.ENOSPC, errno.EROFS)[step % 3] if kind != "open" else (errno.EMFILE, errno.EIO)[step % 2])
                day.one()
                day.recover(lambda: f"{kind} {nth} of {calls} {'once' if count == 1 else 'for good'}")  # pylint: disable=cell-var-from-loop
        finish(day, kind, totals)
    report.figure(f"{kind} calls in a day", calls)
    report.figure(f"failures of {kind}, once or permanently", 2 * steps)


def by_place(how, name, size, report, totals):
    """Each allocation fails at a place where none has failed this way before. The daemon starts anew when a day finds
    no new place, because the first day of a daemon has its own places. A daemon that finds fewer than NEW_LEAST is the
    last: SQLite's parser goes on to have new stacks for a long time. The short form draws a few places."""
    with tempfile.TemporaryDirectory() as folder:
        day, days, starts, found = started(folder, size), 0, 1, NEW_LEAST
        day.patience_s = PATIENCE_S if how == ONCE else SHORT_PATIENCE_S
        day.how, day.most = how, size.count(short=25, full=PLACES_MAX // 2)
        day.skip = (lambda: 0) if size.full else (lambda: size.random.randrange(100))
        while found >= NEW_LEAST and day.control.places() < day.most:
            at_start, before = day.control.places(), -1
            while before < day.control.places() < day.most:
                before = day.control.places()
                day.one()
                days += 1
            found = day.control.places() - at_start
            day.recover(lambda: "a day in which malloc failed by place")
            if day.daemon.stop(60) != 0:
                day.faults.append(f"after failures of malloc by place the daemon ended with {day.daemon.process.returncode}")
            day.restart()
            starts += 1
        report.figure(f"places of malloc that failed {name}", day.control.places())
        report.figure(f"days of that, after {starts} starts", days)
        finish(day, "malloc by place", totals)


def run(size, report):
    totals = {"wrong": [], "deaths": 0, "refused": 0, "cut": 0, "unanswered": 0, "answered": 0}
    for kind in KINDS:
        by_count(kind, size, report, totals)
    for how, name in ((ONCE, "once"), (UNTIL_HEALED, "for good")):
        by_place(how, name, size, report, totals)
    report.figure("answers", totals["answered"])
    report.figure("of the answers were 503 or 507", totals["refused"])
    report.figure("connections cut", totals["cut"])
    report.figure("of these without an end within the patience", totals["unanswered"])
    report.figure("deaths", totals["deaths"])
    report.figure("wrong answers or failed recoveries", len(totals["wrong"]))
    for fault in totals["wrong"]:
        report.must(False, fault)
    report.must(totals["refused"] > 0, "the storm did too little to prove anything")
