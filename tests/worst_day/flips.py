"""Flips bytes of the database and of its log while the daemon is down. Every later answer with 200 must equal the
answer before. The daemon must report what is missing: it refuses to start, or logs the loss, or answers 503 and names
it."""
import json
import pathlib
import shutil
import signal
import tempfile

from conftest import Daemon
from mixed import HEADER, PLAN, PRICE, Client, Gone
from fake_agent import FakeAgent, measured
from storm import wait_until

NAME = "random byte flips in database and log"
PROMISE = "0 wrong 200, loss said at start"
PAGE = 4096
TREE_PAGES = (2, 5, 10, 13)  # first byte of a b-tree page: these pages hold the file's structure
ESTIMATE = {"model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100", "deadline_hours": "30d"}


def fill(daemon, plans):
    """Makes plans, prices by PUT and by import, results of benchmarks with their calibrations, and an observation.
    Returns the paths that show them."""
    client = Client(daemon.port)
    ids = []
    for number in range(plans):
        answer = client.post("/v1/plans/training", PLAN | {"name": f"plan {number}", "notes": "flipped? " * (1 + number % 40), "labels": {"n": str(number % 7)}})
        assert answer.status == 201, answer.text
        ids.append(answer.json["id"])
    for number in range(20):
        assert client.request("PUT", f"/v1/prices/storm.{number}", PRICE | {"notes": f"n{number}"}).status == 201
    rows = "".join(f"bulk.{i},bulk,x8,r1,h100-sxm5-80gb,8,{20 + i / 7},on_demand,2026-11-01,a storm,v{i}\n" for i in range(300))
    assert client.request("POST", "/v1/imports/prices", HEADER + rows, {"Content-Type": "text/csv"}).status == 201
    agent = FakeAgent(client)
    agent.register()
    for _ in range(3):
        assert client.post("/v1/benchmarks", {"suite": "quick"}).status == 202
        assert agent.deliver(agent.lease().json, measured()).status == 200
    observed = client.post("/v1/observations", {"plan_id": ids[0], "step_time_s": 3.5})
    assert observed.status == 201, observed.text
    paths = [f"/v1/plans/{name}" for name in ids] + [f"/v1/prices/storm.{number}" for number in range(20)]
    paths += [f"/v1/{kind}/{row['id']}" for kind in ("benchmarks", "observations", "imports") for row in client.get(f"/v1/{kind}").json["items"]]
    lists = ["/v1/prices?provider=worst", "/v1/prices?provider=bulk&limit=1000", "/v1/accelerators?limit=1000", "/v1/models?limit=100", "/v1/regions?limit=100",
             "/v1/benchmarks", "/v1/observations", "/v1/calibrations", "/v1/plans?label=n:3", "/v1/imports", "/v1/exports/prices", "/v1/prices?limit=1000"]
    cursor = ""
    while cursor is not None:
        lists.append("/v1/plans?limit=100" + (f"&cursor={cursor}" if cursor else ""))
        cursor = client.get(lists[-1]).json["next_cursor"]
    client.close()
    return paths, lists


def flip(path, random, flips, of_tree):
    content = bytearray(path.read_bytes())
    pages = [at for at in range(0, len(content), PAGE) if content[at] in TREE_PAGES] if of_tree else None
    for _ in range(flips):
        at = random.choice(pages) + random.randrange(PAGE) if pages else random.randrange(len(content))
        content[at] ^= random.randrange(1, 256)
    path.write_bytes(content)


def estimate(client):
    answer = client.post("/v1/estimates/training", ESTIMATE)
    return answer.json["result"]["recommended"] if answer.status == 200 else None


class Trials:
    def __init__(self, size, report):
        self.size, self.report = size, report
        self.counts = {"flips": 0, "starts refused": 0, "answers compared": 0, "the same": 0, "refused": 0, "exports cut": 0, "missing after a reported loss": 0, "trials with reported damage": 0}
        self.wrong, self.unsaid = [], []

    def base(self, folder, plans, killed):
        daemon = Daemon(folder, "--own-devices=no")
        paths, lists = fill(daemon, plans)
        client = Client(daemon.port)
        self.paths, self.lists = paths, lists
        self.before = {path: client.get(path).body for path in paths + lists}
        self.estimated = estimate(client)
        client.close()
        if killed:
            daemon.process.kill()
            daemon.process.wait()
        else:
            assert daemon.stop() == 0
        self.arguments = daemon.arguments

    def judge(self, path, answer, said, in_log):
        self.counts["answers compared"] += 1
        if answer is not None and answer.status == 200 and not is_json(answer.body):
            self.wrong.append(f"{path} answers 200, but its body is not JSON")
        elif answer is None:
            self.counts["exports cut"] += 1
        elif answer.status == 200 and answer.body == self.before[path]:
            self.counts["the same"] += 1
        elif answer.status == 200:
            # The newest commits are gone, and the daemon reported it. The rest is older: a benchmark that waits, a plan
            # without its observation.
            if in_log and said and (path in self.lists or "/benchmarks/" in path or path == self.paths[0]):
                self.counts["missing after a reported loss"] += 1
            elif said and path in self.lists and self.is_part(answer.body):
                self.counts["missing after a reported loss"] += 1  # an index lacks a row; each row that is listed is unchanged
            else:
                self.wrong.append(f"{path} answers {first_difference(self.before[path], answer.body)}")
        elif answer.status == 404:
            self.counts["missing after a reported loss"] += 1
            if not said:
                self.unsaid.append(f"{path} answers 404, but the daemon reports no damage")
        elif answer.status == 503:
            self.counts["refused"] += 1
        else:
            self.wrong.append(f"{path} answers {answer.status}: {answer.text[:200]}")

    def is_part(self, after):
        """True if a list contains only rows from before."""
        of_export = after.startswith(b"[")
        rows = {row["id"]: row for path in self.lists if ("/exports/" in path) == of_export for row in rows_of(json.loads(self.before[path]))}
        return is_json(after) and all(rows.get(row["id"]) == row for row in rows_of(json.loads(after)))

    def judge_log(self, daemon, begin):
        with open(daemon.log_path, "rb") as log:
            log.seek(begin)
            for line in log.read().splitlines():
                try:
                    if line.startswith(b"{"):
                        json.loads(line.decode())
                except ValueError:
                    self.wrong.append(f"a line of the log is not JSON: {line[:300]}")

    def ask(self, client, path):
        """Requests a path. An export whose next row is damaged ends in the middle, and its reader notices that."""
        try:
            return client.get(path)
        except Gone:
            if "/exports/" not in path:
                raise
            return None

    def trial(self, base, folder, in_log, of_tree, flips):
        shutil.copytree(base, folder, dirs_exist_ok=True)
        daemon = Daemon(folder, *self.arguments, expect_start=False)
        flip(pathlib.Path(str(daemon.database) + ("-wal" if in_log else "")), self.size.random, flips, of_tree)
        self.counts["flips"] += flips
        begin = daemon.log_path.stat().st_size
        try:
            daemon.start()
        except (RuntimeError, UnicodeDecodeError):
            self.counts["starts refused"] += 1
            if daemon.process.returncode is None or daemon.process.returncode < 0:
                self.wrong.append(f"the start ended with {daemon.process.returncode}")
                daemon.process.kill()
                daemon.process.wait()
            self.judge_log(daemon, begin)
            return
        wait_until(lambda: [line for line in daemon.log(begin) if line["event"] == "database_checked"] or daemon.process.poll() is not None, 60, "the check's end")
        client = Client(daemon.port)
        try:
            answers = [(path, self.ask(client, path)) for path in self.paths + self.lists]
            ready = client.get("/readyz")
            said = [line["event"] for line in daemon.log(begin) if line["event"] in ("commits_lost", "database_damaged", "row_damaged")]
            self.counts["trials with reported damage"] += bool(said)
            for path, answer in answers:
                self.judge(path, answer, said, in_log)
            if said and "detail" not in ready.json:
                self.unsaid.append(f"the log reports {said}, but /readyz does not")
            if not said and estimate(client) != self.estimated:
                self.wrong.append("an estimate differs, but the daemon reports no damage")
            self.judge_log(daemon, begin)
        except Gone as error:
            self.wrong.append(f"the daemon died: {error}, {daemon.process.poll()}")
        client.close()
        daemon.signal(signal.SIGTERM)
        if daemon.process.wait(60) not in (0, 74):
            self.wrong.append(f"the daemon ended with {daemon.process.returncode}")


def is_json(body):
    try:
        json.loads(body)
        return True
    except ValueError:
        return False


def rows_of(answer):
    return answer if isinstance(answer, list) else answer.get("items", [answer])


def first_difference(before, after):
    try:
        before, after = json.loads(before), json.loads(after)
        if isinstance(before, list) or "items" in before:
            before, after = {"items": rows_of(before)}, {"items": rows_of(after)}
            rows = {row["id"]: row for row in after["items"]}
            missing = [row["id"] for row in before["items"] if row["id"] not in rows]
            other = [(row, rows[row["id"]]) for row in before["items"] if row["id"] in rows and rows[row["id"]] != row]
            return f"{len(missing)} missing rows, {len(other)} others, {len(rows) + len(missing) - len(before['items'])} more: {missing[:2]}" + (
                f" {[(name, other[0][0].get(name), other[0][1].get(name)) for name in other[0][0] if other[0][0].get(name) != other[0][1].get(name)]}"[:300] if other else "")
        return str([(name, before.get(name), after.get(name)) for name in set(before) | set(after) if before.get(name) != after.get(name)])[:300]
    except (ValueError, TypeError, KeyError):
        return f"{len(after)} bytes instead of {len(before)}"


def run(size, report):
    trials = Trials(size, report)
    # A file beyond 16 MB (650 plans) is checked soon after the start instead of before it. Each case: plans in the
    # file; whether the daemon was killed and the flips hit its log; whether they hit only pages of b-trees; flips per
    # trial; trials.
    for plans, in_log, of_tree, flips, count in ((30, False, True, 3, size.count(3, 200)), (30, False, False, 8, size.count(2, 100)), (30, True, False, 4, size.count(3, 200)),
                                                 (650, False, True, 30, size.count(1, 60) * size.full), (650, False, False, 100, size.count(1, 60) * size.full)):
        if count == 0:
            continue
        with tempfile.TemporaryDirectory() as base:
            trials.base(base, plans, in_log)
            for _ in range(count):
                with tempfile.TemporaryDirectory() as folder:
                    trials.trial(base, folder, in_log, of_tree, flips)
    for name, value in trials.counts.items():
        report.figure(name, value)
    report.figure("wrong 200", len(trials.wrong))
    report.figure("losses not reported", len(trials.unsaid))
    for fault in trials.wrong + trials.unsaid:
        report.must(False, fault)
    report.must(trials.counts["refused"] + trials.counts["starts refused"] > 0 and trials.counts["the same"] > 0, "the storm did too little to prove anything")
