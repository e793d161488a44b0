"""Which measurements by an agent's key are accepted: a figure out of range waits for an admin, an impossible one fails
its benchmark."""

import pytest
from conftest import run
from fake_agent import FakeAgent, gpu, measure, measured
from support import bearer

PEAK, BANDWIDTH = 121e12, 300e9  # of the catalogue's L4
TRAINING = {"model": "llama-3.1-8b", "tokens": "10B", "sequence_length": 4096, "global_batch_size": 64, "accelerator": "l4", "gpu_count": 64,
            "enforce_memory": False, "pricing": {"usd_per_gpu_hour": 1}, "alternatives": 0, "site": {"country": "FRA"}}
ROOT = "fp_" + "ad" * 32


class Hub:
    """A daemon without devices, with an admin's key and the keys of two agents."""

    def __init__(self, daemon_with, folder):
        (folder / "root").write_text(ROOT)
        self.daemon = daemon_with("--own-devices=no", "--bootstrap-key-file", str(folder / "root"))
        self.root = bearer(ROOT)
        self.keys = {name: self.daemon.make_key("--role", "agent", "--name", name)[0] for name in ("one", "two")}
        self.keys["root"] = ROOT

    def get(self, path):
        return self.daemon.request("GET", path, headers=self.root)

    def post(self, path, body):
        return self.daemon.post(path, body, self.root)

    def deliver(self, key, device, result):
        """Returns the answer to the delivery, and the benchmark's own result."""
        agent = FakeAgent(self.daemon, f"{key}-of-{device}", [gpu(device)], key=self.keys[key])
        assert agent.register().status == 200
        name = self.post("/v1/benchmarks", {"suite": "quick", "device": device}).json["id"]
        lease = agent.lease().json
        assert lease["benchmark_id"] == name, lease
        answer = agent.deliver(lease, result)
        assert answer.status == 200, answer.text
        return answer.json, self.get(f"/v1/benchmarks/{name}").json

    def hours(self):
        answer = self.post("/v1/estimates/training", TRAINING)
        assert answer.status == 200, answer.text
        return answer.json["result"]["recommended"]["wall_clock_hours"]

    def calibrations(self, query=""):
        return {row["id"]: row for row in self.get(f"/v1/calibrations?{query}").json["items"]}


def shares(device, compute, memory=0.9, **more):
    return measured(device, measures=[measure("gemm_library_bf16", "library_gemm", compute * PEAK, precision="bf16", flops=1e12),
                                      measure("stream_triad", "stream", memory * BANDWIDTH)], **more)


@pytest.fixture
def hub(daemon_with, tmp_path):
    return Hub(daemon_with, tmp_path)


def test_a_forged_result_bends_no_plan(hub):
    """1 % of the peak and of the bandwidth, with an agent's key."""
    before = hub.hours()
    answer, benchmark = hub.deliver("one", "GPU-1", shares("GPU-1", 0.01, 0.01))
    assert answer["state"] == "succeeded" and answer["held"] == 2, answer
    told = benchmark["result"]
    assert all("agent's key" in row["held_because"] for row in told["calibrations"]), told
    assert {(row["code"], row["calibration"]) for row in told["warnings"]} == {
        ("calibration_held", "gemm_efficiency.bf16.large.GPU-1.held"), ("calibration_held", "memory_efficiency.GPU-1.held")}, told["warnings"]
    waiting = hub.calibrations("held=true")
    assert len(waiting) == 2 and all(not row["used"] and "waits for an admin" in row["unused_because"] for row in waiting.values()), waiting
    assert hub.hours() == before
    # Many devices of the same key count as one.
    for i in range(2, 8):
        hub.deliver("one", f"GPU-{i}", shares(f"GPU-{i}", 0.01, 0.01))
    assert hub.hours() == before and len(hub.calibrations("held=true")) == 14


def test_a_forged_result_leaves_what_was_measured_before(hub):
    hub.deliver("one", "GPU-1", shares("GPU-1", 0.62))
    measured_hours, rows = hub.hours(), hub.calibrations()
    assert all(row["used"] and "held_because" not in row for row in rows.values()) and len(rows) == 2, rows
    answer, _ = hub.deliver("one", "GPU-1", shares("GPU-1", 0.01))
    assert answer["held"] == 1 and hub.hours() == measured_hours, answer
    assert hub.calibrations()["gemm_efficiency.bf16.large.GPU-1"]["value"] == rows["gemm_efficiency.bf16.large.GPU-1"]["value"]


def test_an_admin_accepts_and_rejects(hub):
    before = hub.hours()
    hub.deliver("one", "GPU-1", shares("GPU-1", 0.1))
    name = "gemm_efficiency.bf16.large.GPU-1.held"
    path = f"/v1/calibrations/{name}/decision"
    assert hub.daemon.post(path, {"decision": "accept"}, bearer(hub.keys['one'])).status == 403
    assert hub.post(path, {"decision": "perhaps"}).status == 422
    assert hub.post("/v1/calibrations/nothing/decision", {"decision": "accept"}).status == 404
    assert hub.post("/v1/calibrations/memory_efficiency.GPU-1/decision", {"decision": "accept"}).status == 409
    answer = hub.post(path, {"decision": "accept", "note": "its fan is broken"})
    assert answer.status == 200 and answer.json["id"] == name.removesuffix(".held") and answer.json["used"], answer.text
    assert "its fan is broken" in answer.json["source"] and answer.json["delivered_by"], answer.json
    assert hub.calibrations("")[answer.json["id"]] == answer.json
    assert hub.hours() > 1.5 * before and hub.calibrations("held=true") == {}
    assert hub.post(path, {"decision": "accept"}).status == 404
    hub.deliver("one", "GPU-2", shares("GPU-2", 0.01))
    slow = hub.hours()
    assert hub.post(path.replace("GPU-1", "GPU-2"), {"decision": "reject"}).status == 204
    assert hub.calibrations("held=true") == {} and hub.hours() == slow


def test_a_successor_of_the_key_is_no_other_key(hub):
    """Rotated keys have one owner: the new key does not confirm a result that the old key delivered."""
    before = hub.hours()
    hub.deliver("one", "GPU-1", shares("GPU-1", 0.20))
    listed = run("keys", "list", "--database", hub.daemon.database).stdout.splitlines()
    old = next(line.split()[0] for line in listed if line.endswith(" one"))
    hub.keys["next"] = run("keys", "rotate", old, "--database", hub.daemon.database).stdout.strip()
    hub.deliver("next", "GPU-2", shares("GPU-2", 0.20))
    assert hub.hours() == pytest.approx(before, rel=0.1) and len(hub.calibrations("held=true")) == 2
    hub.deliver("two", "GPU-3", shares("GPU-3", 0.20))
    assert hub.hours() > 1.5 * before  # a result of another key confirms it


def test_a_device_of_another_key_speaks_for_it(hub):
    before = hub.hours()
    hub.deliver("one", "GPU-1", shares("GPU-1", 0.20))
    hub.deliver("one", "GPU-2", shares("GPU-2", 0.20))
    bent = hub.hours()
    assert bent == pytest.approx(before, rel=0.1), "only the memory figure, which is in range, may count"
    hub.deliver("two", "GPU-3", shares("GPU-3", 0.30))
    assert hub.hours() == bent, "a figure that disagrees must not count"
    hub.deliver("two", "GPU-4", shares("GPU-4", 0.205))
    assert hub.hours() > 1.5 * before
    rows = hub.calibrations("quantity=gemm_efficiency")
    assert {row["device_id"]: row["used"] for row in rows.values()} == {"GPU-1": True, "GPU-2": True, "GPU-3": False, "GPU-4": True}, rows


def test_an_admin_delivers_at_once(hub):
    before = hub.hours()
    answer, _ = hub.deliver("root", "GPU-1", shares("GPU-1", 0.1))
    assert answer["held"] == 0 and hub.hours() > 1.5 * before and hub.calibrations("held=true") == {}


@pytest.mark.parametrize("result, reason", [
    (shares("GPU-1", 1.3), "gemm_library_bf16 shows 157.3 TFLOP/s, and l4 can do 121"),
    (shares("GPU-1", 0.6, 1.3), "stream_triad shows 390 GB/s, and l4 can do 300"),
    (shares("GPU-1", 0.6, elapsed_s=0), "2 measurements in 0 s"),
    (measured(measures=[measure("gemm_sustained", "library_gemm", 0.6 * PEAK, precision="bf16", flops=1e12,
                                energy={"window_s": 1, "energy_j": 200, "mean_w": 200, "source": "nvml", "by": "counter", "scope": "board",
                                        "confidence": "high"})]), "gemm_sustained shows 200 W, and l4 takes 72"),
], ids=["compute", "memory", "time", "power"])
@pytest.mark.parametrize("key", ["one", "root"])
def test_impossible_figures_fail_their_benchmark(hub, result, reason, key):
    before = hub.hours()
    answer, benchmark = hub.deliver(key, "GPU-1", result)
    assert answer["state"] == "failed" and "impossible figure" in answer["state_reason"] and reason in answer["state_reason"], answer
    assert benchmark["result"]["end"] == "failed" and "calibrations" not in benchmark["result"] and benchmark["attempt"] == 1, benchmark
    assert hub.calibrations() == {} and hub.hours() == before


def test_what_a_key_may_leave_here_is_bounded(hub):
    """Devices that an agent no longer reports are deleted, except the newest."""
    agent = FakeAgent(hub.daemon, "a1", key=hub.keys["one"])
    for i in range(4):
        assert agent.register([gpu(f"GPU-{i}-{k}") for k in range(64)]).status == 200
    rows = hub.get("/v1/devices?limit=1000").json["items"]
    states = [row["state"] for row in rows]
    assert states.count("idle") == 64 and states.count("gone") == 64, len(states)
    assert all(row["id"].startswith(("GPU-2-", "GPU-3-")) for row in rows)
