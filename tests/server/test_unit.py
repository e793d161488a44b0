"""The systemd unit and the container's seccomp profile: the daemon works without the calls that they forbid, and they
forbid nearly all that can be forbidden."""
import json
import os
import re
import signal
import subprocess
import sys

import pytest
from conftest import PROGRAM, ROOT, Daemon, is_sanitized
from support import wait_state

UNIT = ROOT / "deploy" / "fleetplan.service"
PLAN = {"model": "llama-3.1-8b", "tokens": "1B", "accelerator": "h100", "gpu_count": 8}


def settings(name):
    return [line.partition("=")[2] for line in UNIT.read_text().splitlines() if line.startswith(name + "=")]


def expanded(word):
    if not word.startswith("@"):
        return {word}
    listed = subprocess.run(["systemd-analyze", "syscall-filter", word], capture_output=True, text=True, check=True).stdout
    names = [line.strip() for line in listed.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return set().union(*(expanded(name) for name in names))


def calls():
    """Reads the lines as systemd does: the first sets the list, and lines with ~ remove from it."""
    allowed = set()
    for line in settings("SystemCallFilter"):
        words = set().union(*(expanded(word) for word in line.lstrip("~").split()))
        allowed = allowed - words if line.startswith("~") else allowed | words
    return allowed


def profile_calls():
    """Returns the calls that the container's profile allows, as a runtime reads it."""
    profile = json.loads((ROOT / "deploy/seccomp.json").read_text())
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    return {name for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}


@pytest.fixture(params=(calls, profile_calls))
def confined(tmp_path, request):
    daemon = Daemon(tmp_path, "--log-file", str(tmp_path / "log.jsonl"), expect_start=False)
    as_root = {"fchown"} if os.geteuid() == 0 else set()  # SQLite gives its log to the database's owner, only as root
    daemon.wrapper = [sys.executable, str(ROOT / "tests/server/filtered.py"), ",".join(sorted(request.param() | as_root))]
    return daemon


def test_the_filter_kills(tmp_path):
    run = subprocess.run([sys.executable, str(ROOT / "tests/server/filtered.py"), ",".join(sorted(calls() - {"socket", "openat"})), PROGRAM, "version"], capture_output=True)
    assert run.returncode == -signal.SIGSYS


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer makes calls of its own")
def test_no_call_that_unit_or_container_drops_is_missed(confined):
    assert "ptrace" not in calls() and "mount" not in calls() and "setuid" not in calls() and "read" in calls()
    confined.start()
    made = confined.post("/v1/plans/training", PLAN)
    assert made.status == 201, made.text
    assert confined.get("/v1/plans").json["items"]
    assert confined.get("/metrics").status == 200
    assert confined.post("/v1/backups", None).status == 201
    job = confined.post("/v1/estimates/training", PLAN, {"Prefer": "respond-async"})
    assert job.status == 202, job.text
    bench = confined.post("/v1/benchmarks", {"suite": "stream_triad", "timeout_s": 60})  # begins when the daemon has listed its devices
    assert bench.status == 202, bench.text
    done = wait_state(confined, bench.headers["location"])
    assert done["state"] == "succeeded" or "nothing could be measured" in done["state_reason"], done  # the machine may be busy; a forbidden call would end the worker by a signal
    confined.signal(signal.SIGHUP)
    assert confined.get("/livez").status == 200
    assert confined.stop() == 0


def test_the_containers_profile_is_short():
    """The profile drops most calls that a runtime allows by default, and all calls that change the machine."""
    allowed = profile_calls()
    assert len(allowed) < 180 and {"read", "futex", "execve"} <= allowed
    assert not allowed & {"ptrace", "mount", "umount2", "bpf", "io_uring_setup", "userfaultfd", "keyctl", "unshare", "setns", "init_module", "reboot", "process_vm_writev",
                          "personality", "chroot", "mknod", "perf_event_open", "swapon", "settimeofday", "clock_settime"}


def test_the_unit_leaves_little_exposed():
    answer = subprocess.run(["systemd-analyze", "security", "--offline=true", str(UNIT)], capture_output=True, text=True)
    exposure = float(re.search(r"Overall exposure level for fleetplan.service: ([\d.]+)", answer.stdout)[1])
    assert exposure <= 1.5, answer.stdout


def test_times_and_codes_of_the_unit_are_the_daemons():
    effective = subprocess.run([PROGRAM, "serve", "--check-config"], capture_output=True, text=True).stdout
    value = lambda name: int(re.search(rf"^#? *{name} = (\d+)", effective, re.M)[1])
    assert value("quiet-seconds") + value("drain-seconds") < int(settings("TimeoutStopSec")[0])
    assert int(settings("LimitNOFILE")[0]) > value("connections")
    table = (ROOT / "docs/configuration.md").read_text()
    for code in settings("RestartPreventExitStatus")[0].split():
        assert f"| {code} |" in table
