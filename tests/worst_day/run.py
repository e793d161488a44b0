#!/usr/bin/python3
"""The worst day: runs one storm after the other against the real daemon. Prints a line of figures for each storm. The
exit status is 1 if a storm was broken.

usage: run.py [--full] [--factor F] [--seed N] [--build FOLDER] [--only STORM,...] [--under asan|tsan|valgrind]
--full uses the counts of docs/robustness.md and judges times too; --factor multiplies these counts. Without --full the
counts are small, and a slow machine changes no judgement: the storms judge losses, duplicates, wrong answers and leaks.

--under names the tool that checks the daemon meanwhile. Any finding breaks the storm; times and memory are not judged.
asan and tsan need the build that FLEETPLAN_PROGRAM names. Storms that load a library into the daemon are left out: a
sanitizer must be the first library, and valgrind replaces malloc itself."""
import argparse
import importlib
import json
import os
import pathlib
import resource
import sys
import tempfile
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import storm  # noqa: E402  pylint: disable=wrong-import-position
from storm import ROOT, Report, Size  # noqa: E402  pylint: disable=wrong-import-position

STORMS = ("kills", "power_cuts", "flips", "files", "calls", "unread", "clients", "clock", "day")


LOADED = ("power_cuts", "calls", "clock")  # they load a library into the daemon
VALGRIND = "valgrind --quiet --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --num-callers=30 --fair-sched=yes --error-exitcode=99 --log-file={}/finding.%p"


def look_under(tool, folder):
    """Sets the environment for the next daemons, so that each finding becomes a file in the folder."""
    if tool == "valgrind":
        os.environ["FLEETPLAN_WRAPPER"] = VALGRIND.format(folder)
    if tool == "tsan":  # its allocator sometimes fails to start with 32 bits of address randomisation
        os.environ["FLEETPLAN_WRAPPER"] = "setarch -R"
    os.environ["ASAN_OPTIONS"] = f"log_path={folder}/finding:detect_stack_use_after_return=0"
    os.environ["UBSAN_OPTIONS"] = f"log_path={folder}/finding:print_stacktrace=1"
    os.environ["TSAN_OPTIONS"] = f"log_path={folder}/finding:second_deadlock_stack=1"
    storm.UNDER, storm.SLOWER = tool, {"asan": 5, "tsan": 10, "valgrind": 60}[tool]


def findings(folder):
    """Returns the findings since the last call."""
    for path in sorted(pathlib.Path(folder).glob("finding*")):
        text = path.read_text(errors="replace")
        path.unlink()
        if text.strip():
            yield text[:6000]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--full", action="store_true")
    options.add_argument("--factor", type=float, default=1.0)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--build", default=str(ROOT / "build" / "release"))
    options.add_argument("--only", default="", help="of " + ",".join(STORMS))
    options.add_argument("--under", default="", choices=["", "asan", "tsan", "valgrind"])
    given = options.parse_args()
    found = tempfile.mkdtemp(prefix="worst-day-")
    if given.under:
        look_under(given.under, found)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    broken, told = 0, {}
    for name in given.only.split(",") if given.only else [name for name in STORMS if not given.under or name not in LOADED]:
        one = importlib.import_module(name)
        report, began = Report(one.NAME, given.full and not given.under), time.monotonic()
        try:
            one.run(Size(given.full, given.factor, given.seed, given.build), report)
        except Exception:  # a storm that raises is a finding; the others continue
            report.must(False, traceback.format_exc())
        if given.under:
            reports = list(findings(found))
            report.figure(f"findings of {given.under}", len(reports))
            for text in reports:
                report.must(False, text)
        report.figure("seconds", time.monotonic() - began)
        print(report.text(), flush=True)
        broken += bool(report.broken)
        told[name] = report.figures | {"broken": report.broken}
    (pathlib.Path(given.build) / "worst-day.json").write_text(json.dumps(told, indent=1))
    print(f"{len(told) - broken} passed, {broken} failed")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
