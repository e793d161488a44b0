"""The catalogue over time: reads and estimates as of a past moment, and stored plans computed again on their own
revisions."""
import urllib.parse

import conftest
import pytest

H100, LLAMA, OFFER, REGION = "h100-sxm5-80gb", "llama-3.1-8b", "lapse.l-8.lapse-1.h100-sxm5-80gb.on-demand", "lapse.lapse-1"
PRICE = {"provider": "lapse", "instance_type": "l.8", "region": "lapse-1", "accelerator_id": H100, "gpus": 8, "price_usd_per_hour": 16,
         "pricing_model": "on_demand", "as_of": "2026-11-01", "source": "a test"}
PLACE = {"provider": "lapse", "region_id": "lapse-1", "country_zone": "XL-ONE", "grid_gco2e_per_kwh": 100, "pue": 1.2, "source": "a test"}
PRICING = {"pricing": {"providers": ["lapse"]}}
TRAINING = {"model": LLAMA, "tokens": "1T", "accelerator": H100, "gpu_count": 64, "alternatives": 2} | PRICING
INFERENCE = {"model": LLAMA, "accelerator": H100, "queries_per_minute": 120, "prompt_tokens": 500, "output_tokens": 200, "alternatives": 1} | PRICING


@pytest.fixture(scope="module")
def lapse(tmp_path_factory):
    """A catalogue with a past. `moments` are the times between its changes."""
    daemon = conftest.Daemon(tmp_path_factory.mktemp("lapse"))
    daemon.moments = []

    def now():
        daemon.moments.append(daemon.get("/v1/catalogue").json["as_of"])

    now()  # 0: the built-in catalogue
    assert daemon.post("/v1/prices", PRICE).status == 201 and daemon.post("/v1/regions", PLACE).status == 201
    now()  # 1: with an offer of 2 USD in a region of 100 g
    change(daemon, f"/v1/prices/{OFFER}", price_usd_per_hour=24)
    change(daemon, f"/v1/regions/{REGION}", grid_gco2e_per_kwh=200)
    change(daemon, f"/v1/accelerators/{H100}", memory_bandwidth_gbs=3000, tflops_bf16=900, aliases=["h100", "renamed-h100"])
    change(daemon, f"/v1/models/{LLAMA}", aliases=["renamed-llama"])
    now()  # 2: more expensive, dirtier, slower, renamed
    for path in (f"/v1/prices/{OFFER}", f"/v1/regions/{REGION}", "/v1/accelerators/h100-pcie-80gb", "/v1/models/mixtral-8x7b"):
        assert daemon.request("DELETE", path).status == 204, path
    now()  # 3: the rows are removed
    assert daemon.post("/v1/prices", PRICE | {"price_usd_per_hour": 20}).status == 201 and daemon.post("/v1/regions", PLACE | {"pue": 1.5}).status == 201
    now()  # 4: rows are created again with other values
    yield daemon
    assert daemon.stop() == 0


def change(daemon, path, **members):
    answer = daemon.request("PATCH", path, members)
    assert answer.status == 200, answer.text


def figures(daemon, path, member):
    """Returns the row's figure at each moment, or None if the row does not exist; the same from its list, as JSON and
    as CSV."""
    one, listed = [], []
    kind, _, name = path.removeprefix("/v1/").partition("/")
    for moment in daemon.moments:
        row = daemon.get(f"{path}?as_of={moment}")
        assert row.status in (200, 404), row.text
        one.append(row.json[member] if row.status == 200 else None)
        page = daemon.get(f"/v1/{kind}?limit=1000&q={name}&as_of={moment}").json["items"]
        listed.append(next((item[member] for item in page if item["id"] == name), None))
        lines = daemon.get(f"/v1/{kind}?limit=1000&q={name}&as_of={moment}", {"Accept": "text/csv"}).text.splitlines()
        assert len(lines) == len(page) + 1
    assert one == listed
    now = daemon.get(path)
    assert (now.json[member] if now.status == 200 else None) == one[-1]
    return one


def test_rows_and_lists_of_every_moment(lapse):
    assert figures(lapse, f"/v1/prices/{OFFER}", "price_usd_per_hour") == [None, 16, 24, None, 20]
    assert figures(lapse, f"/v1/regions/{REGION}", "grid_gco2e_per_kwh") == [None, 100, 200, None, 100]
    assert figures(lapse, f"/v1/accelerators/{H100}", "tflops_bf16") == [989.5, 989.5, 900, 900, 900]
    assert figures(lapse, "/v1/accelerators/h100-pcie-80gb", "memory_gb") == [80, 80, 80, None, None]
    assert figures(lapse, "/v1/models/mixtral-8x7b", "repo")[2:] == ["mistralai/Mixtral-8x7B-v0.1", None, None]


def test_names_are_those_of_then(lapse):
    def status(path, at):
        return lapse.get(f"{path}?as_of={lapse.moments[at]}").status

    assert [status("/v1/accelerators/h100-pcie", at) for at in range(5)] == [200, 200, 200, 404, 404]
    assert [status("/v1/accelerators/renamed-h100", at) for at in range(5)] == [404, 404, 200, 200, 200]
    assert [status("/v1/models/renamed-llama", at) for at in range(5)] == [404, 404, 200, 200, 200]
    listed = [len(lapse.get(f"/v1/prices?limit=1000&accelerator=h100-pcie&as_of={moment}").json["items"]) for moment in lapse.moments]
    assert listed[0] > 0 and listed[0] == listed[1] == listed[2], "rows are listed by their former name"


def test_the_catalogue_and_its_offers_of_every_moment(lapse):
    states = [lapse.get(f"/v1/catalogue?as_of={moment}").json for moment in lapse.moments]
    assert [state["prices"] - states[0]["prices"] for state in states] == [0, 1, 1, 0, 1]
    assert [state["accelerators"] - states[0]["accelerators"] for state in states] == [0, 0, 0, -1, -1]
    revisions = [state["revision"] for state in states]
    assert revisions == sorted(revisions) and len(set(revisions)) == 5 and revisions[-1] == lapse.get("/v1/catalogue").json["revision"]
    assert [state["as_of"] for state in states] == lapse.moments
    quotes = [lapse.get(f"/v1/offers?accelerator=h100&gpu_count=8&providers=lapse&as_of={moment}").json["items"] for moment in lapse.moments]
    assert [items[0]["usd_per_gpu_hour"] if items else None for items in quotes] == [None, 2, 3, None, 2.5]
    assert len(lapse.get("/v1/regions?country=XL").json["items"]) == 1 and len(lapse.get("/v1/regions?country=xl-one").json["items"]) == 1
    assert lapse.get("/v1/regions?country=X").json["items"] == []


@pytest.mark.parametrize("path", ["/v1/catalogue", "/v1/accelerators", "/v1/accelerators/h100", "/v1/prices", "/v1/offers?accelerator=h100", "/v1/calibrations",
                                  "/v1/estimates/memory?model=llama-3.1-8b"])
def test_the_future_and_what_is_no_time_are_refused(lapse, path):
    join = "&" if "?" in path else "?"
    for when, status in (("2999-01-01", 422), ("yesterday", 422), ("2026-13-01T00:00:00Z", 422)):
        answer = lapse.get(f"{path}{join}as_of={when}")
        assert answer.status == status and answer.json["errors"][0]["pointer"] == "/as_of", answer.text
    unknown = lapse.get(f"{path}{join}as_off=2026-11-21")
    assert unknown.status == 422 and unknown.json["errors"][0]["pointer"] == "/as_off"


def test_before_the_first_row_there_is_nothing(lapse):
    assert lapse.get("/v1/accelerators?as_of=2020-01-01").json["items"] == []
    state = lapse.get("/v1/catalogue?as_of=2020-01-01").json
    assert (state["revision"], state["accelerators"]) == (0, 0)
    refused = lapse.get(f"/v1/estimates/memory?model={LLAMA}&as_of=2020-01-01")
    assert refused.status == 422 and "before the first row" in refused.json["errors"][0]["detail"]


ESTIMATES = {
    "training": TRAINING,
    "inference": INFERENCE,
    "inference/performance": {"model": LLAMA, "accelerator": H100, "gpu_count": 1, "prompt_tokens": 500, "output_tokens": 200, "concurrency": 8},
    "memory": {"model": LLAMA, "accelerator": H100},
    "carbon": {"accelerator": H100, "gpu_count": 8, "hours": 100, "site": {"provider": "lapse", "region": "lapse-1"}},
}


def result_of(answer):
    assert answer.status in (200, 201), answer.text
    result = answer.json["result"]
    result.get("search", {}).pop("elapsed_ms", None)
    return result


def test_estimates_of_a_past_moment_are_those_of_then(tmp_path):
    daemon = conftest.Daemon(tmp_path)
    try:
        assert daemon.post("/v1/prices", PRICE).status == 201 and daemon.post("/v1/regions", PLACE).status == 201
        moment = daemon.get("/v1/catalogue").json["as_of"]
        then = {name: result_of(daemon.post(f"/v1/estimates/{name}", body)) for name, body in ESTIMATES.items()}
        scalars = {"model": LLAMA, "tokens": "1T", "accelerator": H100, "gpu_count": 64}
        typed = result_of(daemon.get("/v1/estimates/training?" + urllib.parse.urlencode(scalars)))
        change(daemon, f"/v1/prices/{OFFER}", price_usd_per_hour=24)
        change(daemon, f"/v1/regions/{REGION}", grid_gco2e_per_kwh=200)
        change(daemon, f"/v1/accelerators/{H100}", tflops_bf16=900, memory_bandwidth_gbs=3000, memory_usable_bytes=8e10)
        config = daemon.get(f"/v1/models/{LLAMA}").json["config"]
        change(daemon, f"/v1/models/{LLAMA}", config=config | {"num_hidden_layers": 36}, params_total=None, params_active=None)
        for name, body in ESTIMATES.items():
            assert result_of(daemon.post(f"/v1/estimates/{name}", body)) != then[name], name
            assert result_of(daemon.post(f"/v1/estimates/{name}", body | {"as_of": moment})) == then[name], name
        assert result_of(daemon.get("/v1/estimates/training?" + urllib.parse.urlencode(scalars | {"as_of": moment}))) == typed
        report = daemon.post("/v1/estimates/training", TRAINING | {"as_of": moment}, {"Accept": "text/markdown"})
        assert report.status == 200 and "catalogue revision 3" in report.text, report.text[:300]
    finally:
        assert daemon.stop() == 0


PLANS = [
    ("training", TRAINING),
    ("training", {"model": LLAMA, "tokens": "2T", "deadline_hours": "40d", "accelerators": ["h100", "a100", "mi300x"], "site": {"provider": "lapse", "region": "lapse-1"}}),
    ("training", {"model": "mixtral-8x7b", "tokens": "100B", "accelerator": "h200", "deadline_hours": "20d", "stack": "megatron_core"}),
    ("training", {"model": {"params": "13B"}, "tokens": "200B", "accelerator": {"like": "h100", "memory_gb": 120}, "gpu_count": 128, "pricing": {"usd_per_gpu_hour": 2}}),
    ("inference", INFERENCE),
    ("inference", {"model": "llama-3.1-70b", "precision": "fp8", "engine": "vllm", "accelerator": "h200", "queries_per_minute": 100,
                   "prompt_tokens": {"mean": 800, "cv": 1}, "output_tokens": 250, "slo": {"ttft_ms": 2000, "tpot_ms": 60}}),
    ("inference", {"model": LLAMA, "accelerator": "l4", "prompt_tokens": 300, "output_tokens": 100, "queries_per_minute": 60,
                   "daily_profile": [0.3] * 8 + [1.0] * 12 + [0.5] * 4}),
    ("inference", {"model": LLAMA, "accelerator": H100, "trace": {"arrivals": [[0.5 * i, 300 + 7 * (i % 40), 100 + i % 90] for i in range(120)]}}),
]


def move_everything(daemon, plans):
    """Changes every kind of row that a plan may depend on."""
    for row, factor in ((OFFER, 1.5), ("aws.p5-48xlarge.us-east-1.on-demand", 1.1), ("aws.g6-xlarge.us-east-1.on-demand", 1.3)):
        change(daemon, f"/v1/prices/{row}", price_usd_per_hour=factor * daemon.get(f"/v1/prices/{row}").json["price_usd_per_hour"])
    for row in (REGION, "aws.us-east-1", "country.wor"):
        change(daemon, f"/v1/regions/{row}", grid_gco2e_per_kwh=0.7 * daemon.get(f"/v1/regions/{row}").json["grid_gco2e_per_kwh"])
    for row in (H100, "h200-sxm5-141gb", "l4"):
        bandwidth = daemon.get(f"/v1/accelerators/{row}").json["memory_bandwidth_gbs"]
        change(daemon, f"/v1/accelerators/{row}", memory_bandwidth_gbs=0.9 * bandwidth)
    for row in (LLAMA, "mixtral-8x7b"):
        config = daemon.get(f"/v1/models/{row}").json["config"]
        change(daemon, f"/v1/models/{row}", config=config | {"num_hidden_layers": config["num_hidden_layers"] + 4}, params_total=None, params_active=None)
    assert daemon.request("DELETE", "/v1/models/llama-3.1-70b").status == 204
    observed = next(plan for plan in plans if plan["request"].get("stack") == "megatron_core")
    other = daemon.post("/v1/plans/training", next(body for _, body in PLANS if body.get("stack") == "megatron_core")).json
    for i in range(5):  # a calibration
        plan = (observed, other)[i % 2]
        made = daemon.post("/v1/observations", {"plan_id": plan["id"], "step_time_s": 1.2 * plan["result"]["recommended"]["step"]["time_s"]})
        assert made.status == 201, made.text
    assert made.json["used"], made.text


def test_stored_plans_are_computed_again_to_the_bit(tmp_path):
    daemon = conftest.Daemon(tmp_path)
    try:
        assert daemon.post("/v1/prices", PRICE).status == 201 and daemon.post("/v1/regions", PLACE).status == 201
        plans = []
        for kind, body in PLANS:
            made = daemon.post(f"/v1/plans/{kind}", body)
            assert made.status == 201, made.text
            plans.append(made.json)
        move_everything(daemon, plans)
        for plan in plans:
            path = f"/v1/plans/{plan['id']}"
            replay = daemon.get(path + "/replay")
            assert replay.status == 200 and replay.json["reproduced"] and replay.json["differing"] == 0, (plan["request"], replay.text)
            assert replay.json["catalogue_revision"] == plan["catalogue_revision"] < daemon.get("/v1/catalogue").json["revision"]
            if plan["kind"] == "training" or "trace" in plan["request"]:
                body = PLANS[plans.index(plan)][1] | {"as_of": plan["computed_at"]}
                assert result_of(daemon.post(f"/v1/estimates/{plan['kind']}", body)) == result_of(daemon.get(path)), plan["request"]
        for plan in plans:
            path = f"/v1/plans/{plan['id']}"
            fresh = daemon.request("POST", path + "/refresh", None)
            if plan.get("model") == "llama-3.1-70b":  # this model was removed
                assert fresh.status == 422 and fresh.json["errors"][0]["code"] == "unknown" and daemon.get(path).json["revision"] == 1
                continue
            assert fresh.status == 200, fresh.text
            changes = fresh.json["changes"]
            assert changes["reproduced"] and "difference" not in changes
            for key in ("usd", "kwh", "kgco2e"):
                total = sum(cause.get(f"change_{key}", 0) for cause in changes["causes"])
                assert changes["before"][key] + total == pytest.approx(changes["after"][key], rel=1e-9), (plan["request"], changes)
            assert changes["causes"] or plan["request"]["model"] == {"params": 13e9}
            for revision in (1, 2) if plan["kind"] == "training" else (2,):
                assert daemon.get(f"{path}/replay?revision={revision}").json["reproduced"], (plan["request"], revision)
        assert daemon.request("POST", f"/v1/plans/{plans[2]['id']}/refresh", None).json["changes"]["causes"] == [], "nothing changed since the refresh"
        assert daemon.get("/v1/plans/01939e5c-7d00-7000-8000-000000000009/replay").status == 404
    finally:
        assert daemon.stop() == 0
