"""What the gate says and exits with when code, prompts or recordings are not what they were."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

CASSETTE = "cassettes/retrieval_prompt_paths/RET-03@A1/trial-1.yaml"
TASK = "evals/retrieval_prompt_paths/RET-03@A1.yaml"


@pytest.fixture
def one(project: Any) -> Any:
    """The project with that task alone: every run holds all tasks that there are against their contract."""
    project.only("RET-03@A1")
    return project


def test_an_edited_prompt_is_stale_until_it_is_recorded_again(one: Any) -> None:
    """Exit 4 shows what changed and the command that records it; that command makes the gate pass again."""
    one.replace("src/paperdesk/prompt.py", "briefly and precisely.", "briefly, precisely and kindly.")
    done = one.tapegate("run", "RET-03@A1")
    assert done.code == 4
    assert "STALE RET-03@A1" in done.out
    assert "replay · prompt_changed" in done.out
    assert "-Answer from what the tools return, briefly and precisely." in done.out
    assert "+Answer from what the tools return, briefly, precisely and kindly." in done.out
    assert "fix       tapegate record RET-03@A1 --stale" in done.out
    recorded = one.tapegate("record", "RET-03@A1", "--stale")
    assert recorded.code == 0, recorded.err
    assert "recorded RET-03@A1, trial 1, 2: 4 interactions from scripted" in recorded.out
    assert one.tapegate("run", "RET-03@A1").code == 0
    again = one.tapegate("record", "RET-03@A1", "--stale")
    assert "nothing to record" in again.out


def test_broken_code_fails_at_the_line_of_the_expectation(one: Any) -> None:
    """Exit 1 names task, metric, expected and got, and the line of the task file."""
    one.replace(
        "src/paperdesk/answer.py",
        "        self.text += shown\n",
        '        shown = shown.replace("/", "|")\n        self.text += shown\n',
    )
    done = one.tapegate("run", "RET-03@A1")
    assert done.code == 1
    line = next(n for n, text in enumerate((one.root / TASK).read_text().split("\n"), 1) if "p-snow-07" in text)
    assert "FAIL RET-03@A1" in done.out
    assert "citation_contract · paper_not_cited" in done.out
    assert f"{TASK}:{line}" in done.out
    assert "expected  /paper/p-snow-07" in done.out
    assert "got       " in done.out


def half(raw: bytes) -> bytes:
    """Cut in the middle."""
    return raw[: len(raw) // 2]


def between(raw: bytes) -> bytes:
    """Cut exactly between two interactions: still valid YAML."""
    return raw[: raw.rindex(b"- request:\n")]


def edited(raw: bytes) -> bytes:
    """One byte edited."""
    return raw.replace(b"38 metres", b"39 metres", 1)


def tagged(raw: bytes) -> bytes:
    """With a Python tag in it."""
    return raw.replace(b'method: "POST"', b'method: !!python/object/apply:os.system ["true"]', 1)


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (half, ["hash_mismatch", "sha256", "expected"]),
        (between, ["hash_mismatch", "1 interactions, expected 2"]),
        (edited, ["hash_mismatch", "not the bytes that were pinned"]),
        (tagged, ["hash_mismatch", "forbidden_tag"]),
        (lambda _: None, ["missing", "the file is gone"]),
        (lambda raw: b"\xff" + raw, ["hash_mismatch"]),
        (lambda raw: raw.replace(b"\n", b"\r\n"), ["hash_mismatch", ".gitattributes"]),
    ],
    ids=["cut in half", "cut between interactions", "one byte edited", "Python tag", "gone", "bad UTF-8", "CRLF"],
)
def test_a_recording_that_cannot_be_trusted_is_bad_input(spoil: Any, says: list[str], one: Any) -> None:
    """Exit 2 names the file and what is wrong with it; it is neither replayed nor written over."""
    path = one.root / CASSETTE
    raw = spoil(path.read_bytes())
    if raw is None:
        path.unlink()
    else:
        assert raw != path.read_bytes()
        path.write_bytes(raw)
    done = one.tapegate("run", "RET-03@A1")
    assert done.code == 2, done.out + done.err
    assert CASSETTE in done.out
    for words in says:
        assert words in done.out
    (task,) = json.loads(one.results())["tasks"]
    assert task["verdict"] == "error"
    assert one.tapegate("cassette", "verify").code == 2
    refused = one.tapegate("record", "RET-03@A1", "--stale")
    assert refused.code == 2
    assert (path.read_bytes() if path.exists() else None) == raw


KEY = "ghp_" + "wX3kR9vT2mQ7sL5nB8cJ4hF6" + "dZ1yPa0eUiOg"


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'      "content-type":', b'      "x-api-key": ["%s"]\n      "content-type":'), (b"38 metres", b"38 metres %s")],
    ids=["in a header", "in an answer"],
)
def test_a_recording_that_holds_a_key_is_not_replayed(old: bytes, new: bytes, one: Any) -> None:
    """CAS-20: pinned as it is or not, it exits 2, and the key stands in no line and no file that a run writes."""
    path, pins = one.root / CASSETTE, (one.root / CASSETTE).with_name("pins.json")
    raw = path.read_bytes()
    spoiled = raw.replace(old, new % KEY.encode(), 1)
    assert spoiled != raw
    path.write_bytes(spoiled)
    pinned = one.tapegate("cassette", "pin", "RET-03@A1")
    assert (pinned.code, "secret_found" in pinned.err) == (2, True), pinned.out + pinned.err
    listed = json.loads(pins.read_bytes())
    listed["cassettes"]["trial-1.yaml"] |= {"sha256": hashlib.sha256(spoiled).hexdigest(), "bytes": len(spoiled)}
    pins.write_text(json.dumps(listed, indent=2) + "\n")
    done = one.tapegate("run", "RET-03")
    assert (done.code, "secret_found" in done.out) == (2, True), done.out + done.err
    verified = one.tapegate("cassette", "verify")
    assert (verified.code, "secret_found" in verified.err) == (2, True)
    written = [file.read_bytes() for file in (one.root / "out").rglob("*") if file.is_file()]
    assert written
    assert not [
        text for text in (*written, done.out.encode(), done.err.encode(), verified.err.encode()) if KEY.encode() in text
    ]


def test_no_recording_is_no_proof(project: Any) -> None:
    """Verifying a folder that holds none exits 2: it may be the wrong one."""
    shutil.rmtree(project.root / "cassettes")
    done = project.tapegate("cassette", "verify")
    assert (done.code, "no_recordings" in done.err) == (2, True)


def test_a_task_that_was_never_recorded_is_stale(one: Any) -> None:
    """Exit 4 with the command that records it."""
    folder = one.root / "cassettes/retrieval_prompt_paths/RET-03@A1"
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    done = one.tapegate("run", "RET-03@A1")
    assert done.code == 4, done.out + done.err
    assert "not recorded yet" in done.out
    assert "tapegate record RET-03@A1 --missing" in done.out


def test_what_else_can_be_judged_is_judged_beside_a_bad_recording(project: Any) -> None:
    """One corrupt cassette makes the run exit 2, and the other tasks keep their verdicts."""
    project.only("RET-03@A1", "AGT-08@A1")
    path = project.root / CASSETTE
    path.write_bytes(half(path.read_bytes()))
    done = project.tapegate("run", "RET-03@A1", "AGT-08@A1", "--json")
    assert done.code == 2
    assert {task["key"]: task["verdict"] for task in json.loads(done.out)["tasks"]} == {
        "AGT-08@A1": "pass",
        "RET-03@A1": "error",
    }


@pytest.fixture
def listener() -> Any:
    """A server that must never be reached."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def test_a_subject_that_reaches_for_the_network_fails_and_sends_nothing(one: Any, listener: socket.socket) -> None:
    """An attempt in replay is a broken invariant, named by its address, and nothing arrives at a real listener."""
    port = listener.getsockname()[1]
    one.replace(
        "src/paperdesk/turn.py",
        "        for rounds_left in range(self._rounds, -1, -1):\n",
        "        import socket\n\n"
        "        try:\n"
        f'            socket.create_connection(("127.0.0.1", {port}), timeout=2).sendall(b"leak")\n'
        "        except OSError:\n"
        "            pass\n"
        "        for rounds_left in range(self._rounds, -1, -1):\n",
    )
    done = one.tapegate("run", "RET-03@A1", "--json")
    assert done.code == 1, done.out + done.err
    (task,) = json.loads(done.out)["tasks"]
    attempts = [finding for finding in task["findings"] if finding["code"] == "network_attempt"]
    assert task["verdict"] == "fail"
    assert {finding["severity"] for finding in attempts} == {"fail"}
    assert all(f"127.0.0.1:{port}" in finding["message"] + finding["got"] for finding in attempts)
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_an_agent_that_answers_without_the_web_after_all_is_not_excused(one: Any) -> None:
    """A forbidden call before the miss is a failure, although the recording was left."""
    one.replace(
        "src/paperdesk/turn.py",
        "        for rounds_left in range(self._rounds, -1, -1):\n",
        '        yield stream.tool_call("call_0", "web_search", {"query": "snow"})\n'
        '        await self._toolbox.run("web_search", {"query": "snow"})\n'
        '        self._messages.append({"role": "user", "content": "and the web says so too"})\n'
        "        for rounds_left in range(self._rounds, -1, -1):\n",
    )
    done = one.tapegate("run", "RET-03@A1", "--json")
    assert done.code == 1, done.out + done.err
    (task,) = json.loads(done.out)["tasks"]
    assert task["verdict"] == "fail"
    assert {"not_recorded", "diverged"} & {finding["code"] for finding in task["findings"]}
    assert "too_many_calls" in {finding["code"] for finding in task["findings"] if finding["severity"] == "fail"}


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["run", "RET-33"], 2, "RET-3"),
        (["run", "--profile", "nihgtly"], 2, "there is no profile 'nihgtly'"),
        (["run", "--evals", "nowhere"], 2, "nowhere"),
        (["record"], 2, "--missing, --stale and --all"),
        (
            ["record", "--all", "--source", "scirpted"],
            2,
            "there is no source 'scirpted'; there are live, local, scripted",
        ),
        (["record", "RET-03@A1", "--all", "--source", "live"], 2, "its key 'OPENAI_API_KEY' is not set"),
        (["cassette", "show", "RET-3@A1"], 2, "nothing is recorded under 'RET-3@A1'"),
        (["runn"], 2, "Did you mean 'run'?"),
        (["run", "--jobs", "0"], 2, "--jobs"),
    ],
)
def test_words_that_mean_nothing_are_bad_input(words: list[str], code: int, says: str, project: Any) -> None:
    """Exit 2 names the word, and what there is instead."""
    done = project.tapegate(*words, OPENAI_API_KEY="")
    assert (done.code, says in done.err) == (code, True), done.out + done.err


def test_recording_is_refused_in_a_pull_request(project: Any) -> None:
    """Whatever the flags, no code of a pull request is recorded."""
    before = {path: path.read_bytes() for path in (project.root / "cassettes").rglob("*") if path.is_file()}
    for event in ("pull_request", "pull_request_target"):
        done = project.tapegate("record", "--all", GITHUB_EVENT_NAME=event)
        assert done.code == 2
        assert "nothing is recorded" in done.err
    assert before == {path: path.read_bytes() for path in before}


def test_a_project_without_tasks_is_no_pass(project: Any) -> None:
    """An empty suite is bad input, not a green gate."""
    for path in (project.root / "evals").glob("*/*@*.yaml"):
        path.unlink()
    done = project.tapegate("run")
    assert done.code == 2
    assert "vacuous_suite" in done.err


def test_the_cassette_commands_show_what_there_is(project: Any) -> None:
    """Listing says what recorded each cassette; show walks one; pin takes an edit on purpose."""
    listed = project.tapegate("cassette", "list")
    assert re.search(r"^RET-03@A1 trial 1 +scripted \(scripted\) +scripted-", listed.out, re.MULTILINE)
    rows = json.loads(project.tapegate("cassette", "list", "--json").out)
    pins = project.root / "cassettes/retrieval_prompt_paths/RET-03@A1/pins.json"
    dirty = re.sub(r'"commit": "[^"]+"', f'"commit": "{"ab" * 20}+dirty"', pins.read_text())
    pins.write_text(dirty)
    assert project.tapegate("cassette", "list").out.count("abababababab+dirty") == 2
    kinds = {"audit" if row["suite"].startswith("audit-") else row["pin"]["source_kind"] for row in rows}
    assert kinds == {"audit", "scripted", "local"}
    assert re.search(r"^LOC-01@A1 trial 1 +local \(local\) +SmolLM2", listed.out, re.MULTILINE)
    shown = project.tapegate("cassette", "show", "RET-03@A1", "--trial", "2")
    assert "no language model" in shown.out
    assert "POST https://model.paperdesk.invalid/v1/chat/completions → 200" in shown.out
    path: Path = project.root / CASSETTE
    path.write_bytes(edited(path.read_bytes()))
    assert project.tapegate("cassette", "verify").code == 2
    assert project.tapegate("cassette", "pin", "RET-03@A1").code == 0
    assert project.tapegate("cassette", "verify").code == 0


@pytest.mark.parametrize("name", ["task", "config", "results", "diff"])
def test_schemas_are_printed(name: str, project: Any) -> None:
    """Each published schema is JSON Schema of draft 2020-12."""
    import jsonschema

    jsonschema.Draft202012Validator.check_schema(json.loads(project.tapegate("schema", name).out))


def test_a_subject_that_does_not_start_could_not_be_judged(one: Any) -> None:
    """Exit 3, and the finding names the command: the harness's own knocking is no network attempt."""
    one.replace(
        "src/paperdesk/app.py", "from __future__ import annotations\n", "from __future__ import = annotations\n"
    )
    done = one.tapegate("run", "RET-03@A1", "--json")
    assert done.code == 3, done.out + done.err
    (task,) = json.loads(done.out)["tasks"]
    assert task["verdict"] == "error"
    assert {finding["code"] for finding in task["findings"]} == {"subject_not_started"}
    assert "SyntaxError" in (one.root / "out" / "provenance.json").read_text()


def test_a_subject_is_recorded_from_its_own_source(project: Any) -> None:
    """What is there for a real model is recorded from it, or not at all, unless another source is asked for by name."""
    project.only("LOC-03@A3")
    folder = project.root / "cassettes/local_model/LOC-03@A3"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = project.tapegate("record", "LOC-03", "--all")
    assert done.code != 0
    assert ".venv-local-model" in done.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    done = project.tapegate("record", "LOC-03", "--all", "--source", "scripted")
    assert (done.code, done.out) == (0, "recorded LOC-03@A3, trial 1: 1 interactions from scripted\n"), done.err
