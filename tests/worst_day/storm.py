"""What all storms of the worst day share: their size, their figures, and their judgements.

A storm is a file with NAME, PROMISE and `run(size, report)`. It draws from `size.random`: a seed gives the same storm
again, as far as threads allow. It has two kinds of judgement. `report.must` always applies. `report.bound` applies only
in the full form, because it judges a time, and on a shared machine times break without a fault in the product."""
import json
import math
import pathlib
import random
import sys
import time

UNDER = ""  # asan, tsan or valgrind, set by run.py: then memory is not judged, and no library is loaded into the daemon
SLOWER = 1  # multiplies the duration of a storm under such a tool, so that as much happens
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "server"))


class Size:
    """The size of a storm: `short` for CI, else `factor` of the full counts."""

    def __init__(self, full, factor=1.0, seed=1, build=ROOT / "build" / "release"):
        self.full, self.factor, self.seed, self.build = full, factor, seed, pathlib.Path(build).resolve()
        self.random = random.Random(seed)

    def count(self, short, full):
        return max(1, round(full * self.factor)) if self.full else short


class Report:
    """The figures of one storm, in the order of their calls, and its broken judgements."""

    def __init__(self, name, full):
        self.name, self.full, self.figures, self.broken = name, full, {}, []

    def figure(self, name, value):
        self.figures[name] = round(value, 4 - int(math.floor(math.log10(abs(value))))) if isinstance(value, float) and value else value

    def must(self, holds, what):
        if not holds:
            self.broken.append(what if isinstance(what, str) else json.dumps(what))

    def bound(self, name, value, most, least=None):
        """Records a figure and judges it against a bound of the table in docs/robustness.md."""
        self.figure(name, value)
        if self.full and (value > most or (least is not None and value < least)):
            self.broken.append(f"{name} is {value:.4g}, the bound is {most if least is None else (least, most)}")

    def text(self):
        told = ", ".join(f"{value:,} {name}" if isinstance(value, int) else f"{name} {value}" for name, value in self.figures.items())
        return f"{self.name}: {told}" + "".join(f"\n  BROKEN: {what}" for what in self.broken[:20])


def percentile(values, percent):
    """Returns the least value that is not below `percent` per cent of all; NaN for an empty list."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)] if ordered else math.nan


def process_figures(pid):
    """Returns the resident bytes, open descriptors and threads of a process."""
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    return {"bytes": int(status["VmRSS"].split()[0]) * 1024, "descriptors": len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir())),
            "threads": int(status["Threads"])}


def wait_until(condition, seconds, what):
    """Polls until the condition is true and returns its value. The time is a limit for failures, not a measured
    bound."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"this did not happen within {seconds} s: {what}")
