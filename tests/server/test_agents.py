"""Agents on other nodes as the daemon sees them: their leases and their faults. Leases last two seconds here."""
import json
import signal
import subprocess
import threading
import time

import pytest
from beside import beside, play
from conftest import Daemon, run
from fake_agent import GPU, FakeAgent, broken, gpu, measured
from support import bearer, queue, until, wait_state
from test_bad_days import small_disk_in
from test_jobs import events_of

SHORT = ("--own-devices=no", "--lease-seconds", "2", "--heartbeat-seconds", "1")
LONG = ("--own-devices=no",)


def look(daemon, name, headers=None):
    return daemon.get(f"/v1/benchmarks/{name}", headers).json


def wait_for(daemon, name, states, seconds=120, headers=None):
    return wait_state(daemon, f"/v1/benchmarks/{name}", states, seconds, headers)


def daemons_in(folder, stack):
    """Starts daemons for one test, each with its own folder and its own device locks, and stops them after it."""
    started = []

    def start(*arguments, **options):
        own = folder / f"daemon{len(started)}"
        own.mkdir()
        started.append(Daemon(own, *arguments, environment={"FLEETPLAN_RUN_DIR": str(own)}, **options))
        stack.callback(started[-1].stop)
        return started[-1]

    return start


def with_agent(daemon):
    agent = FakeAgent(daemon)
    assert agent.register().status == 200
    return daemon, agent


def keys_of(daemon):
    made = {name: daemon.make_key("--role", role, "--name", name)[0] for name, role in (("root", "admin"), ("one", "agent"), ("two", "agent"))}
    until(lambda: daemon.get("/v1/agents").status == 401)  # keys that another process makes count within two seconds
    return daemon, made, bearer(made["root"])


@pytest.fixture(scope="module")
def stage(request):
    yield from play(request, {
        "hub": lambda folder, stack: with_agent(daemons_in(folder, stack)(*LONG)),  # a daemon without devices of its own, and an agent
        "hasty": lambda folder, stack: with_agent(daemons_in(folder, stack)(*SHORT)),
        "keyed": lambda folder, stack: keys_of(daemons_in(folder, stack)(*SHORT)),
        "daemon_with": daemons_in,
        "small_disk": lambda folder, stack: stack.enter_context(small_disk_in(folder)),
        "tmp_path": lambda folder, stack: folder})


# --- the life of a lease ---------------------------------------------------------------------------------------------

@beside
def test_a_benchmark_goes_through_an_agent(hub):
    daemon, agent = hub
    waited = []
    poll = threading.Thread(target=lambda: waited.append(agent.lease(wait_s=20)))
    daemon.wait_in_flight(0)
    poll.start()
    daemon.wait_in_flight(1)
    name = queue(daemon, accelerator="l4", timeout_s=77, labels={"team": "red"})
    poll.join(10)
    lease = waited[0].json
    assert waited[0].status == 200 and lease["benchmark_id"] == name and lease["device"] == "GPU-1", waited[0].text
    assert (lease["attempt"], lease["attempts_max"], lease["token"], lease["lease_s"], lease["heartbeat_s"]) == (1, 3, 1, 60, 20)
    assert lease["spec"] == {"suite": "quick", "timeout_s": 77}
    assert agent.heartbeat(lease, progress={"test": "stream_triad", "elapsed_ms": 3}).json == {"lease_s": 60, "cancel": False}
    row = look(daemon, name)
    assert (row["state"], row["agent_id"], row["running_device"]) == ("running", "a1", "GPU-1") and row["progress"]["test"] == "stream_triad"
    device = daemon.get("/v1/devices").json["items"][0]
    assert (device["state"], device["benchmark_id"], device["node"]) == ("busy", name, "host-a1"), device
    answer = agent.deliver(lease, measured())
    assert answer.status == 200 and answer.json["state"] == "succeeded" and not answer.json["late"], answer.text
    row = look(daemon, name)
    assert row["state"] == "succeeded" and row["labels"] == {"team": "red"} and len(row["result"]["measures"]) == 2, row
    calibrations = daemon.get("/v1/calibrations").json["items"]
    assert {row["quantity"] for row in calibrations} >= {"gemm_efficiency", "memory_efficiency"} and {row["device_id"] for row in calibrations} == {"GPU-1"}
    device = daemon.get("/v1/devices").json["items"][0]
    assert (device["state"], device["pci_id"], device["ecc"], device["power_limit_w"]) == ("idle", "10de:27b8", "enabled", 72), device
    assert 0 <= device["calibration_age_days"] < 0.01 and "benchmark_id" not in device
    plan = daemon.post("/v1/estimates/training", {"model": "llama-3.1-8b", "tokens": "1B", "accelerator": "l4", "gpu_count": 64, "enforce_memory": False})
    assert "GPU-1" in plan.text or "measured" in json.dumps(plan.json["result"]["assumptions"]), plan.text


@beside
def test_lists_by_state_agent_and_label(hub):
    daemon, agent = hub
    red = queue(daemon, labels={"team": "red"}, priority=9)
    blue = queue(daemon, labels={"team": "blue"}, device="GPU-1")
    assert agent.lease().json["benchmark_id"] == red  # it has the higher priority
    names = lambda query: [row["id"] for row in daemon.get(f"/v1/benchmarks?{query}").json["items"]]
    assert names("label=team:red") == [red] and names("label=team:blue") == [blue] and names("label=team:green") == []
    assert names("agent=a1") == [red] and names("state=queued") == [blue] and names("device=GPU-1") == [blue, red]
    assert daemon.get("/v1/benchmarks?label=red").status == 422
    agents = daemon.get("/v1/agents").json["items"]
    assert [(row["id"], row["host"], row["state"], row["devices"]) for row in agents] == [("a1", "host-a1", "online", 1)]
    metrics = daemon.get("/metrics").text
    for line in ('fleetplan_benchmarks{state="queued"} 1', 'fleetplan_benchmarks{state="running"} 1', 'fleetplan_agents{state="online"} 1'):
        assert line in metrics, line


@beside
def test_many_watch_and_all_are_told_the_end(hub):
    daemon, agent = hub
    name = queue(daemon)
    told = []
    watchers = [threading.Thread(target=lambda: told.append(events_of(daemon, f"/v1/benchmarks/{name}"))) for _ in range(20)]
    daemon.wait_in_flight(0)
    for watcher in watchers:
        watcher.start()
    daemon.wait_in_flight(20)
    lease = agent.lease().json
    for step in range(3):
        agent.heartbeat(lease, progress={"test": "stream_triad", "elapsed_ms": step})
        time.sleep(0.3)
    agent.deliver(lease, broken("failed", "no memory on the device"))
    for watcher in watchers:
        watcher.join(10)
    assert len(told) == 20
    for _, events in told:
        states = [json.loads(event["data"]) for event in events]
        assert events[-1]["event"] == "done" and states[-1]["state"] == "failed" and states[-1]["state_reason"] == "no memory on the device"
        assert {state["progress"]["elapsed_ms"] for state in states if state.get("progress")} >= {0, 1, 2}


@beside
def test_a_device_that_was_never_told(hub):
    daemon, agent = hub
    agent.register([GPU, gpu("GPU-2")])
    name = queue(daemon)
    answer = agent.lease(devices=["GPU-2", "GPU-11"])
    fault = answer.json["errors"][0]
    assert answer.status == 422 and (fault["pointer"], fault["code"]) == ("/devices/1", "unknown"), answer.text
    assert 'agent a1 has no device "GPU-11"' in fault["detail"] and "near it: GPU-1 or GPU-2" in fault["detail"], fault
    assert look(daemon, name)["attempt"] == 0  # no attempt was used
    agent.register([gpu("GPU-2")])
    fault = agent.lease(devices=["GPU-1"]).json["errors"][0]
    assert fault["code"] == "gone" and 'no device "GPU-1" any more; near it: GPU-2' in fault["detail"], fault
    assert "register its devices with POST /v1/agents" in agent.lease(devices=["rtx"]).json["errors"][0]["detail"]
    assert agent.lease().json["benchmark_id"] == name


@beside
def test_what_stands_there_twice(hub):
    daemon, agent = hub
    for answer, pointer in ((agent.lease(devices=["GPU-1", "GPU-2", "GPU-1"]), "/devices/2"), (agent.register([GPU, GPU]), "/devices/1/id"),
                            (daemon.post("/v1/benchmarks", {"suite": ["stream_triad", "stream_read", "stream_triad"]}), "/suite")):
        assert answer.status == 422 and [fault["pointer"] for fault in answer.json["errors"]] == [pointer], answer.text
    assert 'test "stream_triad" is named twice' in answer.json["errors"][0]["detail"], answer.text


@beside
def test_what_cannot_begin_any_more_is_not_queued(hub):
    for moment in ("1970-01-01T00:00:00Z", "2020-01-01T00:00:00Z", time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 2))):
        answer = hub[0].post("/v1/benchmarks", {"suite": "quick", "expires_at": moment})
        assert answer.status == 422 and answer.json["errors"][0]["pointer"] == "/expires_at", answer.text


@beside
def test_an_agent_is_forgotten(hub):
    daemon, agent = hub
    name = queue(daemon)
    lease = agent.lease().json
    refused = daemon.request("DELETE", "/v1/agents/a1")
    assert refused.status == 409 and name in refused.json["detail"] and "GPU-1" in refused.json["detail"], refused.text
    assert agent.deliver(lease, measured()).json["state"] == "succeeded"
    waiting = queue(daemon)
    assert daemon.request("DELETE", "/v1/agents/a1").status == 204
    assert daemon.request("DELETE", "/v1/agents/a1").status == 404
    assert daemon.get("/v1/agents").json["items"] == daemon.get("/v1/devices").json["items"] == []
    assert agent.lease().status == 404 and look(daemon, waiting)["state"] == "queued"
    assert agent.deliver(lease, measured()).status == 404  # the agent is unknown, and so is the owner of the lease
    assert daemon.get("/v1/calibrations?device=GPU-1").json["items"], "the calibrations stay"
    assert agent.register().status == 200 and agent.lease().json["benchmark_id"] == waiting


@beside
def test_who_creates_may_wait_for_the_end(hub):
    daemon, agent = hub
    done = []
    waiting = threading.Thread(target=lambda: done.append(daemon.post("/v1/benchmarks", {"suite": "quick"}, {"Prefer": "wait=20"})))
    waiting.start()
    lease = agent.lease(wait_s=10).json
    agent.deliver(lease, measured())
    waiting.join(10)
    assert done[0].status == 200 and done[0].json["state"] == "succeeded", done[0].text
    assert done[0].headers["preference-applied"] == "wait=20"


@beside
def test_cancelling_what_waits_and_what_runs(hub):
    daemon, agent = hub
    first, second = queue(daemon), queue(daemon)
    lease = agent.lease().json
    assert daemon.request("DELETE", f"/v1/benchmarks/{second}").json["state"] == "cancelled"
    assert daemon.request("DELETE", f"/v1/benchmarks/{first}").json["state"] == "running"
    assert agent.heartbeat(lease).json["cancel"] is True
    assert agent.deliver(lease, broken("stopped", "cancelled")).json["state"] == "cancelled"
    assert daemon.request("DELETE", f"/v1/benchmarks/{first}").status == 409


@beside
def test_a_release_costs_no_attempt(hub):
    daemon, agent = hub
    name = queue(daemon)
    for turn in range(5):
        lease = agent.lease().json
        assert lease["attempt"] == 1 and lease["token"] == 2 * turn + 1
        assert agent.release(lease).json["state"] == "queued"
        assert agent.deliver(lease, measured()).status == 409  # the lease was released
    assert look(daemon, name)["state_reason"] == "the device is busy"


@beside
def test_polls_hold_no_worker(daemon_with):
    daemon = daemon_with(*LONG, "--workers", "1", "--threads", "1")
    agents = [FakeAgent(daemon, f"a{i}", [gpu(f"GPU-{i}")]) for i in range(30)]
    answers = []
    for agent in agents:
        assert agent.register().status == 200
    polls = [threading.Thread(target=lambda agent=agent: answers.append(agent.lease(wait_s=2).status)) for agent in agents]
    daemon.wait_in_flight(0)
    for poll in polls:
        poll.start()
    daemon.wait_in_flight(30)
    assert daemon.post("/v1/estimates/memory", {"model": "llama-3.1-8b", "purpose": "inference", "accelerator": "h100"}).status == 200
    name = queue(daemon, device="GPU-7")
    for poll in polls:
        poll.join(15)
    assert sorted(answers) == [200] + 29 * [204] and look(daemon, name)["agent_id"] == "a7"


@beside
def test_a_poll_whose_client_has_left_takes_nothing(hub):
    daemon, agent = hub
    body = json.dumps({"devices": ["GPU-1"], "wait_s": 20})
    daemon.wait_in_flight(0)
    with daemon.wire() as wire:
        wire.send(f"POST /v1/agents/a1/leases HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}")
        daemon.wait_in_flight(1)
    time.sleep(0.3)
    name = queue(daemon)
    time.sleep(0.5)
    row = look(daemon, name)
    assert row["state"] == "queued" and row["attempt"] == 0, row
    assert agent.lease().json["attempt"] == 1


# --- faults -----------------------------------------------------------------------------------------------------------

@beside
def test_a_lease_that_is_over_is_given_to_another(hasty):
    daemon, slow = hasty
    other = FakeAgent(daemon, "a2", [gpu("GPU-2")])
    other.register()
    name = queue(daemon)
    stale = slow.lease().json
    lease = other.lease(wait_s=10).json  # as soon as the first agent has been silent for its two seconds
    assert lease["benchmark_id"] == name and lease["attempt"] == 2 and lease["token"] == stale["token"] + 1
    for answer in (slow.heartbeat(stale), slow.deliver(stale, measured()), slow.release(stale)):
        assert answer.status == 409 and answer.json["type"].endswith("stale-lease"), answer.text
    assert other.heartbeat(lease).status == 200
    assert other.deliver(lease, measured("GPU-2")).json["state"] == "succeeded"
    row = look(daemon, name)
    assert row["agent_id"] == "a2" and row["result"]["device"]["id"] == "GPU-2" and not row["late"]


@beside
def test_a_result_after_the_end_of_its_lease_is_late_but_not_lost(hasty):
    daemon, agent = hasty
    name = queue(daemon)
    lease = agent.lease().json
    wait_for(daemon, name, ("queued",))
    assert agent.heartbeat(lease).status == 409
    answer = agent.deliver(lease, measured())
    assert answer.status == 200 and answer.json["late"] and answer.json["state"] == "succeeded", answer.text
    assert look(daemon, name)["late"] is True
    assert agent.lease().status == 204


@beside
def test_heartbeats_keep_a_lease(hasty):
    daemon, agent = hasty
    name = queue(daemon)
    lease = agent.lease().json
    for _ in range(6):
        time.sleep(0.5)
        assert agent.heartbeat(lease).status == 200
    assert look(daemon, name)["attempt"] == 1
    assert agent.deliver(lease, measured()).json["state"] == "succeeded"


@beside
def test_two_results(hub):
    daemon, agent = hub
    name = queue(daemon)
    lease = agent.lease().json
    first = agent.deliver(lease, measured())
    again = agent.deliver(lease, measured())
    assert first.json["repeated"] is False and again.json["repeated"] is True and again.json["state"] == "succeeded"
    other = agent.deliver(lease, measured(elapsed_s=11))
    assert other.status == 409 and "a different result" in other.json["detail"], other.text
    assert look(daemon, name)["result"]["elapsed_s"] == 9.5
    assert agent.deliver(lease | {"token": 2}, measured()).status == 409
    damaged = agent.deliver(lease, measured(), sha256="0" * 64)
    assert damaged.status == 422 and damaged.json["errors"][0]["pointer"] == "/sha256"


@beside
def test_three_attempts_and_no_more(hub):
    daemon, agent = hub
    name = queue(daemon)
    for attempt in (1, 2, 3):
        lease = agent.lease().json
        assert lease["attempt"] == attempt
        state = agent.deliver(lease, broken()).json
        assert state["state"] == ("queued" if attempt < 3 else "failed"), state
    row = look(daemon, name)
    assert row["state_reason"] == "the worker was ended by signal 11 (attempt 3 of 3)" and row["result"]["end"] == "crashed"
    assert agent.lease().status == 204
    lost = queue(daemon)
    for attempt in (1, 2, 3):
        assert agent.lease().json["attempt"] == attempt  # the agent says that its device is free: its earlier lease has ended
    assert agent.lease().status == 204
    assert look(daemon, lost)["state"] == "expired" and "lost" in look(daemon, lost)["state_reason"]


@beside
@pytest.mark.parametrize("result, reason", [
    ({"end": "wonderful"}, "cannot have ended"),
    ({"measures": []}, "does not say how"),
    (measured(measures=[{"type": "measure", "test": "stream_triad"}]), "line 2 of the result is not valid"),
    (measured(measures=[{"type": "nonsense"}]), "line 2 of the result is not valid"),
    (measured(measures=[measured()["measures"][0] | {"median": -1}]), "line 2 of the result is not valid"),
    (measured(skips=[{"type": "skip", "test": "x", "reason": "y" * 70000}]), "longer than 65536 bytes"),
    (measured("GPU-9"), "ran on GPU-9"),
], ids=["end", "no end", "measure", "type", "range", "long line", "device"])
def test_garbage_costs_an_attempt(hub, result, reason):
    daemon, agent = hub
    name = queue(daemon)
    answer = agent.deliver(agent.lease().json, result)
    assert answer.status == 200 and answer.json["state"] == "queued" and reason in answer.json["state_reason"], answer.text
    assert agent.deliver(agent.lease().json, measured()).json["state"] == "succeeded"
    assert look(daemon, name)["attempt"] == 2 and "state_reason" not in look(daemon, name)


@beside
@pytest.mark.parametrize("result, state, reason", [
    (measured(measures=[], skips=[{"type": "skip", "test": "stream_triad", "reason": "no memory"}, {"type": "skip", "test": "attention", "reason": "x"}]), "failed",
     "nothing was measured: every test was skipped (2), the first of them stream_triad: no memory"),
    (measured(measures=[], skips=[{"type": "skip", "test": "stream_triad", "reason": "no memory"}]), "failed", "skipped (1), the first of them stream_triad"),
    (measured(measures=[]), "queued", "measured nothing and gave no reason"),
    ({key: value for key, value in measured().items() if key != "device"}, "queued", "did not report which device"),
], ids=["skips", "skip", "silence", "device"])
def test_who_measured_nothing_did_not_succeed(hub, result, state, reason):
    daemon, agent = hub
    name = queue(daemon)
    answer = agent.deliver(agent.lease().json, result)
    assert answer.json["state"] == state and reason in answer.json["state_reason"], answer.text
    row = look(daemon, name)
    assert row["result"]["end"] == ("failed" if state == "failed" else "misspoke") and "calibrations" not in row["result"], row


@beside
def test_what_is_no_json_is_refused(hub):
    daemon, agent = hub
    name = queue(daemon)
    lease = agent.lease().json
    assert agent.deliver(lease, "{").status == 400
    assert agent.deliver(lease, "7").status == 422
    assert agent.deliver(lease, '{"end": "failed", "end": "succeeded"}').status == 422
    assert look(daemon, name)["state"] == "running"  # its agent can still deliver a valid result


@beside
def test_a_result_of_ten_megabytes(hub):
    daemon, agent = hub
    name = queue(daemon)
    lease = agent.lease().json
    answer = agent.deliver(lease, broken("failed", "x" * 10_000_000))
    assert answer.status == 413, answer.text
    assert agent.deliver(lease, broken("failed", "its result was too large")).json["state"] == "failed"
    assert look(daemon, name)["state_reason"] == "its result was too large"


@beside
def test_more_measures_than_are_kept(hub):
    daemon, agent = hub
    name = queue(daemon)
    many = [dict(measured()["measures"][1], test=f"stream_{i}") for i in range(3000)]
    answer = agent.deliver(agent.lease().json, measured(measures=many))
    assert answer.json["state"] == "queued" and "more than can be stored" in answer.json["state_reason"], answer.text
    assert look(daemon, name)["attempt"] == 1


@beside
def test_a_device_that_vanishes(hasty):
    daemon, agent = hasty
    agent.register([GPU, gpu("GPU-2")])
    name = queue(daemon, accelerator="l4")
    lease = agent.lease(devices=["GPU-1"]).json
    assert agent.register([gpu("GPU-2")]).json["devices"] == 1
    states = {row["id"]: row["state"] for row in daemon.get("/v1/devices").json["items"]}
    assert states == {"GPU-1": "gone", "GPU-2": "idle"}
    assert agent.deliver(lease, broken("crashed", "the device is lost")).json["state"] == "queued"
    lease = agent.lease(wait_s=5).json
    assert lease["device"] == "GPU-2" and lease["benchmark_id"] == name
    assert daemon.post("/v1/benchmarks", {"device": "GPU-1"}).status == 422
    assert agent.deliver(lease, measured("GPU-2")).json["state"] == "succeeded"


@beside
def test_a_job_whose_time_is_over_says_so(hasty):
    daemon, _ = hasty
    name = queue(daemon, expires_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1)))
    row = wait_for(daemon, name, ("expired",))
    assert row["state_reason"] == "no device was free for it in time"


@beside
def test_a_device_has_one_holder(hub):
    daemon, agent = hub
    twin = FakeAgent(daemon, "a2")  # it claims the same device
    assert twin.register().json["refused_devices"] == ["GPU-1"]
    queue(daemon)
    assert twin.lease().status == 204
    lease = agent.lease().json
    queue(daemon)
    assert twin.lease().status == 204 and agent.heartbeat(lease).status == 200
    running = daemon.get("/v1/benchmarks?state=running").json["items"]
    assert [row["running_device"] for row in running] == ["GPU-1"]


@beside
def test_a_clock_is_nobodys_business(hub):
    """The daemon sends lease times as durations, so the agent's clock does not matter."""
    daemon, agent = hub
    queue(daemon)
    agent.headers = {"Date": "Thu, 01 Jan 1970 00:00:00 GMT"}
    lease = agent.lease().json
    renewal = agent.heartbeat(lease, progress={"test": "stream_triad", "elapsed_ms": 9e15, "at": "2199-01-01T00:00:00Z"}).json
    assert not [key for key in lease | renewal | lease["spec"] if key.endswith("_at") or "until" in key]
    assert agent.deliver(lease, measured(elapsed_s=1e12)).json["state"] == "succeeded"


@beside
def test_a_daemon_that_is_killed_keeps_leases(daemon_with):
    daemon = daemon_with(*LONG)
    agent = FakeAgent(daemon)
    agent.register()
    name, waiting = queue(daemon), queue(daemon)
    lease = agent.lease().json
    daemon.signal(signal.SIGKILL)
    daemon.process.wait()
    daemon.start()
    assert look(daemon, name)["state"] == "running"
    assert agent.heartbeat(lease).status == 200
    daemon.signal(signal.SIGKILL)
    daemon.process.wait()
    daemon.start()
    answer = agent.deliver(lease, measured())
    assert answer.json["state"] == "succeeded" and not answer.json["repeated"] and not answer.json["late"], answer.text
    daemon.signal(signal.SIGKILL)
    daemon.process.wait()
    daemon.start()
    assert agent.deliver(lease, measured()).json["repeated"] is True
    assert agent.lease().json["benchmark_id"] == waiting


def fill(disk):
    with open(disk / "ballast", "wb", buffering=0) as ballast:
        try:
            while True:
                ballast.write(b"x" * 4096)
        except OSError:
            pass


@beside
def test_a_full_disk_while_a_result_is_stored(daemon_with, small_disk):
    daemon = daemon_with(*LONG, "--database", str(small_disk / "fleetplan.db"))
    agent = FakeAgent(daemon)
    agent.register()
    name = queue(daemon)
    lease = agent.lease().json
    large = measured(log="y" * 1_000_000)
    fill(small_disk)
    answer = agent.deliver(lease, large)
    assert answer.status == 507, answer.text
    assert look(daemon, name)["state"] == "running"
    (small_disk / "ballast").unlink()
    assert agent.deliver(lease, large).json["state"] == "succeeded"


# --- keys --------------------------------------------------------------------------------------------------------------

def revoke(daemon, name, key):
    keys = run("keys", "list", "--database", daemon.database).stdout
    ident = next(line.split()[0] for line in keys.splitlines() if f" {name} " in f" {' '.join(line.split())} ")
    done = run("keys", "revoke", ident, "--database", daemon.database)
    assert done.returncode == 0, done.stderr + keys
    until(lambda: daemon.get("/v1/agents", bearer(key)).status == 401)


@beside
def test_an_agent_touches_its_own_leases_alone(keyed):
    daemon, made, root = keyed
    one, two = FakeAgent(daemon, "a1", key=made["one"]), FakeAgent(daemon, "a2", [gpu("GPU-2")], key=made["two"])
    assert one.register().status == 200 and two.register().status == 200
    assert FakeAgent(daemon, "a1", key=made["two"]).register().status == 403  # a1 belongs to another key
    assert FakeAgent(daemon, "a1", key=made["two"]).lease().status == 403
    name = queue(daemon, root)
    lease = one.lease().json
    for answer in (two.heartbeat(lease), two.deliver(lease, measured()), two.release(lease)):
        assert answer.status == 403, answer.text
    assert look(daemon, name, root)["state"] == "running"
    deputy = FakeAgent(daemon, "a1", key=made["root"])  # an admin may act for any agent; the agent still belongs to its own key
    assert deputy.register().status == 200 and deputy.heartbeat(lease).status == 200
    assert one.heartbeat(lease).status == 200 and two.heartbeat(lease).status == 403
    assert daemon.request("DELETE", "/v1/agents/a1", headers=one.headers).status == 403
    for method, path, body in (("GET", "/v1/benchmarks", None), ("GET", "/v1/devices", None), ("POST", "/v1/benchmarks", {"suite": "quick"}),
                               ("GET", "/v1/agents", None), ("POST", "/v1/estimates/memory", {"model": "llama-3.1-8b", "purpose": "inference"})):
        assert daemon.request(method, path, body, one.headers).status == 403, path
    assert one.deliver(lease, measured()).json["state"] == "succeeded"


@beside
def test_a_revoked_key_ends_the_agent_and_not_the_job(keyed):
    daemon, made, root = keyed
    one, two = FakeAgent(daemon, "a1", key=made["one"]), FakeAgent(daemon, "a2", [gpu("GPU-2")], key=made["two"])
    one.register()
    two.register()
    name = queue(daemon, root)
    lease = one.lease().json
    revoke(daemon, "one", made["one"])
    for answer in (one.heartbeat(lease), one.deliver(lease, measured()), one.release(lease), one.lease(), one.register()):
        assert answer.status == 401, answer.text
    again = two.lease(wait_s=10).json
    assert again["benchmark_id"] == name and again["attempt"] == 2
    thief = FakeAgent(daemon, "a1", key=made["two"])
    assert thief.heartbeat(lease).status == 409  # the old token does not match any lease
    assert two.deliver(again, measured("GPU-2")).json["state"] == "succeeded"
    assert FakeAgent(daemon, "a1", key=made["two"]).register().status == 200  # the name is free after its key is revoked


# --- the daemon's own worker -----------------------------------------------------------------------------------------

@beside
def test_a_daemon_that_is_killed_runs_its_own_job_again(daemon_with):
    daemon = daemon_with()
    made = daemon.post("/v1/benchmarks", {"suite": "full"})
    wait_for(daemon, made.json["id"], ("running",), 30)
    workers = until(lambda: subprocess.run(["pgrep", "-P", str(daemon.process.pid)], capture_output=True, text=True, check=False).stdout.split())
    daemon.signal(signal.SIGKILL)
    daemon.process.wait()
    until(lambda: not subprocess.run(["ps", "-o", "stat=", "-p", ",".join(workers)], capture_output=True, text=True, check=False).stdout.replace("Z", "").strip(),
          seconds=10, what="the end of the worker after its daemon's")
    daemon.start()
    until(lambda: look(daemon, made.json["id"]).get("attempt") == 2)
    assert daemon.request("DELETE", made.headers["location"]).status == 202
    assert wait_for(daemon, made.json["id"], ("cancelled",), 30)["attempt"] == 2


@beside
def test_a_full_disk_when_its_own_worker_is_done(daemon_with, small_disk):
    """The daemon keeps the result and stores it when there is room. It keeps the lease as long as no other agent can
    have received it."""
    daemon = daemon_with("--database", str(small_disk / "fleetplan.db"))
    name = queue(daemon, suite=["launch_round_trip"])
    wait_for(daemon, name, ("running",), 20)
    fill(small_disk)
    until(lambda: [line for line in daemon.events("benchmark") if line["end"] == "succeeded"])  # the worker has ended, and its result cannot be stored
    time.sleep(0.2)
    assert look(daemon, name)["state"] == "running"
    (small_disk / "ballast").unlink()
    row = wait_for(daemon, name, ("succeeded",))
    assert row["attempt"] == 1 and row["result"]["measures"] and not row["late"], row


@beside
def test_a_worker_whose_lease_cannot_be_kept_is_stopped(daemon_with, small_disk):
    """On a full disk no other agent can have received the lease. But the daemon cannot know that, so it must stop the
    worker."""
    daemon = daemon_with("--database", str(small_disk / "fleetplan.db"), "--lease-seconds", "2", "--heartbeat-seconds", "1")
    name = queue(daemon, suite="full")
    wait_for(daemon, name, ("running",), 20)
    fill(small_disk)
    daemon.wait_events("benchmark_lease_lost")
    assert look(daemon, name)["state"] == "running"
    (small_disk / "ballast").unlink()
    until(lambda: look(daemon, name).get("attempt") == 2)
    assert daemon.request("DELETE", f"/v1/benchmarks/{name}").status == 202
    wait_for(daemon, name, ("cancelled",))


@beside
def test_a_poll_does_not_hold_up_the_end_of_the_daemon(hub):
    daemon, agent = hub
    answers = []
    poll = threading.Thread(target=lambda: answers.append(agent.lease(wait_s=30)))
    daemon.wait_in_flight(0)
    poll.start()
    daemon.wait_in_flight(1)
    begun = time.monotonic()
    assert daemon.stop() == 0
    poll.join(10)
    assert answers[0].status == 204 and time.monotonic() - begun < 15
