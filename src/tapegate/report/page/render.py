"""The page: an overview that stands without a script, and the tasks as data that its script shows.

No network, no other file; a content security policy that admits this style and this script and nothing else. Every
text of an agent, a task or a stranger is escaped here or set as text by the script, never read as HTML.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import orjson

from tapegate.model.diff import Diff, Kind, TaskDiff
from tapegate.model.run import Run, TaskResult
from tapegate.report import words
from tapegate.report.inert import visible
from tapegate.report.page.detail import detail, gone, raw
from tapegate.report.page.evidence import Evidence
from tapegate.report.page.overview import body, rank
from tapegate.report.safety import safety

MOST_BYTES = 1_000_000
"""The page is smaller than this, for 1,000 tasks too: what does not fit is left to the files beside it, and said."""
_ROOM_FOR_THE_REST = 60_000


def render(run: Run, digest: str, diff: Diff | None = None, evidence: Evidence | None = None) -> bytes:
    """The whole page in UTF-8; the same input gives the same bytes."""
    evidence = evidence or Evidence()
    changes = {task.key: task for task in diff.tasks} if diff is not None else {}
    style, script = _asset("report.css"), _asset("report.js")
    overview = "".join(body(run, digest, diff, evidence, changes))
    head = _head(run, diff, style, script)
    room = MOST_BYTES - len(head.encode()) - len(overview.encode()) - len(script.encode()) - _ROOM_FOR_THE_REST
    data = _data(run, changes, evidence, room)
    page = (
        f"{head}<body>\n{overview}"
        f'<script type="application/json" id="data">{data}</script>\n<script>{script}</script>\n</body>\n</html>\n'
    )
    return page.encode("utf-8", "backslashreplace")


@cache
def _asset(name: str) -> str:
    return (files("tapegate.report.page") / name).read_text("utf-8")


def _head(run: Run, diff: Diff | None, style: str, script: str) -> str:
    policy = (
        f"default-src 'none'; style-src '{_sha(style)}'; script-src '{_sha(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    told = safety(run, diff)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>Tapegate: {escape(told.headline)}</title>\n<style>{style}</style>\n</head>\n"
    )


def _sha(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _data(run: Run, changes: Mapping[str, TaskDiff], evidence: Evidence, room: int) -> str:
    """The tasks as JSON that no HTML parser ends early, as many as there is room for, the most telling first; then raw
    interactions, likewise."""
    tasks = sorted(
        words.worst_first(run.tasks), key=lambda task: (rank(changes.get(task.key)), task.key not in changes)
    )
    kept: dict[str, dict[str, Any]] = {}
    # Of what is gone, the overview names the tasks: it may take half of the room, and never that of what is there.
    spare = room // 2
    for change in changes.values():
        if change.kind is Kind.REMOVED:
            taken = _keep(kept, change.key, gone(change), spare)
            room, spare = room - taken, spare - taken
    for task in tasks:
        # Whether it fits is known when it is made; far beyond the room, nothing is made any more.
        if room < 2_000:
            break
        room -= _keep(kept, task.key, detail(task, changes.get(task.key), evidence), room)
    for task in tasks:
        if task.key in kept and room > 20_000:
            room -= _with_raw(task, kept[task.key], evidence, room)
    return _json({"tasks": {visible(key): made for key, made in kept.items()}})


def _keep(kept: dict[str, dict[str, Any]], key: str, made: dict[str, Any], room: int) -> int:
    """Keep one task where there is room for it; the bytes that it takes."""
    size = len(_json({visible(key): made}).encode()) + 1
    if size > room:
        return 0
    kept[key] = made
    return size


def _with_raw(task: TaskResult, made: dict[str, Any], evidence: Evidence, room: int) -> int:
    spent = 0
    for trial, shown in zip(task.trials, made["trials"], strict=True):
        cassette = evidence.recording(task, trial)
        if cassette is None:
            continue
        found = raw(cassette)
        size = len(_json(found).encode()) + 8
        if spent + size <= room:
            shown["raw"] = found
            spent += size
    return spent


def _json(value: Any) -> str:
    # Every text was made visible, so that none holds a surrogate, which orjson refuses.
    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
