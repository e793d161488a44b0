"""Cuts the power under mixed work. The daemon's database is on a disk (worst_day/power.c) that loses unsynced data,
sector by sector. The checker is the same as for kill -9. Every tenth file is on a disk that ignores syncs: there the
checker must find a loss, or the power cuts prove nothing."""
import signal
import tempfile

from conftest import Daemon
from mixed import Mixed

NAME = "power cuts under mixed work"
PROMISE = "0 acknowledged lost, 0 doubled"
ROUNDS_A_FILE = 25


def start(daemon, size, lies=False):
    daemon.environment |= {"LD_PRELOAD": str(size.build / "tests/worst_day/power.so"), "POWER_SEED": str(size.random.randrange(1 << 48))}
    if lies:
        daemon.environment["POWER_LIES"] = "1"
    daemon.start()


def cut(daemon):
    daemon.signal(signal.SIGRTMIN + 5)
    daemon.process.wait(60)


def one_file(folder, rounds, size, totals):
    daemon, mixed = Daemon(folder, "--own-devices=no", expect_start=False), Mixed(size.random.random())
    start(daemon, size)
    for _ in range(rounds):
        begin = daemon.log_path.stat().st_size
        mixed.blow(daemon, 0.02 + size.random.random() * 0.3, lambda: cut(daemon))
        assert daemon.process.returncode == -signal.SIGKILL, daemon.process.returncode
        told = [line for line in daemon.log(begin) if line["event"] == "power_cut"]
        assert len(told) == 1, "the power was not cut"
        totals["kept"] += told[0]["sectors_kept"]
        totals["lost"] += told[0]["sectors_lost"]
        begin = daemon.log_path.stat().st_size
        start(daemon, size)
        totals["faults"] += [f"the daemon reports commits_lost: {line}" for line in daemon.log(begin) if line["event"] == "commits_lost"]
        totals["faults"] += mixed.check(daemon)
    assert daemon.stop() == 0
    totals["acknowledged"] += mixed.history.acknowledged
    totals["unanswered"] += mixed.history.unanswered
    totals["results"] += mixed.counts["results"]


def lie(folder, size):
    """Returns the faults that the checker and the start report on a disk that ignores syncs."""
    daemon, mixed = Daemon(folder, "--own-devices=no", expect_start=False), Mixed(size.random.random())
    start(daemon, size, lies=True)
    mixed.blow(daemon, 0.3, lambda: cut(daemon))
    try:
        start(daemon, size)
        faults = mixed.check(daemon)
        daemon.process.kill()
        daemon.process.wait()
    except (RuntimeError, AssertionError) as error:
        return [f"the daemon did not start: {error}"[:200]]
    return faults


def run(size, report):
    cuts = size.count(short=5, full=1000)
    totals = {"faults": [], "acknowledged": 0, "unanswered": 0, "results": 0, "kept": 0, "lost": 0}
    told_lies = lies = 0
    for first in range(0, cuts, ROUNDS_A_FILE):
        with tempfile.TemporaryDirectory() as folder:
            one_file(folder, min(ROUNDS_A_FILE, cuts - first), size, totals)
        if first % (10 * ROUNDS_A_FILE) == 0:
            for _ in range(5):
                with tempfile.TemporaryDirectory() as folder:
                    lies += 1
                    told_lies += bool(lie(folder, size))
    report.figure("power cuts", cuts)
    report.figure("changes acknowledged", totals["acknowledged"])
    report.figure("requests without an answer", totals["unanswered"])
    report.figure("results", totals["results"])
    report.figure("unsynced sectors lost", totals["lost"])
    report.figure("unsynced sectors kept", totals["kept"])
    report.figure("lost, doubled or torn", len(totals["faults"]))
    report.figure(f"of {lies} disks that ignore syncs were detected", told_lies)
    for fault in totals["faults"]:
        report.must(False, fault)
    report.must(totals["acknowledged"] > cuts and totals["lost"] > 0, "the storm did too little to prove anything")
    report.must(told_lies > 0, "no loss was found on a disk that ignores syncs: the power cuts prove nothing")
