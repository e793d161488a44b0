"""Sends hundreds of requests drawn from the schemas. Checks: no server error, no unbounded search, consistent sums,
only finite numbers. FLEETPLAN_RANDOM_REQUESTS and FLEETPLAN_RANDOM_SEED make the search longer."""
import json
import math
import os

import jsonschema
import pytest

from random_requests import Requests, options, unsound
from support import wait_state

COUNT = int(os.environ.get("FLEETPLAN_RANDOM_REQUESTS", "150"))
SEED = int(os.environ.get("FLEETPLAN_RANDOM_SEED", "2026"))
LAYOUTS = 20_000_000  # the most layouts that a search may evaluate: a bound on work that does not depend on the machine's load
HANGS = 1800  # seconds after which a request is given up; not a judgement of its speed
STEP_PARTS = ("compute_s", "recompute_s", "tensor_comm_s", "context_comm_s", "pipeline_comm_s", "pipeline_bubble_s", "data_comm_exposed_s",
              "expert_comm_s", "optimizer_s", "input_wait_s", "host_transfer_s", "launch_overhead_s")


@pytest.fixture(scope="module")
def names(daemon):
    rows = {kind: daemon.get(f"/v1/{kind}?limit=1000").json["items"] for kind in ("models", "accelerators")}
    return {"models": [row["id"] for row in rows["models"]], "accelerators": [row for row in rows["accelerators"] if row["origin"] == "builtin"]}  # without rows that other tests made


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)


def check_training(result):
    for option in options(result):
        step, memory, layout = option["step"], option["memory"], option["parallelism"]
        assert close(step["time_s"], sum(step.get(part, 0) for part in STEP_PARTS))
        assert all(step.get(part, 0) >= 0 for part in STEP_PARTS), step
        assert close(memory["model_bytes"], sum(memory[k] for k in ("weights_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes")))
        assert close(memory["total_bytes"], memory["model_bytes"] + memory["overhead_bytes"])
        assert layout["tensor"] * layout["pipeline"] * layout["data"] * layout["context"] == option["gpu_count"]
        kept, nodes = option["gpu_hours"] / option["wall_clock_hours"] - option["gpu_count"], option["goodput"].get("spare_nodes", 0)
        assert abs(kept) < 1e-6 * option["gpu_count"] or nodes and close(kept / nodes, round(kept / nodes)), (kept, nodes)  # requested spares are paid
        assert 0 <= option["goodput"]["fraction"] <= 1 and 0 < option["mfu"] <= 1 and option["hfu"] >= option["mfu"] * (1 - 1e-9)
        check_footprint(option)


def check_footprint(option):
    energy, carbon = option["energy"], option["carbon"]
    assert close(carbon["total_kgco2e"], carbon["operational_kgco2e"] + carbon["embodied_kgco2e"])
    assert energy["total_kwh"] >= energy["it_kwh"] * (1 - 1e-9)


def check_inference(result):
    for option in options(result):
        memory = option["memory"]
        idle = option["gpu_count"] - option["replicas"] * option["gpus_per_replica"]
        assert 0 <= idle < option["gpus_per_replica"]
        assert idle == 0 or option is not result["recommended"] or any("stay idle" in warning for warning in result["warnings"])
        assert close(memory["total_bytes"], sum(memory[k] for k in ("weights_bytes", "kv_cache_bytes", "activations_bytes", "overhead_bytes")))
        for figure in option["latency"].values():
            assert figure["p50"] <= figure["p95"] * (1 + 1e-9) and figure["p95"] <= figure["p99"] * (1 + 1e-9), figure
        assert close(option["throughput"]["output_tokens_per_s"] / option["gpu_count"], option["throughput"]["output_tokens_per_s_per_gpu"])


def check_intervals(value):
    if isinstance(value, dict):
        if {"p10", "p50", "p90"} <= set(value):
            assert value["p10"] <= value["p50"] * (1 + 1e-9) and value["p50"] <= value["p90"] * (1 + 1e-9), value
        for member in value.values():
            check_intervals(member)
    elif isinstance(value, list):
        for member in value:
            check_intervals(member)


ROUTES = {"TrainingRequest": ("training", check_training), "InferenceRequest": ("inference", check_inference),
          "PerformanceRequest": ("inference/performance", None), "MemoryRequest": ("memory", None), "ScalingRequest": ("scaling", None),
          "CarbonRequest": ("carbon", None)}


def finished(daemon, answer):
    """The answer itself, or the result of the job that it became on a slow machine."""
    if answer.status != 202:
        return answer
    wait_state(daemon, answer.headers["location"], seconds=HANGS)
    return daemon.get(answer.headers["location"] + "/result")


@pytest.mark.parametrize("schema", ROUTES)
def test_whatever_the_schema_admits(daemon, names, schema):
    path, check = ROUTES[schema]
    document = daemon.get("/openapi.json").json
    requests = Requests(document, names["models"], names["accelerators"], f"{SEED} {schema}")
    answers = document["paths"][f"/v1/estimates/{path}"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    promised = jsonschema.Draft202012Validator({"components": document["components"]} | answers)
    planned = 0
    for _ in range(COUNT):
        request = requests.request(schema)
        answer = finished(daemon, daemon.request("POST", f"/v1/estimates/{path}", request, {"Accept": "application/json"}, timeout=HANGS))
        told = f"{json.dumps(request)}\n{answer.text[:3000]}"
        assert answer.status in (200, 422), told
        if answer.status == 422:
            assert answer.json.get("errors") or answer.json["type"].endswith("/infeasible"), told
            assert answer.json["detail"], told
            continue
        planned += 1
        body = answer.json
        try:
            assert not list(unsound(body))
            assert not [error.message[:300] for error in promised.iter_errors(body)]
            assert body["result"].get("search", {}).get("evaluated", 0) <= LAYOUTS, told
            check_intervals(body["result"])
            if check:
                check(body["result"])
        except (AssertionError, KeyError) as wrong:
            raise AssertionError(f"{wrong!r}\n{told}") from wrong
    assert planned > COUNT / 50, "nearly all requests were refused, so the search tests nothing"
