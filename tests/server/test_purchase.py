"""Hardware that the user buys: capital, power, running cost, remaining hours, and from when on it costs less than
renting."""
import csv

import pytest
from support import close, estimate

TRAINING = {"model": "llama-3.1-70b", "tokens": "2T", "accelerator": "b200", "gpu_count": 384, "site": {"country": "DE"}, "alternatives": 0}
SERVICE = {"model": "llama-3.1-8b", "queries_per_minute": 600, "prompt_tokens": 500, "output_tokens": 100, "accelerator": "h100"}


def owned(body, **own):
    return body | {"pricing": {"on_premises": own}}


def test_a_purchase_is_answered_with_its_capital(daemon):
    result = estimate(daemon, owned(TRAINING, capex_usd_per_gpu=35000))
    best = result["recommended"]
    bought = best["purchase"]
    assert close(bought["capital_usd"], 384 * 35000)
    assert close(bought["accelerators_usd"] + bought["hosts_usd"] + bought["network_usd"], bought["capital_usd"])
    assert close(bought["power_kw"], best["energy"]["total_kwh"] / best["wall_clock_hours"])
    assert close(bought["running_usd_per_year"], bought["power_kw"] * 8760 * 0.0815)
    assert close(bought["hours_left"], 4 * 8760 - best["wall_clock_hours"]) and bought["life_hours"] == 4 * 8760
    # The cost of the run (E67).
    assert close(best["cost"]["total_usd"], best["wall_clock_hours"] * (bought["capital_usd"] / bought["life_hours"] + bought["running_usd_per_year"] / 8760))
    rent = bought["on_demand"]
    running = bought["running_usd_per_year"] / 8760
    assert close(rent["break_even_hours"] * (384 * rent["usd_per_gpu_hour"] - running), bought["capital_usd"])
    assert close(rent["break_even_utilization"], rent["break_even_hours"] / bought["life_hours"]) and rent["offer"]["term"] == "on_demand" and rent["offer"]["source"]
    assert any("buying needs 13440000 USD at the beginning" in text for text in result["warnings"])


def test_the_sites_tariff_counts_for_ones_own_hardware(daemon):
    cheap, dear, own = (estimate(daemon, owned(TRAINING, capex_usd_per_gpu=35000, **tariff) | {"site": {"country": "DE"} | site})["recommended"]
                        for tariff, site in (({}, {}), ({}, {"electricity_usd_per_kwh": 0.3}), ({"electricity_usd_per_kwh": 0.2}, {"electricity_usd_per_kwh": 0.3})))
    assert close(dear["cost"]["total_usd"] - cheap["cost"]["total_usd"], (0.3 - 0.0815) * cheap["energy"]["total_kwh"], 1e-6)
    assert close(own["cost"]["total_usd"] - cheap["cost"]["total_usd"], (0.2 - 0.0815) * cheap["energy"]["total_kwh"], 1e-6)
    service = [estimate(daemon, owned(SERVICE, capex_usd_per_gpu=30000) | {"site": {"country": "DE"} | site}, "inference")["recommended"]["cost"]["usd_per_month"]
               for site in ({}, {"electricity_usd_per_kwh": 0.3})]
    assert service[1] > service[0]


def test_each_accelerator_has_its_own_price(daemon):
    body = {"model": "llama-3.1-8b", "tokens": "1T", "accelerators": ["h100", "b200"], "deadline_hours": 400, "alternatives": 8}
    prices = {"h100-sxm5-80gb": 30000, "b200-sxm6-180gb": 45000}
    result = estimate(daemon, owned(body, capex=[{"accelerator": "h100", "usd_per_gpu": 30000}, {"accelerator": "b200", "usd_per_gpu": 45000}]))
    seen = set()
    for option in [result["recommended"]] + result["alternatives"]:
        assert close(option["purchase"]["capital_usd"], option["gpu_count"] * prices[option["accelerator"]])
        seen.add(option["accelerator"])
    assert seen
    dearer = estimate(daemon, owned(body, capex=[{"accelerator": "h100", "usd_per_gpu": 300000}, {"accelerator": "b200", "usd_per_gpu": 45000}]))
    assert dearer["recommended"]["accelerator"] == "b200-sxm6-180gb"
    partly = estimate(daemon, owned(body, capex=[{"accelerator": "h100", "usd_per_gpu": 30000}]))
    assert partly["recommended"]["accelerator"] == "h100-sxm5-80gb"
    assert any("capex has no price for b200-sxm6-180gb" in text for text in partly["warnings"])


def test_list_prices_have_source_and_range(daemon):
    result = estimate(daemon, owned(TRAINING, list_prices=True))
    bought = result["recommended"]["purchase"]
    assert close(bought["accelerators_usd"], 384 * 40000) and bought["capital_low_usd"] < bought["capital_usd"] < bought["capital_high_usd"]
    assert "2026-06" in bought["source"] and "E154" in bought["source"]
    variant = estimate(daemon, owned(TRAINING | {"accelerator": {"like": "b200", "id": "mine", "memory_gb": 200}}, list_prices=True))
    assert "purchase" not in variant["recommended"] and any("mine has no list price" in text for text in variant["warnings"])
    anything = estimate(daemon, owned({"model": "llama-3.1-8b", "tokens": "1T"}, list_prices=True))
    assert anything["recommended"]["purchase"]["capital_usd"] > 0
    service = estimate(daemon, owned(SERVICE, list_prices=True), "inference")["recommended"]
    assert service["purchase"]["network_usd"] == 0 and "hours_left" not in service["purchase"] and service["purchase"]["on_demand"]["break_even_hours"] > 0


@pytest.mark.parametrize("own, pointer", [
    ({"life_years": 5}, "/pricing/on_premises/capex_usd_per_gpu"),
    ({"capex_usd_per_gpu": 30000, "list_prices": True}, "/pricing/on_premises"),
    ({"capex": [{"accelerator": "h1000", "usd_per_gpu": 30000}]}, "/pricing/on_premises/capex/0/accelerator"),
])
def test_contradictions_are_named(daemon, own, pointer):
    answer = daemon.post("/v1/estimates/training", owned(TRAINING, **own))
    assert answer.status == 422 and pointer in [error["pointer"] for error in answer.json["errors"]]


def test_report_and_table_carry_the_purchase(daemon):
    body = owned(TRAINING, capex_usd_per_gpu=35000)
    report = daemon.post("/v1/estimates/training", body, {"Accept": "text/markdown"}).text
    assert "| Purchase price (USD) | 13,440,000 |" in report and "Break-even with renting on demand (hours of use)" in report
    table = daemon.post("/v1/estimates/training?expand=all", body, {"Accept": "text/csv"}).text.splitlines()
    cells = dict(zip(*csv.reader(table[:2])))
    assert float(cells["purchase.capital_usd"]) == 13440000 and float(cells["purchase.on_demand.break_even_hours"]) > 0
    rented = daemon.post("/v1/estimates/training", TRAINING).json["result"]["recommended"]
    assert "purchase" not in rented
