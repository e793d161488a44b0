"""Kills the daemon with kill -9 under mixed work. A history checker reports any acknowledged change that was lost,
doubled or torn."""
import tempfile
import time

from conftest import Daemon
from mixed import Mixed
from storm import SLOWER, percentile

NAME = "kill -9 under mixed work"
PROMISE = "0 acknowledged lost, 0 doubled, ready within 100 ms"
ROUNDS_A_FILE = 25


def one_file(folder, rounds, size, totals):
    daemon, mixed = Daemon(folder, "--own-devices=no"), Mixed(size.random.random())
    for _ in range(rounds):
        def kill():
            daemon.process.kill()
            daemon.process.wait()
        mixed.blow(daemon, (0.02 + size.random.random() * 0.3) * SLOWER, kill)
        begin = daemon.log_path.stat().st_size
        began = time.monotonic()
        daemon.start()
        totals["ready"].append(time.monotonic() - began)
        totals["faults"] += [f"the daemon reports commits_lost: {line}" for line in daemon.log(begin) if line["event"] == "commits_lost"]
        totals["faults"] += mixed.check(daemon)
    assert daemon.stop() == 0
    for name in ("acknowledged", "unanswered"):
        totals[name] += getattr(mixed.history, name)
    for name in ("leases", "results", "retried"):
        totals[name] += mixed.counts[name]
    for status, count in mixed.statuses.items():
        totals["server_errors"] += count if status >= 500 else 0


def run(size, report):
    kills = size.count(short=6, full=1000)
    totals = {"ready": [], "faults": [], "acknowledged": 0, "unanswered": 0, "leases": 0, "results": 0, "retried": 0, "server_errors": 0}
    for first in range(0, kills, ROUNDS_A_FILE):
        with tempfile.TemporaryDirectory() as folder:
            one_file(folder, min(ROUNDS_A_FILE, kills - first), size, totals)
    report.figure("kills", kills)
    report.figure("changes acknowledged", totals["acknowledged"])
    report.figure("requests without an answer", totals["unanswered"])
    report.figure("leases", totals["leases"])
    report.figure("results", totals["results"])
    report.figure("lost, doubled or torn", len(totals["faults"]))
    report.figure("answers 5xx", totals["server_errors"])
    report.figure("ms to ready (median)", percentile(totals["ready"], 50) * 1000)
    report.bound("ms to ready (maximum)", max(totals["ready"]) * 1000, 100)
    for fault in totals["faults"]:
        report.must(False, fault)
    report.must(totals["acknowledged"] > kills and totals["leases"] > 0 and totals["results"] > 0, "the storm did too little to prove anything")
    report.must(totals["server_errors"] == 0, "answers of 5xx")
