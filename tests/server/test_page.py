"""The page at / in Chromium: each view, keyboard only, phone width, faults at their fields, a daemon that goes away, and keys. The steps
are in page/views.mjs; scripts/page-tools.sh installs what they need. Pictures are written to build/page/."""
import os
import pathlib
import re
import shutil
import subprocess
import threading

import pytest

import conftest

TOOLS = conftest.ROOT / "build" / "page-tools"
CHROMIUM = shutil.which("chromium")
PICTURES = conftest.ROOT / "build" / "page"
TRAINING = {"model": "llama-3.1-8b", "tokens": "1T", "deadline_hours": "30d", "accelerator": "h100"}
SECONDS = 300  # a longer run means a hang

in_a_browser = pytest.mark.skipif(
    not (CHROMIUM and shutil.which("node") and (TOOLS / "node_modules" / "playwright-core").is_dir()),
    reason="chromium, node or playwright-core is not installed (scripts/page-tools.sh)")


def use(daemon, scenario, **answers):
    """Runs a scenario. `answers` maps its commands to functions whose value it receives."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        ["node", str(pathlib.Path(__file__).parent / "page" / "views.mjs"), scenario, f"http://127.0.0.1:{daemon.port}", str(PICTURES)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PAGE_TOOLS": str(TOOLS), "CHROMIUM": CHROMIUM})
    watch = threading.Timer(SECONDS, process.kill)
    watch.start()
    said = ""
    try:
        for line in process.stdout:
            said = line.strip()
            if said in answers:
                process.stdin.write(f"{answers[said]() or ''}\n")
                process.stdin.flush()
        assert process.wait() == 0 and said == "passed", process.stderr.read()
    finally:
        watch.cancel()
        process.kill()
        process.wait()


@in_a_browser
def test_every_view_is_drawn(hub):
    for name, tokens in (("first", "1T"), ("second", "2T")):
        assert hub.post("/v1/plans/training", TRAINING | {"name": name, "tokens": tokens}).status == 201
    assert hub.post("/v1/benchmarks", {"suite": "quick", "accelerator": "h100"}).status == 202  # no agent will lease it
    use(hub, "views")


@in_a_browser
def test_it_is_used_by_keyboard_and_says_what_is_wrong(daemon):
    use(daemon, "keyboard")


@in_a_browser
def test_nothing_typed_is_lost_while_the_daemon_is_away(hub):
    hub.arguments = (*hub.arguments, "--listen", f"127.0.0.1:{hub.port}")
    use(hub, "restart", stop=hub.stop, start=hub.start)


@in_a_browser
def test_a_key_is_asked_for_and_kept_in_memory(hub):
    key, _ = hub.make_key("--role", "viewer")
    hub.stop()
    hub.start()
    use(hub, "keys", key=lambda: key)


def test_the_page_loads_nothing_from_elsewhere(daemon):
    """Follows every file that the page names. Each is small, has a tag, and names no other server."""
    seen, wanted, packed = set(), ["/"], 0
    while wanted:
        path = wanted.pop()
        if path in seen:
            continue
        seen.add(path)
        file = daemon.get(path, {"Accept-Encoding": "gzip"})
        assert file.status == 200 and file.headers["etag"], path
        assert daemon.get(path, {"If-None-Match": file.headers["etag"], "Accept-Encoding": "gzip"}).status == 304, path
        packed += len(file.body)
        assert re.findall(r"https?://[^\"'` ]*", file.text) in ([], ["http://www.w3.org/2000/svg"]), path
        wanted += re.findall(r'(?:href|src)="(/page/[^"]+)"', file.text) + [f"/page/{name}" for name in re.findall(r'from "\./([^"]+)"', file.text)]
    assert len(seen) == len(list((conftest.ROOT / "web").iterdir())), seen
    assert packed < 120_000, packed
    page = daemon.get("/", {"Accept": "text/html"})
    assert "default-src 'self'" in page.headers["content-security-policy"] and page.headers["content-type"].startswith("text/html")
    assert "<style" not in page.text and not re.search(r"<script(?![^>]*src=)", page.text) and not re.search(r"\s(style|on\w+)=", page.text)
    assert daemon.get("/page/other.js").status == 404
