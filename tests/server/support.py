"""Helpers of several HTTP tests. What belongs to one daemon is a method of conftest.Daemon."""
import datetime
import math
import pathlib
import re
import time

FINISHED = ("succeeded", "failed", "cancelled", "expired")


def until(condition, seconds=120, what="it"):
    """Polls until the condition is true and returns its value. The time is a limit for failures, not a measured
    bound."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"this did not happen within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.02)


def wait_state(daemon, path, states=FINISHED, seconds=120, headers=None):
    """Waits until a job or a benchmark is in one of the states, and returns it."""
    seen = {}

    def arrived():
        seen.update(row=daemon.get(path, headers).json)
        return seen["row"]["state"] in states

    until(arrived, seconds, lambda: str(seen["row"])[:2000])
    return seen["row"]


def close(a, b, tolerance=1e-9):
    return math.isclose(a, b, rel_tol=tolerance)


def bearer(key, **more):
    return {"Authorization": f"Bearer {key}"} | more


def seconds_of(text):
    """Returns the seconds since 1970 of an RFC 3339 time."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def memory_bytes(daemon, key="VmHWM"):
    status = pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text()
    return int(re.search(rf"{key}:\s+(\d+)", status)[1]) << 10


def answer_of(daemon, path, body, status=200):
    answer = daemon.post(path, body)
    assert answer.status == status, answer.text
    return answer.json


def estimate(daemon, body, kind="training"):
    return answer_of(daemon, f"/v1/estimates/{kind}", body)["result"]


def refused(daemon, path, body, slug):
    """Returns the problem and its faults by pointer. Members that are None are left out of the body."""
    answer = daemon.post(path, {key: value for key, value in body.items() if value is not None})
    assert answer.status == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json" and answer.json["type"].endswith("/" + slug), answer.text
    return answer.json, {fault["pointer"]: fault["detail"] for fault in answer.json.get("errors", [])}


def best(plan):
    return plan["result"]["recommended"]


def assumptions(result, field):
    return [row for row in result["assumptions"] if row["field"] == field]


def assumed(plan, field):
    """Returns the first row of a plan's assumptions for a field; None if there is none."""
    return next(iter(assumptions(plan["result"], field)), None)


def without_times(plan):
    """Removes members that differ between computations."""
    for name in ("id", "created_at", "updated_at", "computed_at"):
        plan.pop(name, None)
    plan["result"].get("search", {}).pop("elapsed_ms", None)
    return plan


def revision(daemon):
    return daemon.get("/v1/catalogue").json["revision"]


def queue(daemon, headers=None, **body):
    """Queues a benchmark and returns its id."""
    answer = daemon.post("/v1/benchmarks", {"suite": "quick"} | body, headers)
    assert answer.status == 202, answer.text
    return answer.json["id"]
