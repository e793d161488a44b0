"""Two agents in network namespaces of their own. One of them is cut off in the middle of its work."""
import os
import shutil
import subprocess
import time

import pytest
from agents import Agent, Site
from support import seconds_of, until

LEASE_S = 4


def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=False)


def reason_not_to():
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not shutil.which("ip"):
        return "ip (iproute2) is not installed"
    name = f"fleetplan-probe-{os.getpid()}"
    made = ip("netns", "add", name)
    ip("netns", "delete", name)
    return None if made.returncode == 0 else f"no network namespaces here: {made.stderr.strip()}"


WHY_NOT = reason_not_to()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))


class Island:
    """A network namespace with one link to this machine, which can be cut."""

    def __init__(self, number):
        self.name, self.wire = f"fleetplan-{os.getpid()}-{number}", f"fp{os.getpid() % 100000}n{number}"
        block = (os.getpid() * 4 + number) % 16384 * 4  # in 10.213.0.0/16; runs side by side use different blocks
        self.here, there = (f"10.213.{block >> 8}.{(block & 255) + host}" for host in (1, 2))
        for words in (["netns", "add", self.name], ["link", "add", self.wire, "type", "veth", "peer", "name", "eth0", "netns", self.name],
                      ["addr", "add", f"{self.here}/30", "dev", self.wire], ["link", "set", self.wire, "up"],
                      ["-n", self.name, "addr", "add", f"{there}/30", "dev", "eth0"], ["-n", self.name, "link", "set", "eth0", "up"],
                      ["-n", self.name, "link", "set", "lo", "up"]):
            made = ip(*words)
            assert made.returncode == 0, (words, made.stderr)

    @property
    def wrapper(self):
        return ["ip", "netns", "exec", self.name]

    def cut(self):
        assert ip("link", "set", self.wire, "down").returncode == 0
        return time.monotonic()

    def heal(self):
        assert ip("link", "set", self.wire, "up").returncode == 0

    def sink(self):
        ip("netns", "delete", self.name)
        ip("link", "delete", self.wire)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    one = Site(tmp_path_factory.mktemp("site"), "--listen", "0.0.0.0:0", "--lease-seconds", str(LEASE_S), "--heartbeat-seconds", "1")
    yield one
    assert one.daemon.stop() == 0, one.daemon.log_path.read_text()[-3000:]


@pytest.fixture
def agent_on(site, tmp_path):
    islands, agents = [], []

    def start(play):
        islands.append(Island(len(islands) + 1))
        name = f"island{len(islands)}-{tmp_path.name[-20:].replace('_', '-')}"
        agents.append(Agent(tmp_path / name, f"http://{islands[-1].here}:{site.daemon.port}", site.make_key()[1], f"fake-{name}", play, "--insecure",
                            wrapper=islands[-1].wrapper))
        agents[-1].wait_log("agent_registered")
        return agents[-1], islands[-1]

    yield start
    for agent in agents:
        agent.stop()
    for island in islands:
        island.sink()


def assert_one_result(site, name, winner, loser):
    """Checks that the winner's result is accepted and stays, and that the old token is refused for both calls."""
    done = site.wait(name)
    assert done["state"] == "succeeded" and done["attempt"] == 2 and done["running_device"] == winner.device, done
    late = site.request("PUT", f"/v1/benchmarks/{name}/result", {"token": 1, "result": {"end": "succeeded", "detail": "an old lease's"}})
    assert late.status == 409, late.text
    assert site.request("POST", f"/v1/benchmarks/{name}/heartbeat", {"token": 1}).status == 409
    assert site.benchmark(name)["result"] == done["result"]
    assert done["result"]["device"]["id"] == winner.device
    assert "collision" not in dict(winner.trace() + loser.trace())


@pytest.mark.parametrize("play", ["ok:60", "hang"])
def test_the_one_cut_off_stops_before_the_other_begins(site, agent_on, play):
    """The worker ends when asked, or must be killed."""
    cut_off, wire = agent_on(play)
    name = site.queue()
    until(lambda: [what for what, _ in cut_off.trace() if what == "begin"])
    other, _ = agent_on("ok:1")
    wire.cut()
    leases = []

    def is_stopped():
        row = site.benchmark(name)
        if row["attempt"] == 1 and "lease_until" in row:
            leases.append(row["lease_until"])
        return not cut_off.workers()

    until(is_stopped)
    stopped_s = time.monotonic()
    lost = cut_off.wait_log("agent_lease_lost")
    assert "did not answer for too long" in lost["reason"]
    assert seconds_of(lost["time"]) < seconds_of(leases[-1]), (lost, leases[-1])  # one machine has one clock: the stop was before the end of the lease
    began_s = until(lambda: [when for what, when in other.trace() if what == "begin"])[0]
    assert stopped_s < began_s, "two workers had the benchmark at once"
    assert_one_result(site, name, other, cut_off)
    wire.heal()
    cut_off.play("ok")
    again = site.queue(cut_off.device)
    assert site.wait(again)["state"] == "succeeded"  # the agent works again without help


def test_a_result_that_comes_back_too_late_is_refused(site, agent_on):
    cut_off, wire = agent_on("ok:1")
    name = site.queue()
    until(lambda: [what for what, _ in cut_off.trace() if what == "begin"])
    wire.cut()
    until(cut_off.results, what="a result in the spool")
    other, _ = agent_on("ok")
    assert_one_result(site, name, other, cut_off)
    assert len(cut_off.results()) == 1
    wire.heal()
    refused = cut_off.wait_log("agent_result_refused")
    assert refused["token"] == 1 and "409" in refused["detail"], refused
    until(lambda: not cut_off.results())
    assert_one_result(site, name, other, cut_off)
