#!/usr/bin/env python3
"""Counts the gaps of a real trace one by one, to compare with POST /v1/diagnoses, which never holds two events at once.

usage: gap_by_gap.py TRACE.json[.gz]...   (FLEETPLAN_URL: a daemon to compare with, default none)"""
import gzip
import json
import os
import sys
import urllib.request

LATENCY_US = 10  # E80
ON_DEVICE, CALLS = {"kernel", "gpu_memcpy", "gpu_memset"}, {"cuda_runtime", "cuda_driver"}


def is_step(event):
    return event["name"].startswith("ProfilerStep") and event.get("cat") != "gpu_user_annotation"


def gaps_ms(events):
    """Returns the milliseconds in which the device rests: the host is late, the device waits for itself, it passes from
    one kernel to the next, or the reason is unknown. Each gap is judged by the call of the kernel that ends it."""
    events = [event for event in events if event.get("ph") == "X"]
    device = sorted((event for event in events if event.get("cat") in ON_DEVICE), key=lambda event: event["ts"])
    calls = {event["args"]["correlation"]: event["ts"] + event["dur"] for event in events
             if event.get("cat") in CALLS and "correlation" in event.get("args", {})}
    begin = min([event["ts"] for event in events if is_step(event)] or [device[0]["ts"]])
    end, parts = begin, {"host": 0.0, "device": 0.0, "passing": 0.0, "unknown": 0.0}
    for event in device:
        start, called = max(event["ts"], begin), calls.get(event.get("args", {}).get("correlation"))
        if start > end:
            late = start - end if called is None else min(start - end, max(0, called + LATENCY_US - end))
            rest = start - end - late
            parts["unknown" if called is None else "host"] += late / 1000
            parts["device" if rest > LATENCY_US else "passing"] += rest / 1000
        end = max(end, event["ts"] + event["dur"])
    return parts


def ask(url, raw):
    request = urllib.request.Request(url + "/v1/diagnoses", raw, {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))["result"]


def main():
    for path in sys.argv[1:]:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            raw = file.read()
        trace = json.loads(raw)
        events = trace["traceEvents"] if isinstance(trace, dict) else trace
        steps = max(1, len({event["name"] for event in events if event.get("ph") == "X" and is_step(event)}))
        print(os.path.basename(path), {name: round(ms / steps, 2) for name, ms in gaps_ms(events).items()})
        if os.environ.get("FLEETPLAN_URL"):
            timings = ask(os.environ["FLEETPLAN_URL"], raw)["timings"]
            print("  answered", {name: round(timings.get(name, 0), 2) for name in ("launch_gap_ms", "device_wait_ms", "data_wait_ms", "idle_ms")})


if __name__ == "__main__":
    main()
