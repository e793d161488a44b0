"""Sizing of services: impossible requests, every fault at once, and the contents of an answer."""
import math

import pytest
import support

BASE = {"model": "llama-3.1-8b", "accelerator": "h100", "prompt_tokens": 1000, "output_tokens": 300, "queries_per_minute": 600}
DAY = [0.2] * 7 + [0.6] + [1] * 11 + [0.6] + [0.2] * 4


def plan(daemon, changes):
    answer = daemon.post("/v1/estimates/inference", {k: v for k, v in (BASE | changes).items() if v is not None})
    assert answer.status == 200, answer.text
    return answer.json["result"]


def refused(daemon, changes, slug="invalid", path="/v1/estimates/inference"):
    return support.refused(daemon, path, BASE | changes, slug)


@pytest.mark.parametrize("changes, pointer, would_do", [
    ({"parallelism": {"tensor": 3}}, "/parallelism/tensor", "1, 2, 4, 8, 16, 32"),
    ({"parallelism": {"tensor": 64}}, "/parallelism/tensor", "1, 2, 4, 8, 16, 32"),
    ({"parallelism": {"pipeline": 33}}, "/parallelism/pipeline", "32 layers"),
    ({"parallelism": {"expert": 2}}, "/parallelism/expert", "no experts"),
    ({"model": "mixtral-8x7b", "parallelism": {"expert": 3}}, "/parallelism/expert", "8 experts"),
    ({"model": "mixtral-8x7b", "parallelism": {"expert": 8, "tensor": 4, "attention_data": 1}}, "/parallelism/expert", "= 4"),
    ({"engine": "vlm"}, "/engine", "did you mean vllm"),
    ({"precisions": ["fp8", "fp9"]}, "/precisions/1", "did you mean fp8"),
    ({"precision": "fp8", "precisions": ["bf16"]}, "/precisions", "not both"),
    ({"daily_profile": [0] * 24}, "/daily_profile", "load of every hour is 0"),
    ({"daily_profile": [1, 2]}, "/daily_profile", "24 or 168"),
    ({"queries_per_minute": 0}, "/queries_per_minute", "more than 0"),
    ({"queries_per_minute": None, "requests_per_s": 0, "gpu_count": 2}, "/requests_per_s", "more than 0"),
    ({"startup_s": -1}, "/startup_s", "at least 0"),
])
def test_what_cannot_be_asked(daemon, changes, pointer, would_do):
    _, faults = refused(daemon, changes)
    assert set(faults) == {pointer} and would_do in faults[pointer], faults


def test_layouts_of_one_replica(daemon):
    changes = {"model": "qwen2.5-7b", "gpu_count": 8, "concurrency": 4, "queries_per_minute": None}
    _, faults = refused(daemon, changes, path="/v1/estimates/inference/performance")
    assert "1, 2, 4, 28" in faults["/gpu_count"], faults
    for option in (lambda result: [result["recommended"], *result["alternatives"]])(plan(daemon, {"model": "qwen2.5-7b"})):
        assert 28 % option["parallelism"]["tensor"] == 0


def test_every_fault_at_once(daemon):
    wrong = {"model": "llama-9", "accelerator": "h1000", "prompt_tokens": 0, "output_tokens": -3, "engine": "vlm", "headroom": 2,
             "slo": {"ttft_ms": 0, "percentile": 200}, "typo": 1}
    pointers = {"/" + key for key in wrong if key != "slo"} | {"/slo/ttft_ms", "/slo/percentile"}
    for path in "/v1/estimates/inference", "/v1/plans/inference":
        problem, faults = refused(daemon, wrong, path=path)
        assert set(faults) == pointers and f"{len(pointers)} faults" in problem["detail"], problem
    assert "llama" in faults["/model"] and "h100" in faults["/accelerator"]
    _, faults = refused(daemon, {"parallelism": {"tensor": 3, "pipeline": 99, "expert": 2}, "accelerator": "h1000"})
    assert set(faults) == {"/parallelism/tensor", "/parallelism/pipeline", "/parallelism/expert", "/accelerator"}


def test_promises_that_nothing_keeps(daemon):
    slo = {"ttft_ms": 5, "tpot_ms": 1, "e2e_ms": 100}
    problem, faults = refused(daemon, {"slo": slo}, "infeasible")
    assert set(faults) == {"/slo/" + key for key in slo} and "(over)" in problem["detail"]
    nearest = {key: float(faults["/slo/" + key].split("; ")[1].split()[0]) for key in slo}
    assert plan(daemon, {"slo": nearest})["recommended"]["slo_met"]  # the limits that the error names can be kept
    refused(daemon, {"slo": {key: limit / 2 for key, limit in nearest.items()}}, "infeasible")


def test_contexts_beyond_the_model(daemon):
    for changes in {"prompt_tokens": 200000}, {"prompt_tokens": {"samples": [100, 200000]}}:
        assert any("131072 positions" in warning for warning in plan(daemon, changes)["warnings"])
    arrivals = [[i, 200000 if i % 10 == 0 else 1000, 100] for i in range(50)]
    traced = plan(daemon, {"trace": {"arrivals": arrivals}, "queries_per_minute": None, "prompt_tokens": None, "output_tokens": None})
    assert any("5 of 50 requests" in warning for warning in traced["warnings"]), traced["warnings"]
    assert not any("positions" in warning for warning in plan(daemon, {})["warnings"])


def test_sizes_without_measure(daemon):
    large = plan(daemon, {"model": {"params": "10T"}, "alternatives": 0})["recommended"]
    assert large["gpu_count"] >= 20e12 / 85.6e9
    problem, _ = refused(daemon, {"model": {"params": "900T"}}, "infeasible")
    assert "GB" in problem["detail"] and "narrower weights" in problem["detail"]


def test_the_best_of_allowed_precisions(daemon):
    busy = {"queries_per_minute": 30000, "slo": {"tpot_ms": 40}, "alternatives": 0}
    wide, both = plan(daemon, busy | {"precision": "bf16"})["recommended"], plan(daemon, busy | {"precisions": ["bf16", "fp8"]})["recommended"]
    assert wide["precision"] == "bf16" and both["precision"] == "fp8" and both["gpu_count"] < wide["gpu_count"]


def test_slices_of_boards(daemon):
    busy = {"model": "llama-3.2-1b", "requests_per_s": 1000, "queries_per_minute": None, "slo": {"ttft_ms": 1000, "tpot_ms": 50}}
    sliced, whole = plan(daemon, busy | {"mig": True}), plan(daemon, busy | {"mig": False})
    option = sliced["recommended"]
    assert option["mig_profile"].endswith("gb") and option["slices_per_gpu"] >= 2
    assert option["gpu_count"] == option["replicas"] * option["gpus_per_replica"] < whole["recommended"]["gpu_count"]
    assert any("MIG slice" in warning for warning in sliced["warnings"])
    assert all("mig_profile" not in option for option in [whole["recommended"], *whole["alternatives"]])
    small = plan(daemon, {"model": "llama-3.2-1b", "slo": {"ttft_ms": 1000}})
    advice = {item["code"]: item for item in small["advice"]}
    assert advice["mig"]["change_usd"] < 0 and "gb" in advice["mig"]["detail"]


def test_days_and_prices(daemon):
    day = plan(daemon, {"queries_per_minute": 12000, "daily_profile": DAY, "redundancy": "n_plus_1", "slo": {"ttft_ms": 1000}, "alternatives": 1})
    option, hours = day["recommended"], day["recommended"]["autoscaling"]
    assert [hour["hour"] for hour in hours] == list(range(24))
    assert hours[12]["replicas"] == option["replicas"] and hours[2]["replicas"] < hours[7]["replicas"] < option["replicas"]
    assert all(hour["replicas"] + hour["starting"] >= hours[(i + 1) % 24]["replicas"] for i, hour in enumerate(hours))
    assert min(hour["replicas"] for hour in hours) >= 2  # one replica may fail at any hour
    autoscaled, saved = option["autoscaled"], next(item for item in day["advice"] if item["code"] == "autoscale")
    assert math.isclose(autoscaled["gpu_hours_per_month"] + autoscaled["saved_gpu_hours_per_month"], 730 * option["gpu_count"], rel_tol=1e-9)
    assert autoscaled["saved_usd_per_month"] == -saved["change_usd"] > 0
    assert 0 < autoscaled["saved_kwh_per_month"] < option["energy"]["kwh_per_month"] and autoscaled["saved_kgco2e_per_month"] > 0
    cost, tokens = option["cost"], option["throughput"]["output_tokens_per_s"] * 3600 * sum(DAY) / 24 / 1e6
    assert math.isclose(tokens * (cost["output_usd_per_million_tokens"] + cost["input_usd_per_million_tokens"] * 1000 / 300), cost["usd_per_hour"], rel_tol=1e-6)
    at_once = plan(daemon, {"queries_per_minute": 12000, "daily_profile": [100 * load for load in DAY], "startup_s": 0, "alternatives": 0})
    assert all(hour["starting"] == 0 for hour in at_once["recommended"]["autoscaling"])


def test_nothing_answered_is_beaten(daemon):
    result = plan(daemon, {"accelerator": None, "accelerators": ["h100", "a100", "l40s", "h200", "b200", "mi300x"], "model": "llama-3.1-70b",
                           "queries_per_minute": 1800, "slo": {"ttft_ms": 1500, "tpot_ms": 60}, "alternatives": 8})
    sides = [(option["cost"]["usd_per_hour"], option["carbon"]["kgco2e_per_month"], option["gpu_count"])
             for option in [result["recommended"], *result["alternatives"]]]
    assert all(option["slo_met"] for option in [result["recommended"], *result["alternatives"]])
    for a in sides:
        assert not any(b != a and all(y <= x for x, y in zip(a, b)) for b in sides), sides
    assert sides[0][0] == min(side[0] for side in sides)


def test_what_to_commit_to_over_the_day(daemon):
    """A reservation costs 0.6 of the price by use: every replica that is needed for more than 0.6 of the day is
    reserved."""
    rows = [{"provider": "mixcloud", "instance_type": "x.h100", "region": "mix-1", "accelerator_id": "h100-sxm5-80gb", "gpus": 8, "as_of": "2026-11-01",
             "price_usd_per_hour": usd, "pricing_model": term, "source": "a test"} for term, usd in (("on_demand", 20), ("reserved_1y", 12), ("spot", 6))]
    made = [daemon.post("/v1/prices", row) for row in rows]
    assert all(row.status == 201 for row in made), [row.text for row in made]
    day = [1] * 8 + [4] * 8 + [8] * 8
    body = {"model": "llama-3.1-70b", "precision": "fp8", "engine": "vllm", "accelerator": "h100", "queries_per_minute": 30000, "prompt_tokens": 500,
            "output_tokens": 200, "daily_profile": day, "parallelism": {"tensor": 8}, "pricing": {"providers": ["mixcloud"]}, "alternatives": 0}
    option = daemon.post("/v1/estimates/inference", body).json["result"]["recommended"]
    mix, hours = option["commitment"], [hour["replicas"] + hour["starting"] for hour in option["autoscaling"]]
    committed = next(item for item in mix["offers"] if item["offer"]["term"] == "reserved_1y")
    assert abs(committed["break_even_utilization"] - 0.6) < 1e-12
    best = min(range(max(hours) + 1), key=lambda n: 12 * n + sum(20 * max(0, h - n) for h in hours) / 24)
    assert committed["instances"] == best and 0 < best < max(hours)
    assert abs(mix["usd_per_hour"] - (12 * best + sum(20 * max(0, h - best) for h in hours) / 24)) < 1e-9
    assert abs(mix["uncommitted_usd_per_month"] - 730 * 20 * sum(hours) / 24) < 1e-6
    assert all(item["offer"]["term"] != "spot" for item in mix["offers"])
    body["pricing"] = {"providers": ["mixcloud"], "terms": ["spot", "reserved_1y"], "spot_interruptions_per_gpu_hour": 0.05}
    option = daemon.post("/v1/estimates/inference", body).json["result"]["recommended"]
    mix = option["commitment"]
    spot = next(item for item in mix["offers"] if item["offer"]["term"] == "spot")
    assert abs(spot["usd_per_hour"] - 6 * (1 + 0.05 * 8 * option["autoscaled"]["startup_s"] / 3600)) < 1e-9
    assert mix["committed_usd_per_hour"] == 0 and spot["peak_instances"] == max(h["replicas"] + h["starting"] for h in option["autoscaling"])
    body["pricing"] = {"providers": ["mixcloud"], "terms": ["reserved_1y"]}
    reserved = daemon.post("/v1/estimates/inference", body).json["result"]["recommended"]
    assert "commitment" not in reserved and reserved["autoscaled"]["saved_usd_per_month"] == 0 and reserved["autoscaled"]["saved_kwh_per_month"] > 0
    del body["daily_profile"]
    assert "commitment" not in daemon.post("/v1/estimates/inference", body).json["result"]["recommended"]
    for row in made:
        assert daemon.request("DELETE", row.headers["location"]).status == 204
