#!/usr/bin/python3
"""The worst day: one storm after the other against the real daemon. Prints a line of figures a storm; the exit status is 1 where one was broken.

usage: run.py [--full] [--factor F] [--seed N] [--build FOLDER] [--only STORM,...] [--under asan|tsan|valgrind]
--full takes the counts of docs/robustness.md and judges its times too; --factor is what part of these counts. Without it the counts are small,
and only what no slow machine changes is judged: what is lost, doubled, answered wrongly, or held.

--under names what looks at the daemon meanwhile: any finding breaks the storm, and no time or memory is judged. asan and tsan are of the build that
FLEETPLAN_PROGRAM names. Storms that load a library into the daemon are left out: a sanitizer wants to be the first, and valgrind replaces malloc."""
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
    """Sets the environment for the daemons to come, so that each finding becomes a file in the folder."""
    if tool == "valgrind":
        os.environ["FLEETPLAN_WRAPPER"] = VALGRIND.format(folder)
    if tool == "tsan":  # whose allocator does not get its addresses now and then where 32 bits of them are drawn at random
        os.environ["FLEETPLAN_WRAPPER"] = "setarch -R"
    os.environ["ASAN_OPTIONS"] = f"log_path={folder}/finding:detect_stack_use_after_return=0"
    os.environ["UBSAN_OPTIONS"] = f"log_path={folder}/finding:print_stacktrace=1"
    os.environ["TSAN_OPTIONS"] = f"log_path={folder}/finding:second_deadlock_stack=1"
    storm.UNDER, storm.SLOWER = tool, {"asan": 5, "tsan": 10, "valgrind": 60}[tool]


def findings(folder):
    """What was found since the last look."""
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
        except Exception:  # a storm that breaks is a finding; the others go on
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
