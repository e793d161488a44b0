#!/usr/bin/python3 -S
"""A benchmark worker that plays the words in the file FAKE_WORKER_PLAY: one word for each run; the last word repeats.

It uses the worker's protocol on descriptor 3, offers the device FAKE_WORKER_DEVICE, and records when it ran: lines
"DEVICE PID begin|end|collision SECONDS" in FAKE_WORKER_TRACE, by the clock that all processes of a machine share."""
import fcntl
import json
import os
import signal
import sys
import time

DEVICE = os.environ["FAKE_WORKER_DEVICE"]
FOLDER = os.path.dirname(os.environ["FAKE_WORKER_PLAY"])


def say(**line):
    os.write(3, json.dumps(line).encode() + b"\n")


def trace(what):
    with open(os.environ["FAKE_WORKER_TRACE"], "a", encoding="ascii") as file:
        file.write(f"{DEVICE} {os.getpid()} {what} {time.clock_gettime(time.CLOCK_MONOTONIC):.3f}\n")


def device():
    say(type="device", id=DEVICE, backend="cpu", name="Fake CPU", uuid=DEVICE, vendor="fake", accelerator="cpu-fake-2t", driver="none",
        instruction_set="fake", memory_bytes=16e9, threads=2)


def measure(test, method, median, **more):
    say(type="measure", test=test, method=method, unit="x", n=9, min=median * 0.98, p10=median * 0.99, median=median, p90=median * 1.01,
        max=median * 1.02, verified=True, unstable=False, **more)


def result(status="ok", **more):
    say(type="result", status=status, suite="quick", budget_s=10, elapsed_s=1, **more)


def next_word():
    path = os.environ["FAKE_WORKER_PLAY"]
    with open(path, "r+", encoding="ascii") as file:
        words = file.read().split()
        if len(words) > 1:
            file.seek(0)
            file.truncate()
            file.write(" ".join(words[1:]))
    return words[0]


def good():
    measure("launch_round_trip", "thread_wake", 1e-5)
    measure("stream_read", "stream", 50e9)
    measure("stream_triad", "stream", 40e9)
    measure("issue_rate_fp32", "issue_rate", 500e9, precision="fp32")
    measure("gemm_library_fp32", "library_gemm", 250e9, precision="fp32", flops=1e10)
    result()
    return 0


def work(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        say(type="progress", test="stream_read", elapsed_ms=1)
        time.sleep(0.05)


def play(word):
    name, _, number = word.partition(":")
    if name == "ok":
        work(float(number or 0))
        return good()
    if name == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        work(600)
    if name == "garbage":
        os.write(3, b"\x00\xff{]not a line\n")
    if name == "long_line":
        for _ in range(160):
            os.write(3, b"x" * 65536)
    if name == "two_results":
        result()
        result()
    if name == "busy":
        result("busy", reason="somebody else measures")
        return 75
    if name == "gone":
        result("failed", reason="no such device; see --list")
        return 1
    return 0


def main():
    say(type="hello", proto=1, worker_version="fake", pid=os.getpid())
    if "--list" in sys.argv:
        if not os.path.exists(os.path.join(FOLDER, "gone")):
            device()
        result()
        return 0
    word = next_word()
    device()
    lock = os.open(os.path.join(FOLDER, DEVICE + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        trace("begin")
    except OSError:
        trace("collision")
    code = play(word)
    trace("end")
    return code


if os.environ.pop("LD_PRELOAD", None):  # only the agent's clock is wrong, not the worker's
    os.execv(sys.argv[0], sys.argv)
sys.exit(main())
