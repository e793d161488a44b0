"""Options from flags, environment and file; commands and their exit codes; keys; refusing to listen on other addresses
without a key."""
import os
import re
import socket
import subprocess

import pytest

from conftest import PROGRAM, Daemon, run
from support import bearer, until


def effective(*arguments, environment=None):
    result = run("serve", "--check-config", *arguments, environment=environment)
    assert result.returncode == 0, result.stderr
    values = {}
    for line in result.stdout.splitlines():
        match = re.match(r"(?:# )?([a-z-]+) = (.*?) ?# (default|file|environment|flag)$", line)
        assert match, line
        values[match[1]] = (match[2].strip(), match[3])
    return values


def test_a_flag_wins_over_the_environment_over_the_file_over_the_default(tmp_path):
    file = tmp_path / "fleetplan.conf"
    file.write_text("# what the operator set\nqueue = 11\nworkers = 3   # three\nidle-seconds=7\n\ncors-origins = https://a.example\n")
    values = effective("--config", str(file), "--queue", "13", environment={"FLEETPLAN_WORKERS": "5", "FLEETPLAN_QUEUE": "12"})
    assert values["queue"] == ("13", "flag")
    assert values["workers"] == ("5", "environment")
    assert values["idle-seconds"] == ("7", "file")
    assert values["cors-origins"] == ("https://a.example", "file")
    assert values["threads"] == ("0", "default")
    assert values["listen"] == ("127.0.0.1:8080", "default")


def test_the_file_may_be_named_by_the_environment(tmp_path):
    file = tmp_path / "f.conf"
    file.write_text("queue = 99\n")
    assert effective(environment={"FLEETPLAN_CONFIG": str(file)})["queue"] == ("99", "file")


def test_the_effective_values_are_a_configuration_file(tmp_path):
    first = run("serve", "--check-config", "--queue=77", "--insecure")
    (tmp_path / "again.conf").write_text(first.stdout)
    values = effective("--config", str(tmp_path / "again.conf"))
    assert values["queue"] == ("77", "file") and values["insecure"] == ("yes", "file")


@pytest.mark.parametrize("arguments, message", [
    (["--lisen", "x"], "listen"),
    (["--queue", "0"], "from 1 to 65536"),
    (["--queue", "12x"], "whole number"),
    (["--queue", "-1"], "whole number"),
    (["--queue"], "value is missing"),
    (["--log-level", "loud"], "one of debug info warning error"),
    (["--insecure=maybe"], "yes or no"),
    (["queue"], "begin with --"),
    (["--config", "/nonexistent"], "No such file"),
])
def test_wrong_options_are_told_with_what_would_be_right(arguments, message):
    result = run("serve", *arguments)
    assert result.returncode == 78 and message in result.stderr


def test_wrong_lines_are_told_with_their_place(tmp_path):
    file = tmp_path / "f.conf"
    file.write_text("queue = 5\nworkerz = 3\n")
    result = run("serve", "--config", file)
    assert result.returncode == 78 and f"{file}:2" in result.stderr and "workers" in result.stderr


def test_help_lists_every_option():
    text = run("serve", "--help").stdout
    for name in effective():
        assert f"--{name} " in text


@pytest.mark.parametrize("command", ["serve", "plan", "diff", "bench", "backup", "keys", "healthcheck", "openapi", "version", "help"])
def test_every_command_explains_itself(command):
    result = run(command, "--help")
    assert result.returncode == 0 and f"fleetplan {command}" in result.stdout and not result.stderr


def test_the_address_is_checked_with_the_configuration(tmp_path):
    for wrong in ("8080", "localhost", "127.0.0.1:99999", "::1:8080", "nowhere.invalid:80"):
        for more in ([], ["--check-config"]):
            result = run("serve", "--listen", wrong, "--database", tmp_path / "a.db", *more)
            assert result.returncode in (69, 78) and wrong in result.stderr, (wrong, more, result)
    assert run("serve", "--check-config", "--listen", "[::1]:8080").returncode == 0


def test_unknown_commands_name_the_nearest():
    result = run("serv")
    assert result.returncode == 64 and "serve" in result.stderr
    assert run().returncode == 64
    assert "keys" in run("help").stdout
    assert re.match(r"fleetplan \d+\.\d+\.\d+\n$", run("version").stdout)


def test_a_busy_port_is_an_error_at_once(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = run("serve", "--listen", f"127.0.0.1:{taken.getsockname()[1]}", "--database", tmp_path / "a.db")
    assert result.returncode == 69 and "has this port" in result.stderr


def test_other_addresses_need_a_key_or_a_word(tmp_path):
    database = str(tmp_path / "a.db")
    result = run("serve", "--listen", "0.0.0.0:0", "--database", database)
    assert result.returncode == 77
    for way_out in ("keys create", "--bootstrap-key-file", "127.0.0.1", "--insecure"):
        assert way_out in result.stderr
    daemon = Daemon(tmp_path, "--listen", "0.0.0.0:0", "--insecure")
    assert daemon.get("/v1/catalogue").status != 401
    assert daemon.events("insecure")  # logged before the daemon is ready
    assert daemon.stop() == 0


def test_a_mounted_key_opens_the_door(tmp_path):
    secret = tmp_path / "key"
    secret.write_text("a-secret-of-the-operators-own-making-0123456789\n")
    daemon = Daemon(tmp_path, "--listen", "0.0.0.0:0", "--bootstrap-key-file", str(secret))
    assert daemon.get("/livez").status == 200
    assert daemon.get("/metrics").status == 401
    mounted = bearer(secret.read_text().strip())
    assert daemon.get("/metrics", mounted).status == 200
    assert daemon.stop() == 0
    daemon.start()  # the same key again is not a conflict
    assert daemon.get("/metrics", mounted).status == 200
    assert daemon.stop() == 0
    assert "a-secret" not in daemon.log_path.read_text()
    secret.write_text("short\n")
    assert run("serve", "--database", daemon.database, "--bootstrap-key-file", secret).returncode == 78


def test_keys_are_made_listed_and_revoked_beside_a_running_daemon(daemon_with):
    daemon = daemon_with()
    assert daemon.get("/metrics").status == 200, "without keys, loopback must be open"
    made = run("keys", "create", "--name", "ci", "--role", "viewer", "--database", daemon.database)
    assert made.returncode == 0, made.stderr
    key = made.stdout.strip()
    assert re.fullmatch(r"fp_[A-Za-z0-9_-]{43}", key)
    until(lambda: daemon.get("/metrics").status == 401)  # the daemon forgets cached keys within seconds
    answer = daemon.get("/metrics")
    assert answer.status == 401 and answer.headers["www-authenticate"].startswith("Bearer")
    assert daemon.get("/metrics", bearer(key)).status == 200
    assert daemon.get("/metrics", {"Authorization": f"bearer   {key}"}).status == 200
    for wrong in ("Bearer", "Bearer ", "Bearer x", f"Bearer {key}x", f"Basic {key}", key, "Bearer " + "x" * 5000):
        assert daemon.get("/metrics", {"Authorization": wrong}).status == 401, wrong
    assert daemon.get("/livez").status == 200
    listed = run("keys", "list", "--database", daemon.database).stdout
    assert "viewer" in listed and "ci" in listed and key[:8] in listed and key not in listed
    database = daemon.database.read_bytes() + (daemon.database.parent / "fleetplan.db-wal").read_bytes()
    assert key.encode() not in database, "the key is stored in plain text"
    identifier = listed.split()[0]
    assert run("keys", "create", "--role", "admin", "--database", daemon.database).returncode == 0
    assert run("keys", "revoke", identifier, "--database", daemon.database).returncode == 0
    until(lambda: daemon.get("/metrics", bearer(key)).status == 401)
    assert "REVOKED" in run("keys", "list", "--database", daemon.database).stdout
    assert run("keys", "revoke", identifier, "--database", daemon.database).returncode == 1
    assert key not in daemon.log_path.read_text()


def test_roles_are_enforced(daemon_with):
    daemon = daemon_with()
    keys = {role: daemon.make_key("--role", role)[0] for role in ("viewer", "planner", "admin", "agent")}

    def status(role, method, path):
        return daemon.request(method, path, {}, bearer(keys[role])).status

    assert status("viewer", "POST", "/v1/backups") == 403
    assert status("planner", "POST", "/v1/backups") == 403
    assert status("agent", "POST", "/v1/estimates/training") == 403
    assert status("viewer", "POST", "/v1/estimates/training") not in (401, 403)
    assert run("keys", "create", "--role", "king", "--database", daemon.database).returncode == 64


def test_detach_answers_only_when_it_is_ready(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [PROGRAM, "serve", "--detach", "--listen", f"127.0.0.1:{port}", "--database", str(tmp_path / "d.db"), "--quiet-seconds", "0"]
    begun = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert begun.returncode == 0, begun.stderr
    pid = None
    try:
        assert run("healthcheck", "--listen", f"127.0.0.1:{port}").returncode == 0
        pid = int(until(lambda: re.search(r'"pid":(\d+)', (tmp_path / "fleetplan.log").read_text()))[1])
        again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert again.returncode == 69 and "has this port" in again.stderr
    finally:
        if pid:
            os.kill(pid, 15)
    until(lambda: not os.path.exists(f"/proc/{pid}") or open(f"/proc/{pid}/stat").read().split(")")[1].split()[0] == "Z")
    assert run("healthcheck", "--listen", f"127.0.0.1:{port}").returncode == 69


def test_one_database_has_one_daemon(daemon_with):
    daemon = daemon_with()
    result = run("serve", "--listen", "127.0.0.1:0", "--database", daemon.database)
    assert result.returncode == 75 and result.stderr


def test_backup_beside_a_running_daemon(daemon_with, tmp_path):
    daemon = daemon_with()
    copy = tmp_path / "copy.db"
    result = run("backup", copy, "--database", daemon.database)
    assert result.returncode == 0, result.stderr
    assert copy.stat().st_size > 100000
    assert run("backup", copy, "--database", daemon.database).returncode == 73, "backup must not overwrite an existing file"
    assert run("backup", tmp_path / "b.db", "--database", tmp_path / "none.db").returncode == 66
    other = tmp_path / "restored"
    other.mkdir()
    copy.rename(other / "fleetplan.db")
    restored = Daemon(other)
    assert restored.get("/readyz").status == 200
    assert restored.stop() == 0


def test_healthcheck_tells_a_draining_daemon(daemon_with):
    daemon = daemon_with("--quiet-seconds", "3")
    assert run("healthcheck", environment={"FLEETPLAN_LISTEN": f"0.0.0.0:{daemon.port}"}).returncode == 0
    daemon.signal()
    until(lambda: daemon.get("/readyz").status == 503)
    assert run("healthcheck", "--listen", f"127.0.0.1:{daemon.port}").returncode == 1
