"""What users really run and rent: links that join fewer accelerators than a machine has, published precisions, replicas
in one machine."""
import math

import pytest
from support import assumptions

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


def test_bridges_are_not_a_machine(daemon):
    sxm, pcie, nvl = (training(daemon, accelerator=a)["step"]["tensor_comm_s"] for a in ("h100-sxm", "h100-pcie-80gb", "h100-nvl"))
    assert pcie > 5 * sxm  # a bridge joins two cards; other traffic uses PCIe
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
    assert [a["value"] for a in assumptions(result, "precision")] == [precision]
    assert [a["value"] for a in assumptions(result, "precision.computed")] == ([computed] if computed else [])
    assert result["recommended"]["gpu_count"] <= 8


def test_the_standard_deployment_of_r1_stands(daemon):
    option = serving(daemon, model="deepseek-r1", accelerator="h200", gpu_count=8)["recommended"]
    assert option["replicas"] == 1 and option["memory"]["weights_bytes"] < 90e9
    refused = daemon.post("/v1/estimates/inference", {**SERVING, "model": "deepseek-r1", "accelerator": "h200", "gpu_count": 8, "precision": "bf16"})
    assert refused.status == 422


def test_a_pasted_config_says_its_precision(daemon):
    config = daemon.get("/v1/models/gpt-oss-20b").json["config"]
    assert config["quantization_config"]["quant_method"] == "mxfp4"
    assert assumptions(serving(daemon, model={"config": config}, accelerator="h100"), "precision")[0]["value"] == "mxfp4"
    del config["quantization_config"]
    assert assumptions(serving(daemon, model={"config": config}, accelerator="h100"), "precision")[0]["value"] == "bf16"


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
    fast = serving(daemon, model="deepseek-r1", accelerator="h100")  # a machine has 640 GB: two of them, over InfiniBand
    assert fast["recommended"]["gpus_per_replica"] == 16
    assert not [w for w in fast["warnings"] if "last resort" in w]
    both = serving(daemon, model="deepseek-r1", accelerators=["rtx-a6000", "h100", "h200"])
    assert both["recommended"]["accelerator"].startswith("h200")


def test_what_accelerators_hold_is_their_own(daemon):
    asked = {"model": "llama-3.1-70b", "precision": "fp8", "accelerator": "h100", "gpu_count": 8, "slo": {"ttft_ms": 1000, "tpot_ms": 50}}
    held = {serving(daemon, **{**asked, "requests_per_s": load})["recommended"]["throughput"]["requests_per_s_max"] for load in (5, 10, 13)}
    assert len(held) == 1
    refused = daemon.post("/v1/estimates/inference", {**SERVING, **asked, "requests_per_s": 40})
    assert refused.status == 422 and "they carry %.3g requests/s" % held.pop() in refused.json["detail"]


SMALL = {"model": "llama-3.2-1b", "prompt_tokens": 500, "output_tokens": 200}


def test_accelerators_stay_whole_unless_slices_are_asked_for(daemon):
    for load in ({"gpu_count": 1}, {"requests_per_s": 1000}, {"gpu_count": 1, "requests_per_s": 1}):
        answer = daemon.post("/v1/estimates/inference", {**SMALL, "accelerator": "h100", **load})
        assert answer.status == 200 and "mig_profile" not in answer.json["result"]["recommended"]
    busy = {**SMALL, "requests_per_s": 1000, "accelerator": "h100"}
    result = serving(daemon, **busy)
    cheaper = [o for o in result["alternatives"] if "mig_profile" in o]
    assert cheaper and cheaper[0]["cost"]["usd_per_month"] < result["recommended"]["cost"]["usd_per_month"]
    asked = serving(daemon, **busy, mig=True)["recommended"]
    assert asked["mig_profile"] and asked["cost"]["usd_per_month"] <= cheaper[0]["cost"]["usd_per_month"]
    assert not [o for o in serving(daemon, **busy, mig=False)["alternatives"] if "mig_profile" in o]


@pytest.mark.parametrize("name", ["h100-1g.10gb", "H100 MIG 1g.10gb", "h100-sxm5-80gb:1g.10gb"])
def test_slices_have_names(daemon, name):
    answer = daemon.post("/v1/estimates/inference", {**SERVING, **SMALL, "accelerator": name}).json
    option = answer["result"]["recommended"]
    assert (option["accelerator"], option["mig_profile"]) == ("h100-sxm5-80gb", "1g.10gb")
    assert (answer["request"]["accelerator"], answer["request"]["mig_profile"]) == ("h100-sxm5-80gb", "1g.10gb")
    assert all(o["mig_profile"] == "1g.10gb" for o in answer["result"]["alternatives"])


@pytest.mark.parametrize("asked,pointer,said", [({"accelerator": "h100-1g.11gb"}, "/mig_profile", "1g.10gb"), ({"accelerator": "l40s-1g.10gb"}, "/mig_profile", "split"),
    ({"accelerator": "h100-1g.10gb", "mig": False}, "/mig", "profile"), ({"accelerator": "h100-1g.10gb", "mig_profile": "2g.20gb"}, "/mig_profile", "another")])
def test_slices_that_are_not_there(daemon, asked, pointer, said):
    answer = daemon.post("/v1/estimates/inference", {**SERVING, **SMALL, **asked})
    assert answer.status == 422
    assert [f for f in answer.json["errors"] if f["pointer"] == pointer and said in f["detail"]], answer.text


SQUARES = {1, 4, 8, 16, 32, 64, 128, 256}
CUBES = {4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 6144}


@pytest.mark.parametrize("accelerator,slices,joined", [("tpu-v5e", SQUARES, 256), ("tpu-v6e", SQUARES, 256), ("tpu-v5p", CUBES, 64), ("tpu-v4", CUBES, 64)])
@pytest.mark.parametrize("limits", [{"deadline_hours": "20d"}, {"deadline_hours": "90d"}, {}, {"deadline_hours": "7d", "objective": "time"}])
def test_tpus_are_rented_by_the_slice(daemon, accelerator, slices, joined, limits):
    answer = daemon.post("/v1/estimates/training", {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": accelerator, **limits})
    assert answer.status == 200, answer.text
    result = answer.json["result"]
    for option in [result["recommended"], *result["alternatives"]]:
        assert option["gpu_count"] in slices or option["gpu_count"] % joined == 0, option["gpu_count"]
    assert [a for a in result["assumptions"] if a["field"] == "slices" and "Google Cloud" in a["source"]]
    for rate in (0.5, 20):
        option = serving(daemon, model="llama-3.1-70b", accelerator=accelerator, requests_per_s=rate)["recommended"]
        assert option["gpus_per_replica"] in slices


def test_a_number_that_is_no_slice_is_said(daemon):
    answer = daemon.post("/v1/estimates/training", {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "tpu-v5e", "gpu_count": 136}).json["result"]
    assert answer["recommended"]["gpu_count"] == 136
    assert [w for w in answer["warnings"] if "not the size of a rented slice" in w and "256" in w]


def test_slices_talk_over_the_data_centre_network(daemon):
    def plan(count, **network):
        return daemon.post("/v1/estimates/training", {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "tpu-v5e", "gpu_count": count, **network,
            "global_batch_tokens": 4194304 * count // 256, "parallelism": {"tensor": 1, "pipeline": 1, "zero_stage": 3}}).json["result"]
    one, two = plan(256), plan(512)
    assert [a["value"] for a in one["assumptions"] if a["field"] == "internode_gbs"] in (["3.125"], [3.125])
    assert math.isclose(plan(256, internode_gbs=0.1)["recommended"]["step"]["time_s"], one["recommended"]["step"]["time_s"])
    assert plan(512, internode_gbs=0.1)["recommended"]["step"]["time_s"] > 1.05 * two["recommended"]["step"]["time_s"]
