"""What one would really run and rent: links that join less than a machine, published precisions, replicas in one machine."""
import math

import pytest

TENSOR = {"model": "llama-3.1-8b", "tokens": "10B", "gpu_count": 8, "gpus_per_node": 8, "parallelism": {"tensor": 8, "pipeline": 1}, "pricing": {"usd_per_gpu_hour": 2}}
SERVING = {"requests_per_s": 1, "prompt_tokens": 1000, "output_tokens": 300}


def training(daemon, **changes):
    answer = daemon.post("/v1/estimates/training", {**TENSOR, **changes})
    assert answer.status == 200, answer.text
    return answer.json["result"]["recommended"]


def serving(daemon, **changes):
    answer = daemon.post("/v1/estimates/inference", {**SERVING, **changes})
    assert answer.status == 200, answer.text
    return answer.json["result"]


def assumed(result, field):
    return [a for a in result["assumptions"] if a["field"] == field]


def test_bridges_are_not_a_machine(daemon):
    sxm, pcie, nvl = (training(daemon, accelerator=a)["step"]["tensor_comm_s"] for a in ("h100-sxm", "h100-pcie-80gb", "h100-nvl"))
    assert pcie > 5 * sxm  # two cards a bridge, the rest over PCIe
    assert math.isclose(pcie, nvl, rel_tol=0.05)  # the same bridge and the same bus


def test_the_domain_that_is_asked_for_counts(daemon):
    last = 0
    for domain in (8, 4, 2, 1):
        accelerator = {"like": "h100-sxm", "max_nvlink_domain": domain}
        step = training(daemon, accelerator=accelerator)["step"]["time_s"]
        point = daemon.post("/v1/estimates/inference/performance", {"model": "llama-3.1-70b", "precision": "fp8", "accelerator": accelerator, "gpu_count": 8,
            "prompt_tokens": 1000, "output_tokens": 300, "concurrency": 64}).json["result"]
        seconds = step + 1 / point["output_tokens_per_s"]
        assert step >= (last[0] if last else 0) and point["output_tokens_per_s"] <= (last[1] if last else math.inf)
        if domain == 4:
            assert step > 2 * last[0] and point["output_tokens_per_s"] < 0.7 * last[1]
        last = (step, point["output_tokens_per_s"])
        assert seconds > 0
    assert math.isclose(training(daemon, accelerator={"like": "h100-sxm", "max_nvlink_domain": 8})["step"]["time_s"], training(daemon, accelerator="h100-sxm")["step"]["time_s"])


@pytest.mark.parametrize("model,accelerator,precision,computed", [
    ("deepseek-r1", "h200", "fp8", None), ("gpt-oss-120b", "b200", "mxfp4", None), ("gpt-oss-120b", "a100", "mxfp4", "bf16"), ("gpt-oss-20b", "h100", "mxfp4", "bf16")])
def test_checkpoints_are_served_as_published(daemon, model, accelerator, precision, computed):
    result = serving(daemon, model=model, accelerator=accelerator)
    assert [a["value"] for a in assumed(result, "precision")] == [precision]
    assert [a["value"] for a in assumed(result, "precision.computed")] == ([computed] if computed else [])
    assert result["recommended"]["gpu_count"] <= 8


def test_the_standard_deployment_of_r1_stands(daemon):
    option = serving(daemon, model="deepseek-r1", accelerator="h200", gpu_count=8)["recommended"]
    assert option["replicas"] == 1 and option["memory"]["weights_bytes"] < 90e9
    refused = daemon.post("/v1/estimates/inference", {**SERVING, "model": "deepseek-r1", "accelerator": "h200", "gpu_count": 8, "precision": "bf16"})
    assert refused.status == 422


def test_a_pasted_config_says_its_precision(daemon):
    config = daemon.get("/v1/models/gpt-oss-20b").json["config"]
    assert config["quantization_config"]["quant_method"] == "mxfp4"
    assert assumed(serving(daemon, model={"config": config}, accelerator="h100"), "precision")[0]["value"] == "mxfp4"
    del config["quantization_config"]
    assert assumed(serving(daemon, model={"config": config}, accelerator="h100"), "precision")[0]["value"] == "bf16"


@pytest.mark.parametrize("model", ["deepseek-r1", "kimi-k2", "llama-3.1-405b"])
def test_replicas_stay_in_one_machine(daemon, model):
    result = serving(daemon, model=model)
    for option in [result["recommended"], *result["alternatives"]]:
        assert option["gpus_per_replica"] <= (72 if option["accelerator"].startswith("gb") else 256 if option["accelerator"].startswith("tpu") else 16)
    assert result["recommended"]["parallelism"]["pipeline"] == 1
    assert not [w for w in result["warnings"] if "last resort" in w]


def test_across_machines_is_the_last_resort_and_says_so(daemon):
    slow = serving(daemon, model="deepseek-r1", accelerator="rtx-a6000")
    assert slow["recommended"]["gpus_per_replica"] > 8
    assert [w for w in slow["warnings"] if "last resort" in w]
    fast = serving(daemon, model="deepseek-r1", accelerator="h100")  # 640 GB a machine: two of them, over InfiniBand
    assert fast["recommended"]["gpus_per_replica"] == 16
    assert not [w for w in fast["warnings"] if "last resort" in w]
    both = serving(daemon, model="deepseek-r1", accelerators=["rtx-a6000", "h100", "h200"])
    assert both["recommended"]["accelerator"].startswith("h200")


def test_what_accelerators_hold_is_their_own(daemon):
    asked = {"model": "llama-3.1-70b", "precision": "fp8", "accelerator": "h100", "gpu_count": 8, "slo": {"ttft_ms": 1000, "tpot_ms": 50}}
    held = {serving(daemon, **{**asked, "requests_per_s": load})["recommended"]["throughput"]["requests_per_s_max"] for load in (5, 10, 13)}
    assert len(held) == 1
    refused = daemon.post("/v1/estimates/inference", {**SERVING, **asked, "requests_per_s": 40})
    assert refused.status == 422 and "they hold %.3g requests/s" % held.pop() in refused.json["detail"]
