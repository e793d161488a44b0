"""The first key: the container starts as the first line of the Dockerfile says, and only its operator can use it."""
import re
import stat

import conftest
import pytest
from conftest import PROGRAM, ROOT, run
from support import bearer


def container(folder):
    """Returns the daemon that the Dockerfile's first line starts, with /data at `folder` and a free port."""
    text = (ROOT / "Dockerfile").read_text()
    assert text.splitlines()[0].endswith("docker run -p 8080:8080 -v fleetplan:/data fleetplan")
    assert '\nENTRYPOINT ["/usr/bin/fleetplan"]\nCMD ["serve"]\n' in text and "\nVOLUME /data\n" in text
    variables = dict(word.split("=", 1) for line in re.findall(r"^ENV (.*)$", text, re.M) for word in line.split() if word.startswith("FLEETPLAN_"))
    variables = {name: value.replace("/data", str(folder)).replace(":8080", ":0") for name, value in variables.items()}
    assert variables["FLEETPLAN_LISTEN"] == "0.0.0.0:0"
    daemon = conftest.Daemon(folder, environment=variables, expect_start=False)
    daemon.command = lambda: [*daemon.wrapper, PROGRAM, "serve"]
    return daemon


@pytest.fixture
def volume(tmp_path):
    """A container and its volume."""
    daemon = container(tmp_path)
    yield daemon
    daemon.stop()


def test_the_stated_command_starts_and_writes_a_key(volume):
    volume.start()
    file = volume.folder / "admin.key"
    assert str(file).endswith(re.search(r"--entrypoint cat fleetplan /data(\S+)", (ROOT / "Dockerfile").read_text())[1])
    key = file.read_text().strip()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and re.fullmatch(r"fp_[A-Za-z0-9_-]{43}", key)
    assert volume.get("/v1/plans").status == 401
    made = volume.post("/v1/plans/training", {"model": "llama-3.1-8b", "tokens": "1B", "accelerator": "h100", "gpu_count": 8}, bearer(key))
    assert made.status == 201, made.text
    assert volume.get("/v1/audit", bearer(key)).status == 200  # only for admins
    (told,) = volume.events("first_key")
    assert told["file"] == str(file)
    file.unlink()  # as the log says
    assert volume.stop() == 0
    assert volume.start() is None and not file.exists()
    assert volume.get("/v1/plans", bearer(key)).status == 200
    assert volume.stop() == 0
    assert key not in volume.log_path.read_text()


def test_an_interrupted_first_start_is_repeated(volume):
    file = volume.folder / "admin.key"
    file.write_text("fp_" + 43 * "a" + "\n")  # written, and the daemon was killed before it stored the key
    (volume.folder / "admin.key.new").write_text("fp_")  # killed while it wrote
    volume.start()
    assert file.read_text() != "fp_" + 43 * "a" + "\n"
    assert volume.get("/v1/plans", bearer("fp_" + 43 * "a")).status == 401
    assert volume.get("/v1/plans", bearer(file.read_text().strip())).status == 200
    assert not (volume.folder / "admin.key.new").exists()


def test_no_key_is_written_where_one_exists_or_none_is_needed(volume, tmp_path):
    file = tmp_path / "admin.key"
    own = tmp_path / "own"
    own.write_text("a-secret-of-the-operators-own-making-0123456789\n")
    volume.environment["FLEETPLAN_BOOTSTRAP_KEY_FILE"] = str(own)
    volume.start()
    assert volume.get("/v1/plans", bearer(own.read_text().strip())).status == 200
    assert volume.stop() == 0 and not file.exists()
    identifier = run("keys", "list", "--database", volume.database).stdout.split()[0]
    assert run("keys", "revoke", identifier, "--database", volume.database).returncode == 0
    with pytest.raises(RuntimeError, match="there is no API key yet"):
        volume.start()  # the operator's key was revoked: the daemon neither revives it nor makes another
    assert not file.exists()
    del volume.environment["FLEETPLAN_BOOTSTRAP_KEY_FILE"]
    volume.environment["FLEETPLAN_LISTEN"] = "127.0.0.1:0"
    volume.start()
    assert volume.get("/v1/plans").status == 200 and not file.exists()
    assert volume.stop() == 0
    volume.environment["FLEETPLAN_LISTEN"] = "0.0.0.0:0"
    volume.start()
    assert volume.get("/v1/plans").status == 401
    assert volume.get("/v1/plans", bearer(file.read_text().strip())).status == 200
    assert volume.get("/v1/plans", bearer(own.read_text().strip())).status == 401


@pytest.mark.parametrize("content", ["", "notes of the operator\n", "a-secret-of-the-operators-own-making-0123456789\n", "fp_" + 300 * "a"])
def test_another_file_is_not_replaced(tmp_path, content):
    file = tmp_path / "admin.key"
    file.write_text(content)
    refused = run("serve", "--listen", "0.0.0.0:0", "--database", tmp_path / "a.db", "--first-key-file", file)
    assert refused.returncode == 78 and "name another file" in refused.stderr
    assert file.read_text() == content


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path):
    refused = run("serve", "--listen", "0.0.0.0:0", "--database", tmp_path / "a.db", "--first-key-file", tmp_path / "none" / "admin.key")
    assert refused.returncode == 78 and "cannot be written: No such file" in refused.stderr
    assert run("keys", "list", "--database", tmp_path / "a.db").stdout == ""
