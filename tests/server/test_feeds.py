"""Live feeds against replicas on loopback: which rows are accepted and which are quarantined. A feed must never change
a row wrongly, block a request or write a key to a log."""
import datetime
import json
import os
import threading
import time

import conftest
from support import memory_bytes, revision, seconds_of, until, wait_state
import pytest

import feed_replica
from feed_replica import Reply, aws_answers, aws_line, azure_item, azure_page

SECRETS = {"lambda": "lambda_secret_4711", "watttime": "someone:password_4712", "gcp": "AIza_secret_4713", "electricity-maps": "em_secret_4714",
           "runpod": "rp_secret_4715", "hugging-face": "hf_secret_4716"}
TOKEN = "watttime.token.4717"
PRICES = "/api/retail/prices"
H100 = "azure.standard-nd96isr-h100-v5.eastus.on-demand"
B200 = "aws.p6-b200-48xlarge.us-east-1.on-demand"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    return feed_replica.make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def replica(certificates):
    one = feed_replica.Replica(certificates)
    yield one
    one.close()


@pytest.fixture(scope="module")
def shared(replica, certificates, tmp_path_factory):
    one = daemon_of(tmp_path_factory.mktemp("feeds"), replica, certificates)
    yield one
    assert one.stop() == 0
    log = one.log_path.read_text()
    for secret in [*SECRETS.values(), "password_4712", TOKEN]:
        assert secret not in log, "a key is in the log"


@pytest.fixture
def fed(shared, replica):
    replica.reset()
    return shared


def daemon_of(folder, replica, certificates, *more, feeds="azure,aws,gcp,lambda,runpod,electricity-maps,watttime,uk-carbon,hugging-face", ca=True, **options):
    keys = folder / "keys"
    keys.mkdir()
    for name, secret in SECRETS.items():
        (keys / name).write_text(secret + "\n")
    names = [item.partition("=")[0] for item in feeds.split(",")]
    urls = ",".join(f"{name}={replica.url}" for name in names)
    authorities = ["--feed-ca-file", str(certificates / "ca.pem")] if ca else []
    return conftest.Daemon(folder, "--feeds", feeds, "--feed-urls", urls, "--feed-keys", str(keys), "--feed-scopes", "azure=eastus,gcp=us-central1",
                           "--feed-local", *authorities, *more, **options)


def refresh(daemon, feed, wait=30):
    return daemon.request("POST", f"/v1/feeds/{feed}/refresh", None, {"Prefer": f"wait={wait}"}, timeout=wait + 10)


def price(daemon, row):
    answer = daemon.get(f"/v1/prices/{row}")
    return answer.json["price_usd_per_hour"] if answer.status == 200 else None


def assert_fails(daemon, feed, part, rows=(H100, B200)):
    """Checks that the refresh fails for that reason and changes nothing."""
    before = [price(daemon, row) for row in rows], revision(daemon)
    answer = refresh(daemon, feed)
    assert answer.status == 503, answer.text
    assert part in answer.json["detail"], answer.json["detail"]
    assert ([price(daemon, row) for row in rows], revision(daemon)) == before
    seen = daemon.get(f"/v1/feeds/{feed}").json
    assert seen["stale"] and seen["last"]["outcome"] == "failed" and part in seen["last"]["detail"]
    return answer


def test_prices_by_pages_become_visible_at_once(fed, replica):
    pages = {None: azure_page([azure_item(97.5)], f"{replica.url}{PRICES}?$skip=1000"),
             "1000": azure_page([azure_item(551880.0, kind="Reservation", reservationTerm="1 Year"), azure_item(33.0, sku="ND96isrH100v5 Spot"), azure_item("NaN"),
                                 azure_item(1.0, productName="NDsrH100v5 Series Windows")])}
    replica.answers[PRICES] = lambda method, path, query, headers, body: pages[query.get("$skip", [None])[0]]
    before = revision(fed)
    answer = refresh(fed, "azure")
    assert answer.status == 200, answer.text
    assert answer.json["outcome"] == "succeeded" and answer.json["requests"] == 2 and answer.json["seen"] == 5
    assert answer.json["added"] + answer.json["changed"] == 3 and answer.json["skipped"] == 2 and answer.json["catalogue_revision"] == before + 1
    assert price(fed, H100) == 97.5
    assert price(fed, H100.replace("on-demand", "reserved-1y")) == 63  # the price of the whole term, over 8760 hours
    row = fed.get(f"/v1/prices/{H100}").json
    assert row["origin"] == "imported" and row["source"].startswith("Azure Retail Prices") and row["as_of"] == row["source_date"]
    detail = fed.get("/v1/feeds/azure").json
    change = next(row for row in detail["changes"] if row["subject"] == H100)
    assert (change["what"], change["before"], change["after"]) == ("changed", 98.32, 97.5)
    assert detail["last"]["licence"] and not detail["stale"]
    again = refresh(fed, "azure").json
    assert again["unchanged"] == 3 and again["added"] + again["changed"] == 0 and revision(fed) == before + 1
    past = fed.get(f"/v1/prices/{H100}?as_of={detail['last']['started_at']}")
    assert past.json["price_usd_per_hour"] == 98.32


def test_users_have_the_last_word(fed, replica):
    row = "azure.standard-nd40rs-v2.eastus.on-demand"
    assert fed.request("PATCH", f"/v1/prices/{row}", {"price_usd_per_hour": 20}).status == 200
    replica.answers[PRICES] = azure_page([azure_item(22.5, arm="Standard_ND40rs_v2")])
    answer = refresh(fed, "azure")
    assert answer.status == 200 and answer.json["kept"] == 1
    assert price(fed, row) == 20


def test_an_absurd_price_is_quarantined_with_the_difference(fed, replica):
    before = price(fed, B200)
    aws_answers(replica, Reply(feed_replica.AWS_HEAD + aws_line("p6-b200.48xlarge", "0.08") + aws_line("p5.48xlarge", "54.5")))
    answer = refresh(fed, "aws")
    assert answer.status == 200 and answer.json["quarantined"] == 1, answer.text
    assert price(fed, B200) == before
    assert price(fed, "aws.p5-48xlarge.us-east-1.on-demand") == 54.5
    held = fed.get("/v1/feeds/aws").json["held"]
    assert [row["subject"] for row in held] == [B200]
    assert held[0]["what"] == "quarantined" and held[0]["after"] == 0.08 and held[0]["before"] == before and held[0]["low"] > 1
    assert "times the median" in held[0]["detail"]


def test_prices_that_are_no_numbers_count_nothing(fed, replica):
    aws_answers(replica, Reply(feed_replica.AWS_HEAD + b"".join(aws_line("p5.48xlarge", text) for text in ("NaN", "inf", "-inf", "1e999", "0x41", "", "12 USD"))))
    assert_fails(fed, "aws", "rows can be used")
    replica.answers["/api/v1/instance-types"] = Reply({"data": {"gpu_8x_b200": {"instance_type": {"name": "gpu_8x_b200", "description": "8x B200 (180 GB SXM6)",
        "price_cents_per_hour": "NaN", "specs": {}}, "regions_with_capacity_available": [{"name": "us-east-1"}]}}})
    assert_fails(fed, "lambda", "rows can be used")


def test_another_unit_is_no_price(fed, replica):
    replica.answers[PRICES] = azure_page([azure_item(97, unitOfMeasure="100 Hours"), azure_item(97, currencyCode="EUR")])
    assert_fails(fed, "azure", "can be used")
    login(replica)
    replica.answers["/v3/forecast"] = Reply({"data": [{"point_time": hour(1), "value": 400}], "meta": {"region": "CAISO_NORTH", "signal_type": "co2_moer",
        "units": "g_co2_per_kwh", "data_point_period_seconds": 3600}})
    assert_fails(fed, "watttime", "not lbs_co2_per_mwh")


def test_429_is_waited_for_and_a_long_wait_is_kept(fed, replica, certificates, tmp_path):
    tries = iter([Reply(b"", 429, {"Retry-After": "1"}), azure_page([azure_item(97.25)])])
    replica.answers[PRICES] = lambda *_: next(tries)
    began = time.monotonic()
    answer = refresh(fed, "azure")
    assert answer.status == 200 and answer.json["requests"] == 2 and price(fed, H100) == 97.25
    assert time.monotonic() - began >= 1
    own = daemon_of(tmp_path, replica, certificates, feeds="azure")
    try:
        replica.reset()
        replica.answers[PRICES] = Reply(b"", 429, {"Retry-After": "600"})
        assert_fails(own, "azure", "asked for no requests for 600 s")
        assert_fails(own, "azure", "asked for no requests for another")
        assert len(replica.requests) == 1
    finally:
        assert own.stop() == 0


def test_a_server_that_fails_is_tried_thrice_and_the_old_rows_stand(fed, replica):
    replica.answers[PRICES] = Reply({"error": "AIza_secret_4713"}, 500)
    assert_fails(fed, "azure", "answered 500")
    assert len(replica.requests) == 3


def test_a_key_that_is_refused_is_said_and_not_shown(fed, replica):
    replica.answers["/api/v1/instance-types"] = lambda method, path, query, headers, body: Reply({"error": headers["Authorization"]}, 401)
    answer = assert_fails(fed, "lambda", "the key is missing, wrong, or does not allow this request")
    assert replica.requests[0][3]["Authorization"] == f"Bearer {SECRETS['lambda']}" and SECRETS["lambda"] not in answer.text
    assert SECRETS["lambda"] not in fed.get("/v1/feeds").text + fed.get("/v1/feeds/lambda").text


def test_an_answer_cut_off_is_none(fed, replica):
    whole = azure_page([azure_item(50), azure_item(33.0, sku="x Spot")]).body
    replica.answers[PRICES] = Reply(whole[:-40], claims=len(whole))
    assert_fails(fed, "azure", "unreachable")
    replica.answers[PRICES] = Reply(whole[:-40])
    assert_fails(fed, "azure", "not JSON")
    aws_answers(replica, Reply(feed_replica.AWS_HEAD + aws_line("p6-b200.48xlarge", "100") + b'"X","JRTC","OnDem'))
    assert_fails(fed, "aws", "middle of a record")  # the good row before it is not used either


def test_links_lead_nowhere_else(fed, replica):
    elsewhere = feed_replica.Replica()
    try:
        for following in (f"{elsewhere.url}{PRICES}?$skip=1000", "http://169.254.169.254/latest/meta-data", f"https://user@127.0.0.1:{replica.port}{PRICES}",
                          f"https://localhost:{replica.port}{PRICES}", "file:///etc/passwd", "//evil.example/x"):
            replica.answers[PRICES] = azure_page([azure_item(50)], following)
            assert_fails(fed, "azure", "leads away from" if not following.startswith("file") else "")
            assert elsewhere.requests == []
            replica.answers[PRICES] = Reply(b"", 302, {"Location": following})
            assert_fails(fed, "azure", "")
            assert elsewhere.requests == []
    finally:
        elsewhere.close()
    replica.reset()
    replica.answers[PRICES] = Reply(b"", 302, {"Location": "/moved?$skip=1"})
    replica.answers["/moved"] = azure_page([azure_item(97)])
    assert refresh(fed, "azure").status == 200 and price(fed, H100) == 97
    replica.answers["/moved"] = Reply(b"", 302, {"Location": "/moved"})
    assert_fails(fed, "azure", "answered 302")


def test_a_gzip_bomb_is_cut_after_unpacking(fed, replica):
    bomb = feed_replica.gzip_bomb(200)
    assert len(bomb) < 1000000
    replica.answers[PRICES] = Reply(bomb, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})
    before = memory_bytes(fed, "VmRSS")
    assert_fails(fed, "azure", "larger than 16777216 bytes")
    assert conftest.is_sanitized() or memory_bytes(fed, "VmRSS") - before < 64 << 20


def test_a_certificate_must_be_of_the_authorities(replica, certificates, tmp_path):
    replica.reset()
    own = daemon_of(tmp_path, replica, certificates, feeds="azure", ca=False)
    try:
        assert_fails(own, "azure", "untrusted")
        assert replica.requests == []
    finally:
        assert own.stop() == 0


def test_without_the_option_nothing_private_is_reached(replica, certificates, tmp_path):
    replica.reset()
    arguments = ["--feeds", "azure", "--feed-urls", f"azure={replica.url}", "--feed-ca-file", str(certificates / "ca.pem")]
    own = conftest.Daemon(tmp_path, *arguments)
    try:
        assert_fails(own, "azure", "does not belong to the public internet")
        assert replica.requests == []
    finally:
        assert own.stop() == 0
    for wrong, part in ((["--feeds", "azur"], "azure"), (["--feeds", "azure=0"], "MINUTES"), (["--feeds", "lambda"], "--feed-keys"),
                        (["--feeds", "azure", "--feed-urls", "azure=http://prices.azure.com"], "https only"),
                        (["--feeds", "azure", "--feed-urls", "azure=https://a@b/"], "not of the form https://HOST/PATH"),
                        (["--feeds", "azure", "--feed-scopes", "azure=a/../b"], "words such as"), (["--feeds", "azure", "--feed-redirects", "azure=x"], "uses no redirects"),
                        (["--feeds", "hugging-face", "--feed-redirects", "hugging-face=https://x/y"], "HOST:PORT")):
        answer = conftest.run("serve", "--listen", "127.0.0.1:0", "--database", tmp_path / "other.db", *wrong)
        assert answer.returncode == 78 and part in answer.stderr, (wrong, answer.returncode, answer.stderr)


def test_a_slow_feed_blocks_nobody_and_can_be_cancelled(fed, replica):
    go = threading.Event()
    replica.answers[PRICES] = Reply(azure_page([azure_item(60)]).body, wait=go)
    before = revision(fed)
    accepted = fed.request("POST", "/v1/feeds/azure/refresh", None)
    assert accepted.status == 202 and accepted.headers["location"] == f"/v1/jobs/{accepted.json['id']}"
    job = accepted.headers["location"]
    until(lambda: fed.get("/v1/feeds/azure").json["state"] == "running")
    body = {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "h100", "gpu_count": 512, "pricing": {"usd_per_gpu_hour": 2}}
    jobs = [fed.post("/v1/estimates/training", body, {"Prefer": "respond-async"}) for _ in range(4)]  # more than the threads for them
    assert fed.post("/v1/estimates/training", body).status == 200 and fed.get("/readyz").status == 200
    assert all(wait_state(fed, one.headers["location"])["state"] == "succeeded" for one in jobs)
    assert fed.get(job).json["state"] == "running"
    assert fed.request("DELETE", job).status == 200
    assert wait_state(fed, job)["state"] == "cancelled"
    go.set()
    assert revision(fed) == before and fed.get("/v1/feeds/azure").json["last"]["outcome"] == "cancelled"


def test_a_request_has_a_time_limit(replica, certificates, tmp_path):
    go = threading.Event()
    own = daemon_of(tmp_path, replica, certificates, "--feed-seconds", "1", feeds="azure")
    try:
        replica.answers[PRICES] = Reply(azure_page([azure_item(60)]).body, wait=go)
        assert_fails(own, "azure", "overdue")
    finally:
        go.set()
        assert own.stop() == 0


def test_what_has_not_changed_is_not_sent_again(fed, replica):
    def types(method, path, query, headers, body):
        if headers.get("If-None-Match") == '"v1"':
            return Reply(b"", 304)
        return Reply({"data": {"gpu_8x_h100_sxm5": {"instance_type": {"name": "gpu_8x_h100_sxm5", "description": "8x H100 (80 GB SXM5)", "price_cents_per_hour": 2392,
            "specs": {"vcpus": 208, "memory_gib": 1800, "storage_gib": 24780}}, "regions_with_capacity_available": [{"name": "us-west-1"}]}}}, headers={"ETag": '"v1"'})

    replica.answers["/api/v1/instance-types"] = types
    assert refresh(fed, "lambda").json["added"] == 1
    assert price(fed, "lambda.gpu-8x-h100-sxm5.us-west-1.on-demand") == 23.92
    before = revision(fed)
    again = refresh(fed, "lambda")
    assert again.status == 200 and again.json["outcome"] == "unchanged" and revision(fed) == before
    assert price(fed, "lambda.gpu-8x-h100-sxm5.us-west-1.on-demand") == 23.92


def test_gigabytes_are_read_in_bounded_memory(certificates, tmp_path):
    """Reads 200 MB, or FEED_MEGABYTES: a gigabyte takes the same memory and five times as long. By http, because TLS in
    Python would take most of the time."""
    other = b"".join(aws_line(f"m7i.{n}xlarge", "0.4032") for n in range(100)) * 10
    size = int(os.environ.get("FEED_MEGABYTES", 20 if conftest.is_sanitized() else 200)) * 1000000
    count = size // len(other) + 1
    replica = feed_replica.Replica()
    own = daemon_of(tmp_path, replica, certificates, feeds="aws")
    try:
        def file(*_):
            return Reply(feed_replica.AWS_HEAD, pieces=(other if n != count // 2 else other + aws_line("p5.48xlarge", "53.25") for n in range(count)))

        aws_answers(replica, file)
        before, began = memory_bytes(own), time.monotonic()
        answer = refresh(own, "aws", 60)
        assert answer.status == 200, answer.text
        assert answer.json["bytes"] > size and answer.json["seen"] == 1000 * count + 1
        assert price(own, "aws.p5-48xlarge.us-east-1.on-demand") == 53.25
        print(f"{answer.json['bytes'] / 1e6:.0f} MB in {time.monotonic() - began:.1f} s, {(memory_bytes(own) - before) / 1e6:.1f} MB more")
        assert conftest.is_sanitized() or memory_bytes(own) - before < 32 << 20
    finally:
        assert own.stop() == 0
        replica.close()


def hour(ahead):
    now = datetime.datetime.now(datetime.timezone.utc).replace(minute=0, second=0, microsecond=0)
    return (now + datetime.timedelta(hours=ahead)).strftime("%Y-%m-%dT%H:%M:%SZ")


def login(replica):
    replica.answers["/login"] = Reply({"token": TOKEN})


def uk(replica, value_of):
    """Returns half hours of the day before and of two days ahead."""
    def span(first, last):
        return Reply({"data": [{"from": hour(h)[:14] + f"{m:02}Z", "to": (hour(h)[:14] + "30Z") if m == 0 else hour(h + 1)[:16] + "Z",
                                "intensity": {"forecast": value_of(h), "actual": value_of(h) if h < 0 else None, "index": "low"}}
                               for h in range(first, last) for m in (0, 30)]})

    half = datetime.datetime.now(datetime.timezone.utc)
    for moment in (half, half + datetime.timedelta(minutes=30)):  # the test may run past the half hour
        text = moment.strftime("%Y-%m-%dT%H:") + ("00Z" if moment.minute < 30 else "30Z")
        replica.answers[f"/intensity/{text}/pt24h"] = span(-24, 0)
        replica.answers[f"/intensity/{text}/fw48h"] = span(0, 48)


def test_a_schedule_takes_hours_that_a_feed_brought(fed, replica):
    job = {"hours": 2, "mean_kw": 100, "checkpointable": False}
    uk(replica, lambda h: 80 if h in (30, 31) else 200)
    answer = refresh(fed, "uk-carbon")
    assert answer.status == 200 and answer.json["added"] == 72, answer.text
    for series in ({"series": [{"region": "GB"}]}, {"series": [{"region": "aws.eu-west-2"}]}):
        found = fed.post("/v1/schedules", job | series)
        assert found.status == 200, found.text
        result = found.json["result"]
        assert result["best"]["start"].startswith(hour(30)[:16]) and abs(result["best"]["kgco2e"] - 2 * 100 * 80 / 1000) < 1e-9
        assert any(row["field"] == "series" and "uk-carbon" in row["source"] for row in result["assumptions"])
    held = {"accelerator": "h100", "gpu_count": 8, "hours": 4, "site": {"provider": "aws", "region": "eu-west-2", "start": hour(30)}}
    known = fed.post("/v1/estimates/carbon", held).json
    assert abs(known["result"]["carbon"]["grid_gco2e_per_kwh"] - (2 * 80 + 2 * 200) / 4) < 1e-9 and known["result"]["carbon"]["hourly_fraction"] == 1
    assert any(row["field"] == "site.series" and "uk-carbon" in row["source"] for row in known["result"]["assumptions"])
    again = fed.post("/v1/estimates/carbon", known["request"]).json  # the answered request contains the hours
    assert again["result"]["carbon"] == known["result"]["carbon"]
    elsewhere = fed.post("/v1/estimates/carbon", held | {"site": held["site"] | {"region": "eu-north-1"}}).json["result"]
    assert "hourly_fraction" not in elsewhere["carbon"] and any("site.start" in text for text in elsewhere["warnings"])
    service = {"model": "llama-3.1-8b", "accelerator": "h100", "queries_per_minute": 600, "prompt_tokens": 1000, "output_tokens": 300, "alternatives": 0,
               "pricing": {"usd_per_gpu_hour": 2}, "site": {"provider": "aws", "region": "eu-west-2", "start": hour(24)}}
    served = fed.post("/v1/estimates/inference", service).json["result"]
    assert sorted(item["grid_gco2e_per_kwh"] for item in served["hours"]) == [80, 80] + [200] * 22 and served["recommended"]["carbon"]["hourly_fraction"] == 1
    assert abs(served["recommended"]["carbon"]["grid_gco2e_per_kwh"] - 190) < 1e-9
    assert any(row["field"] == "site.series" and "uk-carbon" in row["source"] for row in served["assumptions"])
    unknown = fed.post("/v1/schedules", job | {"series": [{"region": "XX"}]})
    assert unknown.status == 422 and unknown.json["errors"][0]["pointer"] == "/series/0/region"
    lacking = fed.post("/v1/schedules", job | {"series": [{"region": "GB", "gco2e_per_kwh": [1, 2, 3]}]})
    assert {error["pointer"] for error in lacking.json["errors"]} == {"/series/0/start", "/series/0/step_minutes"}
    replica.answers["/v3/carbon-intensity/history"] = Reply({"zone": "FR", "history": []})
    replica.answers["/v3/carbon-intensity/forecast"] = Reply({"zone": "FR", "forecast": [{"carbonIntensity": 30 + h, "datetime": hour(h)} for h in range(24)]})
    assert refresh(fed, "electricity-maps").json["added"] == 24
    assert replica.requests[-1][3]["auth-token"] == SECRETS["electricity-maps"]
    everywhere = fed.post("/v1/schedules", job).json["result"]
    assert everywhere["best"]["region"] == "FR" and {row["region"] for row in everywhere["regions"]} == {"FR", "GB"}


def test_marginal_hours_are_converted_and_a_new_forecast_replaces_an_old(fed, replica):
    def forecast(pounds):
        return Reply({"data": [{"point_time": hour(h)[:14] + f"{m:02}:00+00:00", "value": pounds} for h in range(3) for m in range(0, 60, 5)],
                      "meta": {"region": "CAISO_NORTH", "signal_type": "co2_moer", "units": "lbs_co2_per_mwh", "data_point_period_seconds": 300}})

    login(replica)
    replica.answers["/v3/forecast"] = forecast(1000)
    assert refresh(fed, "watttime").json["added"] == 3
    assert replica.requests[-1][3]["Authorization"] == f"Bearer {TOKEN}"
    replica.answers["/v3/forecast"] = forecast(800)
    assert refresh(fed, "watttime").json["changed"] == 3
    job = {"hours": 1, "mean_kw": 1000, "earliest": hour(0), "series": [{"region": "CAISO_NORTH"}]}
    best = fed.post("/v1/schedules", job).json["result"]
    assert abs(best["best"]["kgco2e"] - 800 * 0.45359237) < 1e-6
    assert any("marginal" in row["source"] for row in best["assumptions"])
    replica.answers["/v3/forecast"] = Reply({"data": [{"point_time": hour(h), "value": 9000} for h in range(3)], "meta": {"region": "CAISO_NORTH", "signal_type": "co2_moer",
        "units": "lbs_co2_per_mwh", "data_point_period_seconds": 3600}})
    assert refresh(fed, "watttime").status == 503  # no grid has 4082 g/kWh
    assert abs(fed.post("/v1/schedules", job).json["result"]["best"]["kgco2e"] - 800 * 0.45359237) < 1e-6


def test_hours_of_then_are_replayed_though_feeds_have_brought_others(fed, replica):
    uk(replica, lambda h: 80 + h / 7)
    assert refresh(fed, "uk-carbon").status == 200
    body = {"model": "llama-3.1-8b", "tokens": "100B", "accelerator": "h100", "gpu_count": 512, "pricing": {"usd_per_gpu_hour": 2}, "site": {"country": "GB", "start": hour(2)}}
    made = fed.post("/v1/plans/training", body)
    assert made.status == 201 and made.json["request"]["site"]["series"]["source"].endswith("by uk-carbon"), made.text
    then = fed.get("/v1/catalogue").json["as_of"]
    path, job = made.headers["location"], {"hours": 2, "mean_kw": 10, "series": [{"region": "GB"}], "earliest": hour(1)}
    before = fed.post("/v1/schedules", job | {"as_of": then}).json["result"]["best"]["kgco2e"]
    uk(replica, lambda h: 300 + h / 7)
    assert refresh(fed, "uk-carbon").status == 200
    again = fed.get(path + "/replay").json
    assert again["reproduced"], again
    changes = fed.request("POST", path + "/refresh", None).json["changes"]
    assert changes["reproduced"] and changes["after"]["kgco2e"] > changes["before"]["kgco2e"], changes
    assert [cause["cause"] for cause in changes["causes"]] == ["time"] and "hours of a grid" in changes["causes"][0]["detail"]
    for revision in (1, 2):
        assert fed.get(f"{path}/replay?revision={revision}").json["reproduced"]
    assert fed.post("/v1/schedules", job).json["result"]["best"]["kgco2e"] > 2 * before
    gone = fed.post("/v1/schedules", job | {"as_of": then})
    assert gone.status == 422 and "corrected since" in gone.json["errors"][0]["detail"], gone.text
    plan = {"plan_id": made.json["id"], "earliest": hour(1), "series": [{"region": "GB"}]}
    assert fed.post("/v1/schedules", plan | {"as_of": "2999-01-01"}).status == 422
    assert fed.post("/v1/schedules", plan | {"as_of": fed.get("/v1/catalogue").json["as_of"]}).status == 200


def test_another_zone_than_asked_for_is_refused(fed, replica):
    replica.answers["/v3/carbon-intensity/history"] = Reply({"zone": "DE", "history": [{"carbonIntensity": 400, "datetime": hour(0)}]})
    assert_fails(fed, "electricity-maps", "the answer is for DE")


def test_gpu_core_and_memory_are_summed(fed, replica):
    def sku(description, unit, nanos, units="0"):
        return {"skuId": "X", "description": description, "category": {"resourceFamily": "Compute", "usageType": "OnDemand"}, "serviceRegions": ["us-central1"],
                "pricingInfo": [{"pricingExpression": {"usageUnit": unit, "displayQuantity": 1, "tieredRates": [
                    {"startUsageAmount": 0, "unitPrice": {"currencyCode": "USD", "units": units, "nanos": nanos}}]}}]}

    replica.answers["/v1/services/6F81-5844-456A/skus"] = Reply({"skus": [sku("A2 Instance Core running in Americas", "h", 31611000),
        sku("A2 Instance Ram running in Americas", "GiBy.h", 4237000), sku("Nvidia Tesla A100 GPU running in Americas", "h", 933908000, "2")], "nextPageToken": ""})
    counts = refresh(fed, "gcp").json
    assert counts["added"] + counts["changed"] == 5, counts  # two of them are built in, with an older price
    assert abs(price(fed, "gcp.a2-highgpu-1g.us-central1.on-demand") - 3.673385) < 1e-9
    assert replica.requests[0][3]["X-Goog-Api-Key"] == SECRETS["gcp"] and "key" not in replica.requests[0][2]


def test_runpod_is_asked_by_graphql(fed, replica):
    replica.answers["/graphql"] = Reply({"data": {"gpuTypes": [{"id": "NVIDIA H100 80GB HBM3", "displayName": "H100 SXM", "memoryInGb": 80, "securePrice": 2.69,
        "communityPrice": None, "lowestPrice": {"minimumBidPrice": 1.5, "uninterruptablePrice": 2.69, "minVcpu": 20, "minMemory": 125, "stockStatus": "Low"}}]}})
    assert refresh(fed, "runpod").json["added"] == 2
    assert "gpuTypes" in json.loads(replica.requests[0][4])["query"]


CONFIG = {"model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632, "num_hidden_layers": 22, "num_attention_heads": 32, "num_key_value_heads": 4,
          "vocab_size": 32000, "max_position_embeddings": 2048}
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def test_a_model_is_imported_from_the_hub(fed, replica):
    replica.answers["/api/models/TinyLlama/Tiny-1.1B"] = Reply({"id": "TinyLlama/Tiny-1.1B", "sha": COMMIT, "safetensors": {"parameters": {"BF16": 1100048384}, "total": 1100048384}})
    replica.answers[f"/TinyLlama/Tiny-1.1B/resolve/{COMMIT}/config.json"] = Reply(CONFIG)
    made = fed.post("/v1/models/import", {"repo": "TinyLlama/Tiny-1.1B"}, {"Idempotency-Key": "tiny"})
    assert made.status == 201, made.text
    assert made.json["id"] == "tiny-1.1b" and made.json["params_total"] == 1100048384 and COMMIT[:12] in made.json["source"]
    assert replica.requests[0][3]["Authorization"] == f"Bearer {SECRETS['hugging-face']}"
    assert fed.post("/v1/models/import", {"repo": "TinyLlama/Tiny-1.1B"}, {"Idempotency-Key": "tiny"}).headers["location"] == made.headers["location"]
    for status, code in ((404, "unknown"), (403, "forbidden")):
        replica.answers["/api/models/a/b"] = Reply(b"", status)
        refused = fed.post("/v1/models/import", {"repo": "a/b"})
        assert refused.status == 422 and refused.json["errors"][0]["code"] == code
    replica.answers["/api/models/a/b"] = Reply({"id": "a/b", "sha": COMMIT})
    replica.answers[f"/a/b/resolve/{COMMIT}/config.json"] = Reply(b"", 302, {"Location": "http://169.254.169.254/config.json"})
    assert fed.post("/v1/models/import", {"repo": "a/b"}).status == 503
    assert fed.post("/v1/models/import", {"repo": "../../etc"}).json["errors"][0]["pointer"] == "/repo"


def hub_answers(replica, repo, files, about=None):
    replica.answers[f"/api/models/{repo}"] = Reply({"id": repo, "sha": COMMIT} | (about or {}))
    for name, answer in ({"config.json": Reply(CONFIG)} | files).items():
        replica.answers[f"/{repo}/resolve/{COMMIT}/{name}"] = answer


TENSORS = {"model.embed_tokens.weight": [32000, 2048], "lm_head.weight": [32000, 2048], "rest": [968976384]}  # 1,100,048,384 parameters


@pytest.fixture(scope="module")
def stored(certificates, replica, tmp_path_factory):
    """A daemon whose Hub may redirect files to a store."""
    store = feed_replica.Replica(certificates)
    one = daemon_of(tmp_path_factory.mktemp("stored"), replica, certificates, "--feed-redirects", f"hugging-face=store.example 127.0.0.1:{store.port}", feeds="hugging-face")
    one.store = store
    yield one
    assert one.stop() == 0 and SECRETS["hugging-face"] not in one.log_path.read_text()
    store.close()


def test_parameters_are_counted_by_the_header_where_the_hub_does_not(stored, replica):
    replica.reset()
    stored.store.reset()
    hub_answers(replica, "a/header", {"model.safetensors": Reply(b"", 302, {"Location": f"{stored.store.url}/blob?signature=x"})})
    stored.store.answers["/blob"] = feed_replica.ranged(feed_replica.safetensors(TENSORS))
    made = stored.post("/v1/models/import", {"repo": "a/header"})
    assert made.status == 201 and made.json["params_total"] == 1100048384 and "safetensors (BF16)" in made.json["source"], made.text
    assert "warnings" not in made.json
    assert all("Authorization" not in request[3] and request[3]["Range"].startswith("bytes=") for request in stored.store.requests) and len(stored.store.requests) == 2
    assert all(request[3]["Authorization"] == f"Bearer {SECRETS['hugging-face']}" for request in replica.requests)
    # A model in several files: the count comes from their index, and the format from the first file.
    index = {"metadata": {"total_size": 2200096768}, "weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    hub_answers(replica, "a/index", {"model.safetensors.index.json": Reply(index), "model-00001-of-00002.safetensors": feed_replica.ranged(feed_replica.safetensors({"a": [4, 4]}))})
    assert stored.post("/v1/models/import", {"repo": "a/index"}).json["params_total"] == 1100048384
    index["metadata"]["total_parameters"] = 1100048384
    hub_answers(replica, "a/counted", {"model.safetensors.index.json": Reply(index), "model-00001-of-00002.safetensors": feed_replica.ranged(feed_replica.safetensors({"a": [4, 4]}, "F32", 32))})
    counted = stored.post("/v1/models/import", {"repo": "a/counted"}).json
    assert counted["params_total"] == 1100048384 and "safetensors (F32)" in counted["source"]
    # If the config gives another number, the answer says so.
    hub_answers(replica, "a/other", {"model.safetensors": feed_replica.ranged(feed_replica.safetensors({"a": [1500000, 1000]}))})
    other = stored.post("/v1/models/import", {"repo": "a/other"})
    assert other.status == 201 and other.json["params_total"] == 1.5e9 and "the config gives 1.1e+09" in other.json["warnings"][0], other.text
    hub_answers(replica, "a/none", {})
    assert stored.post("/v1/models/import", {"repo": "a/none"}).json["params_total"] == 1100048384  # no safetensors: counted from the config


def test_a_header_that_is_none_makes_no_row(stored, replica):
    good, other = feed_replica.safetensors(TENSORS), feed_replica.Replica()
    here = f"{replica.url}/a/wrong/resolve/{COMMIT}"
    wrong = {
        "cut off in the length": (feed_replica.ranged(good[:5]), "8 bytes of the safetensors were requested, 5 were received"),
        "cut off in the header": (feed_replica.ranged(good[:-9]), "were requested"),
        "an absurd length": (feed_replica.ranged(feed_replica.safetensors(TENSORS, length=2**63)), "claim a header of 9223372036854775808 bytes"),
        "a wrong shape": (feed_replica.ranged(feed_replica.safetensors(TENSORS).replace(b"[32000, 2048]", b"[32000, -204]")), "is not valid"),
        "an unknown format": (feed_replica.ranged(feed_replica.safetensors(TENSORS, "QX9")), "is not valid"),
        "a page": (feed_replica.ranged(b"<html><body>Sign in</body></html>" * 40), "claim a header"),
        "no parts": (Reply(good), "does not support requests for parts"),
        "another host": (Reply(b"", 302, {"Location": f"{other.url}/blob"}), "leads away from"),
        "the metadata of a cloud": (Reply(b"", 302, {"Location": "https://169.254.169.254/latest"}), "leads away from"),
        "a store with a user": (Reply(b"", 302, {"Location": f"https://me@127.0.0.1:{stored.store.port}/blob"}), "leads away from"),
        "a store's other port": (Reply(b"", 302, {"Location": f"https://127.0.0.1:{other.port}/blob"}), "leads away from"),
        "a store without TLS": (Reply(b"", 302, {"Location": f"http://127.0.0.1:{stored.store.port}/blob"}), "leads away from"),
        "in circles": (Reply(b"", 302, {"Location": f"{here}/model.safetensors"}), "answered 302"),
    }
    try:
        for name, (answer, part) in wrong.items():
            replica.reset()
            stored.store.reset()
            hub_answers(replica, "a/wrong", {"model.safetensors": answer})
            refused = stored.post("/v1/models/import", {"repo": "a/wrong"})
            assert refused.status == 503 and part in refused.json["detail"], (name, refused.text)
            assert stored.get("/v1/models/wrong").status == 404 and other.requests == [] and stored.store.requests == [], name
        hub_answers(replica, "a/wrong", {"config.json": Reply(b"", 302, {"Location": f"{stored.store.url}/config.json"})})
        assert stored.post("/v1/models/import", {"repo": "a/wrong"}).status == 503, "a whole document must come from the Hub itself"
        for status in (401, 403):
            hub_answers(replica, "a/wrong", {"model.safetensors": Reply(b"", status)})
            closed = stored.post("/v1/models/import", {"repo": "a/wrong"})
            assert closed.status == 422 and closed.json["errors"][0]["code"] == "forbidden" and "accepted its terms" in closed.json["errors"][0]["detail"]
    finally:
        other.close()


def test_a_feed_refreshes_itself(replica, certificates, tmp_path):
    replica.reset()
    uk(replica, lambda h: 100)
    own = daemon_of(tmp_path, replica, certificates, feeds="uk-carbon=30")
    try:
        until(lambda: own.get("/v1/feeds/uk-carbon").json.get("last"))
        seen = own.get("/v1/feeds/uk-carbon").json
        own.wait_metric('fleetplan_feed_refreshes_total{feed="uk-carbon",outcome="succeeded"}', lambda count: count == 1)
        assert seen["last"]["started_by"] == "schedule" and seen["last"]["outcome"] == "succeeded" and seen["every_minutes"] == 30
        assert seen["next_at"] > seen["last"]["finished_at"]
        assert own.stop() == 0
        asked = len(replica.requests)
        own.start()  # it refreshes at the earlier due time, not at every start
        again = own.get("/v1/feeds/uk-carbon").json
        assert abs(seconds_of(again["next_at"]) - seconds_of(again["last"]["finished_at"]) - 30 * 60) <= 1
        time.sleep(1.5)
        assert len(replica.requests) == asked
    finally:
        assert own.stop() == 0


def test_feeds_are_off_unless_configured(daemon):
    listed = daemon.get("/v1/feeds").json["items"]
    assert len(listed) == 9 and all(row["state"] == "off" and not row["enabled"] for row in listed)
    assert daemon.request("POST", "/v1/feeds/azure/refresh", None).status == 409
    assert daemon.request("POST", "/v1/feeds/azur/refresh", None).status == 404
    assert daemon.get("/v1/feeds/azur").status == 404
    refused = daemon.post("/v1/models/import", {"repo": "a/b"})
    assert refused.status == 422 and "--feeds hugging-face" in refused.json["errors"][0]["detail"]
    assert daemon.post("/v1/schedules", {"hours": 1, "mean_kw": 1}).json["errors"][0]["pointer"] == "/series"
