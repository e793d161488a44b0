"""A service compared with the same model from a provider by the token: the price and the load at which both cost the
same."""
import csv

from support import close, estimate

SERVICE = {"model": "llama-3.3-70b", "queries_per_minute": 600, "prompt_tokens": 1000, "output_tokens": 300, "accelerator": "h100"}


def test_published_prices_stand_beside_the_plan(daemon):
    result = estimate(daemon, SERVICE, "inference")
    cost, hosted = result["recommended"]["cost"], result["hosted"]
    assert len(hosted) >= 2 and [one["usd_per_month"] for one in hosted] == sorted(one["usd_per_month"] for one in hosted)
    assert result["recommended"]["hosted"] == hosted[0]
    for one in hosted:
        assert one["as_of"] >= "2025" and one["source"] and one["provider"]
        assert close(one["usd_per_month"], 10 * 3600 * 730 * (1000 * one["input_usd_per_million_tokens"] + 300 * one["output_usd_per_million_tokens"]) / 1e6)
        assert close(one["own_over_hosted"], cost["usd_per_month"] / one["usd_per_month"])
        # At the break-even prices this load costs as much as the plan.
        assert close((1000 * one["break_even_input_usd_per_million_tokens"] + 300 * one["break_even_output_usd_per_million_tokens"]) / 1300, cost["usd_per_million_tokens"])
        most = result["recommended"]["throughput"]["requests_per_s_max"]
        assert ("break_even_requests_per_s" in one) == (10 * one["own_over_hosted"] <= most)


def test_a_price_of_the_request_stands_for_them(daemon):
    body = SERVICE | {"hosted_api": {"input_usd_per_million_tokens": 2, "output_usd_per_million_tokens": 6}}
    result = estimate(daemon, body, "inference")
    assert [one["provider"] for one in result["hosted"]] == ["request"]
    own = result["recommended"]["hosted"]
    assert own["own_over_hosted"] < 1 and close(own["break_even_requests_per_s"], 10 * own["own_over_hosted"])
    described = estimate(daemon, body | {"model": {"params": "70B"}}, "inference")
    assert described["hosted"][0]["source"] == "request"
    assert estimate(daemon, SERVICE | {"model": {"params": "70B"}}, "inference")["hosted"] == []


def test_reports_name_the_break_even(daemon):
    report = daemon.post("/v1/estimates/inference", SERVICE, {"Accept": "text/markdown"}).text
    assert "| Break-even price of a million tokens, same mix (USD) |" in report and "| Hosted: provider with the cheapest known price per token | deepinfra |" in report
    table = daemon.post("/v1/estimates/inference?expand=all", SERVICE, {"Accept": "text/csv"}).text.splitlines()
    cells = dict(zip(*csv.reader(table[:2])))
    assert float(cells["hosted.own_over_hosted"]) > 0 and cells["hosted.provider"] == "deepinfra"
