"""An agent that follows the test's script, one call at a time: calls of a real agent, and calls that a real agent never
makes."""
import hashlib
import json

JSON = {"Content-Type": "application/json"}
GPU = {"id": "GPU-1", "backend": "cuda", "name": "NVIDIA L4", "accelerator": "l4", "memory_bytes": 24152899584,
       "properties": {"type": "device", "id": "GPU-1", "backend": "cuda", "name": "NVIDIA L4", "accelerator": "l4", "pci_id": "10de:27b8", "ecc": True,
                      "power_limit_w": 72}}


def gpu(name, **more):
    return GPU | {"id": name, "properties": GPU["properties"] | {"id": name}} | more


def measure(test, method, median, **more):
    spread = {"min": 0.99 * median, "p10": 0.99 * median, "median": median, "p90": 1.01 * median, "max": 1.01 * median}
    return {"type": "measure", "test": test, "method": method, "unit": "x", "n": 9, "verified": True} | spread | more


def measured(device="GPU-1", **more):
    """Returns a result that a worker on an L4 might report: 60 % of its dense BF16 rate, 90 % of its bandwidth."""
    return {"end": "succeeded", "worker_version": "0.1.0", "elapsed_s": 9.5, "device": gpu(device)["properties"],
            "measures": [measure("gemm_library_bf16", "library_gemm", 72.6e12, precision="bf16", flops=1e12),
                         measure("stream_triad", "stream", 270e9)], "skips": []} | more


def broken(end="crashed", detail="the worker was ended by signal 11"):
    return {"end": end, "detail": detail}


class FakeAgent:
    def __init__(self, daemon, name="a1", devices=(GPU,), key=None):
        self.daemon, self.name, self.devices = daemon, name, list(devices)
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}

    def register(self, devices=None):
        self.devices = self.devices if devices is None else devices
        return self.daemon.post("/v1/agents", {"agent_id": self.name, "host": f"host-{self.name}", "version": "0.1.0", "devices": self.devices}, self.headers)

    def lease(self, wait_s=0, devices=None):
        names = [device["id"] for device in self.devices] if devices is None else devices
        return self.daemon.post(f"/v1/agents/{self.name}/leases", {"devices": names, "wait_s": wait_s}, self.headers)

    def heartbeat(self, lease, **more):
        return self.daemon.post(f"/v1/benchmarks/{lease['benchmark_id']}/heartbeat", {"token": lease["token"]} | more, self.headers)

    def deliver(self, lease, result, **more):
        """Builds the body as an agent spools it: the digest covers the bytes of the result in it."""
        text = result if isinstance(result, str) else json.dumps(result)
        digest = hashlib.sha256(text.encode()).hexdigest()
        fields = {"token": lease["token"], "sha256": digest} | more
        body = json.dumps(fields)[:-1] + ', "result": ' + text + "}"
        return self.daemon.request("PUT", f"/v1/benchmarks/{lease['benchmark_id']}/result", body, JSON | self.headers)

    def release(self, lease, reason="the device is busy"):
        return self.daemon.post(f"/v1/benchmarks/{lease['benchmark_id']}/release", {"token": lease["token"], "reason": reason}, self.headers)
