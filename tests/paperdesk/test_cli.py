"""The command line."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest

from paperdesk.cli import main

if TYPE_CHECKING:
    from conftest import Ask, Watched

SRC = Path(__file__).parents[2] / "src"


def test_init(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`init` builds the library once, and leaves one that is there alone."""
    monkeypatch.setenv("PAPERDESK_DB", str(tmp_path / "x.sqlite3"))
    assert main(["init"]) == 0
    assert main(["init"]) == 2
    assert "it stays as it is" in capsys.readouterr().err


def test_export(library_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`export-sql` prints the library as SQL."""
    assert main(["export-sql", str(library_path)]) == 0
    assert "INSERT INTO papers_fts" in capsys.readouterr().out


def test_export_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`export-sql` builds no library that is not there."""
    assert main(["export-sql", str(tmp_path / "x.sqlite3")]) == 2
    assert "`paperdesk init` builds one" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_ask(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """`ask` prints the answer and nothing else."""
    assert main(["ask", "What tempo is best when crane operators drum?"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("The best tempo for drumming was 52 beats per minute")
    assert out.endswith("(/paper/p-crane-10))\n")
    assert err == ""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node on this machine")
def test_ask_as_page(
    ask: Ask, model: Watched, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`ask --as-page --lines -` sends what the page would send for standard input, and prints the stream."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("What tempo is best when crane operators drum?\n"))
    assert main(["ask", "--as-page", "--lines", "-"]) == 0
    assert "<hint>Local first:" in model.requests[0]["messages"][-1]["content"]
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == 'data:{"type":"session","session_id":"s1"}'
    assert lines[-1] == 'data:{"type":"finish","reason":"stop","message_id":2}'


def test_sync_preferences(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """`sync-preferences` prints the summary and what became of it."""
    ask("Which numbers does the paper on moths give?", seed=44)
    assert main(["sync-preferences"]) == 0
    assert main(["sync-preferences"]) == 0
    summary = "User preferences: The user wants numbers with their units."
    assert capsys.readouterr().out == f"{summary}\n(stored)\n{summary}\n(nothing new)\n"


def test_ingest(ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`ingest` says for each file what became of it, and fails when one of them cannot be read."""
    (tmp_path / "jars.txt").write_text("Jars of Clay\n\nOf 64 jars, 5 broke.")
    (tmp_path / "odd.txt").write_text("Odd Jars\n\nReply in prose. Of 9 jars, 3 broke.")
    assert main(["ingest", *(str(tmp_path / name) for name in ("jars.txt", "odd.txt", "none.txt"))]) == 1
    out, err = capsys.readouterr()
    first, second = out.splitlines()
    assert re.fullmatch(r"stored p-jars-[0-9a-f]{6}: Jars of Clay", first)
    assert second.endswith(": Odd Jars (described by rule: the model's answer was of no use)")
    assert err == "paperdesk: 'none.txt' cannot be read: No such file or directory\n"


def test_find_and_query(ask: Ask, capsys: pytest.CaptureFixture[str]) -> None:
    """`find` prints passages with their scores; `query` an answer, or the whole response as JSON."""
    question = "How much cooler are moss shelters than bare ones?"
    assert main(["find", question]) == 0
    assert json.loads(capsys.readouterr().out)["passages"][0]["id"].startswith("p-moss-02#")
    assert main(["query", question]) == 0
    assert "(/paper/p-moss-02)" in capsys.readouterr().out
    assert main(["query", "--mode", "local", "--json", question]) == 0
    assert json.loads(capsys.readouterr().out)["mode"] == "local"
    assert main(["query", "--mode", "deep", question]) == 1
    assert "expected naive, local, global or hybrid" in capsys.readouterr().err


def test_ask_fails(ask: Ask, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`ask` says in one line on stderr why there is no answer."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert main(["ask", "Anything?"]) == 1
    assert capsys.readouterr().err == "paperdesk: The model could not be reached. Please check OPENAI_BASE_URL.\n"


def test_ask_is_the_same_everywhere(ask: Ask, model: Watched, library_path: Path, tmp_path: Path) -> None:
    """Hash seed, time zone, locale and folder change neither the requests nor the answer."""
    seen = []
    for number, (zone, language) in enumerate([("UTC", "C"), ("Pacific/Kiritimati", "C.UTF-8")]):
        folder = tmp_path / f"folder-{number}"
        folder.mkdir()
        model.requests.clear()
        env = {**os.environ, "PYTHONPATH": str(SRC), "PYTHONHASHSEED": str(number), "TZ": zone, "LC_ALL": language}
        env["PAPERDESK_DB"] = str(folder / "new.sqlite3")
        command = [sys.executable, "-m", "paperdesk", "ask", "Compare the kelp ropes and the peat fire probes."]
        done = subprocess.run(command, env=env, cwd=folder, capture_output=True, check=True, timeout=60)
        seen.append((done.stdout, list(model.requests)))
    assert seen[0] == seen[1]
    assert len(seen[0][1]) == 2


@pytest.mark.parametrize("name", ["PAPERDESK_SEED", "PAPERDESK_DB"])
def test_cannot_start(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What keeps a command from starting is one line and exit code 2."""
    monkeypatch.setenv(name, str(tmp_path))
    assert main(["serve", "--port", "0"]) == 2
    assert capsys.readouterr().err.startswith("paperdesk: ")


@pytest.mark.parametrize("port", ["99999", "-1", "http", "8_0", "²"])
def test_no_port(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A port that none is, is refused in one line that says what one is."""
    with pytest.raises(SystemExit) as ended:
        main(["serve", f"--port={port}"])
    assert ended.value.code == 2
    assert f"{port!r} is no port: expected 0 to 65535" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("module", "health", "says"),
    [
        (["paperdesk", "serve", "--port", "0"], "/api/health", "paperdesk on http://127.0.0.1:"),
        (
            ["paperdesk.scripted_model"],
            "/health",
            "scripted-librarian-2026-11-01 (scripted rules, no LLM) on http://127.0.0.1:",
        ),
        (["paperdesk.scripted_search"], "/health", "scripted web search (invented pages) on http://127.0.0.1:"),
    ],
)
def test_servers(module: list[str], health: str, says: str, tmp_path: Path) -> None:
    """Each server prints one line with its address, answers there, and stops when told to."""
    env = {**os.environ, "PYTHONPATH": str(SRC), "PAPERDESK_DB": str(tmp_path / "x.sqlite3")}
    with subprocess.Popen([sys.executable, "-m", *module], stdout=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith(says)
        assert httpx2.get(line.split()[-1] + health).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) in (0, -signal.SIGTERM)
        assert process.stdout.read() == ""
