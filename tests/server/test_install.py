"""What `make install` installs, and what an operator gets beside the program: pages and completions contain every command and option, alert rules and
the dashboard use metrics that exist, and the bill of materials is valid."""
import configparser
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess

import pytest
import yaml
from conftest import PROGRAM, ROOT, run

PAGES = ("fleetplan", "serve", "agent", "bench")


def quiet(**more):
    """Returns an environment without what an outer make passes on."""
    return {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MODE") and not name.startswith("FLEETPLAN_")} | more


def make(*arguments):
    """Runs make for the program under test, without building it."""
    done = subprocess.run(["make", "-o", PROGRAM, f"PROGRAM={PROGRAM}", *arguments], cwd=ROOT, env=quiet(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    root = tmp_path_factory.mktemp("root")
    make("install", f"DESTDIR={root}", "PREFIX=/opt/plan")
    return root


def files(folder):
    return {str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*") if path.is_file()}


def page(root, name):
    return (root / "opt/plan/share/man/man1" / ("fleetplan.1" if name == "fleetplan" else f"fleetplan-{name}.1")).read_text()


def commands():
    """Returns the commands that `fleetplan help` lists, with their usage."""
    return {usage.split()[0]: usage for usage in re.findall(r"^  fleetplan (.*)$", run("help").stdout, re.M)}


def options(command):
    """Returns the options of a command: those in its usage, its help, and its configuration."""
    names = set(re.findall(r"--[a-z][a-z-]+", commands()[command]))
    if command in PAGES:
        names |= set(re.findall(r"^  (--[a-z-]+)", run(command, "--help").stdout, re.M))
    if command in ("serve", "agent"):
        names |= {"--" + line.lstrip("# ").partition(" = ")[0] for line in run(command, "--check-config").stdout.splitlines()}
    return names


def test_everything_is_installed_under_the_prefix_and_removed_again(installed, tmp_path):
    pages = {f"opt/plan/share/man/man1/{name}.1" for name in ("fleetplan", "fleetplan-serve", "fleetplan-agent", "fleetplan-bench")}
    expected = pages | {"opt/plan/bin/fleetplan", "opt/plan/share/bash-completion/completions/fleetplan", "opt/plan/share/zsh/site-functions/_fleetplan",
                        "opt/plan/lib/systemd/system/fleetplan.service", "opt/plan/share/fleetplan/prometheus-alerts.yml",
                        "opt/plan/share/fleetplan/grafana-dashboard.json", "opt/plan/share/fleetplan/seccomp.json"}
    assert files(installed) == expected
    assert {str(path.relative_to(installed)) for path in installed.rglob("*") if path.is_file() and path.stat().st_mode & stat.S_IXUSR} == {"opt/plan/bin/fleetplan"}
    unit = (installed / "opt/plan/lib/systemd/system/fleetplan.service").read_text()
    assert "\nExecStart=/opt/plan/bin/fleetplan serve " in unit and "/usr/local" not in unit
    copy = tmp_path / "copy"
    shutil.copytree(installed, copy)
    (copy / "opt/plan/bin/other").write_text("")
    make("uninstall", f"DESTDIR={copy}", "PREFIX=/opt/plan")
    assert files(copy) == {"opt/plan/bin/other"}


def test_every_command_and_option_is_in_pages_and_completions(installed):
    bash = (installed / "opt/plan/share/bash-completion/completions/fleetplan").read_text()
    zsh = (installed / "opt/plan/share/zsh/site-functions/_fleetplan").read_text()
    assert {"serve", "keys", "diff", "manual", "completion"} <= set(commands())
    for command in commands():  # the usage is written by hand, so it shows a flag that is missing in a table
        assert f"\n.SS {command}\n" in page(installed, "fleetplan")
        of_zsh = zsh.split(f"\n\t\t{command})\n")[1].split(";;")[0]
        of_bash = bash.split(f"\n\t\t{command})\n")[1].split(" in -*) words=")[1].split(";;")[0]
        text = page(installed, command if command in PAGES else "fleetplan").replace("\\-", "-")
        for option in options(command):
            assert f"\\fB{option}\\fR" in text, (command, option)
            assert re.search(rf"'\*?{option}(=-?)?\[", of_zsh), (command, option)
            assert option in re.findall(r"--[a-z-]+", of_bash), (command, option)
    for name in re.findall(r"^\.BR fleetplan\\-(\w+) \(1\)", page(installed, "fleetplan"), re.M):
        assert page(installed, name)


def test_pages_name_defaults_ranges_and_exit_codes(installed):
    serve = page(installed, "serve").replace("\\-", "-")
    assert re.search(r"\\fB--queue\\fR \\fIN\\fR\n[^.]+\.\nFrom 1 to 65536\. Default: 512\.\n", serve)
    assert "Default: 127.0.0.1:8080." in serve and "debug, info, warning, error" in serve
    table = re.findall(r"^\| (\d+) \| (.*) \|$", (ROOT / "docs/configuration.md").read_text(), re.M)
    exits = page(installed, "fleetplan").replace("\\-", "-").split(".SH EXIT STATUS\n")[1].split(".SH ")[0]
    listed = [(code, text.replace("\n", " ").rstrip(" .")) for code, text in re.findall(r"\.TP\n(\d+)\n([^.]+)\.\n", exits)]
    assert listed == [(code, text.replace("`", "")) for code, text in table] and len(listed) > 10


def test_pages_are_valid_roff(installed):
    for name in PAGES:
        text = page(installed, name)
        assert text.splitlines()[1].startswith('.TH FLEETPLAN')
        requests = {line.split()[0] for line in text.splitlines() if line.startswith((".", "'"))}
        assert requests <= {".\\\"", ".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".I", ".BR", ".RI"}, name
        assert not re.search(r"\\(?![e&\-]|f[BIR]|\")", text)
        for command in (["man", "--warnings=w", "-l", "-"], ["mandoc", "-Tlint", "-Wwarning"]):
            if shutil.which(command[0]):
                checked = subprocess.run(command, input=text, capture_output=True, text=True, env=quiet(LC_ALL="C.UTF-8"))
                assert checked.returncode == 0 and not checked.stderr, checked.stderr
    dated = run("manual", environment={"SOURCE_DATE_EPOCH": "1700000000"}).stdout
    assert ' 1 "2023-11-14" ' in dated.splitlines()[1]
    assert run("manual", "nothing").returncode == 64 and run("manual", "keys").returncode == 64 and run("completion", "fish").returncode == 64


def completed(installed, *words):
    """Returns what bash would offer for the last word."""
    script = installed / "opt/plan/share/bash-completion/completions/fleetplan"
    text = f'set -u; . {script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fleetplan; printf "%s\\n" "${{COMPREPLY[@]-}}"'
    done = subprocess.run(["bash", "-c", text, "bash", "fleetplan", *words], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.split()


def test_bash_completes(installed):
    assert completed(installed, "ke") == ["keys"]
    assert set(completed(installed, "")) == set(commands())
    assert completed(installed, "keys", "") == ["create", "rotate", "list", "revoke"]
    assert completed(installed, "keys", "create", "--role", "") == ["viewer", "planner", "admin", "agent"]
    assert completed(installed, "keys", "create", "--role", "=", "ag") == ["agent"]
    assert completed(installed, "serve", "--first") == ["--first-key-file"]
    assert completed(installed, "serve", "--insecure", "=") == ["yes", "no"]
    assert completed(installed, "serve", "--log-level", "w") == ["warning"]
    assert completed(installed, "serve", "--database", "") == []  # then the shell offers files
    assert completed(installed, "backup", "--data") == ["--database"]
    assert completed(installed, "plan", "training", "") == []
    if shutil.which("zsh"):
        checked = subprocess.run(["zsh", "-n", installed / "opt/plan/share/zsh/site-functions/_fleetplan"], capture_output=True, text=True)
        assert checked.returncode == 0, checked.stderr


def series(daemon):
    """Returns the metrics that the daemon declares, with the labels of their samples."""
    text = daemon.get("/metrics").text
    names = {name: set() for name in re.findall(r"^# TYPE (\w+) ", text, re.M)}
    for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? \S+$", text, re.M):
        names.setdefault(name, set()).update(re.findall(r"(\w+)=", labels))
    return names


def metrics_of(expression):
    """Returns the names of metrics in an expression, and their label matchers."""
    return re.findall(r"\b((?:fleetplan|process)_\w+|up)\b(?:\{([^}]*)\})?", expression)


def check_expression(expression, known):
    used = metrics_of(expression)
    assert used, expression
    for name, matchers in used:
        assert name == "up" or name in known, f"{name} does not exist: {expression}"
        labels = set(re.findall(r"(\w+)(?:=~|!=|!~|=)", matchers)) - {"instance", "job"}
        if name != "up" and known[name]:
            assert labels <= known[name], f"{name} has the labels {known[name]}: {expression}"
    return {name for name, _ in used}


def test_alert_rules_use_metrics_that_exist(daemon):
    file = ROOT / "deploy/prometheus-alerts.yml"
    assert daemon.get("/v1/estimates/training?model=llama-3.1-8b&tokens=1B&accelerator=h100&gpu_count=8").status == 200
    daemon.wait_metric('fleetplan_http_requests_total{method="GET",route="/v1/estimates/training",code="200"}', lambda count: count >= 1)
    known = series(daemon)
    (group,) = yaml.safe_load(file.read_text())["groups"]
    names = [rule["alert"] for rule in group["rules"]]
    assert len(names) == len(set(names)) > 10
    guide = (ROOT / "docs/install.md").read_text()
    for rule in group["rules"]:
        assert set(rule) <= {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in ("critical", "warning", "info")
        assert set(rule["annotations"]) == {"summary", "description"}
        assert re.fullmatch(r"\d+[mh]", rule.get("for", "1m"))
        check_expression(rule["expr"], known)
        assert f"`{rule['alert']}`" in guide
    if shutil.which("promtool"):
        checked = subprocess.run(["promtool", "check", "rules", file], capture_output=True, text=True)
        assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_dashboard_uses_metrics_that_exist(daemon):
    board = json.loads((ROOT / "deploy/grafana-dashboard.json").read_text())
    known, cells, used = series(daemon), set(), set()
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    for panel in board["panels"]:
        place = panel["gridPos"]
        own = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        assert not own & cells and place["x"] + place["w"] <= 24, panel["title"]
        cells |= own
        for target in panel["targets"]:
            used |= check_expression(target["expr"], known)
            for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
                labels = set().union(*(known.get(name, set()) for name, _ in metrics_of(target["expr"])))
                assert label == "instance" or not labels or label in labels, (label, target["expr"])
    declared = {name for name in re.findall(r'X\(\w+, "(\w+)"', (ROOT / "server/metrics.h").read_text())}
    assert {name.removesuffix("_bucket") for name in used} | {"up"} >= {name for name in declared if name.startswith("fleetplan_storage_")}


# --- the build ------------------------------------------------------------------------------------------------------------------------------------------


def test_an_old_or_missing_library_is_named():
    check = lambda *wanted: subprocess.run([ROOT / "scripts/check-libraries.sh", *wanted], capture_output=True, text=True)
    minima = re.search(r"^LIBRARIES := (.*)$", (ROOT / "Makefile").read_text(), re.M)[1].split()
    good = check(*minima)
    assert good.returncode == 0, good.stderr
    assert len(good.stdout.splitlines()) == len(minima) == 7
    bad = check("sqlite3>=99.1", "zlib>=1", "liboutofstock>=2")
    assert bad.returncode == 1 and bad.stdout.startswith("zlib ")
    first, second = bad.stderr.splitlines()
    assert re.fullmatch(r"library sqlite3 is version \S+; version 99\.1 or newer is needed", first)
    assert second.startswith("library liboutofstock is missing; version 2 or newer is needed")


def test_editors_and_the_formatter_agree():
    settings = configparser.ConfigParser()
    settings.read_string("[top]\n" + (ROOT / ".editorconfig").read_text())
    c = settings["*.{c,h,S,cl,sh,sql}"]
    form = yaml.safe_load((ROOT / ".clang-format").read_text())
    assert c["indent_style"] == "tab" and form["UseTab"] != "Never"
    assert int(c["indent_size"]) == form["TabWidth"] == form["IndentWidth"] and int(c["max_line_length"]) == form["ColumnLimit"]


def test_the_bill_of_materials_is_valid_spdx():
    written = subprocess.run([ROOT / "scripts/sbom.py", PROGRAM], capture_output=True, text=True, env=quiet(SOURCE_DATE_EPOCH="1700000000"))
    assert written.returncode == 0, written.stderr
    document = json.loads(written.stdout)
    assert (document["spdxVersion"], document["dataLicense"], document["SPDXID"]) == ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT")
    assert document["name"] and re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", document["documentNamespace"])
    assert document["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
    assert all(re.match(r"(Tool|Person|Organization): ", creator) for creator in document["creationInfo"]["creators"])
    identifiers = {"SPDXRef-DOCUMENT"}
    for package in document["packages"]:
        assert package["name"] and package["downloadLocation"] and package["filesAnalyzed"] is False
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]) and package["SPDXID"] not in identifiers
        identifiers.add(package["SPDXID"])
        for reference in package.get("externalRefs", []):
            assert (reference["referenceCategory"], reference["referenceType"]) == ("PACKAGE-MANAGER", "purl")
            assert re.fullmatch(r"pkg:deb/debian/[a-z0-9.+-]+@[^@?: +]+\?arch=\w+", reference["referenceLocator"])
    described = [relation for relation in document["relationships"] if relation["relationshipType"] == "DESCRIBES"]
    assert [relation["relatedSpdxElement"] for relation in described] == ["SPDXRef-Package-fleetplan"]
    assert all({relation["spdxElementId"], relation["relatedSpdxElement"]} <= identifiers for relation in document["relationships"])
    # The libraries that the Makefile links are listed by their Debian packages, which the image installs.
    image = (ROOT / "Dockerfile").read_text().split("FROM debian:bookworm-slim")[2]
    names = {package["name"] for package in document["packages"]}
    for package in ("libmicrohttpd12", "libjansson4", "libsqlite3-0", "libcurl4", "libsodium23", "libxxhash0", "zlib1g"):
        assert package in names and package in image
