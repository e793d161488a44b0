"""A client that sees a benchmark succeed can plan at once: the plan uses the new calibration, however soon the client
asks."""
import threading

from fake_agent import FakeAgent, gpu, measure, measured

PLAN = {"model": {"params": "1B"}, "tokens": "1B", "accelerator": "l4", "gpu_count": 8}


def planned_with(daemon):
    answer = daemon.post("/v1/estimates/training", PLAN)
    assert answer.status == 200, answer.text
    return " ".join(row["source"] for row in answer.json["result"]["assumptions"] if row["field"] == "calibration")


def succeed_and_watch(daemon, agent, device, hears):
    """Delivers a result while another thread polls without a pause. Returns the calibrations that a plan named right
    after the client saw the success."""
    made = daemon.post("/v1/benchmarks", {"device": device, "suite": "quick"})
    assert made.status == 202, made.text
    lease = agent.lease(devices=[device]).json
    named = []
    watching = threading.Thread(target=lambda: named.append(hears(daemon, made.headers["location"]) and planned_with(daemon)))
    watching.start()
    result = measured(device, measures=[measure("gemm_library_bf16", "library_gemm", 72.6e12, precision="bf16", flops=1e12)])
    assert agent.deliver(lease, result).status == 200
    watching.join(30)
    return named[0]


def by_asking(daemon, path):
    while daemon.get(path).json["state"] != "succeeded":
        pass
    return True


def by_events(daemon, path):
    return '"succeeded"' in daemon.get(path + "/events").text


def test_a_plan_knows_what_just_succeeded(daemon_with):
    one = daemon_with("--own-devices=no")
    names = [f"GPU-{number}" for number in range(8)]
    agent = FakeAgent(one, devices=[gpu(name) for name in names])
    assert agent.register().status in (200, 201)
    for number, name in enumerate(names):
        said = succeed_and_watch(one, agent, name, by_events if number % 2 else by_asking)
        assert name in said or "fleet" in said, said
        if number == 0:
            assert name in said, said
