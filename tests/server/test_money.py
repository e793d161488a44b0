"""Money, energy, carbon and water over HTTP: every figure has a range and a source, inputs change answers as far as
stated, and all use one set of hours."""
import copy
import json
import statistics

import pytest
from support import close, estimate

TRAINING = {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "h100", "gpu_count": 64, "global_batch_size": 1024, "sequence_length": 4096}
GROUPS = ("cost", "energy", "carbon", "water_l", "wall_clock_hours", "gpu_hours", "monthly")
COUNTS = ("/cost/offer/gpus", "/cost/offer/low_usd_per_gpu_hour", "/cost/offer/high_usd_per_gpu_hour", "/cost/currency/per_usd", "/carbon/hourly_fraction")
TENTHS = 1e-5


def figures(value, pointer=""):
    if isinstance(value, dict):
        for key, member in value.items():
            yield from figures(member, f"{pointer}/{key}")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield pointer, value


def at(option, pointer):
    for key in pointer.split("/")[1:]:
        option = option[key]
    return option


def check_provenance(option, groups=GROUPS):
    for group in groups:
        for pointer, value in figures(option.get(group, {}), f"/{group}"):
            if pointer in COUNTS:
                continue
            entry = option["provenance"][pointer]
            assert entry["low"] <= value * (1 + 1e-12) and value <= entry["high"] * (1 + 1e-12), (pointer, value, entry)
            assert entry["source"] and entry["status"] in ("given", "default", "measured", "derived"), pointer
    for pointer in option["provenance"]:
        at(option, pointer)  # the pointer names an existing figure
    for name, entry in option["inputs"].items():
        assert entry["low"] <= entry["value"] <= entry["high"] and entry["source"] and entry["status"], name


def check_hours(option):
    host, pue = (option["inputs"][name]["value"] for name in ("hardware.host_power_fraction", "site.pue"))
    energy, carbon = option["energy"], option["carbon"]
    assert close(energy["it_kwh"], energy["powered_gpu_hours"] * energy["mean_gpu_w"] * (1 + host) / 1000)
    assert close(energy["total_kwh"], energy["it_kwh"] * pue)
    assert close(carbon["operational_kgco2e"], energy["total_kwh"] * carbon["grid_gco2e_per_kwh"] / 1000)
    assert close(carbon["total_kgco2e"], carbon["operational_kgco2e"] + carbon["embodied_kgco2e"])
    water = option["inputs"]
    assert close(option["water_l"], energy["it_kwh"] * (water["site.wue_l_per_kwh"]["value"] + pue * water["site.ewif_l_per_kwh"]["value"]))


@pytest.mark.parametrize("body", [
    TRAINING,
    {"model": "llama-3.1-70b", "tokens": "1T", "accelerators": ["h100", "a100", "mi300x"], "deadline_hours": "60d", "alternatives": 8},
    TRAINING | {"cadence_hours": "1000h", "gpu_count": 512, "site": {"country": "FRA"}, "pricing": {"on_premises": {"capex_usd_per_gpu": 30000}}},
    TRAINING | {"gpu_count": 12, "pricing": {"storage_usd_per_gb_month": 0.1, "egress_usd_per_gb": 0.05, "currency": {"code": "EUR", "per_usd": 0.86, "as_of": "2026-11-20"}}},
    TRAINING | {"reliability": {"spare_nodes": 2}, "site": {"grid_gco2e_per_kwh": 100, "grid_market_gco2e_per_kwh": 5, "pue": 1.1}},
])
def test_no_figure_is_without_its_range_and_source(daemon, body):
    result = estimate(daemon, body)
    for option in [result["recommended"]] + result["alternatives"]:
        check_provenance(option)
        check_hours(option)
    for row in result["assumptions"]:
        assert row["source"] and row["status"] in ("default", "measured", "derived"), row
    assert len(result["sensitivity"]) >= 10
    moved = [abs(row["relative"]) for row in result["sensitivity"]]
    assert moved == sorted(moved, reverse=True)


def test_the_footprint_of_hours_tells_its_ranges_too(daemon):
    body = {"accelerator": "h100", "gpu_count": 64, "hours": 100, "site": {"provider": "aws", "region": "eu-west-1"}}
    result = estimate(daemon, body, "carbon")
    check_provenance(result, ("energy", "carbon", "water_l"))
    check_hours(result)
    for row in result["sensitivity"]:
        for end in ("low", "high"):
            section, _, name = row["field"].rpartition(".")
            changed = copy.deepcopy(body)
            if section == "accelerator":
                changed["accelerator"] = {"like": "h100", "id": "h100-variant", name: row[end]}
            elif section:
                changed.setdefault(section, {})[name] = row[end]
            elif name == "power_model":
                continue
            else:
                changed[name] = row[end]
            now = estimate(daemon, changed, "carbon")
            assert close(at(now, row["figure"]) / at(result, row["figure"]), 1 + row["change_" + end], TENTHS), (row, end)


def quantile(interval, probability):
    """Equation E130: two halves of log-normals through p10, p50 and p90."""
    z = statistics.NormalDist().inv_cdf(probability) / statistics.NormalDist().inv_cdf(0.9)
    return interval["p50"] * (interval["p90"] / interval["p50"]) ** z if z > 0 else interval["p50"] * (interval["p10"] / interval["p50"]) ** -z


def sensitivity_body(body, row, value):
    """Returns the request with one of its inputs at another value, as a caller would write it."""
    section, _, name = row["field"].rpartition(".")
    changed = copy.deepcopy(body)
    if section == "accelerator":
        changed["accelerator"] = {"like": "h100", "id": "h100-variant", name: value}
    elif section == "pricing.on_premises":
        changed["pricing"]["on_premises"][name] = value
    elif section:
        changed.setdefault(section, {})[name] = value
    elif name in ("power_model", "practice"):
        return None  # a caller cannot give the error of the model or of a run as a number
    else:
        changed[name] = value
    return changed


@pytest.mark.parametrize("body", [
    TRAINING | {"pricing": {"usd_per_gpu_hour": 2.5}, "site": {"provider": "aws", "region": "us-east-1"}},
    TRAINING | {"pricing": {"on_premises": {"capex_usd_per_gpu": 30000, "staff_usd_per_gpu_month": 30}}, "site": {"country": "DEU"}, "objective": "carbon"},
])
def test_inputs_move_answers_as_far_as_is_told(daemon, body):
    before = estimate(daemon, body)
    tried = 0
    for row in before["sensitivity"]:
        for end in ("low", "high"):
            changed = sensitivity_body(body, row, row[end])
            if changed:
                now = estimate(daemon, changed)["recommended"]
                # A given mfu also replaces the parts of practice that it includes.
                known = before["recommended"]["practice"]["value"] / now["practice"]["value"] if row["field"] == "mfu" else 1
                assert close(at(now, row["figure"]) * known / at(before["recommended"], row["figure"]), 1 + row["change_" + end], TENTHS), (row, end)
                tried += 1
    assert tried >= 24


def test_a_run_counts_by_the_hours_that_it_spans(daemon):
    """Three days of 100 g by night and 300 g by day. A run of some 30 hours begins at noon. Hours beyond the series
    count with the site's mean, and a warning says so."""
    series = {"start": "2026-06-01T00:00:00Z", "step_minutes": 60, "gco2e_per_kwh": [300 if 6 <= h % 24 < 18 else 100 for h in range(72)]}
    body = TRAINING | {"tokens": "10B", "gpu_count": 32, "site": {"provider": "aws", "region": "us-east-1", "series": series, "start": "2026-06-01T12:00:00Z"}}
    result = estimate(daemon, body)
    option = result["recommended"]
    hours, grams, h = option["wall_clock_hours"], 0, 12
    left = hours
    while left > 0:
        grams += series["gco2e_per_kwh"][h] * min(left, 1)
        left, h = left - 1, h + 1
    assert close(option["carbon"]["grid_gco2e_per_kwh"], grams / hours, 1e-9) and option["carbon"]["hourly_fraction"] == 1
    check_provenance(option)
    check_hours(option)
    assert any(row["field"] == "site.series" for row in result["assumptions"])
    longer = estimate(daemon, body | {"tokens": "100B"})
    carbon, inputs, hours = (longer["recommended"][k] for k in ("carbon", "inputs", "wall_clock_hours"))
    assert close(carbon["hourly_fraction"], 60 / hours) and hours > 60
    mean = (sum(series["gco2e_per_kwh"][12:]) + (hours - 60) * inputs["site.grid_gco2e_per_kwh"]["value"]) / hours
    assert close(carbon["grid_gco2e_per_kwh"], mean) and any("hour by hour" in text for text in longer["warnings"])
    unknown = estimate(daemon, TRAINING | {"site": {"country": "FRA", "start": "2031-06-01T12:00:00Z"}})
    assert "hourly_fraction" not in unknown["recommended"]["carbon"] and any("site.start" in text for text in unknown["warnings"])
    refused = daemon.post("/v1/estimates/training", TRAINING | {"site": {"series": {"start": "2026-06-01T00:00:00Z"}}})
    assert refused.status == 422 and refused.json["errors"][0]["pointer"] == "/site/series/gco2e_per_kwh"


@pytest.fixture(scope="module")
def market(daemon):
    """Adds two places with three terms."""
    row = {"provider": "moneycloud", "instance_type": "m.h100", "accelerator_id": "h100-sxm5-80gb", "gpus": 8, "as_of": "2026-11-01", "source": "a test"}
    place = {"provider": "moneycloud", "location": "somewhere", "pue": 1.2, "source": "a test"}
    made = [daemon.post("/v1/prices", row | {"region": region, "pricing_model": term, "price_usd_per_hour": usd}) for region, term, usd in (
        ("m-coal", "on_demand", 24), ("m-coal", "reserved_1y", 12), ("m-hydro", "on_demand", 32), ("m-coal", "spot", 10))]
    made += [daemon.post("/v1/regions", place | {"region_id": "m-coal", "grid_gco2e_per_kwh": 800}),
             daemon.post("/v1/regions", place | {"region_id": "m-hydro", "grid_gco2e_per_kwh": 20})]
    assert all(one.status == 201 for one in made), [one.text for one in made]
    yield TRAINING | {"pricing": {"providers": ["moneycloud"]}}
    for one in made:
        assert daemon.request("DELETE", one.headers["location"]).status == 204


def test_caps_and_objectives_choose_the_place(daemon, market):
    cheap = estimate(daemon, market)
    assert cheap["recommended"]["cost"]["offer"]["region"] == "m-coal" and [point["offer"]["region"] for point in cheap["front"]] == ["m-coal", "m-hydro"]
    clean = estimate(daemon, market | {"objective": "carbon"})["recommended"]
    assert clean["cost"]["offer"]["region"] == "m-hydro"
    kg = quantile(clean["interval"]["total_kgco2e"], 0.8)
    capped = estimate(daemon, market | {"carbon_cap_kgco2e": kg * 1.01})
    assert capped["recommended"]["cost"]["offer"]["region"] == "m-hydro" and [point["offer"]["region"] for point in capped["front"]] == ["m-hydro"]
    front = estimate(daemon, market | {"alternatives": 0})["front"]
    assert front == cheap["front"]
    refused = daemon.post("/v1/estimates/training", market | {"carbon_cap_kgco2e": kg * 0.99})
    assert refused.status == 422 and refused.json["type"].endswith("/infeasible")


def test_a_budget_just_above_and_just_below(daemon, market):
    option = estimate(daemon, market)["recommended"]
    usd = quantile(option["interval"]["total_usd"], 0.8)
    kept = estimate(daemon, market | {"budget_usd": usd * 1.0001})["recommended"]
    assert close(kept["cost"]["total_usd"], option["cost"]["total_usd"])
    assert kept["promises"] == [{"what": "budget", "limit": pytest.approx(usd * 1.0001), "probability": pytest.approx(0.8, abs=1e-3)}]
    refused = daemon.post("/v1/estimates/training", market | {"budget_usd": usd * 0.9999})
    assert refused.status == 422 and refused.json["type"].endswith("/infeasible")


def test_reservations_win_where_they_are_used_enough(daemon, market):
    body = copy.deepcopy(market)
    body["pricing"]["terms"] = ["on_demand", "reserved_1y"]
    once = estimate(daemon, body)
    hours = once["recommended"]["wall_clock_hours"]
    assert once["recommended"]["cost"]["offer"]["term"] == "on_demand"
    told = once["reservations"][0]
    assert told["offer"]["term"] == "reserved_1y" and close(told["break_even_utilization"], 0.5) and close(told["utilization"], hours / 8760)
    assert close(told["total_usd"], 1.5 * 64 * 8760)
    for share, term in ((0.51, "reserved_1y"), (0.49, "on_demand")):
        option = estimate(daemon, body | {"cadence_hours": hours / share})["recommended"]
        assert option["cost"]["offer"]["term"] == term
        assert close(option["cost"]["total_usd"], 64 * (1.5 * hours / share if term == "reserved_1y" else 3 * hours), 1e-9)
        check_provenance(option)


def test_spot_is_weighed_with_its_interruptions(daemon, market):
    body = copy.deepcopy(market)
    body["pricing"] |= {"terms": ["on_demand", "spot"]}
    told = estimate(daemon, body)
    assert told["recommended"]["cost"]["offer"]["term"] == "spot" and any(text.startswith("spot:") for text in told["warnings"])
    assert told["reservations"] == []  # an offer that may be interrupted at any time is not compared with a reservation of years
    body["pricing"]["spot_interruptions_per_gpu_hour"] = 0.002
    some = estimate(daemon, body)["recommended"]
    assert some["cost"]["offer"]["term"] == "spot" and some["wall_clock_hours"] > told["recommended"]["wall_clock_hours"]
    assert close(some["cost"]["total_usd"], some["gpu_hours"] * 10 / 8)
    body["pricing"]["spot_interruptions_per_gpu_hour"] = 5
    assert estimate(daemon, body)["recommended"]["cost"]["offer"]["term"] == "on_demand"
    body["pricing"]["terms"] = ["spot"]
    assert any("use offers with fewer interruptions" in text for text in estimate(daemon, body)["warnings"])


def test_another_currency_at_a_stated_rate(daemon):
    body = TRAINING | {"pricing": {"usd_per_gpu_hour": 2, "currency": {"code": "EUR", "per_usd": 0.86, "as_of": "2026-11-20"}}}
    cost = estimate(daemon, body)["recommended"]["cost"]
    assert close(cost["currency"]["total"], cost["total_usd"] * 0.86) and cost["currency"]["as_of"] == "2026-11-20" and cost["currency"]["code"] == "EUR"
    refused = daemon.post("/v1/estimates/training", TRAINING | {"pricing": {"usd_per_gpu_hour": 2, "currency": {"code": "EUR"}}})
    assert {error["pointer"] for error in refused.json["errors"]} == {"/pricing/currency/per_usd", "/pricing/currency/as_of"}


def test_a_price_on_demand_below_its_own_spot_price_is_doubted(daemon):
    """A100 at 1.10 USD on demand, where the same provider's spot price in the region is 2.51 USD."""
    row = {"id": "doubt.a100", "provider": "gcp", "instance_type": "a2-ultragpu-1g", "region": "us-central1", "accelerator_id": "a100-sxm4-80gb", "gpus": 1,
           "price_usd_per_hour": 1.1, "pricing_model": "on_demand", "as_of": "2026-01-02", "source": "typed in"}
    body = {"model": "llama-3.1-8b", "tokens": "1B", "accelerator": "a100-80gb", "gpu_count": 1, "fine_tuning": {"method": "lora"},
            "pricing": {"providers": ["gcp"], "regions": ["us-central1"]}}
    assert daemon.post("/v1/prices", row).status == 201
    try:
        answer = daemon.post("/v1/estimates/training", body)
        assert answer.status == 200, answer.text
        assert answer.json["result"]["recommended"]["cost"]["offer"]["usd_per_gpu_hour"] == 1.1
        assert any("1.1 USD per accelerator-hour (doubt.a100), below its own spot price of 2.514" in warning for warning in answer.json["result"]["warnings"])
        assert daemon.request("PATCH", "/v1/prices/doubt.a100", json.dumps({"price_usd_per_hour": 5.1}),
                              {"Content-Type": "application/merge-patch+json"}).status == 200
        assert not any("spot price" in warning for warning in daemon.post("/v1/estimates/training", body).json["result"]["warnings"])
    finally:
        daemon.request("DELETE", "/v1/prices/doubt.a100")


def test_b200_has_a_published_embodied_figure(daemon):
    answer = daemon.post("/v1/estimates/carbon", {"accelerator": "b200", "hours": 1000, "site": {"country": "FRA"}})
    figure = answer.json["result"]["inputs"]["hardware.embodied_kgco2e_per_gpu"]
    assert figure["high"] == pytest.approx(1414.9) and "Boavizta" in figure["source"] and "no published" not in figure["source"]
