#!/usr/bin/env python3
"""Sends a trace of 255 MiB to the daemon, plain and packed. Prints how long it takes and how far the daemon's memory
grows. Not part of the suite.

usage: large_trace.py   (FLEETPLAN_PROGRAM: another build)"""
import gzip
import io
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "server")]
import conftest  # noqa: E402
import cuda_trace  # noqa: E402
import test_diagnoses  # noqa: E402

MOST = 255 << 20


def send(daemon, body, headers):
    """Sends with curl, which reads an answer that comes before the whole body is sent. Returns the status."""
    options = [part for name, value in headers.items() for part in ("-H", f"{name}: {value}")]
    run = subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", *options, "--data-binary", "@-",
                          f"http://127.0.0.1:{daemon.port}/v1/diagnoses"], input=body, capture_output=True, timeout=300)
    return run.stdout.decode()


def main():
    out = io.StringIO()
    cuda_trace.write(out, 10, 80)
    steps = int(9.8 * MOST / out.tell())  # later numbers have more digits
    out = io.StringIO()
    cuda_trace.write(out, steps, 80)
    text = out.getvalue().encode()
    # The daemon separates at most 1,024 steps: a longer trace becomes one step
    text = text.replace(b"ProfilerStep#", b"Step#", -1) if steps > 1024 else text
    apart = ("[" + ",".join('{"ph":"X","ts":%d,"dur":1,"cat":"kernel"}' % (at * 7919 % 6999997 * 2) for at in range(5600000)) + "]").encode()
    orphans = ("[" + ",".join('{"ph":"X","ts":%d,"dur":100,"cat":"cuda_runtime","name":"cudaLaunchKernel","args":{"correlation":%d}}' %
                              (at * 100, at * 7919 + 1) for at in range(2150000)) + ',{"ph":"X","ts":1,"dur":5,"cat":"kernel"}]').encode()
    grown = 0
    for name, body, headers in (("a training, plain", text, test_diagnoses.JSON), ("a training, packed", gzip.compress(text, 1), test_diagnoses.PACKED),
                                ("launches without their kernels", orphans, test_diagnoses.JSON),
                                ("events that never touch", apart, test_diagnoses.JSON)):
        with tempfile.TemporaryDirectory() as folder:
            daemon = conftest.Daemon(folder)
            before, began = test_diagnoses.resident_bytes(daemon), time.monotonic()
            status = send(daemon, body, headers)
            seconds, grew = time.monotonic() - began, test_diagnoses.resident_bytes(daemon) - before
            daemon.stop()
        print(f"{name}: {len(body) / 2**20:.0f} MiB sent, {status} after {seconds:.1f} s, resident memory grew by {grew / 2**20:.1f} MiB")
        grown = max(grown, grew)
    sys.exit(0 if grown < 96 << 20 else "the daemon's memory grew by 96 MiB or more")


if __name__ == "__main__":
    main()
