"""Advice end to end: the plan with a lever applied has the effect that the lever states."""
import math

import pytest

BASE = {"model": "llama-3.1-8b", "tokens": "2T", "accelerator": "h100", "gpu_count": 256}


def planned(daemon, changes):
    answer = daemon.post("/v1/estimates/training", BASE | changes)
    assert answer.status == 200, answer.text
    result = answer.json["result"]
    return result, {row["code"]: row for row in result["advice"]}


@pytest.mark.parametrize("code, before, pulled", [
    ("precision", {}, {"precision": "fp8"}),
    ("more_accelerators", {}, {"gpu_count": 512}),
    ("newer_software", {"stack": "megatron_core", "stack_release": "2023-06"}, {"stack": "megatron_core", "stack_release": "2026-08"}),
    ("layout", {"parallelism": {"tensor": 8, "pipeline": 4}}, {"parallelism": {}}),
    ("lora", {"fine_tuning": {"method": "full"}}, {"fine_tuning": {"method": "lora", "rank": 16}}),
    ("faster_storage", {"input_pipeline": {"sample_bytes": 1e9, "storage_gbs": 10}}, None),
    ("asynchronous_checkpoints", {"gpu_count": 4096, "tokens": "15T", "reliability": {"checkpoint_gbs": 1}},
     {"gpu_count": 4096, "tokens": "15T", "reliability": {"checkpoint_gbs": 1, "asynchronous": True}}),
])
def test_effects_are_those_of_the_plan(daemon, code, before, pulled):
    first, levers = planned(daemon, before)
    assert code in levers, levers.keys()
    lever = levers[code]
    assert lever["detail"] and ("hours" in lever["effect"] or "USD" in lever["effect"] or "GB" in lever["effect"])
    if pulled is None:
        needed = first["input"]["storage_gbs_needed"]
        pulled = {"input_pipeline": before["input_pipeline"] | {"storage_gbs": needed}}
    second, _ = planned(daemon, pulled)
    a, b = first["recommended"], second["recommended"]
    assert math.isclose(b["wall_clock_hours"] - a["wall_clock_hours"], lever["change_hours"], rel_tol=1e-6, abs_tol=1e-6)
    assert math.isclose(b["cost"]["total_usd"] - a["cost"]["total_usd"], lever["change_usd"], rel_tol=1e-6, abs_tol=1e-3)
    assert math.isclose(b["memory"]["total_bytes"] / 1e9 - a["memory"]["total_bytes"] / 1e9, lever["change_gb"], rel_tol=1e-6, abs_tol=1e-9)


def test_a_newer_accelerator_is_planned_with_its_own_offer(daemon):
    first, levers = planned(daemon, {"model": "llama-3.1-70b", "gpu_count": 1024})
    lever = levers["newer_accelerator"]
    second, _ = planned(daemon, {"model": "llama-3.1-70b", "gpu_count": 1024, "accelerator": lever["detail"].split(",")[0]})
    assert math.isclose(second["recommended"]["wall_clock_hours"] - first["recommended"]["wall_clock_hours"], lever["change_hours"], rel_tol=1e-6)
    assert math.isclose(second["recommended"]["cost"]["total_usd"] - first["recommended"]["cost"]["total_usd"], lever["change_usd"], rel_tol=1e-6)


@pytest.mark.parametrize("accelerator", ["v100", "p100", "t4", "k80"])
@pytest.mark.parametrize("pricing", [{}, {"pricing": {"usd_per_gpu_hour": 2}}])
def test_old_accelerators_and_given_prices_have_newer_ones(daemon, accelerator, pricing):
    """V100, P100, T4 and K80 have no BF16 rate: the rates of their own formats are compared, and the newer accelerator
    trains in BF16."""
    body = {"model": {"params": "1B"}, "tokens": "10B", "gpu_count": 64}
    old, levers = planned(daemon, body | {"accelerator": accelerator} | pricing)
    lever = levers["newer_accelerator"]
    newer, _ = planned(daemon, body | {"accelerator": lever["detail"].split(",")[0], "precision": "bf16"})
    assert lever["detail"].endswith("in bf16") and lever["change_hours"] < 0
    assert math.isclose(newer["recommended"]["wall_clock_hours"] - old["recommended"]["wall_clock_hours"], lever["change_hours"], rel_tol=1e-6)
    if "cost" in old["recommended"]:  # no provider rents K80s any more
        assert math.isclose(newer["recommended"]["cost"]["total_usd"] - old["recommended"]["cost"]["total_usd"], lever["change_usd"], rel_tol=1e-6)


def test_the_figure_alone_pulls_no_lever(daemon):
    _, levers = planned(daemon, {"alternatives": 0})
    assert not any("change_hours" in row for row in levers.values())


def test_around_the_step(daemon):
    result, _ = planned(daemon, {"reliability": {"mtbf_gpu_hours": 3000}})
    goodput = result["recommended"]["goodput"]
    assert goodput["spare_nodes"] >= 3 and math.isclose(goodput["mtbf_hours"], 3000 / 256)
    given, _ = planned(daemon, {"reliability": {"mtbf_gpu_hours": 3000, "spare_nodes": goodput["spare_nodes"]}})
    kept = given["recommended"]
    assert 0.985 < kept["goodput"]["fraction"] / goodput["fraction"] < 1
    assert math.isclose(kept["gpu_hours"], kept["wall_clock_hours"] * (256 + 8 * goodput["spare_nodes"]), rel_tol=1e-9)
    result, _ = planned(daemon, {"tokens": "10B", "epochs": 40})
    worth = result["compute_optimal"]
    assert math.isclose(worth["tokens_effective"], 15.17e10, rel_tol=0.01) and worth["compute_factor"] > 1
    result, _ = planned(daemon, {"global_batch_tokens": "64M"})
    assert any("critical batch" in warning for warning in result["warnings"]) and "root of the batch" in result["batch"]["detail"]


def test_stages_are_planned_one_by_one_and_summed(daemon):
    stages = [{"tokens": "800B", "sequence_length": 8192, "global_batch_tokens": "4M"},
              {"tokens": "100B", "sequence_length": 131072, "global_batch_tokens": "16M"}]
    both = BASE | {"stages": stages}
    del both["tokens"]
    whole = daemon.post("/v1/estimates/training", both)
    assert whole.status == 200, whole.text
    hours = [daemon.post("/v1/estimates/training", BASE | stage).json["result"]["recommended"]["wall_clock_hours"] for stage in stages]
    result = whole.json["result"]
    assert math.isclose(result["recommended"]["wall_clock_hours"], sum(hours), rel_tol=1e-9)
    assert [stage["wall_clock_hours"] for stage in result["stages"]] == pytest.approx(hours, rel=1e-9)
    assert [stage["sequence_length"] for stage in result["stages"]] == [8192, 131072]
    assert result["stages"][0]["parallelism"]["context"] < result["stages"][1]["parallelism"]["context"]


def test_a_day_less_six_hours(daemon):
    daily = {"model": {"kind": "generic", "params": "1B", "flops_per_sample": 4e9, "sample_bytes": 4000}, "tokens": "2B", "accelerator": "h100",
             "cadence_hours": 24, "reserved_hours": 6}
    answer = daemon.post("/v1/estimates/training", daily)
    assert answer.status == 200, answer.text
    option = answer.json["result"]["recommended"]
    assert option["wall_clock_hours"] <= 18
    assert math.isclose(option["monthly"]["total_usd"], option["cost"]["total_usd"] * 730 / 24, rel_tol=0.001)
    rule = answer.json["result"]["rule_of_thumb"]
    assert math.isclose(rule["gpu_count_exact"], rule["gpu_hours"] / 18, rel_tol=1e-9)
