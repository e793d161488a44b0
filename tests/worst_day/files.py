"""Deletes, replaces, links or moves the file of a working daemon, makes it read-only, and puts it on a full disk and on
a slow one, each many times. Also starts second daemons by every name of the file. Clients continue to write meanwhile.
Acknowledged changes must survive kill -9, once the file has its name again. A second daemon must be refused."""
import contextlib
import errno
import os
import pathlib
import subprocess
import tempfile
import time

from calls import FOR_GOOD, Calls
from conftest import PROGRAM, Daemon
from mixed import Client, Gone, Mixed
from storm import UNDER, percentile, wait_until

NAME = "the file beneath the daemon"
PROMISE = "0 acknowledgements lost, all second daemons refused"
SLOW_MS = 50


def delete(daemon, away):
    os.link(daemon.database, away)  # the check afterwards needs the deleted file; until then it has two names, which the daemon refuses too
    daemon.database.unlink()


def replace(daemon, away):
    fresh = daemon.database.with_suffix(".fresh")
    fresh.write_bytes(b"")
    os.link(daemon.database, away)
    fresh.rename(daemon.database)


def move(daemon, away):
    daemon.database.rename(away)


def link(daemon, away):
    os.link(daemon.database, away)


def put_back(daemon, away):
    if away.exists():
        away.rename(daemon.database) if not daemon.database.exists() or not daemon.database.samefile(away) else away.unlink()


def delete_log(daemon, away):
    log = pathlib.Path(str(daemon.database) + "-wal")
    os.link(log, away)
    log.unlink()


def put_log_back(daemon, away):
    if away.exists():
        away.rename(str(daemon.database) + "-wal")


HAPPENINGS = {"deleted": (delete, put_back), "replaced": (replace, put_back), "moved": (move, put_back), "linked": (link, put_back),
              "log deleted": (delete_log, put_log_back)}


def refused_while(daemon):
    """Polls until the daemon reports that it is not ready."""
    client = Client(daemon.port)
    try:
        wait_until(lambda: client.get("/readyz").status == 503, 20, "/readyz reports that the file is not the daemon's")
    finally:
        client.close()


def wait_healed(daemon):
    client = Client(daemon.port)
    try:
        wait_until(lambda: client.get("/readyz").status == 200, 20, "it heals")
    except Gone as error:
        raise AssertionError(f"the connection ended, the daemon's exit is {daemon.process.poll()}: {daemon.log()[-5:]}") from error
    finally:
        client.close()


def one_happening(daemon, mixed, happen, undo, size):
    """Under writers: changes the file, waits until the daemon reports it, undoes the change, and waits until the daemon
    recovers. Then kill -9, and the acknowledged changes must be there."""
    away = daemon.database.with_suffix(".away")

    def end():
        happen(daemon, away)
        refused_while(daemon)
        if size.random.random() < 0.5:
            undo(daemon, away)
            wait_healed(daemon)
            time.sleep(0.05)
        daemon.process.kill()
        daemon.process.wait()
        undo(daemon, away)

    mixed.blow(daemon, 0.05 + size.random.random() * 0.1, end)
    daemon.start()
    return mixed.check(daemon)


def happenings(folder, name, count, size, totals):
    happen, undo = HAPPENINGS[name]
    daemon, mixed = Daemon(folder, "--own-devices=no"), Mixed(size.random.random())
    for _ in range(count):
        totals["faults"] += [f"{name}: {fault}" for fault in one_happening(daemon, mixed, happen, undo, size)]
    assert daemon.stop() == 0
    totals["acknowledged"] += mixed.history.acknowledged


@contextlib.contextmanager
def disk(parent, megabytes):
    """Mounts a file system of `megabytes`; None if it cannot be mounted."""
    folder = pathlib.Path(parent) / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)], capture_output=True, check=False)
    try:
        yield folder if made.returncode == 0 else None
    finally:
        if made.returncode == 0:
            subprocess.run(["umount", "-l", str(folder)], check=True)


def fill_up(folder):
    with open(folder / "filler", "ab", buffering=0) as filler:
        with contextlib.suppress(OSError):
            while True:
                filler.write(b"x" * 65536)


def disks(parent, name, count, size, totals):
    """Makes a disk full, or read-only, under writers: the daemon refuses writes and recovers. Then kill -9."""
    with disk(parent, 48 + 4 * count) as folder:  # the database grows each time
        if folder is None:
            return 0  # mounting needs the privilege
        daemon, mixed = Daemon(folder, "--own-devices=no", expect_start=False), Mixed(size.random.random())
        daemon.log_path = pathlib.Path(parent) / "log.jsonl"
        control = None if name == "full" else Calls(daemon, size)
        daemon.start()
        for _ in range(count):
            def end():
                if name == "full":
                    fill_up(folder)
                else:
                    control.fail("write", 1, FOR_GOOD, errno.EROFS)
                time.sleep(0.1)
                if name == "full":
                    (folder / "filler").unlink()
                else:
                    control.heal()
                wait_healed(daemon)
                time.sleep(0.05)
                daemon.process.kill()
                daemon.process.wait()
            mixed.blow(daemon, 0.05 + size.random.random() * 0.1, end)
            daemon.start()
            totals["faults"] += [f"{name}: {fault}" for fault in mixed.check(daemon)]
        assert daemon.stop() == 0
        totals["acknowledged"] += mixed.history.acknowledged
        totals["refused"] += mixed.statuses[507] + mixed.statuses[503]
        return count


def slow(folder, size, seconds, totals):
    """Every sync takes 50 ms: writes are slow, reads are not, and nothing is lost."""
    daemon, mixed = Daemon(folder, "--own-devices=no", expect_start=False), Mixed(size.random.random())
    control = Calls(daemon, size)
    daemon.start()
    control.sync_ms(SLOW_MS)
    took = []

    def end():
        client, until = Client(daemon.port), time.monotonic() + seconds
        while time.monotonic() < until:
            began = time.monotonic()
            assert client.get("/v1/prices/storm.1").status in (200, 404)
            took.append(time.monotonic() - began)
            time.sleep(0.005)
        client.close()
        daemon.process.kill()
        daemon.process.wait()

    mixed.blow(daemon, 0.1, end)
    daemon.start()
    totals["faults"] += [f"slow: {fault}" for fault in mixed.check(daemon)]
    assert daemon.stop() == 0
    totals["acknowledged"] += mixed.history.acknowledged
    return took


def second_daemons(folder, count, size, totals):
    daemon, mixed = Daemon(folder, "--own-devices=no"), Mixed(size.random.random())
    refused = 0

    def end():
        nonlocal refused
        for number in range(count):
            other = daemon.database
            if number % 3:
                other = daemon.database.with_suffix(f".other{number}")
                (os.link if number % 3 == 1 else os.symlink)(daemon.database, other)
            second = subprocess.run([PROGRAM, "serve", "--listen", "127.0.0.1:0", "--database", str(other)], capture_output=True, text=True, timeout=60, check=False)
            refused += second.returncode in (74, 75) and '"ready"' not in second.stderr
            if number % 3:
                other.unlink()
        daemon.process.kill()
        daemon.process.wait()

    mixed.blow(daemon, 0.05, end)
    daemon.start()
    totals["faults"] += [f"second daemons: {fault}" for fault in mixed.check(daemon)]
    assert daemon.stop() == 0
    totals["acknowledged"] += mixed.history.acknowledged
    return refused


def run(size, report):
    totals = {"faults": [], "acknowledged": 0, "refused": 0}
    count = size.count(short=1, full=100)
    for name in HAPPENINGS:
        with tempfile.TemporaryDirectory() as folder:
            happenings(folder, name, count, size, totals)
        report.figure(name, count)
    for name in ("full", ) if UNDER else ("full", "read-only"):
        with tempfile.TemporaryDirectory() as folder:
            report.figure(name, disks(folder, name, count, size, totals))
    if not UNDER:
        with tempfile.TemporaryDirectory() as folder:
            took = slow(folder, size, 0.5 if not size.full else 10, totals)
            report.figure(f"ms per read (p99) while a sync takes {SLOW_MS} ms", percentile(took, 99) * 1000)
    seconds = size.count(short=3, full=100)
    with tempfile.TemporaryDirectory() as folder:
        refused = second_daemons(folder, seconds, size, totals)
    report.figure("second daemons", seconds)
    report.figure("of them refused", refused)
    report.figure("changes acknowledged", totals["acknowledged"])
    report.figure("acknowledgements lost", len(totals["faults"]))
    for fault in totals["faults"]:
        report.must(False, fault)
    report.must(refused == seconds, "a second daemon was not refused")
    report.must(totals["acknowledged"] > count, "the storm did too little to prove anything")
