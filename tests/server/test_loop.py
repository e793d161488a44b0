"""From a measurement back to the prediction: shapes of a plan, calibrations, verification, observations."""
import json
import math

import pytest
from beside import beside, play
from conftest import Daemon
from fake_agent import FakeAgent, gpu, measure, measured
from support import answer_of, assumed, best, queue, wait_state

TRAINING = {"model": "llama-3.1-8b", "tokens": "10B", "sequence_length": 4096, "global_batch_size": 64, "accelerator": "l4", "gpu_count": 64,
            "enforce_memory": False, "pricing": {"usd_per_gpu_hour": 1}, "alternatives": 0, "site": {"country": "FRA"}}
PEAK, BANDWIDTH = 121e12, 300e9  # of the catalogue's L4


def plan_of(daemon, **more):
    return answer_of(daemon, "/v1/plans/training", TRAINING | more, 201)


def run(daemon, device, result, **body):
    """Runs a benchmark on an agent with that device, and returns the daemon's result."""
    agent = FakeAgent(daemon, f"agent-of-{device}", [gpu(device)])
    assert agent.register().status == 200
    name = queue(daemon, device=device, **body)
    lease = agent.lease().json
    assert lease["benchmark_id"] == name, lease
    answer = agent.deliver(lease, result(lease) if callable(result) else result)
    assert answer.status == 200 and answer.json["state"] == "succeeded", answer.text
    return daemon.get(f"/v1/benchmarks/{name}").json["result"]


def products(device, share, **more):
    """A run in which large products reach this share of the peak."""
    return measured(device, measures=[measure("gemm_library_bf16", "library_gemm", share * PEAK, precision="bf16", flops=1e12, **more),
                                      measure("stream_triad", "stream", 0.9 * BANDWIDTH)])


@pytest.fixture(scope="module", autouse=True)
def stage(request):
    """Builds the stage. The measurement by a real worker is slow: it begins with the first test, while the other tests
    run."""
    def own_daemon(folder, stack):
        one = Daemon(folder)
        stack.callback(one.stop)
        return one

    yield from play(request, {"own_daemon": own_daemon})


def test_what_of_a_plan_is_measured_goes_with_the_lease(hub):
    plan = plan_of(hub, parallelism={"tensor": 8, "pipeline": 1, "data": 8, "micro_batch": 2, "context": 1})
    agent = FakeAgent(hub)
    assert agent.register().status == 200
    name = queue(hub, plan_id=plan["id"])
    assert hub.get(f"/v1/benchmarks/{name}").json["accelerator"] == "l4"  # of the plan
    shapes = agent.lease().json["spec"]["shapes"]
    forward = {row["role"]: row for row in shapes["products"] if row.get("product", "forward") == "forward"}
    rows, layers = 2 * 4096, 32
    assert (forward["qkv"]["m"], forward["qkv"]["n"], forward["qkv"]["k"]) == (rows, (4096 + 2 * 1024) // 8, 4096)
    assert (forward["mlp_down"]["m"], forward["mlp_down"]["n"], forward["mlp_down"]["k"]) == (rows, 4096, 14336 // 8)
    assert forward["qkv"]["count"] == layers * 64 / 8 / 2
    assert {row["precision"] for row in shapes["products"]} == {"bf16"} and len(shapes["products"]) == 15
    assert shapes["block"]["hidden"] == 4096 and shapes["block"]["heads"] == 4 and 0 < shapes["block"]["predicted_s"] <= 0.15
    assert shapes["attention"][0] | {"count": 0} == {"batch": 2, "heads": 4, "kv_heads": 1, "queries": 4096, "keys": 4096, "head_dimension": 128, "causal": True,
                                                     "backward": False, "precision": "bf16", "count": 0}
    assert rows * 4096 * 2 in shapes["collective_bytes"]


def test_a_service_is_measured_by_its_batches(hub):
    plan = hub.post("/v1/plans/inference", {"model": "llama-3.1-8b", "accelerator": "l4", "queries_per_minute": 60, "prompt_tokens": 500, "output_tokens": 100,
                                            "precision": "bf16", "alternatives": 0, "pricing": {"usd_per_gpu_hour": 1}}).json
    name = queue(hub, plan_id=plan["id"])
    agent = FakeAgent(hub)
    assert agent.register().status == 200
    lease = agent.lease().json
    assert lease["benchmark_id"] == name
    shapes = lease["spec"]["shapes"]
    assert {row["m"] for row in shapes["products"] if row["role"] == "qkv"} == {max(1, round(best(plan)["batch"]["mean"])), 500}
    assert shapes["kv_read"][0]["queries"] == 1 and shapes["kv_read"][0]["keys"] == 550 and "block" not in shapes


def test_the_plans_own_then_the_fleet_then_the_prior(hub):
    prior = plan_of(hub)
    assert assumed(prior, "calibration")["value"] == "datasheet"
    for device, share in (("GPU-1", 0.40), ("GPU-2", 0.42), ("GPU-3", 0.41)):
        run(hub, device, products(device, share))
    fleet = plan_of(hub)
    told = assumed(fleet, "calibration.gemm_efficiency.large")
    assert told["value"] == pytest.approx(0.41) and "fleet: median of 3 devices" in told["source"] and "0 days old" in told["source"], told
    assert "below the published prior of 0.75" in told["source"], told
    assert best(fleet)["step"]["time_s"] > best(prior)["step"]["time_s"]
    row = next(row for row in best(fleet)["provenance"].items() if row[0] == "/step/time_s") if isinstance(best(fleet)["provenance"], dict) else None
    assert row is None or row[1]["status"] == "measured", row
    datasheet = plan_of(hub, calibration="datasheet")
    assert best(datasheet)["step"] == best(prior)["step"] and not assumed(datasheet, "calibration.gemm_efficiency.large")
    narrower = [best(plan)["interval"]["step_time_s"] for plan in (prior, fleet)]
    assert narrower[1]["p90"] / narrower[1]["p50"] < narrower[0]["p90"] / narrower[0]["p50"]
    # A plan uses its own measured products when it is planned again; another plan does not use them.
    own = run(hub, "GPU-1", products("GPU-1", 0.30, role="qkv"), plan_id=prior["id"])
    assert {"plan", "large"} <= {row.get("class") for row in own["calibrations"]}, own
    again = hub.request("POST", f"/v1/plans/{prior['id']}/refresh").json
    told = assumed(again, "calibration.gemm_efficiency")
    assert told["value"] == pytest.approx(0.30) and "this plan's own work" in told["source"], told
    assert assumed(plan_of(hub), "calibration.gemm_efficiency") is None
    assert best(again)["step"]["time_s"] > best(fleet)["step"]["time_s"]


def test_what_disagrees_is_kept_and_not_used(hub):
    for device, share in (("GPU-1", 0.40), ("GPU-2", 0.41), ("GPU-3", 0.42)):
        run(hub, device, products(device, share))
    run(hub, "GPU-4", products("GPU-4", 0.20))
    run(hub, "GPU-5", products("GPU-5", 0.41, disagreement=0.08))
    rows = {row["device_id"]: row for row in hub.get("/v1/calibrations?accelerator=l4&quantity=gemm_efficiency").json["items"]}
    assert {device: row["used"] for device, row in rows.items()} == {"GPU-1": True, "GPU-2": True, "GPU-3": True, "GPU-4": False, "GPU-5": False}, rows
    assert "other devices disagree" in rows["GPU-4"]["unused_because"] and "repetition disagrees by 8.0 %" in rows["GPU-5"]["unused_because"], rows
    told = plan_of(hub)
    assert assumed(told, "calibration.gemm_efficiency.large")["value"] == pytest.approx(0.41)
    assert assumed(told, "calibration.unused"), told["result"]["assumptions"]
    count = lambda query: len(hub.get(f"/v1/calibrations?{query}").json["items"])
    assert count("device=GPU-4&quantity=gemm_efficiency") == 1 and count("quantity=memory_efficiency") == 5
    assert count("quantity=gemm_efficiency&used=false") == 2 and count("quantity=gemm_efficiency&used=true") == 3 and count("accelerator=h100") == 0
    for row in rows.values():
        assert hub.request("DELETE", f"/v1/calibrations/{row['id']}").status == 204
    assert not assumed(plan_of(hub), "calibration.gemm_efficiency.large")
    assert hub.request("DELETE", "/v1/calibrations/none").status == 404


def noisy(median, width, **more):
    """Samples that spread by half around a median that is known within `width` of it, as a worker on a shared machine
    reports."""
    return {"n": 60, "min": 0.4 * median, "p10": 0.6 * median, "median": median, "p90": 1.1 * median, "max": 1.2 * median, "unstable": True, "rounds": 5,
            "median_p10": (1 - width / 2) * median, "median_p90": (1 + width / 2) * median, "steal_fraction": 0.03, "others_fraction": 0.41} | more


def noisy_run(width, **more):
    return measured(measures=[measure("gemm_library_bf16", "library_gemm", 0.4 * PEAK, precision="bf16", flops=1e12) | noisy(0.4 * PEAK, width, **more),
                              measure("stream_triad", "stream", 0.8 * BANDWIDTH) | noisy(0.8 * BANDWIDTH, width)])


def test_a_well_known_median_of_noisy_samples_corrects_plans(hub):
    ranges = []
    for width in (0.02, 0.14):
        told = run(hub, "GPU-1", noisy_run(width))
        assert told["not_calibrated"] == [] and {row["quantity"] for row in told["calibrations"]} == {"gemm_efficiency", "memory_efficiency"}, told
        plan = plan_of(hub)
        row = assumed(plan, "calibration.gemm_efficiency.large")
        assert (row["value"], row["low"], row["high"]) == (pytest.approx(0.4), pytest.approx(0.4 * (1 - width / 2)), pytest.approx(0.4 * (1 + width / 2))), row
        ranges.append(best(plan)["interval"]["step_time_s"])
    assert ranges[1]["p90"] > ranges[0]["p90"] and ranges[1]["p10"] < ranges[0]["p10"] and ranges[1]["p50"] == ranges[0]["p50"], ranges
    assert "; others used 44 % of the CPUs meanwhile" in row["source"], row
    kept = hub.get("/v1/calibrations?quantity=memory_efficiency").json["items"][0]
    assert "others used 44 % of the CPUs meanwhile" in kept["source"] and kept["used"], kept


def test_what_stays_wide_or_drifts_says_so(hub):
    told = run(hub, "GPU-1", noisy_run(0.24, trend=True, drift=-0.2))
    assert told["calibrations"] == []
    reasons = {row["quantity"]: row["reason"] for row in told["not_calibrated"]}
    assert "gemm_library_bf16: it drifted by -20 % while it was measured; others used 44 % of the CPUs" in reasons["gemm_efficiency"], reasons
    assert "stream_triad: the 80 % interval of its median is 24 % wide, the limit is 15 %; others used 44 % of the CPUs" in reasons["memory_efficiency"], reasons
    assert not assumed(plan_of(hub), "calibration.gemm_efficiency.large")


def of_compute(**changes):
    return measured(measures=[measure("gemm_library_bf16", "library_gemm", 0.4 * PEAK, precision="bf16", flops=1e12) | changes])


def test_only_a_librarys_good_products_correct_compute(hub):
    prior = best(plan_of(hub))["step"]
    for changes, why in (({"verified": False}, "output was wrong"), ({"unstable": True}, "repetitions disagree"), ({"throttled": True}, "throttled"),
                         ({"cache_resident": True}, "cache"), ({"method": "kernel_gemm"}, None), ({"method": "issue_rate"}, None),
                         ({name: 1.01 * PEAK for name in ("min", "p10", "median", "p90", "max")}, "peak_suspect"),
                         ({"precision": "fp8", "test": "gemm_library_fp8"}, None)):
        told = run(hub, "GPU-1", of_compute(**changes))
        refused = [row["reason"] for row in told["not_calibrated"]]
        assert len(refused) == (why is not None) and all(why in reason for reason in refused), (changes, refused)
        assert [row["precision"] for row in told["calibrations"]] == (["fp8"] if "precision" in changes else []), told
        assert best(plan_of(hub))["step"] == prior, changes
    assert [row["value"] for row in run(hub, "GPU-1", of_compute())["calibrations"]] == [pytest.approx(0.4)]
    now = plan_of(hub)
    told = assumed(now, "calibration.gemm_efficiency.large")
    assert best(now)["step"]["time_s"] > prior["time_s"] and told["status"] == "measured" and told["low"] < told["value"] < told["high"], told


def fit(test, alpha_s, beta, **more):
    return {"type": "fit", "test": test, "method": "copy_engine", "alpha_s": alpha_s, "beta_bytes_per_s": beta, "worst_residual": 0.02, "sizes": 4} | more


ENERGY = {"window_s": 3, "energy_j": 150, "mean_w": 50, "idle_w": 10, "source": "nvml_counter", "by": "counter", "scope": "gpu_board", "confidence": "high"}
TERMS = (  # measures, fits, the calibrated quantities, a plan that depends on them, and which of its figures changes
    ([measure("stream_triad", "stream", 0.4 * BANDWIDTH)], [], {"memory_efficiency": 0.4}, {}, "time_s"),
    ([measure("launch_pipelined", "driver_launch", 5e-3)], [], {"kernel_launch_s": 5e-3}, {}, "launch_overhead_s"),
    ([measure("all_reduce", "collective_library", 1e9)], [fit("all_reduce", 1e-3, 1e9)], {"collective_bytes_per_s": 1e9, "collective_latency_s": 1e-3},
     {"parallelism": {"tensor": 2, "pipeline": 1, "data": 32, "micro_batch": 1}}, "tensor_comm_s"),
    ([measure("transfer_pinned", "copy_engine", 1e9)], [fit("transfer_pinned", 2e-3, 2e9, what="to_device"), fit("transfer_pinned", 1e-3, 1e9, what="from_device")],
     {"host_bytes_per_s": 1e9, "host_latency_s": 1e-3}, {"parallelism": {"tensor": 1, "pipeline": 1, "data": 64, "micro_batch": 1, "offload": True}},
     "host_transfer_s"),
    ([measure("gemm_sustained", "library_gemm", 0.5 * PEAK, precision="bf16", flops=1e12, energy=ENERGY)], [], {"load_w": 50, "idle_w": 10}, {}, None),
    ([measure("storage_sequential", "file_read", 1e6)], [], {"storage_bytes_per_s": 1e6}, {"input_pipeline": {"sample_bytes": 1e6}}, "input_wait_s"),
)


@pytest.mark.parametrize("measures,fits,quantities,request_more,moves", TERMS, ids=[next(iter(term[2])) for term in TERMS])
def test_each_figure_feeds_its_own_term(hub, measures, fits, quantities, request_more, moves):
    before = best(plan_of(hub, **request_more))
    told = run(hub, "GPU-1", measured(measures=measures, fits=fits))
    assert {row["quantity"]: row["value"] for row in told["calibrations"]} == pytest.approx(quantities) and told["not_calibrated"] == [], told
    after = plan_of(hub, **request_more)
    for name, value in quantities.items():
        row = assumed(after, f"calibration.{name}")
        assert row["value"] == pytest.approx(value) and row["status"] == "measured" and "on GPU-1" in row["source"] and "0 days old" in row["source"], row
    if moves:
        assert best(after)["step"][moves] > 1.01 * before["step"][moves], (before["step"], best(after)["step"])
    else:  # it is as fast, but takes less power than the datasheet's 72 W
        assert best(after)["step"] == before["step"] and best(after)["energy"]["total_kwh"] < before["energy"]["total_kwh"]
    assert best(plan_of(hub, calibration="datasheet", **request_more))["step"] == before["step"]


def test_drift_is_a_metric(hub):
    def told():
        lines = [line for line in hub.get("/metrics").text.splitlines() if line.startswith("fleetplan_calibration_drift_ratio{") and "gemm_efficiency" in line]
        assert all(line.startswith('fleetplan_calibration_drift_ratio{accelerator="l4",quantity="gemm_efficiency",precision="bf16",class="large"} ') for line in lines)
        return [float(line.split()[-1]) for line in lines]

    for share, ratio in ((0.40, 1), (0.38, 0.95), (0.36, 0.9)):  # the ratio to the first result, not to the one before
        run(hub, "GPU-1", products("GPU-1", share))
        assert told() == [pytest.approx(ratio)]
    row = hub.get("/v1/calibrations?quantity=gemm_efficiency").json["items"][0]
    assert (row["value"], row["baseline"]) == (pytest.approx(0.36), pytest.approx(0.40))
    run(hub, "GPU-2", products("GPU-2", 0.39))
    assert told() == [pytest.approx(0.95)]  # the median of the devices, in one line
    plan = plan_of(hub)
    for share in (0.40, 0.20):
        run(hub, "GPU-3", products("GPU-3", share, role="qkv"), plan_id=plan["id"])
    assert told() == [pytest.approx(0.9)]  # the median of 1, 0.9 and 0.5; figures of a plan's own work are left out, because that work differs each time


def block_run(ratio, device="GPU-1", share=0.5):
    def result(lease):
        block = lease["spec"]["shapes"]["block"]
        seconds = ratio * block.pop("predicted_s")
        more = {"unit": "s", "predicted_s": seconds / ratio, "block": block}
        answer = measured(device)
        answer["measures"] = [measure("gemm_library_bf16", "library_gemm", share * PEAK, precision="bf16", flops=1e12, role="qkv",
                                      shape=[4096, 4096, 4096], product="forward"),
                              measure("stream_triad", "stream", 0.82 * BANDWIDTH), measure("block_step", "sequence", seconds, **more)]
        answer["measures"][0]["flops"] = 2 * 4096**3
        return answer
    return result


@pytest.mark.parametrize("ratio,verdict", [(1.0, "confirmed"), (1.25, "adjusted"), (0.8, "adjusted"), (2.0, "refuted")])
def test_verdicts(hub, ratio, verdict):
    plan = plan_of(hub)
    result = run(hub, "GPU-1", block_run(ratio), plan_id=plan["id"])
    told = result["verification"]
    assert told["verdict"] == verdict and told["ratio"] == pytest.approx(ratio) and told["what"] == "block", told
    assert told["measured_s"] == pytest.approx(ratio * told["predicted_s"])
    terms = {row["name"]: row["ratio"] for row in told["terms"]}
    assert terms["memory_bandwidth"] == pytest.approx(1) and terms["compute"] > 1.2
    shown = hub.get(f"/v1/plans/{plan['id']}").json["verification"]
    assert shown == told
    if verdict == "confirmed":
        assert "replanned" not in told and "dominant" not in told
        return
    assert told["dominant"] == "compute"
    again = best(hub.request("POST", f"/v1/plans/{plan['id']}/refresh").json)
    assert told["replanned"]["gpu_count"] == again["gpu_count"] == best(plan)["gpu_count"]
    assert told["replanned"]["usd"] == pytest.approx(again["cost"]["total_usd"]) and told["replanned"]["usd_change"] > 0, told


def test_more_accelerators_where_a_deadline_is_to_be_met(hub):
    request = dict(TRAINING, deadline_hours=200, pricing={"usd_per_gpu_hour": 1})
    del request["gpu_count"]
    plan = hub.post("/v1/plans/training", request)
    assert plan.status == 201, plan.text
    told = run(hub, "GPU-1", block_run(1.3, share=0.3), plan_id=plan.json["id"])["verification"]
    assert told["verdict"] == "adjusted" and told["replanned"]["gpu_count_change"] > 0 and told["replanned"]["usd_change"] > 0, told
    assert told["replanned"]["gpu_count"] == best(plan.json)["gpu_count"] + told["replanned"]["gpu_count_change"]


def test_verdicts_end_at_their_bounds(hub):
    plan, known = plan_of(hub), {}
    bounds = ((0.9, "confirmed", 0, "adjusted"), (1.1, "confirmed", 2, "adjusted"), (0.75, "adjusted", 0, "refuted"), (1.33, "adjusted", 2, "refuted"))

    def exactly(seconds):
        def result(lease):
            answer = block_run(1.0)(lease)
            answer["measures"][-1] |= {"predicted_s": 1.0, "min": seconds, "p10": seconds, "median": seconds, "p90": seconds, "max": seconds}
            return answer
        return run(hub, "GPU-1", result, plan_id=plan["id"])["verification"]

    for ratio, inside, away, outside in bounds:
        for seconds, verdict in ((ratio, inside), (math.nextafter(ratio, away), outside)):
            told = exactly(seconds)
            assert told["verdict"] == verdict and told["ratio"] == pytest.approx(seconds, rel=1e-14), told
            known[verdict] = told
    assert "replanned" not in known["confirmed"] and {"gpu_count_change", "usd_change"} <= set(known["adjusted"]["replanned"]) and known["refuted"]["dominant"]


def test_what_is_measured_again_counts_once(hub):
    plan = plan_of(hub)

    def result(lease):
        products = [measure("gemm_library_bf16", "library_gemm", share * PEAK, precision="bf16", flops=2 * 4096**3, role="qkv", count=count,
                            shape=[side, 4096, 4096], product="forward", **more)
                    for side, share, count, more in ((4096, 0.2, 3, {"unstable": True}), (8192, 0.6, 2, {}), (4096, 0.5, 3, {}), (8192, 0.1, 2, {"throttled": True}),
                                                   (4096, 0.1, 3, {"verified": False}))]
        return measured(measures=products)

    told = run(hub, "GPU-1", result, plan_id=plan["id"])["verification"]
    assert told["what"] == "products" and told["measured_s"] == pytest.approx(2 * 4096**3 * (3 / (0.5 * PEAK) + 2 / (0.6 * PEAK))), told


def test_each_term_stands_beside_its_measurement(hub):
    plan = plan_of(hub, input_pipeline={"sample_bytes": 1e6, "storage_gbs": 2})
    attention = {"batch": 1, "heads": 32, "kv_heads": 8, "queries": 4096, "keys": 4096, "head_dimension": 128, "causal": True}

    def terms(backward, *more):
        def result(lease):
            answer = block_run(1.5)(lease)
            answer["measures"] += [measure("attention", "library_attention", 20e12, precision="bf16", flops=1e12, count=3, attention=attention | {"backward": backward}),
                                   measure("storage_sequential", "file_read", 1e9), measure("stream_triad", "stream", 0.41 * BANDWIDTH), *more]
            answer["fits"] = [fit("transfer_pinned", 1e-5, 20e9, what="to_device"), fit("transfer_pinned", 1e-5, 10e9, what="from_device"),
                              fit("all_reduce", 1e-5, 5e9)]
            return answer
        return {row["name"]: row for row in run(hub, "GPU-1", result, plan_id=plan["id"])["verification"]["terms"]}

    first = terms(False)
    assert set(first) == {"compute", "attention", "memory_bandwidth", "host_transfer", "communication", "input"}  # nothing was predicted for a launch
    for name, predicted, measured_as in (("memory_bandwidth", 0.82 * BANDWIDTH, 0.41 * BANDWIDTH), ("host_transfer", 23.62e9, 20e9), ("communication", 20.165e9, 5e9),
                                         ("input", 2e9, 1e9)):
        row = first[name]
        assert row["predicted"] == pytest.approx(predicted, rel=1e-3) and row["measured"] == pytest.approx(measured_as) and row["unit"] == "bytes_per_s", row
        assert row["ratio"] == pytest.approx(row["predicted"] / row["measured"]), row  # of times: a lower rate is slower
    assert first["attention"]["measured"] == pytest.approx(3 * 1e12 / 20e12)
    for row in hub.get("/v1/calibrations?limit=1000").json["items"]:
        hub.request("DELETE", f"/v1/calibrations/{row['id']}")
    second = terms(True, measure("launch_pipelined", "driver_launch", 2e-6))
    assert second["attention"]["predicted"] == pytest.approx(2 * first["attention"]["predicted"])  # the backward pass has twice the products
    launch = terms(False, measure("launch_pipelined", "driver_launch", 3e-6))["launch_overhead"]
    assert (launch["predicted"], launch["measured"], launch["ratio"]) == (pytest.approx(2e-6), pytest.approx(3e-6), pytest.approx(1.5)), launch


def test_a_service_is_verified_by_its_products(hub):
    plan = hub.post("/v1/plans/inference", {"model": "llama-3.1-8b", "accelerator": "l4", "queries_per_minute": 60, "prompt_tokens": 500, "output_tokens": 100,
                                            "precision": "bf16", "alternatives": 0, "pricing": {"usd_per_gpu_hour": 1}}).json

    def result(lease):
        products = [measure("gemm_library_bf16", "library_gemm", 0.2 * PEAK, precision="bf16", flops=2 * row["m"] * row["n"] * row["k"], role=row["role"],
                            count=row["count"], shape=[row["m"], row["n"], row["k"]], product="forward") for row in lease["spec"]["shapes"]["products"]]
        return measured(measures=products)

    told = run(hub, "GPU-1", result, plan_id=plan["id"])["verification"]
    assert told["what"] == "products" and told["verdict"] == "refuted" and told["dominant"] == "compute", told
    assert told["replanned"]["usd"] >= best(plan)["cost"]["usd_per_month"] and hub.get(f"/v1/plans/{plan['id']}").json["verification"] == told


def test_what_verifies_nothing_says_why(hub):
    def unverified(plan, result=block_run(1.0)):
        told = run(hub, "GPU-1", result, plan_id=plan["id"])
        assert "verification" not in told and "verification" not in hub.get(f"/v1/plans/{plan['id']}").json
        return told["not_verified"]

    assert "the plan is for h100-sxm5-80gb, but l4 was measured" in unverified(plan_of(hub, accelerator="h100"))
    assert "no valid figure of a block or of a product" in unverified(plan_of(hub), measured())
    gone = plan_of(hub)

    def deleted(lease):
        assert hub.request("DELETE", f"/v1/plans/{gone['id']}").status == 204
        return block_run(1.0)(lease)
    assert gone["id"] in run(hub, "GPU-1", deleted, plan_id=gone["id"])["not_verified"]
    told = run(hub, "GPU-1", block_run(1.2), plan_id=plan_of(hub, calibration="datasheet")["id"])["verification"]
    assert told["verdict"] == "adjusted" and "replanned" not in told and "datasheet" in told["not_replanned"], told
    assert "not_verified" not in run(hub, "GPU-1", measured())


# --- observations --------------------------------------------------------------------------------------------------------

def observe(daemon, plan, headers=None, **more):
    return daemon.post("/v1/observations", {"plan_id": plan["id"]} | more, headers)


def test_five_jobs_of_two_plans_correct_their_stack(hub):
    plans = [plan_of(hub, stack="megatron_core"), plan_of(hub, stack="megatron_core", sequence_length=2048)]
    for i, ratio in enumerate((1.25, 1.26, 1.24, 1.25, 1.25)):
        plan = plans[i % 2]
        answer = observe(hub, plan, step_time_s=ratio * best(plan)["step"]["time_s"], mean_gpu_w=60, gpu_count=64)
        assert answer.status == 201 and answer.json["ratio"] == pytest.approx(ratio), answer.text
        assert answer.json["used"] == (i == 4), "jobs must be used from the fifth on"
        assert ("5 from 2 plans are needed" in answer.json["unused_because"]) if i < 4 else "unused_because" not in answer.json
        assert answer.json["stack"] == "megatron_core" and answer.json["accelerator"] == "l4"
        rows = hub.get("/v1/calibrations?quantity=stack_speed").json["items"]
        assert len(rows) == (i == 4), "five jobs are needed, and fewer must not count"
    assert rows[0]["value"] == pytest.approx(0.8) and rows[0]["class"] == "megatron_core" and rows[0]["n"] == 5 and rows[0]["used"], rows
    assert all(item["used"] for item in hub.get("/v1/observations").json["items"])
    now = plan_of(hub, stack="megatron_core")
    assert assumed(now, "calibration.stack_speed")["value"] == pytest.approx(0.8)
    assert best(now)["step"]["time_s"] == pytest.approx(1.25 * best(plans[0])["step"]["time_s"])  # the observed step, including its exposed parts
    assert best(now)["parallelism"] == best(plans[0])["parallelism"]
    width = [best(plan)["interval"]["step_time_s"]["p90"] / best(plan)["interval"]["step_time_s"]["p50"] for plan in (plans[0], now)]
    assert width[1] < width[0]
    assert not assumed(plan_of(hub, stack="fsdp"), "calibration.stack_speed")
    assert not assumed(plan_of(hub, stack="megatron_core", calibration="datasheet"), "calibration.stack_speed")
    # A job that does not count changes nothing. A job that counts and contradicts the others removes their agreement.
    odd = observe(hub, plans[0], step_time_s=1.25 * best(plans[0])["step"]["time_s"], gpu_count=32).json
    assert not odd["used"] and hub.get("/v1/calibrations?quantity=stack_speed").json["items"] == rows
    # A job of a plan that used the correction is compared with the prior, not with the corrected figure.
    beside = observe(hub, now, step_time_s=best(now)["step"]["time_s"]).json
    assert beside["ratio"] == pytest.approx(1) and beside["stack_speed"] == pytest.approx(0.8)
    for _ in range(6):
        last = observe(hub, plans[0], step_time_s=2.5 * best(plans[0])["step"]["time_s"]).json
    assert not last["used"] and "deviate by" in last["unused_because"], last
    row = hub.get("/v1/calibrations?quantity=stack_speed").json["items"][0]
    assert row["n"] == 12 and not row["used"] and "disagrees" in row["unused_because"], row
    assert not assumed(plan_of(hub, stack="megatron_core"), "calibration.stack_speed")


def test_jobs_say_less_of_plans_that_are_unlike_them(hub):
    small = {"model": "llama-3.1-8b", "tokens": "100B", "accelerator": "h100", "gpu_count": 8, "stack": "megatron_core"}
    large = small | {"model": "llama-3.1-70b", "gpu_count": 128}

    def width(body):
        plan = hub.post("/v1/plans/training", body).json
        return math.log(best(plan)["interval"]["wall_clock_hours"]["p90"] / best(plan)["interval"]["wall_clock_hours"]["p10"]), plan

    before = {"small": width(small)[0], "large": width(large)[0]}
    plans = [hub.post("/v1/plans/training", small).json for _ in range(2)]
    made = [observe(hub, plans[i % 2], step_time_s=1.2 * best(plans[i % 2])["step"]["time_s"]).json for i in range(5)]
    like, near = width(small)
    unlike, far = width(large)
    assert like < 0.6 * before["small"] and 0.9 * before["large"] < unlike <= before["large"]
    assert assumed(near, "calibration.stack_likeness")["value"] == 1
    assert [part["name"] for part in best(near)["practice"]["parts"]] == ["evaluation_and_restarts"], "the others are known"
    assert assumed(near, "practice.software")["value"] == "observed steps of this software"
    assert assumed(far, "calibration.stack_likeness")["value"] == pytest.approx(0.5 ** (math.log10(70.55 / 8.03) + math.log10(16)), abs=0.02)
    assert 1 / 1.2 == pytest.approx(assumed(near, "calibration.stack_speed")["value"]) and assumed(far, "calibration.stack_speed")["value"] > 0.94
    # A gpu_count that the search chose is as dissimilar to the jobs as one that is given.
    found = hub.post("/v1/plans/training", {key: value for key, value in large.items() if key != "gpu_count"} | {"deadline_hours": 300, "confidence": 0.8}).json
    count = best(found)["gpu_count"]
    given = hub.post("/v1/plans/training", large | {"gpu_count": count}).json
    assert count >= 32 and best(found)["interval"]["wall_clock_hours"] == pytest.approx(best(given)["interval"]["wall_clock_hours"])
    for field in ("calibration.stack_speed", "calibration.stack_likeness"):
        assert assumed(found, field)["value"] == pytest.approx(assumed(given, field)["value"]), field
    assert assumed(found, "calibration.stack_likeness")["value"] < 0.4
    # Without one of the five jobs there is no agreement any more.
    assert hub.request("DELETE", f"/v1/observations/{made[2]['id']}").status == 204
    assert hub.get("/v1/calibrations?quantity=stack_speed").json["items"] == [] and width(small)[0] == pytest.approx(before["small"])
    assert not any(item["used"] for item in hub.get("/v1/observations").json["items"])


def test_plan_versus_actual(hub):
    plan = plan_of(hub)
    made = observe(hub, plan, tokens_per_s=best(plan)["tokens_per_s"] / 1.1, mean_gpu_w=65, hours=300, total_kwh=1300, total_usd=19000, notes="first week",
                   labels={"team": "red"})
    assert made.status == 201 and made.headers["location"] == f"/v1/observations/{made.json['id']}", made.text
    assert made.json["ratio"] == pytest.approx(1.1) and made.json["predicted"]["hours"] == best(plan)["wall_clock_hours"]
    got = hub.get(made.headers["location"]).json
    assert got == made.json
    assert hub.get(f"/v1/plans/{plan['id']}").json["observations"] == [got]
    assert hub.get(f"/v1/observations?plan_id={plan['id']}").json["items"] == [got]
    assert hub.get("/v1/observations?stack=fsdp").json["items"] == [] and len(hub.get("/v1/observations?accelerator=l4").json["items"]) == 1
    assert hub.get("/v1/observations/none").status == 404


def test_what_is_no_observation_is_refused(hub):
    plan = plan_of(hub)
    refused = lambda **body: hub.post("/v1/observations", body)
    for body, pointer in (({"plan_id": plan["id"], "step_time_ms": 2400}, "/step_time_ms"), ({"step_time_s": 2}, "/plan_id"),
                          ({"plan_id": "01939e5c-7d00-7000-8000-000000000009", "step_time_s": 2}, "/plan_id"), ({"plan_id": plan["id"]}, ""),
                          ({"plan_id": plan["id"], "step_time_s": -1}, "/step_time_s"), ({"plan_id": plan["id"], "mean_gpu_w": 65000}, "/mean_gpu_w"),
                          ({"plan_id": plan["id"], "step_time_s": 2, "stack": "mine"}, "/stack")):
        answer = refused(**body)
        assert answer.status == 422 and pointer in [fault["pointer"] for fault in answer.json["errors"]], answer.text
    kept = lambda **body: observe(hub, plan, **body).json
    step_s = best(plan)["step"]["time_s"]
    for body, why in (({"step_time_s": 1000 * step_s}, "3 times"), ({"step_time_s": step_s, "gpu_count": 32}, "another number"),
                      ({"step_time_s": step_s, "stack": "fsdp"}, "another stack"), ({"mean_gpu_w": 60}, "neither"),
                      ({"step_time_s": step_s, "tokens_per_s": best(plan)["tokens_per_s"] * 1.2}, "contradict")):
        told = kept(**body)
        assert not told["used"] and why in told["unused_because"], told
    assert hub.get("/v1/calibrations?quantity=stack_speed").json["items"] == []


def test_an_observation_is_made_once(hub):
    plan = plan_of(hub)
    first = observe(hub, plan, {"Idempotency-Key": "night-1"}, step_time_s=30)
    again = observe(hub, plan, {"Idempotency-Key": "night-1"}, step_time_s=30)
    assert first.status == again.status == 201 and first.json == again.json, again.text
    assert observe(hub, plan, {"Idempotency-Key": "night-1"}, step_time_s=31).status == 422
    assert len(hub.get("/v1/observations").json["items"]) == 1


# --- all of it on this machine ---------------------------------------------------------------------------------------

TINY = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4,
        "num_key_value_heads": 4, "intermediate_size": 1024, "vocab_size": 2048, "max_position_embeddings": 2048}


@beside
def test_the_cpu_verifies_its_plan(own_daemon):
    """Queue, worker, result, calibrations, verification: with a real worker on a real device."""
    daemon = own_daemon
    first = wait_state(daemon, f"/v1/benchmarks/{queue(daemon, suite=['issue_rate_fp32', 'stream_triad'])}")  # its row is made of these
    assert first["state"] == "succeeded", first
    rows = [row["id"] for row in daemon.get("/v1/accelerators?limit=1000").json["items"] if row["id"].startswith("cpu-")]
    if not rows:
        pytest.skip("the machine was too busy to measure its peaks")
    plan = daemon.post("/v1/plans/training", {"model": {"config": TINY}, "tokens": "100M", "sequence_length": 128, "global_batch_size": 4, "precision": "fp32",
                                              "accelerator": rows[0], "gpu_count": 1, "pricing": {"usd_per_gpu_hour": 0.1}, "alternatives": 0})
    assert plan.status == 201, plan.text
    done = wait_state(daemon, f"/v1/benchmarks/{queue(daemon, plan_id=plan.json['id'])}")
    assert done["state"] == "succeeded", done
    result = done["result"]
    block = [row for row in result["measures"] if row["test"] == "block_step"][-1]  # the runner repeats unstable tests
    told = result["verification"]
    assert told["measured_s"] == pytest.approx(block["median"]) and told["predicted_s"] == pytest.approx(block["predicted_s"]), told
    assert told["verdict"] == ("confirmed" if 0.9 <= told["ratio"] <= 1.1 else "adjusted" if 0.75 <= told["ratio"] <= 1.33 else "refuted")
    assert daemon.get(f"/v1/plans/{plan.json['id']}").json["verification"]["benchmark_id"] == done["id"]
    roles = [row.get("role") for row in result["measures"] if row["test"] == "gemm_library_fp32"]
    if not roles:
        pytest.skip("no OpenBLAS here: " + json.dumps(result["skips"]))
    assert "qkv" in roles or "mlp_up" in roles, roles
    # Its calibration changes the plan; on a busy machine the result says why it does not.
    own = [row for row in result["calibrations"] if row.get("class") == "plan"]
    assert own or [row for row in result["not_calibrated"] if row["quantity"] == "gemm_efficiency"], result
    used = own and next(row for row in daemon.get("/v1/calibrations?limit=1000").json["items"] if row["id"] == own[0]["id"])["used"]
    again = daemon.request("POST", f"/v1/plans/{plan.json['id']}/refresh").json
    assert bool(used) == bool(assumed(again, "calibration.gemm_efficiency")), (own, again["result"]["assumptions"])
