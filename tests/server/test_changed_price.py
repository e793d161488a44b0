"""A changed price is applied to the planner's catalogue on its own: other rows are not read again, and answers equal
those after a full reading."""
import http.client
import json
import threading
import time

PRICE = {"provider": "lapse", "instance_type": "one", "region": "nowhere", "accelerator_id": "h100-sxm5-80gb", "source": "a test",
         "pricing_model": "on_demand", "gpus": 8, "price_usd_per_hour": 8.0, "as_of": "2026-11-01"}
READINGS = "fleetplan_catalogue_readings_total"
OFFERS = "/v1/offers?accelerator=h100-sxm5-80gb&gpu_count=8"


def offers(daemon, as_of=None):
    """Returns all offers, and those of the provider whose prices change. Naming the provider keeps offers with unlikely
    prices."""
    answers = [daemon.get(OFFERS + providers + (f"&as_of={as_of}" if as_of else "")) for providers in ("", "&providers=lapse")]
    assert [answer.status for answer in answers] == [200, 200], answers[1].text
    return [answer.json["items"] for answer in answers]


def moment():
    time.sleep(0.002)  # the catalogue counts in microseconds, requests in milliseconds: this moment lies between two changes
    now = time.time()
    time.sleep(0.002)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"


def test_a_changed_price_shares_the_snapshot(daemon_with):
    one = daemon_with()
    begin, states = one.metric(READINGS), []
    states.append((moment(), offers(one)))
    created = one.post("/v1/prices", PRICE)
    assert created.status == 201, created.text
    path = "/v1/prices/" + created.json["id"]
    states.append((moment(), offers(one)))
    assert one.request("PUT", path, PRICE | {"price_usd_per_hour": 400.0}).status == 200
    states.append((moment(), offers(one)))
    assert one.request("PUT", path, PRICE | {"accelerator_id": "l4", "price_usd_per_hour": 3.0}).status == 200
    states.append((moment(), offers(one)))
    assert one.request("DELETE", path).status == 204
    states.append((moment(), offers(one)))
    assert states[0][1] == states[3][1] == states[4][1] != states[1][1] != states[2][1]
    assert one.get("/v1/catalogue").json["prices"] == one.get(f"/v1/catalogue?as_of={states[0][0]}").json["prices"]
    for when, expected in states:
        assert offers(one, when) == expected  # reads of the past undo the changes
    assert one.metric(READINGS) == begin
    one.stop()
    one.start()
    for when, expected in states:
        assert offers(one, when) == expected  # a full reading gives the same answers
    assert one.metric(READINGS) > 1


def test_changes_that_come_together_are_all_seen(daemon_with):
    one = daemon_with()
    paths = [f"/v1/prices/together.{number}" for number in range(24)]

    def change(path):
        connection = http.client.HTTPConnection("127.0.0.1", one.port, timeout=30)
        for price in (5.0, 6.0, 7.0):
            connection.request("PUT", path, json.dumps(PRICE | {"instance_type": path, "price_usd_per_hour": price}),
                               {"Content-Type": "application/json"})
            answer = connection.getresponse()
            assert answer.read() and answer.status in (200, 201)
        connection.close()

    threads = [threading.Thread(target=change, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    live = offers(one)
    revision = one.get("/v1/catalogue").json["revision"]
    one.stop()
    one.start()
    assert one.get("/v1/catalogue").json["revision"] == revision
    assert offers(one) == live
