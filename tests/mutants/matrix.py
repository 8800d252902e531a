"""Puts each variant to its eval, in a copy of the project, and holds what the gate says against what it must say."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from mutants.variant import Behaviour, Defect, Variant
from tapegate.run.events_file import PARTS

ROOT = Path(__file__).parents[2]
PAPERDESK = "src/paperdesk"
IN_PROCESS = """\
  paperdesk:
    kind: python
    entry: paperdesk.chat:ask
    arguments: {message: "{input}"}
    pythonpath: [src]
    stream: mixed
    env: {PAPERDESK_DB: "{db}", PAPERDESK_MODEL: scripted-librarian-2026-11-01, PAPERDESK_SEED: "{seed}"}

"""
"""The chat as a function: the same verdicts (tests/gate/test_kinds.py says so) without a server for each trial."""
_OURS = frozenset({"trial", *PARTS})
_HTTP = re.compile(r"^  paperdesk:\n    kind: http\n(?:    .*\n|\n)*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the gate said of one variant."""

    variant: Variant
    verdicts: tuple[str, ...]
    """Of each case of the eval."""
    found: tuple[tuple[str, str], ...]
    """Metric and code of each finding that fails."""
    did: frozenset[str]
    """What the agent did: the events of each trial."""
    trouble: str = ""
    """Why nothing could be judged."""

    def wrong(self, shipped: frozenset[str], others: Sequence[frozenset[str]]) -> str:
        """Why this is not what it must be; empty where it is. `shipped` and `others` are what is done otherwise."""
        if self.trouble:
            return self.trouble
        if isinstance(self.variant, Defect):
            return self._survived(self.variant)
        if any(verdict != "pass" for verdict in self.verdicts):
            return f"is refused: {', '.join(self.verdicts)} by {_list(self.found)}"
        if self.did <= shipped:
            return "does nothing else than what is shipped"
        return "does the same as another one" if self.did in others else ""

    def _survived(self, defect: Defect) -> str:
        if "fail" not in self.verdicts:
            return f"survives: {', '.join(self.verdicts)}"
        if not any(metric == defect.metric and code in defect.codes for metric, code in self.found):
            return f"fails by {_list(self.found)} and not by {defect.metric} ({', '.join(sorted(defect.codes))})"
        return ""


def judged(variants: Sequence[Variant], jobs: int) -> Iterator[Outcome]:
    """The outcome of each variant, as it comes in. An eval without change is judged first, as a `Behaviour`."""
    shipped = [Behaviour(eval=key, name="as shipped", kind="code") for key in sorted({one.eval for one in variants})]
    # What takes longest is begun first.
    work = sorted([*shipped, *variants], key=lambda one: not one.records)
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _prepared) as pool:
        for done in [pool.submit(judge, variant) for variant in work]:
            yield done.result()


def judge(variant: Variant) -> Outcome:
    """The outcome of one variant, in a copy of its own."""
    with tempfile.TemporaryDirectory(prefix="tapegate-mutant-") as folder:
        root = Path(folder)
        _copy(variant, root)
        for edit in variant.edits:
            path = root / PAPERDESK / edit.file
            text = path.read_text("utf-8")
            if text.count(edit.old) != 1:
                return _unjudged(variant, f"{edit.old!r} stands {text.count(edit.old)} times in {edit.file}")
            path.write_text(text.replace(edit.old, edit.new), "utf-8")
        if variant.records:
            code, said = _tapegate("record", "--project", folder, variant.eval, "--all", "--quiet")
            if code:
                return _unjudged(variant, f"cannot be recorded: {said}")
        code, said = _tapegate("run", "--project", folder, variant.eval, "--json", "--jobs", "1")
        if not (root / "out/results.json").exists():
            return _unjudged(variant, f"cannot be judged: {said}")
        tasks = json.loads((root / "out/results.json").read_bytes())["tasks"]
        found = {
            (one["metric"], one["code"]) for task in tasks for one in task["findings"] if one["severity"] == "fail"
        }
        return Outcome(
            variant, tuple(task["verdict"] for task in tasks), tuple(sorted(found)), _did(root / "out/traces")
        )


def wrongs(outcomes: Sequence[Outcome]) -> dict[Variant, str]:
    """Each variant that is not judged as it must be, with the reason."""
    shipped: dict[str, frozenset[str]] = {}
    done: dict[str, list[frozenset[str]]] = defaultdict(list)
    wrong: dict[Variant, str] = {}
    for outcome in outcomes:
        if _is_shipped(outcome.variant):
            shipped[outcome.variant.eval] = outcome.did
            if why := outcome.wrong(frozenset(), ()):
                wrong[outcome.variant] = why
    for outcome in outcomes:
        variant = outcome.variant
        if not _is_shipped(variant):
            if why := outcome.wrong(shipped[variant.eval], done[variant.eval]):
                wrong[variant] = why
            if isinstance(variant, Behaviour):
                done[variant.eval].append(outcome.did)
    return wrong


def _is_shipped(variant: Variant) -> bool:
    return not variant.edits and variant.seed is None


def _prepared() -> None:
    for name in [name for name in os.environ if name.startswith(("GITHUB_", "TAPEGATE_"))]:
        del os.environ[name]
    from tapegate.cli import gate, recording  # noqa: F401 - once for all that this process judges


def _copy(variant: Variant, root: Path) -> None:
    """The parts of the project that a run of one eval reads."""
    no_bytecode = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / PAPERDESK, root / PAPERDESK, ignore=no_bytecode)
    shutil.copytree(ROOT / "evals", root / "evals", ignore=no_bytecode)
    for recorded in (ROOT / "cassettes").glob(f"*/{variant.eval}*"):
        if recorded.name.partition("[")[0] == variant.eval:
            shutil.copytree(recorded, root / "cassettes" / recorded.parent.name / recorded.name)
    config = root / "evals/tapegate.yaml"
    (task,) = (root / "evals").glob(f"*/{variant.eval}.*")
    text, asked = config.read_text("utf-8"), task.read_text("utf-8")
    if re.search(r"^mode: single_turn$", asked, re.MULTILINE):
        text = _HTTP.sub(lambda _: IN_PROCESS, text)
    if variant.seed is not None:
        text = re.sub(r'PAPERDESK_SEED: "\{seed\}"', f'PAPERDESK_SEED: "{variant.seed}"', text)
        # All trials would be the same.
        task.write_text(re.sub(r"^trials: \d+$", "trials: 1", asked, flags=re.MULTILINE), "utf-8")
    config.write_text(text, "utf-8")


def _tapegate(*words: str) -> tuple[int, str]:
    from click.testing import CliRunner

    from tapegate.cli.main import cli

    done = CliRunner().invoke(cli, list(words))
    return done.exit_code, f"{done.output[-500:]} {done.exception or ''}"


def _did(traces: Path) -> frozenset[str]:
    """The events of each trial as its user meets them, without what the harness says of it."""
    return frozenset(
        "\n".join(line for line in path.read_text("utf-8").splitlines() if json.loads(line)["event"] not in _OURS)
        for path in traces.rglob("*.jsonl")
    )


def _unjudged(variant: Variant, why: str) -> Outcome:
    return Outcome(variant, (), (), frozenset(), why)


def _list(found: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{metric} ({code})" for metric, code in found) or "nothing"
