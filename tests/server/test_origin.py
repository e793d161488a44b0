"""What a browser page may request from a daemon without keys: hosts that a page can point to the daemon, and origins
other than the daemon's."""
import json

import pytest

BODY = {"model": "llama-3.1-8b", "tokens": "1B", "accelerator": "h100", "gpu_count": 8}


def ask(daemon, method, path, host, body=None, **headers):
    """Sends a raw request, so that the test sets Host."""
    data = json.dumps(body).encode() if body else b""
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Content-Length: {len(data)}"]
    lines += ["Content-Type: application/json"] if body else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    with daemon.wire() as wire:
        return wire.send("\r\n".join(lines).encode() + b"\r\n\r\n" + data).answer()


@pytest.mark.parametrize("host", ["localhost", "LocalHost:8080", "a.localhost", "127.0.0.1:1", "[::1]:8080", "10.1.2.3", "localhost.:80"])
def test_hosts_that_no_page_can_take_are_served(daemon, host):
    assert ask(daemon, "GET", "/v1/plans", host).status == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "xlocalhost", "1.2.3"])
def test_other_hosts_are_not(daemon, host):
    for method, path, body in (("GET", "/v1/plans", None), ("POST", "/v1/estimates/training", BODY), ("POST", "/v1/backups", None)):
        answer = ask(daemon, method, path, host, body)
        assert answer.status == 403 and "--allowed-hosts" in answer.json["detail"], answer.text
    for path in ("/livez", "/readyz", "/version"):  # probes may use any host
        assert ask(daemon, "GET", path, host).status == 200, path


def test_hosts_that_are_named_are_served(daemon_with):
    daemon = daemon_with("--allowed-hosts", "plans.example, fleet.internal")
    assert ask(daemon, "GET", "/v1/plans", "Plans.Example:443").status == 200
    assert ask(daemon, "GET", "/v1/plans", "fleet.internal").status == 200
    assert ask(daemon, "GET", "/v1/plans", "example").status == 403


FOREIGN = [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://localhost:1"}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}]


@pytest.mark.parametrize("headers", FOREIGN)
def test_pages_of_other_origins_change_nothing(daemon, headers):
    before = daemon.get("/v1/plans").json["items"]
    for path, body in (("/v1/backups", None), ("/v1/plans/training", BODY)):
        answer = ask(daemon, "POST", path, "localhost:8080", body, **headers)
        assert answer.status == 403 and "API key" in answer.json["detail"], answer.text
    assert daemon.get("/v1/plans").json["items"] == before
    assert list(daemon.folder.glob("fleetplan-*.db")) == []
    assert ask(daemon, "GET", "/v1/plans", "localhost:8080", **headers).status == 200


@pytest.mark.parametrize("headers", [{}, {"Origin": "http://localhost:8080"}, {"Origin": "https://LOCALHOST:8080"}, {"Sec_Fetch_Site": "same-origin"}, {"Sec_Fetch_Site": "none"}])
def test_own_pages_and_tools_do(daemon, headers):
    assert ask(daemon, "POST", "/v1/estimates/training", "localhost:8080", BODY, **headers).status == 200


def test_named_origins_do(daemon_with):
    daemon = daemon_with("--cors-origins", "https://dash.example")
    asked = {"Origin": "https://dash.example", "Sec_Fetch_Site": "cross-site"}
    assert ask(daemon, "POST", "/v1/estimates/training", "localhost", BODY, **asked).status == 200
    assert ask(daemon, "POST", "/v1/estimates/training", "localhost", BODY, Origin="https://other.example").status == 403


def test_with_keys_the_key_decides(daemon_with, tmp_path):
    key = "k" * 43
    (tmp_path / "key").write_text(key)
    daemon = daemon_with("--bootstrap-key-file", str(tmp_path / "key"))
    assert ask(daemon, "GET", "/v1/plans", "plans.example", Authorization=f"Bearer {key}").status == 200
    assert ask(daemon, "GET", "/v1/plans", "plans.example").status == 401


def test_backups_have_a_bound(daemon_with):
    daemon = daemon_with("--backup-keep", "3")
    (daemon.folder / "fleetplan-mine.db").write_text("not ours to delete")
    made = [daemon.post("/v1/backups", None) for _ in range(5)]
    assert [answer.status for answer in made] == [201] * 5, [answer.text for answer in made]
    files = [answer.json["file"] for answer in made]
    assert sorted(path.name for path in daemon.folder.glob("fleetplan-*.db")) == sorted(files[2:] + ["fleetplan-mine.db"])
