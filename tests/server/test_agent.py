"""The real agent against the real daemon: a benchmark runs on another node, its result returns, and faults happen
meanwhile."""
import glob
import json
import pathlib
import random
import subprocess
import time

import conftest
import pytest
from agents import Agent, Gate, Site
from beside import beside, play
from support import until

LEASE_S, HEARTBEAT_S = 6, 1
FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    one = Site(tmp_path_factory.mktemp("site"), "--lease-seconds", str(LEASE_S), "--heartbeat-seconds", str(HEARTBEAT_S))
    yield one
    assert one.daemon.stop() == 0, one.daemon.log_path.read_text()[-3000:]


@pytest.fixture(scope="module")
def key(site):
    return site.make_key()[1]


def agents_for(folder, stack, site, key):
    """Starts agents for one test, and stops them after it."""
    started = []

    def start(play="ok", *arguments, url=None, device="unset", **more):
        name = f"node{len(started)}-{folder.name.replace('_', '-')[:40]}"
        device = f"fake-{name}" if device == "unset" else device
        started.append(Agent(folder / name, url or site.url, more.pop("key", key), device, play, *arguments, **more))
        stack.callback(started[-1].stop)
        return started[-1]

    return start


@pytest.fixture(scope="module")
def stage(request, site, key, certificate):
    def gate(_, stack):
        one = Gate(site)
        stack.callback(one.close)
        return one

    yield from play(request, {"site": lambda folder, stack: site, "agent_with": lambda folder, stack: agents_for(folder, stack, site, key), "gate": gate,
                              "certificate": lambda folder, stack: certificate, "tmp_path": lambda folder, stack: folder})


# --- normal work ----------------------------------------------------------------------------------------------------
@beside
def test_the_cpu_of_another_node_is_measured_and_calibrates(site, agent_with):
    agent = agent_with("ok", "--wait-seconds", "30", device=None)
    registered = agent.wait_log("agent_registered")
    assert registered["devices"] >= 1
    row = until(lambda: next((row for row in site.request("GET", "/v1/devices?limit=1000").json["items"] if row.get("agent_id") == registered["agent"]), None))
    assert row["backend"] == "cpu" and row["node"] == agent.folder.name and row["state"] == "idle"
    shapes = {"products": [{"role": "mlp_up", "m": 192, "n": 320, "k": 128, "precision": "fp32", "count": 32}]}
    done = site.wait(site.queue(row["id"], ["gemm_kernel_fp32"], shapes=shapes), seconds=60)
    assert done["state"] == "succeeded" and done["attempt"] == 1 and done["agent_id"] == registered["agent"], done
    result = done["result"]
    assert {tuple(one["shape"]) for one in result["measures"] if one.get("role") == "mlp_up"} == {(192, 320, 128)}, result
    assert "calibrations" in result and "not_calibrated" in result, result
    if result["calibrations"]:
        rows = site.request("GET", "/v1/calibrations?limit=1000").json["items"]
        assert {one["id"] for one in result["calibrations"]} <= {one["id"] for one in rows}
    assert agent.stop() == 0
    assert not agent.results()


@beside
def test_what_an_agent_measured_corrects_the_catalogue(site, agent_with):
    agent = agent_with()
    agent.wait_log("agent_registered")
    done = site.wait(site.queue(agent.device))
    assert done["state"] == "succeeded", done
    assert "gemm_efficiency.fp32.large." + agent.device in [row["id"] for row in done["result"]["calibrations"]], done["result"]
    calibration = next(row for row in site.request("GET", "/v1/calibrations?limit=1000").json["items"] if row["id"] == "gemm_efficiency.fp32.large." + agent.device)
    assert calibration["method"] == "library_gemm" and calibration["benchmark_id"] == done["id"]
    assert 0.49 < calibration["value"] < 0.51  # 250 GFLOP/s by the library, 505 by issue (p90)
    assert site.request("GET", "/v1/accelerators/cpu-fake-2t").json["origin"] == "measured"


@beside
def test_progress_is_told_and_a_wish_to_cancel_is_heard(site, agent_with):
    agent = agent_with("ok:20")
    agent.wait_log("agent_registered")
    name = site.queue(agent.device)
    until(lambda: (site.benchmark(name).get("progress") or {}).get("test") == "stream_read")
    assert site.device(agent.device)["state"] == "busy"
    assert site.request("DELETE", f"/v1/benchmarks/{name}").status in (200, 202)
    assert site.wait(name)["state"] == "cancelled"
    until(lambda: not agent.workers())


@beside
def test_a_busy_device_gives_its_benchmark_back(site, agent_with):
    agent = agent_with("busy ok")
    agent.wait_log("agent_registered")
    name = site.queue(agent.device)
    released = agent.wait_log("agent_lease_released")
    assert "somebody else" in released["reason"]
    done = site.wait(name)
    assert done["state"] == "succeeded" and done["attempt"] == 1, done  # the run that was given back does not count as an attempt


# --- workers that break ---------------------------------------------------------------------------------------------
@beside
@pytest.mark.parametrize("play,told", [("crash", "signal 11"), ("garbage", "not valid"), ("no_result", "without a result"), ("two_results", "after its result"),
                                       ("long_line", "longer than 65536")])
def test_a_broken_worker_is_tried_three_times(site, agent_with, play, told):
    agent = agent_with(play)
    agent.wait_log("agent_registered")
    done = site.wait(site.queue(agent.device))
    assert done["state"] == "failed" and done["attempt"] == 3 and told in done["state_reason"], done
    assert len([what for what, _ in agent.trace() if what == "begin"]) == 3
    assert "collision" not in dict(agent.trace())


@beside
def test_a_worker_that_breaks_once_is_forgiven(site, agent_with):
    agent = agent_with("crash ok")
    agent.wait_log("agent_registered")
    done = site.wait(site.queue(agent.device))
    assert done["state"] == "succeeded" and done["attempt"] == 2, done


@beside
def test_a_deaf_worker_is_killed_when_its_time_is_up(site, agent_with):
    agent = agent_with("hang ok")
    agent.wait_log("agent_registered")
    name = site.queue(agent.device, timeout_s=1)
    done = site.wait(name)
    assert done["state"] == "succeeded" and done["attempt"] == 2, done
    assert agent.wait_log("benchmark")["end"] == "overdue"
    assert not agent.workers()


@beside
def test_a_device_that_vanishes_is_told(site, agent_with):
    agent = agent_with("gone")
    agent.wait_log("agent_registered")
    (agent.folder / "gone").touch()
    done = site.wait(site.queue(agent.device))
    assert done["state"] == "failed" and "no such device" in done["state_reason"], done
    until(lambda: site.device(agent.device)["state"] == "gone")
    (agent.folder / "gone").unlink()


@beside
def test_a_lease_that_is_anothers_stops_its_worker(site, agent_with):
    agent = agent_with("ok:30 ok")
    registered = agent.wait_log("agent_registered")
    name = site.queue(agent.device)
    until(agent.trace)
    worker = agent.workers()
    again = site.request("POST", f"/v1/agents/{registered['agent']}/leases", {"devices": [agent.device]}).json  # as if the agent had restarted
    assert again["benchmark_id"] == name and again["token"] == 2, again
    assert "ended the lease" in agent.wait_log("agent_lease_lost")["reason"]
    until(lambda: not set(worker) & set(agent.workers()))
    done = site.wait(name)  # the agent asks for work again, and receives the benchmark again
    assert done["state"] == "succeeded" and done["attempt"] == 3 and "collision" not in dict(agent.trace()), done


@beside
def test_why_a_worker_is_stopped_is_not_forgotten(site, agent_with, gate):
    """The server does not answer until the agent stops its worker, which ignores signals. A later answer must not
    change the reason."""
    agent = agent_with("hang ok", url=gate.url)
    agent.wait_log("agent_registered")
    name = site.queue(agent.device)
    until(agent.trace)
    is_beat = lambda path: path.endswith("/heartbeat")
    gate.mode = lambda method, path: "drop" if is_beat(path) else "pass"
    last = [when for when, _, path, word in gate.seen if is_beat(path) and word == "pass"][-1]
    stop_s, kill_s = LEASE_S * 2 / 3, LEASE_S * 5 / 6
    gate.mode = lambda method, path: "drop" if is_beat(path) and time.monotonic() - last < (2 * stop_s + kill_s) / 3 else "pass"
    assert "did not answer for too long" in agent.wait_log("agent_lease_lost")["reason"]
    done = site.wait(name)
    assert done["state"] == "succeeded" and done["attempt"] == 2, done


# --- agents that die or stop -----------------------------------------------------------------------------------------
@beside
def test_a_killed_agent_takes_its_worker_along_and_the_benchmark_runs_again(site, agent_with):
    agent = agent_with("ok:30 ok")
    registered = agent.wait_log("agent_registered")
    name = site.queue(agent.device)
    until(lambda: agent.trace())
    agent.kill()
    until(lambda: not agent.workers())
    agent.start()
    done = site.wait(name)
    assert done["state"] == "succeeded" and done["attempt"] == 2, done
    assert agent.wait_log("agent_registered", 2)["agent"] == registered["agent"]  # the same agent, by its spool


@beside
def test_a_stopped_agent_gives_back_what_it_ran(site, agent_with):
    agent = agent_with("ok:3600")
    agent.wait_log("agent_registered")
    name = site.queue(agent.device)
    until(lambda: agent.trace())
    assert agent.stop(300) == 0  # a twelfth of the worker's time
    row = site.benchmark(name)
    assert row["state"] == "queued" and row["attempt"] == 0 and "stopped" in row["state_reason"], row
    assert not agent.workers()
    agent.play("ok")
    agent.start()
    assert site.wait(name)["attempt"] == 1


@beside
def test_a_result_outlives_the_agent(site, agent_with, gate):
    agent = agent_with(url=gate.url)
    agent.wait_log("agent_registered")
    gate.mode = lambda method, path: "hang" if method == "PUT" else "pass"
    name = site.queue(agent.device)
    until(lambda: [word for _, _, _, word in gate.seen if word == "hang"])
    agent.kill()
    assert len(agent.results()) == 1
    assert site.benchmark(name)["state"] == "running"
    gate.mode = lambda method, path: "pass"
    agent.start()
    done = site.wait(name, seconds=LEASE_S)
    assert done["state"] == "succeeded" and done["attempt"] == 1, done
    until(lambda: not agent.results())
    assert len([what for what, _ in agent.trace() if what == "begin"]) == 1


@beside
def test_a_damaged_result_is_never_delivered(site, agent_with, gate):
    gate.mode = lambda method, path: "hang" if method == "PUT" else "pass"
    agent = agent_with(url=gate.url)
    name = site.queue(agent.device) if agent.wait_log("agent_registered") else None
    until(lambda: [word for _, _, _, word in gate.seen if word == "hang"])
    agent.kill()
    file = agent.results()[0]
    file.write_bytes(file.read_bytes().replace(b"succeeded", b"succeedeD"))
    gate.mode = lambda method, path: "pass"
    agent.start()
    assert "damaged" in agent.wait_log("agent_spool")["detail"]
    done = site.wait(name)
    assert done["state"] == "succeeded" and done["attempt"] == 2, done
    assert list(agent.spool.glob("*.damaged"))
    until(lambda: not agent.results())


@beside
def test_what_cannot_be_delivered_in_time_is_left_in_the_spool(site, agent_with, gate):
    agent = agent_with("ok", "--drain-seconds", "1", url=gate.url)
    agent.wait_log("agent_registered")
    gate.mode = lambda method, path: "drop" if method == "PUT" else "pass"
    name = site.queue(agent.device)
    until(agent.results)
    assert agent.stop(300) == 75
    gate.mode = lambda method, path: "pass"
    agent.start()
    assert site.wait(name)["attempt"] == 1
    assert agent.stop() == 0


@beside
def test_an_idle_agent_ends_where_that_is_wished(site, agent_with):
    agent = agent_with("ok", "--idle-seconds", "1")
    agent.wait_log("agent_registered")
    assert site.wait(site.queue(agent.device))["state"] == "succeeded"
    assert agent.process.wait(20) == 0
    agent.wait_log("agent_idle")


@beside
def test_who_hung_up_is_given_no_work(site):
    device = f"fake-hung-up-{time.monotonic_ns()}"
    assert site.request("POST", "/v1/agents", {"agent_id": device, "host": "x", "devices": [{"id": device, "backend": "cpu", "name": "x"}]}).status == 200
    for _ in range(8):  # the moment at which the client hangs up is random
        body = json.dumps({"wait_s": 20})
        with site.daemon.wire() as wire:
            wire.send(f"POST /v1/agents/{device}/leases HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {site.key}\r\nContent-Type: application/json\r\n"
                      f"Content-Length: {len(body)}\r\n\r\n{body}")
            time.sleep(random.uniform(0.02, 0.15))
        name = site.queue(device)
        time.sleep(0.15)
        row = site.benchmark(name)
        assert row["attempt"] == 0 and row["state"] == "queued", row
        site.request("DELETE", f"/v1/benchmarks/{name}")


@beside
def test_two_agents_never_share_a_spool(agent_with):
    agent = agent_with()
    agent.wait_log("agent_registered")
    other = conftest.run("agent", *agent.arguments)
    assert other.returncode == 75 and "another agent uses the spool" in other.stderr, other.stderr


# --- servers that do not answer ---------------------------------------------------------------------------------------
@beside
@pytest.mark.parametrize("orderly", [True, False])
def test_a_server_that_starts_anew_still_gets_the_result(tmp_path, orderly):
    site = Site(tmp_path, "--lease-seconds", "20", "--heartbeat-seconds", "1")
    agent = Agent(tmp_path / "node", site.url, site.make_key()[1], "fake-restart", "ok:2")
    try:
        agent.wait_log("agent_registered")
        name = site.queue(agent.device)
        until(lambda: agent.trace())
        site.restart(orderly)
        done = site.wait(name)
        assert done["state"] == "succeeded" and done["attempt"] == 1, done
    finally:
        agent.stop()
        site.daemon.stop()


@beside
def test_a_server_that_is_overloaded_is_left_alone_for_a_while(site, agent_with, gate):
    agent = agent_with(url=gate.url)
    agent.wait_log("agent_registered")
    gate.mode = lambda method, path: "refuse"
    until(lambda: len([word for _, _, _, word in gate.seen if word == "refuse"]) >= 3)
    refused = [when for when, _, _, word in gate.seen if word == "refuse"]
    assert all(later - earlier >= 1 for earlier, later in zip(refused, refused[1:])), refused  # Retry-After requests this
    gate.mode = lambda method, path: "pass"
    assert site.wait(site.queue(agent.device))["state"] == "succeeded"


@beside
@pytest.mark.parametrize("word", ["drop", "garbage", "tear", "refuse"])
def test_a_result_is_delivered_until_it_is_taken(site, agent_with, gate, word):
    agent = agent_with(url=gate.url)
    agent.wait_log("agent_registered")
    gate.mode = lambda method, path: word if method == "PUT" and sum(one == word for _, _, _, one in gate.seen) < 2 else "pass"
    done = site.wait(site.queue(agent.device))
    assert done["state"] == "succeeded" and done["attempt"] == 1, done
    until(lambda: not agent.results())
    taken = agent.wait_log("agent_result_taken")
    assert taken["note"] == ("repeated" if word == "tear" else None), taken  # the server had accepted the first delivery, and its answer was lost
    assert len([one for one in gate.seen if one[1] == "PUT"]) == 3


@beside
def test_an_agent_that_the_server_has_forgotten_comes_again(site, agent_with, gate):
    agent = agent_with(url=gate.url)
    agent.wait_log("agent_registered")
    (agent.folder / "other-server").mkdir()
    other = Site(agent.folder / "other-server")
    try:
        key = other.make_key()[1]
        gate.mode = lambda method, path: "refuse"  # no request with one server's key may reach the other
        gate.site = other
        agent.key_path.write_text(key)
        time.sleep(0.3)
        gate.mode = lambda method, path: "pass"
        agent.wait_log("agent_forgotten")
        agent.wait_log("agent_registered", 2)
        assert other.wait(other.queue(agent.device))["state"] == "succeeded"
    finally:
        gate.site = site
        other.daemon.stop()


@beside
def test_a_revoked_key_can_be_replaced_under_a_running_agent(site, agent_with):
    name, key = site.make_key()
    agent = agent_with("ok:3 ok", key=key)  # the server caches a key for two seconds
    agent.wait_log("agent_registered")
    benchmark = site.queue(agent.device)
    until(lambda: agent.trace())
    assert conftest.run("keys", "revoke", name, "--database", site.daemon.database).returncode == 0
    refused = agent.wait_log("agent_result_kept")
    assert "401" in refused["detail"]
    time.sleep(0.5)
    assert agent.process.poll() is None
    agent.key_path.write_text(site.make_key()[1] + "\n")
    assert site.wait(benchmark)["state"] == "succeeded"
    assert key not in agent.log_path.read_text() and key.removeprefix("fp_") not in agent.log_path.read_text()


# --- machines with faults --------------------------------------------------------------------------------------------
@beside
@pytest.mark.skipif(not FAKETIME, reason="faketime is not installed")
@pytest.mark.skipif(conftest.is_sanitized(), reason="a sanitizer must be the first library")
@pytest.mark.parametrize("clock", ["-400d", "+400d"])
def test_no_clock_is_compared(site, agent_with, clock):
    agent = agent_with(f"ok:{2 * HEARTBEAT_S}", environment={"LD_PRELOAD": FAKETIME[0], "FAKETIME": clock, "DONT_FAKE_MONOTONIC": "1",
                                                                 "FAKETIME_DONT_FAKE_MONOTONIC": "1"})
    registered = agent.wait_log("agent_registered")
    assert abs(int(registered["time"][:4]) - time.gmtime().tm_year) >= 1, registered  # its clock is wrong
    done = site.wait(site.queue(agent.device))
    assert done["state"] == "succeeded" and done["attempt"] == 1 and not done["late"], done


@beside
def test_a_spool_without_room_delivers_from_memory(site, agent_with):
    agent = agent_with(file_limit=1024)
    agent.wait_log("agent_registered")
    done = site.wait(site.queue(agent.device))
    assert done["state"] == "succeeded" and done["attempt"] == 1, done
    assert "too large" in agent.wait_log("agent_spool")["detail"]
    agent.wait_log("agent_result_taken")
    assert not agent.results() and not list(agent.spool.glob("*.draft"))


@beside
@pytest.mark.skipif(conftest.is_sanitized(), reason="the memory of a sanitizer build is not comparable")
def test_its_memory_is_bounded(site, agent_with):
    agent = agent_with("long_line")
    agent.wait_log("agent_registered")
    site.wait(site.queue(agent.device))
    high = int(next(line for line in pathlib.Path(f"/proc/{agent.process.pid}/status").read_text().splitlines() if line.startswith("VmHWM")).split()[1])
    assert high < 40 * 1024, f"{high} kB"


# --- TLS -------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
                           "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "both.pem", "-out", "ca.pem"], cwd=folder, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    (folder / "both.pem").write_text((folder / "both.pem").read_text() + (folder / "ca.pem").read_text())
    return folder


@beside
def test_https_is_verified(site, agent_with, certificate):
    gate = Gate(site, certificate / "both.pem")
    try:
        stranger = agent_with(url=gate.url)
        assert "untrusted" in stranger.wait_log("agent_not_registered")["detail"]
        agent = agent_with("ok", "--ca-file", str(certificate / "ca.pem"), url=gate.url)
        agent.wait_log("agent_registered")
        assert site.wait(site.queue(agent.device))["state"] == "succeeded"
        assert not [path for _, _, path, _ in gate.seen if stranger.device in path]
    finally:
        gate.close()


@beside
def test_plain_http_goes_to_this_machine_alone(agent_with):
    agent = agent_with(url="http://192.0.2.1:8080")
    told = agent.wait_log("agent_not_registered")["detail"]
    assert "https" in told, told


@pytest.mark.parametrize("arguments,code,told", [
    ([], 64, "--server URL and --key-file FILE"), (["--server", "ftp://x", "--key-file", "/etc/hostname"], 78, "not a URL"),
    (["--server", "https://x", "--key-file", "/nonexistent"], 66, "/nonexistent"), (["--server", "https://u:p@x", "--key-file", "/etc/hostname"], 78, "no space, user, query or fragment"),
    (["--server", "https://x", "--key-file", "/dev/null"], 66, "is empty or too long for a key"), (["--serve", "https://x"], 78, "did you mean server"),
    (["--server", "https://x", "--key-file", "/etc/hostname", "--ca-file", "/nonexistent"], 78, "ca-file: /nonexistent"),
])
def test_what_it_is_told_is_checked(tmp_path, arguments, code, told):
    made = conftest.run("agent", *arguments, cwd=tmp_path)
    assert made.returncode == code and told in made.stderr, (made.returncode, made.stderr)
