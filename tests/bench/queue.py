"""Measures a long queue of benchmarks: eight agents drain 10,000 queued benchmarks while a client requests plans.
usage: queue.py PROGRAM [COUNT]"""
import http.client
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

AGENTS = 8
PLAN = {"model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100", "gpu_count": 512}


class Client:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method, path, body=None):
        begun = time.perf_counter()
        self.connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json"} if body is not None else {})
        answer = self.connection.getresponse()
        text = answer.read()
        elapsed = time.perf_counter() - begun
        assert answer.status < 300, text
        return json.loads(text) if text else None, elapsed


def quantile(times, share):
    return sorted(times)[min(len(times) - 1, int(share * len(times)))] * 1e3


def say(what, times):
    print(f"{what:44} n {len(times):6}   p50 {quantile(times, 0.5):7.2f} ms   p99 {quantile(times, 0.99):7.2f} ms   max {max(times) * 1e3:7.2f} ms", flush=True)


def memory_kib(process):
    """Returns the resident private memory of the daemon, without the pages of its files."""
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith("RssAnon")).split()[1])


def start(program, folder):
    log = open(folder / "log", "wb")
    process = subprocess.Popen([program, "serve", "--listen", "127.0.0.1:0", "--database", str(folder / "queue.db"), "--own-devices=no", "--quiet-seconds", "0",
                                "--log-level", "info"], stderr=log, stdout=log)
    while True:
        for line in (folder / "log").read_text(errors="replace").splitlines():
            if '"ready"' in line:
                return process, int(json.loads(line)["listen"].rsplit(":", 1)[1])
        assert process.poll() is None, (folder / "log").read_text()
        time.sleep(0.05)


def result(device):
    line = {"type": "measure", "test": "stream_read", "method": "stream", "unit": "bytes/s", "n": 9, "min": 1e11, "p10": 1e11, "median": 1e11, "p90": 1e11,
            "max": 1e11, "verified": True}
    return {"end": "succeeded", "worker_version": "0", "elapsed_s": 1, "device": {"type": "device", "id": device, "backend": "cuda", "name": "A GPU"},
            "measures": [line] * 20, "skips": []}


def register(client, name):
    device = {"id": f"gpu-{name}", "backend": "cuda", "name": "A GPU"}
    client.ask("POST", "/v1/agents", {"agent_id": name, "host": name, "devices": [device]})


def drain(port, name, leases, results, wanted):
    client, done = Client(port), 0
    while done < wanted:
        lease, elapsed = client.ask("POST", f"/v1/agents/{name}/leases", {"devices": [f"gpu-{name}"]})
        if not lease:
            return
        leases.append(elapsed)
        _, elapsed = client.ask("PUT", f"/v1/benchmarks/{lease['benchmark_id']}/result", {"token": lease["token"], "result": result(lease["device"])})
        results.append(elapsed)
        done += 1


def plan_until(port, over, times):
    client, source = Client(port), random.Random(1)
    while not over.is_set():
        _, elapsed = client.ask("POST", "/v1/plans/training", PLAN)
        times.append(elapsed)
        time.sleep(source.expovariate(20))  # about twenty a second


def measure(program, count):
    with tempfile.TemporaryDirectory() as name:
        process, port = start(program, pathlib.Path(name))
        try:
            client = Client(port)
            alone = [client.ask("POST", "/v1/plans/training", PLAN)[1] for _ in range(200)]
            say("plan, nothing queued", alone)
            queued = [client.ask("POST", "/v1/benchmarks", {"suite": "quick", "priority": i % 10})[1] for i in range(count)]
            say(f"benchmark queued, of {count}", queued)
            pages, cursor, listed = [], "", 0
            while cursor is not None:
                page, elapsed = client.ask("GET", f"/v1/benchmarks?limit=1000&state=queued{cursor and '&cursor=' + cursor}")
                pages.append(elapsed)
                listed += len(page["items"])
                cursor = page["next_cursor"]
            assert listed == count, listed
            say("list of them, pages of 1000", pages)
            names = [f"a{i}" for i in range(AGENTS)]
            for agent in names:
                register(client, agent)
            leases, results, plans, over = [], [], [], threading.Event()
            drain(port, names[0], leases, results, 200)
            before = memory_kib(process)
            say("claim, one agent (HTTP, durable)", leases)
            drain(port, names[0], [], [], 500)
            print(f"memory of 500 further runs{'':19}{memory_kib(process) - before:+d} KiB", flush=True)
            leases.clear()
            results.clear()
            planner = threading.Thread(target=plan_until, args=(port, over, plans))
            agents = [threading.Thread(target=drain, args=(port, agent, leases, results, count)) for agent in names]
            begun = time.monotonic()
            for thread in (planner, *agents):
                thread.start()
            for thread in agents:
                thread.join()
            elapsed = time.monotonic() - begun
            over.set()
            planner.join()
            say(f"claim, {AGENTS} agents at once", leases)
            say("result stored", results)
            say("plan, while they drain the queue", plans)
            print(f"drained: {len(results) / elapsed:.0f} benchmarks a second; memory {memory_kib(process) / 1024:.0f} MiB", flush=True)
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    measure(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10000)
