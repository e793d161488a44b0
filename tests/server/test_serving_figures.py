"""The figures of a service: parts that sum up, ranges that contain the value, inputs that move the stated figures, and
the offers to choose from."""
import math

import pytest

BASE = {"model": "llama-3.1-70b", "accelerator": "h100", "prompt_tokens": 1000, "output_tokens": 300, "queries_per_minute": 1200, "alternatives": 1,
        "slo": {"ttft_ms": 2000, "tpot_ms": 60}}
DAY = [0.2] * 7 + [0.6] + [1] * 11 + [0.6] + [0.2] * 4
CASES = {
    "a chat of 8B": {"model": "llama-3.1-8b"},
    "70B, with a spare replica and data that is paid for": {"redundancy": "n_plus_1",
        "pricing": {"storage_usd_per_gb_month": 0.1, "egress_usd_per_gb": 0.09, "storage_gb": 1000,
                    "currency": {"code": "EUR", "per_usd": 0.86, "as_of": "2026-11-20"}}},
    "DeepSeek-V3 by the day": {"model": "deepseek-v3", "accelerator": "h200", "precision": "fp8", "daily_profile": DAY, "slo": None,
        "site": {"series": {"start": "2026-11-20T00:00:00Z", "gco2e_per_kwh": [100 + 20 * hour for hour in range(24)]},
                 "grid_market_gco2e_per_kwh": 50, "grid_marginal_gco2e_per_kwh": 700}},
    "slices": {"model": "llama-3.2-1b", "queries_per_minute": None, "requests_per_s": 1000},
    "a fixed number": {"gpu_count": 16, "queries_per_minute": None},
    "a price that is given": {"pricing": {"usd_per_gpu_hour": 2.5}, "site": {"country": "FRA"}},
}


def plan(daemon, changes):
    answer = daemon.post("/v1/estimates/inference", {k: v for k, v in (BASE | changes).items() if v is not None})
    assert answer.status == 200, answer.text
    return answer.json["result"]


def figures(value, pointer):
    """Yields every number below a pointer."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in ("offer", "per_usd"):
                yield from figures(item, f"{pointer}/{key}")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield pointer, value


def same(a, b, close=1e-9):
    return math.isclose(a, b, rel_tol=close)


@pytest.mark.parametrize("changes", CASES.values(), ids=CASES.keys())
def test_figures_of_whole_answers(daemon, changes):
    request = BASE | changes
    result = plan(daemon, changes)
    for option in [result["recommended"], *result["alternatives"]]:
        cost, energy, carbon = option["cost"], option["energy"], option["carbon"]
        told = [(p, v) for part in ("cost", "energy", "carbon", "latency", "throughput") for p, v in figures(option[part], "/" + part)]
        told += [("/" + key, option[key]) for key in ("gpu_count", "utilization", "water_l_per_month", "water_l_per_request")]
        assert {p for p, _ in told} == set(option["provenance"]), {p for p, _ in told} ^ set(option["provenance"])
        for pointer, value in told:
            known = option["provenance"][pointer]
            assert known["low"] <= value * (1 + 1e-12) and value <= known["high"] * (1 + 1e-12), (pointer, value, known)
            assert known["source"] and known["status"] in ("given", "default", "measured", "derived")
        for field, known in option["inputs"].items():
            assert known["low"] <= known["value"] <= known["high"] and known["source"] and known["status"], (field, known)
        # The parts and the whole.
        assert same(cost["usd_per_hour"] * 730, cost["usd_per_month"])
        parts = [cost.get(key + "_usd_per_month", 0) for key in ("accelerators", "storage", "egress")]
        assert same(sum(parts), cost["usd_per_month"]) and same(energy["mean_w"] * 0.73, energy["kwh_per_month"])
        inputs = {field: known["value"] for field, known in option["inputs"].items()}
        assert same(parts[0], 730 * option["gpu_count"] * inputs["pricing.usd_per_gpu_hour"])
        assert same(energy["it_kwh_per_month"] * inputs["site.pue"], energy["kwh_per_month"])
        assert same(option["gpus_paid"] * energy["mean_gpu_w"] * (1 + inputs["hardware.host_power_fraction"]) * 0.73, energy["it_kwh_per_month"])
        assert same(carbon["operational_kgco2e_per_month"] + carbon["embodied_kgco2e_per_month"], carbon["kgco2e_per_month"])
        assert same(energy["kwh_per_month"] * carbon["grid_gco2e_per_kwh"] / 1000, carbon["operational_kgco2e_per_month"])
        assert carbon["embodied_low_kgco2e_per_month"] < carbon["embodied_kgco2e_per_month"] < carbon["embodied_high_kgco2e_per_month"]
        water = energy["it_kwh_per_month"] * (inputs["site.wue_l_per_kwh"] + inputs["site.pue"] * inputs["site.ewif_l_per_kwh"])
        assert same(option["water_l_per_month"], water)
        # Per request, per token, per accelerator-hour.
        load = sum(DAY) / 24 if "daily_profile" in changes else 1
        requests = option["throughput"]["output_tokens_per_s"] / 300 * load * 730 * 3600
        assert same(energy["wh_per_request"] * requests, energy["kwh_per_month"] * 1000)
        assert same(carbon["gco2e_per_request"] * requests, carbon["kgco2e_per_month"] * 1000)
        assert same(carbon["gco2e_per_thousand_tokens"] * requests * 1.3, carbon["kgco2e_per_month"] * 1000)
        assert same(carbon["gco2e_per_thousand_output_tokens"] * requests * 0.3, carbon["kgco2e_per_month"] * 1000)
        assert same(carbon["gco2e_per_gpu_hour"] * option["gpus_paid"] * 730, carbon["kgco2e_per_month"] * 1000)
        assert same(cost["usd_per_million_tokens"] * requests * 1300 / 1e6, cost["usd_per_month"])
        rate = request.get("pricing", {}).get("currency")
        assert ("currency" in cost) == bool(rate)
        if rate:
            assert {key: cost["currency"][key] for key in rate} == rate
            assert all(same(cost["currency"][name], cost["usd_" + name] * 0.86) for name in ("per_month", "per_million_output_tokens", "per_million_tokens"))
        if "autoscaled" in option:
            scaled = option["autoscaled"]
            assert same(scaled["kwh_per_month"] + scaled["saved_kwh_per_month"], energy["kwh_per_month"])
            assert same(scaled["kgco2e_per_month"] + scaled["saved_kgco2e_per_month"], carbon["kgco2e_per_month"])
            assert same(scaled["usd_per_month"] + scaled["saved_usd_per_month"], cost["accelerators_usd_per_month"])
            assert same(scaled["gpu_hours_per_month"] + scaled["saved_gpu_hours_per_month"], 730 * option["gpu_count"])
        assert 60 < energy["mean_gpu_w"] < 720 and 0 < option["utilization"] <= 1
    if "queries_per_minute" in request and request["queries_per_minute"]:
        assert same(result["recommended"]["throughput"]["output_tokens_per_s"], request["queries_per_minute"] / 60 * 300)
    for counted in ("storage", "egress"):
        name = f"pricing.{counted}_usd_per_" + ("gb_month" if counted == "storage" else "gb")
        noted = next((item for item in result["assumptions"] if item["field"] == name), None)
        assert (noted is None) == (f"{counted}_usd_per_month" in result["recommended"]["cost"]) and (not noted or noted["value"] == "not counted")


def test_carbon_by_the_hour(daemon):
    result = plan(daemon, CASES["DeepSeek-V3 by the day"])
    option, hours = result["recommended"], result["hours"]
    assert [hour["hour"] for hour in hours] == list(range(24)) and [hour["grid_gco2e_per_kwh"] for hour in hours] == [100 + 20 * i for i in range(24)]
    assert same(sum(hour["kwh_per_month"] for hour in hours), option["energy"]["kwh_per_month"])
    assert same(sum(hour["operational_kgco2e_per_month"] for hour in hours), option["carbon"]["operational_kgco2e_per_month"])
    assert option["carbon"]["grid_gco2e_per_kwh"] > 330 and option["carbon"]["hourly_fraction"] == 1  # the mean of the grid is 330
    kwh = option["energy"]["kwh_per_month"]
    assert same(option["carbon"]["market_kgco2e_per_month"], kwh * 0.05) and same(option["carbon"]["marginal_kgco2e_per_month"], kwh * 0.7)
    assert any(item["field"] == "utc_offset_hours" for item in result["assumptions"])


def test_inputs_move_what_they_say(daemon):
    """Requests the plan again with each input at its ends. The answer changes as stated."""
    pinned = {"parallelism": {"tensor": 4, "max_batch": 256}, "slo": None, "alternatives": 0, "site": {"provider": "aws", "region": "us-east-1"}}
    first = plan(daemon, pinned)
    moved = [item for item in first["sensitivity"] if item["method"] == "exact" and item["field"].split(".")[0] in ("site", "hardware")]
    assert first["sensitivity"] == sorted(first["sensitivity"], key=lambda item: -abs(item["relative"])) and len(moved) >= 5
    fields = {item["field"] for item in first["sensitivity"]}
    assert fields >= {"queries_per_minute", "prompt_tokens", "output_tokens", "throughput_tokens_per_s_per_gpu", "pricing.usd_per_gpu_hour",
                      "site.grid_gco2e_per_kwh", "power_model", "hardware.host_power_fraction"}, fields

    def figure(result, name):
        value = result["recommended"]
        for key in name.split("."):
            value = value[key]
        return value

    for item in moved:
        part, name = item["field"].split(".")
        for end in "low", "high":
            again = plan(daemon, pinned | {part: pinned.get(part, {}) | {name: item[end]}})
            change = figure(again, item["figure"]) / figure(first, item["figure"]) - 1
            assert abs(change - item["change_" + end]) < 1e-6, (item, change)


def test_the_front(daemon):
    asked = {"accelerator": None, "accelerators": ["h100", "h200", "mi300x", "a100"], "pricing": {"terms": ["on_demand", "spot"], "spot_interruptions_per_gpu_hour": 0.02}}
    many, none = plan(daemon, asked | {"alternatives": 8}), plan(daemon, asked | {"alternatives": 0})
    front = many["front"]
    assert front == none["front"] and len(front) >= 3  # the front does not depend on the number of alternatives
    assert [point["usd_per_month"] for point in front] == sorted(point["usd_per_month"] for point in front)
    for name, figure in ("cheapest", "usd_per_month"), ("cleanest", "kgco2e_per_month"):
        assert next(point for point in front if point.get(name))[figure] == min(point[figure] for point in front)
    assert next(point for point in front if point.get("fastest"))["e2e_ms"] < 1.1 * min(point["e2e_ms"] for point in front)
    assert same(front[0]["usd_per_month"], many["recommended"]["cost"]["usd_per_month"])
    assert all(point["simulated"] for point in front)
    last = front[0]
    for point in front[1:]:
        if "usd_per_t_saved" in point:
            price = (point["usd_per_month"] - last["usd_per_month"]) / (last["kgco2e_per_month"] - point["kgco2e_per_month"]) * 1000
            assert same(point["usd_per_t_saved"], price, 1e-6)
            last = point
    spot = many["recommended"]["cost"]["offer"]["term"] == "spot"
    assert spot and any(warning.startswith("spot: ") for warning in many["warnings"])
    # The objective and the caps choose among the same offers.
    clean = plan(daemon, asked | {"objective": "carbon", "alternatives": 0})["recommended"]
    cleanest = next(point for point in front if point.get("cleanest"))
    assert clean["carbon"]["kgco2e_per_month"] <= cleanest["kgco2e_per_month"] * (1 + 1e-9)
    cap = (front[0]["kgco2e_per_month"] + cleanest["kgco2e_per_month"]) / 2
    capped = plan(daemon, asked | {"carbon_cap_kgco2e": cap, "alternatives": 0})
    assert capped["recommended"]["carbon"]["kgco2e_per_month"] <= cap and all(point["kgco2e_per_month"] <= cap for point in capped["front"])
    poor = {k: v for k, v in (BASE | asked | {"budget_usd_per_month": 100, "carbon_cap_kgco2e": cap}).items() if v is not None}
    answer = daemon.post("/v1/estimates/inference", poor)
    assert answer.status == 422 and answer.json["type"].endswith("/infeasible")
    assert "is the least" in {fault["pointer"]: fault["detail"] for fault in answer.json["errors"]}["/budget_usd_per_month"]


def test_refresh_says_what_moved_a_service(daemon):
    """A dirtier grid, then a more expensive price, then a cheaper accelerator. Each is a cause, and together they
    explain the whole change."""
    rows = [{"provider": "servecloud", "instance_type": "s." + name, "region": "serve-1", "accelerator_id": accelerator, "gpus": 1, "as_of": "2026-11-01",
             "price_usd_per_hour": usd, "pricing_model": "on_demand", "source": "a test"} for name, accelerator, usd in (("h100", "h100-sxm5-80gb", 3), ("h200", "h200-sxm5-141gb", 40))]
    prices = [daemon.post("/v1/prices", row) for row in rows]
    place = daemon.post("/v1/regions", {"provider": "servecloud", "region_id": "serve-1", "location": "somewhere", "grid_gco2e_per_kwh": 100, "pue": 1.2, "source": "a test"})
    body = {"model": "llama-3.1-8b", "accelerators": ["h100", "h200"], "queries_per_minute": 3000, "prompt_tokens": 1000, "output_tokens": 300,
            "slo": {"tpot_ms": 50}, "pricing": {"providers": ["servecloud"]}, "name": "served"}
    made = daemon.post("/v1/plans/inference", body)
    assert [row.status for row in (*prices, place, made)] == [201] * 4, made.text

    def changes():
        fresh = daemon.request("POST", made.headers["location"] + "/refresh")
        assert fresh.status == 200, fresh.text
        return fresh.json["changes"]

    still = changes()
    assert still["reproduced"] and still["causes"] == [] and still["before"] == still["after"], still
    assert daemon.request("PATCH", place.headers["location"], {"grid_gco2e_per_kwh": 300}).status == 200
    assert daemon.request("PATCH", prices[1].headers["location"], {"price_usd_per_hour": 1}).status == 200
    moved = changes()
    causes = {cause["cause"]: cause for cause in moved["causes"]}
    assert moved["reproduced"] and list(causes) == ["regions", "prices"], moved
    assert causes["regions"]["change_usd"] == 0 and causes["regions"]["change_kgco2e"] > 0 and causes["regions"]["change_kwh"] == 0
    assert causes["prices"]["change_usd"] < 0 and "s-h200" in causes["prices"]["detail"]
    assert moved["before"]["accelerator"] == "h100-sxm5-80gb" and moved["after"]["accelerator"] == "h200-sxm5-141gb"
    assert (moved["before"]["usd_per_gpu_hour"], moved["after"]["usd_per_gpu_hour"]) == (3, 1)
    for key in "usd", "kwh", "kgco2e":
        assert math.isclose(moved["before"][key] + sum(cause[f"change_{key}"] for cause in moved["causes"]), moved["after"][key], rel_tol=1e-9)
    for row in (*prices, place):
        assert daemon.request("DELETE", row.headers["location"]).status == 204


def test_promises_and_what_confidence_costs(daemon):
    """A default request assumes typical practice and 80 % confidence, and the answer says so. With the recipe and 50 %
    confidence the plan needs fewer accelerators."""
    asked = {"accelerator": "h100", "daily_profile": None, "slo": {"ttft_ms": 1000, "tpot_ms": 50}, "alternatives": 0}
    usual = plan(daemon, asked)
    assumed = {item["field"]: item["value"] for item in usual["assumptions"]}
    assert assumed["practice"] == "typical" and assumed["confidence"] == 0.8
    best = usual["recommended"]
    assert [part["name"] for part in best["practice"]["parts"]] == ["release", "flags", "tuning", "load"]
    promises = {item.get("member", item["what"]): item for item in best["promises"]}
    assert promises["tpot_ms"]["limit"] == 50 and promises["ttft_ms"]["limit"] == 1000 and "load" in promises
    assert all(item["probability"] >= 0.8 for item in promises.values()), promises
    curve = {point["confidence"]: point for point in usual["confidence_curve"]}
    assert list(curve) == [0.5, 0.8, 0.95] and curve[0.8]["gpu_count"] == best["gpu_count"]
    assert curve[0.5]["gpu_count"] <= best["gpu_count"] <= curve[0.95]["gpu_count"]
    assert all(item["cure"] for item in usual["uncertainties"])
    for confidence in (0.5, 0.95):  # each point equals the answer to a direct request
        direct = plan(daemon, asked | {"confidence": confidence})["recommended"]
        assert direct["gpu_count"] == curve[confidence]["gpu_count"], (confidence, direct["accelerator"], curve)
    even = plan(daemon, asked | {"confidence": 0.5, "practice": "recipe"})["recommended"]
    assert even["gpu_count"] < best["gpu_count"] and even["practice"]["parts"] == []
    refused = daemon.post("/v1/estimates/inference", {"model": "llama-3.1-8b", "queries_per_minute": 60, "prompt_tokens": 100, "output_tokens": 100, "confidence": 1})
    assert refused.status == 422 and refused.json["errors"][0]["pointer"] == "/confidence" and "0.99" in refused.json["errors"][0]["detail"], refused.text


def test_one_replica_runs_its_recipe_unless_told(daemon):
    asked = {"model": "llama-3.1-8b", "accelerator": "h100", "prompt_tokens": 1000, "output_tokens": 300, "concurrency": 32}

    def performance(**changes):
        answer = daemon.post("/v1/estimates/inference/performance", asked | changes)
        assert answer.status == 200, answer.text
        return answer.json

    usual, recipe, typical = performance(), performance(practice="recipe"), performance(practice="typical")
    assert usual["request"]["practice"] == "recipe" and usual["result"]["output_tokens_per_s"] == recipe["result"]["output_tokens_per_s"]
    value = typical["result"]["practice"]["value"]
    assert value > 1 and same(recipe["result"]["output_tokens_per_s"] / typical["result"]["output_tokens_per_s"], value, 1e-9)
