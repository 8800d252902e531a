"""The action under `act`, on this machine: a repository, its workflows, and what the runner made of them."""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from github_server import GitHubServer

ROOT = Path(__file__).parents[2]
PROJECT = ("action.yml", "setup", "pyproject.toml", "Makefile", "requirements", "src", "evals", "cassettes", ".github")
SHA = "0123456789abcdef0123456789abcdef01234567"
KEPT_TASKS = ("RET-02@A1", "RET-05@A1")
USES = re.compile(r"uses: ([\w.-]+/[\w.-]+)(?:/[\w./-]+)?@([\w.]+)")


def composite(script: str, **inputs: str) -> dict[str, Any]:
    """An action that runs a script, with its inputs as variables of those names."""
    env = {variable: f"${{{{ inputs.{name} }}}}" for name, variable in inputs.items()}
    return {
        "inputs": {name: {"default": ""} for name in inputs},
        "runs": {"using": "composite", "steps": [{"shell": "bash", "env": env, "run": script}]},
    }


STAND_INS = {
    # `act` copies the repository itself where a workflow checks it out, but for a commit that is named.
    "actions/checkout": composite(
        'git init --quiet "${TO:=.}" && cd "$TO" && git fetch --quiet "$ORIGIN" "$REF" && git checkout --quiet "$REF"',
        path="TO", ref="REF", **{"persist-credentials": "KEEP"},
    ),
    # The Python of these tests is the first on the path, which is what actions/setup-python sees to.
    "actions/setup-python": composite("python3 --version", **{"python-version": "VERSION"}),
    # Artifacts of a run are folders in the one that the test looks at.
    "actions/upload-artifact": composite(
        'rm -rf "$KEPT/artifacts/$NAME" && mkdir -p "$KEPT/artifacts" && cp -R "$FROM" "$KEPT/artifacts/$NAME"',
        name="NAME", path="FROM", **{"if-no-files-found": "MISSING", "retention-days": "DAYS", "overwrite": "OVER"},
    ),
    "actions/download-artifact": composite(
        'mkdir -p "$TO" && cp -R "$KEPT"/artifacts/${PATTERN:-"$NAME"/.} "$TO"/',
        pattern="PATTERN", name="NAME", path="TO",
    ),
    # Asked for a token only where an App is set up.
    "actions/create-github-app-token": composite(
        "exit 1",
        **{"client-id": "ID", "private-key": "KEY", "permission-contents": "A", "permission-pull-requests": "B"},
    ),
}  # fmt: skip
"""What stands in for actions that would have to be fetched; no other may be used."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One workflow command that the runner obeyed."""

    kind: str
    file: str
    line: int
    title: str
    text: str


@dataclass(slots=True)
class Ran:
    """What `act` made of one workflow."""

    code: int
    kept: Path
    """The folder that steps leave files in for the test to look at."""
    records: list[dict[str, Any]] = field(default_factory=list)

    def of(self, step: str) -> list[dict[str, Any]]:
        """The runner's records of one step and of the steps within it."""
        found = [record for record in self.records if (record.get("stepID") or [""])[0] == step]
        assert found, f"no step {step!r}: {self.told()}"
        return found

    def outputs(self, step: str) -> dict[str, str]:
        """What a step has set, without those of the steps within it."""
        return {
            record["name"]: record["arg"]
            for record in self.records
            if record.get("command") == "set-output" and record.get("stepID") == [step]
        }

    def annotations(self, step: str) -> list[Annotation]:
        """The annotations that a step made, as the runner read them."""
        return [
            Annotation(
                record["command"],
                place.get("file", ""),
                int(place.get("line", 0)),
                place.get("title", ""),
                record["arg"],
            )
            for record in self.of(step)
            if record.get("command") in ("error", "warning", "notice")
            for place in [record["kvPairs"]]
        ]

    def commands(self, step: str) -> set[str]:
        """The names of all commands in a step's log that the runner obeyed."""
        return {record["command"] for record in self.of(step) if "raw" in record}

    def summary(self, step: str) -> str:
        """The summary of a step; act shows that of an inner step for its outer one too."""
        return next((record["content"] for record in self.of(step) if record.get("command") == "summary"), "")

    def log(self, step: str) -> str:
        """What a step printed, without the commands that were obeyed."""
        return "".join(record["msg"] for record in self.of(step) if record.get("raw_output"))

    def zipped(self, artifact: str = "tapegate-report") -> bytes:
        """What it uploaded, as GitHub keeps it."""
        return zipped(self.kept / "artifacts" / artifact)

    def ended(self) -> dict[str, str]:
        """How each job ended, by its name."""
        return {
            record["job"].split("/")[-1].strip(): record["jobResult"]
            for record in self.records
            if "jobResult" in record
        }

    def told(self) -> str:
        """Everything, for a failing test's message."""
        return "\n".join(str(record.get("msg")) for record in self.records)


def zipped(folder: Path) -> bytes:
    """The files of a folder in a zip."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    return made.getvalue()


def as_github(server: GitHubServer, token: str, **more: str) -> list[str]:
    """Words for act by which its runner believes that the server is its GitHub."""
    environ = {**server.environ, **more}
    words = [word for name, value in environ.items() for word in ("--env", f"{name}={value}")]
    return [*words, "--secret", f"GITHUB_TOKEN={token}"]


@contextmanager
def one_core() -> Iterator[None]:
    """Start programs on one core, another one in each worker of the tests: on more, each run would warm more processes
    than the two tasks that there are can use."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    os.sched_setaffinity(0, {sorted(cores)[worker % len(cores)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository, and the machine that its workflows run on."""

    root: Path
    environ: Mapping[str, str]
    action: Path
    """A checkout of the action, for workflows of other repositories."""

    def git(self, *words: str) -> str:
        """What git says."""
        done = subprocess.run(
            ["git", *words], cwd=self.root, env=self.environ, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def tapegate(self, *words: str) -> str:
        """What the command line says here."""
        env = {**self.environ, "PYTHONPATH": str(ROOT / "src")}
        line = [sys.executable, "-m", "tapegate", *words]
        done = subprocess.run(line, cwd=self.root, env=env, check=True, capture_output=True, text=True, timeout=120)
        return done.stdout

    def commit(self, title: str = "change") -> str:
        """Commit all that is there; the commit's SHA."""
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", title)
        return self.git("rev-parse", "HEAD")

    def replace(self, file: str, old: str, new: str) -> None:
        """Replace a piece of a file that stands there exactly once."""
        path = self.root / file
        text = path.read_text("utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new), "utf-8")

    as_github = staticmethod(as_github)
    zipped = staticmethod(zipped)

    def merged(self, branch: str = "change") -> dict[str, Any]:
        """Commit the change on a branch, and check out the commit that would merge it, as GitHub does for a pull
        request; the event of that pull request."""
        base = self.git("rev-parse", "HEAD")
        self.git("checkout", "--quiet", "-b", branch)
        head = self.commit()
        self.git("checkout", "--quiet", "--detach", base)
        self.git("merge", "--quiet", "--no-ff", "--no-edit", branch)
        here = {"id": 1, "full_name": "owner/name"}
        return {
            "number": 7,
            "action": "synchronize",
            "pull_request": {
                "number": 7,
                "title": "A change",
                "body": "",
                "head": {"ref": branch, "sha": head, "repo": here},
                "base": {"ref": "main", "sha": base, "repo": here},
            },
        }

    def served(self, server: GitHubServer, root: Path) -> Path:
        """Let a server have this repository, to be pushed to; the bare one behind it."""
        bare = root / "octo" / "library.git"
        self.git("clone", "--quiet", "--bare", str(self.root), str(bare))
        self.git("--git-dir", str(bare), "config", "http.receivepack", "true")
        server.git_root = root
        return bare

    def shown(self, bare: Path, revision: str) -> str:
        """What `git show` says in another repository."""
        return self.git("--git-dir", str(bare), "show", revision)

    def command(self, name: str, script: str, folder: Path) -> dict[str, str]:
        """A stand-in for a command; the variables by which a run finds it."""
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        (folder / name).chmod(0o755)
        return {"PATH": f"{folder}{os.pathsep}{self.environ['PATH']}"}

    def run(self, workflow: str, event: str, payload: Mapping[str, Any], kept: Path, *words: str, **env: str) -> Ran:
        """Run one workflow of the repository as it stands, for an event."""
        kept.mkdir()
        file = kept / "event.json"
        file.write_text(json.dumps(payload))
        place = self.root / ".github" / "workflows" / workflow
        line = [str(Path(sys.executable).parent / "act"), event, "--json", "--workflows", str(place)]
        line += ["--eventpath", str(file), "--no-cache-server", "--action-offline-mode"]
        line += ["--use-gitignore=false"]
        line += ["--platform", "ubuntu-24.04=-self-hosted", "--platform", "ubuntu-latest=-self-hosted"]
        # Nothing listens unless it is asked to; these say where, should that change.
        line += ["--artifact-server-addr", "127.0.0.1", "--cache-server-addr", "127.0.0.1"]
        line += ["--action-cache-path", str(kept / "act"), *words]
        used = {found for path in (place, ROOT / "action.yml") for found in USES.findall(path.read_text("utf-8"))}
        for name, ref in sorted(used):
            if name == "owner/tapegate":
                line += ["--local-repository", f"{name}@{ref}={self.action}"]
            else:
                folder = kept / "actions" / name
                if not folder.exists():
                    folder.mkdir(parents=True)
                    made = {"name": name, "description": name, **STAND_INS[name]}
                    (folder / "action.yml").write_text(json.dumps(made))
                line += ["--local-repository", f"{name}@{ref}={folder}"]
        with one_core():
            done = subprocess.run(
                line,
                cwd=self.root,
                env={**self.environ, "KEPT": str(kept), **env},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=900,
                check=False,
            )
        records = [json.loads(row) for row in done.stdout.splitlines() if row.startswith("{")]
        return Ran(done.returncode, kept, records)


def index_of(wheels: Path) -> dict[str, str]:
    """The variables of installers that know no other packages; all runners share what uv has unpacked of them."""
    return {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "UV_NO_CONFIG": "1",
        "UV_NO_INDEX": "1",
        "UV_FIND_LINKS": str(wheels),
        "UV_CACHE_DIR": str(wheels.parent / "uv"),
    }


def compiled(folder: Path, like: Path) -> None:
    """Put beside the modules of a folder what Python has made of the same ones elsewhere, whatever the times of the
    copies: every job has an environment of its own, and would compile all of it again."""
    for module in folder.rglob("*.py"):
        name = Path("__pycache__", f"{module.stem}.{sys.implementation.cache_tag}.pyc")
        source = like / module.relative_to(folder)
        made = source.parent / name
        if made.is_file():
            raw, told = made.read_bytes(), source.stat()
            times = b"\0\0\0\0" + int(told.st_mtime).to_bytes(4, "little") + told.st_size.to_bytes(4, "little")
            if raw[4:16] == times and source.read_bytes() == module.read_bytes():
                (module.parent / name).parent.mkdir(exist_ok=True)
                # PEP 552: an unchecked hash in place of the time and the size.
                (module.parent / name).write_bytes(raw[:4] + b"\1\0\0\0" + bytes(8) + raw[16:])


def filled_cache(place: Path, environ: Mapping[str, str]) -> None:
    """Let uv unpack all that jobs install, with what this environment's Python has compiled of it."""
    uv = str(Path(sys.executable).parent / "uv")
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(place)], env=environ, check=True)
    words = [uv, "pip", "install", "--quiet", "--python", str(place / "bin" / "python"), "--no-deps"]
    for lock in ("runtime", "paperdesk"):
        packages = ["--require-hashes", "-r", str(ROOT / "requirements" / f"{lock}.txt")]
        subprocess.run([*words, *packages], env=environ, check=True, capture_output=True)
    for unpacked in Path(environ["UV_CACHE_DIR"], "archive-v0").iterdir():
        compiled(unpacked, Path(sysconfig.get_path("purelib")))


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every locked package, fetched by whichever worker is first: what the action installs it then finds here.

    They stay in the environment of the tests until the lock changes: pip looks at every file of every version that an
    index has, for ten seconds.
    """
    session = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        session = session.parent
    folder, packages = session / "wheels", ROOT / "requirements" / "gate.txt"
    kept = Path(sys.prefix, "wheels", hashlib.sha256(packages.read_bytes()).hexdigest()[:16])
    kept.parent.mkdir(exist_ok=True)
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            with TemporaryDirectory(dir=kept.parent) as place:
                pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
                locked = ["--require-hashes", "-r", str(packages)]
                subprocess.run(
                    [*pip, "--dest", f"{place}/whole", *locked], check=True, capture_output=True, timeout=240
                )
                Path(place, "whole").rename(kept)
        if not folder.exists():
            folder.symlink_to(kept)
            filled_cache(session / "filled", os.environ | index_of(folder))
    return folder


PIP_BY_UV = """
import os, sys
if "venv" in sys.orig_argv:
    import venv
    def pip_by_uv(self, context):
        name = os.path.join(context.bin_path, "pip")
        with open(name, "w") as file:
            file.write('#!/bin/sh\\nwords=$1; shift; exec uv pip "$words" --python "$(dirname "$0")/python" "$@"\\n')
        os.chmod(name, 0o755)
    venv.EnvBuilder._setup_pip = pip_by_uv
"""
"""In the runner's Python: what the environments that it makes call `pip` is uv. Each would compile a pip of its own and
install with it, for ten seconds in every job."""


UV = """#!/bin/sh
uv={uv} made={made}
"$uv" "$@" || exit
if [ "$1" = venv ]; then
  for home; do :; done
  cp "$made" "$home"/lib/python*/site-packages/
fi
"""
"""In the place of uv: a Python of an environment that it made is as quick to make another."""


def quick_python(home: Path) -> Path:
    """The folder of this Python, whose environments are made and filled in no time."""
    subprocess.run([os.path.realpath(sys.executable), "-m", "venv", "--without-pip", str(home)], check=True)
    (site,) = home.glob("lib/python*/site-packages")
    (site / "sitecustomize.py").write_text(PIP_BY_UV, "utf-8")
    uv = home / "bin" / "uv"
    here, made = Path(sys.executable).parent / "uv", site / "sitecustomize.py"
    uv.write_text(UV.format(uv=shlex.quote(str(here)), made=shlex.quote(str(made))), "utf-8")
    uv.chmod(0o755)
    return home / "bin"


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> Mapping[str, str]:
    """The environment of a runner whose only package index is `wheels`."""
    if not (Path(sys.executable).parent / "act").exists():
        pytest.skip("act is not installed")
    place = tmp_path_factory.mktemp("machine")
    first = quick_python(place / "python")
    ours = ("GITHUB_", "RUNNER_", "ACTIONS_", "INPUT_", "TAPEGATE_", "GIT_", "PYTEST_", "UV_", "PIP_", "XDG_", "PYTHON")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return environ | {
        "PATH": f"{first}{os.pathsep}{environ['PATH']}",
        "NO_COLOR": "1",
        **index_of(wheels),
        "XDG_CACHE_HOME": str(place / "cache"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "author",
        "GIT_AUTHOR_EMAIL": "author@example.invalid",
        "GIT_COMMITTER_NAME": "author",
        "GIT_COMMITTER_EMAIL": "author@example.invalid",
        "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
        "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    }


@pytest.fixture(scope="session")
def action(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What another repository gets when it uses the action."""
    folder = tmp_path_factory.mktemp("action") / "tapegate"
    for part in ("action.yml", "setup/action.yml", "requirements/runtime.txt"):
        (folder / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / part, folder / part)
    shutil.copytree(
        ROOT / "src" / "tapegate", folder / "src" / "tapegate", ignore=shutil.ignore_patterns("__pycache__")
    )
    compiled(folder / "src" / "tapegate", ROOT / "src" / "tapegate")
    return folder


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, machine: Mapping[str, str], action: Path) -> Repository:
    """A repository with one commit on main: this project, with two of its tasks so that runs are short."""
    found = Repository(tmp_path_factory.mktemp("template") / "repository", machine, action)
    for part in PROJECT:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, found.root / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            found.root.mkdir(exist_ok=True)
            shutil.copy(ROOT / part, found.root / part)
    shutil.copy(ROOT / ".gitignore", found.root)
    compiled(found.root / "src" / "tapegate", ROOT / "src" / "tapegate")
    for kind in ("evals", "cassettes"):
        for suite in (found.root / kind).iterdir():
            for task in suite.iterdir() if suite.is_dir() else ():
                if "@" in task.name and not task.name.startswith(KEPT_TASKS):
                    shutil.rmtree(task) if task.is_dir() else task.unlink()
            if suite.is_dir() and not any(suite.iterdir()):
                suite.rmdir()
    # One trial of each: jobs replay two tasks and compare them, and each trial at a time needs an agent's process.
    for task in (found.root / "evals").glob("*/*@*.yaml"):
        text = task.read_text("utf-8")
        assert "\ntrials: 2\n" in text
        task.write_text(text.replace("\ntrials: 2\n", "\ntrials: 1\n"), "utf-8")
    # Its scope table is cut to the path that these are of; without the other tasks it is not the standard's any more.
    config = found.root / "evals" / "tapegate.yaml"
    text = re.sub(r"(?ms)^  A2:\n.*?(?=^# Files that look)", "", config.read_text("utf-8"))
    rest = '  - {files: ["src/paperdesk/**"], reason: the paths that are left out here}\n'
    text = text.replace("    inventory: A1\n", "").replace("unscoped:\n", f"unscoped:\n{rest}")
    config.write_text(text, "utf-8")
    begin(found)
    return found


def begin(repository: Repository) -> None:
    """Make it a repository of one commit."""
    repository.git("init", "--quiet", "--initial-branch=main")
    repository.git("config", "user.name", "author")
    repository.git("config", "user.email", "author@example.invalid")
    repository.commit("main")


def copied(template: Repository, to: Path) -> Repository:
    """A repository of a test's own."""
    shutil.copytree(template.root, to, symlinks=True)
    return Repository(to, template.environ, template.action)


@pytest.fixture
def repository(tmp_path: Path, template: Repository) -> Repository:
    """A copy of this project as a repository."""
    return copied(template, tmp_path / "repository")


AGENT = '''
"""A small agent."""

import json
import os
import urllib.request


def answer(input: str) -> str:
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps({"model": "small-2026-01-01", "messages": [{"role": "user", "content": PROMPT + input}]}).encode(),
        {"content-type": "application/json", "authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
    )
    with urllib.request.urlopen(request) as response:
        text = json.load(response)["choices"][0]["message"]["content"]
    return text


PROMPT = "Be short. "
'''
MODEL = '''
"""Stands in for a model."""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

SAYS = Path(__file__).with_name("says.txt")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.reply({})

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        message = {"role": "assistant", "content": SAYS.read_text("utf-8")}
        usage = {"prompt_tokens": 7, "completion_tokens": 6}
        choices = [{"message": message, "finish_reason": "stop"}]
        self.reply({"model": "small-2026-01-01", "choices": choices, "usage": usage})

    def reply(self, body):
        raw = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_):
        pass


HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
'''
SOURCE = """
default_source: scripted
sources:
  scripted:
    kind: scripted
    description: model.py, which says what stands in a file
    stand_ins:
      model: {command: ["{python}", "{project}/model.py", "{port}"]}
"""
SNIPPET = re.compile(r"```yaml\n(on: \[pull_request\]\n.*?)```", re.DOTALL)
"""The workflow that docs/set-up.md shows."""


def three_lines() -> str:
    """That workflow, its step with a name to find it by."""
    found = SNIPPET.search((ROOT / "docs" / "set-up.md").read_text("utf-8"))
    assert found is not None
    assert found[1].count("\n") == 3
    return found[1].replace("{uses: owner", "{id: gate, uses: owner")


@pytest.fixture(scope="session")
def beginner(tmp_path_factory: pytest.TempPathFactory, machine: Mapping[str, str], action: Path) -> Repository:
    """From an empty repository: a small agent, `tapegate init --github`, a recording, and three lines of YAML."""
    found = Repository(tmp_path_factory.mktemp("beginner") / "repository", machine, action)
    found.root.mkdir()
    (found.root / "agent.py").write_text(AGENT.lstrip(), "utf-8")
    (found.root / "model.py").write_text(MODEL.lstrip(), "utf-8")
    (found.root / "says.txt").write_text("I answer what you ask.", "utf-8")
    found.tapegate("init", "--github", "--action", f"owner/tapegate@{SHA}")
    config = found.root / "evals" / "tapegate.yaml"
    config.write_text(config.read_text("utf-8") + SOURCE, "utf-8")
    (found.root / ".github" / "workflows" / "three-lines.yml").write_text(three_lines(), "utf-8")
    found.replace("evals/first/FIRST-01@main.yaml", "sentences_min: 1", "facts: [{name: a, any_of: [I answer]}]")
    found.tapegate("record", "--missing")
    begin(found)
    return found


@pytest.fixture
def small(tmp_path: Path, beginner: Repository) -> Repository:
    """A copy of the small agent's repository."""
    return copied(beginner, tmp_path / "repository")


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    """A GitHub whose requests all fit its own description."""
    server = GitHubServer()
    try:
        yield server
    finally:
        server.close()
    assert server.problems == []
