"""The catalogue over HTTP: rows with sources, versions, bounds and warnings."""
import concurrent.futures
import json
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ACCELERATOR = {"id": "test-gpu", "vendor": "nvidia", "name": "Test GPU", "form_factor": "sxm", "release_year": 2026, "memory_gb": 100,
               "memory_bandwidth_gbs": 4000, "tflops_fp32": 60, "tflops_bf16": 900, "tflops_fp16": 900, "tdp_w": 700, "interconnect": "NVLink",
               "interconnect_gbs": 900, "pcie_gen": 5, "max_nvlink_domain": 8, "source": "a test", "source_date": "2026-11-01"}


@pytest.mark.parametrize("kind,least", [("accelerators", 60), ("models", 57), ("prices", 540), ("regions", 330)])
def test_built_in_rows_are_listed(daemon, kind, least):
    count, path = 0, f"/v1/{kind}?limit=1000"
    page = daemon.get(path)
    assert page.status == 200, page.text
    for row in page.json["items"]:
        assert row["source"] and row["origin"] in ("builtin", "user", "imported", "measured") and row["valid_from"]
        count += 1
    assert count >= least
    csv = daemon.get(path, {"Accept": "text/csv"})
    assert len(csv.text.splitlines()) == count + 1


def test_lists_are_asked_for_again_only_when_the_catalogue_changed(daemon):
    for kind in ("accelerators", "models", "prices", "regions"):
        first = daemon.get(f"/v1/{kind}?limit=2")
        tag = first.headers["etag"]
        assert "Accept" in first.headers["vary"].split(", ") or first.headers["vary"] == "Accept"
        again = daemon.get(f"/v1/{kind}?limit=2", {"If-None-Match": tag})
        assert again.status == 304 and again.headers["etag"] == tag and not again.body
    region = daemon.post("/v1/regions", {"id": "tagged.r", "provider": "tagged", "region_id": "r", "grid_gco2e_per_kwh": 300, "source": "a test"})
    assert daemon.get("/v1/regions?limit=2", {"If-None-Match": tag}).status == 200
    assert daemon.request("DELETE", region.headers["location"]).status == 204


def test_facts_that_everything_rests_on(daemon):
    h100 = daemon.get("/v1/accelerators/h100").json
    assert h100["id"] == "h100-sxm5-80gb" and h100["tflops_bf16"] == pytest.approx(989.5) and h100["interconnect_gbs"] == 900
    assert h100["memory_usable_bytes"] == pytest.approx(85.5e9, rel=0.002) and h100["memory_gb"] == 80
    assert daemon.get("/v1/accelerators/a100-sxm4-80gb").json["tflops_bf16"] == 312
    assert daemon.get("/v1/models/llama-3.1-8b").json["params_total"] == pytest.approx(8.03e9, rel=0.001)


def test_a_row_lives(daemon):
    before = daemon.get("/v1/catalogue").json["revision"]
    made = daemon.post("/v1/accelerators", ACCELERATOR)
    assert made.status == 201 and made.headers["location"] == "/v1/accelerators/test-gpu", made.text
    assert made.json["origin"] == "user"
    assert daemon.get("/v1/catalogue").json["revision"] > before
    assert daemon.post("/v1/accelerators", ACCELERATOR).status == 409
    patched = daemon.request("PATCH", "/v1/accelerators/test-gpu", {"tdp_w": 650}, {"If-Match": made.headers["etag"]})
    assert patched.status == 200 and patched.json["tdp_w"] == 650 and patched.json["tflops_bf16"] == 900, patched.text
    assert daemon.request("PATCH", "/v1/accelerators/test-gpu", {"tdp_w": 600}, {"If-Match": made.headers["etag"]}).status == 412
    put = daemon.request("PUT", "/v1/accelerators/test-gpu", ACCELERATOR | {"tdp_w": 710})
    assert put.status == 200 and put.json["tdp_w"] == 710, put.text
    plan = daemon.post("/v1/estimates/training", {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "test-gpu", "gpu_count": 64,
                                                  "pricing": {"usd_per_gpu_hour": 3}})
    assert plan.status == 200, plan.text
    past = daemon.get(f"/v1/accelerators/test-gpu?as_of={patched.json['valid_from']}")
    assert past.status == 200 and past.json["tdp_w"] == 650, past.text
    assert daemon.request("DELETE", "/v1/accelerators/test-gpu").status == 204
    gone = daemon.get("/v1/accelerators/test-gpu")
    assert gone.status == 404 and "GET /v1/accelerators" in gone.json["detail"]
    assert "h100-sxm5-80gb" in daemon.get("/v1/accelerators/h100-sxm-80gb").json["detail"]
    assert daemon.get(f"/v1/accelerators/test-gpu?as_of={put.json['valid_from']}").status == 200


CONFIG = {"model_type": "llama", "hidden_size": 1024, "intermediate_size": 4096, "num_attention_heads": 16, "num_hidden_layers": 24, "vocab_size": 32000}


@pytest.mark.parametrize("path,body", [
    ("/v1/accelerators", ACCELERATOR | {"id": "once-gpu"}),
    ("/v1/models", {"id": "once-model", "params_total": 3e9, "source": "a test"}),
    ("/v1/models/import", {"id": "once-import", "config": CONFIG}),
    ("/v1/prices", {"provider": "once", "instance_type": "i", "region": "r", "accelerator_id": "h100-sxm5-80gb", "gpus": 8,
                    "price_usd_per_hour": 20, "pricing_model": "on_demand", "as_of": "2026-11-01", "source": "a test"}),
    ("/v1/regions", {"id": "once.r", "provider": "once", "region_id": "r", "grid_gco2e_per_kwh": 300, "source": "a test"}),
])
def test_a_row_posted_again_with_its_key_is_answered_as_the_first_time(daemon, path, body):
    key = {"Idempotency-Key": f"once {path}".replace(" ", "-")}
    first = daemon.post(path, body, key)
    again = daemon.post(path, body, key)
    assert first.status == again.status == 201, again.text
    assert again.json == first.json
    assert [again.headers[name] for name in ("location", "etag")] == [first.headers[name] for name in ("location", "etag")]
    assert "idempotent-replayed" in again.headers and "idempotent-replayed" not in first.headers
    assert daemon.post(path, body).status == 409
    changed = daemon.request("PATCH", first.headers["location"], {"source": "another"})
    assert changed.status == 200 and changed.headers["etag"] != first.headers["etag"]
    assert daemon.post(path, body, key).json == first.json
    assert daemon.request("DELETE", first.headers["location"]).status == 204
    last = daemon.post(path, body, key)
    assert last.status == 201 and last.json == first.json and last.headers["etag"] == first.headers["etag"]
    assert daemon.get(first.headers["location"]).status == 404


@pytest.mark.parametrize("path,body,made", [
    ("/v1/accelerators", ACCELERATOR | {"id": "race-gpu"}, "/v1/accelerators/race-gpu"),
    ("/v1/plans/training", {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "h100", "gpu_count": 64, "alternatives": 0}, None),
])
def test_twenty_at_once_with_one_key_make_one(daemon, path, body, made):
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: daemon.post(path, body, {"Idempotency-Key": "race"}), range(20)))
    assert {answer.status for answer in answers} <= {201, 409}, [answer.text for answer in answers]
    assert {answer.json["type"] for answer in answers if answer.status == 409} <= {"urn:fleetplan:problem/in-flight"}
    locations = {answer.headers["location"] for answer in answers if answer.status == 201}
    assert len(locations) == 1 and (made is None or locations == {made})
    assert daemon.request("DELETE", locations.pop()).status == 204


@pytest.mark.parametrize("change,dense", [
    ({"id": "my-a100", "name": "A100", "tflops_bf16": 624, "tflops_fp16": 624}, "312"),
    ({"id": "my-h100", "name": "H100", "tflops_bf16": 1979, "tflops_fp16": 1979}, "989"),
    ({"id": "my-k80", "name": "K80", "tflops_bf16": None, "tflops_fp16": None, "tflops_fp32": 8.73}, "4.37"),
    ({"id": "my-tpu", "name": "TPU v3", "vendor": "google", "tflops_bf16": 420, "tflops_fp16": None}, "123"),
])
def test_sparse_and_whole_board_rates_are_noticed(daemon, change, dense):
    body = {key: value for key, value in (ACCELERATOR | change).items() if value is not None}
    answer = daemon.post("/v1/accelerators", body)
    assert answer.status == 201, answer.text
    assert any(dense in warning for warning in answer.json["warnings"]), answer.text
    assert daemon.request("DELETE", answer.headers["location"]).status == 204


@pytest.mark.parametrize("kind,body,pointer", [
    ("accelerators", ACCELERATOR | {"id": "x1", "memory_bandwidth_gbs": 4e9}, "/memory_bandwidth_gbs"),
    ("accelerators", ACCELERATOR | {"id": "x2", "tdp_w": -1}, "/tdp_w"),
    ("accelerators", ACCELERATOR | {"id": "x3", "idle_w": 900}, "/idle_w"),
    ("regions", {"id": "x.y", "provider": "x", "region_id": "y", "grid_gco2e_per_kwh": 1501, "source": "t"}, "/grid_gco2e_per_kwh"),
    ("regions", {"id": "x.z", "provider": "x", "region_id": "z", "grid_gco2e_per_kwh": 300, "pue": 0.9, "source": "t"}, "/pue"),
    ("prices", {"provider": "p", "instance_type": "i", "region": "r", "accelerator_id": "h100", "gpus": 8, "price_usd_per_hour": 9999,
                "pricing_model": "on_demand", "as_of": "2026-11-01", "source": "t"}, "/price_usd_per_hour"),
    ("prices", {"provider": "p", "instance_type": "i", "region": "r", "accelerator_id": "nothing", "gpus": 8, "price_usd_per_hour": 9,
                "pricing_model": "on_demand", "as_of": "2026-11-01", "source": "t"}, "/accelerator_id"),
])
def test_rows_outside_physics_are_refused(daemon, kind, body, pointer):
    answer = daemon.post(f"/v1/{kind}", body)
    assert answer.status == 422, answer.text
    assert pointer in [fault["pointer"] for fault in answer.json["errors"]]


def test_import_of_a_config(daemon):
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
              "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 128256,
              "tie_word_embeddings": False, "rope_theta": 500000.0}
    answer = daemon.post("/v1/models/import", {"id": "my-llama", "config": config})
    assert answer.status == 201 and answer.json["params_total"] == 8030261248, answer.text
    assert daemon.post("/v1/estimates/training", {"model": "my-llama", "tokens": "1T", "accelerator": "h100", "gpu_count": 64}).status == 200
    broken = daemon.post("/v1/models/import", {"id": "broken", "config": {"model_type": "llama", "hidden_size": 0}})
    assert broken.status == 422 and broken.json["errors"], broken.text


def test_every_model_row_is_planned(daemon):
    for row in daemon.get("/v1/models?limit=1000").json["items"]:
        answer = daemon.post("/v1/estimates/memory", {"model": row["id"], "accelerator": "h200"})
        assert answer.status == 200, f"{row['id']}: {answer.text}"


def test_offers(daemon):
    answer = daemon.get("/v1/offers?accelerator=h100&gpu_count=12")
    assert answer.status == 200 and answer.json["items"], answer.text
    prices = [item["usd_per_hour"] for item in answer.json["items"]]
    assert prices == sorted(prices)
    for item in answer.json["items"]:
        assert item["gpus_paid"] >= 12 and item["source"] and item["as_of"]
    assert daemon.get("/v1/offers?accelerator=nothing").status == 404
    for query, reason in (("max_age_days=0.001", "too old"), ("providers=nobody", "of other providers"), ("regions=nowhere&terms=spot", "of other providers")):
        empty = daemon.get(f"/v1/offers?accelerator=h100&{query}")
        assert empty.status == 200 and empty.json["items"] == [] and reason in empty.json["empty_because"], empty.text
    assert "no price" in daemon.get("/v1/offers?accelerator=b100").json["empty_because"]


def test_builtin_rows_that_a_user_changed_stay(daemon_with):
    one = daemon_with()
    assert one.request("PATCH", "/v1/accelerators/t4", {"tdp_w": 60}).status == 200
    assert one.stop() == 0
    one.start()
    row = one.get("/v1/accelerators/t4").json
    assert row["tdp_w"] == 60 and row["origin"] == "user"


REGION = {"provider": "x", "region_id": "y", "grid_gco2e_per_kwh": 100, "source": "s"}


def test_ids_have_a_form_however_they_come(daemon):
    answer = daemon.request("PUT", "/v1/regions/a%20b", REGION)
    assert answer.status == 422 and answer.json["errors"][0]["pointer"] == "/id", answer.text
    answer = daemon.post("/v1/regions", REGION | {"provider": "北京", "region_id": "é"})
    assert answer.status == 422 and answer.json["errors"][0]["pointer"] == "/id", answer.text
    assert daemon.post("/v1/regions", REGION).json["id"] == "x.y"


def test_a_bad_patch_is_refused_before_its_precondition(daemon):
    stale = {"If-Match": '"0"'}
    assert daemon.request("PATCH", "/v1/accelerators/t4", {"tdp_w": -1}, stale).status == 422
    assert daemon.request("PATCH", "/v1/accelerators/t4", {"tdp_w": 65}, stale).status == 412
    assert daemon.request("PATCH", "/v1/accelerators/t4", {"tdp_w": 65}, {"If-Match": "*"}).status == 200


def test_an_idempotency_key_is_visible(daemon):
    for key in ("", "a b", "x" * 256):
        answer = daemon.post("/v1/regions", REGION | {"region_id": "z"}, {"Idempotency-Key": key})
        assert answer.status == 400 and "Idempotency-Key" in answer.json["detail"], answer.text


@pytest.mark.parametrize("path,body", [
    ("/v1/accelerators/put-gpu", {key: value for key, value in ACCELERATOR.items() if key != "id"}),
    ("/v1/models/put-model", {"params_total": 3e9, "source": "a test"}),
    ("/v1/regions/put.r", {"provider": "put", "region_id": "r", "grid_gco2e_per_kwh": 300, "source": "a test"}),
])
def test_a_put_takes_its_id_from_the_path(daemon, path, body):
    name = path.rsplit("/", 1)[1]
    made = daemon.request("PUT", path, body)
    assert made.status == 201 and made.json["id"] == name and made.headers["location"] == path, made.text
    assert daemon.request("PUT", path, body | {"id": name}).status == 200
    other = daemon.request("PUT", path, body | {"id": "another"})
    assert other.status == 422 and other.json["errors"][0]["pointer"] == "/id"
    assert daemon.request("DELETE", path).status == 204


def test_a_posted_row_needs_a_name(daemon):
    answer = daemon.post("/v1/accelerators", {key: value for key, value in ACCELERATOR.items() if key != "id"})
    assert answer.status == 422 and [fault["pointer"] for fault in answer.json["errors"]] == ["/id"]
    assert "id for the accelerator" in answer.json["errors"][0]["detail"]


def conflicts_of(result, field):
    return next((row for row in result["assumptions"] if row["field"] == field), None)


def test_what_good_sources_disagree_on_is_kept_and_shown(daemon):
    b300 = daemon.get("/v1/accelerators/b300-sxm6-288gb").json
    other = next(row for row in b300["conflicts"] if row["field"] == "tops_int8")
    assert b300["tops_int8"] == 153.5 and other["value"] == 4500 and "ml-engineering" in other["source"] and other["source_date"]
    assert "tflops_fp64" in b300["unverified"].split(" ")
    kept = {kind: [row["conflicts"] for row in daemon.get(f"/v1/{kind}?limit=1000").json["items"] if row.get("conflicts")] for kind in ("accelerators", "prices", "regions")}
    assert len(kept["accelerators"]) > 15 and len(kept["prices"]) >= 5 and len(kept["regions"]) == 2
    assert daemon.get("/v1/prices/aws.p4d-24xlarge.us-east-1.on-demand").json["conflicts"][0]["value"] == 32.77


@pytest.mark.parametrize("path,body,field,low,high", [
    ("training", {"tokens": "1T", "accelerator": "b200", "gpu_count": 64}, "accelerator.memory_bandwidth_gbs", 7700, 8000),
    ("training", {"tokens": "1T", "accelerator": "mi355x", "gpu_count": 64}, "accelerator.tflops_bf16", 2300, 2500),
    ("training", {"tokens": "1T", "accelerator": "gaudi3", "gpu_count": 64}, "accelerator.tdp_w", 900, 1200),
    ("training", {"tokens": "1T", "accelerator": "a100-sxm4-40gb", "gpu_count": 64, "pricing": {"providers": ["aws"]}}, "offer.price_usd_per_hour", 21.957642, 32.77),
    ("inference", {"accelerator": "b200", "queries_per_minute": 60, "prompt_tokens": 500, "output_tokens": 200}, "accelerator.memory_bandwidth_gbs", 7700, 8000),
    ("inference/performance", {"accelerator": "l40", "gpu_count": 1, "prompt_tokens": 500, "output_tokens": 200, "concurrency": 8}, "accelerator.tflops_bf16", 181, 362),
])
def test_a_plan_says_how_far_the_figures_range_that_it_rests_on(daemon, path, body, field, low, high):
    answer = daemon.post(f"/v1/estimates/{path}", {"model": "llama-3.1-8b"} | body)
    assert answer.status == 200, answer.text
    said = conflicts_of(answer.json["result"], field)
    assert said and (said["low"], said["high"]) == (low, high) and "others say" in said["source"], answer.json["result"]["assumptions"]
    if path != "inference/performance" and field.startswith("accelerator."):
        rests = answer.json["result"]["recommended"]["inputs"][field]
        assert (rests["low"], rests["high"]) == (low, high)


def test_inputs_range_over_what_others_say_of_price_and_grid(daemon):
    body = {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "a100-sxm4-40gb", "gpu_count": 12, "pricing": {"providers": ["aws"]}}
    price = daemon.post("/v1/estimates/training", body).json["result"]["recommended"]["inputs"]["pricing.usd_per_gpu_hour"]
    assert price["value"] == pytest.approx(21.957642 / 12 * 2) and price["high"] == pytest.approx(32.77 / 12 * 2) and "others say 32.77" in price["source"]
    row = {"id": "own.hall", "provider": "own", "region_id": "hall", "grid_gco2e_per_kwh": 100, "source": "meter",
           "pue": 1.2, "conflicts": [{"field": "grid_gco2e_per_kwh", "value": 900, "source": "another book"}, {"field": "pue", "value": 1.9, "source": "a bill"}]}
    path = daemon.post("/v1/regions", row).headers["location"]
    body |= {"pricing": {"usd_per_gpu_hour": 2}, "site": {"provider": "own", "region": "hall"}}
    inputs = daemon.post("/v1/estimates/training", body).json["result"]["recommended"]["inputs"]
    grid, pue = inputs["site.grid_gco2e_per_kwh"], inputs["site.pue"]
    assert pue["value"] == 1.2 and pue["high"] == 1.9 and "a bill" in pue["source"]
    assert grid["value"] == 100 and grid["low"] < 100 and grid["high"] == 900 and "another book" in grid["source"]
    given = daemon.post("/v1/estimates/training", body | {"site": {"provider": "own", "region": "hall", "grid_gco2e_per_kwh": 50}}).json["result"]
    assert given["recommended"]["inputs"]["site.grid_gco2e_per_kwh"]["high"] == 50 and conflicts_of(given, "region.grid_gco2e_per_kwh") is None
    assert daemon.request("DELETE", path).status == 204


def test_a_figure_that_the_plan_does_not_rest_on_is_left_alone(daemon):
    body = {"model": "llama-3.1-8b", "tokens": "1T", "gpu_count": 64, "pricing": {"usd_per_gpu_hour": 2}}
    bf16 = daemon.post("/v1/estimates/training", body | {"accelerator": "b300"}).json["result"]
    assert conflicts_of(bf16, "accelerator.tops_int8") is None and conflicts_of(bf16, "accelerator.memory_gb")
    own = daemon.post("/v1/estimates/training", body | {"accelerator": {"like": "b200", "memory_bandwidth_gbs": 7900}}).json["result"]
    assert conflicts_of(own, "accelerator.memory_bandwidth_gbs") is None and conflicts_of(own, "accelerator.memory_gb")
    assert conflicts_of(daemon.post("/v1/estimates/training", body | {"accelerator": "a100-sxm4-40gb"}).json["result"], "accelerator.unverified")["value"] == "memory_bandwidth_gbs"


def test_rows_of_users_carry_conflicts_too(daemon):
    row = ACCELERATOR | {"id": "disputed-gpu", "conflicts": [{"field": "tdp_w", "value": 650, "source": "another sheet", "note": "at a lower cap"}]}
    made = daemon.post("/v1/accelerators", row)
    assert made.status == 201 and made.json["conflicts"] == row["conflicts"], made.text
    path = made.headers["location"]
    plan = daemon.post("/v1/estimates/training", {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "disputed-gpu", "gpu_count": 64, "pricing": {"usd_per_gpu_hour": 3}})
    assert conflicts_of(plan.json["result"], "accelerator.tdp_w")["low"] == 650
    assert daemon.request("PATCH", path, {"notes": "x"}).json["conflicts"] == row["conflicts"]
    wrong = daemon.request("PATCH", path, {"conflicts": [{"field": "tdp", "value": 1, "source": "a"}, {"field": "tdp_w", "value": -5, "source": "a"}]})
    assert wrong.status == 422 and [fault["pointer"] for fault in wrong.json["errors"]] == ["/conflicts/0/field", "/conflicts/1/value"], wrong.text
    assert "conflicts" not in daemon.request("PATCH", path, {"conflicts": None}).json
    assert daemon.get(f"{path}?as_of={made.json['valid_from']}").json["conflicts"] == row["conflicts"]
    assert daemon.request("DELETE", path).status == 204


@pytest.mark.parametrize("usd,as_of,said", [
    (0.08, "2026-11-01", "below a third of the median"),  # 0.01 USD for a B200
    (8 * 150, "2026-11-01", "more than 5 times the median"),
    (8 * 5, "2999-01-01", "lies in the future"),
    (8 * 5, "2026-11-01", None)])
def test_a_price_that_is_likely_a_slip_is_kept_and_doubted(daemon, usd, as_of, said):
    row = {"provider": "slip", "instance_type": "x8", "region": "r", "accelerator_id": "b200", "gpus": 8, "price_usd_per_hour": usd,
           "pricing_model": "on_demand", "as_of": as_of, "source": "a list"}
    made = daemon.post("/v1/prices", row)
    assert made.status == 201, made.text
    warnings = made.json.get("warnings", [])
    assert [said in warning for warning in warnings] == [True] if said else not warnings, warnings
    offers = [offer["provider"] for offer in daemon.get("/v1/offers?accelerator=b200&gpu_count=8&limit=1000").json["items"]]
    assert ("slip" in offers) is (said is None or "third" not in said)
    assert daemon.request("DELETE", made.headers["location"]).status == 204


def test_a_sparse_figure_is_answered_with_the_row_that_says_so(daemon):
    for member, value, dense, row in (("tflops_bf16", 624, "312", "a100-sxm4-80gb"), ("tflops_bf16", 1979, "989.5", "h100-sxm5-80gb"), ("tflops_fp8", 3958, "1979", "h100-sxm5-80gb")):
        whole = daemon.get(f"/v1/accelerators/{row}").json
        body = {key: item for key, item in whole.items() if key not in ("valid_from", "valid_to", "origin", "revision", "warnings", "aliases")}
        body |= {"id": "sparse-" + row, member: value}
        if member == "tflops_bf16":
            body.pop("tflops_fp8", None)
        answer = daemon.request("PUT", "/v1/accelerators/sparse-" + row, body)
        assert answer.status == 201, answer.text
        told = [text for text in answer.json["warnings"] if member in text]
        assert told and "sparsity" in told[0] and dense in told[0] and "catalogue " + row.split("-")[0] in told[0], answer.json["warnings"]
        assert daemon.request("DELETE", "/v1/accelerators/sparse-" + row).status == 204


def test_a_put_is_answered_with_what_it_stored(daemon):
    """Other clients put and remove the same row meanwhile. Each PUT is answered with its own row and tag, never with
    another client's, and never with 404."""
    row = {"provider": "contested", "instance_type": "x8", "region": "r", "accelerator_id": "b200", "gpus": 8, "price_usd_per_hour": 40,
           "pricing_model": "on_demand", "as_of": "2026-11-01", "source": "a list"}

    def client(number):
        wrong, tags = [], []
        for turn in range(30):
            if number % 3 == 0:
                assert daemon.request("DELETE", "/v1/prices/contested.1").status in (204, 404)
                continue
            notes = f"{number}-{turn}"
            answer = daemon.request("PUT", "/v1/prices/contested.1", row | {"notes": notes})
            if answer.status not in (200, 201) or answer.json["notes"] != notes or "valid_to" in answer.json:
                wrong.append((notes, answer.status, answer.text[:200]))
            tags.append(answer.headers.get("etag"))
        return wrong, tags

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        done = list(pool.map(client, range(6)))
    assert not [fault for wrong, _ in done for fault in wrong]
    tags = [tag for _, given in done for tag in given]
    assert len(set(tags)) == len(tags) == 120
    assert daemon.request("DELETE", "/v1/prices/contested.1").status in (204, 404)
