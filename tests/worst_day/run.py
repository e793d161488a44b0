#!/usr/bin/python3
"""The worst day: one storm after the other against the real daemon. Prints a line of figures a storm; the exit status is 1 where one was broken.

usage: run.py [--full] [--factor F] [--seed N] [--build FOLDER] [--only STORM,...]
--full takes the counts of docs/robustness.md and judges its times too; --factor is what part of these counts. Without it the counts are small,
and only what no slow machine changes is judged: what is lost, doubled, answered wrongly, or held."""
import argparse
import importlib
import json
import pathlib
import resource
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from storm import ROOT, Report, Size  # noqa: E402  pylint: disable=wrong-import-position

STORMS = ("kills", "power_cuts", "flips", "files", "calls", "unread", "clients", "clock", "day")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--full", action="store_true")
    options.add_argument("--factor", type=float, default=1.0)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--build", default=str(ROOT / "build" / "release"))
    options.add_argument("--only", default="", help="of " + ",".join(STORMS))
    given = options.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    broken, told = 0, {}
    for name in given.only.split(",") if given.only else STORMS:
        storm = importlib.import_module(name)
        report, began = Report(storm.NAME, given.full), time.monotonic()
        try:
            storm.run(Size(given.full, given.factor, given.seed, given.build), report)
        except Exception:  # a storm that breaks is a finding; the others go on
            report.must(False, traceback.format_exc())
        report.figure("seconds", time.monotonic() - began)
        print(report.text(), flush=True)
        broken += bool(report.broken)
        told[name] = report.figures | {"broken": report.broken}
    (pathlib.Path(given.build) / "worst-day.json").write_text(json.dumps(told, indent=1))
    print(f"{len(told) - broken} passed, {broken} failed")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
