"""Stored plans: revisions, conditions, repeated requests, filters, pages."""
import concurrent.futures
import csv
import io
import json
import re
import uuid

import pytest

TRAINING = {"name": "eight", "labels": {"team": "research"}, "model": "llama-3.1-8b", "tokens": "15T", "accelerator": "h100",
            "deadline_hours": "30d", "alternatives": 1}
INFERENCE = {"name": "chat", "model": "llama-3.1-8b", "queries_per_minute": 60, "prompt_tokens": 500, "output_tokens": 200,
             "accelerator": "h100", "alternatives": 1}


@pytest.fixture(scope="module")
def plan(daemon):
    return daemon.post("/v1/plans/training", TRAINING)


def test_created_plan_is_found_again(daemon, plan):
    assert plan.status == 201, plan.text
    location, body = plan.headers["location"], plan.json
    assert location == f"/v1/plans/{body['id']}" and uuid.UUID(body["id"]).version == 7
    assert body["name"] == "eight" and body["labels"] == {"team": "research"} and body["revision"] == 1
    again = daemon.get(location)
    assert again.status == 200 and again.json == body and again.headers["etag"] == plan.headers["etag"]
    assert daemon.get(location, {"If-None-Match": plan.headers["etag"]}).status == 304
    assert daemon.request("HEAD", location).status == 200


def test_inference_plan(daemon):
    answer = daemon.post("/v1/plans/inference", INFERENCE)
    assert answer.status == 201 and answer.json["kind"] == "inference", answer.text
    assert daemon.get(answer.headers["location"]).json == answer.json


def test_missing_plans(daemon):
    assert daemon.get(f"/v1/plans/{uuid.uuid4()}").status == 404
    assert daemon.get("/v1/plans/nonsense").status == 404
    assert daemon.request("DELETE", f"/v1/plans/{uuid.uuid4()}").status == 404


def test_patch_under_conditions(daemon):
    made = daemon.post("/v1/plans/training", TRAINING)
    path, tag = made.headers["location"], made.headers["etag"]
    patched = daemon.request("PATCH", path, json.dumps({"notes": "checked", "labels": {"team": None, "phase": "2"}}),
                             {"Content-Type": "application/merge-patch+json", "If-Match": tag})
    assert patched.status == 200, patched.text
    assert patched.json["notes"] == "checked" and patched.json["labels"] == {"phase": "2"} and patched.json["name"] == "eight"
    assert patched.headers["etag"] != tag and patched.json["revision"] == 2
    stale = daemon.request("PATCH", path, {"name": "late"}, {"If-Match": tag})
    assert stale.status == 412, stale.text
    refused = daemon.request("PATCH", path, {"revision": 7})
    assert refused.status == 422 and refused.json["errors"][0]["pointer"] == "/revision"
    assert daemon.request("DELETE", path, headers={"If-Match": tag}).status == 412
    # A weak tag does not guard a change (RFC 9110, 13.1.1), although it gets 304.
    assert daemon.request("PATCH", path, {"name": "weak"}, {"If-Match": "W/" + patched.headers["etag"]}).status == 412
    assert daemon.get(path, {"If-None-Match": "W/" + patched.headers["etag"]}).status == 304
    assert daemon.request("DELETE", path, headers={"If-Match": patched.headers["etag"]}).status == 204
    assert daemon.get(path).status == 404


def test_patches_at_once_lose_nothing(daemon):
    path = daemon.post("/v1/plans/training", TRAINING | {"labels": {}}).headers["location"]
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda i: daemon.request("PATCH", path, {"labels": {f"l{i}": "v"}}), range(12)))
    assert [answer.status for answer in answers] == [200] * 12, [answer.text for answer in answers]
    assert daemon.get(path).json["labels"] == {f"l{i}": "v" for i in range(12)} and daemon.get(path).json["revision"] == 13
    tag = daemon.get(path).headers["etag"]
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        guarded = list(pool.map(lambda i: daemon.request("PATCH", path, {"notes": f"{i}"}, {"If-Match": tag}), range(12)))
    assert sorted(answer.status for answer in guarded) == [200] + [412] * 11


def test_repeated_posts_are_answered_once(daemon):
    key = {"Idempotency-Key": str(uuid.uuid4())}
    first = daemon.post("/v1/plans/training", TRAINING, key)
    again = daemon.post("/v1/plans/training", TRAINING, key)
    assert first.status == again.status == 201, again.text
    assert first.json == again.json and first.headers["location"] == again.headers["location"]
    other = daemon.post("/v1/plans/training", TRAINING | {"name": "other"}, key)
    assert other.status == 422 and "idempotency" in other.json["type"]
    bad = daemon.post("/v1/plans/training", TRAINING | {"tokens": -1}, {"Idempotency-Key": "bad-first"})
    assert bad.status == 422
    assert daemon.post("/v1/plans/training", TRAINING, {"Idempotency-Key": "bad-first"}).status == 201


def test_refresh_keeps_every_revision(daemon):
    made = daemon.post("/v1/plans/training", TRAINING | {"name": "refreshed"})
    path = made.headers["location"]
    fresh = daemon.request("POST", path + "/refresh")
    assert fresh.status == 200, fresh.text
    assert fresh.json["revision"] == 2 and fresh.json["name"] == "refreshed" and fresh.json["created_at"] == made.json["created_at"]
    revisions = daemon.get(path + "/revisions").json["items"]
    assert [row["revision"] for row in revisions] == [2, 1]
    assert daemon.get(path + "?revision=1").json["result"] == made.json["result"]


def test_refresh_uses_the_catalogue_of_today(daemon):
    price = {"provider": "testcloud", "instance_type": "t.h100", "region": "test-1", "accelerator_id": "h100-sxm5-80gb", "gpus": 8,
             "price_usd_per_hour": 16, "pricing_model": "on_demand", "as_of": "2026-11-01", "source": "a test"}
    made_price = daemon.post("/v1/prices", price)
    assert made_price.status == 201, made_price.text
    body = TRAINING | {"name": "priced", "pricing": {"providers": ["testcloud"]}}
    made = daemon.post("/v1/plans/training", body)
    assert made.status == 201 and made.json["result"]["recommended"]["cost"]["usd_per_gpu_hour"] == 2, made.text
    dearer = daemon.request("PATCH", made_price.headers["location"], {"price_usd_per_hour": 24})
    assert dearer.status == 200, dearer.text
    fresh = daemon.request("POST", made.headers["location"] + "/refresh")
    assert fresh.json["result"]["recommended"]["cost"]["usd_per_gpu_hour"] == 3, fresh.text
    assert fresh.json["catalogue_revision"] > made.json["catalogue_revision"]
    assert daemon.request("DELETE", made_price.headers["location"]).status == 204


def test_lists_filter_and_page(daemon):
    for number in range(7):
        assert daemon.post("/v1/plans/training", TRAINING | {"name": f"page {number}", "labels": {"suite": "pages"}}).status == 201
    seen, path = [], "/v1/plans?label=suite:pages&limit=3"
    while path:
        page = daemon.get(path)
        assert page.status == 200, page.text
        seen += [row["name"] for row in page.json["items"]]
        cursor = page.json["next_cursor"]
        assert ('rel="next"' in page.headers.get("link", "")) == (cursor is not None)
        path = cursor and f"/v1/plans?label=suite:pages&limit=3&cursor={cursor}"
    assert seen == [f"page {number}" for number in reversed(range(7))]
    assert all(row["kind"] == "inference" for row in daemon.get("/v1/plans?kind=inference").json["items"])
    assert daemon.get("/v1/plans?model=llama-3.1-8b&accelerator=h100&limit=1").json["items"]
    assert not daemon.get("/v1/plans?model=mixtral-8x7b").json["items"]
    assert not daemon.get("/v1/plans?created_before=2020-01-01T00:00:00Z").json["items"]
    assert daemon.get("/v1/plans?q=page%203").json["items"][0]["name"] == "page 3"
    csv = daemon.get("/v1/plans?limit=2", {"Accept": "text/csv"})
    assert csv.status == 200 and csv.text.splitlines()[0].startswith("id") and len(csv.text.splitlines()) == 3


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=x", "cursor=junk", "kind=other", "label=nocolon", "nonsense=1",
                                   "created_after=yesterday"])
def test_bad_queries(daemon, query):
    answer = daemon.get("/v1/plans?" + query)
    assert answer.status in (400, 422), answer.text
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path,body", [("/v1/plans/training", TRAINING | {"accelerator": "a100", "deadline_hours": "90d"}), ("/v1/plans/inference", INFERENCE)])
def test_compare(daemon, plan, path, body):
    other = daemon.post(path, body)
    ids = f"{plan.json['id']},{other.json['id']}"
    answer = daemon.get(f"/v1/plans/compare?ids={ids}")
    assert answer.status == 200, answer.text
    assert [item["id"] for item in answer.json["items"]] == ids.split(",")
    assert daemon.get(f"/v1/plans/compare?ids={plan.json['id']}").status == 422
    table = list(csv.DictReader(io.StringIO(daemon.get(f"/v1/plans/compare?ids={ids}", {"Accept": "text/csv"}).text)))
    for row, item in zip(table, answer.json["items"], strict=True):
        assert row["id"] == item["id"] and row["kind"] == item["kind"]
        both = len({item["kind"] for item in answer.json["items"]}) > 1
        own = f"{item['kind']}." if both else ""
        option = item["result"]["recommended"]
        assert float(row[own + "gpu_count"]) == option["gpu_count"]
        figure = "cost.total_usd" if item["kind"] == "training" else "cost.usd_per_month"
        assert float(row[own + figure]) == pytest.approx(option["cost"][figure[5:]])
        if both:
            other = "inference." if item["kind"] == "training" else "training."
            assert row[other + "gpu_count"] == ""
    assert daemon.get(f"/v1/plans/compare?ids={plan.json['id']},{uuid.uuid4()}").status == 404


def test_plan_as_report(daemon, plan):
    report = daemon.get(plan.headers["location"], {"Accept": "text/markdown"})
    assert report.status == 200 and report.text.startswith("# ")
    assert daemon.get(plan.headers["location"], {"Accept": "image/png"}).status == 406


@pytest.mark.parametrize("tokens", [1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e16])
def test_a_report_of_any_size(daemon, tokens):
    """Trainings whose operations just fit 64 bits, just exceed them, and need an exponent."""
    made = daemon.post("/v1/plans/training", {"model": "llama-3.1-8b", "tokens": tokens, "accelerator": "h100", "gpu_count": 8, "alternatives": 0})
    assert made.status == 201
    for digits in re.findall(r"[0-9.]+(?:[eE][+-]?\d+)?", made.text):
        assert "." in digits or "e" in digits or int(digits) < 2 ** 63, digits
    for form in ("text/markdown", "text/csv"):
        assert daemon.get(made.headers["location"], {"Accept": form}).status == 200


def test_plans_survive_a_restart(daemon_with):
    first = daemon_with()
    made = first.post("/v1/plans/training", TRAINING)
    assert first.stop() == 0
    first.start()
    assert first.get(made.headers["location"]).json == made.json


def test_each_representation_has_its_own_tag_and_any_of_them_guards(daemon):
    made = daemon.post("/v1/plans/training", {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "h100", "gpu_count": 64})
    plan = made.headers["location"]
    path = plan + "?expand=all"  # long enough to be packed
    accepts = {"json": {}, "csv": {"Accept": "text/csv"}, "markdown": {"Accept": "text/markdown"},
               "packed": {"Accept-Encoding": "gzip"}, "packed csv": {"Accept": "text/csv", "Accept-Encoding": "gzip"}}
    tags = {name: daemon.get(path, headers).headers["etag"] for name, headers in accepts.items()}
    assert tags["json"] == '"1"' and len(set(tags.values())) == len(tags), tags
    for name, headers in accepts.items():
        assert daemon.get(path, headers | {"If-None-Match": tags[name]}).status == 304, name
    assert daemon.get(path, accepts["csv"] | {"If-None-Match": tags["json"]}).status == 200
    assert daemon.get(path, {"If-None-Match": tags["markdown"]}).status == 200
    assert daemon.request("PATCH", plan, {"name": "x"}, {"If-Match": '"1-html"'}).status == 412
    revision = 1
    for tag in tags.values():
        mine = tag.replace("1", str(revision))
        assert daemon.request("PATCH", plan, {"name": f"by {mine}"}, {"If-Match": mine}).status == 200, mine
        assert daemon.request("PATCH", plan, {"name": "late"}, {"If-Match": mine}).status == 412, mine
        revision += 1


def test_a_replay_is_what_was_answered_whatever_it_is_asked_for_as(daemon):
    body = {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "h100", "gpu_count": 64}
    first = daemon.post("/v1/plans/training", body, {"Idempotency-Key": "as-csv", "Accept": "text/csv"})
    again = daemon.post("/v1/plans/training", body, {"Idempotency-Key": "as-csv"})
    assert first.status == again.status == 201 and again.text == first.text
    assert again.headers["content-type"] == first.headers["content-type"] == "text/csv; charset=utf-8"


def test_the_future_has_no_catalogue(daemon):
    answer = daemon.get("/v1/estimates/training?model=llama-3.1-8b&tokens=1T&accelerator=h100&deadline_hours=700&as_of=2999-01-01T00:00:00Z")
    assert answer.status == 422 and "future" in answer.json["detail"], answer.text


def changes_of(daemon, made):
    fresh = daemon.request("POST", made.headers["location"] + "/refresh")
    assert fresh.status == 200, fresh.text
    assert "changes" not in daemon.get(made.headers["location"]).json
    return fresh.json["changes"]


def test_refresh_says_what_moved_the_figures(daemon):
    row = {"provider": "movecloud", "instance_type": "m.h100", "region": "move-1", "accelerator_id": "h100-sxm5-80gb", "gpus": 8,
           "price_usd_per_hour": 16, "pricing_model": "on_demand", "as_of": "2026-11-01", "source": "a test"}
    place = {"provider": "movecloud", "region_id": "move-1", "location": "somewhere", "grid_gco2e_per_kwh": 100, "pue": 1.2, "source": "a test"}
    price, region = daemon.post("/v1/prices", row), daemon.post("/v1/regions", place)
    assert price.status == 201 and region.status == 201, price.text + region.text
    made = daemon.post("/v1/plans/training", TRAINING | {"name": "moved", "pricing": {"providers": ["movecloud"]}})
    assert made.status == 201, made.text
    still = changes_of(daemon, made)
    assert still["reproduced"] and still["causes"] == [] and still["before"] == still["after"]
    assert daemon.request("PATCH", price.headers["location"], {"price_usd_per_hour": 24}).status == 200
    assert daemon.request("PATCH", region.headers["location"], {"grid_gco2e_per_kwh": 200}).status == 200
    moved = changes_of(daemon, made)
    assert moved["reproduced"], moved
    causes = {cause["cause"]: cause for cause in moved["causes"]}
    assert list(causes) == ["regions", "prices"]
    assert "move-1" in causes["regions"]["detail"] and "m-h100" in causes["prices"]["detail"]
    assert causes["regions"]["change_usd"] == 0 and causes["prices"]["change_kgco2e"] == 0
    assert abs(causes["prices"]["change_usd"] / moved["before"]["usd"] - 0.5) < 1e-9
    assert causes["regions"]["change_kgco2e"] > 0.5 * moved["before"]["kgco2e"]
    for key in ("usd", "kwh", "kgco2e", "hours"):
        total = sum(cause[f"change_{key}"] for cause in moved["causes"])
        assert abs(moved["before"][key] + total - moved["after"][key]) <= 1e-9 * moved["after"][key]
    for made_row in (price, region):
        assert daemon.request("DELETE", made_row.headers["location"]).status == 204


def test_refresh_of_a_plan_with_its_own_time_stays(daemon):
    body = TRAINING | {"as_of": daemon.get("/v1/catalogue").json["as_of"]}
    made = daemon.post("/v1/plans/training", body)
    assert made.status == 201, made.text
    still = changes_of(daemon, made)
    assert still["reproduced"] and still["causes"] == []


def letters(text, heading):
    """Returns the rows of a report's table: title -> cells."""
    lines = text.split(f"## {heading}\n\n")[1].split("\n\n")[0].splitlines()[2:]
    return {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.replace("\\|", "").split("|")[1:-1]] for line in lines)}


def test_plans_side_by_side(daemon):
    price = {"pricing": {"usd_per_gpu_hour": 2}}
    bodies = [("training", TRAINING | {"name": "a | *b*", "site": {"country": "FR"}} | price), ("training", TRAINING | {"name": "dirty", "site": {"country": "PL"}} | price),
              ("inference", INFERENCE | price), ("inference", INFERENCE | {"name": "slow", "accelerator": "l4", "slo": {"ttft_ms": 3000}} | price)]
    plans = [daemon.post(f"/v1/plans/{kind}", body).json for kind, body in bodies]
    ids = ",".join(plan["id"] for plan in plans)
    answer = daemon.get(f"/v1/plans/compare?ids={ids}")
    assert answer.status == 200, answer.text
    rows = {row["title"]: row for row in answer.json["rows"]}
    carbon = rows["Carbon (kgCO2e)"]["values"]
    assert [cell["best"] for cell in carbon] == [True, False, False, False] and "value" not in carbon[2]
    assert carbon[0]["value"] == plans[0]["result"]["recommended"]["carbon"]["total_kgco2e"]
    assert not any(cell["best"] for cell in rows["Cost (USD)"]["values"]), "an equal cost must not be marked as best"
    assert rows["Time to first token, p95 (ms)"]["better"] == "less" and [cell["best"] for cell in rows["Time to first token, p95 (ms)"]["values"]][2:] == [True, False]
    assert not any(cell["best"] for cell in rows["Accelerators"]["values"]) and "better" not in rows["Accelerators"]
    asked = {row["figure"]: [cell.get("value") for cell in row["values"]] for row in answer.json["differences"]}
    assert asked["/site/country"] == ["FR", "PL", None, None] and asked["/slo"][3].startswith("ttft_ms 3000") and "/name" not in asked and "/tokens" not in asked
    assert any("services are compared" in note for note in answer.json["notes"])
    report = daemon.get(f"/v1/plans/compare?ids={ids}&format=markdown")
    assert report.headers["content-type"].startswith("text/markdown") and report.text == daemon.get(f"/v1/plans/compare?ids={ids}", {"Accept": "text/markdown"}).text
    assert "a \\| \\*b\\*" in report.text and plans[3]["id"] in report.text
    shown = letters(report.text, "Recommended")
    assert shown["Carbon (kgCO2e)"][0].startswith("**") and not shown["Carbon (kgCO2e)"][1].startswith("**") and shown["Carbon (kgCO2e)"][2] == ""
    assert all(len(cells) == 4 for cells in shown.values()) and letters(report.text, "Request fields that differ")["site/country"] == ["FR", "PL", "", ""]
    table = list(csv.DictReader(io.StringIO(daemon.get(f"/v1/plans/compare?ids={ids}&format=csv").text)))
    assert [row["name"] for row in table] == ["a | *b*", "dirty", "chat", "slow"]
    assert "carbon/total_kgco2e" in table[0]["best_of"].split() and "carbon" not in table[1]["best_of"]
    two = daemon.get(f"/v1/plans/compare?ids={plans[1]['id']},{plans[0]['id']}").json
    assert [cell["best"] for cell in {row["title"]: row for row in two["rows"]}["Carbon (kgCO2e)"]["values"]] == [False, True] and "notes" not in two


def test_comparisons_of_revisions_and_of_what_is_not_there(daemon):
    place = daemon.post("/v1/regions", {"provider": "sidecloud", "region_id": "s-1", "grid_gco2e_per_kwh": 100, "source": "a test"})
    made = daemon.post("/v1/plans/training", TRAINING | {"site": {"provider": "sidecloud", "region": "s-1"}, "pricing": {"usd_per_gpu_hour": 2}}).json
    assert daemon.request("PATCH", place.headers["location"], {"grid_gco2e_per_kwh": 50}).status == 200
    assert daemon.request("POST", f"/v1/plans/{made['id']}/refresh").status == 200
    both = daemon.get(f"/v1/plans/compare?ids={made['id']}@1,{made['id']}@2").json
    carbon = {row["title"]: row for row in both["rows"]}["Carbon (kgCO2e)"]["values"]
    assert [cell["best"] for cell in carbon] == [False, True] and "differences" not in both
    assert [item["revision"] for item in both["items"]] == [1, 2] and any("revisions of the catalogue (A " in note for note in both["notes"])
    assert f"(plan {made['id']}, revision 1," in daemon.get(f"/v1/plans/compare?ids={made['id']}@1,{made['id']}&format=markdown").text
    gone, never = daemon.post("/v1/plans/training", TRAINING).json["id"], str(uuid.uuid4())
    assert daemon.request("DELETE", f"/v1/plans/{gone}").status == 204
    missing = daemon.get(f"/v1/plans/compare?ids={made['id']},{gone},{never},{made['id']}@9")
    assert missing.status == 404 and all(name in missing.json["detail"] for name in (gone, never, "@9")), missing.text
    wrong = daemon.get(f"/v1/plans/compare?ids={made['id']}@0,nonsense,{made['id']}")
    assert wrong.status == 422 and [fault["pointer"] for fault in wrong.json["errors"]] == ["/ids/0", "/ids/1"], wrong.text
    assert daemon.get("/v1/plans/compare?ids=" + ",".join([made["id"]] * 17)).status == 422
    assert len(daemon.get("/v1/plans/compare?ids=" + ",".join([made["id"]] * 16)).json["items"]) == 16
    assert daemon.get(f"/v1/plans/compare?ids={made['id']},{made['id']}&format=xml").status == 422
    assert daemon.request("DELETE", place.headers["location"]).status == 204


def test_a_refresh_explains_what_no_single_kind_of_row_allows(daemon):
    region = {"provider": "twostep", "source": "a meter", "pue": 1.1}
    price = {"provider": "twostep", "instance_type": "x8", "accelerator_id": "h100-sxm5-80gb", "gpus": 8, "price_usd_per_hour": 24,
             "pricing_model": "on_demand", "as_of": "2026-11-01", "source": "a list"}
    first = daemon.post("/v1/regions", region | {"region_id": "a", "grid_gco2e_per_kwh": 100}).headers["location"]
    made = [first, daemon.post("/v1/prices", price | {"region": "a"}).headers["location"]]
    body = {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "h100", "gpu_count": 64, "pricing": {"providers": ["twostep"]}}
    kg = daemon.post("/v1/estimates/training", body).json["result"]["recommended"]["carbon"]["total_kgco2e"]
    plan = daemon.post("/v1/plans/training", body | {"carbon_cap_kgco2e": kg * 1.1, "confidence": 0.5}).json
    assert daemon.request("PATCH", first, {"grid_gco2e_per_kwh": 900}).status == 200
    made.append(daemon.post("/v1/regions", region | {"region_id": "b", "grid_gco2e_per_kwh": 50}).headers["location"])
    made.append(daemon.post("/v1/prices", price | {"region": "b", "price_usd_per_hour": 32}).headers["location"])
    answer = daemon.request("POST", f"/v1/plans/{plan['id']}/refresh")
    assert answer.status == 200, answer.text
    changes = answer.json["changes"]
    assert changes["reproduced"] and changes["after"]["offer"] == "twostep x8 b on_demand"
    assert [cause["cause"] for cause in changes["causes"]] == ["prices"]  # with the regions alone no plan keeps the cap
    assert changes["causes"][0]["change_kgco2e"] == pytest.approx(changes["after"]["kgco2e"] - changes["before"]["kgco2e"])
    assert all(daemon.request("DELETE", path).status == 204 for path in made)


def test_lists_have_figures_an_order_and_chosen_members(daemon_with):
    daemon = daemon_with()
    for gpus in (8, 64, 16, 128, 32):
        made = daemon.post("/v1/plans/training", {"model": "llama-3.1-8b", "tokens": "100B", "accelerator": "h100", "gpu_count": gpus, "name": f"n{gpus}",
                                                  "labels": {"size": "odd" if gpus in (8, 32, 128) else "even"}})
        assert made.status == 201
    service = daemon.post("/v1/plans/inference", {"model": "llama-3.1-8b", "requests_per_s": 2, "prompt_tokens": 500, "output_tokens": 100, "accelerator": "h100", "name": "service"}).json
    rows = daemon.get("/v1/plans").json["items"]
    assert [row["name"] for row in rows] == ["service", "n32", "n128", "n16", "n64", "n8"]
    assert rows[0]["summary"] == service["result"]["summary"] and rows[0]["summary"]["usd_per_month"]["value"] > 0
    assert [row["summary"]["gpu_count"] for row in rows[1:]] == [32, 128, 16, 64, 8]

    def names(query):
        return [row["name"] for row in daemon.get(f"/v1/plans?{query}").json["items"]]

    assert names("sort=gpu_count") == ["service", "n8", "n16", "n32", "n64", "n128"]
    assert names("sort=-gpu_count") == ["n128", "n64", "n32", "n16", "n8", "service"]
    assert names("sort=-wall_clock_hours") == ["n8", "n16", "n32", "n64", "n128", "service"], "a service has no hours and comes last"
    assert names("sort=wall_clock_hours") == ["n128", "n64", "n32", "n16", "n8", "service"]
    assert names("sort=total_usd")[0] == "service" and names("sort=gpu_count&label=size:odd") == ["n8", "n32", "n128"]
    assert names("sort=gpu_count&kind=training&created_before=2020-01-01T00:00:00Z") == []
    for order in ("gpu_count", "-total_kwh", "wall_clock_hours"):
        seen, cursor = [], ""
        while cursor is not None:
            page = daemon.get(f"/v1/plans?sort={order}&limit=2&fields=name{cursor and '&cursor=' + cursor}").json
            assert all(set(row) == {"name"} for row in page["items"])
            seen += [row["name"] for row in page["items"]]
            cursor = page["next_cursor"]
        assert seen == names(f"sort={order}"), "pages are the whole list"
    first = daemon.get("/v1/plans?sort=gpu_count&limit=2").json["next_cursor"]
    for other in ("sort=-gpu_count", "sort=total_usd", "limit=2"):
        assert daemon.get(f"/v1/plans?{other}&cursor={first}").status == 400, "a cursor belongs to its order"
    assert daemon.get("/v1/plans?sort=price").status == 422 and daemon.get("/v1/plans?fields=id,nam").json["errors"][0]["pointer"] == "/fields"
    # A refresh brings its own summary, and a change of the name keeps it.
    path = "/v1/plans/" + rows[-1]["id"]
    assert daemon.request("PATCH", path, {"name": "n8 again"}).status == 200
    assert daemon.request("POST", f"{path}/refresh").status == 200
    assert [row["summary"]["gpu_count"] for row in daemon.get("/v1/plans?q=again").json["items"]] == [8]
