"""A client that tries keys is slowed down. Right keys from the same address, and other addresses, are not."""
import socket
import sqlite3

import pytest
from conftest import Daemon, Wire, run
from support import until

ROOT = "fp_" + "ad" * 32


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
        return True
    except OSError:
        return False


@pytest.fixture
def daemon(daemon_with, tmp_path):
    (tmp_path / "root").write_text(ROOT)
    return daemon_with("--bootstrap-key-file", str(tmp_path / "root"))


def show(daemon, key, source="127.0.0.1", host="127.0.0.1"):
    wire = Wire.__new__(Wire)
    wire.socket, wire.rest = socket.create_connection((host, daemon.port), timeout=10, source_address=(source, 0)), b""
    with wire:
        wire.send(f"GET /v1/catalogue HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n\r\n")
        return wire.answer()


def test_wrong_keys_are_slowed(daemon):
    answers = [show(daemon, f"fp_wrong{i:035d}") for i in range(200)]
    assert [answer.status for answer in answers] == [401] * 30 + [429] * 170
    assert all(0 < int(answer.headers["retry-after"]) <= 60 and "wrong API keys" in answer.json["detail"] for answer in answers[30:])
    assert show(daemon, ROOT).status == 200  # from the same address
    assert show(daemon, "fp_wrong", source="127.0.0.2").status == 401
    assert daemon.get("/livez").status == 200
    assert daemon.get("/v1/catalogue").status == 401  # a missing key is not a wrong key
    assert daemon.stop() == 0
    assert len(daemon.events("wrong_keys")) == 1


def test_a_key_is_replaced_without_a_gap(daemon):
    """Two keys of one name are valid at once. The old one is revoked when the new one is in use."""
    (old, old_id), (new, _) = (daemon.make_key("--name", "ops", "--role", "viewer") for _ in range(2))
    assert show(daemon, old).status == 200 and show(daemon, new).status == 200
    assert run("keys", "revoke", old_id, "--database", daemon.database).returncode == 0
    until(lambda: show(daemon, old).status == 401)  # the daemon caches a key for two seconds
    assert show(daemon, new).status == 200


def test_the_last_keys_end_opens_no_door(daemon_with, tmp_path):
    """Without any key, every local user is admin. That does not apply if a key exists and has expired."""
    daemon = daemon_with()
    assert daemon.get("/v1/catalogue").status == 200
    daemon.make_key("--days", "1", "--role", "admin")
    until(lambda: daemon.get("/v1/catalogue").status == 401)
    assert daemon.stop() == 0
    with sqlite3.connect(daemon.database) as database:
        database.execute("UPDATE api_key SET expires_at_us = created_at_us + 1, row_checksum = NULL")
    database.close()
    daemon.start()
    assert daemon.get("/v1/catalogue").status == 401


@pytest.mark.skipif(not has_ipv6(), reason="no IPv6 here")
def test_of_ipv6_too(tmp_path):
    (tmp_path / "root").write_text(ROOT)
    daemon = Daemon(tmp_path, "--listen", "[::1]:0", "--bootstrap-key-file", str(tmp_path / "root"))
    try:
        answers = [show(daemon, f"fp_wrong{i}", "::1", "::1").status for i in range(40)]
        assert answers == [401] * 30 + [429] * 10
        assert show(daemon, ROOT, "::1", "::1").status == 200
    finally:
        daemon.stop()
