"""Names and spellings that people use for hardware, models, instances, fields and times."""
from urllib.parse import quote

import pytest
from support import assumptions

TRAINING = {"model": "llama-3.1-8b", "tokens": "1B", "gpu_count": 8, "accelerator": "h100"}


def training(daemon, **changes):
    return daemon.post("/v1/estimates/training", TRAINING | changes)


@pytest.mark.parametrize("given,field,stands_for", [("NVIDIA H100 80GB HBM3", "accelerator", "h100-sxm5-80gb"), ("meta-llama/Llama-3.1-8B-Instruct", "model", "llama-3.1-8b")])
def test_a_name_in_hand_is_understood_and_said(daemon, given, field, stands_for):
    answer = training(daemon, **{field: given})
    assert answer.status == 200 and answer.json["request"][field] == stands_for, answer.text
    row = assumptions(answer.json["result"], field)[0]
    assert row["value"] == stands_for and f'"{given}" is an alias of' in row["source"], row


@pytest.mark.parametrize("instance,gpus,provider", [("p5.48xlarge", 8, "aws"), ("a3-highgpu-8g", 8, "gcp"), ("p5.4xlarge", 1, "aws")])
def test_an_instance_names_its_accelerators(daemon, instance, gpus, provider):
    answer = training(daemon, accelerator=instance)
    assert answer.status == 200, answer.text
    assert answer.json["request"]["accelerator"] == "h100-sxm5-80gb" and answer.json["request"]["gpus_per_node"] == gpus
    for field, value in (("accelerator", "h100-sxm5-80gb"), ("gpus_per_node", gpus)):
        row = assumptions(answer.json["result"], field)[0]
        assert row["value"] == value and f'"{instance}" is an instance of {provider} with {gpus} x H100 SXM5 80GB' in row["source"], row
    given = training(daemon, accelerator=instance, gpus_per_node=4)
    assert given.json["request"]["gpus_per_node"] == 4 and not assumptions(given.json["result"], "gpus_per_node")


def test_an_instance_of_several_accelerators_asks_which(daemon):
    fault = training(daemon, accelerator="n1-highmem-16").json["errors"][0]
    assert fault["pointer"] == "/accelerator" and fault["code"] == "ambiguous" and "t4" in fault["detail"] and "v100-sxm2-16gb" in fault["detail"], fault


def test_a_short_name_says_which_it_is(daemon):
    answer = training(daemon, accelerator="v100", gpu_count=32)
    source = assumptions(answer.json["result"], "accelerator")[0]["source"]
    assert "Tesla V100 SXM2 16GB" in source and "not of v100-pcie-16gb, v100-pcie-32gb, v100-sxm2-32gb" in source, source


@pytest.mark.parametrize("field,given,nearest", [("model", "meta-llama/Llama-3.1-9B", "llama-3.1-8b"), ("model", "google/gemma-3-27b-it", "gemma-4-26b-a4b"),
                                                ("accelerator", "NVIDIA H100 80GB HBM4", "h100-80gb"), ("accelerator", "p5.47xlarge", "p5.48xlarge"),
                                                ("accelerator", "NVIDIA H101", "h100")])
def test_a_wrong_name_gets_a_suggestion(daemon, field, given, nearest):
    fault = training(daemon, **{field: given}).json["errors"][0]
    assert fault["pointer"] == f"/{field}" and fault["code"] == "unknown" and nearest in fault["detail"], fault


def test_lists_and_offers_take_them_too(daemon):
    offers = [daemon.get("/v1/offers?gpu_count=8&accelerator=" + quote(name)).json["items"] for name in ("NVIDIA H100 80GB HBM3", "h100-sxm5-80gb")]
    assert offers[0] and offers[0] == offers[1]


def test_a_query_reaches_into_objects_with_times(daemon):
    answer = daemon.get("/v1/estimates/inference?model=llama-3.1-8b&requests_per_s=5&prompt_tokens=500&output_tokens=100&accelerator=h100"
                        "&slo.ttft_ms=1s&slo.tpot_ms=50ms&site.country=FRA")
    assert answer.status == 200, answer.text
    assert answer.json["request"]["slo"] == {"ttft_ms": 1000, "tpot_ms": 50} and answer.json["request"]["site"] == {"country": "FRA"}
    assert [row["what"] for row in answer.json["result"]["recommended"]["promises"]] == ["load", "slo", "slo"]
    for path in ("training?model.params=8B&tokens=1B&gpu_count=8&accelerator=h100&parallelism.tensor=2", "memory?model.params=8B&purpose=inference"):
        assert daemon.get("/v1/estimates/" + path).status == 200


def test_what_other_tools_call_it_leads_to_ours(daemon):
    answer = daemon.get("/v1/estimates/inference?model=llama-3.1-8b&qps=5&input_tokens=500&osl=100&gpus=2&ttft_ms=500")
    assert answer.status == 422
    meant = {fault["pointer"]: fault["detail"] for fault in answer.json["errors"]}
    for key, field in (("qps", "/requests_per_s"), ("input_tokens", "/prompt_tokens"), ("osl", "/output_tokens"), ("gpus", "/gpu_count"), ("ttft_ms", "/slo/ttft_ms")):
        assert meant["/" + key].endswith(f"did you mean {field}?"), meant
