"""Puts each variant to its eval, in a copy of the project, and holds what the gate says against what it must say."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutants.variant import Behaviour, Defect, Variant
from tapegate.run.events_file import PARTS

ROOT = Path(__file__).parents[2]
PAPERDESK = "src/paperdesk"
_OURS = frozenset({"trial", *PARTS})


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
    """The outcome of each variant, as it comes in; of each eval as it is shipped, as a `Behaviour`, among them."""
    shipped = [Behaviour(eval=key, name="as shipped", kind="code") for key in sorted({one.eval for one in variants})]
    # One copy of the project serves all evals that the same change is put to.
    together: dict[object, list[Variant]] = defaultdict(list)
    for one in (*shipped, *variants):
        group = (one.edits, one.seed, one.records) if one.edits or one.seed else one.eval.partition("@")[2]
        together[group].append(one)
    # What takes longest is begun first.
    work = sorted(together.values(), key=lambda group: -len(group) * (4 if group[0].records else 1))
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _prepared) as pool:
        for done in as_completed([pool.submit(judge, group) for group in work]):
            yield from done.result()


def judge(group: Sequence[Variant]) -> list[Outcome]:
    """The outcomes of variants that are one change, put to several evals."""
    keys = [variant.eval for variant in group]
    change = group[0]
    with tempfile.TemporaryDirectory(prefix="tapegate-mutant-") as folder:
        root = Path(folder)
        _copy(change, keys, root)
        for edit in change.edits:
            path = root / PAPERDESK / edit.file
            text = path.read_text("utf-8")
            if text.count(edit.old) != 1:
                return _unjudged(group, f"{edit.old!r} stands {text.count(edit.old)} times in {edit.file}")
            path.write_text(text.replace(edit.old, edit.new), "utf-8")
        if change.records:
            code, said = _tapegate("record", "--project", folder, *keys, "--all", "--quiet")
            if code:
                return _unjudged(group, f"cannot be recorded: {said}")
        _, said = _tapegate("run", "--project", folder, *keys, "--json", "--jobs", "1")
        if not (root / "out/results.json").exists():
            return _unjudged(group, f"cannot be judged: {said}")
        tasks = json.loads((root / "out/results.json").read_bytes())["tasks"]
        return [
            _outcome(one, [task for task in tasks if _eval(task["key"]) == one.eval], root / "out") for one in group
        ]


def _outcome(variant: Variant, tasks: Sequence[dict[str, Any]], out: Path) -> Outcome:
    failing = [one for task in tasks for one in task["findings"] if one["severity"] == "fail"]
    found = sorted({(one["metric"], one["code"]) for one in failing})
    traces = [path for path in (out / "traces").rglob("*.jsonl") if _eval(path.parent.name) == variant.eval]
    return Outcome(variant, tuple(task["verdict"] for task in tasks), tuple(found), did(traces))


def wrongs(outcomes: Sequence[Outcome]) -> dict[Variant, str]:
    """Each variant that is not judged as it must be, with the reason."""
    shipped: dict[str, frozenset[str]] = {}
    done: dict[str, list[frozenset[str]]] = defaultdict(list)
    wrong: dict[Variant, str] = {}
    outcomes = sorted(outcomes, key=lambda one: (one.variant.eval, one.variant.name))
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


def _copy(change: Variant, keys: Sequence[str], root: Path) -> None:
    """The parts of the project that a run of some evals reads."""
    no_bytecode = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / PAPERDESK, root / PAPERDESK, ignore=no_bytecode)
    shutil.copytree(ROOT / "evals", root / "evals", ignore=no_bytecode)
    for recorded in (ROOT / "cassettes").glob("*/*@*"):
        if _eval(recorded.name) in keys:
            shutil.copytree(recorded, root / "cassettes" / recorded.parent.name / recorded.name)
    config = root / "evals/tapegate.yaml"
    text = config.read_text("utf-8")
    for key in keys:
        (task,) = (root / "evals").glob(f"*/{key}.*")
        asked = task.read_text("utf-8")
        if "\nmode: concurrent\n" not in asked:
            asked = _asked(asked)
        if change.seed is not None:
            # All trials would be the same.
            asked = re.sub(r"^trials: \d+$", "trials: 1", asked, flags=re.MULTILINE)
        task.write_text(asked, "utf-8")
    if change.seed is not None:
        text = re.sub(r'PAPERDESK_SEED: "\{seed\}"', f'PAPERDESK_SEED: "{change.seed}"', text)
    config.write_text(text, "utf-8")


def _asked(task: str) -> str:
    """A task of the chat, asked as a callable: the same verdict (tests/gate/test_kinds.py), and no server a trial."""
    if re.search(r"^subject:", task, re.MULTILINE):
        return task
    return re.sub(r"^path_id: A1$", "path_id: A1\nsubject: chat", task, flags=re.MULTILINE)


def _eval(key: str) -> str:
    """`RET-08@A5` of `RET-08@A5[3]`."""
    return key.partition("[")[0]


def _tapegate(*words: str) -> tuple[int, str]:
    from click.testing import CliRunner

    from tapegate.cli.main import cli

    done = CliRunner().invoke(cli, list(words))
    return done.exit_code, f"{done.output[-500:]} {done.exception or ''}"


def did(traces: Iterable[Path]) -> frozenset[str]:
    """The events of each trial as its user meets them, case by case, without what the harness says of it.

    Which of several users got which session hangs on who came first: sessions are numbered as they appear.
    """
    return frozenset(f"{path.parent.name}\n{_met(path)}" for path in traces)


def _met(path: Path) -> str:
    lines = (line for line in path.read_text("utf-8").splitlines() if json.loads(line)["event"] not in _OURS)
    sessions: dict[str, str] = {}
    return re.sub(
        r'(?<="session_id": )"[^"]*"',
        lambda found: sessions.setdefault(found.group(), f'"session {len(sessions) + 1}"'),
        "\n".join(lines),
    )


def _unjudged(group: Sequence[Variant], why: str) -> list[Outcome]:
    return [Outcome(variant, (), (), frozenset(), why) for variant in group]


def _list(found: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{metric} ({code})" for metric, code in found) or "nothing"
