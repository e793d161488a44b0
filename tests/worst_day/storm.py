"""What every storm of the worst day shares: how large it is, what it counted, and what it must hold.

A storm is a file with NAME, PROMISE and `run(size, report)`. It draws from `size.random`, so that a seed gives the same storm again, as far as
threads let it. It may be judged in two ways: `report.must` holds always; `report.bound` holds in the full form alone, because it is a time,
and a machine that is shared breaks times without a fault in the product."""
import json
import math
import pathlib
import random
import sys
import time

UNDER = ""  # asan, tsan, valgrind, when run.py says so: then memory is no measure, and nothing is loaded into the daemon
SLOWER = 1  # how much longer a storm blows then, so that as much happens
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "server"))


class Size:
    """How large a storm is: `short` for CI, else `factor` of the full counts."""

    def __init__(self, full, factor=1.0, seed=1, build=ROOT / "build" / "release"):
        self.full, self.factor, self.seed, self.build = full, factor, seed, pathlib.Path(build).resolve()
        self.random = random.Random(seed)

    def count(self, short, full):
        return max(1, round(full * self.factor)) if self.full else short


class Report:
    """Figures of one storm, in the order in which they were told, and what was broken."""

    def __init__(self, name, full):
        self.name, self.full, self.figures, self.broken = name, full, {}, []

    def figure(self, name, value):
        self.figures[name] = round(value, 4 - int(math.floor(math.log10(abs(value))))) if isinstance(value, float) and value else value

    def must(self, holds, what):
        if not holds:
            self.broken.append(what if isinstance(what, str) else json.dumps(what))

    def bound(self, name, value, most, least=None):
        """A figure with the bound of the table."""
        self.figure(name, value)
        if self.full and (value > most or (least is not None and value < least)):
            self.broken.append(f"{name} is {value:.4g}, the bound is {most if least is None else (least, most)}")

    def text(self):
        told = ", ".join(f"{value:,} {name}" if isinstance(value, int) else f"{name} {value}" for name, value in self.figures.items())
        return f"{self.name}: {told}" + "".join(f"\n  BROKEN: {what}" for what in self.broken[:20])


def percentile(values, percent):
    """The least value that is not below `percent` of all; NaN of none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)] if ordered else math.nan


def process_figures(pid):
    """Resident bytes, open descriptors and threads of a process."""
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    return {"bytes": int(status["VmRSS"].split()[0]) * 1024, "descriptors": len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir())),
            "threads": int(status["Threads"])}


def wait_until(condition, seconds, what):
    """The first true value; a bound, not a promise."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s: {what}")
