"""Requests that cannot be planned: every fault at once, a value that works, and the nearest possible plan."""
import pytest
import support

BASE = {"model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100"}


def refused(daemon, changes, slug):
    return support.refused(daemon, "/v1/estimates/training", BASE | changes, slug)


@pytest.mark.parametrize("gpus, pins, batch, pointer, would_do", [
    (48, {"tensor": 6}, None, "/parallelism/tensor", "allowed: 1, 2, 4, 8, 16, 32"),
    (16, {"tensor": 2, "pipeline": 2, "data": 2, "context": 1}, None, "/parallelism", "set data to 4"),
    (12, {"tensor": 8}, None, "/parallelism", "set gpu_count to 8 or 16"),
    (64, {"pipeline": 64}, None, "/parallelism/pipeline", "32 stages"),
    (64, {"pipeline": 1, "interleave": 4}, None, "/parallelism/interleave", "1 without a pipeline"),
    (64, {"expert": 8}, None, "/parallelism/expert", "no experts"),
    (64, {"data": 64}, 16, "/parallelism/data", "at most 16, or a global batch of 64"),
    (8, {"data": 8, "micro_batch": 4}, 8, "/parallelism/micro_batch", "a global batch of 32"),
    (8, {"tensor": 1, "pipeline": 1, "zero_group": 3}, None, "/parallelism/zero_group", "1, 2, 4, 8"),
    (64, {"pipeline": 4, "interleave": 16}, None, "/parallelism/pipeline", "4 stages with interleave 8"),
    (1024, {"tensor": 1, "pipeline": 1, "data": 1024, "context": 1}, 16, "/parallelism/data", "at most 16"),
])
def test_layouts_that_cannot_be(daemon, gpus, pins, batch, pointer, would_do):
    changes = {"gpu_count": gpus, "parallelism": pins} | ({"global_batch_size": batch} if batch else {})
    problem, faults = refused(daemon, changes, "invalid")
    assert would_do in faults[pointer], faults
    assert "the nearest possible layout" in problem["detail"] and f"on {gpus} of h100" in problem["detail"], problem["detail"]
    repaired = daemon.post("/v1/estimates/training", BASE | changes | {"parallelism": {}})
    assert repaired.status == 200, repaired.text


def test_the_nearest_keeps_what_it_can(daemon):
    """If the product of the degrees is wrong, the nearest layout changes the fewest degrees, data first."""
    problem, faults = refused(daemon, {"gpu_count": 64, "parallelism": {"tensor": 8, "pipeline": 8, "data": 8, "context": 8}}, "invalid")
    assert "tensor 8, pipeline 8, data 1, context 1" in problem["detail"]
    problem, faults = refused(daemon, {"gpu_count": 64, "parallelism": {"tensor": 8, "pipeline": 2, "data": 1, "context": 8}}, "invalid")
    assert "set context to 4" in faults["/parallelism"] and "tensor 8, pipeline 2, data 1, context 4" in problem["detail"]


@pytest.mark.parametrize("pins", [{"zero_stage": 0}, {"zero_stage": 3}, {}])
def test_a_layout_that_was_answered_can_be_pinned(daemon, pins):
    """A whole answered layout can be pinned, including the ZeRO fields of a layout without ZeRO."""
    option = daemon.post("/v1/estimates/training", BASE | {"gpu_count": 64, "parallelism": pins}).json["result"]["recommended"]
    again = daemon.post("/v1/estimates/training", BASE | {"gpu_count": 64, "parallelism": option["parallelism"]})
    assert again.status == 200, again.text
    assert again.json["result"]["recommended"]["parallelism"] == option["parallelism"]
    assert again.json["result"]["recommended"]["step"]["time_s"] == pytest.approx(option["step"]["time_s"], rel=1e-9)


def test_generic_models_have_nothing_to_split(daemon):
    generic = {"model": {"kind": "generic", "params": "1B", "flops_per_sample": 1e9}, "gpu_count": 8}
    _, faults = refused(daemon, generic | {"parallelism": {"tensor": 4}}, "invalid")
    assert "generic" in faults["/parallelism/tensor"]


@pytest.mark.parametrize("changes, word", [
    ({"parallelism": {"tensor": 1, "sequence_parallel": True}}, "sequence_parallel"), ({"stack": "megatron_core", "stack_release": "2099-01"}, "2099-01"),
    ({"mfu": 0.95}, "mfu 0.95"),
])
def test_what_changes_nothing_or_is_past_everything_known(daemon, changes, word):
    answer = daemon.post("/v1/estimates/training", BASE | {"gpu_count": 16} | changes)
    assert answer.status == 200 and any(word in warning for warning in answer.json["result"]["warnings"])


def test_all_faults_at_once(daemon):
    _, faults = refused(daemon, {"gpu_count": 48, "parallelism": {"tensor": 6, "pipeline": 64, "expert": 4}}, "invalid")
    assert set(faults) == {"/parallelism", "/parallelism/tensor", "/parallelism/pipeline", "/parallelism/expert"}
    _, faults = refused(daemon, {"gpu_count": 48, "accelerator": "h1000", "global_batch_tokens": 7, "parallelism": {"tensor": 6}}, "invalid")
    assert set(faults) == {"/accelerator", "/parallelism/tensor", "/global_batch_tokens"}  # pins need only the model
    _, faults = refused(daemon, {"model": "lama", "accelerators": ["a100", "z9"], "accelerator": None, "stack": "nemo", "parallelism": {"tensor": 0},
                                 "colour": 1}, "invalid")
    assert set(faults) == {"/model", "/accelerators/1", "/stack", "/parallelism/tensor", "/colour"}
    _, faults = refused(daemon, {"tokens": 0, "precision": "fp12", "optimizer": "adam", "gpu_count": 0, "mfu": 2}, "invalid")
    assert set(faults) == {"/tokens", "/precision", "/optimizer", "/gpu_count", "/mfu"}


def test_experts_name_their_divisors(daemon):
    _, faults = refused(daemon, {"model": "mixtral-8x7b", "gpu_count": 12, "parallelism": {"expert": 8, "pipeline": 1}}, "invalid")
    assert "12 ranks" in faults["/parallelism/expert"] and "allowed: 1, 2, 4" in faults["/parallelism/expert"]


def test_every_constraint_that_does_not_hold(daemon):
    caps = {"deadline_hours": 1, "budget_usd": 1000, "carbon_cap_kgco2e": 10, "energy_cap_kwh": 10}
    problem, faults = refused(daemon, caps, "infeasible")
    assert set(faults) == {"/" + key for key in caps}
    assert "times the limit" in faults["/deadline_hours"] and "fastest" in faults["/deadline_hours"]
    assert problem["detail"].endswith("; other limits fail too, see errors"), "the sentence is cut"
    needed = float(faults["/budget_usd"].split(" needs ")[1].split()[0])
    assert daemon.post("/v1/estimates/training", BASE | {"budget_usd": needed * 1.001}).status == 200  # the stated budget is enough
    assert daemon.post("/v1/estimates/training", BASE | {"budget_usd": needed * 0.99}).status == 422


def test_a_fixed_number_is_told_which_would_be_in_time(daemon):
    _, faults = refused(daemon, {"gpu_count": 64, "deadline_hours": 1000}, "infeasible")
    number = faults["/deadline_hours"].split("; ")[2].split(" of them keep the deadline")[0]
    answer = daemon.post("/v1/estimates/training", BASE | {"gpu_count": int(number), "deadline_hours": 1000})
    assert answer.status == 200, answer.text
    promise, = answer.json["result"]["recommended"]["promises"]
    assert promise["what"] == "deadline" and promise["limit"] == 1000 and promise["probability"] >= 0.8
    assert daemon.post("/v1/estimates/training", BASE | {"gpu_count": int(number) // 2, "deadline_hours": 1000}).status == 422
    _, faults = refused(daemon, {"gpu_count": 64, "deadline_hours": 0.001}, "infeasible")
    assert "of them" not in faults["/deadline_hours"]  # no number of accelerators keeps the deadline


def test_memory_says_what_holds_it(daemon):
    problem, _ = refused(daemon, {"model": "llama-3.1-405b", "gpu_count": 8}, "infeasible")
    assert "memory" in problem["detail"] and "needs at least" in problem["detail"]
    number = int(problem["detail"].split("needs at least ")[1].split()[0])
    assert daemon.post("/v1/estimates/training", BASE | {"model": "llama-3.1-405b", "gpu_count": number}).status == 200
    problem, _ = refused(daemon, {"model": "llama-3.1-70b", "gpu_count": 8}, "infeasible")
    assert "offload" in problem["detail"]
    offloaded = daemon.post("/v1/estimates/training", BASE | {"model": "llama-3.1-70b", "gpu_count": 8, "parallelism": {"offload": True}})
    hours, more = problem["detail"].split(") in ")[1].split(" hours, ")[:2]
    assert offloaded.json["result"]["recommended"]["wall_clock_hours"] == pytest.approx(float(hours), rel=1e-3)
    assert 1 < float(more.split(" %")[0]) < 100
    assert offloaded.status == 200 and any("host memory" in warning for warning in offloaded.json["result"]["warnings"])


def test_more_accelerators_than_samples(daemon):
    problem, _ = refused(daemon, {"gpu_count": 65536, "global_batch_size": 4}, "infeasible")
    number = int(problem["detail"].split(", or use ")[1].split()[0])
    assert number < 65536
    assert daemon.post("/v1/estimates/training", BASE | {"gpu_count": number, "global_batch_size": 4}).status == 200


@pytest.mark.parametrize("changes, pointer", [
    ({"deadline_hours": 24, "reserved_hours": 24}, "/reserved_hours"),
    ({"cadence_hours": 6, "reserved_hours": 6}, "/reserved_hours"),
    ({"reserved_hours": 6}, "/reserved_hours"),
    ({"stages": [{"tokens": "1T"}]}, "/tokens"),
    ({"global_batch_tokens": 100}, "/global_batch_tokens"),
    ({"tokens": None, "stages": [{"tokens": "1T", "global_batch_tokens": 100}]}, "/stages/0/global_batch_tokens"),
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
