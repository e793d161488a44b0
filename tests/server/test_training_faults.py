"""What cannot be planned: every fault at once, what would do, and the nearest that can."""
import pytest

BASE = {"model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100"}


def refused(daemon, changes, slug):
    answer = daemon.post("/v1/estimates/training", BASE | changes)
    assert answer.status == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json" and answer.json["type"].endswith("/" + slug), answer.text
    return answer.json, {fault["pointer"]: fault["detail"] for fault in answer.json.get("errors", [])}


@pytest.mark.parametrize("gpus, pins, batch, pointer, would_do", [
    (48, {"tensor": 6}, None, "/parallelism/tensor", "1, 2, 4, 8, 16, 32 would do"),
    (16, {"tensor": 2, "pipeline": 2, "data": 2, "context": 1}, None, "/parallelism", "data 4 would do"),
    (12, {"tensor": 8}, None, "/parallelism", "gpu_count 8 or 16 would do"),
    (64, {"pipeline": 64}, None, "/parallelism/pipeline", "32 stages"),
    (64, {"pipeline": 1, "interleave": 4}, None, "/parallelism/interleave", "1 without a pipeline"),
    (64, {"expert": 8}, None, "/parallelism/expert", "no experts"),
    (64, {"data": 64}, 16, "/parallelism/data", "at most 16, or a global batch of 64"),
    (8, {"data": 8, "micro_batch": 4}, 8, "/parallelism/micro_batch", "a global batch of 32"),
    (8, {"tensor": 1, "pipeline": 1, "zero_group": 3}, None, "/parallelism/zero_group", "1, 2, 4, 8"),
])
def test_layouts_that_cannot_be(daemon, gpus, pins, batch, pointer, would_do):
    changes = {"gpu_count": gpus, "parallelism": pins} | ({"global_batch_size": batch} if batch else {})
    problem, faults = refused(daemon, changes, "invalid")
    assert would_do in faults[pointer], faults
    assert "the nearest that is" in problem["detail"] and f"on {gpus} of h100" in problem["detail"], problem["detail"]
    repaired = daemon.post("/v1/estimates/training", BASE | changes | {"parallelism": {}})
    assert repaired.status == 200, repaired.text


def test_all_faults_at_once(daemon):
    _, faults = refused(daemon, {"gpu_count": 48, "parallelism": {"tensor": 6, "pipeline": 64, "expert": 4}}, "invalid")
    assert set(faults) == {"/parallelism", "/parallelism/tensor", "/parallelism/pipeline", "/parallelism/expert"}
    _, faults = refused(daemon, {"tokens": 0, "precision": "fp12", "optimizer": "adam", "gpu_count": 0, "mfu": 2}, "invalid")
    assert set(faults) == {"/tokens", "/precision", "/optimizer", "/gpu_count", "/mfu"}


def test_experts_name_their_divisors(daemon):
    _, faults = refused(daemon, {"model": "mixtral-8x7b", "gpu_count": 12, "parallelism": {"expert": 8, "pipeline": 1}}, "invalid")
    assert "12 ranks" in faults["/parallelism/expert"] and "1, 2, 4 would do" in faults["/parallelism/expert"]


def test_every_constraint_that_does_not_hold(daemon):
    caps = {"deadline_hours": 1, "budget_usd": 1000, "carbon_cap_kgco2e": 10, "energy_cap_kwh": 10}
    problem, faults = refused(daemon, caps, "infeasible")
    assert set(faults) == {"/" + key for key in caps}
    assert "% more time" in faults["/deadline_hours"] and "fastest" in faults["/deadline_hours"] and "other constraints" in problem["detail"]
    needed = float(faults["/budget_usd"].split(" needs ")[1].split()[0])
    assert daemon.post("/v1/estimates/training", BASE | {"budget_usd": needed * 1.001}).status == 200  # what was said is so
    assert daemon.post("/v1/estimates/training", BASE | {"budget_usd": needed * 0.99}).status == 422


def test_memory_says_what_holds_it(daemon):
    problem, _ = refused(daemon, {"model": "llama-3.1-405b", "gpu_count": 8}, "infeasible")
    assert "memory" in problem["detail"] and "needs at least" in problem["detail"]
    number = int(problem["detail"].split("needs at least ")[1].split()[0])
    assert daemon.post("/v1/estimates/training", BASE | {"model": "llama-3.1-405b", "gpu_count": number}).status == 200
    problem, _ = refused(daemon, {"model": "llama-3.1-70b", "gpu_count": 8}, "infeasible")
    assert "offload" in problem["detail"]
    offloaded = daemon.post("/v1/estimates/training", BASE | {"model": "llama-3.1-70b", "gpu_count": 8, "parallelism": {"offload": True}})
    assert offloaded.status == 200 and any("host memory" in warning for warning in offloaded.json["result"]["warnings"])


def test_more_accelerators_than_samples(daemon):
    problem, _ = refused(daemon, {"gpu_count": 65536, "global_batch_size": 4}, "infeasible")
    number = int(problem["detail"].split(", or take ")[1].split(",")[0])
    assert number < 65536
    assert daemon.post("/v1/estimates/training", BASE | {"gpu_count": number, "global_batch_size": 4}).status == 200


@pytest.mark.parametrize("changes, pointer", [
    ({"deadline_hours": 24, "reserved_hours": 24}, "/reserved_hours"),
    ({"cadence_hours": 6, "reserved_hours": 6}, "/reserved_hours"),
    ({"reserved_hours": 6}, "/reserved_hours"),
    ({"stages": [{"tokens": "1T"}]}, "/tokens"),
    ({"global_batch_size": 8, "global_batch_tokens": "4M"}, "/global_batch_size"),
    ({"reliability": {"mtbf_gpu_hours": 0}}, "/reliability/mtbf_gpu_hours"),
    ({"reliability": {"spare_nodes": -1}}, "/reliability/spare_nodes"),
    ({"input_pipeline": {"storage_gbs": 0}}, "/input_pipeline/storage_gbs"),
    ({"accelerator": {"like": "h100", "memory_gb": 0}}, "/accelerator/memory_gb"),
    ({"model": {"params": 1e30}}, "/model/params"),
    ({"accelerator": "h1000"}, "/accelerator"),
    ({"model": "lama-3.1-8b"}, "/model"),
    ({"stack": "nemo"}, "/stack"),
])
def test_contradictions_and_absurd_figures(daemon, changes, pointer):
    _, faults = refused(daemon, changes, "invalid")
    assert pointer in faults and len(faults[pointer]) > 10
