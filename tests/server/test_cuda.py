"""An NVIDIA device through worker processes and the daemon, with stand-ins for its libraries (tests/fakes)."""
import json
import os
import pathlib
import signal
import subprocess

import pytest
from conftest import PROGRAM
from support import estimate, until, wait_state

FAKES = pathlib.Path(os.environ.get("FLEETPLAN_FAKES", pathlib.Path(__file__).parents[2] / "build/release/fakes"))
H200 = "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacad0000"
SMALL = "free_mib=288,without=softmax"  # memory that is really allocated: products of 4096 fit; attention would keep the CPU busy for minutes

pytestmark = pytest.mark.skipif(not FAKES.joinpath("libcuda.so.1").exists(), reason="make fakes has not built the stand-ins")


def environment(script, folder):
    return {"FLEETPLAN_BENCH_LIB_DIR": str(FAKES), "FLEETPLAN_RUN_DIR": str(folder), "FAKE_GPU": f"{SMALL},{script}"}


class Worker:
    """Runs `fleetplan bench --json`. Workers run side by side: each has its own folder for locks and mostly sleeps."""

    def __init__(self, folder, script, suite="launch_round_trip", *more):
        folder.mkdir()
        clean = {k: v for k, v in os.environ.items() if not k.startswith("FLEETPLAN_")} | environment(script, folder)
        self.process = subprocess.Popen([PROGRAM, "bench", "--json", "--device", "GPU", "--suite", suite, *more], env=clean,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self):
        if self.process.stdout.closed:
            return self
        text, self.errors = self.process.communicate(timeout=60)
        self.code = self.process.returncode
        self.record = json.loads(text) if text else None
        return self


class Workers(dict):
    """Waits for a worker when a test asks for it. The workers that compute begin together, at the latest when a test
    asks for the first of them."""

    def begin(self, **scripts):
        self.update({name: Worker(self.folder / name, *words) for name, words in scripts.items() if name not in self})

    def __getitem__(self, name):
        self.begin(**self.later)
        return super().__getitem__(name).end()


@pytest.fixture(scope="module", autouse=True)
def workers(tmp_path_factory):
    """Starts the workers. Those with a busy device, and the one that hangs, sleep while a daemon measures."""
    workers = Workers()
    workers.folder = tmp_path_factory.mktemp("cuda")
    workers.begin(busy=["utilization=60"], crowded=["used_mib=30000"],
                  hung=["hang_launch=1@300", "launch_round_trip", "--deadline", "6"])
    workers.later = {
        "lost": ["fail_launch=700@300", "launch_round_trip,stream_read"],
        "unknown": ["fail_sync=999@2"],
        "crashed": ["crash_launch=11@300"],
        "wrong": ["wrong=0.3", "gemm_kernel_bf16", "--shape", "128,128,128"],
        "none": ["fail_init=100"],
        "throttled": ["throttle=4", "stream_triad"],
        "stuck": ["energy_stuck=1,ramp_w_per_s=20", "gemm_kernel_fp32", "--shape", "512,512,512"],
        "slices": ["slices=2"],
    }
    yield workers
    for worker in workers.values():
        worker.process.kill()  # a worker that no selected test has waited for
        worker.end()


PLAN = {"model": "llama-3.1-8b", "tokens": "10B", "sequence_length": 4096, "accelerator": "h200-sxm5-141gb", "gpu_count": 64}


def test_what_an_h200_measures_changes_its_plans(daemon_with, tmp_path):
    one = daemon_with(environment=environment("l2_mib=1", tmp_path))
    before = estimate(one, PLAN)
    until(lambda: H200 in [row["id"] for row in one.get("/v1/devices").json["items"]])
    wanted = {("gemm_library_bf16", "library_gemm"), ("stream_triad", "stream")}
    for _ in range(5):  # on a busy machine the suite skips tests that do not fit in its ten seconds
        made = one.post("/v1/benchmarks", {"suite": "quick", "device": H200, "timeout_s": 60})
        assert made.status == 202, made.text
        done = wait_state(one, made.headers["location"], seconds=60)
        assert done["state"] == "succeeded", json.dumps(done)[:2000]
        measures = {(row["test"], row["method"]): row for row in done["result"]["measures"]}
        if wanted <= measures.keys():
            break
        left_out = {row["test"]: row["reason"] for row in done["result"]["skips"]}
        assert all("budget" in left_out[test] for test, method in wanted - measures.keys()), left_out
    assert measures[("gemm_library_bf16", "library_gemm")]["median"] == pytest.approx(767e12, rel=0.02)
    assert measures[("stream_triad", "stream")]["median"] == pytest.approx(4.2e12, rel=0.1)
    assert all(row["verified"] for row in measures.values())
    rows = [row for row in one.get("/v1/calibrations?limit=1000").json["items"] if row["accelerator_id"] == PLAN["accelerator"]]
    gemm = [row for row in rows if row["method"] == "library_gemm" and row.get("precision") == "bf16"]
    assert gemm and gemm[0]["device_id"] == H200, json.dumps(done["result"].get("not_calibrated"))[:2000]
    after = estimate(one, PLAN)
    used = [row for row in after["assumptions"] if row["field"] == "calibration"]
    assert any("library_gemm" in row["source"] and H200 in row["source"] for row in used), after["assumptions"]
    assert after["recommended"]["step"] != before["recommended"]["step"]


def test_a_daemon_that_still_looks_for_devices_says_so(daemon_with, tmp_path):
    one = daemon_with(environment=environment("hang_init=1", tmp_path))  # the driver does not answer; after 20 s the daemon lists devices without it
    assert one.get("/readyz").status == 200
    told = one.get("/v1/devices").json
    assert told["items"] == [] and told["looking"] is True and "still being listed" in told["empty_because"], told
    asked = one.post("/v1/benchmarks", {"suite": "quick", "device": "cpu"})
    assert asked.status == 503 and int(asked.headers["retry-after"]) >= 1 and "still being listed" in asked.json["detail"], asked.text
    assert one.post("/v1/benchmarks", {"suite": ["launch_round_trip"]}).status == 202  # waits for any device that is found


def test_a_daemon_that_has_looked_says_what_there_is(daemon_with, tmp_path):
    one = daemon_with("--own-devices=no", environment=environment("slices=0", tmp_path))
    told = one.get("/v1/devices").json
    assert told["items"] == [] and "looking" not in told and "no agent has registered one" in told["empty_because"], told
    asked = one.post("/v1/benchmarks", {"suite": "quick", "device": "cpu"})
    assert asked.status == 422 and asked.json["errors"][0]["pointer"] == "/device", asked.text


def test_the_daemon_says_how_a_device_failed(daemon_with, tmp_path, workers):
    workers.begin(**workers.later)
    ends = {"fail_launch=700@300": "CUDA_ERROR_ILLEGAL_ADDRESS (700)", "crash_launch=11@300": "signal 11"}
    made = {}
    for number, script in enumerate(ends):
        folder = tmp_path / str(number)
        folder.mkdir()
        one = daemon_with(environment=environment(script, folder))
        until(lambda: H200 in [row["id"] for row in one.get("/v1/devices").json["items"]])
        made[script] = (one, one.post("/v1/benchmarks", {"suite": ["launch_round_trip"], "device": H200}))
    for script, (one, answer) in made.items():
        done = wait_state(one, answer.headers["location"], seconds=60)
        assert done["state"] == "failed" and ends[script] in json.dumps(done), json.dumps(done)[:2000]
        assert not one.get("/v1/calibrations").json["items"]


def skips(worker):
    return {row["test"]: row["reason"] for row in worker.record["skips"]}


def test_a_device_that_is_lost_in_the_middle_fails_all_that_follows(workers):
    lost = workers["lost"]
    assert lost.code == 1 and lost.record["result"]["status"] == "failed"
    assert "CUDA_ERROR_ILLEGAL_ADDRESS (700)" in skips(lost)["launch_round_trip"]
    assert "lost earlier" in skips(lost)["stream_read"]
    assert workers["unknown"].code == 1 and "CUDA_ERROR_UNKNOWN (999)" in skips(workers["unknown"])["launch_round_trip"]


def test_a_crash_is_a_signal_and_no_result(workers):
    assert workers["crashed"].code == -signal.SIGSEGV and workers["crashed"].record is None


def test_a_hang_ends_at_the_deadline(workers):
    assert workers["hung"].code == 124 and workers["hung"].record is None
    assert "deadline" in workers["hung"].errors


def test_a_wrong_product_fails_the_run(workers):
    wrong = workers["wrong"]
    assert wrong.code == 1 and wrong.record["result"]["failed"] >= 1
    assert [row["verified"] for row in wrong.record["measures"]] == [False]


def test_no_device_says_what_to_do(workers):
    none = workers["none"]
    assert none.code == 1 and none.record["result"]["status"] == "failed", none.record
    assert "cuda: no device: cuInit: CUDA_ERROR_NO_DEVICE (100): no NVIDIA GPU is attached" in none.record["result"]["reason"]


def test_throttling_is_told_with_the_figure(workers):
    throttled = workers["throttled"].record["measures"]
    assert throttled and all(row["throttle"] == "power" for row in throttled), throttled


def test_a_counter_that_stands_still_is_not_believed(workers):
    energies = [row["energy"] for row in workers["stuck"].record["measures"] if "energy" in row]
    assert energies and all(row["by"] == "polls" and row["confidence"] == "medium" for row in energies), energies
    assert all(680 < row["mean_w"] < 1500 for row in energies), energies  # during the ramp, above the initial power


def test_a_slice_is_a_device_of_its_own(workers):
    assert workers["slices"].record["result"]["status"] == "failed"  # no device id begins with GPU: the board is split
    listed = subprocess.run([PROGRAM, "bench", "--list", "--json"], capture_output=True, text=True, timeout=30, check=True,
                            env=os.environ | {"FLEETPLAN_BENCH_LIB_DIR": str(FAKES), "FAKE_GPU": "slices=2"})
    slices = [json.loads(line) for line in listed.stdout.splitlines() if '"cuda"' in line]
    assert [row["mig_profile"] for row in slices] == ["1g.18gb", "1g.18gb"]
    assert all(row["mig_parent"] == H200 and "accelerator" not in row for row in slices)


@pytest.mark.parametrize("name", ["busy", "crowded"])
def test_a_device_in_use_is_busy_and_measures_nothing(workers, name):
    busy = workers[name]
    assert busy.code == 75 and busy.record["result"]["status"] == "busy"
    assert "another program uses the device" in busy.record["result"]["reason"] and not busy.record["measures"]
