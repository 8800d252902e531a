"""Two pages of the docs, made of the code: every check of lint, and how the standard is enforced.

`python -m tapegate.standard.manual` writes them; with `--check` it only says whether they are what it would write.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from inspect import getdoc
from itertools import groupby
from pathlib import Path

from tapegate.standard.check import Check
from tapegate.standard.checks import CHECKS
from tapegate.standard.finding import Severity
from tapegate.standard.fix import FIXED
from tapegate.standard.sentences import PROVEN, SENTENCES, Sentence

HERE = Path(__file__).parents[3] / "docs"
SEVERITIES: Mapping[Severity, str] = {
    "unreadable": "exit 2: a run would refuse it",
    "finding": "exit 1: the standard is broken",
    "note": "worth knowing; fails nothing",
}


_LINT = """\
# Lint

`tapegate lint` holds a project against the evaluation standard before anything runs: its evals, its recordings and,
with `--against REV`, its change. Every finding has an id, a place and a fix; each id stands below. This page is made
of the code (`python -m tapegate.standard.manual`), and a test holds it to it.

Exit code 0: clean, notes aside; 1: findings; 2: something cannot be read; 3: git cannot tell the change.

| option | does |
| --- | --- |
| `--against REV` | checks the change from where HEAD and REV parted to the work tree, too |
| `--base-dir DIR` | the same against a folder with the base's files, where there is no git |
| `--message FILE` | a text that may say why, as commit messages may: of a `commit-msg` hook |
| `--fix` | puts right what needs no decision, and writes a file only where it reads back as what was meant |
| `--format text` | for people; with a base, the checklist too |
| `--format json`, `--json` | for programs: `findings`, `checklist`, `change` |
| `--format sarif` | for code scanning and editors |
| `--format github` | for a workflow: annotations, and the checklist in the step's summary |
| `--format markdown` | for a pull request |
"""

_STANDARD = f"""\
# How the standard is enforced

Every sentence of the agent evaluation standard that binds, in our words, by section and number; what enforces it; and
the test that proves it. A name like [hard_gates](lint.md#hard_gates) is a check of `tapegate lint`; each of them is
proven by a deliberate defect that turns it red (`{PROVEN}`).
Where a machine cannot tell, the table says so, and who can. This page is made of the code
(`python -m tapegate.standard.manual`), and a test holds the table to be whole.
"""

_CHANGES = """\
## Change control

`tapegate lint --against REV` reads the difference from REV to the work tree and holds it against the scope table:

- A file of a path changed: an eval of the path changed, or a recording of one. Else a line of a commit message or of
  the pull request's description says why: `Tapegate-Eval-Unchanged: reason`; `A1: reason` is for that path alone.
- A task asks for something else: its `migrations` have one note more. The notes are its history; none is removed.

  ```yaml
  migrations:
    - note: Two citations instead of one, since comparisons have two sources; older passes may fail now.
      deprecates: [cites one paper]
  ```

- An accepted outcome is gone: it is named under `deprecates`, or another outcome accepts all that it accepted.
- A task is gone: `Tapegate-Eval-Removed: KEY reason` says why, in the same places.
- A file that looks like a prompt has no path: the scope table first, or `unscoped` with the reason.

Then it answers the six questions of the compliance checklist from what it found: as text, as Markdown for the pull
request (`--format markdown`), as JSON for programs (`--json`).
"""


def lint_page() -> str:
    """docs/lint.md."""
    return "\n".join(_lint())


def standard_page() -> str:
    """docs/standard.md."""
    return "\n".join(_standard())


def _lint() -> Iterator[str]:
    yield _LINT
    yield from ("| check | holds | |", "| --- | --- | --- |")
    yield from (f"| [{check.id}](#{check.id}) | {check.doc} | {check.severity} |" for check in CHECKS)
    yield ""
    for check in CHECKS:
        yield from _check(check)


def _check(check: Check) -> Iterator[str]:
    yield f"## {check.id}"
    yield ""
    against = "; with `--against` or `--base-dir`" if check.against else ""
    yield f"{check.doc} *{check.severity}* ({SEVERITIES[check.severity]}){against}."
    yield ""
    yield from (getdoc(check.find) or "").splitlines()
    yield ""
    enforced = [sentence.ref for sentence in SENTENCES if check.id in sentence.checks]
    if enforced:
        sections = groupby(enforced, key=lambda ref: ref.rsplit(" ", 1)[0])
        said = "; ".join(f"{section} {', '.join(ref.rsplit(' ', 1)[1] for ref in refs)}" for section, refs in sections)
        yield f"Standard: {said}."
        yield ""
    yield from ("| id | means |", "| --- | --- |")
    for code, means in check.codes.items():
        fixed = f" `--fix`: {FIXED[code]}." if code in FIXED else ""
        yield f"| `{code}` | {means}{fixed} |"
    if check.more:
        yield "| … | and every other id of the reader that refuses an input |"
    yield ""


def _standard() -> Iterator[str]:
    yield _STANDARD
    for section, sentences in groupby(SENTENCES, key=lambda sentence: sentence.section):
        yield from (f"## {section}", "", "| | demands | enforced by | proven by |", "| --- | --- | --- | --- |")
        yield from map(_row, sentences)
        yield ""
    yield _CHANGES


def _row(sentence: Sentence) -> str:
    checks = ", ".join(f"[{check}](lint.md#{check})" for check in sentence.checks)
    by = ". ".join(part for part in (checks, sentence.by) if part)
    tests = [f"`{test}`" for test in sentence.tests or (PROVEN,)]
    return f"| {sentence.number} | {sentence.gist} | {by or '–'} | {', '.join(tests)} |"


PAGES = {"lint.md": lint_page, "standard.md": standard_page}


def main(words: list[str]) -> int:
    """Write the pages, or say with 1 that one of them is not what the code makes of it."""
    stale = [name for name, page in PAGES.items() if _held(name) != page()]
    if "--check" not in words:
        for name in stale:
            (HERE / name).write_text(PAGES[name](), encoding="utf-8")
        return 0
    for name in stale:
        sys.stderr.write(f"docs/{name} is not what the code makes of it: python -m tapegate.standard.manual\n")
    return 1 if stale else 0


def _held(name: str) -> str:
    path = HERE / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
