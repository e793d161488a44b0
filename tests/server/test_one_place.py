"""Price, grid, PUE and water of an answer belong to one place, or the answer's first warning says that they do not."""
import pytest

TRAINING = {"model": "llama-3.1-8b", "tokens": "1T"}
SERVICE = {"model": "llama-3.1-8b", "queries_per_minute": 600, "prompt_tokens": 500, "output_tokens": 100}
PLACES = [
    {},
    {"objective": "carbon"},
    {"accelerator": "h100"},
    {"accelerators": ["h100", "mi300x"], "objective": "carbon", "site": {"provider": "aws", "region": "eu-north-1"}},
    {"accelerator": "h100", "site": {"provider": "aws", "region": "us-east-1"}},
    {"accelerator": "h100", "site": {"provider": "nebius", "region": "eu-north1"}},
    {"accelerator": "h100", "site": {"provider": "aws", "region": "us-east-1"}, "pricing": {"providers": ["nebius"]}},
    {"accelerator": "h100", "site": {"country": "FI"}},
    {"accelerator": "h100", "site": {"country": "JP"}},
    {"site": {"provider": "gcp", "region": "us-central1"}},
    {"site": {"provider": "aws", "region": "eu-north-1"}},
]


def region_of(daemon, provider, name):
    rows = daemon.get("/v1/regions?limit=1000").json["items"]
    return next((row for row in rows if row["provider"] == provider and row["region_id"].lower() == (name or "").lower()), None)


@pytest.mark.parametrize("path, what", [("training", TRAINING), ("inference", SERVICE)])
@pytest.mark.parametrize("place", PLACES)
def test_price_and_grid_are_of_one_place_or_the_first_line_says_so(daemon, path, what, place):
    result = daemon.post(f"/v1/estimates/{path}", what | place).json["result"]
    best, site = result["recommended"], place.get("site", {})
    offer = best["cost"]["offer"]
    if "region" in site:
        one = offer["provider"] == site["provider"] and offer.get("region") == site["region"]
    elif "country" in site:
        row = region_of(daemon, offer["provider"], offer.get("region"))
        one = row is not None and row["country_zone"].startswith(site["country"])
    else:
        row = region_of(daemon, offer["provider"], offer.get("region"))
        assert row is None or best["carbon"]["grid_gco2e_per_kwh"] == row["grid_gco2e_per_kwh"]
        one = row is not None or "world average" in result["warnings"][0]
    assert one != (result["warnings"][:1] != [] and result["warnings"][0].startswith("two places: ")) or "world average" in result["warnings"][0]
    if place.get("site") == {"provider": "aws", "region": "eu-north-1"}:
        assert offer["provider"] == "aws"


def test_a_kept_plan_says_it_too(daemon):
    body = TRAINING | {"accelerator": "h100", "site": {"country": "JP"}}
    plan = daemon.post("/v1/plans/training", body).json
    assert plan["result"]["warnings"][0].startswith("two places: the price is that of ")
    report = daemon.request("GET", f"/v1/plans/{plan['id']}", headers={"Accept": "text/markdown"}).body.decode()
    assert "two places: the price is that of " in report
    assert daemon.request("DELETE", f"/v1/plans/{plan['id']}").status == 204
