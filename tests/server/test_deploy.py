"""Deployment files name options that exist, and their times fit each other."""
import re

import conftest

FILES = [conftest.ROOT / "Dockerfile", *sorted((conftest.ROOT / "deploy").glob("*.yaml"))]


def command_of(file):
    """Returns the command that a file's container runs."""
    return "agent" if file.name == "agent.yaml" else "serve"


def options(command):
    """Returns the effective names and values, from lines `name = value # origin`."""
    lines = conftest.run(command, "--check-config").stdout.splitlines()
    return {line.lstrip("# ").partition(" = ")[0]: line.partition(" = ")[2].rpartition(" #")[0] for line in lines}


def environment(text):
    return dict(re.findall(r'\b(FLEETPLAN_[A-Z_]+)(?:=|, value: "?)([^\s"}]*)', text))


OF_WORKERS = {"FLEETPLAN_BENCH_LIB_DIR"}  # not an option: workers read it from their environment (docs/benchmarks.md)


def test_every_variable_is_an_option():
    for file in FILES:
        known = {"FLEETPLAN_" + name.upper().replace("-", "_") for name in options(command_of(file))} | OF_WORKERS
        named = set(re.findall(r"\bFLEETPLAN_[A-Z_]+\b", file.read_text()))
        assert named <= known, file.name
        assert named or file.name == "redocly.yaml"


def test_every_flag_is_an_option():
    for name in ("kubernetes.yaml", "agent.yaml"):
        file = conftest.ROOT / "deploy" / name
        arguments = re.search(r"args: \[(.*)\]", file.read_text())[1].split(", ")
        flags = [word for word in arguments if word.startswith("--")]
        assert arguments[0] == command_of(file) and flags
        for flag in flags:
            assert flag[2:] in options(command_of(file)), flag


def test_values_are_accepted(tmp_path):
    for file in FILES:
        values = environment(file.read_text())
        answer = conftest.run(command_of(file), "--check-config", environment=values, cwd=tmp_path)
        assert answer.returncode == 0, f"{file.name}: {answer.stderr}"
        for name, value in values.items():
            assert f"{name[len('FLEETPLAN_'):].lower().replace('_', '-')} = {value} # environment" in answer.stdout


def test_an_agent_owns_what_it_measures():
    """The agent requests its GPU instead of using any visible one. It has time to give back its benchmark before it is
    killed."""
    text = (conftest.ROOT / "deploy" / "agent.yaml").read_text()
    manifest = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    assert re.search(r"limits: .*nvidia\.com/gpu: \d", manifest)
    assert "NVIDIA_VISIBLE_DEVICES" not in manifest and 'NVIDIA_DRIVER_CAPABILITIES, value: "compute,utility"' in manifest
    grace = int(re.search(r"terminationGracePeriodSeconds: (\d+)", manifest)[1])
    assert int(environment(manifest)["FLEETPLAN_DRAIN_SECONDS"]) + 15 <= grace


def test_a_pod_is_drained_before_it_is_killed():
    text = (conftest.ROOT / "deploy" / "kubernetes.yaml").read_text()
    values = environment(text)
    grace = int(re.search(r"terminationGracePeriodSeconds: (\d+)", text)[1])
    assert int(values["FLEETPLAN_QUIET_SECONDS"]) + int(values["FLEETPLAN_DRAIN_SECONDS"]) < grace


def test_the_container_has_the_libraries_that_the_build_has():
    """The image has the run-time package of each library that the build stage links. The packages are those of
    packages.sh."""
    docker = (conftest.ROOT / "Dockerfile").read_text()
    build = re.search(r"build='([^']*)'", (conftest.ROOT / "scripts" / "packages.sh").read_text())[1].split()
    headers = [package for package in build if package.endswith("-dev") and package != "libc6-dev"]
    stages = docker.split("FROM debian:bookworm-slim")
    for package in headers:
        assert package in stages[1], f"{package} is not installed in the build stage"
        stem = re.match(r"(lib)?[a-z]+", package.removesuffix("-dev"))[0]
        assert stem[:7] in stages[2], f"the image lacks the run-time library of {package}"
