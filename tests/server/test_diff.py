"""`fleetplan diff`: two request files, planned offline and compared, its exit codes, and the action and template for CI that run it."""
import datetime
import glob
import json
import os
import re
import shlex
import subprocess
import time

import conftest
import pytest
from conftest import run

TRAINING = {"model": "llama-3.1-8b", "tokens": "1T", "accelerator": "h100", "gpu_count": 64, "pricing": {"usd_per_gpu_hour": 2}}
SERVICE = {"model": "llama-3.1-8b", "queries_per_minute": 60, "prompt_tokens": 500, "output_tokens": 100, "accelerator": "l4"}
INFEASIBLE = {"model": "llama-3.1-405b", "tokens": "1T", "accelerator": "h100", "gpu_count": 8}
FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
PRICE = "nebius.gpu-h100-sxm-8gpu-128vcpu-1600gb.eu-north1.on-demand"
PINNED = ("--as-of", "2026-11-01")


@pytest.fixture
def file_of(tmp_path):
    """Writes a request to a file and returns its path; None is an empty file."""
    def write(request, name):
        path = tmp_path / name
        path.write_text("" if request is None else request if isinstance(request, str) else json.dumps(request))
        return path
    return write


@pytest.fixture
def diff(file_of):
    def compare(base, head, *arguments):
        return run("diff", file_of(base, "base.json"), file_of(head, "head.json"), *arguments)
    return compare


def limits(*texts):
    return [word for text in texts for word in ("--fail-if", text)]


def answer(result, code=0):
    assert result.returncode == code and not result.stderr, result
    return json.loads(result.stdout)


def test_a_change_is_compared_with_its_limits(diff):
    dearer = TRAINING | {"tokens": "1.2T", "name": "longer"}
    result = diff(TRAINING, dearer, *limits("cost>10%", "hours>+1000d"), *PINNED)
    assert result.returncode == 1 and "the gate fails. Cost " in result.stdout and "exceeds the limit of 10 %. One other limit holds." in result.stdout
    assert 'tokens: "1T" -> "1.2T"' in result.stdout and "name" not in result.stdout
    gate = answer(diff(TRAINING, dearer, *limits("cost>10%", "hours>+1000d"), *PINNED, "--format", "json"), 1)
    cost = gate["figures"][0]
    assert gate["kind"] == "training" and not gate["passed"] and cost["figure"] == "cost" and cost["unit"] == "USD"
    assert [limit["outcome"] for limit in gate["limits"]] == ["exceeded", "held"]
    assert gate["limits"][0]["compared"] == pytest.approx(cost["change_percent"]) == pytest.approx(100 * (cost["head"]["value"] / cost["base"]["value"] - 1))
    assert gate["differences"] == [{"pointer": "/tokens", "before": '"1T"', "after": '"1.2T"'}] and gate["differing"] == 1
    assert gate["as_of"] == "2026-11-01T00:00:00.000000Z" and gate["as_of_from"] == "option" and gate["catalogue"] == "builtin"
    # the figures are those of `fleetplan plan`, whose prices do not come from the catalogue here
    planned = json.loads(run("plan", "training", "-", stdin=json.dumps(dearer)).stdout)["result"]["summary"]
    assert cost["head"] == planned["total_usd"] and gate["head"]["gpu_count"] == planned["gpu_count"]


def test_what_does_not_change_passes_every_limit_of_a_change(diff):
    result = diff(TRAINING, TRAINING | {"notes": "typo"}, *limits("cost>0%", "carbon>+0", "energy>0%", "hours>0%", "gpus>+0"), *PINNED, "--format", "markdown")
    assert result.returncode == 0 and "\nNo figure changes: cost " in result.stdout and "All 5 limits hold." in result.stdout
    assert "The requests have the same fields." in result.stdout and "as of 2026-11-01.\n" in result.stdout


def test_services_have_months_and_replicas(diff):
    gate = answer(diff(SERVICE, SERVICE | {"queries_per_minute": 600}, *limits("replicas>+0", "hours>1"), *PINNED, "--format", "json"), 1)
    assert gate["kind"] == "inference" and gate["figures"][0]["title"] == "Cost a month"
    assert [limit["outcome"] for limit in gate["limits"]] == ["exceeded", "not_compared"]
    assert [row["figure"] for row in gate["figures"]] == ["cost", "energy", "carbon", "gpus", "replicas"]


def test_a_trace_is_a_service(diff):
    trace = {"model": "llama-3.1-8b", "accelerator": "l4", "trace": {"arrivals": [[i, 200 + i % 7, 50] for i in range(60)]}}
    gate = answer(diff(trace, trace | {"slo": {"ttft_ms": 900}}, *PINNED, "--format", "json"))
    assert gate["kind"] == "inference" and [row["pointer"] for row in gate["differences"]] == ["/slo"]


def test_new_and_removed_requests(diff, file_of):
    result = diff(None, TRAINING, *limits("cost>10%", "cost>1B"), *PINNED)
    assert result.returncode == 0 and "The request is new: cost " in result.stdout and "cost>10% is not compared: the request is new." in result.stdout
    assert diff(" \n", TRAINING, *limits("cost>+1k"), *PINNED).returncode == 1
    same = run("diff", "/dev/null", file_of(TRAINING, "t.json"), *limits("cost>+1k"), *PINNED)
    assert same.returncode == 1 and "exceeds the limit of +1,000 USD" in same.stdout
    result = diff(TRAINING, None, *limits("cost>1"), *PINNED)
    assert result.returncode == 0 and "base.json: The request is removed: cost " in result.stdout
    result = diff(None, None)
    assert result.returncode == 65 and "both files are empty" in result.stderr


def test_a_request_that_cannot_be_planned(diff):
    result = diff(TRAINING, INFEASIBLE, *limits("cost>10%"), *PINNED, "--format", "markdown")
    assert result.returncode == 1 and "**The gate fails.** No plan satisfies the request: memory" in result.stdout
    assert diff(TRAINING, INFEASIBLE, *PINNED).returncode == 1  # without any limit, too
    gate = answer(diff(INFEASIBLE, TRAINING, *limits("cost>10%"), *PINNED, "--format", "json"))
    assert gate["base"]["state"] == "infeasible" and gate["base"]["detail"].startswith("memory") and gate["limits"][0]["outcome"] == "not_compared"
    assert diff(INFEASIBLE, TRAINING, *limits("cost>1"), *PINNED).returncode == 1  # a limit of HEAD's own figure still counts


def test_an_unknown_price_keeps_no_limit(diff):
    """Before the first price of an H100 in the catalogue, the cost is not known."""
    request = {k: v for k, v in TRAINING.items() if k != "pricing"}
    result = diff(request, request, *limits("cost>10%", "carbon>10%"), "--as-of", "2022-01-01")
    assert result.returncode == 1 and "cost>10% is exceeded: cost of the request is not known; give pricing.usd_per_gpu_hour" in result.stdout
    assert "One other limit holds." in result.stdout and "newer prices are left out" in result.stdout


@pytest.mark.parametrize("base,head,arguments,code,message", [
    (TRAINING, TRAINING | {"tokns": 1, "accelerator": "h1000"}, (), 65, "HEAD, "),
    (TRAINING, TRAINING | {"tokns": 1, "accelerator": "h1000"}, (), 65, "/accelerator: no accelerator"),
    (TRAINING | {"tokens": "x"}, TRAINING, (), 65, "BASE, "),
    ("{", TRAINING, (), 65, "BASE is not JSON"),
    (TRAINING, SERVICE, (), 65, "BASE is a training (tokens) and HEAD a service (queries_per_minute)"),
    ({"model": "llama-3.1-8b"}, {"model": "llama-3.1-8b"}, (), 65, "Say --kind training or --kind inference"),
    (TRAINING, TRAINING | {"slo": {"ttft_ms": 1}}, (), 65, "HEAD has tokens, a field of a training, and slo"),
    (TRAINING, TRAINING | {"slo": {"ttft_ms": 1}}, ("--kind", "training"), 65, "/slo: is not a known field"),
    (TRAINING, TRAINING | {"as_of": "2099-01-01"}, (), 65, "lies in the future"),
    (TRAINING, TRAINING, ("--as-of", "2099-01-01"), 64, "lies in the future"),
    (TRAINING, TRAINING, ("--as-of", "yesterday"), 64, "--as-of must be a date"),
    (TRAINING, TRAINING, ("--fail-if", "cst>10%"), 64, "did you mean cost"),
    (TRAINING, TRAINING, ("--fail-if",), 64, "--fail-if needs a value"),
    (TRAINING, TRAINING, ("--fail-if", "cost>1") * 25, 64, "24 times at most"),
    (TRAINING, TRAINING, ("--format", "html"), 64, "--format must be text, markdown or json"),
    (TRAINING, TRAINING, ("--kind", "batch"), 64, "--kind training or inference"),
    (TRAINING, TRAINING, ("--database", "missing.db"), 66, "does not exist"),
    (TRAINING, TRAINING, ("--colour",), 64, "colour is not a known option"),
])
def test_wrong_input_says_what_is_allowed(diff, base, head, arguments, code, message):
    result = diff(base, head, *arguments)
    assert result.returncode == code and message in result.stderr and not result.stdout, result


def test_missing_files_and_operands(file_of):
    request = file_of(TRAINING, "t.json")
    result = run("diff", request, request.parent / "none.json")
    assert result.returncode == 66 and "HEAD, " in result.stderr and "give /dev/null" in result.stderr
    for arguments in ([request], [], ["-", "-"]):
        result = run("diff", *arguments)
        assert result.returncode == 64 and "usage: fleetplan diff BASE HEAD" in result.stderr
    assert run("diff", request, "-", "--title", "from a pipe", *PINNED, stdin=json.dumps(TRAINING)).stdout.startswith("from a pipe: ")


def test_both_sides_have_one_moment(diff):
    """The as_of of HEAD holds for both plans, and --as-of overrides it: the market is never a part of the change."""
    request = {k: v for k, v in TRAINING.items() if k != "pricing"}
    old, new = request | {"as_of": "2025-12-01"}, request | {"as_of": "2026-11-01"}
    gate = answer(diff(old, new, *limits("cost>0%"), "--format", "json"))
    assert gate["as_of"].startswith("2026-11-01T") and gate["as_of_from"] == "request" and gate["figures"][0]["change"] == 0
    gate = answer(diff(old, new, "--as-of", "2026-10-01T12:00:00Z", "--format", "json"))
    assert gate["as_of"].startswith("2026-10-01T12:00:00") and gate["as_of_from"] == "option" and gate["figures"][0]["change"] == 0
    result = diff(request, request)
    assert "the time of this comparison; --as-of fixes the date" in result.stdout


@pytest.mark.skipif(not FAKETIME or conftest.is_sanitized(), reason="the clock cannot be moved")
def test_a_fixed_moment_answers_the_same_in_every_year(file_of):
    """Without --as-of the built-in prices are too old in 2031, so that no cost is known."""
    request = file_of({k: v for k, v in TRAINING.items() if k != "pricing"}, "request.json")
    command = ("diff", request, request, *limits("cost>0%"))
    years = [{"LD_PRELOAD": FAKETIME[0], "FAKETIME": f"@{year}-06-01 12:00:00"} for year in (2027, 2031)]
    fixed = [run(*command, *PINNED, environment=year) for year in years]
    assert fixed[0].returncode == fixed[1].returncode == 0 and fixed[0].stdout == fixed[1].stdout
    assert "cost of the request is not known" in run(*command, environment=years[1]).stdout


def test_a_database_answers_with_the_rows_of_then(diff, daemon_with):
    """Beside a running daemon: a price that a user wrote counts from its time on."""
    request = TRAINING | {"pricing": {"providers": ["nebius"], "regions": ["eu-north1"]}}
    daemon = daemon_with()
    database = ("--database", daemon.database, "--format", "json")
    before = datetime.datetime.now(datetime.timezone.utc).isoformat()
    time.sleep(0.1)
    row = daemon.get(f"/v1/prices/{PRICE}").json
    changed = daemon.request("PATCH", f"/v1/prices/{PRICE}", {"price_usd_per_hour": 0.5 * row["price_usd_per_hour"]})
    assert changed.status == 200, changed.text
    now, then = answer(diff(request, request, *database)), answer(diff(request, request, *database, "--as-of", before))
    assert now["catalogue"] == then["catalogue"] == "database" and now["catalogue_revision"] == then["catalogue_revision"] + 1
    assert now["figures"][0]["head"]["value"] == pytest.approx(0.5 * then["figures"][0]["head"]["value"])
    result = diff(request, request, "--database", daemon.database, "--as-of", "2020-01-01")
    assert result.returncode == 74 and "has no rows at that moment" in result.stderr


def test_the_page_shows_what_is_answered():
    """Each example of docs/gate.md prints what the page shows. Figures change with the planner, so digits are not compared."""
    page = (conftest.ROOT / "docs" / "gate.md").read_text()
    examples = re.findall(r"```\n\$ fleetplan (diff [^\n]*)\n(.*?)```\n", page, re.S)
    assert len(examples) == 2
    for command, shown in examples:
        result = run(*shlex.split(command), cwd=conftest.ROOT)
        lines, expected = (re.sub(r"[\d.,]+", "0", re.sub(" +", " ", text)).splitlines() for text in (result.stdout, shown))
        assert result.returncode == 1 and lines == expected, command


def test_the_action_and_the_template_for_pipelines():
    result = subprocess.run([conftest.ROOT / "scripts" / "check-ci-gate.sh", conftest.PROGRAM], capture_output=True, text=True,
                            env={k: v for k, v in os.environ.items() if not k.startswith(("FLEETPLAN_", "GATE_"))}, timeout=conftest.HANGS_SECONDS)
    assert result.returncode == 0, result.stdout + result.stderr
