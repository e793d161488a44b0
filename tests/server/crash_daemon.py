#!/usr/bin/python3
"""kill -9 of the daemon under eight writers: no acknowledged plan may be lost, and it must be ready again at once.

usage: crash_daemon.py [KILLS]      prints one line of figures; exits 1 if a plan was lost
"""
import http.client
import json
import pathlib
import random
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from conftest import Daemon  # noqa: E402

WRITERS = 8
BODY = json.dumps({"name": "crash", "model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100", "gpu_count": 512, "alternatives": 0,
                   "pricing": {"usd_per_gpu_hour": 2.5},
                   "parallelism": {"tensor": 1, "pipeline": 1, "data": 512, "context": 1, "expert": 1, "interleave": 1, "micro_batch": 1,
                                   "zero_stage": 1, "recompute": "selective"}})


def write(port, acknowledged, stop):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        while not stop.is_set():
            connection.request("POST", "/v1/plans/training", BODY, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            content = answer.read()
            if answer.status != 201:
                raise AssertionError(content)
            acknowledged.append(json.loads(content)["id"])
    except (OSError, http.client.HTTPException):
        pass  # the daemon was killed
    finally:
        connection.close()


def one_kill(daemon, random_source):
    acknowledged, stop = [], threading.Event()
    threads = [threading.Thread(target=write, args=(daemon.port, acknowledged, stop)) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    time.sleep(0.05 + random_source.random() * 0.25)
    daemon.process.kill()
    daemon.process.wait()
    stop.set()
    for thread in threads:
        thread.join()
    began = time.monotonic()
    daemon.start()
    ready = time.monotonic() - began
    lost = [plan for plan in acknowledged if daemon.get(f"/v1/plans/{plan}").status != 200]
    return len(acknowledged), lost, ready


def crash(kills, seed=1):
    random_source = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(folder)
        total, lost, slowest = 0, [], 0.0
        for _ in range(kills):
            count, missing, ready = one_kill(daemon, random_source)
            total, lost, slowest = total + count, lost + missing, max(slowest, ready)
        daemon.stop()
    return total, lost, slowest


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    total, lost, slowest = crash(kills)
    print(f"{kills} kills, {total} plans acknowledged, {len(lost)} lost, ready again within {slowest * 1000:.0f} ms")
    return 1 if lost or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
