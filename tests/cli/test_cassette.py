"""`tapegate cassette`: import, scan and diff, as a person calls them."""

from __future__ import annotations

import json
import subprocess

import pytest
import yaml
from click.testing import CliRunner

from tapegate.cli.cassette import cassette
from tapegate.errors import TapegateError

KEY = "sk-proj-" + "Zx8Qw3Er5Ty7Ui9Op1As2Df4Gh6Jk8Lz0Xc1Vb3Nm5" * 2
"""Shaped like a provider's key."""


@pytest.fixture
def call():
    """Calls a command; gives exit code, output and errors."""

    def run(*words):
        done = CliRunner().invoke(cassette, [str(word) for word in words])
        if isinstance(done.exception, TapegateError):
            return done.exception.exit_code, done.stdout, str(done.exception)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.stdout, done.stderr

    return run


@pytest.fixture
def foreign(tmp_path):
    """Writes a vcrpy cassette of one exchange."""

    def write(name, question="q", answer="a"):
        request = {"method": "POST", "uri": "https://api.openai.com/v1/x", "headers": {}, "body": question}
        response = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": answer}}
        path = tmp_path / "in" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump({"interactions": [{"request": request, "response": response}], "version": 1}))
        return path

    return write


def test_importing_a_folder_tells_what_became_of_each_file(call, foreign, tmp_path):
    """And ends with a sum; what was written can be listed and verified."""
    foreign("a.yaml")
    foreign("b.yaml")
    (tmp_path / "in/c.yaml").write_text("interactions: {}")
    code, out, err = call("import", tmp_path / "in", "--out", tmp_path / "out", "--suite", "s")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "a.yaml: cassettes/s/a@imported/trial-1.yaml, 1 interaction",
        "b.yaml: cassettes/s/b@imported/trial-1.yaml, 1 interaction",
        "c.yaml: holds no HTTP",
        "imported 2 of 2 files, 2 interactions; without HTTP: 1 file",
    ]
    assert call("verify", "-C", tmp_path / "out")[0] == 0
    shown = call("show", "a@imported", "-C", tmp_path / "out")[1]
    assert "1 bytes, untimed" in shown


def test_a_file_that_cannot_be_read_is_named_and_ends_in_2(call, foreign, tmp_path):
    """The others are imported all the same."""
    foreign("good.yaml")
    (tmp_path / "in/bad.yaml").write_text("a: [")
    code, out, err = call("import", tmp_path / "in", "--out", tmp_path / "out")
    assert code == 2
    assert err.startswith("bad.yaml:2: cassette_corrupt: not YAML")
    assert "imported 1 of 2 files" in out


def test_importing_as_json(call, foreign, tmp_path):
    """Every outcome with its facts."""
    path = foreign("a.yaml")
    code, out, _ = call("import", path, "--out", tmp_path / "out", "--suite", "s", "--key", "RET-01@A1", "--json")
    (told,) = json.loads(out)
    assert code == 0
    assert (told["state"], told["recording"], told["exchanges"]) == (
        "imported",
        "cassettes/s/RET-01@A1/trial-1.yaml",
        1,
    )


def test_one_file_that_is_no_cassette_ends_in_2(call, tmp_path):
    """Somebody meant it to be one."""
    (tmp_path / "a.yaml").write_text("name: x")
    assert call("import", tmp_path / "a.yaml", "--out", tmp_path / "out")[:2] == (2, "a.yaml: no cassette\n")


def test_one_key_names_one_recording(call, foreign, tmp_path):
    """A folder has several."""
    foreign("a.yaml")
    code, _, err = call("import", tmp_path / "in", "--out", tmp_path / "out", "--key", "A@B")
    assert code == 2
    assert "--key names one recording" in err


def test_services_of_the_project_name_what_is_imported(call, foreign, tmp_path):
    """So that the recording replays there as it stands."""
    evals = tmp_path / "out/evals"
    (evals / "s").mkdir(parents=True)
    (evals / "tapegate.yaml").write_text(
        "version: 1\npaths: {A1: {title: x, status: y, files: [z], subject: desk}}\n"
        "subjects: {desk: {kind: python, entry: 'a:b', stream: text}}\n"
        "services: {model: {address: 'https://api.openai.com/v1', base_url_env: [OPENAI_BASE_URL]}}\n"
    )
    call("import", foreign("a.yaml"), "--out", tmp_path / "out", "--suite", "s", "--key", "A@B")
    out = call("show", "A@B", "-C", tmp_path / "out", "--json")[1]
    assert json.loads(out)["interactions"][0]["service"] == "model"


def test_a_scan_names_the_place_and_never_the_value(call, foreign, tmp_path):
    """Exit 2, for a file of any tool and for a whole project."""
    path = foreign("a.yaml", question=f"key {KEY}")
    code, out, err = call("scan", path)
    assert (code, out) == (2, "")
    assert "a.yaml: secret_found: the request body of interaction 0" in err
    assert KEY not in err
    code, out, _ = call("scan", path, "--json")
    assert (code, json.loads(out)["files"]) == (2, 1)
    assert KEY not in out
    foreign("a.yaml")
    assert call("scan", path) == (0, "no secret in 1 file\n", "")
    call("import", path, "--out", tmp_path, "--suite", "s")
    assert call("scan", "-C", tmp_path) == (0, "no secret in 2 files\n", "")


def test_a_diff_shows_what_a_new_recording_changes(call, foreign, tmp_path):
    """Exit 1 where something differs, 0 where nothing does."""
    for name, answer in (("a.yaml", "one"), ("b.yaml", "two")):
        call("import", foreign(name, answer=answer), "--out", tmp_path, "--suite", "s")
    old, new = (tmp_path / f"cassettes/s/{name}@imported/trial-1.yaml" for name in "ab")
    code, out, _ = call("diff", old, new)
    assert code == 1
    assert out.splitlines()[0] == "POST https://api.openai.com/v1/x: answer changed"
    assert [line.strip() for line in out.splitlines()[1:]] == ["line 1:", "-one", "+two"]
    assert call("diff", old, old)[:2] == (0, "the same exchanges and the same answer\n")
    assert json.loads(call("diff", old, new, "--json")[1])[0]["new"] == 0


def test_a_diff_reads_a_file_of_a_git_revision(call, foreign, tmp_path, monkeypatch):
    """What a reviewer has before a pull request and after."""
    monkeypatch.chdir(tmp_path)
    call("import", foreign("a.yaml", answer="one"), "--out", tmp_path, "--suite", "s")
    file = "cassettes/s/a@imported/trial-1.yaml"
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "x"], check=True)
    (tmp_path / file).unlink()
    (tmp_path / "cassettes/s/a@imported/pins.json").unlink()
    call("import", foreign("a.yaml", answer="two"), "--out", tmp_path, "--suite", "s")
    assert call("diff", f"HEAD:{file}", file)[0] == 1
    for name in ("HEAD:no/such/file", "no/such/file", "--output=x:y"):
        code, _, err = call("diff", "--", name, file)
        assert (code, "REVISION:FILE" in err) == (2, True)
