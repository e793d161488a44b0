"""Sets the wall clock of a working daemon: ten years ahead, 54 years back, an hour back and forth. Twice it kills the
daemon and starts it with another clock. Meanwhile agents hold leases and die with them, a feed is due each minute, keys
expire, and clients repeat requests with their Idempotency-Key.

The storm's steady clock is the reference. A lease is doubled if a second agent receives it too early by that clock:
before the lease time has passed since the first agent's last answered heartbeat."""
import mmap
import random
import socket
import struct
import tempfile
import threading
import time

from conftest import Daemon, run as command
from fake_agent import FakeAgent, gpu, measured
from mixed import PLAN, PRICE, Client, Gone
from storm import percentile, wait_until

NAME = "clocks that are set"
PROMISE = "no lease doubled, no wait beyond its bound"
HOUR, YEAR = 3600, 31557600
STEPS = (10 * YEAR, 0, -54 * YEAR, 0, HOUR, 0, -HOUR, 0, HOUR, -HOUR)
LEASE_S, FEED_S, AGENTS, STEP_S = 2, 60, 6, 0.5
REMEMBERED_S = 2 + 1
PATIENCE_S = 20  # more than any slow machine takes; only the full form judges the bound itself
KEY = "fp_" + "ad" * 32
JSON = {"Content-Type": "application/json"}


class Wall:
    """The daemon's wall clock: the storm's side of clock.c."""

    def __init__(self, daemon, size):
        path = daemon.folder / "clock"
        path.write_bytes(bytes(mmap.PAGESIZE))
        with open(path, "r+b") as file:
            self.page = mmap.mmap(file.fileno(), mmap.PAGESIZE)
        self.off_s = 0
        daemon.environment |= {"LD_PRELOAD": str(size.build / "tests/worst_day/clock.so"), "CLOCK_CONTROL": str(path)}

    def set(self, off_s):
        self.off_s = off_s
        self.page[:8] = struct.pack("<q", off_s * 1_000_000_000)

    def now(self):
        return time.time() + self.off_s


class Knocks(threading.Thread):
    """The server that the feed requests: counts the connections and closes them."""

    def __init__(self):
        super().__init__(daemon=True)
        self.listener, self.times = socket.create_server(("127.0.0.1", 0)), []
        self.port = self.listener.getsockname()[1]

    def run(self):
        while True:
            try:
                self.listener.accept()[0].close()
            except OSError:
                return
            self.times.append(time.monotonic())

    def waits(self, begin):
        """Returns the seconds between refreshes since `begin`. Retries within ten seconds belong to the same
        refresh."""
        since = [moment for moment in self.times if moment > begin]
        return [later - sooner for sooner, later in zip(since, since[1:]) if later - sooner > 10]


class Held:
    """Records which agent holds which benchmark, and until when by the storm's steady clock."""

    def __init__(self):
        self.lock, self.holds, self.left, self.wrong, self.leases, self.taken_over = threading.Lock(), {}, {}, [], 0, []

    def taken(self, name, agent, sent, now):
        with self.lock:
            self.leases += 1
            other, until = self.holds.get(name, (None, 0))
            if now < until:
                self.wrong.append(f"benchmark {name} was leased to {agent} {until - now:.2f} s before the lease of {other} was over")
            self.holds[name] = (agent, sent + LEASE_S)

    def kept(self, name, agent, sent):
        with self.lock:
            if self.holds.get(name, (None, 0))[0] == agent:
                self.holds[name] = (agent, sent + LEASE_S)

    def over(self, name):
        with self.lock:
            self.holds.pop(name, None)

    def abandoned(self, name):
        """The agent died: another agent may receive the benchmark when the lease ends."""
        with self.lock:
            self.left[name] = self.holds[name]


class Watch(threading.Thread):
    """Watches when the daemon frees the benchmarks of dead agents."""

    def __init__(self, port, held, stop):
        super().__init__(daemon=True)
        self.port, self.held, self.stop = port, held, stop

    def run(self):
        client = Client(self.port)
        while not self.stop.is_set():
            for name, (agent, until) in list(self.held.left.items()):
                try:
                    row = client.request("GET", f"/v1/benchmarks/{name}", None, {"Authorization": f"Bearer {KEY}"})
                except Gone:
                    continue
                if row.status == 200 and (row.json["state"] != "running" or row.json["agent_id"] != agent):
                    self.held.taken_over.append(max(0.0, time.monotonic() - until))
                    del self.held.left[name]
            self.stop.wait(0.03)
        client.close()


class Agent(threading.Thread):
    """Takes leases, keeps them for a while, and then delivers a result or dies."""

    def __init__(self, port, number, held, seed, stop):
        super().__init__(daemon=True)
        self.port, self.number, self.held, self.stop, self.chance = port, number, held, stop, random.Random(f"{seed} {number}")
        self.life = 0

    def run(self):
        client = Client(self.port)
        while not self.stop.is_set():
            self.life += 1  # an agent that died returns as another one: it does not know its leases
            name = f"a{self.number}-{self.life}"
            agent = FakeAgent(client, name, [gpu(f"GPU-{name}")], KEY)
            try:
                if agent.register().status == 200:
                    self.live(agent, name)
            except Gone:
                self.stop.wait(0.05)
        client.close()

    def live(self, agent, name):
        while not self.stop.is_set():
            sent = time.monotonic()
            answer = agent.lease()
            if answer.status != 200:
                self.stop.wait(0.05)
                continue
            lease = answer.json
            self.held.taken(lease["benchmark_id"], name, sent, time.monotonic())
            until = time.monotonic() + self.chance.random() * 2 * LEASE_S
            while time.monotonic() < until and not self.stop.is_set():
                self.stop.wait(LEASE_S / 5)
                sent = time.monotonic()
                if agent.heartbeat(lease).status != 200:
                    self.held.over(lease["benchmark_id"])
                    return
                self.held.kept(lease["benchmark_id"], name, sent)
            if self.chance.random() < 0.5:
                self.held.abandoned(lease["benchmark_id"])
                return
            if agent.deliver(lease, measured(agent.devices[0]["id"])).status == 200:
                self.held.over(lease["benchmark_id"])


class Work:
    """Requests to check after each step, and the faults found."""

    def __init__(self, daemon, wall, expiring_key):
        self.daemon, self.wall, self.expiring_key, self.number, self.faults, self.plans, self.looks = daemon, wall, expiring_key, 0, [], {}, 0
        self.headers, self.job = {"Authorization": f"Bearer {KEY}"}, None
        self.key_wanted, self.key_since = 200, time.monotonic()

    def must(self, holds, what):
        self.looks += 1
        if not holds:
            self.faults.append(f"with the clock off by {self.wall.off_s} s: {what}")

    def queue(self, count):
        for _ in range(count):
            self.daemon.post("/v1/benchmarks", {"suite": "quick", "timeout_s": 60}, self.headers)

    def plan(self, token):
        answer = self.daemon.post("/v1/plans/training", PLAN | {"name": token}, self.headers | {"Idempotency-Key": token})
        self.must(answer.status == 201, f"a plan answers {answer.status}: {answer.text[:200]}")
        return answer.json["id"] if answer.status == 201 else None

    def begin_job(self):
        answer = self.daemon.post("/v1/estimates/training", {"model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100"}, self.headers | {"Prefer": "respond-async"})
        assert answer.status == 202, answer.text
        self.job = answer.headers["location"]
        wait_until(lambda: self.daemon.get(self.job, self.headers).json["state"] == "succeeded", PATIENCE_S, "a job ends")

    def look(self):
        """Checks everything once, between two steps."""
        self.number += 1
        self.plans[f"clock-{self.number}"] = self.plan(f"clock-{self.number}")
        for token, made in self.plans.items():
            self.must(self.plan(token) == made, f"the request of {token}, sent again with its Idempotency-Key, made another plan")
        value = f"v{self.number}"
        put = self.daemon.request("PUT", "/v1/prices/clock.1", PRICE | {"notes": value}, self.headers)
        self.must(put.status < 300, f"a PUT of a price answers {put.status}: {put.text[:200]}")
        self.must(self.daemon.get("/v1/prices/clock.1", self.headers).json.get("notes") == value, "a read does not return the price that was put")
        self.look_at_key()
        if self.job:
            self.must(self.daemon.get(self.job, self.headers).status == 200, "the answer of a job is gone before its hour")
        feed = self.daemon.get("/v1/feeds/uk-carbon", self.headers).json
        due = feed["next_at"] and time_of(feed["next_at"]) - self.wall.now()
        self.must(due is not None and -PATIENCE_S < due <= FEED_S + 1, f"the next refresh of the feed, which runs each minute, is due in {due} s")


    def look_at_key(self):
        """A key's expiry follows the wall clock. The daemon caches a key's state for a few seconds
        (AUTH_REMEMBER_SECONDS)."""
        wanted, now = 401 if self.wall.off_s > 24 * HOUR else 200, time.monotonic()
        seen = self.daemon.get("/v1/plans?limit=1", {"Authorization": f"Bearer {self.expiring_key}"}).status
        if wanted != self.key_wanted:
            self.key_wanted, self.key_since = wanted, now
        self.must(seen == wanted or now < self.key_since + REMEMBERED_S, f"a request with a key that is valid for a day is answered {seen}, {now - self.key_since:.0f} s after the step")


def time_of(text):
    """Returns seconds since 1970 of an RFC 3339 time, also for years that strptime and time zones do not support."""
    date, clock = text.rstrip("Z").split("T")
    year, month, day = map(int, date.split("-"))
    hour, minute, second = clock.split(":")
    years, months = (year - 1, month + 9) if month <= 2 else (year, month - 3)
    days = 365 * years + years // 4 - years // 100 + years // 400 + (153 * months + 2) // 5 + day - 1 - 719468
    return 86400 * days + 3600 * int(hour) + 60 * int(minute) + float(second)


def start(folder, size, knocks):
    folder_key = folder + "/admin.key"
    with open(folder_key, "w", encoding="ascii") as file:
        file.write(KEY)
    daemon = Daemon(folder, "--own-devices=no", "--lease-seconds", str(LEASE_S), "--heartbeat-seconds", "1", "--bootstrap-key-file", folder_key, "--feeds", "uk-carbon=1",
                    "--feed-urls", f"uk-carbon=https://127.0.0.1:{knocks.port}", "--feed-local", expect_start=False)
    wall = Wall(daemon, size)
    return daemon, wall


def under_agents(daemon, work, held, seed, steps, between_s):
    """Sets the clock, step by step, while agents work. Then stops the agents."""
    stop = threading.Event()
    agents = [Agent(daemon.port, f"{seed}-{number}", held, seed, stop) for number in range(AGENTS)]
    agents.append(Watch(daemon.port, held, stop))
    for agent in agents:
        agent.start()
    try:
        for off_s in steps:
            work.queue(3)
            time.sleep(between_s * 0.5)
            work.wall.set(off_s)
            time.sleep(between_s * 0.5)
            work.look()
    finally:
        stop.set()
        for agent in agents:
            agent.join()


def take_over(daemon, held):
    """Waits until the daemon has freed the benchmarks of dead agents. Returns those that it has not freed."""
    stop = threading.Event()
    watch = Watch(daemon.port, held, stop)
    watch.start()
    until = time.monotonic() + LEASE_S + PATIENCE_S
    while held.left and time.monotonic() < until:
        time.sleep(0.02)
    stop.set()
    watch.join()
    return set(held.left)


def run(size, report):
    rounds, knocks, held, ready = size.count(short=1, full=20), Knocks(), Held(), []
    knocks.start()
    with tempfile.TemporaryDirectory() as folder:
        daemon, wall = start(folder, size, knocks)
        daemon.start()
        made = command("keys", "create", "--role", "viewer", "--days", "1", "--database", daemon.database)
        assert made.returncode == 0, made.stderr
        work = Work(daemon, wall, made.stdout.strip())
        steps, begin, restarts = 0, time.monotonic(), 0
        forgotten, waits = set(), []
        for number in range(rounds):
            work.begin_job()
            given = STEPS if number == 0 else [size.random.choice(STEPS) for _ in STEPS]
            under_agents(daemon, work, held, f"{number}a", given, STEP_S)
            steps += len(given)
            forgotten |= take_over(daemon, held)
            waits += knocks.waits(begin)
            for off_s in (HOUR, -54 * YEAR) if number % 2 == 0 else (-HOUR, 10 * YEAR):
                under_agents(daemon, work, held, f"{number} {off_s}", [wall.off_s], STEP_S)
                daemon.process.kill()
                daemon.process.wait()
                wall.set(off_s)
                daemon.start()
                begin, work.job = time.monotonic(), None
                if off_s > 24 * HOUR:
                    work.plans = {}  # a start with a clock that is a day ahead forgets answers that are kept for a day
                ready.append(begin)
                restarts += 1
                under_agents(daemon, work, held, f"{number} {off_s} b", [off_s, 0], STEP_S)
                steps += 2
                forgotten |= take_over(daemon, held)
        if size.full:  # the feed's next refresh must come within this time
            wall.set(-54 * YEAR)
            before = len(knocks.times)
            wait_until(lambda: len(knocks.times) > before, FEED_S + PATIENCE_S, "the feed is refreshed")
            waits += knocks.waits(begin)
        ended = daemon.stop()
        knocks.listener.close()
    late = held.taken_over
    report.figure("steps of the clock", steps)
    report.figure("starts with another clock", restarts)
    report.figure("leases", held.leases)
    report.figure("doubled", len(held.wrong))
    report.figure("leases of dead agents freed", len(late))
    report.bound("s until freed after their end (maximum)", max(late, default=0.0), 1)
    report.figure("median s", percentile(late, 50))
    report.figure("checks", work.looks)
    report.figure("of these failed", len(work.faults))
    for fault in held.wrong + work.faults:
        report.must(False, fault)
    report.must(not forgotten, f"{len(forgotten)} benchmarks of dead agents are not free after {PATIENCE_S} s")
    report.must(all(seconds > FEED_S - 2 for seconds in waits), f"the feed, which refreshes each minute, was requested again after {waits}")
    report.must(held.leases >= 6 and late, "the storm did too little to prove anything")
    report.must(ended == 0, f"the daemon ended with {ended}")
